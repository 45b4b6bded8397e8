"""Words that can stand for one another: one parse tells for many sentences how many readings.

Whether a sentence has one reading depends on its words through the categories that they
can have.  *Equal* words, of the same categories, give the same number of readings.  A
word that has these categories and others *covers* them: put in their place it can only
add readings, because each reading of the first sentence is one of the second::

    finds     Vt             equal to   holds, knows
    notices   Vt Vc          covers     finds
    the dog finds Emma       1 reading, because   the dog notices Emma   has one

So sentences are grouped by the words that stand for theirs, the widest first, and one
sentence of each group is parsed.  A word that occurs beside other things in a template,
such as *that* or *by*, stands for itself.

Texts are strings, and a string might be cut into words in several ways.  ``whole_words``
says that no string of the layer can: then the words of a text are all there is to know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from sgl.core.grammar import TextLayer
from sgl.parse.templates import ROOT, TemplateIndex

#: How many rules of each symbol a word is.
Profile = Mapping[int, int]


class Interchange:
    """Which words of a text layer can stand for which."""

    def __init__(self, index: TemplateIndex) -> None:
        self._index = index
        self._layer: TextLayer = index.grammar.text_layers[index.layer]

    @cached_property
    def whole_words(self) -> bool:
        """Whether every text of the layer can be cut into words in one way only.

        It can if there is a separator, words contain none of its characters, separated
        words none of the attached ones', and no attached word begins another.
        """
        join, attach = self._layer.join, self._layer.attach
        attached = self._index.vocabulary & attach
        marks = {character for word in attached for character in word}
        return (
            bool(join)
            and not any({*join}.intersection(word) for word in self._index.vocabulary)
            and not any(marks.intersection(word) for word in self._index.vocabulary - attached)
            and not any(a != b and b.startswith(a) for a in attached for b in attached)
        )

    def covering(self, words: Sequence[str]) -> tuple[str, ...]:
        """The sentence with each word replaced by the one that stands for those it covers."""
        stand_in = self._covers
        return tuple([stand_in[word] for word in words])

    def equal(self, words: Sequence[str]) -> tuple[str, ...]:
        """The sentence with each word replaced by the one that stands for its equals."""
        stand_in = self._equals
        return tuple([stand_in[word] for word in words])

    @cached_property
    def _profiles(self) -> dict[str, Profile]:
        """The profile of each word that is lexical only, in the order of the alphabet."""
        index = self._index
        nodes: dict[str, list[int]] = {}
        for words in index.words:
            for word, node in words.items():
                nodes.setdefault(word, []).append(node)
        return {
            word: {left: len(index.rules[node, left]) for left in index.ends[node]}
            for word, (node, *others) in sorted(nodes.items())
            if not others and self._lexical(node)
        }

    def _lexical(self, node: int) -> bool:
        """Whether all that a step from the root to a node can be is one word of a lexicon."""
        index = self._index
        return (
            index.parent[node] == ROOT
            and not index.words[node]
            and not index.slots[node]
            and all(
                rule.lexical for left in index.ends[node] for rule, _ in index.rules[node, left]
            )
        )

    @cached_property
    def _equals(self) -> dict[str, str]:
        first: dict[tuple[tuple[int, int], ...], str] = {}
        found = {word: word for word in self._index.vocabulary}
        for word, profile in self._profiles.items():
            found[word] = first.setdefault(tuple(sorted(profile.items())), word)
        return found

    @cached_property
    def _covers(self) -> dict[str, str]:
        """For each word the one of the fewest categories among the widest that cover it."""
        profiles = {
            word: self._profiles[word] for word in {*self._equals.values()} & {*self._profiles}
        }
        above = {
            word: [other for other, wider in profiles.items() if _within(profile, wider)]
            for word, profile in sorted(profiles.items())
        }
        widest = {word for word, others in above.items() if others == [word]}
        best = {
            word: min(widest.intersection(others), key=lambda w: (len(profiles[w]), w))
            for word, others in above.items()
        }
        return {word: best.get(equal, equal) for word, equal in self._equals.items()}


def _within(profile: Profile, wider: Profile) -> bool:
    return all(wider.get(left, 0) >= rules for left, rules in profile.items())
