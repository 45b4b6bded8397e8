r"""The tables of an evaluation for papers: LaTeX with booktabs, one table after the other.

Shares are percentages with one decimal, with the deviation of the runs if there are
several::

    PP in direct obj $\to$ Subj & 2,000 & 11.9 {\scriptsize $\pm$ 1.2} \\
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sgl.research.analyse.latex import escaped
from sgl.research.evaluate.scoring import RAW
from sgl.research.evaluate.surface import BLEU_METRIC, CHRF_METRIC

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
    several = len(data["systems"]) > 1
    tables = [
        _systems(data, rows[0]) if name == "overall" and several else _parts(data, name, rows)
        for name, rows in data["tables"].items()
        if rows
    ]
    if "compounds" in data:
        tables.append(_compounds(data))
    cited = [
        f"{data['dataset']['title']}, {data['dataset']['split']}",
        data["dataset"]["signature"],
    ]
    signatures = [f"{name}: {text}" for name, text in data["signatures"].items()]
    # What stands in a comment stays on its line.
    head = [
        f"% {' '.join(text.split())}" for text in [*cited, *signatures, "needs booktabs"] if text
    ]
    return "\n".join([*head, "", *tables])


def _systems(data: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """The table of all items: a row for each system."""
    metrics = [metric for metric in data["metrics"] if metric in row["scores"]]
    rows = [
        [escaped(s["name"]), *(_cell(row["scores"][m].get(s["name"]), m) for m in metrics)]
        for s in data["systems"]
    ]
    head = ["", *(escaped(data["metrics"][metric]) for metric in metrics)]
    return _table(data, TITLES["overall"], "l" + "r" * len(metrics), [_line(head)], rows)


def _parts(data: Mapping[str, Any], name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """A table with a row for each part of the split."""
    systems = [system["name"] for system in data["systems"]]
    # The raw rate stands in the first table only, or tables would be too wide for a page.
    metrics = [
        metric
        for metric in data["metrics"]
        if any(metric in row["scores"] for row in rows) and (metric != RAW or name == "overall")
    ]
    columns = [(metric, system) for metric in metrics for system in systems]
    written = [
        [
            escaped(row["title"]),
            f"{row['items']:,}",
            *(_cell(row["scores"].get(m, {}).get(s), m) for m, s in columns),
        ]
        for row in rows
    ]
    head = _head([escaped(data["metrics"][m]) for m in metrics], list(map(escaped, systems)))
    return _table(data, TITLES[name], "lr" + "r" * len(columns), head, written)


def _head(metrics: Sequence[str], systems: list[str]) -> list[str]:
    """The heads of columns; of several systems in a second line, under each metric."""
    if len(systems) == 1:
        return [_line(["", "items", *metrics])]
    width = len(systems)
    above = [rf"\multicolumn{{{width}}}{{c}}{{{metric}}}" for metric in metrics]
    firsts = range(3, 3 + width * len(metrics), width)
    rules = " ".join(rf"\cmidrule(lr){{{first}-{first + width - 1}}}" for first in firsts)
    return [_line(["", "", *above]), rules, _line(["", "items", *(systems * len(metrics))])]


def _compounds(data: Mapping[str, Any]) -> str:
    """The error rates of compounds, by kind and by pattern."""
    patterns = data["dataset"]["patterns"]
    rows = [
        [
            escaped(entry["system"]),
            escaped(patterns.get(entry["kind"], {}).get("title", entry["kind"])),
            f"{entry['instances']:,}",
            f"{100 * entry['instance']:.2f}",
            f"{entry['compounds']:,}",
            f"{100 * entry['aggregate']:.2f}",
        ]
        for entry in data["compounds"]["rates"]
    ]
    head = _line(["", "compounds of", "instances", "rate", "compounds", "aggregate"])
    return _table(data, "Compound translation error rate", "llrrrr", [head], rows)


def _table(
    data: Mapping[str, Any],
    title: str,
    columns: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
) -> str:
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(title)}: {escaped(data['dataset']['title'])}.}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *head,
        r"\midrule",
        *map(_line, rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(cell: Mapping[str, Any] | None, metric: str) -> str:
    if cell is None:
        return "--"
    scale = 1 if metric in (BLEU_METRIC, CHRF_METRIC) else 100
    text = f"{scale * cell['mean']:.1f}"
    if cell["deviation"] is not None:
        text += rf" {{\scriptsize $\pm$ {scale * cell['deviation']:.1f}}}"
    return text
