"""Compound translation error rate: is each part of a compound there, and in order?

CoGnition embeds each of 2,160 compounds in five contexts.  A compound is made of *atoms*,
each with a role; a lexicon lists how an atom may be translated::

    the red dog he liked      DET the, ADJ red, N dog, MOD he liked
    red: 红, 红色             "红色 的 狗" has it; "小时" does not have 小

A translation is right if it has each atom, as whole words of the segmented text, and each
modifier before the noun.  The *instance* rate counts translations that are wrong, the
*aggregate* rate compounds of which some translation is wrong.  Compounds are told apart by
name, so that the order of lines is of no account.

Any such rule calls some gold translations wrong.  The rate on the gold side is the noise
floor of the metric, and belongs beside every score.  :mod:`sgl.evaluate.published_compounds`
has the rule of the published script, for parity.

Metric: Li et al. 2021, *On Compositional Generalization of Neural Machine Translation*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

#: The roles of atoms; a compound has them in this order.
HEADS, DETERMINER, ADJECTIVE, NOUN, MODIFIER = ("V", "P"), "DET", "ADJ", "N", "MOD"
ROLES = (*HEADS, DETERMINER, ADJECTIVE, NOUN, MODIFIER)

#: A particle that segmenters leave at the word before it.
_ATTRIBUTIVE = "的"

#: An atom with its role.
Atom = tuple[str, str]


class CompoundError(Exception):
    """A compound cannot be taken apart, or is not where it should be."""


@dataclass(frozen=True)
class CompoundLexicon:
    """For each role its atoms with their translations; an empty one means *anything*.

    Raises ``CompoundError`` for a role that there is not.
    """

    entries: Mapping[str, Mapping[str, tuple[str, ...]]]

    def __post_init__(self) -> None:
        foreign = sorted(set(self.entries) - set(ROLES))
        if foreign:
            raise CompoundError(f"there is no role `{foreign[0]}`; there are {', '.join(ROLES)}")

    def translations(self, atom: Atom) -> tuple[str, ...]:
        """How an atom may be translated."""
        role, text = atom
        return self.entries[role][text]

    def atoms(self, compound: str) -> tuple[Atom, ...]:
        """The atoms of a compound, in its order."""
        found = next(self._splits(compound.split(), 0), None)
        if found is None:
            raise CompoundError(f"`{compound}` is not made of atoms of the lexicon")
        return found

    def kind(self, compound: str) -> str:
        """``NP``, ``VP`` or ``PP``."""
        role = self.atoms(compound)[0][0]
        return f"{role}P" if role in HEADS else "NP"

    def _splits(self, words: Sequence[str], after: int) -> Iterator[tuple[Atom, ...]]:
        """Every way to take words apart into atoms with roles in order."""
        if not words:
            yield ()
            return
        for place, role in list(enumerate(ROLES))[after:]:
            # A compound has one head, a verb or a preposition.
            following = len(HEADS) if role in HEADS else place + 1
            for length in range(len(words), 0, -1):
                text = " ".join(words[:length])
                if text in self.entries.get(role, ()):
                    for rest in self._splits(words[length:], following):
                        yield ((role, text), *rest)


#: Says whether a hypothesis translates a compound.
Judge = Callable[[CompoundLexicon, str, str], bool]


def translates(lexicon: CompoundLexicon, compound: str, hypothesis: str) -> bool:
    """Whether a segmented text has all atoms of a compound, modifiers before the noun.

    Raises:
        CompoundError: the lexicon does not have its atoms.
    """
    words = hypothesis.split()
    atoms = lexicon.atoms(compound)
    if not words:
        return False
    places = {role: _places(words, lexicon.translations((role, text))) for role, text in atoms}
    if any(found is not None and not found for found in places.values()):
        return False
    noun = places.get(NOUN)
    if noun is None:
        return True
    modifiers = (places.get(role) for role in (DETERMINER, ADJECTIVE, MODIFIER))
    return all(found is None or min(found) < max(noun) for found in modifiers)


def _places(words: Sequence[str], translations: Sequence[str]) -> list[int] | None:
    """Where one of the translations begins; None if anything will do."""
    found: list[int] = []
    for translation in translations:
        wanted = translation.split()
        if not wanted:
            return None
        found += [
            start
            for start in range(len(words) - len(wanted) + 1)
            if all(
                word in (want, want + _ATTRIBUTIVE)
                for word, want in zip(words[start:], wanted, strict=False)
            )
        ]
    return found


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """Errors among instances, and compounds with an error among compounds."""

    instances: int
    wrong: int
    compounds: int
    wrong_compounds: int

    @property
    def instance(self) -> float:
        """The share of instances that are wrong."""
        return self.wrong / self.instances if self.instances else 0.0

    @property
    def aggregate(self) -> float:
        """The share of compounds of which some instance is wrong."""
        return self.wrong_compounds / self.compounds if self.compounds else 0.0


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A compound in a sentence; compounds of one name are one compound."""

    name: str
    compound: str
    source: str


def check_occurrence(lexicon: CompoundLexicon, occurrence: Occurrence) -> None:
    """Raise ``CompoundError`` if the compound is unknown, or is not in its sentence."""
    lexicon.atoms(occurrence.compound)
    words, wanted = occurrence.source.split(), occurrence.compound.split()
    starts = range(len(words) - len(wanted) + 1)
    if not any(words[start : start + len(wanted)] == wanted for start in starts):
        raise CompoundError(f"`{occurrence.compound}` is not in `{occurrence.source}`")


def error_rates(
    lexicon: CompoundLexicon,
    occurrences: Sequence[Occurrence],
    hypotheses: Sequence[str],
    judge: Judge = translates,
) -> dict[str, ErrorRate]:
    """The error rates of all compounds (``all``) and of each kind of them."""
    right = [
        judge(lexicon, occurrence.compound, hypothesis)
        for occurrence, hypothesis in zip(occurrences, hypotheses, strict=True)
    ]
    kinds = [lexicon.kind(occurrence.compound) for occurrence in occurrences]
    rates: dict[str, ErrorRate] = {}
    for kind in ("all", *sorted(set(kinds))):
        chosen = [n for n, found in enumerate(kinds) if kind in ("all", found)]
        rates[kind] = _rate([(occurrences[n].name, right[n]) for n in chosen])
    return rates


def _rate(verdicts: Sequence[tuple[str, bool]]) -> ErrorRate:
    wrong = {name for name, right in verdicts if not right}
    return ErrorRate(
        len(verdicts),
        sum(not right for _, right in verdicts),
        len({name for name, _ in verdicts}),
        len(wrong),
    )
