"""Derivations as text: s-expressions, and what can be said of their size.

A derivation is written with the names of its rules; a rule that introduces
words and has no children is called by its words in the source layer::

    (statement (clause (np the dog) (intransitive slept)))

Rules that would get the same name, because the compiler has expanded features
or a word has several readings, are told apart by their category, and where
that does not suffice by a number: ``np:NP[anim=yes]``, ``bank:N#2``.  So equal
texts mean equal derivations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from sgl.core.grammar import EXTRACTED, CoreGrammar, Rule, Token
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation

#: UD relations by which phrases nest in phrases of the same kind.
RECURSIVE_RELATIONS = frozenset(
    ("acl", "advcl", "amod", "appos", "ccomp", "conj", "csubj", "nmod", "parataxis", "xcomp")
)

#: Characters that have a meaning in an s-expression.
_RESERVED = frozenset('()"\\:#')


class DerivationNotation:
    """Writes the derivations of a grammar as s-expressions."""

    def __init__(self, grammar: CoreGrammar, source: int) -> None:
        """``source`` is the text layer whose words name the lexical rules."""
        self.labels = _labels(grammar, source)
        self._arity = [len(rule.rhs) for rule in grammar.rules]

    def write(self, derivation: Derivation) -> str:
        """The s-expression of ``derivation``."""
        labels, arity = self.labels, self._arity
        stack: list[str] = []
        for rule in reversed(derivation):
            children = arity[rule]
            if children:
                parts = " ".join(reversed(stack[-children:]))
                del stack[-children:]
                stack.append(f"({labels[rule]} {parts})")
            else:
                stack.append(labels[rule])
        return stack[0]

    def height(self, derivation: Derivation) -> int:
        """The number of rules on the longest path from the root; 1 for a single rule."""
        stack: list[int] = []
        for rule in reversed(derivation):
            children = self._arity[rule]
            if children:
                below = max(stack[-children:])
                del stack[-children:]
                stack.append(below + 1)
            else:
                stack.append(1)
        return stack[0]


def item_id(expression: str) -> str:
    """The id of an item: 16 hexadecimal digits of the SHA-256 of its derivation."""
    return sha256(expression.encode()).hexdigest()[:16]


def recursive_labels(grammar: CoreGrammar, layer: int) -> tuple[str, ...]:
    """The labels of graph layer ``layer`` that are recursive relations, sorted.

    Subtypes count: ``acl:relcl`` is an ``acl``.
    """
    labels = {
        edge.label
        for rule in grammar.rules
        for edge in rule.fragments[layer].edges
        if not edge.label.startswith(EXTRACTED)
    }
    return tuple(sorted(lab for lab in labels if lab.partition(":")[0] in RECURSIVE_RELATIONS))


def features(graph: Graph, labels: Sequence[str]) -> str:
    """How often each of ``labels`` occurs in the graph: ``acl:relcl=0;ccomp=2``."""
    counts = Counter(label for _, label, _ in graph.edges)
    return ";".join(f"{label}={counts[label]}" for label in labels)


def _labels(grammar: CoreGrammar, source: int) -> list[str]:
    names = [_atom(_name(rule, source)) for rule in grammar.rules]
    with_category = [
        f"{name}:{_atom(grammar.categories[rule.lhs].name)}"
        for name, rule in zip(names, grammar.rules, strict=True)
    ]
    names = _disambiguated(names, with_category)
    seen: Counter[str] = Counter()
    ranked: list[str] = []
    for name in names:
        seen[name] += 1
        ranked.append(f"{name}#{seen[name]}")
    return _disambiguated(names, ranked)


def _name(rule: Rule, source: int) -> str:
    """The words of a lexical rule, or the name of any other."""
    words = [item.text for item in rule.templates[source] if isinstance(item, Token)]
    return " ".join(words) if rule.lexical and words else rule.name


def _disambiguated(names: list[str], longer: list[str]) -> list[str]:
    """Each name that occurs once, and the longer form of the others."""
    counts = Counter(names)
    return [name if counts[name] == 1 else long for name, long in zip(names, longer, strict=True)]


def _atom(name: str) -> str:
    """A name without spaces and reserved characters, or the name in quotes."""
    if name and not any(character.isspace() or character in _RESERVED for character in name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
