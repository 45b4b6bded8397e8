r"""Draw a constituent tree.

Words stand below their category in the order of the sentence; a category
stands above the middle of its children::

            S
          /   \
        NP     VP
        |     /  \
       Emma  V    NP
             |    |
            saw  Lina
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from sgl.report.model import TreeNode
from sgl.report.svg import element, picture, text_width

_LEVEL = 42.0
_GAP = 16.0
_MARGIN = 12.0
_BASELINE = 16.0
#: Where branches end above and below the baseline of a label.
_ABOVE, _BELOW = 13.0, 6.0

#: The space between trees in a file of their own, and the colours that pages have in a sheet.
_BETWEEN = 24.0

_STYLE = """
svg { font-family: system-ui, "Noto Sans", "Noto Sans CJK JP", "Hiragino Sans", sans-serif; }
text { fill: #1c2430; font-size: 13px; text-anchor: middle; }
.category { font-weight: 600; fill: #2457a6; }
.branch { stroke: #5b6675; stroke-width: 1; }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e8ee; } .category { fill: #8ab4f8; } .branch { stroke: #9aa5b4; }
}
"""


@dataclass(slots=True)
class _Box:
    """A subtree with its place: ``x`` is the middle of its label, ``right`` its edge."""

    node: TreeNode
    level: int
    x: float = 0.0
    right: float = 0.0
    children: list[_Box] = field(default_factory=list)

    @property
    def y(self) -> float:
        return _BASELINE + _MARGIN + self.level * _LEVEL


def draw_tree(tree: TreeNode, title: str, name: str) -> Markup:
    """Return the tree as an ``svg`` element; ``name`` is unique on the page."""
    return _draw(tree, title, name)[0]


def _draw(tree: TreeNode, title: str, name: str) -> tuple[Markup, float, float]:
    """Return the picture of a tree with its width and height, in pixels."""
    boxes: list[_Box] = []
    root = _place(tree, 0, _MARGIN, boxes)
    branches = [
        element("line", x1=box.x, y1=box.y + _BELOW, x2=x.x, y2=x.y - _ABOVE, class_="branch")
        for box in boxes
        for x in box.children
    ]
    labels = []
    for box in boxes:
        note = [element("title", box.node.note)] if box.node.note else []
        kind = "category" if box.node.children else "word"
        labels.append(element("text", *note, box.node.label, x=box.x, y=box.y, class_=kind))
    width = root.right + _MARGIN
    height = _BASELINE + 2 * _MARGIN + max(box.level for box in boxes) * _LEVEL
    drawn = picture(name, title, bracketed(tree), width, height, *branches, *labels)
    return drawn, width, height


def bracketed(tree: TreeNode) -> str:
    """Return the tree in labelled brackets: ``[NP the dog]``."""
    if not tree.children:
        return tree.label
    return f"[{tree.label} {' '.join(bracketed(child) for child in tree.children)}]"


def _place(node: TreeNode, level: int, left: float, boxes: list[_Box]) -> _Box:
    """Add a subtree to the boxes, from the top down, with nothing to the left of ``left``."""
    own, rank = _Box(node, level), len(boxes)
    boxes.append(own)
    edge = left
    for child in node.children:
        box = _place(child, level + 1, edge, boxes)
        own.children.append(box)
        edge = box.right + _GAP
    half = text_width(node.label) / 2
    middle = (own.children[0].x + own.children[-1].x) / 2 if own.children else left + half
    # A label that is wider than what is below it moves the subtree to the right.
    overhang = max(left + half - middle, 0.0)
    for box in boxes[rank + 1 :]:
        box.x += overhang
        box.right += overhang
    own.x = middle + overhang
    own.right = max([own.x + half, *(box.right for box in own.children[-1:])])
    return own


def render_trees(trees: Sequence[TreeNode]) -> str:
    """Return the trees below one another, as the text of an SVG file."""
    pictures: list[Markup] = []
    width = height = 0.0
    for number, tree in enumerate(trees, 1):
        drawn, wide, high = _draw(tree, f"Reading {number}", f"reading-{number}")
        pictures.append(element("g", drawn, transform=f"translate(0 {height:.1f})"))
        width, height = max(width, wide), height + high + _BETWEEN
    page = element(
        "svg",
        element("style", _STYLE),
        *pictures,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:.1f} {height:.1f}",
        width=width,
        height=height,
    )
    return f"{page}\n"
