"""Places that stay where they are while the text around them is edited.

Every declaration of a file that is edited has a place of its own far behind the file, with room for more before and
after it.  A declaration that is not edited keeps its place and its tree, whatever becomes of the text above it; so
does all that was computed from the tree.  Spans are in these places, which :meth:`EditedFile.real` finds in the text::

    text      category S⏎category NP⏎          # new⏎category S⏎category NP⏎
    places    ^ 2⁴⁰     ^ 2⁴⁰ + 2³⁰            both as before
"""

from bisect import bisect_right
from dataclasses import dataclass

from sgl.cache import Memory
from sgl.diagnostics import SourceFile
from sgl.lang.chunks import chunk_starts

#: Where places begin, and how far apart they are at first: no file is so large.
_FIRST, _APART = 1 << 40, 1 << 30


@dataclass(frozen=True)
class EditedFile(SourceFile):
    """A file whose declaration at ``starts[i]`` has the place ``places[i]``."""

    starts: tuple[int, ...] = ()
    places: tuple[int, ...] = ()

    def real(self, offset: int) -> int:
        """Return where in the text a place is."""
        number = bisect_right(self.places, offset) - 1
        return offset if number < 0 else min(self.starts[number] + offset - self.places[number], len(self.text))

    def place(self, offset: int) -> int:
        """Return the place of a character of the text."""
        number = bisect_right(self.starts, offset) - 1
        return offset if offset >= _FIRST else self.places[number] + offset - self.starts[number]


def placed(source: SourceFile, memory: Memory) -> EditedFile:
    """Return a file with the places that its declarations had when it was read last."""
    before = memory.find(("places", source.name))
    known = before if isinstance(before, EditedFile) else EditedFile(source.name, "", (), ())
    if known.text == source.text and known.places:
        return known
    starts = tuple(chunk_starts(source.text))
    places = _places(known, _declarations(source.text, starts))
    found = EditedFile(source.name, source.text, starts, places)
    memory.keep(("places", source.name), found)
    return found


def _declarations(text: str, starts: tuple[int, ...]) -> list[str]:
    return [text[start:end] for start, end in zip(starts, (*starts[1:], len(text)), strict=False)]


def _places(before: EditedFile, new: list[str]) -> tuple[int, ...]:
    """Return the places of declarations, of which the first and last are most often as before."""
    old = _declarations(before.text, before.starts)
    most = min(len(old), len(new))
    first = next((i for i in range(most) if old[i] != new[i]), most)
    last = next((i for i in range(most - first) if old[-1 - i] != new[-1 - i]), most - first)
    head, tail, more = before.places[:first], before.places[len(old) - last :], len(new) - first - last
    start = head[-1] + len(new[first - 1]) if head else _FIRST - 1
    end = tail[0] if tail else start + (more + 1) * _APART
    between = (start + (end - start) // (more + 1) * (i + 1) for i in range(more))
    # As many as before are most likely other texts of the same declarations.
    places = before.places if len(old) == len(new) else (*head, *between, *tail)
    ends = [place + len(text) for place, text in zip(places, new, strict=True)]
    if all(end < place for end, place in zip(ends, places[1:], strict=False)):
        return places
    return tuple(range(_FIRST, _FIRST + len(new) * _APART, _APART))
