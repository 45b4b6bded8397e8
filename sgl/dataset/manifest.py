"""The manifest: what a dataset is, where it comes from, and what is claimed of it.

``manifest.json`` is the one file that the independent verifier starts from.  It has no time stamps and no paths of
the machine it was written on, so that equal inputs give equal bytes.  All structures are in the author's notation.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sgl import EDITION, __version__
from sgl.core.encoding import plain, stated
from sgl.core.extent import Extent
from sgl.core.grammar import EXTRACTED, CoreGrammar
from sgl.core.plan import Ambiguous, Plan, Release
from sgl.dataset.fingerprint import identity
from sgl.dataset.staged import FORMAT, MANIFEST
from sgl.disk import write
from sgl.foreign.json import JsonValue
from sgl.sampling.acceptance import REPEATED_SENTENCE, UNEXPOSED_WORD
from sgl.sampling.engine import SCHEME
from sgl.sampling.strata import StratumSample
from sgl.values import dataclass, field

#: UD relations by which phrases nest in phrases of the same kind.
RECURSIVE_RELATIONS = frozenset(
    ("acl", "advcl", "amod", "appos", "ccomp", "conj", "csubj", "nmod", "parataxis", "xcomp")
)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A written file: its path inside the dataset, its SHA-256 and its rows."""

    path: str
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A claim about a pattern, how it was established, and the verdict.

    ``claim`` is a phrase such as ``held out``, ``method`` is ``static``, ``parsing`` or
    ``searched``, ``result`` a verdict such as ``proved``, ``detail`` a sentence with the figures.
    """

    pattern: str
    claim: str
    method: str
    result: str
    detail: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a dataset.

    ``fingerprint`` is the SHA-256 of the grammar and plan in canonical form; ``files`` has the SHA-256 of each file
    of the grammar by its path inside the dataset; ``parameters`` are those that the files declare, with their values;
    ``release`` is what they say of the publication; ``build`` tells states of one version of the compiler apart.
    """

    name: str
    title: str
    fingerprint: str
    files: Mapping[str, str]
    parameters: Mapping[str, str | int | float]
    release: Release | None = None
    build: str = ""


@dataclass(frozen=True, slots=True)
class Readings:
    """Results of parsing the strings of a stratum, in numbers of strings.

    ``parsed`` includes those rejected as ambiguous; ``several`` have several readings. ``held_out`` counts strings of
    train, dev and test with a reading that contains a held-out structure (``patterns`` by pattern), ``outputs`` strings
    whose readings differ in another text layer, ``ambiguous`` both kinds together.
    """

    parsed: int = 0
    several: int = 0
    held_out: int = 0
    outputs: int = 0
    ambiguous: int = 0
    patterns: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StringFigures(Readings):
    """The readings of a whole dataset, and its author's policy for ambiguous strings."""

    policy: Ambiguous
    rejected: int = 0

    @property
    def sentence(self) -> str:
        """The figures in words."""
        if self.policy is Ambiguous.IGNORE:
            return "not parsed, so that other readings are not looked at (`ambiguous ignore`)"
        if not self.several:
            return f"{self.parsed:,} parsed: each has one reading"
        listed = self.ambiguous - self.rejected
        kept = {
            Ambiguous.REJECT: f"{self.ambiguous:,} rejected",
            Ambiguous.LIST: f"{self.rejected:,} rejected, {listed:,} kept with all their outputs",
        }.get(self.policy, f"{self.ambiguous:,} KEPT (`ambiguous report`)")
        return (
            f"{self.parsed:,} parsed: {self.several:,} with several readings, "
            f"{self.held_out:,} of them with one that contains what is held out, "
            f"{self.outputs:,} with another output; {kept}"
        )


def string_figures(content: Mapping[str, Any], path: Path = Path(MANIFEST)) -> StringFigures:
    """Return the figures of a manifest; raises ``ForeignFileError`` if it has none."""
    manifest = JsonValue(path, content)
    splits = manifest["splits"].members().values()
    strata = [stratum for split in splits for stratum in split["strata"].elements()]
    found = [own for stratum in strata if (own := stratum["readings"]).data is not None]
    names = ("parsed", "several", "held_out", "outputs", "ambiguous")
    policy = Ambiguous(manifest["ambiguous"]["policy"].one_of([own.value for own in Ambiguous]))
    parsed, several, held_out, outputs, ambiguous = (sum(entry[name].of(int) for entry in found) for name in names)
    rejected = sum(stratum["rejected"]["ambiguous"].of(int) for stratum in strata)
    return StringFigures(parsed, several, held_out, outputs, ambiguous, policy=policy, rejected=rejected)


def counted_labels(grammar: CoreGrammar, plan: Plan) -> tuple[str, ...]:
    """Return the recursive relations of the graphs, sorted, which the column ``features`` counts; ``acl:relcl`` is one.

    Without graphs there are none, and no such column.
    """
    layer = grammar.graph_layer(plan.lemma_layer) if plan.lemma_layer else None
    edges = (edge for rule in grammar.rules if layer is not None for edge in rule.fragments[layer].edges)
    labels = {edge.label for edge in edges if not edge.label.startswith(EXTRACTED)}
    return tuple(sorted(label for label in labels if label.partition(":")[0] in RECURSIVE_RELATIONS))


