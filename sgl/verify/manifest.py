"""The parts of a manifest that the checks use; the classes define its format.

A field is a member of that name and type, optional if it has a default; members without a field are ignored.  A missing
member or a wrong type raises ``ManifestError`` with its path. Structures stay text; each distinct text gets a number,
and is read and searched once.
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

#: The policies for ambiguous strings.
POLICIES = REJECT, LIST, REPORT, IGNORE = "reject", "list", "report", "ignore"


@dataclass(frozen=True, slots=True)
class ReadingCounts:
    """Numbers of strings in a stratum; ``patterns`` counts those with a structure that each pattern holds out."""

    parsed: int
    several: int
    held_out: int
    outputs: int
    ambiguous: int
    patterns: dict[str, int]


@dataclass(frozen=True, slots=True)
class RejectionCounts:
    """The numbers of rejected candidates of a stratum, by reason."""

    ambiguous: int
    too_long: int = 0
    repeated_lemma: int = 0
    unexposed_word: int = 0
    share_full: int = 0
    repeated_sentence: int = 0


@dataclass(frozen=True, slots=True)
class Stratum:
    """The rows of a stratum; ``count`` is their number, including copies.

    ``shares`` counts items by target lemma, or by the words of the instance; without ``readings`` nothing was parsed.
    If every derivation is drawn, the extent's count is the number of candidates.
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
    """A listed file: relative path, SHA-256, number of rows."""

    path: str
    sha256: str
    rows: int = 0


@dataclass(frozen=True, slots=True)
class GrammarDigest:
    """The fingerprint of grammar and plan, and the author's files that they were made from."""

    sha256: str
    files: tuple[DataFile, ...] = ()

    def packed(self) -> tuple[DataFile, ...]:
        """Return the files packed with the data; empty for a dataset of an older version."""
        return tuple(file for file in self.files if file.path.startswith(f"{GRAMMAR}/"))


@dataclass(frozen=True, slots=True)
class Layers:
    """The layers of the first two columns of the data, and further targets, which have files of their own.

    ``written`` are the graph layers besides the first that have such files.
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
    """What must be distinct; ``layer`` is the graph layer of the CoNLL-U files."""

    layer: str
    sentences: bool
    lemmas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StringPolicy:
    """The policy for ambiguous strings."""

    policy: str


@dataclass(frozen=True, slots=True)
class GuaranteeClaim:
    """A claim about a pattern, with the method that established it and the result."""

    pattern: str
    claim: str
    method: str
    result: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The parts of a manifest that the checks use; without ``ambiguous`` it has no claims about strings."""

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
        """Return the names of the CoNLL-U comments with the source and the target."""
        anchor = {graph.name: graph.anchor for graph in self.layers.graph}[self.distinct.layer]
        layers = (self.layers.source, self.layers.target)
        return tuple("text" if layer == anchor else f"text_{layer}" for layer in layers)

    def strata(self) -> dict[str, Stratum]:
        """Return all strata by their streams."""
        return {stratum.stream: stratum for claim in self.splits.values() for stratum in claim.strata}


class ManifestError(ValueError):
    """The manifest is malformed; the message says where."""


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
    # Check the format first: other formats may differ in everything else.
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
    """Return the format of manifests, which numbers distinct structures in ``clauses``."""

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
