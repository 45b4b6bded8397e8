"""Parts of training that belong to no pattern: what they contain, and where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import assert_diagnostics
from test_patterns import compiled

from sgl.core.plan import Plan, Stratum
from sgl.pipeline.sentences import place_of_stream, places_of_structure

PATTERN = """
pattern pp_in_subject
  forbid { V -[nsubj]-> N; N -[nmod]-> M }
  need   5 { V -[obj]-> N }
  expose 3 { V[Tense=Pres]; V -[obj]-> N; N -[nmod]-> M }
  size   5
"""
PART = """
part relatives "Sentences with a relative clause"
  only { N -[acl:relcl]-> V }
  size 4 within { V -[nsubj]-> M; M -[acl:relcl]-> W }, 6 outside { V -[nsubj]-> M; M -[*]-> W }
  repeated lemmas
"""
ONLY = "{ N -[acl:relcl]-> V }"


def plan(source: str, directory: Path) -> Plan:
    return compiled(source, directory).plan


def excluded(stratum: Stratum) -> list[str]:
    return [str(structure) for structure in stratum.constraint.exclude]


def test_a_part_is_drawn_with_training(tmp_path: Path) -> None:
    made = plan(PATTERN + PART, tmp_path)
    strata = [s for s in made.strata if s.category == "part:relatives"]
    assert [(s.split, s.stream, s.count) for s in strata] == [
        ("train", "train/part:relatives/0", 4),
        ("train", "train/part:relatives/1", 6),
    ]
    assert all(s.repeated_lemmas for s in strata)
    streams = [s.stream for s in made.strata]
    assert streams.index("train/part:relatives/1") < streams.index("gen/pp_in_subject/0")


def test_its_sentences_contain_what_it_has_for_its_own(tmp_path: Path) -> None:
    first, second = (s for s in plan(PATTERN + PART, tmp_path).strata if s.repeated_lemmas)
    joined = "{ N -[acl:relcl]-> V; V -[nsubj]-> M; M -[acl:relcl]-> W }"
    assert [[str(x) for x in group] for group in first.constraint.require] == [[ONLY], [joined]]
    assert [[str(x) for x in group] for group in second.constraint.require] == [[ONLY]]
    assert "{ N -[acl:relcl]-> V; V -[nsubj]-> M; M -[*]-> W }" in excluded(second)


def test_no_other_stratum_has_it(tmp_path: Path) -> None:
    made = plan(PATTERN + PART, tmp_path)
    for stratum in made.strata:
        assert (ONLY in excluded(stratum)) == (stratum.category != "part:relatives")


def test_it_has_nothing_that_is_held_out_or_reserved(tmp_path: Path) -> None:
    made = plan(PATTERN + PART, tmp_path)
    (pattern,) = made.patterns
    for stratum in made.strata:
        if stratum.repeated_lemmas:
            assert {*pattern.forbid, *pattern.reserved} <= {*stratum.constraint.exclude}


def test_it_may_contain_what_a_pattern_exposes_that_it_allows(tmp_path: Path) -> None:
    made = plan(f"{PATTERN}{PART}  allow pp_in_subject\n", tmp_path)
    (pattern,) = made.patterns
    assert made.parts[0].allow == ("pp_in_subject",)
    for stratum in made.strata:
        if stratum.repeated_lemmas:
            assert {*pattern.forbid} <= {*stratum.constraint.exclude}
            assert not {*pattern.reserved} & {*stratum.constraint.exclude}


def test_a_pattern_that_is_switched_off_may_be_allowed(tmp_path: Path) -> None:
    pattern = f"param p = off\n{PATTERN}  when p\n"
    assert plan(f"{pattern}{PART}  allow pp_in_subject\n", tmp_path).parts[0].allow == ()


def test_two_parts_keep_apart(tmp_path: Path) -> None:
    other = PART.replace("relatives", "nested").replace(ONLY, "{ M -[nmod]-> N; N -[nmod]-> V }")
    first, *_, second = (s for s in plan(PART + other, tmp_path).strata if s.repeated_lemmas)
    assert "{ M -[nmod]-> N; N -[nmod]-> V }" in excluded(first)
    assert ONLY in excluded(second)


@pytest.mark.parametrize(("value", "found"), [("on", 1), ("off", 0)])
@pytest.mark.parametrize("place", ["header", "clause"])
def test_a_parameter_leaves_a_part_out(value: str, found: int, place: str, tmp_path: Path) -> None:
    when = "when concat"
    part = PART.replace('clause"', f'clause" {when}') if place == "header" else f"{PART}  {when}\n"
    made = plan(f"param concat = {value}\n{part}", tmp_path)
    assert len(made.parts) == found
    assert any(s.category.startswith("part:") for s in made.strata) == bool(found)


def test_of_a_part_without_sentences_it_remains_that_no_other_has_its_structures(tmp_path: Path) -> None:
    made = plan(PATTERN + "part none\n  only { N -[acl:relcl]-> V }\n  size 0\n", tmp_path)
    assert not [stratum for stratum in made.strata if stratum.category == "part:none"]
    assert all(ONLY in excluded(stratum) for stratum in made.strata)


def test_its_sentences_count_as_training(tmp_path: Path) -> None:
    """The base grammar has 20 sentences in distribution, the part 10."""
    need = "pattern p\n  forbid { V -[nsubj]-> N; N -[nmod]-> M }\n  size 0\n  need {1} {0}\n"
    for number, expected in ((30, []), (31, [("SGL0821", "need 31 { V -[obj]-> N }")])):
        clauses = need.replace("{0}", "{ V -[obj]-> N }").replace("{1}", str(number))
        outcome = assert_diagnostics
        if expected:
            outcome(PART + clauses, expected, tmp_path)
        else:
            assert compiled(PART + clauses, tmp_path).plan.parts


def test_where_a_part_was_written(tmp_path: Path) -> None:
    made = compiled(PART, tmp_path)
    (part,) = made.plan.parts
    assert part.title == "Sentences with a relative clause"
    source = (tmp_path / "farm.sgl").read_text("utf-8")
    span = place_of_stream(made, "train/part:relatives/1")
    assert source[span.start : span.end].startswith("6 outside")
    (span,) = places_of_structure(made, part.only[0])
    assert source[span.start : span.end] == f"only {ONLY}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("part p\n  size 4\n", [("SGL0827", "p")]),
        (f"part p\n  only {ONLY}\n", [("SGL0827", "p")]),
        (f"part p\n  only {ONLY}\n  size 4 shared\n", [("SGL0825", "4 shared")]),
        (f"part p\n  only {ONLY}\n  size 4\npart p\n  only {ONLY}\n  size 4\n", [("SGL0203", "p")]),
        (f"part p\n  only {ONLY}\n  size 4\n  allow nobody\n", [("SGL0201", "nobody")]),
        # No sentence of the part is left when a pattern holds out the same.
        (f"pattern q\n  forbid {ONLY}\n  size 4\npart p\n  only {ONLY}\n  size 4\n", [("SGL0812", "4")]),
    ],
)
def test_parts_that_cannot_be(source: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    assert_diagnostics(source, expected, tmp_path)
