"""What follows from less writing: words as nodes of structures, conditions on the same line."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import BASE, MAIN, assert_diagnostics, diagnose
from sget import compile_file

SENTENCE = '"The dog saw the cat near the cat."'


@pytest.mark.parametrize(
    ("quoted", "named"),
    [
        ('{ "see" -[nsubj]-> "dog" }', "{ V[lemma=see] -[nsubj]-> N[lemma=dog] }"),
        (
            '{ "see" -[nsubj]-> "dog"; "see" -[punct]-> "." }',
            '{ V[lemma=see] -[nsubj]-> N[lemma=dog]; V -[punct]-> P[lemma="."] }',
        ),
        # No variable is that node, whatever it is called.
        ('{ W_see -[nsubj]-> N; "see" -[obj]-> M }', "{ A -[nsubj]-> N; V[lemma=see] -[obj]-> M }"),
        # The same word is the same node: a cat that is not below itself.
        ('{ "cat" -[nmod]-> "cat" }', "{ N[lemma=cat] -[nmod]-> N }"),
        ('{ "see" -[nsubj]-> "cat" }', "{ V[lemma=see] -[nsubj]-> N[lemma=cat] }"),
    ],
)
def test_a_quoted_word_is_the_node_with_this_lemma(quoted: str, named: str, tmp_path: Path) -> None:
    said = []
    for structure in (quoted, named):
        outcome = diagnose({MAIN: f"{BASE}\ntest {SENTENCE} => syn {structure}\n"}, tmp_path)
        said.append([(d.code, d.message) for d in outcome.found])
    assert said[0] == said[1]


def test_a_word_that_the_grammar_lacks(tmp_path: Path) -> None:
    text = f'test {SENTENCE} => syn {{ "see" -[nsubj]-> "dgo" }}\n'
    outcome = assert_diagnostics(text, [("SGL0808", '"dgo"')], tmp_path)
    assert "did you mean `dog`?" in outcome.rendered()


def test_words_stand_in_patterns_too(tmp_path: Path) -> None:
    text = """
pattern dog_below "dog below a noun"
  forbid { N -[nmod]-> "dog" }
  size 2
"""
    assert_diagnostics(text, [], tmp_path)


CONDITIONS = """
param long = {value}
rule np_a: NP -> "a" N  ~ 2  when long
  ja  N
  syn N -[det]-> "a"(upos=DET)
word N: "cow"  when long
  ja  "牛"
  syn node(upos=NOUN)
test "The dog saw a cow." => ja "犬が牛を見た。"  when long
test reject "The dog saw a cow."  when not long
"""


@pytest.mark.parametrize("value", ["on", "off"])
def test_a_condition_on_the_line_of_a_declaration(value: str, tmp_path: Path) -> None:
    assert_diagnostics(CONDITIONS.format(value=value), [], tmp_path)
    below = CONDITIONS.format(value=value).replace("  when", "\n  when")
    assert_diagnostics(below, [], tmp_path)


SIZES = """
param short = {short}

pattern dog_below "dog below a noun"  when short
  forbid {{ N -[nmod]-> "dog" }}
  size   2

dataset
  from  Text
  train 20
  train 10 when short
  dev   5 when not short
  seed  1
"""


@pytest.mark.parametrize(("short", "sizes"), [("on", {"train": 10, "gen": 2}), ("off", {"train": 20, "dev": 5})])
def test_a_number_with_a_condition_replaces_one_without(short: str, sizes: dict[str, int], tmp_path: Path) -> None:
    path = tmp_path / MAIN
    path.write_text(BASE[: BASE.index("dataset")] + SIZES.format(short=short), "utf-8")
    plan = compile_file(path).plan
    assert {stratum.split: stratum.count for stratum in plan.strata} == sizes
