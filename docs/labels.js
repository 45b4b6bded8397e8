// The theme gives its search dialog and the buttons of code blocks no names, and wide tables, which it wraps later,
// cannot be reached by the keyboard.
const labels = () => {
  document.querySelectorAll(".md-search:not([aria-label])").forEach(found => found.setAttribute("aria-label", "Search"));
  document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach(found => found.setAttribute("tabindex", "0"));
  document.querySelectorAll(".md-code__nav").forEach((found, number) => {
    const label = `Code ${number + 1}`;
    if (found.getAttribute("aria-label") !== label) found.setAttribute("aria-label", label);
  });
};
addEventListener("load", () => {
  labels();
  new MutationObserver(labels).observe(document.body, { childList: true, subtree: true });
});
