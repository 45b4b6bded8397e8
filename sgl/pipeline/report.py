"""A dataset and its proofs as plain data: for the report, and for ``sglc prove --json``."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from sgl.automata import Licence, PatternProofs, Piece, Proofs, StructureCompiler
from sgl.automata.proofs.findings import LONGEST_COUNTED, StratumStatistics
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import Ambiguous, Constraint, Pattern, Plan
from sgl.dataset import MANIFEST, Guarantee, StringFigures, manifest_of, plain, string_figures
from sgl.foreign import VERIFICATION
from sgl.foreign.json import read_document
from sgl.frontend import Compiled
from sgl.pipeline.beside import PairMaker
from sgl.pipeline.guarantees import CHECKED, METHOD, NOT_CHECKED, REFUTED, excuses, pattern_guarantees
from sgl.pipeline.guarantees import CLAIM as STRING_LEVEL
from sgl.pipeline.observers import Observer
from sgl.pipeline.proofs import known_figures
from sgl.report.model import any_in_words, in_words
from sgl.verify import Report

#: The split that the others are compared with.
TRAIN = "train"

#: The result of a check that had nothing to look at.
NOTHING = "nothing to check"

#: Names in a list of what training need not show.
_NAMED = 60


def report_data(
    compiled: Compiled,
    structures: StructureCompiler,
    proofs: Proofs,
    manifest: dict[str, Any],
    observer: Observer,
    verification: Report,
) -> dict[str, Any]:
    """Return everything on the page, as the template of the report names it."""
    plan = compiled.plan
    maker = PairMaker(compiled, structures)
    texts = {layer.name for layer in compiled.grammar.text_layers}
    statistics = known_figures(compiled, structures)
    masses = {entry.stream: entry.mass for entry in statistics}
    return {
        "title": compiled.project.title or compiled.project.name,
        "identity": manifest["identity"],
        "parameters": sorted(compiled.parameters.items()),
        "source_language": plan.source,
        "target_language": plan.target if plan.target in texts else "",
        "guarantees": _guarantees(manifest, verification),
        "patterns": [
            _pattern(compiled, proofs.of(pattern.name), pattern, manifest, observer.examples, maker)
            for pattern in plan.patterns
        ],
        "counts": [
            {
                **part,
                "split": split,
                "mass": masses[part["stream"]],
                "rejected": {reason: n for reason, n in part["rejected"].items() if n},
            }
            for split, entry in manifest["splits"].items()
            for part in entry["strata"]
        ],
        "lengths": observer.lengths,
        "divergences": observer.tally.against(TRAIN),
        "sizes": _sizes(plan, statistics),
        "longest": LONGEST_COUNTED,
        "heights": _heights(plan, statistics),
        "unused": _unused(compiled, proofs),
        "relations": [
            *((pair.first, "share items", pair.second, _sentence(compiled, pair.witness)) for pair in proofs.overlaps),
            *((pair.inner_pattern, "nested", pair.outer_pattern, pair.inner) for pair in proofs.nestings),
        ],
    }


def _sentence(compiled: Compiled, derivation: Derivation | None) -> str:
    layer = compiled.grammar.text_layer(compiled.plan.source)
    return "" if derivation is None else interpret(compiled.grammar, derivation).texts[layer]


def _guarantees(manifest: dict[str, Any], verification: Report) -> list[dict[str, str]]:
    figures = string_figures(manifest)
    result = CHECKED
    if figures.policy is Ambiguous.IGNORE:
        result = NOT_CHECKED
    elif figures.ambiguous and figures.policy is not Ambiguous.REJECT:
        result = REFUTED
    claim = "No string has another reading with what is held out, or with another output."
    rows = [(claim, METHOD, result, figures.sentence)]
    for check in verification.results:
        detail = check.reason or f"{check.checked:,} checked, {check.total:,} violations"
        # What had nothing to look at has shown nothing.
        empty = check.status == "passed" and not check.checked
        rows.append((check.claim, "checked", NOTHING if empty else check.status, detail))
    return [dict(zip(("claim", "method", "result", "detail"), row, strict=True)) for row in rows]


def _sizes(plan: Plan, statistics: Sequence[StratumStatistics]) -> list[tuple[list[str], StratumStatistics]]:
    constraint = {stratum.stream: stratum.constraint for stratum in plan.strata}
    rows: dict[Constraint | None, tuple[list[str], StratumStatistics]] = {}
    for entry in statistics:
        names, _ = rows.setdefault(constraint.get(entry.stream), ([], entry))
        names.append(entry.stream)
    return list(rows.values())


def _heights(plan: Plan, statistics: Sequence[StratumStatistics]) -> dict[str, list[float]]:
    by_stream = {entry.stream: entry.heights for entry in statistics}
    found: dict[str, list[float]] = {}
    for split in dict.fromkeys(stratum.split for stratum in plan.strata if stratum.count):
        strata = [stratum for stratum in plan.strata if stratum.split == split and stratum.count]
        total = sum(stratum.count for stratum in strata)
        shares = [0.0] * max(len(by_stream[stratum.stream]) for stratum in strata)
        for stratum in strata:
            for height, share in enumerate(by_stream[stratum.stream]):
                shares[height] += share * stratum.count / total
        found[split] = shares
    return found


def _unused(compiled: Compiled, proofs: Proofs) -> list[tuple[str, str, str]]:
    grammar = compiled.grammar
    source = grammar.text_layer(compiled.plan.source)
    found: list[tuple[str, str, str]] = []
    for entry in proofs.unused:
        if entry.split != TRAIN:
            continue
        dead = set(entry.rules)
        alive = {rule.name for rule in grammar.rules if rule.rhs and rule.id not in dead}
        for rule in (grammar.rules[number] for number in entry.rules):
            variant = f"{rule.name} as {grammar.categories[rule.lhs].name}"
            found.append((TRAIN, "rule", variant if rule.name in alive else rule.name))
        for number in entry.words:
            template = grammar.rules[number].templates[source]
            found.append((TRAIN, "word", " ".join(getattr(item, "text", "") for item in template)))
    return list(dict.fromkeys(found))


def _pattern(
    compiled: Compiled,
    proved: PatternProofs,
    pattern: Pattern,
    manifest: Mapping[str, Any],
    examples: Mapping[str, Sequence[Derivation]],
    maker: PairMaker,
) -> dict[str, Any]:
    # The shortest of the examples says what is asked most plainly.
    items = sorted(examples.get(pattern.name, ()), key=len)
    structures = pattern.gen or pattern.held_out
    parts: list[tuple[str, Licence | Piece, str]] = [
        ("need", claim, f"{claim.expected:,.0f} expected, {claim.minimum:,} asked for") for claim in proved.licences
    ]
    parts += [("piece", claim, claim.verdict.value) for claim in proved.pieces]
    return {
        "name": pattern.name,
        "title": pattern.title,
        "groups": pattern.groups,
        "held_out_in_words": any_in_words(pattern.held_out),
        "asked_in_words": any_in_words(structures) if structures != pattern.held_out else "",
        "pair": maker.pair(pattern, items[0], proved.licences) if items else None,
        "guarantees": [g for g in manifest["guarantees"] if g["pattern"] == pattern.name],
        "held_out": proved.held_out,
        "parts": [
            {
                "role": role,
                "structure": claim.structure,
                "words": in_words(claim.structure),
                "result": claim.verdict.value,
                "text": text,
                "sentence": _sentence(compiled, claim.example),
            }
            for role, claim, text in parts
        ],
        "excused": excuses(proved.exposed, _NAMED),
        "examples": [maker.marked(found, structures) for found in items[1:]],
    }


#: The check of the verifier that counts the parts that patterns need.
_LICENSED = "V012"

_VERIFICATION = "verification.json"


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
    verification = read_document(directory / _VERIFICATION, VERIFICATION, inside=directory)
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
    strings = {entry.pattern: entry for entry in stated if entry.claim == STRING_LEVEL}
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
