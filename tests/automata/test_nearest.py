"""Minimal pairs: the nearest derivation of a split, held against all there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import pytest
from sget import compile_file, sget

from sgl.automata import SplitGrammar, StructureCompiler
from sgl.automata.weights.nearest import NearestFinder
from sgl.cli.main import USAGE, run
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import IN_DISTRIBUTION, Constraint, content_lemmas
from sgl.frontend import Compiled
from sgl.sampling import pack, sample

# Noun phrases with a modifier before or after the noun, in subject and object.
GRAMMAR = """
layer en  : text
layer syn : graph on en

category Text
category NP
category Noun
category PP

rule acts: Text -> subj:NP "saw" obj:NP                                      ~ 3
  syn "saw"(upos=VERB) -[nsubj]-> subj; "saw" -[obj]-> obj

rule sleeps: Text -> subj:NP "slept"
  syn "slept"(upos=VERB) -[nsubj]-> subj

rule plain: NP -> "the" Noun                                                 ~ 3
  syn Noun -[det]-> "the"(upos=DET)

rule modified: NP -> "the" Noun PP
  syn Noun -[det]-> "the"(upos=DET); Noun -[nmod]-> PP

rule coloured: NP -> "the" "red" Noun PP
  syn Noun -[det]-> "the"(upos=DET); Noun -[amod]-> "red"(upos=ADJ); Noun -[nmod]-> PP

rule near: PP -> "near" NP
  syn NP -[case]-> "near"(upos=ADP)

word Noun: "cat"  ~ 3
  syn node(upos=NOUN)
word Noun: "dog"
  syn node(upos=NOUN)
word Noun: "hen"
  syn node(upos=NOUN)

pattern pp_in_subject
  forbid { V -[nsubj]-> N; N -[nmod]-> M }
  size 10

pattern hen_object
  targets hen
  forbid { V -[obj]-> N[@targets] }
  size 10

pattern pp_deep
  forbid { N -[nmod]{2}-> M }
  allow pp_in_subject hen_object
  size 10

dataset
  from Text
  train 10
  distinct lemmas NOUN
"""

#: Lists of six nouns and six adjectives; training has them in another order.
LISTS = """
layer en  : text
layer syn : graph on en

category Text
category N
category A

rule held_out: Text -> "see" {nouns} {adjectives}
  syn {edges}

rule known: Text -> "see" "a" {adjectives} {nouns}
  syn {edges}; "see" -[det]-> "a"(upos=DET)

{words}

pattern nouns_first
  forbid {{ V[upos=VERB] }} without {{ V -[det]-> D }}
  size 10

dataset
  from Text
  train 10
