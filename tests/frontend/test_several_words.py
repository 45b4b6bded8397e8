"""Entries of several words, of which one is the node: docs/texts.md, *Words of several words*."""

from __future__ import annotations

from pathlib import Path

import pytest
from row_datasets import compile_grammar, rows_refused
from sget import compile_file

from sgl.cli.main import run
from sgl.core.interpret import interpret
from sgl.frontend.elaborate.columns import marked, unmarked
from sgl.parsing import Parser
from sgl.verify import verify

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
FILES = {name: (EXAMPLES / name).read_text("utf-8") for name in ("staff.sgl", "staff.yaml")}
#: The expressions as rules say them.
BY_RULES = """
rule guard: N[num=sg] -> "security" "guard"
  ja  "警備員"
  syn "guard"(lemma="security guard", upos=NOUN) -[compound]-> "security"(upos=X)
rule guards: N[num=pl] -> "security" "guards"
  ja  "警備員"
  syn "guards"(lemma="security guard", upos=NOUN) -[compound]-> "security"(upos=X)
rule attorney: N[num=sg] -> "attorney" "general"
  ja  "検事"
  syn "attorney"(lemma="attorney general", upos=NOUN) -[amod]-> "general"(upos=X)
rule attorneys: N[num=pl] -> "attorneys" "general"
  ja  "検事"
  syn "attorneys"(lemma="attorney general", upos=NOUN) -[amod]-> "general"(upos=X)
rule near: P -> "next" "to"
  ja  "の隣の"
  syn "next"(lemma="next to", upos=ADP) -[fixed]-> "to"(upos=ADP)
"""


def written(place: Path, **changes: str) -> Path:
    for name, text in FILES.items():
        (place / name).write_text(changes.get(name.partition(".")[2], text), encoding="utf-8")
    return place / "staff.sgl"


def test_the_page_compiles_and_both_checkers_agree() -> None:
    dataset = compile_grammar(written)
    assert verify(dataset).ok
    assert rows_refused(dataset) == ""
    text = (dataset / "conllu" / "train.conllu").read_text("utf-8")
    assert "\tattorneys\tattorney general\tNOUN\t" in text


def test_graphs_and_texts_are_those_of_rules_that_say_each_word(tmp_path: Path) -> None:
    (tmp_path / "short").mkdir()
    (tmp_path / "long").mkdir()
    short = compile_file(written(tmp_path / "short")).grammar
    head, tail = FILES["staff.sgl"].split('word P: "next to"')
    sgl = head + BY_RULES + "rule plain" + tail.partition("rule plain")[2]
    sgl = sgl.replace(" -[$link or nmod]-> words(upos=X)", "")
    table = FILES["staff.yaml"].splitlines()[-1]
    long = compile_file(written(tmp_path / "long", sgl=sgl, yaml=table)).grammar
    for text in ("the attorneys general next to the security guard.", "the security guards next to the nurses."):
        one, other = (interpret(grammar, Parser(grammar).parse(text)[0]) for grammar in (short, long))
        assert (one.texts, one.tokens, one.graphs) == (other.texts, other.tokens, other.graphs)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("security ^guard", ("security ^", "guard", "")),
        ("^attorney general of", ("^", "attorney", " general of")),
        ("^alone", None),
        ("a ^ b", None),
        ("two words", None),
    ],
)
def test_one_of_several_words_is_marked(text: str, own: tuple[str, str, str] | None) -> None:
    assert marked(text) == own
    assert unmarked(text) == (text if own is None else text.replace("^", ""))


def test_a_word_that_is_not_marked_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, yaml=FILES["staff.yaml"].replace("^guard", "guard"))
    assert run(["check", str(path)]) != 0
    captured = capsys.readouterr()
    assert "SGL0609" in captured.out + captured.err
    assert "mark it: `security ^guard`" in captured.out + captured.err


@pytest.mark.parametrize("cell", ["^security ^guard", "security guard^"])
def test_one_word_has_the_mark_before_it(cell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, yaml=FILES["staff.yaml"].replace("security ^guard", cell))
    assert run(["check", str(path)]) != 0
    assert f"`{cell}` does not mark exactly one word" in "".join(capsys.readouterr())
