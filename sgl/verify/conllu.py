"""Read CoNLL-U strictly, trusting nothing.

``.~Each block becomes a ``Sentence``, or ``Malformed`` with the line and the reason, so that a malformed block does not
hide its neighbours.  The graph is in column DEPS; an edge that is not the basic edge of its token, or whose token has
``Extracted=Yes``, is extracted and gets a ``~``.~``.

Format: Universal Dependencies, *CoNLL-U Format*, with multiword tokens and without empty nodes.
"""

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from sgl.foreign import TREEBANK, opened

Edge = tuple[int, str, int]

_FEATURE = re.compile(r"[A-Z0-9][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9,]*")
#: Maximum number of a token, far above any sentence of a benchmark.
LARGEST_ID = 10_000
#: Maximum number of cached lines.
_LINES_REMEMBERED = 1 << 19
#: The beginning of a multiword token's line.
_SPAN = re.compile(rb"[0-9]+-[0-9]+\t")

_COLUMNS = (*("ID", "FORM", "LEMMA", "UPOS", "XPOS"), *("FEATS", "HEAD", "DEPREL", "DEPS", "MISC"))
_POSITIONS = {str(position): position for position in range(LARGEST_ID + 1)}


@dataclass(frozen=True, slots=True, eq=False)
class WordForm:
    """A token without its place, shared by equal tokens; a token ``outside`` is not in the graph."""

    form: str
    attributes: tuple[tuple[str, str], ...]
    space_after: bool
    extracted: bool
    outside: bool = False

    def get(self, attribute: str) -> str:
        """Return the value of an attribute, or ``""`` if the word has none."""
        return dict(self.attributes).get(attribute, "")


@dataclass(frozen=True, slots=True)
class Malformed:
    """A block that is not a well-formed sentence: the line and the reason."""

    line: int
    reason: str


