"""What ambiguity takes away is said: the rule or word, how much, and a sentence in two readings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ambiguous_grammar import DATASET, RULES
from diagnostics import BASE, MAIN

from sgl.cli.main import OK, run

#: One rule says of which case the object is, the other one forgets it.
GERMAN = """\
layer en  : text
layer de  : text
layer syn : graph on en

feature case = nom | acc

category Text
category NP[case]
category N

rule text: Text -> subj:NP[case=nom] "saw" obj:NP[case=acc]
  de  subj "sah" obj
  syn subj -[dep]-> obj; subj -[cop]-> "saw"(upos=AUX)
rule invited: Text -> subj:NP[case=nom] "invited" obj:NP[case=_]
  de  subj "lud" obj "ein"
  syn subj -[dep]-> obj; subj -[cop]-> "invited"(upos=AUX)
rule np: NP[case=c] -> "a" N
  de  "ein" N if c = nom
  de  "einen" N if c = acc
  syn N -[det]-> "a"(upos=DET)

dataset
  from Text
  train 20
  distinct sentences
""" + "".join(
    f'\nword N: "{en}"\n  de "{de}"\n  syn node(upos=NOUN)\n'
    for en, de in zip(("bird", "wolf", "star", "stork", "dog"), ("Fink", "Wolf", "Star", "Storch", "Hund"), strict=True)
)


def told(text: str, directory: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Compile a dataset and return what is said beside it."""
    (directory / MAIN).write_text(text, "utf-8")
    assert run(["compile", str(directory / MAIN), "--out", str(directory / "out")]) == OK
    return capsys.readouterr().err


def test_a_rule_that_disappears(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = told(GERMAN, tmp_path, capsys)
    assert "ambiguous sentences with the rule `invited` were rejected" in said
    assert "in the data it is used nowhere" in said
    assert "the readings have `NP[case=nom] NP[case=" in said
    (nominative,) = [line.split() for line in said.partition("SGL0908")[2].splitlines() if " lud ein " in line]
    (accusative,) = [line.split() for line in said.partition("SGL0908")[2].splitlines() if " lud einen " in line]
    assert [word.replace("einen", "ein") for word in accusative] == nominative


def test_a_word_and_a_reading_that_is_held_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = told(RULES + DATASET, tmp_path, capsys)
    assert "114 ambiguous sentences with the word `bat`" in said
    assert "コウモリ" in said
    assert "バット" in said
    assert "17 ambiguous sentences with the rule `vp` were rejected" in said
    assert "read as  The sheep saw [the pig near the sheep]." in said
    assert "the other reading is by this" in said


@pytest.mark.parametrize(
    "text", [BASE, GERMAN.replace("[case=_]", "[case=acc]"), GERMAN.replace("distinct sentences", "ambiguous report")]
)
def test_nothing_is_lost(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "SGL0908" not in told(text, tmp_path, capsys)


def test_a_warning_names_the_line_where_the_rule_is_now(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def lines(said: str) -> list[int]:
        return [int(found) for found in re.findall(rf"{MAIN}:(\d+):", said)]

    first, moved = (lines(told(text, tmp_path, capsys)) for text in (GERMAN, f"# a note\n\n{GERMAN}"))
    assert first
    assert moved == [line + 2 for line in first]
