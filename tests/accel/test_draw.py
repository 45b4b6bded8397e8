"""Candidates in batches, plain and compiled: what the plain functions say one by one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_tables import TableMaker
from sampling import plan_of, sample_strata, splits_of, tables_of
from toy import TOY, toy_plan

from sgl import accel
from sgl.accel import draw
from sgl.accel.draw.program import program_of
from sgl.core.arrays import Column, Derivations
from sgl.core.extent import Extent
from sgl.sampling import NotEnoughError, pack, sample
from sgl.sampling.engine import (
    PackedStratum,
    PackedText,
    State,
    Tables,
    candidate_key,
    derive,
    joined,
    stream_key,
    words_of,
)
from sgl.sampling.screening import (
    ACCEPTED,
    REPEATED_LEMMA,
    SeenSentences,
    hashes_of,
    numbered_lemmas,
    screen,
    seen_sentences,
)
from sgl.sampling.strata import sampler_for

pytestmark = pytest.mark.usefixtures("_either")


@pytest.fixture(params=[False, True], ids=["plain", "compiled"])
def _either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decide what is used, whatever pays."""
    monkeypatch.setattr(accel, "pays", lambda *_: request.param)


ANY_FIXTURE = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

NUMBERS = np.array([0, 1, 2, 3, 17, 10**9, 5, 2**40, *range(100, 160)], np.int64)


def plain(tables: Tables, stratum: PackedStratum, number: int) -> list[int] | None:
    key = stream_key(tables.seed, stratum.stream)
    return derive(tables.states, stratum.start, candidate_key(key, number))


