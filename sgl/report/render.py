"""Render the pages of reports and audits from their templates, and lay out their pictures.

This module computes the positions in trees, graphs and histograms; ``templates/pictures.svg.j2`` draws them and escapes
everything that comes from a grammar.  A dependency graph has its words in a row, arcs above, and the enhanced graph's
edges below.  An arc is as high as the arcs that it spans require; words move apart as far as labels need.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sgl.characters import display_width
from sgl.core.claims import Kind, Verdict
from sgl.report.model import Arc, GraphWord, TreeNode
from sgl.values import dataclass, field

#: The text size in pictures, in pixels.
FONT_SIZE = 13.0

#: The mean width of a character in the page's sans-serif font, relative to its size.
_CHARACTER = 0.56

#: The extra width of a capital.
_CAPITAL = 0.14

#: The places where a line may end: after a space, a mark or a character of East Asian width.
_ENDING = re.compile(r"(?<=[\W_\u1100-\u115f\u2e80-\ud7a3\uf900-\ufaff\uff01-\uff60])")


@cache
def _macros() -> Any:  # noqa: ANN401 - a module of Jinja
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["px"] = lambda number: f"{number:.1f}".removesuffix(".0")
    environment.filters["fixed"] = "{:.1f}".format
    source = files("sgl.report").joinpath("templates", "pictures.svg.j2").read_text("utf-8")
    return environment.from_string(re.sub(r"\n\s*", "", source)).module


def drawn(macro: str, /, **given: object) -> Markup:
    """Return the ``svg`` element that a macro of the pictures makes; its ``name`` must be unique on the page."""
    made: Markup = getattr(_macros(), macro)(**given)
    return made


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Return the approximate width of a text in pixels; wide East Asian characters count double."""
    return display_width(text) * size * _CHARACTER


def label_width(text: str) -> float:
    """Return the approximate width of a name, whose capitals are wide."""
    return text_width(text) + _CAPITAL * FONT_SIZE * sum(map(str.isupper, text))


def wrapped(text: str, width: float, lines: int) -> list[str]:
    """Return a name in lines of at most this width; text that does not fit on the last one is cut off.

    A line ends within a word only if there is no other place.
    """
    found = [""]
    for piece in re.split(_ENDING, text):
        if found[-1] and label_width(found[-1] + piece.rstrip()) > width:
            found.append("")
        for character in piece:
            if found[-1] and label_width(found[-1] + character) > width:
                found.append("")
            found[-1] += character
    kept = [line.strip() for line in found[:lines]]
    if len(found) > lines:
        # The last character may have no width, so several may have to go.
        while kept[-1] and label_width(kept[-1] + "…") > width:
            kept[-1] = kept[-1][:-1]
        kept[-1] += "…"
    return kept


_LEVEL = 42.0
_GAP = 16.0
_MARGIN = 12.0
_BASELINE = 16.0

#: The space between trees in a separate file.
_BETWEEN = 24.0


@dataclass(slots=True)
class _Box:
    """A subtree with its position: ``x`` is the middle of its label, ``right`` its right edge."""

    node: TreeNode
    y: float
    x: float = 0.0
    right: float = 0.0
    children: "list[_Box]" = field(default_factory=list)


def draw_tree(tree: TreeNode, title: str, name: str) -> Markup:
    """Return the tree as an ``svg`` element."""
    return _draw(tree, title, name)[0]


def _draw(tree: TreeNode, title: str, name: str) -> tuple[Markup, float, float]:
    boxes: list[_Box] = []
    width = _place(tree, _BASELINE + _MARGIN, _MARGIN, boxes).right + _MARGIN
    height = max(box.y for box in boxes) + _MARGIN
    size = {"description": bracketed(tree), "width": width, "height": height}
    return drawn("draw_tree", boxes=boxes, name=name, title=title, **size), width, height


def bracketed(tree: TreeNode) -> str:
    """Return the tree in labelled brackets: ``[NP the dog]``."""
    if not tree.children:
        return tree.label
    return f"[{tree.label} {' '.join(bracketed(child) for child in tree.children)}]"


