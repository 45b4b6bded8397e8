"""Rows drawn in batches by plain Python: those of ``sgl.sampling.rows``, many times as fast.

A candidate is drawn and judged as ``sgl.sampling.distinct`` says, but many are at work at
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
from itertools import chain, compress, repeat
from operator import ne, not_
from typing import NamedTuple

from sgl.sampling.blanks import Column, Shape, Shapes, is_plain
from sgl.sampling.distinct import (
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
from sgl.sampling.engine import PackedStratum, Tables, derive
from sgl.sampling.forks import Alike, Forks, picking
from sgl.sampling.kinds import Kinds
from sgl.sampling.random import candidate_key, stream_key
from sgl.sampling.rows import row_of, text_of

#: Candidates that are at work at once, at least and at most.
LEAST_AT_ONCE, MOST_AT_ONCE = 100, 100_000


class _Group(NamedTuple):
    """Candidates of one shape: their numbers in the batch, and the columns of their words."""

    shape: Shape
    numbers: Sequence[int]
    columns: list[Column]

    def only(self, kept: Sequence[object]) -> _Group:
        """Those of the candidates that are kept."""
        if all(kept):
            return self
        if not any(kept):
            return _Group(self.shape, (), [])
        columns: list[Column] = [list(compress(column, kept)) for column in self.columns]
        return _Group(self.shape, list(compress(self.numbers, kept)), columns)


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
        #: Candidates that are not rejected yet, by their shapes; the source is their last column.
        self.groups: list[_Group] = []
        #: The derivations of candidates that are in no group.
        self.others: dict[int, list[int]] = {}


class Drawing:
    """Draws the strata of a dataset, one after the other."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._plain = is_plain(tables)
        self._kinds = Kinds(tables)
        self._shapes = Shapes(tables, self._kinds)
        self._forks: dict[int, Forks] = {}
        self.begin_again()

    def begin_again(self) -> None:
        """Forget what was drawn, but not what was worked out."""
        self._judge = Judge(self._tables)

    def rows(self, stratum: PackedStratum) -> list[list[str]]:
        """The rows of a stratum, in a list for each target.

        Raises ``NotEnoughError`` when there are too few.
        """
        rows: list[list[str]] = [[] for _ in self._tables.targets]
        if not stratum.wanted:
            # There may be no derivation at all.
            return rows
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
            groups = [group.only(picking(group.numbers)(kept)) for group in batch.groups]
            groups = [group for group in groups if group.numbers]
            others = {number: batch.others[number] for number in batch.others if kept[number]}
            if stratum.split == TRAIN:
                self._expose(groups, others.values())
            # Rows are written shape by shape, and then put in order.
            places = [0] * batch.size
            for place, number in enumerate(chain(*[group.numbers for group in groups], others)):
                places[number] = place
            in_order = picking(picking(accepted)(places))
            for target, of_target in enumerate(rows):
                of_target.extend(in_order(self._written(stratum, batch, groups, others, target)))
        return rows

    def _expose(self, groups: Iterable[_Group], others: Iterable[Sequence[int]]) -> None:
        """Remember the lemmas of training."""
        exposed = self._judge.exposed
        for shape, _, columns in groups:
            exposed.update(shape.words, *shape.said.words(columns))
        words = self._tables.words
        exposed.update(word for derivation in others for rule in derivation for word in words[rule])

    def _written(
        self,
        stratum: PackedStratum,
        batch: _Batch,
        groups: Iterable[_Group],
        others: Mapping[int, Sequence[int]],
        target: int,
    ) -> list[str]:
        """The rows of these candidates with a target, group by group."""
        rows: list[str] = []
        tail = repeat(f"\t{stratum.category}\n")
        for shape, numbers, columns in groups:
            rows += self._shapes.row(shape, target).filled([*columns, tail], len(numbers))
        output = self._tables.targets[target]
        for number, derivation in others.items():
            text = text_of(self._tables, output, derivation)
            rows.append(row_of(batch.sources[number], text, stratum.category))
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
        for alike in self._forks.draw(self._key, batch.first, batch.size):
            if alike.shape:
                self._together(batch, alike)
                continue
            for number in alike.numbers:
                self._alone(batch, number)

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

    def _together(self, batch: _Batch, alike: Alike) -> None:
        """Look at candidates of one shape."""
        shape = self._shapes.shape(alike.shape)
        columns: list[Column] = [column for entries in alike.words for column in zip(*entries)]
        group = _Group(shape, alike.numbers, columns)
        if not self._stratum.repeated_lemmas:
            group = _without_repetition(batch, group)
        if self._asks_exposure and group.numbers:
            group = self._exposed(batch, group)
        if not group.numbers:
            return
        if self._stratum.targets:
            self._find_targets(batch, group)
        texts = self._shapes.source(shape).filled(group.columns, len(group.numbers))
        sources = batch.sources
        for number, text in zip(group.numbers, texts):
            sources[number] = text
        batch.groups.append(group._replace(columns=[*group.columns, texts]))

    def _exposed(self, batch: _Batch, group: _Group) -> _Group:
        """Those without a lemma that no sentence of training has; the others are rejected."""
        exposed = self._judge.exposed
        if not exposed.issuperset(group.shape.words):
            return _without(batch, group, [False] * len(group.numbers), UNEXPOSED_WORD)
        columns = group.shape.said.words(group.columns)
        for column in columns:
            if not exposed.issuperset(column):
                rows = zip(*columns)
                kept = [exposed.issuperset(lemmas) for lemmas in rows]
                return _without(batch, group, kept, UNEXPOSED_WORD)
        return group

    def _find_targets(self, batch: _Batch, group: _Group) -> None:
        """Note the target that each counts for."""
        fixed = group.shape.words
        columns = group.shape.said.words(group.columns)
        rows = zip(*columns, *map(repeat, fixed)) if columns else repeat(fixed)
        for candidate, lemmas in zip(group.numbers, rows):
            batch.targets[candidate] = target_of(self._stratum, lemmas)


