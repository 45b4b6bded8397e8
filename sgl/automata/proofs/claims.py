"""What is proved about a plan, as values.

Each claim has a verdict; a refuted claim carries a *witness*, a derivation that is a sentence.
Beside the claims stand findings that are neither right nor wrong.
"""

from dataclasses import dataclass
from enum import Enum

from sgl.automata.proofs.compiler import Conflict
from sgl.core.interpret import Derivation
from sgl.core.structure import Structure


class Verdict(Enum):
    """Whether a claim holds.

    ``WAIVED``: it does not, and the author says that it need not.  ``NOTHING``: there are no sentences that it would
    be about, and it is not refuted.
    """

    PROVED = "proved"
    REFUTED = "refuted"
    WAIVED = "waived"
    NOTHING = "nothing claimed"


class IngredientKind(Enum):
    """What kind of ingredient an item is made of."""

    WORD = "word"
    ENTRY = "entry"
    FORM = "form"
    RULE = "rule"


class Reason(Enum):
    """Why training need not contain something, or ``MISSING``."""

    TARGET = "target"
    STRUCTURE = "with the structure"
    TOGETHER = "held out together"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Unseen:
    """Something that items can use and training cannot; ``rules`` are ids that provide it."""

    kind: IngredientKind
    name: str
    reason: Reason
    rules: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The claim that no training stratum derives ``structure``.

    ``asserted`` tells ``assert never`` from ``forbid``.  ``mass`` is the probability of the structure under the
    author's grammar, ``train_mass`` under the in-distribution training grammar. If the claim fails, ``stream`` is the
    first training stratum that derives the structure and ``witness`` the smallest of its texts that contain it.
    """

    structure: Structure
    asserted: bool
    verdict: Verdict
    mass: float
    train_mass: float
    stream: str | None = None
    witness: Derivation | None = None

    @property
    def vacuous(self) -> bool:
        """Whether no text of the author's grammar contains the structure; never of an assertion."""
        return self.mass == 0.0 and not self.asserted


@dataclass(frozen=True, slots=True)
class Licence:
    """The claim that training contains ``structure``.

    ``mass`` is its probability in the in-distribution training grammar; ``expected`` the expected number of training
    sentences that contain it, those of the pattern's own exposures included; ``short`` the probability that there are
    fewer than the ``minimum``; ``example`` the smallest. The claim fails if that number is 0; ``conflict`` are then
    the clauses that exclude the part, or ``None`` if no single stratum has them.
    """

    structure: Structure
    minimum: int
    verdict: Verdict
    mass: float
    expected: float
    short: float
    example: Derivation | None
    conflict: Conflict | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """The claim that training contains ``structure``, a piece of ``whole``, which is held out.

    If it holds, ``example`` is a text of the training stratum ``stream`` with the piece; if it is
    refuted, ``conflict`` are the clauses that exclude it.
    """

    structure: Structure
    whole: Structure
    verdict: Verdict
    stream: str | None = None
    example: Derivation | None = None
    conflict: Conflict | None = None


@dataclass(frozen=True, slots=True)
class Exposed:
    """The claim that training can use all that a pattern's items are made of.

    ``counts`` are the numbers of things of each kind that items can use, none without items or training; ``unseen``
    those that training cannot, each with its reason.  The claim fails if one is missing without an excuse, or if each
    item of a stratum has a word that training lacks: no item can then be drawn for these ``barred`` streams.
    """

    counts: tuple[tuple[IngredientKind, int], ...]
    unseen: tuple[Unseen, ...]
    barred: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[Unseen, ...]:
        """What training lacks without an excuse."""
        return tuple(thing for thing in self.unseen if thing.reason is Reason.MISSING)

    @property
    def excused(self) -> tuple[Unseen, ...]:
        """What training need not have, because the pattern is about it."""
        return tuple(thing for thing in self.unseen if thing.reason is not Reason.MISSING)

    @property
    def verdict(self) -> Verdict:
        """Proved if nothing is missing."""
        if self.missing or self.barred:
            return Verdict.REFUTED
        return Verdict.PROVED if self.counts else Verdict.NOTHING


@dataclass(frozen=True, slots=True)
class Instance:
    """The claim about the items of one generalization stratum.

    ``problem`` is the excluded structure that ``witness`` contains, or ``None`` if it lacks a required one.  ``mass``
    is the probability of the stratum under the author's grammar, ``example`` its smallest text.  ``conflict``
    explains an empty stratum, of which the claim is refuted.
    """

    stream: str
    category: str
    verdict: Verdict
    mass: float
    spectral_radius: float
    expected_tokens: float
    example: Derivation | None
    problem: Structure | None = None
    witness: Derivation | None = None
    conflict: Conflict | None = None


@dataclass(frozen=True, slots=True)
class Disjoint:
    """A stratum of items shares no text with training, or ``witness`` with ``train_stream``."""

    stream: str
    verdict: Verdict
    train_stream: str | None = None
    witness: Derivation | None = None


Claim = HeldOut | Licence | Piece | Instance | Exposed | Disjoint


@dataclass(frozen=True, slots=True)
class PatternProofs:
    """Everything claimed about one pattern; ``idle_waivers`` are structures that waive nothing."""

    name: str
    held_out: tuple[HeldOut, ...]
    licences: tuple[Licence, ...]
    pieces: tuple[Piece, ...]
    instances: tuple[Instance, ...]
    exposed: Exposed
    disjoint: tuple[Disjoint, ...]
    idle_waivers: tuple[Structure, ...] = ()

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All claims."""
        return (*self.held_out, *self.licences, *self.pieces, *self.instances, self.exposed, *self.disjoint)

    @property
    def proved(self) -> bool:
        """Whether no claim is refuted."""
        return all(claim.verdict is not Verdict.REFUTED for claim in self.claims)


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    """A stratum without any text, with the clauses that are in conflict."""

    stream: str
    conflict: Conflict


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two generalization strata of different patterns that share ``witness``."""

    first: str
    second: str
    witness: Derivation


@dataclass(frozen=True, slots=True)
class Nesting:
    """Every text with ``inner`` also contains ``outer``, held out by another pattern."""

    inner_pattern: str
    inner: Structure
    outer_pattern: str
    outer: Structure


@dataclass(frozen=True, slots=True)
class Unused:
    """Rules and words, by id, that some text of the grammar uses, and no stratum of ``split``."""

    split: str
    rules: tuple[int, ...]
    words: tuple[int, ...]


@dataclass(frozen=True)
class DrawnNeed:
    """A part drawn in ``count`` sentences for clause ``index``; training would have had ``expected`` ones."""

    pattern: str
    index: int
    structure: Structure
    count: int
    expected: float


@dataclass(frozen=True, slots=True)
class Proofs:
    """Everything proved and found about a plan; ``drawn`` is what it has because it is needed."""

    patterns: tuple[PatternProofs, ...]
    unsatisfiable: tuple[Unsatisfiable, ...]
    overlaps: tuple[Overlap, ...]
    nestings: tuple[Nesting, ...]
    unused: tuple[Unused, ...]
    drawn: tuple[DrawnNeed, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether all claims hold and every stratum has texts."""
        return not self.unsatisfiable and all(pattern.proved for pattern in self.patterns)

    def of(self, pattern: str) -> PatternProofs:
        """Return the claims about a pattern; raises ``KeyError``."""
        return {proofs.name: proofs for proofs in self.patterns}[pattern]
