// The theme gives its search dialog no name, which screen readers need.
document.querySelectorAll(".md-search:not([aria-label])").forEach(found => found.setAttribute("aria-label", "Search"));
