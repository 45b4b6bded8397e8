"""The cache of the running command, if it has one.

::

    with using(open_cache()):
        text = cached(bytes, "certificate", (origin,), lambda: expensive())
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from sgl.cache.store import Cache

_T = TypeVar("_T")

_CURRENT: ContextVar[Cache | None] = ContextVar("_CURRENT", default=None)


def current() -> Cache | None:
    """The cache to be used; None if nothing is to be kept."""
    return _CURRENT.get()


@contextmanager
def using(cache: Cache | None) -> Iterator[None]:
    """Use this cache, or none, for as long as the block runs."""
    before = _CURRENT.set(cache)
    try:
        yield
    finally:
        _CURRENT.reset(before)


def cached(expected: type[_T], kind: str, parts: Sequence[str], compute: Callable[[], _T]) -> _T:
    """The value that is kept under these parts, or else computed and kept.

    ``parts`` have to name all that the value depends on, but for the program itself.  An
    empty part says that something is not known; then nothing is kept.
    """
    cache = current()
    if cache is None or not all(parts):
        return compute()
    known = cache.get(expected, kind, *parts)
    if known is None:
        known = compute()
        cache.put(known, kind, *parts)
    return known
