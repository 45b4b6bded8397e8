"""Compute the evidence for the claims about a plan, once each.

One sentence proves that training *can* contain a structure.  For nearly all structures that should occur, one of a few
hundred sentences has it, and reading them is much cheaper than a product of automata.  Only the structures that none of
them contains need a decision.  The sentences are sampled from the training strata, with more from the in-distribution
ones, and the generator starts from a constant.

A piece of a held-out structure (:mod:`sgl.core.pieces`) that training cannot contain is refuted, with the clauses that
exclude it, unless it is waived.

There are four kinds of ingredients: a *word* is a lemma; an *entry* is a word in its frame, in any form; a *form* is
what a word writes in the target layer; a *rule* has children.  Each one that some item uses must have positive mass in
training.  Some are excused and listed: the *targets* of the pattern, ingredients that occur only *with the structure*,
and rules that several patterns hold out *together* (their other uses contain structures that other patterns hold out).
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate, chain
from random import Random
from typing import NamedTuple

from sgl.automata.algebra.tree_automaton import DEAD, TreeAutomaton
from sgl.automata.common import Numbering, computed_once
from sgl.automata.proofs.compiler import StructureCompiler, find_conflict
from sgl.automata.proofs.invariant import smallest_text
from sgl.automata.weights.split import SplitGrammar, count_derivations, split_grammar
from sgl.core.alike import alike
from sgl.core.claims import Claim, Conflict, IngredientKind, Inventory, Kind, Reason, Unseen, Verdict
from sgl.core.grammar import CoreGrammar, Rule
from sgl.core.interpret import Derivation, fold
from sgl.core.pieces import pieces_of
from sgl.core.plan import (
    GEN,
    IN_DISTRIBUTION,
    TRAIN,
    Pattern,
    Plan,
    Stratum,
    content_lemmas,
    introduced_lemmas,
    repeats_lemma,
)
from sgl.core.structure import Structure
from sgl.values import dataclass, replace

#: The number of sentences sampled from a training stratum, and from an in-distribution one.
SAMPLED, SAMPLED_IN_DISTRIBUTION = 12, 240

#: The most rules of a sampled derivation; longer ones are abandoned.
LONGEST = 400

_SEED = 1


class Seen(NamedTuple):
    """A training sentence and the stream of its stratum."""

    stream: str
    derivation: Derivation


@dataclass(frozen=True, eq=False)
class StratumEvidence:
    """A stratum with its language and its grammar; equal constraints share these."""

    stratum: Stratum
    compiler: StructureCompiler

    @cached_property
    def language(self) -> TreeAutomaton:
        """The automaton of its texts."""
        return self.compiler.language(self.stratum.constraint)

    @cached_property
    def split(self) -> SplitGrammar:
        """Its grammar, which not every question needs."""
        return self.compiler.drawn(self.stratum)


class Evidence:
    """The evidence for one plan.

    ``strata`` are in the order of the plan; ``training`` and ``generalization`` are the strata of these splits,
    ``populated_training`` the training strata that should have sentences, and ``in_distribution`` those that no pattern
    or part asks for.
    """

    def __init__(self, compiler: StructureCompiler, plan: Plan) -> None:
        self.compiler = compiler
        self.plan = plan
        self.patterns = {pattern.name: pattern for pattern in plan.patterns}
        self._lemmas = content_lemmas(compiler.grammar, plan)
        self.strata = [StratumEvidence(stratum, compiler) for stratum in plan.strata]
        self.training, self.generalization = self._of(TRAIN), self._of(GEN)
        self.populated_training = [e for e in self.training if e.stratum.count]
        self.in_distribution = [e for e in self.training if e.stratum.category == IN_DISTRIBUTION]

    def _of(self, split: str) -> list[StratumEvidence]:
        return [e for e in self.strata if e.stratum.split == split]

    @computed_once
    def excludes(self, evidence: StratumEvidence, structure: Structure) -> bool:
        """Return whether no text of the stratum contains the structure."""
        absence = self.compiler.absence(structure)
        return self.compiler.accepts_all(absence, evidence.language, evidence.split)

    @computed_once
    def requires(self, evidence: StratumEvidence, group: tuple[Structure, ...]) -> bool:
        """Return whether every text of the stratum contains one of the structures."""
        presence = self.compiler.presence(*group)
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
        automaton, states = self.compiler.structure_automaton(structure), list[int]()
        phrases, ends = self._phrases
        for text, end in zip(self._texts, ends, strict=True):
            automaton.extend(states, phrases[len(states) : end + 1])
            if automaton.accepts_state(states[end]):
                return text
        return self._first_with(structure, self.populated_training)

    @cached_property
    def _phrases(self) -> tuple[list[tuple[int, tuple[int, ...]]], list[int]]:
        """The different phrases of the training sentences, each after its parts, and the places of the sentences."""
        phrases, arity = Numbering[tuple[int, tuple[int, ...]]](), self.compiler.grammar.arity
        ends = [fold(text.derivation, arity, lambda *phrase: phrases.number(phrase)) for text in self._texts]
        return phrases.values, ends

    @cached_property
    def _texts(self) -> list[Seen]:
        """Training sentences; those that repeat no lemma come first."""
        texts: list[Seen] = []
        strata = [(e, e.stratum.category == IN_DISTRIBUTION) for e in self.populated_training]
        for evidence, usual in sorted(strata, key=lambda pair: not pair[1]):
            sampled = sample_some(evidence.split, SAMPLED_IN_DISTRIBUTION if usual else SAMPLED)
            texts += [Seen(evidence.stratum.stream, derivation) for derivation in sampled]
        return sorted(texts, key=lambda text: repeats_lemma(text.derivation, self._lemmas))

    @cached_property
    def trained_rules(self) -> frozenset[int]:
        """The rules that some training sentence can use."""
        return used_rules(self.training)

    @cached_property
    def ingredients(self) -> "RuleIngredients":
        """The ingredients that each rule of the grammar provides."""
        return RuleIngredients(self.compiler.grammar, self.plan)

    def smallest(self, evidence: StratumEvidence, automaton: TreeAutomaton) -> Derivation | None:
        """Return the smallest text of a stratum that an automaton accepts."""
        return self.example(self.compiler.both(evidence.language, automaton))

    def example(self, language: TreeAutomaton) -> Derivation | None:
        """Return the smallest text of a language, replacing words that a sentence of the dataset must not repeat."""
        return smallest_text(language, self._lemmas)

    def probability(self, evidence: StratumEvidence, *structures: Structure) -> float:
        """Return the probability that a text of the stratum contains one of the structures."""
        if evidence.split.empty or all(self.excludes(evidence, structure) for structure in structures):
            return 0.0
        both = self.compiler.both(evidence.language, self.compiler.presence(*structures))
        return self.compiler.mass(both) / evidence.split.mass

    def number(self, evidence: StratumEvidence, structure: Structure) -> int:
        """Return the number of texts of a finite stratum that contain the structure."""
        both = self.compiler.both(evidence.language, self.compiler.presence(structure))
        return count_derivations(split_grammar(both)) or 0

    @computed_once
    def rules_without(self, structures: tuple[Structure, ...]) -> frozenset[int]:
        """Return the rules used by texts that contain none of the structures."""
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
    """Yield up to ``number`` texts of a split, none of them long, sampled by their probabilities."""
    random, rows = Random(_SEED), split.transitions_of  # noqa: S311 - to look at, and the same every time
    bounds = cache(lambda state: [*accumulate(row.probability for row in rows[state])])
    root_bounds = [*accumulate(share for _, share in split.roots)]
    for _ in range(number if split.roots else 0):
        derivation: list[int] = []
        stack = [root for root, _ in random.choices(split.roots, cum_weights=root_bounds)]
        while stack and len(derivation) < LONGEST:
            state = stack.pop()
            (chosen,) = random.choices(rows[state], cum_weights=bounds(state))
            derivation.append(chosen.rule)
            stack += reversed(chosen.children)
        if not stack:
            yield tuple(derivation)


def claim_pieces(evidence: Evidence, pattern: Pattern) -> tuple[Claim[None], ...]:
    """Return the claims about each distinct piece of a pattern's held-out structures."""
    pieces: dict[Structure, tuple[Structure, Structure]] = {}
    for whole in pattern.held_out:
        for piece in pieces_of(whole):
            pieces.setdefault(piece.canonical(), (piece, whole))
    return tuple(_claim_piece(evidence, pattern, both) for both in pieces.values())


