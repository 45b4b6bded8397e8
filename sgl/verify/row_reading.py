"""Go through the rows of a dataset: draw and write each again, and compare what files have.

::

    certificate.json ──> candidates ──> rows ──> derivations/, data/, conllu/   sgl.verify.rows
                                          └────> every column of parquet/       here
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from sgl.verify import parquet
from sgl.verify.certificate import FAULTS
from sgl.verify.derivation import Derivation
from sgl.verify.items import kind_of
from sgl.verify.reading import Knowledge
from sgl.verify.rows import ACCEPTED, Rows, refusal

#: UD relations by which phrases nest in phrases of the same kind.
_RECURSIVE = frozenset(
    ("acl", "advcl", "amod", "appos", "ccomp", "conj", "csubj", "nmod", "parataxis", "xcomp")
)
_RESERVED = frozenset('()"\\:#')


@dataclass(frozen=True)
class RowsFound:
    """What one pass over the rows finds.

    ``outcomes`` counts the candidates of each stream by what became of them; ``refusal`` is
    empty if every row is right; ``parquet`` is what is wrong with Parquet files, None if they
    were not read.
    """

    outcomes: dict[str, Counter[str]]
    refusal: str
    parquet: tuple[str, ...] | None

    @property
    def rows(self) -> int:
        """The number of rows that were looked at."""
        return sum(found[ACCEPTED] for found in self.outcomes.values())


def read_rows(_: Knowledge, directory: Path) -> RowsFound:
    """Draw and write all rows of a dataset again, and compare what its files have."""
    outcomes, problem, faults = dict[str, Counter[str]](), "", None
    try:
        rows = Rows(directory)
        outcomes = rows.outcomes
        columns = None
        if (directory / "parquet").exists() and parquet.READABLE:
            columns = _ParquetFiles(directory, rows)
        for row in rows.rows():
            if columns is not None:
                columns.compare(*row)
        faults = None if columns is None else tuple(columns.faults())
    except (OSError, *FAULTS) as error:
        problem = refusal(error)
    return RowsFound(outcomes, problem, faults)


class _ParquetFiles:
    """Compares the rows of Parquet files with those of the certificate, as they come."""

    def __init__(self, directory: Path, rows: Rows) -> None:
        self._plan, self._meaning, self._spend = rows.plan, rows.meaning, rows.spend
        self._names = _names(rows)
        edges = [edge for rule in rows.meaning.rules for edge in _edges(rows, rule)]
        labels = {label for _, label, *_ in edges if not label.startswith("~")}
        self._labels = sorted(x for x in labels if x.partition(":")[0] in _RECURSIVE)
        self._columns = [*parquet.COLUMNS, *(f"target_{name}" for name in rows.plan["further"])]
        self._paths = {split: f"parquet/{split}.parquet" for split, *_ in rows.plan["strata"]}
        self._files = {split: self._read(directory / path) for split, path in self._paths.items()}
        self._numbers = Counter[str]()
        self._wrong: dict[str, str] = {}

    def compare(self, split: str, category: str, name: str, derivation: Derivation) -> None:
        """Compare the next row of a split; of each split the first difference counts."""
        self._numbers[split] += 1
        found = self._next(split)
        place = f"{self._paths[split]}: row {self._numbers[split]}"
        if split in self._wrong:
            return
        if found is None:
            self._wrong[split] = f"{place} is missing"
            return
        expected = self._expected(category, name, derivation)
        for column, value in zip(self._columns, found, strict=True):
            if value != expected[column]:
                values = f"{value!r}, not {expected[column]!r}"
                self._wrong[split] = f"{place}: the column {column} is {values}"
                return

    def faults(self) -> Iterator[str]:
        """Yield what is wrong, after the last row."""
        for split, path in self._paths.items():
            if self._next(split) is not None:
                self._wrong.setdefault(split, f"{path} has more than {self._numbers[split]} rows")
        yield from self._wrong.values()

    def _read(self, path: Path) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a file, which has the columns of this dataset."""
        if problem := parquet.other_columns(path, self._plan["further"]):
            raise parquet.ParquetError(problem)
        yield from parquet.read_columns(path, self._columns)

    def _next(self, split: str) -> tuple[Any, ...] | None:
        """Return the next row of a split, if there is one; after an error there is none."""
        try:
            return next(self._files[split], None)
        except parquet.ParquetError as problem:
            self._wrong[split] = f"{self._paths[split]} cannot be read: {problem}"
            return None

    def _expected(self, category: str, name: str, derivation: Derivation) -> dict[str, object]:
        """Return what the columns have of a row."""
        plan, meaning = self._plan, self._meaning
        expression, depth = dict[int, str](), dict[int, int]()
        for place, _, below in meaning.walk(derivation):
            own = self._names[derivation[place]]
            parts = " ".join([own, *(expression[child] for child in below)])
            self._spend(len(parts) // 100)
            expression[place] = f"({parts})" if below else own
            depth[place] = 1 + max((depth[child] for child in below), default=0)
        edges = meaning.graph(plan["lemma_layer"], derivation)[1] if plan["lemma_layer"] else ()
        counts = Counter(label for _, label, _ in edges)
        return {
            "id": sha256(expression[0].encode()).hexdigest()[:16],
            "source": meaning.text(plan["source"], derivation),
            "target": meaning.text(plan["target"], derivation),
            "category": category,
            "split_kind": kind_of(category),
            "derivation": expression[0],
            "depth": depth[0],
            "features": ";".join(f"{label}={counts[label]}" for label in self._labels),
            "seed_stream": name,
            **{f"target_{x}": meaning.text(x, derivation) for x in plan["further"]},
        }


def _edges(rows: Rows, rule: Any) -> list[Any]:  # noqa: ANN401 - a part of the certificate
    layer = rows.plan["lemma_layer"]
    edges: list[Any] = rule[6][rows.meaning.graphs[layer][0]]["edges"] if layer else []
    return edges


def _names(rows: Rows) -> list[str]:
    """Return what each rule is called in the column ``derivation``.

    A rule without children is called by its words; where that is not enough to tell rules
    apart, the category is added, and then a number.
    """
    source, *_ = rows.meaning.texts[rows.plan["source"]]
    categories = [_atom(name) for name, *_ in rows.data["core"]["grammar"]["categories"]]
    names, longer = list[str](), list[str]()
    for name, lhs, children, _, _, templates, _ in rows.meaning.rules:
        words = " ".join(item for kind, item, *_ in templates[source] if kind == "word")
        names.append(_atom(words if words and not children else name))
        longer.append(f"{names[-1]}:{categories[lhs]}")
    names = _told_apart(names, longer)
    ranks = Counter[str]()
    for number, name in enumerate(names):
        ranks[name] += 1
        longer[number] = f"{name}#{ranks[name]}"
    return _told_apart(names, longer)


def _told_apart(names: list[str], longer: list[str]) -> list[str]:
    counts = Counter(names)
    return [name if counts[name] == 1 else long for name, long in zip(names, longer, strict=True)]


def _atom(name: str) -> str:
    if name and not any(character.isspace() or character in _RESERVED for character in name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
