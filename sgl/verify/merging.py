"""Put the parts of a split together, in the order of its file.

Every part counts from its own start; here its lines, entries and groups get the numbers
that they have in the whole file, and shapes and words the objects that stand for them in
the whole dataset.  So nothing depends on where the file was cut, nor on who read what::

    part 1   entries 0 … 4999    groups 0: {category a, shape 0}  1: {b, 1}
    part 2   entries 0 … 4999    groups 0: {b, 1}                 1: {c, 0}
    split    entries 0 … 9999    groups 0: {a, 0}  1: {b, 1}  2: {c, 0}
"""

from __future__ import annotations

from array import array
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sgl.verify.conllu import Word
from sgl.verify.items import Group, Split
from sgl.verify.reading import LocalGroup, Part
from sgl.verify.shape import Shapes

#: All that a word says.
Content = tuple[str, tuple[tuple[str, str], ...], bool, bool]


class Merger:
    """Makes a split of its parts; ``words`` are those of all splits, one for each content."""

    def __init__(self, name: str, targets: int, shapes: Shapes, words: dict[Content, Word]) -> None:
        self.split = Split(name, rows=tuple(array("q") for _ in range(targets)))
        self._shapes = shapes
        self._words = words
        self._numbers: dict[tuple[str, int, str], int] = {}

    def add(self, part: Part) -> None:
        """Add the part that follows."""
        split, before = self.split, len(self.split)
        for entry, malformed in part.malformed.items():
            line = malformed.line + split.length
            split.malformed[before + entry] = replace(malformed, line=line)
        for word, entry in part.words.items():
            content = (word.form, word.attributes, word.space_after, word.extracted)
            split.words.setdefault(self._words.setdefault(content, word), before + entry)
        groups = _array(part.group_of)
        known = np.array([*map(self._number, part.groups), -1], np.int64)
        wanted = np.arange(before + 1, before + 1 + len(groups))
        misnumbered = (groups >= 0) & (_array(part.numbers) != wanted)
        _extend(split.misnumbered, before + np.flatnonzero(misnumbered))
        _extend(split.repeating, before + _array(part.repeating))
        _extend(split.lines, split.length + _array(part.lines))
        # A malformed entry has group -1, which is the last of those that are known here.
        _extend(split.group_of, known[groups])
        split.offsets.extend(part.offsets)
        split.sources.extend(part.sources)
        split.targets.extend(part.targets)
        for column, more in zip(split.rows, part.rows, strict=True):
            column.extend(more)
        split.length += part.length
        split.error = part.error

    def _number(self, local: LocalGroup) -> int:
        """The number of a group in the split."""
        shape = self._shapes.known(local.size, local.edges, local.nodes)
        key = (local.category, shape.number, local.target)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.split.groups)
            group = Group(number, self.split.name, local.category, shape, local.target)
            self.split.groups.append(group)
        return number


def _array(column: array[int]) -> NDArray[np.int64]:
    return np.frombuffer(column, np.int64) if column else np.empty(0, np.int64)


def _extend(column: array[int], values: NDArray[np.int64]) -> None:
    column.frombytes(np.ascontiguousarray(values, np.int64).tobytes())
