"""A strict reader of CoNLL-U that trusts nothing it reads.

A file is a sequence of blocks, each ended by an empty line: comments
``# key = value``, then one line of ten columns per token.  The reader goes
through the file once and yields, for every block, either a ``Sentence`` or a
``Malformed`` with the line and the reason, so that one broken sentence hides
neither its neighbours nor its own place in the order.

The graph is taken from column DEPS.  An edge there that is not the basic edge
(HEAD, DEPREL) of its token is an extracted one and gets a ``~``; so does a basic
edge whose token says ``Extracted=Yes``::

    ID  FORM  HEAD  DEPREL  DEPS           MISC            edges
    1   What  4     obj     4:obj          Extracted=Yes   4 -[~obj]-> 1
    3   she   4     nsubj   4:nsubj|6:obj  _               4 -[nsubj]-> 3, 6 -[~obj]-> 3

Format: Universal Dependencies, *CoNLL-U Format*; the sentences this project
writes have neither multiword tokens nor empty nodes, so that these are errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

Edge = tuple[int, str, int]

_FEATURE = re.compile(r"[A-Z0-9][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9,]*")
#: Bounds on what is read; no sentence of a benchmark comes near them.
_LONGEST_LINE = 1 << 20
_LONGEST_BLOCK = 10_000

_COLUMNS = (
    *("ID", "FORM", "LEMMA", "UPOS", "XPOS"),
    *("FEATS", "HEAD", "DEPREL", "DEPS", "MISC"),
)
_POSITIONS = {str(position): position for position in range(_LONGEST_BLOCK + 1)}


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """A token without its place: form and attributes.

    There is one object for each distinct content in a ``Words`` table, so that
    identity is equality and whatever depends on the word alone can be computed
    once.
    """

    form: str
    attributes: tuple[tuple[str, str], ...]
    space_after: bool
    extracted: bool

    def get(self, attribute: str) -> str:
        """The value of an attribute, ``""`` where the word has none."""
        for name, value in self.attributes:
            if name == attribute:
                return value
        return ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A well-formed sentence: its comments, words and graph.

    ``edges`` are sorted triples (governor, label, dependent) of 0-based token
    positions; ``head`` is the token under the root; ``line`` is where the block
    starts (1-based).
    """

    line: int
    comments: tuple[tuple[str, str], ...]
    words: tuple[Word, ...]
    edges: tuple[Edge, ...]
    head: int

    def comment(self, key: str) -> str | None:
        """The value of the comment ``# key = …``."""
        for name, value in self.comments:
            if name == key:
                return value
        return None


@dataclass(frozen=True, slots=True)
class Malformed:
    """A block that is not a well-formed sentence: where and why."""

    line: int
    reason: str


class _MalformedError(Exception):
    """The reason why the block at hand is malformed, and its line."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.malformed = Malformed(line, reason)


@dataclass(frozen=True, slots=True)
class _Arcs:
    """The governors of a token: HEAD, the edges, and the last governor's position."""

    head: int
    edges: tuple[Edge, ...]
    last: int


@dataclass(frozen=True, slots=True)
class Words:
    """The distinct words, and governors of a token, read so far in several files."""

    words: dict[tuple[str, ...], Word] = field(default_factory=dict)
    arcs: dict[tuple[str, str, str, str, bool], _Arcs] = field(default_factory=dict)


def read_sentences(path: Path, words: Words) -> Iterator[Sentence | Malformed]:
    """The blocks of a file in order; raises ``OSError`` only."""
    block: list[bytes] = []
    number = 0
    with path.open("rb") as stream:
        while line := stream.readline(_LONGEST_LINE):
            number += 1
            if line == b"\n":
                yield _read_block(block, number - len(block), words)
                block = []
                continue
            block.append(line)
            if len(block) > _LONGEST_BLOCK:
                yield Malformed(number, f"no empty line within {_LONGEST_BLOCK} lines")
                block = []
    if block:
        yield Malformed(number, "the file ends inside a sentence: no empty line after it")


