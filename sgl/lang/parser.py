"""Parse one declaration, and describe where and why parsing fails.

The parser is Lark's LALR with a contextual lexer: keywords are keywords only where one is allowed, so that ``size`` or
``test`` may also name a rule.  Its tables are cached.  Messages never show the names of terminals: they use the words
of :data:`TERMINALS`, or the tokens of the language itself.

``grammar.lark`` still reads notation of earlier versions, by productions whose names begin with ``former_``, so that a
message can give today's notation at the right place.
"""

import copyreg
import pickle
import re
from functools import lru_cache
from importlib import import_module, resources
from io import BytesIO
from types import ModuleType
from typing import Any, NamedTuple

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.lexer import PatternRE, TerminalDef
from lark.parsers import lalr_analysis

from sgl.cache import cached
from sgl.diagnostics import SourceFile, suggest
from sgl.lang import CLAUSES, DECLARATIONS
from sgl.lang.chunks import Chunk
from sgl.values import dataclass

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
}

_SHOWN = 5


class Finding(NamedTuple):
    """What an author probably meant: the place in the declaration, a hint and a message."""

    start: int
    end: int
    hint: str
    message: str
    code: str = "SGL0101"


def declared_in(source: SourceFile, keyword: str) -> list[str]:
    """Return the names that declarations of a kind in a file define, even unreadable ones."""
    return re.findall(rf"^{keyword}[ \t]+(\w+)", source.text, re.MULTILINE)


@dataclass(frozen=True)
class ParseFailure:
    """A declaration that fails to parse at place ``at``, where something else was ``expected``.

    ``keyword`` is its first word.  ``found`` is empty at the end of a line or of the declaration; ``ended`` names
    which.
    """

    source: SourceFile
    text: str
    keyword: str
    at: int
    found: str
    expected: frozenset[str]
    ended: str = ""

    @property
    def before(self) -> str:
        """The declaration up to the failure."""
        return self.text[: self.at]

    @property
    def line_start(self) -> int:
        """The start of the line of the failure."""
        return self.text.rfind("\n", 0, self.at) + 1

    @property
    def rest(self) -> str:
        """The line from the failure on."""
        return self.text[self.at :].partition("\n")[0]

    def takes(self, literal: str) -> bool:
        """Return whether a token, or a terminal of the grammar, would be allowed here."""
        return literal in self.expected or any(_literal(name) == f"`{literal}`" for name in self.expected)

    @property
    def message(self) -> str:
        """The default message: the found text is not allowed here."""
        declaration = f"`{clip(self.keyword)}` declaration"
        if self.ended:
            line = "line of a " if self.ended == "line" else ""
            return f"this {line}{declaration} ends too early"
        return f"`{clip(self.found)}` cannot appear here in a {declaration}"

    def here(self, hint: str, message: str = "") -> Finding:
        """Return a finding about the found text."""
        return Finding(self.at, self.at + max(len(self.found), 1), hint, message or self.message)

    def expectation(self) -> str:
        """Return what is allowed here, most informative first; for a misspelt keyword only that keyword."""
        keywords = {t.lower() for t in self.expected if t.lower() in (*CLAUSES, *DECLARATIONS)}
        if self.before.rstrip().endswith("}"):
            keywords.add("without")  # The parser has closed the structure before it sees what follows.
        near = suggest(self.found, keywords) if self.found[:1].islower() else ""
        if near:
            return near
        # `like` is the former word for `example`.
        names = sorted({TERMINALS.get(name, "") or _literal(name) for name in self.expected - {"LIKE"}})
        words = [word for word in names if word]
        if len(words) > _SHOWN:
            words = ([word for word in words if not word.strip("`").isalpha()] or words)[:_SHOWN]
        return "expected " + " or ".join(words) if words else ""


