"""Parts for agreement are used any number of times; docs/discontinuity.md, *Rules for parts*."""

from __future__ import annotations

from pathlib import Path

import pytest
from row_datasets import compile_grammar, rows_refused
from sget import compile_file

from sgl.cli.main import OK, run
from sgl.core.grammar import CoreGrammar
from sgl.verify import verify

#: Prefixes of a noun's class, on no word, one, or several.
GRAMMAR = """\
layer en   : text (attach ".")
layer sw   : text (attach ".")
layer copy : text (as sw)
layer syn  : graph on en

category Text
category N with sw.subj (agreement), sw.adj (agreement)
category A
category NP with sw.subj (agreement), sw.adj (agreement)

word N: "book"
  sw      "kitabu"
  sw.subj "ki"
  sw.adj  "ki"
  syn node(upos=NOUN)
word N: "child"
  sw      "mtoto"
  sw.subj "a"
  sw.adj  "m"
  syn node(upos=NOUN)
word A: "good"
  sw  "zuri"
  syn node(upos=ADJ)

rule plain: NP -> "the" N
  sw  N
  syn N -[det]-> "the"(upos=DET)

rule described: NP -> "the" A other:A N
  sw  N N.adj+A N.adj+other
  syn N -[det]-> "the"(upos=DET); N -[amod]-> A; N -[amod]-> other

rule falls: Text -> NP "fell" "and" "broke" "."
  sw  NP NP.subj+"lianguka" "na" NP.subj+"livunjika" "."
  syn "fell"(upos=VERB) -[nsubj]-> NP; "fell" -[conj]-> "broke"(upos=VERB); "broke" -[cc]-> "and"(upos=CCONJ);
      "fell" -[punct]-> "."(upos=PUNCT)

rule look: Text -> "look" "the" A NP "."
  sw  "tazama" NP NP.adj+A "."
  syn "look"(upos=VERB) -[obj]-> NP; NP -[amod]-> A; NP -[det]-> "the"(upos=DET); "look" -[punct]-> "."(upos=PUNCT)

test "the good good book fell and broke." => sw "kitabu kizuri kizuri kilianguka na kilivunjika."

dataset
  from  Text
  train 8
  output sw
"""
#: The same without `+`, which no `copy` can have beside it, and what each rule says of the parts without the mark.
APART = GRAMMAR.replace("+", " ").partition("test ")[0] + GRAMMAR[GRAMMAR.index("dataset") :]
WRITTEN_OUT = [
    ("sw  N N.adj A N.adj other", "sw  N N.adj A copy N.adj other\n  sw.adj copy N.adj"),
    ('"na" NP.subj "livunjika" "."', '"na" copy NP.subj "livunjika" "." drop NP.adj'),
    ('NP.adj A "."', 'NP.adj A "." drop NP.subj'),
]


def meaning(grammar: CoreGrammar) -> list[object]:
    return [(rule.lhs, rule.rhs, rule.templates, rule.fragments) for rule in grammar.rules]


def written(place: Path, text: str = GRAMMAR) -> Path:
    (place / "agr.sgl").write_text(text, encoding="utf-8")
    return place / "agr.sgl"


def test_they_mean_what_copy_and_drop_mean(tmp_path: Path) -> None:
    short = compile_file(written(tmp_path, APART)).grammar
    long = APART.replace(" (agreement)", "")
    for old, new in WRITTEN_OUT:
        assert old in long
        long = long.replace(old, new)
    assert meaning(compile_file(written(tmp_path, long)).grammar) == meaning(short)


def test_both_checkers_make_the_same_rows() -> None:
    dataset = compile_grammar(written)
    assert verify(dataset).ok
    assert rows_refused(dataset) == ""


@pytest.mark.parametrize("old", [old for old, _ in WRITTEN_OUT])
def test_without_the_word_each_use_would_be_a_slip(old: str, tmp_path: Path) -> None:
    text = APART.replace(" (agreement)", "")
    for other, changed in WRITTEN_OUT:
        text = text if other == old else text.replace(other, changed)
    with pytest.raises(AssertionError, match=r"SGL030[12]"):
        compile_file(written(tmp_path, text))


#: Two readings of `q c q`, with the same translation and a part that no text has.
LEFT_OUT = """\
layer en  : text
layer sw  : text
layer syn : graph on en
category Text
category C with sw.x%s
rule text: Text -> C "."
  sw  C%s
  syn C -[punct]-> "."(upos=PUNCT)
rule before: C -> "q" C
  sw  C "k"
  syn C -[det]-> "q"(upos=DET)
rule after: C -> C "q"
  sw  C "k"
  syn C -[det]-> "q"(upos=DET)
word C: "c"
  sw   "k"
  sw.x "m"
  syn node(upos=X)
dataset
  from  Text
  train 4
  output sw
"""


@pytest.mark.parametrize("words", [(" (agreement)", ""), ("", " drop C.x")])
def test_a_part_that_is_left_out_gives_readings_no_other_output(
    words: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Its words do not occur in the text, which said nothing about the phrase that has it.
    assert run(["check", str(written(tmp_path, LEFT_OUT % words))]) == OK
    assert "with another output" not in capsys.readouterr().err
