"""Parse logical forms into tokens, and these into atoms or terms.

Tokens are separated by white space.  A failure raises ``LogicalFormError``, which knows its character.  A form of COGS
consists of *atoms*::

    FORM      = CONSTANT | FUNCTION | PIECE { ";" PIECE }
    PIECE     = "*" noun "( x _" i ")"                all definite nouns first,
              | ATOM { "AND" ATOM }                   then one conjunction
    ATOM      = word { "." word } "( x _" i [ "," ( "x _" j | CONSTANT ) ] ")"
    CONSTANT  = Name | "?"
    FUNCTION  = "LAMBDA" a "." { "LAMBDA" b "." } ATOM { "AND" ATOM }

A form may consist of definite nouns alone.  A variable-free form is a *term*::

    TERM = [ "*" ] HEAD [ "(" LABEL "=" TERM { "," LABEL "=" TERM } ")" ]
    HEAD = noun | Name | verb | "?"          LABEL = word { "." word }

A head with ``nmod`` and ``amod`` labels is a noun, with other labels a verb; only a noun has ``*``.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from sgl.rendering.meaning import is_word
from sgl.rendering.views.varfree import DEEPEST, MOST_HEADS

_TOKEN = re.compile(r"\S+")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")

#: The most characters of a token that a message shows.
_SHOWN = 40

#: The labels of a noun's edges, before a colon.
MODIFIERS = ("nmod", "amod")


class LogicalFormError(ValueError):
    """A text is not a logical form; ``reason`` is about the character at ``position``, from 0."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"character {position}: {reason}")
        self.position = position
        self.reason = reason


def offset(text: str, token: int) -> int:
    """Return where token number ``token`` begins, or the length of ``text`` after the last token."""
    match = next(islice(_TOKEN.finditer(text), token, None), None)
    return len(text) if match is None else match.start()


