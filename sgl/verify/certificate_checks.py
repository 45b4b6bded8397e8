"""Check that the certificate holds, and that it shows everything that the manifest promises.

``sgl.verify.certificate`` checks the claims of a certificate, independently of any dataset.  This module ties the
certificate to the manifest: it is about the same grammar, plan and seed, and has a claim, in the right split, for each
promise.  A certificate from which claims were removed passes the checker but fails here.

The pieces of a held-out structure, which a certificate must show, are computed independently of the compiler
(``docs/guarantees.md``), with numbers as variables.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import networkx as nx

from sgl import foreign
from sgl.foreign import ForeignFileError, read_bytes
from sgl.foreign.json import read_json
from sgl.verify.certificate import judge
from sgl.verify.certificate_format import CLAIMS, STRICT, RefusalError, read_certificate
from sgl.verify.certificate_references import check_references
from sgl.verify.dataset import LoadedData, Result, checks
from sgl.verify.items import EXPOSURE, GENERALIZATION, LAYER, TRAIN
from sgl.verify.manifest import CERTIFICATE, MANIFEST, Distinct, GuaranteeClaim, Layers, Manifest
from sgl.verify.schema import CertificateData, CertifiedSplit
from sgl.verify.schema_grammar import Flaw
from sgl.verify.schema_plan import DatasetPlan, PartClaim, PatternClaim, PlannedStratum
from sgl.verify.structure import GraphPattern, Link, NodeVariable, StructureBody, read_structure
from sgl.verify.typed import FormError

Json = Any  # a JSON value of the certificate or the manifest

#: Maximum number of steps for the certificate of a dataset: somebody has read a released dataset.
PATIENCE = 400_000_000

#: The claims about items; the static method and the verdicts.
OF_ITEMS = ("instance", "exposed", "disjoint")
STATIC, PROVED, NOTHING = "static", "proved", "nothing claimed"
VERDICTS = {
    STATIC: ([*CLAIMS], [PROVED, "refuted", "not certified", NOTHING]),
    "parsing": (["string level"], ["checked", "refuted", "not checked"]),
    "searched": (["on the graphs"], ["passed", "failed"]),
}


class Promise(NamedTuple):
    """A claim that a certificate must contain; its split is a number, its structures are named."""

    pattern: str
    claim: str
    kind: str
    split: int
    structures: tuple[str, ...]


@checks("V025")
def certificate(data: LoadedData, tally: Result) -> None:
    for message in _unknown(data.manifest):
        tally.fault(message, f"{MANIFEST}: guarantees")
    if not any(file.path == CERTIFICATE for file in data.manifest.files):
        tally.fault("the manifest lists no certificate", MANIFEST)
    try:
        text = read_bytes(data.directory / CERTIFICATE, foreign.CERTIFICATE, inside=data.directory)
        for fault in data.judge(text):
            tally.fault(fault, CERTIFICATE)
        content = read_certificate(text)
        tally.checked = len(content.claims)
        check_references(content)
        raw: Json = read_json(data.directory / MANIFEST, foreign.MANIFEST, inside=data.directory)
        for message in (*_differences(data.manifest, raw, content), *_missing(data.manifest, content)):
            tally.fault(message, CERTIFICATE)
    except ForeignFileError as problem:
        tally.fault(f"C01 the file: {problem.strerror}", CERTIFICATE)
    except (Flaw, RefusalError) as error:
        tally.fault(f"malformed: {error}", CERTIFICATE)


def certificate_faults(text: bytes) -> tuple[str, ...]:
    """Return the faults of a certificate, which depend only on its bytes."""
    return tuple(judge(text, PATIENCE)[0])


def _unknown(manifest: Manifest) -> Iterator[str]:
    patterns, given = {pattern.name for pattern in manifest.patterns}, set[tuple[str, str]]()
    drawn = {(split, own.category) for split, claim in manifest.splits.items() for own in claim.strata if own.count}
    for own in manifest.guarantees:
        claims, results = VERDICTS.get(own.method, ((), ()))
        said = f"{own.pattern!r}: {own.claim!r}: {own.method!r}: {own.result!r}"
        if own.pattern not in patterns or own.claim not in claims or own.result not in results:
            yield f"{said} is not a verdict on a pattern"
        elif (own.pattern, own.claim) in given:
            yield f"{said} is a second verdict"
        elif own.result in (PROVED, NOTHING):
            idle = _is_idle(own, drawn)
            # A licensed structure may have no pieces: then there is nothing to show.
            if idle and own.result == PROVED and own.claim != "licensed":
                yield f"{said}, but there are no sentences for it to be about"
            elif not idle and own.result == NOTHING:
                yield f"{said}, but there are sentences for it to be about"
        given.add((own.pattern, own.claim))


def _is_idle(own: GuaranteeClaim, drawn: set[tuple[str, str]]) -> bool:
    """Return whether a claim is about items or training sentences that do not exist."""
    untrained = TRAIN not in {split for split, _ in drawn}
    no_items = (GENERALIZATION, own.pattern) not in drawn
    return (own.claim in OF_ITEMS and no_items) or (own.claim in ("exposed", "licensed") and untrained)


def _differences(manifest: Manifest, raw: Json, content: CertificateData) -> Iterator[str]:
    plan, grammar, policy = content.core.plan, content.core.grammar, manifest.ambiguous
    texts = tuple(layer.name for layer in grammar.text_layers)
    written = grammar.graph_layers, texts, grammar.views, plan.further, plan.graphs
    stated = [(split, own.category, own.stream) for split, claim in manifest.splits.items() for own in claim.strata]
    extents = {name: own.extent for name, own in manifest.strata().items()}
    pairs: dict[str, tuple[object, object]] = {
        "grammar or plan": (manifest.grammar.sha256, content.digest),
        "name": (manifest.name, content.name),
        "seed": (manifest.seed, content.seed),
        "layers": (manifest.layers, Layers(plan.source, plan.target, *written)),
        "distinct": (manifest.distinct, Distinct(plan.lemma_layer, plan.distinct_sentences, plan.distinct_lemmas)),
        "ambiguous": (policy and policy.policy, plan.ambiguous),
        "parts of splits": (sorted(stated), sorted((own.split, own.category, own.stream) for own in plan.strata)),
        "numbers of sentences": (extents, {own.stream: own.extent for own in plan.strata}),
        "patterns": (_strictly(tuple[PatternClaim, ...], raw["patterns"]), plan.patterns),
        "parts": (_strictly(tuple[PartClaim, ...], raw.get("parts", [])), plan.parts),
        "nowhere": (manifest.nowhere, plan.nowhere),
    }
    for what, (own, certified) in pairs.items():
        if own != certified:
            yield f"{what}: not as in the manifest"


def _strictly(kind: object, value: Json) -> object:
    """Return a part of the manifest that has only members of the certificate; None if it has more."""
    try:
        return STRICT.read(kind, value)
    except FormError:
        return None


def _missing(manifest: Manifest, content: CertificateData) -> Iterator[str]:
    proved = {(own.pattern, own.claim) for own in manifest.guarantees if (own.method, own.result) == (STATIC, PROVED)}
    claimed = _claimed(content)
    plan, splits = content.core.plan, content.splits
    for promise in _promised(plan, splits):
        if promise not in claimed and (not promise.pattern or (promise.pattern, promise.claim) in proved):
            own = (plan.strata[number] for number in splits[promise.split].strata if number < len(plan.strata))
            parts = ", ".join(stratum.stream for stratum in own)
            group = " or ".join(promise.structures)
            yield f"{promise.pattern or 'everywhere'}: {promise.claim}: {parts}: nothing {promise.kind} {group}"
    if any(own.split == TRAIN and own.count for own in plan.strata):
        for pattern in plan.patterns:
            if (pattern.name, "licensed") in proved:
                yield from _unlicensed(pattern, claimed)


def _claimed(content: CertificateData) -> set[Promise]:
    names = dict(enumerate(own.name for own in content.structures))
    return {
        Promise(own.pattern, own.claim, own.kind, own.split, tuple(names[n] for n in own.structures))
        for own in content.claims
        if names.keys() >= {*own.structures}
    }


def _unlicensed(pattern: PatternClaim, claimed: Collection[Promise]) -> Iterator[str]:
    own = [claim for claim in claimed if (claim.pattern, claim.claim) == (pattern.name, "licensed")]
    contained = {structure for claim in own if claim.kind == "contains" for structure in claim.structures[:1]}
    for need in pattern.need:
        if need.structure.text not in contained:
            yield f"{pattern.name}: licensed: {TRAIN}: nothing contains {need.structure}"
    waived = [clause.text for clause in pattern.waive]
    known = {nameless(read_structure(text)) for text in (*contained, *waived)}
    for whole in pattern.held_out:
        if missing := len(pieces_of(whole.text) - known):
            yield f"{pattern.name}: licensed: {missing} pieces of {whole} are in no claim"


def _promised(plan: DatasetPlan, splits: Sequence[CertifiedSplit]) -> Iterator[Promise]:
    trained = any(own.split == TRAIN and own.count for own in plan.strata)
    for number, split in enumerate(splits):
        for stratum in (plan.strata[place] for place in split.strata if place < len(plan.strata)):
            for structure in plan.nowhere:
                yield Promise("", "held out", "excludes", number, (structure.text,))
            if stratum.split != GENERALIZATION:
                yield from _of_sentences(plan, stratum, number)
            elif stratum.count:  # without items there are no claims about them
                yield from _of_items(plan, stratum, number)
                if trained:
                    yield Promise(stratum.category, "exposed", "exposes", number, ())


def _of_sentences(plan: DatasetPlan, stratum: PlannedStratum, split: int) -> Iterator[Promise]:
    """Yield the promises about sentences of train, dev and test."""
    for pattern in plan.patterns:
        for structure in pattern.held_out:
            yield Promise(pattern.name, "held out", "excludes", split, (structure.text,))
    exposed = stratum.category.startswith(EXPOSURE)
    name, claim = (stratum.category.removeprefix(EXPOSURE), "exposed") if exposed else ("", "instance")
    for group in stratum.constraint.require:
        yield Promise(name, claim, "requires", split, tuple(map(str, group)))


def _of_items(plan: DatasetPlan, stratum: PlannedStratum, split: int) -> Iterator[Promise]:
    """Yield the promises about the items of a pattern."""
    [own] = [pattern for pattern in plan.patterns if pattern.name == stratum.category][:1]
    strange = [other for other in plan.patterns if other.name not in (own.name, *own.allow)]
    for structure in (*own.exclude, *(structure for other in strange for structure in other.held_out)):
        yield Promise(own.name, "instance", "excludes", split, (structure.text,))
    for group in (*stratum.constraint.require, own.instances):
        yield Promise(own.name, "instance", "requires", split, tuple(map(str, group)))
    marks = [structure for other in plan.patterns if other not in strange for structure in other.held_out]
    yield Promise(own.name, "disjoint", "disjoint", split, tuple(map(str, marks)))


#: A structure without names.
Nameless = tuple[Any, ...]


def pieces_of(text: str) -> set[Nameless]:
    """Return the pieces of a structure given in SGL's notation."""
    structure = read_structure(text)
    body, tests = structure.body, structure.body.lengths
    alone = [StructureBody((), (), (x,)) for x in tests if body.variables or tests[1:]]
    found = {nameless(GraphPattern(own, (), structure.layer)) for own in alone}
    for variables, links in [(body.variables, [*body.links])] if tests else _reduced(body):
        graph = nx.Graph([(link.source, link.target) for link in links])
        graph.add_nodes_from(range(len(variables)))
        for members in sorted(map(sorted, nx.connected_components(graph))):
            own = [link for link in links if link.source in members]
            first = variables[members[0]]
            if own or first.degrees or any(test.attribute != LAYER for test in first.tests):
                found.add(nameless(_piece(structure, variables, own, members)))
    return found


