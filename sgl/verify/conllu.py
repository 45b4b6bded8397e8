"""A strict reader of CoNLL-U that trusts nothing it reads.

A file is a sequence of blocks, each ended by an empty line: comments
``# key = value``, then one line of ten columns per token.  The reader goes
through the file once and yields, for every block, either a ``Sentence`` or a
``Malformed`` with the line and the reason, so that one broken sentence hides
neither its neighbours nor its own place in the order.

Lines and trees repeat: the million tokens of a benchmark have some ten thousand
different lines, and still fewer trees.  Each different one is read once (``TokenTable``).

Format: Universal Dependencies, *CoNLL-U Format*; the sentences this project
writes have neither multiword tokens nor empty nodes, so that these are errors.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import SEEK_END
from pathlib import Path
from typing import BinaryIO, NamedTuple

from sgl.verify.tokens import (
    LARGEST_ID,
    Arcs,
    Edge,
    Malformed,
    MalformedError,
    Token,
    TokenTable,
    Tree,
    WordForm,
    decode,
)

__all__ = [
    "Edge",
    "Malformed",
    "Sentence",
    "TokenTable",
    "WordForm",
    "line_at",
    "ranges",
    "read_sentence",
    "read_sentences",
]

#: Bounds on what is read; no sentence of a benchmark comes near them.
_LONGEST_LINE = 1 << 20
_LONGEST_BLOCK = LARGEST_ID
#: So much is read at a time.
_CHUNK = 1 << 20


class Sentence(NamedTuple):
    """A well-formed sentence: its comments, words and graph.

    ``edges`` are sorted triples (governor, label, dependent) of 0-based token
    positions; ``head`` is the token under the root; ``line`` (1-based) and
    ``offset`` (in bytes) are where the block starts.
    """

    line: int
    comments: tuple[tuple[str, str], ...]
    words: tuple[WordForm, ...]
    edges: tuple[Edge, ...]
    head: int
    offset: int = 0

    def comment(self, key: str) -> str | None:
        """Return the value of the comment ``# key = …``."""
        for name, value in self.comments:
            if name == key:
                return value
        return None


def ranges(path: Path, size: int) -> Iterator[tuple[int, int]]:
    """Bytes from and to where a file can be cut into parts of about some size.

    Cuts are behind empty lines: whatever comes before, a new block begins there.
    """
    with path.open("rb") as stream:
        start, end = 0, stream.seek(0, SEEK_END)
        while start < end:
            cut = min(_behind_empty_line(stream, start + size), end)
            yield start, cut
            start = cut


def line_at(path: Path, offset: int) -> int:
    """Return the number of the line that begins at a place of a file, in bytes."""
    count, left = 1, offset
    with path.open("rb") as stream:
        while chunk := stream.read(min(_CHUNK, left)):
            count += chunk.count(b"\n")
            left -= len(chunk)
    return count


def _behind_empty_line(stream: BinaryIO, start: int) -> int:
    """Return the next place that has an empty line before it, or the end of the file."""
    place = stream.seek(start)
    before = b""
    while chunk := stream.read(_CHUNK):
        found = (before + chunk).find(b"\n\n")
        if found >= 0:
            return place - len(before) + found + 2
        place += len(chunk)
        before = chunk[-1:]
    return place


def read_sentences(
    path: Path, words: TokenTable, start: int = 0, end: int = sys.maxsize
) -> Iterator[Sentence | Malformed]:
    """Yield the blocks of a file, or of a range of it, in order; raises ``OSError`` only.

    Lines are counted from the start of the range.
    """
    with path.open("rb") as stream:
        stream.seek(start)
        yield from _read_blocks(stream, 1, start, words, end)


def read_sentence(path: Path, line: int, offset: int) -> Sentence | Malformed:
    """Return the block of a file that starts at a line and offset that a sentence was read at."""
    with path.open("rb") as stream:
        stream.seek(offset)
        block = _read_blocks(stream, line, offset, TokenTable(), sys.maxsize)
        return next(block, Malformed(line, "the file has ended"))


