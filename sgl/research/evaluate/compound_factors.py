"""What may make a compound hard: how often training has it, what it is made of, what stands around it.

These are the figures 2, 4, 5 and 7 of CoGnition (Li et al. 2021).  Compounds and atoms are counted as their words.
The PMI of two atoms is the logarithm of the share of 5-grams of training with both, over the product of the shares
with each; that of a compound is the mean over all pairs.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from math import log

from sgl.research.evaluate.compounds import CompoundLexicon, CompoundOccurrence, Group

_WINDOW, _GROUPS, _ATOMS, _MANY, _STEP, _APART = 5, 4, 3, 10, 5, 0.5


def with_factors(
    lexicon: CompoundLexicon, occurrences: Sequence[CompoundOccurrence], train: Iterable[str], far: Sequence[float] = ()
) -> tuple[CompoundOccurrence, ...]:
    """Return occurrences in their groups; ``train`` are source sentences, ``far`` the distances of rows, if known."""
    atoms = {one.compound: [text for _, text in lexicon.atoms(one.compound)] for one in occurrences}
    counts = _Counts({text for parts in atoms.values() for text in parts}, atoms.keys(), train)
    found: dict[str, list[Group]] = {compound: [] for compound in atoms}
    if counts.windows:
        ranked = sorted((min(map(counts.times.__getitem__, p)), c) for c, p in atoms.items() if len(p) == _ATOMS)
        for place, (_, compound) in enumerate(ranked):
            found[compound].append(("frequency", f"{1 + place * _GROUPS // len(ranked)} of {_GROUPS}"))
        for compound, parts in atoms.items():
            shots = counts.times[compound]
            label = "none" if not shots else f"1 to {_MANY}" if shots <= _MANY else f"more than {_MANY}"
            sign = "positive" if sum(map(counts.pmi, combinations(sorted(parts), 2))) > 0 else "negative"
            found[compound] += [("shots", label), *([("pmi", f"{len(parts)} {sign}")] if len(parts) > 1 else [])]
    made = []
    for one in occurrences:
        outside = (len(one.source.split()) - len(one.compound.split())) // _STEP * _STEP
        factors = [*found[one.compound], ("context", f"{outside} to {outside + _STEP - 1}")]
        if far:
            low = far[one.row] // _APART * _APART
            factors.append(("distance", f"{low} to {low + _APART}"))
        made.append(one._replace(factors=tuple(factors)))
    return tuple(made)


class _Counts:
    """How often training has texts, and how many of its 5-grams have one atom, or two."""

    def __init__(self, atoms: set[str], compounds: Collection[str], train: Iterable[str]) -> None:
        self.times, self._pairs = Counter[str](), Counter[tuple[str, str]]()
        self._single, self.windows = Counter[str](), 0
        sizes = {len(text.split()) for text in (*atoms, *compounds)}
        for sentence in train:
            words = sentence.lower().split()
            spans = [(at, at + size) for size in sizes for at in range(len(words) - size + 1)]
            texts = [(at, end, " ".join(words[at:end])) for at, end in spans]
            self.times.update(text for _, _, text in texts if text in atoms or text in compounds)
            known = [(at, end, text) for at, end, text in texts if text in atoms]
            for first in range(max(1, len(words) - _WINDOW + 1)):
                inside = sorted({text for at, end, text in known if first <= at and end <= first + _WINDOW})
                self._single.update(inside)
                self._pairs.update(combinations(inside, 2))
                self.windows += 1

    def pmi(self, pair: tuple[str, str]) -> float:
        """Return the PMI of two atoms; a pair that never meets has that of the rarest possible one."""
        together, apart = self._pairs[pair], self._single[pair[0]] * self._single[pair[1]]
        return log(self.windows * together / apart) if together else -log(self.windows)
