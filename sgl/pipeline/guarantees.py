"""The seven guarantees of each pattern, as the manifest and the report state them, and proofs as data.

What they say is in ``docs/guarantees.md``.  All but one are proved on the grammar, or found by the verifier in every
written graph.  That of the *string level* is made while the dataset is drawn: a training string may have another
reading, with a held-out structure, and an item may be ambiguous between two outputs.  So every sentence is parsed
with the grammar as it is written: what is of consequence is rejected, and another sentence takes its place
(``ambiguous reject``), or it is drawn and counted (``ambiguous report``).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from sgl.automata import Exposed, IngredientKind, PatternProofs, Proofs, Reason, StructureCompiler, Verdict
from sgl.automata.proofs.claims import Claim
from sgl.automata.proofs.prove import StratumStatistics
from sgl.core.arrays import Column, Derivations
from sgl.core.interpret import interpret
from sgl.core.plan import EXPOSURE_PREFIX, Ambiguous, Pattern, Plan
from sgl.corpus.audit import Ambiguity, AmbiguityFinder, StructureFinder, declared_structures
from sgl.dataset import MANIFEST, Guarantee, Readings, StringFigures, manifest_of, plain, string_figures
from sgl.foreign import VERIFICATION
from sgl.foreign.json import read_document
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
        verdicts = {single.verdict for single in claims}
        if Verdict.REFUTED in verdicts:
            result = REFUTED
        elif verdicts <= {Verdict.NOTHING} and (claims or claim != "licensed"):
            result = Verdict.NOTHING.value
        return Guarantee(pattern.name, claim, "static", result, detail)

    without_cut = ", ".join(f"{claim.mass:.2e}" for claim in pattern.held_out)
    of_items = ", ".join(f"{claim.mass:.2e}" for claim in pattern.instances)
    exposed = pattern.exposed
    tested = any(claim.verdict is not Verdict.NOTHING for claim in pattern.instances)
    nothing = "the dataset has no training sentences" if tested else "the pattern has no items"
    shown = [f"{used(exposed)} of its items" if exposed.counts else nothing]
    shown += [f"not in training: {text}" for text in excuses(exposed)]
    return [
        static("held out", pattern.held_out, f"probability without the cut {without_cut}; in training 0"),
        static(
            "instance",
            pattern.instances,
            f"probability of an item in the whole grammar {of_items}" if tested else nothing,
        ),
        static("licensed", [*pattern.licences, *pattern.pieces], _licensed(pattern)),
        static("exposed", [exposed], "; ".join(shown)),
        strings or unparsed(pattern.name),
        static("disjoint", pattern.disjoint, "no derivation of an item is one of training" if tested else nothing),
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


#: The check of the verifier that counts the parts that patterns need.
_LICENSED = "V012"


@dataclass(frozen=True, slots=True)
class DatasetCounts:
    """The counts of a dataset, with the fingerprint of the grammar and plan that it was drawn from.

    ``items`` are the sentences of each category, ``parts`` the training sentences with each part that a pattern
    needs, by pattern and structure; ``strings`` says what is known of the strings of each.
    """

    grammar: str
    items: Mapping[str, int]
    parts: Mapping[tuple[str, str], int]
    strings: Mapping[str, Guarantee]
    figures: StringFigures


def read_counts(directory: Path) -> DatasetCounts:
    """Return the counts of a dataset; raise ``ForeignFileError`` if its files cannot be read."""
    manifest = manifest_of(directory)
    verification = read_document(directory / "verification.json", VERIFICATION, inside=directory)
    items: Counter[str] = Counter()
    for split in manifest["splits"].members().values():
        for stratum in split["strata"].elements():
            items[stratum["category"].of(str)] += stratum["count"].of(int)
    counted = {
        figure["label"].of(str): figure["value"].of(int)
        for result in verification["results"].elements()
        if result["code"].of(str) == _LICENSED
        for figure in result["figures"].elements()
    }
    parts = {}
    for pattern in manifest["patterns"].elements():
        name = pattern["name"].of(str)
        for need in pattern["need"].elements():
            structure = need["structure"].of(str)
            label = f"{name} needs {structure}"
            if label not in counted:
                raise verification.fault(f"has no count of what `{label}`")
            parts[name, structure] = counted[label]
    stated = [
        Guarantee(*(entry[field.name].of(str) for field in fields(Guarantee)))
        for entry in manifest["guarantees"].elements()
    ]
    strings = {entry.pattern: entry for entry in stated if entry.claim == CLAIM}
    found = string_figures(manifest.of(dict), directory / MANIFEST)
    return DatasetCounts(manifest["grammar"]["sha256"].of(str), items, parts, strings, found)


#: Fields that have another name in the JSON.
_RENAMED = {"whole": "of", "by_length": "derivations_by_tokens"}

#: The fields of a structure that is held out, of a part that is needed, and of a piece.
_HELD_OUT = ("structure", "asserted", "verdict", "mass", "train_mass", "witness")
_NEED = ("structure", "verdict", "minimum", "mass", "expected", "example")
_PIECE = ("structure", "whole", "verdict", "stream", "example")


def proof_data(
    compiled: Compiled, proofs: Proofs, statistics: Sequence[StratumStatistics], counts: DatasetCounts | None = None
) -> dict[str, Any]:
    """Return everything proved and computed about a plan, with the counts of a dataset of it."""
    nesting = ("inner_pattern", "inner", "outer_pattern", "outer")
    return {
        "grammar": compiled.project.name,
        "proved": proofs.proved,
        **({} if counts is None else {"strings": plain(counts.figures)}),
        "patterns": [_proved(compiled, pattern, counts) for pattern in proofs.patterns],
        "distributions": [
            {_RENAMED.get(name, name): value for name, value in plain(entry).items()} for entry in statistics
        ],
        "unsatisfiable": [entry.stream for entry in proofs.unsatisfiable],
        "overlaps": [_fields(compiled, pair, "first", "second", "witness") for pair in proofs.overlaps],
        "nestings": [_fields(compiled, pair, *nesting) for pair in proofs.nestings],
    }


def _proved(compiled: Compiled, pattern: PatternProofs, counts: DatasetCounts | None) -> dict[str, Any]:
    fields = partial(_fields, compiled)
    name = pattern.name
    stated = pattern_guarantees(pattern, None if counts is None else counts.strings.get(name))
    disjoint = ("stream", "verdict", "train_stream", "witness")
    data: dict[str, Any] = {
        "name": name,
        "title": next(p.title for p in compiled.plan.patterns if p.name == name),
        "proved": pattern.proved,
        "guarantees": {guarantee.claim: guarantee.result for guarantee in stated},
        "held_out": [fields(claim, *_HELD_OUT) for claim in pattern.held_out],
        "instances": [
            {
                **fields(claim, "stream", "verdict", "mass"),
                "candidates_by_rejection": 1 / claim.mass if claim.mass else None,
                **fields(claim, "example", "witness"),
            }
            for claim in pattern.instances
        ],
        "needs": [fields(claim, *_NEED) for claim in pattern.licences],
        "pieces": [fields(claim, *_PIECE) for claim in pattern.pieces],
        "exposed": {
            "verdict": pattern.exposed.verdict.value,
            "used": {kind.value: number for kind, number in pattern.exposed.counts},
            "unseen": [fields(thing, "kind", "name", "reason") for thing in pattern.exposed.unseen],
        },
        "disjoint": [fields(claim, *disjoint) for claim in pattern.disjoint],
    }
    if counts is not None:
        for need in data["needs"]:
            need["drawn"] = counts.parts.get((name, need["structure"]))
        data["items_drawn"] = counts.items.get(name, 0)
    return data


def _fields(compiled: Compiled, claim: object, *names: str) -> dict[str, Any]:
    data = {}
    for name in names:
        value = getattr(claim, name)
        if name in ("witness", "example") and value is not None:
            value = interpret(compiled.grammar, value).texts
        data[_RENAMED.get(name, name)] = plain(value)
    return data