@pytest.mark.parametrize("seed", range(30))
def test_a_batch_has_the_derivations_and_texts_of_its_candidates(seed: int) -> None:
    tables = TableMaker(seed, orderly=seed % 3 > 0).tables()
    sampler = sampler_for(tables)
    for stratum in tables.strata:
        batch = sampler.derive(stratum, NUMBERS)
        expected = [plain(tables, stratum, int(number)) for number in NUMBERS]
        assert batch.too_long.tolist() == [derivation is None for derivation in expected]
        assert list(iter(batch.derivations)) == [tuple(d or ()) for d in expected]
        assert list(batch.sources.texts()) == [
            "" if d is None else joined(tables.source, words_of(tables.source, tables.arity, d)) for d in expected
        ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_strata_are_drawn_as_by_the_plain_sampler(seed: int) -> None:
    tables = TableMaker(seed, orderly=True).tables()
    assert outcome_of(lambda: drawn_in_batches(tables)) == outcome_of(lambda: drawn_plainly(tables))


Outcome = list[tuple[object, ...]]


def drawn_plainly(tables: Tables) -> Outcome:
    return [
        ([found.candidate for found in part.items], part.candidates, part.rejected, part.shares, part.ambiguous)
        for part in sample(tables)
    ]


def drawn_in_batches(tables: Tables) -> Outcome:
    return [
        (part.numbers.tolist(), part.candidates, part.rejected, part.shares, list(part.ambiguous))
        for part in sample_strata(sampler_for(tables))
    ]


def outcome_of(drawing: Callable[[], Outcome]) -> object:
    """What was drawn, or what was said when sentences ran out."""
    try:
        return drawing()
    except NotEnoughError as error:
        return str(error), error.found, error.candidates, error.rejected


#: A state that becomes itself with something behind it, in 1,999 of 2,000 cases.
OFTEN_AGAIN = [1_999, 2_000]

WORD_STATE = State([1, 2], [2, 3], [(), ()])


@pytest.mark.acceptance
@pytest.mark.parametrize(
    ("states", "templates"),
    [
        ([State(OFTEN_AGAIN, [0, 1], [(1,) * 8 + (0,), ()]), WORD_STATE], [(0, *range(1, 9)), ("x",), ("a",), ("b",)]),
        (
            [State(OFTEN_AGAIN, [0, 1], [(1,) * 8 + (0,), ()]), State([1], [2], [()])],
            [(0, *range(1, 9)), ("x",), ("long" * 10,)],
        ),
        ([State(OFTEN_AGAIN, [0, 1], [(0,), ()])], [(0, *["wordwords"] * 200), ("x",)]),
    ],
    ids=["words", "words without choice", "text"],
)
def test_much_may_stand_behind_each_of_many_nested_phrases(
    states: list[State], templates: list[tuple[str | int, ...]]
) -> None:
    arity = [sum(isinstance(item, int) for item in template) for template in templates]
    none: list[tuple[str, ...]] = [()] * len(arity)
    stratum = PackedStratum("train", "iid", "s", Extent(1), 0)
    source = PackedText("en", " ", frozenset(), templates)
    tables = Tables(1, states, [stratum], arity, none, none, source, [], False)
    batch = sampler_for(tables).derive(stratum, np.arange(20, dtype=np.int64))
    expected = [plain(tables, stratum, number) for number in range(20)]
    assert batch.too_long.tolist() == [derivation is None for derivation in expected]
    assert max(len(derivation or ()) for derivation in expected) > 2_000
    assert list(batch.sources.texts()) == [
        "" if d is None else joined(source, words_of(source, arity, d)) for d in expected
    ]


def test_a_word_that_attaches_has_no_separator_to_take_back_behind_a_child_without_words() -> None:
    states = [State([1], [0], [(1,)]), State([1, 2], [1, 2], [(), ()])]
    source = PackedText("en", " ", frozenset("."), [(0, "."), (), ("a",)])
    stratum = PackedStratum("train", "iid", "s", Extent(1), 0)
    none: list[tuple[str, ...]] = [(), (), ()]
    tables = Tables(1, states, [stratum], [1, 0, 0], none, none, source, [], False)
    batch = sampler_for(tables).derive(stratum, np.arange(20, dtype=np.int64))
    written = [("." if plain(tables, stratum, n) == [0, 1] else "a.") for n in range(20)]
    assert list(batch.sources.texts()) == written
    assert set(written) == {".", "a."}


def test_a_table_of_sentences_in_a_file_finds_what_one_in_memory_finds(tmp_path: Path) -> None:
    tables = pack(TOY, toy_plan(), splits_of(TOY, toy_plan()))
    plainly = [part.numbers.tolist() for part in sample_strata(sampler_for(tables))]
    on_disk = sample_strata(sampler_for(tables), memory=0, folder=tmp_path)
    assert [part.numbers.tolist() for part in on_disk] == plainly
    assert not list(tmp_path.iterdir())


class WordJudge:
    """A referee that finds sentences with a word ambiguous."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.counted = 0
        self.found = 0

    def judge(self, _stratum: PackedStratum, sources: Column, _derivations: Derivations) -> dict[int, str]:
        return {n: self.word for n, text in enumerate(sources.texts()) if self.word in text}

    def rejects(self, found: str) -> bool:
        return found == self.word

    def count(self, _stratum: PackedStratum, parsed: int, found: list[str]) -> None:
        self.counted += parsed
        self.found += len(found)


def test_a_referee_rejects_the_sentences_that_it_rejects_one_by_one() -> None:
    tables = tables_of(TOY, plan=plan_of({"train": 300, "gen": 200}, sentences=True))

    def text(stratum: PackedStratum, number: int) -> str:
        derivation = plain(tables, stratum, number) or []
        return joined(tables.source, words_of(tables.source, tables.arity, derivation))

    judge = WordJudge("dog")
    batches = list(sample_strata(sampler_for(tables), judge))
    assert any(part.ambiguous for part in batches)
    assert judge.counted == sum(len(part.numbers) + len(part.ambiguous) for part in batches)
    assert judge.found == sum(len(part.ambiguous) for part in batches)
    # The definition is told which candidates are ambiguous, of all that it looks at.
    filtered = [
        stratum._replace(ambiguous=frozenset(n for n in range(part.candidates) if "dog" in text(stratum, n)))
        for stratum, part in zip(tables.strata, batches, strict=True)
    ]
    plainly = list(sample(tables._replace(strata=filtered)))
    assert [part.numbers.tolist() for part in batches] == [
        [found.candidate for found in part.items] for part in plainly
    ]
    assert [list(part.ambiguous) for part in batches] == [part.ambiguous for part in plainly]


def test_the_program_of_a_grammar_writes_its_texts_while_it_draws() -> None:
    assert program_of(tables_of(TOY, plan=plan_of({"train": 1}))).written


# --- sentences that were seen ------------------------------------------------------------


def nothing_seen() -> SeenSentences:
    return seen_sentences(tables_of(TOY, plan=plan_of({"train": 0})))


@given(st.lists(st.text("a犬", max_size=40), max_size=20))
def test_equal_hashes_are_those_of_equal_texts(texts: list[str]) -> None:
    column = Column.of([*texts, *texts])
    assert np.array_equal(hashes_of(column), draw.hashes_of(column))
    hashes = [tuple(both) for both in hashes_of(column).tolist()]
    assert hashes[: len(texts)] == hashes[len(texts) :]
    assert len(set(hashes)) == len(set(texts))


@given(st.lists(st.text("ab", max_size=6), max_size=60))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_sentence_is_new_once(texts: list[str]) -> None:
    seen = nothing_seen()
    halves = texts[: len(texts) // 2], texts[len(texts) // 2 :]
    before: dict[str, int] = {}
    for stratum, half in enumerate(halves):
        hashes, asked = hashes_of(Column.of(half)), np.ones(len(half), np.bool_)
        earlier = seen.earlier(hashes, asked)
        assert earlier.stratum.tolist() == [before.get(text, -1) for text in half]
        pairs = zip(earlier.candidate.tolist(), half, strict=True)
        assert all(half[other] == text for other, text in pairs if other >= 0)
        fresh = [text not in half[:place] for place, text in enumerate(half)]
        assert (earlier.candidate < 0).tolist() == fresh
        seen.add(hashes, asked, stratum)
        before.update(dict.fromkeys(half, stratum))
        assert len(seen) == len(before)


def test_a_table_grows_with_its_sentences() -> None:
    seen = nothing_seen()
    texts = [str(number) for number in range(20_000)]
    hashes = hashes_of(Column.of(texts))
    for part in range(0, len(texts), 1_000):
        seen.add(hashes[part : part + 1_000], np.ones(1_000, np.bool_), 3)
    assert len(seen) == len(texts)
    assert set(seen.earlier(hashes, np.ones(len(texts), np.bool_)).stratum.tolist()) == {3}


@pytest.mark.parametrize("wanted", [1, 1_999, 2_000, 2_001, 30_000])
def test_the_size_of_batches_does_not_show(wanted: int) -> None:
    tables = tables_of(TOY, plan=plan_of({"train": wanted}))
    (part,) = sample_strata(sampler_for(tables))
    assert part.numbers.tolist() == list(range(wanted))
    assert part.candidates == wanted


@pytest.mark.slow
def test_a_table_made_for_the_number_of_its_sentences_never_grows(tmp_path: Path) -> None:
    texts = [str(number) for number in range(20_000)]
    hashes, every = hashes_of(Column.of(texts)), np.ones(len(texts), np.bool_)
    for memory in (1 << 30, 1 << 17, 1):
        seen = SeenSentences(len(texts), memory, tmp_path)
        seen.add(hashes, every, 5)
        assert len(seen) == len(texts)
        assert set(seen.earlier(hashes, every).stratum.tolist()) == {5}


def test_a_lemma_is_repeated_within_a_candidate_and_not_in_the_next_one() -> None:
    tables = tables_of(TOY, plan=plan_of({"train": 1}))
    own = [(f"lemma {number}",) for number in range(70)]
    lemmas = [*own, ("lemma 0", "lemma 1"), ("twice", "twice")]
    numbers, numbered = numbered_lemmas(tables._replace(lemmas=lemmas, words=lemmas))
    part = Derivations.of([[0, 63], [0, 70], [71], [63, 70]])
    verdicts, targets = np.empty(4, np.uint8), np.empty(4, np.int32)
    exposed, none = np.ones(len(numbers), np.uint8), np.full(len(numbers), -1, np.int32)
    given = numbered, part.rules, part.offsets, np.zeros(4, np.uint8)
    screen(*given, 0, exposed, none, 0, verdicts, targets, none.copy())
    assert verdicts.tolist() == [ACCEPTED, REPEATED_LEMMA, REPEATED_LEMMA, ACCEPTED]
