"""What structures can see of a sentence, and nothing else.

Structures ask a finite list of yes-no questions: is the lemma of this node one
of those, does this edge bear one of those labels.  A ``QuestionTable`` gives every
different question that some structure asks one bit.  The *shape* of a sentence
keeps, in the order of its tokens, the answers alone::

    questions   0  lemma = dog|cat     1  upos = VERB     |  0  nsubj|nsubj:pass
    The dog barked.    nodes (00, 01, 10, 00)      edges ((2, 1, 1), …)
    The cat slept.     the same shape

Two sentences of one shape give every question the same answer at the same
places and have the same edges, so every structure has the same matches in both:
one search per shape is a search of every sentence.

ShapeTable with the same edges share a *frame*: whatever is about edges alone (walks,
and degrees, which are counted on edges where parallel ones stay apart) is found
out once for all of them.  A structure asks only few questions of a shape, so that
shapes of a frame that answer these alike need one search (``sgl.verify.search``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from typing import TypeVar

from sgl.verify.conllu import Edge, Sentence, WordForm
from sgl.verify.structure import GraphPattern, NodeVariable, StructureBody, Walk

Key = TypeVar("Key")


#: Edges (source, target, mask): the mask has the answers of the label.
MaskedEdges = tuple[tuple[int, int, int], ...]

#: Sets of nodes by question: bit ``n`` of a set says that the answer at node ``n`` is yes.
Columns = dict[int, int]


@dataclass(frozen=True, eq=False)
class Frame:
    """A sentence without its words: its size and its edges.

    ``number`` is its rank among the frames of a ``ShapeTable`` table.
    """

    number: int
    size: int
    edges: MaskedEdges
    vocabulary: QuestionTable

    @cached_property
    def degrees(self) -> Columns:
        """The answers on degrees."""
        return self.vocabulary.of_degrees(self.size, self.edges)


@dataclass(frozen=True, slots=True, eq=False)
class GraphShape:
    """A frame with a mask for each node, the answers of its word.

    ``number`` is its rank among the shapes of a ``ShapeTable`` table.
    """

    number: int
    frame: Frame
    nodes: tuple[int, ...]

    def columns(self) -> Columns:
        """Return the answers the other way round: for each question the nodes that say yes."""
        columns = dict(self.frame.degrees)
        for node, mask in enumerate(self.nodes):
            for bit in members(mask):
                columns[bit] = columns.get(bit, 0) | 1 << node
        return columns


@dataclass(frozen=True, slots=True)
class VariableTest:
    """A variable: the questions to which its node says yes, and those to which it says no."""

    name: str
    true: tuple[int, ...]
    false: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CompiledBody:
    """A body whose tests are bits; equal only to itself.

    ``links`` are pairs of different variables, and of variables with themselves,
    with the bits that their nodes must have; ``walks`` the longer walks among
    these bits, as (bit, label bit, bounds).  ``node_bits`` are the questions to which
    some node, ``edge_bits`` those to which some edge must say yes.
    """

    variables: tuple[VariableTest, ...]
    links: tuple[tuple[int, int, int], ...]
    walks: tuple[tuple[int, int, Walk], ...]
    node_bits: int
    edge_bits: int


@dataclass(frozen=True, slots=True, eq=False)
class CompiledStructure:
    """A structure whose tests are bits; ``questions`` are all that it asks of words."""

    body: CompiledBody
    without: tuple[CompiledBody, ...]
    questions: tuple[int, ...]


class QuestionTable:
    """The distinct tests of some structures, each with its bit.

    Bits of nodes: first the tests on attributes, then those on degrees.  Bits of
    pairs of nodes: first the tests on labels, then the walks.
    """

    def __init__(self, structures: Iterable[GraphPattern]) -> None:
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
        self.answers = _Answers(self.values)

    def compiled(self) -> tuple[CompiledStructure, ...]:
        """Return the structures with their tests as bits, in their order."""
        return tuple(
            CompiledStructure(
                self._compile(structure.body),
                tuple(self._compile(body) for body in structure.without),
                tuple(sorted(self._questions(structure))),
            )
            for structure in self.structures
        )

    def _questions(self, structure: GraphPattern) -> set[int]:
        return {
            self.values[test.attribute, test.values]
            for body in structure.bodies
            for variable in body.variables
            for test in variable.tests
        }

    def of_label(self, label: str) -> int:
        """Return the answers of an edge label to the tests on labels."""
        mask = self._by_label.get(label)
        if mask is None:
            mask = sum(1 << bit for labels, bit in self.labels.items() if labels.accept(label))
            self._by_label[label] = mask
        return mask

    def of_degrees(self, size: int, edges: MaskedEdges) -> Columns:
        """Return the answers of some nodes to the tests on their outgoing edges."""
        answers: Columns = {}
        every = (1 << size) - 1
        for test, rank in self.degrees.items():
            bit = 1 << self.labels[test.labels]
            degrees = Counter([source for source, _, mask in edges if mask & bit])
            without = test.accept(0)
            nodes = every if without else 0
            for node, degree in degrees.items():
                nodes ^= (test.accept(degree) != without) << node
            if nodes:
                answers[len(self.values) + rank] = nodes
        return answers

    def _compile(self, body: StructureBody) -> CompiledBody:
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
        needed = [1 << self.labels[walk.labels] for walk in walks if walk.low]
        variables = tuple(self._variable(variable) for variable in body.variables)
        return CompiledBody(
            variables=variables,
            links=tuple((*pair, bits) for pair, bits in links.items()),
            walks=tuple((bit, self.labels[walk.labels], walk) for walk, bit in walks.items()),
            node_bits=reduce(or_, (1 << bit for variable in variables for bit in variable.true), 0),
            edge_bits=reduce(or_, [*links.values(), *needed], 0) & of_edges,
        )

    def _variable(self, variable: NodeVariable) -> VariableTest:
        """Return the tests as questions; no node says both yes and no."""
        asked = [(self.values[t.attribute, t.values], t.negated) for t in variable.tests]
        asked += [(len(self.values) + self.degrees[test], False) for test in variable.degrees]
        return VariableTest(
            variable.name,
            tuple(bit for bit, negated in dict.fromkeys(asked) if not negated),
            tuple(bit for bit, negated in dict.fromkeys(asked) if negated),
        )


class ShapeTable:
    """The distinct shapes met so far, and their frames."""

    def __init__(self, vocabulary: QuestionTable) -> None:
        self.vocabulary = vocabulary
        self.table: dict[tuple[int, tuple[int, ...]], GraphShape] = {}
        self.frames: dict[tuple[int, MaskedEdges], Frame] = {}
        self._by_edges: dict[tuple[int, tuple[Edge, ...]], Frame] = {}

    def of(self, sentence: Sentence) -> GraphShape:
        """Return the shape of a sentence; equal shapes are one object."""
        nodes = tuple(map(self.vocabulary.answers.__getitem__, sentence.words))
        key = (len(nodes), sentence.edges)
        frame = self._by_edges.get(key)
        if frame is None:
            of_label = self.vocabulary.of_label
            edges = tuple([(source, end, of_label(label)) for source, label, end in key[1]])
            frame = self._by_edges[key] = self._frame(key[0], edges)
        return self._shape(frame, nodes)

    def known(self, size: int, edges: MaskedEdges, nodes: tuple[int, ...]) -> GraphShape:
        """Return the shape that another table of the same vocabulary describes so."""
        return self._shape(self._frame(size, edges), nodes)

    def _shape(self, frame: Frame, nodes: tuple[int, ...]) -> GraphShape:
        shape = self.table.get((frame.number, nodes))
        if shape is None:
            shape = self.table[frame.number, nodes] = GraphShape(len(self.table), frame, nodes)
        return shape

    def _frame(self, size: int, edges: MaskedEdges) -> Frame:
        """Return the frame of some edges; those whose labels no structure tells apart share it."""
        frame = self.frames.get((size, edges))
        if frame is None:
            frame = Frame(len(self.frames), size, edges, self.vocabulary)
            self.frames[size, edges] = frame
        return frame


class _Answers(dict[WordForm, int]):
    """The answers of words to the tests on attributes, found when first asked for."""

    def __init__(self, tests: dict[tuple[str, frozenset[str]], int]) -> None:
        super().__init__()
        self._tests = tests

    def __missing__(self, word: WordForm) -> int:
        mask = sum(
            1 << bit
            for (attribute, values), bit in self._tests.items()
            if word.get(attribute) in values
        )
        self[word] = mask
        return mask


def members(bits: int) -> Iterator[int]:
    """Yield the numbers in a set that is written as an integer with a bit for each, in order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _numbered(keys: Iterable[Key]) -> dict[Key, int]:
    """Each distinct key with its rank of first appearance."""
    return {key: rank for rank, key in enumerate(dict.fromkeys(keys))}
