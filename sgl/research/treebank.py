r"""Read any treebank in CoNLL-U, sentence by sentence.

The tree is given by HEAD and DEPREL.  Multiword tokens are kept, because they say how a plain text writes the words;
empty nodes and enhanced edges are ignored.  A block that is not a tree is returned as ``Malformed``, with its line and
the reason, so that it hides neither its neighbours nor its own place in the order.  Lines repeat, so each distinct one
is parsed once.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO, NamedTuple

from sgl.foreign import TREEBANK, opened

#: Bounds on what is read; no sentence comes near them.
LONGEST_LINE = 1 << 20
LONGEST_SENTENCE = 10_000

#: The most lines and trees that are remembered.
_REMEMBERED = 1 << 17

#: The column ID: a number, optionally followed by the number of the last word, or of an empty node.
_NUMBER = re.compile(r"(\d{1,6})(?:([-.])(\d{1,6}))?", re.ASCII)


class TreebankWord(NamedTuple):
    """A word of a tree; ``head`` is the number of its governor, or 0; ``feats`` is the column FEATS."""

    form: str
    lemma: str
    upos: str
    head: int
    deprel: str
    feats: str = "_"


class Contraction(NamedTuple):
    """A multiword token: the words ``first`` to ``last`` (from 1) are spelt ``form``."""

    form: str
    first: int
    last: int


class TreebankSentence(NamedTuple):
    """A sentence with its tree; ``line`` (from 1) and ``offset`` (in bytes) are its place."""

    line: int
    offset: int
    end: int
    comments: tuple[bytes, ...]
    words: tuple[TreebankWord, ...]
    contractions: tuple[Contraction, ...] = ()

    def comment(self, key: str) -> str | None:
        """Return the value of the comment ``# key = …``."""
        return _comment(self.comments, key)

    @property
    def sent_id(self) -> str | None:
        """The comment ``sent_id``."""
        return self.comment("sent_id")

    @property
    def text(self) -> str:
        """The comment ``text``, or else the words, with multiword tokens as they are spelt."""
        words = [word.form for word in self.words]
        for token in reversed(self.contractions):
            words[token.first - 1 : token.last] = [token.form]
        return self.comment("text") or " ".join(words)

    @property
    def heads(self) -> tuple[int, ...]:
        """The governors of all words."""
        return tuple([word.head for word in self.words])


class Malformed(NamedTuple):
    """A block that is not a sentence: its place, and the reason."""

    line: int
    offset: int
    end: int
    reason: str
    sent_id: str | None = None


class _Fault(Exception):
    """The current line or block is malformed; the message says why."""


