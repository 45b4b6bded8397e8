"""Work that is kept in memory between one look at a grammar and the next.

A value is kept under what it was computed from: things that have to be the same objects, and values that have to be
equal.  So each step gives out the object of last time where nothing has changed, or else whatever depends on it is
computed again.  Who edits a grammar keeps (:mod:`sgl.engine`); a command computes everything once.
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar, cast

_T = TypeVar("_T")


class Memory:
    """What is kept: values with the objects of their keys, which so keep their identities."""

    def __init__(self) -> None:
        self._new, self._old = dict[Hashable, tuple[object, object]](), dict[Hashable, tuple[object, object]]()
        self._turn = 0

    def turn(self) -> None:
        """Begin another look at a grammar: drop what was not used in the last 16 of them, or 32."""
        self._turn += 1
        if self._turn % 16 == 0:
            self._new, self._old = {}, self._new

    def find(self, key: Hashable) -> object:
        """Return what is kept under a key; None if nothing is."""
        if key not in self._new and key in self._old:
            self._new[key] = self._old[key]
        return self._new.get(key, (None,))[0]

    def keep(self, key: Hashable, value: object, same: tuple[object, ...] = ()) -> None:
        """Keep a value that is not None."""
        self._new[key] = value, same


_CURRENT: ContextVar[Memory | None] = ContextVar("memory", default=None)

#: What is kept now; None if nothing is.
memory = _CURRENT.get


@contextmanager
def keeping(memory: Memory | None) -> Iterator[None]:
    """Keep work in the block."""
    before = _CURRENT.set(memory)
    try:
        yield
    finally:
        _CURRENT.reset(before)


def key_of(kind: str, same: tuple[object, ...], equal: Hashable) -> Hashable:
    """Return the key of a value that depends on these very objects and on an equal value."""
    return (kind, *map(id, same), equal)


def kept(kind: str, same: tuple[object, ...], equal: Hashable, compute: Callable[[], _T]) -> _T:
    """Return the value that is kept of these objects, or else compute it; None is not kept."""
    keeper = memory()
    if keeper is None:
        return compute()
    key = key_of(kind, same, equal)
    value = cast(_T | None, keeper.find(key))
    if value is None:
        value = compute()
        keeper.keep(key, value, same)
    return value
