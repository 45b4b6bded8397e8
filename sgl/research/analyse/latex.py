r"""Tables in LaTeX, for the package ``booktabs``.

Whatever is in a cell is text: characters that LaTeX would obey are written so that they are
shown, and those that its fonts may lack are written in its own way::

    nmod_x & 50 %    ->    nmod\_x \& 50 \%
"""

from __future__ import annotations

from collections.abc import Sequence

from sgl.research.analyse.tables import Table

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


def latex(tables: Sequence[Table]) -> str:
    """All tables, one below the other."""
    return "% Needs \\usepackage{booktabs}.\n" + "\n".join(map(_table, tables))


def escaped(text: str) -> str:
    """A text as LaTeX shows it."""
    # At the beginning of a row a bracket or star would belong to the line break before it.
    return ("{}" if text.startswith(("[", "*")) else "") + text.translate(_SPELT)


def _table(table: Table) -> str:
    columns = "l" * table.texts + "r" * (len(table.columns) - table.texts)
    rows = [_row(row) for row in table.rows]
    label = "".join(c if c.isascii() and c.isalnum() else "-" for c in table.name)
    return "\n".join(
        [
            "\\begin{table}",
            "  \\centering",
            f"  \\caption{{{escaped(table.title)}}}",
            f"  \\label{{tab:{label}}}",
            f"  \\begin{{tabular}}{{{columns}}}",
            "    \\toprule",
            _row(table.columns),
            "    \\midrule",
            *rows,
            "    \\bottomrule",
            "  \\end{tabular}",
            "\\end{table}",
            "",
        ]
    )


def _row(cells: Sequence[str]) -> str:
    return "    " + " & ".join(map(escaped, cells)) + r" \\"
