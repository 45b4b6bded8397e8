"""Realize derivations: their phrases in several languages, and the trees of their words.

A structure speaks of the nodes of a graph, which stand on English words; a prediction is a Japanese sentence.  The
derivation has both.  Each node comes from a rule, whose words in the other layer are its *word*; and the largest
phrase that it is the head of is its *phrase*: in 箱の中の猫が眠った the word of *cat* is 猫, its phrase 箱の中の猫.

The words of the target have the tree that the derivation gives them; words without a node and
punctuation are left out.  Which of its edges a prediction has is *edge accuracy*.  The *shape* of a
tree says how complex an item is: the words of the source, the edges down to the deepest word, and
how often one relation occurs at most on the way from the root to a word.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import NamedTuple

from sgl.core.grammar import EXTRACTED, CoreGrammar, Cut, Rule, Slot, Token
from sgl.core.graph import Attributes, Graph, part_of, parts_of
from sgl.core.interpret import Derivation, derive_graph, finish
from sgl.core.spelling import applied
from sgl.research.analyse import metrics
from sgl.research.analyse.scoring import AnalysisSettings, GoldSentence
from sgl.research.analyse.words import folded, is_punctuation, tokenize_at_marks
from sgl.research.evaluate.surface import DictionarySegmenter
from sgl.research.treebank import TreebankSentence

#: What stands between the parts of a phrase among the numbers of words.
CUT_ANCHOR = -1


class DerivedPhrase(NamedTuple):
    """What a rule makes of its children.

    The words of the layer that the graph stands on have numbers.  ``anchors`` are those of the
    phrase in order, ``own`` the ones that the rule writes itself, and ``ports`` are the words under
    the ports of the graph.  ``texts`` are the words of the phrase in each of the other layers.
    """

    rule: Rule
    children: "tuple[DerivedPhrase, ...]"
    anchors: tuple[int, ...]
    own: tuple[int, ...]
    ports: tuple[int | None, ...]
    texts: tuple[tuple[str, ...], ...]


def template_words(rule: Rule, layer: int, parts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the words that a rule makes in a layer from the words of its children."""
    words: list[str] = []
    for item in rule.templates[layer]:
        if isinstance(item, Slot):
            words += applied(item.functions, part_of(parts[item.child], item.part))
        else:
            words.append(item.text)
    return tuple(words)


class Realization(NamedTuple):
    """A graph with the word and the phrase of each of its nodes in a text layer.

    ``order`` lists the nodes in the order of their words in that layer.
    """

    graph: Graph
    words: tuple[str, ...]
    phrases: tuple[str, ...]
    order: tuple[int, ...] = ()


