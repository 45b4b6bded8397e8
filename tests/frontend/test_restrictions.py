"""Selectional restrictions: which words may stand together, in every split."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import BASE, MAIN, diagnose
from test_patterns import compiled

from sgl.core.plan import Plan
from sgl.pipeline.sentences import places_of_structure

WORDS = """
word N: "milk"
  ja  "牛乳"
  syn node(upos=NOUN)

word V[form=past]: "drank"
  ja  "飲んだ"
  syn node(lemma=drink, upos=VERB, Tense=Past)

word V[form=past]: "sipped"
  ja  "すすった"
  syn node(lemma=sip, upos=VERB, Tense=Past)

words animals = dog, cat
relation takes from "takes.yaml"
"""
RESTRICT = "restrict { V[upos=VERB] -[obj|~obj]-> N[upos=NOUN] } to takes(V, N)\n"
PATTERN = """
pattern pp_in_subject
  forbid { V -[nsubj]-> N; N -[nmod]-> M }
  need   { V[lemma=drink] -[obj]-> N }
  expose 3 { V[Tense=Pres]; V -[obj]-> N; N -[nmod]-> M }
  size   5
"""
TABLE = "drink: [milk]\nsee: {of: [animals]}\nsip: [milk]\n"


def plan(source: str, directory: Path, table: str = TABLE) -> Plan:
    (directory / "takes.yaml").write_text(table, encoding="utf-8")
    return compiled(WORDS + source, directory).plan


def places(source: str, directory: Path, table: str = TABLE) -> list[tuple[str, str]]:
    """What is reported, and where."""
    files = {MAIN: f"{BASE}\n{WORDS}{source}", "takes.yaml": table}
    return diagnose(files, directory).places()


def test_words_with_equal_rows_make_one_structure(tmp_path: Path) -> None:
    assert [str(structure) for structure in plan(RESTRICT, tmp_path).nowhere] == [
        "{ V[upos=VERB, lemma=drink|sip] -[obj|~obj]-> N[upos=NOUN, lemma!=milk] }",
        "{ V[upos=VERB, lemma=see] -[obj|~obj]-> N[upos=NOUN, lemma!=cat|dog] }",
    ]


def test_a_word_without_a_row_goes_with_any(tmp_path: Path) -> None:
    made = plan(RESTRICT, tmp_path, "drink: [milk]\nsip: {of: [animals]}\n")
    assert not any("see" in str(structure) for structure in made.nowhere)


def test_no_stratum_has_what_is_ruled_out(tmp_path: Path) -> None:
    made = plan(RESTRICT + PATTERN, tmp_path)
    assert {stratum.category for stratum in made.strata} == {
        "in_distribution",
        "exposure:pp_in_subject",
        "pp_in_subject",
    }
    assert all({*made.nowhere} <= {*stratum.constraint.exclude} for stratum in made.strata)


@pytest.mark.parametrize(("value", "number"), [("on", 2), ("off", 0)])
def test_a_parameter_switches_a_restriction(value: str, number: int, tmp_path: Path) -> None:
    source = f"param selection = {value}\n{RESTRICT.strip()} when selection\n"
    source += "restrict { V -[nsubj]-> N } to takes(V, N)\n  when not selection\n"
    nowhere = [str(structure) for structure in plan(source, tmp_path).nowhere]
    assert sum("obj" in text and "nsubj" not in text for text in nowhere) == number
    assert len(nowhere) == 2


def test_a_restriction_may_name_its_structure(tmp_path: Path) -> None:
    named = "structure object { V -[obj]-> N } without { N -[nmod]-> M }\n"
    first, _ = plan(f"{named}restrict object to takes(V, N)\n", tmp_path).nowhere
    assert str(first) == ("{ V[lemma=drink|sip] -[obj]-> N[lemma!=milk] } without { N -[nmod]-> M }")


def test_where_a_restriction_was_written(tmp_path: Path) -> None:
    (tmp_path / "takes.yaml").write_text(TABLE, encoding="utf-8")
    made = compiled(WORDS + RESTRICT, tmp_path)
    (span,) = places_of_structure(made, made.plan.nowhere[1])
    assert (tmp_path / MAIN).read_text("utf-8")[span.start : span.end] == RESTRICT.strip()


def test_an_example_that_a_restriction_rules_out(tmp_path: Path) -> None:
    like = 'train example "The dog drank the cat."'
    found = places(f"{RESTRICT}{PATTERN}  {like}\n", tmp_path)
    assert found == [("SGL0817", '"The dog drank the cat."')]
    assert places(f"{RESTRICT}{PATTERN}  {like.replace('the cat', 'the milk')}\n", tmp_path) == []


def test_items_that_a_restriction_rules_out_are_shown_with_it(tmp_path: Path) -> None:
    forbid = "  forbid { V[lemma=drink] -[obj]-> N[lemma=dog] }\n"
    found = places(f"{RESTRICT}pattern p\n{forbid}  size 5\n", tmp_path)
    assert found == [("SGL0812", forbid.strip())]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("", ("SGL0610", '"takes.yaml"')),
        ("see: []\n", ("SGL0614", "see: []")),
        ("see:\n", ("SGL0614", "see:")),
        ("see: dog\n", ("SGL0602", "see: dog")),
        ("- see: [dog]\n", ("SGL0602", "- see: [dog]")),
        ("see: [[dog]]\n", ("SGL0602", "see: [[dog]]")),
        ("see: {kind: [animals]}\n", ("SGL0602", "see: {kind: [animals]}")),
        ("see: {of: [animals], or: [dog]}\n", ("SGL0602", "see: {of: [animals], or: [dog]}")),
        ("see: [dog\n", ("SGL0601", "")),
        ("see: &x [dog]\ndrink: *x\n", ("SGL0602", "drink: *x")),
        ("see: [dog]\nsaw: [dog]\n", ("SGL0808", "saw: [dog]")),
        ("see:\n  - dog\n  - dogs\n", ("SGL0808", "- dogs")),
        ("see: {of: [animal]}\n", ("SGL0201", "see: {of: [animal]}")),
        ("see: [dog]\nsip: [milk]\nsee: [cat]\n", ("SGL0203", "see: [cat]")),
    ],
)
def test_tables_that_cannot_be(table: str, expected: tuple[str, str], tmp_path: Path) -> None:
    found = places(RESTRICT, tmp_path, table)
    assert [place for place in found if place[0] != "SGL0204"] == [expected]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("restrict { V -[obj]-> N } to takes(V, O)\n", [("SGL0828", "O")]),
        ("restrict { V -[obj]-> N } to takes(V, V)\n", [("SGL0828", "V")]),
        ("restrict { V } without { V -[obj]-> N } to takes(V, N)\n", [("SGL0828", "N")]),
        ("restrict { V -[obj]-> N } to take(V, N)\n", [("SGL0201", "take")]),
        ("restrict { V -[object]-> N } to takes(V, N)\n", [("SGL0807", "object")]),
        ("restrict thing to takes(V, N)\n", [("SGL0201", "thing")]),
        ("restrict { V -[obj]-> N } to takes(V)\n", [("SGL0101", ")")]),
    ],
)
def test_restrictions_that_cannot_be(source: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    assert places(source + RESTRICT, tmp_path) == expected


def test_a_relation_that_nothing_uses(tmp_path: Path) -> None:
    assert places("", tmp_path) == [("SGL0204", "animals"), ("SGL0204", "takes")]


def test_a_table_outside_the_project(tmp_path: Path) -> None:
    relation = 'relation others from "../others.yaml"\n'
    found = places(relation + RESTRICT, tmp_path)
    assert [code for code, _ in found] == ["SGL0005"]
