"""Report leaks: the rows that each definition of ``leaks.toml`` finds.

A *split* is training, the other rows of a further file, or a generalization set, whose rows are *items*; training comes
first and generalization sets come last.  A *finding* is a row under one definition, with a detail: the set that has the
same sentence, the structure, the word.  Every figure of the report counts rows with findings.

Only lines are kept.  The sentences are read again from their files when somebody wants to see them.
"""

from __future__ import annotations

import tomllib
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from typing import Any

from sgl.corpus.rows import Corpus, CorpusRow
from sgl.values import dataclass, field

#: The index of a file, a kind of its rows, and a detail that findings share.
Place = tuple[int, str, str]


@cache
def report_lines() -> dict[str, dict[str, Any]]:
    """Return the lines of the report by their keys."""
    return tomllib.loads(files(__package__).joinpath("leaks.toml").read_text("utf-8"))


@dataclass
class Leaks:
    """The findings in ``corpora``, whose sentences are in the column ``source``."""

    corpora: Sequence[Corpus] = ()
    source: int = 0
    _found: defaultdict[str, dict[Place, array[int]]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, key: str, place: Place, lines: Iterable[int]) -> None:
        """Record rows, by their lines in the file, under one definition."""
        self._found[key].setdefault(place, array("Q")).extend(lines)

    def lines(self, keys: Iterable[str], file: int, kind: str) -> set[int]:
        """Return the lines of rows of a kind that some definitions find."""
        found = (entry for key in keys for entry in self._found[key].items())
        return {row for place, rows in found if place[:2] == (file, kind) for row in rows}

    def rows(self) -> Iterator[tuple[str, int, int, str, str, str]]:
        """Yield all findings in order: the key, the index of the file, the line, kind, detail and sentence."""
        keys = list(report_lines())
        for file, corpus in enumerate(self.corpora):
            own = [
                (row, order, kind, detail)
                for order, key in enumerate(keys)
                for (number, kind, detail), rows in self._found[key].items()
                for row in set(rows)
                if number == file
            ]
            lines = {row for row, *_ in own}
            read = (row for row in corpus.rows() if row.line in lines and isinstance(row, CorpusRow))
            texts = {row.line: row.texts[self.source] for row in read} if lines else {}
            for row, order, kind, detail in sorted(own):
                yield keys[order], file, row, kind, detail, texts.get(row, "")

    def report(self, *, patterns: bool) -> list[dict[str, Any]]:
        """Return each line of the report as plain values; its ``rows`` are None if it needs ``patterns``."""
        names = [str(corpus.path) for corpus in self.corpora]
        report = {
            key: {"key": key, **line, "rows": 0, "files": [0] * len(names), "sets": [], "examples": []}
            for key, line in report_lines().items()
        }
        counted: Counter[tuple[str, Place]] = Counter()
        for (key, file, row), found in groupby(self.rows(), itemgetter(0, 1, 2)):
            details = [(kind, detail, sentence) for *_, kind, detail, sentence in found]
            counted.update((key, (file, kind, detail)) for kind, detail, _ in details)
            report[key]["files"][file] += 1
            example = {"file": names[file], "line": row, "sentence": details[0][2], "detail": details[0][1]}
            report[key]["examples"] = [*report[key]["examples"], example][:2]
        for (key, (file, kind, detail)), rows in sorted(counted.items(), key=lambda entry: (-entry[1], entry[0])):
            report[key]["sets"].append({"file": names[file], "kind": kind, "detail": detail, "rows": rows})
        for line in report.values():
            line["rows"] = None if line.pop("patterns") and not patterns else sum(line["files"])
        return list(report.values())
