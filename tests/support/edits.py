"""Random edits of a grammar, such as people make and such as they never would."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

Edit = Callable[[str, Random], str]


def _declarations(text: str) -> list[str]:
    """The declarations of a file, each with the comments and empty lines behind it."""
    return re.split(r"(?m)^(?=\S)(?![#)\]}])", text)


def weight(text: str, random: Random) -> str:
    """Another weight of something that has one, or a first weight of a rule."""
    places = list(re.finditer(r"~ *\d+(\.\d+)?", text))
    if not places or random.random() < 0.3:
        places = list(re.finditer(r"(?m)^rule [^~\n#]*$", text))
        place = random.choice(places) if places else None
        return text if place is None else f"{text[: place.end()]}  ~ {random.randint(1, 9)}{text[place.end() :]}"
    place = random.choice(places)
    return f"{text[: place.start()]}~ {random.randint(1, 99) / 10}{text[place.end() :]}"


def comment(text: str, random: Random) -> str:
    """A new line of comment, or a comment at the end of a line."""
    lines = text.split("\n")
    place = random.randrange(len(lines))
    if random.random() < 0.5:
        lines.insert(place, random.choice(["# a note", "", "#", "   # indented", "# 猫が"]))
    else:
        lines[place] += "  # so it is"
    return "\n".join(lines)


def deletion(text: str, random: Random) -> str:
    """One declaration less."""
    parts = _declarations(text)
    del parts[random.randrange(len(parts))]
    return "".join(parts)


def exchange(text: str, random: Random) -> str:
    """Two declarations that change places."""
    parts = _declarations(text)
    first, second = random.randrange(len(parts)), random.randrange(len(parts))
    parts[first], parts[second] = parts[second], parts[first]
    return "".join(parts)


def repetition(text: str, random: Random) -> str:
    """A declaration once more, most often under another name."""
    parts = _declarations(text)
    place = random.randrange(len(parts))
    new = re.sub(r"^(rule|lexicon|pattern) (\w+)", rf"\1 \2_{random.randint(2, 9)}", parts[place])
    parts.insert(place, new.rstrip("\n") + "\n\n")
    return "".join(parts)


def word(text: str, random: Random) -> str:
    """Another word in quotation marks."""
    places = list(re.finditer(r'"[a-z]+"', text))
    if not places:
        return text
    old = random.choice(places)[0]
    new = f'"{random.choice(["some", "every", "beside", "near to", "."])}"'
    return text.replace(old, new) if random.random() < 0.7 else text.replace(old, new, 1)


def number(text: str, random: Random) -> str:
    """Another number somewhere: a size, a seed, a need."""
    places = list(re.finditer(r"\b\d+\b", text))
    if not places:
        return text
    place = random.choice(places)
    return text[: place.start()] + str(random.randint(0, 200)) + text[place.end() :]


def name(text: str, random: Random) -> str:
    """A word of the text in the place of another."""
    words = list(re.finditer(r"\w+", text))
    old, new = random.choice(words), random.choice(words)
    return text[: old.start()] + new[0] + text[old.end() :]


def letter(text: str, random: Random) -> str:
    """A character less, or one more."""
    place = random.randrange(len(text) or 1)
    more = random.choice(["", "", "(", '"', "x", "\n", " ", "~", "が"])
    return text[:place] + more + text[place + (not more) :]


EDITS: tuple[Edit, ...] = (weight, comment, deletion, exchange, repetition, word, number, name, letter)


def edited(text: str, random: Random) -> tuple[str, str]:
    """Return a text after one edit, and what was done."""
    # What people do most is there more often.
    edit = random.choices(EDITS, (4, 3, 1, 1, 3, 3, 2, 2, 2))[0]
    return edit(text, random), edit.__name__
