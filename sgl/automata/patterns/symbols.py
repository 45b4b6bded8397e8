"""Read rules as the automaton of a structure sees them.

Of a rule's fragment a schema sees only how the ports of the children are glued,
which predicates the new nodes pass, and the edges that some atom could use.
Rules that agree in this are one *symbol*: under ``{ V -[obj]-> N }`` all nouns
are one symbol, and so are most phrasal rules with two children.

The labels of nodes are numbered, and a set of labels is a mask, so that a node test on
thousands of words is decided for all of them at once::

    0 upos=NOUN lemma=dog    1 upos=NOUN lemma=cat    2 upos=VERB lemma=see
    upos=NOUN            yes yes no
    lemma!=dog           no  yes yes
    both                 no  yes no
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sgl.automata.common import Numbering, UnsupportedStructure
from sgl.automata.patterns.schema import LabelTests, Predicate, Query
from sgl.core.grammar import CoreGrammar, Edge, Rule
from sgl.core.structure import LabelTest, NodeTest

Attributes = tuple[tuple[str, str], ...]
Mask = NDArray[np.bool_]


class LabelIndex:
    """The labels of a layer; all must be added before the first test."""

    def __init__(self) -> None:
        self._number: dict[Attributes, int] = {}
        self._with_value: dict[str, dict[str, list[int]]] = {}
        self._passing: dict[Predicate, Mask] = {}

    def __len__(self) -> int:
        return len(self._number)

    def add(self, attributes: Attributes) -> int:
        """Return the number of a label."""
        number = self._number.get(attributes)
        if number is None:
            number = self._number[attributes] = len(self._number)
            for attribute, value in attributes:
                self._with_value.setdefault(attribute, {}).setdefault(value, []).append(number)
        return number

    def passing(self, predicate: Predicate) -> Mask:
        """Return the labels that pass a predicate; not to be changed."""
        passing = self._passing.get(predicate)
        if passing is None:
            passing = np.ones(len(self), np.bool_)
            for test in predicate:
                passing &= self._passing_test(test)
            self._passing[predicate] = passing
        return passing

    def blocks(self, predicates: Iterable[Predicate]) -> NDArray[np.intp]:
        """For each label the number of its block.

        LabelTests are in one block if they pass the same predicates, of these and
        of those that have been asked about before.
        """
        for predicate in predicates:
            self.passing(predicate)
        if not self._passing:
            return np.zeros(len(self), np.intp)
        answers = np.packbits(np.array(list(self._passing.values())), axis=0)
        rows = np.ascontiguousarray(answers.T)
        whole = rows.view(np.dtype((np.void, rows.shape[1]))).ravel()
        blocks: NDArray[np.intp] = np.unique(whole, return_inverse=True)[1]
        return blocks

    @cached_property
    def _with_attribute(self) -> dict[str, Mask]:
        """The labels that have an attribute."""
        return {
            attribute: self._mask(number for numbers in values.values() for number in numbers)
            for attribute, values in self._with_value.items()
        }

    def _passing_test(self, test: NodeTest) -> Mask:
        values = self._with_value.get(test.attribute, {})
        passing = self._mask(n for value in test.values for n in values.get(value, ()))
        if "" in test.values:
            present = self._with_attribute.get(test.attribute)
            passing |= True if present is None else ~present
        return ~passing if test.negated else passing

    def _mask(self, numbers: Iterable[int]) -> Mask:
        mask = np.zeros(len(self), np.bool_)
        mask[list(numbers)] = True
        return mask


def bit_sets(passing: Sequence[Mask], size: int) -> list[int]:
    """For each of ``size`` labels the set of the masks that it is in, as the bits of a number."""
    sets = [0] * size
    for number, mask in enumerate(passing):
        for label in np.flatnonzero(mask).tolist():
            sets[label] |= 1 << number
    return sets


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


def forgetting(ports: int) -> Symbol:
    """Return the symbol that forgets all ports of its one child and exports none."""
    nodes = tuple(range(ports))
    return Symbol(ports=(nodes,), labels=(None,) * ports, fresh=(), edges=(), exports=())


def effect_of(tests: LabelTests, label: str) -> Effect:
    """Return the effect of an edge with this label."""
    return Effect(
        goals=tuple(_accepting(goals, label) for goals in tests.goals),
        relations=_accepting(tests.relations, label),
        counters=_accepting(tests.counters, label),
    )


def _accepting(tests: Sequence[LabelTest], label: str) -> tuple[int, ...]:
    return tuple([index for index, test in enumerate(tests) if test.accepts(label)])


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
        """Return the symbol for labels that pass the predicates ``masks``."""
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


def frame_of(grammar: CoreGrammar, rule: Rule, layer: str) -> Frame:
    """Find the local node of every port of every child in a graph layer.

    A port that the fragment does not mention gets a local node of its own,
    which is forgotten at once.

    Raises:
        UnsupportedStructure: if the rule makes one node of two ports of a
            child, or two ports of one node.
    """
    fragment = rule.fragments[grammar.graph_layer(layer)]
    if len(set(fragment.exports)) < len(fragment.exports):
        raise UnsupportedStructure(f"rule {rule.name} gives one node two ports")
    ports = [[-1] * len(grammar.categories[child].ports_in(layer)) for child in rule.rhs]
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


class FragmentIndex:
    """The fragments of all rules in one graph layer, with their frames shared."""

    def __init__(self, grammar: CoreGrammar, layer: str) -> None:
        number = grammar.graph_layer(layer)
        self._index = LabelIndex()
        frames: Numbering[Frame] = Numbering()
        self._frame_of: list[int] = []
        rows: list[list[int]] = []
        for rule in grammar.rules:
            fragment = rule.fragments[number]
            self._frame_of.append(frames.number(frame_of(grammar, rule, layer)))
            labels = (node.attributes for node in fragment.nodes)
            rows.append([self._index.add(label) for label in labels if label is not None])
        self._frames = frames.values
        # The labels of each rule, one row for each rule; of some it has fewer.
        width, absent = max(map(len, rows), default=0), len(self._index)
        padded = [(*row, *(absent,) * (width - len(row))) for row in rows]
        self._labels = np.array(padded, np.intp).reshape(len(rows), width)

    def kinds(self, predicates: Iterable[Predicate]) -> list[tuple[int, ...]]:
        """For each rule its kind: rules of one kind have the same symbol in every query.

        That is, in every query whose predicates are among these or among those
        that have been asked about before.
        """
        block = np.append(self._index.blocks(predicates), -1)
        return list(zip(self._frame_of, *block[self._labels].T.tolist(), strict=True))

    def query_symbols(self, query: Query) -> QuerySymbols:
        """Return the rules as ``query`` reads them."""
        passing = [self._index.passing(predicate) for predicate in query.predicates]
        passed = [*bit_sets(passing, len(self._index)), 0]
        return QuerySymbols(self._frame_of, self._labels, passed, self._frames, query)


class QuerySymbols:
    """The rules of a grammar as the symbols of one query.

    Each rule has the number of a frame and a row of labels; ``passed`` gives for each
    label the bit set of the predicates that it passes.
    """

    def __init__(
        self,
        frame_of: Sequence[int],
        labels: NDArray[np.intp],
        passed: Sequence[int],
        frames: Sequence[Frame],
        query: Query,
    ) -> None:
        self._frame_of = frame_of
        self._labels = labels
        self._passed = passed
        self._frames = frames
        self._effects = {
            label: effect_of(query.labels, label)
            for label in dict.fromkeys(e.label for frame in frames for e in frame.edges)
        }

    def kinds(self, rules: Sequence[int]) -> Iterable[tuple[int, ...]]:
        """For each rule its kind; those of one kind have one symbol."""
        frames = [self._frame_of[rule] for rule in rules]
        columns = self._labels[list(rules)].T.tolist()
        passed = [[self._passed[label] for label in column] for column in columns]
        return zip(frames, *passed, strict=True)

    def symbol(self, kind: tuple[int, ...]) -> Symbol:
        """Return the symbol of the rules of a kind."""
        frame = self._frames[kind[0]]
        return frame.symbol(self._effects, kind[1 : len(frame.labelled) + 1])
