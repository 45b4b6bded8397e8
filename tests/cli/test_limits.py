"""Whatever is asked of it, ``sglc`` answers within limits, and says which limit was met."""

from __future__ import annotations

import json

import pytest
from workplace import Workplace

from sgl.cli.main import FAILED, OK, USAGE, run
from sgl.foreign import LIMITS

#: A sentence of n words has as many readings as there are binary trees with n leaves.
BRANCHING = """\
module trees "Trees"
layer en  : text
layer ja  : text (join "")
layer syn : graph on en
category S
rule two: S -> l:S r:S
  ja  l r
  syn r -[x]-> l
word S: "a"  ~ 2
  ja  "あ"
  syn node(upos=X)
dataset
  from S
  train 3
"""
TOO_MANY = "a " * 199 + "a"


@pytest.fixture
def trees(work: Workplace) -> Workplace:
    work.write("trees.sgl", BRANCHING)
    return work


def said(work: Workplace, *arguments: str, status: int = FAILED) -> str:
    assert run([*arguments]) == status
    captured = work.capsys.readouterr()
    return captured.out + captured.err


@pytest.mark.slow
@pytest.mark.parametrize("command", ["parse", "translate"])
def test_a_sentence_that_takes_too_many_steps_is_not_parsed(command: str, trees: Workplace) -> None:
    found = said(trees, command, "trees.sgl", TOO_MANY)
    assert "error[SGL1107]" in found
    assert "not parsed: too long: it takes more than 1,000,000 steps" in found
    assert "--limit steps=NUMBER" in found


@pytest.mark.parametrize(
    ("sentence", "layer", "words"), [("a " * 500 + "a", "en", "501 words"), ("あ" * 501, "ja", "501 characters")]
)
def test_a_sentence_of_too_many_words_is_not_parsed(sentence: str, layer: str, words: str, trees: Workplace) -> None:
    found = said(trees, "parse", "trees.sgl", "--layer", layer, sentence)
    assert "error[SGL1107]" in found
    assert f"not parsed: too long: it has {words}, more than 500" in found


def test_a_limit_can_be_changed(trees: Workplace) -> None:
    assert "5 readings" in said(trees, "parse", "trees.sgl", "a a a a", status=OK)
    assert "more than 3" in said(trees, "parse", "trees.sgl", "a a a a", "--limit", "words=3")
    found = said(trees, "parse", "trees.sgl", "a a a a", "--limit=steps=9", "--limit=words=9")
    assert "it takes more than 9 steps" in found


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("word=3", "there is no limit `word`; there is: "),
        ("words", "not NAME=VALUE"),
        *((f"words={text}", "is not a number from 1") for text in ("0", "-1", "1e3", "²", "9" * 9999)),
    ],
)
def test_a_limit_is_a_number(value: str, words: str, trees: Workplace) -> None:
    assert words in said(trees, "parse", "trees.sgl", "a a a a", "--limit", value, status=USAGE)


def test_every_limit_has_a_name_on_the_command_line(trees: Workplace) -> None:
    every = [f"--limit={name}=1000000" for name in LIMITS]
    assert "5 readings" in said(trees, "parse", "trees.sgl", "a a a a", *every, status=OK)


def test_an_example_of_the_author_is_held_to_the_limits(trees: Workplace) -> None:
    tests = f'test "a a" => ja "ああ"\ntest "{TOO_MANY}" => ja "あ"\n'
    trees.write("trees.sgl", BRANCHING + tests)
    found = said(trees, "check", "trees.sgl", "--format", "concise")
    assert "trees.sgl:16:6: error[SGL1107]: a sentence is not parsed: too long" in found
    assert "trees.sgl:15" not in found


@pytest.mark.slow
def test_long_rows_of_a_corpus_are_counted_and_named(trees: Workplace) -> None:
    rows = ["a\tあ", f"{TOO_MANY}\tあ", "a " * 20_000 + "\tあ", "a a a\tあああ", "b\tあ"]
    trees.write("rows.tsv", "\n".join(rows))
    found = said(trees, "audit", "trees.sgl", "rows.tsv", "--json=a.json")
    assert "error[SGL1104]: 2 rows cannot be read" in found
    assert "rows.tsv:2: not parsed: too long: it takes more than 1,000,000 steps" in found
    assert "rows.tsv:3: not parsed: too long: it has 20,001 words, more than 500" in found
    data = json.loads((trees.directory / "a.json").read_text("utf-8"))
    assert (data["rows"], data["parsed"], data["unreadable"]) == (5, 2, 2)
    assert [row["line"] for row in data["unparsed_rows"]] == [5]

    found = said(trees, "fit", "trees.sgl", "rows.tsv", "--json=f.json")
    assert "rows.tsv:3: not parsed: too long: it has 20,001 words, more than 500" in found
    data = json.loads((trees.directory / "f.json").read_text("utf-8"))
    assert data["rows"] | {"used": 2, "unreadable": 2, "no reading": 1} == data["rows"]


@pytest.mark.parametrize(
    "structure", ["X[#x>=1000000000]", "X -[x]{1,1000000000}-> Y", "repeat 1000000000 X..Y { X -[x]-> Y }"]
)
def test_a_structure_does_not_count_far(structure: str, trees: Workplace) -> None:
    pattern = f"pattern far\n  forbid {{ {structure} }}\n"
    trees.write("trees.sgl", BRANCHING + pattern)
    found = said(trees, "check", "trees.sgl", "--format", "full")
    assert "error[SGL0801]: a structure can count to at most 40" in found
    assert "`--limit counts=1000000000` allows it" in found


