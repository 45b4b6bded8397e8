"""Names, numbers and quotations, with their places."""

from __future__ import annotations

import re
from typing import Any

from lark import Token, Transformer
from lark.tree import Meta

from sgl.diagnostics import SourceFile, Span
from sgl.lang import syntax as s


class TokenBuilder(Transformer[Token, Any]):
    """Spans and tokens."""

    def __init__(self, source: SourceFile, offset: int) -> None:
        super().__init__()
        self.source = source
        self.offset = offset

    def _span(self, meta: Meta) -> Span:
        if meta.empty:
            return self.source.span(self.offset, self.offset + 1)
        return self.source.span(self.offset + meta.start_pos, self.offset + meta.end_pos)

    def _name(self, token: Token) -> s.Name:
        start = self.offset + (token.start_pos or 0)
        return s.Name(str(token), self.source.span(start, start + len(token)))

    def UPPER(self, token: Token) -> s.Name:
        return self._name(token)

    def NAME(self, token: Token) -> s.Name:
        return self._name(token)

    def NUMBER(self, token: Token) -> s.Name:
        return self._name(token)

    def WHOLE(self, token: Token) -> s.Name:
        return self._name(token)

    def SET(self, token: Token) -> s.Name:
        return self._after_sign(token)

    def COLUMN(self, token: Token) -> s.Column:
        return s.Column(self._after_sign(token), self._name(token).span)

    def _after_sign(self, token: Token) -> s.Name:
        """The name after the sign `$` or `@`."""
        start = self.offset + (token.start_pos or 0)
        return s.Name(str(token)[1:], self.source.span(start + 1, start + len(token)))

    def STRING(self, token: Token) -> s.Name:
        text = re.sub(r"\\(.)", r"\1", str(token)[1:-1])
        return s.Name(text, self._name(token).span, quoted=True)

    def name(self, children: list[s.Name | Token]) -> s.Name:
        child = children[0]
        return self._name(child) if isinstance(child, Token) else child

    def comparison(self, children: list[Token]) -> s.Name:
        return self._name(children[0])


def only(children: list[Any], kind: type) -> Any:
    """The first child of a kind, or None."""
    return next((child for child in children if isinstance(child, kind)), None)


def every(children: list[Any], kind: type) -> tuple[Any, ...]:
    """The children of a kind."""
    return tuple(child for child in children if isinstance(child, kind))
