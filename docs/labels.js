// The theme gives its search dialog no name, and wide tables, which it wraps later, cannot be reached by the keyboard.
addEventListener("load", () => {
  document.querySelectorAll(".md-search:not([aria-label])").forEach(found => found.setAttribute("aria-label", "Search"));
  document.querySelectorAll(".md-typeset__scrollwrap").forEach(found => found.setAttribute("tabindex", "0"));
});