class TokenReader:
    """The tokens of a text, with an empty one at the end, and the index ``at`` of the next one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [*text.split(), ""]
        self.at = 0
        #: The heads of terms that are arguments of several verbs.
        self.copied = 0

    @property
    def next(self) -> str:
        """The next token, or "" at the end."""
        return self.tokens[self.at]

    def skip(self, token: str) -> bool:
        """Step over ``token`` and return whether it was next."""
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
        """Step over a word, which must be next, and return it; ``what`` names its kind in errors."""
        token = self.tokens[self.at]
        if not is_word(token):
            raise self.error(what)
        self.at += 1
        return token

    def dotted(self, what: str) -> tuple[str, ...]:
        """Step over one or more words with dots between them, ``nmod . in``, and return them."""
        words = [self.word(what)]
        while self.skip("."):
            words.append(self.word(f"a word after '{words[-1]} .'"))
        return tuple(words)

    def error(self, expected: str) -> LogicalFormError:
        """Return an error saying that something else was expected than the next token."""
        shown = self.next if len(self.next) <= _SHOWN else f"{self.next[:_SHOWN]}…"
        found = f"'{shown}'" if shown else "the end"
        return self.wrong(f"expected {expected}, found {found}", self.at)

    def wrong(self, reason: str, token: int) -> LogicalFormError:
        """Return an error about token number ``token``."""
        return LogicalFormError(offset(self.text, token), reason)


class Atom(NamedTuple):
    """A predicate and its arguments.

    A variable is a number: the position ``i`` of ``x _ i``, or in a function the index of its binder.  A constant is
    text.  ``at`` is the number of the first token.
    """

    predicate: tuple[str, ...]
    arguments: tuple[int | str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Form:
    """A logical form: a ``constant``, a function with ``binders``, or conjuncts."""

    constant: str = ""
    binders: tuple[str, ...] = ()
    definites: tuple[Atom, ...] = ()
    atoms: tuple[Atom, ...] = ()


@lru_cache(1 << 16)
def read_form(text: str) -> Form:
    """Read a COGS logical form into its atoms; raises ``LogicalFormError`` if it is not one."""
    reader = TokenReader(text)
    if reader.next == "LAMBDA":
        form = _function(reader)
    elif reader.next == "?" or (is_word(reader.next) and not reader.tokens[1]):
        form = Form(constant=_constant(reader))
    else:
        form = _conjunction(reader)
    reader.take("")
    return form


def _conjunction(reader: TokenReader) -> Form:
    definites = []
    while reader.next == "*":
        at = reader.at
        reader.take("*")
        noun = reader.word("a noun after '*'")
        reader.take("(")
        definites.append(Atom((noun,), (_variable(reader),), at))
        reader.take(")")
        if not reader.skip(";"):
            return Form(definites=tuple(definites))
    return Form(definites=tuple(definites), atoms=_atoms(reader, _arguments))


def _function(reader: TokenReader) -> Form:
    bound: dict[str, int] = {}
    while reader.skip("LAMBDA"):
        if reader.next in bound:
            raise reader.error("a variable that is not bound yet")
        bound[reader.word("the variable to bind")] = len(bound)
        reader.take(".")

    def argument() -> int:
        if reader.next not in bound:
            raise reader.error(f"one of the variables {', '.join(bound)}")
        reader.at += 1
        return bound[reader.tokens[reader.at - 1]]

    def arguments(reader: TokenReader) -> list[int | str]:
        found: list[int | str] = [argument()]
        while reader.skip(","):
            found.append(argument())
        return found

    return Form(binders=tuple(bound), atoms=_atoms(reader, arguments))


def _atoms(reader: TokenReader, arguments: Callable[[TokenReader], Sequence[int | str]]) -> tuple[Atom, ...]:
    atoms: list[Atom] = []
    while not atoms or reader.skip("AND"):
        at = reader.at
        predicate = reader.dotted("a predicate")
        reader.take("(")
        atoms.append(Atom(predicate, tuple(arguments(reader)), at))
        reader.take(")")
    return tuple(atoms)


def _arguments(reader: TokenReader) -> list[int | str]:
    found: list[int | str] = [_variable(reader)]
    if reader.next != ")":
        reader.take(",")
        found.append(_variable(reader) if reader.next == "x" else _constant(reader))
    return found


def _variable(reader: TokenReader) -> int:
    reader.take("x")
    reader.take("_")
    if not _INDEX.fullmatch(reader.next):
        raise reader.error("the number of a variable")
    reader.at += 1
    return int(reader.tokens[reader.at - 1])


def _constant(reader: TokenReader) -> str:
    return "?" if reader.skip("?") else reader.word("a variable, a name or '?'")


class Term(NamedTuple):
    """A head with its token index ``at``, whether it has a ``*``, and its arguments in order."""

    head: str
    definite: bool
    arguments: "tuple[tuple[str, Term], ...]"
    at: int

    @property
    def is_modified(self) -> bool:
        """Whether the term has modifiers, so that its head is a noun."""
        return bool(self.arguments) and is_modifier(self.arguments[0][0])

    @property
    def has_roles(self) -> bool:
        """Whether the term has roles, so that its head is a verb."""
        return bool(self.arguments) and not is_modifier(self.arguments[0][0])


def is_modifier(label: str) -> bool:
    """Return whether a label belongs to an edge of a noun: ``nmod``, ``nmod:in``, ``amod``."""
    return label.partition(":")[0] in MODIFIERS


def read_term(text: str, *, spelt: bool = False) -> Term:
    """Read a variable-free form as a term; raises ``LogicalFormError`` if it is not one.

    It may be ``spelt`` like the feature trees of Alto's grammars, in which articles and prepositions are edges: ``cat (
    det = the , nmod = mat ( case = on ) )`` is ``* cat ( nmod . on = mat )``.  There ``nmod<that>`` names the pronoun
    that means the noun, and ``want[agent=xcomp!agent]`` says that the agent of *want* is that of its ``xcomp``.
    """
    reader = TokenReader(text)
    term = _term(reader, 1, spelt)
    reader.take("")
    return _cased("", term)[1] if spelt else term


def _cased(label: str, term: Term) -> tuple[str, Term]:
    """Move the preposition of a term into the label that leads to it; return both."""
    cases = [case.head for edge, case in term.arguments if edge == "case"]
    others = tuple(argument for argument in term.arguments if argument[0] != "case")
    return f"{label}:{cases[0]}" if label == "nmod" and cases else label, term._replace(arguments=others)


#: A verb whose argument is also one of another verb, and an edge that names the pronoun of a relative clause.
_SHARED, _RELATIVE = re.compile(r"(.+)\[([^]=!]+)=([^]=!]+)!([^]=!]+)\]"), re.compile("(.+)<(.+)>")


def _size(term: Term) -> int:
    return 1 + sum(_size(argument) for _, argument in term.arguments)


def _sharing(
    reader: TokenReader, arguments: Sequence[tuple[str, Term]], own: str, edge: str, role: str
) -> list[tuple[str, Term]]:
    """Return the arguments of a verb; the one at ``own`` is also the ``role`` of the verb at ``edge``."""
    copied = tuple((role, term) for label, term in arguments if label == own)
    reader.copied += sum(_size(term) for _, term in copied)
    if reader.copied > MOST_HEADS:
        raise reader.wrong(f"more than {MOST_HEADS:,} words with the copies", reader.at)
    return [
        (label, term._replace(arguments=copied + term.arguments) if label == edge else term)
        for label, term in arguments
    ]


def _related(label: str, term: Term, noun: Term) -> tuple[str, Term]:
    """Return the label and the term of a noun's edge, with the noun for the pronoun that the label names."""
    relative = _RELATIVE.fullmatch(label)
    return (label, term) if relative is None else (relative[1], _with_noun(term, relative[2], noun))


