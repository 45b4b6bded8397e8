"""Tables of recipes fit the page and the terminal, however many systems they have."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest
from workplace import Workplace

from sgl.cli.main import OK, USAGE, run
from sgl.research.recipes.engine import fill
from sgl.research.recipes.layout import ARTICLE, Page, exposure_figures, figures_of, panels, points

TITLES = {"exact": "Exact", "bleu": "BLEU", "words": "words"}


def cell(mean: float | None) -> Mapping[str, Any] | None:
    return None if mean is None else {"mean": mean}


def table(systems: Mapping[str, Mapping[str, float | None]], rows: int = 2) -> dict[str, Any]:
    columns = [{"system": name, "metric": m, "title": TITLES[m]} for name, own in systems.items() for m in own]
    cells = [cell(mean) for own in systems.values() for mean in own.values()]
    return {"columns": columns, "beside": [], "rows": [{"title": f"case {n}", "cells": cells} for n in range(rows)]}


def divided(made: dict[str, Any], page: Page = ARTICLE) -> list[list[tuple[str, str]]]:
    shown = [*panels(made, lambda cell: f"{cell['mean']:.1f}" if cell else "–", lambda part: part["title"], page)]
    return [[(column.system, column.title) for column in panel] for panel in shown]


def test_a_system_stays_in_one_panel_that_fits() -> None:
    """Twelve characters are room for the titles of rows, three columns with their gaps, and no more."""
    made = table({name: {"exact": 50.0, "bleu": 60.0} for name in "abc"})
    page = Page(lambda text: len(text) + 1, 7.0 + 4 * 7, 10)
    assert divided(made, page) == [
        [("a", "Exact"), ("a", "BLEU"), ("b", "Exact"), ("b", "BLEU")],
        [("c", "Exact"), ("c", "BLEU")],
    ]


def test_a_system_that_does_not_fit_is_divided() -> None:
    made = table({"a": {"exact": 50.0, "bleu": 60.0}})
    assert divided(made, Page(lambda text: len(text) + 1, 14.0, 10)) == [[("a", "Exact")], [("a", "BLEU")]]


def test_columns_without_a_figure_are_left_out() -> None:
    assert divided(table({"a": {"exact": 50.0, "bleu": None}})) == [[("a", "Exact")]]


def test_the_best_of_several_systems_are_marked_by_each_metric() -> None:
    made = table({"a": {"exact": 50.0, "words": 3.0}, "b": {"exact": 60.0, "words": 2.0}, "c": {"exact": 60.0}}, rows=1)
    (panel,) = panels(made, lambda cell: "1" if cell else "", lambda part: part["title"], ARTICLE)
    assert [(column.system, column.title) for column in panel if column.best[0]] == [("b", "Exact"), ("c", "Exact")]


def test_a_system_is_marked_if_it_is_surely_better_than_all_others() -> None:
    """The test of the evaluation decides, corrected for all its comparisons: `b` is better than `a` by chance."""
    rows = {"name": "x", "title": "x", "metrics": {"exact": "Exact"}, "rows": [{"each": "gen > tables > patterns"}]}
    recipe = {"title": "", "paper": "", "tables": [rows]}
    scores = {system: {"mean": 0.5} for system in "abc"}
    patterns = [{"name": name, "items": 9, "scores": {"exact": scores}} for name in ("one", "two")]
    better = {("a", "c"): 0.01, ("b", "c"): 0.04, ("a", "b"): 0.2}
    tests = [
        {"first": x, "second": y, "metric": "exact", "part": part, "mean": 0.3, "adjusted": p if part == "one" else 0.2}
        for (x, y), p in better.items()
        for part in ("one", "two")
    ]
    known = {"test": "randomisation", "samples": 1000, "correction": "Holm", "differences": tests}
    made = fill(recipe, {"gen": {"tables": {"patterns": patterns}, "tests": known}}, ["a", "b", "c"])
    marked = {row["title"]: [cell["sure"] for cell in row["cells"]] for row in made["tables"][0]["rows"]}
    assert marked == {"one": [False, False, True], "two": [False] * 3}
    assert made["tested"] == "paired approximate randomisation, 1,000 samples, Holm over 6 tests, p < 0.05"


def test_curves_of_two_evaluations_are_two_figures() -> None:
    point = {"exposures": 1, "place": 0.0, "mean": 0.5, "low": 0.4, "high": 0.6}
    curve = {"metric": "exact", "table": "overall", "part": "all", "title": "all, A", "system": "A", "curve": None}
    results = {name: {"curves": [curve | {"points": [point]}]} for name in ("gen", "test")}
    made = fill({"title": "", "paper": "", "tables": []}, results, ["A"])
    drawn = exposure_figures(made["curves"], "exposures")
    assert [(figure.title, figure.systems) for figure in drawn] == [
        ("Exact Match, gen: all", ["A"]),
        ("Exact Match, test: all", ["A"]),
    ]


def test_figures_show_what_tables_say() -> None:
    """A point is a cell of the table in percent; one without an interval is its own."""
    made = table({"a": {"exact": 50.0, "bleu": 60.0}, "b": {"exact": None}}, rows=1)
    made["rows"][0]["cells"] = [
        {"mean": 50.0, "low": 40.0, "high": 61.0},
        {"mean": 60.0, "low": None, "high": None},
        None,
    ]
    for row in (*made["rows"], *made["columns"]):
        row["reached"] = []
    (drawn,) = figures_of(made | {"title": "t", "figure": "exact"})
    assert (drawn.kind, drawn.systems) == ("scores", ["a"])
    assert drawn.rows == [("case 0", {"a": {"mean": 0.5, "low": 0.4, "high": 0.61}})]
    first, second = figures_of(made | {"title": "t", "curve": "step"})
    assert [first.title, first.bottom, first.top] == ["t: Exact, seed ", 0.4, 0.61]
    assert second.rows == [("case 0", {"a": {"mean": 0.6, "low": 0.6, "high": 0.6}})]


@pytest.fixture
def five(work: Workplace) -> list[str]:
    """Five systems that answer the items of SGET's patterns in their ways."""
    patterns = [f"a_pattern_with_quite_a_long_name_{n}" for n in range(7)]
    patterns += ["object → subject, 50 %", "pp_in_subject", "cp_deeper"]
    work.write("rows.tsv", "".join(f"a b c {n}\tx y z {n}\t{name}\n" for n, name in enumerate(patterns)))
    systems = []
    for right, name in enumerate(("Transformer", "LSTM", "Llama-3-8B", "mT5-base", "Mine")):
        (work.directory / name).mkdir()
        lines = [f"x y z {n}\n" if n <= right else "no\n" for n in range(len(patterns))]
        work.write(f"{name}/gen.txt", "".join(lines))
        systems.append(f"{name}={name}")
    return systems


