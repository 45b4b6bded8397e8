"""The check of the certificate: it holds, and it says all that the manifest promises.

``sgl.verify.certificate`` re-establishes what a certificate claims; it knows nothing of a dataset.  Here the
certificate is tied to the manifest: it is about the same grammar, plan and seed, and a claim is there, in the right
split, for each promise.  A certificate from which claims were removed is accepted by the checker, and fails here.

The pieces of a held-out structure, which a certificate has to show, are found apart from the
compiler (``docs/guarantees.md``), in a form in which variables are numbers.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import networkx as nx

from sgl import foreign
from sgl.foreign import ForeignFileError, read_bytes
from sgl.foreign.json import read_json
from sgl.verify.certificate import FAULTS, judge
from sgl.verify.certificate_format import CLAIMS, read_certificate, reason
from sgl.verify.dataset import LoadedData, Result, SkippedError, checks
from sgl.verify.items import EXPOSURE, GENERALIZATION, LAYER, TRAIN
from sgl.verify.manifest import CERTIFICATE, MANIFEST, Manifest
from sgl.verify.structure import GraphPattern, Link, NodeVariable, StructureBody, Walk, read_structure

Json = Any  # what the certificate or the manifest holds

#: Steps that the certificate of a dataset may take: what is released has been read by someone.
PATIENCE = 400_000_000

#: By each method what is claimed of a pattern, and the verdicts; some claims are about its items.
OF_ITEMS = ("instance", "exposed", "disjoint")
STATIC, PROVED, NOTHING = "static", "proved", "nothing claimed"
VERDICTS = {
    STATIC: ([*CLAIMS], [PROVED, "refuted", "not certified", NOTHING]),
    "parsing": (["string level"], ["checked", "refuted", "not checked"]),
    "searched": (["on the graphs"], ["passed", "failed"]),
}

#: A claim: pattern, word, kind, number of the split, names of structures.
Promise = tuple[str, str, str, int, tuple[str, ...]]


@checks("V025")
def certificate(data: LoadedData, tally: Result) -> None:
    for message in _unknown(data.manifest):
        tally.fault(message, f"{MANIFEST}: guarantees")
    listed = any(file.path == CERTIFICATE for file in data.manifest.files)
    proved = any((own.method, own.result) == (STATIC, PROVED) for own in data.manifest.guarantees)
    if not listed and proved:
        tally.fault("the manifest says `proved` and lists no certificate", MANIFEST)
    if not (listed or proved or tally.total or (data.directory / CERTIFICATE).exists()):
        raise SkippedError("the dataset has no certificate and says of no claim that it is proved")
    try:
        text = read_bytes(data.directory / CERTIFICATE, foreign.CERTIFICATE, inside=data.directory)
        for fault in data.judge(text):
            tally.fault(fault, CERTIFICATE)
        content = read_certificate(text)
        tally.checked = len(content["claims"])
        path = data.directory / MANIFEST
        manifest: Json = read_json(path, foreign.MANIFEST, inside=data.directory)
        for message in (*_differences(manifest, content), *_missing(manifest, content)):
            tally.fault(message, CERTIFICATE)
    except ForeignFileError as problem:
        tally.fault(f"C01 the file: {problem.strerror}", CERTIFICATE)
    except FAULTS as error:
        tally.fault(f"malformed: {reason(error)}", CERTIFICATE)


def certificate_faults(text: bytes) -> tuple[str, ...]:
    """Return what is wrong with a certificate: a function of its bytes and of nothing else."""
    return tuple(judge(text, PATIENCE)[0])


def _unknown(manifest: Manifest) -> Iterator[str]:
    patterns, given = {pattern.name for pattern in manifest.patterns}, set[tuple[str, str]]()
    strata = [(split, own) for split, claim in manifest.splits.items() for own in claim.strata if own.count]
    drawn = {own.category for split, own in strata if split == GENERALIZATION}
    trained = any(split == TRAIN for split, _ in strata)
    for own in manifest.guarantees:
        claims, results = VERDICTS.get(own.method, ((), ()))
        said = f"{own.pattern!r}: {own.claim!r}: {own.method!r}: {own.result!r}"
        if own.pattern not in patterns or own.claim not in claims or own.result not in results:
            yield f"{said} is no verdict on a pattern"
        elif (own.pattern, own.claim) in given:
            yield f"{said} is a second verdict"
        elif own.result in (PROVED, NOTHING):
            # What is licensed may have no pieces: then nothing has to be shown.
            of_items = own.claim in OF_ITEMS and own.pattern not in drawn
            idle = of_items or (own.claim in ("exposed", "licensed") and not trained)
            if idle and own.result == PROVED and own.claim != "licensed":
                yield f"{said}, and there are no sentences that it would be about"
            elif not idle and own.result == NOTHING:
                yield f"{said}, and there are sentences that it would be about"
        given.add((own.pattern, own.claim))


def _differences(manifest: Json, content: Json) -> Iterator[str]:
    plan, grammar, layers = content["core"]["plan"], content["core"]["grammar"], manifest["layers"]
    rows = {name: [[*each.values()] for each in layers[name]] for name in ("graph", "views")}
    distinct = manifest["distinct"]
    parts = [(split, own) for split, claim in manifest["splits"].items() for own in claim["strata"]]
    strata = [[split, own["category"], own["stream"], *_extent(own), own["repeated"]] for split, own in parts]
    planned = [
        [split, category, stream, count, *(extent or (0, 1)), repeated]
        for split, category, stream, count, repeated, _, _, *extent, _ in plan["strata"]
    ]
    pairs = {
        "grammar or plan": (manifest["grammar"]["sha256"], content["digest"]),
        "name": (manifest["name"], content["name"]),
        "seed": (manifest["seed"], content["seed"]),
        "source and targets": tuple([own[x] for x in ("source", "target", "further")] for own in (layers, plan)),
        "text layers": (layers["text"], [name for name, *_ in grammar["text"]]),
        "graph layers": (rows["graph"], grammar["graph"]),
        "graphs": (layers.get("written", []), plan.get("graphs", [])),
        "views": (rows["views"], grammar["views"]),
        "distinct": (
            [distinct["sentences"], distinct["lemmas"], distinct["layer"]],
            [plan["distinct_sentences"], plan["distinct_lemmas"], plan["lemma_layer"]],
        ),
        "ambiguous": (manifest["ambiguous"]["policy"], plan["ambiguous"]),
        "parts of splits": (sorted(strata), sorted(planned)),
        "patterns": (manifest["patterns"], plan["patterns"]),
        "parts": (manifest["parts"], plan["parts"]),
        "nowhere": (manifest["nowhere"], plan["nowhere"]),
    }
    for what, (stated, certified) in pairs.items():
        if stated != certified:
            yield f"{what}: not as in the manifest"


def _extent(stratum: Json) -> tuple[int, ...]:
    every, copies, contexts = stratum.get("every", False), stratum.get("copies", 1), stratum.get("contexts")
    wanted = stratum["candidates"] if every else stratum["count"] // copies
    return (wanted, int(every), copies, *([contexts] if contexts else []))


def _missing(manifest: Json, content: Json) -> Iterator[str]:
    proved = {
        (entry["pattern"], entry["claim"])
        for entry in manifest["guarantees"]
        if (entry["method"], entry["result"]) == (STATIC, PROVED)
    }
    structures = [own["name"] for own in content["structures"]]
    claimed = {
        (pattern, word, kind, split, tuple(structures[number] for number in group))
        for pattern, word, kind, split, group, _ in content["claims"]
    }
    plan, splits = content["core"]["plan"], content["splits"]
    for promise in (promise for promise in _promised(plan, splits) if promise not in claimed):
        pattern, word, kind, split, group = promise
        if not pattern or (pattern, word) in proved:
            parts = ", ".join(plan["strata"][number][2] for number in splits[split]["strata"])
            yield f"{pattern or 'everywhere'}: {word}: {parts}: nothing {kind} {' or '.join(group)}"
    yield from _unlicensed(plan, splits, proved, claimed)


def _unlicensed(
    plan: Json, splits: Json, proved: Collection[tuple[str, str]], claimed: Collection[Promise]
) -> Iterator[str]:
    trained = [
        number
        for number, split in enumerate(splits)
        if any(plan["strata"][n][0] == TRAIN and plan["strata"][n][3] for n in split["strata"])
    ]
    for pattern in plan["patterns"] if trained else ():
        own = [claim for claim in claimed if claim[:2] == (pattern["name"], "licensed")]
        contained = {group[0] for _, _, kind, _, group in own if kind == "contains"}
        if (pattern["name"], "licensed") not in proved:
            continue
        for need in (need["structure"] for need in pattern["need"]):
            if need not in contained:
                yield f"{pattern['name']}: licensed: {TRAIN}: nothing contains {need}"
        known = {_nameless(read_structure(text)) for text in (*contained, *pattern["waive"])}
        for whole in (*pattern["forbid"], *pattern["never"]):
            missing = len(pieces_of(whole) - known)
            if missing:
                yield f"{pattern['name']}: licensed: {missing} pieces of {whole} are in no claim"


def _promised(plan: Json, splits: Json) -> Iterator[Promise]:
    patterns = {pattern["name"]: pattern for pattern in plan["patterns"]}
    held_out = {name: [*own["forbid"], *own["never"]] for name, own in patterns.items()}
    trained = any(split == TRAIN and count for split, _, _, count, *_ in plan["strata"])
    for number, split in enumerate(splits):
        for stratum in split["strata"]:
            part, category, _, count, *_, constraint = plan["strata"][stratum]
            for structure in plan["nowhere"]:
                yield "", "held out", "excludes", number, (structure,)
            if part != GENERALIZATION:
                for name, structure in ((n, s) for n, own in held_out.items() for s in own):
                    yield name, "held out", "excludes", number, (structure,)
                exposed = category.startswith(EXPOSURE)
                of = (category.removeprefix(EXPOSURE), "exposed") if exposed else ("", "instance")
                for group in constraint["require"]:
                    yield *of, "requires", number, tuple(group)
            elif count:  # where a pattern has no items, nothing is claimed of them
                for word, kind, group in _of_items(patterns[category], held_out, constraint):
                    yield category, word, kind, number, group
                if trained:
                    yield category, "exposed", "exposes", number, ()


def _of_items(own: Json, held_out: Json, constraint: Json) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    others = [name for name in held_out if name not in (own["name"], *own["allow"])]
    for structure in [*own["exclude"], *(s for name in others for s in held_out[name])]:
        yield "instance", "excludes", (structure,)
    for group in (*constraint["require"], own["gen"] or held_out[own["name"]]):
        yield "instance", "requires", tuple(group)
    yield "disjoint", "disjoint", tuple(s for name in held_out if name not in others for s in held_out[name])


#: A structure without names.
Nameless = tuple[Any, ...]


def pieces_of(text: str) -> set[Nameless]:
    """Return the pieces of a structure in the notation."""
    structure = read_structure(text)
    body, tests = structure.body, structure.body.lengths
    alone = [StructureBody((), (), (x,)) for x in tests if body.variables or tests[1:]]
    found = {_nameless(GraphPattern(own, (), structure.layer)) for own in alone}
    for variables, links in [(body.variables, [*body.links])] if tests else _reduced(body):
        graph = nx.Graph([(link.source, link.target) for link in links])
        graph.add_nodes_from(range(len(variables)))
        for members in sorted(map(sorted, nx.connected_components(graph))):
            own = [link for link in links if link.source in members]
            first = variables[members[0]]
            if own or first.degrees or any(test.attribute != LAYER for test in first.tests):
                found.add(_nameless(_piece(structure, variables, own, members)))
    return found


def _reduced(body: StructureBody) -> Iterator[tuple[Sequence[NodeVariable], list[Link]]]:
    for pair in {frozenset((link.source, link.target)) for link in body.links}:
        own = [link for link in body.links if {link.source, link.target} == pair]
        rest = [link for link in body.links if link not in own]
        if len(own) == 1 and own[0].walk.low > 1:
            low = own[0].walk.low - 1
            rest.append(own[0]._replace(walk=Walk(own[0].walk.labels, low, low)))
        yield body.variables, rest
    for place, variable in enumerate(body.variables):
        for number, test in enumerate(variable.degrees):
            if test.comparison != "<=" and test.number > 1:
                variables, degrees = [*body.variables], [*variable.degrees]
                degrees[number] = test._replace(number=test.number - 1)
                variables[place] = variable._replace(degrees=tuple(degrees))
                yield variables, [*body.links]


def _piece(
    structure: GraphPattern, variables: Sequence[NodeVariable], own: list[Link], members: list[int]
) -> GraphPattern:
    """Return one connected part; a ``without`` stays if all nodes that it mentions do."""
    in_order = [link for link in own if link.walk.is_edge]
    in_order += [link for link in own if not link.walk.is_edge]
    mentioned = dict.fromkeys(end for link in in_order for end in (link.source, link.target))
    number = {old: new for new, old in enumerate(dict.fromkeys([*mentioned, *members]))}
    gone = {variable.name for variable in variables} - {variables[old].name for old in number}
    links = [Link(number[source], walk, number[target]) for source, walk, target in in_order]
    body = StructureBody(tuple(variables[old] for old in number), tuple(links))
    bodies = structure.without
    kept = [one for one in bodies if gone.isdisjoint(v.name for v in one.variables)]
    return GraphPattern(body, tuple(kept), structure.layer)


def _nameless(structure: GraphPattern) -> Nameless:
    """Return a structure without the names of its variables."""
    names = {variable.name: n for n, variable in enumerate(structure.body.variables)}
    bodies = list[Nameless]()
    for body in structure.bodies:
        own = dict(names)
        for variable in body.variables:
            own.setdefault(variable.name, len(own))
        numbers = [own[variable.name] for variable in body.variables]
        variables = [(own[name], frozenset(tests), frozenset(degrees)) for name, tests, degrees in body.variables]
        links = [(numbers[source], walk, numbers[target]) for source, walk, target in body.links]
        bodies.append((frozenset(variables), frozenset(links), frozenset(body.lengths)))
    return structure.layer, *bodies
