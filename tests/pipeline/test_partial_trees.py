"""Partial trees: a grammar is cut to exactly the derivations that have them, weights and all."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random

import pytest
from small_grammars import grammar

from sgl.automata import StructureCompiler
from sgl.core.grammar import Category, CoreGrammar, Slot, Token
from sgl.core.plan import Constraint
from sgl.pipeline.samples import Bracket, CategoryTest, PartialTreeError, cut_to_tree, read_category, read_tree

ENGLISH = """
    S = NP VP : 0 1
    NP = D N : 0 1
    NP = D N PP : 0 1 2
    PP = NP : "near" 0
    VP = V : 0
    VP = V NP : 0 1
    D = : "the"
    N = : "dog"
    N = : "cat"
    V = : "saw"
"""

#: A derivation with its parts in the order of the source: a category and words or derivations.
Tree = tuple[str, tuple["Tree | str", ...]]


def trees(core: CoreGrammar, category: int, depth: int) -> Iterator[tuple[float, Tree]]:
    """Every derivation of a category up to a depth, with its weight: by the definition."""
    for rule in core.rules_of[category] if depth else ():
        below = [list(trees(core, child, depth - 1)) for child in rule.rhs]
        for children in product(*below):
            parts = tuple(
                item.text if isinstance(item, Token) else children[item.child][1] for item in rule.templates[0]
            )
            weight = rule.weight * math.prod(found for found, _ in children)
            yield weight, (core.categories[category].name, parts)


def has(tree: Tree | str, part: Bracket | CategoryTest | str) -> bool:
    """Whether a tree is as it is written, read off the tree itself."""
    if part == "_":
        return True
    if isinstance(part, str) or isinstance(tree, str):
        return tree == str(part)
    if isinstance(part, CategoryTest):
        return part.accepts(Category(tree[0]))
    return (
        part.test.accepts(Category(tree[0]))
        and len(tree[1]) == len(part.parts)
        and all(has(*pair) for pair in zip(tree[1], part.parts, strict=True))
    )


def written(tree: Tree | str, random: Random) -> str:
    """A tree with holes at random: ``_``, a category, or a bracket."""
    if random.random() < 0.2:
        return "_"
    if isinstance(tree, str):
        return f'"{tree}"'
    if random.random() < 0.2:
        return tree[0]
    return f"({tree[0]} {' '.join(written(part, random) for part in tree[1])})"


@pytest.mark.parametrize("seed", range(20))
def test_the_grammar_is_cut_to_the_trees_that_are_as_written(seed: int) -> None:
    core, random = grammar(ENGLISH), Random(seed)  # noqa: S311
    rules = tuple(replace(rule, weight=random.choice((0.1, 0.2, 0.4))) for rule in core.rules)
    core = replace(core, rules=rules)
    every = list(trees(core, core.start, 5))
    _, chosen = random.choice(every)
    tree = read_tree(f"(S {' '.join(written(part, random) for part in chosen[1])})")
    cut, starts = cut_to_tree(core, tree)
    found = [pair for start in starts for pair in trees(cut, start, 5)]
    expected = [pair for pair in every if has(pair[1], tree)]
    assert sorted(found) == sorted(expected)
    # No tree is there twice: it would be sampled twice as often.
    assert len({tree for _, tree in found}) == len(found)


def test_sampling_is_that_of_the_grammar_given_the_tree() -> None:
    core = grammar(
        ENGLISH,
        weights={
            "NP = D N : 0 1": 0.75,
            "NP = D N PP : 0 1 2": 0.25,
            "VP = V : 0": 0.5,
            "VP = V NP : 0 1": 0.5,
            'N = : "dog"': 0.5,
            'N = : "cat"': 0.5,
        },
    )
    cut, (start,) = cut_to_tree(core, read_tree("(S NP (VP V _))"))
    split = StructureCompiler(replace(cut, start=start)).split(Constraint())
    # The object and all noun phrases below are free: 1 / (1 - 0.25) of them for each.
    expected = dict.fromkeys((rule.name for rule in core.rules), 0.0)
    for rule, count in zip(cut.rules, split.expected_rules, strict=True):
        expected[rule.name] += count
    assert expected["VP = V NP : 0 1"] == pytest.approx(1.0)
    assert expected["VP = V : 0"] == 0.0
    assert expected["NP = D N PP : 0 1 2"] == pytest.approx(2 * 0.25 / 0.75)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(S NP", "a `(` has no `)`"),
        ("S)", "a `)` has no `(`"),
        ("(S NP VP) (S NP VP)", "one phrase in brackets"),
        ("(the NP)", "begins with its category"),
        ("(S)", "`S` alone is any phrase of it"),
        ("(S ] _)", "has no place in a tree"),
        ("(S NP[case] VP)", "not a category with features"),
        ("(" * 250 + "S", "over 200 brackets"),
    ],
)
def test_what_is_no_tree_is_refused(text: str, said: str) -> None:
    with pytest.raises(PartialTreeError) as refused:
        read_tree(text if "(" * 9 not in text else "(S " * 250 + "_" + ")" * 250)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(S NP NP)", "no rule gives `(S NP NP)`; `S` consists of NP VP"),
        ("(S _ (VP V V))", "`VP` consists of V, V NP"),
        ('(S _ (VP "ran"))', "no rule gives `(VP ran)`"),
        ("(Z _)", "there is no category `Z`"),
    ],
)
def test_a_tree_that_no_phrase_has_is_explained(text: str, said: str) -> None:
    with pytest.raises(PartialTreeError) as refused:
        cut_to_tree(grammar(ENGLISH), read_tree(text))
    assert said in str(refused.value)


def test_features_are_values_of_a_category() -> None:
    test = read_category("NP[case=dat|acc, number=sg]")
    assert str(test) == "NP[case=acc|dat, number=sg]"
    assert test.accepts(Category("NP[case=acc, number=sg, gender=f]"))
    assert not test.accepts(Category("NP[case=nom, number=sg, gender=f]"))
    assert not test.accepts(Category("NP"))


def test_slots_may_be_in_any_order_in_other_layers() -> None:
    core = grammar('S = A B : 1 0\nA = : "a"\nB = : "b"')
    # The order is that of the source, as trees are shown.
    cut, starts = cut_to_tree(core, read_tree("(S B A)"))
    assert [tree for start in starts for _, tree in trees(cut, start, 3)] == [("S", (("B", ("b",)), ("A", ("a",))))]
    assert isinstance(cut.rules[0].templates[0][0], Slot)
