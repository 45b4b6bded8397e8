"""Drawing: exact, reproducible, distinct, and finite."""

import itertools
import math
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import chi_square_p, plan_of, split_of, splits_of, upper_gamma, whole
from toy import IN_COMPLEMENT, PP_IN_SUBJECT, TOY, GrammarBuilder, toy_plan

from sgl.automata.compiler import StructureCompiler
from sgl.automata.split import SplitGrammar, split_grammar
from sgl.automata.transitions import Transition
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, derive_tokens, finish, interpret
from sgl.core.plan import Constraint, Plan
from sgl.sample import NotEnoughError, StratumDraw, draw, forecast, pack
from sgl.sample.distinct import FREE_CANDIDATES, WINDOW
from sgl.sample.engine import LONGEST_DERIVATION, Tables, derive, joined, words_of
from sgl.sample.interpreter import Interpreter
from sgl.sample.random import candidate_key, number, stream_key
from sgl.sample.tables import SCALE, width


def tables_of(
    grammar: CoreGrammar, split: SplitGrammar | None = None, plan: Plan | None = None
) -> Tables:
    plan = plan or plan_of({"train": 100})
    split = split or whole(grammar)
    return pack(grammar, plan, {stratum.stream: split for stratum in plan.strata})


def derivations(
    tables: Tables, count: int, stream: str = "train/in_distribution"
) -> list[Derivation]:
    """The first candidates of a stream."""
    key = stream_key(tables.seed, stream)
    start = tables.strata[0].start
    return [
        tuple(derive(tables.states, start, candidate_key(key, index))) for index in range(count)
    ]


def small_grammar() -> CoreGrammar:
    """Finite: 2 + 2 * 3 sentences, of very different probabilities."""
    build = GrammarBuilder()
    for name in ("Text", "N", "V"):
        build.category(name)
    build.rule("bare", "Text -> N", "0", "0", "head=0", 1)
    build.rule("clause", "Text -> N V", "0 1", "0 1", "head=1; 1 -nsubj-> 0", 3)
    build.word("N", "dog", "犬", 9, upos="NOUN")
    build.word("N", "cat", "猫", 1, upos="NOUN")
    build.word("V", "ran", "走った", 5, upos="VERB")
    build.word("V", "slept", "寝た", 4, upos="VERB")
    build.word("V", "sang", "歌った", 1, upos="VERB")
    return build.build("small", "Text")


SMALL = small_grammar()
WORDY = tables_of(TOY)


# --- reproducible ------------------------------------------------------------------------


def drawn(tables: Tables) -> list[tuple[object, ...]]:
    return [(part.stratum.stream, part.items, part.rejected) for part in draw(tables)]


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
        next(draw(tables_of(TOY, plan=plan_of({"train": n}, lemmas=("NOUN",), sentences=True))))
        for n in (few, more)
    )
    assert long.items[:few] == short.items


def test_a_stream_does_not_depend_on_the_strata_before_it() -> None:
    alone = draw(tables_of(TOY, plan=plan_of({"gen": 20})))
    after = draw(tables_of(TOY, plan=plan_of({"train": 50, "gen": 20})))
    next(after)
    assert next(alone).items == next(after).items


def test_pinned_sentences() -> None:
    tables = tables_of(TOY)
    texts = [
        joined(tables.source, words_of(tables.source, tables.arity, derivation))
        for derivation in derivations(tables, 4)
    ]
    assert texts == [
        "Emma found the book near Emma.",
        "Lina found the book.",
        "A dog slept.",
        "A dog that ran slept.",
    ]


HASH_SEED_SCRIPT = """
from hashlib import sha256
from sampling import splits_of
from toy import TOY, toy_plan
from sgl.sample import draw, pack, standalone_source
tables = pack(TOY, toy_plan(), splits_of(TOY, toy_plan()))
digest = sha256(repr(list(draw(tables))).encode() + standalone_source(tables, "x").encode())
print(digest.hexdigest())
"""


