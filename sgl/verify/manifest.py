"""What a manifest says, as far as the checks use it: the classes here are its format.

``sgl.verify.manifest_reading`` reads ``manifest.json`` by them.  A field is a member of that
name and kind, and one with a default may be missing; members without a field are ignored.

Structures stay text; each distinct text gets a number, under which it is read and searched once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
class Quota:
    """``count`` items with all of ``within``, one of each ``within_one_of``, none of ``outside``.

    With ``each_target`` the targets of the pattern have equal shares of them.
    """

    count: int
    within: tuple[Clause, ...]
    outside: tuple[Clause, ...]
    within_one_of: tuple[tuple[Clause, ...], ...] = ()
    each_target: bool = False
    split: str = ""


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
    quotas: tuple[Quota, ...]
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

    Generalization items may contain these as well if the part is ``tested``.  With
    ``repeated_lemmas`` a lemma may occur twice in one of them.  ``allow``: patterns
    whose reserved structures they may contain.
    """

    name: str
    only: tuple[Clause, ...]
    quotas: tuple[Quota, ...]
    repeated_lemmas: bool
    allow: tuple[str, ...]
    tested: bool = False


@dataclass(frozen=True, slots=True)
class ReadingCounts:
    """The statistics of a stratum in numbers of strings, as the compiler states them.

    ``patterns`` counts the strings that contain what each pattern holds out.
    """

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

    ``shares`` are the numbers of items that targets have, by lemma; without ``readings``
    the strings were not parsed.
    """

    category: str
    count: int
    stream: str
    rejected: RejectionCounts
    readings: ReadingCounts | None
    repeated: bool = False
    shares: dict[str, int] = field(default_factory=dict)


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
    """A graph layer, and the text layer of its tokens."""

    name: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Layers:
    """What the first two columns of the data are, and further targets, with files of their own."""

    source: str
    target: str
    graph: tuple[GraphLayer, ...]
    further: tuple[str, ...] = ()


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
