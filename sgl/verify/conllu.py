"""A strict reader of CoNLL-U that trusts nothing it reads.

A file is a sequence of blocks, each ended by an empty line: comments ``# key = value``, then one
line of ten columns per token.  The reader goes through the file once and yields, for every block,
either a ``Sentence`` or a ``Malformed`` with the line and the reason, so that one broken sentence
hides neither its neighbours nor its own place in the order.

Lines and trees repeat: the million tokens of a benchmark have some ten thousand
different lines, and still fewer trees.  Each different one is read once (``TokenTable``).

Format: Universal Dependencies, *CoNLL-U Format*; the sentences this project
writes have neither multiword tokens nor empty nodes, so that these are errors.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sgl.foreign import TREEBANK, opened
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
        return dict(self.comments).get(key)


def ranges(path: Path, size: int) -> Iterator[tuple[int, int]]:
    """Yield where a file can be cut, behind empty lines, into parts of about some size."""
    start = 0
    with opened(path, TREEBANK) as stream:
        end = os.fstat(stream.fileno()).st_size
        while start < end:
            stream.seek(start + size)
            # The rest of a line may be a line end only.
            line = stream.readline(_LONGEST_LINE)
            while line:
                line = stream.readline(_LONGEST_LINE)
                if line == b"\n":
                    break
            cut = min(stream.tell(), end)
            yield start, cut
            start = cut


def line_at(path: Path, offset: int) -> int:
    """Return the number of the line that begins at a place of a file, in bytes."""
    count, left = 1, offset
    with opened(path, TREEBANK) as stream:
        while chunk := stream.read(min(_CHUNK, left)):
            count += chunk.count(b"\n")
            left -= len(chunk)
    return count


def read_sentence(path: Path, line: int, offset: int) -> Sentence | Malformed:
    """Return the block of a file that starts at a line and offset that a sentence was read at."""
    for block in read_sentences(path, TokenTable(), offset):
        if isinstance(block, Sentence):
            return block._replace(line=line)
        return replace(block, line=block.line + line - 1)
    return Malformed(line, "the file has ended")


def read_sentences(
    path: Path, words: TokenTable, start: int = 0, end: int = sys.maxsize
) -> Iterator[Sentence | Malformed]:
    """Yield the blocks of a file, or of a range of it, in order; raises ``OSError`` only.

    Lines are counted from the start of the range.  Where it ends an empty line has ended a block.
    """
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


def _read_block(
    block: list[bytes], start: int, offset: int, words: TokenTable
) -> Sentence | Malformed:
    """Return the sentence of a block; each step leaves the line that it is about in ``number``."""
    number = start
    comments: list[tuple[str, str]] = []
    tokens: list[Token] = []
    try:
        for number, line in enumerate(block, start):  # noqa: B007 - the line of a mistake
            if not tokens and line[:1] == b"#":
                key, _, value = decode(line).partition("=")
                comments.append((key[1:].strip(), value.removeprefix(" ")))
            else:
                tokens.append(words.token(line))
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


def _new_tree(arcs: tuple[Arcs, ...], words: TokenTable) -> Tree:
    """Return and remember the edges of a sentence, each token of which leads to the one root."""
    for at, token in enumerate(arcs):
        if token.token != str(at + 1):
            raise MalformedError(f"ID is {token.token} instead of {at + 1}", at)
        if token.last > len(arcs):
            raise MalformedError(f"the governor {token.last} does not exist", at)
    roots = [at for at, token in enumerate(arcs) if token.head == 0]
    if len(roots) != 1:
        raise MalformedError(f"{len(roots)} roots instead of one")
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
    edges = sorted(edge for token in arcs for edge in token.edges)
    tree = words.trees[arcs] = tuple(edges), roots[0]
    return tree


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
