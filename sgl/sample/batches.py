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

from collections.abc import Sequence
from itertools import compress, repeat
from operator import eq, itemgetter
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
from sgl.sample.forks import Forks, Path, Row
from sgl.sample.kinds import Kinds
from sgl.sample.random import candidate_key, stream_key
from sgl.sample.rows import row_of, text_of

#: Candidates that are at work at once, at least and at most.
LEAST_AT_ONCE, MOST_AT_ONCE = 100, 8_000


class _Group(NamedTuple):
    """Candidates of one shape: their numbers in the batch, and the columns of each word."""

    key: tuple[int, ...]
    shape: Shape
    numbers: Sequence[int]
    columns: list[list[Column]]

    def only(self, kept: Sequence[int]) -> _Group:
        """Those that are kept."""
        flags = [kept[number] for number in self.numbers]
        if all(flags):
            return self
        columns = [[list(compress(column, flags)) for column in word] for word in self.columns]
        return self._replace(numbers=list(compress(self.numbers, flags)), columns=columns)


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
        self.groups: list[_Group] = []
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

    def rows(self, stratum: PackedStratum) -> list[list[str]]:
        """The rows of a stratum, in a list for each target.

        Raises ``NotEnoughError`` when there are too few.
        """
        rows: list[list[str]] = [[] for _ in self._tables.targets]
        part = _Part(self._tables, stratum, self._judge)
        survey = _Survey(self._tables, stratum, self._judge, self._kinds, self._shapes)
        while part.found < stratum.wanted:
            batch = _Batch(part.tried, part.next_size())
            survey.look_at(batch, grouped=self._plain)
            accepted = part.settle(batch)
            kept = bytearray(batch.size)
            for number in accepted:
                kept[number] = 1
            groups = [group.only(kept) for group in batch.groups]
            if stratum.split == TRAIN:
                self._expose(groups, [batch.others[n] for n in accepted if n in batch.others])
            for target, of_target in enumerate(rows):
                texts = self._written(stratum, batch, groups, target, kept)
                of_target += [texts[number] for number in accepted]
        return rows

    def _expose(self, groups: Sequence[_Group], others: Sequence[Sequence[int]]) -> None:
        """Remember the lemmas of training."""
        exposed = self._judge.exposed
        for group in groups:
            if group.numbers:
                exposed.update(group.shape.words.fixed)
                for word, column in group.shape.words.columns:
                    exposed.update(group.columns[word][column])
        words = self._tables.words
        exposed.update(word for derivation in others for rule in derivation for word in words[rule])

    def _written(
        self,
        stratum: PackedStratum,
        batch: _Batch,
        groups: Sequence[_Group],
        target: int,
        kept: Sequence[int],
    ) -> list[str]:
        """The rows of the candidates that are kept, each in its place."""
        rows = [""] * batch.size
        sources = batch.sources
        for key, _, numbers, columns in groups:
            if numbers:
                sheet = self._shapes.sheet(key, target + 1)
                texts = sheet.filled(columns, len(numbers), "\t", f"\t{stratum.category}\n")
                for number, text in zip(numbers, texts):
                    rows[number] = sources[number] + text
        output = self._tables.targets[target]
        for number, derivation in batch.others.items():
            if kept[number]:
                text = text_of(self._tables, output, derivation)
                rows[number] = row_of(sources[number], text, stratum.category)
        return rows


class _Survey:
    """Finds out what can be said of the candidates of a stratum, each by itself."""

    def __init__(
        self, tables: Tables, stratum: PackedStratum, judge: Judge, kinds: Kinds, shapes: Shapes
    ) -> None:
        self._tables = tables
        self._stratum = stratum
        self._judge = judge
        self._shapes = shapes
        self._key = stream_key(tables.seed, stratum.stream)
        self._forks = Forks(kinds, stratum.start, self._key)
        self._asks_exposure = judge.trains and stratum.split != TRAIN

    def look_at(self, batch: _Batch, *, grouped: bool) -> None:
        """Draw a batch and look at all its candidates."""
        if not grouped:
            for number in range(batch.size):
                self._alone(batch, number)
            return
        for path, _, rows in self._forks.draw(batch.first, batch.size):
            if path is None:
                for row in rows:
                    self._alone(batch, row[0])
            else:
                self._together(batch, path, rows)

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

    def _together(self, batch: _Batch, path: Path, rows: Sequence[Row]) -> None:
        """Look at candidates of one shape."""
        shape = self._shapes.shape(path.shape)
        numbers, columns = self._columns(batch.first, path, rows)
        group = _Group(path.shape, shape, numbers, columns)
        batch.groups.append(group)
        if self._asks_exposure:
            self._ask_exposure(batch, group)
        if not self._stratum.repeated_lemmas:
            _ask_repetition(batch, group)
        if self._stratum.targets:
            self._find_targets(batch, group)
        sources = batch.sources
        texts = self._shapes.sheet(path.shape, 0).filled(columns, len(numbers))
        for number, text in zip(numbers, texts):
            sources[number] = text

    def _columns(
        self, first: int, path: Path, rows: Sequence[Row]
    ) -> tuple[Sequence[int], list[list[Column]]]:
        """The numbers of candidates, and of each of their words the columns of its entries."""
        if not path.slots:
            return [row[0] for row in rows], []
        places = itemgetter(0, *[slot.place for slot in path.slots])
        numbers, *of_slots = zip(*map(places, rows))
        columns: list[list[Column]] = []
        for (place, choice, kind), pieces in zip(path.slots, of_slots):
            entries = list(map(kind.cells.__getitem__, pieces))
            if not all(entries):
                entries = [
                    entry or choice.entry(self._forks.bits(first + number, place))
                    for number, entry in zip(numbers, entries)
                ]
            columns.append(list(zip(*entries)))
        return numbers, columns

    def _ask_exposure(self, batch: _Batch, group: _Group) -> None:
        """Reject those with a lemma that no sentence of training has."""
        exposed, words = self._judge.exposed, group.shape.words
        if not exposed.issuperset(words.fixed):
            for number in group.numbers:
                batch.reasons[number] = UNEXPOSED_WORD
        for word, column in words.columns:
            lemmas = group.columns[word][column]
            if not exposed.issuperset(lemmas):
                for number, lemma in zip(group.numbers, lemmas):
                    if lemma not in exposed:
                        batch.reasons[number] = UNEXPOSED_WORD

    def _find_targets(self, batch: _Batch, group: _Group) -> None:
        """Note the target that each counts for."""
        words = group.shape.words
        columns = [group.columns[word][column] for word, column in words.columns]
        rows = zip(*columns, *map(repeat, words.fixed)) if columns else repeat(words.fixed)
        for number, lemmas in zip(group.numbers, rows):
            batch.targets[number] = target_of(self._stratum, lemmas)


def _ask_repetition(batch: _Batch, group: _Group) -> None:
    """Reject those that have a lemma twice; this comes before all other reasons."""
    fixed, found = group.shape.once
    columns = [group.columns[word][column] for word, column in found]
    if group.shape.repeats:
        repeated: Sequence[bool] = [True] * len(group.numbers)
    elif not columns:
        return
    elif len(columns) == 2 and not fixed:
        repeated = list(map(eq, *columns))
    else:
        number = len(columns) + len(fixed)
        rows = zip(*columns, *map(repeat, fixed))
        repeated = [len(set(lemmas)) < number for lemmas in rows]
    if any(repeated):
        for number in compress(group.numbers, repeated):
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
