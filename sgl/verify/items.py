"""Reduce the graph of a sentence to what structures ask about it: its shape.

Structures ask a finite list of yes-no questions: is the lemma of this node one of those, does this edge have one of
those labels.  The *shape* of a sentence keeps, in the order of its tokens, the answers alone::

    questions   0  lemma = dog|cat     1  upos = VERB     |  0  nsubj|nsubj:pass
    The dog barked.    nodes (00, 01, 10, 00)      edges ((2, 1, 1), …)
    The cat slept.     the same shape

So one search per shape covers every sentence.  Shapes with the same edges share a *frame*: what depends only on edges,
such as the numbers of edges of its nodes, is computed once for all of them.

If structures speak of more layers than the first, all graphs of a sentence are one.  A dataset has those of a further
layer in a folder of its own, ``conllu/sem/``.  The words of all layers stand one behind the other, with
``graph.layer`` as an attribute; an edge ``&`` leads from a word to itself in a later layer on the same text, and to the
rules of the derivation from the heads of their phrases, which comments (``heads_syn``) tell.  A structure of one layer
then asks for that layer at each of its nodes, so that all structures are searched in one graph::

    words   Emma slept | Emma slept        edges  slept -[nsubj]-> Emma    Emma -[&]-> Emma
    layers  syn  syn     sem  sem                 slept -[agent]-> Emma    slept -[&]-> slept
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, count
from typing import NamedTuple, TypeVar

from sgl.verify.conllu import Edge, Malformed, MalformedError, Sentence, WordForm
from sgl.verify.manifest import GraphLayer
from sgl.verify.schema_grammar import DERIVATION
from sgl.verify.structure import GraphPattern, Labels, NodeVariable, StructureBody, ValueTest

Key = TypeVar("Key")

#: The number of a word, or 0.
_WORD = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


class Frame(NamedTuple):
    """A sentence without its words: size, edges as (source, target, answers), and lengths that structures test."""

    size: int
    edges: tuple[tuple[int, int, int], ...]
    lengths: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class GraphShape:
    """A frame with a mask of answers for each node; ``occurring`` has a bit for each structure found in it.

    ``number`` is its number in its table.
    """

    frame: Frame
    nodes: tuple[int, ...]
    occurring: int = 0
    number: int = -1


class ShapeTable:
    """The questions that some structures ask, and the distinct shapes met so far, by frame.

    ``values`` numbers the tests on attributes, ``labels`` those on edges, ``degrees`` those on numbers of edges;
    ``lengths`` are the layers whose lengths are tested, with the cap that represents all greater numbers.
    """

    def __init__(self, structures: Iterable[GraphPattern]) -> None:
        self.structures = tuple(structures)
        bodies = [body for structure in self.structures for body in structure.bodies]
        variables = [variable for body in bodies for variable in body.variables]
        links = [link for body in bodies for link in body.links]
        self.values = _numbered((t.attribute, t.values) for v in variables for t in v.tests)
        self.degrees = _numbered(test for variable in variables for test in variable.degrees)
        self.labels = _numbered([*(link.labels for link in links), *(d.labels for d in self.degrees)])
        tests = sorted((t.layer, t.number + 1) for body in bodies for t in body.lengths)
        self.lengths = dict(tests)
        self._shapes: dict[Frame, dict[tuple[int, ...], GraphShape]] = {}
        self._frames: dict[tuple[int, tuple[Edge, ...], tuple[int, ...]], Frame] = {}
        self._number = count()

        @cache
        def word_answers(word: WordForm) -> int:
            own, tests = dict(word.attributes), self.values.items()
            return sum(1 << bit for (name, values), bit in tests if own.get(name, "") in values)

        @cache
        def label_answers(label: str) -> int:
            return sum(1 << bit for labels, bit in self.labels.items() if labels.passes(label))

        self._word_answers, self._label_answers = word_answers, label_answers

    def of(self, sentence: Sentence) -> GraphShape:
        """Return the shape of a sentence; equal shapes are one object."""
        comments = dict(sentence.comments) if self.lengths else {}
        found = [(int(comments[f"length_{x}"]), cap) for x, cap in self.lengths.items()]
        key = (len(sentence.words), sentence.edges, tuple(min(pair) for pair in found))
        frame = self._frames.get(key)
        if frame is None:
            answers = self._label_answers
            edges = [(source, end, answers(label)) for source, label, end in sentence.edges]
            frame = self._frames[key] = Frame(key[0], tuple(edges), key[2])
        return self.known(frame, tuple(map(self._word_answers, sentence.words)))

    def known(self, frame: Frame, nodes: tuple[int, ...]) -> GraphShape:
        """Return the shape with this content, creating it if it is new."""
        shapes = self._shapes.setdefault(frame, {})
        shape = shapes.get(nodes)
        if shape is None:
            shape = shapes[nodes] = GraphShape(frame, nodes, number=next(self._number))
        return shape

    def shapes(self) -> list[GraphShape]:
        """Return all shapes, frame by frame."""
        return [shape for shapes in self._shapes.values() for shape in shapes.values()]


def _numbered(keys: Iterable[Key]) -> dict[Key, int]:
    return {key: rank for rank, key in enumerate(dict.fromkeys(keys))}


def conllu_path(split: str, layer: str = "") -> str:
    """Return the relative path of the CoNLL-U file of a split, for the first or another layer."""
    return f"conllu/{layer}/{split}.conllu" if layer else f"conllu/{split}.conllu"


IN_DISTRIBUTION = "in_distribution"
EXPOSURE = "exposure:"
PART = "part:"
GENERALIZATION = "gen"
TRAIN = "train"

#: Splits in which nothing held out may occur.
TRAINING_LIKE = (TRAIN, "dev", "test")


@cache
def kind_of(category: str) -> str:
    """Return the ``split_kind`` of a category."""
    if category == IN_DISTRIBUTION:
        return "iid"
    if category.startswith(PART):
        return "part"
    return "exposure" if category.startswith(EXPOSURE) else "gen"


#: Names that no author can write: the label between two nodes of one word, the attribute of the layer.
SAME, LAYER = "&", "graph.layer"


def label_role(layer: str) -> str:
    """Return the kind of a layer's labels: labels of derivations are roles, distinct from labels of other graphs."""
    return "role " if layer == DERIVATION else "label "


