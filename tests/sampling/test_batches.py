"""Sampling in batches is what the definition does one candidate after the other, also where a run was interrupted."""

from __future__ import annotations

import zlib
from base64 import b64decode
from collections import Counter
from dataclasses import replace
from functools import cache
from hashlib import sha256

import numpy as np
import pytest
from sampling import plan_of, sample_strata, splits_of
from toy import PP_IN_OBJECT, PP_IN_SUBJECT, TOY, toy_plan
from toy_notation import structure

from definition import contains
from sgl.automata.proofs.compiler import StructureCompiler
from sgl.core.interpret import Derivation, derive_graph, interpret
from sgl.core.plan import Constraint, Plan, Stratum
from sgl.sampling import pack, sample
from sgl.sampling.engine import ROUND, Instances, Tables, words_of
from sgl.sampling.strata import Sampler, StrataSampler, StratumSample
from sgl.sampling.tables import serialize

#: Instances are a PP in the object or an adjective, each in three sentences; then the same once more, and another part.
ADJECTIVE = structure("{ N -[amod]-> A }")
CONTEXTS = Stratum(
    "gen", "pp", "gen/pp", 30, Constraint(require=((PP_IN_OBJECT, ADJECTIVE),), exclude=(PP_IN_SUBJECT,)), contexts=3
)


def with_shares() -> Plan:
    """Training, and items with equal shares of two words, of words that training has."""
    plan = plan_of({"train": 60, "gen": 40}, lemmas=("NOUN",), sentences=True)
    train, gen = plan.strata
    return replace(plan, strata=(train, replace(gen, targets=("dog", "cat"))))


def with_contexts() -> Plan:
    plan = plan_of({"gen": 40}, sentences=True)
    again = replace(CONTEXTS, stream="gen/again", contexts=2)
    return replace(plan, strata=(CONTEXTS, again, *plan.strata))


@cache
def tables_of(name: str) -> Tables:
    plan = {"toy": toy_plan, "shares": with_shares, "contexts": with_contexts}[name]()
    compiler = StructureCompiler(TOY)
    return pack(TOY, plan, {stratum.stream: compiler.drawn(stratum) for stratum in plan.strata})


PLANS = ("toy", "shares", "contexts")


def said(found: StratumSample) -> tuple[object, ...]:
    return found.numbers.tolist(), found.candidates, found.rejected, found.shares


def in_batches(tables: Tables) -> list[tuple[object, ...]]:
    return [said(found) for found in sample_strata(Sampler(tables))]


@pytest.mark.parametrize("name", PLANS)
def test_batches_draw_what_the_definition_draws(name: str) -> None:
    tables = tables_of(name)
    expected = [([i.candidate for i in p.items], p.candidates, p.rejected, p.shares) for p in sample(tables)]
    assert in_batches(tables) == expected


@pytest.mark.parametrize("name", PLANS)
def test_a_run_that_goes_on_where_another_stopped_draws_the_same(name: str) -> None:
    """Sentences that are there already are not drawn again, and words that training has are exposed."""
    tables = tables_of(name)
    whole = list(sample_strata(Sampler(tables)))
    for stop in range(1, len(whole)):
        resumed = StrataSampler(Sampler(tables))
        for number in range(stop):
            resumed.restore(number, whole[number])
        assert said(resumed.stratum(stop)) == said(whole[stop])


def test_items_have_equal_shares_of_their_targets() -> None:
    _, gen = sample_strata(Sampler(tables_of("shares")))
    assert gen.shares == {"dog": 20, "cat": 20}


def test_the_last_marked_target_of_a_sentence_is_that_of_the_first_in_the_plan() -> None:
    """A sentence with both words counts for the one that the plan names first."""
    tables = tables_of("shares")
    sampler, stratum = Sampler(tables), tables.strata[1]
    numbers = np.arange(200, dtype=np.int64)
    survey = sampler.survey(stratum, numbers, np.ones(sampler.lemmas, np.uint8))
    lemmas = [{w for rule in d for w in tables.words[rule]} for d in survey.batch.derivations]
    expected = [0 if "dog" in own else 1 if "cat" in own else -1 for own in lemmas]
    judged = [(found, wanted) for found, wanted in zip(survey.targets.tolist(), expected, strict=True) if found >= 0]
    assert len(judged) > 50
    assert all(found == wanted for found, wanted in judged)