def _place(node: TreeNode, top: float, left: float, boxes: list[_Box]) -> _Box:
    """Add a subtree to the boxes, from the top down, with nothing to the left of ``left``."""
    own, rank = _Box(node, top), len(boxes)
    boxes.append(own)
    edge = left
    for child in node.children:
        box = _place(child, top + _LEVEL, edge, boxes)
        own.children.append(box)
        edge = box.right + _GAP
    half = text_width(node.label) / 2
    middle = (own.children[0].x + own.children[-1].x) / 2 if own.children else left + half
    # A label wider than the nodes below it moves the subtree to the right.
    overhang = max(left + half - middle, 0.0)
    for box in boxes[rank + 1 :]:
        box.x += overhang
        box.right += overhang
    own.x = middle + overhang
    own.right = max([own.x + half, *(box.right for box in own.children[-1:])])
    return own


def render_trees(trees: Sequence[TreeNode]) -> str:
    """Return the trees, one below the other, as the text of an SVG file."""
    placed: list[tuple[Markup, float]] = []
    width = height = 0.0
    for number, tree in enumerate(trees, 1):
        picture, wide, high = _draw(tree, f"Reading {number}", f"reading-{number}")
        placed.append((picture, height))
        width, height = max(width, wide), height + high + _BETWEEN
    return drawn("draw_trees", trees=placed, width=width, height=height) + "\n"


#: Shares below this are too small to draw.
_INVISIBLE = 5e-4


def draw_lengths(splits: Mapping[str, Mapping[int, int]], name: str) -> Markup:
    """Draw the number of sentences of each length in each split."""
    series, said = [], []
    for split, counts in splits.items():
        sentences = sum(counts.values())
        mean = sum(n * count for n, count in counts.items()) / max(sentences, 1)
        bars = [(n, counts[n], f"{n} tokens: {counts[n]} sentences") for n in sorted(counts)]
        series.append({"name": split, "mean": mean, "bars": bars})
        said.append(f"{split}: mean {mean:.1f} tokens, {sentences} sentences")
    told = {"title": "Lengths of the sentences in each split", "description": "; ".join(said)}
    return drawn("draw_histograms", series=series, name=name, unit_name="tokens", **told)


def draw_heights(splits: Mapping[str, Sequence[float]], name: str) -> Markup:
    """Draw the probability of each height, from 0 upwards, of the derivations of each split."""
    series, said = [], []
    for split, shares in splits.items():
        mean = sum(height * share for height, share in enumerate(shares))
        every = [(height, share, f"height {height}: {100 * share:.1f} %") for height, share in enumerate(shares)]
        series.append({"name": split, "mean": mean, "bars": [bar for bar in every if bar[1] >= _INVISIBLE]})
        said.append(f"{split}: mean height {mean:.1f}")
    told = {"title": "Heights of the derivations in each split", "description": "; ".join(said)}
    return drawn("draw_histograms", series=series, name=name, unit_name="rules on the longest path", **told)


_WORD_GAP = 16.0
_STEP = 24.0
_ROOT = 26.0
_LABEL_SIZE = 11.0
_LABEL_PADDING = 7.0
_ROW = 17.0
_CORNER = 7.0
#: Arcs that share a word leave it side by side, this far from its middle and from each other.
_OFFSET = 4.0
_SPREAD = 4.5


class _Placed(NamedTuple):
    """An arc between two words: its height, its label's width, and its ends' distances from the words' middles."""

    arc: Arc
    left: int
    right: int
    height: float
    label: float
    start: float
    end: float


def draw_graph(words: Sequence[GraphWord], arcs: Sequence[Arc], root: int, name: str) -> Markup:
    """Return the graph as an ``svg`` element; ``name`` must be unique on the page."""
    basic = _levels([arc for arc in arcs if not arc.extracted])
    extra = _levels([arc for arc in arcs if arc.extracted])
    centres, width = _centres(words, [*basic, *extra])
    top = _MARGIN + _ROOT + max((placed.height for placed in basic), default=0.0)
    bottom = top + 2 * _ROW + 8
    height = bottom + max((placed.height for placed in extra), default=0.0) + _MARGIN
    lines = {"above": basic, "top": top, "below": extra, "bottom": bottom, "width": width, "height": height}
    said = described(words, arcs, root)
    return drawn("draw_graph", words=words, centres=centres, root=root, name=name, description=said, **lines)


