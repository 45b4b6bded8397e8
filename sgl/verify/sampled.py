"""Check a sample of a dataset's rows, some of every stratum: draw and write them again, as V030 does with all.

``sglc compile`` requires this before it calls a dataset verified: compiler and checker agree on the grammar.  Only all
rows show which candidates were rejected, and that no row is left over: ``look_at`` gives no verdict on a dataset.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NamedTuple

from sgl.verify.acceptance import Named, named_in
from sgl.verify.candidates import Refusal
from sgl.verify.derivation import Derivation
from sgl.verify.reading import Knowledge
from sgl.verify.rows import Row, Rows, refusal
from sgl.verify.schema_grammar import Flaw

#: Approximate size of a sample, and minimum number of rows of a stratum.
SAMPLE, FEWEST = 200, 2


class Look(NamedTuple):
    """The rows of a dataset, the number of sampled ones that are right, and the reason why the next one is not."""

    rows: int
    right: int
    refusal: str


def sample_refusal(_: Knowledge, directory: Path) -> str:
    """Return the reason why a sample of the rows is refused; empty if it is accepted."""
    return look_at(directory).refusal


def look_at(directory: Path, each: int = 0) -> Look:
    """Check ``each`` rows of each stratum, evenly spaced, or about 200 in all."""
    total = right = 0
    try:
        rows = Rows(directory)
        counts = _counts(rows)
        total = counts.total()
        for _right in _sampled(rows, counts, each or max(FEWEST, SAMPLE // max(len(rows.plan.strata), 1))):
            right += 1
    except (OSError, Flaw) as problem:
        return Look(total, right, refusal(problem))
    return Look(total, right, "")


def _counts(rows: Rows) -> Counter[str]:
    """Return the number of rows of each stream, which may be less than was asked for."""
    counts = Counter[str]()
    for split in dict.fromkeys(stratum.split for stratum in rows.plan.strata):
        with rows.own(rows.writer.paths(split)[0]).open("rb") as file:
            counts.update(line.partition(b"\t")[0].rpartition(b"#")[0].decode("utf-8", "replace") for line in file)
    return counts


def _sampled(rows: Rows, counts: Counter[str], each: int) -> Iterator[Row]:
    """Yield evenly spaced rows of each stratum that are right; raises ``Flaw`` or ``OSError``."""
    strata = {stratum.stream: number for number, stratum in enumerate(rows.plan.strata)}
    passed = Counter[str]()
    for split in dict.fromkeys(stratum.split for stratum in rows.plan.strata):
        for number, (found, named, others) in enumerate(_entries(rows, split), 1):
            stream = named.name.rpartition("#")[0]
            if stream not in strata:
                raise Refusal(f"R03 {split}, row {number}: there is no stream {stream!r}")
            if passed[stream] % max(-(-counts[stream] // each), 1) == 0:
                own = rows.plan.strata[strata[stream]]
                yield _checked(rows, strata[stream], Row(split, own.category, number, *named, others), found)
            passed[stream] += 1


def _entries(rows: Rows, split: str) -> Iterator[tuple[tuple[bytes, ...], Named, tuple[Derivation, ...]]]:
    """Yield for each row of a split its content in the files, the candidate, and the readings of its other answers."""
    with ExitStack() as closing:

        def opened(path: str) -> BinaryIO:
            return closing.enter_context(rows.own(path).open("rb"))

        others, paths = rows.others(opened, split), rows.writer.paths(split)
        for number, found in enumerate(zip(*map(entries_of, paths, map(opened, paths)), strict=False), 1):
            named = named_in(found[0], f"R03 {split}, row {number}")
            yield found, named, others.of(named)


def entries_of(path: str, file: BinaryIO) -> Iterator[bytes]:
    """Yield a file's content of each row: a line, or the lines up to an empty one."""
    if not path.endswith(".conllu"):
        yield from file
        return
    lines = list[bytes]()
    for line in file:
        lines.append(line)
        if line == b"\n":
            yield b"".join(lines)
            lines.clear()


def _checked(rows: Rows, stratum: int, row: Row, found: tuple[bytes, ...]) -> Row:
    paths = rows.writer.paths(rows.plan.strata[stratum].split)
    drawn = rows.acceptance.candidates.candidate(stratum, int(row.candidate.rpartition("#")[2])).derivation
    if drawn != row.derivation:
        raise Refusal(f"R03 {paths[0]}, {row.id}: the derivation is not that of the candidate")
    for path, entry, text in zip(paths, found, rows.writer.texts(row), strict=True):
        if entry != text.encode():
            raise rows.refused(path, row, entry, text)
    return row
