"""What a text layer does to its words before they are a text: the checker's own reading.

The fourth member of a text layer, its finish, is a list of after, absorb, forms, elisions,
capital and twin; docs/texts.md says what they mean. A word that is absorbed is in no text and no
graph. Words in one piece are a multiword token in CoNLL-U.
"""

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

Json = Any  # a part of the certificate
UNWRITABLE = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")  # in a column
VALUE = "[A-Z0-9][A-Za-z0-9]*"
FEATURE = re.compile(rf"{VALUE}(\[[a-z0-9]+\])?={VALUE}(,{VALUE})*")
# What a template may do to the words of a child.
FUNCTIONS = {"first": slice(1), "rest": slice(1, None), "last": slice(-1, None)}
FUNCTIONS |= {"front": slice(-1), "reverse": slice(None, None, -1)}


def kept(finish: Json, words: Sequence[str]) -> list[int]:
    """Return the places of the words that are written: from the end, what the next one allows."""
    pairs, places = {(word, before) for word, before in finish[1]}, list[int]()
    for place in reversed(range(len(words))):
        if not places or (words[place], words[places[0]]) not in pairs:
            places.insert(0, place)
    while places and (words[places[0]], "") in pairs:
        del places[0]
    return places


def spelt(attach: Json, finish: Json, words: Sequence[str]) -> list[tuple[str, int, bool]]:
    """Return the pieces of a text, of how many words each is, and whether it follows tightly."""
    after, _, forms, elisions, capital, _ = finish
    own, pieces = list[str](), list[tuple[str, int, bool]]()
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else None
        fitting = [form for x, y, form in forms if x == word and begins(following, y)]
        own.append([*fitting, word][0])
    while own:
        whole = [text for left, right, text in elisions if own[:2] == [left, right]]
        text = [*whole, own[0]][0]
        tight = not pieces or text in attach or pieces[-1][0] in after
        pieces.append((text, 1 + len(whole), tight))
        del own[: 1 + len(whole)]
    for place, (text, size, tight) in enumerate(pieces):
        if text and capital:
            pieces[place] = (text[0].upper() + text[1:], size, tight)
            break
    return pieces


def begins(word: str | None, condition: str) -> bool:
    """Return whether a word is the one that a form stands before, or begins like it."""
    if word is None:
        return False
    return word.startswith(condition[:-1]) if condition[-1:] == "…" else word == condition


def pieces(words: Json, join: str, own: Json) -> tuple[list[str], list[str], list[bool]]:
    """Return the words as they are shown, the lines of pieces above them, and what is tight."""
    shown, above, tight = list[str](), list[str](), list[bool]()
    for number, (text, size, _) in enumerate(own):
        inside, at = words[len(shown) : len(shown) + size], str(len(shown) + 1)
        close = number + 1 < len(own) and (not join or own[number + 1][2])
        shown += inside if size > 1 else [text]
        cells = [text, *"_______", "SpaceAfter=No" if close else "_"]
        above += [line(f"{at}-{len(shown)}", *cells), ""] if size > 1 else [""]
        tight += [False] * size if size > 1 else [close]
    return shown, above, tight


def pair(good: str, bad: str, category: str) -> str:
    """Return the line of a sentence and its twin, which must be another text."""
    if good == bad:
        raise ValueError(f"a sentence is its own twin: {good}")
    members = {"sentence_good": good, "sentence_bad": bad, "pattern": category}
    return json.dumps(members, ensure_ascii=False) + "\n"


def line(*cells: str) -> str:
    """Return a line of columns, of which none ends the column or the line by itself."""
    if UNWRITABLE.search("".join(cells)):
        raise ValueError(f"{cells} are no columns of a line")
    return "\t".join(cells) + "\n"


@lru_cache(1 << 16)
def word_columns(attributes: Json) -> tuple[list[str], list[str]]:
    """Return columns LEMMA to FEATS of a word, and those of its attributes that are in MISC."""
    if attributes is None:  # the word has no node
        return ["_"] * 4, ["Node=No"]
    values = {name: value for name, value in attributes if value}
    fixed = [values.pop(name, "_") for name in ("lemma", "upos", "xpos")]
    pairs = {f"{name}={value}": value.lower().split(",") for name, value in values.items()}
    feats = [p for p, parts in pairs.items() if FEATURE.fullmatch(p) and parts == sorted({*parts})]
    shown = "|".join(sorted(feats, key=str.lower)) or "_"
    if "|" in "".join(pairs):
        raise ValueError(f"{attributes} are no features")
    return [*fixed, shown], [pair for pair in pairs if pair not in feats]
