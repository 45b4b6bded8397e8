"""Conditions on samples: nothing twice, shares of targets, and what is too much to ask."""

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sampling import SMALL, plan_of, sample_strata, small_grammar, split_of, tables_of
from toy import TOY, GrammarBuilder

from sgl.automata.weights.split import Transition
from sgl.core.arrays import Column
from sgl.core.interpret import interpret
from sgl.core.plan import Constraint, Plan
from sgl.sampling import NotEnoughError, StratumItems, sample
from sgl.sampling.acceptance import FREE_CANDIDATES, WINDOW
from sgl.sampling.engine import LONGEST_DERIVATION
from sgl.sampling.screening import SeenSentences, hashes_of
from sgl.sampling.strata import sampler_for

# --- distinct ----------------------------------------------------------------------------


def test_no_sentence_and_no_lemma_twice() -> None:
    plan = plan_of({"train": 150, "test": 50}, lemmas=("NOUN", "PROPN", "VERB"), sentences=True)
    sentences = []
    for part in sample(tables_of(TOY, plan=plan)):
        for found in part.items:
            item = interpret(TOY, found.derivation)
            sentences.append(item.texts[0])
            lemmas = [node.get("lemma") for node in item.graphs[0].nodes if node.get("upos") in plan.distinct_lemmas]
            assert len(set(lemmas)) == len(lemmas)
        assert part.candidates == len(part.items) + sum(part.rejected.values())
        assert part.rejected["repeated_lemma"] > 0
    assert len(set(sentences)) == len(sentences) == 200


def test_a_repeated_stratum_repeats_its_own_sentences_only() -> None:
    # Eight sentences: the first part takes three, the second shares the other five.
    plan = plan_of({"dev": 3, "gen": 40}, sentences=True)
    dev, gen = plan.strata
    plan = replace(plan, strata=(dev, replace(gen, extent=replace(gen.extent, repeated=True))))
    first, second = sample(tables_of(SMALL, plan=plan))
    taken = {found.derivation for found in first.items}
    shared = {found.derivation for found in second.items}
    assert len(taken) == 3
    assert len(second.items) == 40
    assert len(shared) < 40
    assert not taken & shared


def test_only_words_that_training_has_are_used_after_it() -> None:
    plan = plan_of({"train": 4, "gen": 60})
    train, gen = sample(tables_of(TOY, plan=plan))

    def lemmas(part: StratumItems) -> set[str]:
        graphs = [interpret(TOY, found.derivation).graphs[0] for found in part.items]
        return {node.get("lemma") for graph in graphs for node in graph.nodes}

    assert gen.rejected["unexposed_word"] > 0
    assert lemmas(gen) <= lemmas(train)


def test_without_conditions_nothing_is_rejected() -> None:
    part = next(sample(tables_of(TOY, plan=plan_of({"train": 300}))))
    assert part.candidates == 300
    assert [found.candidate for found in part.items] == list(range(300))


def test_progress_is_reported_and_ends_with_everything() -> None:
    reports = []
    plan = plan_of({"train": WINDOW + 1})
    sampler = sampler_for(tables_of(TOY, plan=plan))
    list(sample_strata(sampler, progress=lambda *report: reports.append(report)))
    stream = "train/in_distribution"
    assert reports == [(stream, WINDOW, WINDOW + 1), (stream, WINDOW + 1, WINDOW + 1)]


def test_sentences_are_remembered_on_disk_only_if_there_are_too_many_for_the_memory(tmp_path: Path) -> None:
    hashes, every = hashes_of(Column.of([str(number) for number in range(5_000)])), np.ones(5_000, np.bool_)
    nowhere = tmp_path / "no such folder"
    seen = SeenSentences(folder=nowhere)
    seen.add(hashes, every, 0)
    assert len(seen) == 5_000
    with pytest.raises(FileNotFoundError):
        SeenSentences(memory=1, folder=nowhere)
    full = SeenSentences(memory=1, folder=tmp_path)
    full.add(hashes, every, 0)
    assert len(full) == 5_000


# --- not enough --------------------------------------------------------------------------