def at_layers(structure: GraphPattern, first: str) -> GraphPattern:
    """Return a structure of one layer with that layer required at each node; joint structures require it already."""
    layer = structure.layer or first
    if "+" in layer:
        return structure
    asked = ValueTest(LAYER, frozenset([layer]))

    def labels(test: Labels) -> Labels:
        return Labels(test.labels | {SAME}, negated=True) if test.negated else test

    def variable(own: NodeVariable) -> NodeVariable:
        degrees = tuple(replace(degree, labels=labels(degree.labels)) for degree in own.degrees)
        return NodeVariable(own.name, (*own.tests, asked), degrees)

    def body(own: StructureBody) -> StructureBody:
        links = tuple(replace(link, labels=labels(link.labels)) for link in own.links)
        return replace(own, variables=tuple(map(variable, own.variables)), links=links)

    return GraphPattern(body(structure.body), tuple(map(body, structure.without)), structure.layer)


@cache
def _word_in(word: WordForm, layer: str) -> WordForm:
    own = () if word.outside else ((LAYER, layer),)
    return replace(word, attributes=tuple(sorted((*word.attributes, *own))))


def merged(layers: Sequence[GraphLayer], first: Sentence, others: Sequence[Sentence | Malformed | None]) -> Sentence:
    """Return the graphs of a sentence in all layers as one; raises ``MalformedError`` if one is wrong."""
    sentences, texts = [first], _texts(first, layers[0].anchor)
    for layer, other in zip(layers[1:], others, strict=True):
        size = len(first.words) if layer.anchor == layers[0].anchor else None
        sentences.append(_beside(texts, size, layer, other))
    words, edges, starts = list[WordForm](), list[Edge](), list[int]()
    for layer, sentence in zip(layers, sentences, strict=True):
        starts.append(start := len(words))
        words += [_word_in(word, layer.name) for word in sentence.words]
        edges += [(start + s, label, start + t) for s, label, t in sentence.edges]
    for x, y in combinations(range(len(layers)), 2):
        if layers[x].anchor == layers[y].anchor:
            pairs = enumerate(zip(sentences[x].words, sentences[y].words, strict=True))
            both = [n for n, (one, other) in pairs if not (one.outside or other.outside)]
            edges += [(starts[x] + n, SAME, starts[y] + n) for n in both]
    for x, layer in enumerate(layers[:-1] if layers[-1].name == DERIVATION else ()):
        heads = _heads(first, layer.name, len(sentences[-1].words), len(sentences[x].words))
        edges += [(starts[x] + head - 1, SAME, starts[-1] + node) for node, head in enumerate(heads) if head]
    return first._replace(words=tuple(words), edges=tuple(edges))


def _beside(
    texts: Mapping[str, str], size: int | None, layer: GraphLayer, other: Sentence | Malformed | None
) -> Sentence:
    """Return the sentence of another layer if it has the same texts and, unless ``size`` is None, as many words."""
    if not isinstance(other, Sentence):
        wrong = other.reason if other is not None else "it is missing"
    elif size is not None and len(other.words) != size:
        wrong = "it has other words"
    elif _texts(other, layer.anchor) != texts:
        wrong = "it is another sentence"
    else:
        return other
    raise MalformedError(f"the sentence in {layer.name}: {wrong}")


def _heads(sentence: Sentence, layer: str, rules: int, words: int) -> Sequence[int]:
    """Return the head of each phrase in a layer, if the sentence tells."""
    told = dict(sentence.comments).get(f"heads_{layer}")
    heads = [int(head) if _WORD.fullmatch(head) else -1 for head in told.split(" ")] if told is not None else []
    if told is not None and not (len(heads) == rules and all(0 <= head <= words for head in heads)):
        raise MalformedError(f"heads_{layer} does not have a word for each rule")
    return heads


def _texts(sentence: Sentence, anchor: str) -> dict[str, str]:
    names = {"text": f"text_{anchor}"}
    return {names.get(key, key): value for key, value in sentence.comments}
