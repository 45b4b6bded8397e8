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
from itertools import chain

from sgl.automata.algebra.tree_automaton import DEAD, TreeAutomaton, leaf_states
from sgl.automata.common import Numbering
from sgl.automata.proofs.claims import IngredientKind, Reason, Unseen
from sgl.automata.proofs.evidence import Evidence
from sgl.core.grammar import CoreGrammar, Rule
from sgl.core.lemmas import introduced_lemmas
from sgl.core.plan import Pattern, Plan


@dataclass(frozen=True, slots=True)
class Ingredient:
    """A word, an entry, a form or a rule by name."""

    kind: IngredientKind
    name: str


class RuleIngredients:
    """What each rule of a grammar provides, and the rules that provide each ingredient.

    Ingredients are given by their numbers in ``ingredients``.
    """

    def __init__(self, grammar: CoreGrammar, plan: Plan) -> None:
        texts = [layer.name for layer in grammar.text_layers]
        # The forms of a view are put together from no words.
        target = texts.index(plan.target) if plan.target in texts else None
        numbers: Numbering[Ingredient] = Numbering()
        self.ingredients = numbers.values
        self.of_rule: list[tuple[int, ...]] = []
        self.lemmas = introduced_lemmas(grammar, plan)
        self.rules_of: dict[int, list[int]] = {}
        for rule in grammar.rules:
            named = map(numbers.number, _ingredients(grammar, rule, self.lemmas[rule.id], target))
            ingredients = tuple(dict.fromkeys(named))
            self.of_rule.append(ingredients)
            for ingredient in ingredients:
                self.rules_of.setdefault(ingredient, []).append(rule.id)

    def used_by(self, rules: Iterable[int]) -> list[int]:
        """Return the ingredients that some rules provide, in the order of the rules."""
        provided = chain.from_iterable([self.of_rule[rule] for rule in sorted(rules)])
        return list(dict.fromkeys(provided))


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
    unseen = [
        ingredient
        for ingredient in ingredients.used_by(used - trained)
        if trained.isdisjoint(ingredients.rules_of[ingredient])
    ]
    judge = _AbsenceReasons(evidence, ingredients, pattern, used)
    number = Counter([ingredients.ingredients[ingredient].kind.value for ingredient in needed])
    return (
        tuple((kind, number[kind.value]) for kind in IngredientKind),
        tuple(judge.judge(ingredient) for ingredient in unseen),
    )


class _AbsenceReasons:
    """Finds the reason why something is not in training."""

    def __init__(
        self,
        evidence: Evidence,
        ingredients: RuleIngredients,
        pattern: Pattern,
        used: frozenset[int],
    ) -> None:
        self._evidence = evidence
        self._ingredients = ingredients
        self._pattern = pattern
        self._used = used
        self._without: frozenset[int] | None = None

    def judge(self, number: int) -> Unseen:
        rules = tuple(rule for rule in self._ingredients.rules_of[number] if rule in self._used)
        ingredient = self._ingredients.ingredients[number]
        return Unseen(ingredient.kind, ingredient.name, self._reason(number, rules), rules)

    def _reason(self, number: int, rules: Sequence[int]) -> Reason:
        targets = frozenset(self._pattern.targets)
        if all(not targets.isdisjoint(self._ingredients.lemmas[rule]) for rule in rules):
            return Reason.TARGET
        if self._usable_without_structure().isdisjoint(self._ingredients.rules_of[number]):
            return Reason.STRUCTURE
        is_rule = self._ingredients.ingredients[number].kind is IngredientKind.RULE
        return Reason.TOGETHER if is_rule else Reason.MISSING

    def _usable_without_structure(self) -> frozenset[int]:
        """Return the rules of texts without what the items may contain and others may not."""
        if self._without is None:
            compiler = self._evidence.compiler
            marks = self._evidence.marks(self._pattern)
            self._without = rules_used(compiler.absence_of_all(marks))
        return self._without


def rules_used(automaton: TreeAutomaton) -> frozenset[int]:
    """Return the rules that some text uses which a trim automaton accepts."""
    words = (rule for rule, state in leaf_states(automaton).items() if state != DEAD)
    phrasal = (
        rule for rule, table in zip(automaton.index.phrasal, automaton.tables, strict=True) if table
    )
    return frozenset((*words, *phrasal))
