"""Write the words of a text layer: absorb and contract words, and apply the functions of templates.

The finish of a text layer has ``after, absorb, forms, elisions, capital, twin, mutations``; docs/texts.md
says what they mean.
A word that is absorbed is in no text and no graph.  A joint glues the words beside it: it is no word.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sgl.verify.schema_grammar import Flaw, TextFinish, WrittenLayer

LARGEST = 1 << 20  # limit on items and letters of a text: rules that copy a child could exceed any limit

GLUE, FUSE = JOINTS = "\1", "\2"  # two words in one piece, one word


class Origin(NamedTuple):
    """The origin of a word: the place of its rule in the derivation, and its item in the template."""

    place: int
    item: int


class Word(NamedTuple):
    """A word of a text: its origin, whether it has no letters, and whether it is capitalized."""

    origin: Origin
    blank: bool
    raised: bool = False


Words = list[Word]

#: Functions that a template may apply to the words of a child.
FUNCTIONS: dict[str, Callable[[Words], Words]] = {
    "first": lambda words: words[:1],
    "rest": lambda words: words[1:],
    "last": lambda words: words[-1:],
    "front": lambda words: words[:-1],
    "reverse": lambda words: words[::-1],
}


def capitalised(words: Words) -> Words:
    """Return words with the first non-empty one capitalized."""
    for place, own in enumerate(words):
        if not own.blank:
            return [*words[:place], own._replace(raised=True), *words[place + 1 :]]
    return words


def raised(text: str) -> str:
    """Return a text with its first letter capitalized."""
    return text[:1].upper() + text[1:]


def worth(item: str) -> int:
    """Return how many words a text has more by an item of a template."""
    return {GLUE: 0, FUSE: -1}.get(item, 1)


def numbered(finish: TextFinish, words: Sequence[str]) -> Sequence[int]:
    """Return which word of the text each is a part of, -1 for none."""
    numbers, size = [-1] * len(words), 0
    for place in kept(finish, words):
        if words[place] not in JOINTS:
            size += not (place and words[place - 1] == FUSE)
            numbers[place] = size - 1
    return tuple(numbers)


def merged(words: Sequence[str], numbers: Sequence[int]) -> list[str]:
    """Return the words of a text from the words of its rules."""
    found = [""] * (1 + max(numbers, default=-1))
    for word, number in zip(words, numbers, strict=True):
        if number >= 0:
            found[number] += word
    return found


def kept(finish: TextFinish, words: Sequence[str]) -> Sequence[int]:
    """Return the places of the words that are written: from the end, what the next one allows."""
    if not finish.absorb:
        return range(len(words))
    pairs, found = {*finish.absorb}, list[int]()
    for place in reversed(range(len(words))):
        if not found or (words[place], words[found[-1]]) not in pairs:
            found.append(place)
    while found and (words[found[-1]], "") in pairs:
        found.pop()
    return tuple(found[::-1])


class TextPiece(NamedTuple):
    """A piece of a text between separators: its text, its number of words, and whether it follows tightly."""

    text: str
    size: int
    tight: bool


def joined(layer: WrittenLayer, words: Sequence[str]) -> str:
    """Return the words of a layer as one text."""
    if sum(map(len, words)) + len(words) * len(layer.join) > LARGEST:
        raise Flaw("a text has too many letters")
    if layer.finish is not None:
        pieces = spelt(layer, layer.finish, words)
        return "".join(piece.text if piece.tight else layer.join + piece.text for piece in pieces)
    join, attach = layer.join, layer.attach
    return "".join([*words[:1], *[word if word in attach else join + word for word in words[1:]]])


def spelt(layer: WrittenLayer, finish: TextFinish, words: Sequence[str]) -> list[TextPiece]:
    """Return the pieces of the text of all words of a derivation."""
    left, found, before = _formed(finish, [words[place] for place in kept(finish, words)]), list[TextPiece](), ""
    while left:
        own, size = _group(left, finish)
        tight = not found or own[0] in layer.attach or before in finish.after
        found.append(TextPiece("".join(own), size, tight))
        before = own[-1]
    return _with_capital(found) if finish.capital else found


def _group(words: list[str], finish: TextFinish) -> tuple[list[str], int]:
    """Take from the front of words what is one piece: a word or a contraction, and all that is glued to it."""
    whole = [text for left, right, text in finish.elisions if words[:2] == [left, right]]
    own, size = [*whole, *words][:1], 1 + len(whole)
    del words[:size]
    while words[1:] and words[0] in JOINTS:
        size += 1 + worth(words[0])
        own.append(words[1])
        del words[:2]
    return own, size


def _with_capital(pieces: list[TextPiece]) -> list[TextPiece]:
    for place, own in enumerate(pieces):
        if own.text:
            return [*pieces[:place], own._replace(text=raised(own.text)), *pieces[place + 1 :]]
    return pieces


def _formed(finish: TextFinish, words: Sequence[str]) -> list[str]:
    """Return each word as it is written after the last one, or before the next one, and joints."""
    found, last = list[str](), ""
    for place, word in enumerate(words):
        following = next((other for other in words[place + 1 :] if other not in JOINTS), None)
        found.append(word if word in JOINTS else _form(finish, last, word, following))
        last = last if word in JOINTS else word
    return found


def _form(finish: TextFinish, last: str, word: str, following: str | None) -> str:
    """Return how a word is written between two others."""
    base = _mutated(finish, last, word)
    fitting = [form for own, before, form in finish.forms if own == word == base and begins(following, before)]
    return fitting[0] if fitting else base


def _mutated(finish: TextFinish, last: str, word: str) -> str:
    """Return a word as it is written after the last one: its beginning may be another one, but is not all of it."""
    for own, after, form in finish.mutations:
        ends = after[:1] == "…" and last.endswith(after[1:])
        if last and (last == after or ends):
            changed = form if own == word else _begun(word, own, form)
            if changed:
                return changed
    return word


def _begun(word: str, own: str, form: str) -> str:
    """Return a word that begins otherwise; nothing if it does not begin so, or nothing of it is left."""
    if own[-1:] != "…" or not begins(word, own):
        return ""
    return form.removesuffix("…") + word.removeprefix(own[:-1])


def begins(word: str | None, condition: str) -> bool:
    """Return whether a word meets the condition of a form: the word itself, or a prefix."""
    if word is None:
        return False
    return word.startswith(condition[:-1]) if condition[-1:] == "…" else word == condition
