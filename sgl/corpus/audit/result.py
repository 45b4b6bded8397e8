"""Collect the findings of an audit: counts, rows that a person wants to see, explanations of differences.

Rows are listed up to a limit, so that an audit needs bounded memory, but all are counted.  ``audit_data`` is the output
of ``sglc audit --json`` (``docs/audit.md``).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from sgl.corpus.audit.judgement import DeclaredStructure
from sgl.corpus.audit.leaks import Leaks
from sgl.corpus.audit.sets import RowSet
from sgl.corpus.rows import LISTED, ListedRow, list_row
from sgl.values import dataclass, field

#: The most pairs of differing texts that are counted separately for one cause.
_PAIRS = 50

#: The plain counts of a tally, in the order of ``--json``.
_COUNTS = ("rows", "parsed", "ambiguous", "differing", "unreadable")

#: The pair under which all further pairs are counted.
OTHER_PAIRS = ("…", "…")


class Tally(Counter[tuple[str, str]]):
    """Counts of rows, including unreadable ones, by what they are and by the name of a layer or structure, or "".

    ``exact`` counts rows whose text some reading gives; ``differing`` counts ambiguous rows whose readings differ in a
    target.  ``chosen`` counts ambiguous rows by the reading that gives the published texts: ``likeliest``, ``another``,
    ``several`` or ``none``.  ``changed`` counts corrections of the spelling.  ``some`` and ``every`` count rows of
    which some or every reading contains a structure.
    """

    def named(self, what: str) -> dict[str, int]:
        """Return the counts of one sort by name."""
        return {name: rows for (of, name), rows in sorted(self.items()) if of == what}


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of some tallies."""
    result = Tally()
    for tally in tallies:
        result.update(tally)
    return result


@dataclass
class FileTally:
    """The findings in one file: a tally for each kind of rows ("" without kinds)."""

    name: str
    kinds: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    distinct: int = 0


@dataclass
class Cause:
    """Differences from the published text that one rule or word explains.

    ``name`` is the rule, or the word with its category; ``kind`` is as in
    :class:`sgl.corpus.audit.mismatch.Difference`.  ``pairs`` counts pairs of given and published texts; ``example`` is
    the first row, with both texts.
    """

    name: str
    kind: str
    layer: str
    example: ListedRow
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.pairs.total()

    def count(self, pair: tuple[str, str]) -> None:
        """Count a row with this pair of texts."""
        known = pair in self.pairs or len(self.pairs) < _PAIRS
        self.pairs[pair if known else OTHER_PAIRS] += 1


class ReadingChoice(NamedTuple):
    """A kind of choice at a category, between words of the examined layer or names of rules.

    ``kind`` is ``word``, ``rule``, or ``parts``: ways to divide a phrase among the parts of one rule.
    """

    kind: str
    category: str
    options: tuple[str, ...]


@dataclass
class Audit:
    """The result of an audit.

    Of ``unreadable`` and ``ambiguous`` rows, ``choices`` and rows without a reading, up to ``LISTED`` are kept.
    ``failing`` counts the words at which sentences stop being the beginning of any derived sentence; "" is their end.
    ``causes`` are keyed by layer, kind and name.
    """

    source: str
    targets: tuple[str, ...]
    declared: tuple[DeclaredStructure, ...]
    leaks: Leaks
    sets: list[RowSet] = field(default_factory=list)
    files: list[FileTally] = field(default_factory=list)
    unreadable: list[ListedRow] = field(default_factory=list)
    unparsed: list[ListedRow] = field(default_factory=list)
    ambiguous: list[ListedRow] = field(default_factory=list)
    failing: Counter[str] = field(default_factory=Counter)
    causes: dict[tuple[str, str, str], Cause] = field(default_factory=dict)
    choices: Counter[ReadingChoice] = field(default_factory=Counter)
    choice_examples: dict[ReadingChoice, ListedRow] = field(default_factory=dict)

    @property
    def training(self) -> Tally:
        """The tally of the rows of the first file that are not items of a pattern."""
        return total(self.files[0].kinds[rows.kind] for rows in self.sets if rows.training)

    def needs(self) -> list[tuple[DeclaredStructure, int]]:
        """Return the structures that patterns need in training, with their rows there; missing ones come first."""
        training = self.training
        needs = [entry for entry in self.declared if entry.role == "need" and training["parsed", ""]]
        return sorted(((entry, training["some", entry.name]) for entry in needs), key=lambda need: need[1] > 0)

    def fail(self, row: ListedRow, word: str) -> None:
        """Record a sentence without a reading, and the word at which it fails."""
        list_row(self.unparsed, row)
        if word in self.failing or len(self.failing) < LISTED:
            self.failing[word] += 1

    def part(self, row: ListedRow, choice: ReadingChoice) -> None:
        """Record a choice that an ambiguous row leaves open."""
        if choice in self.choices or len(self.choices) < LISTED:
            self.choices[choice] += 1
            self.choice_examples.setdefault(choice, row)


