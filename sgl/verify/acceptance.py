"""Decide which candidates are accepted: test finished sentences, and check the list of rejected ones.

A candidate is rejected for the first of the reasons in tests/verify/soundness.md.  This module has no
parser to find ambiguous sentences: ``derivations/rejected.tsv`` lists another reading of each, which must show why.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import BinaryIO, NamedTuple

from sgl.verify.candidates import Candidate, Candidates, Refusal
from sgl.verify.derivation import Derivation, Interpreter
from sgl.verify.schema import CertificateData
from sgl.verify.schema_plan import PlannedStratum

TRAIN, GENERALIZATION = "train", "gen"
ACCEPTED, TOO_LONG, REPEATED_LEMMA, UNEXPOSED_WORD = "accepted", "too_long", "repeated_lemma", "unexposed_word"
SHARE_FULL, REPEATED_SENTENCE, AMBIGUOUS = "share_full", "repeated_sentence", "ambiguous"
REJECTED = "derivations/rejected.tsv"
LONGEST_LINE = 1 << 18
BYTE = 300  # steps that each correct byte of a file adds to the budget
NUMBER = rb"(?:0|[1-9][0-9]{0,19})"
LINE = re.compile(rb"([^\t\n]+#%b)\t(%b(?: %b)*)\n" % (NUMBER, NUMBER, NUMBER))


class Named(NamedTuple):
    """A derivation with the name of its candidate, ``STREAM#NUMBER``."""

    name: str
    derivation: Derivation


class Considered(NamedTuple):
    """A candidate with the data that the tests need."""

    name: str
    derivation: Derivation
    lemmas: frozenset[str]
    repeats: bool  # whether it repeats a lemma that must be distinct
    owner: str  # the target or instance to whose share it belongs


class Listed:
    """The candidates that a file lists, each with another reading of its sentence."""

    def __init__(self, file: BinaryIO | None, place: str, spend: Callable[[int], None]) -> None:
        self.file, self.place, self.spend = file, place, spend
        self.next: Named | None = None
        self.advance()

    def advance(self) -> None:
        """Read the next line, if any."""
        row = self.file.readline(LONGEST_LINE) if self.file else b""
        self.spend(-BYTE * len(row))
        self.next = named_in(row, self.place) if row else None

    def take(self, name: str) -> Iterator[Derivation]:
        """Yield the next listed readings as long as they belong to this candidate."""
        while self.next is not None and self.next.name == name:
            yield self.next.derivation
            self.advance()


def named_in(row: bytes, place: str) -> Named:
    """Return the candidate in a line of a file."""
    found = LINE.fullmatch(row)
    try:
        if found:
            return Named(found[1].decode(), tuple(map(int, found[2].split())))
    except UnicodeDecodeError:
        raise Refusal(f"{place}: {row[:40]!r} is not UTF-8") from None
    raise Refusal(f"{place}: {row[:40]!r} is not a candidate with a derivation")


class Acceptance:
    """Tests the candidates of the strata in turn.

    For each stream, ``outcomes`` counts candidates by outcome, and ``shares`` sentences by target or instance.
    """

    def __init__(self, data: CertificateData, meaning: Interpreter, candidates: Candidates) -> None:
        self.data, self.plan, self.meaning, self.candidates = data, data.core.plan, meaning, candidates
        self.spend = candidates.spend
        self.lemmas = meaning.lemmas(self.plan.lemma_layer)
        self.trains = any(stratum.split == TRAIN and stratum.count for stratum in self.plan.strata)
        self.outcomes, self.shares = dict[str, Counter[str]](), dict[str, Counter[str]]()
        #: The stream in which each sentence was accepted; the lemmas of training.
        self.seen, self.exposed = dict[str, str](), set[str]()
        self.rejections = Listed(None, REJECTED, self.spend)
        held_out = {clause.text for pattern in self.plan.patterns for clause in pattern.held_out}
        #: The numbers of the structures that patterns hold out.
        self.held_out = [number for number, own in enumerate(data.structures) if own.name in held_out]
        self.tables = [own.table() for own in data.structures]

    def of(self, number: int) -> "StratumAcceptance":
        """Return the acceptance of a stratum, by its number; earlier strata are complete."""
        return StratumAcceptance(self, number)

    def check_ambiguous(self, split: str, own: Derivation, listed: Named) -> None:
        """Check that the listed reading of a candidate's sentence justifies its rejection."""
        other, text, source = listed.derivation, self.meaning.text, self.plan.source
        if not self.meaning.is_text(other):
            raise Refusal(f"R06 {listed.name}: the listed derivation is not a derivation of a text")
        if own == other or text(source, own) != text(source, other):
            raise Refusal(f"R06 {listed.name}: the listed derivation is not another reading of its sentence")
        readings = () if split == GENERALIZATION else (own, other)
        if not (self._holds_out(readings) or self._differ(own, other)):
            raise Refusal(f"R06 {listed.name}: the listed derivation is not a reason to reject it")

    def _holds_out(self, readings: tuple[Derivation, ...]) -> bool:
        """Return whether one of these readings has a structure that a pattern holds out."""
        return any(self.contains(structure, reading) for structure in self.held_out for reading in readings)

    def _differ(self, own: Derivation, other: Derivation) -> bool:
        """Return whether two readings differ in a layer or a view other than twins, of which there may be several."""
        views = [view.name for view in self.meaning.views.values() if view.kind != "conllu"]
        answers = [*(name for name in self.meaning.texts if name not in self.meaning.twins), *views]
        return any(self.meaning.text(name, own) != self.meaning.text(name, other) for name in answers)

    def contains(self, structure: int, derivation: Derivation) -> bool:
        """Return whether the automaton of a structure accepts a derivation."""
        states, table = dict[int, int](), self.tables[structure]
        self.spend(len(derivation))
        for step in self.meaning.walk(derivation):
            symbol = self.data.symbols[derivation[step.place]]
            states[step.place] = table.get((symbol, *[states[child] for child in step.below]), 0)
        return states[0] in self.data.structures[structure].accepting