class MalformedError(Exception):
    """The reason why the current block is malformed; ``line`` is relative to the text being read."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True, slots=True, eq=False)
class Arcs:
    """A token's ID and governors (HEAD, edges, the last one's number), shared by equal ones in a ``TokenTable``.

    A word ``outside`` the graph has no governor, and governs nothing.
    """

    token: str
    head: int
    edges: tuple[Edge, ...]
    last: int
    outside: bool = False


#: The content of a token's line: its word, its governors, its spelling in the text.
Token = tuple[WordForm, Arcs, str]


class TokenTable:
    """A cache of lines, words and governors of several files.

    ``token`` reads a line; ``word`` and ``arcs`` return one object for equal contents; ``edges`` combines the governors
    of tokens; ``names`` checks the comments of a block.  Files of a ``free`` layer have no tree.
    """

    def __init__(self, *, free: bool = False) -> None:
        self.token = lru_cache(_LINES_REMEMBERED)(self._new_token)
        self.word, self.arcs = cache(_new_word), cache(_free_arcs if free else _new_arcs)
        self._free = free
        self.edges, self.names = cache(partial(_edges, free=free)), cache(_check_names)

    def _new_token(self, line: bytes) -> Token:
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
        if word.outside and (word.attributes or deps != "_"):
            raise MalformedError(f"token {token} has no part in the graph, and attributes or edges")
        arcs = self.arcs(token, head, label, deps, word.outside if self._free else word.extracted)
        return word, arcs, word.form + (" " if word.space_after else "")


def decode(line: bytes) -> str:
    """Return the text of a line without its end; raise ``MalformedError`` if it is not plain UTF-8."""
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
    outside = notes.get("Node") == "No"  # as a feature this would be in FEATS
    if outside:
        del notes["Node"]
    attributes = [(name, value) for name, value in columns if value != "_"]
    attributes += [*features, *notes.items()]
    if len({name for name, _ in attributes}) < len(attributes):
        raise MalformedError("an attribute with two values")
    return WordForm(form, tuple(sorted(attributes)), space_after, extracted, outside)


def _pairs(cell: str, column: str) -> list[tuple[str, str]]:
    if cell == "_":
        return []
    pairs = [part.partition("=") for part in cell.split("|")]
    names = [name for name, _, _ in pairs]
    if len(set(names)) < len(names) or not all(name and equals for name, equals, _ in pairs):
        raise MalformedError(f"{column} is not a list of names with one value each: {cell}")
    return [(name, value) for name, _, value in pairs]


def _new_arcs(token: str, head: str, label: str, deps: str, extracted: bool) -> Arcs:
    dependent = _POSITIONS.get(token, -1)
    basic = (_position(head, "HEAD"), label)
    governors = _deps(deps)
    if basic not in governors:
        raise MalformedError(f"the basic edge {head}:{label} is not in DEPS {deps}")
    for governor, name in governors:
        if governor == dependent:
            raise MalformedError(f"token {token} is its own governor")
        if (governor == 0) != (name == "root") or name.startswith("~"):
            raise MalformedError(f"governor {governor} with the label {name}")
        if governor == 0 != basic[0]:
            raise MalformedError("the root is a governor in DEPS but not in HEAD")
    edges = []
    for governor, name in governors:
        mark = "~" if extracted or (governor, name) != basic else ""
        if governor:
            edges.append((governor - 1, mark + name, dependent - 1))
    return Arcs(token, basic[0], tuple(edges), governors[-1][0])


def _free_arcs(token: str, head: str, label: str, deps: str, outside: bool) -> Arcs:
    if (head, label) != ("_", "_"):
        raise MalformedError(f"a word of a free layer has a governor: {head}:{label}")
    own, governors = _POSITIONS.get(token, -1), _deps(deps) if deps != "_" else []
    if any(governor in (0, own) for governor, _ in governors):
        raise MalformedError(f"DEPS is not a list of other words and labels: {deps}")
    edges = tuple((governor - 1, name, own - 1) for governor, name in governors)
    return Arcs(token, 0, edges, governors[-1][0] if governors else 0, outside)


def _deps(cell: str) -> list[tuple[int, str]]:
    deps: list[tuple[int, str]] = []
    for part in cell.split("|"):
        governor, _, label = part.partition(":")
        if not label:
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


#: Limits on input, far above any sentence of a benchmark.
_LONGEST_LINE = 1 << 20
_LONGEST_BLOCK = LARGEST_ID
#: Number of bytes to read at a time.
_CHUNK = 1 << 20


class Sentence(NamedTuple):
    """A well-formed sentence: its comments, words and graph.

    ``edges`` are sorted triples (governor, label, dependent) of 0-based token positions; ``line`` (1-based) and
    ``offset`` (in bytes) give the start of the block.
    """

    line: int
    comments: tuple[tuple[str, str], ...]
    words: tuple[WordForm, ...]
    edges: tuple[Edge, ...]
    offset: int = 0

    def comment(self, key: str) -> str | None:
        """Return the value of the comment ``# key = …``."""
        return dict(self.comments).get(key)


