"""How the words of a text layer are written as one text.

Words are joined with a separator.  A layer may ask for more, its *finish*, in this order::

    der Mann , den ich sah , , schläft .
    glue          a `+` of a rule: what stands on both sides is written as one piece
    absorb        a comma is not written before a comma or a full stop, nor where a text begins
    der Mann , den ich sah , schläft .
    forms         `le` is `l'` before a vowel: a word is written otherwise before some words
    mutations     `pen` is `ben` after `dy`: a word begins otherwise after some words
    elisions      `de` and `le` are written `du`, as one piece
    attach        no separator before some pieces, nor after others
    capital       the first letter of the text is raised
    Der Mann, den ich sah, schläft.

A word that is absorbed is in the text no word at all: it is in no graph either.  Words in one
piece are two words of a graph still, a multiword token of Universal Dependencies; but what is fused is
one word, of which one part may have a node.

This module needs nothing but the standard library of Python 3.9, because the standalone
sampler contains it as it is.
"""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from sgl.core.graph import CUT

#: What a beginning of words ends with, in the conditions of forms.
ANY_END = "…"


#: Between the words of templates: what stands beside it is one piece, of two words (``GLUE``) or one (``FUSE``).
GLUE, FUSE = JOINTS = "\1", "\2"

#: What a template can do to the words of a child; a layer with such a template is not parsed.
FUNCTIONS = {
    "first": slice(0, 1),
    "rest": slice(1, None),
    "last": slice(-1, None),
    "front": slice(0, -1),
    "reverse": slice(None, None, -1),
}


def applied(functions: Sequence[str], words: Sequence[str]) -> Sequence[str]:
    """Return what functions make of words, the last one first.

    >>> applied(["reverse", "rest"], ["a", "b", "c"])
    ['c', 'b']
    """
    for name in reversed(functions):
        words = words[FUNCTIONS[name]]
    return words


class Finish(NamedTuple):
    """What a text layer does to its words before it joins them.

    There is no separator behind the pieces in ``after``.  Of a pair of ``absorb`` the first word is not written
    before the second one, or at the beginning of a text if that is empty.  Of a triple of ``forms`` the first word is
    written as the third one before the second, which may be a beginning of words (``a…``); of a triple of
    ``elisions`` two words are written as one. ``twin`` is the layer of which this is a contrast.  Of a triple of
    ``mutations`` the first word, or a beginning, is written as the third one after the second, which may be an ending.
    """

    after: tuple[str, ...] = ()
    absorb: tuple[tuple[str, str], ...] = ()
    forms: tuple[tuple[str, str, str], ...] = ()
    elisions: tuple[tuple[str, str, str], ...] = ()
    capital: int = 0
    twin: str = ""
    mutations: tuple[tuple[str, str, str], ...] = ()


class Piece(NamedTuple):
    """A part of a text between separators: of how many words; ``tight`` if none is before it."""

    text: str
    words: int
    tight: bool


def absorbed(finish: Finish | None, words: Sequence[str]) -> list[int]:
    """Return the places of the words that are not written, in order.

    >>> absorbed(Finish(absorb=((",", "."), (",", ","))), ["ran", ",", ",", "."])
    [1, 2]
    """
    if finish is None or not finish.absorb:
        return []
    pairs, gone, kept = _pairs(finish), list[int](), list[int]()
    for at in range(len(words) - 1, -1, -1):
        lost = kept and (words[at], words[kept[-1]]) in pairs
        (gone if lost else kept).append(at)
    while kept and (words[kept[-1]], "") in pairs:
        gone.append(kept.pop())
    return sorted(gone)


def places(finish: Finish | None, words: Sequence[str]) -> Sequence[int]:
    """Return at which place of a text each word is, -1 if at none; fused words are at one.

    >>> places(Finish(), ["she", "a", FUSE, "sings"])
    [0, 1, -1, 1]
    """
    if finish is None:
        return range(len(words))
    gone, found, last = {*absorbed(finish, words)}, list[int](), -1
    for at, word in enumerate(words):
        lost = at in gone or word in JOINTS
        last += not lost and words[at - 1 : at] != [FUSE]
        found.append(-1 if lost else last)
    return found


