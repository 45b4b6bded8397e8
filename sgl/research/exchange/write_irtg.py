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
from collections.abc import Sequence

from sgl.core.grammar import CoreGrammar, Rule, Slot, Template
from sgl.research.exchange.names import (
    CONCATENATION,
    FreeNames,
    make_quotable,
    number_repeated,
    quoted,
)

STRINGS = "de.up.ling.irtg.algebra.StringAlgebra"
TREES = "de.up.ling.irtg.algebra.TreeWithAritiesAlgebra"

#: The name of the rule of a ``word`` declaration.
_WORD = re.compile(r'word "(.*)"', re.DOTALL)


def write_irtg(grammar: CoreGrammar, labels: Sequence[str] | None, title: str = "") -> str:
    """Return the grammar in Alto's codec for IRTGs; nothing of its graph layers.

    Args:
        grammar: a grammar without ``capital``, whose words can all be written.
        labels: for each category the label of its nodes in the interpretation of
            phrase-structure trees; without labels there is no such interpretation.
        title: a line of comment.
    """
    interpretations = FreeNames()
    names = [interpretations.free(layer.name) for layer in grammar.text_layers]
    lines = [f"// {' '.join(title.split())}", ""] if title else []
    lines += [f"interpretation {quoted(name)}: {STRINGS}" for name in names]
    tree = interpretations.free("tree")
    if labels is not None:
        lines.append(f"interpretation {quoted(tree)}: {TREES}")
    states = number_repeated([make_quotable(category.name) for category in grammar.categories])
    rules = number_repeated([_label(rule) for rule in grammar.rules])
    for category in sorted(range(len(states)), key=lambda number: number != grammar.start):
        for rule in grammar.rules_of[category]:
            lines.append("")
            lines.append(_automaton_rule(rule, rules[rule.id], states, grammar.start))
            for name, template in zip(names, rule.templates, strict=True):
                lines.append(f"  [{quoted(name)}] {string_term(template)}")
            if labels is not None:
                lines.append(f"  [{quoted(tree)}] {_tree_term(rule, labels[rule.lhs])}")
    return "\n".join(lines) + "\n"


def _label(rule: Rule) -> str:
    """Return the name of a rule; a word declaration has that of its word."""
    match = _WORD.fullmatch(rule.name)
    return make_quotable(match[1] if match is not None else rule.name)


def _automaton_rule(rule: Rule, label: str, states: Sequence[str], start: int) -> str:
    final = "!" if rule.lhs == start else ""
    children = ", ".join(quoted(states[child]) for child in rule.rhs)
    right = f"{quoted(label)}({children})" if children else quoted(label)
    return f"{quoted(states[rule.lhs])}{final} -> {right} [{rule.weight!r}]"


def string_term(template: Template) -> str:
    """Return a template as a term over the string algebra, which concatenates two at a time.

    >>> string_term((Slot(1), Slot(0), Slot(2)))
    '*(?2, *(?1, ?3))'
    """
    parts = _parts(template)
    if not parts:
        return "''"
    opened = "".join(f"{CONCATENATION}({part}, " for part in parts[:-1])
    return opened + parts[-1] + ")" * (len(parts) - 1)


def _tree_term(rule: Rule, label: str) -> str:
    """Return the node of a rule over its children and words, in the order of the source layer."""
    parts = _parts(rule.templates[0], "_0")
    symbol = quoted(f"{label}_{len(parts)}")
    return f"{symbol}({', '.join(parts)})" if parts else symbol


def _parts(template: Template, arity: str = "") -> list[str]:
    """Return the variables and words of a template, with the arity of words if it is written."""
    return [
        f"?{item.child + 1}" if isinstance(item, Slot) else quoted(item.text + arity)
        for item in template
        if isinstance(item, Slot) or item.text
    ]
