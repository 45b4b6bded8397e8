r"""The tables of an evaluation for papers: LaTeX with booktabs, one table after the other.

Shares are percentages with one decimal, with the deviation of the runs if there are
several::

    PP in direct obj $\to$ Subj & 2,000 & 11.9 {\scriptsize $\pm$ 1.2} \\
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sgl.evaluate.scoring import RAW
from sgl.evaluate.surface import BLEU_METRIC, CHRF_METRIC

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "→": r"$\to$",
    "–": "--",
}

TITLES = {
    "overall": "All items",
    "groups": "By group of patterns",
    "patterns": "By pattern",
    "length": "By length of the source sentence",
    "depth": "By depth of the dependency tree",
    "nesting": "By nesting of one relation",
}


def latex(data: Mapping[str, Any]) -> str:
    """The tables of a result; ``data`` is what ``result_data`` gives."""
    tables = [_table(data, name, rows) for name, rows in data["tables"].items() if rows]
    signatures = [f"% {name}: {text}" for name, text in data["signatures"].items()]
    head = f"% {data['dataset']['title']}, {data['dataset']['split']}"
    cited = f"% {data['dataset']['signature']}" if data["dataset"]["signature"] else "%"
    return "\n".join([head, cited, *signatures, "% needs booktabs", "", *tables])


def _table(data: Mapping[str, Any], name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    systems = [system["name"] for system in data["systems"]]
    # The raw rate stands in the first table only, or tables would be too wide for a page.
    metrics = [
        metric
        for metric in data["metrics"]
        if any(metric in row["scores"] for row in rows) and (metric != RAW or name == "overall")
    ]
    columns = [(metric, system) for metric in metrics for system in systems]
    head = [
        f"{_plain(data['metrics'][metric])}" + (f" ({_plain(system)})" if len(systems) > 1 else "")
        for metric, system in columns
    ]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_plain(TITLES[name])}: {_plain(data['dataset']['title'])}.}}",
        rf"\begin{{tabular}}{{lr{'r' * len(columns)}}}",
        r"\toprule",
        " & ".join(["", "items", *head]) + r" \\",
        r"\midrule",
        *(
            " & ".join(
                [
                    _plain(row["title"]),
                    f"{row['items']:,}",
                    *(_cell(row["scores"].get(m, {}).get(s), m) for m, s in columns),
                ]
            )
            + r" \\"
            for row in rows
        ),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def _cell(cell: Mapping[str, Any] | None, metric: str) -> str:
    if cell is None:
        return "--"
    scale = 1 if metric in (BLEU_METRIC, CHRF_METRIC) else 100
    text = f"{scale * cell['mean']:.1f}"
    if cell["deviation"] is not None:
        text += rf" {{\scriptsize $\pm$ {scale * cell['deviation']:.1f}}}"
    return text


def _plain(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)