def test_a_language_that_is_too_small_is_reported_before_drawing() -> None:
    plan = plan_of({"gen": 9}, sentences=True)
    with pytest.raises(NotEnoughError, match=r"8 derivations in all$") as caught:
        tables_of(SMALL, plan=plan)
    error = caught.value
    assert (error.stratum, error.wanted, error.found, error.candidates) == ("gen/in_distribution", 9, 0, 0)


def test_what_is_used_before_is_counted_before_drawing() -> None:
    plan = plan_of({"train": 5, "gen": 4}, sentences=True)
    with pytest.raises(NotEnoughError, match="8 derivations in all, 5 used before") as caught:
        tables_of(SMALL, plan=plan)
    assert caught.value.stratum == "gen/in_distribution"
    tables_of(SMALL, plan=plan_of({"train": 5, "gen": 3}, sentences=True))


def of_its_own(plan: Plan) -> Plan:
    """The last part has conditions of its own, so that what is left for it is known only when it is drawn."""
    *first, last = plan.strata
    return replace(plan, strata=(*first, replace(last, constraint=Constraint(require=((),)))))


def test_a_small_language_suffices_when_sentences_may_repeat() -> None:
    plan = plan_of({"train": 1_000})
    assert len(next(sample(tables_of(SMALL, plan=plan))).items) == 1_000


def test_a_whole_finite_language_can_be_drawn() -> None:
    part = next(sample(tables_of(SMALL, plan=plan_of({"train": 8}, sentences=True))))
    assert len({found.derivation for found in part.items}) == 8


def test_an_empty_split_is_reported() -> None:
    empty = split_of(SMALL, roots=(), transitions=())
    with pytest.raises(NotEnoughError, match="0 derivations"):
        tables_of(SMALL, empty, plan_of({"train": 1}))


def test_sentences_that_run_out_stop_the_drawing() -> None:
    # The language is just large enough, but the first stratum takes part of it.
    plan = of_its_own(plan_of({"train": 5, "gen": 8}, sentences=True))
    draws = sample(tables_of(SMALL, plan=plan))
    next(draws)
    with pytest.raises(NotEnoughError, match="repeated sentence") as caught:
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
        grammar, roots=((0, 1.0),), transitions=((Transition(0, 1, (1, 1), 1.0),), (Transition(1, 2, (), 1.0),))
    )
    plan = plan_of({"train": 1_000}, lemmas=("NOUN",))
    with pytest.raises(NotEnoughError, match="repeated lemma") as caught:
        next(sample(tables_of(grammar, only_dogs, plan)))
    assert caught.value.candidates == WINDOW


def test_of_all_that_there_is_something_must_be_left() -> None:
    """Training takes all eight sentences, so dev has none: neither sampler calls that a sample."""
    plan = plan_of({"train": 8, "dev": 8}, sentences=True)
    tables = tables_of(
        SMALL, plan=replace(plan, strata=tuple(replace(s, extent=replace(s.extent, every=True)) for s in plan.strata))
    )
    for drawing in (sample(tables), sample_strata(sampler_for(tables))):
        next(drawing)
        with pytest.raises(NotEnoughError, match="all 8 derivations of this part of the data were rejected"):
            next(drawing)


def test_what_there_is_is_counted_when_drawing_gives_up() -> None:
    """Training has five of the eight sentences, so gen can have three, however it is drawn."""
    plan = of_its_own(plan_of({"train": 5, "gen": 8}, sentences=True))
    drawing = sample_strata(sampler_for(tables_of(SMALL, plan=plan)))
    next(drawing)
    with pytest.raises(NotEnoughError) as caught:
        next(drawing)
    assert (caught.value.derivations, caught.value.possible) == (8, 3)
    assert caught.value.excluded["repeated_sentence"] == 5


def test_endless_derivations_are_cut_and_counted() -> None:
    # S -> S S with probability 0.6: four in ten derivations never end.
    build = GrammarBuilder()
    build.category("S")
    build.rule("more", "S -> S S", "0 1", "0 1", "head=0; 0 -conj-> 1", 3)
    build.word("S", "yes", "はい", 2, upos="INTJ")
    part = next(sample(tables_of(build.build("endless", "S"), plan=plan_of({"train": 30}))))
    assert part.rejected["too_long"] > 0
    assert all(len(found.derivation) <= LONGEST_DERIVATION for found in part.items)


