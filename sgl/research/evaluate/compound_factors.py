"""What may make a compound hard: how often training has it, of what it is made, what is around it.

The figures 2 to 5 and 7 of CoGnition (Li et al. 2021).  Compounds are counted as they stand, atoms
as their words.  The mean PMI of the atoms of a compound is over all pairs: the logarithm of the
share of 5-grams of training with both, over the product of the shares with each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import log

from sgl.research.evaluate.compounds import CompoundLexicon, CompoundOccurrence, Group

_WINDOW, _GROUPS, _ATOMS, _MANY, _STEP = 5, 4, 3, 10, 5


def factor_groups(
    lexicon: CompoundLexicon, occurrences: Sequence[CompoundOccurrence], train: Iterable[str]
) -> dict[Group, list[int]]:
    """Return the places of the occurrences of each factor; ``train`` are source sentences, if any."""
    atoms = {one.compound: [text for _, text in lexicon.atoms(one.compound)] for one in occurrences}
    times, single, pairs, windows = _counted(set(atoms), {text for parts in atoms.values() for text in parts}, train)
    ranked = sorted((min(times[part] for part in parts), name) for name, parts in atoms.items() if len(parts) == _ATOMS)
    rank = {name: f"{1 + place * _GROUPS // len(ranked)} of {_GROUPS}" for place, (_, name) in enumerate(ranked)}
    groups: dict[Group, list[int]] = {}
    for place, one in enumerate(occurrences):
        parts, shots = atoms[one.compound], times[one.compound]
        outside = (len(one.source.split()) - len(one.compound.split())) // _STEP * _STEP
        found = {"atoms": str(len(parts)), "context": f"{outside} to {outside + _STEP - 1}"}
        if windows:
            found["shots"] = "none" if not shots else "1 to 10" if shots <= _MANY else "more than 10"
            found["frequency"] = rank.get(one.compound, "")
            # A pair that never meets has an infinitely negative PMI.
            known = [
                log(windows * pairs[pair] / (single[pair[0]] * single[pair[1]])) if pairs[pair] else -log(windows)
                for pair in combinations(sorted(parts), 2)
            ]
            found["pmi"] = f"{len(parts)} {'positive' if sum(known) > 0 else 'negative'}" if known else ""
        for factor, label in found.items():
            if label:
                groups.setdefault((factor, label), []).append(place)
    return groups


def _counted(
    compounds: set[str], atoms: set[str], train: Iterable[str]
) -> tuple[Counter[str], Counter[str], Counter[tuple[str, str]], int]:
    """Count compounds and atoms in training, 5-grams with one or two atoms, and all 5-grams."""
    sizes = {len(text.split()) for text in compounds | atoms}
    times: Counter[str] = Counter()
    single: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    windows = 0
    for sentence in train:
        words = sentence.lower().split()
        found = [
            (start, size, text)
            for size in sizes
            for start in range(len(words) - size + 1)
            if (text := " ".join(words[start : start + size])) in atoms or text in compounds
        ]
        times.update(text for _, _, text in found)
        for first in range(max(1, len(words) - _WINDOW + 1)):
            last = first + _WINDOW
            inside = sorted({text for at, size, text in found if first <= at and at + size <= last and text in atoms})
            single.update(inside)
            pairs.update(combinations(inside, 2))
            windows += 1
    return times, single, pairs, windows
