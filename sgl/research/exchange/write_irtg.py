"""Write the rules and text layers of a grammar as an IRTG for Alto.

A core grammar *is* an interpreted regular tree grammar, so that this is a change of
notation: categories become states, rules become labels, and each template becomes a
term over the string algebra, whose only operation ``*`` concatenates two strings::

    VP -> transitive(V, NP) [0.7]
      [en] *(?1, ?2)
      [ja] *(?2, *('を', ?1))
      [tree] VP_2(?1, ?2)

The last interpretation is the phrase-structure tree over the words of the source
layer, as a term over the algebra of trees whose symbols carry their arity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sgl.core.grammar import CoreGrammar, Rule, Slot, Template, Token
from sgl.research.exchange.irtg_names import CONCATENATION, quotable, quoted
from sgl.research.exchange.spelling import Names, numbered

STRINGS = "de.up.ling.irtg.algebra.StringAlgebra"
TREES = "de.up.ling.irtg.algebra.TreeWithAritiesAlgebra"

#: The name of the rule of a ``word`` declaration.
_WORD = re.compile(r'word "(.*)"', re.DOTALL)


def unwritable_words(grammar: CoreGrammar) -> list[tuple[int, str]]:
    """The words that the codec cannot hold, with their rules.

    They have quotation marks of both kinds, or are spelt like the operation ``*``.
    """
    return [
        (rule.id, item.text)
        for rule in grammar.rules
        for template in rule.templates
        for item in template
        if isinstance(item, Token)
        and (item.text == CONCATENATION or ("'" in item.text and '"' in item.text))
    ]


def write_irtg(grammar: CoreGrammar, labels: Sequence[str] | None, title: str = "") -> str:
    """The grammar in Alto's codec for IRTGs; nothing of its graph layers.

    Args:
        grammar: a grammar without ``capital`` and without unwritable words.
        labels: for each category the label of its nodes in the interpretation of
            phrase-structure trees; without labels there is no such interpretation.
        title: a line of comment.
    """
    interpretations = Names()
    names = [interpretations.free(layer.name) for layer in grammar.text_layers]
    lines = [f"// {' '.join(title.split())}", ""] if title else []
    lines += [f"interpretation {quoted(name)}: {STRINGS}" for name in names]
    tree = interpretations.free("tree")
    if labels is not None:
        lines.append(f"interpretation {quoted(tree)}: {TREES}")
    states = numbered([quotable(category.name) for category in grammar.categories])
    rules = numbered([_label(rule) for rule in grammar.rules])
    for category in _from_start(grammar):
        for rule in grammar.rules_of[category]:
            lines.append("")
            lines.append(_automaton_rule(rule, rules[rule.id], states, grammar.start))
            for name, template in zip(names, rule.templates, strict=True):
                lines.append(f"  [{quoted(name)}] {string_term(template)}")
            if labels is not None:
                lines.append(f"  [{quoted(tree)}] {_tree_term(rule, labels[rule.lhs])}")
    return "\n".join(lines) + "\n"


def _label(rule: Rule) -> str:
    """The name of a rule; a word that is declared by itself has its own."""
    match = _WORD.fullmatch(rule.name)
    return quotable(match[1] if match is not None else rule.name)


def _from_start(grammar: CoreGrammar) -> Iterator[int]:
    """The categories, the start first."""
    yield grammar.start
    yield from (i for i in range(len(grammar.categories)) if i != grammar.start)


def _automaton_rule(rule: Rule, label: str, states: Sequence[str], start: int) -> str:
    final = "!" if rule.lhs == start else ""
    children = ", ".join(quoted(states[child]) for child in rule.rhs)
    right = f"{quoted(label)}({children})" if children else quoted(label)
    return f"{quoted(states[rule.lhs])}{final} -> {right} [{rule.weight!r}]"


def string_term(template: Template) -> str:
    """A template as a term over the string algebra, which concatenates two at a time."""
    parts = [
        f"?{item.child + 1}" if isinstance(item, Slot) else quoted(item.text)
        for item in template
        if isinstance(item, Slot) or item.text
    ]
    if not parts:
        return "''"
    opened = "".join(f"{CONCATENATION}({part}, " for part in parts[:-1])
    return opened + parts[-1] + ")" * (len(parts) - 1)


def _tree_term(rule: Rule, label: str) -> str:
    """The node of a rule over its children and words, as the source layer orders them."""
    parts = [
        f"?{item.child + 1}" if isinstance(item, Slot) else quoted(f"{item.text}_0")
        for item in rule.templates[0]
        if isinstance(item, Slot) or item.text
    ]
    symbol = quoted(f"{label}_{len(parts)}")
    return f"{symbol}({', '.join(parts)})" if parts else symbol
