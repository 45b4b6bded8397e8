"""Is everything that generalization items are made of also in training?

Four kinds of things make up an item::

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
from enum import Enum
from itertools import chain

from sgl.automata.algebra.tree_automaton import DEAD, GrammarIndex, TreeAutomaton, leaf_states
from sgl.automata.numbering import Numbering
from sgl.automata.proofs.evidence import Evidence
from sgl.core.grammar import CoreGrammar, Rule, Token
from sgl.core.plan import Pattern, Plan


class Kind(Enum):
    """What kind of thing an item is made of."""

    WORD = "word"
    ENTRY = "entry"
    FORM = "form"
    RULE = "rule"


class Reason(Enum):
    """Why training need not contain something, or ``MISSING``."""

    TARGET = "target"
    STRUCTURE = "with the structure"
    TOGETHER = "held out together"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Unseen:
    """Something that items can use and training cannot; ``rules`` are ids that provide it."""

    kind: Kind
    name: str
    reason: Reason
    rules: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Thing:
    """A word, an entry, a form or a rule by name."""

    kind: Kind
    name: str


class Things:
    """What each rule of a grammar provides, and the rules that provide each thing.

    Things are given by their numbers in ``things``.
    """

    def __init__(self, grammar: CoreGrammar, plan: Plan) -> None:
        layer = grammar.graph_layer(plan.lemma_layer) if plan.lemma_layer else None
        texts = [layer.name for layer in grammar.text_layers]
        # The forms of a view are put together from no words.
        target = texts.index(plan.target) if plan.target in texts else None
        numbers: Numbering[Thing] = Numbering()
        self.things = numbers.values
        self.of_rule: list[tuple[int, ...]] = []
        self.lemmas: list[tuple[str, ...]] = []
        self.rules_of: dict[int, list[int]] = {}
        for rule in grammar.rules:
            lemmas = () if layer is None else tuple(_lemmas(rule, layer))
            named = map(numbers.number, _things(grammar, rule, lemmas, target))
            things = tuple(dict.fromkeys(named))
            self.lemmas.append(lemmas)
            self.of_rule.append(things)
            for thing in things:
                self.rules_of.setdefault(thing, []).append(rule.id)

    def used_by(self, rules: Iterable[int]) -> list[int]:
        """The things that some rules provide, in the order of the rules."""
        provided = chain.from_iterable([self.of_rule[rule] for rule in sorted(rules)])
        return list(dict.fromkeys(provided))


def _lemmas(rule: Rule, layer: int) -> Iterator[str]:
    for node in rule.fragments[layer].nodes:
        lemma = dict(node.attributes or ()).get("lemma")
        if lemma:
            yield lemma


def _things(
    grammar: CoreGrammar, rule: Rule, lemmas: Sequence[str], target: int | None
) -> Iterator[Thing]:
    for lemma in lemmas:
        yield Thing(Kind.WORD, lemma)
    if not rule.lexical:
        yield Thing(Kind.RULE, rule.name)
        return
    category = grammar.categories[rule.lhs].name.partition("[")[0]
    for lemma in lemmas:
        yield Thing(Kind.ENTRY, f"{category}: {lemma}")
    if target is None:
        return
    form = " ".join(item.text for item in rule.templates[target] if isinstance(item, Token))
    if form:
        yield Thing(Kind.FORM, form)


def take_stock(
    evidence: Evidence, things: Things, pattern: Pattern
) -> tuple[tuple[tuple[Kind, int], ...], tuple[Unseen, ...]]:
    """How many things of each kind a pattern's items can use, and those that training cannot.

    Without training sentences nothing is asked of them.
    """
    if not evidence.drawn_training:
        return (), ()
    used = evidence.used_by_items_of(pattern.name)
    trained = evidence.used_in_training
    needed = things.used_by(used)
    unseen = [
        thing
        for thing in things.used_by(used - trained)
        if trained.isdisjoint(things.rules_of[thing])
    ]
    judge = _Judge(evidence, things, pattern, used)
    number = Counter([things.things[thing].kind.value for thing in needed])
    return (
        tuple((kind, number[kind.value]) for kind in Kind),
        tuple(judge.judge(thing) for thing in unseen),
    )


class _Judge:
    """Finds the reason why something is not in training."""

    def __init__(
        self, evidence: Evidence, things: Things, pattern: Pattern, used: frozenset[int]
    ) -> None:
        self._evidence = evidence
        self._things = things
        self._pattern = pattern
        self._used = used
        self._without: frozenset[int] | None = None

    def judge(self, number: int) -> Unseen:
        rules = tuple(rule for rule in self._things.rules_of[number] if rule in self._used)
        thing = self._things.things[number]
        return Unseen(thing.kind, thing.name, self._reason(number, rules), rules)

    def _reason(self, number: int, rules: Sequence[int]) -> Reason:
        targets = frozenset(self._pattern.targets)
        if all(not targets.isdisjoint(self._things.lemmas[rule]) for rule in rules):
            return Reason.TARGET
        if self._usable_without_structure().isdisjoint(self._things.rules_of[number]):
            return Reason.STRUCTURE
        is_rule = self._things.things[number].kind is Kind.RULE
        return Reason.TOGETHER if is_rule else Reason.MISSING

    def _usable_without_structure(self) -> frozenset[int]:
        """The rules of texts without what the items may contain and others may not."""
        if self._without is None:
            compiler = self._evidence.compiler
            marks = self._evidence.marks(self._pattern)
            self._without = rules_used(compiler.index, compiler.absence_of_all(marks))
        return self._without


def rules_used(index: GrammarIndex, automaton: TreeAutomaton) -> frozenset[int]:
    """The rules that some text uses which a trim automaton accepts."""
    words = (rule for rule, state in leaf_states(index, automaton).items() if state != DEAD)
    phrasal = (rule for rule, table in zip(index.phrasal, automaton.tables, strict=True) if table)
    return frozenset((*words, *phrasal))
