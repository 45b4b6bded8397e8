"""Present claims as words and data: a row for each guarantee of a pattern, and proofs as JSON.

``docs/guarantees.md`` defines the seven guarantees of a pattern.  Manifest, report, editors and ``import sgl`` show
these rows: a claim of each :class:`~sgl.core.claims.Kind`, a verdict, and a sentence with the figures.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgl.automata.proofs.prove import StratumStatistics
from sgl.core.claims import Claim, IngredientKind, Inventory, Kind, PatternProofs, Proofs, Reason, Verdict, verdict_of
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import GEN, Plan
from sgl.dataset import MANIFEST, Guarantee, StringFigures, manifest_of, plain, string_figures
from sgl.foreign import VERIFICATION
from sgl.foreign.json import read_document
from sgl.frontend import Compiled
from sgl.values import dataclass, fields, is_dataclass

if TYPE_CHECKING:
    from sgl.verify import Report

#: The verifier's checks that search the graphs for the patterns' structures.
GRAPH_CHECKS = ("V009", "V010", "V012", "V013", "V014", "V015", "V016", "V022")

#: Maximum number of excused ingredients named in a sentence; the others are counted.
_NAMED = 3

_REASONS = {
    Reason.TARGET: "of its targets",
    Reason.STRUCTURE: "with the structure only",
    Reason.TOGETHER: "held out with other patterns",
}


def stated(pattern: str, kind: Kind, verdict: Verdict, detail: str) -> Guarantee:
    """Return the row for a guarantee."""
    return Guarantee(pattern, kind.value, kind.method, verdict.value, detail)


def pattern_guarantees(
    pattern: PatternProofs, strings: Guarantee | None = None, missing: Collection[tuple[str, str]] = ()
) -> list[Guarantee]:
    """Return the guarantees of one pattern; ``strings`` is missing before anything is drawn.

    ``missing`` are patterns and claims that the certificate does not fully show, which must not count as proved.
    """
    rows = {
        kind: stated(pattern.name, kind, _verdict(pattern, kind, missing), detail)
        for kind, detail in _details(pattern).items()
    }
    rows[Kind.STRINGS] = strings or unparsed(pattern.name)
    return [rows[kind] for kind in Kind if kind in rows]


def _verdict(pattern: PatternProofs, kind: Kind, missing: Collection[tuple[str, str]]) -> Verdict:
    claims = pattern.of(kind)
    verdict = verdict_of(claims)
    if verdict is Verdict.WAIVED or (kind is Kind.LICENSED and not claims):
        verdict = Verdict.PROVED
    certified = verdict is not Verdict.PROVED or (pattern.name, kind.value) not in missing
    return verdict if certified else Verdict.UNCERTIFIED


def _details(pattern: PatternProofs) -> dict[Kind, str]:
    """Return for each kind of claim a sentence with its figures."""
    without_cut = ", ".join(f"{claim.mass:.2e}" for claim in pattern.held_out)
    of_items = ", ".join(f"{claim.mass:.2e}" for claim in pattern.instances)
    tested = verdict_of(pattern.instances) is not Verdict.NOTHING
    nothing = "the dataset has no training sentences" if tested else "the pattern has no items"
    inventory = pattern.exposed.evidence
    shown = [f"{used(inventory)} of its items" if inventory.counts else nothing]
    shown += [f"not in training: {text}" for text in excuses(inventory)]
    return {
        Kind.HELD_OUT: f"probability without the cut {without_cut}; in training 0",
        Kind.INSTANCE: f"probability of an item in the whole grammar {of_items}" if tested else nothing,
        Kind.LICENSED: "; ".join(_licensed(pattern)) or "the structure has no smaller pieces",
        Kind.EXPOSED: "; ".join(shown),
        Kind.DISJOINT: "no derivation of an item is one of training" if tested else nothing,
    }


def _licensed(pattern: PatternProofs) -> list[str]:
    supplies = [claim.evidence for claim in pattern.licences]
    told = [f"{own.expected:,.0f} training sentences expected, {own.minimum:,} required" for own in supplies]
    if verdicts := [piece.verdict for piece in pattern.pieces]:
        waived = verdicts.count(Verdict.WAIVED)
        told.append(f"{verdicts.count(Verdict.PROVED)} of {len(verdicts)} pieces in training")
        told[-1] += f", {waived} waived" if waived else ""
    return told


def on_the_graphs(plan: Plan, items: Mapping[str, int], verification: "Report") -> dict[str, Guarantee]:
    """Return for each pattern the guarantee from the verifier; ``items`` are the numbers of sentences by category."""
    results = [result for result in verification.results if result.code in GRAPH_CHECKS]
    violations = sum(result.total for result in results)
    passed = {result.status for result in results} <= {Verdict.PASSED.value}
    trained = {stratum.category for stratum in plan.strata if stratum.split != GEN}
    searched = f"{sum(items.get(category, 0) for category in trained):,} of train, dev and test searched"
    rows = {}
    for pattern in plan.patterns:
        name = pattern.name
        detail = f"{items.get(name, 0):,} graphs of its items and {searched}: {violations:,} violations"
        rows[name] = stated(name, Kind.GRAPHS, Verdict.PASSED if passed else Verdict.FAILED, detail)
    return rows


def unparsed(
    pattern: str, detail: str = "whether a training sentence has another reading with the structure"
) -> Guarantee:
    """Return the guarantee of a pattern before any sentence has been parsed."""
    return stated(pattern, Kind.STRINGS, Verdict.NOT_CHECKED, detail)


def used(inventory: Inventory) -> str:
    """Return the numbers of words, entries, forms and rules that items can use, as text."""
    return ", ".join(f"{number:,} {kind.plural}" for kind, number in inventory.counts)


def excuses(inventory: Inventory, named: int = _NAMED) -> list[str]:
    """Return the ingredients that training may lack, by kind and reason, with the first names of each."""
    groups: dict[tuple[IngredientKind, Reason], list[str]] = {}
    for thing in inventory.excused:
        groups.setdefault((thing.kind, thing.reason), []).append(thing.name)
    texts = []
    for (kind, reason), names in groups.items():
        noun = kind.value if len(names) == 1 else kind.plural
        listed = ", ".join(names[:named]) + (", …" if len(names) > named else "")
        texts.append(f"{len(names)} {noun} {_REASONS[reason]} ({listed})")
    return texts


#: The verifier's check that counts the parts that patterns need.
_LICENSED = "V012"


@dataclass(frozen=True, slots=True)
class DatasetCounts:
    """The counts of a dataset, with the fingerprint of the grammar and plan that it was drawn from.

    ``items`` counts the sentences of each category, ``parts`` the training sentences with each needed part, under the
    verifier's names; ``strings`` has the string-level guarantee of each pattern.
    """

    grammar: str
    items: Mapping[str, int]
    parts: Mapping[str, int]
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
    counted = [result for result in verification["results"].elements() if result["code"].of(str) == _LICENSED]
    figures = [figure for result in counted for figure in result["figures"].elements()]
    rows = manifest["guarantees"].elements()
    told = [Guarantee(*(entry[field.name].of(str) for field in fields(Guarantee))) for entry in rows]
    return DatasetCounts(
        manifest["grammar"]["sha256"].of(str),
        items,
        {figure["label"].of(str): figure["value"].of(int) for figure in figures},
        {entry.pattern: entry for entry in told if entry.claim == Kind.STRINGS.value},
        string_figures(manifest.of(dict), directory / MANIFEST),
    )


def proof_data(
    compiled: Compiled, proofs: Proofs, statistics: Sequence[StratumStatistics], counts: DatasetCounts | None = None
) -> dict[str, Any]:
    """Return everything proved and computed about a plan as plain data, with the counts of its dataset if any."""
    texts = partial(_texts, compiled)
    return {
        "grammar": compiled.project.name,
        "proved": proofs.proved,
        **({} if counts is None else {"strings": plain(counts.figures)}),
        "patterns": [_pattern_data(compiled, pattern, counts) for pattern in proofs.patterns],
        "distributions": plain(list(statistics)),
        "unsatisfiable": [entry.stream for entry in proofs.unsatisfiable],
        "overlaps": [{**plain(pair), "witness": texts(pair.witness)} for pair in proofs.overlaps],
        "nestings": plain(list(proofs.nestings)),
    }


def _pattern_data(compiled: Compiled, pattern: PatternProofs, counts: DatasetCounts | None) -> dict[str, Any]:
    def shown(claims: Iterable[Claim[Any]], *members: str) -> list[dict[str, Any]]:
        return [_claim_data(compiled, claim, members) for claim in claims]

    name, inventory = pattern.name, pattern.exposed.evidence
    rows = pattern_guarantees(pattern, None if counts is None else counts.strings.get(name))
    data: dict[str, Any] = {
        "name": name,
        "title": next(p.title for p in compiled.plan.patterns if p.name == name),
        "proved": pattern.proved,
        "guarantees": {row.claim: row.result for row in rows},
        "held_out": shown(pattern.held_out, "structure", "asserted", "verdict", "mass", "train_mass", "witness"),
        "instances": shown(
            pattern.instances, "stream", "verdict", "mass", "candidates_by_rejection", "example", "witness"
        ),
        "needs": shown(pattern.licences, "structure", "verdict", "minimum", "mass", "expected", "example"),
        "pieces": shown(pattern.pieces, "structure", "of", "verdict", "stream", "example"),
        "exposed": {
            "verdict": pattern.exposed.verdict.value,
            "used": {kind.value: number for kind, number in inventory.counts},
            "unseen": [{"kind": x.kind.value, "name": x.name, "reason": x.reason.value} for x in inventory.unseen],
        },
        "disjoint": shown(pattern.disjoint, "stream", "verdict", "train_stream", "witness"),
    }
    if counts is not None:
        for need in data["needs"]:
            need["drawn"] = counts.parts.get(f"{name} needs {need['structure']}")
        data["items_drawn"] = counts.items.get(name, 0)
    return data


def _claim_data(compiled: Compiled, claim: Claim[Any], members: Sequence[str]) -> dict[str, Any]:
    data = {
        "candidates_by_rejection": 1 / claim.mass if claim.mass else None,
        "train_stream": claim.evidence,
        **{field.name: getattr(claim, field.name) for field in fields(claim)},
        "example": _texts(compiled, claim.example),
        "witness": _texts(compiled, claim.witness),
    }
    if claim.structures:
        data |= {"structure": claim.structure, "of": claim.whole}
    if is_dataclass(claim.evidence):
        data |= {field.name: getattr(claim.evidence, field.name) for field in fields(claim.evidence)}
    return {name: plain(data[name]) for name in members}


def _texts(compiled: Compiled, derivation: Derivation | None) -> tuple[str, ...] | None:
    return None if derivation is None else interpret(compiled.grammar, derivation).texts