"""


class Tree(NamedTuple):
    """A derivation as a tree."""

    rule: int
    children: tuple[Tree, ...]

    @property
    def size(self) -> int:
        return 1 + sum(child.size for child in self.children)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    path = tmp_path_factory.mktemp("toy") / "toy.sgl"
    path.write_text(GRAMMAR, encoding="utf-8")
    return compile_file(path)


def training(compiled: Compiled) -> SplitGrammar:
    (stratum,) = (s for s in compiled.plan.strata if (s.split, s.category) == ("train", IN_DISTRIBUTION))
    return StructureCompiler(compiled.grammar).split(stratum.constraint)


def finder_of(compiled: Compiled) -> NearestFinder:
    return NearestFinder(training(compiled), content_lemmas(compiled.grammar, compiled.plan))


def tree_of(compiled: Compiled, derivation: Derivation) -> Tree:
    stack: list[Tree] = []
    for rule in reversed(derivation):
        children = tuple(stack.pop() for _ in compiled.grammar.rules[rule].rhs)
        stack.append(Tree(rule, children))
    return stack.pop()


def derivations(split: SplitGrammar, largest: int) -> list[Tree]:
    """All derivations of a split with so many rules at most."""

    @cache
    def of(state: int, size: int) -> tuple[Tree, ...]:
        return tuple(
            Tree(transition.rule, children)
            for transition in split.transitions_of[state]
            for children in sequences(transition.children, size - 1)
        )

    def sequences(states: tuple[int, ...], size: int) -> Iterator[tuple[Tree, ...]]:
        if not states:
            if size == 0:
                yield ()
            return
        for first in range(1, size - len(states) + 2):
            for tree, rest in product(of(states[0], first), sequences(states[1:], size - first)):
                yield (tree, *rest)

    return [tree for state, _ in split.roots for size in range(1, largest + 1) for tree in of(state, size)]


# ---- the definition: the largest set of shared rules at corresponding places


def places(tree: Tree, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], int]]:
    """The rules of a tree by their paths from its root."""
    yield path, tree.rule
    for number, child in enumerate(tree.children):
        yield from places(child, (*path, number))


def distance(first: Tree, second: Tree) -> int:
    """The number of rules that are not shared."""
    pairs = [(a, b) for a, rule in places(first) for b, other in places(second) if rule == other]
    for size in range(len(pairs), -1, -1):
        if any(correspond(chosen) for chosen in combinations(pairs, size)):
            return first.size + second.size - 2 * size
    raise AssertionError


Pair = tuple[tuple[int, ...], tuple[int, ...]]


def correspond(pairs: tuple[Pair, ...]) -> bool:
    """Whether shared rules lie in one another, and apart, in both trees alike."""
    return all(fit(p, q) for p, q in combinations(pairs, 2)) and all(
        below(meeting(p[0], q[0]), r[0]) == below(meeting(p[1], q[1]), r[1])
        for p, q in combinations(pairs, 2)
        for r in pairs
    )


def fit(p: Pair, q: Pair) -> bool:
    """Two pairs: no rule twice; under a kept rule everything stays in the same child."""
    if p[0] == q[0] or p[1] == q[1]:
        return False
    for above, under in ((p, q), (q, p)):
        if below(above[0], under[0]) != below(above[1], under[1]):
            return False
        if below(above[0], under[0]) and under[0][len(above[0])] != under[1][len(above[1])]:
            return False
    return True


def below(path: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the second path leads to a place properly under the first."""
    return len(other) > len(path) and other[: len(path)] == path