def _read_blocks(
    stream: BinaryIO, first: int, offset: int, words: TokenTable, end: int
) -> Iterator[Sentence | Malformed]:
    """Yield the blocks of a stream, of which ``first`` and ``offset`` are the place in its file.

    Where the range ends that is read, an empty line has ended a block.
    """
    block: list[bytes] = []
    number = first - 1
    while offset < end and (line := stream.readline(_LONGEST_LINE)):
        number += 1
        if line == b"\n":
            yield _read_block(block, number - len(block), offset, words)
            offset += sum(map(len, block)) + 1
            block = []
            continue
        block.append(line)
        if len(block) > _LONGEST_BLOCK:
            yield Malformed(number, f"no empty line within {_LONGEST_BLOCK} lines")
            offset += sum(map(len, block))
            block = []
    if block:
        yield Malformed(number, "the file ends inside a sentence: no empty line after it")


def _read_block(
    block: list[bytes], start: int, offset: int, words: TokenTable
) -> Sentence | Malformed:
    """Return the sentence of a block; each step leaves the line that it is about in ``number``."""
    number = start
    comments: list[tuple[str, str]] = []
    tokens: list[Token] = []
    try:
        for number, line in enumerate(block, start):  # noqa: B007 - the line of a mistake
            if line[:1] == b"#" and not tokens:
                comments.append(_comment(decode(line)))
            else:
                tokens.append(words.lines[line])
        number = start
        if not tokens:
            raise MalformedError("a sentence without tokens")
        read, arcs, spelling = zip(*tokens, strict=True)
        number = start + len(comments)
        edges, head = words.trees.get(arcs) or _new_tree(arcs, words)
        number = start
        _check_text(comments, spelling, words)
    except MalformedError as error:
        return Malformed(number + error.line, str(error))
    return Sentence(start, tuple(comments), read, edges, head, offset)


def _comment(line: str) -> tuple[str, str]:
    key, _, value = line.partition("=")
    return key[1:].strip(), value.removeprefix(" ")


def _new_tree(arcs: tuple[Arcs, ...], words: TokenTable) -> Tree:
    """Return the edges of a sentence and the token under its root, and remember them."""
    for at, token in enumerate(arcs):
        if token.token != str(at + 1):
            raise MalformedError(f"ID is {token.token} instead of {at + 1}", at)
        if token.last > len(arcs):
            raise MalformedError(f"the governor {token.last} does not exist", at)
    edges = sorted(edge for token in arcs for edge in token.edges)
    tree = words.trees[arcs] = tuple(edges), _root([token.head for token in arcs])
    return tree


def _root(heads: list[int]) -> int:
    """Return the token under the root of a basic tree; every token must lead there."""
    roots = [index for index, head in enumerate(heads) if head == 0]
    if len(roots) != 1:
        raise MalformedError(f"{len(roots)} roots instead of one")
    reached = {0}
    for index in range(len(heads)):
        path: set[int] = set()
        token = index + 1
        while token not in reached:
            if token in path:
                raise MalformedError(f"the basic tree has a cycle through {token}", index)
            path.add(token)
            token = heads[token - 1]
        reached.update(path)
    return roots[0]


def _check_text(
    comments: list[tuple[str, str]], spelling: tuple[str, ...], words: TokenTable
) -> None:
    """Check that each required comment is there once, and the text is that of the tokens."""
    names = tuple([name for name, _ in comments])
    if names not in words.keys:
        for name in ("sent_id", "category", "text"):
            if names.count(name) != 1:
                raise MalformedError(f"{names.count(name)} comments # {name} instead of one")
        words.keys.add(names)
    if dict(comments)["text"] != "".join(spelling).removesuffix(" "):
        raise MalformedError("# text is not the tokens of the sentence")