def manifest(
    grammar: CoreGrammar,
    plan: Plan,
    provenance: Provenance,
    samples: Sequence[StratumSample],
    guarantees: Sequence[Guarantee],
    files: Sequence[DataFile],
    readings: Mapping[str, Readings] | None = None,
) -> dict[str, Any]:
    """Return the manifest as plain data, in its order; ``readings`` are by stream."""
    items, build = sum(len(sample.numbers) for sample in samples), provenance.build
    return {
        "format": FORMAT,
        "name": provenance.name,
        "title": provenance.title,
        **({"release": plain(provenance.release)} if provenance.release else {}),
        "identity": identity(provenance.fingerprint, plan.seed, items, build),
        "compiler": {"version": __version__, "edition": EDITION, **({"build": build} if build else {})},
        "grammar": {
            "sha256": provenance.fingerprint,
            "files": [{"path": p, "sha256": digest} for p, digest in provenance.files.items()],
        },
        "parameters": dict(sorted(provenance.parameters.items())),
        "seed": plan.seed,
        "random": SCHEME,
        "layers": {
            "source": plan.source,
            "target": plan.target,
            "further": list(plan.further),
            "text": [layer.name for layer in grammar.text_layers],
            "graph": stated(grammar.graph_layers),
            "views": stated(grammar.views),
            **({"written": list(plan.graphs)} if plan.graphs else {}),
            **({"counted": counted} if (counted := [*counted_labels(grammar, plan)]) else {}),
        },
        "distinct": {
            "sentences": plan.distinct_sentences,
            "lemmas": list(plan.distinct_lemmas),
            "layer": plan.lemma_layer,
        },
        "ambiguous": {"policy": plan.ambiguous.value, "layer": plan.source},
        "splits": _splits(samples, readings or {}),
        "patterns": stated(plan.patterns),
        "parts": stated(plan.parts),
        "nowhere": stated(plan.nowhere),
        "guarantees": plain(list(guarantees)),
        "files": plain(list(files)),
    }


def _splits(samples: Sequence[StratumSample], readings: Mapping[str, Readings]) -> dict[str, Any]:
    splits: dict[str, Any] = {}
    for sample in samples:
        stratum = sample.stratum
        split = splits.setdefault(stratum.split, {"items": 0, "strata": []})
        split["items"] += len(sample.numbers)
        split["strata"].append(
            {
                "category": stratum.category,
                "stream": stratum.stream,
                "extent": stated(stratum.extent),
                "count": len(sample.numbers),
                "candidates": sample.candidates,
                "rejected": dict(sorted(sample.rejected.items())),
                "shares": sample.shares,
                "readings": plain(readings.get(stratum.stream)),
            }
        )
    return splits


def computed(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the targets that an author's template computes, each with the layers that it reads, as text."""
    layers = manifest["layers"]
    views, targets = {view["name"]: view for view in layers["views"]}, (layers["target"], *layers["further"])
    own = [views[name] for name in targets if name in views and views[name].get("template")]
    graphs = {number: layer["name"] for number, layer in enumerate(layers["graph"])}
    return {view["name"]: " and ".join(view.get("reads") or [graphs.get(view["layer"], "")]) for view in own}


#: Reasons for rejection whose name does not explain them.
_REJECTED = {UNEXPOSED_WORD: "a word that no sentence of train has"}


def rejected_in_words(rejected: Mapping[str, int]) -> str:
    """Return the number of rejected candidates by reason; empty if none were rejected."""
    found = {_REJECTED.get(name, name.replace("_", " ")): number for name, number in sorted(rejected.items()) if number}
    return ", ".join(f"{number:,} for {reason}" for reason, number in found.items())


def _strata(manifest: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Extent]]:
    for split in manifest["splits"].values():
        for stratum in split["strata"]:
            yield stratum, Extent(**stratum["extent"])


def left_out(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return for each stream that wants every sentence but lacks some the numbers and the reasons."""
    found = {}
    for stratum, extent in (pair for pair in _strata(manifest) if pair[1].every):
        # A repeated sentence is in the data, through another part or another derivation.
        missing = {name: n for name, n in stratum["rejected"].items() if n and name != REPEATED_SENTENCE}
        if missing:
            kept, lost = stratum["count"] // extent.copies, sum(missing.values())
            why = rejected_in_words(missing)
            why = why if len(missing) > 1 else why.partition(" for ")[2]
            found[stratum["stream"]] = f"{kept:,} of {kept + lost:,} sentences; {lost:,} left out: {why}"
    return found


def remarks(manifest: Mapping[str, Any], *, fewer: bool = False) -> dict[str, list[str]]:
    """Return by stream what the terminal, the report and the card say of a stratum beside its number of items.

    With ``fewer``, strata that have as many items as were wanted are omitted.
    """
    lost = left_out(manifest)
    found = {own["stream"]: (own, extent) for own, extent in _strata(manifest)}
    if fewer:
        found = {name: (own, extent) for name, (own, extent) in found.items() if own["count"] < extent.rows}
    return {name: [*extent.remarks(len(own["shares"]), lost.get(name, ""))] for name, (own, extent) in found.items()}


def target_shares(stratum: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of items of each target that has a share of a stratum."""
    return {target: stratum["shares"][target] for target in stratum["extent"].get("targets", ())}


def write_manifest(directory: Path, content: Mapping[str, Any]) -> None:
    """Write ``manifest.json`` into ``directory``."""
    text = json.dumps(content, ensure_ascii=False, indent=2)
    write(directory / MANIFEST, text + "\n")
