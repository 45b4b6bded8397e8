"""Read the atoms of a COGS logical form, whatever they mean.

::

    FORM      = CONSTANT | FUNCTION | PIECE { ";" PIECE }
    PIECE     = "*" noun "( x _" i ")"                all definite nouns first,
              | ATOM { "AND" ATOM }                   then one conjunction
    ATOM      = word { "." word } "( x _" i [ "," ( "x _" j | CONSTANT ) ] ")"
    CONSTANT  = Name | "?"
    FUNCTION  = "LAMBDA" a "." { "LAMBDA" b "." } ATOM { "AND" ATOM }

In a function the arguments are the variables that it binds.  A form of definite nouns
alone (``* ball ( x _ 1 )``, the noun phrase *the ball*) is admitted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from sgl.rendering.meaning import is_word
from sgl.rendering.reading import TokenReader

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


class Atom(NamedTuple):
    """A predicate and its arguments.

    A variable is its number: the position ``i`` of ``x _ i``, or in a function the
    rank of its binder.  A constant is text.  ``at`` is the number of the first token.
    """

    predicate: tuple[str, ...]
    arguments: tuple[int | str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Form:
    """A logical form as it is written; exactly one of three kinds.

    ``constant`` is the word of a form that is a name; ``binders`` are the variables of
    a function; otherwise ``definites`` and ``atoms`` are the conjuncts.
    """

    constant: str = ""
    binders: tuple[str, ...] = ()
    definites: tuple[Atom, ...] = ()
    atoms: tuple[Atom, ...] = ()


def read_form(text: str) -> Form:
    """Read a COGS logical form into its atoms.

    Raises:
        LogicalFormError: if ``text`` is not one.
    """
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
        definites.append(_definite(reader))
        if not reader.skip(";"):
            return Form(definites=tuple(definites))
    atoms = [_atom(reader)]
    while reader.skip("AND"):
        atoms.append(_atom(reader))
    return Form(definites=tuple(definites), atoms=tuple(atoms))


def _definite(reader: TokenReader) -> Atom:
    at = reader.at
    reader.take("*")
    noun = reader.word("a noun after '*'")
    reader.take("(")
    variable = _variable(reader)
    reader.take(")")
    return Atom((noun,), (variable,), at)


def _atom(reader: TokenReader) -> Atom:
    at = reader.at
    predicate = reader.dotted("a predicate")
    reader.take("(")
    variable = _variable(reader)
    if reader.skip(")"):
        return Atom(predicate, (variable,), at)
    reader.take(",")
    second = _variable(reader) if reader.next == "x" else _constant(reader)
    reader.take(")")
    return Atom(predicate, (variable, second), at)


def _variable(reader: TokenReader) -> int:
    reader.take("x")
    reader.take("_")
    if not _INDEX.fullmatch(reader.next):
        raise reader.error("the number of a variable")
    reader.at += 1
    return int(reader.tokens[reader.at - 1])


def _constant(reader: TokenReader) -> str:
    return "?" if reader.skip("?") else reader.word("a variable, a name or '?'")


def _function(reader: TokenReader) -> Form:
    bound: dict[str, int] = {}
    while reader.skip("LAMBDA"):
        if reader.next in bound:
            raise reader.error("a variable that is not bound yet")
        bound[reader.word("the variable to bind")] = len(bound)
        reader.take(".")
    atoms = [_open_atom(reader, bound)]
    while reader.skip("AND"):
        atoms.append(_open_atom(reader, bound))
    return Form(binders=tuple(bound), atoms=tuple(atoms))


def _open_atom(reader: TokenReader, bound: dict[str, int]) -> Atom:
    at = reader.at
    predicate = reader.dotted("a predicate")
    reader.take("(")
    arguments = [_bound(reader, bound)]
    while reader.skip(","):
        arguments.append(_bound(reader, bound))
    reader.take(")")
    return Atom(predicate, tuple(arguments), at)


def _bound(reader: TokenReader, bound: dict[str, int]) -> int:
    if reader.next not in bound:
        raise reader.error(f"one of the variables {', '.join(bound)}")
    reader.at += 1
    return bound[reader.tokens[reader.at - 1]]