def parse_failure(source: SourceFile, chunk: Chunk, problem: UnexpectedInput) -> ParseFailure:
    """Return the parse failure for a declaration that could not be read."""
    place: Any = problem.pos_in_stream
    at: int = place or 0
    ended = ""
    if isinstance(problem, UnexpectedToken):
        token: Token = problem.token
        found, expected = str(token), frozenset(problem.accepts or problem.expected)
        if token.type in ("$END", "_NL"):
            found, ended = "", "line" if token.type == "_NL" else "declaration"
        at = len(chunk.text) if ended == "declaration" else at
    else:
        assert isinstance(problem, UnexpectedCharacters)
        # The lexer accepts more than the parser can continue with.
        parsing: Any = problem.interactive_parser
        found, expected = chunk.text[at : at + 1], frozenset(parsing.accepts())
    return ParseFailure(source, chunk.text, chunk.keyword, at, found, expected, ended)


def _literal(terminal: str) -> str:
    """Return the text of a keyword or a punctuation terminal, quoted."""
    if terminal.lower() in (*CLAUSES, *DECLARATIONS):
        return f"`{terminal.lower()}`"
    patterns = {definition.name: definition.pattern for definition in parser().terminals}
    pattern = patterns.get(terminal)
    return f"`{pattern.value}`" if pattern is not None and pattern.type == "str" else ""


def clip(text: str, longest: int = 30) -> str:
    """Shorten a text for a message."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


#: A keyword takes precedence over a name where both are allowed.
_KEYWORD_PRIORITY = 1


@lru_cache(maxsize=1)
def parser() -> Lark:
    """Return the parser of declarations; reading it takes a twentieth of the time of building it."""
    # The cache keeps only what SGL itself has written.
    made: Lark = pickle.loads(cached(bytes, "parser", ("grammar.lark",), _pickled))  # noqa: S301
    return made


def _pickled() -> bytes:
    grammar = resources.files("sgl.lang").joinpath("grammar.lark").read_text("utf-8")
    made = Lark(
        grammar,
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        maybe_placeholders=True,
        edit_terminals=_whole_words,
    )
    # Lark's own tables take longer to read.  This knows its insides, so `pyproject.toml` pins its minor versions.
    content = BytesIO()
    pickler = pickle.Pickler(content, protocol=5)
    # The module of expressions and the kinds of actions exist only once.
    pickler.dispatch_table = copyreg.dispatch_table | {
        ModuleType: lambda module: (import_module, (module.__name__,)),
        lalr_analysis.Action: lambda kind: (getattr, (lalr_analysis, kind.name)),
    }
    pickler.dump(made)
    return content.getvalue()


def _whole_words(terminal: TerminalDef) -> None:
    """Make keywords whole words: `forbidden` does not begin with the keyword `forbid`."""
    if terminal.pattern.type == "str" and terminal.pattern.value.isalpha():
        terminal.pattern = PatternRE(terminal.pattern.value + r"(?!\w)")
        terminal.priority = _KEYWORD_PRIORITY


_LONGEST = 60


#: The substitution for each production of an old form; a text that it leaves unchanged is not old.
FORMER = {
    "former_repeat": (r"^repeat\b", "copy"),
    "former_edge": ("->", "-[*]->"),
    "former_exclude": ("^not", "exclude"),
    "former_need": (r"^need\s+(.*\S)\s*>=\s*(.*)", r"need \2 \1"),
    "former_output": ("^target", "output"),
    "former_share": ("^each target", "shared"),
    "in_test": (r"^lemma in ", ""),
    "not_in_test": (r"^lemma not in", "not"),
}


def old_notation(text: str, tree: Tree[Token]) -> Finding | None:
    """Return the first old form in a declaration, if any."""
    found = list(tree.find_pred(lambda part: part.data in FORMER))
    for part in sorted(found, key=lambda part: part.meta.start_pos):
        start, end = part.meta.start_pos, part.meta.end_pos
        written = " ".join(text[start:end].split())
        anew = re.sub(*FORMER[part.data], written, count=1)
        if anew != written:
            hint = f"write `{clip(anew, _LONGEST)}`"
            return Finding(start, end, hint, f"`{clip(written)}` is old notation", "SGL0113")
    return None