def test_a_structure_of_many_matches_is_not_decided(trees: Workplace) -> None:
    edges = "; ".join(f"A{i} -[*]-> B{i}" for i in range(5))
    trees.write("trees.sgl", BRANCHING + f"pattern many\n  forbid {{ {edges} }}\n  size 1\n")
    found = said(trees, "prove", "trees.sgl", "--limit", "matches=1000")
    assert "error[SGL0810]" in found
    assert "`--limit matches=NUMBER` changes the limit of 1,000 steps" in found


def test_a_rule_of_many_children_that_differ_is_not_decided(work: Workplace) -> None:
    """Each child may be of two kinds, and there are more ways to choose than anybody can wait for."""
    children = [f"x{number}" for number in range(100)]
    edges = "; ".join(f"x0 -[x]-> {child}" for child in children[1:])
    wide = f"rule wide: S -> {' '.join(f'{child}:W' for child in children)}\n  ja {' '.join(children)}\n  syn {edges}\n"
    words = "".join(f'word W: "{tag}"\n  ja "い"\n  syn node(upos={tag})\n' for tag in "XY")
    pattern = "pattern p\n  forbid { A[upos=X] -[x]-> B[upos=Y] }\n  size 1\n"
    work.write("wide.sgl", BRANCHING.replace("dataset", f"category W\n{words}{wide}dataset") + pattern)
    assert "SGL0810" in said(work, "check", "wide.sgl", "--limit", "matches=20000")


def test_a_rule_of_many_children_is_refused_and_can_be_allowed(trees: Workplace) -> None:
    names = [f"s{number}" for number in range(1_500)]
    edges = "; ".join(f"s0 -[x]-> {name}" for name in names[1:])
    children = " ".join(f"{name}:S" for name in names)
    rule = f"rule long: S -> {children}  ~ 0.0001\n  ja  {' '.join(names)}\n  syn {edges}\n"
    trees.write("trees.sgl", BRANCHING + rule)
    found = said(trees, "check", "trees.sgl")
    assert "error[SGL0712]: the rule `long` has more than 200 children and words" in found
    # The expansion of features does not go deeper with the number of children.
    assert "SGL0712" not in said(trees, "check", "trees.sgl", "--limit", "children=2000", status=OK)


@pytest.mark.parametrize("row", ["{en: a, %s}", "{en: a, old: {%s}}"])
def test_a_table_has_a_thousand_columns(row: str, trees: Workplace) -> None:
    lexicon = 'lexicon words from "words.yaml"\n  S\n    en  $en\n    ja  $en\n    syn node(upos=X)\n'
    trees.write("trees.sgl", BRANCHING + lexicon)
    trees.write("words.yaml", "- " + row % ", ".join(f"c{number}: x" for number in range(100_000)))
    found = said(trees, "check", "trees.sgl")
    assert "error[SGL0602]: a " in found
    assert "has more than 1,000 columns; `limit columns = NUMBER` allows more" in found


def test_a_drawn_sentence_that_cannot_be_parsed_ends_the_run(trees: Workplace) -> None:
    # Their readings are not known, so nothing can be promised of them.
    found = said(trees, "compile", "trees.sgl", "--limit", "words=1", "--out", "out")
    assert "error[SGL1107]: a sentence is not parsed: too long" in found
    assert "out" not in trees.files()


@pytest.mark.slow
def test_readings_of_which_there_are_too_many_to_write_are_a_power_of_ten(trees: Workplace) -> None:
    found = said(trees, "parse", "trees.sgl", "a " * 107 + "a", status=OK)
    assert "reading 1 of some 10^61, probability" in found


@pytest.mark.parametrize(
    ("options", "most"), [((), 41), (("--limit", "counts=30"), 30), (("--limit", "counts=50"), 41)]
)
def test_a_grammar_sets_its_limits_within_those_of_the_user(
    options: tuple[str, ...], most: int, trees: Workplace
) -> None:
    for number, refused in ((most, False), (most + 1, True)):
        pattern = f"pattern far\n  forbid {{ X[#x>={number}] }}\n"
        trees.write("trees.sgl", "limit counts = 20\nlimit counts = 41\n" + BRANCHING + pattern)
        found = said(trees, "check", "--fast", "trees.sgl", *options, status=FAILED if refused else OK)
        assert (f"a structure can count to at most {most}" in found) == refused
        assert ("`limit counts = 42` allows it" in found) == (refused and not options)


def test_the_limits_of_a_grammar_are_its_own(trees: Workplace) -> None:
    wide = "category W with ja.a, ja.b, ja.c\n"
    trees.write("trees.sgl", "limit parts = 4\n" + BRANCHING)
    trees.write("other.sgl", wide + BRANCHING)
    trees.write("user.sgl", wide + "use trees\n")
    said(trees, "check", "--fast", "trees.sgl", status=OK)
    assert "SGL0321" in said(trees, "check", "--fast", "other.sgl")
    assert "SGL0321" not in said(trees, "check", "--fast", "user.sgl", status=OK)
