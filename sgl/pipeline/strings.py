"""Establish the *string-level* guarantee while the dataset is drawn.

A training string may have another reading, with a held-out structure, and an item may be ambiguous between two outputs.
So every sentence is parsed with the grammar as written.  A sentence whose readings matter is replaced by another
(``ambiguous reject``), kept and counted (``ambiguous report``), or kept with all its outputs as right answers
(``ambiguous list``).
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from sgl.automata import StructureCompiler
from sgl.core.arrays import Column, Derivations
from sgl.core.claims import Kind, Verdict
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.core.plan import EXPOSURE_PREFIX, GEN, Ambiguous, Pattern, Plan
from sgl.corpus.audit import Ambiguity, AmbiguityFinder, DeclaredStructure, StructureFinder, declared_structures
from sgl.dataset import Guarantee, Readings
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.pipeline.guarantees import stated
from sgl.rendering import Output, outputs
from sgl.sampling.engine import PackedStratum

#: With ``ambiguous list``, sentences with more readings are rejected.
MOST_READINGS = 100


def ambiguity_finder(
    compiled: Compiled, structures: StructureCompiler, parser: Parser | None = None
) -> AmbiguityFinder:
    """Return the finder for readings that matter."""
    grammar, plan = compiled.grammar, compiled.plan
    source = grammar.text_layer(plan.source)
    return AmbiguityFinder(
        parser or Parser(grammar, source),
        StructureFinder(grammar, _held_out(plan), structures),
        # A twin is not an answer, so a sentence may have several.
        [output for output in outputs(grammar).values() if output.layer != source and not is_twin(grammar, output)],
    )


def of_consequence(found: Ambiguity, policy: Ambiguous) -> bool:
    """Return whether readings matter to a dataset; other outputs do not if all of them are listed."""
    if policy is Ambiguous.LIST:
        return bool(found.structures) or (found.matters and found.readings > MOST_READINGS)
    return found.matters


def is_twin(grammar: CoreGrammar, output: Output) -> bool:
    """Return whether an output is a layer that contrasts with the source."""
    return output.layer is not None and bool(grammar.text_layers[output.layer].twin)


def _held_out(plan: Plan) -> tuple[DeclaredStructure, ...]:
    """Return the held-out structures of a plan's patterns."""
    return tuple(entry for entry in declared_structures(plan.patterns, {}) if entry.held_out)


class AmbiguityFilter:
    """Parses drawn sentences, decides which to reject, and counts what it finds."""

    def __init__(self, compiled: Compiled, structures: StructureCompiler) -> None:
        plan = compiled.plan
        self._held_out, self._policy = _held_out(plan), plan.ambiguous
        self._finder = ambiguity_finder(compiled, structures)
        written = outputs(compiled.grammar)
        self._targets = [written[name] for name in plan.targets]
        self._strata = {stratum.stream: stratum for stratum in plan.strata}
        #: The readings of each stratum, by stream.
        self.readings: dict[str, Readings] = {}
        #: The shortest text of the last batch with readings that matter.
        self.example = ""

    def judge(self, stratum: PackedStratum, sources: Column, derivations: Derivations) -> dict[int, Ambiguity]:
        """Return the ambiguity of each text with several readings, by the number of its derivation."""
        texts = list(sources.texts())
        found = self._finder.find_batch(texts, derivations, structures=stratum.split != GEN)
        self.example = min((texts[n] for n, one in found.items() if one.matters), key=len, default=self.example)
        return found

    def evidence(self, stratum: PackedStratum, sources: Column, derivations: Derivations) -> Derivations:
        """Return for each rejected text another reading that shows why."""
        pairs = zip(sources.texts(), iter(derivations), strict=True)
        structures = stratum.split != GEN
        return Derivations.of(self._finder.evidence(text, own, structures=structures) for text, own in pairs)

    def answers(self, sources: Column, derivations: Derivations) -> Iterator[list[Derivation]]:
        """Yield for each text a reading for each of its other target texts."""
        texts = list(sources.texts())
        several = self._finder.find_batch(texts, derivations, structures=False)
        for number, own in enumerate(iter(derivations)):
            yield self._answers(texts[number], own) if number in several else []

    def _answers(self, text: str, own: Derivation) -> list[Derivation]:
        forest = self._finder.parser.forest(text)
        assert forest is not None, f"the parser cannot read a sampled sentence: {text}"
        read = {tuple([target(one) for target in self._targets]): one for one in forest.readings(MOST_READINGS)}
        read.pop(tuple([target(own) for target in self._targets]))
        return [*read.values()]

    def rejects(self, found: Ambiguity) -> bool:
        """Return whether a text with these readings is rejected."""
        return self._policy.rejects and of_consequence(found, self._policy)

    def count(self, stratum: PackedStratum, parsed: int, found: Iterable[Ambiguity]) -> None:
        """Count ``parsed`` texts, and the readings of the ambiguous ones."""
        found = list(found)
        before = self.readings.get(stratum.stream, Readings())
        patterns = Counter(before.patterns)
        for one in found:
            patterns.update({self._held_out[i].pattern for i in one.structures})
        self.readings[stratum.stream] = Readings(
            parsed=before.parsed + parsed,
            several=before.several + sum(one.several for one in found),
            held_out=before.held_out + sum(bool(one.structures) for one in found),
            outputs=before.outputs + sum(bool(one.outputs) for one in found),
            ambiguous=before.ambiguous + sum(one.matters for one in found),
            patterns=dict(sorted(patterns.items())),
        )

    def guarantee(self, pattern: Pattern) -> Guarantee:
        """Return the guarantee about readings: refuted if strings reveal what is held out, or items are ambiguous."""
        trained = own = leaks = differing = 0
        for stream, counts in self.readings.items():
            stratum = self._strata[stream]
            if stratum.split != GEN:
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
        if found and self._policy.rejects:
            detail += "; all of these rejected" if self._policy is Ambiguous.REJECT else "; rejected, and listed"
        verdict = Verdict.REFUTED if found and not self._policy.rejects else Verdict.CHECKED
        return stated(pattern.name, Kind.STRINGS, verdict, detail)
