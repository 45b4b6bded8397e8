"""Syntax of declarations about datasets, releases and tests, and of whole files."""

from sgl.lang.syntax.declarations import Copies, Limit, Module, Param, Restrict, SizeClause, Unseen, Use
from sgl.lang.syntax.rules import When, WordDecl
from sgl.lang.syntax.structures import Amount, Layered, Name, NamedDeclaration, SyntaxNode
from sgl.values import dataclass


class DatasetClause(SyntaxNode):
    """``train 40000`` with an amount, ``from Text`` with values; numbers and ``output`` may have a condition."""

    key: Name
    values: tuple[Name, ...]
    amount: Amount | None = None
    copies: Copies | None = None
    when: When | None = None


class Dataset(SyntaxNode):
    """The ``dataset`` declaration; ``sizes`` are its ``gen`` clauses."""

    clauses: tuple[DatasetClause, ...]
    sizes: tuple[SizeClause, ...]
    unseen: tuple[Unseen, ...]


class ReleaseClause(SyntaxNode):
    """``authors "Lovelace, Ada" "Hopper, Grace"``."""

    key: Name
    values: tuple[Name, ...]


class ReleaseDecl(SyntaxNode):
    """The ``release`` declaration: ``release "1.2.0"`` with its clauses."""

    version: Name
    clauses: tuple[ReleaseClause, ...]


class Test(SyntaxNode):
    """``test "…" => ja "…", syn { … }``: texts by layer or view, and graphs; ``expected`` is None after ``reject``."""

    sentence: Name
    expected: tuple[tuple[Name, Name], ...] | None
    when: tuple[When, ...]
    graphs: tuple[Layered, ...] = ()


Declaration = NamedDeclaration | Module | Use | Param | Limit | WordDecl | Restrict | Dataset | ReleaseDecl | Test


@dataclass(frozen=True)
class Unread:
    """An unreadable declaration: its keyword and its name, each empty if unknown."""

    keyword: str
    name: str


@dataclass(frozen=True)
class File:
    """A parsed file; later passes do not report names missing that an ``unread`` declaration may define."""

    name: str
    declarations: tuple[Declaration, ...]
    unread: tuple[Unread, ...] = ()