def _claim_piece(evidence: Evidence, pattern: Pattern, both: tuple[Structure, Structure]) -> Claim[None]:
    piece, _ = both
    claim = Claim(Kind.LICENSED, pattern.name, Verdict.REFUTED, None, both)
    if not evidence.populated_training:
        return replace(claim, verdict=Verdict.NOTHING)
    if (seen := evidence.find_in_training(piece.canonical())) is not None:
        return replace(claim, verdict=Verdict.PROVED, stream=seen.stream, example=seen.derivation)
    if any(alike(piece, waived) for waived in pattern.waive):
        return replace(claim, verdict=Verdict.WAIVED)
    return replace(claim, conflict=why_absent(evidence, piece))


def idle_waivers(pattern: Pattern) -> tuple[Structure, ...]:
    """Return the waived structures that are not pieces of a pattern's held-out ones."""
    if not pattern.waive:
        return ()
    pieces = [piece for whole in pattern.held_out for piece in pieces_of(whole)]
    return tuple(waived for waived in pattern.waive if not any(alike(piece, waived) for piece in pieces))


def why_absent(evidence: Evidence, structure: Structure) -> Conflict | None:
    """Return the clauses that keep a structure out of the first training stratum."""
    if not evidence.populated_training:
        return None
    constraint = evidence.populated_training[0].stratum.constraint
    return find_conflict(evidence.compiler, constraint.requiring(structure))


