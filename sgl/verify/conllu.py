"""A strict reader of CoNLL-U that trusts nothing it reads.

A file is a sequence of blocks, each ended by an empty line: comments
``# key = value``, then one line of ten columns per token.  The reader goes
through the file once and yields, for every block, either a ``Sentence`` or a
``Malformed`` with the line and the reason, so that one broken sentence hides
neither its neighbours nor its own place in the order.

Lines and trees repeat: the million tokens of a benchmark have some ten thousand
different lines, and still fewer trees.  Each different one is read once, and a block is
put together from what is known of its lines (``_assembled``).  Whatever has something
wrong with it is read plainly, line by line, to say what (``read_plainly``).

Format: Universal Dependencies, *CoNLL-U Format*; the sentences this project
writes have neither multiword tokens nor empty nodes, so that these are errors.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import SEEK_END, BytesIO
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
    read_token,
    split_columns,
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
    number, offset, rest = 1, start, b""
    with path.open("rb") as stream:
        stream.seek(start)
        while chunk := stream.read(min(_CHUNK, end - offset - len(rest))):
            rest += chunk
            last = rest.rfind(b"\n\n")
            if last < 0 and len(rest) > _CHUNK:
                break
            for block in rest[:last].split(b"\n\n") if last >= 0 else ():
                sentence = _assembled(block, number, offset, words)
                if sentence is not None:
                    yield sentence
                else:
                    yield from read_plainly(BytesIO(block + b"\n\n"), number, offset, words)
                number += block.count(b"\n") + 2
                offset += len(block) + 2
            rest = rest[last + 2 :] if last >= 0 else rest
        stream.seek(offset)
        yield from read_plainly(stream, number, offset, words, end)


def read_sentence(path: Path, line: int, offset: int) -> Sentence | Malformed:
    """Return the block of a file that starts at a line and offset that a sentence was read at."""
    with path.open("rb") as stream:
        stream.seek(offset)
        block = read_plainly(stream, line, offset, TokenTable())
        return next(block, Malformed(line, "the file has ended"))


def _assembled(block: bytes, number: int, offset: int, words: TokenTable) -> Sentence | None:
    """Return the sentence of a block whose lines are known; None if it is malformed."""
    lines = block.split(b"\n")
    if b"\r" in block or len(block) >= _LONGEST_LINE or len(lines) > _LONGEST_BLOCK:
        return None
    first = 0
    while lines[first][:1] == b"#" and first + 1 < len(lines):
        first += 1
    try:
        tokens = map(words.lines.__getitem__, lines[first:])
        read, arcs, spelling = zip(*tokens, strict=True)
        edges, head = words.trees.get(arcs) or _new_tree(arcs, words)
        comments = tuple([_comment(line.decode("utf-8")) for line in lines[:first]])
        _check_text(comments, spelling, number, words)
    except (UnicodeDecodeError, MalformedError):
        return None
    return Sentence(number, comments, read, edges, head, offset)


def _new_tree(arcs: tuple[Arcs, ...], words: TokenTable) -> Tree:
    if any(token.number != at or token.last > len(arcs) for at, token in enumerate(arcs, 1)):
        raise MalformedError(0, "the tokens are not numbered, or have governors elsewhere")
    tree = words.trees[arcs] = _tree(arcs, 0)
    return tree


def read_plainly(
    stream: BinaryIO, first: int, offset: int, words: TokenTable, end: int = sys.maxsize
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
    try:
        lines = _decode(block, start)
        comments = tuple([_comment(line) for line in lines if line.startswith("#")])
        first = start + len(comments)
        rows = [split_columns(line, first + at) for at, line in enumerate(lines[len(comments) :])]
        if not rows:
            raise MalformedError(start, "a sentence without tokens")
        read, arcs, spelling = zip(*_tokens(rows, first, words), strict=True)
        edges, head = _tree(arcs, first)
        _check_text(comments, spelling, start, words)
    except MalformedError as error:
        return error.malformed
    return Sentence(start, comments, read, edges, head, offset)


def _decode(block: list[bytes], start: int) -> list[str]:
    """Return the lines of a block without their ends."""
    content = b"".join(block)
    if content.count(b"\n") == len(block) and b"\r" not in content:
        try:
            return content.decode("utf-8").split("\n")[:-1]
        except UnicodeDecodeError as error:
            lines_before = content.count(b"\n", 0, error.start)
            raise MalformedError(start + lines_before, "the line is not UTF-8") from None
    for at, line in enumerate(block):
        if not line.endswith(b"\n") or b"\r" in line:
            raise MalformedError(start + at, "a carriage return, or a line that is too long")
    return []


def _comment(line: str) -> tuple[str, str]:
    key, _, value = line.partition("=")
    return key[1:].strip(), value.removeprefix(" ")


def _tokens(rows: list[list[str]], first: int, words: TokenTable) -> list[Token]:
    """Return the tokens of a sentence, numbered from 1, with governors that exist."""
    tokens: list[Token] = []
    for index, cells in enumerate(rows):
        line = first + index
        if cells[0] != str(index + 1):
            raise MalformedError(line, f"ID is {cells[0]} instead of {index + 1}")
        token = read_token(cells, line, words)
        if token.arcs.last > len(rows):
            raise MalformedError(line, f"the governor {token.arcs.last} does not exist")
        tokens.append(token)
    return tokens


def _tree(arcs: tuple[Arcs, ...], first: int) -> Tree:
    """Return the edges of a sentence and the token under its root."""
    edges = sorted(edge for token in arcs for edge in token.edges)
    return tuple(edges), _root([token.head for token in arcs], first)


def _root(heads: list[int], first: int) -> int:
    """Return the token under the root of a basic tree; every token must lead there."""
    roots = [index for index, head in enumerate(heads) if head == 0]
    if len(roots) != 1:
        raise MalformedError(first, f"{len(roots)} roots instead of one")
    reached = {0}
    for index in range(len(heads)):
        path: set[int] = set()
        token = index + 1
        while token not in reached:
            if token in path:
                raise MalformedError(first + index, f"the basic tree has a cycle through {token}")
            path.add(token)
            token = heads[token - 1]
        reached.update(path)
    return roots[0]


def _check_text(
    comments: tuple[tuple[str, str], ...], spelling: tuple[str, ...], line: int, words: TokenTable
) -> None:
    """Check that each required comment is there once, and the text is that of the tokens."""
    names = tuple([name for name, _ in comments])
    if names not in words.keys:
        for name in ("sent_id", "category", "text"):
            if names.count(name) != 1:
                raise MalformedError(line, f"{names.count(name)} comments # {name} instead of one")
        words.keys.add(names)
    if dict(comments)["text"] != "".join(spelling).removesuffix(" "):
        raise MalformedError(line, "# text is not the tokens of the sentence")
