"""Parts of a pattern's items: conditions, parameters, and what is drawn for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import assert_diagnostics
from test_patterns import compiled

from sgl.core.plan import Constraint

SUBJECT = "  forbid { V -[nsubj]-> N; N -[nmod]-> M }\n"
SUBJECT_OR_PP = SUBJECT + "  forbid { P -[nmod]-> N; N -[nmod]-> M }\n"


def constraints(clauses: str, directory: Path, before: str = "") -> list[Constraint]:
    """The constraints on the items of a pattern with these clauses."""
    plan = compiled(f"{before}pattern p\n{clauses}", directory).plan
    return [stratum.constraint for stratum in plan.strata if stratum.split == "gen"]


def required(constraint: Constraint) -> list[list[str]]:
    """What items contain beside the structure of their pattern."""
    return [[str(structure) for structure in group] for group in constraint.require[1:]]


def test_a_condition_is_joined_where_it_shares_a_node(tmp_path: Path) -> None:
    size = "  size 5 within { V -[obj]-> O }, 5 outside { V -[obj]-> O }\n"
    within, outside = constraints(SUBJECT + size, tmp_path)
    joined = "{ V -[nsubj]-> N; N -[nmod]-> M; V -[obj]-> O }"
    assert required(within) == [[joined]]
    assert required(outside) == []
    assert [str(structure) for structure in outside.exclude] == [joined]


def test_a_condition_without_a_shared_name_stands_by_itself(tmp_path: Path) -> None:
    size = "  size 5 within { A -[obj]-> B }, 5 outside { A -[obj]-> B }\n"
    within, outside = constraints(SUBJECT + size, tmp_path)
    assert required(within) == [["{ A -[obj]-> B }"]]
    assert [str(structure) for structure in outside.exclude] == ["{ A -[obj]-> B }"]


def test_several_conditions_hold_together(tmp_path: Path) -> None:
    size = (
        "  size 5 within { A -[obj]-> B } within { N -[det]-> D } "
        "outside { M -[nmod]-> X } outside { A -[acl:relcl]-> B }\n"
    )
    (constraint,) = constraints(SUBJECT + size, tmp_path)
    assert required(constraint) == [["{ A -[obj]-> B }"], ["{ V -[nsubj]-> N; N -[nmod]-> M; N -[det]-> D }"]]
    assert [str(structure) for structure in constraint.exclude] == [
        "{ V -[nsubj]-> N; N -[nmod]-> M; M -[nmod]-> X }",
        "{ A -[acl:relcl]-> B }",
    ]


def test_a_condition_is_joined_to_each_of_several_structures(tmp_path: Path) -> None:
    size = "  size 5 within { N -[det]-> D }, 5 outside { M -[det]-> D }\n"
    within, outside = constraints(SUBJECT_OR_PP + size, tmp_path)
    assert required(within) == [
        ["{ V -[nsubj]-> N; N -[nmod]-> M; N -[det]-> D }", "{ P -[nmod]-> N; N -[nmod]-> M; N -[det]-> D }"]
    ]
    assert len(outside.exclude) == 2


def test_a_name_inside_a_repeat_is_no_name_of_a_node(tmp_path: Path) -> None:
    forbid = "  forbid { repeat 2 N..M { N -[acl:relcl]-> V; V -[nsubj]-> M } }\n"
    (constraint,) = constraints(forbid + "  size 5 within { V -[obj]-> M_1 }\n", tmp_path)
    assert required(constraint) == [["{ V -[obj]-> M_1 }"]]


@pytest.mark.parametrize(("scope", "counts"), [("inner", [5, 7]), ("outer", [5])])
def test_a_part_may_be_left_out(scope: str, counts: list[int], tmp_path: Path) -> None:
    source = f"param scope = {scope}\npattern p\n{SUBJECT}"
    size = "  size 5 within { V -[obj]-> O }, 7 outside { V -[obj]-> O } when scope = inner\n"
    (pattern,) = compiled(source + size, tmp_path).plan.patterns
    assert [quota.extent.count for quota in pattern.quotas] == counts


def test_a_node_that_only_one_structure_has(tmp_path: Path) -> None:
    size = "  size 5 within { P -[obj]-> O } within { M -[nmod]-> P }\n"
    assert_diagnostics(
        f"pattern p\n{SUBJECT_OR_PP}{size}",
        [("SGL0824", "{ P -[obj]-> O }"), ("SGL0824", "{ M -[nmod]-> P }")],
        tmp_path,
    )


def test_a_condition_that_contradicts_its_structure(tmp_path: Path) -> None:
    """No noun has a subject: the two names were not meant for one node."""
    size = "  size 5 within { N -[nsubj]-> V }\n"
    place = "5 within { N -[nsubj]-> V }"
    assert_diagnostics(f"pattern p\n{SUBJECT}{size}", [("SGL0812", place)], tmp_path)


# ---- equal shares

TARGETS = """
pattern p
  targets dog cat
  forbid { V[Tense=Pres] -[nsubj]-> N[@targets] }
