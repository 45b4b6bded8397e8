"""What one input may ask for at most, in this thread and what it calls.

Whatever comes in from outside is handled in bounded time and memory: beyond a limit it is refused
by a message, or counted and named where it is one of many.  All limits that a user can change
(``--limit words=2000``) are fields here.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace


@dataclass(frozen=True)
class Limits:
    """The limits by name, with their defaults.

    Attributes:
        words: words of a sentence that is parsed, characters where a layer joins words without
            a separator (SGL1107).  The longest of the published benchmarks have some 250.
        steps: items of the chart, moves between them, and alternatives of the forest that the
            parsing of one sentence may take (SGL1107).  Sentences of 40 words take some 500;
            so many take some two seconds and 200 MB.
        counts: what a structure counts to: the edges of a path, the rounds of a ``repeat``, the
            edges that lead from a node (SGL0801).  Automata grow with them.
        matches: partial matches that are joined where the automaton of one structure is made
            (SGL0810); so many take some seconds.
        columns: columns of a row in a table, and of a variant of a row (SGL0602).  No known table
            has fifty.
        children: children and quoted words of a rule (SGL0712).  No known rule has twenty.
        parts: parts of a phrase in one text layer, the main part included (SGL0321).  Parsing takes
            time that grows with the length of a sentence to the power of some twice as many.
        letters: letters of a prediction that are scored, or twice as many as its gold text has
            (SGL1408).  Models that repeat themselves write without end.
    """

    words: int = 500
    steps: int = 1_000_000
    counts: int = 40
    matches: int = 4_000_000
    columns: int = 1_000
    children: int = 200
    parts: int = 3
    letters: int = 5_000


NAMES = tuple(field.name for field in fields(Limits))

_DEFAULTS = Limits()
_CURRENT: ContextVar[Limits] = ContextVar("limits", default=_DEFAULTS)


def current() -> Limits:
    """Return the limits that hold now."""
    return _CURRENT.get()


@contextmanager
def changed(numbers: Mapping[str, int]) -> Iterator[None]:
    """Change limits, by their names, for the block."""
    token = _CURRENT.set(replace(_CURRENT.get(), **numbers))
    try:
        yield
    finally:
        _CURRENT.reset(token)
