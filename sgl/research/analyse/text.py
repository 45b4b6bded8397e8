"""What counts as a word of an output, and when two words are the same.

Words are compared in Unicode's normal form NFKC and in small letters, unless case matters.
An output is a text, which has to be cut into words as the treebank is.  That is done at
spaces; where a piece is no word of its sentence, marks at its ends are cut off, and what
the treebank has as a multiword token becomes the words of it::

    sentence   Do  n't  go  ,  Dr.  No  .        multiword token: Don't = Do n't
    output     Don't go to Dr. No.
    words      Do  n't  go  to  Dr.  No  .
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

from sgl.research.treebank import Sentence

Cutter = Callable[[str, Sentence], list[str]]


@lru_cache(1 << 16)
def folded(word: str) -> str:
    """A word in the form in which words are compared: ``Ｄog`` is ``dog``."""
    return unicodedata.normalize("NFKC", word).lower()


@lru_cache(1 << 16)
def composed(word: str) -> str:
    """The same, but with the case it has."""
    return unicodedata.normalize("NFKC", word)


@lru_cache(1 << 12)
def is_mark(character: str) -> bool:
    """Whether a character is punctuation."""
    return unicodedata.category(character).startswith("P")


def is_punctuation(word: str) -> bool:
    """Whether a word has punctuation only."""
    return bool(word) and all(map(is_mark, word))


def cutter(tokenizer: str) -> Cutter:
    """How a text is cut into words, for the sentence that it should be.

    At marks and spaces (``marks``), at spaces (``space``), or as sacreBLEU does (``13a``,
    ``intl``, ``zh``, ``char``).

    Raises:
        KeyError: no tokenizer has this name.
    """
    if tokenizer == "marks":
        return cut_at_marks
    if tokenizer == "space":
        return lambda text, _: text.split()
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_char import TokenizerChar
    from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
    from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

    known: dict[str, Callable[[], Callable[[str], str]]] = {
        "13a": Tokenizer13a,
        "intl": TokenizerV14International,
        "zh": TokenizerZh,
        "char": TokenizerChar,
    }
    cut = known[tokenizer]()
    return lambda text, _: cut(text).split()


def cut_at_marks(text: str, sentence: Sentence) -> list[str]:
    """The words of a text: pieces between spaces, less the marks at the ends of unknown ones."""
    known = {folded(word) for entry in sentence.words for word in (entry.form, entry.lemma)}
    spelt = {
        folded(contraction.form): [
            word.form for word in sentence.words[contraction.first - 1 : contraction.last]
        ]
        for contraction in sentence.contractions
    }
    words: list[str] = []
    for piece in text.split():
        if folded(piece) in known:
            words.append(piece)
        else:
            words += _peeled(piece, known, spelt)
    return words


def _peeled(piece: str, known: set[str], spelt: dict[str, list[str]]) -> list[str]:
    """A piece without the marks before and behind it, and these marks."""
    before: list[str] = []
    behind: list[str] = []
    while piece and folded(piece) not in known and folded(piece) not in spelt:
        if is_mark(piece[-1]):
            piece = _take(piece, behind, -1)
        elif is_mark(piece[0]):
            piece = _take(piece, before, 0)
        else:
            break
    middle = spelt.get(folded(piece), [piece] if piece else [])
    return [*before, *middle, *reversed(behind)]


def _take(piece: str, marks: list[str], end: int) -> str:
    """Move the mark at one end of a piece, with its repetitions, to the marks."""
    mark = piece[end]
    rest = piece.rstrip(mark) if end else piece.lstrip(mark)
    marks.append(mark * (len(piece) - len(rest)))
    return rest


def without_marks(words: Sequence[str], kept: set[str], dropped: set[str]) -> list[str]:
    """The words of an output less its punctuation.

    That is what the treebank has as punctuation in this sentence (``dropped``), and any word of
    marks only that is not among the other words of the sentence (``kept``).
    """
    return [word for word in words if word in kept or not (word in dropped or is_punctuation(word))]
