"""Characters that look like those of the language, or that cannot be seen at all.

Japanese keyboards write ``（`` and ``。``, word processors ``“`` and ``→``, web pages
spaces without width.  All of them may stand in quotations, none outside.
"""

import unicodedata

#: Characters that look like those of the language, and those that are meant.
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
    return unicodedata.normalize("NFKC", text)
