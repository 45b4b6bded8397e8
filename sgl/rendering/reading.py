"""A reader over the tokens of a logical form.

Tokens are separated by white space.  What goes wrong is a ``LogicalFormError``, which
knows the character where it happened::

    see . agent ( x _ 2 , x _ 1
                               ^ character 27: expected ')', found the end
"""

from __future__ import annotations

import re
from itertools import islice

from sgl.rendering.meaning import is_word

_TOKEN = re.compile(r"\S+")


class LogicalFormError(ValueError):
    """A text is not a logical form.

    Attributes:
        position: the 0-based offset of the character at which reading stopped.
        reason: what was expected there and what was found.
    """

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"character {position}: {reason}")
        self.position = position
        self.reason = reason


def offset(text: str, token: int) -> int:
    """Where the token with this number begins; the length of ``text`` after the last."""
    match = next(islice(_TOKEN.finditer(text), token, None), None)
    return len(text) if match is None else match.start()


class TokenReader:
    """The tokens of a text and the number ``at`` of the next one.

    ``tokens`` ends with an empty token, which stands for the end of the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [*text.split(), ""]
        self.at = 0

    @property
    def next(self) -> str:
        """The next token, or nothing at the end."""
        return self.tokens[self.at]

    def skip(self, token: str) -> bool:
        """Step over ``token`` if it is next."""
        if self.tokens[self.at] != token:
            return False
        self.at += 1
        return True

    def take(self, token: str) -> None:
        """Step over ``token``, which must be next."""
        if self.tokens[self.at] != token:
            raise self.error(f"'{token}'" if token else "the end")
        self.at += 1

    def word(self, what: str) -> str:
        """Step over a word, which must be next; ``what`` says which kind."""
        token = self.tokens[self.at]
        if not is_word(token):
            raise self.error(what)
        self.at += 1
        return token

    def dotted(self, what: str) -> tuple[str, ...]:
        """One word or several with dots between them: ``nmod . in``."""
        words = [self.word(what)]
        while self.skip("."):
            words.append(self.word(f"a word after '{words[-1]} .'"))
        return tuple(words)

    def error(self, expected: str) -> LogicalFormError:
        """What to raise when something else than the next token was expected."""
        found = f"'{_shown(self.next)}'" if self.next else "the end"
        return self.wrong(f"expected {expected}, found {found}", self.at)

    def wrong(self, reason: str, token: int) -> LogicalFormError:
        """What to raise when something is wrong with the token of this number."""
        return LogicalFormError(offset(self.text, token), reason)


def _shown(token: str) -> str:
    return token if len(token) <= 40 else f"{token[:40]}…"
