"""Is everything that generalization items are made of also in training?

Four kinds of ingredients make up an item::

    Liam lends Emma a book.  リアムがエマに本を貸す。

    word    lend                  a lemma
    entry   Vd: lend              a word in its frame, in whatever form
    form    貸す                   what a word writes in the target layer
    rule    present_double_object a rule with children, as it is written

Each that some item uses must have positive mass in training.  What a pattern is
about is excused, and listed: its *targets*, what occurs *with the structure* only
(every text with it contains what the pattern holds out), and rules that several
patterns hold out *together* (their other uses contain what others hold out).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sgl.automata.algebra.tree_automaton import DEAD, TreeAutomaton, leaf_states
from sgl.automata.proofs.claims import IngredientKind, Reason, Unseen
from sgl.automata.proofs.evidence import Evidence
from sgl.core.grammar import CoreGrammar, Rule
from sgl.core.lemmas import introduced_lemmas
from sgl.core.plan import Pattern, Plan


class Ingredient(NamedTuple):
    """A word, an entry, a form or a rule by name."""

    kind: IngredientKind
    name: str


class RuleIngredients:
    """What each rule of a grammar provides, and the rules that provide each ingredient."""

    def __init__(self, grammar: CoreGrammar, plan: Plan) -> None:
        texts = [layer.name for layer in grammar.text_layers]
        # The forms of a view are put together from no words.
        target = texts.index(plan.target) if plan.target in texts else None
        self.lemmas = introduced_lemmas(grammar, plan)
        self.of_rule = [
            tuple(dict.fromkeys(_ingredients(grammar, rule, self.lemmas[rule.id], target)))
            for rule in grammar.rules
        ]
        self.rules_of: dict[Ingredient, list[int]] = {}
        for rule, ingredients in enumerate(self.of_rule):
            for ingredient in ingredients:
                self.rules_of.setdefault(ingredient, []).append(rule)

    def used_by(self, rules: Iterable[int]) -> list[Ingredient]:
        """Return the ingredients that some rules provide, in the order of the rules."""
        return list(dict.fromkeys(i for rule in sorted(rules) for i in self.of_rule[rule]))


def _ingredients(
    grammar: CoreGrammar, rule: Rule, lemmas: Sequence[str], target: int | None
) -> Iterator[Ingredient]:
    for lemma in lemmas:
        yield Ingredient(IngredientKind.WORD, lemma)
    if not rule.lexical:
        yield Ingredient(IngredientKind.RULE, rule.name)
        return
    category = grammar.categories[rule.lhs].name.partition("[")[0]
    for lemma in lemmas:
        yield Ingredient(IngredientKind.ENTRY, f"{category}: {lemma}")
    if target is None:
        return
    form = " ".join(rule.words(target))
    if form:
        yield Ingredient(IngredientKind.FORM, form)


def inventory_of(
    evidence: Evidence, ingredients: RuleIngredients, pattern: Pattern
) -> tuple[tuple[tuple[IngredientKind, int], ...], tuple[Unseen, ...]]:
    """Return how many ingredients of each kind items use, and those that training cannot.

    Without training sentences nothing is asked of them.
    """
    if not evidence.populated_training:
        return (), ()
    used = evidence.used_by_items_of(pattern.name)
    trained = evidence.used_in_training
    needed = ingredients.used_by(used)
    number = Counter([ingredient.kind for ingredient in needed])
    unseen = [
        ingredient
        for ingredient in ingredients.used_by(used - trained)
        if trained.isdisjoint(ingredients.rules_of[ingredient])
    ]
    reasons = _AbsenceReasons(evidence, ingredients, pattern)
    found = []
    for ingredient in unseen:
        rules = tuple(rule for rule in ingredients.rules_of[ingredient] if rule in used)
        found.append(Unseen(*ingredient, reasons.of(ingredient, rules), rules))
    return tuple((kind, number[kind]) for kind in IngredientKind), tuple(found)


@dataclass(frozen=True)
class _AbsenceReasons:
    """Finds the reason why something is not in training."""

    evidence: Evidence
    ingredients: RuleIngredients
    pattern: Pattern

    def of(self, ingredient: Ingredient, rules: Sequence[int]) -> Reason:
        """Return the reason for an ingredient that these rules provide to items."""
        lemmas = self.ingredients.lemmas
        if all(not self._targets.isdisjoint(lemmas[rule]) for rule in rules):
            return Reason.TARGET
        if self._usable_without_structure.isdisjoint(self.ingredients.rules_of[ingredient]):
            return Reason.STRUCTURE
        return Reason.TOGETHER if ingredient.kind is IngredientKind.RULE else Reason.MISSING

    @cached_property
    def _targets(self) -> frozenset[str]:
        return frozenset(self.pattern.targets)

    @cached_property
    def _usable_without_structure(self) -> frozenset[int]:
        """The rules of texts without what the items may contain and others may not."""
        marks = self.evidence.marks(self.pattern)
        return rules_used(self.evidence.compiler.absence_of_all(marks))


def rules_used(automaton: TreeAutomaton) -> frozenset[int]:
    """Return the rules that some text uses which a trim automaton accepts."""
    words = (rule for rule, state in leaf_states(automaton).items() if state != DEAD)
    phrasal = automaton.index.phrasal_array[automaton.rules]
    return frozenset((*words, *phrasal.tolist()))
