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
from dataclasses import dataclass
from functools import cache, lru_cache
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

_COLUMNS = (*("ID", "FORM", "LEMMA", "UPOS", "XPOS"), *("FEATS", "HEAD", "DEPREL", "DEPS", "MISC"))
_POSITIONS = {str(position): position for position in range(LARGEST_ID + 1)}


@dataclass(frozen=True, slots=True, eq=False)
class WordForm:
    """A token without its place: form and attributes.

    There is one object for each distinct content in a ``TokenTable`` table, so that identity is
    equality and whatever depends on the word alone can be computed once.
    """

    form: str
    attributes: tuple[tuple[str, str], ...]
    space_after: bool
    extracted: bool

    def get(self, attribute: str) -> str:
        """Return the value of an attribute, ``""`` where the word has none."""
        return dict(self.attributes).get(attribute, "")


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


class TokenTable:
    """What has been read so far in several files, to be recognised when it comes again.

    ``token`` reads a line; ``word`` and ``arcs`` return one object for equal contents; ``trees``
    are what the governors of tokens make, ``keys`` those that the comments of a block can have.
    """

    def __init__(self) -> None:
        self.token = lru_cache(_LINES_REMEMBERED)(self._new_token)
        self.word, self.arcs = cache(_new_word), cache(_new_arcs)
        self.trees: dict[tuple[Arcs, ...], Tree] = {}
        self.keys: set[tuple[str, ...]] = set()

    def _new_token(self, line: bytes) -> Token:
        """Read a line; raise ``MalformedError``."""
        text = decode(line)
        if text.startswith("#"):
            raise MalformedError("a comment after the first token")
        cells = text.split("\t")
        if len(cells) != len(_COLUMNS):
            raise MalformedError(f"{len(cells)} columns instead of {len(_COLUMNS)}")
        if "" in cells:
            raise MalformedError(f"column {_COLUMNS[cells.index('')]} is empty")
        token, form, lemma, upos, xpos, feats, head, label, deps, misc = cells
        word = self.word(form, lemma, upos, xpos, feats, misc)
        arcs = self.arcs(token, head, label, deps, word.extracted)
        return Token(word, arcs, word.form + (" " if word.space_after else ""))


def decode(line: bytes) -> str:
    """Return the text of a line without its end; raise ``MalformedError``."""
    if not line.endswith(b"\n") or b"\r" in line:
        raise MalformedError("a carriage return, or a line that is too long")
    try:
        return line[:-1].decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedError("the line is not UTF-8") from None


def _new_word(form: str, lemma: str, upos: str, xpos: str, feats: str, misc: str) -> WordForm:
    columns = (("lemma", lemma), ("upos", upos), ("xpos", xpos))
    features, notes = _pairs(feats, "FEATS"), dict(_pairs(misc, "MISC"))
    spelt = [f"{name}={value}" for name, value in features]
    for feature in spelt:
        if not _FEATURE.fullmatch(feature):
            raise MalformedError(f"{feature} is not spelt as a feature of UD")
    if sorted(spelt, key=str.lower) != spelt:
        raise MalformedError(f"FEATS is not sorted: {feats}")
    space_after = notes.pop("SpaceAfter", "Yes") != "No"
    extracted = notes.pop("Extracted", "No") == "Yes"
    attributes = [(name, value) for name, value in columns if value != "_"]
    attributes += [*features, *notes.items()]
    if len({name for name, _ in attributes}) < len(attributes):
        raise MalformedError("an attribute with two values")
    return WordForm(form, tuple(sorted(attributes)), space_after, extracted)


def _pairs(cell: str, column: str) -> list[tuple[str, str]]:
    if cell == "_":
        return []
    pairs = [part.partition("=") for part in cell.split("|")]
    names = [name for name, _, _ in pairs]
    if len(set(names)) < len(names) or not all(name and equals for name, equals, _ in pairs):
        raise MalformedError(f"{column} is not a list of names with one value each: {cell}")
    return [(name, value) for name, _, value in pairs]


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
    edges = []
    for governor, name in governors:
        mark = "~" if extracted or (governor, name) != basic else ""
        if governor:
            edges.append((governor - 1, mark + name, dependent - 1))
    return Arcs(token, basic[0], tuple(edges), governors[-1][0])


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
