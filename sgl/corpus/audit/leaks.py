"""Report leaks: the rows that each definition of ``leaks.toml`` finds.

A *split* is training, the other rows of a further file, or a generalization set, whose rows are *items*; training comes
first and generalization sets come last.  A *finding* is a row under one definition, with a detail: the set that has the
same sentence, the structure, the word.  Every figure of the report counts rows with findings, each row once.

Only lines are kept.  The texts of rows are read again from their files when somebody wants to see them.
"""

from __future__ import annotations

import heapq
import tomllib
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import chain, takewhile
from typing import Any, NamedTuple

from sgl.corpus.rows import Corpus, CorpusRow

#: The number of examples of each line.
_EXAMPLES = 2


@cache
def report_lines() -> dict[str, dict[str, Any]]:
    """Return the lines of the report by their keys."""
    return tomllib.loads(files(__package__).joinpath("leaks.toml").read_text("utf-8"))


class Place(NamedTuple):
    """Where findings are: the index of a file, a kind of its rows, and a detail that the findings share."""

    file: int
    kind: str
    detail: str


@dataclass
class Leaks:
    """The findings in ``corpora``, whose sentences are in the column ``source``."""

    corpora: Sequence[Corpus] = ()
    source: int = 0
    _found: defaultdict[str, dict[Place, array[int]]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, key: str, place: Place, lines: Iterable[int]) -> None:
        """Record rows, by their lines in the file, under one definition."""
        self._found[key].setdefault(place, array("Q")).extend(lines)

    def report(self, *, patterns: bool) -> list[dict[str, Any]]:
        """Return each line of the report as plain values; its ``rows`` are None if it needs ``patterns``."""
        numbers = range(len(self.corpora))
        counted = {key: [self.lines([key], file) for file in numbers] for key in report_lines()}
        first = {
            key: [(file, row) for file, rows in enumerate(found) for row in heapq.nsmallest(_EXAMPLES, rows)]
            for key, found in counted.items()
        }
        listed = set(chain.from_iterable(first.values()))
        texts = [self._sentences(number, {row for file, row in listed if file == number}) for number in numbers]
        return [
            {
                "key": key,
                **{name: about[name] for name in ("question", "counted", "definition")},
                "rows": sum(map(len, counted[key])) if patterns or not about["patterns"] else None,
                "files": list(map(len, counted[key])),
                "sets": [
                    {"file": str(self.corpora[file].path), "kind": kind, "detail": detail, "rows": -rows}
                    for rows, (file, kind, detail) in sorted((-len(set(f)), p) for p, f in self._found[key].items())
                ],
                "examples": [
                    {"file": str(self.corpora[file].path), "line": row, "sentence": texts[file].get(row, "")}
                    | {"detail": next(p.detail for p, f in self._found[key].items() if p.file == file and row in f)}
                    for file, row in first[key][:_EXAMPLES]
                ],
            }
            for key, about in report_lines().items()
        ]

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield a header, then each finding: the key, the file, its line, the kind, the detail and the sentence."""
        yield "leak", "file", "line", "kind", "detail", "sentence"
        for file, corpus in enumerate(self.corpora):
            own = [(p, key, rows) for key in report_lines() for p, rows in self._found[key].items() if p.file == file]
            texts = self._sentences(file, set(chain.from_iterable(rows for _, _, rows in own)))
            # Sorting is stable: the findings of a row are in the order of the report.
            every = [(row, key, place) for place, key, rows in own for row in dict.fromkeys(rows)]
            for row, key, place in sorted(every, key=lambda finding: finding[0]):
                yield key, str(corpus.path), str(row), place.kind, place.detail, texts.get(row, "")

    def lines(self, keys: Iterable[str], file: int, kind: str | None = None) -> set[int]:
        """Return the lines of a file that some definitions find, in rows of any or of one ``kind``."""
        found = (entry for key in keys for entry in self._found[key].items())
        return {row for place, rows in found if place.file == file and kind in (None, place.kind) for row in rows}

    def _sentences(self, file: int, lines: Collection[int]) -> dict[int, str]:
        """Return the sentences in some lines of a file."""
        last = max(lines, default=0)
        rows = takewhile(lambda row: row.line <= last, self.corpora[file].rows())
        return {row.line: row.texts[self.source] for row in rows if row.line in lines and isinstance(row, CorpusRow)}
