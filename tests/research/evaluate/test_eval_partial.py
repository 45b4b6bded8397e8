"""Partial Match: what patterns ask for, and which predictions have it."""

from __future__ import annotations

from functools import cache

import pytest
from sget import sget
from vectors import vectors

from sgl.parsing import Parser
from sgl.rendering import outputs
from sgl.research.evaluate.partial import AGENT, OBJECT, RECIPIENT, SUBJECT, Decision, PartialMatch
from sgl.research.evaluate.realization import condensed

ROLES = {"subj": SUBJECT, "obj": OBJECT, "iobj": RECIPIENT, "agent": AGENT}


@cache
def sget_match() -> PartialMatch:
    compiled = sget()
    return PartialMatch(compiled.grammar, compiled.plan.patterns, "en", "ja", "syn")


@cache
def examples() -> tuple[tuple[str, str, str], ...]:
    """Pattern, English and Japanese of the sentences beside the patterns of SGET."""
    compiled = sget()
    parser, japanese = Parser(compiled.grammar), outputs(compiled.grammar)["ja"]
    return tuple(
        (lowered.pattern.name, like.sentence.text, japanese(reading))
        for lowered in compiled.patterns
        for like in lowered.examples
        for reading in parser.parse(like.sentence.text, 1)
        if like.split == "gen"
    )


def judged(pattern: str, en: str, gold: str, prediction: str) -> tuple[bool, Decision]:
    (said,) = sget_match().golds([en], [gold])
    (read,) = sget_match().read([prediction])
    return sget_match().decide(pattern, said, prediction, read)


def test_the_gold_text_of_every_pattern_is_right_when_it_is_judged_as_a_prediction() -> None:
    assert {pattern for pattern, _, _ in examples()} == {p.name for p in sget().plan.patterns}
    for pattern, en, ja in examples():
        assert judged(pattern, en, ja, ja) == (True, Decision.PARSE), en


def test_the_example_of_every_pattern_is_right_by_particles_alone() -> None:
    wrong = [
        (pattern, ja)
        for pattern, en, ja in examples()
        if not sget_match().decide(pattern, sget_match().golds([en], [ja])[0], ja, ())[0]
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("prediction", "right", "why"),
    [
        ("子供がダンサーを見つけた。", True, Decision.PARSE),
        ("少年がダンサーを助けた。", True, Decision.PARSE),
        ("ダンサーが子供を見つけた。", False, Decision.PARSE),
        ("子供が犬を見つけた。", False, Decision.PARSE),
        ("アヴァが子供がダンサーを見つけたと言った。", True, Decision.PARSE),
        ("子供がダンサーを見つけ見つけた。", True, Decision.PARTICLES),
        ("ダンサーが子供を見つけ見つけた。", False, Decision.PARTICLES),
        ("", False, Decision.NOTHING),
        ("  ", False, Decision.NOTHING),
    ],
)
def test_a_word_has_to_be_there_in_its_role(prediction: str, right: bool, why: Decision) -> None:
    found = judged("subject_to_object_common", "A child found a dancer.", "子供がダンサーを見つけた。", prediction)
    assert found == (right, why)


@pytest.mark.parametrize(
    ("prediction", "right"),
    [
        ("箱の中の猫が走った。", True),
        ("猫が眠った。", False),
        ("箱の中の犬が眠った。", False),
        ("子供が箱の中の猫を見つけた。", False),
        ("車の横の猫が眠った。", False),
    ],
)
def test_of_a_modified_phrase_all_words_and_its_role_count(prediction: str, right: bool) -> None:
    gold = "箱の中の猫が眠った。"
    assert judged("pp_in_subject", "A cat in a box slept.", gold, prediction)[0] is right


@pytest.mark.parametrize(
    ("prediction", "right"),
    [
        ("ラジオが犬によって壊された。", True),
        ("ラジオが猫によって壊された。", True),
        ("犬がラジオを壊した。", False),
        ("ラジオが犬によって見つけられた。", False),
    ],
)
def test_of_a_verb_its_voice_counts(prediction: str, right: bool) -> None:
    gold = "ラジオが犬によって壊された。"
    found = judged("active_to_passive", "A radio was destroyed by a dog.", gold, prediction)
    assert found[0] is right


def test_the_width_of_characters_does_not_count() -> None:
    en = "Who slept?"
    gold = "誰が眠ったか？"
    assert judged("wh_active_subject", en, gold, "誰が眠ったか?") == (True, Decision.PARSE)


def test_an_item_that_the_grammar_does_not_derive_is_said_to_be_unknown() -> None:
    found = judged("pp_in_subject", "A cat in a bxo slept.", "猫が眠った。", "猫が眠った。")
    assert found == (False, Decision.UNKNOWN)


def test_roles_by_particles_agree_with_the_vectors() -> None:
    examples_of_roles = vectors("sget_partial_match.json")
    particles = sget_match()._particles  # noqa: SLF001 - the fallback by itself
    assert particles is not None
    for case in examples_of_roles["cases"]:
        role = ROLES[case["role"]]
        found = particles.has_role(case["prediction"], case["target"], role)
        assert found is case["expected"], case["note"]
    for samples in examples_of_roles["gold_samples"].values():
        for sample in samples:
            for role, word in sample["main_roles"].items():
                assert particles.has_role(sample["ja"], word, ROLES[role]), sample["ja"]


def test_words_that_japanese_does_not_tell_apart_are_one_reading() -> None:
    grammar = sget().grammar
    sentence = "子供がダンサーを見つけた。"
    readings = [Parser(g, 1).forest(sentence) for g in (grammar, condensed(grammar, 1))]
    counts = [forest.count for forest in readings if forest is not None]
    assert counts[0] > counts[1] == 1
