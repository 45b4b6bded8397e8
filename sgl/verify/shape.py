"""What structures can see of a sentence, and nothing else.

Structures ask a finite list of yes-no questions: is the lemma of this node one
of those, does this edge bear one of those labels.  A ``Vocabulary`` gives every
different question that some structure asks one bit.  The *shape* of a sentence
keeps, in the order of its tokens, the answers alone::

    questions   0  lemma = dog|cat     1  upos = VERB     |  0  nsubj|nsubj:pass
    The dog barked.    nodes (00, 01, 10, 00)      edges ((2, 1, 1), …)
    The cat slept.     the same shape

Two sentences of one shape give every question the same answer at the same
places and have the same edges, so every structure has the same matches in both:
one search per shape is a search of every sentence.  Degrees are counted on the
edges of the shape, where parallel edges stay apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TypeVar

from sgl.verify.conllu import Sentence, Word
from sgl.verify.structure import Body, Structure, Variable, Walk

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Shape:
    """The answers of a sentence: a mask per node, and edges (source, target, mask).

    ``number`` is its rank among the shapes of a ``Shapes`` table.
    """

    number: int
    nodes: tuple[int, ...]
    edges: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class VariableTest:
    """A variable as a test on masks: ``mask & care == want``."""

    name: str
    care: int
    want: int


@dataclass(frozen=True, slots=True, eq=False)
class CompiledBody:
    """A body whose tests are bits; equal only to itself.

    ``links`` are pairs of different variables, and of variables with themselves,
    with the bits that their nodes must have; ``walks`` the longer walks among
    these bits, as (bit, label bit, bounds).  ``node_bits`` and ``edge_bits`` are
    the bits that some node and some edge must have.
    """

    variables: tuple[VariableTest, ...]
    links: tuple[tuple[int, int, int], ...]
    walks: tuple[tuple[int, int, Walk], ...]
    node_bits: int
    edge_bits: int


@dataclass(frozen=True, slots=True, eq=False)
class CompiledStructure:
    """A structure whose tests are bits."""

    body: CompiledBody
    without: tuple[CompiledBody, ...]


class Vocabulary:
    """The distinct tests of some structures, each with its bit.

    Bits of nodes: first the tests on attributes, then those on degrees.  Bits of
    pairs of nodes: first the tests on labels, then the walks.
    """

    def __init__(self, structures: Iterable[Structure]) -> None:
        self.structures = tuple(structures)
        bodies = [body for structure in self.structures for body in structure.bodies]
        variables = [variable for body in bodies for variable in body.variables]
        self.values = _numbered(
            (test.attribute, test.values) for variable in variables for test in variable.tests
        )
        self.degrees = _numbered(test for variable in variables for test in variable.degrees)
        walks = [link.walk for body in bodies for link in body.links]
        labels = [walk.labels for walk in walks]
        self.labels = _numbered([*labels, *(test.labels for test in self.degrees)])
        self.walks = _numbered(walk for walk in walks if not walk.is_edge)
        self._by_label: dict[str, int] = {}
        self._by_word: dict[Word, int] = {}

    def compiled(self) -> tuple[CompiledStructure, ...]:
        """The structures with their tests as bits, in their order."""
        return tuple(
            CompiledStructure(
                self._compile(structure.body),
                tuple(self._compile(body) for body in structure.without),
            )
            for structure in self.structures
        )

    def of_word(self, word: Word) -> int:
        """The answers of a word to the tests on attributes."""
        mask = self._by_word.get(word)
        if mask is None:
            mask = sum(
                1 << bit
                for (attribute, values), bit in self.values.items()
                if word.get(attribute) in values
            )
            self._by_word[word] = mask
        return mask

    def of_label(self, label: str) -> int:
        """The answers of an edge label to the tests on labels."""
        mask = self._by_label.get(label)
        if mask is None:
            mask = sum(1 << bit for labels, bit in self.labels.items() if labels.accept(label))
            self._by_label[label] = mask
        return mask

    def of_degrees(self, node: int, edges: tuple[tuple[int, int, int], ...]) -> int:
        """The answers of a node to the tests on its outgoing edges."""
        answers = 0
        for test, rank in self.degrees.items():
            bit = 1 << self.labels[test.labels]
            degree = sum(1 for source, _, mask in edges if source == node and mask & bit)
            answers |= test.accept(degree) << (len(self.values) + rank)
        return answers

    def _compile(self, body: Body) -> CompiledBody:
        links: dict[tuple[int, int], int] = {}
        walks: dict[Walk, int] = {}
        for link in body.links:
            pair = (link.source, link.target)
            if link.walk.is_edge:
                bit = self.labels[link.walk.labels]
            else:
                bit = walks[link.walk] = len(self.labels) + self.walks[link.walk]
            links[pair] = links.get(pair, 0) | 1 << bit
        of_edges = (1 << len(self.labels)) - 1
        variables = tuple(self._variable(variable) for variable in body.variables)
        return CompiledBody(
            variables=variables,
            links=tuple((*pair, bits) for pair, bits in links.items()),
            walks=tuple((bit, self.labels[walk.labels], walk) for walk, bit in walks.items()),
            node_bits=reduce(or_, (variable.want for variable in variables), 0),
            edge_bits=reduce(or_, links.values(), 0) & of_edges,
        )

    def _variable(self, variable: Variable) -> VariableTest:
        """The tests as masks; a contradictory variable wants a bit it ignores."""
        true = false = 0
        for test in variable.tests:
            bit = 1 << self.values[test.attribute, test.values]
            true |= bit * (not test.negated)
            false |= bit * test.negated
        for degree in variable.degrees:
            true |= 1 << (len(self.values) + self.degrees[degree])
        contradictory = true & false
        return VariableTest(variable.name, (true | false) & ~contradictory, true)


@dataclass(slots=True)
class Shapes:
    """The distinct shapes met so far."""

    vocabulary: Vocabulary
    table: dict[tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]], Shape] = field(
        default_factory=dict
    )

    def of(self, sentence: Sentence) -> Shape:
        """The shape of a sentence; equal shapes are one object."""
        vocabulary = self.vocabulary
        nodes = tuple([vocabulary.of_word(word) for word in sentence.words])
        edges = tuple(
            [
                (source, target, vocabulary.of_label(label))
                for source, label, target in sentence.edges
            ]
        )
        shape = self.table.get((nodes, edges))
        if shape is None:
            shape = self._add(nodes, edges)
        return shape

    def _add(self, nodes: tuple[int, ...], edges: tuple[tuple[int, int, int], ...]) -> Shape:
        answers = tuple(
            mask | self.vocabulary.of_degrees(node, edges) for node, mask in enumerate(nodes)
        )
        shape = Shape(len(self.table), answers, edges)
        self.table[nodes, edges] = shape
        return shape


def _numbered(keys: Iterable[Key]) -> dict[Key, int]:
    """Each distinct key with its rank of first appearance."""
    return {key: rank for rank, key in enumerate(dict.fromkeys(keys))}
