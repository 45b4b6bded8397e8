"""Write the lines of data files: columns, pairs of a sentence and its twin, and the words of CoNLL-U.

Contracted words are a multiword token in CoNLL-U.
"""

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from sgl.verify.schema_grammar import Flaw, Pair, WrittenLayer
from sgl.verify.texts import TextPiece, spelt

UNWRITABLE = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")  # not allowed in a column
VALUE = "[A-Z0-9][A-Za-z0-9]*"
FEATURE = re.compile(rf"{VALUE}(\[[a-z0-9]+\])?={VALUE}(,{VALUE})*")


def line(*cells: str) -> str:
    """Return a line of columns; refuse columns that contain separators."""
    if UNWRITABLE.search("".join(cells)):
        raise Flaw(f"{cells} are not columns of a line")
    return "\t".join(cells) + "\n"


def pair(good: str, bad: str, category: str) -> str:
    """Return the line for a sentence and its twin, which must differ."""
    if good == bad:
        raise Flaw(f"a sentence is its own twin: {good}")
    members = {"sentence_good": good, "sentence_bad": bad, "pattern": category}
    return json.dumps(members, ensure_ascii=False) + "\n"


def listed(answers: dict[str, list[str]]) -> str:
    """Return the line with the right answers of a row, by target, without duplicates."""
    return json.dumps({name: [*dict.fromkeys(own)] for name, own in answers.items()}, ensure_ascii=False) + "\n"


class WordColumns(NamedTuple):
    """The columns LEMMA to FEATS of a word, and its attributes in MISC."""

    cells: list[str]
    misc: list[str]


@lru_cache(1 << 16)
def word_columns(attributes: tuple[Pair, ...] | None) -> WordColumns:
    """Return the CoNLL-U columns for the attributes of a word; None means that it has no node."""
    if attributes is None:
        return WordColumns(["_"] * 4, ["Node=No"])
    values = dict(filter(itemgetter(1), attributes))
    fixed = [values.pop(name, "_") for name in ("lemma", "upos", "xpos")]
    feats, misc = list[str](), list[str]()
    for name, value in values.items():
        text = f"{name}={value}"
        if "|" in text:
            raise Flaw(f"{attributes} are not features")
        (feats if is_feature(text, value) else misc).append(text)
    return WordColumns([*fixed, "|".join(sorted(feats, key=str.lower)) or "_"], misc)


def is_feature(text: str, value: str) -> bool:
    """Return whether an attribute is a feature of Universal Dependencies, with sorted values."""
    parts = value.lower().split(",")
    return bool(FEATURE.fullmatch(text)) and parts == sorted({*parts})


class ShownWord(NamedTuple):
    """A word in CoNLL-U: its text, the line of a multiword token above it, if any, and whether no space follows."""

    text: str
    above: str
    tight: bool


_shown = lru_cache(1 << 16)(ShownWord)


def shown_words(layer: WrittenLayer, words: Sequence[str], every: Sequence[str]) -> list[ShownWord]:
    """Return the words of a sentence as CoNLL-U shows them; ``every`` word that rules write says how."""
    if layer.finish is not None:
        pieces = spelt(layer, layer.finish, every)
        if sum(piece.size for piece in pieces) != len(words):
            raise Flaw(f"{words} are not the words of their pieces")
        return _of_pieces(layer, words, pieces)
    following = [not layer.join or word in layer.attach for word in words[1:]]
    return [_shown(word, "", tight) for word, tight in zip(words, [*following, False], strict=True)]


def _of_pieces(layer: WrittenLayer, words: Sequence[str], pieces: Sequence[TextPiece]) -> list[ShownWord]:
    found = list[ShownWord]()
    for number, piece in enumerate(pieces):
        close = number + 1 < len(pieces) and (not layer.join or pieces[number + 1].tight)
        if piece.size == 1:
            found.append(ShownWord(piece.text, "", close))
            continue
        first, *others = words[len(found) : len(found) + piece.size]
        cells = [piece.text, *"_______", "SpaceAfter=No" if close else "_"]
        above = line(f"{len(found) + 1}-{len(found) + piece.size}", *cells)
        found += [ShownWord(first, above, False), *(ShownWord(word, "", False) for word in others)]
    return found