def audit_data(audit: Audit) -> dict[str, Any]:
    """Return everything that was found, as plain values in a fixed order."""
    causes = sorted(audit.causes.values(), key=lambda c: (-c.rows, c.layer, c.kind, c.name))
    choices = sorted(audit.choices.items(), key=lambda counted: (-counted[1], counted[0]))
    return {
        "source": audit.source,
        "targets": list(audit.targets),
        **_tally(total(tally for file in audit.files for tally in file.kinds.values()), audit),
        "files": [
            {
                "file": file.name,
                **_tally(total(file.kinds.values()), audit),
                "distinct": file.distinct,
                "kinds": {kind: _tally(tally, audit) for kind, tally in sorted(file.kinds.items())},
            }
            for file in audit.files
        ],
        "differences": [
            {
                **{key: getattr(cause, key) for key in ("layer", "kind", "name", "rows")},
                "pairs": [
                    {"given": given, "published": published, "rows": rows}
                    # Frequent pairs come first; the pairs that were not counted separately come last.
                    for (given, published), rows in sorted(
                        cause.pairs.items(), key=lambda e: (e[0] == OTHER_PAIRS, -e[1], e[0])
                    )
                ],
                "example": cause.example,
            }
            for cause in causes
        ],
        "unreadable_rows": audit.unreadable,
        "unparsed_rows": audit.unparsed,
        "failing": [{"word": w, "rows": n} for w, n in audit.failing.most_common()],
        "choices": [
            choice._asdict() | {"rows": rows, "example": audit.choice_examples[choice]} for choice, rows in choices
        ],
        "ambiguous_rows": audit.ambiguous,
        "leaks": audit.leaks.report(patterns=bool(audit.declared)),
        **(_sets(audit) if audit.declared else {}),
    }


def _sets(audit: Audit) -> dict[str, Any]:
    return {
        "needs": [{"name": entry.name, "pattern": entry.pattern, "rows": rows} for entry, rows in audit.needs()],
        "missing_needs": [entry.name for entry, rows in audit.needs() if not rows],
        "sets": [_set(audit, rows) for rows in audit.sets],
    }


def _set(audit: Audit, rows: RowSet) -> dict[str, Any]:
    file = audit.files[rows.file]
    parsed = file.kinds[rows.kind]["parsed", ""]
    without = [audit.leaks.lines(keys, *rows.place()[:2]) for keys in (["lacking"], ["lacking", "second", "allowed"])]
    own, isolated = (parsed - len(lines) for lines in without)
    found = {"file": file.name, "kind": rows.kind, "training": rows.training, "rows": len(rows.lines), "parsed": parsed}
    return found if rows.pattern is None else {**found, "pattern": rows.pattern.name, "own": own, "isolated": isolated}


def _tally(tally: Tally, audit: Audit) -> dict[str, Any]:
    names = [entry.name for entry in audit.declared]
    return {
        **{count: tally[count, ""] for count in _COUNTS},
        "exact": {layer: tally["exact", layer] for layer in audit.targets},
        "chosen": tally.named("chosen"),
        "changed": tally.named("changed"),
        "structures": {name: tally["some", name] for name in names},
        "structures_in_every_reading": {name: tally["every", name] for name in names},
    }
