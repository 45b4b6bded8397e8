"""Rows drawn in batches by plain Python: those of ``sgl.sample.rows``, many times as fast.

A candidate is drawn and judged as ``sgl.sample.distinct`` says, but many are at work at
once::

    draw      follow forks of random numbers; candidates of one shape end together
    survey    shape by shape: the source sentence, and what can be said of a candidate by
              itself: lemmas that are repeated or not exposed, the target that it has
    settle    candidate by candidate, in their order: shares, sentences that there were
              before, ambiguous ones
    write     shape by shape again: the targets of those that were accepted

Shapes with few sentences cost more than the others, since their texts have to be worked out
in the general way once.  Everything that is out of the ordinary, long derivations above
all, is left to the general functions.

This module needs nothing but the standard library of Python 3.9, because the standalone
sampler contains it as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, repeat
from typing import NamedTuple

from sgl.sample.blanks import Column, Shape, Shapes, is_plain
from sgl.sample.distinct import (
    AMBIGUOUS,
    REASONS,
    REPEATED_LEMMA,
    REPEATED_SENTENCE,
    SHARE_FULL,
    TOO_LONG,
    TRAIN,
    UNEXPOSED_WORD,
    WINDOW,
    Judge,
    share,
    stop_if_out_of_reach,
    target_of,
)
from sgl.sample.engine import PackedStratum, Tables, derive
from sgl.sample.forks import Forks, Slot, Station
from sgl.sample.kinds import Entry, Kinds
from sgl.sample.random import candidate_key, stream_key
from sgl.sample.rows import row_of, text_of

#: Candidates that are at work at once, at least and at most.
LEAST_AT_ONCE, MOST_AT_ONCE = 100, 32_000


class _Group(NamedTuple):
    """Candidates of one shape: their numbers in the batch, and the columns of their words."""

    shape: Shape
    numbers: Sequence[int]
    columns: list[Column]

    def only(self, kept: Sequence[int]) -> _Group:
        """Those that are kept."""
        flags = [kept[number] for number in self.numbers]
        if all(flags):
            return self
        columns: list[Column] = [list(compress(column, flags)) for column in self.columns]
        return _Group(self.shape, list(compress(self.numbers, flags)), columns)


#: Groups by the rules of their shapes.
Groups = Mapping[tuple[int, ...], _Group]


class _Batch:
    """What has been found of the candidates of a batch, in their order."""

    def __init__(self, first: int, size: int) -> None:
        self.first = first
        self.size = size
        #: Why a candidate is rejected, as far as that can be said of it by itself.
        self.reasons: list[str | None] = [None] * size
        #: The target that it counts for, where targets have shares.
        self.targets: list[str | None] = [None] * size
        self.sources: list[str] = [""] * size
        #: Candidates by their shapes.
        self.groups: dict[tuple[int, ...], _Group] = {}
        #: The derivations of candidates that are in no group.
        self.others: dict[int, list[int]] = {}


class Drawing:
    """Draws the strata of a dataset, one after the other."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._judge = Judge(tables)
        self._plain = is_plain(tables)
        self._kinds = Kinds(tables)
        self._shapes = Shapes(tables, self._kinds)
        self._forks: dict[int, Forks] = {}

    def rows(self, stratum: PackedStratum) -> list[list[str]]:
        """The rows of a stratum, in a list for each target.

        Raises ``NotEnoughError`` when there are too few.
        """
        rows: list[list[str]] = [[] for _ in self._tables.targets]
        part = _Part(self._tables, stratum, self._judge)
        forks = self._forks.get(stratum.start)
        if forks is None:
            # Forks take space; the strata that begin alike often follow one another.
            self._forks = {stratum.start: (forks := Forks(self._kinds, stratum.start))}
        survey = _Survey(self._tables, stratum, self._judge, forks, self._shapes)
        while part.found < stratum.wanted:
            batch = _Batch(part.tried, part.next_size())
            survey.look_at(batch, grouped=self._plain)
            accepted = part.settle(batch)
            kept = bytearray(batch.size)
            for number in accepted:
                kept[number] = 1
            groups = {key: group.only(kept) for key, group in batch.groups.items()}
            if stratum.split == TRAIN:
                self._expose(groups, [batch.others[n] for n in accepted if n in batch.others])
            for target, of_target in enumerate(rows):
                texts = self._written(stratum, batch, groups, target, kept)
                of_target += [texts[number] for number in accepted]
        return rows

    def _expose(self, groups: Groups, others: Sequence[Sequence[int]]) -> None:
        """Remember the lemmas of training."""
        exposed = self._judge.exposed
        for shape, numbers, columns in groups.values():
            if numbers:
                exposed.update(shape.words.fixed, *shape.words.pick(columns))
        words = self._tables.words
        exposed.update(word for derivation in others for rule in derivation for word in words[rule])

    def _written(
        self,
        stratum: PackedStratum,
        batch: _Batch,
        groups: Groups,
        target: int,
        kept: Sequence[int],
    ) -> list[str]:
        """The rows of the candidates that are kept, each in its place."""
        rows = [""] * batch.size
        sources = batch.sources
        tail = f"\t{stratum.category}\n"
        for key, (_, numbers, columns) in groups.items():
            if numbers:
                sheet = self._shapes.sheet(key, target + 1)
                for number, text in zip(numbers, sheet.filled(columns, len(numbers))):
                    rows[number] = f"{sources[number]}\t{text}{tail}"
        output = self._tables.targets[target]
        for number, derivation in batch.others.items():
            if kept[number]:
                text = text_of(self._tables, output, derivation)
                rows[number] = row_of(sources[number], text, stratum.category)
        return rows


