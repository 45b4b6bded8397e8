"""Numbers of derivations and probabilities of heights, against complete enumeration."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from toy import TOY, all_derivations, toy_plan
from toy_notation import GrammarBuilder, structure

from sgl.automata import StructureCompiler, count_derivations
from sgl.automata.proofs.prove import statistics_of
from sgl.automata.weights.split import count_by_length, height_distribution
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import derive_tokens
from sgl.core.plan import Constraint
from sgl.core.structure import Structure

PP_IN_SUBJECT = structure("{ V -[nsubj]-> N; N -[nmod]-> M }")
NO_ADJECTIVE = structure("{ N -[amod]-> A }")


def stacked(*, empty: bool = False) -> CoreGrammar:
    """``(big|small)* dog``: with 2 ** n derivations of n + 1 words, or an empty rule on top."""
    build = GrammarBuilder()
    for name in ("Text", "N", "Adj"):
        build.category(name)
    build.rule("text", "Text -> N", "0", "0", "head=0")
    build.rule("adjective", "N -> Adj N", "0 1", "0 1", "head=1; 1 -amod-> 0")
    if empty:
        build.rule("again", "N -> N", "0", "0", "head=0")
    build.word("N", "dog", "犬", 2, upos="NOUN")
    build.word("Adj", "big", "大きな", upos="ADJ")
    build.word("Adj", "small", "小さな", upos="ADJ")
    return build.build("stacked", "Text")


def enumerated(grammar: CoreGrammar, longest: int) -> Counter[int]:
    """The number of derivations of each length, all of them written out."""
    rules = grammar.rules
    known: list[set[tuple[int, ...]]] = [set() for _ in grammar.categories]
    growing = True
    while growing:
        growing = False
        for rule in rules:
            for parts in product(*(sorted(known[child]) for child in rule.rhs)):
                derivation = (rule.id, *(step for part in parts for step in part))
                tokens = sum(len(rules[step].templates[0]) - len(rules[step].rhs) for step in derivation)
                if tokens <= longest and derivation not in known[rule.lhs]:
                    known[rule.lhs].add(derivation)
                    growing = True
    return Counter(len(derive_tokens(grammar, d, 0)) for d in known[grammar.start])


def test_stacked_adjectives_are_counted_by_length() -> None:
    split = StructureCompiler(stacked()).split(Constraint())
    assert count_derivations(split) is None
    assert count_by_length(split, 6) == (0, 1, 2, 4, 8, 16, 32)


def test_counts_agree_with_all_derivations_written_out() -> None:
    split = StructureCompiler(TOY).split(Constraint())
    written = enumerated(TOY, 4)
    assert count_by_length(split, 4) == tuple(written[length] for length in range(5))
    assert written.total() > 20


def test_a_constraint_takes_its_derivations_away() -> None:
    split = StructureCompiler(stacked()).split(Constraint(exclude=(NO_ADJECTIVE,)))
    assert count_derivations(split) == 1
    assert count_by_length(split, 3) == (0, 1, 0, 0)


def test_counts_with_and_without_a_structure_add_up() -> None:
    compiler = StructureCompiler(TOY)
    whole, with_it, without = (
        count_by_length(compiler.split(constraint), 9)
        for constraint in (Constraint(), Constraint(require=((PP_IN_SUBJECT,),)), Constraint(exclude=(PP_IN_SUBJECT,)))
    )
    assert whole is not None
    assert with_it is not None
    assert without is not None
    assert tuple(a + b for a, b in zip(with_it, without, strict=True)) == whole
    assert sum(with_it) > 0


def test_one_length_may_have_derivations_without_end() -> None:
    split = StructureCompiler(stacked(empty=True)).split(Constraint())
    assert count_by_length(split, 3) is None


@pytest.mark.parametrize(
    "constraint",
    [
        Constraint(),
        Constraint(exclude=(PP_IN_SUBJECT,)),
        Constraint(require=((structure("{ V -[nsubj]-> N; N -[det]-> D }"),),)),
    ],
    ids=["everything", "excluding", "requiring"],
)
def test_heights_agree_with_all_low_derivations(constraint: Constraint) -> None:
    split = StructureCompiler(TOY).split(constraint)
    heights = height_distribution(split)
    for height in (2, 3, 4):
        low = all_derivations(TOY, height)
        share = sum(p for d, p in low.items() if fits(constraint, d)) / split.mass
        assert sum(heights[: height + 1]) == pytest.approx(share, rel=1e-9)
    assert sum(heights) == pytest.approx(1.0, abs=1e-5)
    assert min(heights) >= 0.0


def fits(constraint: Constraint, derivation: tuple[int, ...]) -> bool:
    def has(wanted: Structure) -> bool:
        return StructureCompiler(TOY).structure_automaton(wanted).accepts(TOY, derivation)

    return all(any(map(has, group)) for group in constraint.require) and not any(map(has, constraint.exclude))


def test_every_stratum_has_figures_after_those_of_the_grammar() -> None:
    plan = toy_plan()
    figures = statistics_of(StructureCompiler(TOY), plan)
    assert [f.stream for f in figures] == ["grammar", *(s.stream for s in plan.strata)]
    grammar, train = figures[0], figures[1]
    assert grammar.mass == pytest.approx(1.0)
    assert train.derivations_by_tokens is not None
    assert grammar.derivations_by_tokens is not None
    assert all(a <= b for a, b in zip(train.derivations_by_tokens, grammar.derivations_by_tokens, strict=True))
    assert 0 < train.height_at(0.5) <= train.height_at(0.99) < len(train.heights)
