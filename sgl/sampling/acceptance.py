"""Sample candidates until enough of them are accepted.

"No lemma twice in a sentence" and "no sentence twice in the dataset" need more than finitely many states, and so do
equal shares for the targets of a pattern; so they are checked on finished candidates.  A candidate is rejected for the
first reason that holds:

=====================  =====================================================
``too_long``           its derivation has more than 10,000 rules, or cannot
                       be named
``repeated_lemma``     a content lemma occurs twice in it, and may not in
                       its stratum
``unexposed_word``     it is not for training, and no accepted training
                       sentence has one of its lemmas
``share_full``         its target, the first of those of its stratum whose
                       lemma it has, has its share of the items already; or
                       its instance has its contexts already, or never gets
                       all of them, or it is no instance in a context
``repeated_sentence``  its source sentence was accepted before, in this or
                       in an earlier stratum (a ``repeated`` stratum may
                       repeat its own)
``ambiguous``          its source sentence has readings that it must not have
=====================  =====================================================

Finding the readings of a sentence takes a parser, the *ambiguity filter* (:mod:`sgl.sampling.strata`).  Here the tables
list the candidates that it has rejected.

Rejection conditions the distribution on acceptance and changes nothing else.  It must not go on for ever: if the latest
candidates show that the wanted number is out of reach, ``NotEnoughError`` is raised.  If every derivation is a
candidate, some but not all may be rejected.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from sgl.sampling.engine import PackedStratum, Tables, candidates_of, joined, words_of

TOO_LONG = "too_long"
REPEATED_LEMMA = "repeated_lemma"
REPEATED_SENTENCE = "repeated_sentence"
UNEXPOSED_WORD = "unexposed_word"
SHARE_FULL = "share_full"
AMBIGUOUS = "ambiguous"

REASONS = (TOO_LONG, REPEATED_LEMMA, UNEXPOSED_WORD, SHARE_FULL, REPEATED_SENTENCE, AMBIGUOUS)

TRAIN = "train"

#: Candidates between two checks of the acceptance rate.
WINDOW = 2_000

#: A stratum may use this many candidates, plus this many for each item wanted.
FREE_CANDIDATES = 100_000
CANDIDATES_PER_ITEM = 100
#: Divide the budget of a stratum with contexts by this: each of its candidates takes many draws.
CONTEXT_COST = 10


@dataclass(eq=False)
class NotEnoughError(Exception):
    """A stratum cannot yield the number of items wanted.

    ``wanted`` and ``found`` count items; ``candidates`` and ``rejected`` (by reason) count what was drawn for them;
    ``reason`` is a sentence for the author.  ``before`` maps the stream of each earlier stratum to its number of
    candidates and how many of these were rejected as ambiguous; ``example`` is a text of this stratum.  ``derivations``
    is the number of derivations, if finite; if all were examined, ``possible`` is the highest possible number of items,
    and ``excluded`` says by reason why the others are impossible.
    """

    stratum: str
    wanted: int
    found: int
    candidates: int
    reason: str
    rejected: dict[str, int]
    before: dict[str, tuple[int, int]] = field(default_factory=dict)
    example: str = ""
    derivations: int | None = None
    possible: int | None = None
    excluded: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.stratum}: {self.found} of {self.wanted} items: {self.reason}"


class SampledItem(NamedTuple):
    """An accepted candidate: its number in the stream, and its derivation."""

    candidate: int
    derivation: tuple[int, ...]


class StratumItems(NamedTuple):
    """The items sampled for a stratum, in order; rejections, ``ambiguous`` candidates, and ``shares`` by target."""

    stratum: PackedStratum
    items: list[SampledItem]
    candidates: int
    rejected: dict[str, int]
    shares: dict[str, int]
    ambiguous: list[int]


class AcceptanceTest:
    """A test that judges candidates by what was accepted before; if there is training, their words must be exposed."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        #: The stream in which each sentence was accepted.
        self._seen: dict[str, str] = {}
        self._exposed: set[str] = set()
        #: The number of accepted items for each target, or instance, of a stratum.
        self.shares = [dict.fromkeys(stratum.extent.targets, 0) for stratum in tables.strata]
        self._full = [stratum.extent.shares() for stratum in tables.strata]
        self._trains = any(s.split == TRAIN and s.wanted for s in tables.strata)

    def reason(self, number: int, candidate: int, derivation: list[int] | None, instance: str = "") -> str | None:
        """Return why a candidate for stratum ``number`` is rejected; otherwise record it and return None."""
        tables, stratum = self._tables, self._tables.strata[number]
        extent = stratum.extent
        if derivation is None:
            return SHARE_FULL if extent.contexts else TOO_LONG
        words = {word for rule in derivation for word in tables.words[rule]}
        if reason := self._reason_in_words(stratum, derivation, words):
            return reason
        target = next((target for target in extent.targets if target in words), instance or None)
        if extent.shared and not self._has_room(number, target):
            return SHARE_FULL
        tokens = words_of(tables.source, tables.arity, derivation)
        sentence = joined(tables.source, tokens) if tables.distinct_sentences else ""
        first = self._seen.get(sentence)
        if first is not None and not (extent.repeated and first == stratum.stream):
            return REPEATED_SENTENCE
        if candidate in stratum.ambiguous:
            return AMBIGUOUS
        if tables.distinct_sentences:
            self._seen[sentence] = stratum.stream
        if target is not None:
            self.shares[number][target] = self.shares[number].get(target, 0) + 1
        if stratum.split == TRAIN:
            self._exposed |= words
        return None

    def _has_room(self, number: int, target: str | None) -> bool:
        full = self._full[number].get(target, self._tables.strata[number].extent.contexts) if target else 0
        return self.shares[number].get(target or "", 0) < full

    def _reason_in_words(self, stratum: PackedStratum, derivation: list[int], words: set[str]) -> str | None:
        lemmas = [lemma for rule in derivation for lemma in self._tables.lemmas[rule]]
        if len(set(lemmas)) < len(lemmas) and not stratum.repeated_lemmas:
            return REPEATED_LEMMA
        exposed = stratum.split == TRAIN or not self._trains or words <= self._exposed
        return None if exposed else UNEXPOSED_WORD