def ranges(path: Path, size: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of a file, cut after empty lines, of about this size."""
    start = 0
    with opened(path, TREEBANK) as stream:
        end = os.fstat(stream.fileno()).st_size
        while start < end:
            stream.seek(start + size)
            # The rest of a line may be only a line end.
            line = stream.readline(_LONGEST_LINE)
            while line:
                line = stream.readline(_LONGEST_LINE)
                if line == b"\n":
                    break
            cut = min(stream.tell(), end)
            yield start, cut
            start = cut


def line_at(path: Path, offset: int) -> int:
    """Return the number of the line that begins at a byte offset."""
    count, left = 1, offset
    with opened(path, TREEBANK) as stream:
        while chunk := stream.read(min(_CHUNK, left)):
            count += chunk.count(b"\n")
            left -= len(chunk)
    return count


def read_sentence(path: Path, offset: int) -> Sentence | Malformed:
    """Return the block of a file that starts at an offset; its lines are counted from there."""
    return next(read_sentences(path, TokenTable(), offset), Malformed(1, "the file has ended"))


def read_sentences(
    path: Path, words: TokenTable, start: int = 0, end: int = sys.maxsize
) -> Iterator[Sentence | Malformed]:
    """Yield the blocks of a file, or of a range with its own line numbers, in order; raises only ``OSError``."""
    block: list[bytes] = []
    number, offset = 0, start
    with opened(path, TREEBANK) as stream:
        stream.seek(start)
        while offset < end and (line := stream.readline(_LONGEST_LINE)):
            number += 1
            if line == b"\n":
                yield _read_block(block, number - len(block), offset, words)
            else:
                block.append(line)
                if len(block) <= _LONGEST_BLOCK:
                    continue
                yield Malformed(number, f"no empty line within {_LONGEST_BLOCK} lines")
                line = b""
            offset += sum(map(len, block)) + len(line)
            block = []
    if block:
        yield Malformed(number, "the file ends inside a sentence: no empty line after it")


def _read_block(block: list[bytes], start: int, offset: int, words: TokenTable) -> Sentence | Malformed:
    number = start
    comments: list[tuple[str, str]] = []
    tokens: list[Token] = []
    spans: list[tuple[int, int, str]] = []
    try:
        for number, line in enumerate(block, start):  # noqa: B007 - the line of a mistake
            if not tokens and line[:1] == b"#":
                key, _, value = decode(line).partition("=")
                comments.append((key[1:].strip(), value.removeprefix(" ")))
            elif _SPAN.match(line):
                spans.append(_read_span(line, max([len(tokens), *(last for _, last, _ in spans)])))
            else:
                tokens.append(words.token(line))
        number = start
        if not tokens:
            raise MalformedError("a sentence without tokens")
        read, arcs, spelling = zip(*tokens, strict=True)
        number = start + len(comments)
        edges = words.edges(arcs)
        number = start
        for first, last, text in spans:
            if last > len(spelling):
                raise MalformedError(f"{first}-{last} is not a multiword token of the words")
            spelling = (*spelling[: first - 1], text, *[""] * (last - first), *spelling[last:])
        words.names(tuple([name for name, _ in comments]))
        if dict(comments)["text"] != "".join(spelling).removesuffix(" "):
            raise MalformedError("# text is not the tokens of the sentence")
    except MalformedError as error:
        return Malformed(number + error.line, str(error))
    return Sentence(start, tuple(comments), read, edges, offset)


def _read_span(line: bytes, before: int) -> tuple[int, int, str]:
    cells = decode(line).split("\t")
    if len(cells) != len(_COLUMNS):
        raise MalformedError(f"{len(cells)} columns instead of {len(_COLUMNS)}")
    token, form, *others, misc = cells
    first, last = (_POSITIONS.get(part, 0) for part in token.split("-"))
    if others != ["_"] * len(others) or misc not in ("_", "SpaceAfter=No") or not form:
        raise MalformedError(f"{token} has more than its form and the space behind it")
    if not before < first < last:
        raise MalformedError(f"{token} is not a multiword token of the words")
    return first, last, form + " " * (misc == "_")


def _edges(arcs: tuple[Arcs, ...], *, free: bool) -> tuple[Edge, ...]:
    for at, token in enumerate(arcs):
        if token.token != str(at + 1):
            raise MalformedError(f"ID is {token.token} instead of {at + 1}", at)
        if token.last > len(arcs):
            raise MalformedError(f"the governor {token.last} does not exist", at)
        for governor, _, _ in token.edges:
            if arcs[governor].outside:
                raise MalformedError(f"the governor {governor + 1} has no part in the graph", at)
    roots = sum(token.head == 0 for token in arcs)
    if roots != 1 and not free:
        raise MalformedError(f"{roots} roots instead of one")
    reached = {0}
    for at in range(len(arcs)):
        path: set[int] = set()
        number = at + 1
        while number not in reached:
            if number in path:
                raise MalformedError(f"the basic tree has a cycle through {number}", at)
            path.add(number)
            number = arcs[number - 1].head
        reached |= path
    return tuple(sorted(edge for token in arcs for edge in token.edges))


def _check_names(names: tuple[str, ...]) -> None:
    for name in ("sent_id", "category", "text"):
        if names.count(name) != 1:
            raise MalformedError(f"{names.count(name)} comments # {name} instead of one")
