"""Tell where two readings of a sentence diverge, and which rules lose sentences because of it.

A rule whose sentences are all ambiguous disappears from the data unnoticed.  So the readings of each rejected sentence
are compared from the top: where they diverge, a rule loses a sentence.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.arrays import Derivations
from sgl.core.grammar import Rule
from sgl.core.interpret import Derivation
from sgl.core.plan import Ambiguous
from sgl.diagnostics import Diagnostics, Label
from sgl.frontend import Compiled
from sgl.rendering import Output, outputs
from sgl.values import dataclass

#: Number of lost sentences, and share of a rule's sentences, from which a warning is given; number of rules to name.
LEAST, SHARE, _NAMED = 10, 0.1, 3

#: Hint for sentences whose readings are all intended.
KEEP_ALL = "if all are right, `ambiguous list` in the dataset keeps such sentences with all their outputs"

#: The name of a rule; for a word also its source words.
RuleName = tuple[str, tuple[str, ...]]


class Ambiguity(NamedTuple):
    """The sentences of a part with two readings that diverge at these rules: their number, and an example."""

    stream: str
    rules: frozenset[RuleName]
    number: int
    looked_at: int
    readings: tuple[Derivation, Derivation]

    @property
    def share(self) -> float:
        """The share of these sentences among the examined ones."""
        return self.number / self.looked_at


@dataclass(frozen=True)
class Preview:
    """The findings: parts in which every sentence repeats a lemma, each with a text, and ambiguities by their rules.

    ``matters`` are ambiguities with two outputs or a held-out structure, ``graphs`` those in which only graphs differ.
    """

    repeating: tuple[tuple[str, str], ...] = ()
    matters: tuple[Ambiguity, ...] = ()
    graphs: tuple[Ambiguity, ...] = ()


def rule_name(rule: Rule) -> RuleName:
    """Return the name under which a rule is counted."""
    return rule.name, rule.words(0) if rule.lexical else ()


def in_words(rule: Rule) -> str:
    """Return the name of a rule or a word in messages."""
    return f"the word `{' '.join(rule.words(0))}`" if rule.lexical else f"the rule `{rule.name}`"


def parting(rules: Sequence[Rule], derivation: Derivation, other: Derivation) -> tuple[Rule, Rule]:
    """Return the two rules at which readings diverge, from the top."""
    return next((rules[a], rules[b]) for a, b in zip(derivation, other, strict=False) if a != b)


def differing_output(compiled: Compiled, readings: Sequence[Derivation]) -> Output | None:
    """Return the first output in which two readings differ, or None."""
    one, other = readings
    return next((out for out in outputs(compiled.grammar).values() if out(one) != out(other)), None)


def side_by_side(compiled: Compiled, readings: Sequence[Derivation]) -> str:
    """Return a sentence with two readings: their texts in the first output that differs, or else their phrases."""
    from sgl.corpus.audit.auditor import bracketed

    grammar, source = compiled.grammar, compiled.plan.source
    if (output := differing_output(compiled, readings)) is not None:
        shown = [f"  {output.name}  {output(reading)}" for reading in readings]
    else:
        shown = [f"  read as  {text}" for text in bracketed(grammar, readings, grammar.text_layer(source))]
    return "\n".join((f'for example "{outputs(grammar)[source](readings[0])}"', *shown))


class Losses:
    """Counts rejected ambiguous sentences by the rules at which the readings diverge."""

    def __init__(self) -> None:
        self._lost: Counter[RuleName] = Counter()
        self._shown: dict[frozenset[RuleName], tuple[Rule, Rule, Derivation, Derivation]] = {}

    def add(self, rules: Sequence[Rule], drawn: Derivations, others: Derivations) -> None:
        """Record rejected sentences, each as it was drawn and in another reading."""
        for derivation, other in zip(iter(drawn), iter(others), strict=True):
            own, its = parting(rules, derivation, other)
            # If a phrase is divided in two ways, one side may be a word: count the other rule.
            named = its if own.lexical and not its.lexical else own
            self._lost[rule_name(named)] += 1
            pair = frozenset((rule_name(own), rule_name(its)))
            self._shown.setdefault(pair, (own, its, derivation, other))

    def warn(self, compiled: Compiled, used: NDArray[np.int64], diagnostics: Diagnostics) -> None:
        """Warn about the rules that lose most sentences; ``used`` counts the uses of each rule in the data."""
        kept: Counter[RuleName] = Counter()
        for rule, number in zip(compiled.grammar.rules, used.tolist(), strict=True):
            kept[rule_name(rule)] += number
        shares = {name: n / (n + kept[name]) for name, n in self._lost.items() if n >= LEAST}
        found: dict[RuleName, tuple[Rule, Rule, Derivation, Derivation]] = {}
        for pair, shown in self._shown.items():
            name = max(pair & shares.keys(), key=lambda one: (shares[one], one), default=None)
            if name is not None and shares[name] >= SHARE:
                found.setdefault(name, shown)
        for name in sorted(found, key=lambda one: -shares[one])[:_NAMED]:
            self._warn(compiled, name, kept[name], found[name], diagnostics)

    def _warn(
        self,
        compiled: Compiled,
        name: RuleName,
        kept: int,
        shown: tuple[Rule, Rule, Derivation, Derivation],
        diagnostics: Diagnostics,
    ) -> None:
        own, its, *readings = shown
        spans = compiled.rule_spans
        rule, other = (own, its) if rule_name(own) == name else (its, own)
        place, second = spans[rule.id], spans[other.id]
        labels = [] if place == second else [Label(second, "the other reading is by this")]
        lost, notes = self._lost[name], [side_by_side(compiled, readings)]
        if differing_output(compiled, readings) is None:
            notes[0] += "\none of these readings contains what a pattern holds out"
        if own.name == its.name and own.rhs and own.rhs != its.rhs:
            categories = compiled.grammar.categories
            one, two = (" ".join(categories[child].name for child in r.rhs) for r in (own, its))
            notes.append(f"the readings have `{one}` and `{two}`")
        diagnostics.warning(
            "SGL0908",
            place,
            f"{lost:,} ambiguous sentences with {in_words(rule)} were rejected; in the data it is used "
            + (f"{kept:,} times" if kept else "nowhere"),
            "if one reading is not meant, make the grammar exclude it, by a feature for example"
            + ("" if compiled.plan.ambiguous is Ambiguous.LIST else f"; {KEEP_ALL}"),
            labels=labels,
            notes=notes,
        )
