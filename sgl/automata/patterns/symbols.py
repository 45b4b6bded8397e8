"""Read rules as the automaton of a structure sees them.

Of a rule's fragment a schema sees only how the ports of the children are glued, which predicates
the new nodes pass, and the edges that some atom could use.  Rules that agree in this are one
*symbol*: under ``{ V -[obj]-> N }`` all nouns are one symbol.  The labels of nodes are numbered,
and a set of labels is a mask, so that a node test on thousands of words is decided for all at once.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from sgl.automata.common import Mask, Numbering, Numbers, UnsupportedStructure, as_numbers
from sgl.automata.patterns.schema import Predicate, Query
from sgl.core.grammar import HEAD, CoreGrammar, Edge, Rule
from sgl.core.joint import seen_by
from sgl.core.structure import LabelTest, NodeTest

Attributes = tuple[tuple[str, str], ...]


class Effect(NamedTuple):
    """What an edge label means to a schema.

    ``goals[i]`` are the edge goals it satisfies in clause ``i`` (the body first),
    ``relations`` and ``counters`` those that it takes part in; all by index.  An edge that is
    counted has its ``label``, since it counts once even if several rules write it.
    """

    goals: tuple[tuple[int, ...], ...]
    relations: tuple[int, ...]
    counters: tuple[int, ...]
    label: str


class LocalEdge(NamedTuple):
    """An edge between local nodes, with its effect."""

    source: int
    effect: Effect
    target: int


class Symbol(NamedTuple):
    """A fragment as a schema sees it.

    ``ports[c][p]`` is the local node of port ``p`` of child ``c``; ``labels[x]`` the bit set of the predicates that
    the label of local node ``x`` passes, or ``None`` if the rule does not label it; ``fresh`` the nodes that no child
    contributes to; ``exports[p]`` the local node of the rule's port ``p``.
    """

    ports: tuple[tuple[int, ...], ...]
    labels: tuple[int | None, ...]
    fresh: tuple[int, ...]
    edges: tuple[LocalEdge, ...]
    exports: tuple[int, ...]


class Frame(NamedTuple):
    """A fragment without the contents of its labels.

    ``labelled`` are the local nodes that have a label, of ``size`` ones; the rest is as in
    :class:`Symbol`, with the labels of edges instead of their effects.
    """

    ports: tuple[tuple[int, ...], ...]
    size: int
    labelled: tuple[int, ...]
    fresh: tuple[int, ...]
    edges: tuple[Edge, ...]
    exports: tuple[int, ...]


def frame_of(grammar: CoreGrammar, rule: Rule, layer: int) -> Frame:
    """Find the local node of every port of every child in a graph layer.

    A port that the fragment does not mention gets a local node, which is forgotten at once.  Raises
    ``UnsupportedStructure`` if the rule makes one node of two ports of a child, or two ports of one node.
    """
    fragment = rule.fragments[layer]
    if len(set(fragment.exports)) < len(fragment.exports):
        raise UnsupportedStructure(f"rule {rule.name} gives one node two ports")
    name = grammar.graph_layers[layer].name
    ports = [[-1] * len(grammar.categories[child].ports_in(name)) for child in rule.rhs]
    for local, node in enumerate(fragment.nodes):
        if len({child for child, _ in node.glue}) < len(node.glue):
            raise UnsupportedStructure(f"rule {rule.name} merges two ports of one child")
        for child, port in node.glue:
            ports[child][port] = local
    size = len(fragment.nodes)
    for row in ports:
        for port, local in enumerate(row):
            if local < 0:
                row[port] = size
                size += 1
    nodes = list(enumerate(fragment.nodes))
    # The head of a phrase that has no words is no node, but for its place.
    own = zip(fragment.exports, grammar.categories[rule.lhs].ports_in(name), strict=True)
    heads = {node for node, port in own if port.rpartition(".")[2] == HEAD}
    return Frame(
        ports=tuple(map(tuple, ports)),
        size=size,
        labelled=tuple(local for local, node in nodes if node.attributes is not None),
        fresh=tuple(
            local for local, node in nodes if not node.glue and (node.attributes is not None or local not in heads)
        ),
        edges=tuple(dict.fromkeys(fragment.edges)),
        exports=fragment.exports,
    )


class FragmentIndex:
    """The fragments of all rules in one graph layer, with their frames and labels numbered."""

    def __init__(self, grammar: CoreGrammar, layer: str) -> None:
        grammar = seen_by(grammar, layer)
        number = grammar.graph_layer(layer)
        frames: Numbering[Frame] = Numbering()
        labels: Numbering[Attributes] = Numbering()
        self._frame_of = [frames.number(frame_of(grammar, r, number)) for r in grammar.rules]
        self._frames, self._labels = frames.values, labels.values
        self._edge_labels = {edge.label for frame in frames.values for edge in frame.edges}
        self._labels_of: list[list[int]] = []
        for rule in grammar.rules:
            attributes = [node.attributes for node in rule.fragments[number].nodes]
            self._labels_of.append([labels.number(a) for a in attributes if a is not None])
        # A column for each place; a label that a rule does not have comes after all.
        width = max(map(len, self._labels_of), default=0)
        rows = [(own + [len(self._labels)] * width)[:width] for own in self._labels_of]
        self._columns = np.array(rows, np.intp).reshape(len(rows), width).T
        self._values: dict[str, tuple[dict[str, int], Numbers]] = {}
        self._passing: dict[Predicate, Mask] = {}

    def symbols(self, query: Query, number: Callable[[Symbol], int]) -> list[int]:
        """Return the number of each rule's symbol, as ``query`` reads the rule."""

        def accepting(tests: Sequence[LabelTest], label: str) -> tuple[int, ...]:
            return tuple([index for index, test in enumerate(tests) if test.accepts(label)])

        effects = {}
        for label in self._edge_labels:
            goals = tuple([accepting(tests, label) for tests in query.goals])
            relations = accepting(query.relations, label)
            counters = accepting(query.counters, label)
            if any(goals) or relations or counters:
                effects[label] = Effect(goals, relations, counters, label if counters else "")
        # What no rule has, the last label, passes nothing.
        passing = [np.append(self._passes(predicate), False) for predicate in query.predicates]
        kinds = np.array(self._frame_of, np.intp)
        if passing:
            # Eight masks are one number for each label.
            blocks = as_numbers([*np.packbits(passing, axis=0).astype(np.intp)], 256)
            kinds = as_numbers((kinds, *blocks[self._columns]), int(blocks.max()) + 1)
        _, first, kind_of = np.unique(kinds, return_index=True, return_inverse=True)
        numbers = []
        for rule in first.tolist():
            frame = self._frames[self._frame_of[rule]]
            labels: list[int | None] = [None] * frame.size
            for node, label in zip(frame.labelled, self._labels_of[rule], strict=True):
                labels[node] = sum(1 << place for place, mask in enumerate(passing) if mask[label])
            edges = [
                LocalEdge(edge.source, effects[edge.label], edge.target)
                for edge in frame.edges
                if edge.label in effects
            ]
            symbol = Symbol(frame.ports, tuple(labels), frame.fresh, tuple(edges), frame.exports)
            numbers.append(number(symbol))
        return [numbers[kind] for kind in kind_of.tolist()]

    def _passes(self, predicate: Predicate) -> Mask:
        """Return the labels that pass a predicate; not to be changed."""
        if predicate not in self._passing:
            tests = [self._passes_test(test) for test in predicate]
            self._passing[predicate] = np.logical_and.reduce(tests)
        return self._passing[predicate]

    def _passes_test(self, test: NodeTest) -> Mask:
        """Return the labels that pass a test; one without the attribute has the value ``""``."""
        if test.attribute not in self._values:
            numbers: dict[str, int] = {}
            found = [dict(label).get(test.attribute, "") for label in self._labels]
            column = np.array([numbers.setdefault(v, len(numbers)) for v in found], np.intp)
            self._values[test.attribute] = numbers, column
        values, column = self._values[test.attribute]
        accepted = np.full(len(values), test.negated)
        accepted[[values[value] for value in test.values if value in values]] = not test.negated
        return accepted[column]
