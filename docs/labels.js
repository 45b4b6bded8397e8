// The theme gives its search dialog no name, and wide tables cannot be reached by the keyboard.
document.querySelectorAll(".md-search:not([aria-label])").forEach(found => found.setAttribute("aria-label", "Search"));
document.querySelectorAll(".md-typeset__scrollwrap").forEach(found => found.setAttribute("tabindex", "0"));