def test_tables_of_five_systems_fit_the_text_of_an_article(five: list[str], work: Workplace) -> None:
    """LaTeX itself says where a line is too wide; the test needs `pdflatex` with booktabs."""
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex here")
    assert run(["recipe", "sget", "rows.tsv", *five, "--latex", "tables.tex"]) == OK
    assert overfull("tables", ["booktabs"], work) == []


@pytest.mark.parametrize("kind", ["scores", "exposures", "heat"])
def test_figures_fit_the_text_of_an_article(kind: str, five: list[str], work: Workplace) -> None:
    """They are drawn by pgfplots, with intervals, without a line that is too wide."""
    arguments = ["sget", "rows.tsv", *five]
    if kind == "exposures":
        arguments = ["sget", "rows.tsv", "A@1=Transformer", "A@5=LSTM", "A@20=mT5-base"]
    if kind == "heat":
        edge = "1\ta\ta\tX\t_\t_\t{}\tobj\t_\t_\n2\tb\tb\tX\t_\t_\t{}\troot\t_\t_\n\n"
        work.write("bank.conllu", "".join(f"# sent_id = {n}\n{edge.format(2, 0)}" for n in range(9)))
        work.write("One/bank.txt", "a b\nb a\na a\n" * 3)
        arguments = ["sr", ".", "One"]
    assert run(["recipe", *arguments, "--figures", "figures.tex", "--html", "page.html"]) == OK
    written = (work.directory / "figures.tex").read_text("utf-8")
    assert written.count(r"\begin{figure}") == written.count(r"\end{figure}") > 0
    assert {"scores": "x dir=both", "exposures": "xmode=log", "heat": r"\fill[blue!"}[kind] in written
    page = (work.directory / "page.html").read_text("utf-8")
    if kind == "heat":
        # A coefficient is from -1 to 1, and the colour fills its square to less than half.
        values = [float(text) for text in re.findall(r'class="value">([-0-9.]+)</text>', page)]
        assert values
        assert all(-1 <= value <= 1 for value in values)
        assert all(float(opacity) < 0.5 for opacity in re.findall(r'fill-opacity="([0-9.]+)"', page))
        assert "svg .heat.positive" in page
    if (
        shutil.which("pdflatex") is None
        or subprocess.run(["kpsewhich", "pgfplots.sty"], check=False, capture_output=True).returncode
    ):
        pytest.skip("no pdflatex with pgfplots here")
    assert overfull("figures", ["pgfplots"], work) == []


