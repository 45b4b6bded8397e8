"""Reduce the rules of a grammar to what a structure sees of them.

A schema sees only how a rule glues the ports of its children, which predicates the new nodes pass, and the edges that
some atom could use.  Rules that agree in this are one *symbol*: under ``{ V -[obj]-> N }`` all nouns are one.  Node
labels are numbered, and a set of labels is a mask, so a node test on thousands of words is decided for all of them at
once.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np

from sgl.automata.common import Mask, Numbering, Numbers, UnsupportedStructure, as_numbers
from sgl.automata.patterns.query import Effect, Predicate, Query, bits
from sgl.core.grammar import HEAD, CoreGrammar, Edge, Fragment, Rule
from sgl.core.joint import seen_by

#: A number for each rule, by its id.
Column: TypeAlias = "array[int]"


class LocalEdge(NamedTuple):
    """An edge between local nodes, with its effect."""

    source: int
    effect: Effect
    target: int


class Symbol(NamedTuple):
    """A fragment reduced to what a schema sees.

    ``ports[c][p]`` is the local node of port ``p`` of child ``c``; ``labels[x]`` the bit set of the predicates that the
    label of local node ``x`` passes, or ``None`` if the rule does not label it; ``fresh`` has the nodes that no child
    contributes to; ``exports[p]`` the local node of the rule's port ``p``.
    """

    ports: tuple[tuple[int, ...], ...]
    labels: tuple[int | None, ...]
    fresh: tuple[int, ...]
    edges: tuple[LocalEdge, ...]
    exports: tuple[int, ...]


class Frame(NamedTuple):
    """A symbol with the labels of edges in place of effects; of its ``size`` local nodes, some are ``labelled``."""

    ports: tuple[tuple[int, ...], ...]
    size: int
    labelled: tuple[int, ...]
    fresh: tuple[int, ...]
    edges: tuple[Edge, ...]
    exports: tuple[int, ...]


def frame_of(grammar: CoreGrammar, rule: Rule, layer: int) -> Frame:
    """Find the local node of every port of every child in a graph layer; raises ``UnsupportedStructure``.

    A port that the fragment does not mention gets a local node that is forgotten at once.
    """
    fragment, name = rule.fragments[layer], grammar.graph_layers[layer].name
    if len(set(fragment.exports)) < len(fragment.exports):
        raise UnsupportedStructure(f"rule {rule.name} gives one node two ports")
    glued = _glued(rule, fragment)
    children = [
        [(child, port) for port in range(len(grammar.categories[category].ports_in(name)))]
        for child, category in enumerate(rule.rhs)
    ]
    unmentioned = [port for port in chain.from_iterable(children) if port not in glued]
    glued |= {port: local for local, port in enumerate(unmentioned, len(fragment.nodes))}
    labelled = [local for local, node in enumerate(fragment.nodes) if node.attributes is not None]
    return Frame(
        ports=tuple(tuple(map(glued.__getitem__, ports)) for ports in children),
        size=len(fragment.nodes) + len(unmentioned),
        labelled=tuple(labelled),
        fresh=tuple(_fresh(fragment, labelled, grammar.categories[rule.lhs].ports_in(name))),
        edges=tuple(dict.fromkeys(fragment.edges)),
        exports=fragment.exports,
    )


def _fresh(fragment: Fragment, labelled: Sequence[int], ports: Sequence[str]) -> Iterator[int]:
    """Yield the nodes that no child contributes to, except the head of a phrase without words, a mere place."""
    heads = {node for node, port in zip(fragment.exports, ports, strict=True) if port.rpartition(".")[2] == HEAD}
    for local, node in enumerate(fragment.nodes):
        if not node.glue and (local in labelled or local not in heads):
            yield local


def _glued(rule: Rule, fragment: Fragment) -> dict[tuple[int, int], int]:
    """Return the local node of each child's port that the fragment mentions."""
    glued: dict[tuple[int, int], int] = {}
    for local, node in enumerate(fragment.nodes):
        if len({child for child, _ in node.glue}) < len(node.glue):
            raise UnsupportedStructure(f"rule {rule.name} merges two ports of one child")
        glued |= dict.fromkeys(node.glue, local)
    return glued


