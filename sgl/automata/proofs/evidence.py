"""What the claims about a plan are decided from, computed once each.

To prove that training *can* contain a structure one sentence is enough.  For nearly all that ought
to occur, a few hundred sentences hold one, and reading them is much cheaper than a product of
automata.  Only what none of them contains has to be decided.  The sentences are sampled from the
training strata, more of the in-distribution ones, and the generator starts from a constant.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from random import Random
from typing import NamedTuple

import numpy as np

from sgl.automata.algebra.tree_automaton import DEAD, TreeAutomaton, smallest_derivation
from sgl.automata.common import Numbering, computed_once
from sgl.automata.proofs.compiler import StructureCompiler
from sgl.automata.proofs.invariant import with_other_words
from sgl.automata.weights.split import NO_CHILD, SplitGrammar, acceptance_probability, count_derivations, split_grammar
from sgl.core.interpret import Derivation, fold
from sgl.core.plan import IN_DISTRIBUTION, Plan, Stratum, content_lemmas, repeats_lemma
from sgl.core.structure import Structure

TRAIN = "train"
GENERALIZATION = "gen"

#: Sentences sampled from a training stratum, and from those that are in distribution.
SAMPLED, SAMPLED_IN_DISTRIBUTION = 12, 240

#: A derivation of more rules is given up.
LONGEST = 400

_SEED = 1

#: A rule over phrases that are given by number.
_Phrase = tuple[int, tuple[int, ...]]


class Seen(NamedTuple):
    """A training sentence and the stream of the stratum that it belongs to."""

    stream: str
    derivation: Derivation


@dataclass(frozen=True, slots=True, eq=False)
class StratumEvidence:
    """A stratum with its language and its grammar; equal constraints share these."""

    stratum: Stratum
    language: TreeAutomaton
    split: SplitGrammar


class Evidence:
    """The evidence for one plan.

    ``strata`` are in the order of the plan; ``training`` and ``generalization`` are those of these
    splits, and ``populated_training`` those of training that are to have sentences.
    """

    def __init__(self, compiler: StructureCompiler, plan: Plan) -> None:
        self.compiler = compiler
        self.plan = plan
        self.patterns = {pattern.name: pattern for pattern in plan.patterns}
        self._lemmas = content_lemmas(compiler.grammar, plan)
        self.strata = [
            StratumEvidence(s, compiler.language(s.constraint), compiler.split(s.constraint)) for s in plan.strata
        ]
        self.training = [e for e in self.strata if e.stratum.split == TRAIN]
        self.generalization = [e for e in self.strata if e.stratum.split == GENERALIZATION]
        self.populated_training = [e for e in self.training if e.stratum.count]

    @computed_once
    def excludes(self, evidence: StratumEvidence, structure: Structure) -> bool:
        """Return whether no text of the stratum contains the structure."""
        absence = self.compiler.absence(structure)
        return self.compiler.accepts_all(absence, evidence.language, evidence.split)

    @computed_once
    def requires(self, evidence: StratumEvidence, group: tuple[Structure, ...]) -> bool:
        """Return whether every text of the stratum contains one of the structures."""
        presence = self.compiler.presence_of_any(group)
        return self.compiler.accepts_all(presence, evidence.language, evidence.split)

    @computed_once
    def leak(self, structure: Structure) -> Seen | None:
        """Return the smallest text with the structure in the first training stratum that derives it."""
        return self._first_with(structure, self.training)

    def _first_with(self, structure: Structure, strata: Iterable[StratumEvidence]) -> Seen | None:
        for evidence in strata:
            if not self.excludes(evidence, structure):
                found = self.smallest(evidence, self.compiler.presence(structure))
                if found is not None:
                    return Seen(evidence.stratum.stream, found)
        return None

    @computed_once
    def find_in_training(self, structure: Structure) -> Seen | None:
        """Return a training sentence that contains the structure, or ``None`` if none can."""
        automaton = self.compiler.structure_automaton(structure)
        states: list[int] = []
        for text, phrases, root in self._texts:
            for rule, children in phrases:
                states.append(automaton.step(rule, tuple([states[child] for child in children])))
            if automaton.accepts_state(states[root]):
                return text
        return self._first_with(structure, self.populated_training)

    @cached_property
    def _texts(self) -> list[tuple[Seen, list[_Phrase], int]]:
        """Training sentences, first those that repeat no lemma: each with its new phrases, and its number."""
        texts: list[Seen] = []
        strata = [(e, e.stratum.category == IN_DISTRIBUTION) for e in self.populated_training]
        for evidence, usual in sorted(strata, key=lambda pair: not pair[1]):
            sampled = sample_some(evidence.split, SAMPLED_IN_DISTRIBUTION if usual else SAMPLED)
            texts += [Seen(evidence.stratum.stream, derivation) for derivation in sampled]
        texts.sort(key=lambda text: repeats_lemma(text.derivation, self._lemmas))
        phrases: Numbering[_Phrase] = Numbering()
        arity = self.compiler.grammar.arity
        found = []
        for text in texts:
            before = len(phrases.values)
            root = fold(text.derivation, arity, lambda rule, below: phrases.number((rule, below)))
            found.append((text, phrases.values[before:], root))
        return found

    def smallest(self, evidence: StratumEvidence, automaton: TreeAutomaton) -> Derivation | None:
        """Return the smallest text of a stratum that an automaton accepts."""
        return self.example(self.compiler.both(evidence.language, automaton))

    def example(self, language: TreeAutomaton) -> Derivation | None:
        """Return the smallest text of a language, with other words for those that a sentence of the dataset repeats."""
        found = smallest_derivation(language)
        return found and with_other_words(language, found, self._lemmas)

    def probability(self, evidence: StratumEvidence, structure: Structure) -> float:
        """Return the probability that a text of the stratum contains the structure."""
        if evidence.split.empty or self.excludes(evidence, structure):
            return 0.0
        both = self.compiler.both(evidence.language, self.compiler.presence(structure))
        return acceptance_probability(both) / evidence.split.mass

    def number(self, evidence: StratumEvidence, structure: Structure) -> int:
        """Return the number of texts of a finite stratum that contain the structure."""
        both = self.compiler.both(evidence.language, self.compiler.presence(structure))
        return count_derivations(split_grammar(both)) or 0

    @computed_once
    def rules_without(self, structures: tuple[Structure, ...]) -> frozenset[int]:
        """Return the rules that some text uses which contains none of the structures."""
        automaton = self.compiler.absence_of_all(structures)
        words = automaton.index.words[automaton.words != DEAD]
        phrasal = automaton.index.phrasal[automaton.rules]
        return frozenset((*words.tolist(), *phrasal.tolist()))

    @computed_once
    def marks(self, name: str) -> tuple[Structure, ...]:
        """Return the held-out structures that items of a pattern may contain."""
        allowed = (name, *self.patterns[name].allow)
        patterns = [pattern for pattern in self.plan.patterns if pattern.name in allowed]
        return tuple(structure for pattern in patterns for structure in pattern.held_out)

    @computed_once
    def is_marked(self, evidence: StratumEvidence) -> bool:
        """Return whether every item of a generalization stratum contains one of its marks."""
        return self.requires(evidence, self.marks(evidence.stratum.category))


def used_rules(strata: Iterable[StratumEvidence]) -> frozenset[int]:
    """Return the rules that some sentence of these strata can use."""
    return frozenset().union(*[e.split.used_rules for e in strata if e.stratum.count])


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
