"""The manifest, which states a dataset's content, origin and claims, and the card, its readable form.

``manifest.json`` is the file from which the independent verifier starts.  It has no timestamps and no paths of the
machine that wrote it, so that equal inputs give equal bytes.  All structures are in the author's notation.

The card, ``README.md``, is for people and for dataset hubs: its YAML block (Hugging Face *dataset cards*) names a
Parquet file for every split.  A release has more files, so that programs and people can load, cite and judge it.
Templates produce them all from the manifest alone: ``croissant.json`` (Croissant 1.1, which search engines and loaders
read), ``CITATION.cff``, ``LICENSE``, ``DATASHEET.md`` and ``CANARY.txt``, to detect the data in training corpora of
models.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgl import EDITION, __version__
from sgl.core.encoding import plain, stated
from sgl.core.grammar import CoreGrammar
from sgl.core.plan import LOADED, Ambiguous, Plan, Release, known
from sgl.dataset.fingerprint import identity
from sgl.dataset.staged import FORMAT, MANIFEST
from sgl.disk import write
from sgl.foreign.json import JsonValue
from sgl.sampling.acceptance import REPEATED_SENTENCE, UNEXPOSED_WORD
from sgl.sampling.engine import SCHEME
from sgl.sampling.strata import StratumSample

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.runtime import Context


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

    ``fingerprint`` is the SHA-256 of the grammar and plan in canonical form; ``files`` has the SHA-256 of each file of
    the grammar by its path inside the dataset; ``parameters`` are the declared parameters with their values;
    ``release`` is the declared publication data.
    """

    name: str
    title: str
    fingerprint: str
    files: Mapping[str, str]
    parameters: Mapping[str, str | int | float]
    release: Release | None = None


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


def manifest(
    grammar: CoreGrammar,
    plan: Plan,
    provenance: Provenance,
    samples: Sequence[StratumSample],
    guarantees: Sequence[Guarantee],
    files: Sequence[DataFile],
    readings: Mapping[str, Readings] | None = None,
) -> dict[str, Any]:
    """Return the manifest as plain data, in order; ``readings`` are by stream."""
    items = sum(len(sample.numbers) for sample in samples)
    return {
        "format": FORMAT,
        "name": provenance.name,
        "title": provenance.title,
        **({"release": plain(provenance.release)} if provenance.release else {}),
        "identity": identity(provenance.fingerprint, plan.seed, items),
        "compiler": {"version": __version__, "edition": EDITION},
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


#: Reasons for rejection whose name does not explain them.
_REJECTED = {UNEXPOSED_WORD: "a word that no sentence of train has"}


def rejected_in_words(rejected: Mapping[str, int]) -> str:
    """Return the number of rejected candidates by reason; empty if none were rejected."""
    found = {_REJECTED.get(name, name.replace("_", " ")): number for name, number in sorted(rejected.items()) if number}
    return ", ".join(f"{number:,} for {reason}" for reason, number in found.items())


def left_out(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each stream that wants every sentence but lacks some, with the numbers and the reasons."""
    strata = [stratum for split in manifest["splits"].values() for stratum in split["strata"]]
    for stratum in (stratum for stratum in strata if "every" in stratum["extent"]):
        # A repeated sentence is in the data, through another part or another derivation.
        missing = {name: n for name, n in stratum["rejected"].items() if n and name != REPEATED_SENTENCE}
        if missing:
            kept, lost = stratum["count"] // stratum["extent"].get("copies", 1), sum(missing.values())
            why = rejected_in_words(missing)
            why = why if len(missing) > 1 else why.partition(" for ")[2]
            yield stratum["stream"], f"{kept:,} of {kept + lost:,} sentences; {lost:,} left out: {why}"


def write_manifest(directory: Path, content: Mapping[str, Any]) -> None:
    """Write ``manifest.json`` into ``directory``."""
    text = json.dumps(content, ensure_ascii=False, indent=2)
    write(directory / MANIFEST, text + "\n")


#: Size classes of dataset hubs, each ten times the one before.
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "n>10M")


#: The beginning of an HTML element in Markdown, and the end of a link's text.
_OBEYED = re.compile(r"<(?=[A-Za-z/!?])|(?<=\])(?=[(\[])")


class _Quoted(str):
    """A text that is already quoted for YAML."""

    __slots__ = ()


def _shown(context: "Context", value: object) -> object:
    """Return a value escaped for a Markdown page, where it must not act as markup; YAML is already quoted."""
    if not isinstance(value, str) or isinstance(value, _Quoted) or not str(context.name).endswith(".md.j2"):
        return value
    return _OBEYED.sub(lambda found: "&lt;" if found[0] else "\\", value)


@cache
def templates() -> "Environment":
    """Return the template environment for the texts of a dataset."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context, select_autoescape

    environment = Environment(
        loader=PackageLoader("sgl.dataset"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(),  # off: the results are Markdown, JSON and YAML, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=pass_context(_shown),
    )
    environment.filters["yaml"] = lambda text: _Quoted(json.dumps(text, ensure_ascii=False))
    environment.filters["cell"] = lambda text: str(text).replace("|", "\\|")
    return environment


def descriptions(manifest: Mapping[str, Any], sentences: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of the files that describe a dataset: the card, and more for a release.

    ``sentences`` are the claims of the patterns in words.
    """
    values = (
        {"release": None, "sentences": sentences}
        | values_of(manifest)
        | (release_values(manifest) if "release" in manifest else {})
    )
    more = ("croissant.json", "CITATION.cff", "LICENSE", "DATASHEET.md", "CANARY.txt")
    for name in ("README.md", *(more if values["release"] else ())):
        text = templates().get_template(f"{name}.j2").render(values)
        if name == "croissant.json":
            text = json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"
        if text.strip():
            yield name, text


def values_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values for the templates: the manifest, and figures derived from it."""
    items = sum(split["items"] for split in manifest["splits"].values())
    strata = [stratum for split in manifest["splits"].values() for stratum in split["strata"]]
    layers = manifest["layers"]
    tests: Counter[str] = Counter()
    shares: dict[str, Counter[str]] = defaultdict(Counter)
    for stratum in strata:
        tests[stratum["category"]] += stratum["count"]
        shares[stratum["category"]].update(stratum["shares"])
    return {
        "manifest": manifest,
        "items": items,
        "targets": " and ".join(f"`{name}`" for name in (layers["target"], *layers["further"])),
        "strings": string_figures(manifest).sentence,
        "size": _SIZES[min(max(len(str(items)) - 3, 0), len(_SIZES) - 1)],
        "repeated": [stratum["category"] for stratum in strata if "repeated" in stratum["extent"]],
        "shares": shares,
        "tests": tests,
        "left_out": dict(left_out(manifest)),
        "loaded": {split: LOADED.get(split, split) for split in manifest["splits"]},
    }


def release_values(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the further values for the templates of a released dataset."""
    release = manifest["release"]
    name = release["licence"]
    licence = known()["licences"].get(name, {"name": name, "url": release["homepage"], "hub": "other"})
    title = manifest["title"] or manifest["name"]
    authors = [author.partition(", ")[::2] for author in release["authors"]]
    names = [" ".join(filter(None, (given, family))) for family, given in authors]
    year = release["date"][:4]
    cite = f"{' and '.join(names)}{f' ({year})' if year else ''}. {title}, version {release['version']}."
    return {
        "release": release,
        "licence": licence,
        "title": title,
        "authors": authors,
        "names": names,
        "cite": release["cite"] or cite,
        "columns": known()["columns"] | {f"target_{x}": f"The target `{x}`." for x in manifest["layers"]["further"]},
    }
