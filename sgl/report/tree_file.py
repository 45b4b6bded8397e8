"""Trees as an SVG file that stands alone: pictures of the report with their own colours."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from sgl.report.model import TreeNode
from sgl.report.svg import element
from sgl.report.tree_svg import draw_tree, tree_size

_GAP = 24.0

_STYLE = """
svg { font-family: system-ui, "Noto Sans", "Noto Sans CJK JP", "Hiragino Sans", sans-serif; }
text { fill: #1c2430; font-size: 13px; text-anchor: middle; }
.category { font-weight: 600; fill: #2457a6; }
.branch { stroke: #5b6675; stroke-width: 1; }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e8ee; } .category { fill: #8ab4f8; } .branch { stroke: #9aa5b4; }
}
"""


def render_trees(trees: Sequence[TreeNode]) -> str:
    """Return the trees below one another, as the text of an SVG file."""
    pictures: list[Markup] = []
    width = height = 0.0
    for number, tree in enumerate(trees, 1):
        wide, high = tree_size(tree)
        drawn = draw_tree(tree, f"Reading {number}", f"reading-{number}")
        pictures.append(element("g", drawn, transform=f"translate(0 {height:.1f})"))
        width, height = max(width, wide), height + high + _GAP
    return (
        str(
            element(
                "svg",
                element("style", _STYLE),
                *pictures,
                xmlns="http://www.w3.org/2000/svg",
                viewBox=f"0 0 {width:.1f} {height:.1f}",
                width=width,
                height=height,
            )
        )
        + "\n"
    )