def remaining(finish: Finish | None, words: list[str]) -> list[str]:
    """Return the words of a text: without those that are absorbed, and what is fused as one."""
    if finish is None:
        return words
    found: list[str] = []
    for word, at in zip(words, places(finish, words), strict=True):
        if at == len(found):
            found.append(word)
        elif at >= 0:
            found[at] += word
    return found


def mutated(finish: Finish, word: str, before: str) -> str:
    """Return how a word is written after another one.

    >>> mutated(Finish(mutations=(("g…", "dy", "…"), ("p…", "…n", "mh…"))), "gardd", "dy")
    'ardd'
    """
    for own, trigger, form in finish.mutations:
        if before == trigger or (before and trigger[:1] == ANY_END and before.endswith(trigger[1:])):
            if own == word:
                return form
            if own.endswith(ANY_END) and word.startswith(own[:-1]) and (form[:-1] or word[len(own) - 1 :]):
                return form.removesuffix(ANY_END) + word[len(own) - 1 :]
    return word


def written(finish: Finish, word: str, after: str | None, base: str) -> str:
    """Return how a word is written before another one, or at the end of a text, if what is before has no ``base``."""
    for own, before, form in finish.forms if after is not None and base == word else ():
        begins = before.endswith(ANY_END) and str(after).startswith(before[:-1])
        if own == word and (begins or after == before):
            return form
    return base


def pieces(attach: Collection[str], finish: Finish, words: Sequence[str]) -> list[Piece]:
    """Return the pieces that words are written as; conditions are about words as rules have them.

    >>> finish = Finish(elisions=(("de", "le", "du"),), capital=1)
    >>> [piece.text for piece in pieces(".", finish, ["de", "le", "chat", "."])]
    ['Du', 'chat', '.']
    """
    gone, joints, kept = {*absorbed(finish, words)}, dict[int, str](), list[str]()
    for place, word in enumerate(words):
        if word in JOINTS:
            joints[len(kept)] = word
        elif place not in gone:
            kept.append(word)
    found, last, at = list[Piece](), "", 0
    around = zip(["", *kept], kept, [*kept[1:], None], strict=False)
    shown = [written(finish, word, after, mutated(finish, word, before)) for before, word, after in around]
    whole = {(left, right): text for left, right, text in finish.elisions}
    while at < len(shown):
        pair = ("", "") if at + 1 in joints else tuple(shown[at : at + 2])
        text, size = (whole[pair], 2) if pair in whole else (shown[at], 1)
        tight, last, at = not found or text in attach or last in finish.after, text, at + size
        while at in joints:
            size, text, last, at = size + (joints[at] == GLUE), text + shown[at], shown[at], at + 1
        found.append(Piece(text, size, tight))
    raised = next((n for n, piece in enumerate(found) if piece.text and finish.capital), None)
    if raised is not None:
        own = found[raised]
        found[raised] = own._replace(text=own.text[:1].upper() + own.text[1:])
    return found


def join_words(join: str, attach: Collection[str], finish: Finish | None, words: Sequence[str]) -> str:
    """Return words as one text, with ``…`` between the parts of a phrase."""
    if finish is not None:
        own = pieces(attach, finish, words)
        words = [piece.text if piece.tight else join + piece.text for piece in own]
    if finish is not None or not join:
        return "".join(words).replace(CUT, "…")
    parts: list[str] = []
    for word in words:
        if parts and word not in attach:
            parts.append(join)
        parts.append(word)
    return "".join(parts).replace(CUT, "…")


@lru_cache(maxsize=64)
def _pairs(finish: Finish) -> frozenset[tuple[str, str]]:
    return frozenset(finish.absorb)
