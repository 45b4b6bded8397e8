"""Compound translation error rate: is each part of a compound there, and in order?

CoGnition (Li et al. 2021) embeds each of 2,160 compounds in five contexts.  A translation is right
if it has each *atom*, as whole words of the segmented text, and each modifier before the noun.  A
verb or preposition in two parts is written with dots for the noun phrase (``在 … 里``).  If the
lexicon has *fillers*, words that may stand between atoms, nothing else may.

The *instance* rate counts translations that are wrong, the *aggregate* rate compounds of which some translation is
wrong.  Any such rule calls some gold translations wrong: that rate is the noise floor.

The rule of the published script is here as well, errors included (``docs/evaluate.md``).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sgl.diagnostics import UserError
from sgl.research.analyse.statistics import places_by
from sgl.research.evaluate.surface import occurrences_of

#: The roles of atoms; a compound has them in this order.
HEADS, DETERMINER, ADJECTIVE, NOUN, MODIFIER = ("V", "P"), "DET", "ADJ", "N", "MOD"
ROLES = (*HEADS, DETERMINER, ADJECTIVE, NOUN, MODIFIER)

#: A particle that segmenters leave at the word before it.
ATTRIBUTIVE = "的"

#: The place of the noun phrase in a translation of two parts.
HOLE = "…"

#: An atom with its role.
Atom = tuple[str, str]


class CompoundError(UserError):
    """A compound cannot be taken apart, or is not where it should be."""

    code = "SGL1406"


@dataclass(frozen=True)
class CompoundLexicon:
    """For each role its atoms with their translations; an empty one means *anything*.

    ``fillers`` are the words that may stand between atoms; without any, all may.
    Raises ``CompoundError`` for a role that there is not.
    """

    entries: Mapping[str, Mapping[str, tuple[str, ...]]]
    fillers: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if foreign := sorted(set(self.entries) - set(ROLES)):
            raise CompoundError(f"there is no role `{foreign[0]}`; there are {', '.join(ROLES)}")

    def segmented(self, segment: Callable[[str], str]) -> "CompoundLexicon":
        """Return the lexicon with its translations segmented in another way."""
        again = {
            role: {
                atom: tuple(f" {HOLE} ".join(map(segment, text.split(HOLE))).strip() for text in found)
                for atom, found in atoms.items()
            }
            for role, atoms in self.entries.items()
        }
        return CompoundLexicon(again, frozenset(word for filler in self.fillers for word in segment(filler).split()))

    def atoms(self, compound: str) -> tuple[Atom, ...]:
        """Return a compound's atoms in order; raises ``CompoundError`` for words of no atom."""
        if not (found := next(self._splits(compound.split(), 0), None)):
            raise CompoundError(f"`{compound}` is not made of atoms of the lexicon")
        return found

    def kind(self, compound: str) -> str:
        """Return ``NP``, ``VP`` or ``PP``."""
        role = self.atoms(compound)[0][0]
        return f"{role}P" if role in HEADS else "NP"

    def _splits(self, words: Sequence[str], after: int) -> Iterator[tuple[Atom, ...]]:
        """Yield every way to divide words into atoms with roles in order."""
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


#: Where a translation stands: its first word, and the first one behind it.
_Span = tuple[int, int]


def translates(lexicon: CompoundLexicon, compound: str, hypothesis: str) -> bool:
    """Tell whether a segmented text has all atoms of a compound, modifiers before the noun.

    Raises ``CompoundError`` if the lexicon does not have its atoms.
    """
    words = hypothesis.split()
    translations = {role: lexicon.entries[role][text] for role, text in lexicon.atoms(compound)}
    # An atom of which any translation will do is not looked for.
    wanted = {role: found for role, found in translations.items() if "" not in found}
    if not (nouns := _spans(words, wanted.pop(NOUN, ()))):
        free = NOUN not in translations or "" in translations[NOUN]
        firsts = ([_parts(text)[0] for text in found] for found in wanted.values())
        return bool(words) and free and all(_spans(words, first) for first in firsts)
    # For each noun, the places of the other atoms if they belong to it.
    places = [[_of_noun(words, role, found, noun) for role, found in wanted.items()] for noun in nouns]
    if lexicon.fillers:
        return any(
            all(of) and _together(words, [noun, *map(max, of)], lexicon.fillers)
            for noun, of in zip(nouns, places, strict=True)
        )
    return all(map(any, zip(*places, strict=True)))


