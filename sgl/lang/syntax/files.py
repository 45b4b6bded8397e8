"""Syntax of whole files."""

from dataclasses import dataclass

from sgl.lang.syntax.datasets import Dataset, ReleaseDecl, Test
from sgl.lang.syntax.declarations import Limit, Module, Param, Restrict, Use
from sgl.lang.syntax.rules import WordDecl
from sgl.lang.syntax.structures import NamedDeclaration

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
