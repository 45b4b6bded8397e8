"""Drawing: exact, reproducible, distinct, and finite."""

import itertools
import math
import os
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import SMALL, chi_square_p, plan_of, split_of, splits_of, tables_of, upper_gamma
from toy import IN_COMPLEMENT, PP_IN_SUBJECT, TOY, toy_plan

from sgl.automata.proofs.compiler import StructureCompiler
from sgl.automata.weights.split import Transition, split_grammar
from sgl.core.interpret import Derivation, derive_tokens, finish
from sgl.core.plan import Constraint
from sgl.sampling import sample
from sgl.sampling.engine import Tables, candidate_key, derive, joined, number, stream_key, words_of
from sgl.sampling.tables import SCALE, width


def derivations(tables: Tables, count: int, stream: str = "train/in_distribution") -> list[Derivation]:
    """The first candidates of a stream."""
    key = stream_key(tables.seed, stream)
    start = tables.strata[0].start
    return [tuple(derive(tables.states, start, candidate_key(key, index))) for index in range(count)]


WORDY = tables_of(TOY)


# --- reproducible ------------------------------------------------------------------------


def drawn(tables: Tables) -> list[tuple[object, ...]]:
    return [(part.stratum.stream, part.items, part.rejected) for part in sample(tables)]


def test_the_same_seed_draws_the_same_items() -> None:
    plan = plan_of({"train": 50, "gen": 20}, lemmas=("NOUN",), sentences=True)
    assert drawn(tables_of(TOY, plan=plan)) == drawn(tables_of(TOY, plan=plan))


def test_another_seed_draws_others() -> None:
    first, second = (tables_of(TOY, plan=plan_of({"train": 50}, seed=seed)) for seed in (1, 2))
    assert drawn(first) != drawn(second)


@given(st.integers(0, 60), st.integers(0, 60))
@settings(max_examples=25, deadline=None)
def test_fewer_items_are_the_first_of_more(few: int, more: int) -> None:
    few, more = sorted((few, more))
    short, long = (
        next(sample(tables_of(TOY, plan=plan_of({"train": n}, lemmas=("NOUN",), sentences=True)))) for n in (few, more)
    )
    assert long.items[:few] == short.items


def test_a_stream_does_not_depend_on_the_strata_before_it() -> None:
    alone = sample(tables_of(TOY, plan=plan_of({"gen": 20})))
    after = sample(tables_of(TOY, plan=plan_of({"train": 50, "gen": 20})))
    next(after)
    assert next(alone).items == next(after).items


def test_pinned_sentences() -> None:
    tables = tables_of(TOY)
    texts = [
        joined(tables.source, words_of(tables.source, tables.arity, derivation))
        for derivation in derivations(tables, 4)
    ]
    assert texts == ["Emma found the book near Emma.", "Lina found the book.", "A dog slept.", "A dog that ran slept."]


