r"""Find invisible characters, and characters that look like others.

Controls move the cursor of a terminal, marks of direction turn a line around, and characters
without width make two words of what looks like one.  :func:`hidden` finds the first, so that a
message can show its place.  Two kinds are allowed, because real orthographies use them:

* joiners (U+200C, U+200D, U+180E), after a letter or sign of a script that joins its letters
  (Persian می‌خواهم), and between emoji;
* selectors of variants, after an ideograph, a sign or an emoji, and in Mongolian (葛 and 葛󠄀).

A joiner must stand before a letter only in whole words, because a table may have pieces of words.

Japanese keyboards write ``（`` and ``。``, word processors ``“`` and ``→``, web pages spaces without width.  Such
look-alikes of the language's own characters are allowed in quotations only.
"""

import re
from unicodedata import category, combining, east_asian_width, name, normalize

#: Controls but for white space, which is handled as such; lone surrogates; what Unicode calls
#: default-ignorable; the fillers of Hangul, and the empty pattern of Braille.
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINERS = re.compile("[\u180e\u200c\u200d]")
_SELECTORS = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")

#: The scripts whose letters join, as the names of their letters begin.
_JOINING = {
    *("ARABIC", "SYRIAC", "MANDAIC", "MONGOLIAN", "NKO", "TIBETAN", "MYANMAR", "KHMER", "SINHALA"),
    *("DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA"),
    "MALAYALAM",
}

#: The class of the signs that take the vowel from a letter.  A joiner may end a word after them.
_VIRAMA = 9


def hidden(text: str, *, whole: bool = False) -> int:
    r"""Return the offset of the first character that nobody sees, or -1.

    ``whole`` says that a text is a word, and no piece of one.

    >>> hidden("dog"), hidden("do\u200bg"), hidden("\u202edog")
    (-1, 2, 0)
    """
    if text.isascii() and text.isprintable():
        return -1
    found = (match.start() for match in _HIDDEN.finditer(text))
    return next((at for at in found if not _belongs(text, at, whole)), -1)


def code_of(character: str) -> str:
    r"""Return what Unicode calls a character that cannot be shown.

    >>> code_of("\u200b"), code_of("\x1b")
    ('U+200B (zero width space)', 'U+001B')
    """
    called = name(character, "").lower()
    return f"U+{ord(character):04X}" + (f" ({called})" if called else "")


def visible(text: str) -> str:
    """Return a text without what a terminal would obey or could not show.

    Control characters become their pictures (U+2400 and on), what nobody sees and what ends
    lines U+FFFD; a tab takes four columns.
    """
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_shown, text.replace("\t", "    ").translate(_PICTURES))


def for_terminal(text: str) -> str:
    """Return lines of data as a terminal is to show them: their ends and tabs are meant."""
    lines = ("\t".join(map(visible, line.split("\t"))) for line in text.split("\n"))
    return "\n".join(lines)


_PICTURES = {**{code: 0x2400 + code for code in range(0x20)}, **dict.fromkeys((0x85, 0x2028, 0x2029), 0xFFFD)}


def _shown(found: re.Match[str]) -> str:
    return found[0] if _belongs(found.string, found.start(), whole=False) else "\ufffd"


def _belongs(text: str, at: int, whole: bool) -> bool:
    """Return whether a joiner or selector changes the character before it."""
    before = text[at - 1 : at]
    if _SELECTORS.match(text[at]):
        return category(before or " ") in ("Lo", "Sm", "So") or _script(before) == "MONGOLIAN"
    if not _JOINERS.match(text[at]):
        return False
    after = text[at + 1 : at + 2]
    pictures = category(after or " ") == "So"
    if pictures:
        return category(before or " ") in ("So", "Sk") or bool(_SELECTORS.match(before))
    ends = not after and (not whole or combining(before) == _VIRAMA)
    return _script(before) in _JOINING and (ends or _script(after) in _JOINING)


def _script(letter: str) -> str:
    """Return how the name of a letter or a sign of a script begins; nothing of other characters."""
    return name(letter, "").partition(" ")[0] if category(letter or " ")[0] in "LM" else ""


def has_surrogate(text: str) -> bool:
    """Return whether a text contains half a character, which no file can have."""
    return any("\ud800" <= character <= "\udfff" for character in text)


#: Characters that look like characters of the language, and the intended ones.
CONFUSABLES: dict[str, str] = {
    **{chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)},
    **dict.fromkeys("\u00a0\u3000\u2002\u2003\u2009", " "),
    **dict.fromkeys("“”„‟«»「」『』", '"'),
    **dict.fromkeys("‘’", '"'),
    **dict.fromkeys("、،", ","),
    **dict.fromkeys("–—−ー‐", "-"),
    **dict.fromkeys("〜∼", "~"),
    **dict.fromkeys("→⟶", "->"),
    "⇒": "=>",
    "≥": ">=",
    "≤": "<=",
    "≠": "!=",
}


def plain(text: str) -> str:
    """Return the text with full-width letters and digits made plain: ``ＮＰ`` is ``NP``."""
    return normalize("NFKC", text)


def display_width(text: str) -> int:
    """Return the width of a text in terminal columns (Unicode Standard Annex 11)."""
    width = 0
    for character in text:
        if combining(character) or category(character) in ("Mn", "Cf"):
            continue
        width += 2 if east_asian_width(character) in "WF" else 1
    return width
