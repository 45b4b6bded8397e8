"""Draw trees and histograms as SVG.

Elements are escaped text.  The colours are classes of the page's style sheet
(``templates/report.html.j2``), so that a picture follows the page into dark mode and onto paper.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from markupsafe import Markup, escape

from sgl.diagnostics.model import display_width
from sgl.report.model import TreeNode

#: Size of the text in pictures, in pixels.
FONT_SIZE = 13.0

#: A picture that does not fit is scaled down to this share of its size, then it scrolls.
SMALLEST = 0.75

#: Mean width of a character of the page's sans-serif font, in units of its size.
_CHARACTER = 0.56

#: How much wider a capital is.
_CAPITAL = 0.14


def element(tag: str, *content: str, **attributes: str | float) -> Markup:
    """Return an element with escaped attributes; ``content`` is escaped unless it is markup.

    Numbers are rounded to a tenth of a pixel.  In names of attributes ``_`` stands for ``-``, and a
    trailing one is dropped (``class_``).
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_number(value))}"' for name, value in attributes.items()
    )
    inside = Markup("").join(content)
    return Markup(f"<{tag}{written}>{inside}</{tag}>")  # noqa: S704 - every part is escaped


def picture(name: str, title: str, description: str, width: float, height: float, *content: Markup) -> Markup:
    """Return an ``svg`` element that a screen reader announces; ``name`` is unique on the page."""
    return element(
        "svg",
        element("title", title, id=f"{name}-title"),
        element("desc", description, id=f"{name}-desc"),
        *content,
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        width=width,
        height=height,
        style=f"min-width: {_number(SMALLEST * width)}px",
    )


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """About how many pixels a text takes; wide East Asian characters count double."""
    return display_width(text) * size * _CHARACTER


def label_width(text: str) -> float:
    """Return the same for names, whose capitals are wide."""
    return text_width(text) + _CAPITAL * FONT_SIZE * sum(map(str.isupper, text))


def wrapped(text: str, width: float, lines: int) -> list[str]:
    """Return a name in lines of at most this width; what does not fit on the last one is left out.

    A line ends behind a space, a mark or a character of East Asian width, and within a word
    only if it has no such place.
    """
    found = [""]
    for piece in _pieces(text):
        if found[-1] and label_width(found[-1] + piece.rstrip()) > width:
            found.append("")
        for character in piece:
            if found[-1] and label_width(found[-1] + character) > width:
                found.append("")
            found[-1] += character
    kept = [line.strip() for line in found[:lines]]
    if len(found) > lines:
        # The last character may have no width, so more than one may have to go.
        while kept[-1] and label_width(kept[-1] + "…") > width:
            kept[-1] = kept[-1][:-1]
        kept[-1] += "…"
    return kept


def _pieces(text: str) -> list[str]:
    pieces = [""]
    for character in text:
        pieces[-1] += character
        if not character.isalnum() or display_width(character) > 1:
            pieces.append("")
    return pieces


def _number(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.1f}".removesuffix(".0")


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
    children: "list[_Box]" = field(default_factory=list)

    @property
    def y(self) -> float:
        return _BASELINE + _MARGIN + self.level * _LEVEL


def draw_tree(tree: TreeNode, title: str, name: str) -> Markup:
    """Return the tree as an ``svg`` element; ``name`` is unique on the page."""
    return _draw(tree, title, name)[0]


def _draw(tree: TreeNode, title: str, name: str) -> tuple[Markup, float, float]:
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


_WIDTH = 640.0
_LEFT = 64.0
_PANEL = 62.0
_BARS = 44.0
_AXIS = 30.0
_TICK = 5

#: Shares that are too small to be drawn.
_INVISIBLE = 5e-4


class _Histogram(NamedTuple):
    """One histogram: its name, its mean, and (number, size, what to say) of each bar."""

    name: str
    mean: float
    bars: Sequence[tuple[int, float, str]]


def draw_lengths(splits: Mapping[str, Mapping[int, int]], name: str) -> Markup:
    """Draw how many sentences of each split have which length; ``name`` is unique on the page."""
    drawn, said = [], []
    for split, counts in splits.items():
        sentences = sum(counts.values())
        mean = sum(n * count for n, count in counts.items()) / max(sentences, 1)
        bars = [(n, counts[n], f"{n} tokens: {counts[n]} sentences") for n in sorted(counts)]
        drawn.append(_Histogram(split, mean, bars))
        said.append(f"{split}: mean {mean:.1f} tokens, {sentences} sentences")
    title = "Lengths of the sentences in each split"
    return _draw_histograms(drawn, name, "tokens", title, "; ".join(said))


def draw_heights(splits: Mapping[str, Sequence[float]], name: str) -> Markup:
    """Draw the probability of each height, from 0 upwards, of the derivations of each split."""
    drawn = []
    for split, shares in splits.items():
        mean = sum(height * share for height, share in enumerate(shares))
        bars = [
            (height, share, f"height {height}: {100 * share:.1f} %")
            for height, share in enumerate(shares)
            if share >= _INVISIBLE
        ]
        drawn.append(_Histogram(split, mean, bars))
    said = "; ".join(f"{one.name}: mean height {one.mean:.1f}" for one in drawn)
    title = "Heights of the derivations in each split"
    return _draw_histograms(drawn, name, "rules above one another", title, said)


def _draw_histograms(series: Sequence[_Histogram], name: str, unit_name: str, title: str, description: str) -> Markup:
    longest = max((number for one in series for number, _, _ in one.bars), default=1)
    unit = (_WIDTH - _LEFT) / (longest + 1)
    panels = [_panel(one, index * _PANEL, unit) for index, one in enumerate(series)]
    floor = len(series) * _PANEL
    ticks = [
        element("text", str(length), x=_LEFT + length * unit, y=floor + 14, class_="tick")
        for length in range(_TICK, longest + 1, _TICK)
    ]
    axis = element("text", unit_name, x=_WIDTH, y=floor + 28, class_="tick end")
    return picture(name, title, description, _WIDTH, floor + _AXIS, *panels, *ticks, axis)


def _panel(series: _Histogram, top: float, unit: float) -> Markup:
    floor = top + _PANEL - 6
    highest = max((size for _, size, _ in series.bars), default=1.0)
    bars = []
    for number, size, text in series.bars:
        height = max(_BARS * size / highest, 1.0)
        bars.append(
            element(
                "rect",
                element("title", text),
                x=_LEFT + (number - 0.42) * unit,
                y=floor - height,
                width=unit * 0.84,
                height=height,
                class_="bar",
            )
        )
    mean = _LEFT + series.mean * unit
    return element(
        "g",
        element("text", series.name, x=0.0, y=floor - 14, class_="split"),
        element("text", f"mean {series.mean:.1f}", x=0.0, y=floor - 1, class_="tick start"),
        *bars,
        element("line", x1=_LEFT, y1=floor, x2=_WIDTH, y2=floor, class_="axis"),
        element("line", x1=mean, y1=floor, x2=mean, y2=floor - _BARS - 4, class_="mean"),
    )
