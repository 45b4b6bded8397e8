"""Decide what counts as a word of an output, and when two words are equal.

Words are compared in Unicode's normal form NFKC and in lower case, unless case matters.  A text is split at spaces; if
a piece is not a word of its sentence, marks at its ends are split off, and a multiword token of the treebank becomes
its words: ``Don't`` is ``Do n't``.

Scores of the wrong file look like those of a bad system.  If hardly any letter of the first few hundred outputs is in a
script of the treebank, and hardly any of their words is a word of the treebank, the file most likely contains sources
or is in another language.

A tokenizer may have left texts in pieces: byte pairs, SentencePiece, WordPiece, GPT-2's bytes.  These are joined.
"""

import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from sgl.characters import plain
from sgl.disk import temporary
from sgl.research.treebank import TreebankSentence


@lru_cache(1 << 16)
def folded(word: str) -> str:
    """Return a word in the form in which words are compared.

    >>> folded("Ｄog")
    'dog'
    """
    return plain(word).lower()


@cache
def comparison(*, keep_case: bool, language: str | None = None) -> Callable[[str], str]:
    """Return the form in which words are compared: with a ``language``, that of their lemmas.

    Raises ``ImportError`` without simplemma, and ``ValueError`` for a language that it does not know.
    """
    same = plain if keep_case else folded
    if language is None:
        return same
    import simplemma

    simplemma.lemmatize("a", lang=language)
    return lru_cache(1 << 17)(lambda word: same(simplemma.lemmatize(word, lang=language)))


@lru_cache(1 << 12)
def is_mark(character: str) -> bool:
    """Return whether a character is punctuation."""
    return unicodedata.category(character).startswith("P")


def is_punctuation(word: str) -> bool:
    """Return whether a word consists of punctuation."""
    return bool(word) and all(map(is_mark, word))


@cache
def tokenizer_of(tokenizer: str) -> Callable[[str, TreebankSentence], list[str]]:
    """Return a function that cuts a text into words, given the sentence that it should equal.

    It cuts at marks and spaces (``marks``), at spaces (``space``), or as sacreBLEU does (``13a``, ``intl``, ``zh``,
    ``char``).  Segmenters cut texts that have no spaces and do not equal the sentence; others are cut as by ``marks``.
    Raises ``ImportError`` without the library of a segmenter.
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
    """Return a function that puts spaces between the words of a Chinese text; raises ``ImportError`` without jieba."""
    with warnings.catch_warnings():
        # Its sources have escapes that newer versions of Python warn about.
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel("ERROR")
    tokenizer = jieba.Tokenizer()
    # It caches its dictionary in the temporary directory, where anybody could have put another.  In a directory of its
    # own, it builds the dictionary anew.
    with temporary() as folder:
        tokenizer.tmp_dir = str(folder)
        tokenizer.initialize()
    return lambda text: " ".join(word for piece in text.split() for word in tokenizer.lcut(piece))


def language_of(words: Iterable[str]) -> str:
    """Return the language of words written without spaces: Japanese if there is kana, else Chinese; or "".

    >>> language_of(["猫", "が"]), language_of(["猫", "在"]), language_of(["a", "cat"])
    ('ja', 'zh', '')
    """
    scripts = Counter(map(script, filter(str.isalpha, "".join(words))))
    if scripts["Hiragana"] + scripts["Katakana"] > _OWN * scripts.total():
        return "ja"
    return "zh" if 2 * scripts["Han"] > scripts.total() else ""


#: The segmenters of texts without spaces, also used by `sglc eval`.
SEGMENTERS = {"ja": "ja-mecab", "zh": "jieba"}


def tokenize_at_marks(text: str, sentence: TreebankSentence) -> list[str]:
    """Tokenize a text at spaces, and at the marks around pieces that are not words."""
    known = {folded(word) for entry in sentence.words for word in (entry.form, entry.lemma)}
    spelt = {
        folded(contraction.form): [word.form for word in sentence.words[contraction.first - 1 : contraction.last]]
        for contraction in sentence.contractions
    }
    return [word for piece in text.split() for word in _peeled(piece, known, spelt)]


def _peeled(piece: str, known: set[str], spelt: dict[str, list[str]]) -> list[str]:
    """Return a piece and the marks before and after it; a repeated mark is one mark: ``...``."""
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
    """Return the words of an output without its punctuation.

    That is whatever the treebank treats as such in this sentence (``dropped``), and any word made of marks that is not
    among the sentence's other words (``kept``).
    """
    return [word for word in words if word in kept or not (word in dropped or is_punctuation(word))]


#: The number of outputs to examine, and the fewest letters that allow a conclusion.
SAMPLED = 200
_FEWEST_LETTERS = 50

#: The share of letters and words of outputs below which they do not match the treebank.  A script with less than this
#: share of the treebank's letters does not count as one of its own.
_HARDLY_ANY = _OWN = 0.05


class ForeignScript(NamedTuple):
    """Outputs in another script: the scripts of both, and how many words are known."""

    treebank: tuple[str, ...]
    outputs: tuple[str, ...]
    words: int
    known: int


def foreign_script(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> ForeignScript | None:
    """Return the details of outputs in another script, given pairs of words, or None if they are not."""
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
    """Return the script of a letter, from its name in Unicode.

    >>> script("a"), script("猫")
    ('Latin', 'Han')
    """
    first = unicodedata.name(letter, "UNKNOWN").partition(" ")[0].partition("-")[0]
    return "Han" if first == "CJK" else first.capitalize()


#: Tokens that are not words.
_SPECIAL = re.compile(
    r"</?s>|<(?:pad|bos|eos)>|\[(?:CLS|SEP|PAD|BOS|EOS)\]|<\|(?:endoftext|end_of_text|im_end|eot_id)\|>"
)

#: How byte-level tokenizers (GPT-2) write bytes: as themselves, or as letters from Ā on.
_PLAIN = [*range(33, 127), *range(161, 173), *range(174, 256)]
_BYTE_OF = {chr(byte): byte for byte in _PLAIN}
_BYTE_OF |= {chr(256 + number): byte for number, byte in enumerate(sorted({*range(256)} - {*_PLAIN}))}
_BYTES = re.compile("(?=.*[Ā-\u0143])[ !-~¡-¬®-\u0143]+")


def joined(text: str) -> str:
    """Join a text of pieces as their tokenizer would, leaving out tokens that are not words.

    >>> [joined(text) for text in ("ch@@ ased it", "▁cha sed ▁it", "cha ##sed it", "ch ased Ġit", "<s> chased it </s>")]
    ['chased it', 'chased it', 'chased it', 'chased it', 'chased it']
    """
    if _SPECIAL.search(text):
        text = " ".join(_SPECIAL.sub(" ", text).split())
    if "▁" in text:
        return text.replace(" ", "").replace("▁", " ").strip()
    spaced = re.search("[ĠĊ]", text)
    if _BYTES.fullmatch(text):
        # A language may use some of these letters: without a sign for spaces, everything must be text.
        found = bytes(_BYTE_OF[letter] for letter in text if letter != " ").decode(errors="replace")
        found = " ".join(found.split())
        if spaced or (found.isprintable() and "\ufffd" not in found):
            return found
    if spaced:
        text = " ".join(re.sub("[ĠĊ]", " ", text).split())
    return re.sub(r"@@(?: |$)|(?:^| )##(?=\S)", "", text)