def _with_noun(term: Term, pronoun: str, noun: Term) -> Term:
    if term.head == pronoun and not term.arguments:
        return noun
    return term._replace(arguments=tuple((label, _with_noun(part, pronoun, noun)) for label, part in term.arguments))


def _term(reader: TokenReader, depth: int, spelt: bool) -> Term:
    if depth > DEEPEST:
        raise reader.wrong(f"more than {DEEPEST} levels of brackets", reader.at)
    definite = reader.skip("*")
    at = reader.at
    asked = not definite and reader.skip("?")
    shared = _SHARED.fullmatch(reader.next) if spelt else None
    if shared is not None:
        reader.tokens[at] = shared[1]
    head = "?" if asked else reader.word("a noun after '*'" if definite else "a word or '?'")
    arguments: list[tuple[str, Term]] = []
    if (spelt or not asked) and reader.skip("("):
        while not arguments or reader.skip(","):
            label = ":".join(reader.dotted("a role"))
            reader.take("=")
            arguments.append((label, _term(reader, depth + 1, spelt)))
        reader.take(")")
    term = Term(head, definite, tuple(arguments), at)
    term = _respelt(reader, term, shared) if spelt else term
    modifying = {is_modifier(label) for label, _ in term.arguments if not (spelt and label == "case")}
    if len(modifying) > 1:
        raise reader.wrong(f"'{head}' has modifiers as a noun and roles as a verb", at)
    if term.definite and False in modifying:
        raise reader.wrong(f"'{head}' is a verb by its roles, and only nouns have '*'", at)
    return term


def _respelt(reader: TokenReader, term: Term, shared: re.Match[str] | None) -> Term:
    """Return a term of Alto without the articles, prepositions, and shared and relative arguments of its spelling."""
    definite = term.definite or [article.head for label, article in term.arguments if label == "det"][:1] == ["the"]
    arguments = [_cased(label, argument) for label, argument in term.arguments if label != "det"]
    if shared is not None:
        arguments = _sharing(reader, arguments, *shared.groups()[1:])
    noun = Term(term.head, definite, (), term.at)
    return noun._replace(arguments=tuple(_related(label, argument, noun) for label, argument in arguments))
