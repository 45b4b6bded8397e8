"""Keep results in memory between one look at a grammar and the next, so that an edit recomputes only what it changed.

A value is stored under its inputs: some must be the same objects, others must be equal.  So each step returns the
object of last time if nothing has changed; otherwise everything that depends on it is computed again.
:mod:`sgl.engine` keeps a memory while an author edits; :mod:`sgl.cache` keeps one between commands.
"""

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from io import BytesIO
from pickle import Pickler, Unpickler
from time import process_time
from typing import TypeVar, cast

from sgl.foreign import during

_T = TypeVar("_T")

_Kept = dict[tuple[Hashable, ...], tuple[object, tuple[object, ...]]]
#: The kind of values that get a cache entry of their own, and that of values for this look only.
APART, BRIEFLY = "apart", "briefly"
_Written = list[tuple[Hashable, tuple[object, ...], tuple[Hashable, ...], object]]

#: The kinds of values that only deciding claims needs: they are read when the first is asked for.
LATE = frozenset(("contains", "preview", "proofs", "reading", "schema", "told"))


def _written(kept: _Kept, *, late: bool) -> _Written:
    """Return the entries without the identities in their keys."""
    entries = ((key[0], same, key[1 + len(same) :], value) for key, (value, same) in kept.items())
    return [entry for entry in entries if entry[0] != APART and (entry[0] in LATE) == late]


class Memory:
    """Values with the objects of their keys, which must stay alive to keep their identities.

    A memory can be pickled: the keys are then rebuilt with the new identities, and shared objects stay shared, also
    between the two parts, of which the second has the ``LATE`` kinds.
    """

    def __init__(self) -> None:
        self._new, self._old, self._briefly = _Kept(), _Kept(), _Kept()
        self._turn = 0
        #: The parts of its key in the cache, and the seconds of work and of reading since it was read.
        self.parts: tuple[str, ...] = ()
        self._spent = self._reading = 0.0
        self._unread: Unpickler | None = None

    def __getstate__(self) -> tuple[int, bytes]:
        """Return the entries, with keys that have no identities."""
        self._read_late()
        stream = BytesIO()
        # One pickler writes an object only once, in whichever part it is first.
        pickler = Pickler(stream, protocol=5)
        for late in (False, True):
            pickler.dump([_written(kept, late=late) for kept in (self._new, self._old)])
        return self._turn, stream.getvalue()

    def __setstate__(self, state: tuple[int, bytes]) -> None:
        """Restore the entries, with the identities that their objects have now."""
        self.__init__()  # type: ignore[misc]
        self._turn, content = state
        self._unread = Unpickler(BytesIO(content))  # noqa: S301 - the cache has checked the hash
        self._read(self._unread)

    def _read(self, part: Unpickler) -> None:
        for kept, entries in zip((self._new, self._old), part.load(), strict=True):
            kept.update({(kind, *map(id, same), *equal): (value, same) for kind, same, equal, value in entries})

    def _read_late(self) -> None:
        if self._unread is not None:
            started = process_time()
            self._read(self._unread)
            self._unread = None
            self.was_read(since=started)

    def turn(self) -> None:
        """Start another look at a grammar; entries that go unused in four looks (in an editor, sixteen) are dropped."""
        self._turn += 1
        self._briefly = {}
        # What is stored is read and written each time.
        if self._turn % (4 if self.parts else 16) == 0:
            self._read_late()
            self._new, self._old = {}, self._new

    def find(self, key: tuple[Hashable, ...]) -> object:
        """Return the value stored under a key, or None."""
        if key[0] == BRIEFLY:
            return self._briefly.get(key, (None,))[0]
        if key[0] in LATE:
            self._read_late()
        if key not in self._new and key in self._old:
            self._new[key] = self._old[key]
        return self._new.get(key, (None,))[0]

    def timed(self, compute: Callable[[], _T]) -> _T:
        """Compute a value and add the time that it took."""
        started, before, read = process_time(), self._spent, self._reading
        value = compute()
        # Time spent on values inside this one counts once, and what was read in it is no work.
        self._spent = before + process_time() - started - (self._reading - read)
        return value

    def was_read(self, *, since: float) -> None:
        """Add the time that reading took."""
        self._reading += process_time() - since

    @property
    def worth(self) -> bool:
        """Whether the new values took long enough to be worth writing.

        Writing is slower than reading, and some of what is written will never be needed.
        """
        return self._spent > 2.0 * self._reading

    def keep(self, key: tuple[Hashable, ...], value: object, same: tuple[object, ...] = ()) -> None:
        """Store a value other than None."""
        (self._briefly if key[0] == BRIEFLY else self._new)[key] = value, same


_MEMORY: ContextVar[Memory | None] = ContextVar("memory", default=None)

#: The memory in use, or None.
memory = _MEMORY.get

#: Use this memory from now on, until the enclosing block of ``keeping`` ends.
keep_in = _MEMORY.set


def keeping(memory: Memory | None) -> AbstractContextManager[None]:
    """Use this memory in the block."""
    return during(_MEMORY, memory)


def key_of(kind: str, same: tuple[object, ...], equal: Hashable) -> tuple[Hashable, ...]:
    """Return the key of a value that depends on these very objects and on a value equal to ``equal``."""
    return (kind, *map(id, same), equal)


def kept(kind: str, same: tuple[object, ...], equal: Hashable, compute: Callable[[], _T]) -> _T:
    """Return the value stored for these objects, or compute and store it; None is never stored."""
    keeper = memory()
    if keeper is None:
        return compute()
    key = key_of(kind, same, equal)
    value = cast(_T | None, keeper.find(key))
    if value is None:
        value = keeper.timed(compute)
        keeper.keep(key, value, same)
    return value
