"""What a manifest says, as far as the checks use it: the classes here are its format.

A field is a member of that name and kind, and one with a default may be missing; members without a
field are ignored.  What is missing or of another kind raises ``ManifestError`` with its path.
Structures stay text; each distinct text gets a number, under which it is read and searched once.
"""

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from sgl import foreign
from sgl.foreign import ForeignFileError, read_bytes
from sgl.foreign.json import json_of

FORMAT = "sgl-dataset/2"
MANIFEST, CERTIFICATE = "manifest.json", "certificate.json"
SPLITS = ("train", "dev", "test", "gen")

#: What may be done with ambiguous strings.
POLICIES = REJECT, REPORT, IGNORE = "reject", "report", "ignore"


@dataclass(frozen=True, slots=True)
class Clause:
    """A structure where it is written: its text, the place, and its number."""

    text: str
    place: str
    number: int


@dataclass(frozen=True, slots=True)
class Need:
    """A structure that a number of sentences of train must contain."""

    structure: Clause
    minimum: int


@dataclass(frozen=True, slots=True)
class Exposure:
    """A structure with its number of exposures, of which targets may have equal shares."""

    structure: Clause
    count: int
    each_target: bool = False


@dataclass(frozen=True, slots=True)
class QuotaClaim:
    """``count`` items with all of ``within``, one of each ``within_one_of``, none of ``outside``.

    With ``each_target`` targets have equal shares; ``every`` such item may be asked for.  With ``contexts`` so many
    items have the same instance of a structure of the pattern.
    """

    count: int
    within: tuple[Clause, ...]
    outside: tuple[Clause, ...]
    within_one_of: tuple[tuple[Clause, ...], ...] = ()
    each_target: bool = False
    split: str = ""
    every: bool = False
    copies: int = 1
    contexts: int = 0


@dataclass(frozen=True, slots=True)
class PatternClaim:
    """One type of generalization, as declared; see the language reference."""

    name: str
    layer: str
    forbid: tuple[Clause, ...]
    never: tuple[Clause, ...]
    gen: tuple[Clause, ...]
    exclude: tuple[Clause, ...]
    reserved: tuple[Clause, ...]
    need: tuple[Need, ...]
    expose: tuple[Exposure, ...]
    quotas: tuple[QuotaClaim, ...]
    allow: tuple[str, ...]
    targets: tuple[str, ...] = ()

    @property
    def held_out(self) -> tuple[Clause, ...]:
        """What no sentence of train, dev or test contains."""
        return (*self.forbid, *self.never)

    @property
    def instances(self) -> tuple[Clause, ...]:
        """Of which every generalization item contains one."""
        return self.gen or self.held_out


@dataclass(frozen=True, slots=True)
class PartClaim:
    """Sentences that belong to no pattern; they contain one of ``only``.

    Generalization items may contain these as well if the part is ``tested``.  With ``repeated_lemmas`` a lemma may
    occur twice in one of them.  ``allow``: patterns whose reserved structures they may contain.
    """

    name: str
    only: tuple[Clause, ...]
    quotas: tuple[QuotaClaim, ...]
    repeated_lemmas: bool
    allow: tuple[str, ...]
    tested: bool = False


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
    """``count`` items of a category in a split; ``repeated`` ones may be equal.

    ``shares`` are the items of targets, by lemma, or of instances, by their words; without ``readings`` nothing was
    parsed. ``every`` derivation is an item or was rejected; all of its ``copies`` count.
    """

    category: str
    count: int
    stream: str
    rejected: RejectionCounts
    readings: ReadingCounts | None
    repeated: bool = False
    shares: dict[str, int] = field(default_factory=dict)
    every: bool = False
    copies: int = 1
    contexts: int = 0


@dataclass(frozen=True, slots=True)
class SplitClaim:
    """The number of items of a split, and its strata."""

    items: int
    strata: tuple[Stratum, ...]


@dataclass(frozen=True, slots=True)
class CompilerVersion:
    """The compiler that has written the dataset, and the language edition that it reads."""

    version: str
    edition: str


@dataclass(frozen=True, slots=True)
class GrammarDigest:
    """The fingerprint of grammar and plan."""

    sha256: str


@dataclass(frozen=True, slots=True)
class DataFile:
    """A listed file: path inside the dataset, SHA-256, number of rows."""

    path: str
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class GraphLayer:
    """A graph layer, and the text layer of its tokens; one that is ``free`` is no tree."""

    name: str
    anchor: str
    free: bool = False


