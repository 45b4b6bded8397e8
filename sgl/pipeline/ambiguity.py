"""The ambiguity filter: what the other readings of sampled sentences are.

The proofs are about derivations.  A training *string* may have another reading, which
the grammar assigns to another derivation, and that reading may contain a held-out
structure; and an item may be ambiguous between two outputs.  Both are decided by parsing
every sentence with the grammar as it is written, while the dataset is drawn: what is of
consequence is rejected, and another sentence takes its place (``ambiguous reject``), or
it is drawn and counted (``ambiguous report``)::

    found = ambiguity.judge(stratum, texts, derivations)     {17: Ambiguity(…)}
    ambiguity.rejects(found[17])                             True
    ambiguity.readings["train/in_distribution"]              Readings(parsed=20, several=1, …)
    ambiguity.guarantee(pattern)                             checked, with the counts
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from sgl.automata import StructureCompiler
from sgl.core.arrays import Column, Derivations
from sgl.core.plan import EXPOSURE_PREFIX, Ambiguous, Pattern
from sgl.corpus.audit import Ambiguity, AmbiguityFinder, StructureFinder, declared_structures
from sgl.dataset import Guarantee, Readings
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.rendering import outputs
from sgl.sampling.engine import PackedStratum

CLAIM = "string level"
METHOD = "parsing"
CHECKED, REFUTED, NOT_CHECKED = "checked", "refuted", "not checked"

_GEN = "gen"


class AmbiguityFilter:
    """Parses what is drawn: says what is rejected, and counts what it finds."""

    def __init__(self, compiled: Compiled, structures: StructureCompiler) -> None:
        grammar, plan = compiled.grammar, compiled.plan
        source = grammar.text_layer(plan.source)
        declared = declared_structures(plan.patterns, {})
        self._held_out = tuple(entry for entry in declared if entry.held_out)
        self._finder = AmbiguityFinder(
            Parser(grammar, source),
            StructureFinder(grammar, self._held_out, structures),
            [output for output in outputs(grammar).values() if output.layer != source],
        )
        self._rejects = plan.ambiguous is Ambiguous.REJECT
        self._strata: dict[str, PackedStratum] = {}
        #: What was found in each stratum, by its stream.
        self.readings: dict[str, Readings] = {}

    def judge(
        self, stratum: PackedStratum, sources: Column, derivations: Derivations
    ) -> dict[int, Ambiguity]:
        """Return what the readings are of those texts, by number, that have several.

        Each text is the source text of the derivation of the same number.
        """
        texts = list(sources.texts())
        return self._finder.find_batch(texts, derivations, structures=stratum.split != _GEN)

    def rejects(self, found: Ambiguity) -> bool:
        """Return whether a text with these readings is rejected."""
        return self._rejects and found.matters

    def count(self, stratum: PackedStratum, parsed: int, found: Iterable[Ambiguity]) -> None:
        """Take note of so many texts, and of the readings of those that have several."""
        found = list(found)
        before = self.readings.get(stratum.stream, Readings())
        patterns = Counter(before.patterns)
        for one in found:
            patterns.update({self._held_out[i].pattern for i in one.structures})
        self._strata[stratum.stream] = stratum
        self.readings[stratum.stream] = Readings(
            parsed=before.parsed + parsed,
            several=before.several + sum(one.several for one in found),
            held_out=before.held_out + sum(bool(one.structures) for one in found),
            outputs=before.outputs + sum(bool(one.outputs) for one in found),
            ambiguous=before.ambiguous + sum(one.matters for one in found),
            patterns=dict(sorted(patterns.items())),
        )

    def counted(self, stratum: PackedStratum) -> dict[str, object]:
        """Return what was counted of a stratum, as plain values; see :meth:`recount`."""
        return asdict(self.readings.get(stratum.stream, Readings()))

    def recount(self, stratum: PackedStratum, counted: dict[str, Any]) -> None:
        """Take over what was counted of a stratum by an earlier run."""
        self._strata[stratum.stream] = stratum
        self.readings[stratum.stream] = Readings(**counted)

    def guarantee(self, pattern: Pattern) -> Guarantee:
        """Return what is known of the readings of the strings, as far as a pattern is concerned.

        It is refuted if strings that teach what the pattern holds out, or items of its own
        with several outputs, were drawn all the same.
        """
        trained = own = leaks = differing = 0
        for stream, counts in self.readings.items():
            stratum = self._strata[stream]
            if stratum.split != _GEN:
                trained += counts.parsed
                leaks += counts.patterns.get(pattern.name, 0)
            if stratum.category in (pattern.name, EXPOSURE_PREFIX + pattern.name):
                own += counts.parsed
                differing += counts.outputs
        detail = (
            f"{trained:,} strings of train, dev and test parsed, {leaks:,} with another reading "
            f"that contains the structure; {own:,} of the pattern, {differing:,} with another "
            "output"
        )
        found = leaks + differing
        if found and self._rejects:
            detail += "; all of these rejected"
        result = REFUTED if found and not self._rejects else CHECKED
        return Guarantee(pattern.name, CLAIM, METHOD, result, detail)


def unparsed(
    pattern: str, detail: str = "whether a training sentence has another reading with the structure"
) -> Guarantee:
    """Return the guarantee of a pattern as long as no sentence has been parsed."""
    return Guarantee(pattern, CLAIM, METHOD, NOT_CHECKED, detail)
