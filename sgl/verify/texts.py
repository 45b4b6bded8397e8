"""Write the words of a text layer: absorb and contract words, and apply the functions of templates.

The finish of a text layer has ``after, absorb, forms, elisions, capital, twin``; docs/texts.md explains them. An
absorbed word is in no text and no graph.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sgl.verify.schema_grammar import Flaw, TextFinish, WrittenLayer

LARGEST = 1 << 20  # limit on items and letters of a text: rules that copy a child could exceed any limit


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


def kept(finish: TextFinish | None, words: Sequence[str]) -> Sequence[int]:
    """Return the places of the written words, from the end, as each word decides whether the one before is absorbed."""
    if finish is None or not finish.absorb:
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
    first, rest = words[:1], words[1:]
    return "".join([*first, *(word if word in layer.attach else layer.join + word for word in rest)])


def spelt(layer: WrittenLayer, finish: TextFinish, words: Sequence[str]) -> list[TextPiece]:
    """Return the pieces of a text."""
    own, found = _formed(finish, words), list[TextPiece]()
    while own:
        whole = [text for left, right, text in finish.elisions if own[:2] == [left, right]]
        text = whole[0] if whole else own[0]
        tight = not found or text in layer.attach or found[-1].text in finish.after
        found.append(TextPiece(text, 1 + len(whole), tight))
        del own[: 1 + len(whole)]
    return _with_capital(found) if finish.capital else found


def _with_capital(pieces: list[TextPiece]) -> list[TextPiece]:
    for place, own in enumerate(pieces):
        if own.text:
            return [*pieces[:place], own._replace(text=raised(own.text)), *pieces[place + 1 :]]
    return pieces


def _formed(finish: TextFinish, words: Sequence[str]) -> list[str]:
    """Return each word in its form before the next one."""
    found = []
    for word, following in zip(words, [*words[1:], None], strict=True):
        fitting = [form for own, before, form in finish.forms if own == word and begins(following, before)]
        found.append(fitting[0] if fitting else word)
    return found


def begins(word: str | None, condition: str) -> bool:
    """Return whether a word meets the condition of a form: the word itself, or a prefix."""
    if word is None:
        return False
    return word.startswith(condition[:-1]) if condition[-1:] == "…" else word == condition
