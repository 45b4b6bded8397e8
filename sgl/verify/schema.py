"""The format of certificates: what each member is called, and of which kind.

This is the verifier's own copy of what the compiler writes.  A certificate holds texts, whole numbers from 0, ``null``,
lists and objects with exactly these members, in this order; what has its default is left out, and 1 stands for *true*.
docs/certificate.md says what the members mean.
"""

from dataclasses import dataclass, field

from sgl.verify.schema_grammar import CertifiedGrammar, Flaw
from sgl.verify.schema_plan import DatasetPlan

COMPARISONS = ("=", ">=", "<=", "!=")


@dataclass(frozen=True, slots=True)
class CoreForm:
    """What the author's files mean."""

    grammar: CertifiedGrammar
    plan: DatasetPlan


# ---- structures and their automata


@dataclass(frozen=True, slots=True)
class LabelSet:
    """A set of labels, or its complement."""

    labels: tuple[str, ...]
    negated: bool = False

    def passes(self, label: str) -> bool:
        """Return whether a label passes."""
        return (label in self.labels) != self.negated


@dataclass(frozen=True, slots=True)
class ValueTest:
    """A test of an attribute of a node; one without it has the value ""."""

    attribute: str
    values: tuple[str, ...]
    negated: bool = False

    def passes(self, value: str) -> bool:
        """Return whether a value passes."""
        return (value in self.values) != self.negated


@dataclass(frozen=True, slots=True)
class EdgeCount:
    """A test of the number of edges from a node."""

    labels: LabelSet
    comparison: str
    number: int

    def __post_init__(self) -> None:
        if self.comparison not in COMPARISONS[:3]:
            raise Flaw(f"{self.comparison!r} compares no numbers of edges")


@dataclass(frozen=True, slots=True)
class BodyVariable:
    """A variable of a body with its tests."""

    name: str
    tests: tuple[ValueTest, ...] = ()
    degrees: tuple[EdgeCount, ...] = ()


@dataclass(frozen=True, slots=True)
class BodyLink:
    """A walk between variables, by number: one edge, or from ``low`` to ``high`` edges (null: no bound)."""

    source: int
    labels: LabelSet
    target: int
    low: int = 1
    high: int | None = 1


@dataclass(frozen=True, slots=True)
class WordCount:
    """A test of the number of words of a text."""

    layer: str
    comparison: str
    number: int

    def __post_init__(self) -> None:
        if self.comparison not in COMPARISONS:
            raise Flaw(f"{self.comparison!r} compares no lengths")


@dataclass(frozen=True, slots=True)
class Body:
    """A graph pattern: all that decides whether a graph has it."""

    variables: tuple[BodyVariable, ...]
    links: tuple[BodyLink, ...] = ()
    lengths: tuple[WordCount, ...] = ()

    def __post_init__(self) -> None:
        if any(end >= len(self.variables) for link in self.links for end in (link.source, link.target)):
            raise Flaw("a link has an end that is no variable of the body")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(variable.name for variable in self.variables)


@dataclass(frozen=True, slots=True)
class CertifiedStructure:
    """A structure, its ``without`` bodies behind the first, and its automaton.

    A transition is a symbol, the state it leads to, and those of the children.
    """

    name: str
    layer: str
    bodies: tuple[Body, ...]
    transitions: list[list[int]]
    accepting: list[int]

    def __post_init__(self) -> None:
        if not self.bodies or any(len(transition) < 2 for transition in self.transitions):
            raise Flaw("a structure has a body, and each of its transitions a symbol and a state")


# ---- splits, tables, claims


@dataclass(frozen=True, slots=True)
class CertifiedSplit:
    """The grammar of one constraint; ``drawn`` pairs states of the sampler with those of the split."""

    strata: list[int]
    states: list[int]
    transitions: list[list[int]]
    roots: list[int]
    drawn: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        if any(len(transition) < 2 for transition in self.transitions):
            raise Flaw("a transition has a symbol and a state")


@dataclass(frozen=True, slots=True)
class DrawnState:
    """The alternatives of a state: where the interval of each ends, its rule, and its children, the last first."""

    bounds: list[int]
    rules: list[int]
    children: list[list[int]]

    def __post_init__(self) -> None:
        if not len(self.bounds) == len(self.rules) == len(self.children):
            raise Flaw("a state of the sampler has a bound, a rule and children for each of its alternatives")

    def width(self, choice: int) -> int:
        """Return the size of the interval of an alternative."""
        return self.bounds[choice] - (self.bounds[choice - 1] if choice else 0)


@dataclass(frozen=True, slots=True)
class DrawnTables:
    """The states of the sampler, the start of each stratum, and the states of its instances."""

    states: tuple[DrawnState, ...]
    starts: list[int]
    found: list[list[int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Excuse:
    """What items may have although training lacks it, and the reason."""

    kind: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class CertifiedClaim:
    """A claim about a split and structures, by number; the form of its evidence depends on its kind."""

    pattern: str
    claim: str
    kind: str
    split: int
    structures: tuple[int, ...]
    evidence: list[object] | None = None


@dataclass(frozen=True, slots=True)
class CertificateData:
    """A certificate."""

    format: str
    name: str
    core: CoreForm
    digest: str
    seed: int
    symbols: list[int]
    structures: tuple[CertifiedStructure, ...]
    splits: tuple[CertifiedSplit, ...]
    sampler: DrawnTables
    claims: tuple[CertifiedClaim, ...]

    def __post_init__(self) -> None:
        if len(self.symbols) != len(self.core.grammar.rules):
            raise Flaw("not every rule has a symbol")