def meeting(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    """The lowest place above both, or one of them if it is above the other."""
    length = 0
    while length < min(len(first), len(second)) and first[length] == second[length]:
        length += 1
    return first[:length]


def items(compiled: Compiled, number: int, most: int) -> list[Derivation]:
    """Small sentences of the whole grammar that training cannot contain."""
    split = training(compiled)
    inside = set(derivations(split, most))
    compiler = StructureCompiler(compiled.grammar)
    whole = compiler.split(Constraint())
    outside = [tree for tree in derivations(whole, most) if tree not in inside]
    step = max(1, len(outside) // number)
    return [tuple(rule for _, rule in places(tree)) for tree in outside[::step]]


@pytest.mark.slow
def test_the_distance_is_the_least_of_all(toy: Compiled) -> None:
    finder = finder_of(toy)
    trained = derivations(training(toy), 11)
    assert len(trained) > 40
    seen = set()
    for derivation in items(toy, 40, 9):
        item = tree_of(toy, derivation)
        nearest = finder.find(derivation)
        assert nearest is not None
        least = min(distance(item, other) for other in trained)
        assert nearest.distance == least
        assert distance(item, tree_of(toy, nearest.derivation)) <= least
        seen.add(least)
    assert len(seen) > 2


def test_the_second_of_a_pair_is_in_the_language_of_training(toy: Compiled) -> None:
    trained = {tuple(rule for _, rule in places(tree)) for tree in derivations(training(toy), 12)}
    finder = finder_of(toy)
    for derivation in items(toy, 40, 9):
        nearest = finder.find(derivation)
        assert nearest is not None
        assert nearest.derivation in trained


def test_a_sentence_of_training_is_nearest_to_itself(toy: Compiled) -> None:
    finder = finder_of(toy)
    for tree in derivations(training(toy), 9):
        derivation = tuple(rule for _, rule in places(tree))
        nearest = finder.find(derivation)
        assert nearest is not None
        assert (nearest.derivation, nearest.distance) == (derivation, 0)


def test_no_lemma_comes_in_twice(toy: Compiled) -> None:
    """*The dog saw the hen*: not *the dog saw the dog*, and *cat* is likelier than that."""
    (derivation,) = (d for d in items(toy, 10_000, 7) if interpret(toy.grammar, d).texts[0] == "the dog saw the hen")
    nearest = finder_of(toy).find(derivation)
    assert nearest is not None
    assert interpret(toy.grammar, nearest.derivation).texts[0] == "the dog saw the cat"


def test_many_parts_are_matched_in_another_order(tmp_path: Path) -> None:
    """To try every way to fill the other rule with the twelve words would take years."""
    nouns, adjectives = [[f"{kind.lower()}{number}" for number in range(6)] for kind in "NA"]
    filled = {
        "nouns": " ".join(f"{name}:N" for name in nouns),
        "adjectives": " ".join(f"{name}:A" for name in adjectives),
        "edges": "; ".join(f'"see"(upos=VERB) -[obj]-> {name}' for name in (*nouns, *adjectives)),
        "words": "\n".join(f'word {name[0].upper()}: "{name}"\n  syn node(upos=X)' for name in (*nouns, *adjectives)),
    }
    path = tmp_path / "lists.sgl"
    path.write_text(LISTS.format_map(filled), encoding="utf-8")
    lists = compile_file(path)
    number = {rule.name: number for number, rule in enumerate(lists.grammar.rules)}
    words = [number[f'word "{name}"'] for name in (*nouns, *adjectives)]
    nearest = finder_of(lists).find((number["held_out"], *words))
    assert nearest is not None
    assert sorted(nearest.derivation[1:]) == sorted(words)
    assert (nearest.dropped, nearest.new) == ((number["held_out"],), (number["known"],))


# ---- SGET


@pytest.mark.parametrize(
    ("pattern", "largest"),
    [
        pytest.param("adjectives_fewer", 5, marks=pytest.mark.slow),
        pytest.param("pp_in_subject", 20, marks=pytest.mark.acceptance),
        pytest.param("active_to_passive", 2, marks=pytest.mark.acceptance),
    ],
)
def test_pairs_of_sget_differ_in_what_is_held_out(pattern: str, largest: int) -> None:
    compiled = sget()
    strata = compiled.plan.strata
    stratum = next(s for s in strata if s.category == pattern)
    compiler = StructureCompiler(compiled.grammar)
    plan = replace(compiled.plan, strata=(stratum.of(30),), distinct_sentences=False)
    splits = {stratum.stream: compiler.split(stratum.constraint)}
    (part,) = sample(pack(compiled.grammar, plan, splits))
    finder = finder_of(compiled)
    trained = compiler.language(strata[0].constraint)
    assert strata[0].category == IN_DISTRIBUTION
    for item in part.items:
        nearest = finder.find(item.derivation)
        assert nearest is not None
        assert 0 < nearest.distance <= largest
        assert trained.accepts(nearest.derivation)
        assert not trained.accepts(item.derivation)


# ---- the command


def rows(capsys: pytest.CaptureFixture[str], *command: str) -> list[list[str]]:
    assert run(["sample", *command]) == 0
    return [line.split("\t") for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def farm(tmp_path: Path) -> str:
    path = tmp_path / "toy.sgl"
    path.write_text(GRAMMAR, encoding="utf-8")
    return str(path)


def test_a_row_has_the_item_its_neighbour_and_what_differs(farm: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = rows(capsys, farm, "hen_object", "--pairs", "-n", "4")
    assert len(found) == 4
    for item, nearest, difference in found:
        assert "hen" in item
        assert item != nearest
        assert difference
    assert any(difference == "-Noun:hen +Noun:cat" for *_, difference in found)


def test_the_items_are_those_that_are_shown_without_pairs(farm: str, capsys: pytest.CaptureFixture[str]) -> None:
    alone = rows(capsys, farm, "pp_in_subject", "-n", "6", "--seed", "3")
    pairs = rows(capsys, farm, "pp_in_subject", "-n", "6", "--seed", "3", "--pairs")
    assert [row[0] for row in alone] == [row[0] for row in pairs]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["--pairs"], "pairs show the items of one pattern"),
        (["train", "--pairs"], "pairs show the items of one pattern"),
        (["hen_object", "--pairs", "--show", "tree"], "there is no layer or view `tree`"),
    ],
)
def test_what_has_no_pairs(farm: str, command: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sample", farm, *command]) == USAGE
    assert words in capsys.readouterr().err
