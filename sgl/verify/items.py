"""Keep the sentences of a split compactly: some forty bytes for each.

The CoNLL-U file is read once, in order, and of each sentence remain

====================  =========================================================
place                 its offset in the file, to read it again
group                 category, shape and target, numbered: what structures and
                      quotas can tell apart
hashes                of its source, of its first target, and for each target of
                      source, target and category together: tables are compared by it
====================  =========================================================

The texts themselves do not remain.  Equal texts have equal hashes; that unequal ones
have is a matter of one in 2**64 (BLAKE2 with a key drawn for the run, which all of its
processes have).  Whatever is to be shown is read again from the file.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from sgl.verify.conllu import Malformed, WordForm
from sgl.verify.shape import GraphShape

IN_DISTRIBUTION = "in_distribution"
EXPOSURE = "exposure:"
PART = "part:"
GENERALIZATION = "gen"
TRAIN = "train"

#: Splits in which nothing that is held out may occur.
TRAINING_LIKE = (TRAIN, "dev", "test")


@dataclass(frozen=True, slots=True)
class Item:
    """A sentence of a split with its texts; ``line`` is where it starts in the CoNLL-U file.

    ``targets`` are its texts in the targets of the manifest.
    """

    split: str
    line: int
    sent_id: str
    category: str
    source: str
    targets: tuple[str, ...]
    words: tuple[WordForm, ...]
    shape: GraphShape

    @property
    def place(self) -> str:
        """The file and line where the sentence is written."""
        return f"{conllu_path(self.split)}:{self.line}"


@dataclass(frozen=True, slots=True)
class Group:
    """Sentences of a split that no structure and no quota can tell apart.

    ``target`` is the lemma that they count for where targets have equal shares.
    """

    number: int
    split: str
    category: str
    shape: GraphShape
    target: str


@dataclass(frozen=True, slots=True)
class CategoryGroups:
    """The groups of a category of a split, each with the number of its sentences.

    ``occurring`` are the structures that occur in some of them, with a bit for each.
    """

    split: str
    category: str
    groups: tuple[tuple[Group, int], ...]
    occurring: int

    def items(self) -> int:
        """Return the number of sentences."""
        return sum(count for _, count in self.groups)


@dataclass(slots=True)
class Split:
    """What the CoNLL-U file of a split holds; ``error`` if it cannot be read.

    Entries are numbered from 0; those that are no sentences are in ``malformed`` and
    belong to no group (-1).  ``columns`` have a value for each entry: offset in the file,
    group, hash of the source, hash of the first target, and a hash of each row.  ``words``
    are the distinct words in their order, with the first entry that has each;
    ``misnumbered`` are the entries with another `sent_id` than their number gives,
    ``repeating`` those in which a lemma occurs twice that should not.
    """

    name: str
    columns: tuple[array[int], ...]
    groups: list[Group] = field(default_factory=list)
    malformed: dict[int, Malformed] = field(default_factory=dict)
    words: dict[WordForm, int] = field(default_factory=dict)
    misnumbered: array[int] = field(default_factory=lambda: array("q"))
    repeating: array[int] = field(default_factory=lambda: array("q"))
    error: str = ""

    @staticmethod
    def new_columns(targets: int) -> tuple[array[int], ...]:
        """Return empty columns for a dataset with so many targets."""
        return tuple(array("q") for _ in range(4 + targets))

    @property
    def offsets(self) -> array[int]:
        """Where each entry begins, in bytes."""
        return self.columns[0]

    @property
    def group_of(self) -> array[int]:
        """The group of each entry."""
        return self.columns[1]

    @property
    def sources(self) -> array[int]:
        """The hash of each source."""
        return self.columns[2]

    @property
    def targets(self) -> array[int]:
        """The hash of each first target."""
        return self.columns[3]

    @property
    def rows(self) -> tuple[array[int], ...]:
        """For each target the hashes of its rows."""
        return self.columns[4:]

    def __len__(self) -> int:
        """Return the number of entries, sentences or not."""
        return len(self.group_of)

    def group(self, entry: int) -> Group:
        """Return the group of an entry that is a sentence."""
        return self.groups[self.group_of[entry]]

    def by_category(self) -> dict[str, list[tuple[Group, int]]]:
        """Return the groups of each category with the numbers of their sentences."""
        known = np.asarray(self.group_of, np.int64)
        counts = np.bincount(known[known >= 0], minlength=len(self.groups)).tolist()
        found: dict[str, list[tuple[Group, int]]] = {}
        for group, count in zip(self.groups, counts, strict=True):
            found.setdefault(group.category, []).append((group, count))
        return found

    def members(self, groups: Sequence[Group]) -> Iterator[tuple[int, Group]]:
        """Yield the sentences of some groups in their order, each with its group."""
        numbers = {group.number: group for group in groups}
        for entry in np.flatnonzero(np.isin(np.asarray(self.group_of), list(numbers))).tolist():
            yield entry, numbers[self.group_of[entry]]


#: A split and the number of an entry in it.
Place = tuple[Split, int]


def repetitions(splits: Sequence[Split]) -> Iterator[tuple[Place, Place]]:
    """Yield the sentences whose source occurs before, each with the first that has it.

    ::

    train   The dog slept.   The cat slept.
    dev     The cat slept.                        dev 1 is train 2
    """
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


class Hashing:
    """Hashes of texts as integers of 64 bits, the same in every process that has the key."""

    def __init__(self, key: bytes) -> None:
        self._begun = blake2b(digest_size=8, key=key)

    def text(self, text: str) -> int:
        """Return what texts are compared by."""
        digest = self._begun.copy()
        digest.update(text.encode("utf-8"))
        return int.from_bytes(digest.digest(), "little", signed=True)

    def row(self, source: str, target: str, category: str) -> int:
        """Return what rows of tables are compared by; texts of sentences have one line."""
        return self.text("\n".join((source, target, category)))


def conllu_path(split: str) -> str:
    """Return the CoNLL-U file of a split, inside the dataset."""
    return f"conllu/{split}.conllu"
