r"""Normalize differences that readers cannot see: case, normal forms, invisible characters, look-alikes.

Texts that look the same to a reader have the same *skeleton*: ``The dog slept.`` and ``The d\u043eg slept.``  It is the
compatibility form of Unicode (NFKC) without default-ignorable characters, in one case, with Latin letters for those
that look like them, also for digits inside words.  To show such a text, ``visible`` escapes misleading characters.

Format: Unicode Standard Annex 15 and Technical Standard 39, whose table has the usual letters.
"""

import re
from unicodedata import normalize

#: Control and default-ignorable characters: soft hyphens, fillers, direction marks, joiners, variation selectors, tags;
#: and the empty Braille pattern.
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

#: Letters with their Latin look-alikes; marks with their ASCII look-alikes.
_PAIRS = """
    АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ХX ԚQ ԜW ҺH ӀL ԀD
    аa вb еe ѕs іi јj кk мm нh оo рp сc тt уy хx ԛq ԝw һh ӏl ԁd гr ѵv
    ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX αa βb γy εe ηn ιi κk νv οo ρp τt υu χx ωw
    ՕO ՍU օo ոn սu հh ցg զq ɑa ɡg ıi ɩi ‘' ’' ʼ' ′' “" ”" ″" ‐- ‑- ‒- –- —- −- ∼~ ꞉: ∶: ː:
    ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᏒR ᏚS ᎢT ᏙV ᎳW ᏃZ Ꭵi ᎩY
    ꓐB ꓑP ꓓD ꓔT ꓖG ꓗK ꓙJ ꓚC ꓜZ ꓝF ꓟM ꓠN ꓡL ꓢS ꓣR ꓦV ꓧH ꓪW ꓫX ꓬY ꓮA ꓰE ꓲI ꓳO ꓴU
    ⲟo ⲣp ⲥc ⲕk ⲧt ⲭx ⲞO ⲢP ⲤC ⲎH ⲘM ⲚN ⲔK ⲦT ⲬX ⲀA ⲂB ⲈE ⲌZ ⲒI
    ᴀA ʙB ᴄC ᴅD ᴇE ɢG ʜH ɪI ᴊJ ᴋK ʟL ᴍM ɴN ᴏO ᴘP ʀR ᴛT ᴜU ᴠV ᴡW ʏY ᴢZ ꜰF ꜱS
"""
_LATIN = str.maketrans({pair[0]: pair[1] for pair in _PAIRS.split()})

#: Text shown from right to left.
_REVERSED = re.compile("\u202e([^\u202c]*)")

#: Digits and a capital inside a word that look like other letters.
_INSIDE = re.compile("(?<=[A-Za-z])[01]+|[01]+(?=[A-Za-z])|(?<=[a-z])I+")
_LETTERS = str.maketrans("01I", "oll")


def sentence_skeletons(text: str) -> tuple[str, str]:
    r"""Return the skeletons of a sentence, without spaces: with its own letters, and with Latin ones.

    In the first, letters become Latin only next to Latin ones.

    >>> sentence_skeletons("The d\u043eg\u200b slept .")
    ('thedogslept.', 'thedogslept.')
    """
    if text.isascii() and text.isprintable():
        if "I" in text or "0" in text or "1" in text:
            text = _INSIDE.sub(_as_letters, text)
        own = text.replace(" ", "").lower()
        return own, own
    letters = _letters(text)
    own, latin = (found.replace(" ", "") for found in _skeletons(letters))
    return latin if re.search("[A-Za-z]", letters) else own, latin


def name_skeletons(name: str) -> tuple[str, str]:
    r"""Return the skeletons of a name: with its own letters, and with Latin ones.

    >>> name_skeletons("NM\u041ed1")
    ('nm\u043ed1', 'nmodl')
    """
    return _skeletons(_letters(name))


def _letters(text: str) -> str:
    text = _REVERSED.sub(lambda found: found[1][::-1], text)
    return normalize("NFKD", _HIDDEN.sub("", text))


def _skeletons(letters: str) -> tuple[str, str]:
    latin = _INSIDE.sub(_as_letters, letters.translate(_LATIN))
    own, other = (" ".join(normalize("NFKC", found.casefold()).split()) for found in (letters, latin))
    return own, other


def _as_letters(found: re.Match[str]) -> str:
    return found[0].translate(_LETTERS)


def visible(text: str) -> str:
    r"""Return a text that is safe on a terminal, with escapes for invisible and control characters.

    >>> print(visible("a\u200bb\n"))
    a\u200bb\n
    """
    if text.isprintable() and not _HIDDEN.search(text):
        return text
    shown = (letter.isprintable() and not _HIDDEN.match(letter) for letter in text)
    escaped = (letter.encode("unicode_escape").decode("ascii") for letter in text)
    return "".join(own if good else other for own, other, good in zip(text, escaped, shown, strict=True))
