"""A line of CoNLL-U: ten columns that say a word and its governors.

The graph is taken from column DEPS.  An edge there that is not the basic edge
(HEAD, DEPREL) of its token is an extracted one and gets a ``~``; so does a basic
edge whose token says ``Extracted=Yes``::

    ID  FORM  HEAD  DEPREL  DEPS           MISC            edges
    1   What  4     obj     4:obj          Extracted=Yes   4 -[~obj]-> 1
    3   she   4     nsubj   4:nsubj|6:obj  _               4 -[nsubj]-> 3, 6 -[~obj]-> 3

``TokenTable`` has one object for each distinct word, for each distinct way to be governed,
and for each distinct line: the million tokens of a benchmark have some ten thousand
different lines, and each is read once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

Edge = tuple[int, str, int]

#: The edges of a sentence and the token under its root.
Tree = tuple[tuple[Edge, ...], int]

_FEATURE = re.compile(r"[A-Z0-9][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9,]*")
#: A token has at most this number; no sentence of a benchmark comes near it.
LARGEST_ID = 10_000
#: So many lines are remembered at most.
_LINES_REMEMBERED = 1 << 19

_COLUMNS = (
    *("ID", "FORM", "LEMMA", "UPOS", "XPOS"),
    *("FEATS", "HEAD", "DEPREL", "DEPS", "MISC"),
)
_POSITIONS = {str(position): position for position in range(LARGEST_ID + 1)}


@dataclass(frozen=True, slots=True, eq=False)
class WordForm:
    """A token without its place: form and attributes.

    There is one object for each distinct content in a ``TokenTable`` table, so that
    identity is equality and whatever depends on the word alone can be computed
    once.
    """

    form: str
    attributes: tuple[tuple[str, str], ...]
    space_after: bool
    extracted: bool

    def get(self, attribute: str) -> str:
        """Return the value of an attribute, ``""`` where the word has none."""
        for name, value in self.attributes:
            if name == attribute:
                return value
        return ""


@dataclass(frozen=True, slots=True)
class Malformed:
    """A block that is not a well-formed sentence: where and why."""

    line: int
    reason: str


class MalformedError(Exception):
    """The reason why the block at hand is malformed; ``line`` counts from what is being read."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True, slots=True, eq=False)
class Arcs:
    """The ID of a token and its governors: HEAD, the edges, the last one's number.

    There is one object for each distinct content in a ``TokenTable`` table.
    """

    token: str
    head: int
    edges: tuple[Edge, ...]
    last: int


class Token(NamedTuple):
    """What a line of a token says: its word, its governors, how it is spelt in the text."""

    word: WordForm
    arcs: Arcs
    spelling: str


@dataclass(frozen=True, slots=True)
class TokenTable:
    """What has been read so far in several files, to be recognised when it comes again.

    The distinct words, and governors of a token; the lines that say them; the trees
    that governors of tokens make; the keys that the comments of a block can have.
    """

    words: dict[tuple[str, ...], WordForm] = field(default_factory=dict)
    arcs: dict[tuple[str, str, str, str, bool], Arcs] = field(default_factory=dict)
    trees: dict[tuple[Arcs, ...], Tree] = field(default_factory=dict)
    keys: set[tuple[str, ...]] = field(default_factory=set)
    lines: _Lines = field(init=False)

    def __post_init__(self) -> None:
        """Add the table of lines, which fills the others."""
        object.__setattr__(self, "lines", _Lines(self))


class _Lines(dict[bytes, Token]):
    """The tokens of lines; a line that is asked for the first time is read."""

    def __init__(self, words: TokenTable) -> None:
        super().__init__()
        self._words = words

    def __missing__(self, line: bytes) -> Token:
        """Read a line; raise ``MalformedError``."""
        if len(self) > _LINES_REMEMBERED:
            self.clear()
        text = decode(line)
        if text.startswith("#"):
            raise MalformedError("a comment after the first token")
        cells = text.split("\t")
        if len(cells) != len(_COLUMNS):
            raise MalformedError(f"{len(cells)} columns instead of {len(_COLUMNS)}")
        if "" in cells:
            raise MalformedError(f"column {_COLUMNS[cells.index('')]} is empty")
        word = _word(cells, self._words)
        arcs = _arcs(cells, word.extracted, self._words)
        token = self[line] = Token(word, arcs, word.form + (" " if word.space_after else ""))
        return token