def _reduced(body: StructureBody) -> Iterator[tuple[Sequence[NodeVariable], list[Link]]]:
    for pair in {frozenset((link.source, link.target)) for link in body.links}:
        own = [link for link in body.links if {link.source, link.target} == pair]
        rest = [link for link in body.links if link not in own]
        if len(own) == 1 and own[0].low > 1:
            rest.append(replace(own[0], low=own[0].low - 1, high=own[0].low - 1))
        yield body.variables, rest
    for place, variable in enumerate(body.variables):
        for number, test in enumerate(variable.degrees):
            if test.comparison != "<=" and test.number > 1:
                variables, degrees = [*body.variables], [*variable.degrees]
                degrees[number] = replace(test, number=test.number - 1)
                variables[place] = replace(variable, degrees=tuple(degrees))
                yield variables, [*body.links]


def _piece(
    structure: GraphPattern, variables: Sequence[NodeVariable], own: list[Link], members: list[int]
) -> GraphPattern:
    """Return one connected part; keep a ``without`` body if all nodes that it mentions remain."""
    in_order = sorted(own, key=lambda link: (link.low, link.high) != (1, 1))
    mentioned = dict.fromkeys(end for link in in_order for end in (link.source, link.target))
    number = {old: new for new, old in enumerate(dict.fromkeys([*mentioned, *members]))}
    gone = {variable.name for variable in variables} - {variables[old].name for old in number}
    links = [replace(link, source=number[link.source], target=number[link.target]) for link in in_order]
    body = StructureBody(tuple(variables[old] for old in number), tuple(links))
    bodies = structure.without
    kept = [one for one in bodies if gone.isdisjoint(v.name for v in one.variables)]
    return GraphPattern(body, tuple(kept), structure.layer)


def nameless(structure: GraphPattern) -> Nameless:
    """Return a structure without variable names, equal for structures that differ only in names."""
    names = {variable.name: n for n, variable in enumerate(structure.body.variables)}
    bodies = list[Nameless]()
    for body in structure.bodies:
        own = dict(names)
        for variable in body.variables:
            own.setdefault(variable.name, len(own))
        numbers = [own[variable.name] for variable in body.variables]
        variables = [(own[x.name], frozenset(x.tests), frozenset(x.degrees)) for x in body.variables]
        links = [replace(x, source=numbers[x.source], target=numbers[x.target]) for x in body.links]
        bodies.append((frozenset(variables), frozenset(links), frozenset(body.lengths)))
    return structure.layer, *bodies
