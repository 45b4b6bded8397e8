"""What counts as a word of an output, and when two words are the same.

Words are compared in Unicode's normal form NFKC and in lower case, unless case matters.  A text is
split at spaces; where a piece is no word of its sentence, marks at its ends are split off, and what
the treebank has as a multiword token becomes its words: ``Don't`` is ``Do n't``.

Scores of the wrong file look like those of a bad system.  If hardly any letter of the first few
hundred outputs is of a script that the treebank has, and hardly any of their words is a word of it,
the file most likely holds sources, or is in another language.
"""

import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from sgl.disk import temporary
from sgl.research.treebank import TreebankSentence


@lru_cache(1 << 16)
def folded(word: str) -> str:
    """Return a word in the form in which words are compared.

    >>> folded("Ｄog")
    'dog'
    """
    return unicodedata.normalize("NFKC", word).lower()


@lru_cache(1 << 16)
def composed(word: str) -> str:
    """Return the same, but with the case it has."""
    return unicodedata.normalize("NFKC", word)


@lru_cache(1 << 12)
def is_mark(character: str) -> bool:
    """Tell whether a character is punctuation."""
    return unicodedata.category(character).startswith("P")


def is_punctuation(word: str) -> bool:
    """Tell whether a word has punctuation only."""
    return bool(word) and all(map(is_mark, word))


@cache
def tokenizer_of(tokenizer: str) -> Callable[[str, TreebankSentence], list[str]]:
    """How a text is cut into words, for the sentence that it should be.

    At marks and spaces (``marks``), at spaces (``space``), or as sacreBLEU does (``13a``,
    ``intl``, ``zh``, ``char``).  Segmenters cut what has no spaces and is not the text of the sentence, the rest is
    cut like ``marks``.  Raises ``ImportError`` without the library of a segmenter.
    """
    if tokenizer == "marks":
        return tokenize_at_marks
    if tokenizer == "space":
        return lambda text, _: text.split()
    if tokenizer == SEGMENTERS["zh"]:
        cut = chinese_words()
    else:
        from sacrebleu.metrics.bleu import BLEU

        cut = BLEU(tokenize=tokenizer).tokenizer
    if tokenizer not in SEGMENTERS.values():
        return lambda text, _: cut(text).split()

    def segmented(text: str, sentence: TreebankSentence) -> list[str]:
        if text.strip() == sentence.text:
            return [word.form for word in sentence.words]
        return tokenize_at_marks(text if " " in text.strip() else cut(text), sentence)

    return segmented


def chinese_words() -> Callable[[str], str]:
    """Return what puts spaces between the words of a Chinese text; raises ``ImportError`` without jieba."""
    with warnings.catch_warnings():
        # Its sources have escapes that newer versions of Python warn of.
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel("ERROR")
    tokenizer = jieba.Tokenizer()
    # It caches its dictionary in the directory for temporary files, where anybody could have
    # put another one.  In a directory of its own it builds it anew.
    with temporary() as folder:
        tokenizer.tmp_dir = str(folder)
        tokenizer.initialize()
    return lambda text: " ".join(word for piece in text.split() for word in tokenizer.lcut(piece))


def language_of(words: Iterable[str]) -> str:
    """Return the language of words that are written without spaces: Japanese if there is kana, Chinese, or none.

    >>> language_of(["猫", "が"]), language_of(["猫", "在"]), language_of(["a", "cat"])
    ('ja', 'zh', '')
    """
    scripts = Counter(map(script, filter(str.isalpha, "".join(words))))
    if scripts["Hiragana"] + scripts["Katakana"] > _OWN * scripts.total():
        return "ja"
    return "zh" if 2 * scripts["Han"] > scripts.total() else ""


#: What cuts texts without spaces; `sglc eval` has the same.
SEGMENTERS = {"ja": "ja-mecab", "zh": "jieba"}


def tokenize_at_marks(text: str, sentence: TreebankSentence) -> list[str]:
    """Tokenize a text at spaces, and at the marks around pieces that are no words."""
    known = {folded(word) for entry in sentence.words for word in (entry.form, entry.lemma)}
    spelt = {
        folded(contraction.form): [word.form for word in sentence.words[contraction.first - 1 : contraction.last]]
        for contraction in sentence.contractions
    }
    return [word for piece in text.split() for word in _peeled(piece, known, spelt)]


def _peeled(piece: str, known: set[str], spelt: dict[str, list[str]]) -> list[str]:
    """Return a piece and the marks before and behind it; a repeated mark is one: ``...``."""
    if folded(piece) in known:
        return [piece]
    before: list[str] = []
    behind: list[str] = []
    while piece and folded(piece) not in known and folded(piece) not in spelt:
        if is_mark(piece[-1]):
            rest = piece.rstrip(piece[-1])
            behind.insert(0, piece[len(rest) :])
        elif is_mark(piece[0]):
            rest = piece.lstrip(piece[0])
            before.append(piece[: len(piece) - len(rest)])
        else:
            break
        piece = rest
    return [*before, *spelt.get(folded(piece), [piece] if piece else []), *behind]


def without_marks(words: Sequence[str], kept: set[str], dropped: set[str]) -> list[str]:
    """Return the words of an output less its punctuation.

    That is what the treebank has as such in this sentence (``dropped``), and any word of marks only
    that is not among the sentence's other words (``kept``).
    """
    return [word for word in words if word in kept or not (word in dropped or is_punctuation(word))]


#: Outputs that are looked at, and the fewest letters that say something.
SAMPLED = 200
_FEWEST_LETTERS = 50

#: Of the letters and words of outputs less than so much is that of the treebank.  A script with
#: less than this share of the letters of the treebank is not one of its own.
_HARDLY_ANY = _OWN = 0.05


class ForeignScript(NamedTuple):
    """Outputs in another script: the scripts of both, and how many words are known."""

    treebank: tuple[str, ...]
    outputs: tuple[str, ...]
    words: int
    known: int


def foreign_script(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> ForeignScript | None:
    """Return what is known of outputs in another script, from pairs of words; None if in none."""
    gold, said = ([word for pair in pairs for word in pair[side]] for side in (0, 1))
    native, letters = (Counter(map(script, filter(str.isalpha, "".join(side)))) for side in (gold, said))
    own, others = (
        tuple(name for name, number in of.most_common() if number >= _OWN * of.total()) for of in (native, letters)
    )
    if letters.total() < _FEWEST_LETTERS or not own:
        return None
    words = [word for word in said if any(map(str.isalpha, word))]
    known = sum(map(set(gold).__contains__, words))
    shared = sum(letters[name] for name in own)
    if known >= _HARDLY_ANY * len(words) or shared >= _HARDLY_ANY * letters.total():
        return None
    return ForeignScript(own, others, len(words), known)


@lru_cache(1 << 14)
def script(letter: str) -> str:
    """Return the script of a letter by its name in Unicode.

    >>> script("a"), script("猫")
    ('Latin', 'Han')
    """
    first = unicodedata.name(letter, "UNKNOWN").partition(" ")[0].partition("-")[0]
    return "Han" if first == "CJK" else first.capitalize()
