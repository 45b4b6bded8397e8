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

Shapes with the same edges share a *frame*: whatever is about edges alone (walks,
and degrees, which are counted on edges where parallel ones stay apart) is found
out once for all of them (``sgl.verify.search``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple, TypeVar

from sgl.verify.conllu import Edge, Sentence, WordForm
from sgl.verify.structure import GraphPattern, StructureBody, Walk
from sgl.verify.tokens import Answers

Key = TypeVar("Key")

#: Edges (source, target, mask): the mask has the answers of the label.
MaskedEdges = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A sentence without its words: its size and its edges."""

    size: int
    edges: MaskedEdges


@dataclass(slots=True, eq=False)
class GraphShape:
    """A frame with a mask for each node, the answers of its word.

    ``occurring`` are the structures that were found in it, with a bit for each.
    """

    frame: Frame
    nodes: tuple[int, ...]
    occurring: int = 0


class VariableTest(NamedTuple):
    """A variable: the questions to which its node says yes, and those to which it says no."""

    name: str
    true: tuple[int, ...]
    false: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CompiledBody:
    """A body whose tests are bits; equal only to itself.

    ``links`` are pairs of different variables, and of variables with themselves,
    with the bits that their nodes must have; ``walks`` the longer walks among
    these bits, as (bit, label bit, walk).  ``words`` are the questions to which
    some node, ``labels`` those to which some edge must say yes.
    """

    variables: tuple[VariableTest, ...]
    links: tuple[tuple[int, int, int], ...]
    walks: tuple[tuple[int, int, Walk], ...]
    words: int
    labels: int


@dataclass(frozen=True, slots=True, eq=False)
class CompiledStructure:
    """A structure whose tests are bits; ``questions`` are all that it asks of words."""

    body: CompiledBody
    without: tuple[CompiledBody, ...]
    questions: tuple[int, ...]


class QuestionTable:
    """The distinct tests of some structures, each with its bit, and the structures in these bits.

    Bits of nodes: first the tests on attributes, then those on degrees.  Bits of
    pairs of nodes: first the tests on labels, then the walks.
    """

    def __init__(self, structures: Iterable[GraphPattern]) -> None:
        structures = tuple(structures)
        bodies = [body for structure in structures for body in structure.bodies]
        variables = [variable for body in bodies for variable in body.variables]
        walks = [link.walk for body in bodies for link in body.links]
        self.values = _numbered((t.attribute, t.values) for v in variables for t in v.tests)
        self.degrees = _numbered(test for variable in variables for test in variable.degrees)
        self.labels = _numbered([*(w.labels for w in walks), *(d.labels for d in self.degrees)])
        self.walks = _numbered(walk for walk in walks if not walk.is_edge)
        self.structures = tuple(map(self._compile, structures))

    def _compile(self, structure: GraphPattern) -> CompiledStructure:
        body, *without = map(self._compile_body, structure.bodies)
        asked = {
            self.values[test.attribute, test.values]
            for own in structure.bodies
            for variable in own.variables
            for test in variable.tests
        }
        return CompiledStructure(body, tuple(without), tuple(sorted(asked)))

    def _compile_body(self, body: StructureBody) -> CompiledBody:
        variables = []
        for variable in body.variables:
            asked = [(self.values[t.attribute, t.values], t.negated) for t in variable.tests]
            asked += [(len(self.values) + self.degrees[test], False) for test in variable.degrees]
            true = tuple(bit for bit, negated in dict.fromkeys(asked) if not negated)
            false = tuple(bit for bit, negated in dict.fromkeys(asked) if negated)
            variables.append(VariableTest(variable.name, true, false))
        links: dict[tuple[int, int], int] = {}
        walks: dict[Walk, int] = {}
        labels = 0
        for link in body.links:
            pair, walk = (link.source, link.target), link.walk
            label_bit = bit = self.labels[walk.labels]
            if not walk.is_edge:
                bit = walks[walk] = len(self.labels) + self.walks[walk]
            links[pair] = links.get(pair, 0) | 1 << bit
            labels |= (walk.low > 0) << label_bit
        return CompiledBody(
            tuple(variables),
            tuple((*pair, bits) for pair, bits in links.items()),
            tuple((bit, self.labels[walk.labels], walk) for walk, bit in walks.items()),
            words=reduce(or_, (1 << bit for variable in variables for bit in variable.true), 0),
            labels=labels,
        )


class ShapeTable:
    """The distinct shapes met so far, by frame."""

    def __init__(self, questions: QuestionTable) -> None:
        self._table: dict[Frame, dict[tuple[int, ...], GraphShape]] = {}
        self._frames: dict[tuple[int, MaskedEdges], Frame] = {}
        self._by_edges: dict[tuple[int, tuple[Edge, ...]], Frame] = {}

        def answers(word: WordForm) -> int:
            tests = questions.values.items()
            return sum(1 << bit for (name, values), bit in tests if word.get(name) in values)

        def mask(label: str) -> int:
            return sum(1 << bit for labels, bit in questions.labels.items() if labels.accept(label))

        self._answers, self._masks = Answers(answers), Answers(mask)

    def of(self, sentence: Sentence) -> GraphShape:
        """Return the shape of a sentence; equal shapes are one object."""
        key = (len(sentence.words), sentence.edges)
        frame = self._by_edges.get(key)
        if frame is None:
            edges = [(source, end, self._masks[label]) for source, label, end in sentence.edges]
            frame = self._by_edges[key] = self._known(Frame(key[0], tuple(edges)))
        shapes = self._table[frame]
        nodes = tuple(map(self._answers.__getitem__, sentence.words))
        shape = shapes.get(nodes)
        if shape is None:
            shape = shapes[nodes] = GraphShape(frame, nodes)
        return shape

    def known(self, shape: GraphShape) -> GraphShape:
        """Return the shape of this table that equals one of another process."""
        frame = self._known(shape.frame)
        return self._table[frame].setdefault(shape.nodes, GraphShape(frame, shape.nodes))

    def shapes(self) -> list[GraphShape]:
        """Return all shapes, frame by frame."""
        return [shape for shapes in self._table.values() for shape in shapes.values()]

    def _known(self, frame: Frame) -> Frame:
        """Return the frame with these edges; it is new if no sentence had them."""
        known = self._frames.setdefault((frame.size, frame.edges), frame)
        self._table.setdefault(known, {})
        return known


@lru_cache(maxsize=1 << 16)
def members(bits: int) -> tuple[int, ...]:
    """Return the numbers in a set that is written as an integer with a bit for each, in order."""
    return tuple(number for number in range(bits.bit_length()) if bits >> number & 1)


def _numbered(keys: Iterable[Key]) -> dict[Key, int]:
    """Number each distinct key by its first appearance."""
    return {key: rank for rank, key in enumerate(dict.fromkeys(keys))}
