r"""The tables of an evaluation, for the terminal and for papers (LaTeX with booktabs).

Shares are percentages with one decimal, with the deviation of the runs if there are several.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from sgl.cli.terminal import print_table, say
from sgl.research.analyse.tables import latex_environment
from sgl.research.evaluate.scoring import RAW
from sgl.research.evaluate.surface import BLEU_METRIC, CHRF_METRIC

#: Tables that are shown; `--json` and `--html` have those by length and depth as well.
_SHOWN = ("overall", "groups", "patterns", "slices")

_SIGNIFICANT = 0.05

#: What two differences have in common that are about the same systems.
_COMPARED = ("first", "second", "metric")

#: Columns of a terminal that titles have at least.
_TITLE = 12

Json = Mapping[str, Any]
Rows = Sequence[Sequence[str]]


def show_result(data: Json) -> None:
    """Show the scores of all items, groups and patterns, and what they rest on."""
    dataset, systems, metrics = data["dataset"], _systems(data), data["metrics"]
    say(f"{dataset['title']}: {dataset['split']}, {dataset['source']} → {dataset['target']}")
    # The raw rate of several systems is in the files; the terminal is narrow.
    shown = [metric for metric in metrics if len(systems) == 1 or metric != RAW]
    columns = [(metric, system) for metric in shown for system in systems]
    below = "\n{}" if len(systems) > 1 else ""
    heads = [metrics[metric] + below.format(system) for metric, system in columns]
    # What is crossed with patterns is in the files.
    rows = [row for name in _SHOWN for row in data["tables"].get(name, ()) if "/" not in row["name"]]
    _print(["", "items", *heads], [[row["title"], f"{row['items']:,}", *_cells(row, columns)] for row in rows])
    for name, text in data["signatures"].items():
        say(f"{metrics[name]}: {text}")
    if data["partial_match"] is not None:
        _show_partial(data["partial_match"])
    if data["mistakes"]["systems"]:
        say("")
        _print(["mistakes", *data["mistakes"]["kinds"]], _mistakes(data["mistakes"]))
    if data["tests"]["differences"]:
        say("")
        first = f"differences ({data['tests']['test']}, Holm)"
        _print([first, "metric", "difference", "95 %", "p", "patterns"], _tests(data))
    if "compounds" in data:
        say("")
        first = f"compounds, {data['compounds']['rule']}, cut by {data['compounds']['segmented']}"
        heads = [first, "kind", "instances", "error rate", "compounds", "aggregate"]
        _print(heads, _compounds(data["compounds"]))


def _print(columns: Sequence[str], rows: Rows) -> None:
    """Write a table; in a narrow terminal heads and titles are broken, but no figure."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, head in enumerate(columns):
        longest = max((len(row[number]) for row in rows), default=0)
        width = longest if number else min(longest, _TITLE)
        table.add_column(head, justify="right" if number else "left", overflow="fold", min_width=width)
    for row in rows:
        table.add_row(*row)
    print_table(table)


def _systems(data: Json) -> list[str]:
    return [system["name"] for system in data["systems"]]


def scale(metric: str) -> int:
    """Return what a score is multiplied with to be a percentage."""
    return 1 if metric in (BLEU_METRIC, CHRF_METRIC) else 100


def score_text(cell: Json, metric: str, sign: str = " ± {}") -> str:
    """Return a score with the deviation of its runs: ``83.0 ± 1.2``."""
    text = f"{scale(metric) * cell['mean']:.1f}"
    if cell["deviation"] is not None:
        text += sign.format(f"{scale(metric) * cell['deviation']:.1f}")
    return text


def _cells(row: Json, columns: Sequence[tuple[str, str]]) -> list[str]:
    """Return the scores of a row by metric and system; a gap where there is none."""
    found = [(row["scores"].get(metric, {}).get(system), metric) for metric, system in columns]
    return ["–" if cell is None else score_text(cell, metric) for cell, metric in found]


def _show_partial(partial: Json) -> None:
    """Show what decided about partial matches, and what the gold texts score."""
    for system, counts in partial["decided"].items():
        total = sum(counts.values())
        shares = ", ".join(f"{why} {100 * number / total:.1f} %" for why, number in counts.items())
        say(f"Partial Match of {system} decided by: {shares}")
    checked, right = (sum(entry[key] for entry in partial["gold"].values()) for key in ("checked", "right"))
    if checked:
        say(f"Partial Match of gold texts: {100 * right / checked:.1f} % of {checked:,}")


def _mistakes(mistakes: Json) -> Rows:
    rows = []
    for system, categories in mistakes["systems"].items():
        total: Counter[str] = sum(map(Counter, categories.values()), Counter())
        rows.append([system, *(f"{total[kind]:,}" for kind in mistakes["kinds"])])
    return rows


def _tests(data: Json) -> Rows:
    """Return the differences on all items, and in how many patterns they are significant."""
    of_pair: dict[tuple[str, ...], list[Json]] = {}
    for found in data["tests"]["differences"]:
        of_pair.setdefault(tuple(found[key] for key in _COMPARED), []).append(found)
    rows = []
    for differences in of_pair.values():
        whole = [found for found in differences if found["part"] == "all"]
        parts = [found for found in differences if found["part"] != "all"]
        significant = sum(part["adjusted"] < _SIGNIFICANT for part in parts)
        rows += [
            [
                f"{found['first']} → {found['second']}",
                data["metrics"][found["metric"]],
                f"{by * found['mean']:+.1f}",
                f"{by * found['low']:+.1f} to {by * found['high']:+.1f}",
                f"{found['adjusted']:.4f}",
                f"{significant} of {len(parts)}",
            ]
            for found in whole
            for by in (scale(found["metric"]),)
        ]
    return rows


def _compounds(compounds: Json) -> Rows:
    """Return the error rates; those by pattern are in the files."""
    return [
        [entry["system"] + (f" ({entry['file']})" if entry["file"] else ""), entry["kind"], *_rates(entry)]
        for entry in compounds["rates"]
        if entry["by"] in ("all", "kind")
    ]


def _rates(entry: Json) -> list[str]:
    return [
        f"{entry['instances']:,}",
        f"{100 * entry['instance']:.2f}",
        f"{entry['compounds']:,}",
        f"{100 * entry['aggregate']:.2f}",
    ]


def latex(data: Json) -> str:
    """Return the tables of a result for papers; they need the package ``booktabs``."""
    environment = latex_environment("sgl.research.evaluate")
    return environment.get_template("evaluation.tex.j2").render(data=data, score=score_text, rates=_rates)
