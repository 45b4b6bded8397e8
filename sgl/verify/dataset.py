"""A dataset as the checks see it: the manifest, and what is to be known of every sentence.

The CoNLL-U files are read once (``sgl.verify.loading``), and ``sgl.verify.items`` says
what remains of a sentence: about forty bytes, whatever its length.  What grows otherwise
is one object for each distinct word, line, tree and shape: a million items of a benchmark
take some tens of megabytes more than its vocabulary and its shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sgl.verify.conllu import Malformed, line_at, read_sentence
from sgl.verify.items import CategoryGroups, Group, Item, Split, conllu_path
from sgl.verify.manifest import Clause, Manifest
from sgl.verify.reading import Knowledge, text_keys
from sgl.verify.report import Violation

#: Called with how much is done, how much there is, and what is being done.
Progress = Callable[[int, int, str], None]

#: Says what is wrong with a certificate, given its bytes.
Judge = Callable[[bytes], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset that has been read.

    ``unreadable`` are the structures of the manifest that cannot be read, with
    the reason; no sentence can be searched for them.  ``categories`` are those of
    all splits with their groups; ``known`` is what has been found out about words and
    shapes; ``judge`` says what is wrong with a certificate.
    """

    directory: Path
    manifest: Manifest
    splits: tuple[Split, ...]
    categories: tuple[CategoryGroups, ...]
    unreadable: tuple[tuple[Clause, str], ...]
    known: Knowledge
    judge: Judge

    def items(self) -> int:
        """Return the number of well-formed sentences."""
        return sum(groups.items() for groups in self.categories)

    def categories_of(self, *splits: str) -> list[CategoryGroups]:
        """Return the categories of some splits."""
        return [groups for groups in self.categories if groups.split in splits]

    def groups_of(self, *splits: str) -> Iterator[tuple[Group, int]]:
        """Yield the groups of some splits, each with the number of its sentences."""
        for category in self.categories_of(*splits):
            yield from category.groups

    def occurring(self, group: Group) -> int:
        """Return the structures that occur in the sentences of a group, with a bit for each."""
        return self.known.searcher.occurring(group.shape)

    def members(self, groups: list[Group]) -> Iterator[tuple[Split, int, Group]]:
        """Yield the sentences of some groups in their order."""
        for split in self.splits:
            own = [group for group in groups if group.split == split.name]
            if own:
                for entry, group in split.members(own):
                    yield split, entry, group

    def item(self, split: Split, entry: int) -> Item:
        """Return a sentence with its texts, read again."""
        path, offset = self.directory / conllu_path(split.name), split.offsets[entry]
        sentence = read_sentence(path, line_at(path, offset), offset)
        if isinstance(sentence, Malformed):
            raise OSError(0, "the file has changed while it was verified", conllu_path(split.name))
        comments = dict(sentence.comments)
        source, *targets = [comments[key] for key in text_keys(self.manifest)]
        return Item(
            split.name,
            sentence.line,
            comments["sent_id"],
            comments["category"],
            source,
            tuple(targets),
            sentence.words,
            split.group(entry).shape,
        )

    def violation(
        self, message: str, split: Split, entry: int, clause: Clause | None = None
    ) -> Violation:
        """Return a violation by a sentence, with the match of the structure it contains."""
        item = self.item(split, entry)
        match = self.known.searcher.match(item.shape, clause.number) if clause else None
        return Violation(
            message,
            item.place,
            item.sent_id,
            item.source,
            tuple(
                (name, f"{item.words[at].form} ({at + 1})") for name, at in (match or {}).items()
            ),
        )


def clause_bits(clauses: Iterable[Clause]) -> int:
    """Return the structures of some clauses as a set, with a bit for each."""
    return sum(1 << number for number in {clause.number for clause in clauses})