"""


def test_each_target_has_a_share_of_the_part_that_says_so(tmp_path: Path) -> None:
    source = TARGETS + "  size 6 shared within { V -[obj]-> O }, 4\n"
    strata = [s for s in compiled(source, tmp_path).plan.strata if s.split == "gen"]
    assert [(s.count, s.extent.targets) for s in strata] == [(6, ("dog", "cat")), (4, ())]


def test_each_target_has_a_share_of_exposures(tmp_path: Path) -> None:
    expose = "  expose 4 shared repeated { V -[obj]-> N[@targets] }\n"
    plan = compiled(TARGETS + expose + "  size 0\n", tmp_path).plan
    (stratum,) = (s for s in plan.strata if s.category == "exposure:p")
    assert (stratum.extent.targets, stratum.extent.repeated) == (("dog", "cat"), True)
    (exposure,) = plan.patterns[0].expose
    assert exposure.extent.targets


NO_TARGET = "expose 2 shared { V -[obj]-> N[not @targets] }"


@pytest.mark.parametrize(
    ("clauses", "place"),
    [
        (f"{TARGETS}  size 1 shared\n", "1 shared"),
        (f"{TARGETS}  gen {{ V[Tense=Pres] -[nsubj]-> N }}\n  size 2 shared\n", "2 shared"),
        (f"{TARGETS}  {NO_TARGET}\n  size 0\n", NO_TARGET),
        (f"pattern p\n{SUBJECT}  size 2 shared\n", "2 shared"),
    ],
)
def test_shares_that_targets_cannot_have(clauses: str, place: str, tmp_path: Path) -> None:
    assert_diagnostics(clauses, [("SGL0825", place)], tmp_path)


def test_a_role_may_still_be_called_target(tmp_path: Path) -> None:
    rule = 'rule np_each: NP -> "each" target:N\n  ja target\n'
    compiled(rule + '  syn target -[det]-> "each"(upos=DET)\n', tmp_path)


def test_so_many_per_target_are_as_many_as_all_targets_share(tmp_path: Path) -> None:
    """`3 per target` of two targets is `6 shared`: the plan does not tell them apart."""
    structure = "repeated { V -[obj]-> N[@targets] }"
    plans = [
        compiled(f"{TARGETS}  expose {expose} {structure}\n  size {size}, 4\n", tmp_path).plan
        for expose, size in (("2 per target", "3 per target"), ("4 shared", "6 shared"))
    ]
    assert plans[0] == plans[1]
    assert [s.count for s in plans[0].strata if s.split == "gen"] == [6, 4]


@pytest.mark.parametrize("size", ["0", "1", "6 shared", "3 per target"])
def test_a_number_without_a_word_behind_it_is_for_all_items(size: str, tmp_path: Path) -> None:
    (stratum, *_) = [s for s in compiled(f"{TARGETS}  size {size}\n", tmp_path).plan.strata if s.split == "gen"]
    assert stratum.extent.targets == (("dog", "cat") if " " in size else ())


def test_so_many_per_target_may_be_too_many_in_all(tmp_path: Path) -> None:
    source = f"{TARGETS}  size 6000000 per target\n"
    assert_diagnostics(source, [("SGL0705", "6000000")], tmp_path)


def test_a_set_of_words_is_about_the_lemma(tmp_path: Path) -> None:
    """`N[@pets]` is short for a test of the lemma; other attributes are named."""
    source = (
        "words pets = dog, cat\nwords tenses = Past, Pres\n"
        """
pattern p
  forbid { V[Tense in @tenses] -[nsubj]-> N[@pets, not @wild] }
  size   4
words wild = cat
"""
    )
    (pattern,) = compiled(source, tmp_path).plan.patterns
    assert str(pattern.forbid[0]) == ("{ V[Tense=Past|Pres] -[nsubj]-> N[lemma=cat|dog, lemma!=cat] }")
