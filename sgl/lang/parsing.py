"""The parser of one declaration: Lark, LALR with a contextual lexer, its tables kept in the cache.

The grammar is in ``grammar.lark``.  Keywords are keywords only where one can stand, so
that ``size`` or ``test`` may be the name of a rule as well.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from io import BytesIO

from lark import Lark
from lark.lexer import PatternRE, TerminalDef

from sgl.cache import cached

#: Where a keyword and a name may stand, a word that is a keyword is one.
_KEYWORD_PRIORITY = 1


@lru_cache(maxsize=1)
def parser() -> Lark:
    """The parser of declarations; to load its tables is ten times as quick as to make them."""
    return Lark.load(BytesIO(cached(bytes, "parser", ("grammar.lark",), _tables)))


def _tables() -> bytes:
    tables = BytesIO()
    _made().save(tables)
    return tables.getvalue()


def _made() -> Lark:
    grammar = resources.files("sgl.lang").joinpath("grammar.lark").read_text("utf-8")
    return Lark(
        grammar,
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        maybe_placeholders=True,
        edit_terminals=_whole_words,
    )


def _whole_words(terminal: TerminalDef) -> None:
    """Keywords are whole words: `forbidden` does not begin with the keyword `forbid`."""
    if terminal.pattern.type == "str" and terminal.pattern.value.isalpha():
        terminal.pattern = PatternRE(terminal.pattern.value + r"(?!\w)")
        terminal.priority = _KEYWORD_PRIORITY
