"""Judge compounds as the published script of CoGnition does, errors included.

It is kept so that new figures can be set beside published ones.  It differs
from :mod:`sgl.research.evaluate.compounds` in this:

* A translation counts wherever its characters are: 小 in 小时 is *small*.
* An empty alternative lets anything pass; ``liked`` has one, so that a wrong verb does.
* The place of a modifier such as *he liked* is not looked at where there is a verb.
* Five lines are one compound, whatever stands in them; lines left over are ignored.
* Of a preposition in two parts (``在 … 里``) the first one is looked for.
* An empty output stops the script, and so do a compound with a word that the lexicon lacks
  and one that is not in its sentence.  Here these are errors that say so.

Metric: Li et al. 2021, the script published with the data.
"""

from __future__ import annotations

from collections.abc import Sequence

from sgl.research.evaluate.compounds import (
    ADJECTIVE,
    DETERMINER,
    HOLE,
    MODIFIER,
    NOUN,
    CompoundError,
    CompoundLexicon,
    ErrorRate,
)

#: Lines that the script takes for one compound.
_CONTEXTS = 5

_RIGHT, _WRONG = "P1", "P0"


class PublishedStop(Exception):
    """The published script would have stopped here with a traceback."""


def published_flag(lexicon: CompoundLexicon, source: str, compound: str, hypothesis: str) -> str:
    """Return the flags of the script: one for each atom, then one for each place.

    ``P1-P0-P1/P0``: the second of three atoms is missing, so that places are not looked at.

    Raises:
        PublishedStop: the script stops with a traceback.
    """
    if not hypothesis.strip():
        raise PublishedStop("the output is empty")
    try:
        atoms = lexicon.atoms(compound)
    except CompoundError as problem:
        raise PublishedStop(str(problem)) from problem
    if compound not in source:
        raise PublishedStop(f"`{compound}` is not in `{source}`")
    text = "".join(hypothesis.split())
    places = {role: _places(text, lexicon.translations((role, atom))) for role, atom in atoms}
    there = [found is None or bool(found) for found in places.values()]
    if not all(there):
        return f"{_flags(there)}/{_WRONG}"
    modifiers = (DETERMINER, ADJECTIVE) if "V" in places else (DETERMINER, ADJECTIVE, MODIFIER)
    noun = places.get(NOUN)
    return f"{_flags(there)}/{_flags([_before(places.get(m), noun) for m in modifiers])}"


def published_correct(
    lexicon: CompoundLexicon, source: str, compound: str, hypothesis: str
) -> bool:
    """Tell whether the script calls a translation right; see :func:`published_flag`."""
    return _WRONG not in published_flag(lexicon, source, compound, hypothesis)


def published_rate(right: Sequence[bool]) -> ErrorRate:
    """Return the rates of the script from its verdicts in the order of the lines."""
    blocks = [
        right[start : start + _CONTEXTS]
        for start in range(0, len(right) - _CONTEXTS + 1, _CONTEXTS)
    ]
    return ErrorRate(
        len(right),
        sum(not verdict for verdict in right),
        len(blocks),
        sum(not all(block) for block in blocks),
    )


def _places(text: str, translations: Sequence[str]) -> list[int] | None:
    """Return where the characters of a translation are; None if anything will do."""
    found: list[int] = []
    for translation in translations:
        before, _, behind = translation.partition(HOLE)
        bare = "".join((before.strip() or behind).split())
        if not bare:
            return None
        start = text.find(bare)
        while start >= 0:
            found.append(start)
            start = text.find(bare, start + 1)
    return found


def _before(modifier: list[int] | None, noun: list[int] | None) -> bool:
    return modifier is None or noun is None or min(modifier) < max(noun)


def _flags(verdicts: Sequence[bool]) -> str:
    return "-".join(_RIGHT if verdict else _WRONG for verdict in verdicts)