@dataclass(frozen=True, slots=True)
class Layers:
    """What the first two columns of the data are, and further targets, with files of their own.

    ``written`` are the graph layers beside the first that have such files.
    """

    source: str
    target: str
    graph: tuple[GraphLayer, ...]
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
        """Return the comments in the CoNLL-U files that hold the source and the targets."""
        anchor = {graph.name: graph.anchor for graph in self.layers.graph}[self.distinct.layer]
        layers = (self.layers.source, self.layers.target, *self.layers.further)
        return tuple("text" if layer == anchor else f"text_{layer}" for layer in layers)


#: Numbers have at most twenty digits, as in a certificate.
LIMIT = 10**20

#: NUL, and halves of characters that JSON can spell but UTF-8 cannot.
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")

#: What values in the file are called.
_KINDS = {str: "a string", int: "a whole number", bool: "true or false", list: "a list", dict: "an object"}

Value = TypeVar("Value")
Kind = Any  # the type of a field
Json = Any  # what a value becomes


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
    if _expect(found, str, "format") != FORMAT:
        raise ManifestError(f"format: {found!r} is not {FORMAT!r}")
    clauses: dict[str, Clause] = {}
    manifest: Manifest = _read(Manifest, content, "", clauses)
    for contradiction in _contradictions(manifest):
        raise ManifestError(contradiction)
    return manifest, tuple(clauses.values())


def _contradictions(manifest: Manifest) -> Iterator[str]:
    layer = manifest.distinct.layer
    if layer not in {graph.name for graph in manifest.layers.graph}:
        yield f"distinct.layer: there is no graph layer {layer!r}"
    for name in manifest.splits:
        if name not in SPLITS:
            yield f"splits.{name}: a split is one of {', '.join(SPLITS)}"
    if manifest.ambiguous and manifest.ambiguous.policy not in POLICIES:
        yield f"ambiguous.policy: one of {', '.join(POLICIES)} expected"
    names = [pattern.name for pattern in manifest.patterns]
    for rank, name in enumerate(names):
        if names.index(name) < rank:
            yield f"patterns[{rank}].name: {name!r} occurs twice"
    claims = [(f"patterns[{rank}]", own.allow) for rank, own in enumerate(manifest.patterns)]
    claims += [(f"parts[{rank}]", own.allow) for rank, own in enumerate(manifest.parts)]
    for place, allow in claims:
        for name in [name for name in allow if name not in names]:
            yield f"{place}.allow: there is no pattern {name!r}"


def _read(kind: Kind, value: object, path: str, clauses: dict[str, Clause]) -> Json:
    if kind is Clause:
        text = _expect(value, str, path)
        known = clauses.get(text)
        clause = Clause(text, path, known.number if known else len(clauses))
        clauses.setdefault(text, clause)
        return clause
    if is_dataclass(kind):
        create: Kind = kind
        members, found = _expect(value, dict, path), {}
        for name, (type_, required) in _fields(create).items():
            place = f"{path}.{name}" if path else name
            if name in members:
                found[name] = _read(type_, members[name], place, clauses)
            elif required:
                raise ManifestError(f"{place}: missing")
        return create(**found)
    origin: Kind = get_origin(kind)
    inner = get_args(kind)
    if origin is tuple:
        elements = enumerate(_expect(value, list, path))
        return tuple(_read(inner[0], v, f"{path}[{rank}]", clauses) for rank, v in elements)
    if origin is dict:
        members = _expect(value, dict, path)
        return {k: _read(inner[1], v, f"{path}.{k}", clauses) for k, v in members.items()}
    if origin is UnionType:
        return None if value is None else _read(inner[0], value, path, clauses)
    return _expect(value, kind, path)


@cache
def _fields(kind: type) -> dict[str, tuple[Any, bool]]:
    """Return the fields of a class, each with its type and whether it is required; the others must not be null."""
    types, found = get_type_hints(kind), {}
    for own in fields(kind):
        type_, required = types[own.name], own.default is own.default_factory is MISSING
        if not required and get_origin(type_) is UnionType:
            type_ = get_args(type_)[0]
        found[own.name] = type_, required
    return found


def _expect(value: object, kind: type[Value], path: str) -> Value:
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LIMIT
    wrong = kind is int and not whole
    if wrong or not isinstance(value, kind):
        shown = json.dumps(value)
        if isinstance(value, dict | list):
            shown = _KINDS[type(value)]
        elif len(shown) > 40:
            shown = f"{shown[:39]}…"
        raise ManifestError(f"{path or 'manifest'}: {_KINDS[kind]} expected, found {shown}")
    if isinstance(value, str) and _NOT_TEXT.search(value):
        raise ManifestError(f"{path}: a string with characters that no text has")
    return value
