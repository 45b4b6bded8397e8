"""Write a grammar for other tools: an IRTG for Alto, or a context-free grammar for NLTK.

Neither has ``capital``, which raises the first letter of a child, but categories can express it: ``S`` gets a copy
``S_capital``, whose rules are those of ``S`` with the first word, or in turn the first child, raised.  If the first
child is empty in some sentences only, the first *word* is not known; such places are inexact.

A core grammar *is* an interpreted regular tree grammar: categories become states, rules labels, and each template a
term over the string algebra, whose only operation ``*`` concatenates two strings.  The last interpretation is the
phrase-structure tree.

For NLTK one text layer is written, which is context-free unless it repeats a child.  A child without words there is
left out, as its derivations together have probability 1.  Rules that become the same production are merged, with the
sum of their weights.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import NamedTuple

from sgl.core.grammar import Category, CoreGrammar, Item, Rule, Slot, Template, Token
from sgl.core.graphs import reachable
from sgl.research.exchange.names import (
    CONCATENATION,
    FreeNames,
    decimal,
    filled,
    make_quotable,
    number_repeated,
    quoted,
)

#: The text layers in which a phrase begins with a capital.
Raised = frozenset[int]


@dataclass(frozen=True)
class WithoutCapitals:
    """A grammar without ``capital``.

    ``category_of`` and ``rule_of`` map each category and rule to its original; ``inexact`` are pairs of an original
    rule and a text layer where the capital may be wrong.
    """

    grammar: CoreGrammar
    category_of: tuple[int, ...]
    rule_of: tuple[int, ...]
    inexact: tuple[tuple[int, int], ...]


def without_capitals(grammar: CoreGrammar, layers: Sequence[int] | None = None) -> WithoutCapitals:
    """Return the grammar with the ``capital`` of some text layers, or of all, expressed by categories."""
    return _Copying(grammar, range(len(grammar.text_layers)) if layers is None else layers).run()


class Emptiness(NamedTuple):
    """Whether the phrases of a category can be empty in a layer, and whether they can be non-empty."""

    empty: bool
    filled: bool


def emptiness(grammar: CoreGrammar, layer: int) -> list[Emptiness]:
    """Return the emptiness of each category in a text layer, as a least fixed point."""
    found = [Emptiness(False, False)] * len(grammar.categories)
    changed = True
    while changed:
        changed = False
        for rule in grammar.rules:
            parts = [
                found[rule.rhs[item.child]] if isinstance(item, Slot) else Emptiness(not item.text, bool(item.text))
                for item in rule.templates[layer]
            ]
            old = found[rule.lhs]
            new = Emptiness(
                old.empty or all(part.empty for part in parts),
                old.filled or (all(map(any, parts)) and any(part.filled for part in parts)),
            )
            changed |= new != old
            found[rule.lhs] = new
    return found


class _Copying:
    """A copier of rules, from the start on; a category has a copy for each set of layers."""

    def __init__(self, grammar: CoreGrammar, layers: Sequence[int]) -> None:
        self.grammar = grammar
        self.layers = frozenset(layers)
        self.emptiness = {layer: emptiness(grammar, layer) for layer in self.layers}
        self.copies: dict[tuple[int, Raised], int] = {}
        self.order: list[tuple[int, Raised]] = []
        self.inexact: dict[tuple[int, int], None] = {}

    def run(self) -> WithoutCapitals:
        start = self._copy(self.grammar.start, frozenset())
        rules: list[Rule] = []
        rule_of: list[int] = []
        # The list grows while it is read, as every rule may need further copies.
        for category, raised in self.order:
            for rule in self.grammar.rules_of[category]:
                rules.append(self._rule(rule, raised, len(rules)))
                rule_of.append(rule.id)
        grammar = replace(self.grammar, categories=tuple(self._categories()), rules=tuple(rules), start=start)
        origins = tuple(category for category, _ in self.order)
        return WithoutCapitals(grammar, origins, tuple(rule_of), tuple(self.inexact))

    def _copy(self, category: int, raised: Raised) -> int:
        filled = frozenset(x for x in raised if self.emptiness[x][category].filled)
        number = self.copies.setdefault((category, filled), len(self.order))
        if number == len(self.order):
            self.order.append((category, filled))
        return number

    def _rule(self, rule: Rule, raised: Raised, number: int) -> Rule:
        wanted: list[set[int]] = [set() for _ in rule.rhs]
        templates = tuple(
            self._template(rule, layer, layer in raised, wanted) if layer in self.layers else template
            for layer, template in enumerate(rule.templates)
        )
        rhs = tuple(map(self._copy, rule.rhs, map(frozenset, wanted)))
        return replace(rule, id=number, lhs=self._copy(rule.lhs, raised), rhs=rhs, templates=templates)

    def _template(self, rule: Rule, layer: int, raise_first: bool, wanted: list[set[int]]) -> Template:
        """Return the template without capitals; ``wanted`` collects the children to be raised."""
        items: list[Item] = []
        plain: set[int] = set()
        pending = raise_first
        for item in rule.constituents(layer):
            if isinstance(item, Token):
                text = item.text
                raising = pending and bool(text)
                items.append(Token(text[0].upper() + text[1:]) if raising else item)
                pending = pending and not raising
                continue
            child = self.emptiness[layer][rule.rhs[item.child]]
            items.append(Slot(item.child))
            if item.capital or (pending and child.filled):
                wanted[item.child].add(layer)
            else:
                plain.add(item.child)
            if pending and child.filled:
                if child.empty:
                    self.inexact[rule.id, layer] = None
                pending = False
        if any(layer in wanted[child] for child in plain):
            self.inexact[rule.id, layer] = None
        return tuple(items)

    def _categories(self) -> list[Category]:
        old = self.grammar.categories
        names = FreeNames(*(category.name for category in old))
        several = len({layer for _, raised in self.order for layer in raised}) > 1
        copies = []
        for category, raised in self.order:
            name = old[category].name
            if raised:
                base, bracket, features = name.partition("[")
                layers = [self.grammar.text_layers[x].name for x in sorted(raised)]
                suffix = "_".join(["", "capital", *(layers if several else ())])
                name = names.free(f"{base}{suffix}{bracket}{features}")
            copies.append(Category(name, old[category].ports))
        return copies


#: The name of the rule of a ``word`` declaration.
_WORD = re.compile(r'word "(.*)"', re.DOTALL)


def write_irtg(grammar: CoreGrammar, labels: Sequence[str] | None, title: str = "") -> str:
    """Write a grammar without ``capital`` in Alto's codec for IRTGs, leaving out graph layers.

    ``labels`` are the node labels of each category in the interpretation of phrase-structure trees; without labels
    there is no such interpretation.  ``title`` is a comment line.
    """
    names = FreeNames()
    states = number_repeated([make_quotable(category.name) for category in grammar.categories])
    rules = number_repeated([_label(rule) for rule in grammar.rules])
    order = sorted(range(len(states)), key=lambda number: number != grammar.start)
    return filled(
        "irtg.j2",
        title=" ".join(title.split()),
        layers=[quoted(names.free(layer.name)) for layer in grammar.text_layers],
        tree=quoted(names.free("tree")),
        labels=labels,
        states=[quoted(state) for state in states],
        names=[quoted(rule) for rule in rules],
        rules=[rule for category in order for rule in grammar.rules_of[category]],
        start=grammar.start,
        string_term=string_term,
        tree_term=_tree_term,
    )


def _label(rule: Rule) -> str:
    match = _WORD.fullmatch(rule.name)
    return make_quotable(match[1] if match is not None else rule.name)


def string_term(template: Template) -> str:
    """Return a template as a term over the string algebra, which concatenates two at a time.

    >>> string_term((Slot(1), Slot(0), Slot(2)))
    '*(?2, *(?1, ?3))'
    """
    if not (parts := _parts(template)):
        return "''"
    opened = "".join(f"{CONCATENATION}({part}, " for part in parts[:-1])
    return opened + parts[-1] + ")" * (len(parts) - 1)


def _tree_term(rule: Rule, label: str) -> str:
    parts = _parts(rule.templates[0], "_0")
    symbol = quoted(f"{label}_{len(parts)}")
    return f"{symbol}({', '.join(parts)})" if parts else symbol


def _parts(template: Template, arity: str = "") -> list[str]:
    return [
        f"?{item.child + 1}" if isinstance(item, Slot) else quoted(item.text + arity)
        for item in template
        if isinstance(item, Slot) or item.text
    ]


def repeating(grammar: CoreGrammar, layer: int) -> list[int]:
    """Return the rules that use a child twice, so that a layer is not context-free."""
    children = [[item.child for item in rule.templates[layer] if isinstance(item, Slot)] for rule in grammar.rules]
    return [rule for rule, used in enumerate(children) if len(set(used)) < len(used)]


def write_nltk(grammar: CoreGrammar, layer: int, title: str = "") -> str:
    """Write the productions of a layer without ``capital`` or repeated children, the start category's first."""
    names = _nonterminals(grammar)
    spoken = [category.filled for category in emptiness(grammar, layer)]
    productions: dict[tuple[int, str], list[float]] = {}
    for category in _used(grammar, layer, spoken):
        for rule in grammar.rules_of[category]:
            right = ""
            for item in rule.templates[layer]:
                if isinstance(item, Slot):
                    child = rule.rhs[item.child]
                    right += f"{names[child]} " if spoken[child] else ""
                elif item.text:
                    quote = '"' if "'" in item.text else "'"
                    right += f"{quote}{item.text}{quote} "
            productions.setdefault((category, right), []).append(rule.weight)
    # A line that ends with a backslash would continue on the next one.
    lines = [f"# {' '.join(title.split())}".rstrip("\\")] if title else []
    lines += [f"{names[left]} -> {right}[{decimal(fsum(parts))}]" for (left, right), parts in productions.items()]
    return "\n".join(lines) + "\n"


def _used(grammar: CoreGrammar, layer: int, spoken: Sequence[bool]) -> list[int]:
    """Return the categories that sentences have in a layer, the start first."""
    below = defaultdict[int, list[int]](list)
    for rule in grammar.rules:
        children = [rule.rhs[item.child] for item in rule.templates[layer] if isinstance(item, Slot)]
        below[rule.lhs] += (child for child in children if spoken[child])
    return [grammar.start, *sorted(reachable([grammar.start], below) - {grammar.start})]


def _nonterminals(grammar: CoreGrammar) -> list[str]:
    free = FreeNames()
    names = []
    for category in grammar.categories:
        base, _, features = category.name.rstrip("]").partition("[")
        values = [part.rpartition("=")[2] for part in features.split(", ") if part]
        names.append(free.free("-".join(re.sub(r"\W+", "_", part) for part in (base, *values))))
    return names