def described(words: Sequence[GraphWord], arcs: Sequence[Arc], root: int) -> str:
    """Describe the graph in words, edge by edge, for readers who cannot see it."""
    edges = [
        f"{words[arc.governor].form} {'~' if arc.extracted else ''}{arc.label} {words[arc.dependent].form}"
        for arc in arcs
    ]
    return "; ".join([f"root {words[root].form}", *edges]) if words else ""


def _levels(arcs: Sequence[Arc]) -> list[_Placed]:
    """Give each arc the lowest level on which it meets no shorter arc.

    Arcs on the same side of a word end side by side, the longest in the middle.
    """
    spans = [(min(arc.governor, arc.dependent), max(arc.governor, arc.dependent), arc) for arc in arcs]
    levels: list[tuple[int, int, int, Arc]] = []
    for left, right, arc in sorted(spans, key=lambda span: (span[1] - span[0], span[0], span[2].label)):
        below = [level for level, begin, end, _ in levels if begin < right and left < end]
        levels.append((max(below, default=0) + 1, left, right, arc))
    taken: Counter[tuple[int, str]] = Counter()
    placed: list[_Placed] = []
    for level, left, right, arc in reversed(levels):
        ends = (left, "right"), (right, "left")
        label = text_width(arc.label, _LABEL_SIZE) + _LABEL_PADDING
        placed.append(
            _Placed(arc, left, right, _STEP * level, label, *(_OFFSET + _SPREAD * taken[end] for end in ends))
        )
        taken.update(ends)
    return placed


def _centres(words: Sequence[GraphWord], placed: Sequence[_Placed]) -> tuple[list[float], float]:
    """Return the middle of each word, from left to right, and the width of the picture."""
    widths = [max(text_width(word.form), text_width(word.upos, 10.0)) for word in words]
    centres: list[float] = []
    for index, width in enumerate(widths):
        x = _MARGIN + width / 2
        if centres:
            x = centres[-1] + (widths[index - 1] + width) / 2 + _WORD_GAP
        for item in placed:
            if item.right == index and item.left < index:
                needed = item.start + item.label + 2 * _CORNER + item.end
                x = max(x, centres[item.left] + needed)
        centres.append(x)
    right = centres[-1] + max(widths[-1] / 2, text_width("root", _LABEL_SIZE)) if centres else 0.0
    return centres, right + _MARGIN


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def render_report(data: Mapping[str, Any]) -> str:
    """Return the report as HTML, made from the ``data`` that ``report.html.j2`` lists at its top."""
    return page_environment().get_template("report.html.j2").render(data)


def render_audit(data: Mapping[str, Any], title: str) -> str:
    """Return the HTML page of the data from :func:`sgl.corpus.audit.audit_data`."""
    return page_environment().get_template("audit.html.j2").render(data=data, title=title)


def page_environment(*packages: str) -> Environment:
    """Return the environment of pages; templates of other ``packages`` may include its styles."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in ("sgl.report", *packages)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "holds": lambda result: Verdict(result).holds,
        "large": _large,
        "number": "{:,}".format,
        "percent": lambda share: f"{100 * share:.1f} %",
        "probability": _probability,
    }
    environment.globals |= {draw.__name__: draw for draw in (draw_graph, draw_heights, draw_lengths, draw_tree)}
    environment.globals["kinds"] = list(Kind)
    return environment


def _large(value: int | None) -> str:
    """Return a number that may be very large: ``40,000``, ``1.2 · 10¹⁵``, or ``infinite``."""
    if value is None:
        return "infinite"
    return f"{value:,}" if value < 10_000_000 else _scientific(f"{Decimal(value):.1e}")


def _probability(value: float) -> str:
    """Return a probability: ``0``, ``12.3 %``, or ``4.5 · 10⁻⁷`` for a small one."""
    if not value:
        return "0"
    if value >= 0.001:
        return f"{100 * value:.2f} %"
    return _scientific(f"{value:.1e}")


def _scientific(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa} · 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
