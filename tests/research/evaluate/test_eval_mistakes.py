"""Kinds of mistakes of texts: the tables of `mistakes.md`, and what stands around them."""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

import pytest
from sget import compile_file
from test_eval_partial import sget_match
from workplace import Workplace

from sgl.cli.main import OK, run
from sgl.research.evaluate.benchmark import BenchmarkRow
from sgl.research.evaluate.edits import aligned, without_repetitions
from sgl.research.evaluate.meanings import Mistake, kinds_of
from sgl.research.evaluate.mistakes import KnownAnswers, TextMistakes, no_answer
from sgl.research.evaluate.partial import PartialMatch

PAGE = (Path(__file__).parent / "mistakes.md").read_text("utf-8")


def cases() -> list[tuple[str, str, str, str, str]]:
    """Return the language, the source, the right output, a prediction and its kinds, for each row of the page."""
    found, language, item = [], "", ("", "")
    for line in PAGE.splitlines():
        if line.startswith("## "):
            language = line[3:]
        elif line.startswith("### "):
            source, _, target = line[4:].partition(" → ")
            item = source, target
        elif (cells := re.fullmatch(r"\| ([^-|]+?) \| ([a-z; ]+) \| .+ \|", line)) and cells[1] != "prediction":
            found.append((language, *item, cells[1].replace("(nothing)", " "), cells[2]))
    return found


@cache
def farm_match() -> PartialMatch:
    compiled = compile_file(Path(__file__).parents[3] / "docs" / "examples" / "farm.sgl")
    return PartialMatch(compiled.grammar, compiled.plan.patterns, "ja", "en", "syn")


def kinds(match: PartialMatch, source: str, target: str, prediction: str, *, derived: bool = True) -> str:
    row = BenchmarkRow("r-1", source, target, "p")
    mistakes = TextMistakes(match.vocabulary, KnownAnswers([row]))
    (gold,), (read,) = match.golds([source], [target]), match.read([prediction])
    assert gold is not None or not derived, target
    draft = mistakes.draft(target, prediction, read=bool(read))
    (again,) = match.read([draft.text])
    found = no_answer(row, prediction) or mistakes.of(target, gold, prediction, again if draft.text else read, draft)
    return "; ".join(kind.value for kind in kinds_of(found))


def test_the_page_has_every_kind_that_a_text_can_have() -> None:
    met = {kind for *_, own in cases() for kind in own.split("; ")}
    # These are of logical forms, or need another item.
    assert {kind.value for kind in Mistake} - met == {"other item", "not a form", "question", "definiteness"}


@pytest.mark.parametrize(("language", "source", "target", "prediction", "said"), cases())
def test_a_mistake_has_its_kinds(language: str, source: str, target: str, prediction: str, said: str) -> None:
    assert kinds(sget_match() if language == "Japanese" else farm_match(), source, target, prediction) == said


@pytest.mark.parametrize(
    ("prediction", "said"), [("犬が眠ったた。", "repetition"), ("犬が寝た。", "word"), ("犬を眠った。", "particle")]
)
def test_without_a_reading_of_the_gold_text_words_are_compared(prediction: str, said: str) -> None:
    assert kinds(sget_match(), "No source.", "犬が眠った。", prediction, derived=False) == said


ROWS = [
    ("A dog near the goat chased a horse.", "ヤギの近くの犬が馬を追いかけた。"),
    ("A cow near the hen saw a cat.", "鶏の近くの牛が猫を見た。"),
    ("A cow near the hen saw a dog.", "鶏の近くの牛が犬を見た。"),
    ("The cat near a dog saw the hen.", "犬の近くの猫が鶏を見た。"),
]


def test_a_file_has_what_is_wrong_with_each_item(work: Workplace) -> None:
    work.write("rows.tsv", "".join(f"{source}\t{target}\tpp_in_subject\n" for source, target in ROWS))
    # The answer to another item, a word, nothing, and a word and a particle.
    said = [ROWS[1][1], ROWS[2][1], ROWS[2][1], "犬の近くの牛が鶏に見た。"]
    work.write("said.txt", "".join(f"{text}\n" for text in said))
    grammar = str(Path(__file__).parents[3] / "docs" / "examples" / "farm.sgl")
    options = ["--grammar", grammar, "--language", "ja", "--samples", "100", "--mistakes", "items.csv"]
    assert run(["eval", "rows.tsv", "said.txt", *options]) == OK
    with (work.directory / "items.csv").open(encoding="utf-8", newline="") as table:
        rows = [*csv.DictReader(table)]
    assert [row["kinds"] for row in rows] == ["other item", "word", "", "word; particle"]
    assert [row["right"] for row in rows] == ["0", "0", "1", "0"]
    # An item that differs in one word is no other answer, although it is the answer to another item.
    assert rows[1]["evidence"] == "word: 猫 → 犬"
    assert rows[0]["evidence"] == "other item:  → rows-000002"
    assert {"particle: を → に", "word: 猫 → 牛"} == set(rows[3]["evidence"].split("; "))
    assert [row["source"] for row in rows] == [source for source, _ in ROWS]


def cost(old: str, new: str) -> int:
    return 0 if old == new else 25


@pytest.mark.parametrize(
    ("gold", "said", "pairs", "end"),
    [
        ("a b c", "a x c", "aa bx cc", None),
        ("a b c", "a c", "aa b- cc", None),
        ("a c", "a b c", "aa -b cc", None),
        ("a b c d e", "a b", "aa bb", 2),
        ("a b c d e", "x b", "ax bb", 2),
        ("a big c d e", "a bi", "aa", 1),
    ],
)
def test_words_are_aligned(gold: str, said: str, pairs: str, end: int | None) -> None:
    one, other = gold.split(), said.split()
    found = aligned(one, other, cost)
    assert found is not None
    shown = [("-" if a is None else one[a]) + ("-" if b is None else other[b]) for a, b in found.pairs]
    assert " ".join(shown) == pairs
    assert found.end == end


def test_of_two_equal_words_the_first_or_the_last_is_left() -> None:
    for late, places in (
        (True, [(0, None), (1, None), (2, 0), (3, 1)]),
        (False, [(0, 0), (1, None), (2, None), (3, 1)]),
    ):
        found = aligned(["a", "b", "a", "c"], ["a", "c"], cost, late=late)
        assert found is not None
        assert found.pairs == places


def test_repetitions_are_those_that_the_gold_text_has_not() -> None:
    assert without_repetitions(["a", "b", "a", "b", "a", "b", "c"], ["a", "b", "c"]) == (
        ["a", "b", "c"],
        ["a b", "a b"],
    )
    assert without_repetitions(["a", "a", "b"], ["a", "a", "c"]) == (["a", "a", "b"], [])


def test_texts_that_are_too_long_are_not_compared_word_by_word() -> None:
    assert aligned(["a"] * 400, ["b"] * 400, cost) is None
