"""The dependency trees of items: which edges a prediction has, how long and deep an item is.

Edge accuracy is defined in :mod:`sgl.research.analyse.metrics`.  A treebank has trees of its
sentences.  A grammar has trees of its source only: an item's words in the target have the tree
that its derivation gives them, where each word stands for the nodes of the rule that wrote it.
Words without a node (particles, classifiers) and punctuation are left out::

    The cat in a box slept.       box -> in, a; cat -> The, box; slept -> cat
    箱の中の猫が眠った。            箱 <- 猫 <- 眠った       distances -1, -1

The *shape* of a tree says how complex an item is::

    length    words of the source sentence, punctuation included
    depth     edges from the root to the deepest word
    nesting   how often one relation occurs at most on the way from the root to a word
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from sgl.core.grammar import EXTRACTED, CoreGrammar, Token
from sgl.core.interpret import finish
from sgl.research.analyse import metrics
from sgl.research.analyse.scoring import AnalysisSettings, GoldSentence
from sgl.research.analyse.words import folded, is_punctuation, tokenize_at_marks
from sgl.research.evaluate.realization import Realization
from sgl.research.evaluate.surface import DictionarySegmenter
from sgl.research.treebank import Malformed, TreebankReader, TreebankSentence

_PUNCTUATION = "punct"


class WordTree(NamedTuple):
    """Words in the order of a text, and the number of the governor of each, from 1."""

    words: tuple[str, ...]
    heads: tuple[int, ...]


class GrammarEdges:
    """The edges of items and predictions of one text layer of a grammar."""

    def __init__(self, grammar: CoreGrammar, graph: int, text: int) -> None:
        anchor = grammar.text_layer(grammar.graph_layers[graph].anchor)
        self._join = grammar.text_layers[text].join
        content: set[str] = set()
        between: set[str] = set()
        for rule in grammar.rules:
            words = [item.text for item in rule.templates[text] if isinstance(item, Token)]
            if any(isinstance(item, Token) for item in rule.templates[anchor]):
                content.update(words)
                # A stem and its endings are the word of one node.
                content.add(finish(grammar.text_layers[text], words))
            else:
                between.update(words)
        self._dropped = frozenset(map(folded, between))
        self._segment = DictionarySegmenter(between | content)

    def kept(
        self, gold: Realization, text: str, words: Sequence[str] | None, said: Realization | None
    ) -> float | None:
        """Return the share of the edges of an item that a prediction has; None if it has no edge.

        ``words`` are those of a prediction that came as words, ``said`` its likeliest reading.
        """
        tree = tree_of(gold)
        if words is None and said is not None:
            output = tree_of(said).words
        else:
            output = tuple(self._content(self._cut(text) if words is None else words))
        return metrics.edge_accuracy(tree.words, tree.heads, output).share

    def _content(self, words: Sequence[str]) -> Iterator[str]:
        """Yield the words that have nodes, or that the grammar does not know."""
        for word in map(folded, words):
            if word not in self._dropped and not is_punctuation(word):
                yield word

    def _cut(self, text: str) -> Sequence[str]:
        if self._join:
            return [piece.rstrip(".,?!") or piece for piece in text.split()]
        return self._segment(text).split()


def tree_of(said: Realization) -> WordTree:
    """Return the words of a derivation in the order of the text, with their tree."""
    above: dict[int, int] = {}
    marks: set[int] = set()
    for source, label, target in said.graph.edges:
        if not label.startswith(EXTRACTED):
            above[target] = source
            if label.partition(":")[0] == _PUNCTUATION:
                marks.add(target)
    kept = [node for node in said.order if said.words[node] and node not in marks]
    number = {node: at for at, node in enumerate(kept, 1)}
    heads = []
    for node in kept:
        head = above.get(node)
        while head is not None and head not in number:
            head = above.get(head)
        heads.append(0 if head is None else number[head])
    return WordTree(tuple([folded(said.words[node]) for node in kept]), tuple(heads))


class TreebankEdges:
    """The edges of the sentences of a treebank."""

    def __init__(self, sentences: Sequence[TreebankSentence]) -> None:
        settings = AnalysisSettings()
        self._golds = [
            GoldSentence(sentence, metrics.without_punctuation(sentence.words), settings)
            for sentence in sentences
        ]

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


class TreeFileError(Exception):
    """A file is not the CoNLL-U of the split."""


def read_tree_shapes(path: Path, inside: Path) -> list[TreeShape]:
    """Return the shapes of the sentences of a file; raises ``TreeFileError`` if one is no tree."""
    shapes: list[TreeShape] = []
    for block in TreebankReader().read(path, inside):
        if isinstance(block, Malformed):
            raise TreeFileError(f"line {block.line}: {block.reason}")
        shapes.append(tree_shape(block))
    return shapes


def tree_shape(sentence: TreebankSentence) -> TreeShape:
    """Return the shape of the tree of a sentence."""
    return _shape(sentence.heads, tuple([word.deprel for word in sentence.words]))


@lru_cache(1 << 16)
def _shape(heads: tuple[int, ...], relations: tuple[str, ...]) -> TreeShape:
    nested = 0
    for word in range(len(heads)):
        met: Counter[str] = Counter()
        at = word
        while heads[at]:
            met[relations[at]] += 1
            at = heads[at] - 1
        nested = max(nested, *met.values(), 0)
    return TreeShape(len(heads), max(metrics.word_depths(heads)), nested)