def sample(tables: Tables) -> Iterator[StratumItems]:
    """Sample the strata one after another.

    From each stream candidates 0, 1, 2, ... are drawn until the wanted number is accepted; a stratum with ``every``
    derivation lists them in order.  A sentence taken by one stratum is not available to later ones, so the order
    matters.

    Raises:
        NotEnoughError: a stratum runs dry.
    """
    test = AcceptanceTest(tables)
    for number, stratum in enumerate(tables.strata):
        draw = candidates_of(tables, stratum)
        #: Items by instance, if there are contexts.
        items: dict[str, list[SampledItem]] = {}
        extent, found, complete = stratum.extent, 0, 0
        rejected = dict.fromkeys(REASONS, 0)
        ambiguous: list[int] = []
        shares = test.shares[number]
        candidate = found_before = 0
        while extent.missing(candidate, found, complete) > 0:
            derivation, instance = draw(candidate)
            reason = test.reason(number, candidate, derivation, instance)
            if reason is not None:
                rejected[reason] += 1
                if reason == AMBIGUOUS:
                    ambiguous.append(candidate)
            elif derivation is not None:
                own = items.setdefault(instance, [])
                own += [SampledItem(candidate, tuple(derivation))] * extent.copies
                complete += len(own) == extent.contexts
                found = complete * extent.contexts if extent.contexts else found + 1
            candidate += 1
            if candidate % WINDOW == 0:
                in_window, found_before = found - found_before, found
                stop_if_out_of_reach(stratum, found, candidate, rejected, shares, in_window)
        stop_if_none_is_left(stratum, found, rejected)
        kept = [item for own in items.values() if len(own) >= extent.contexts for item in own]
        rejected[SHARE_FULL] += sum(map(len, items.values())) - len(kept)
        full = {name: number for name, number in shares.items() if number >= extent.contexts}
        yield StratumItems(stratum, kept, candidate, rejected, full, ambiguous)


def budget_of(stratum: PackedStratum) -> int:
    """Return the number of candidates that a stratum may use."""
    budget = FREE_CANDIDATES + CANDIDATES_PER_ITEM * stratum.wanted
    return budget // (CONTEXT_COST if stratum.extent.contexts else 1)


def stop_if_none_is_left(stratum: PackedStratum, found: int, rejected: dict[str, int]) -> None:
    """Raise ``NotEnoughError`` if a stratum may have fewer items than wanted, but all candidates were rejected."""
    wanted, candidates = stratum.wanted, sum(rejected.values())
    if wanted and not (found or stratum.extent.exact):
        what, size = ("derivations", candidates) if stratum.extent.every else ("candidates", None)
        reason = f"all {candidates:,} {what} of this part of the data were rejected"
        raise NotEnoughError(stratum.stream, wanted, 0, candidates, reason, rejected, derivations=size, possible=0)


def stop_if_out_of_reach(
    stratum: PackedStratum,
    found: int,
    candidates: int,
    rejected: dict[str, int],
    shares: dict[str, int],
    found_in_window: int,
) -> None:
    """Raise ``NotEnoughError`` if missing items that must be found take too many candidates; acceptance only falls."""
    wanted, extent = stratum.wanted, stratum.extent
    still_needed = (wanted - found) * WINDOW // (found_in_window + 1)
    budget = budget_of(stratum)
    if candidates + still_needed <= budget or not extent.exact:
        return
    lacking = ""
    if extent.targets:
        full = extent.shares()
        target = max(full, key=lambda name: full[name] - shares[name])
        lacking = f"the target {target!r} has {shares[target]} of its {full[target]} items; "
    if extent.contexts:
        lacking = f"instances with {extent.contexts} contexts: {found // extent.contexts}; "
    common = max(rejected, key=lambda reason: rejected[reason])
    raise NotEnoughError(
        stratum.stream,
        wanted,
        found,
        candidates,
        f"{lacking}of the last {WINDOW:,} candidates {found_in_window:,} were accepted; of all {candidates:,},"
        f" {rejected[common]:,} were rejected as {common.replace('_', ' ')}; the rest would take about"
        f" {still_needed:,} more, and {budget:,} may be drawn in all",
        rejected,
    )
