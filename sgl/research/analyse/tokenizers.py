"""Join texts that a tokenizer has left in pieces: byte pairs, SentencePiece, WordPiece, GPT-2's bytes."""

import re

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
