"""What ``sglc prove --between`` says: for each pattern of B, what the data of A show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from sgl.cli.common import count
from sgl.frontend import Compiled
from sgl.pipeline.comparison import Comparison, Departure, Found


def between_lines(
    first: Compiled,
    second: Compiled,
    comparisons: Sequence[Comparison],
    departures: Sequence[Departure],
) -> Iterator[str]:
    """The comparison, line by line."""
    a, b = first.project.name, second.project.name
    if a == b:
        a, b = f"{a} (A)", f"{b} (B)"
    yield f"what the training data of {a} show of what {b} tests"
    for pattern, rows in groupby(comparisons, key=lambda row: row.pattern):
        yield ""
        yield pattern
        for row in rows:
            yield f"  {row.role}: {row.structure}"
            yield f"    {_verdict(row, a)}"
            if row.sentence:
                yield f"    {row.stream}: {' | '.join(row.sentence)}"
    for departure in departures:
        structures = " or ".join(map(str, departure.structures))
        yield ""
        yield departure.stream
        if departure.lacking:
            yield f"  items of {a} need not contain {structures}"
        else:
            yield f"  {b} keeps this out, and {a} does not: {structures}"
        yield f"    {' | '.join(departure.sentence)}"
    shown = [row for row in comparisons if row.found is Found.SHOWN]
    patterns = len({row.pattern for row in comparisons})
    hit = len({row.pattern for row in shown})
    yield ""
    yield (
        f"{len(shown)} of {count(len(comparisons), 'structure')} shown, "
        f"in {hit} of {count(patterns, 'pattern')}"
    )
    if departures:
        yield f"{count(len(departures), 'departure')} from what {b} keeps apart"


def _verdict(row: Comparison, grammar: str) -> str:
    if row.found is Found.SHOWN:
        return f"shown: training of {grammar} contains it"
    if row.found is Found.HELD_OUT:
        return f"not shown: {grammar} makes it, but not in training"
    if row.found is Found.NEVER:
        return f"not shown: no sentence of {grammar} contains it"
    return f"not shown: {row.reason}"
