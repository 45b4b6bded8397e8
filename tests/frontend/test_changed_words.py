"""Words that change at their start and inside, and after other words: docs/stdlib.md, docs/texts.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from row_datasets import compile_grammar, rows_refused
from sget import compile_file

from sgl.cli.main import run
from sgl.core.interpret import interpret
from sgl.core.spelling import Finish, join_words, mutated
from sgl.parsing import Parser
from sgl.verify import verify

DOCS = Path(__file__).parents[2] / "docs"
FORMS = (DOCS / "examples" / "forms.sgl").read_text("utf-8")
WELSH = """\
layer cy  : text ("p…" after "i" "o" -> "b…", "c…" after "i" -> "g…", "g…" after "i" -> "…",
                  "cath" after "…r" -> "gath", "a" before "a…" -> "ac", capital first)
layer syn : graph on cy
category Text
category P
category N
rule to: Text -> P N
  syn N -[case]-> P
rule and: Text -> one:N "a" two:N
  syn one -[conj]-> two; two -[cc]-> "a"(upos=CCONJ)
word P: "i"
  syn node(upos=ADP)
word P: "ar"
  syn node(upos=ADP)
word P: "am"
  syn node(upos=ADP)
word N: "cath"
  syn node(upos=NOUN)
word N: "pen"
  syn node(upos=NOUN)
word N: "gardd"
  syn node(upos=NOUN)
word N: "afal"
  syn node(upos=NOUN)
dataset
  from  Text
  train 28
"""
TEXTS = {
    "I gath", "Ar gath", "Am cath", "I ben", "Ar pen", "Am pen", "I ardd", "Ar gardd", "Am gardd", "I afal", "Ar afal",
    "Am afal", *(f"{one.capitalize()} {'ac' if two == 'afal' else 'a'} {two}"
                 for one in ("cath", "pen", "gardd", "afal") for two in ("cath", "pen", "gardd", "afal")),
}  # fmt: skip


def test_the_page_says_what_the_paradigms_make(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "forms.sgl").write_text(FORMS, encoding="utf-8")
    assert run(["test", str(tmp_path / "forms.sgl")]) == 0
    assert "5 of 5 passed" in capsys.readouterr().out


@pytest.mark.parametrize("place", ["middle", "before"])
def test_a_paradigm_has_one_of_three_places(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "forms.sgl").write_text(FORMS.replace("soft (start)", f"soft ({place})"), encoding="utf-8")
    assert run(["check", str(tmp_path / "forms.sgl")]) != 0
    captured = capsys.readouterr()
    assert "SGL0201" in captured.out + captured.err


def test_a_word_changes_after_others_in_texts_samples_and_readings(tmp_path: Path) -> None:
    (tmp_path / "cy.sgl").write_text(WELSH, encoding="utf-8")
    grammar = compile_file(tmp_path / "cy.sgl").grammar
    parser = Parser(grammar)
    for text in TEXTS:
        (derivation,) = parser.parse(text)
        assert interpret(grammar, derivation).texts[0] == text
    for text in ("I cath", "Am gath", "I gardd", "Cath a afal", "Pen a ben"):
        assert parser.parse(text) == ()


def test_both_checkers_write_the_same_texts() -> None:
    def write(directory: Path) -> Path:
        (directory / "cy.sgl").write_text(WELSH + "  distinct sentences\n", encoding="utf-8")
        return directory / "cy.sgl"

    dataset = compile_grammar(write)
    assert verify(dataset).ok
    assert rows_refused(dataset) == ""
    text = (dataset / "conllu" / "train.conllu").read_text("utf-8")
    assert set(re.findall("# text = (.*)", text)) == TEXTS


def test_what_goes_before_decides_before_what_follows() -> None:
    finish = Finish(forms=(("le", "a…", "l'"),), mutations=(("l…", "x", "r…"),))
    assert join_words(" ", "", finish, ["x", "le", "b", "x", "le", "a"]) == "x re b x re a"


def test_a_change_leaves_something_of_a_word() -> None:
    finish = Finish(mutations=(("g…", "i", "…"),))
    assert [mutated(finish, word, "i") for word in ("g", "gardd", "cath")] == ["g", "ardd", "cath"]
