"""The sentences of a split, compactly: some fifty bytes for each.

The CoNLL-U file is read once, in order, and of each sentence remain

====================  =========================================================
place                 its line and its offset in the file, to read it again
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

from sgl.verify.conllu import Malformed, Word
from sgl.verify.shape import Shape

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
    words: tuple[Word, ...]
    shape: Shape

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
    shape: Shape
    target: str


@dataclass(frozen=True, slots=True)
class Kind:
    """The groups of a category of a split, each with the number of its sentences.

    ``searched`` is the set of structures that all of them have been searched for, and
    ``occurring`` those of them that occur in some; bits stand for structures.
    """

    split: str
    category: str
    groups: tuple[tuple[Group, int], ...]
    searched: int
    occurring: int

    def items(self) -> int:
        """The number of sentences."""
        return sum(count for _, count in self.groups)

    def may_contain(self, wanted: int) -> bool:
        """Whether one of some structures can occur in one of the sentences."""
        return bool(wanted & (self.occurring | ~self.searched))


@dataclass(slots=True)
class Split:
    """What the CoNLL-U file of a split holds; ``error`` if it cannot be read.

    Entries are numbered from 0; those that are no sentences are in ``malformed`` and
    belong to no group (-1).  ``words`` are the distinct words in their order, with the
    first entry that has each; ``misnumbered`` are the entries with another `sent_id`
    than their number gives, ``repeating`` those in which a lemma that should not does so;
    ``length`` is the number of lines.
    """

    name: str
    groups: list[Group] = field(default_factory=list)
    malformed: dict[int, Malformed] = field(default_factory=dict)
    words: dict[Word, int] = field(default_factory=dict)
    misnumbered: array[int] = field(default_factory=lambda: array("q"))
    repeating: array[int] = field(default_factory=lambda: array("q"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    offsets: array[int] = field(default_factory=lambda: array("q"))
    group_of: array[int] = field(default_factory=lambda: array("q"))
    sources: array[int] = field(default_factory=lambda: array("q"))
    targets: array[int] = field(default_factory=lambda: array("q"))
    rows: tuple[array[int], ...] = ()
    length: int = 0
    error: str = ""

    def __len__(self) -> int:
        """The number of entries, sentences or not."""
        return len(self.group_of)

    def group(self, entry: int) -> Group:
        """The group of an entry that is a sentence."""
        return self.groups[self.group_of[entry]]

    def counts(self) -> list[int]:
        """How many sentences each group has."""
        known = np.asarray(self.group_of, np.int64)
        return [int(n) for n in np.bincount(known[known >= 0], minlength=len(self.groups))]

    def members(self, groups: Sequence[Group]) -> Iterator[tuple[int, Group]]:
        """The sentences of some groups in their order, each with its group."""
        numbers = {group.number: group for group in groups}
        for entry in np.flatnonzero(np.isin(np.asarray(self.group_of), list(numbers))).tolist():
            yield entry, numbers[self.group_of[entry]]


class Hashing:
    """Hashes of texts as integers of 64 bits, the same in every process that has the key."""

    def __init__(self, key: bytes) -> None:
        self._begun = blake2b(digest_size=8, key=key)

    def text(self, text: str) -> int:
        """What texts are compared by."""
        digest = self._begun.copy()
        digest.update(text.encode("utf-8"))
        return int.from_bytes(digest.digest(), "little", signed=True)

    def row(self, source: str, target: str, category: str) -> int:
        """What rows of tables are compared by; texts of sentences have one line."""
        return self.text("\n".join((source, target, category)))


def conllu_path(split: str) -> str:
    """The CoNLL-U file of a split, inside the dataset."""
    return f"conllu/{split}.conllu"
