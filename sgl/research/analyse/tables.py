r"""The results as tables, which the terminal and LaTeX show alike.

A table is a title, names of columns, and rows of finished cells.  Numbers are right-aligned;
``–`` stands for what is not defined.  ``name`` is short, for labels in LaTeX.

In LaTeX whatever is in a cell is text: characters with a meaning in LaTeX are escaped, and
those that its fonts may lack are replaced by commands::

    nmod_x & 50 %    ->    nmod\_x \& 50 \%
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
class ResultTable:
    """A table of finished cells; the first ``texts`` columns are no numbers."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 1


def tables(found: Analysis) -> list[ResultTable]:
    """Return all tables that have something to show."""
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
    """Return a p-value as a text: ``0.013``, or ``2e-09`` for a small one."""
    if value is None:
        return NOTHING
    if value == 0:
        return "<1e-300"
    return f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"


def stars(value: float | None) -> str:
    """Return the stars of a p-value."""
    if value is None:
        return ""
    return next((mark for limit, mark in _STARS if value < limit), "")


def _measures(found: Analysis) -> ResultTable:
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
    return ResultTable("measures", "Trees", header, tuple(rows))


def _systems(found: Analysis) -> ResultTable:
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
    return ResultTable("systems", "Systems (mean BLEU of sentences; in %)", header, tuple(rows))


def _groups(found: Analysis) -> ResultTable:
    """Return means by group, with BLEU and exactness of each system."""
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
    return ResultTable("groups", f"Sentences by {found.settings.by}", header, tuple(rows))


def _correlations(found: Analysis) -> Iterator[ResultTable]:
    """Yield a triangle of coefficients for each system."""
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
        yield ResultTable(
            f"correlations-{name}" if name else "correlations",
            f"Spearman's ρ{what} (* p < .05, ** .01, *** .001 after Holm)",
            ("", *map(title, names[:-1])),
            padded,
        )


def title(name: str) -> str:
    """Return what tables call a measure or score."""
    return {**MEASURES, **SCORES}.get(name, name)


def _coefficient(test: Correlation | None) -> str:
    if test is None or test.rho is None:
        return NOTHING
    return f"{test.rho:.2f}{stars(test.adjusted)}"


def _projectivity(found: Analysis) -> ResultTable:
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
    return ResultTable(
        "projectivity", "Projective and other sentences (Mann–Whitney)", header, tuple(rows), 2
    )


def _relations(found: Analysis) -> ResultTable:
    """Return the most frequent relations."""
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
    return ResultTable("relations", title, header, tuple(rows))


def _suspects(found: Analysis, mined: Mined) -> ResultTable:
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
    of = f"{mined.subtrees:,} structures"
    return ResultTable(
        f"suspects-{mined.view}", f"Suspicious structures, {mined.view} ({of})", header, tuple(rows)
    )


_SPELT = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "–": "--",
        "ρ": r"$\rho$",
        "→": r"$\to$",
        **{chr(code): " " for code in (*range(0x20), 0x7F)},
    }
)


def latex(tables: Sequence[ResultTable]) -> str:
    """Return all tables, one below the other; they need the package ``booktabs``."""
    written = []
    for table in tables:
        label = "".join(c if c.isascii() and c.isalnum() else "-" for c in table.name)
        columns = "l" * table.texts + "r" * (len(table.columns) - table.texts)
        head, *rows = (latex_row(map(escaped, row)) for row in (table.columns, *table.rows))
        written.append(latex_table(escaped(table.title), columns, [head], rows, label, "  "))
    return "% Needs \\usepackage{booktabs}.\n" + "\n".join(written)


def escaped(text: str) -> str:
    """Return a text as LaTeX shows it."""
    # At the beginning of a row a bracket or star would belong to the line break before it.
    return ("{}" if text.startswith(("[", "*")) else "") + text.translate(_SPELT)


def latex_row(cells: Iterable[str]) -> str:
    """Return a row of a table."""
    return " & ".join(cells) + r" \\"


def latex_table(
    caption: str,
    columns: str,
    head: Sequence[str],
    rows: Sequence[str],
    label: str = "",
    indent: str = "",
) -> str:
    """Return a table of finished lines; ``columns`` are the letters of their alignment."""
    outer = [
        r"\centering",
        rf"\caption{{{caption}}}",
        *([rf"\label{{tab:{label}}}"] if label else []),
        rf"\begin{{tabular}}{{{columns}}}",
        *(indent + line for line in (r"\toprule", *head, r"\midrule", *rows, r"\bottomrule")),
        r"\end{tabular}",
    ]
    lines = [r"\begin{table}", *(indent + line for line in outer), r"\end{table}", ""]
    return "\n".join(lines)