def test_long_derivations_need_no_recursion() -> None:
    build = GrammarBuilder()
    build.category("S")
    build.rule("more", "S -> S", "0 0", "0", "head=0", 999)
    build.word("S", "so", "そう", 1, upos="INTJ")
    grammar = build.build("deep", "S")
    grammar = replace(
        grammar, rules=(replace(grammar.rules[0], templates=(grammar.rules[0].templates[1],) * 2), grammar.rules[1])
    )
    longest = max((found.derivation for found in next(sample(tables_of(grammar))).items), key=len)
    assert len(longest) > 2 * sys.getrecursionlimit()
    assert interpret(grammar, longest).texts == ("so", "そう")


# --- shares of targets -------------------------------------------------------------------


def shared(count: int, targets: tuple[str, ...], split: str = "gen") -> Plan:
    """A plan of one stratum that targets share."""
    plan = plan_of({split: count})
    return replace(plan, strata=(replace(plan.strata[0], extent=replace(plan.strata[0].extent, targets=targets)),))


@pytest.mark.parametrize(("count", "expected"), [(6, [2, 2, 2]), (7, [3, 2, 2]), (8, [3, 3, 2]), (2, [1, 1, 0])])
def test_targets_have_equal_shares(count: int, expected: list[int]) -> None:
    targets = ("cat", "dog", "book")
    (part,) = sample(tables_of(TOY, plan=shared(count, targets)))
    assert list(part.shares.values()) == expected
    counted = Counter(first_target(targets, found.derivation) for found in part.items)
    assert [counted[target] for target in targets] == expected


def first_target(targets: tuple[str, ...], derivation: tuple[int, ...]) -> str | None:
    """The first target whose lemma the sentence has."""
    (graph,) = interpret(TOY, derivation).graphs
    lemmas = {node.get("lemma") for node in graph.nodes}
    return next((target for target in targets if target in lemmas), None)


def test_candidates_beyond_a_share_are_counted() -> None:
    (part,) = sample(tables_of(TOY, plan=shared(60, ("cat", "dog"))))
    assert part.rejected["share_full"] > 0
    assert part.candidates == 60 + sum(part.rejected.values())


def test_items_of_a_share_are_the_first_that_fit() -> None:
    """Rejection leaves the distribution of each target's items as it is."""
    targets = ("cat", "dog")
    (part,) = sample(tables_of(TOY, plan=shared(20, targets)))
    (plain,) = sample(tables_of(TOY, plan=plan_of({"gen": part.candidates})))
    expected: dict[str, list[tuple[int, ...]]] = {target: [] for target in targets}
    for found in plain.items:
        target = first_target(targets, found.derivation)
        if target is not None and len(expected[target]) < 10:
            expected[target].append(found.derivation)
    assert {
        t: [f.derivation for f in part.items if first_target(targets, f.derivation) == t] for t in targets
    } == expected


def test_a_target_that_lacks_items_is_named() -> None:
    with pytest.raises(NotEnoughError, match="the target 'unicorn' has 0 of its 10 items") as caught:
        next(sample(tables_of(TOY, plan=shared(20, ("cat", "unicorn")))))
    assert caught.value.rejected["share_full"] > 0


# --- lemmas that may be repeated ---------------------------------------------------------


def test_a_stratum_may_be_exempt_from_distinct_lemmas() -> None:
    plan = plan_of({"train": 200}, lemmas=("NOUN",))
    (exempt,) = (replace(stratum, repeated_lemmas=True) for stratum in plan.strata)
    (strict,) = sample(tables_of(TOY, plan=plan))
    (free,) = sample(tables_of(TOY, plan=replace(plan, strata=(exempt,))))
    assert strict.rejected["repeated_lemma"] > 0
    assert free.rejected["repeated_lemma"] == 0
    assert free.candidates < strict.candidates
