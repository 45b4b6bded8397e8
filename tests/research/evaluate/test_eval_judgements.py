"""What judges say of outputs: which output it is about, and the figures that follow from it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from published_forms import PUBLISHED
from workplace import Workplace

from sgl.cli.main import FAILED, OK, run
from sgl.diagnostics import Diagnostics
from sgl.research.evaluate.benchmark import BenchmarkRow, read_benchmark
from sgl.research.evaluate.compound_rates import compounds_of
from sgl.research.evaluate.judgements import Columns, JudgementError, code_of, judgements_data, kind_of, read_verdicts
from sgl.research.evaluate.runs import Run, read_runs

COGNITION = PUBLISHED / "cognition"

ROWS = [BenchmarkRow(f"gen-{n:06d}", f"sentence {n} .", f"文 {n}", "ab"[n % 2]) for n in range(1, 5)]
ONE, OTHER = (tuple(f"{name} {n}" for n in range(1, 5)) for name in ("文", "字"))


def runs(*texts: tuple[str, ...]) -> list[Run]:
    return [read_runs(said, ROWS)[0] for said in texts]


def read(tmp_path: Path, text: str, *others: str, systems: dict[str, list[Run]] | None = None) -> dict[str, Columns]:
    paths = []
    for number, content in enumerate((text, *others)):
        paths.append(tmp_path / f"judge{number}.tsv")
        paths[-1].write_text(content.replace(" | ", "\t"), "utf-8")
    return read_verdicts(paths, ROWS, systems or {"mine": runs(OTHER)}, Diagnostics())


def plain(columns: Columns) -> dict[str, list[list[float | None]]]:
    return {name: [[None if math.isnan(v) else v for v in run] for run in of] for name, of in columns.items()}


@pytest.mark.parametrize(
    "text",
    [
        "id | human\ngen-000002 | 1\ngen-000001 | 0\n",
        "source | human\nsentence 2 . | right\nsentence  1 . | Wrong\n",
        "human | system | sentence\nyes | mine | sentence 2 .\nno | mine | sentence 1 .\n",
        'id | human | comment\ngen-000002 | 1 | "good\ngen-000001 | 0 | not " good\n',
        "id | output | human\ngen-000002 | 字2 | true\ngen-000001 | 字 1 | false\n",
        "id | human | comment\ngen-000002 | 1 | good\ngen-000001 | 0 | bad\ngen-000003 |  | ?\n",
    ],
)
def test_an_item_is_named_in_any_of_these_ways(text: str, tmp_path: Path) -> None:
    assert plain(read(tmp_path, text)["human"]) == {"mine": [[0, 1, None, None]]}


def test_an_output_in_the_row_tells_whose_it_is(tmp_path: Path) -> None:
    systems = {"mine": runs(OTHER, ONE), "yours": runs(ONE)}
    text = "id | output | human\ngen-000001 | 文 1 | 1\ngen-000002 | 字 2 | 0\ngen-000003 | 別 3 | 0\n"
    found = plain(read(tmp_path, text, systems=systems)["human"])
    assert found == {"mine": [[None, 0, None, None], [1, None, None, None]], "yours": [[1, None, None, None]]}


def test_a_source_in_another_spelling_is_known_by_its_output_in_its_place(tmp_path: Path) -> None:
    lines = [f"sentence {n} . | 字 {n} | 1\n" for n in (1, 2, 4)]
    lines.insert(2, "sentence three . | 字 3 | 0\n")
    assert plain(read(tmp_path, "source | output | human\n" + "".join(lines))["human"]) == {"mine": [[1, 1, 0, 1]]}


def test_a_sheet_of_annotate_judges_the_gold_texts(tmp_path: Path) -> None:
    text = f"code | source | target | natural | right | comment\n{code_of(ROWS[2])} | sentence 3 . | 文 3 | 4 | no | \n"
    found = read(tmp_path, text)
    assert plain(found["right"]) == {"gold": [[None, None, 0, None]]}
    assert [kind_of(found[name]) for name in ("natural", "right")] == ["scale", "verdict"]


def test_judges_are_columns_annotators_or_files(tmp_path: Path) -> None:
    columns = "id | ada | bob\ngen-000001 | 1 | 0\n"
    assert list(read(tmp_path, columns)) == ["ada", "bob"]
    assert list(read(tmp_path, "id | annotator | human\ngen-000001 | ada | 1\ngen-000001 | bob | 0\n")) == [
        "human ada",
        "human bob",
    ]
    assert list(read(tmp_path, columns, "id | ada\ngen-000001 | 1\n")) == ["judge0 ada", "judge0 bob", "judge1 ada"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id | human\ngen-000001 | perhaps\n", "line 2: `perhaps` is not a number, as `human` has to be"),
        ("id | human\ngen-000001 | yes\ngen-000002 | 3\n", "line 3: `human` has labels and other numbers"),
        ("id | human\ngen-000001 | 1\ngen-000001 | 0\n", "line 3: this judge has said something else"),
        ("id | human\ngen-000009 | 1\n", "no judgement of an output that is scored"),
        ("id | human\ngen-000001 | \n", "no judgement of an output that is scored"),
        ("id | output\ngen-000001 | x\n", "the first line names no columns"),
        ("id | human\ngen-000001 | 1 | 2\n", "line 2 has more cells than the first line"),
    ],
)
def test_what_cannot_be_used_is_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(JudgementError, match=message):
        read(tmp_path, text)


def test_of_several_systems_a_row_has_to_name_one(tmp_path: Path) -> None:
    with pytest.raises(JudgementError, match="there are 2 outputs for an item"):
        read(tmp_path, "id | human\ngen-000001 | 1\n", systems={"mine": runs(ONE), "yours": runs(OTHER)})


def test_figures_of_a_metric_and_of_another_judge() -> None:
    """Eight outputs: the metric calls four wrong, the judge five, both three; kappa from the table."""
    metric, judge = np.array([[0, 0, 0, 0, 1, 1, 1, 1.0]]), np.array([[0, 0, 0, 1, 0, 0, 1, np.nan]])
    judged = {"ada": {"mine": judge}, "bob": {"mine": 1 - judge}, "grade": {"mine": judge * 5}}
    parts = [("all", "all items", np.arange(8)), ("b", "B", np.arange(4, 8)), ("none", "none", np.array([7]))]
    data = judgements_data(judged, parts, {"exact": {"mine": metric}, "edges": {"mine": metric / 2}})
    rates = {(row["judge"], row["part"]): row for row in data["rates"]}
    assert (rates["ada", "all"]["items"], rates["ada", "all"]["wrong"]) == (7, pytest.approx(5 / 7))
    assert rates["ada", "b"]["wrong"] == pytest.approx(2 / 3)
    assert rates["ada", "all"]["low"] < 5 / 7 < rates["ada", "all"]["high"]
    assert (rates["grade", "all"]["wrong"], rates["grade", "all"]["mean"]) == (None, pytest.approx(10 / 7))
    assert ("ada", "none") not in rates
    found = {(row["metric"], row["judge"], row["part"]): row for row in data["metrics"]}
    exact = found["exact", "ada", "all"]
    assert (exact["precision"], exact["recall"]) == pytest.approx((3 / 4, 3 / 5))
    seen, chance = 4 / 7, (4 * 5 + 3 * 2) / 49
    assert exact["kappa"] == pytest.approx((seen - chance) / (1 - chance))
    assert found["ada", "bob", "all"]["equal"] == 0
    assert found["exact", "grade", "all"]["kappa"] is None
    assert found["exact", "grade", "all"]["rho"] == pytest.approx(exact["rho"])
    assert found["exact", "ada", "b"]["precision"] is None
    assert (found["edges", "ada", "all"]["kappa"], found["edges", "grade", "all"]["kappa"]) == (None, None)


def test_they_stand_in_all_results_of_eval(work: Workplace) -> None:
    work.write("rows.tsv", "a dog\tx\tp\na cat\ty\tp\na cow\tz\tq\n")
    work.write("out.txt", "x\ny\nq\n")
    work.write(
        "people.csv", "source,human,second\na dog,right,right\na cat,wrong,right\nan elk,right,right\na cow,wrong,\n"
    )
    files = ["--json", "r.json", "--html", "r.html", "--latex", "r.tex"]
    assert run(["eval", "rows.tsv", "out.txt", "--samples", "100", "--judgements", "people.csv", *files]) == OK
    told = work.capsys.readouterr()
    assert "warning[SGL1431]: `people.csv`: 2 judgements left out" in told.err
    judged = json.loads((work.directory / "r.json").read_text("utf-8"))["judgements"]
    assert judged["judges"] == ["human", "second"]
    rates = {(row["judge"], row["part"]): round(100 * row["wrong"], 2) for row in judged["rates"]}
    assert rates == {
        ("human", "all"): 66.67,
        ("human", "p"): 50,
        ("human", "q"): 100,
        ("second", "all"): 0,
        ("second", "p"): 0,
    }
    (line,) = [line for line in told.out.splitlines() if line.startswith("Exact Match  ") and "human" in line]
    assert line.split()[3:8] == ["out", "3", "100.00", "50.00", "0.40"]
    assert "What judges call wrong" in (work.directory / "r.html").read_text("utf-8")
    assert "Agreement with judges" in (work.directory / "r.tex").read_text("utf-8")
    work.write("people.csv", "source,human\na dog,perhaps\n")
    assert run(["eval", "rows.tsv", "out.txt", "--samples", "100", "--judgements", "people.csv"]) == FAILED
    assert (
        "error[SGL1430]: in `people.csv`, line 2: `perhaps` is not a number, as `human` has to be"
        in work.capsys.readouterr().err
    )


@pytest.mark.slow
@pytest.mark.skipif(not COGNITION.is_dir(), reason="needs ../shared/data/cognition")
def test_the_verdicts_of_the_authors_are_read_as_they_are() -> None:
    """Noun phrases: 21.97 % wrong; of what the published rule calls wrong nearly all is; it finds seven of eight."""
    told = Diagnostics()
    benchmark = read_benchmark(COGNITION, None, None)
    lines = (COGNITION / "NP.judged.tsv").read_text("utf-8").splitlines()[1:]
    systems = {"Transformer": read_runs([line.split("\t")[1] for line in lines], benchmark.rows, "zh")}
    judged = read_verdicts([COGNITION / "NP.judged.tsv"], benchmark.rows, systems, told)
    assert not list(told)
    compounds, _ = compounds_of(benchmark, (None, None), "characters", told)
    assert compounds is not None
    data, columns = compounds.rates(benchmark, systems, (), judged, published=True)
    assert data is not None
    people = {row["kind"]: row for row in data["judged"]}
    assert (people["NP"]["wrong"], people["NP"]["instances"]) == (791, 3600)
    assert [round(100 * people["all"][name], 2) for name in ("instance", "aggregate")] == [21.97, 54.03]
    typed = compounds.typed(benchmark)
    assert {row.category for row in typed.rows} == {"DET+N", "DET+N+MOD", "DET+ADJ+N", "DET+ADJ+N+MOD"} <= people.keys()
    assert {info.groups for info in typed.patterns.values()} == {("NP",)}
    parts = [("all", "all", np.arange(len(benchmark.rows)))]
    (row,) = judgements_data(judged, parts, {"compounds": columns})["metrics"]
    figures = [round(100 * row[name], 2) for name in ("precision", "recall", "kappa")]
    assert figures == [99.71, 87.61, 91.53]