def _read_block(block: list[bytes], start: int, words: Words) -> Sentence | Malformed:
    try:
        lines = _decode(block, start)
        comments = tuple([_comment(line) for line in lines if line.startswith("#")])
        first = start + len(comments)
        rows = [_cells(line, first + at) for at, line in enumerate(lines[len(comments) :])]
        if not rows:
            raise _MalformedError(start, "a sentence without tokens")
        return _sentence(start, first, comments, rows, words)
    except _MalformedError as error:
        return error.malformed


def _decode(block: list[bytes], start: int) -> list[str]:
    """The lines of a block without their ends."""
    content = b"".join(block)
    if content.count(b"\n") == len(block) and b"\r" not in content:
        try:
            return content.decode("utf-8").split("\n")[:-1]
        except UnicodeDecodeError as error:
            lines_before = content.count(b"\n", 0, error.start)
            raise _MalformedError(start + lines_before, "the line is not UTF-8") from None
    for at, line in enumerate(block):
        if not line.endswith(b"\n") or b"\r" in line:
            raise _MalformedError(start + at, "a carriage return, or a line that is too long")
    return []


def _comment(line: str) -> tuple[str, str]:
    key, _, value = line.removeprefix("#").partition("=")
    return key.strip(), value.removeprefix(" ")


def _cells(line: str, number: int) -> list[str]:
    if line.startswith("#"):
        raise _MalformedError(number, "a comment after the first token")
    cells = line.split("\t")
    if len(cells) != len(_COLUMNS):
        raise _MalformedError(number, f"{len(cells)} columns instead of {len(_COLUMNS)}")
    if "" in cells:
        raise _MalformedError(number, f"column {_COLUMNS[cells.index('')]} is empty")
    return cells


def _sentence(
    start: int,
    first: int,
    comments: tuple[tuple[str, str], ...],
    rows: list[list[str]],
    words: Words,
) -> Sentence:
    read: list[Word] = []
    edges: list[Edge] = []
    heads: list[int] = []
    for index, cells in enumerate(rows):
        line = first + index
        if cells[0] != str(index + 1):
            raise _MalformedError(line, f"ID is {cells[0]} instead of {index + 1}")
        word = _word(cells, line, words)
        arcs = _arcs(cells, word.extracted, line, words)
        if arcs.last > len(rows):
            raise _MalformedError(line, f"the governor {arcs.last} does not exist")
        read.append(word)
        heads.append(arcs.head)
        edges.extend(arcs.edges)
    edges.sort()
    root = _root(heads, first)
    _check_text(comments, read, start)
    return Sentence(start, comments, tuple(read), tuple(edges), root)


def _word(cells: list[str], line: int, words: Words) -> Word:
    key = (*cells[1:6], cells[9])
    word = words.words.get(key)
    if word is None:
        word = words.words[key] = _new_word(cells, line)
    return word


def _new_word(cells: list[str], line: int) -> Word:
    _, form, lemma, upos, xpos, feats, _, _, _, misc = cells
    columns = (("lemma", lemma), ("upos", upos), ("xpos", xpos))
    attributes = [(name, value) for name, value in columns if value != "_"]
    attributes.extend(_features(feats, line))
    notes = dict(_pairs(misc, "MISC", line))
    space_after = notes.pop("SpaceAfter", "Yes") != "No"
    extracted = notes.pop("Extracted", "No") == "Yes"
    attributes.extend(notes.items())
    if len({name for name, _ in attributes}) < len(attributes):
        raise _MalformedError(line, "an attribute with two values")
    return Word(form, tuple(sorted(attributes)), space_after, extracted)


