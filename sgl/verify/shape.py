"""What structures can see of a sentence, and nothing else.

Structures ask a finite list of yes-no questions: is the lemma of this node one
of those, does this edge bear one of those labels.  Each different question gets one
bit.  The *shape* of a sentence keeps, in the order of its tokens, the answers alone::

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
from functools import cache
from typing import NamedTuple, TypeVar

from sgl.verify.conllu import Sentence
from sgl.verify.structure import GraphPattern
from sgl.verify.tokens import Edge, WordForm

Key = TypeVar("Key")


class Frame(NamedTuple):
    """A sentence without its words: its size, and its edges as (source, target, answers)."""

    size: int
    edges: tuple[tuple[int, int, int], ...]


@dataclass(slots=True, eq=False)
class GraphShape:
    """A frame with a mask for each node, the answers of its word.

    ``occurring`` are the structures that were found in it, with a bit for each.
    """

    frame: Frame
    nodes: tuple[int, ...]
    occurring: int = 0


class ShapeTable:
    """The questions that some structures ask, and the distinct shapes met so far, by frame.

    ``values`` number the tests on attributes, ``labels`` those on edges, ``degrees`` those on
    numbers of edges.
    """

    def __init__(self, structures: Iterable[GraphPattern]) -> None:
        self.structures = tuple(structures)
        bodies = [body for structure in self.structures for body in structure.bodies]
        variables = [variable for body in bodies for variable in body.variables]
        walks = [link.walk for body in bodies for link in body.links]
        self.values = _numbered((t.attribute, t.values) for v in variables for t in v.tests)
        self.degrees = _numbered(test for variable in variables for test in variable.degrees)
        self.labels = _numbered([*(w.labels for w in walks), *(d.labels for d in self.degrees)])
        self._shapes: dict[Frame, dict[tuple[int, ...], GraphShape]] = {}
        self._frames: dict[tuple[int, tuple[Edge, ...]], Frame] = {}

        @cache
        def word_answers(word: WordForm) -> int:
            tests = self.values.items()
            return sum(1 << bit for (name, values), bit in tests if word.get(name) in values)

        @cache
        def label_answers(label: str) -> int:
            return sum(1 << bit for labels, bit in self.labels.items() if labels.accept(label))

        self._word_answers, self._label_answers = word_answers, label_answers

    def of(self, sentence: Sentence) -> GraphShape:
        """Return the shape of a sentence; equal shapes are one object."""
        key = (len(sentence.words), sentence.edges)
        frame = self._frames.get(key)
        if frame is None:
            answers = self._label_answers
            edges = [(source, end, answers(label)) for source, label, end in sentence.edges]
            frame = self._frames[key] = Frame(key[0], tuple(edges))
        return self.known(frame, tuple(map(self._word_answers, sentence.words)))

    def known(self, frame: Frame, nodes: tuple[int, ...]) -> GraphShape:
        """Return the shape with this content, new if there was none."""
        shapes = self._shapes.setdefault(frame, {})
        shape = shapes.get(nodes)
        if shape is None:
            shape = shapes[nodes] = GraphShape(frame, nodes)
        return shape

    def shapes(self) -> list[GraphShape]:
        """Return all shapes, frame by frame."""
        return [shape for shapes in self._shapes.values() for shape in shapes.values()]


def _numbered(keys: Iterable[Key]) -> dict[Key, int]:
    """Number each distinct key by its first appearance."""
    return {key: rank for rank, key in enumerate(dict.fromkeys(keys))}
