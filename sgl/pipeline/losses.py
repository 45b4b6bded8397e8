"""Say which rules lose their sentences because these have a second reading.

An ambiguous sentence is rejected, and another takes its place.  A rule all of whose sentences
are ambiguous thus disappears from the data, and nothing else shows it.  So for each rejected
sentence the readings are compared from the top: where they part, one rule has been lost::

    text clause NP[case=nom] separable Vs NP[case=nom]
    text clause NP[case=nom] separable Vs NP[case=acc]       `separable` in two ways
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sgl.core.arrays import Derivations
from sgl.core.grammar import Rule
from sgl.core.interpret import Derivation
from sgl.corpus.audit.ambiguity import bracketed
from sgl.diagnostics import Diagnostics, Label
from sgl.frontend import Compiled
from sgl.rendering import outputs

#: So many sentences, and such a share of those with a rule, are a loss worth a warning; so many
#: rules are named.
LEAST, SHARE, _NAMED = 10, 0.1, 3

#: A rule by its name; a word also by what it is in the source.
_Name = tuple[str, tuple[str, ...]]


class Losses:
    """Counts what is rejected as ambiguous by the rules at which the readings part."""

    def __init__(self, compiled: Compiled) -> None:
        self._compiled = compiled
        self._lost: Counter[_Name] = Counter()
        self._shown: dict[frozenset[_Name], tuple[Rule, Rule, Derivation, Derivation]] = {}

    def add(self, drawn: Derivations, others: Derivations) -> None:
        """Take note of rejected sentences, each as it was drawn and in another reading."""
        rules = self._compiled.grammar.rules
        for derivation, other in zip(iter(drawn), iter(others), strict=True):
            own, its = next(
                (rules[a], rules[b]) for a, b in zip(derivation, other, strict=False) if a != b
            )
            # Where a phrase is divided in two ways, a word may stand against a phrase.
            named = its if own.lexical and not its.lexical else own
            self._lost[_name(named)] += 1
            pair = frozenset((_name(own), _name(its)))
            self._shown.setdefault(pair, (own, its, derivation, other))

    def warn(self, used: NDArray[np.int64], diagnostics: Diagnostics) -> None:
        """Warn of the rules that lose most; ``used`` is how often the data have each rule."""
        kept: Counter[_Name] = Counter()
        for rule, number in zip(self._compiled.grammar.rules, used.tolist(), strict=True):
            kept[_name(rule)] += number
        shares = {name: n / (n + kept[name]) for name, n in self._lost.items() if n >= LEAST}
        found: dict[_Name, tuple[Rule, Rule, Derivation, Derivation]] = {}
        for pair, shown in self._shown.items():
            name = max(pair & shares.keys(), key=lambda one: shares[one], default=None)
            if name is not None and shares[name] >= SHARE:
                found.setdefault(name, shown)
        for name in sorted(found, key=lambda one: -shares[one])[:_NAMED]:
            self._warn(name, kept[name], found[name], diagnostics)

    def _warn(
        self,
        name: _Name,
        kept: int,
        shown: tuple[Rule, Rule, Derivation, Derivation],
        diagnostics: Diagnostics,
    ) -> None:
        own, its, *readings = shown
        spans = self._compiled.rule_spans
        rule, other = (own, its) if _name(own) == name else (its, own)
        what = f"the word `{' '.join(name[1])}`" if rule.lexical else f"the rule `{name[0]}`"
        place, second = spans[rule.id], spans[other.id]
        labels = [] if place == second else [Label(second, "the other reading is by this")]
        lost = self._lost[name]
        diagnostics.warning(
            "SGL0908",
            place,
            f"{lost:,} ambiguous sentences with {what} were rejected; in the data it is used "
            + (f"{kept:,} times" if kept else "nowhere"),
            "if one reading is not meant, make the grammar exclude it, by a feature for example; "
            "`ambiguous report` in the dataset lets such sentences pass",
            labels=labels,
            notes=["\n".join(self._side_by_side(readings)), *self._choice(own, its)],
        )

    def _choice(self, own: Rule, its: Rule) -> Iterable[str]:
        """Yield between which values a rule chooses, if it is the same one in both readings."""
        categories = self._compiled.grammar.categories
        if own.name == its.name and own.rhs and own.rhs != its.rhs:
            children = [" ".join(categories[child].name for child in r.rhs) for r in (own, its)]
            yield f"the readings have `{children[0]}` and `{children[1]}`"

    def _side_by_side(self, readings: Sequence[Derivation]) -> Iterable[str]:
        """Yield a sentence with the texts of its two readings in the first output they differ in.

        If there is none, another reading contains what is held out, and phrases are shown.
        """
        grammar, source = self._compiled.grammar, self._compiled.plan.source
        written = outputs(grammar)
        yield f'for example "{written[source](readings[0])}"'
        for output in written.values():
            texts = [output(reading) for reading in readings]
            if texts[0] != texts[1]:
                yield from (f"  {output.name}  {text}" for text in texts)
                return
        phrases = bracketed(grammar, readings, grammar.text_layer(source))
        yield from (f"  read as  {text}" for text in phrases)
        yield "one of these readings contains what a pattern holds out"


def _name(rule: Rule) -> _Name:
    return rule.name, rule.words(0) if rule.lexical else ()
