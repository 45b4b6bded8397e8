"""What the pages say of edges is what ``docs/examples/corners.sgl`` tests, and what datasets show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sgl.cli.main import FAILED, OK, run

DOCS = Path(__file__).parents[2] / "docs"
CORNERS = DOCS / "examples" / "corners.sgl"
#: Each test of the grammar is on the page that it is about.
SHOWN = re.findall(r"^test .*$", (DOCS / "measures.md").read_text("utf-8"), re.MULTILINE)

#: Two nouns that are both held out, each as a subject or an object.
OWLS = """\
layer en  : text
layer ja  : text
layer syn : graph on en
category S
category N
rule s: S -> subj:N "sees" obj:N
  ja  subj obj "見る"
  syn "sees" -[nsubj]-> subj; "sees" -[obj]-> obj
literal "sees" (lemma=see, upos=VERB)
""" + "".join(f'word N: "{noun}"\n  ja "{noun}"\n  syn node(upos=NOUN)\n' for noun in ("dog", "cat", "owl", "emu"))


def compiled(source: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    """The generalization items of a grammar."""
    (folder / "owls.sgl").write_text(source, "utf-8")
    assert run(["compile", str(folder / "owls.sgl"), "--out", str(folder / "out")]) == OK, capsys.readouterr().err
    return [row.split("\t") for row in (folder / "out/data/gen.tsv").read_text("utf-8").splitlines()]


def test_the_page_shows_every_test_of_the_grammar() -> None:
    assert sorted(SHOWN) == sorted(re.findall(r"^test .*$", CORNERS.read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("setting", ["nothing=off", "nothing=on"])
def test_the_grammar_passes_its_tests(setting: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", str(CORNERS), "--set", setting]) == OK, capsys.readouterr()
    assert "6 of 6 passed" in capsys.readouterr().out


@pytest.mark.parametrize("line", [line for line in SHOWN if "when" not in line])
def test_no_test_holds_whatever_is_written(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With another number, each of them fails."""
    changed = re.sub(r"\d+", lambda number: str(int(number[0]) + 4), line)
    (tmp_path / "corners.sgl").write_text(CORNERS.read_text("utf-8").replace(line, changed), "utf-8")
    assert run(["test", str(tmp_path / "corners.sgl")]) == FAILED
    assert "5 of 6 passed" in capsys.readouterr().out


def test_a_sentence_of_two_patterns_belongs_to_the_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both may have `owl sees emu`; seven sentences have an owl, and four of the others an emu as their object."""
    patterns = (
        "pattern owls\n  forbid { V -[nsubj]-> N[lemma=owl] }\n  allow emus\n  size all\n",
        "pattern emus\n  forbid { V -[obj]-> N[lemma=emu] }\n  allow owls\n  size all\n",
    )
    dataset = "dataset\n  from S\n  train all\n  distinct sentences\n"
    for first, second in (patterns, patterns[::-1]):
        items = compiled(OWLS + first + second + dataset, tmp_path, capsys)
        (category,) = {category for en, _, category in items if en == "owl sees emu"}
        assert category == first.split()[1]
        assert len(items) == 7


def test_an_item_counts_for_the_first_target_of_the_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is the subject of four sentences; `emu sees owl` and `owl sees emu` are both the first target's."""
    for first, second in (("owl", "emu"), ("emu", "owl")):
        pattern = f"pattern birds\n  targets {first} {second}\n  forbid {{ V -[nsubj]-> N[@targets] }}\n"
        dataset = "dataset\n  from S\n  train 8\n  distinct sentences\n"
        (tmp_path / "owls.sgl").write_text(f"{OWLS}{pattern}  size 4 per target\n{dataset}", "utf-8")
        assert run(["compile", str(tmp_path / "owls.sgl"), "--out", str(tmp_path / "out")]) == FAILED
        said = capsys.readouterr().err
        assert f"the target '{second}' has 3 of its 4 items" in said
        assert "only 7 sentences can be accepted (left out: 1 for share full)" in said
