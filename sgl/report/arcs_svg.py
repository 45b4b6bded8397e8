"""Draw a dependency graph: words in a row, arcs above, the enhanced graph's edges below.

An arc is as high as the arcs that it spans require.  Words move apart as far as labels need.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sgl.report.model import Arc, GraphWord
from sgl.report.svg import drawn, text_width

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

    @property
    def height(self) -> float:
        return _STEP * self.level

    @property
    def label(self) -> float:
        return text_width(self.arc.label, _LABEL_SIZE) + _LABEL_PADDING


def draw_graph(words: Sequence[GraphWord], arcs: Sequence[Arc], root: int, name: str) -> Markup:
    """Return the graph as an ``svg`` element; ``name`` is unique on the page."""
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
                needed = item.start + item.label + 2 * _CORNER + item.end
                x = max(x, centres[item.arc.left] + needed)
        centres.append(x)
    right = centres[-1] + max(widths[-1] / 2, text_width("root", _LABEL_SIZE)) if centres else 0.0
    return centres, right + _MARGIN
