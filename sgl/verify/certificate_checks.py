"""The check of the certificate: it holds, and it says all that the manifest promises.

``sgl.verify.certificate`` re-establishes what a certificate claims; it knows nothing of
a dataset.  Here the certificate is tied to the manifest: it is about the same grammar
and the same parts of splits, its structures are what their names say, and a claim is
there for each promise.  A certificate from which claims were removed is accepted by the
checker, and fails here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sgl.verify.certificate import FAULTS, Checker
from sgl.verify.dataset import Dataset
from sgl.verify.items import GENERALIZATION, TRAIN
from sgl.verify.manifest import CERTIFICATE, MANIFEST, Clause, Manifest
from sgl.verify.report import Result, SkippedError
from sgl.verify.structure import StructureError, read_structure

Json = Any  # what the certificate holds


def certificate(data: Dataset, tally: Result) -> None:
    """The certificate is accepted by its checker and claims all that the manifest promises.

    Promised are, of the static claims: no held-out structure in any part of train, dev
    and test; in every part of gen one of the pattern's structures and none of the others';
    and in train each part that a pattern needs.  A manifest that says of a claim that it
    was proved has to list a certificate; one that says so of none needs none.
    """
    listed = any(file.path == CERTIFICATE for file in data.manifest.files)
    proved = any(
        (claim.method, claim.result) == ("static", "proved") for claim in data.manifest.guarantees
    )
    if not listed and proved:
        tally.fault("the manifest says `proved` and lists no certificate", MANIFEST)
    if not (listed or proved or (data.directory / CERTIFICATE).exists()):
        raise SkippedError("the dataset has no certificate and says of no claim that it is proved")
    try:
        text = (data.directory / CERTIFICATE).read_bytes()
        content = json.loads(text.decode("utf-8"))
        tally.checked = len(content["claims"])
        for fault in data.judge(text):
            tally.fault(fault, CERTIFICATE)
        for message in _missing(data.manifest, content):
            tally.fault(message, CERTIFICATE)
    except FAULTS as error:
        tally.fault(f"malformed: {type(error).__name__} {error}", CERTIFICATE)


def certificate_faults(text: bytes) -> tuple[str, ...]:
    """Return what is wrong with a certificate: a function of its bytes and of nothing else."""
    try:
        return tuple(Checker(text.decode("utf-8")).faults())
    except FAULTS as error:
        return (f"malformed: {type(error).__name__} {error}",)


def _missing(manifest: Manifest, content: Json) -> Iterator[str]:
    """Yield what the certificate does not say."""
    if content["digest"] != manifest.grammar.sha256:
        yield "the certificate is about another grammar or plan"
    for structure in content["structures"]:
        if not _says_its_name(structure):
            yield f"a structure is not what its name says: {structure['name']}"
    stated = content["core"]["plan"]["strata"]
    strata = [
        (number, *stated[stratum][:2])
        for number, part in enumerate(content["splits"])
        for stratum in part["strata"]
    ]
    written = Counter(
        (split, stratum.category)
        for split, claim in manifest.splits.items()
        for stratum in claim.strata
    )
    if written != Counter((split, category) for _, split, category in strata):
        yield "the certificate has other parts of splits than the manifest"
    names = [structure["name"] for structure in content["structures"]]
    claims = {
        (kind, number, tuple(names[structure] for structure in group))
        for kind, number, group, _ in content["claims"]
    }
    for number, split, category in strata:
        for kind, group in _promised(manifest, split, category):
            if (kind, number, group) not in claims:
                yield f"{split}/{category}: nothing {kind} {' or '.join(group)}"
    contained = {group for kind, _, group in claims if kind == "contains"}
    for need in [need for pattern in manifest.patterns for need in pattern.need]:
        if (need.structure.text,) not in contained:
            yield f"{TRAIN}: nothing contains {need.structure.text}"


def _promised(
    manifest: Manifest, split: str, category: str
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the claims about a part of a split: kinds and structures."""
    excluded: list[Clause] = []
    if split != GENERALIZATION:
        excluded = [clause for pattern in manifest.patterns for clause in pattern.held_out]
    for pattern in manifest.patterns:
        if split == GENERALIZATION and pattern.name == category:
            yield "requires", tuple(dict.fromkeys(clause.text for clause in pattern.instances))
            excluded += pattern.exclude
            for other in manifest.patterns:
                if other.name != pattern.name and other.name not in pattern.allow:
                    excluded += other.held_out
    for clause in excluded:
        yield "excludes", (clause.text,)


def _says_its_name(structure: Json) -> bool:
    """Return whether the data of a structure are what its name, read as notation, says."""
    try:
        bodies = read_structure(structure["name"]).bodies
    except StructureError:
        return False
    given = [
        {name: body[name] for name in ("variables", "tests", "degrees", "links")}
        for body in structure["bodies"]
    ]
    named = []
    for body in bodies:
        names = [variable.name for variable in body.variables]
        tests = [
            [variable.name, test.attribute, int(test.negated), *sorted(test.values)]
            for variable in body.variables
            for test in variable.tests
        ]
        degrees = [
            [variable.name, test.labels.as_list(), test.comparison, test.number]
            for variable in body.variables
            for test in variable.degrees
        ]
        links = [
            [names[link.source], walk.labels.as_list(), walk.low, walk.high, names[link.target]]
            for link in body.links
            for walk in [link.walk]
        ]
        named.append({"variables": names, "tests": tests, "degrees": degrees, "links": links})
    return _in_order(named) == _in_order(given)


def _in_order(bodies: Sequence[Mapping[str, Any]]) -> list[dict[str, list[str]]]:
    """Return the data of bodies, whose lists may be in any order, in one order."""
    return [{name: sorted(map(str, data)) for name, data in body.items()} for body in bodies]
