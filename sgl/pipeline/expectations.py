"""Compute expected counts: how often a text uses each rule, category, word and label.

They follow exactly from the inside weights of a grammar (its first moments), without sampling.  The rules for one
category with one choice of features compete: their weights are divided by their sum.

To estimate weights from a corpus that was drawn from a split, the module also counts what the split leaves out.  The
regular part is exact, by the automaton of the split's constraint.  Rejection while drawing is measured on texts drawn
under similar weights: ``a(r)`` is the frequency of rule r in accepted texts, relative to all drawn texts.  The expected
loss per kept text is then ``E(r) / Z - E(r | C) a(r)``, where Z is the probability of being kept.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

import numpy as np

from sgl.automata import StructureCompiler
from sgl.automata.algebra.tree_automaton import GrammarIndex
from sgl.automata.weights.inside import Moments
from sgl.automata.weights.split import SplitGrammar, split_grammar
from sgl.core.grammar import CoreGrammar
from sgl.core.plan import content_lemmas, repeats_lemma
from sgl.corpus.fit import LeftOut, Vector
from sgl.frontend import Compiled
from sgl.parsing import Forest
from sgl.sampling import pack
from sgl.sampling.engine import candidate_key, derive, stream_key
from sgl.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class RuleUse:
    """The expected uses of a rule in a text, over all choices of features.

    ``share`` is its share of the phrases of its category.  ``competitors`` are the rules with which it competes;
    ``alone`` are the categories, with their features, in which it has no competitor.
    """

    name: str
    category: str
    expected: float
    share: float
    competitors: tuple[str, ...]
    alone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expectations:
    """Expected counts in one text in descending order; ``words`` are grouped by lexicon or word declaration."""

    tokens: float
    rules: tuple[RuleUse, ...]
    categories: tuple[tuple[str, float], ...]
    words: tuple[tuple[str, str, float], ...]
    labels: tuple[tuple[str, str, float], ...]


def expectations(splits: Sequence[SplitGrammar]) -> Expectations:
    """Return the expected counts of a text that is drawn from one of several equally likely splits of a grammar."""
    grammar, number = splits[0].grammar, len(splits)
    columns = zip(*(split.expected_rules for split in splits), strict=True)
    uses = tuple(sum(column) / number for column in columns)
    categories: dict[str, float] = defaultdict(float)
    words: dict[tuple[str, str], float] = defaultdict(float)
    labels: dict[tuple[str, str], float] = defaultdict(float)
    for rule, expected in zip(grammar.rules, uses, strict=True):
        categories[grammar.categories[rule.lhs].base] += expected
        if rule.lexical:
            words[rule.name, " ".join(rule.words(0))] += expected
        for layer, fragment in zip(grammar.graph_layers, rule.fragments, strict=True):
            for edge in fragment.edges:
                labels[layer.name, edge.label] += expected
    return Expectations(
        sum(split.expected_tokens for split in splits) / number,
        _rule_uses(grammar, uses, categories),
        tuple(sorted(categories.items(), key=_falling)),
        tuple((*key, count) for key, count in sorted(words.items(), key=_falling)),
        tuple((*key, count) for key, count in sorted(labels.items(), key=_falling)),
    )


def _rule_uses(grammar: CoreGrammar, uses: tuple[float, ...], categories: dict[str, float]) -> tuple[RuleUse, ...]:
    expected: dict[tuple[str, str], float] = defaultdict(float)
    places: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
    for rule in grammar.rules:
        if not rule.lexical:
            key = (rule.name, grammar.categories[rule.lhs].base)
            expected[key] += uses[rule.id]
            places[key][rule.lhs] = None
    competing = [tuple(dict.fromkeys(rule.name for rule in rules)) for rules in grammar.rules_of]
    found = []
    for (name, category), count in sorted(expected.items(), key=_falling):
        own = places[name, category]
        rivals = dict.fromkeys(other for n in own for other in competing[n] if other != name)
        alone = tuple(grammar.categories[n].name for n in own if competing[n] == (name,))
        share = count / categories[category] if categories[category] else 0.0
        found.append(RuleUse(name, category, count, share, tuple(rivals), alone))
    return tuple(found)


def _falling(entry: tuple[object, float]) -> float:
    return -entry[1]


#: Texts drawn to measure rejection.
DRAWN = 40_000

#: Uses that suffice to measure how often a rule is rejected.
_MEASURED = 200


class SplitSelection:
    """The in-distribution part of a split, under changing weights."""

    def __init__(self, compiled: Compiled, split: str) -> None:
        """Prepare the automaton of a split; raise ``KeyError`` if there is no such split."""
        self._compiled = compiled
        self._grammar = compiled.grammar
        if (stratum := compiled.plan.in_distribution(split)) is None:
            raise KeyError(split)
        self._stratum = stratum
        self._language = StructureCompiler(compiled.grammar).language(self._stratum.constraint)
        self._lemmas = [
            () if self._stratum.repeated_lemmas else lemmas
            for lemmas in content_lemmas(compiled.grammar, compiled.plan)
        ]
        self._share = 1.0
        self._accepted = np.ones(len(self._grammar.rules))

    def admits(self, forest: Forest) -> bool:
        """Return whether some reading of a forest belongs to the split."""
        return any(state in self._language.accepting for state in forest.states(self._language))

    def refresh(self, weights: Vector) -> None:
        """Measure rejection while drawing under these weights."""
        derivations = self.draw(weights, DRAWN)
        kept = [derivation for derivation in derivations if not self.repeats(derivation)]
        rules = (np.fromiter(chain.from_iterable(drawn), np.int64) for drawn in (derivations, kept))
        met, accepted = (np.bincount(r, minlength=len(weights)).astype(float) for r in rules)
        self._share = max(len(kept), 1) / max(len(derivations), 1)
        self._accepted = self._shares(met, accepted) / self._share

    def _shares(self, met: Vector, accepted: Vector) -> Vector:
        """Return for each rule the share of its uses in accepted texts; for rare rules the share for the category."""
        category = np.array([rule.lhs for rule in self._grammar.rules])
        size = len(self._grammar.categories)
        met_there = np.bincount(category, met, size)[category]
        accepted_there = np.bincount(category, accepted, size)[category]
        common = np.where(met_there >= _MEASURED, accepted_there / np.maximum(met_there, 1.0), self._share)
        shares = np.where(met >= _MEASURED, accepted / np.maximum(met, 1.0), common)
        return shares.astype(np.float64)

    def left_out(self, weights: Vector) -> LeftOut:
        """Return the expected uses that the split leaves out under these weights."""
        split = self._split(weights)
        mass = split.mass * self._share
        kept = np.array(split.expected_rules) * self._accepted
        return LeftOut(float(np.log(mass)), np.maximum(self._expected(weights) / mass - kept, 0.0))

    def kept(self, weights: Vector) -> Vector:
        """Return the expected uses of each rule in a text of the split."""
        return np.array(self._split(weights).expected_rules) * self._accepted

    def draw(self, weights: Vector, number: int) -> list[list[int]]:
        """Sample derivations of the split under these weights, before any rejection."""
        grammar = weighted(self._grammar, weights)
        splits = {self._stratum.stream: self._split(weights)}
        plan = replace(self._compiled.plan, strata=(self._stratum.of(1),))
        tables = pack(grammar, plan, splits)
        key = stream_key(self._compiled.plan.seed, f"fit/{self._stratum.stream}")
        start = tables.strata[0].start
        drawn = (derive(tables.states, start, candidate_key(key, i)) for i in range(number))
        return [derivation for derivation in drawn if derivation is not None]

    def repeats(self, derivation: Sequence[int]) -> bool:
        """Return whether a derivation repeats a lemma that may occur only once."""
        return repeats_lemma(derivation, self._lemmas)

    def _split(self, weights: Vector) -> SplitGrammar:
        index = GrammarIndex(weighted(self._grammar, weights))
        return split_grammar(replace(self._language, index=index))

    def _expected(self, weights: Vector) -> Vector:
        rules = self._grammar.rules
        steps = ((rule.lhs, rule.id, rule.rhs, float(weights[rule.id])) for rule in rules)
        moments = Moments.of(len(self._grammar.categories), steps)
        visits = np.array(moments.expected_visits([(self._grammar.start, 1.0)]))
        expected: Vector = visits[[rule.lhs for rule in rules]] * weights
        return expected


def weighted(grammar: CoreGrammar, weights: Sequence[float] | Vector) -> CoreGrammar:
    """Return a grammar with these weights."""
    rules = tuple(replace(rule, weight=float(weight)) for rule, weight in zip(grammar.rules, weights, strict=True))
    return replace(grammar, rules=rules)
