"""The format of certificates: the names and types of the members.

This is the verifier's own copy of what the compiler writes.  A certificate holds texts, whole numbers from 0, ``null``,
lists and objects with exactly these members, in this order; members with their default are left out, and 1 stands for
*true*. docs/certificate.md explains the members.
"""

from dataclasses import dataclass, field

from sgl.verify.schema_grammar import CertifiedGrammar, Flaw
from sgl.verify.schema_plan import DatasetPlan
from sgl.verify.structure import StructureBody


@dataclass(frozen=True, slots=True)
class CoreForm:
    """The meaning of the author's files."""

    grammar: CertifiedGrammar
    plan: DatasetPlan


# ---- structures and their automata

Table = dict[tuple[int, ...], int]  # a symbol and its children's states → the state of the whole


@dataclass(frozen=True, slots=True)
class CertifiedStructure:
    """A structure: its body, its ``without`` bodies, and its automaton.

    A transition is a symbol, the resulting state, and the states of the children.
    """

    name: str
    layer: str
    bodies: tuple[StructureBody, ...]
    transitions: list[list[int]]
    accepting: list[int]

    def __post_init__(self) -> None:
        if not self.bodies or any(len(transition) < 2 for transition in self.transitions):
            raise Flaw("a structure has a body, and each of its transitions a symbol and a state")

    def table(self) -> Table:
        """Return the state for a symbol and the states of its children; of equal transitions, the last counts."""
        return {(symbol, *children): state for symbol, state, *children in self.transitions}


# ---- splits, tables, claims


@dataclass(frozen=True, slots=True)
class CertifiedSplit:
    """The grammar of one constraint; ``drawn`` pairs sampler states with states of the split."""

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
    """The alternatives of a state: the end of each interval, its rule, and its children, the last first."""

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
    """An ingredient that items may have although training lacks it, with the reason."""

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