def _spans(words: Sequence[str], translations: Sequence[str]) -> list[_Span]:
    """Return where one of the translations, which are in one part, stands."""
    return [
        (start, start + len(wanted))
        for wanted in map(str.split, translations)
        for start in range(len(words) - len(wanted) + 1)
        if all(word in (want, want + ATTRIBUTIVE) for word, want in zip(words[start:], wanted, strict=False))
    ]


def _parts(translation: str) -> tuple[str, str]:
    before, _, behind = translation.partition(HOLE)
    return before.strip(), behind.strip()


def _of_noun(words: Sequence[str], role: str, translations: Sequence[str], noun: _Span) -> list[_Span]:
    """Return where an atom is that may belong to a noun: before it, or a verb or preposition in one part anywhere.

    The second part of a translation with dots stands right behind the noun.
    """
    found: list[_Span] = []
    for translation in translations:
        before, behind = _parts(translation)
        if not behind or noun[1] in [start for start, _ in _spans(words, [behind])]:
            anywhere = role in HEADS and HOLE not in translation
            found += [span for span in _spans(words, [before]) if anywhere or span[1] <= noun[0]] if before else [noun]
    return found


def _together(words: Sequence[str], spans: Sequence[_Span], fillers: frozenset[str]) -> bool:
    """Tell whether only fillers are between a noun, the first of some spans, and the others."""
    covered = {place for start, end in spans for place in range(start, end)}
    return all(place in covered or words[place] in fillers for place in range(min(spans)[0], spans[0][0]))


def published_correct(lexicon: CompoundLexicon, source: str, compound: str, hypothesis: str) -> bool:
    """Tell if the published script calls it right; raises ``CompoundError`` where that stops with a traceback."""
    if not hypothesis.strip():
        raise CompoundError("the output is empty")
    atoms = lexicon.atoms(compound)
    if compound not in source:
        raise CompoundError(f"`{compound}` is not in `{source}`")
    text = "".join(hypothesis.split())
    places = {role: _places(text, lexicon.entries[role][atom]) for role, atom in atoms}
    # Where anything will do nothing is looked for.
    found = {role: where for role, where in places.items() if where is not None}
    modifiers = (DETERMINER, ADJECTIVE) if "V" in places else (DETERMINER, ADJECTIVE, MODIFIER)
    return all(found.values()) and all(
        min(found[modifier]) < max(found[NOUN]) for modifier in modifiers if modifier in found and NOUN in found
    )


def _places(text: str, translations: Sequence[str]) -> list[int] | None:
    """Return where the characters of a translation are; None if anything will do."""
    parts = map(_parts, translations)
    bare = ["".join((before or behind).split()) for before, behind in parts]
    return [place for part in bare for place in occurrences_of(part, text)] if all(bare) else None


#: Lines that the published script takes for one compound.
_CONTEXTS = 5


def error_rate(names: Sequence[str], right: NDArray[np.bool_], *, published: bool = False) -> dict[str, float]:
    """Return how many instances are wrong and how many compounds, told apart by name, with the shares of both.

    The ``published`` script takes each five lines for one compound, and leaves out the rest.
    """
    blocks = (np.arange(start, start + _CONTEXTS) for start in range(0, len(right) - _CONTEXTS + 1, _CONTEXTS))
    compounds = [
        bool(right[own].all()) for own in (blocks if published else places_by((name,) for name in names).values())
    ]
    wrong, wrong_compounds = int((~right).sum()), compounds.count(False)
    shares = {"instance": wrong / max(len(right), 1), "aggregate": wrong_compounds / max(len(compounds), 1)}
    counts = {"instances": len(right), "wrong": wrong, "compounds": len(compounds), "wrong_compounds": wrong_compounds}
    return counts | shares
