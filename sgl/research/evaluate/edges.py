"""Dependency edge accuracy: which edges of a gold item does a prediction have?

The definition is that of :mod:`sgl.research.analyse.order`: an edge is two words and the signed
distance between them.  The trees come from one of two places:

* A treebank has them.  ``sglc eval gold.conllu system.conllu`` and ``sglc analyse`` give the
  same figures.
* A grammar has trees of its source only.  An item's words in the target have the tree that
  its derivation gives them: each word stands for the nodes of the rule that wrote it, and
  words without a node (particles, classifiers) and punctuation are left out::

      The cat in a box slept.       box -> in, a; cat -> The, box; slept -> cat
      箱の中の猫が眠った。            箱 <- 猫 <- 眠った       distances -1, -1

A prediction that came as words has these; one that the grammar reads has those of its
likeliest reading; any other is cut with the words of the grammar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sgl.core.grammar import EXTRACTED, CoreGrammar, Token
from sgl.core.interpret import finish
from sgl.research.analyse.order import edge_accuracy
from sgl.research.analyse.result import Settings
from sgl.research.analyse.scoring import Gold
from sgl.research.analyse.text import cut_at_marks, folded, is_punctuation
from sgl.research.analyse.tree import without_punctuation
from sgl.research.evaluate.said import Said
from sgl.research.evaluate.segment import DictionarySegmenter
from sgl.research.treebank import Sentence

_PUNCTUATION = "punct"


class Tree(NamedTuple):
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
        self, gold: Said, text: str, words: Sequence[str] | None, said: Said | None
    ) -> float | None:
        """The share of the edges of an item that a prediction has; None if it has no edge.

        ``words`` are those of a prediction that came as words, ``said`` its likeliest reading.
        """
        tree = tree_of(gold)
        if words is None and said is not None:
            output = tree_of(said).words
        else:
            output = tuple(self._content(self._cut(text) if words is None else words))
        return edge_accuracy(tree.words, tree.heads, output).share

    def _content(self, words: Sequence[str]) -> Iterator[str]:
        """The words that have nodes, or that the grammar does not know."""
        for word in map(folded, words):
            if word not in self._dropped and not is_punctuation(word):
                yield word

    def _cut(self, text: str) -> Sequence[str]:
        if self._join:
            return [piece.rstrip(".,?!") or piece for piece in text.split()]
        return self._segment(text).split()


def tree_of(said: Said) -> Tree:
    """The words of a derivation in the order of the text, with their tree."""
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
    return Tree(tuple([folded(said.words[node]) for node in kept]), tuple(heads))


class TreebankEdges:
    """The edges of the sentences of a treebank."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        settings = Settings()
        self._golds = [
            Gold(sentence, without_punctuation(sentence.words), settings) for sentence in sentences
        ]

    def kept(self, place: int, text: str, words: Sequence[str] | None) -> float | None:
        """The share of the edges of a sentence that a prediction has; None if it has no edge."""
        gold = self._golds[place]
        given = cut_at_marks(text, gold.sentence) if words is None else words
        output = [folded(word) for word in given]
        # As in an analysis: an exact output has the punctuation where the tree has it.
        left = gold.kept if output == gold.words else gold.unmarked(output)
        return edge_accuracy(gold.kept, gold.skeleton.heads, left).share