class Realizer:
    """Realize derivations of a grammar in one graph layer and some text layers."""

    def __init__(self, grammar: CoreGrammar, graph: int, *texts: int) -> None:
        self._grammar = grammar
        self._graph = graph
        self._texts = texts
        self._anchor = grammar.anchors[graph]
        # What follows from a rule alone, or from the rule of a word and its place.
        self._leaf = cache(lambda number, made: self._phrase(grammar.rules[number], (), made))
        self._word = cache(lambda number, text: finish(grammar.text_layers[text], grammar.rules[number].words(text)))
        self._parts = cache(lambda number, text: parts_of(grammar.rules[number].templates[text], Cut()))

    def phrases(self, derivation: Derivation) -> list[DerivedPhrase]:
        """Return all phrases, each after its parts; the last one is the sentence."""
        stack, found, made = list[DerivedPhrase](), list[DerivedPhrase](), 0
        for number in reversed(derivation):
            rule = self._grammar.rules[number]
            parts = tuple([stack.pop() for _ in rule.rhs])
            stack.append(self._phrase(rule, parts, made) if parts else self._leaf(number, made))
            found.append(stack[-1])
            made += len(rule.templates[self._anchor])
        return found

    def _phrase(self, rule: Rule, children: tuple[DerivedPhrase, ...], made: int) -> DerivedPhrase:
        """Return the phrase of a rule, whose own words are numbered from ``made``."""
        anchors, own = list[int](), list[int]()
        for place, item in enumerate(rule.templates[self._anchor]):
            if isinstance(item, Slot):
                anchors += part_of(children[item.child].anchors, item.part, CUT_ANCHOR)
            elif isinstance(item, Cut):
                anchors.append(CUT_ANCHOR)
            else:
                anchors.append(made + place)
                own.append(made + place)
        fragment = rule.fragments[self._graph]
        nodes: list[int | None] = []
        for node in fragment.nodes:
            glued = (children[child].ports[port] for child, port in node.glue)
            known = next((word for word in glued if word is not None), None)
            nodes.append(known if node.token is None else made + node.token)
        said = ([child.texts[rank] for child in children] for rank in range(len(self._texts)))
        texts = [template_words(rule, layer, parts) for layer, parts in zip(self._texts, said, strict=True)]
        ports = [nodes[export] for export in fragment.exports]
        return DerivedPhrase(rule, children, tuple(anchors), tuple(own), tuple(ports), tuple(texts))

    def realize(self, derivation: Derivation) -> Realization:
        """Return what a derivation says in the first text layer."""
        text = self._texts[0]
        words: dict[int, str] = {}
        largest: dict[int, DerivedPhrase] = {}
        built = self.phrases(derivation)
        for phrase in built:
            words.update(dict.fromkeys(phrase.own, self._word(phrase.rule.id, text)))
            if (head := phrase.ports[0]) is not None:
                # A phrase comes after its parts.
                largest[head] = phrase
        graph = derive_graph(self._grammar, derivation, self._graph)
        at = [built[-1].anchors[node.position] for node in graph.nodes]
        node_of = {word: node for node, word in enumerate(at)}
        order = tuple([node_of[w] for w in dict.fromkeys(self._writers(built[-1], text)) if w in node_of])
        layer = self._grammar.text_layers[text]
        phrases = [finish(layer, largest[w].texts[0]) if w in largest else words[w] for w in at]
        return Realization(graph, tuple([words[w] for w in at]), tuple(phrases), order)

    def _writers(self, phrase: DerivedPhrase, text: int) -> Iterator[int]:
        """Yield for each word of the text the first anchor word of the rule that wrote it, if any."""
        stack: list[tuple[DerivedPhrase, int] | int] = [(phrase, 0)]
        while stack:
            top = stack.pop()
            if isinstance(top, int):
                yield top
                continue
            above, part = top
            for item in reversed(self._parts(above.rule.id, text)[part]):
                stack += [(above.children[item.child], item.number)] if isinstance(item, Slot) else above.own[:1]


def condensed(grammar: CoreGrammar, layer: int) -> CoreGrammar:
    """Return the grammar without the distinctions that one of its text layers does not make.

    Japanese has no articles, and one word for *boat* and *ship*, so that every Japanese sentence has many readings
    that say the same, of which one is enough.  Of words of one category that the layer writes alike the likeliest is
    kept, and of a category that the layer always drops the likeliest word.  Words that differ in more than their
    lemmas are all kept: a participle and a past tense may be written alike and mean different things.

    Rules get new numbers.  Weights stay as they are, so that they no longer sum to 1.
    """
    # A category that has words only, and that no rule writes in this layer, is dropped.
    written = {grammar.start, *(rule.lhs for rule in grammar.rules if not rule.lexical)}
    for rule in grammar.rules:
        written.update(rule.rhs[item.child] for item in rule.templates[layer] if isinstance(item, Slot))
    names = grammar.namer.entries if grammar.namer is not None else {}
    best: dict[Hashable, Rule] = {}
    for rule in grammar.rules:
        distinct = not rule.lexical or rule.id in names
        key = (rule.lhs, rule.id) if distinct else _said_by(rule, layer) if rule.lhs in written else (rule.lhs,)
        if key not in best or rule.weight > best[key].weight:
            best[key] = rule
    kept = sorted(best.values(), key=lambda rule: rule.id)
    number = {rule.id: new for new, rule in enumerate(kept)}
    groups = tuple(tuple(tuple(number[rule] for rule in rules) for rules in group) for group in grammar.names)
    return replace(grammar, rules=tuple(replace(rule, id=number[rule.id]) for rule in kept), names=groups)


def _said_by(rule: Rule, layer: int) -> tuple[Hashable, ...]:
    """Return what words have in common of which one is enough: the text, and all but their lemmas."""
    nodes = [node.attributes or () for fragment in rule.fragments for node in fragment.nodes]
    return rule.lhs, rule.words(layer), tuple(map(without_lemma, nodes))


class WordTree(NamedTuple):
    """Words in the order of a text; of each the number of its governor, from 1, and its relation."""

    words: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]


