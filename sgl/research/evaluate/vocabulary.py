"""The words of one text layer of a grammar, as mistakes are found by them.

A lexical rule may write a particle with its word: を見た.  What several words begin with is not part of them.  Such
pieces, and what rules for phrases write, such as によって, are *function words*.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache
from itertools import dropwhile, groupby

from sgl.core.grammar import CoreGrammar, Rule, Token
from sgl.core.interpret import finish
from sgl.research.analyse.words import folded, is_punctuation
from sgl.research.evaluate.edits import common
from sgl.research.evaluate.realization import Realization, WordTree, tree_of, words_of
from sgl.research.evaluate.surface import DictionarySegmenter

#: So many words begin with a function word.
_SHARED = 3

#: Parts of speech of words that rules for phrases write, but that are no function words.
_CONTENT = ("ADJ", "ADV", "NOUN", "NUM", "PROPN", "VERB")


class Vocabulary:
    """Cuts texts into words, and compares these."""

    def __init__(self, grammar: CoreGrammar, graph: int, text: int) -> None:
        layer = grammar.text_layers[text]
        self.join = layer.join
        pieces = [[item.text for item in rule.templates[text] if isinstance(item, Token)] for rule in grammar.rules]
        function = _function_words(zip(grammar.rules, pieces, strict=True), graph)
        #: The lemmas of each word, and the words without the function words that are written with them.
        self.lemmas: dict[str, set[str]] = defaultdict(set)
        self._bare: dict[str, str] = {}
        for rule, words in zip(grammar.rules, pieces, strict=True):
            bare = list(dropwhile(function.__contains__, words))
            bare = list(dropwhile(function.__contains__, bare[::-1]))[::-1]
            word = finish(layer, bare)
            self._bare[folded(finish(layer, words))] = folded(word)
            if word and rule.lexical:
                lemmas = (dict(node.attributes or ()).get("lemma") for node in rule.fragments[graph].nodes)
                self.lemmas[folded(word)].update(filter(None, lemmas))
        own = {word for words in pieces for word in words}
        every = {*function, *self._bare.values(), *own}
        self._function, self._known = frozenset(map(folded, function)), frozenset(map(folded, every))
        self._whole, self._small = DictionarySegmenter(every), DictionarySegmenter(own)
        #: Return the words of a text; what stands between known words is one, where texts have no spaces.
        self.words = lru_cache(1 << 8)(self._words)
        #: Return smaller words: a stem and its ending are two.
        self.pieces = lru_cache(1 << 8)(lambda text: words_of(text, self.join, self._small))

    def tree(self, said: Realization) -> WordTree:
        """Return the tree of a derivation, without function words in its words."""
        tree = tree_of(said)
        return tree._replace(words=tuple([self._bare.get(word, word) for word in tree.words]))

    def particles(self, gold: Realization, said: Realization) -> list[tuple[str, str]]:
        """Return the words of two derivations that differ only in their function words."""
        one, two = (Counter(tree_of(each).words) for each in (gold, said))
        lost, new = ({self._bare.get(word, word): word for word in more} for more in (one - two, two - one))
        return [(lost[word], new[word]) for word in lost if word and word in new]

    def _words(self, text: str) -> list[str]:
        words = words_of(text, self.join, self._whole)
        if self.join:
            return words
        runs = ((known, list(run)) for known, run in groupby(words, self._known.__contains__))
        return [word for known, run in runs for word in (run if known else ["".join(run)])]

    def has_content(self, word: str) -> bool:
        """Tell whether something is a word, and neither a function word nor punctuation."""
        return bool(word) and word not in self._function and not is_punctuation(word)

    def alike(self, old: str, new: str) -> bool:
        """Tell whether two words are forms of one, or one is no word and begins like the other."""
        if new in self.lemmas:
            return not self.lemmas.get(old, frozenset()).isdisjoint(self.lemmas[new])
        return 2 * common(old, new) >= min(len(old), len(new))

    def cost(self, old: str, new: str) -> int:
        """Return the cost of a word in the place of another; a word and a function word never change places."""
        if old == new:
            return 0
        if self.has_content(old) != self.has_content(new) and new in self._known:
            return 60
        return 10 if self.has_content(old) and self.alike(old, new) else 25


def _function_words(rules: Iterable[tuple[Rule, list[str]]], graph: int) -> set[str]:
    """Return the words that rules for phrases write, and those that several words begin with, given their words."""
    function, after = set[str](), defaultdict[str, set[tuple[str, ...]]](set)
    for rule, words in rules:
        kinds = {dict(node.attributes or ()).get("upos") for node in rule.fragments[graph].nodes}
        if rule.rhs and kinds.isdisjoint(_CONTENT):
            function.update(words)
        elif words[1:]:
            after[words[0]].add(tuple(words[1:]))
    return function.union(word for word, others in after.items() if len(others) >= _SHARED)
