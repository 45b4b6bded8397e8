"""The seven guarantees of each pattern, as the manifest and the report state them.

What they say is in ``docs/guarantees.md``.  All but one are proved on the grammar, or found by the verifier in every
written graph.  That of the *string level* is made while the dataset is drawn: a training string may have another
reading, with a held-out structure, and an item may be ambiguous between two outputs.  So every sentence is parsed
with the grammar as it is written: what is of consequence is rejected, and another sentence takes its place
(``ambiguous reject``), or it is drawn and counted (``ambiguous report``).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from sgl.automata import Exposed, IngredientKind, PatternProofs, Reason, StructureCompiler, Verdict
from sgl.automata.proofs.claims import Claim
from sgl.core.arrays import Column, Derivations
from sgl.core.plan import EXPOSURE_PREFIX, Ambiguous, Pattern, Plan
from sgl.corpus.audit import Ambiguity, AmbiguityFinder, StructureFinder, declared_structures
from sgl.dataset import Guarantee, Readings
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.rendering import outputs
from sgl.sampling.engine import PackedStratum
from sgl.verify import Report

#: What is said of the strings: the claim, how it is established, and the verdicts.
CLAIM = "string level"
METHOD = "parsing"
CHECKED, REFUTED, NOT_CHECKED = "checked", "refuted", "not checked"

#: The verdict on a claim that the compiler decides, and of which no evidence is certified.
UNCERTIFIED = "not certified"

_GEN = "gen"

#: The checks of the verifier that search the graphs for what patterns claim.
GRAPH_CHECKS = ("V009", "V010", "V011", "V012", "V013", "V014", "V015", "V016", "V021", "V022")

#: Excused things that are named in a sentence; the others are counted.
_NAMED = 3

_PLURALS = {kind: f"{kind.value}s" for kind in IngredientKind} | {IngredientKind.ENTRY: "entries"}
_REASONS = {
    Reason.TARGET: "of its targets",
    Reason.STRUCTURE: "with the structure only",
    Reason.TOGETHER: "held out with other patterns",
}


def pattern_guarantees(
    pattern: PatternProofs, strings: Guarantee | None = None, missing: Collection[tuple[str, str]] = ()
) -> list[Guarantee]:
    """Return the guarantees of one pattern; without ``strings`` before anything is drawn.

    ``missing`` are patterns and claims that the certificate does not show in full: these are called proved nowhere.
    """

    def static(claim: str, claims: Sequence[Claim], detail: str) -> Guarantee:
        result = UNCERTIFIED if (pattern.name, claim) in missing else "proved"
        if any(single.verdict is Verdict.REFUTED for single in claims):
            result = REFUTED
        return Guarantee(pattern.name, claim, "static", result, detail)

    without_cut = ", ".join(f"{claim.mass:.2e}" for claim in pattern.held_out)
    of_items = ", ".join(f"{claim.mass:.2e}" for claim in pattern.instances)
    exposed = pattern.exposed
    shown = [f"{used(exposed)} of its items" if exposed.counts else "the pattern has no items"]
    shown += [f"not in training: {text}" for text in excuses(exposed)]
    return [
        static("held out", pattern.held_out, f"probability without the cut {without_cut}; in training 0"),
        static(
            "instance",
            pattern.instances,
            f"probability of an item in the whole grammar {of_items}"
            if pattern.instances
            else "the pattern has no items",
        ),
        static("licensed", [*pattern.licences, *pattern.pieces], _licensed(pattern)),
        static("exposed", [exposed], "; ".join(shown)),
        strings or unparsed(pattern.name),
        static("disjoint", pattern.disjoint, "no derivation of an item is one of training"),
    ]


def _licensed(pattern: PatternProofs) -> str:
    parts = [
        f"{claim.expected:,.0f} training sentences expected, {claim.minimum:,} required" for claim in pattern.licences
    ]
    if verdicts := [piece.verdict for piece in pattern.pieces]:
        waived = verdicts.count(Verdict.WAIVED)
        found = f"{verdicts.count(Verdict.PROVED)} of {len(verdicts)} pieces in training"
        parts.append(found + (f", {waived} waived" if waived else ""))
    return "; ".join(parts) or "the structure has no smaller pieces"


def on_the_graphs(plan: Plan, items: Mapping[str, int], verification: Report) -> dict[str, Guarantee]:
    """Return the word of the verifier on each pattern; ``items`` are written of each category."""
    results = [result for result in verification.results if result.code in GRAPH_CHECKS]
    violations = sum(result.total for result in results)
    passed = all(result.status == "passed" for result in results)
    trained = dict.fromkeys(s.category for s in plan.strata if s.split != "gen")
    training = sum(items.get(category, 0) for category in trained)
    return {
        pattern.name: Guarantee(
            pattern.name,
            "on the graphs",
            "searched",
            "passed" if passed else "failed",
            f"{items.get(pattern.name, 0):,} graphs of its items and {training:,} of train, dev "
            f"and test searched: {violations:,} violations",
        )
        for pattern in plan.patterns
    }


def used(claim: Exposed) -> str:
    """Return how many words, entries, forms and rules items can use, in words."""
    return ", ".join(f"{number:,} {_PLURALS[kind]}" for kind, number in claim.counts)


def excuses(claim: Exposed, named: int = _NAMED) -> list[str]:
    """Return what training need not have, by kind and reason, with the first names of each."""
    groups: dict[tuple[IngredientKind, Reason], list[str]] = {}
    for thing in claim.excused:
        groups.setdefault((thing.kind, thing.reason), []).append(thing.name)
    texts = []
    for (kind, reason), names in groups.items():
        noun = kind.value if len(names) == 1 else _PLURALS[kind]
        more = ", …" if len(names) > named else ""
        listed = ", ".join(names[:named]) + more
        texts.append(f"{len(names)} {noun} {_REASONS[reason]} ({listed})")
    return texts


def unparsed(
    pattern: str, detail: str = "whether a training sentence has another reading with the structure"
) -> Guarantee:
    """Return the guarantee of a pattern as long as no sentence has been parsed."""
    return Guarantee(pattern, CLAIM, METHOD, NOT_CHECKED, detail)


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
        self._strata = {stratum.stream: stratum for stratum in plan.strata}
        #: What was found in each stratum, by its stream.
        self.readings: dict[str, Readings] = {}
        #: The shortest of the last texts with readings that matter.
        self.example = ""

    def judge(self, stratum: PackedStratum, sources: Column, derivations: Derivations) -> dict[int, Ambiguity]:
        """Return what the readings of texts with several are, by number, which is that of the derivation."""
        texts = list(sources.texts())
        found = self._finder.find_batch(texts, derivations, structures=stratum.split != _GEN)
        self.example = min((texts[n] for n, one in found.items() if one.matters), key=len, default=self.example)
        return found

    def evidence(self, stratum: PackedStratum, sources: Column, derivations: Derivations) -> Derivations:
        """Return for each text, which was rejected, another reading that shows why."""
        pairs = zip(sources.texts(), iter(derivations), strict=True)
        structures = stratum.split != _GEN
        return Derivations.of(self._finder.evidence(text, own, structures=structures) for text, own in pairs)

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
        self.readings[stratum.stream] = Readings(
            parsed=before.parsed + parsed,
            several=before.several + sum(one.several for one in found),
            held_out=before.held_out + sum(bool(one.structures) for one in found),
            outputs=before.outputs + sum(bool(one.outputs) for one in found),
            ambiguous=before.ambiguous + sum(one.matters for one in found),
            patterns=dict(sorted(patterns.items())),
        )

    def guarantee(self, pattern: Pattern) -> Guarantee:
        """Return what is known of readings: refuted if strings teach what is held out, or ambiguous items are drawn."""
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