def _without_repetition(batch: _Batch, group: _Group) -> _Group:
    """Those that have no lemma twice; to reject others comes before all other reasons."""
    said = group.shape.said
    fixed, columns = said.lemmas, said.once(group.columns)
    if said.repeats:
        kept = [False] * len(group.numbers)
    elif len(columns) == 2 and not fixed:
        kept = list(map(ne, *columns))
    elif columns:
        lemmas = zip(*columns, *map(repeat, fixed))
        different = len(columns) + len(fixed)
        kept = list(map(different.__eq__, map(len, map(set, lemmas))))
    else:
        return group
    return _without(batch, group, kept, REPEATED_LEMMA)


def _without(batch: _Batch, group: _Group, kept: Sequence[bool], reason: str) -> _Group:
    """Those that are kept; the others are rejected for a reason."""
    if all(kept):
        return group
    for number in compress(group.numbers, map(not_, kept)):
        batch.reasons[number] = reason
    return group.only(kept)


class _Part:
    """Accepts or rejects the candidates of a stratum in their order."""

    def __init__(self, tables: Tables, stratum: PackedStratum, judge: Judge) -> None:
        self._stratum = stratum
        self._seen = judge.seen
        self._distinct = tables.distinct_sentences
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
        """Accept or reject the next candidates."""
        sources, targets, seen = batch.sources, batch.targets, self._seen
        stratum, rejected = self._stratum, self._rejected
        # For nearly all strata this loop is one look at the sentences that there were before.
        shared, ambiguous, first = bool(stratum.targets), stratum.ambiguous, batch.first
        wanted = stratum.wanted - self.found + len(accepted)
        before = len(accepted)
        number = numbers.start - 1
        for number, reason in zip(numbers, batch.reasons[numbers.start : numbers.stop]):
            if reason is not None:
                rejected[reason] += 1
                continue
            source = sources[number]
            if shared and not self._has_share(targets[number]):
                rejected[SHARE_FULL] += 1
            elif source in seen and not (stratum.repeated and seen[source] == stratum.stream):
                rejected[REPEATED_SENTENCE] += 1
            elif ambiguous and first + number in ambiguous:
                rejected[AMBIGUOUS] += 1
            else:
                if self._distinct:
                    seen[source] = stratum.stream
                if shared:
                    self._shares[targets[number] or ""] += 1
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
