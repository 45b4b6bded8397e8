"""Read the terms of the variable-free form, whatever they mean.

::

    TERM = [ "*" ] HEAD [ "(" LABEL "=" TERM { "," LABEL "=" TERM } ")" ]
    HEAD = noun | Name | verb | "?"          LABEL = word { "." word }

A head with ``nmod`` and ``amod`` labels is a noun, with other labels a verb; only a noun
has ``*``.
"""

from __future__ import annotations

from typing import NamedTuple

from sgl.rendering.reading import TokenReader
from sgl.rendering.views.varfree import DEEPEST

#: The labels of edges of nouns, before a colon.
MODIFIERS = ("nmod", "amod")


class Term(NamedTuple):
    """A head, whether it has a ``*``, and its arguments in order: label, term.

    ``at`` is the number of the head's token.
    """

    head: str
    definite: bool
    arguments: tuple[tuple[str, Term], ...]
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
    """Whether this is an edge of a noun: ``nmod``, ``nmod:in``, ``amod``."""
    return label.partition(":")[0] in MODIFIERS


def read_term(text: str) -> Term:
    """Read a variable-free form as a term.

    Raises:
        LogicalFormError: if ``text`` is not one.
    """
    reader = TokenReader(text)
    term = _term(reader, 1)
    reader.take("")
    return term


def _term(reader: TokenReader, depth: int) -> Term:
    if depth > DEEPEST:
        raise reader.wrong(f"more than {DEEPEST} levels of brackets", reader.at)
    definite = reader.skip("*")
    at = reader.at
    if not definite and reader.skip("?"):
        return Term("?", False, (), at)
    head = reader.word("a noun after '*'" if definite else "a word or '?'")
    arguments: list[tuple[str, Term]] = []
    if reader.skip("("):
        arguments.append(_argument(reader, depth))
        while reader.skip(","):
            arguments.append(_argument(reader, depth))
        reader.take(")")
    term = Term(head, definite, tuple(arguments), at)
    if len({is_modifier(label) for label, _ in arguments}) > 1:
        raise reader.wrong(f"'{head}' has modifiers as a noun and roles as a verb", at)
    if definite and term.has_roles:
        raise reader.wrong(f"'{head}' is a verb by its roles, and only nouns have '*'", at)
    return term


def _argument(reader: TokenReader, depth: int) -> tuple[str, Term]:
    label = ":".join(reader.dotted("a role"))
    reader.take("=")
    return label, _term(reader, depth + 1)