def test_results_do_not_depend_on_hash_randomisation() -> None:
    outputs = set()
    for hash_seed in ("0", "1", "4242"):
        environment = os.environ | {
            "PYTHONHASHSEED": hash_seed,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        outputs.add(
            subprocess.run(
                [sys.executable, "-c", HASH_SEED_SCRIPT],
                env=environment,
                capture_output=True,
                check=True,
                text=True,
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


def test_frequencies_in_a_split_are_the_conditional_probabilities() -> None:
    # No PP in the subject, but a complement clause.  The cells are the derivations
    # that another stream finds, if they are frequent enough, and all others together.
    compiler = StructureCompiler(TOY)
    constraint = Constraint(require=((IN_COMPLEMENT,),), exclude=(PP_IN_SUBJECT,))
    split = split_grammar(compiler.index, compiler.language(constraint))
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
            (Transition(0, (2,), 1.0),),
            (Transition(0, (3,), 1.0),),
            (Transition(dog, (), 1.0),),
            (Transition(cat, (), 1.0),),
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
    for layer, text in enumerate((WORDY.source, WORDY.target)):
        words = words_of(text, WORDY.arity, derivation)
        assert words == derive_tokens(TOY, tuple(derivation), layer)
        assert joined(text, words) == finish(TOY.text_layers[layer], words)


INTERPRETER = Interpreter(TOY)


@given(st.integers(0, 10**9))
@settings(max_examples=300, deadline=None)
def test_the_interpreter_is_the_interpretation(index: int) -> None:
    key = candidate_key(stream_key(1, "graphs"), index)
    derivation = tuple(derive(WORDY.states, WORDY.strata[0].start, key))
    assert INTERPRETER(derivation) == interpret(TOY, derivation)


# --- distinct ----------------------------------------------------------------------------


def test_no_sentence_and_no_lemma_twice() -> None:
    plan = plan_of({"train": 150, "test": 50}, lemmas=("NOUN", "PROPN", "VERB"), sentences=True)
    sentences = []
    for part in draw(tables_of(TOY, plan=plan)):
        for found in part.items:
            item = interpret(TOY, found.derivation)
            sentences.append(item.texts[0])
            lemmas = [
                node.get("lemma")
                for node in item.graphs[0].nodes
                if node.get("upos") in plan.distinct_lemmas
            ]
            assert len(set(lemmas)) == len(lemmas)
        assert part.candidates == len(part.items) + sum(part.rejected.values())
        assert part.rejected["repeated_lemma"] > 0
    assert len(set(sentences)) == len(sentences) == 200


def test_a_repeated_stratum_repeats_its_own_sentences_only() -> None:
    # Eight sentences: the first part takes three, the second shares the other five.
    plan = plan_of({"dev": 3, "gen": 40}, sentences=True)
    dev, gen = plan.strata
    plan = replace(plan, strata=(dev, replace(gen, repeated=True)))
    first, second = draw(tables_of(SMALL, plan=plan))
    taken = {found.derivation for found in first.items}
    shared = {found.derivation for found in second.items}
    assert len(taken) == 3
    assert len(second.items) == 40
    assert len(shared) < 40
    assert not taken & shared


def test_only_words_that_training_has_are_used_after_it() -> None:
    plan = plan_of({"train": 4, "gen": 60})
    train, gen = draw(tables_of(TOY, plan=plan))

    def lemmas(part: StratumDraw) -> set[str]:
        graphs = [interpret(TOY, found.derivation).graphs[0] for found in part.items]
        return {node.get("lemma") for graph in graphs for node in graph.nodes}

    assert gen.rejected["unexposed_word"] > 0
    assert lemmas(gen) <= lemmas(train)


def test_without_conditions_nothing_is_rejected() -> None:
    part = next(draw(tables_of(TOY, plan=plan_of({"train": 300}))))
    assert part.candidates == 300
    assert [found.candidate for found in part.items] == list(range(300))


def test_the_forecast_estimates_the_acceptance() -> None:
    plan = plan_of({"train": 300, "none": 0}, lemmas=("NOUN", "PROPN", "VERB"))
    tables = tables_of(TOY, plan=plan)
    (estimate,) = forecast(tables)
    part = next(draw(tables))
    assert estimate.acceptance == pytest.approx(300 / part.candidates, abs=0.1)


def test_progress_is_reported_and_ends_with_everything() -> None:
    reports = []
    plan = plan_of({"train": WINDOW + 1})
    list(draw(tables_of(TOY, plan=plan), lambda *report: reports.append(report)))
    stream = "train/in_distribution"
    assert reports == [(stream, WINDOW, WINDOW + 1), (stream, WINDOW + 1, WINDOW + 1)]


# --- not enough --------------------------------------------------------------------------


def test_a_language_that_is_too_small_is_reported_before_drawing() -> None:
    plan = plan_of({"train": 5, "gen": 9}, sentences=True)
    with pytest.raises(NotEnoughError, match="8 derivations") as caught:
        tables_of(SMALL, plan=plan)
    error = caught.value
    assert (error.stratum, error.wanted, error.found, error.candidates) == (
        "gen/in_distribution",
        9,
        0,
        0,
    )


def test_a_small_language_suffices_when_sentences_may_repeat() -> None:
    plan = plan_of({"train": 1_000})
    assert len(next(draw(tables_of(SMALL, plan=plan))).items) == 1_000


def test_a_whole_finite_language_can_be_drawn() -> None:
    part = next(draw(tables_of(SMALL, plan=plan_of({"train": 8}, sentences=True))))
    assert len({found.derivation for found in part.items}) == 8


def test_an_empty_split_is_reported() -> None:
    empty = split_of(SMALL, roots=(), transitions=())
    with pytest.raises(NotEnoughError, match="0 derivations"):
        tables_of(SMALL, empty, plan_of({"train": 1}))


def test_sentences_that_run_out_stop_the_drawing() -> None:
    # The language is just large enough, but the first stratum takes part of it.
    plan = plan_of({"train": 5, "gen": 8}, sentences=True)
    draws = draw(tables_of(SMALL, plan=plan))
    next(draws)
    with pytest.raises(NotEnoughError, match="repeated_sentence") as caught:
        next(draws)
    error = caught.value
    assert error.stratum == "gen/in_distribution"
    assert error.found == 3
    assert error.rejected["repeated_sentence"] == error.candidates - 3
    assert error.candidates <= FREE_CANDIDATES + 800


def test_a_hopeless_stratum_stops_after_the_first_window() -> None:
    grammar = small_grammar()
    twice = replace(grammar.rules[1], rhs=(1, 1), weight=1.0)
    never = replace(grammar.rules[0], weight=0.0)
    grammar = replace(grammar, rules=(never, twice, *grammar.rules[2:]))
    only_dogs = split_of(
        grammar,
        roots=((0, 1.0),),
        transitions=((Transition(1, (1, 1), 1.0),), (Transition(2, (), 1.0),)),
    )
    plan = plan_of({"train": 1_000}, lemmas=("NOUN",))
    with pytest.raises(NotEnoughError, match="repeated_lemma") as caught:
        next(draw(tables_of(grammar, only_dogs, plan)))
    assert caught.value.candidates == WINDOW


def test_endless_derivations_are_cut_and_counted() -> None:
    # S -> S S with probability 0.6: four in ten derivations never end.
    build = GrammarBuilder()
    build.category("S")
    build.rule("more", "S -> S S", "0 1", "0 1", "head=0; 0 -conj-> 1", 3)
    build.word("S", "yes", "はい", 2, upos="INTJ")
    part = next(draw(tables_of(build.build("endless", "S"), plan=plan_of({"train": 30}))))
    assert part.rejected["too_long"] > 0
    assert all(len(found.derivation) <= LONGEST_DERIVATION for found in part.items)


def test_long_derivations_need_no_recursion() -> None:
    build = GrammarBuilder()
    build.category("S")
    build.rule("more", "S -> S", "0 0", "0", "head=0", 999)
    build.word("S", "so", "そう", 1, upos="INTJ")
    grammar = build.build("deep", "S")
    grammar = replace(
        grammar,
        rules=(
            replace(grammar.rules[0], templates=(grammar.rules[0].templates[1],) * 2),
            grammar.rules[1],
        ),
    )
    longest = max((found.derivation for found in next(draw(tables_of(grammar))).items), key=len)
    assert len(longest) > 2 * sys.getrecursionlimit()
    assert interpret(grammar, longest).texts == ("so", "そう")


# --- shares of targets -------------------------------------------------------------------


def shared(count: int, targets: tuple[str, ...], split: str = "gen") -> Plan:
    """A plan of one stratum that targets share."""
    plan = plan_of({split: count})
    return replace(plan, strata=(replace(plan.strata[0], targets=targets),))


@pytest.mark.parametrize(
    ("count", "expected"), [(6, [2, 2, 2]), (7, [3, 2, 2]), (8, [3, 3, 2]), (2, [1, 1, 0])]
)
def test_targets_have_equal_shares(count: int, expected: list[int]) -> None:
    targets = ("cat", "dog", "book")
    (part,) = draw(tables_of(TOY, plan=shared(count, targets)))
    assert list(part.shares.values()) == expected
    counted = Counter(first_target(targets, found.derivation) for found in part.items)
    assert [counted[target] for target in targets] == expected


def first_target(targets: tuple[str, ...], derivation: tuple[int, ...]) -> str | None:
    """The first target whose lemma the sentence has."""
    (graph,) = interpret(TOY, derivation).graphs
    lemmas = {node.get("lemma") for node in graph.nodes}
    return next((target for target in targets if target in lemmas), None)


def test_candidates_beyond_a_share_are_counted() -> None:
    (part,) = draw(tables_of(TOY, plan=shared(60, ("cat", "dog"))))
    assert part.rejected["share_full"] > 0
    assert part.candidates == 60 + sum(part.rejected.values())


def test_items_of_a_share_are_the_first_that_fit() -> None:
    """Rejection leaves the distribution of each target's items as it is."""
    targets = ("cat", "dog")
    (part,) = draw(tables_of(TOY, plan=shared(20, targets)))
    (plain,) = draw(tables_of(TOY, plan=plan_of({"gen": part.candidates})))
    expected: dict[str, list[tuple[int, ...]]] = {target: [] for target in targets}
    for found in plain.items:
        target = first_target(targets, found.derivation)
        if target is not None and len(expected[target]) < 10:
            expected[target].append(found.derivation)
    assert {
        t: [f.derivation for f in part.items if first_target(targets, f.derivation) == t]
        for t in targets
    } == expected


def test_a_target_that_lacks_items_is_named() -> None:
    with pytest.raises(
        NotEnoughError, match="the target 'unicorn' has 0 of its 10 items"
    ) as caught:
        next(draw(tables_of(TOY, plan=shared(20, ("cat", "unicorn")))))
    assert caught.value.rejected["share_full"] > 0


# --- lemmas that may be repeated ---------------------------------------------------------


def test_a_stratum_may_be_exempt_from_distinct_lemmas() -> None:
    plan = plan_of({"train": 200}, lemmas=("NOUN",))
    (exempt,) = (replace(stratum, repeated_lemmas=True) for stratum in plan.strata)
    (strict,) = draw(tables_of(TOY, plan=plan))
    (free,) = draw(tables_of(TOY, plan=replace(plan, strata=(exempt,))))
    assert strict.rejected["repeated_lemma"] > 0
    assert free.rejected["repeated_lemma"] == 0
    assert free.candidates < strict.candidates
