"""Find the sentences, frames and outputs that rows share with rows of earlier splits.

Texts are compared by their hashes.  A row counts under the first definition that it meets: a sentence that training has
to the letter is not one that it has in another spelling.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from sgl.corpus.audit.leaks import Leaks
from sgl.corpus.audit.sets import RowSet


def find_shared(sets: Iterable[RowSet], names: Sequence[str], leaks: Leaks) -> None:
    """Record the rows of ``sets`` that share something with rows of earlier splits, in files with these ``names``."""
    ordered = sorted(sets, key=_rank)
    if not ordered:
        return
    titles = [f"{names[rows.file]}: {rows.kind}" if rows.kind else names[rows.file] for rows in ordered]
    ranks = {rank: number for number, rank in enumerate(dict.fromkeys(map(_rank, ordered)))}
    sizes = [len(rows.lines) for rows in ordered]
    #: For each row its set, its split, whether it is an item, its line, and whether it was found.
    owner = np.repeat(np.arange(len(ordered)), sizes)
    split = np.array([ranks[_rank(rows)] for rows in ordered])[owner]
    item = np.array([rows.pattern is not None for rows in ordered])[owner]
    lines = np.concatenate([np.array(rows.lines, np.uint64) for rows in ordered])
    told = np.zeros(len(owner), bool)
    starts = np.cumsum([0, *sizes[:-1]])
    for key in ("sentence", "spelling", "frame", "answer"):
        hashes = np.concatenate([np.array(rows.texts[key], np.uint64) for rows in ordered])
        numbers = np.arange(len(owner))
        if key == "frame":
            own = [np.array(rows.framed, np.int64) + start for rows, start in zip(ordered, starts, strict=True)]
            numbers = np.concatenate(own)
        _, first, same = np.unique(hashes, return_index=True, return_inverse=True)
        earlier = numbers[first[same.ravel()]]
        found = (split[numbers] > split[earlier]) & ~told[numbers] & (item[numbers] | (key != "frame"))
        pairs = np.unique(np.stack([owner[numbers], owner[earlier], numbers])[:, found], axis=1)
        told[pairs[2]] = True
        for mine, other in dict.fromkeys(zip(*pairs[:2].tolist(), strict=True)):
            shared = pairs[2][(pairs[0] == mine) & (pairs[1] == other)]
            leaks.add(key, ordered[mine].place(titles[other]), lines[shared].tolist())


def _rank(rows: RowSet) -> tuple[bool, int, str]:
    """Return the rank of the split of a set: training, the other rows of each file, and then each set of items."""
    return (False, rows.file, "") if rows.pattern is None else (True, rows.file, rows.kind)
