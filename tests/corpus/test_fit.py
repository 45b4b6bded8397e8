"""Weights from a corpus: counted where readings are certain, expected where they are not."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_grammars import weighted_grammar
from toy import TOY, random_derivations

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import interpret
from sgl.corpus.fit import Fit, Options, Sample, Vector, estimate, expected_uses
from sgl.corpus.rows import SentenceBatches
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.pipeline.expectations import SplitSelection, weighted
from sgl.pipeline.grammar import open_grammar

FARM = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"

#: No pseudo-counts: the weights are what the corpus says.
EXACT = Options(smoothing=0.0)


def sample(core: CoreGrammar, sentences: Mapping[str, int], layer: int = 0) -> Sample:
    """A corpus with so many rows of each sentence."""
    found = Sample()
    read = SentenceBatches(Parser(core, layer), None).read(sentences)
    for sentence, rows in sentences.items():
        assert read[sentence].readings, sentence
        found.add(read[sentence], sentence, rows)
    return found


def uniform(core: CoreGrammar) -> CoreGrammar:
    """The same grammar with equal weights."""
    return weighted(core, [1 / len(core.rules_of[rule.lhs]) for rule in core.rules])


def weights(core: CoreGrammar, fit: Fit) -> dict[str, float]:
    return {rule.name: float(fit.weights[rule.id]) for rule in core.rules}


# ---- one reading: relative frequencies

ONE_READING = weighted_grammar(
    {
        "transitive": ("S -> N V N", 1),
        "intransitive": ("S -> N V", 1),
        "dog": ("N -> dog", 1),
        "cat": ("N -> cat", 2),
        "cow": ("N -> cow", 1),
        "saw": ("V -> saw", 1),
    }
)


def test_where_readings_are_certain_weights_are_relative_frequencies() -> None:
    fit = estimate(ONE_READING, sample(ONE_READING, {"dog saw cat": 3, "dog saw": 1}), EXACT)
    expected = {"transitive": 3 / 4, "intransitive": 1 / 4, "dog": 4 / 7, "cat": 3 / 7, "cow": 0}
    assert weights(ONE_READING, fit) == pytest.approx({**expected, "saw": 1})
    assert (fit.rounds, fit.converged) == (1, True)


def test_the_log_likelihood_is_that_of_a_sentence() -> None:
    fit = estimate(ONE_READING, sample(ONE_READING, {"dog saw cat": 3, "dog saw": 1}), EXACT)
    before = (3 * math.log(1 / 2 * 1 / 4 * 1 / 2) + math.log(1 / 2 * 1 / 4)) / 4
    after = (3 * math.log(3 / 4 * 4 / 7 * 3 / 7) + math.log(1 / 4 * 4 / 7)) / 4
    assert (fit.before, fit.after) == pytest.approx((before, after))
    assert fit.tokens == pytest.approx(11 / 4)


def test_smoothing_adds_a_pseudo_count_to_each_rule() -> None:
    fit = estimate(ONE_READING, sample(ONE_READING, {"dog saw cat": 3, "dog saw": 1}), Options(smoothing=0.5))
    expected = {"transitive": 3.5 / 5, "intransitive": 1.5 / 5}
    words = {"dog": 4.5 / 8.5, "cat": 3.5 / 8.5, "cow": 0.5 / 8.5, "saw": 1}
    assert weights(ONE_READING, fit) == pytest.approx({**expected, **words})


def test_the_declared_prior_shares_pseudo_counts_by_the_declared_weights() -> None:
    fit = estimate(
        ONE_READING, sample(ONE_READING, {"dog saw cat": 3, "dog saw": 1}), Options(smoothing=1.0, prior="declared")
    )
    found = weights(ONE_READING, fit)
    # Three pseudo-counts, of which the declared weights give "cat" a half.
    assert found["cat"] == pytest.approx((3 + 1.5) / 10)
    assert found["cow"] == pytest.approx(0.75 / 10)


def test_a_category_that_the_corpus_does_not_use_keeps_its_weights() -> None:
    core = weighted_grammar(
        {"short": ("S -> A", 1), "long": ("S -> B", 1), "a": ("A -> a", 1), "b": ("B -> b", 3), "c": ("B -> c", 1)}
    )
    fit = estimate(core, sample(core, {"a": 5}), Options(smoothing=0.5))
    assert weights(core, fit)["b"] == 0.75
    assert [bool(seen) for seen in fit.seen] == [True, True, True, False, False]


# ---- several readings: expectation-maximisation

#: A string of n letters has as many readings as there are binary trees with n leaves.
TREES = weighted_grammar({"join": ("X -> X X", 1), "leaf": ("X -> a", 3)})


def test_readings_that_use_the_same_rules_are_counted_whatever_their_number() -> None:
    found = sample(TREES, {"a": 1, "a a a": 1, "a a a a a a a a": 1})
    assert [forest.count for forest, _ in found.ambiguous.values()] == [2, 429]
    fit = estimate(TREES, found, EXACT)
    assert weights(TREES, fit) == pytest.approx({"join": 9 / 21, "leaf": 12 / 21})


#: "x" may be a P or a Q; under these weights it is a P with probability 3/4.
TWO_WAYS = weighted_grammar(
    {
        "p": ("S -> P", 3),
        "q": ("S -> Q", 1),
        "px": ("P -> x", 1),
        "py": ("P -> y", 1),
        "qx": ("Q -> x", 1),
        "qz": ("Q -> z", 1),
    }
)


def test_em_on_a_corpus_that_was_computed_by_hand() -> None:
    """Of four x three are P: five P, of which three are x, and two Q, one x and one z.

    Under the new weights "x" is P with probability (5/7 · 3/5) / (3/7 + 2/7 · 1/2) = 3/4
    again, so that the rounds end there.
    """
    fit = estimate(TWO_WAYS, sample(TWO_WAYS, {"x": 4, "y": 2, "z": 1}), EXACT)
    expected = {"p": 5 / 7, "q": 2 / 7, "px": 3 / 5, "py": 2 / 5, "qx": 1 / 2, "qz": 1 / 2}
    assert weights(TWO_WAYS, fit) == pytest.approx(expected)
    # The estimated probabilities of x, y and z are their shares.
    shares = (4 * math.log(4 / 7) + 2 * math.log(2 / 7) + math.log(1 / 7)) / 7
    assert fit.after == pytest.approx(shares)
    assert fit.converged


#: Japanese does not say whether a dog is "a dog" or "the dog".
JAPANESE = 1
TOY_PARSER = Parser(TOY, JAPANESE)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_expected_uses_are_those_of_all_readings_weighed_one_by_one(seed: int) -> None:
    (derivation,) = random_derivations(TOY, 1, seed)
    forest = TOY_PARSER.forest(interpret(TOY, derivation).texts[JAPANESE])
    assert forest is not None
    readings = list(forest.readings(500))
    if len(readings) < forest.count:
        return
    likelihoods = [math.prod(TOY.rules[rule].weight for rule in reading) for reading in readings]
    expected: Counter[int] = Counter()
    for reading, likelihood in zip(readings, likelihoods, strict=True):
        for rule in reading:
            expected[rule] += likelihood / sum(likelihoods)  # type: ignore[assignment]
    found, uses = expected_uses(forest, [math.log(rule.weight) for rule in TOY.rules])
    assert found == pytest.approx(math.log(sum(likelihoods)))
    assert uses == pytest.approx(dict(expected))


#: Two sorts of pairs, of which one likes the letter a and the other b.
PAIRS = weighted_grammar(
    {
        "like_a": ("S -> P P", 1),
        "like_b": ("S -> Q Q", 1),
        "pa": ("P -> a", 11),
        "pb": ("P -> b", 9),
        "qa": ("Q -> a", 9),
        "qb": ("Q -> b", 11),
    }
)


def test_every_round_makes_the_corpus_more_probable_and_finds_the_two_sorts() -> None:
    """If P is an a with probability r and Q with 1 - r, "a a" and "b b" have together
    r² + (1 - r)² = 10/14, so that r = 1/2 + √(3/28)."""
    found = sample(PAIRS, {"a a": 5, "a b": 2, "b a": 2, "b b": 5})
    trace: list[float] = []
    fit = estimate(PAIRS, found, Options(smoothing=0.0, tolerance=1e-12), progress=lambda _, nats: trace.append(nats))
    assert len(trace) > 10
    assert all(later >= earlier for earlier, later in pairwise(trace))
    assert weights(PAIRS, fit)["like_a"] == pytest.approx(1 / 2)
    assert weights(PAIRS, fit)["pa"] == pytest.approx(1 / 2 + math.sqrt(3 / 28), abs=1e-4)


@pytest.mark.slow
def test_weights_of_a_grammar_are_found_again_in_its_sentences() -> None:
    """A law: what a grammar says can be learnt from what it says, up to chance."""
    derivations = random_derivations(TOY, 6000, seed=11, longest=400)
    found = sample(TOY, Counter(interpret(TOY, d).texts[0] for d in derivations))
    flat = uniform(TOY)
    fit = estimate(flat, found, Options(smoothing=0.0, tolerance=1e-7))
    uses = Counter(rule for derivation in derivations for rule in derivation)
    there = [sum(uses[r.id] for r in rules) for rules in TOY.rules_of]
    for rule in TOY.rules:
        error = math.sqrt(rule.weight * (1 - rule.weight) / there[rule.lhs])
        assert abs(fit.weights[rule.id] - rule.weight) <= 4.5 * error + 1e-9, rule.name


def test_a_sample_without_sentences_says_nothing() -> None:
    with pytest.raises(ValueError, match="no sentence"):
        estimate(ONE_READING, Sample())


# ---- a corpus from a split


@cache
def farm() -> Compiled:
    compiled = open_grammar(FARM, {}, SourceMap(), Diagnostics())
    assert compiled is not None
    return compiled


def drawn(compiled: Compiled, number: int) -> list[tuple[int, ...]]:
    """Texts of the training split, with no noun twice."""
    selection = SplitSelection(compiled, "train")
    declared = np.array([rule.weight for rule in compiled.grammar.rules])
    found = selection.draw(declared, number)
    return [tuple(derivation) for derivation in found if not selection.repeats(derivation)]


def named(compiled: Compiled, values: Vector) -> dict[str, float]:
    """Values of the rules that are not words."""
    return {rule.name: float(values[rule.id]) for rule in compiled.grammar.rules if rule.rhs}


def sample_of(core: CoreGrammar, derivations: Sequence[tuple[int, ...]]) -> Sample:
    return sample(core, Counter(interpret(core, d).texts[0] for d in derivations))


@pytest.mark.slow
def test_what_a_split_leaves_out_is_made_up_for() -> None:
    """No subject of training has a PP, and no noun occurs twice: the grammar is found again.

    Without this the PPs that were held out look as if they were rare.
    """
    compiled = farm()
    derivations = drawn(compiled, 30_000)
    flat = uniform(compiled.grammar)
    elsewhere = replace(compiled, grammar=flat)
    found = sample_of(flat, derivations)
    selection = SplitSelection(elsewhere, "train")
    given_train = estimate(flat, found, Options(smoothing=0.0, tolerance=1e-8), selection=selection)
    plain = estimate(flat, found, EXACT)
    declared = np.array([rule.weight for rule in compiled.grammar.rules])
    assert named(compiled, declared)["modified"] == pytest.approx(0.25)
    assert named(compiled, given_train.weights)["modified"] == pytest.approx(0.25, abs=0.01)
    assert named(compiled, plain.weights)["modified"] < 0.15
    assert np.abs(given_train.weights - declared).max() < 0.015


@pytest.mark.slow
def test_the_estimated_split_uses_rules_as_often_as_the_corpus_does() -> None:
    compiled = farm()
    derivations = drawn(compiled, 10_000)
    selection = SplitSelection(compiled, "train")
    fit = estimate(compiled.grammar, sample_of(compiled.grammar, derivations), selection=selection)
    selection.refresh(fit.weights)
    uses = Counter(rule for derivation in derivations for rule in derivation)
    for rule, expected in enumerate(selection.kept(fit.weights).tolist()):
        assert expected == pytest.approx(uses[rule] / len(derivations), abs=0.03)


def test_a_sentence_with_what_is_held_out_does_not_belong_to_the_split() -> None:
    selection = SplitSelection(farm(), "train")
    parser = Parser(farm().grammar)
    judged = {
        text: selection.admits(forest)
        for text in ("The dog saw a cat near a hen.", "The dog near a hen saw a cat.")
        if (forest := parser.forest(text)) is not None
    }
    assert list(judged.values()) == [True, False]


@pytest.mark.slow
def test_the_mass_of_a_split_is_the_share_of_texts_that_belong_to_it() -> None:
    compiled = farm()
    selection = SplitSelection(compiled, "train")
    derivations = random_derivations(compiled.grammar, 4000, seed=3, longest=400)
    parser = Parser(compiled.grammar)
    kept = [
        d
        for d in derivations
        if (forest := parser.forest(interpret(compiled.grammar, d).texts[0])) is not None
        and selection.admits(forest)
        and not selection.repeats(d)
    ]
    declared = np.array([rule.weight for rule in compiled.grammar.rules])
    selection.refresh(declared)
    mass, uses = selection.left_out(declared)
    assert math.exp(mass) == pytest.approx(len(kept) / len(derivations), abs=0.03)
    left = Counter(rule for d in derivations for rule in d)
    left.subtract(rule for d in kept for rule in d)
    for rule in compiled.grammar.rules:
        assert uses[rule.id] == pytest.approx(left[rule.id] / len(kept), abs=0.12)


def test_a_split_that_is_not_there() -> None:
    with pytest.raises(KeyError):
        SplitSelection(farm(), "validation")