HASH_SEED_SCRIPT = """
from hashlib import sha256
from sampling import splits_of
from toy import TOY, toy_plan
from sgl.sampling import sample, pack, standalone_source
tables = pack(TOY, toy_plan(), splits_of(TOY, toy_plan()))
digest = sha256(repr(list(sample(tables))).encode() + standalone_source(tables, "x").encode())
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_results_do_not_depend_on_hash_randomisation() -> None:
    outputs = set()
    for hash_seed in ("0", "1", "4242"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        outputs.add(
            subprocess.run(
                [sys.executable, "-c", HASH_SEED_SCRIPT], env=environment, capture_output=True, check=True, text=True
            ).stdout
        )
    assert len(outputs) == 1


# --- exact -------------------------------------------------------------------------------


def test_frequencies_are_the_probabilities() -> None:
    # Every derivation of the small grammar is a cell of the test.
    tables = tables_of(SMALL)
    seen = Counter(derivations(tables, 200_000))
    probability = {}
    for derivation in seen:
        probability[derivation] = 1.0
        for rule in derivation:
            probability[derivation] *= SMALL.rules[rule].weight
    assert sum(probability.values()) == pytest.approx(1)
    p = chi_square_p(list(seen.values()), [200_000 * probability[key] for key in seen])
    assert 1e-4 < p < 1 - 1e-4


@pytest.mark.slow
def test_frequencies_in_a_split_are_the_conditional_probabilities() -> None:
    # No PP in the subject, but a complement clause.  The cells are the derivations
    # that another stream finds, if they are frequent enough, and all others together.
    compiler = StructureCompiler(TOY)
    constraint = Constraint(require=((IN_COMPLEMENT,),), exclude=(PP_IN_SUBJECT,))
    split = split_grammar(compiler.language(constraint))
    tables = tables_of(TOY, split)
    probability = {
        derivation: math.prod(TOY.rules[rule].weight for rule in derivation) / split.mass
        for derivation in derivations(tables, 10_000, "cells")
    }
    cells = [key for key, value in probability.items() if 200_000 * value >= 20]
    seen = Counter(derivations(tables, 200_000))
    observed = [seen[key] for key in cells]
    expected = [200_000 * probability[key] for key in cells]
    assert len(cells) > 50
    p = chi_square_p([*observed, 200_000 - sum(observed)], [*expected, 200_000 - sum(expected)])
    assert 1e-4 < p < 1 - 1e-4


def test_several_roots_are_drawn_as_probable_as_they_are() -> None:
    # "Text -> N" only, from two root states that divide the nouns 1 : 3.
    dog, cat = (rule.id for rule in SMALL.rules if rule.name in ("N:dog", "N:cat"))
    split = split_of(
        SMALL,
        roots=((0, 0.25), (1, 0.75)),
        transitions=(
            (Transition(0, 0, (2,), 1.0),),
            (Transition(1, 0, (3,), 1.0),),
            (Transition(2, dog, (), 1.0),),
            (Transition(3, cat, (), 1.0),),
        ),
    )
    seen = Counter(derivations(tables_of(SMALL, split), 20_000))
    assert set(seen) == {(0, dog), (0, cat)}
    p = chi_square_p([seen[0, dog], seen[0, cat]], [5_000, 15_000])
    assert 1e-4 < p < 1 - 1e-4


def test_a_split_keeps_the_proportions_of_the_words_it_leaves() -> None:
    # The tables rely on it: a state of words only takes the weights of the rules.
    for split in splits_of(TOY, toy_plan()).values():
        for transitions in split.transitions_of:
            if not any(transition.children for transition in transitions):
                total = sum(TOY.rules[transition.rule].weight for transition in transitions)
                for transition in transitions:
                    expected = TOY.rules[transition.rule].weight / total
                    assert transition.probability == pytest.approx(expected, rel=1e-12)


@given(st.floats(1e-300, 1.0))
def test_what_is_possible_has_a_positive_width(probability: float) -> None:
    assert width(probability) >= 1
    assert abs(width(probability) - probability * SCALE) <= 1


def test_the_incomplete_gamma_function() -> None:
    # Q(1/2, x) = erfc(sqrt x) and Q(1, x) = exp(-x), on both sides of x = a + 1.
    assert upper_gamma(0.5, 0.5) == pytest.approx(0.31731050786291415)
    assert upper_gamma(1, 5) == pytest.approx(0.006737946999085467)


def derived_by_definition(tables: Tables, key: int) -> list[int]:
    """Expand the leftmost state by the next random number, recursively."""
    draws = itertools.count()

    def expand(state: int) -> list[int]:
        bounds, rules, children = tables.states[state]
        point = number(key, next(draws)) * bounds[-1] >> 64
        choice = next(index for index, bound in enumerate(bounds) if point < bound)
        below = [expand(child) for child in reversed(children[choice])]
        return [rules[choice], *itertools.chain.from_iterable(below)]

    return expand(tables.strata[0].start)


@given(st.integers(0, 2**64 - 1))
def test_a_derivation_is_expanded_from_the_left(key: int) -> None:
    assert derive(WORDY.states, WORDY.strata[0].start, key) == derived_by_definition(WORDY, key)


# --- texts and graphs --------------------------------------------------------------------


@given(st.integers(0, 10**9))
@settings(max_examples=200, deadline=None)
def test_the_packed_texts_are_those_of_the_grammar(index: int) -> None:
    key = candidate_key(stream_key(1, "texts"), index)
    derivation = derive(WORDY.states, WORDY.strata[0].start, key)
    for layer, text in enumerate((WORDY.source, *WORDY.targets)):
        words = words_of(text, WORDY.arity, derivation)
        assert words == derive_tokens(TOY, tuple(derivation), layer)
        assert joined(text, words) == finish(TOY.text_layers[layer], words)