class StratumAcceptance:
    """Tests the candidates of a stratum until it has enough."""

    def __init__(self, whole: Acceptance, number: int) -> None:
        self.whole, self.plan = whole, whole.plan
        self.stratum: PlannedStratum = whole.plan.strata[number]
        self.extent = self.stratum.extent
        self.number = number
        self.counts = whole.outcomes[self.stratum.stream] = Counter[str]()
        self.shares = whole.shares[self.stratum.stream] = Counter[str]()
        #: The number of sentences that each target or instance may still have.
        self.room = self.extent.shares()
        self.complete = 0  # instances that have all of their contexts

    def accepted(self) -> Iterator[Named]:
        """Yield the accepted candidates, in the order of the rows."""
        instances = dict[str, list[Named]]()
        while self.extent.missing(self.counts.total(), self.counts[ACCEPTED], self.complete) > 0:
            own = self._considered(self.counts.total())
            reason = self._reason(own)
            self.counts[reason] += 1
            if reason == AMBIGUOUS:
                self._reject(own)
            elif reason == ACCEPTED:
                self._accept(own)
                named = Named(own.name, own.derivation)
                if self.extent.contexts:
                    instances.setdefault(own.owner, []).append(named)
                else:
                    yield from (named for _ in range(self.extent.copies))
        for instance, each in instances.items():
            yield from self._whole(instance, each)

    def _considered(self, number: int) -> Considered:
        whole, name = self.whole, f"{self.stratum.stream}#{number}"
        candidate = whole.candidates.candidate(self.number, number)
        lemmas = [*chain.from_iterable([whole.lemmas[rule] for rule in candidate.derivation])]
        whole.spend(10 + len(lemmas) + len(self.extent.targets))
        used = frozenset(lemma.lemma for lemma in lemmas)
        once = [lemma.lemma for lemma in lemmas if lemma.upos in self.plan.distinct_lemmas]
        repeats = len({*once}) < len(once)
        return Considered(name, candidate.derivation, used, repeats, self._owner(candidate, used))

    def _owner(self, candidate: Candidate, lemmas: frozenset[str]) -> str:
        """Return the first target of a candidate, or its instance; nothing if it has none."""
        if candidate.instance:
            instance = self.whole.meaning.phrase(self.plan.source, candidate.instance)
            self.room.setdefault(instance, self.extent.contexts)
            return instance
        return next((target for target in self.extent.targets if target in lemmas), "")

    def _reason(self, own: Considered) -> str:
        """Return the first reason to reject a candidate, or that it is accepted."""
        return next((reason for reason, holds in self._reasons(own) if holds), ACCEPTED)

    def _reasons(self, own: Considered) -> Iterator[tuple[str, bool]]:
        """Yield the reasons to reject a candidate, and whether each holds; only the last ones need its text."""
        yield TOO_LONG, not own.derivation and not self.extent.contexts
        yield REPEATED_LEMMA, own.repeats and not self.stratum.repeated_lemmas
        yield UNEXPOSED_WORD, self._is_unexposed(own.lemmas)
        yield SHARE_FULL, self.extent.shared and not self.room.get(own.owner)
        yield REPEATED_SENTENCE, self._is_repeated(self._text(own))
        yield AMBIGUOUS, self._is_listed(own.name)

    def _text(self, own: Considered) -> str:
        return self.whole.meaning.text(self.plan.source, own.derivation) if own.derivation else ""

    def _is_unexposed(self, lemmas: frozenset[str]) -> bool:
        return self.stratum.split != TRAIN and self.whole.trains and not lemmas <= self.whole.exposed

    def _is_repeated(self, text: str) -> bool:
        first = self.whole.seen.get(text) if self.plan.distinct_sentences else None
        return first is not None and not (self.extent.repeated and first == self.stratum.stream)

    def _is_listed(self, name: str) -> bool:
        listed = self.whole.rejections.next
        return listed is not None and listed.name == name

    def _reject(self, own: Considered) -> None:
        """Check the listed reason for rejecting a candidate, and go on to the next listed one."""
        if (listed := self.whole.rejections.next) is not None:
            self.whole.check_ambiguous(self.stratum.split, own.derivation, listed)
            self.whole.rejections.advance()

    def _accept(self, own: Considered) -> None:
        self.whole.seen[self._text(own)] = self.stratum.stream
        self.shares[own.owner] += self.extent.shared
        self.room[own.owner] = self.room.get(own.owner, 0) - 1
        self.complete += bool(self.extent.contexts) and self.room[own.owner] == 0
        if self.stratum.split == TRAIN:
            self.whole.exposed |= own.lemmas

    def _whole(self, instance: str, sentences: list[Named]) -> Iterator[Named]:
        """Yield the sentences of an instance if it has all of its contexts; otherwise count them as rejected."""
        if len(sentences) < self.extent.contexts:
            self.counts[ACCEPTED] -= len(sentences)
            self.counts[SHARE_FULL] += len(sentences)
            del self.shares[instance]
        else:
            yield from sentences
