"""Can training contain a structure?  A sentence if it can.

To prove that training *can* contain a structure one sentence is enough.  For nearly all
structures that ought to occur, a few hundred sentences hold one, and reading them is much
cheaper than a product of automata.  Only what none of them contains has to be decided::

    { V -[nsubj]-> N }         The dog slept.            found at once
    { N -[nmod]{4}-> M }       in 1 of 10,000 sentences  no stratum excludes it: smallest text
    { V[lemma=owe, Tense=Pres] }                         every stratum excludes it: None

The sentences are sampled from the grammars of the training strata, more of the
in-distribution ones than of each kind of exposure, in an order that does not
depend on chance: the generator starts from a constant.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from random import Random

from sgl.automata.proofs.compiler import StructureCompiler
from sgl.automata.proofs.evidence import Evidence, StratumEvidence
from sgl.automata.weights.split import SplitGrammar
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.core.lemmas import content_lemmas, repeats_lemma
from sgl.core.plan import IN_DISTRIBUTION, Plan
from sgl.core.structure import NodeTest, Structure

#: Sentences sampled from a stratum, and of those that are in distribution.
DRAWN, DRAWN_IN_DISTRIBUTION = 12, 240

#: A derivation of more rules is given up.
LONGEST = 400

_SEED = 1


@dataclass(frozen=True, slots=True)
class Seen:
    """A training sentence and the stream of the stratum that it belongs to."""

    stream: str
    derivation: Derivation


@dataclass(frozen=True, slots=True)
class _TrainingText:
    """A sentence with the rules that it uses."""

    seen: Seen
    rules: frozenset[int]


class Pool:
    """Sentences of the training strata, those first that repeat no lemma."""

    def __init__(
        self, compiler: StructureCompiler, plan: Plan, strata: Sequence[StratumEvidence]
    ) -> None:
        self._compiler = compiler
        lemmas = content_lemmas(compiler.grammar, plan)
        self._texts: list[_TrainingText] = []
        for evidence in sorted(strata, key=lambda e: e.stratum.category != IN_DISTRIBUTION):
            common = evidence.stratum.category == IN_DISTRIBUTION
            number = DRAWN_IN_DISTRIBUTION if common else DRAWN
            for derivation in sample_some(evidence.split, number):
                seen = Seen(evidence.stream, derivation)
                self._texts.append(_TrainingText(seen, frozenset(derivation)))
        # Those that the dataset could contain come first.
        self._texts.sort(key=lambda text: repeats_lemma(text.seen.derivation, lemmas))
        self._filters = _Filters(compiler.grammar)

    def find(self, structure: Structure) -> Seen | None:
        """Return the first sentence that contains the structure, or ``None``."""
        automaton = None
        wanted = self._filters.of(structure)
        for text in self._texts:
            if all(not text.rules.isdisjoint(rules) for rules in wanted):
                automaton = automaton or self._compiler.structure_automaton(structure)
                if automaton.accepts(self._compiler.grammar, text.seen.derivation):
                    return text.seen
        return None


class _Filters:
    """Which rules can provide what a structure asks for.

    A sentence without a rule for one of its edges or tests cannot contain it.
    """

    def __init__(self, grammar: CoreGrammar) -> None:
        self._grammar = grammar
        self._labels: dict[str, dict[str, list[int]]] = {}
        self._values: dict[str, dict[tuple[str, str], list[int]]] = {}
        self._tests: dict[tuple[str, NodeTest], frozenset[int]] = {}

    def of(self, structure: Structure) -> list[frozenset[int]]:
        """Return a set of rules for each edge and each test of the structure."""
        layer = structure.layer
        if layer not in self._labels:
            self._read(layer)
        wanted = [
            frozenset(
                rule
                for label, rules in self._labels[layer].items()
                if link.labels.accepts(label)
                for rule in rules
            )
            for link in structure.body.links
        ]
        for variable in structure.body.variables:
            wanted += [self._test(layer, test) for test in variable.tests if not test.negated]
        return wanted

    def _test(self, layer: str, test: NodeTest) -> frozenset[int]:
        """Return the rules with a word that passes, or all if a word without the attribute does."""
        key = layer, test
        if key not in self._tests:
            values = self._values[layer]
            self._tests[key] = (
                frozenset(rule.id for rule in self._grammar.rules)
                if "" in test.values
                else frozenset(
                    rule
                    for value in sorted(test.values)
                    for rule in values.get((test.attribute, value), ())
                )
            )
        return self._tests[key]

    def _read(self, layer: str) -> None:
        labels: dict[str, list[int]] = {}
        values: dict[tuple[str, str], list[int]] = {}
        index = self._grammar.graph_layer(layer)
        for rule in self._grammar.rules:
            fragment = rule.fragments[index]
            for edge in fragment.edges:
                labels.setdefault(edge.label, []).append(rule.id)
            for node in fragment.nodes:
                for pair in node.attributes or ():
                    values.setdefault(pair, []).append(rule.id)
        self._labels[layer], self._values[layer] = labels, values


def sample_some(split: SplitGrammar, number: int) -> Iterator[Derivation]:
    """Up to ``number`` texts of a split, sampled by their probabilities, none of them long."""
    random = Random(_SEED)  # noqa: S311 - to look at, and the same every time
    bounds: dict[int, list[float]] = {}
    if split.empty:
        return
    roots = list(accumulate(probability for _, probability in split.roots))
    for _ in range(number):
        start = split.roots[_choice(roots, random)][0]
        derivation = _derive(split, start, random, bounds)
        if derivation is not None:
            yield derivation


def _derive(
    split: SplitGrammar, start: int, random: Random, bounds: dict[int, list[float]]
) -> Derivation | None:
    derivation: list[int] = []
    stack = [start]
    while stack and len(derivation) < LONGEST:
        state = stack.pop()
        transitions = split.transitions_of[state]
        if state not in bounds:
            bounds[state] = list(accumulate(t.probability for t in transitions))
        chosen = transitions[_choice(bounds[state], random)]
        derivation.append(chosen.rule)
        stack.extend(reversed(chosen.children))
    return None if stack else tuple(derivation)


def _choice(bounds: Sequence[float], random: Random) -> int:
    """Return the index of an interval, as probable as it is long."""
    return min(bisect_right(bounds, random.random() * bounds[-1]), len(bounds) - 1)


class TrainingSearch:
    """Looks for structures in the training sentences of a plan, for each once."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._found: dict[Structure, Seen | None] = {}

    def find(self, structure: Structure) -> Seen | None:
        """Return a training sentence that contains the structure, or ``None`` if none can."""
        name = structure.canonical()
        if name not in self._found:
            self._found[name] = self._pool.find(name) or self._decide(name)
        return self._found[name]

    def _decide(self, structure: Structure) -> Seen | None:
        """Return the smallest text with the structure in the first stratum that derives it."""
        for stratum in self._evidence.populated_training:
            if not self._evidence.excludes(stratum, structure):
                contains = self._evidence.compiler.presence(structure)
                derivation = self._evidence.smallest(stratum, contains)
                if derivation is not None:
                    return Seen(stratum.stream, derivation)
        return None

    @cached_property
    def _pool(self) -> Pool:
        evidence = self._evidence
        return Pool(evidence.compiler, evidence.plan, evidence.populated_training)