class _Survey:
    """Finds out what can be said of the candidates of a stratum, each by itself."""

    def __init__(
        self, tables: Tables, stratum: PackedStratum, judge: Judge, forks: Forks, shapes: Shapes
    ) -> None:
        self._tables = tables
        self._stratum = stratum
        self._judge = judge
        self._shapes = shapes
        self._key = stream_key(tables.seed, stratum.stream)
        self._forks = forks
        self._asks_exposure = judge.trains and stratum.split != TRAIN

    def look_at(self, batch: _Batch, *, grouped: bool) -> None:
        """Draw a batch and look at all its candidates."""
        if not grouped:
            for number in range(batch.size):
                self._alone(batch, number)
            return
        alike: dict[tuple[int, ...], list[Station]] = {}
        for leaf in self._forks.draw(self._key, batch.first, batch.size):
            alike.setdefault(leaf.trail.shape, []).append(leaf)
        for leaf in alike.pop((), []):
            for number in leaf.numbers:
                self._alone(batch, number)
        for key, of_shape in alike.items():
            self._together(batch, key, of_shape)

    def _alone(self, batch: _Batch, number: int) -> None:
        """Look at a candidate in the general way."""
        tables, stratum = self._tables, self._stratum
        key = candidate_key(self._key, batch.first + number)
        derivation = derive(tables.states, stratum.start, key)
        if derivation is None:
            batch.reasons[number] = TOO_LONG
            return
        batch.reasons[number] = self._judge.about_lemmas(stratum, derivation)
        words = {word for rule in derivation for word in tables.words[rule]}
        batch.targets[number] = target_of(stratum, words)
        batch.sources[number] = text_of(tables, tables.source, derivation)
        batch.others[number] = derivation

    def _together(self, batch: _Batch, key: tuple[int, ...], leaves: Sequence[Station]) -> None:
        """Look at candidates of one shape."""
        numbers = [number for leaf in leaves for number in leaf.numbers]
        group = _Group(self._shapes.shape(key), numbers, self._columns(leaves))
        batch.groups[key] = group
        if self._asks_exposure:
            self._ask_exposure(batch, group)
        if not self._stratum.repeated_lemmas:
            _ask_repetition(batch, group)
        if self._stratum.targets:
            self._find_targets(batch, group)
        texts = self._shapes.sheet(key, 0).filled(group.columns, len(numbers))
        for number, text in zip(numbers, texts):
            batch.sources[number] = text

    def _columns(self, leaves: Sequence[Station]) -> list[Column]:
        """The columns of the words of the candidates that ended at these leaves."""
        of_slots: list[list[Entry]] = []
        for trail, _, _, numbers, rows in leaves:
            of_slots = of_slots or [[] for _ in trail.slots]
            for slot, pieces, of_slot in zip(trail.slots, zip(*rows), of_slots):
                found = list(map(slot.kind.cells.__getitem__, pieces))
                of_slot.extend(found if all(found) else self._exact(slot, numbers, found))
        return [column for entries in of_slots for column in zip(*entries)]

    def _exact(self, slot: Slot, numbers: Sequence[int], found: Sequence[Entry]) -> list[Entry]:
        """The entries of words, those filled in that the highest bits do not tell."""
        return [
            entry or slot.choice.entry(self._forks.bits(number, slot.place))
            for number, entry in zip(numbers, found)
        ]

    def _ask_exposure(self, batch: _Batch, group: _Group) -> None:
        """Reject those with a lemma that no sentence of training has."""
        exposed = self._judge.exposed
        fixed, _, pick = group.shape.words
        if not exposed.issuperset(fixed):
            for number in group.numbers:
                batch.reasons[number] = UNEXPOSED_WORD
        for column in pick(group.columns):
            if not exposed.issuperset(column):
                for number, lemma in zip(group.numbers, column):
                    if lemma not in exposed:
                        batch.reasons[number] = UNEXPOSED_WORD

    def _find_targets(self, batch: _Batch, group: _Group) -> None:
        """Note the target that each counts for."""
        fixed, _, pick = group.shape.words
        rows = zip(*pick(group.columns), *map(repeat, fixed))
        for number, lemmas in zip(group.numbers, rows):
            batch.targets[number] = target_of(self._stratum, lemmas)


