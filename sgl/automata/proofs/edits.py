"""Compare a grammar with what it was before an edit: what do automata depend on, and which rules are the same?"""

from collections.abc import Sequence
from itertools import chain, takewhile
from operator import attrgetter

import numpy as np

from sgl.automata.algebra.tree_automaton import DEAD
from sgl.automata.common import Numbers
from sgl.core.grammar import CoreGrammar, Rule, Token
from sgl.core.interpret import shown_children
from sgl.memory import BRIEFLY, kept, memory


def layers_of(grammar: CoreGrammar) -> tuple[object, ...]:
    """Return what grammars must share for an automaton of one to make sense for another."""
    return grammar.categories, grammar.start, grammar.text_layers, grammar.graph_layers


def equal_but_for_texts(one: CoreGrammar, other: CoreGrammar) -> bool:
    """Return whether the rules of two grammars differ only in weights and words of text layers."""

    def alike(own: Rule, its: Rule) -> bool:
        return own is its or (own.fragments == its.fragments and without_words(own) == without_words(its))

    return len(one.rules) == len(other.rules) and all(map(alike, one.rules, other.rules))


def equal_rules(one: CoreGrammar, other: CoreGrammar) -> Numbers:
    """Return for each rule of ``other`` an equal one, but for its weight; -1 where an edit has changed something."""
    least, own = min(len(one.rules), len(other.rules)), np.arange(len(other.rules))
    before = _equal(one.rules, other.rules)
    behind = min(_equal(one.rules[::-1], other.rules[::-1]), least - before)
    moved = own - len(other.rules) + len(one.rules)
    return np.where(own < before, own, np.where(own >= len(own) - behind, moved, DEAD))


def _equal(one: Sequence[Rule], other: Sequence[Rule]) -> int:
    """Return how many rules at the beginning are equal."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1] or _content(pair[0]) == _content(pair[1]), pairs))


#: What structures can see of a rule.
_content = attrgetter("name", "lhs", "rhs", "templates", "fragments", "roles")


def without_words(rule: Rule) -> tuple[object, ...]:
    """Return a rule without its weight, its words and its graphs."""
    return rule.lhs, rule.rhs, rule.keep, _places(rule)


def _places(rule: Rule) -> tuple[tuple[object, ...], ...]:
    """Return the templates of a rule, without its words."""
    return tuple([tuple([x.weight if isinstance(x, Token) else x for x in text]) for text in rule.templates])


def shape_of(grammar: CoreGrammar, *, worded: bool = True) -> object:
    """Return an object shared by all grammars of one shape, while work is kept.

    Unless ``worded``, rules with children may have other words between them.
    """
    known = memory() and kept(BRIEFLY, (grammar,), ("shape", worded), lambda: _shape(grammar, worded=worded))
    return known or object()


def _shape(grammar: CoreGrammar, *, worded: bool) -> object:
    contents = chain.from_iterable((r.templates, r.fragments) for r in grammar.rules if worded or not r.rhs)
    others = tuple((_places(rule), rule.fragments) for rule in grammar.rules if rule.rhs and not worded)
    rules = tuple((rule.name, rule.lhs, rule.rhs, rule.keep, rule.names) for rule in grammar.rules)
    layers = (grammar.text_layers, grammar.graph_layers, grammar.views, grammar.names)
    slots = (shown_children(r.templates[0]) for r in grammar.rules)
    drops = any(len(own) < len(rule.rhs) for own, rule in zip(slots, grammar.rules, strict=True))
    weights = tuple(rule.weight for rule in grammar.rules) if drops else ()
    equal = (grammar.name, grammar.categories, grammar.start, rules, layers, weights, others)
    return kept("shape", tuple(contents), equal, object)
