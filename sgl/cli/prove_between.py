"""``sglc prove --between A B``: what the data of A show of what B tests, or keeps apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from sgl.cli.session import Session
from sgl.cli.terminal import count
from sgl.core.interpret import interpret
from sgl.dataset import plain
from sgl.frontend import Compiled
from sgl.pipeline.comparison import Between, Comparison, Departure, Found

_MEANINGS = {
    Found.SHOWN: "shown: training of {grammar} contains it",
    Found.HELD_OUT: "not shown: {grammar} makes it, but not in training",
    Found.NEVER: "not shown: no sentence of {grammar} contains it",
    Found.STRANGE: "not shown: {reason}",
}


def show_between(session: Session, paths: tuple[Path, Path], as_json: bool) -> None:
    """Compare two grammars, and show the result in words or as JSON."""
    first, second = (session.open(path) for path in paths)
    session.progress("comparing")
    between = Between(first, second)
    comparisons, departures = list(between.comparisons()), list(between.departures())
    if as_json:
        data = {
            "training": first.project.name,
            "tests": second.project.name,
            "structures": [_data(first, row) for row in comparisons],
            "departures": [_data(first, departure) for departure in departures],
        }
        session.json(data)
    else:
        session.lines(_comparison_lines(first, second, comparisons, departures))


def _data(compiled: Compiled, found: Comparison | Departure) -> dict[str, Any]:
    """Return the fields of something found as plain data, its derivation as texts."""
    data: dict[str, Any] = plain(found)
    del data["derivation"]
    return {**data, "witness": _texts(compiled, found)}


def _texts(compiled: Compiled, found: Comparison | Departure) -> tuple[str, ...]:
    """Return the sentence that shows something, in each layer; nothing if there is none."""
    return interpret(compiled.grammar, found.derivation).texts if found.derivation else ()


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
            yield f"    {_MEANINGS[row.found].format(grammar=a, reason=row.reason)}"
            if row.found is Found.SHOWN:
                yield f"    {row.stream}: {' | '.join(_texts(first, row))}"
    for departure in departures:
        structures = " or ".join(map(str, departure.structures))
        yield ""
        yield departure.stream
        if departure.lacking:
            yield f"  items of {a} need not contain {structures}"
        else:
            yield f"  {b} keeps this out, and {a} does not: {structures}"
        yield f"    {' | '.join(_texts(first, departure))}"
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
