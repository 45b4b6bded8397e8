"""What an edit leaves as it was, kept in memory from one look at a grammar to the next.

A value is kept under what it was computed from: things that have to be the same objects, and values that have to be
equal.  So each step gives out the object of last time where nothing has changed, or else whatever depends on it is
computed again.  Who edits a grammar keeps (:mod:`sgl.engine`); commands keep from one run to the next
(:mod:`sgl.cache`).
"""

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from time import process_time
from typing import TypeVar, cast

from sgl.foreign import during

_T = TypeVar("_T")

_Kept = dict[tuple[Hashable, ...], tuple[object, tuple[object, ...]]]
#: The kind of what has an entry of its own.
APART = "apart"
_Written = list[tuple[Hashable, tuple[object, ...], tuple[Hashable, ...], object]]


def _written(kept: _Kept) -> _Written:
    """Return what is kept without the identities in its keys."""
    entries = ((key[0], same, key[1 + len(same) :], value) for key, (value, same) in kept.items())
    return [entry for entry in entries if entry[0] != APART]


class Memory:
    """What is kept: values with the objects of their keys, which so keep their identities.

    It can be pickled.  Identities are those of the process then: objects that are the same stay the same.
    """

    def __init__(self) -> None:
        self._new, self._old = _Kept(), _Kept()
        self._turn = 0
        #: Under which parts the cache has it, and the seconds of work since it was read, less what writing it costs.
        self.parts: tuple[str, ...] = ()
        self._spent = 0.0

    def __getstate__(self) -> tuple[int, _Written, _Written]:
        """Return what is kept, with its keys without identities."""
        return self._turn, _written(self._new), _written(self._old)

    def __setstate__(self, state: tuple[int, _Written, _Written]) -> None:
        """Take what was kept, with the identities that its objects have now."""
        self.__init__()  # type: ignore[misc]
        self._turn = state[0]
        self._new, self._old = (
            {(kind, *map(id, same), *equal): (value, same) for kind, same, equal, value in entries}
            for entries in state[1:]
        )

    def turn(self) -> None:
        """Begin another look at a grammar: drop what was not used in the last 16 of them, or 32."""
        self._turn += 1
        if self._turn % 16 == 0:
            self._new, self._old = {}, self._new

    def find(self, key: tuple[Hashable, ...]) -> object:
        """Return what is kept under a key; None if nothing is."""
        if key not in self._new and key in self._old:
            self._new[key] = self._old[key]
        return self._new.get(key, (None,))[0]

    def timed(self, compute: Callable[[], _T]) -> _T:
        """Compute a value, and count the time."""
        started, before = process_time(), self._spent
        value = compute()
        # What was computed for it counts once.
        self._spent = before + process_time() - started
        return value

    def was_read(self, *, since: float) -> None:
        """Note how long reading took; to write takes longer, and not all that is written is of use again."""
        self._spent += 2.0 * (since - process_time())

    @property
    def worth(self) -> bool:
        """Whether what is new has taken so long that it is to be written."""
        return self._spent > 0.0

    def keep(self, key: tuple[Hashable, ...], value: object, same: tuple[object, ...] = ()) -> None:
        """Keep a value that is not None."""
        self._new[key] = value, same


_MEMORY: ContextVar[Memory | None] = ContextVar("memory", default=None)

#: What is kept now; None if nothing is.
memory = _MEMORY.get

#: Keep work in this memory from now on, up to the end of a block of ``keeping``.
keep_in = _MEMORY.set


def keeping(memory: Memory | None) -> AbstractContextManager[None]:
    """Keep work in the block."""
    return during(_MEMORY, memory)


def key_of(kind: str, same: tuple[object, ...], equal: Hashable) -> tuple[Hashable, ...]:
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
        value = keeper.timed(compute)
        keeper.keep(key, value, same)
    return value
