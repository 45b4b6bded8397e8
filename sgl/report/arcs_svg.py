"""Draw a dependency graph: words in a row, arcs above, the enhanced graph's edges below.

An arc is as high as the arcs that it spans require.  Words move apart as far as labels need.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sgl.report.model import Arc, GraphWord
from sgl.report.svg import element, picture, text_width

_WORD_GAP = 16.0
_STEP = 24.0
_MARGIN = 12.0
_ROOT = 26.0
_LABEL_SIZE = 11.0
_LABEL_PADDING = 7.0
_ROW = 17.0
_CORNER = 7.0
#: Arcs that share a word leave it side by side, this far from its middle and each other.
_OFFSET = 4.0
_SPREAD = 4.5


@dataclass(frozen=True, slots=True)
class _Placed:
    """An arc with its level (1 is the lowest) and its ends' distances from the words' middles."""

    arc: Arc
    level: int
    start: float
    end: float


def draw_graph(words: Sequence[GraphWord], arcs: Sequence[Arc], root: int, name: str) -> Markup:
    """Return the graph as an ``svg`` element; ``name`` is unique on the page."""
    basic = _levels([arc for arc in arcs if not arc.extracted])
    extra = _levels([arc for arc in arcs if arc.extracted])
    centres, width = _centres(words, [*basic, *extra])
    top = _MARGIN + _ROOT + _STEP * max((placed.level for placed in basic), default=0)
    bottom = top + 2 * _ROW + 8
    height = bottom + _STEP * max((placed.level for placed in extra), default=0) + _MARGIN
    drawn = [_root_arrow(centres[root], top)] if words else []
    drawn += [_arc(placed, centres, top, -1.0) for placed in basic]
    drawn += [_arc(placed, centres, bottom, 1.0) for placed in extra]
    for word, x in zip(words, centres, strict=True):
        kind = "word marked" if word.marked else "word"
        drawn.append(element("text", word.form, x=x, y=top + _ROW, class_=kind))
        drawn.append(element("text", word.upos, x=x, y=top + 2 * _ROW - 2, class_="upos"))
    return picture(name, "Dependency graph", described(words, arcs, root), width, height, *drawn)


def described(words: Sequence[GraphWord], arcs: Sequence[Arc], root: int) -> str:
    """Return the graph in words, edge by edge, for readers who do not see it."""
    edges = [
        f"{words[arc.governor].form} {'~' if arc.extracted else ''}{arc.label} {words[arc.dependent].form}"
        for arc in arcs
    ]
    return "; ".join([f"root {words[root].form}", *edges]) if words else ""


def _levels(arcs: Sequence[Arc]) -> list[_Placed]:
    """Give each arc the lowest level on which it meets no shorter arc.

    Arcs on the same side of a word end side by side, the longest in the middle.
    """
    levels: list[tuple[Arc, int]] = []
    for arc in sorted(arcs, key=lambda arc: (arc.right - arc.left, arc.left, arc.label)):
        below = [level for other, level in levels if other.left < arc.right and arc.left < other.right]
        levels.append((arc, max(below, default=0) + 1))
    taken: Counter[tuple[int, str]] = Counter()
    placed: list[_Placed] = []
    for arc, level in reversed(levels):
        ends = (arc.left, "right"), (arc.right, "left")
        placed.append(_Placed(arc, level, *(_OFFSET + _SPREAD * taken[end] for end in ends)))
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
            if item.arc.right == index and item.arc.left < index:
                needed = item.start + _label_width(item.arc) + 2 * _CORNER + item.end
                x = max(x, centres[item.arc.left] + needed)
        centres.append(x)
    right = centres[-1] + max(widths[-1] / 2, text_width("root", _LABEL_SIZE)) if centres else 0.0
    return centres, right + _MARGIN


def _arc(placed: _Placed, centres: Sequence[float], base: float, side: float) -> Markup:
    """Return an arc above (``side`` -1) or below (1) the line ``base``."""
    arc = placed.arc
    left = centres[arc.left] + placed.start
    right = centres[arc.right] - placed.end
    forward = arc.governor < arc.dependent
    start, end = (left, right) if forward else (right, left)
    towards = 1.0 if forward else -1.0
    height = base + side * _STEP * placed.level
    corner, turn = towards * _CORNER, -side * _CORNER
    path = (
        f"M{start:.1f},{base:.1f} V{height + turn:.1f} Q{start:.1f},{height:.1f} "
        f"{start + corner:.1f},{height:.1f} H{end - corner:.1f} Q{end:.1f},{height:.1f} "
        f"{end:.1f},{height + turn:.1f} V{base:.1f}"
    )
    middle, width = (start + end) / 2, _label_width(arc)
    patch = {"x": middle - width / 2, "y": height - 8, "width": width, "height": 16.0}
    kind = ("extracted" if arc.extracted else "basic") + (" marked" if arc.marked else "")
    return element(
        "g",
        element("path", d=path, class_="arc"),
        _tip(end, base, side),
        # The label is on a patch that interrupts the line.
        element(
            "g",
            element("rect", **patch, class_="patch"),
            element("text", arc.label, x=middle, y=height + 4, class_="label"),
        ),
        class_=kind,
    )


def _tip(x: float, base: float, side: float) -> Markup:
    """Return the head of an arrow that points at a word."""
    back = base + side * 7
    points = f"{x:.1f},{base:.1f} {x - 3.5:.1f},{back:.1f} {x + 3.5:.1f},{back:.1f}"
    return element("polygon", points=points, class_="tip")


def _root_arrow(x: float, base: float) -> Markup:
    return element(
        "g",
        element("text", "root", x=x + 6, y=_MARGIN + 4, class_="label root"),
        element("path", d=f"M{x:.1f},{_MARGIN - 4:.1f} V{base:.1f}", class_="arc"),
        _tip(x, base, -1.0),
        class_="basic",
    )


def _label_width(arc: Arc) -> float:
    return text_width(arc.label, _LABEL_SIZE) + _LABEL_PADDING
