"""The results as tables, which the terminal and LaTeX show alike.

A table is a title, names of columns, and rows of finished cells.  Numbers are right-aligned;
``–`` stands for what is not defined.  ``name`` is short, for labels in LaTeX.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sgl.research.analyse.result import MEASURES, SCORES, Analysis, Mined
from sgl.research.analyse.statistics import Correlation, Values

#: Of relations, and of structures in each view.
_RELATIONS, _SUSPECTS = 20, 10

#: Marks of p-values below these, as is usual.
_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Table:
    """A table of finished cells; the first ``texts`` columns are no numbers."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 1


def tables(found: Analysis) -> list[Table]:
    """All tables that have something to show."""
    made = [
        _measures(found),
        _systems(found),
        _groups(found),
        *_correlations(found),
        _projectivity(found),
        _relations(found),
        *(_suspects(found, mined) for mined in found.mined),
    ]
    return [table for table in made if table.rows]


def p_value(value: float | None) -> str:
    """A p-value: ``0.013``, or ``2e-09`` for a small one."""
    if value is None:
        return NOTHING
    if value == 0:
        return "<1e-300"
    return f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"


def stars(value: float | None) -> str:
    """How significant a p-value is."""
    if value is None:
        return ""
    return next((mark for limit, mark in _STARS if value < limit), "")


def _measures(found: Analysis) -> Table:
    columns = {MEASURES[name]: values for name, values in found.treebank.columns.items()}
    rows = []
    for title, values in columns.items():
        if len(values):
            low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
            numbers = values.mean(), values.std(), values.min(), low, middle, high, values.max()
            rows.append((title, *(f"{number:.2f}" for number in numbers)))
    if rows:
        projective = float(found.treebank.projective.mean())
        rows.append(("projective", f"{100 * projective:.2f} %", *[""] * 6))
    header = ("measure", "mean", "deviation", "min", "25 %", "median", "75 %", "max")
    return Table("measures", "Trees", header, tuple(rows))


def _systems(found: Analysis) -> Table:
    rows = []
    for system in found.systems:
        share = system.edges.share
        rows.append(
            (
                system.name,
                f"{100 * system.bleu.mean():.2f}",
                NOTHING if share is None else f"{100 * share:.2f}",
                f"{100 * system.exact.mean():.2f}",
                f"{system.empty:,}",
                f"{system.missing:,}",
                f"{found.failures[system.name]:,}",
            )
        )
    header = ("system", "BLEU", "DEA", "exact", "empty", "missing", "failed")
    return Table("systems", "Systems (mean BLEU of sentences; in %)", header, tuple(rows))


def _groups(found: Analysis) -> Table:
    """Means by group, with BLEU and exactness of each system."""
    bank = found.treebank
    shown = ("length", "depth", "distance", "flux_weight")
    columns: list[tuple[str, Values, str]] = [
        (MEASURES[name], bank.columns[name], "{:.2f}") for name in shown
    ]
    for system in found.systems:
        columns.append((f"BLEU {system.name}", 100 * system.bleu, "{:.1f}"))
        columns.append((f"exact {system.name}", 100 * system.exact.astype(np.float64), "{:.1f}"))
    rows = []
    for number, name in enumerate(bank.group_names):
        inside = bank.groups == number
        cells = (form.format(values[inside].mean()) for _, values, form in columns)
        rows.append((name or NOTHING, f"{int(inside.sum()):,}", *cells))
    header = (found.settings.by or "", "sentences", *(title for title, _, _ in columns))
    return Table("groups", f"Sentences by {found.settings.by}", header, tuple(rows))


def _correlations(found: Analysis) -> Iterator[Table]:
    """A triangle of coefficients for each system."""
    for name, tests in found.correlations.items():
        names = list(dict.fromkeys(side for test in tests for side in (test.first, test.second)))
        by_pair = {(test.first, test.second): test for test in tests}
        rows = [
            (title(row), *(_coefficient(by_pair.get((column, row))) for column in names[:at]))
            for at, row in enumerate(names)
            if at
        ]
        width = len(names) - 1
        padded = tuple((*row, *[""] * (width + 1 - len(row))) for row in rows)
        what = f", {name}" if name else ""
        yield Table(
            f"correlations-{name}" if name else "correlations",
            f"Spearman's ρ{what} (* p < .05, ** .01, *** .001 after Holm)",
            ("", *map(title, names[:-1])),
            padded,
        )


def title(name: str) -> str:
    """What tables call a measure or score."""
    return {**MEASURES, **SCORES}.get(name, name)


def _coefficient(test: Correlation | None) -> str:
    if test is None or test.rho is None:
        return NOTHING
    return f"{test.rho:.2f}{stars(test.adjusted)}"


def _projectivity(found: Analysis) -> Table:
    rows = []
    for system, tests in found.projectivity.items():
        for test in tests:
            if test.u is None or test.medians is None or test.effect is None:
                continue
            rows.append(
                (
                    system,
                    title(test.measure),
                    f"{test.projective:,}",
                    f"{test.others:,}",
                    *(f"{median:.3f}" for median in test.medians),
                    f"{test.u:,.1f}",
                    p_value(test.p),
                    p_value(test.adjusted),
                    f"{test.effect:.3f}",
                )
            )
    header = (
        *("system", "score", "projective", "others", "median", "median of others"),
        *("U", "p", "p (Holm)", "effect"),
    )
    return Table(
        "projectivity", "Projective and other sentences (Mann–Whitney)", header, tuple(rows), 2
    )


def _relations(found: Analysis) -> Table:
    """The most frequent relations, and the mean over all."""
    relations = found.treebank.relations
    ranked = sorted(relations.items(), key=lambda entry: (-entry[1].edges, entry[0]))
    rows = []
    for label, sides in ranked[:_RELATIONS]:
        shares = [system.relations[label].share for system in found.systems]
        cells = [NOTHING if share is None else f"{100 * share:.1f}" for share in shares]
        rows.append((label, f"{sides.edges:,}", f"{sides.entropy:.3f}", *cells))
    more = len(relations) - len(rows)
    title = f"Relations ({more} less frequent ones not shown)" if more else "Relations"
    header = ("relation", "edges", "entropy", *(f"DEA {system.name}" for system in found.systems))
    return Table("relations", title, header, tuple(rows))


def _suspects(found: Analysis, mined: Mined) -> Table:
    rows = []
    systems = len(found.systems)
    for suspect in mined.suspects[:_SUSPECTS]:
        rates = [blame.failed / suspect.support for blame in suspect.blame]
        rows.append(
            (
                suspect.structure.text,
                f"{suspect.score:.2f}",
                f"{len(suspect.blame)}/{systems}",
                f"{suspect.support:,}",
                f"{100 * sum(rates) / len(rates):.1f} %",
            )
        )
    header = ("structure", "score", "coverage", "sentences", "failed")
    of = f"{mined.structures:,} structures"
    return Table(
        f"suspects-{mined.view}", f"Suspicious structures, {mined.view} ({of})", header, tuple(rows)
    )
