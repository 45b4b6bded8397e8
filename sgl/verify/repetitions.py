"""Which sentences have been there before, found by sorting the hashes of their texts.

The first sentence with a text is none; every later one is paired with that first one::

    train   The dog slept.   The cat slept.
    dev     The cat slept.                        dev 1 is train 2
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sgl.verify.items import Split

#: A split and the number of an entry in it.
Place = tuple[Split, int]


def repetitions(splits: Sequence[Split]) -> Iterator[tuple[Place, Place]]:
    """The sentences of some splits whose source occurs before, each with the first that has it."""
    if not splits:
        return
    owners = np.concatenate([np.full(len(split), rank) for rank, split in enumerate(splits)])
    entries = np.concatenate([np.arange(len(split)) for split in splits])
    sources = np.concatenate([np.asarray(split.sources, np.int64) for split in splits])
    groups = np.concatenate([np.asarray(split.group_of, np.int64) for split in splits])
    kept = groups >= 0
    owners, entries, sources = owners[kept], entries[kept], sources[kept]
    _, first, inverse = np.unique(sources, return_index=True, return_inverse=True)
    before = first[inverse]
    for later in np.flatnonzero(before != np.arange(len(before))).tolist():
        earlier = before[later]
        yield (
            (splits[owners[later]], int(entries[later])),
            (splits[owners[earlier]], int(entries[earlier])),
        )
