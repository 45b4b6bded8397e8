"""Remove the readings that confuse names from a packed forest.

A chart knows nothing of names, so *Ann has a brother Ann* may have a reading.  Here each node is divided by the names
in its features and by the other names inside, which stand for bearers that nothing outside can mention::

    (Chain, 0, 9)    first = Ann, last = Cleo     inside: Bob

Two names of a rule, and a name inside one child and anything in another, must differ.  A bearer without a mention is
unknown, and may get a name above.
"""

from collections.abc import Container, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from sgl.core.grammar import CoreGrammar
from sgl.core.graphs import reachable
from sgl.core.interpret import shown_children
from sgl.core.naming import Namer, Ties
from sgl.foreign import limits
from sgl.parsing.forest import Alternative, Forest, Node
from sgl.parsing.spellings import TooLongError

#: A name: its group and its row.
_Name = tuple[int, int]


class _Inside(NamedTuple):
    """The names in a phrase: those in its features, None if unknown, and all others."""

    features: tuple[_Name | None, ...]
    others: frozenset[_Name]


def named(forest: Forest, namer: Namer) -> Forest | None:
    """Return the forest of the readings that are named, or None."""
    #: The parts of each node of the forest by names, each with its alternatives over parts.
    parts: list[dict[_Inside, int]] = []
    found: list[Node] = []
    steps = 0
    for node in forest.nodes:
        own: dict[_Inside, list[Alternative]] = {}
        for rule, children in node.alternatives:
            steps += prod(len(parts[child]) for child in children)
            if steps > limits().steps:
                raise TooLongError("its names can be combined in too many ways")
            for below in product(*(parts[child].items() for child in children)):
                inside = _of_entry(rule, namer) or _combined(namer.ties[rule], [one for one, _ in below])
                if inside is not None:
                    own.setdefault(inside, []).append(Alternative(rule, tuple([number for _, number in below])))
        parts.append({inside: len(found) + place for place, inside in enumerate(own)})
        found += [node._replace(alternatives=tuple(some)) for some in own.values()]
    whole = tuple(sorted(a for number in parts[-1].values() for a in found[number].alternatives))
    return _reached(forest, [*found, forest.root._replace(alternatives=whole)]) if whole else None


def _of_entry(rule: int, namer: Namer) -> _Inside | None:
    group, _, row = namer.entries.get(rule, (0, 0, -1))
    return _Inside(((group, row),), frozenset()) if row >= 0 else None


def _combined(ties: Ties, children: Sequence[_Inside]) -> _Inside | None:
    """Return the names in a phrase, or None if two bearers have one name, or one bearer has two."""
    own, *below = ties
    bearers, inside = dict[int, _Name](), set[_Name]()
    for numbers, child in zip(below, children, strict=True):
        for number, name in zip(numbers, child.features, strict=True):
            if name is not None and bearers.setdefault(number, name) != name:
                return None
        if not inside.isdisjoint(child.others):
            return None
        inside |= child.others
    if len({*bearers.values()}) < len(bearers) or not inside.isdisjoint(bearers.values()):
        return None
    inside.update(name for number, name in bearers.items() if number not in own)
    return _Inside(tuple([bearers.get(number) for number in own]), frozenset(inside))


def _reached(forest: Forest, nodes: Sequence[Node]) -> Forest:
    """Return the nodes below the last one, in order."""
    needed = {len(nodes) - 1}
    for number in range(len(nodes) - 1, -1, -1):
        if number in needed:
            needed.update(child for _, children in nodes[number].alternatives for child in children)
    place = {number: place for place, number in enumerate(sorted(needed))}
    kept = (nodes[number] for number in place)
    return Forest(
        forest.grammar,
        tuple(
            node._replace(
                alternatives=tuple(
                    [Alternative(r, tuple([place[child] for child in below])) for r, below in node.alternatives]
                )
            )
            for node in kept
        ),
    )


def hiding_rules(grammar: CoreGrammar, layer: int, finite: Container[int]) -> set[int]:
    """Return the rules that drop a phrase with names from a text layer, if not all its derivations can be listed."""
    above: dict[int, set[int]] = {number: set() for number in range(len(grammar.categories))}
    for rule in grammar.rules:
        for child in rule.rhs:
            above[child].add(rule.lhs)
    naming = reachable((grammar.rules[rules[0]].lhs for group in grammar.names for rules in group), above)
    found = set[int]()
    for rule in grammar.rules:
        kept = shown_children(rule.templates[layer])
        dropped = {child for place, child in enumerate(rule.rhs) if place not in kept} & naming
        found |= {rule.id for child in dropped if child not in finite}
    return found