class GrammarEdges:
    """The edges of items and predictions of one text layer of a grammar."""

    def __init__(self, grammar: CoreGrammar, graph: int, text: int) -> None:
        anchor = grammar.anchors[graph]
        self._join = grammar.text_layers[text].join
        content, between = set[str](), set[str]()
        for rule in grammar.rules:
            words = [item.text for item in rule.templates[text] if isinstance(item, Token)]
            if any(isinstance(item, Token) for item in rule.templates[anchor]):
                # A stem and its endings are the word of one node.
                content.update(words, [finish(grammar.text_layers[text], words)])
            else:
                between.update(words)
        self._dropped = frozenset(map(folded, between))
        self._segment = DictionarySegmenter(between | content)

    def kept(self, gold: Realization, text: str, words: Sequence[str] | None, said: Realization | None) -> float | None:
        """Return the share of the edges of an item that a prediction has; None if it has no edge.

        ``words`` are those of a prediction that came as words, ``said`` its likeliest reading.
        """
        tree = tree_of(gold)
        if words is None and said is not None:
            return metrics.edge_accuracy(tree.words, tree.heads, tree_of(said).words).share
        known = words_of(text, self._join, self._segment) if words is None else map(folded, words)
        # What has a node, or is a word that the grammar does not know.
        output = [w for w in known if w not in self._dropped and not is_punctuation(w)]
        return metrics.edge_accuracy(tree.words, tree.heads, output).share


def words_of(text: str, join: str, segment: Callable[[str], str]) -> list[str]:
    """Return the words of a text as they are compared; ``segment`` cuts it if there is nothing between words."""
    pieces = (text if join else segment(text)).split()
    return [folded(piece.rstrip(".,?!") or piece) for piece in pieces]


def tree_of(said: Realization) -> WordTree:
    """Return the words of a derivation in the order of the text, with their tree."""
    kept, heads, labels = _tree(said.graph.edges, said.order, tuple(map(bool, said.words)))
    return WordTree(tuple([folded(said.words[node]) for node in kept]), heads, labels)


@lru_cache(1 << 14)
def without_lemma(attributes: Attributes) -> Attributes:
    """Return what words have in common that differ in their lemmas alone."""
    return tuple([pair for pair in attributes if pair[0] != "lemma"])


@lru_cache(1 << 14)
def _tree(
    every: tuple[tuple[int, str, int], ...], order: tuple[int, ...], written: tuple[bool, ...]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[str, ...]]:
    """Return the nodes whose words are written, in order, the number of the governor of each, and its relation."""
    heads, labels = [0] * len(written), [""] * len(written)
    for source, label, target in every:
        if not label.startswith(EXTRACTED):
            heads[target], labels[target] = source + 1, label
    kept = [node for node in order if written[node] and labels[node].partition(":")[0] != "punct"]
    return tuple(kept), metrics.contracted(heads, kept), tuple([labels[node] for node in kept])


class TreebankEdges:
    """The edges of the sentences of a treebank."""

    def __init__(self, sentences: Sequence[TreebankSentence]) -> None:
        trees = ((sentence, metrics.without_punctuation(sentence.words)) for sentence in sentences)
        self._golds = [GoldSentence(*tree, AnalysisSettings()) for tree in trees]

    def kept(self, place: int, text: str, words: Sequence[str] | None) -> float | None:
        """Return the share of the edges of a sentence that a prediction has; None without edges."""
        gold = self._golds[place]
        given = tokenize_at_marks(text, gold.sentence) if words is None else words
        return metrics.EdgeAccuracy.of(gold.edges_kept([folded(word) for word in given])).share


class TreeShape(NamedTuple):
    """Length, depth and nesting of the tree of an item."""

    length: int
    depth: int
    nesting: int


def tree_shape(sentence: TreebankSentence) -> TreeShape:
    """Return the shape of the tree of a sentence."""
    return _shape(sentence.heads, tuple([word.deprel for word in sentence.words]))


@lru_cache(1 << 16)
def _shape(heads: tuple[int, ...], relations: tuple[str, ...]) -> TreeShape:
    nested = [0]
    for word in range(len(heads)):
        met, at = Counter[str](), word
        while heads[at]:
            met[relations[at]] += 1
            at = heads[at] - 1
        nested += met.values()
    return TreeShape(len(heads), max(metrics.word_depths(heads)), max(nested))