class FragmentIndex:
    """The fragments of all rules in one graph layer, with numbered frames and labels."""

    def __init__(self, grammar: CoreGrammar, layer: str) -> None:
        grammar = seen_by(grammar, layer)
        number = grammar.graph_layer(layer)
        frames: Numbering[Frame] = Numbering()
        labels: Numbering[tuple[tuple[str, str], ...]] = Numbering()
        self._frame_of = np.array([frames.number(frame_of(grammar, r, number)) for r in grammar.rules], np.intp)
        self._frames, self._labels = frames.values, labels.values
        self._edge_labels = {edge.label for frame in frames.values for edge in frame.edges}
        self._labels_of: list[list[int]] = []
        for rule in grammar.rules:
            attributes = [node.attributes for node in rule.fragments[number].nodes]
            self._labels_of.append([labels.number(a) for a in attributes if a is not None])
        # There is a column for each place; a missing label has the highest number.
        width = max(map(len, self._labels_of), default=0)
        rows = [(own + [len(self._labels)] * width)[:width] for own in self._labels_of]
        self._columns = np.array(rows, np.intp).reshape(len(rows), width).T
        self._values: dict[str, tuple[dict[str, int], Numbers]] = {}
        self._passing: dict[Predicate, Mask] = {}

    def symbols(self, query: Query, number: Callable[[Symbol], int]) -> Column:
        """Return the number of each rule's symbol, as ``query`` sees the rule."""
        effects = {label: effect for label in self._edge_labels if (effect := query.effect(label)) is not None}
        # The highest label, which stands for a missing one, passes nothing.
        passing = [np.append(self._passes(predicate), False) for predicate in query.predicates]
        kinds = self._frame_of
        if passing:
            # Pack eight masks into one number for each label.
            blocks = as_numbers([*np.packbits(passing, axis=0).astype(np.intp)], 256)
            kinds = as_numbers((kinds, *blocks[self._columns]), int(blocks.max()) + 1)
        _, first, kind_of = np.unique(kinds, return_index=True, return_inverse=True)
        numbers = [number(self._symbol(rule, passing, effects)) for rule in first.tolist()]
        return array("i", np.array(numbers, np.intc)[kind_of].tobytes())

    def _symbol(self, rule: int, passing: Sequence[Mask], effects: dict[str, Effect]) -> Symbol:
        frame = self._frames[self._frame_of[rule]]
        labels: list[int | None] = [None] * frame.size
        for node, label in zip(frame.labelled, self._labels_of[rule], strict=True):
            labels[node] = bits(mask[label] for mask in passing)
        edges = (edge for edge in frame.edges if edge.label in effects)
        seen = tuple([LocalEdge(edge.source, effects[edge.label], edge.target) for edge in edges])
        return Symbol(frame.ports, tuple(labels), frame.fresh, seen, frame.exports)

    def _passes(self, predicate: Predicate) -> Mask:
        """Return the mask of labels that pass a predicate, which must not be changed."""
        if predicate not in self._passing:
            passing = []
            for test in predicate:
                if test.attribute not in self._values:
                    numbers: dict[str, int] = {}
                    found = [dict(label).get(test.attribute, "") for label in self._labels]
                    column = np.array([numbers.setdefault(v, len(numbers)) for v in found], np.intp)
                    self._values[test.attribute] = numbers, column
                values, column = self._values[test.attribute]
                accepted = np.full(len(values), test.negated)
                accepted[[values[value] for value in test.values if value in values]] = not test.negated
                passing.append(accepted[column])
            self._passing[predicate] = np.logical_and.reduce(passing)
        return self._passing[predicate]
