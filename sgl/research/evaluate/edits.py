"""Align the words of a prediction with the words of the gold text, to see what its author changed.

The alignment is the cheapest one by costs (Levenshtein 1966): a word takes the place of a word of its class more
easily than of another class, and of another form of itself most easily.  A text that ends too early is aligned with
the beginning of the gold text.  Words that are said twice in a row, and only once in the gold text, are taken out
before.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

#: The places of a word of the gold text and of one of the prediction, or both; none where the other side has one more.
Pair = tuple[int | None, int | None]

#: What a word costs in the place of another one.
Cost = Callable[[str, str], int]

#: Cells of the table of an alignment; texts that need more are not compared.
_LARGEST = 100_000

#: The longest text, beyond four times the gold text, in which repetitions are looked for.
_LONGEST = 200

#: What a word costs that is missing, one too many, and the end of a text that is missing as a whole.
_LOST, _MORE, _END = 12, 20, 20


class Alignment(NamedTuple):
    """Pairs in the order of the texts; ``end`` is the gold word where a prediction stops that is not finished."""

    pairs: list[Pair]
    end: int | None
    cost: int


def common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many words, or characters, two texts have in common at the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def aligned(gold: Sequence[str], said: Sequence[str], cost: Cost, *, late: bool = True) -> Alignment | None:
    """Return the best alignment; None for texts that are too long.

    ``cost`` is that of two words.  Of a word that the gold text has twice and the prediction once, this is the ``late``
    one, or else the first: in Japanese a particle goes with what stands before it.
    """
    first = 0 if late else common(gold, said)
    last = common(gold[first:][::-1], said[first:][::-1])
    first = first or common(gold[: len(gold) - last], said[: len(said) - last])
    one, other = gold[first : len(gold) - last], said[first : len(said) - last]
    if len(one) * len(other) > _LARGEST:
        return None
    table = [[_LOST * row + _MORE * column for column in range(len(other) + 1)] for row in range(len(one) + 1)]
    for row, word in enumerate(one):
        above, line = table[row], table[row + 1]
        for column, new in enumerate(other):
            line[column + 1] = min(above[column] + cost(word, new), above[column + 1] + _LOST, line[column] + _MORE)
    whole = table[-1][-1], len(one), len(other)
    total, row, column = whole if last else _end(table, one, other)
    between = [
        (None if old is None else first + old, None if new is None else first + new)
        for old, new in _path(table, one, other, row, column, late=late)
    ]
    behind = [(len(gold) - at, len(said) - at) for at in range(last, 0, -1)]
    pairs: list[Pair] = [*((at, at) for at in range(first)), *between[::-1], *behind]
    return Alignment(pairs, first + row if row < len(one) else None, total)


def _path(
    table: list[list[int]], gold: Sequence[str], said: Sequence[str], row: int, column: int, *, late: bool
) -> Iterator[Pair]:
    """Yield the pairs of the best alignment from this cell of the table backwards."""
    while row or column:
        here = table[row][column]
        equal = row and column and gold[row - 1] == said[column - 1]
        if row and not (equal and late) and here == table[row - 1][column] + _LOST:
            row -= 1
            yield row, None
        elif column and not equal and here == table[row][column - 1] + _MORE:
            column -= 1
            yield None, column
        else:
            row, column = row - 1, column - 1
            yield row, column


def _end(table: list[list[int]], gold: Sequence[str], said: Sequence[str]) -> tuple[int, int, int]:
    """Return the cost, and how many gold words are aligned with how many words of a text that may lack its end."""
    costs = [(line[-1] + _END * (row < len(gold)), -row, len(said)) for row, line in enumerate(table)]
    if said:
        # The last word may have been cut, too.
        cut = (row for row, word in enumerate(gold) if said[-1] not in gold and word.startswith(said[-1]))
        costs += [(table[row][-2] + _END, -row, len(said) - 1) for row in cut]
    total, row, column = min(costs)
    return total, -row, column


def without_repetitions(said: Sequence[str], gold: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return a text without what it says twice in a row, unless the gold text does, and what that is."""
    words, found, size = list(said), list[str](), 1
    if len(said) > _LONGEST + 4 * len(gold):
        return words, found
    known = {tuple(gold[at : at + 2 * size]) for size in range(1, len(gold) // 2 + 1) for at in _twice(gold, size)}
    while 2 * size <= len(words):
        at = next((at for at in _twice(words, size) if tuple(words[at : at + 2 * size]) not in known), -1)
        if at < 0:
            size += 1
        else:
            found.append(" ".join(words[at : at + size]))
            del words[at : at + size]
    return words, found


def _twice(words: Sequence[str], size: int) -> Iterator[int]:
    """Yield where as many words stand twice in a row."""
    # Most are told apart by their first words.
    for at, (word, again) in enumerate(zip(words, words[size:], strict=False)):
        if word == again and words[at : at + size] == words[at + size : at + 2 * size]:
            yield at


class Edit(NamedTuple):
    """A word of the gold text, at its place, and what the prediction has instead; one of them may be nothing.

    A word is ``torn`` if its particle is left behind.
    """

    old: str
    new: str
    place: int | None
    torn: bool = False


def runs(gold: Sequence[str], said: Sequence[str], pairs: Sequence[Pair]) -> Iterator[list[Edit]]:
    """Yield the words that both texts have, or the edits between two of these."""
    words = (Edit("" if a is None else gold[a], "" if b is None else said[b], a) for a, b in pairs)
    for _, run in groupby(words, lambda edit: edit.old == edit.new):
        yield list(run)
