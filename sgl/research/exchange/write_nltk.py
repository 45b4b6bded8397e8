"""Write a text layer as a probabilistic context-free grammar of NLTK.

A layer is context-free unless it repeats a child.  A child that the layer drops, or that never has
words in it, is left out: its derivations have the probability 1 together, so that the sentences
keep theirs.  Rules that become the same production are one, with the sum of their weights.

The reader of NLTK takes probabilities without exponents, and nonterminals of letters,
digits and ``-``::

    NP-yes -> Det-def N-yes [0.75]
    Det-def -> 'the' [1.0]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import fsum

from sgl.core.grammar import CoreGrammar, Slot
from sgl.research.exchange.capitals import emptiness
from sgl.research.exchange.names import FreeNames, decimal


def repeating(grammar: CoreGrammar, layer: int) -> list[int]:
    """Return the rules that stop a layer from being context-free: they use a child twice."""
    children = [
        [item.child for item in rule.templates[layer] if isinstance(item, Slot)]
        for rule in grammar.rules
    ]
    return [rule for rule, used in enumerate(children) if len(set(used)) < len(used)]


def write_nltk(grammar: CoreGrammar, layer: int, title: str = "") -> str:
    """Return the productions of a text layer, those of the start category first.

    Args:
        grammar: a grammar without ``capital``, in whose layer no child is repeated and
            every word can be quoted.
        layer: the index of the text layer.
        title: a line of comment.
    """
    names = _nonterminals(grammar)
    spoken = [category.filled for category in emptiness(grammar, layer)]
    # A line that ends with a backslash goes on in the next one.
    lines = [f"# {' '.join(title.split())}".rstrip("\\")] if title else []
    for category in _used(grammar, layer, spoken):
        weights: dict[str, list[float]] = {}
        for rule in grammar.rules_of[category]:
            right = ""
            for item in rule.templates[layer]:
                if isinstance(item, Slot):
                    child = rule.rhs[item.child]
                    right += f"{names[child]} " if spoken[child] else ""
                elif item.text:
                    quote = '"' if "'" in item.text else "'"
                    right += f"{quote}{item.text}{quote} "
            weights.setdefault(right, []).append(rule.weight)
        for right, parts in weights.items():
            lines.append(f"{names[category]} -> {right}[{decimal(fsum(parts))}]")
    return "\n".join(lines) + "\n"


def _used(grammar: CoreGrammar, layer: int, spoken: Sequence[bool]) -> list[int]:
    """Return the categories that have words in the layer, each after one that mentions it."""
    found = {grammar.start: None}
    pending = [grammar.start]
    while pending:
        for rule in grammar.rules_of[pending.pop()]:
            for item in rule.templates[layer]:
                child = rule.rhs[item.child] if isinstance(item, Slot) else grammar.start
                if spoken[child] and child not in found:
                    found[child] = None
                    pending.append(child)
    return list(found)


def _nonterminals(grammar: CoreGrammar) -> list[str]:
    """Return a name for each category: ``NP[anim=yes, mod=none]`` is ``NP-yes-none``."""
    free = FreeNames()
    names = []
    for category in grammar.categories:
        base, _, features = category.name.rstrip("]").partition("[")
        values = [part.rpartition("=")[2] for part in features.split(", ") if part]
        names.append(free.free("-".join(re.sub(r"\W+", "_", part) for part in (base, *values))))
    return names