def overfull(name: str, packages: list[str], work: Workplace) -> list[str]:
    """Return what LaTeX says is too wide or too high in an article with a file."""
    needed = "".join(rf"\usepackage{{{package}}}" for package in packages)
    page = rf"\documentclass{{article}}{needed}\usepackage[utf8]{{inputenc}}\begin{{document}}\input{{{name}}}"
    work.write("page.tex", page + r"\end{document}")
    command = ["pdflatex", "-interaction=batchmode", "page.tex"]
    subprocess.run(command, cwd=work.directory, check=True, capture_output=True, timeout=60)
    log = (work.directory / "page.log").read_text("utf-8", "replace")
    return [line for line in log.splitlines() if "Overfull" in line or "too large" in line]


def test_work_that_is_no_replication_is_not_compared(five: list[str], work: Workplace) -> None:
    """With `--compare none` there is no published figure, no star, and no system of the paper."""
    assert run(["recipe", "sget", "rows.tsv", *five, "--latex", "tables.tex", "--compare", "none"]) == OK
    written = (work.directory / "tables.tex").read_text("utf-8")
    assert r"\multicolumn{2}{c}{Mine}" in written
    assert "(paper)" not in written
    assert "*" not in written


def test_tables_in_a_file_have_whole_heads(five: list[str], work: Workplace) -> None:
    """Without a terminal, a table that is too wide is divided, as on one: no head is broken into letters."""
    named = [system.replace("=", "_without_concatenations=") for system in five]
    assert run(["recipe", "sget", "rows.tsv", *named, "--compare", "none"]) == OK
    _, table = work.capsys.readouterr().out.split("Table 10: ")
    assert all(table.count(system.partition("=")[0]) == 2 for system in named)


def test_widths_are_not_estimated_too_low() -> None:
    """Lines of Computer Modern at nine points, as LaTeX measures them (`\\settowidth`), without the room between."""
    measured = {"83.3 (22.2*)": 47.8, "Transformer": 49.5, "BLEU": 25.6, "Llama-3-8B": 47.3, "100.0": 21.1}
    for text, width in measured.items():
        assert width < points(text) - 8.0 < 1.2 * width


def test_outputs_for_another_dataset_stand_beside_the_others(five: list[str], work: Workplace) -> None:
    """Table 5 of SGET compares two datasets; each system is scored on its own, in the rows of the same names."""
    patterns = ["pp_in_subject", "cp_deeper", "cp_deeper"]
    work.write("free.tsv", "".join(f"a {n}\tx {n}\t{name}\n" for n, name in enumerate(patterns)))
    (work.directory / "free").mkdir()
    work.write("free/gen.txt", "x 0\nx 1\nno\n")
    asked = ["recipe", "sget", "rows.tsv", *five, "Mine without restrictions=free"]
    assert run([*asked, "--on", "Mine without restrictions=free.tsv", "--json", "r.json"]) == OK
    made = json.loads((work.directory / "r.json").read_text("utf-8"))
    (table,) = (table for table in made["tables"] if table["name"] == "Table 10")
    rows = {row["title"]: row["cells"] for row in table["rows"]}
    at = {column["system"]: n for n, column in enumerate(table["columns"]) if column["metric"] == "exact"}
    assert rows["cp_deeper"][at["Mine without restrictions"]]["mean"] == 50.0
    assert rows["pp_in_subject"][at["Mine without restrictions"]]["mean"] == 100.0
    assert rows["cp_deeper"][at["Mine"]]["mean"] == 0.0
    assert rows["a_pattern_with_quite_a_long_name_0"][at["Mine without restrictions"]] is None
    work.capsys.readouterr()
    for given, why in (("Nobody=free.tsv", "no outputs have this name"), ("Mine=", "write NAME=DATA")):
        assert run([*asked, "--on", given]) == USAGE
        assert why in work.capsys.readouterr().err
    assert run(["recipe", "sr", ".", "free", "--on", "free=free.tsv"]) == USAGE
    assert "scores no variants" in work.capsys.readouterr().err
