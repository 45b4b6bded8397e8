"""What is written for papers and readers: LaTeX that is balanced, pictures in which names fit."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from workplace import Workplace

from sgl.cli.main import OK, run
from sgl.report.render import label_width, wrapped
from sgl.research.analyse.tables import analysis_environment, escaped
from sgl.research.evaluate.data import evaluation_environment

STRANGE = r"[a]&b %c_d #e {f} ~g ^h \i <j> $k 日本語 → x"
OTHER = r"*\end{tabular}"

TREE = "# sent_id = {0}\n1\t{1}\t{1}\tX\t_\t_\t0\troot\t_\t_\n2\tb\tb\tX\t_\t_\t1\t{2}\t_\t_\n\n"


def without_escapes(text: str) -> str:
    """LaTeX less the characters that are written with a backslash, and less its comments."""
    return re.sub(r"(?m)^%.*$", "", re.sub(r"\\[\\&%$#_{}]", "", text))


def check_latex(text: str) -> None:
    """Groups and environments are closed, rows are as wide as their table, nothing is bare."""
    bare = without_escapes(text)
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert not re.search(r"[#_^~]", bare)
    assert not re.search(r"(?<!\\)%", re.sub(r"(?m)^%.*$", "", text))
    begun = re.findall(r"\\begin{(\w+)}", bare)
    assert sorted(begun) == sorted(re.findall(r"\\end{(\w+)}", bare))
    assert "hline" not in text
    for table in re.findall(r"(?s)\\begin{tabular}{(\w+)}(.*?)\\end{tabular}", bare.replace("\\{", "")):
        columns, body = table
        for line in body.splitlines():
            if "&" in line:
                spans = sum(int(n) - 1 for n in re.findall(r"\\multicolumn{(\d+)}", line))
                assert line.count("&") + 1 + spans == len(columns), line


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_one_cell(text: str) -> None:
    row = f"{escaped(text)} & 1"
    assert "\n" not in escaped(text)
    bare = without_escapes(row)
    assert bare.count("&") == 1
    assert bare.count("{") == bare.count("}")
    assert not escaped(text).startswith(("[", "*"))


@pytest.fixture
def written(work: Workplace) -> dict[str, str]:
    """The LaTeX of an evaluation and of an analysis with names that LaTeX would obey."""
    rows = [("a", "x", STRANGE), ("b", "y", OTHER), ("c", "z", STRANGE)]
    work.write("rows.tsv", "".join("\t".join(row) + "\n" for row in rows))
    for name, text in (("p", "x\ny\nz\n"), ("q", "x\nz\nz\n"), ("r", "x\ny\n\n")):
        work.write(f"{name}.txt", text)
    work.write("gold.conllu", "".join(TREE.format(n, "a" * n, STRANGE) for n in range(1, 7)))
    work.write("s_1.txt", "a b\nb\nb aaa\naaaa b\nb\nb aaaaaa\n")
    names = [f"{STRANGE}=p.txt", f"{STRANGE}=r.txt", f"{OTHER}=q.txt"]
    assert run(["eval", "rows.tsv", *names, "--latex", "e.tex", "--html", "e.html"]) == OK
    asked = ["--support", "1", "--latex", "a.tex", "--html", "a.html"]
    assert run(["analyse", "gold.conllu", "s_1.txt", *asked]) == OK
    return {name: (work.directory / name).read_text("utf-8") for name in ("e.tex", "a.tex")}


@pytest.mark.slow
def test_tables_are_balanced_whatever_patterns_systems_and_relations_are_called(written: dict[str, str]) -> None:
    for text in written.values():
        check_latex(text)
    assert r"\cmidrule(lr){3-4}" in written["e.tex"]
    assert r"日本語 $\rightarrow$ x" in written["e.tex"]
    assert r"\textbackslash{}end\{tabular\}" in written["e.tex"]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_accepts_the_tables(written: dict[str, str], tmp_path: Path) -> None:
    for name, text in written.items():
        # The fonts of the class have no Japanese.
        body = re.sub(r"[^\x00-\x7f]", "?", text)
        source = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{body}"
        (tmp_path / name).write_text(source + r"\end{document}", "utf-8")
        asked = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name]
        done = subprocess.run(asked, cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]


# --- pictures -------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(st.text(min_size=1, max_size=80), st.floats(20, 300), st.integers(1, 3))
@example("00\u0e5c\u00ad0", 30.0, 1)
def test_a_name_keeps_to_its_room_and_loses_nothing_that_fits(text: str, width: float, lines: int) -> None:
    found = wrapped(text, width, lines)
    assert 1 <= len(found) <= lines
    for line in found:
        assert label_width(line) <= width or len(line) <= 2
    if not found[-1].endswith("…"):
        assert "".join("".join(found).split()) == "".join(text.split())


def test_a_long_name_ends_its_lines_behind_marks() -> None:
    assert wrapped("pp_in_direct_object_to_subject", 120, 3) == ["pp_in_direct_", "object_to_", "subject"]
    assert wrapped("V DET ADJ N MOD", 300, 3) == ["V DET ADJ N MOD"]
    assert wrapped("目的語から主語への汎化", 60, 2)[-1].endswith("…")


def test_names_and_marks_are_inside_the_picture() -> None:
    cell = {"mean": 0.5, "low": 0.0, "high": 1.0, "items": 3}
    systems = [f"s{n}" for n in range(8)]
    rows = [
        {"title": title, "scores": {"exact": dict.fromkeys(systems, cell)}} for title in ("x" * 200, "語" * 90, "short")
    ]
    figures: Any = evaluation_environment().get_template("figures.html.j2").make_module()
    drawn = str(figures.draw_scores(rows, "exact", systems, "p"))
    assert all(float(x) >= 0 for x in re.findall(r' (?:x|cx|x1)="(-?[\d.]+)"', drawn))
    assert "<title>" + "x" * 200 in drawn
    many = [{**row, "title": str(n)} for n, row in enumerate(rows * 10)]
    curve = str(figures.draw_curve(many, "exact", systems, "c", "words"))
    places = [float(x) for x in re.findall(r' cx="([\d.]+)"', curve)]
    assert 44 <= min(places) < max(places) < 760


def test_a_coefficient_that_rounds_to_zero_has_no_sign() -> None:
    test = {"first": "a", "second": "b", "pairs": 9, "rho": -0.001, "adjusted": 1.0}
    macros = analysis_environment().get_template("correlations.html.j2").make_module()
    drawn = re.findall(r">([^<>]*)</text>", macros.correlations([test], "t", "h"))
    assert "0.00" in drawn
    assert "-0.00" not in drawn


# --- pages ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_pages_can_be_read_with_a_keyboard_and_by_ear(written: dict[str, str], work: Workplace) -> None:
    assert written
    for name in ("e.html", "a.html"):
        page = (work.directory / name).read_text("utf-8")
        assert page.count("<main>") == page.count("<h1>") == 1
        # What scrolls can be reached, and says what it is.
        assert page.count('class="scroll"') == page.count('tabindex="0" role="region" aria-label=')
        assert page.count("<table") == page.count("<caption>")
        assert not re.search(r'aria-label=""|tabindex="[1-9]', page)
        ids = re.findall(r' id="([^"]+)"', page)
        assert len(ids) == len(set(ids))
        for labels in re.findall(r'aria-labelledby="([^"]+)"', page):
            assert set(labels.split()) <= set(ids)
        assert "<b>" not in page


def test_a_page_of_many_systems_divides_its_tables(work: Workplace) -> None:
    work.write("rows.tsv", "a\tx\tk\nb\ty\tl\n")
    for n in range(7):
        work.write(f"{n}.txt", "x\ny\n")
    files = [f"{n}.txt" for n in range(7)]
    assert run(["eval", "rows.tsv", *files, "--html", "e.html", "--json", "e.json"]) == OK
    page = (work.directory / "e.html").read_text("utf-8")
    shown = json.loads((work.directory / "e.json").read_text("utf-8"))["metrics"]
    # One table for each metric of patterns: seven columns each, the raw rate left out.
    assert page.count('aria-label="Pattern: ') == len(shown) - 1
