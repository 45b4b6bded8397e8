"""A sample of the rows of a dataset, some of every stratum: each is drawn and written again, as all are in V030.

This is what ``sglc compile`` asks of a dataset before it calls it verified: the compiler and the checker mean the same
by the grammar.  Which candidates were rejected, and that no row is left over, takes all rows to say.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from sgl.verify.acceptance import LINE
from sgl.verify.candidates import Refusal, source_of
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
    """Draw and write about 200 rows again; return how many it were.  Raises ``Flaw`` or ``OSError``."""
    strata = rows.plan.strata
    each = max(FEWEST, SAMPLE // max(len(strata), 1))
    checked = 0
    with ExitStack() as closing:
        for split in dict.fromkeys(stratum.split for stratum in strata):
            paths = rows.writer.paths(split)
            files = [closing.enter_context(rows.own(path).open("rb")) for path in paths]
            entries = zip(*map(entries_of, paths, files), strict=False)
            for row, found in _chosen(rows, split, entries, each):
                _check(rows, row, paths, found)
                checked += 1
    return checked


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


Entries = tuple[bytes, ...]


def _chosen(rows: Rows, split: str, entries: Iterator[Entries], each: int) -> Iterator[tuple[Row, Entries]]:
    """Yield some rows of each stratum of a split, evenly apart."""
    strata = {stratum.stream: stratum for stratum in rows.plan.strata}
    passed = dict.fromkeys(strata, 0)
    for number, found in enumerate(entries, 1):
        match = LINE.fullmatch(found[0])
        stream = match[1].decode("utf-8", "replace").rpartition("#")[0] if match else ""
        if match is None or stream not in strata:
            raise Refusal(f"R03 {split}, row {number}: {found[0][:40]!r} is no candidate with a derivation")
        if passed[stream] % max(strata[stream].extent.rows // each, 1) == 0:
            derivation = tuple(map(int, match[2].split()))
            yield Row(split, strata[stream].category, number, match[1].decode("utf-8", "replace"), derivation), found
        passed[stream] += 1


def _check(rows: Rows, row: Row, paths: list[str], found: Entries) -> None:
    stream, _, number = row.candidate.rpartition("#")
    strata = [stratum.stream for stratum in rows.plan.strata]
    source = source_of(rows.data, strata.index(stream))
    drawn = rows.acceptance.candidates.candidate(source, int(number)).derivation
    if drawn != row.derivation:
        raise Refusal(f"R03 {paths[0]}, {row.id}: the derivation is not that of the candidate")
    for path, own, text in zip(paths, found, rows.writer.texts(row), strict=True):
        if own != text.encode():
            raise rows.refused(path, row, own, text)
