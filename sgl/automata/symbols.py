"""Rules as the automaton of a structure reads them.

Of a rule's fragment a schema sees only how the ports of the children are glued,
which predicates the new nodes pass, and the edges that some atom could use.
Rules that agree in this are one *symbol*: under ``{ V -[obj]-> N }`` all nouns
are one symbol, and so are most phrasal rules with two children.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sgl.automata.errors import UnsupportedStructure
from sgl.automata.schema import Query, Schema
from sgl.core.grammar import CoreGrammar, Edge, Fragment, Rule
from sgl.core.structure import LabelTest, NodeTest

Attributes = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Effect:
    """What an edge label means to a schema.

    ``goals[i]`` are the edge goals it satisfies in clause ``i`` (the body first),
    ``relations`` and ``counters`` those that it takes part in; all by index.
    """

    goals: tuple[tuple[int, ...], ...]
    relations: tuple[int, ...]
    counters: tuple[int, ...]

    def __bool__(self) -> bool:
        return any(self.goals) or bool(self.relations) or bool(self.counters)


@dataclass(frozen=True, slots=True)
class LocalEdge:
    """An edge between local nodes, with its effect."""

    source: int
    effect: Effect
    target: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A fragment as a schema sees it.

    ``ports[c][p]`` is the local node of port ``p`` of child ``c``; ``labels[x]``
    the bit set of the predicates that the label of local node ``x`` passes, or
    ``None`` if the rule does not label it; ``fresh`` the nodes that no child
    contributes to; ``exports[p]`` the local node of the rule's port ``p``.
    """

    ports: tuple[tuple[int, ...], ...]
    labels: tuple[int | None, ...]
    fresh: tuple[int, ...]
    edges: tuple[LocalEdge, ...]
    exports: tuple[int, ...]


def effect_of(schema: Schema, label: str) -> Effect:
    """The effect of an edge with this label."""
    return Effect(
        goals=tuple(
            _accepting([goal.labels for goal in clause.edges], label)
            for clause in (schema.body, *schema.withouts)
        ),
        relations=_accepting([relation.labels for relation in schema.relations], label),
        counters=_accepting([counter.labels for counter in schema.counters], label),
    )


def _accepting(tests: Sequence[LabelTest], label: str) -> tuple[int, ...]:
    return tuple(index for index, test in enumerate(tests) if test.accepts(label))


@dataclass(frozen=True, slots=True)
class Frame:
    """A fragment without the contents of its labels.

    ``labelled`` are the local nodes that have a label; the rest is as in
    :class:`Symbol`, with the labels of edges instead of their effects.
    """

    ports: tuple[tuple[int, ...], ...]
    size: int
    labelled: tuple[int, ...]
    fresh: tuple[int, ...]
    edges: tuple[Edge, ...]
    exports: tuple[int, ...]

    def symbol(self, effects: Mapping[str, Effect], masks: Sequence[int]) -> Symbol:
        """The symbol for labels that pass the predicates ``masks``."""
        labels: list[int | None] = [None] * self.size
        for node, mask in zip(self.labelled, masks, strict=True):
            labels[node] = mask
        edges = (LocalEdge(e.source, effects[e.label], e.target) for e in self.edges)
        return Symbol(
            ports=self.ports,
            labels=tuple(labels),
            fresh=self.fresh,
            edges=tuple(edge for edge in edges if edge.effect),
            exports=self.exports,
        )


def frame_of(grammar: CoreGrammar, rule: Rule, fragment: Fragment) -> Frame:
    """Find the local node of every port of every child.

    A port that the fragment does not mention gets a local node of its own,
    which is forgotten at once.

    Raises:
        UnsupportedStructure: if the rule makes one node of two ports of a
            child, or two ports of one node.
    """
    if len(set(fragment.exports)) < len(fragment.exports):
        raise UnsupportedStructure(f"rule {rule.name} gives one node two ports")
    ports = [[-1] * len(grammar.categories[child].ports) for child in rule.rhs]
    for local, node in enumerate(fragment.nodes):
        children = [child for child, _ in node.glue]
        if len(set(children)) < len(children):
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
    return Frame(
        ports=tuple(tuple(row) for row in ports),
        size=size,
        labelled=tuple(local for local, node in nodes if node.attributes is not None),
        fresh=tuple(local for local, node in nodes if not node.glue),
        edges=tuple(dict.fromkeys(fragment.edges)),
        exports=fragment.exports,
    )


class LabelIndex:
    """The node labels of a graph layer, indexed by attribute and value.

    A set of labels is an integer whose bit ``i`` stands for label ``i``.
    """

    def __init__(self) -> None:
        self._number: dict[Attributes, int] = {}
        self._with_value: dict[tuple[str, str], int] = {}
        self._with_attribute: dict[str, int] = {}
        self._passing: dict[NodeTest, int] = {}

    def add(self, attributes: Attributes) -> int:
        """The number of a label; all must be added before the first test."""
        number = self._number.setdefault(attributes, len(self._number))
        bit = 1 << number
        for attribute, value in attributes:
            self._with_value[attribute, value] = self._with_value.get((attribute, value), 0) | bit
            self._with_attribute[attribute] = self._with_attribute.get(attribute, 0) | bit
        return number

    def masks(self, query: Query) -> list[int]:
        """For each label the bit set of the predicates of ``query`` that it passes."""
        passing = [0] * len(self._number)
        for index, predicate in enumerate(query.predicates):
            labels = (1 << len(self._number)) - 1
            for test in predicate:
                labels &= self._labels_passing(test)
            while labels:
                lowest = labels & -labels
                passing[lowest.bit_length() - 1] |= 1 << index
                labels ^= lowest
        return passing

    def _labels_passing(self, test: NodeTest) -> int:
        if test not in self._passing:
            everything = (1 << len(self._number)) - 1
            labels = 0
            for value in test.values:
                labels |= self._with_value.get((test.attribute, value), 0)
            if "" in test.values:
                labels |= everything & ~self._with_attribute.get(test.attribute, 0)
            self._passing[test] = everything & ~labels if test.negated else labels
        return self._passing[test]


class FragmentIndex:
    """The fragments of all rules in one graph layer, with their frames shared."""

    def __init__(self, grammar: CoreGrammar, layer: str) -> None:
        number = grammar.graph_layer(layer)
        self._labels = LabelIndex()
        self._frames: list[Frame] = []
        # For each rule its frame and the numbers of its labels.
        self._rules: list[tuple[int, tuple[int, ...]]] = []
        known: dict[Frame, int] = {}
        for rule in grammar.rules:
            fragment = rule.fragments[number]
            frame = frame_of(grammar, rule, fragment)
            index = known.setdefault(frame, len(known))
            if index == len(self._frames):
                self._frames.append(frame)
            labels = (node.attributes for node in fragment.nodes)
            self._rules.append(
                (index, tuple(self._labels.add(label) for label in labels if label is not None))
            )

    def symbols(self, query: Query) -> list[Symbol]:
        """The symbol of each rule under ``query``; equal symbols are one object."""
        masks = self._labels.masks(query)
        effects = {
            label: effect_of(query.schema, label)
            for label in dict.fromkeys(e.label for frame in self._frames for e in frame.edges)
        }
        known: dict[tuple[int, tuple[int, ...]], Symbol] = {}
        symbols: list[Symbol] = []
        for frame, labels in self._rules:
            key = (frame, tuple([masks[label] for label in labels]))
            symbol = known.get(key)
            if symbol is None:
                symbol = known[key] = self._frames[frame].symbol(effects, key[1])
            symbols.append(symbol)
        return symbols