def _ask_repetition(batch: _Batch, group: _Group) -> None:
    """Reject those that have a lemma twice; this comes before all other reasons."""
    fixed, number, pick = group.shape.once
    if group.shape.repeats:
        repeated: Iterable[int] = group.numbers
    elif number:
        lemmas = zip(*pick(group.columns), *map(repeat, fixed))
        different = number + len(fixed)
        repeated = [n for n, of in zip(group.numbers, lemmas) if len(set(of)) < different]
    else:
        return
    for number in repeated:
        batch.reasons[number] = REPEATED_LEMMA


class _Part:
    """Accepts or rejects the candidates of a stratum in their order."""

    def __init__(self, tables: Tables, stratum: PackedStratum, judge: Judge) -> None:
        self._stratum = stratum
        self._seen = judge.seen if tables.distinct_sentences else None
        self._shares = judge.shares(stratum)
        self._rejected = dict.fromkeys(REASONS, 0)
        self._found_before = 0
        self.tried = 0
        self.found = 0

    def next_size(self) -> int:
        """How many candidates may be needed for the rest, as far as a batch can be of use."""
        tried, found = (self.tried, self.found) if self.found else (5, 4)
        size = (self._stratum.wanted - self.found) * tried // found
        return max(LEAST_AT_ONCE, min(MOST_AT_ONCE, size + size // 16))

    def settle(self, batch: _Batch) -> list[int]:
        """The candidates of a batch that are accepted."""
        accepted: list[int] = []
        number = 0
        while number < batch.size and self.found < self._stratum.wanted:
            end = min(batch.size, number + WINDOW - self.tried % WINDOW)
            self._settle(batch, range(number, end), accepted)
            number = end
            if self.tried % WINDOW == 0:
                stop_if_out_of_reach(
                    self._stratum,
                    self.found,
                    self.tried,
                    self._rejected,
                    self._shares,
                    self.found - self._found_before,
                )
                self._found_before = self.found
        return accepted

    def _settle(self, batch: _Batch, numbers: range, accepted: list[int]) -> None:
        reasons, sources, targets = batch.reasons, batch.sources, batch.targets
        stratum, seen = self._stratum, self._seen
        wanted = stratum.wanted - self.found + len(accepted)
        before = len(accepted)
        number = numbers.start - 1
        for number in numbers:
            reason = reasons[number]
            if reason is None and stratum.targets and not self._has_share(targets[number]):
                reason = SHARE_FULL
            if reason is None and seen is not None:
                first = seen.get(sources[number])
                if first is not None and not (stratum.repeated and first == stratum.stream):
                    reason = REPEATED_SENTENCE
            if reason is None and stratum.ambiguous and batch.first + number in stratum.ambiguous:
                reason = AMBIGUOUS
            if reason is not None:
                self._rejected[reason] += 1
                continue
            if seen is not None:
                seen[sources[number]] = stratum.stream
            target = targets[number]
            if target is not None:
                self._shares[target] += 1
            accepted.append(number)
            if len(accepted) == wanted:
                break
        self.found += len(accepted) - before
        self.tried += number + 1 - numbers.start

    def _has_share(self, target: str | None) -> bool:
        """Whether a target has not got its share of the items yet."""
        if target is None:
            return False
        stratum = self._stratum
        return self._shares[target] < share(stratum.wanted, stratum.targets, target)
