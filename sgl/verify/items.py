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
have is a matter of one in 2**64 (the hashes are Python's own: SipHash with a key drawn
for the process).  Whatever is to be shown is read again from the file.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from sgl.verify.conllu import Malformed, Sentence, Word
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


@dataclass(slots=True)
class Split:
    """What the CoNLL-U file of a split holds; ``error`` if it cannot be read.

    Entries are numbered from 0; those that are no sentences are in ``malformed`` and
    belong to no group (-1).  ``words`` are the distinct words in their order, with the
    first entry that has each; ``misnumbered`` are the entries with another `sent_id`
    than their number gives, ``repeating`` those in which a lemma that should not does so.
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
    error: str = ""

    def __len__(self) -> int:
        """The number of entries, sentences or not."""
        return len(self.group_of)

    def group(self, entry: int) -> Group:
        """The group of an entry that is a sentence."""
        return self.groups[self.group_of[entry]]

    def counts(self) -> list[int]:
        """How many sentences each group has."""
        counted = Counter(self.group_of)
        return [counted[group.number] for group in self.groups]

    def members(self, groups: Sequence[Group]) -> Iterator[tuple[int, Group]]:
        """The sentences of some groups in their order, each with its group."""
        numbers = {group.number: group for group in groups}
        for entry in np.flatnonzero(np.isin(np.asarray(self.group_of), list(numbers))).tolist():
            yield entry, numbers[self.group_of[entry]]

    def append_malformed(self, entry: Malformed) -> None:
        """Add an entry that is no sentence."""
        self.malformed[len(self)] = entry
        self._append((entry.line, 0, -1, 0, 0), (0,) * len(self.rows))

    def append(
        self, sentence: Sentence, group: int, source: str, category: str, targets: Sequence[str]
    ) -> None:
        """Add a sentence."""
        if not self.words.keys() >= set(sentence.words):
            for word in sentence.words:
                self.words.setdefault(word, len(self))
        rows = [row_hash(source, target, category) for target in targets]
        place = (sentence.line, sentence.offset, group)
        self._append((*place, hash(source), hash(targets[0])), rows)

    def _append(self, values: Sequence[int], rows: Sequence[int]) -> None:
        own = (self.lines, self.offsets, self.group_of, self.sources, self.targets)
        for column, value in zip((*own, *self.rows), (*values, *rows), strict=True):
            column.append(value)


def row_hash(source: str, target: str, category: str) -> int:
    """What rows of tables are compared by."""
    return hash((source, target, category))


def conllu_path(split: str) -> str:
    """The CoNLL-U file of a split, inside the dataset."""
    return f"conllu/{split}.conllu"