#: A word, entry, form or rule, by name.
Ingredient = tuple[IngredientKind, str]


class RuleIngredients:
    """The ingredients of each rule, by number, and the rules that provide each ingredient."""

    def __init__(self, grammar: CoreGrammar, plan: Plan) -> None:
        texts = [layer.name for layer in grammar.text_layers]
        # The forms of a view are not composed of words.
        target = texts.index(plan.target) if plan.target in texts else None
        self.lemmas = introduced_lemmas(grammar, plan)
        self._numbers = numbers = Numbering[Ingredient]()
        self.of_rule: list[list[int]] = []
        for rule in grammar.rules:
            own = _ingredients(grammar, rule, self.lemmas[rule.id], target)
            self.of_rule.append(list(dict.fromkeys(map(numbers.number, own))))
        self.all = numbers.values
        kinds = [kind for kind, _ in self.all]
        self.of_kind = {k: frozenset(n for n, kind in enumerate(kinds) if kind is k) for k in IngredientKind}
        self.rules_of: list[list[int]] = [[] for _ in self.all]
        for number, ingredients in enumerate(self.of_rule):
            for ingredient in ingredients:
                self.rules_of[ingredient].append(number)

    def rules_with(self, words: Iterable[str]) -> set[int]:
        """Return the rules that provide one of some words."""
        return {rule for word in words for rule in self.rules_of[self._numbers.number((IngredientKind.WORD, word))]}

    def used_by(self, rules: Iterable[int]) -> Iterable[int]:
        """Return the ingredients that some rules provide, in the order of the rules."""
        return dict.fromkeys(chain.from_iterable([self.of_rule[rule] for rule in sorted(rules)]))


def _ingredients(grammar: CoreGrammar, rule: Rule, lemmas: Sequence[str], target: int | None) -> Iterator[Ingredient]:
    for lemma in lemmas:
        yield IngredientKind.WORD, lemma
    if not rule.lexical:
        yield IngredientKind.RULE, rule.name
        return
    category = grammar.categories[rule.lhs].base
    for lemma in lemmas:
        yield IngredientKind.ENTRY, f"{category}: {lemma}"
    form = "" if target is None else " ".join(rule.words(target))
    if form:
        yield IngredientKind.FORM, form


def inventory_of(evidence: Evidence, pattern: Pattern) -> Inventory:
    """Return how many ingredients of each kind the items use, and the ones that training cannot use."""
    items = [e for e in evidence.generalization if e.stratum.category == pattern.name]
    ingredients, used = evidence.ingredients, used_rules(items)
    if not (used and evidence.populated_training):
        return Inventory((), ())
    found = frozenset().union(*[ingredients.of_rule[rule] for rule in used])
    counts = tuple((kind, len(found & own)) for kind, own in ingredients.of_kind.items())
    return Inventory(counts, tuple(_unseen(evidence, pattern, used)))


def _unseen(evidence: Evidence, pattern: Pattern, used: frozenset[int]) -> Iterator[Unseen]:
    ingredients, trained = evidence.ingredients, evidence.trained_rules
    for number in ingredients.used_by(used - trained):
        providers = ingredients.rules_of[number]
        if trained.isdisjoint(providers):
            rules = tuple(rule for rule in providers if rule in used)
            yield Unseen(*ingredients.all[number], _why_unseen(evidence, pattern, number, rules), rules)


def _why_unseen(evidence: Evidence, pattern: Pattern, ingredient: int, rules: Sequence[int]) -> Reason:
    ingredients, targets = evidence.ingredients, frozenset(pattern.targets)
    if all(not targets.isdisjoint(ingredients.lemmas[rule]) for rule in rules):
        return Reason.TARGET
    # The rules that texts can use without any structure that only the items may contain.
    without = evidence.rules_without(evidence.marks(pattern.name))
    if without.isdisjoint(ingredients.rules_of[ingredient]):
        return Reason.STRUCTURE
    kind, _ = ingredients.all[ingredient]
    return Reason.TOGETHER if kind is IngredientKind.RULE else Reason.MISSING
