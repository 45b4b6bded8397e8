"""Keep the sentences of a split compactly: their shapes, and some seventy bytes for each.

Structures ask a finite list of yes-no questions: is the lemma of this node one of those, does this edge bear one of
those labels.  The *shape* of a sentence keeps, in the order of its tokens, the answers alone::

    questions   0  lemma = dog|cat     1  upos = VERB     |  0  nsubj|nsubj:pass
    The dog barked.    nodes (00, 01, 10, 00)      edges ((2, 1, 1), …)
    The cat slept.     the same shape

So one search per shape is a search of every sentence.  Shapes with the same edges share a *frame*:
whatever is about edges alone (walks, and degrees) is found out once for all of them.

Of each sentence remain its offset in the file, its *group* (category, shape and target), the number
in its `sent_id`, and the hashes by which tables are compared.  Equal texts have equal hashes; that
unequal ones have is a matter of one in 2**64 (BLAKE2 with a key drawn for the run, which all of its
processes have).  Whatever is to be shown is read again from the file.

If structures speak of more layers than the first, all graphs of a sentence are one.  A dataset has those of a further
layer in a folder of its own, ``conllu/sem/``.  The words of all layers stand one behind the other, with
``graph.layer`` as an attribute; an edge ``&`` leads from a word to itself in a later layer on the same text.  A
structure of one layer then asks for that layer at each of its nodes, so that all structures are searched in one graph::

    words   Emma slept | Emma slept        edges  slept -[nsubj]-> Emma    Emma -[&]-> Emma
    layers  syn  syn     sem  sem                 slept -[agent]-> Emma    slept -[&]-> slept
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial, reduce
from hashlib import blake2b
from itertools import combinations
from operator import attrgetter, or_
from typing import NamedTuple, TypeVar

import numpy as np

from sgl.verify.conllu import Edge, Malformed, MalformedError, Sentence, WordForm
from sgl.verify.manifest import GraphLayer
from sgl.verify.structure import GraphPattern, Labels, NodeVariable, StructureBody, ValueTest

Key = TypeVar("Key")


class Frame(NamedTuple):
    """A sentence without its words: size, edges as (source, target, answers), and lengths that structures test."""

    size: int
    edges: tuple[tuple[int, int, int], ...]
    lengths: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class GraphShape:
    """A frame with a mask of answers for each node; ``occurring`` has a bit for each structure found in it."""

    frame: Frame
    nodes: tuple[int, ...]
    occurring: int = 0

    def part(self, places: Sequence[int]) -> GraphShape:
        """Return the shape of some nodes and of the edges between them."""
        number = {place: n for n, place in enumerate(places)}
        edges = tuple((number[s], number[t], x) for s, t, x in self.frame.edges if {s, t} <= number.keys())
        return GraphShape(Frame(len(places), edges, self.frame.lengths), tuple(self.nodes[n] for n in places))


class ShapeTable:
    """The questions that some structures ask, and the distinct shapes met so far, by frame.

    ``values`` number the tests on attributes, ``labels`` those on edges, ``degrees`` those on numbers of edges;
    ``lengths`` are the layers whose lengths are tested, with the number that stands for all that follow.
    """

    def __init__(self, structures: Iterable[GraphPattern]) -> None:
        self.structures = tuple(structures)
        bodies = [body for structure in self.structures for body in structure.bodies]
        variables = [variable for body in bodies for variable in body.variables]
        walks = [link.walk for body in bodies for link in body.links]
        self.values = _numbered((t.attribute, t.values) for v in variables for t in v.tests)
        self.degrees = _numbered(test for variable in variables for test in variable.degrees)
        self.labels = _numbered([*(w.labels for w in walks), *(d.labels for d in self.degrees)])
        tests = sorted((t.layer, t.number + 1) for body in bodies for t in body.lengths)
        self.lengths = dict(tests)
        self._shapes: dict[Frame, dict[tuple[int, ...], GraphShape]] = {}
        self._frames: dict[tuple[int, tuple[Edge, ...], tuple[int, ...]], Frame] = {}

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
    return {key: rank for rank, key in enumerate(dict.fromkeys(keys))}


def conllu_path(split: str, layer: str = "") -> str:
    """Return the CoNLL-U file of a split, inside the dataset, with the graphs of the first layer or of another."""
    return f"conllu/{layer}/{split}.conllu" if layer else f"conllu/{split}.conllu"


IN_DISTRIBUTION = "in_distribution"
EXPOSURE = "exposure:"
PART = "part:"
GENERALIZATION = "gen"
TRAIN = "train"

#: Splits in which nothing that is held out may occur.
TRAINING_LIKE = (TRAIN, "dev", "test")


@dataclass(frozen=True, slots=True)
class Item:
    """A sentence with its texts; ``targets`` are those in the targets of the manifest."""

    sent_id: str
    category: str
    source: str
    targets: tuple[str, ...]
    words: tuple[WordForm, ...]


class Group(NamedTuple):
    """Sentences that no structure or quota tells apart; ``target`` is the lemma they count for, if shares are equal."""

    split: str
    category: str
    shape: GraphShape
    target: str


@dataclass(frozen=True, slots=True)
class CategoryGroups:
    """Groups with numbers of sentences, ``items`` in all; ``occurring`` has a bit for each structure in some."""

    split: str
    category: str
    groups: tuple[tuple[Group, int], ...]
    items: int
    occurring: int


_numbers = partial(array, "q")


@dataclass(slots=True)
class Split:
    """What the CoNLL-U file of a split holds, or a range of it; ``error`` if it cannot be read.

    Entries are numbered from 0; those that are no sentences are in ``malformed`` and belong to no group (-1).  For each
    entry there are its offset in the file, its group, the number that its `sent_id` says (0 if none), hashes of its
    source, of the skeletons of its source (``latin`` with Latin letters) and of its first target, and for each target
    the hash of a row.  ``words`` are the distinct words (form, lemma, part of speech) in their order, ``values`` the
    attributes of words with their values, ``labels`` those of edges, each with the first entry that has it;
    ``repeating`` are the entries in which a lemma occurs twice that should not.
    """

    name: str
    rows: tuple[array[int], ...]
    offsets: array[int] = field(default_factory=_numbers)
    group_of: array[int] = field(default_factory=_numbers)
    numbers: array[int] = field(default_factory=_numbers)
    sources: array[int] = field(default_factory=_numbers)
    skeletons: array[int] = field(default_factory=_numbers)
    latin: array[int] = field(default_factory=_numbers)
    targets: array[int] = field(default_factory=_numbers)
    repeating: array[int] = field(default_factory=_numbers)
    groups: dict[Group, int] = field(default_factory=dict)
    malformed: dict[int, Malformed] = field(default_factory=dict)
    words: dict[tuple[str, str, str], int] = field(default_factory=dict)
    values: dict[tuple[str, str], int] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    error: str = ""

    @classmethod
    def new(cls, name: str, targets: int) -> Split:
        """Return a split without entries, with so many targets."""
        return cls(name, tuple(_numbers() for _ in range(targets)))

    def __len__(self) -> int:
        """Return the number of entries, sentences or not."""
        return len(self.group_of)

    def columns(self) -> tuple[array[int], ...]:
        """Return what there is for each entry."""
        texts = (self.sources, self.skeletons, self.latin, self.targets, *self.rows)
        return (self.group_of, self.offsets, self.numbers, *texts)

    def extend(self, part: Split, shapes: ShapeTable, lines: int) -> None:
        """Add the range that follows, before which there are so many lines."""
        before = len(self)
        for entry, malformed in part.malformed.items():
            self.malformed[before + entry] = replace(malformed, line=malformed.line + lines)
        for word, entry in part.words.items():
            self.words.setdefault(word, before + entry)
        for value, entry in part.values.items():
            self.values.setdefault(value, before + entry)
        for label, entry in part.labels.items():
            self.labels.setdefault(label, before + entry)
        self.repeating.extend(before + entry for entry in part.repeating)
        known = []
        for group in part.groups:
            own = group._replace(shape=shapes.known(group.shape.frame, group.shape.nodes))
            known.append(self.groups.setdefault(own, len(self.groups)))
        # The last one is that of entries without a group.
        known.append(-1)
        self.group_of.extend(known[group] for group in part.group_of)
        for column, values in list(zip(self.columns(), part.columns(), strict=True))[1:]:
            column.extend(values)
        self.error = part.error

    def categories(self) -> Iterator[CategoryGroups]:
        """Yield the categories with their groups, whose shapes have been searched."""
        numbers = np.asarray(self.group_of, np.int64)
        counts = np.bincount(numbers[numbers >= 0], minlength=len(self.groups)).tolist()
        found: dict[str, list[tuple[Group, int]]] = {}
        for group, count in zip(self.groups, counts, strict=True):
            found.setdefault(group.category, []).append((group, count))
        for category, groups in found.items():
            occurring = reduce(or_, (group.shape.occurring for group, _ in groups))
            items = sum(count for _, count in groups)
            yield CategoryGroups(self.name, category, tuple(groups), items, occurring)

    def members(self, groups: Collection[Group]) -> Iterator[tuple[int, Group]]:
        """Yield the sentences of some groups in their order, each with its group."""
        wanted = {self.groups[group]: group for group in groups if group.split == self.name}
        numbers = np.asarray(self.group_of, np.int64)
        for entry in np.flatnonzero(np.isin(numbers, list(wanted))).tolist():
            yield entry, wanted[self.group_of[entry]]


#: A split and the number of an entry in it.
Place = tuple[Split, int]


def repetitions(
    splits: Sequence[Split], texts: Callable[[Split], array[int]] = attrgetter("sources")
) -> Iterator[tuple[Place, Place]]:
    """Yield the sentences whose source, or other text, occurs before, each with the first."""
    if not splits:
        return
    owners = np.concatenate([np.full(len(split), rank) for rank, split in enumerate(splits)])
    entries = np.concatenate([np.arange(len(split)) for split in splits])
    sources = np.concatenate([np.asarray(texts(split), np.int64) for split in splits])
    groups = np.concatenate([np.asarray(split.group_of, np.int64) for split in splits])
    kept = groups >= 0
    owners, entries, sources = owners[kept], entries[kept], sources[kept]
    _, first, inverse = np.unique(sources, return_index=True, return_inverse=True)
    before = first[inverse]
    for later in np.flatnonzero(before != np.arange(len(before))).tolist():
        earlier = before[later]
        yield ((splits[owners[later]], int(entries[later])), (splits[owners[earlier]], int(entries[earlier])))


class Hashing:
    """Hashes of texts as integers of 64 bits, the same in every process that has the key."""

    def __init__(self, key: bytes) -> None:
        self._begun = blake2b(digest_size=8, key=key)

    def of(self, *texts: str) -> int:
        """Return what texts, or rows of them, are compared by; each has one line."""
        digest = self._begun.copy()
        digest.update("\n".join(texts).encode("utf-8"))
        return int.from_bytes(digest.digest(), "little", signed=True)


@cache
def kind_of(category: str) -> str:
    """Return the ``split_kind`` of a category."""
    if category == IN_DISTRIBUTION:
        return "iid"
    if category.startswith(PART):
        return "part"
    return "exposure" if category.startswith(EXPOSURE) else "gen"


#: What no author can write: the label between two nodes of one word, the attribute of the layer.
SAME, LAYER = "&", "graph.layer"


def at_layers(structure: GraphPattern, first: str) -> GraphPattern:
    """Return a structure of one layer with this layer asked for at each node; a joint one asks."""
    layer = structure.layer or first
    if "+" in layer:
        return structure

    def labels(test: Labels) -> Labels:
        return Labels(test.names | {SAME}, negated=True) if test.negated else test

    bodies = list[StructureBody]()
    for body in structure.bodies:
        variables = list[NodeVariable]()
        for name, tests, own in body.variables:
            degrees = tuple(degree._replace(labels=labels(degree.labels)) for degree in own)
            variables.append(NodeVariable(name, (*tests, ValueTest(LAYER, frozenset([layer]))), degrees))
        links = [link._replace(walk=link.walk._replace(labels=labels(link.walk.labels))) for link in body.links]
        bodies.append(StructureBody(tuple(variables), tuple(links), body.lengths))
    return GraphPattern(bodies[0], tuple(bodies[1:]), structure.layer)


@cache
def _word_in(word: WordForm, layer: str) -> WordForm:
    own = () if word.outside else ((LAYER, layer),)
    return replace(word, attributes=tuple(sorted((*word.attributes, *own))))


def merged(layers: Sequence[GraphLayer], first: Sentence, others: Sequence[Sentence | Malformed | None]) -> Sentence:
    """Return the graphs of a sentence in all layers as one; raises ``MalformedError`` for what is wrong with one."""
    sentences, texts = [first], _texts(first, layers[0].anchor)
    for layer, other in zip(layers[1:], others, strict=True):
        wrong = other.reason if isinstance(other, Malformed) else "it is missing"
        if isinstance(other, Sentence):
            sentences.append(other)
            wrong = "" if _texts(other, layer.anchor) == texts else "it is another sentence"
            if layer.anchor == layers[0].anchor and len(other.words) != len(first.words):
                wrong = "it has other words"
        if wrong:
            raise MalformedError(f"the sentence in {layer.name}: {wrong}")
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
    return first._replace(words=tuple(words), edges=tuple(edges))


def _texts(sentence: Sentence, anchor: str) -> dict[str, str]:
    names = {"text": f"text_{anchor}"}
    return {names.get(key, key): value for key, value in sentence.comments}
