"""Is everything that generalization items are made of also in training?

There are four kinds of ingredients: a *word* is a lemma; an *entry*, a word in its frame, in whatever form; a *form*,
what a word writes in the target layer; a *rule* has children.  Each that some item uses must have positive mass in
training.  What a pattern is about is excused, and listed: its *targets*, what occurs *with the structure* only, and
rules that several patterns hold out *together* (their other uses contain what others hold out).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from sgl.automata.common import Numbering
from sgl.automata.proofs.claims import IngredientKind, Reason, Unseen
from sgl.automata.proofs.evidence import Evidence, used_rules
from sgl.core.grammar import CoreGrammar, Rule
from sgl.core.plan import Pattern, introduced_lemmas


class Ingredient(NamedTuple):
    """A word, an entry, a form or a rule by name."""

    kind: IngredientKind
    name: str


class RuleIngredients:
    """What each rule provides, by number, and who provides it; training uses ``trained`` rules."""

    def __init__(self, evidence: Evidence) -> None:
        grammar, plan = evidence.compiler.grammar, evidence.plan
        self.trained = used_rules(evidence.training)
        texts = [layer.name for layer in grammar.text_layers]
        # The forms of a view are put together from no words.
        target = texts.index(plan.target) if plan.target in texts else None
        self.lemmas = introduced_lemmas(grammar, plan)
        numbers: Numbering[Ingredient] = Numbering()
        self.of_rule: list[list[int]] = []
        for rule in grammar.rules:
            own = _ingredients(grammar, rule, self.lemmas[rule.id], target)
            self.of_rule.append(list(dict.fromkeys(map(numbers.number, own))))
        self.all = numbers.values
        self.rules_of: list[list[int]] = [[] for _ in self.all]
        for number, ingredients in enumerate(self.of_rule):
            for ingredient in ingredients:
                self.rules_of[ingredient].append(number)

    def used_by(self, rules: Iterable[int]) -> Iterable[int]:
        """Return the ingredients that some rules provide, in the order of the rules."""
        return dict.fromkeys(chain.from_iterable([self.of_rule[rule] for rule in sorted(rules)]))


def _ingredients(grammar: CoreGrammar, rule: Rule, lemmas: Sequence[str], target: int | None) -> Iterator[Ingredient]:
    for lemma in lemmas:
        yield Ingredient(IngredientKind.WORD, lemma)
    if not rule.lexical:
        yield Ingredient(IngredientKind.RULE, rule.name)
        return
    category = grammar.categories[rule.lhs].base
    for lemma in lemmas:
        yield Ingredient(IngredientKind.ENTRY, f"{category}: {lemma}")
    form = "" if target is None else " ".join(rule.words(target))
    if form:
        yield Ingredient(IngredientKind.FORM, form)


def inventory_of(
    evidence: Evidence, ingredients: RuleIngredients, pattern: Pattern
) -> tuple[tuple[tuple[IngredientKind, int], ...], tuple[Unseen, ...]]:
    """Return how many ingredients of each kind items use, and those that training cannot use."""
    if not evidence.populated_training:
        return (), ()
    items = [e for e in evidence.generalization if e.stratum.category == pattern.name]
    used, trained = used_rules(items), ingredients.trained
    kinds = Counter([ingredients.all[i].kind.value for i in ingredients.used_by(used)])
    unseen = []
    for number in ingredients.used_by(used - trained):
        providers = ingredients.rules_of[number]
        if trained.isdisjoint(providers):
            rules = tuple(rule for rule in providers if rule in used)
            reason = _why_unseen(evidence, ingredients, pattern, number, rules)
            unseen.append(Unseen(*ingredients.all[number], reason, rules))
    return tuple((kind, kinds[kind.value]) for kind in IngredientKind), tuple(unseen)


def _why_unseen(
    evidence: Evidence, ingredients: RuleIngredients, pattern: Pattern, ingredient: int, rules: Sequence[int]
) -> Reason:
    targets = frozenset(pattern.targets)
    if all(not targets.isdisjoint(ingredients.lemmas[rule]) for rule in rules):
        return Reason.TARGET
    # What the items may contain and others may not.
    without = evidence.rules_without(evidence.marks(pattern.name))
    if without.isdisjoint(ingredients.rules_of[ingredient]):
        return Reason.STRUCTURE
    rule = ingredients.all[ingredient].kind is IngredientKind.RULE
    return Reason.TOGETHER if rule else Reason.MISSING
