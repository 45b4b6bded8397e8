"""Several graph layers of a sentence as one graph, if structures speak of more than the first.

A dataset has the graphs of a further layer in a folder of its own, ``conllu/sem/``.  The words of
all layers stand one behind the other, with ``graph.layer`` as an attribute; an edge ``&`` leads
from a word to itself in a later layer on the same text.  A structure of one layer then asks for
that layer at each of its nodes, so that all structures are searched in one graph::

    words   Emma slept | Emma slept        edges  slept -[nsubj]-> Emma    Emma -[&]-> Emma
    layers  syn  syn     sem  sem                 slept -[agent]-> Emma    slept -[&]-> slept
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

from sgl.verify.conllu import Edge, Malformed, Sentence, WordForm
from sgl.verify.manifest import GraphLayer, Manifest
from sgl.verify.structure import GraphPattern, Labels, Link, NodeVariable, ValueTest

#: What no author can write: the label between two nodes of one word, the attribute of the layer.
SAME, LAYER = "&", "graph.layer"


def layers_of(manifest: Manifest) -> tuple[GraphLayer, ...]:
    """Return all layers that the dataset has graphs of, the first in front, if there are others."""
    own = {layer.name: layer for layer in manifest.layers.graph}
    wanted = (manifest.distinct.layer, *manifest.layers.written)
    return tuple(own[x] for x in wanted if x in own) if manifest.layers.written else ()


def at_layers(structure: GraphPattern, first: str) -> GraphPattern:
    """Return a structure of one layer with this layer asked for at each node; a joint one asks."""
    layer = structure.layer or first
    if "+" in layer:
        return structure
    test = ValueTest(LAYER, frozenset([layer]))

    def labels(test: Labels) -> Labels:
        return replace(test, names=test.names | {SAME}) if test.negated else test

    def variable(own: NodeVariable) -> NodeVariable:
        degrees = tuple(replace(degree, labels=labels(degree.labels)) for degree in own.degrees)
        return NodeVariable(own.name, (*own.tests, test), degrees)

    def link(own: Link) -> Link:
        return replace(own, walk=replace(own.walk, labels=labels(own.walk.labels)))

    bodies = [
        replace(body, variables=tuple(map(variable, body.variables)), links=tuple(map(link, body.links)))
        for body in structure.bodies
    ]
    return GraphPattern(bodies[0], tuple(bodies[1:]), structure.layer)


@cache
def _word_in(word: WordForm, layer: str) -> WordForm:
    own = () if word.outside else ((LAYER, layer),)
    return replace(word, attributes=tuple(sorted((*word.attributes, *own))))


def merged(
    layers: Sequence[GraphLayer], first: Sentence, others: Sequence[Sentence | Malformed | None]
) -> Sentence | Malformed:
    """Return the graphs of a sentence in all layers as one, or what is wrong with one of them."""
    sentences, texts = [first], _texts(first, layers[0].anchor)
    for layer, other in zip(layers[1:], others, strict=True):
        wrong = other.reason if isinstance(other, Malformed) else "it is missing"
        if isinstance(other, Sentence):
            sentences.append(other)
            wrong = "" if _texts(other, layer.anchor) == texts else "it is another sentence"
            if layer.anchor == layers[0].anchor and len(other.words) != len(first.words):
                wrong = "it has other words"
        if wrong:
            return Malformed(first.line, f"the sentence in {layer.name}: {wrong}")
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
