"""What a manifest says, as far as the checks use it: the classes here are its format.

A field is a member of that name and kind, and one with a default may be missing; members without a
field are ignored.  What is missing or of another kind raises ``ManifestError`` with its path.
Structures stay text; each distinct text gets a number, under which it is read and searched once.
"""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sgl import foreign
from sgl.foreign import ForeignFileError, read_bytes
from sgl.foreign.json import json_of
from sgl.verify.schema_grammar import GraphLayer, GraphView
from sgl.verify.schema_plan import Clause, Exposure, ExtentClaim, Need, PartClaim, PatternClaim, QuotaClaim
from sgl.verify.typed import Format, FormError, expected

__all__ = ["Clause", "Exposure", "ExtentClaim", "GraphLayer", "Need", "PartClaim", "PatternClaim", "QuotaClaim"]

FORMAT = "sgl-dataset/3"
MANIFEST, CERTIFICATE, GRAMMAR = "manifest.json", "certificate.json", "grammar"
SPLITS = ("train", "dev", "test", "gen")

#: What may be done with ambiguous strings.
POLICIES = REJECT, LIST, REPORT, IGNORE = "reject", "list", "report", "ignore"


@dataclass(frozen=True, slots=True)
class ReadingCounts:
    """Statistics of a stratum in numbers of strings; ``patterns`` counts those with what each pattern holds out."""

    parsed: int
    several: int
    held_out: int
    outputs: int
    ambiguous: int
    patterns: dict[str, int]


@dataclass(frozen=True, slots=True)
class RejectionCounts:
    """The candidates of a stratum that were rejected, by the reason."""

    ambiguous: int
    too_long: int = 0
    repeated_lemma: int = 0
    unexposed_word: int = 0
    share_full: int = 0
    repeated_sentence: int = 0


@dataclass(frozen=True, slots=True)
class Stratum:
    """The rows of a category in a split; ``count`` is their number, with all copies.

    ``shares`` are the items of targets, by lemma, or of instances, by their words; without ``readings`` nothing was
    parsed.  If every derivation is an item or was rejected, the count of the extent is that of the candidates.
    """

    category: str
    stream: str
    extent: ExtentClaim
    count: int
    rejected: RejectionCounts
    readings: ReadingCounts | None
    shares: dict[str, int] = field(default_factory=dict)
    candidates: int | None = None


@dataclass(frozen=True, slots=True)
class SplitClaim:
    """The number of items of a split, and its strata."""

    items: int
    strata: tuple[Stratum, ...]


@dataclass(frozen=True, slots=True)
class CompilerVersion:
    """The compiler that has written the dataset, the language edition that it reads, and its state."""

    version: str
    edition: str
    build: str = ""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A listed file: path inside the dataset, SHA-256, number of rows."""

    path: str
    sha256: str
    rows: int = 0


@dataclass(frozen=True, slots=True)
class GrammarDigest:
    """The fingerprint of grammar and plan, and the files of the author that they were made from."""

    sha256: str
    files: tuple[DataFile, ...] = ()

    def packed(self) -> tuple[DataFile, ...]:
        """Return the files that travel with the data: none of a dataset that an older version has written."""
        return tuple(file for file in self.files if file.path.startswith(f"{GRAMMAR}/"))


@dataclass(frozen=True, slots=True)
class Layers:
    """What the first two columns of the data are, and further targets, with files of their own.

    ``written`` are the graph layers beside the first that have such files.
    """

    source: str
    target: str
    graph: tuple[GraphLayer, ...]
    text: tuple[str, ...] = ()
    views: tuple[GraphView, ...] = ()
    further: tuple[str, ...] = ()
    written: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Distinct:
    """What may not be repeated; ``layer`` is the graph layer of the CoNLL-U files."""

    layer: str
    sentences: bool
    lemmas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StringPolicy:
    """What was done with ambiguous strings."""

    policy: str


@dataclass(frozen=True, slots=True)
class GuaranteeClaim:
    """A claim about a pattern: by which method it was established, with which result."""

    pattern: str
    claim: str
    method: str
    result: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the checks use of a manifest; without ``ambiguous`` it says nothing of strings."""

    format: str
    name: str
    identity: str
    compiler: CompilerVersion
    grammar: GrammarDigest
    seed: int
    layers: Layers
    distinct: Distinct
    splits: dict[str, SplitClaim]
    patterns: tuple[PatternClaim, ...]
    files: tuple[DataFile, ...]
    parts: tuple[PartClaim, ...] = ()
    nowhere: tuple[Clause, ...] = ()
    ambiguous: StringPolicy | None = None
    guarantees: tuple[GuaranteeClaim, ...] = ()

    def texts(self) -> tuple[str, ...]:
        """Return the comments in the CoNLL-U files that hold the source and the target."""
        anchor = {graph.name: graph.anchor for graph in self.layers.graph}[self.distinct.layer]
        layers = (self.layers.source, self.layers.target)
        return tuple("text" if layer == anchor else f"text_{layer}" for layer in layers)

    def strata(self) -> dict[str, Stratum]:
        """Return all strata by their streams."""
        return {stratum.stream: stratum for claim in self.splits.values() for stratum in claim.strata}