def _features(cell: str, line: int) -> list[tuple[str, str]]:
    features = _pairs(cell, "FEATS", line)
    for name, value in features:
        if not _FEATURE.fullmatch(f"{name}={value}"):
            raise _MalformedError(line, f"{name}={value} is not spelt as a feature of UD")
    spelt = [f"{name}={value}".lower() for name, value in features]
    if spelt != sorted(spelt):
        raise _MalformedError(line, f"FEATS is not sorted: {cell}")
    return features


def _pairs(cell: str, column: str, line: int) -> list[tuple[str, str]]:
    if cell == "_":
        return []
    pairs = [part.partition("=") for part in cell.split("|")]
    names = [name for name, _, _ in pairs]
    if len(set(names)) < len(names) or not all(name and equals for name, equals, _ in pairs):
        raise _MalformedError(line, f"{column} is not a list of names with one value each: {cell}")
    return [(name, value) for name, _, value in pairs]


def _arcs(cells: list[str], extracted: bool, line: int, words: Words) -> _Arcs:
    key = (cells[0], cells[6], cells[7], cells[8], extracted)
    arcs = words.arcs.get(key)
    if arcs is None:
        arcs = words.arcs[key] = _new_arcs(*key, line)
    return arcs


def _new_arcs(token: str, head: str, label: str, deps: str, extracted: bool, line: int) -> _Arcs:
    """The edges into a token, with their marks; the edge from the root is none."""
    dependent = _position(token, "ID", line)
    basic = (_position(head, "HEAD", line), label)
    governors = _deps(deps, line)
    if basic not in governors:
        raise _MalformedError(line, f"the basic edge {head}:{label} is not in DEPS {deps}")
    for governor, name in governors:
        if governor == dependent:
            raise _MalformedError(line, f"token {token} is its own governor")
        if (governor == 0) != (name == "root"):
            raise _MalformedError(line, f"governor {governor} with the label {name}")
        if governor == 0 != basic[0]:
            raise _MalformedError(line, "the root is a governor in DEPS but not in HEAD")
    edges = [
        (governor - 1, f"~{name}" if extracted or (governor, name) != basic else name)
        for governor, name in governors
        if governor
    ]
    return _Arcs(
        basic[0],
        tuple((source, name, dependent - 1) for source, name in edges),
        governors[-1][0],
    )


def _deps(cell: str, line: int) -> list[tuple[int, str]]:
    deps: list[tuple[int, str]] = []
    for part in cell.split("|"):
        governor, _, label = part.partition(":")
        if not label or label.startswith("~"):
            raise _MalformedError(line, f"DEPS is not a list of governor:label: {cell}")
        deps.append((_position(governor, "DEPS", line), label))
    if any(first >= second for first, second in pairwise(deps)):
        raise _MalformedError(line, f"DEPS is not sorted or has an edge twice: {cell}")
    return deps


def _position(text: str, column: str, line: int) -> int:
    position = _POSITIONS.get(text)
    if position is None:
        raise _MalformedError(line, f"{column} has {text}, which is not a token")
    return position


def _root(heads: list[int], first: int) -> int:
    """The token under the root of a basic tree; every token must lead there."""
    roots = [index for index, head in enumerate(heads) if head == 0]
    if len(roots) != 1:
        raise _MalformedError(first, f"{len(roots)} roots instead of one")
    reached = {0}
    for index in range(len(heads)):
        path: set[int] = set()
        token = index + 1
        while token not in reached:
            if token in path:
                raise _MalformedError(first + index, f"the basic tree has a cycle through {token}")
            path.add(token)
            token = heads[token - 1]
        reached.update(path)
    return roots[0]


def _check_text(comments: tuple[tuple[str, str], ...], words: list[Word], line: int) -> None:
    names = [name for name, _ in comments]
    for name in ("sent_id", "category", "text"):
        if names.count(name) != 1:
            raise _MalformedError(line, f"{names.count(name)} comments # {name} instead of one")
    parts = [word.form + (" " if word.space_after else "") for word in words]
    if dict(comments)["text"] != "".join(parts).removesuffix(" "):
        raise _MalformedError(line, "# text is not the tokens of the sentence")
