"""One graph layer of a grammar as numbers, for the kernels that glue and write graphs.

What a rule does in the layer is a short program in one array: its children, the items of
its template in the text layer of the words, its nodes, its edges, its ports.  ``NP -> Det N``
with ``1 -det-> 0`` and the head ``1`` is::

    2 0   2  0 2   0 0   1   2  -1 -1 1 0 0  -1 -1 1 1 0   1  1 7 0   0   1 1
    children,  template:     two nodes, each glued from    one edge,  none  one port,
    no word of own  0, 1     port 0 of a child             label 7    last  node 1

Labels are numbered in the order of their spelling, so that edges can be sorted by number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sgl.core.derivations import Derivations
from sgl.core.gluing import WORD, Attributes, GluingRule
from sgl.core.grammar import CoreGrammar, Slot, Template, Token

Value = TypeVar("Value", str, Attributes)


class Programs(NamedTuple):
    """The programs of all rules: that of rule ``r`` begins at ``code[start[r]]``.

    A program has these parts, each a number of entries and then the entries:

    - children: their number; 1 if the template leaves one out; the number of own words
    - items of the template: ``2 * child + capital``, or ``-1 - (2 * word + empty)``
    - nodes: attributes or -1, own word or -1, the number of glued ports, (child, port) each
    - edges, then last edges: source, label, target
    - ports: the nodes
    """

    code: NDArray[np.int32]
    start: NDArray[np.int32]


class Limits(NamedTuple):
    """The most that a single rule has of anything; kernels size their tables by it."""

    children: int
    words: int
    nodes: int
    edges: int
    last: int
    ports: int


class Graphs(NamedTuple):
    """Graphs of many derivations.

    The nodes of item ``i`` are ``nodes[v]`` from ``first_node[i]`` to
    ``first_node[i + 1]``, in the order of their words, each with its attributes and its
    position; those of its words are in ``words``: twice the number of the word, and 1 more
    if it has a capital.  The edges of node ``v`` are ``edges[first_edge[v]:
    first_edge[v + 1]]``, each with its label and its target, which counts in the item.  An
    ``odd`` item is left to plain Python.
    """

    derivations: Derivations
    odd: NDArray[np.uint8]
    head: NDArray[np.int32]
    first_node: NDArray[np.int64]
    nodes: NDArray[np.int32]
    first_edge: NDArray[np.int64]
    edges: NDArray[np.int32]
    first_word: NDArray[np.int64]
    words: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PackedLayer:
    """A graph layer of a grammar, packed.

    Numbers stand for positions in ``attributes``, ``labels`` and ``words``.
    """

    grammar: CoreGrammar
    layer: int
    attributes: tuple[Attributes, ...]
    labels: tuple[str, ...]
    words: tuple[str, ...]
    programs: Programs
    limits: Limits

    @property
    def anchor(self) -> int:
        """The index of the text layer whose words the nodes are."""
        return self.grammar.text_layer(self.grammar.graph_layers[self.layer].anchor)

    def graphs(self, derivations: Derivations) -> Graphs:
        """The graphs of some derivations, some ten thousand at a time."""
        from sgl.rendering.glue_kernel import glue_all

        return glue_all(
            self.programs,
            self.limits,
            derivations,
            free=self.grammar.graph_layers[self.layer].free,
        )


def pack_layer(grammar: CoreGrammar, layer: int) -> PackedLayer:
    """Pack the graph layer with an index."""
    rules = grammar.gluing[layer]
    anchor = grammar.text_layer(grammar.graph_layers[layer].anchor)
    templates = [rule.templates[anchor] for rule in grammar.rules]
    numbers = _Numbers(rules, templates)
    code: list[int] = []
    start: list[int] = []
    for arity, rule, template in zip(grammar.arity, rules, templates, strict=True):
        start.append(len(code))
        code += numbers.program(arity, rule, template)
    return PackedLayer(
        grammar,
        layer,
        tuple(numbers.attributes),
        tuple(numbers.labels),
        tuple(numbers.words),
        Programs(np.array(code, np.int32), np.array(start, np.int32)),
        _limits(grammar, rules),
    )


def _limits(grammar: CoreGrammar, rules: Iterable[GluingRule]) -> Limits:
    sizes = [
        (
            rule.items.count(WORD),
            len(rule.nodes),
            len(rule.edges),
            len(rule.last),
            len(rule.exports),
        )
        for rule in rules
    ]
    return Limits(max(grammar.arity, default=0), *(max(kind) for kind in zip(*sizes, strict=True)))


class _Numbers:
    """The numbers of attributes, labels and words."""

    def __init__(self, rules: Iterable[GluingRule], templates: Iterable[Template]) -> None:
        attributes = {
            node.attributes for rule in rules for node in rule.nodes if node.attributes is not None
        }
        labels = {label for rule in rules for _, label, _ in (*rule.edges, *rule.last)}
        words = {item.text for items in templates for item in items if isinstance(item, Token)}
        self.attributes = _numbered(attributes)
        self.labels = _numbered(labels)
        self.words = _numbered(words)

    def program(self, arity: int, rule: GluingRule, template: Template) -> list[int]:
        """What a rule does, as numbers."""
        own = [place for place, child in enumerate(rule.items) if child == WORD]
        leaves_out = len({child for child in rule.items if child != WORD}) < arity
        code = [arity, int(leaves_out), len(own), len(template)]
        for item in template:
            if isinstance(item, Slot):
                code.append(2 * item.child + item.capital)
            else:
                code.append(-1 - (2 * self.words[item.text] + (not item.text)))
        code.append(len(rule.nodes))
        for node in rule.nodes:
            code.append(-1 if node.attributes is None else self.attributes[node.attributes])
            code.append(-1 if node.token is None else own.index(node.token))
            code.append(len(node.glue))
            code += [number for pair in node.glue for number in pair]
        for edges in (rule.edges, rule.last):
            code.append(len(edges))
            for source, label, target in edges:
                code += (source, self.labels[label], target)
        return [*code, len(rule.exports), *rule.exports]


def _numbered(values: set[Value]) -> dict[Value, int]:
    """Values by their order."""
    return {value: number for number, value in enumerate(sorted(values))}
