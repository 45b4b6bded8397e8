"""Kinds of mistakes: reference, prediction, kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from sget import compile_file
from test_eval_partial import sget_match

from sgl.research.evaluate.mistakes import mistake_of
from sgl.research.evaluate.partial import PartialMatch


def kind(match: PartialMatch, source: str, reference: str, prediction: str) -> str:
    (gold,), (read,) = match.golds([source], [reference]), match.read([prediction])
    assert gold is not None, reference
    return mistake_of(reference, gold, prediction, read, match.edges, match.lemmas).value


#: An item, and its predictions with their kinds.  E.1 to E.6 are those of the paper's appendix.
TRANSLATIONS = {
    ("Liam cooked the chicken.", "リアムが鶏を料理した。"): [
        ("リリーが鶏を料理した。", "confusion"),  # E.1: a name with the same first letter
        ("オリビアが鶏を料理した。", "confusion"),
        ("少年が鶏を料理した。", "words"),  # of another kind
        ("リリーが猫を料理した。", "words"),
        ("リアムが鶏を料理する。", "form"),
        ("鶏がリアムを料理した。", "roles"),
        ("リアムが料理した。", "span missing"),
        ("リアムが鶏。", "span missing"),
        ("リアムがリア鶏を料理した。", "span added"),
        ("リアムが鳥鶏を料理した、", "not a sentence"),
        ("犬", "not a sentence"),
        (" ", "empty"),
    ],
    ("Sophia was recognized by Liam.", "ソフィアがリアムによって気づかれた。"): [
        ("ソフィアがリアムによって育てられた。", "confusion"),  # E.2: the passive of another verb
        ("ソフィアがリアムによって育てた。", "span replaced"),
    ],
    ("A friend in the house was given the book.", "家の中の友達が本をあげられた。"): [
        ("友達が本をあげられた。", "phrase"),  # E.4: without the modifier
        ("友達が家の中の本をあげられた。", "roles"),  # E.4: the modifier is that of the object
        ("本をあげられた。", "span missing"),
    ],
    (
        "The child handed the box beside a table beside a tree beside a house to the teacher.",
        "子供が家の横の木の横のテーブルの横の箱を教師に渡した。",
    ): [
        ("子供が家の横の木の横の箱を教師に渡した。", "recursion"),  # E.5
        ("子供が家の横のテーブルの横の箱を教師に渡した。", "recursion"),
        ("子供が木の横のテーブルの横の箱を教師に渡した。", "recursion"),  # the last level
        ("子供が箱を教師に渡した。", "phrase"),  # all levels
        ("教師が家の横の木の横の箱を子供に渡した。", "missing"),  # a level, and roles
        ("子供が家の横の木の横のテーブルの横の横の箱を教師に渡した。", "span added"),
    ],
    ("Noah said that Ava said that a cat slept.", "ノアがアヴァが猫が眠ったと言ったと言った。"): [
        ("ノアが猫が眠ったと言った。", "recursion"),
        ("アヴァが猫が眠ったと言った。", "recursion"),  # the outermost level
        ("猫が眠った。", "missing"),
    ],
    ("Emma liked the dog that the cat that the horse saw found.", "エマが馬が見た猫が見つけた犬が好きだった。"): [
        ("エマが馬が見た犬が好きだった。", "recursion")
    ],
    ("Liam held the rare light red shirt.", "リアムが珍しい軽い赤いシャツを持った。"): [
        ("リアムが珍しい赤いシャツを持った。", "recursion"),
        ("リアムがシャツを持った。", "missing"),
    ],
    ("What was seen?", "何が見られたか？"): [
        ("何が何を見られたか？", "span added"),  # E.6
        ("何が見られ見たか？", "span replaced"),
    ],
}


def rows(items: Mapping[tuple[str, str], Sequence[tuple[str, str]]]) -> list[tuple[str, str, str, str]]:
    return [(*item, *case) for item, cases in items.items() for case in cases]


@pytest.mark.parametrize(("source", "reference", "prediction", "said"), rows(TRANSLATIONS))
def test_a_mistake_of_a_translation_has_a_kind(source: str, reference: str, prediction: str, said: str) -> None:
    assert kind(sget_match(), source, reference, prediction) == said


#: The same of another grammar, whose target has spaces.
ENGLISH = {
    ("犬が鶏の近くのヤギの近くの猫を見た。", "A dog saw a cat near a goat near a hen."): [
        ("A dog saw a cat near a goat.", "recursion"),
        ("A dog saw a cat near a hen.", "recursion"),
        ("A dog saw a cat.", "phrase"),
        ("A dog saw a horse near a goat near a hen.", "confusion"),
        ("The dog saw a cat near a goat near a hen.", "confusion"),
        ("A dog saw a goat near a cat near a hen.", "roles"),
        ("A dog saw a cat near near a goat near a hen.", "span added"),
        ("A dog saw a cat a goat near a hen.", "span missing"),
        ("A dog was a cat near a goat near a hen.", "span replaced"),
        ("A doog saw a cat nier a goat near a hen.", "not a sentence"),
    ]
}


@pytest.mark.parametrize(("source", "reference", "prediction", "said"), rows(ENGLISH))
def test_kinds_are_those_of_any_grammar(source: str, reference: str, prediction: str, said: str) -> None:
    compiled = compile_file(Path(__file__).parents[3] / "docs" / "examples" / "farm.sgl")
    match = PartialMatch(compiled.grammar, compiled.plan.patterns, "ja", "en", "syn")
    assert kind(match, source, reference, prediction) == said


def test_without_a_reading_of_the_gold_text_words_are_compared() -> None:
    match = sget_match()
    for prediction, said in (("犬が眠ったた。", "span added"), ("犬が寝た。", "span replaced")):
        (read,) = match.read([prediction])
        assert mistake_of("犬が眠った。", None, prediction, read, match.edges, match.lemmas).value == said
