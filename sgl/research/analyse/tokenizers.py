"""Texts that a tokenizer has left in pieces: byte pairs, SentencePiece, WordPiece, and the bytes of GPT-2."""

import re

#: Tokens that are no words.
_SPECIAL = re.compile(
    r"</?s>|<(?:pad|bos|eos)>|\[(?:CLS|SEP|PAD|BOS|EOS)\]|<\|(?:endoftext|end_of_text|im_end|eot_id)\|>"
)

#: How byte-level tokenizers (GPT-2) write bytes: as themselves, or as letters from Ā on.
_PLAIN = [*range(33, 127), *range(161, 173), *range(174, 256)]
_BYTE_OF = {chr(byte): byte for byte in _PLAIN}
_BYTE_OF |= {chr(256 + number): byte for number, byte in enumerate(sorted({*range(256)} - {*_PLAIN}))}
_BYTES = re.compile("(?=.*[Ā-\u0143])[ !-~¡-¬®-\u0143]+")


def joined(text: str) -> str:
    """Return a text of pieces as the tokenizer that has made them joins them, without tokens that are no words.

    >>> [joined(text) for text in ("ch@@ ased it", "▁cha sed ▁it", "cha ##sed it", "ch ased Ġit", "<s> chased it </s>")]
    ['chased it', 'chased it', 'chased it', 'chased it', 'chased it']
    """
    if _SPECIAL.search(text):
        text = " ".join(_SPECIAL.sub(" ", text).split())
    if "▁" in text:
        return text.replace(" ", "").replace("▁", " ").strip()
    spaced = re.search("[ĠĊ]", text)
    if _BYTES.fullmatch(text):
        # A language may have some of these letters: without the sign for a space all has to be text.
        found = bytes(_BYTE_OF[letter] for letter in text if letter != " ").decode(errors="replace")
        found = " ".join(found.split())
        if spaced or (found.isprintable() and "\ufffd" not in found):
            return found
    if spaced:
        text = " ".join(re.sub("[ĠĊ]", " ", text).split())
    return re.sub(r"@@(?: |$)|(?:^| )##(?=\S)", "", text)
