"""The parser of one declaration, and what it has to say where it stops.

It is Lark's, LALR with a contextual lexer; the grammar is in ``grammar.lark``, and its
tables are kept in the cache.  Keywords are keywords only where one can stand, so that
``size`` or ``test`` may be the name of a rule as well.

The names of terminals never reach an author: what was expected is said in the words
of the table :data:`TERMINALS`, or in those of the language itself::

    rule np_a NP -> "a" N          `NP` cannot stand here … expected `:`

What an author probably meant is found out by :mod:`sgl.lang.typos`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from io import BytesIO
from typing import Any, NamedTuple

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.lexer import PatternRE, TerminalDef

from sgl.cache import cached
from sgl.diagnostics import SourceFile, suggest
from sgl.lang.chunks import Chunk
from sgl.lang.keywords import CLAUSES, DECLARATIONS

#: What an author calls the things the parser can expect.
TERMINALS: dict[str, str] = {
    "$END": "the end of the declaration",
    "_NL": "the end of the line",
    "NAME": "a name",
    "UPPER": "a name with a capital letter",
    "COLUMN": "a `$name`",
    "SET": "a `@set` of words",
    "NUMBER": "a number",
    "WHOLE": "a whole number",
    "_MINUS": "`-`",
    "STRING": 'a quoted text `"…"`',
    "TILDE": "`~`",
    "NOT": "`not`",
    "REPEATED": "`repeated`",
    "LAST": "`last`",
}

_SHOWN = 5
_CATEGORIES = re.compile(r"^category[ \t]+([A-Z]\w*)", re.MULTILINE)
_LAYERS = re.compile(r"^layer[ \t]+(\w+)", re.MULTILINE)


class Finding(NamedTuple):
    """What an author probably meant: the place in the text of the declaration, and words.

    Without a ``message`` it is said that what stands there cannot stand there.
    """

    start: int
    end: int
    hint: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """A declaration and the place in it, ``at``, where something else was ``expected``.

    ``found`` is empty at the end of a line or of the declaration, which ``ended`` names.
    """

    source: SourceFile
    text: str
    at: int
    found: str
    expected: frozenset[str]
    ended: str = ""

    @property
    def keyword(self) -> str:
        """The word that the declaration begins with."""
        return self.text.split(maxsplit=1)[0]

    @property
    def before(self) -> str:
        """The declaration up to the place."""
        return self.text[: self.at]

    @property
    def line_start(self) -> int:
        """Where the line of the place begins."""
        return self.text.rfind("\n", 0, self.at) + 1

    @property
    def rest(self) -> str:
        """The line from the place on."""
        return self.text[self.at :].partition("\n")[0]

    def takes(self, literal: str) -> bool:
        """Return whether a sign of the language could stand here."""
        return any(_literal(name) == f"`{literal}`" for name in self.expected)

    def categories(self) -> list[str]:
        """Return the categories that the file declares."""
        return categories_in(self.source)

    def layers(self) -> list[str]:
        """Return the layers that the file declares."""
        return layers_in(self.source)

    def here(self, hint: str, message: str = "") -> Finding:
        """Something about what stands at the place."""
        return Finding(self.at, self.at + max(len(self.found), 1), hint, message)


def categories_in(source: SourceFile) -> list[str]:
    """Return the categories that a file declares, readable or not."""
    return _CATEGORIES.findall(source.text)


def layers_in(source: SourceFile) -> list[str]:
    """Return the layers that a file declares, readable or not."""
    return _LAYERS.findall(source.text)


def parse_failure(source: SourceFile, chunk: Chunk, problem: UnexpectedInput) -> ParseFailure:
    """Return what the parser has to say of a declaration that it could not read."""
    place: Any = problem.pos_in_stream
    at: int = place or 0
    if isinstance(problem, UnexpectedToken):
        token: Token = problem.token
        expected = frozenset(problem.accepts or problem.expected)
        if token.type == "$END":
            return ParseFailure(source, chunk.text, len(chunk.text), "", expected, "declaration")
        if token.type == "_NL":
            return ParseFailure(source, chunk.text, at, "", expected, "line")
        return ParseFailure(source, chunk.text, at, str(token), expected)
    assert isinstance(problem, UnexpectedCharacters)
    # What the lexer was ready for is more than what the parser can go on with.
    parsing: Any = problem.interactive_parser
    return ParseFailure(
        source, chunk.text, at, chunk.text[at : at + 1], frozenset(parsing.accepts())
    )


def message_of(failure: ParseFailure) -> str:
    """Return what is wrong, where nothing better is known."""
    declaration = f"`{clip(failure.keyword)}` declaration"
    if failure.ended == "declaration":
        return f"this {declaration} stops too early"
    if failure.ended == "line":
        return f"this line of a {declaration} stops too early"
    return f"`{clip(failure.found)}` cannot stand here in a {declaration}"


def expectation(failure: ParseFailure) -> str:
    """Return what could stand there, most telling first; a misspelt keyword wins."""
    expected, found = failure.expected, failure.found
    keywords = {t.lower() for t in expected if t.lower() in (*CLAUSES, *DECLARATIONS)}
    near = suggest(found, keywords) if found[:1].islower() else ""
    if near:
        return near
    words = sorted(TERMINALS.get(name, "") or _literal(name) for name in expected)
    words = [word for word in dict.fromkeys(words) if word]
    if not words:
        return ""
    if len(words) > _SHOWN:
        words = [word for word in words if not word.strip("`").isalpha()][:_SHOWN] or words[:_SHOWN]
    return "expected " + (" or ".join(words))


def _literal(terminal: str) -> str:
    """Return the text of a keyword or a punctuation terminal, quoted."""
    if terminal.lower() in (*CLAUSES, *DECLARATIONS):
        return f"`{terminal.lower()}`"
    for definition in parser().terminals:
        if definition.name == terminal:
            value = definition.pattern.value
            return f"`{value}`" if definition.pattern.type == "str" else ""
    return ""


def clip(text: str, longest: int = 30) -> str:
    """Return a text that is short enough for a message."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


#: Where a keyword and a name may stand, a word that is a keyword is one.
_KEYWORD_PRIORITY = 1


@lru_cache(maxsize=1)
def parser() -> Lark:
    """Return the parser of declarations; loading its tables takes a tenth of making them."""
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
