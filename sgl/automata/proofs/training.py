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

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from random import Random
from typing import NamedTuple

import numpy as np

from sgl.automata.algebra.lexicon import Lexicon
from sgl.automata.common import Numbering, computed_once
from sgl.automata.proofs.evidence import Evidence
from sgl.automata.weights.split import NO_CHILD, SplitGrammar
from sgl.core.interpret import Derivation, fold
from sgl.core.lemmas import content_lemmas, repeats_lemma
from sgl.core.plan import IN_DISTRIBUTION
from sgl.core.structure import Structure

#: Sentences sampled from a stratum, and of those that are in distribution.
DRAWN, DRAWN_IN_DISTRIBUTION = 12, 240

#: A derivation of more rules is given up.
LONGEST = 400

_SEED = 1


class Seen(NamedTuple):
    """A training sentence and the stream of the stratum that it belongs to."""

    stream: str
    derivation: Derivation


#: A rule over phrases that are given by number.
_Phrase = tuple[int, tuple[int, ...]]


@dataclass(frozen=True)
class TrainingSearch:
    """Looks for structures in the training sentences of a plan, for each once."""

    evidence: Evidence

    @computed_once
    def find(self, structure: Structure) -> Seen | None:
        """Return a training sentence that contains the structure, or ``None`` if none can."""
        compiler = self.evidence.compiler
        automaton = compiler.structure_automaton(structure)
        phrases, roots = self._phrases(compiler.lexicon)
        states: list[int] = []
        for seen, root in zip(self._texts, roots, strict=True):
            for rule, children in phrases[len(states) : root + 1]:
                states.append(automaton.step(rule, tuple([states[child] for child in children])))
            if automaton.accepts_state(states[root]):
                return seen
        # The smallest text with the structure in the first stratum that derives it.
        for stratum in self.evidence.populated_training:
            if not self.evidence.excludes(stratum, structure):
                contains = compiler.presence(structure)
                derivation = self.evidence.smallest(stratum, contains)
                if derivation is not None:
                    return Seen(stratum.stream, derivation)
        return None

    @computed_once
    def _phrases(self, lexicon: Lexicon) -> tuple[list[_Phrase], list[int]]:
        """Return the different phrases of the sentences, and for each sentence its number.

        Words of one class of the lexicon are taken for one word.  A phrase comes after its
        parts and before those that only later sentences have.
        """
        phrases: Numbering[_Phrase] = Numbering()
        first = lexicon.first.tolist()
        word = {rule: first[number] for rule, number in lexicon.class_of.items()}
        arity = self.evidence.compiler.grammar.arity

        def number(rule: int, children: tuple[int, ...]) -> int:
            return phrases.number((word.get(rule, rule), children))

        roots = [fold(text.derivation, arity, number) for text in self._texts]
        return phrases.values, roots

    @cached_property
    def _texts(self) -> list[Seen]:
        """Sentences of the training strata, those first that repeat no lemma."""
        texts: list[Seen] = []
        strata = self.evidence.populated_training
        for evidence in sorted(strata, key=lambda e: e.stratum.category != IN_DISTRIBUTION):
            common = evidence.stratum.category == IN_DISTRIBUTION
            sampled = sample_some(evidence.split, DRAWN_IN_DISTRIBUTION if common else DRAWN)
            texts += [Seen(evidence.stream, derivation) for derivation in sampled]
        # Those that the dataset could contain come first.
        lemmas = content_lemmas(self.evidence.compiler.grammar, self.evidence.plan)
        return sorted(texts, key=lambda text: repeats_lemma(text.derivation, lemmas))


def sample_some(split: SplitGrammar, number: int) -> Iterator[Derivation]:
    """Up to ``number`` texts of a split, sampled by their probabilities, none of them long."""
    random = Random(_SEED)  # noqa: S311 - to look at, and the same every time
    if split.empty:
        return
    roots, shares = zip(*split.roots, strict=True)
    root_bounds = list(accumulate(shares))
    rows = split.transitions
    ends = np.searchsorted(rows.states, np.arange(len(split.category) + 1)).tolist()
    bounds: dict[int, list[float]] = {}
    for _ in range(number):
        derivation: list[int] = []
        stack = random.choices(roots, cum_weights=root_bounds)
        while stack and len(derivation) < LONGEST:
            state = stack.pop()
            own = range(ends[state], ends[state + 1])
            if state not in bounds:
                bounds[state] = list(accumulate(rows.probabilities[own.start : own.stop].tolist()))
            (chosen,) = random.choices(own, cum_weights=bounds[state])
            derivation.append(int(rows.rules[chosen]))
            children = rows.children[:, chosen].tolist()
            stack += [child for child in reversed(children) if child != NO_CHILD]
        if not stack:
            yield tuple(derivation)
