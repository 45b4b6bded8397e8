"""Read JSON into frozen dataclasses: the classes are the format.

A field is a member of that name and type, optional if it has a default.  A missing member or a wrong type raises
``FormError`` with its path.  A *strict* format has no other members, keeps the order of the fields, and omits members
with their default: equal values have one form.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

Json = Any  # a JSON value, or the object made from it
Kind = Any  # the type of a field
Reader = Callable[[Json], Any]

LIMIT = 10**20  # numbers have at most twenty digits
NOT_TEXT = re.compile("[\x00\ud800-\udfff]")  # NUL and surrogates: JSON can express them
NAMES = {str: "a string", int: "a whole number", bool: "true or false", list: "a list", dict: "an object"}


class FormError(ValueError):
    """A value does not have the form that its format requires; ``path`` leads to it."""

    def __init__(self, problem: str, path: str = "") -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.problem, self.path = problem, path


class Format:
    """Reads values of a format; ``special`` types have readers of their own."""

    def __init__(self, special: Mapping[Kind, Reader], *, strict: bool) -> None:
        self.strict = strict
        self._readers: dict[Kind, Reader] = dict(special)
        self._steps: list[str | int] = []

    def read(self, kind: Kind, value: Json, path: str = "") -> Json:
        """Return a value converted to this type; raises ``FormError``."""
        self._steps = [path] if path else []
        try:
            return self.reader(kind)(value)
        except FormError as problem:
            raise FormError(problem.problem, self.path) from None

    @property
    def path(self) -> str:
        """The path to the value that is being read."""
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in self._steps)
        return "".join(steps).removeprefix(".")

    def _below(self, step: str | int, read: Reader, value: Json) -> Json:
        self._steps.append(step)
        found = read(value)
        self._steps.pop()
        return found

    def reader(self, kind: Kind) -> Reader:
        """Return the reader for values of a type."""
        if kind not in self._readers:
            self._readers[kind] = self._reader(kind)
        return self._readers[kind]

    def _reader(self, kind: Kind) -> Reader:
        origin: Kind = get_origin(kind)
        if is_dataclass(kind):
            return self._object(kind)
        many = {tuple: self._tuple, list: self._all, dict: self._table, UnionType: self._optional, frozenset: self._set}
        return many[origin](get_args(kind)) if origin in many else lambda value: expected(value, kind)

    def _tuple(self, inner: tuple[Kind, ...]) -> Reader:
        if inner[-1] is ...:
            return self._list(self.reader(inner[0]), tuple)
        return self._row([self.reader(each) for each in inner])

    def _all(self, inner: tuple[Kind, ...]) -> Reader:
        return _numbers if inner == (int,) else self._list(self.reader(inner[0]), list)

    def _set(self, inner: tuple[Kind, ...]) -> Reader:
        return self._list(self.reader(inner[0]), frozenset)

    def _object(self, kind: Kind) -> Reader:
        types = get_type_hints(kind)
        readers = {own.name: self._member(own, types[own.name]) for own in fields(kind)}
        defaults = {own.name: _default(own) for own in fields(kind)}

        def read(value: Json) -> Json:
            given = expected(value, dict)
            found = {name: self._below(name, read, given[name]) for name, read in readers.items() if name in given}
            for name, default in defaults.items():
                self._check_default(name, default, found)
            if self.strict and [*given] != [*found]:
                raise FormError(f"the members of an object are {', '.join(readers)}, in this order")
            return _made(kind, found)

        return read

    def _check_default(self, name: str, default: object, found: dict[str, Json]) -> None:
        problem = "missing" if default is MISSING and name not in found else ""
        if self.strict and name in found and found[name] == default:
            problem = "a default is left out"
        if problem:
            self._steps.append(name)
            raise FormError(problem)

    def _member(self, own: Field[Any], kind: Kind) -> Reader:
        origin: Kind = get_origin(kind)
        # An optional member may be missing, but not null.
        return self.reader(get_args(kind)[0] if own.default is None and origin is UnionType else kind)

    def _list(self, read: Reader, made: Callable[[list[Json]], Json]) -> Reader:
        def read_all(value: Json) -> Json:
            return made([self._below(rank, read, each) for rank, each in enumerate(expected(value, list))])

        return read_all

    def _row(self, readers: list[Reader]) -> Reader:
        def read(value: Json) -> Json:
            if len(expected(value, list)) != len(readers):
                raise FormError(f"a list of {len(readers)} expected")
            pairs = zip(readers, value, strict=True)
            return tuple(self._below(rank, reader, each) for rank, (reader, each) in enumerate(pairs))

        return read

    def _table(self, inner: tuple[Kind, ...]) -> Reader:
        read = self.reader(inner[1])
        return lambda value: {name: self._below(name, read, each) for name, each in expected(value, dict).items()}

    def _optional(self, inner: tuple[Kind, ...]) -> Reader:
        read = self.reader(inner[0])
        return lambda value: None if value is None else read(value)


def _default(own: Field[Any]) -> object:
    return own.default if own.default_factory is MISSING else own.default_factory()


def expected(value: Json, kind: Kind) -> Json:
    """Return a value if it has this type; raises ``FormError`` otherwise."""
    whole = kind is not int or (type(value) is int and 0 <= value < LIMIT)
    if not whole or not isinstance(value, kind):
        raise FormError(f"{NAMES[kind]} expected, found {_shown(value)}")
    if isinstance(value, str) and NOT_TEXT.search(value):
        raise FormError("a string with characters that no text can have")
    return value


def _shown(value: Json) -> str:
    if isinstance(value, dict | list):
        return NAMES[type(value)]
    shown = json.dumps(value)
    return shown if len(shown) <= 40 else f"{shown[:39]}…"


def _made(kind: Kind, members: dict[str, Json]) -> Json:
    try:
        return kind(**members)
    except ValueError as problem:
        raise FormError(str(problem)) from None


def _numbers(value: Json) -> list[int]:
    """Return a list of whole numbers unchanged; a certificate has millions of them."""
    if type(value) is not list or not {*map(type, value)} <= {int}:
        raise FormError("a list of whole numbers expected")
    return value
