"""Go on after a mistake: what it is in ends, and the parts beside it are made.

A function that cannot return its value reports why and raises :class:`Reported` (:meth:`Diagnostics.fail`).  Code that
makes several things catches it: :func:`attempt` makes a thing that others can do without, :func:`each` all parts of a
whole, and :func:`sound` the parts without mistakes.  :func:`whole` surrounds code that may report several mistakes.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import ParamSpec, TypeVar

from sgl.diagnostics.model import Diagnostics, Reported

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")
_Part = TypeVar("_Part")


def there(found: _Made | None) -> _Made:
    """Return a value; None means that a mistake was reported, which ends what needs the value."""
    if found is None:
        raise Reported
    return found


def attempt(make: Callable[_Given, _Made], *given: _Given.args, **named: _Given.kwargs) -> _Made | None:
    """Return what a function makes of arguments; None if a mistake ends it."""
    with suppress(Reported):
        return make(*given, **named)
    return None


def each(make: Callable[[_Part], _Made], parts: Iterable[_Part]) -> list[_Made]:
    """Return what a function makes of each part; mistakes end the whole, after all of them have been reported."""
    found, sound = list[_Made](), True
    for part in parts:
        try:
            found.append(make(part))
        except Reported:
            sound = False
    if not sound:
        raise Reported
    return found


def sound(make: Callable[[_Part], _Made], parts: Iterable[_Part]) -> list[_Made]:
    """Return what a function makes of the parts without mistakes."""
    found = list[_Made]()
    for part in parts:
        with suppress(Reported):
            found.append(make(part))
    return found


@contextmanager
def whole(diagnostics: Diagnostics) -> Iterator[None]:
    """End what is made in the block if errors were reported."""
    errors = diagnostics.errors
    yield
    if diagnostics.errors > errors:
        raise Reported