class ManifestError(ValueError):
    """The manifest is not what it should be; the message says where."""


def read_manifest(directory: Path) -> tuple[Manifest, tuple[Clause, ...]]:
    """Return the manifest and its structures by number; raises ``ManifestError``."""
    try:
        path = directory / MANIFEST
        text = read_bytes(path, foreign.MANIFEST, inside=directory)
        if text.startswith(codecs.BOM_UTF8):
            raise ManifestError(f"{MANIFEST} begins with a byte order mark, which is invisible")
        content = json_of(text, path)
    except ForeignFileError as problem:
        raise ManifestError(f"{MANIFEST} cannot be read: {problem.strerror}") from None
    # In another format all else may be otherwise: this is asked first.
    found = content.get("format", FORMAT) if isinstance(content, dict) else FORMAT
    clauses: dict[str, Clause] = {}
    try:
        if expected(found, str) != FORMAT:
            raise ManifestError(f"format: {found!r} is not {FORMAT!r}")
        manifest: Manifest = _format(clauses).read(Manifest, content)
    except FormError as problem:
        raise ManifestError(f"{problem.path or 'manifest'}: {problem.problem}") from None
    for contradiction in _contradictions(manifest):
        raise ManifestError(contradiction)
    return manifest, tuple(clauses.values())


def _format(clauses: dict[str, Clause]) -> Format:
    """Return how manifests are read; each distinct structure gets a number."""

    def clause(value: Any) -> Clause:  # noqa: ANN401 - JSON
        text: str = expected(value, str)
        known = clauses.get(text)
        found = Clause(text, own.path, known.number if known else len(clauses))
        clauses.setdefault(text, found)
        return found

    own = Format({Clause: clause}, strict=False)
    return own


def _contradictions(manifest: Manifest) -> Iterator[str]:
    layer = manifest.distinct.layer
    if layer not in {graph.name for graph in manifest.layers.graph}:
        yield f"distinct.layer: there is no graph layer {layer!r}"
    for name in manifest.splits:
        if name not in SPLITS:
            yield f"splits.{name}: a split is one of {', '.join(SPLITS)}"
    if manifest.ambiguous and manifest.ambiguous.policy not in POLICIES:
        yield f"ambiguous.policy: one of {', '.join(POLICIES)} expected"
    names = set[str]()
    for rank, name in enumerate(pattern.name for pattern in manifest.patterns):
        if name in names:
            yield f"patterns[{rank}].name: {name!r} occurs twice"
        names.add(name)
    claims = [(f"patterns[{rank}]", own.allow) for rank, own in enumerate(manifest.patterns)]
    claims += [(f"parts[{rank}]", own.allow) for rank, own in enumerate(manifest.parts)]
    for place, allow in claims:
        for name in [name for name in allow if name not in names]:
            yield f"{place}.allow: there is no pattern {name!r}"
