"""Write values as JSON: dataclasses become objects, and their declaration is the format.

A member has the name of its field, in the order of the fields.  There are two forms:

* ``plain`` has every member, for reports and commands;
* ``stated`` omits members that have their default, for whatever is hashed, certified and claimed.  So a new field with
  a default changes nothing that was written before.

*Exact* JSON has only texts, whole numbers from 0, ``null``, lists and objects: weights are texts and ``True`` is 1.
Structures are written in the author's notation, sets in alphabetical order.
"""

from collections.abc import Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import chain
from typing import Any

from sgl.core.grammar import Category, CoreGrammar, Rule
from sgl.core.plan import Pattern, Plan
from sgl.core.structure import Structure

Json = Any

#: Fields that carry no meaning: numbers that follow from the order, places in files, names for messages.
_UNSTATED: dict[type, tuple[str, ...]] = {
    CoreGrammar: ("name",),
    Category: ("parts",),
    Rule: ("id", "origin", "roles"),
    Plan: ("seed",),
}
#: Properties written after the fields, since a reader would have to compute them.
_ADDED: dict[type, tuple[str, ...]] = {Pattern: ("layer",)}

#: The types of values that are the same in JSON.
_LEAVES = {int, str}


def plain(value: object, *, exact: bool = False, stated: bool = False) -> Json:
    """Return a value in a form that JSON can hold."""
    if type(value) in _LEAVES:
        return value
    match value:
        case bool() if exact:
            return int(value)
        case float() if exact:
            return repr(value)
        case Structure():
            return str(value)
        case Enum():
            return value.value
        case dict():
            return {name: plain(member, exact=exact, stated=stated) for name, member in value.items()}
    kind: Any = type(value)
    if _fields(kind):
        members = _members(value, kind, stated=stated)
        return {name: plain(member, exact=exact, stated=stated) for name, member in members.items()}
    if isinstance(value, tuple | list | frozenset):
        elements = sorted(value) if isinstance(value, frozenset) else value
        return _rows(elements) or [plain(element, exact=exact, stated=stated) for element in elements]
    return value


def _rows(elements: Sequence[Any]) -> Json:
    """Return a list of leaves, or of lists of leaves, most of a certificate; None if it is something else."""
    kinds = {*map(type, elements)}
    if kinds <= _LEAVES:
        return [*elements]
    rows = kinds <= {tuple, list} and {*map(type, chain.from_iterable(elements))} <= _LEAVES
    return [[*row] for row in elements] if rows else None


def stated(value: object, *, exact: bool = False) -> Json:
    """Return a value as JSON, without members that have their default or carry no meaning."""
    return plain(value, exact=exact, stated=True)


def _members(value: object, kind: Any, *, stated: bool) -> dict[str, object]:  # noqa: ANN401 - its class
    members = {name: getattr(value, name) for name in (*_fields(kind), *_ADDED.get(kind, ()))}
    if not stated:
        return members
    defaults = _fields(kind) | dict.fromkeys(_ADDED.get(kind, ()), "")
    said = {name: own for name, own in members.items() if own != defaults[name]}
    return {name: own for name, own in said.items() if name not in _UNSTATED.get(kind, ())}


@cache
def _fields(kind: Any) -> dict[str, object]:  # noqa: ANN401 - a class
    """Return the fields of a dataclass or named tuple, each with its default, if any."""
    if hasattr(kind, "_fields"):
        return {name: kind._field_defaults.get(name, MISSING) for name in kind._fields}
    return {own.name: _default(own) for own in fields(kind)} if is_dataclass(kind) else {}


def _default(own: Field[Any]) -> object:
    return own.default if own.default_factory is MISSING else own.default_factory()
