"""``sglc prove --between A B``: what the data of A show of what B tests, or keeps apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from sgl.cli.session import Session
from sgl.cli.terminal import count
from sgl.dataset import plain
from sgl.frontend import Compiled
from sgl.pipeline.comparison import Between, Comparison, Departure, Found


def show_between(session: Session, paths: tuple[Path, Path], as_json: bool) -> None:
    """Compare two grammars, and show the result in words or as JSON."""
    first, second = (session.open(path) for path in paths)
    session.progress("comparing")
    between = Between(first, second)
    comparisons, departures = list(between.comparisons()), list(between.departures())
    if not as_json:
        session.lines(_comparison_lines(first, second, comparisons, departures))
        return
    data = {
        "training": first.project.name,
        "tests": second.project.name,
        "structures": [
            {
                "pattern": row.pattern,
                "role": row.role,
                "structure": str(row.structure),
                "found": row.found.name.lower(),
                "reason": row.reason,
                "stream": row.stream,
                "witness": list(row.sentence),
            }
            for row in comparisons
        ],
        "departures": [
            {
                "stream": departure.stream,
                "lacking": departure.lacking,
                "structures": plain(departure.structures),
                "witness": list(departure.sentence),
            }
            for departure in departures
        ],
    }
    session.json(data)


def _comparison_lines(
    first: Compiled,
    second: Compiled,
    comparisons: Sequence[Comparison],
    departures: Sequence[Departure],
) -> Iterator[str]:
    """Yield the comparison, line by line."""
    a, b = first.project.name, second.project.name
    if a == b:
        a, b = f"{a} (A)", f"{b} (B)"
    yield f"what the training data of {a} show of what {b} tests"
    for pattern, rows in groupby(comparisons, key=lambda row: row.pattern):
        yield ""
        yield pattern
        for row in rows:
            yield f"  {row.role}: {row.structure}"
            yield f"    {row.found.value.format(grammar=a, reason=row.reason)}"
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