def decode(line: bytes) -> str:
    """Return the text of a line without its end; raise ``MalformedError``."""
    if not line.endswith(b"\n") or b"\r" in line:
        raise MalformedError("a carriage return, or a line that is too long")
    try:
        return line[:-1].decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedError("the line is not UTF-8") from None


def _word(cells: list[str], words: TokenTable) -> WordForm:
    key = (*cells[1:6], cells[9])
    word = words.words.get(key)
    if word is None:
        word = words.words[key] = _new_word(cells)
    return word


def _new_word(cells: list[str]) -> WordForm:
    _, form, lemma, upos, xpos, feats, _, _, _, misc = cells
    columns = (("lemma", lemma), ("upos", upos), ("xpos", xpos))
    attributes = [(name, value) for name, value in columns if value != "_"]
    attributes.extend(_features(feats))
    notes = dict(_pairs(misc, "MISC"))
    space_after = notes.pop("SpaceAfter", "Yes") != "No"
    extracted = notes.pop("Extracted", "No") == "Yes"
    attributes.extend(notes.items())
    if len({name for name, _ in attributes}) < len(attributes):
        raise MalformedError("an attribute with two values")
    return WordForm(form, tuple(sorted(attributes)), space_after, extracted)


def _features(cell: str) -> list[tuple[str, str]]:
    features = _pairs(cell, "FEATS")
    for name, value in features:
        if not _FEATURE.fullmatch(f"{name}={value}"):
            raise MalformedError(f"{name}={value} is not spelt as a feature of UD")
    spelt = [f"{name}={value}".lower() for name, value in features]
    if spelt != sorted(spelt):
        raise MalformedError(f"FEATS is not sorted: {cell}")
    return features


def _pairs(cell: str, column: str) -> list[tuple[str, str]]:
    if cell == "_":
        return []
    pairs = [part.partition("=") for part in cell.split("|")]
    names = [name for name, _, _ in pairs]
    if len(set(names)) < len(names) or not all(name and equals for name, equals, _ in pairs):
        raise MalformedError(f"{column} is not a list of names with one value each: {cell}")
    return [(name, value) for name, _, value in pairs]


def _arcs(cells: list[str], extracted: bool, words: TokenTable) -> Arcs:
    key = (cells[0], cells[6], cells[7], cells[8], extracted)
    arcs = words.arcs.get(key)
    if arcs is None:
        arcs = words.arcs[key] = _new_arcs(*key)
    return arcs


def _new_arcs(token: str, head: str, label: str, deps: str, extracted: bool) -> Arcs:
    """Return the edges into a token, with their marks; the edge from the root is none."""
    dependent = _POSITIONS.get(token, -1)
    basic = (_position(head, "HEAD"), label)
    governors = _deps(deps)
    if basic not in governors:
        raise MalformedError(f"the basic edge {head}:{label} is not in DEPS {deps}")
    for governor, name in governors:
        if governor == dependent:
            raise MalformedError(f"token {token} is its own governor")
        if (governor == 0) != (name == "root"):
            raise MalformedError(f"governor {governor} with the label {name}")
        if governor == 0 != basic[0]:
            raise MalformedError("the root is a governor in DEPS but not in HEAD")
    edges = [
        (governor - 1, f"~{name}" if extracted or (governor, name) != basic else name)
        for governor, name in governors
        if governor
    ]
    return Arcs(
        token,
        basic[0],
        tuple((source, name, dependent - 1) for source, name in edges),
        governors[-1][0],
    )


def _deps(cell: str) -> list[tuple[int, str]]:
    deps: list[tuple[int, str]] = []
    for part in cell.split("|"):
        governor, _, label = part.partition(":")
        if not label or label.startswith("~"):
            raise MalformedError(f"DEPS is not a list of governor:label: {cell}")
        deps.append((_position(governor, "DEPS"), label))
    if any(first >= second for first, second in pairwise(deps)):
        raise MalformedError(f"DEPS is not sorted or has an edge twice: {cell}")
    return deps


def _position(text: str, column: str) -> int:
    position = _POSITIONS.get(text)
    if position is None:
        raise MalformedError(f"{column} has {text}, which is not a token")
    return position
