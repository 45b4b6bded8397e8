"""Why an input has no reading: where it stops being the beginning of a sentence.

The items of the chart that end furthest to the right are all the ways to read the
input so far.  What they wait for is what could have stood there::

    The dog | slepped.        after "The dog": expected V, VT, "that" …
"""

from __future__ import annotations

from dataclasses import dataclass

from sgl.core.grammar import CoreGrammar
from sgl.parsing.chart import Chart
from sgl.parsing.templates import TemplateIndex, symbol


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Where an input fails, and what its beginning leaves room for.

    ``position`` is the end of the longest beginning that some sentence has: an
    offset into a text, or a number of tokens.  There the grammar expects one of
    ``words``, or a phrase of one of ``categories``; ``complete`` says that the
    sentence could end there as well.
    """

    position: int
    words: tuple[str, ...]
    categories: tuple[int, ...]
    complete: bool

    def expected(self, grammar: CoreGrammar) -> tuple[str, ...]:
        """What was expected: words of the grammar, categories without their features."""
        names = (
            grammar.categories[category].name.partition("[")[0] for category in self.categories
        )
        end = ("the end",) if self.complete else ()
        return (*(f"“{word}”" for word in self.words), *dict.fromkeys(names), *end)


def find_obstacle(index: TemplateIndex, chart: Chart) -> Obstacle:
    """The obstacle in an input that has no reading."""
    start = symbol(index.grammar.start, False)
    position = max(chart.items, default=0)
    if not position:
        return Obstacle(0, (), (index.grammar.start,), index.grammar.start in index.nullable)
    nodes = {item // chart.width for item in chart.items[position]}
    return Obstacle(
        position,
        tuple(sorted({word for node in nodes for word in index.words[node]})),
        tuple(sorted({step // 2 for step in chart.waiting[position]})),
        0 in chart.found[position].get(start, {}),
    )


def describe_obstacle(grammar: CoreGrammar, text: str, obstacle: Obstacle) -> str:
    """Why a text has no reading: ``parsed up to “The dog”; expected V, VT``."""
    expected = ", ".join(obstacle.expected(grammar)) or "nothing more"
    if not obstacle.position:
        return f"no sentence begins so; expected {expected}"
    return f"parsed up to “{text[: obstacle.position]}”; expected {expected}"