# --- instances in contexts ----------------------------------------------------------------------


def phrases(derivation: Derivation) -> list[Derivation]:
    """Every phrase of a derivation, smaller ones before those that they are in."""
    found: list[Derivation] = []
    waiting: list[tuple[int, int]] = []
    for place in range(len(derivation) - 1, -1, -1):
        below = [waiting.pop() for _ in TOY.rules[derivation[place]].rhs]
        waiting.append((place, below[-1][1] if below else place + 1))
        found.append(derivation[place : waiting[-1][1]])
    return found


def instance(derivation: Derivation) -> str:
    """The words of the smallest phrase with the structure, by the definition of structures."""
    graphs = {phrase: derive_graph(TOY, phrase, 0) for phrase in phrases(derivation)}
    having = [own for own, graph in graphs.items() if contains(graph, PP_IN_OBJECT) or contains(graph, ADJECTIVE)]
    smallest = [own for own in having if not any(own != other and other in phrases(own) for other in having)]
    assert len({tuple(own) for own in smallest}) == 1
    tables = tables_of("contexts")
    return " ".join(words_of(tables.source, tables.arity, smallest[0]))


def test_each_instance_is_in_as_many_sentences_as_were_asked_for() -> None:
    for stratum, part in zip(tables_of("contexts").strata, sample(tables_of("contexts")), strict=True):
        if stratum.contexts:
            derivations = [item.derivation for item in part.items]
            assert Counter(map(instance, derivations)) == part.shares
            assert set(part.shares.values()) == {stratum.contexts}
            texts = {interpret(TOY, derivation).texts[0] for derivation in derivations}
            assert len(texts) == len(derivations) == stratum.wanted


def test_candidates_of_a_round_share_the_instance_of_the_first() -> None:
    tables = tables_of("contexts")
    size, found = ROUND * 3, Instances(tables, tables.strata[0])
    rounds = [[found.candidate(number) for number in range(n * size, (n + 1) * size)] for n in range(30)]
    full = [own for own in rounds if own[0][0] is not None]
    assert len(full) > 10
    for own in full:
        words = {told for rules, told in own if rules is not None}
        assert words == {own[0][1]}
        for rules, told in own:
            assert rules is None or instance(tuple(rules)) == told
    alone = Instances(tables, tables.strata[0])
    assert [alone.candidate(n) for n in (7, 3, 100)] == [rounds[n // size][n % size] for n in (7, 3, 100)]


def test_pinned_instances() -> None:
    """A seed gives the same items in every version."""
    first, second, *_ = sample(tables_of("contexts"))
    texts = [interpret(TOY, item.derivation).texts[0] for item in (*first.items, *second.items)]
    assert [item.candidate for item in first.items][:9] == [6, 7, 8, 12, 13, 14, 18, 19, 20]
    assert texts[3:6] == ["A big cat found the dog.", "The big cat slept.", "The book that slept found the big cat."]
    assert sha256("\n".join(texts).encode()).hexdigest()[:12] == "9fb1cca4f946"


# --- tables -------------------------------------------------------------------------------------


def test_tables_are_text_in_which_words_are_as_they_are_spelt() -> None:
    text = zlib.decompress(b64decode(serialize(tables_of("toy")))).decode()
    assert '"見つけた"' in text
    assert "\\u" not in text


def test_equal_splits_and_equal_words_are_packed_once() -> None:
    plan = toy_plan()
    both = pack(TOY, plan, splits_of(TOY, plan))
    dev, test = (next(s for s in both.strata if s.split == split) for split in ("dev", "test"))
    assert dev.start == test.start
    leaves = [tuple(rules) for _, rules, children in both.states if not any(children)]
    assert len(leaves) == len(set(leaves))
