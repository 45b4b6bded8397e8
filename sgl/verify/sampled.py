"""A sample of the rows of a dataset, some of every stratum: each is drawn and written again, as all are in V030.

This is what ``sglc compile`` asks of a dataset before it calls it verified: the compiler and the checker mean the same
by the grammar.  Which candidates were rejected, and that no row is left over, takes all rows to say.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from sgl.verify.acceptance import Named, named_in
from sgl.verify.candidates import Refusal
from sgl.verify.reading import Knowledge
from sgl.verify.rows import Row, Rows, refusal
from sgl.verify.schema_grammar import Flaw

#: About how many rows a sample has, and the fewest of a stratum.
SAMPLE, FEWEST = 200, 2


def sample_refusal(_: Knowledge, directory: Path) -> str:
    """Return why a sample of the rows is refused; nothing if it is accepted."""
    try:
        check_sample(Rows(directory))
    except (OSError, Flaw) as problem:
        return refusal(problem)
    return ""


def check_sample(rows: Rows) -> int:
    """Draw and write about 200 rows again, evenly apart; return their number.  Raises ``Flaw`` or ``OSError``."""
    strata = {stratum.stream: number for number, stratum in enumerate(rows.plan.strata)}
    each, passed, checked = max(FEWEST, SAMPLE // max(len(strata), 1)), Counter[str](), 0
    for split in dict.fromkeys(stratum.split for stratum in rows.plan.strata):
        for number, found in enumerate(_entries(rows, split), 1):
            named = named_in(found[0], f"R03 {split}, row {number}")
            stream = named.name.rpartition("#")[0]
            if stream not in strata:
                raise Refusal(f"R03 {split}, row {number}: there is no stream {stream!r}")
            if passed[stream] % max(rows.plan.strata[strata[stream]].extent.rows // each, 1) == 0:
                _check(rows, strata[stream], named, number, found)
                checked += 1
            passed[stream] += 1
    return checked


def _entries(rows: Rows, split: str) -> Iterator[tuple[bytes, ...]]:
    """Yield what the files of a split have of each row."""
    paths = rows.writer.paths(split)
    with ExitStack() as closing:
        files = [closing.enter_context(rows.own(path).open("rb")) for path in paths]
        yield from zip(*map(entries_of, paths, files), strict=False)


def entries_of(path: str, file: BinaryIO) -> Iterator[bytes]:
    """Yield what a file has of each row: a line, or the lines up to an empty one."""
    if not path.endswith(".conllu"):
        yield from file
        return
    lines = list[bytes]()
    for line in file:
        lines.append(line)
        if line == b"\n":
            yield b"".join(lines)
            lines.clear()


def _check(rows: Rows, stratum: int, named: Named, number: int, found: tuple[bytes, ...]) -> None:
    own = rows.plan.strata[stratum]
    row, paths = Row(own.split, own.category, number, *named), rows.writer.paths(own.split)
    drawn = rows.acceptance.candidates.candidate(stratum, int(named.name.rpartition("#")[2])).derivation
    if drawn != row.derivation:
        raise Refusal(f"R03 {paths[0]}, {row.id}: the derivation is not that of the candidate")
    for path, entry, text in zip(paths, found, rows.writer.texts(row), strict=True):
        if entry != text.encode():
            raise rows.refused(path, row, entry, text)
