r"""Read a treebank in CoNLL-U, sentence by sentence, whatever is in it.

The tree is that of HEAD and DEPREL.  Multiword tokens are kept, because they say how a plain text writes the words;
empty nodes and enhanced edges are ignored.  A block that is no tree is returned as ``Malformed``, with its line and
the reason, so that it hides neither its neighbours nor its own place in the order.  Lines repeat: each different one
is parsed once.  Sentences know where they begin in the file, so that a few of them can be read again later.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO, NamedTuple

from sgl.foreign import TREEBANK, opened

#: Bounds on what is read; no sentence comes near them.
LONGEST_LINE = 1 << 20
LONGEST_SENTENCE = 10_000

#: So many lines and trees are remembered at most.
_REMEMBERED = 1 << 17

_COLUMNS = 10
_WORD, _SPAN, _EMPTY = range(3)


class TreebankWord(NamedTuple):
    """A word of a tree; ``head`` numbers its governor, or is 0; ``feats`` is the column FEATS."""

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
    def heads(self) -> tuple[int, ...]:
        """The governors of all words."""
        return tuple([word.head for word in self.words])


class Malformed(NamedTuple):
    """A block that is no sentence: the place, and what is wrong."""

    line: int
    offset: int
    end: int
    reason: str
    sent_id: str | None = None


class _Fault(Exception):
    """What is wrong with the line or the block at hand."""


class _Line(NamedTuple):
    """A line of a word or a multiword token; ``first`` is its number."""

    kind: int
    first: int
    last: int
    word: TreebankWord


class TreebankReader:
    """Read files of CoNLL-U; what repeats in them is parsed once.

    With ``trees=False`` only the words are read: HEAD and DEPREL may say anything, as in
    the output of a system that makes no trees.
    """

    def __init__(self, *, trees: bool = True) -> None:
        self._line = lru_cache(_REMEMBERED)(_read_line)
        self._check = lru_cache(_REMEMBERED)(_check_tree if trees else _check_size)

    def read(self, path: Path, inside: Path | None = None) -> Iterator[TreebankSentence | Malformed]:
        """Yield the sentences of a file, in order; ``inside`` is what links may not leave."""
        with opened(path, TREEBANK, inside=inside) as stream:
            yield from self._blocks(stream, 1, 0)

    def read_again(self, path: Path, line: int, offset: int) -> TreebankSentence | Malformed:
        """Return the sentence that begins at this place of a file."""
        with opened(path, TREEBANK) as stream:
            stream.seek(offset)
            block = self._blocks(stream, line, offset)
            return next(block, Malformed(line, offset, offset, "the file has ended"))

    def _blocks(self, stream: BinaryIO, line: int, offset: int) -> Iterator[TreebankSentence | Malformed]:
        raw = b"\n"
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
        spans: list[tuple[int, Contraction]] = []
        at = first
        try:
            for at, raw in enumerate(block[first:], first):
                kind, begin, last, word = self._line(raw)
                if kind == _WORD:
                    words.append(word)
                    if begin != len(words):
                        raise _Fault(f"the word is numbered {begin} instead of {len(words)}")
                elif kind == _SPAN:
                    if begin != len(words) + 1 or (spans and spans[-1][1].last >= begin):
                        raise _Fault(f"the multiword token {begin}-{last} is out of place")
                    spans.append((at, Contraction(word.form, begin, last)))
            for at, span in spans:  # noqa: B007 - a fault is at this line
                if span.last > len(words):
                    raise _Fault(f"the multiword token {span.first}-{span.last} lacks words")
            at = first
            self._check(tuple([word.head for word in words]))
        except _Fault as fault:
            return Malformed(line + at, offset, end, str(fault), _comment(block[:first], "sent_id"))
        contractions = tuple([span for _, span in spans])
        return TreebankSentence(line, offset, end, tuple(block[:first]), tuple(words), contractions)


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
    """Check that these governors are a tree with one root."""
    _check_size(heads)
    for word, head in enumerate(heads, 1):
        if head < 0:
            raise _Fault(f"the HEAD of word {word} is no number")
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


def _read_line(raw: bytes) -> _Line:
    try:
        cells = raw.decode("utf-8").split("\t")
    except UnicodeDecodeError:
        raise _Fault("the line is not UTF-8") from None
    if cells[0].startswith("#"):
        raise _Fault("a comment after the first word")
    if len(cells) != _COLUMNS:
        raise _Fault(f"{len(cells)} columns instead of {_COLUMNS}")
    number, form, lemma, upos, _, feats, head, deprel, _, _ = cells
    word = TreebankWord(form, lemma, upos, int(head) if _is_number(head) else -1, deprel, feats)
    if not form:
        raise _Fault("column FORM is empty")
    if _is_number(number):
        return _Line(_WORD, int(number), 0, word)
    first, mark, last = number.partition("-")
    if mark and _is_number(first) and _is_number(last) and int(first) <= int(last):
        return _Line(_SPAN, int(first), int(last), word)
    first, mark, last = number.partition(".")
    if mark and _is_number(first) and _is_number(last):
        return _Line(_EMPTY, 0, 0, word)
    raise _Fault(f"ID is {number[:40]!r}, which is no number of a word")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 6