class TreebankReader:
    """A reader of CoNLL-U files that parses repeated lines and trees once.

    With ``trees=False`` only the words are read: HEAD and DEPREL may contain anything, as in the output of a system
    that makes no trees.
    """

    def __init__(self, *, trees: bool = True) -> None:
        self._line = lru_cache(_REMEMBERED)(_read_line)
        self._check = lru_cache(_REMEMBERED)(_check_tree if trees else _check_size)

    def read(self, path: Path, inside: Path | None = None) -> Iterator[TreebankSentence | Malformed]:
        """Yield the sentences of a file in order; links must not leave ``inside``."""
        with opened(path, TREEBANK, inside=inside) as stream:
            yield from self._blocks(stream)

    def _blocks(self, stream: BinaryIO) -> Iterator[TreebankSentence | Malformed]:
        raw, line, offset = b"\n", 1, 0
        while raw:
            block: list[bytes] = []
            start, begin, too_long = line, offset, False
            while raw := stream.readline(LONGEST_LINE):
                offset += len(raw)
                line += raw.endswith(b"\n")
                too_long |= len(raw) == LONGEST_LINE or len(block) > 3 * LONGEST_SENTENCE
                if not (text := raw.rstrip(b"\r\n")):
                    break
                if not too_long:
                    block.append(text)
            if too_long:
                yield Malformed(start, begin, offset, "the sentence is too long to be one")
            elif block:
                yield self._sentence(block, start, begin, offset)

    def _sentence(self, block: list[bytes], line: int, offset: int, end: int) -> TreebankSentence | Malformed:
        if line <= 1:
            block[0] = block[0].removeprefix(b"\xef\xbb\xbf")
        first = len(list(takewhile(lambda raw: raw.startswith(b"#"), block)))
        words: list[TreebankWord] = []
        spans: dict[int, Contraction] = {}
        at, last = first, 0
        try:
            for at, raw in enumerate(block[first:], first):
                read = self._line(raw)
                if isinstance(read, Contraction):
                    if read.first != len(words) + 1 or read.first <= last:
                        raise _Fault(f"the multiword token {read.first}-{read.last} is out of place")
                    spans[at], last = read, read.last
                elif read is not None:
                    words.append(read[1])
                    if read[0] != len(words):
                        raise _Fault(f"the word is numbered {read[0]} instead of {len(words)}")
            for at, span in spans.items():  # noqa: B007 - a fault is in this line
                if span.last > len(words):
                    raise _Fault(f"the multiword token {span.first}-{span.last} lacks words")
            at = first
            self._check(tuple([word.head for word in words]))
        except _Fault as fault:
            return Malformed(line + at, offset, end, str(fault), _comment(block[:first], "sent_id"))
        return TreebankSentence(line, offset, end, tuple(block[:first]), tuple(words), tuple(spans.values()))


def _comment(comments: Sequence[bytes], key: str) -> str | None:
    wanted = key.encode()
    for line in comments:
        name, equals, value = line[1:].partition(b"=")
        if equals and name.strip() == wanted:
            return value.strip().decode("utf-8", errors="replace")
    return None


def _check_size(heads: Sequence[int]) -> None:
    if not heads:
        raise _Fault("a sentence without words")
    if len(heads) > LONGEST_SENTENCE:
        raise _Fault(f"more than {LONGEST_SENTENCE:,} words")


def _check_tree(heads: Sequence[int]) -> None:
    """Check that these governors form a tree with one root."""
    _check_size(heads)
    for word, head in enumerate(heads, 1):
        if head < 0:
            raise _Fault(f"the HEAD of word {word} is not a number")
        if head > len(heads):
            raise _Fault(f"the HEAD of word {word} is {head}, which does not exist")
    if heads.count(0) != 1:
        raise _Fault(f"{heads.count(0)} words have HEAD 0 instead of one")
    reached = {0}
    for word in range(1, len(heads) + 1):
        path: set[int] = set()
        at = word
        while at not in reached:
            if at in path:
                raise _Fault(f"the heads go in a circle through word {at}")
            path.add(at)
            at = heads[at - 1]
        reached |= path


def _read_line(raw: bytes) -> tuple[int, TreebankWord] | Contraction | None:
    """Return a word with its number, or a multiword token, or None for an empty node."""
    try:
        cells = raw.decode("utf-8").split("\t")
    except UnicodeDecodeError:
        raise _Fault("the line is not UTF-8") from None
    if cells[0].startswith("#"):
        raise _Fault("a comment after the first word")
    if len(cells) != 10:
        raise _Fault(f"{len(cells)} columns instead of 10")
    number, form, lemma, upos, _, feats, head, deprel, _, _ = cells
    if not form:
        raise _Fault("column FORM is empty")
    found = _NUMBER.fullmatch(number)
    first, mark, last = found.groups() if found else ("", "", "")
    if not found or (mark == "-" and int(first) > int(last)):
        raise _Fault(f"ID is {number[:40]!r}, which is not the number of a word")
    if mark == ".":
        return None
    if mark:
        return Contraction(form, int(first), int(last))
    above = _NUMBER.fullmatch(head)
    governor = int(head) if above and not above[2] else -1
    return int(number), TreebankWord(form, lemma, upos, governor, deprel, feats)
