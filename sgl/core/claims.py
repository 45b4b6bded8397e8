"""Represent claims about a plan, and their verdicts, by one kind of value from proof to page.

A :class:`Claim` is made where it is decided, and terminal, JSON, report, manifest, editors and programs render it.
``Kind`` and ``Verdict`` define the wording: the name of a claim, its meaning, and the meaning of a verdict::

    held out    pp_in_subject  { V -[nsubj]-> N; N -[nmod]-> M }   proved
    licensed    pp_in_subject  { N -[nmod]-> M }                   proved    "The dog saw the cat on the mat."
    instance    pp_in_subject  gen/pp_in_subject/0                 refuted   "The cat slept."

Findings that are neither right nor wrong are kept next to the claims.
"""

from collections.abc import Iterable
from enum import Enum
from typing import Any, Generic, TypeVar

from sgl.core.interpret import Derivation
from sgl.core.structure import Structure
from sgl.values import dataclass


class Verdict(Enum):
    """Whether a claim holds.

    ``WAIVED``: it fails, and the author says that it need not hold.  ``NOTHING``: it has no sentences to be about, and
    is not refuted.  ``UNCERTIFIED``: it was proved, but the certificate does not show it in full.
    """

    PROVED = "proved"
    CHECKED = "checked"
    PASSED = "passed"
    REFUTED = "refuted"
    FAILED = "failed"
    WAIVED = "waived"
    NOTHING = "nothing claimed"
    EMPTY = "nothing to check"
    NOT_CHECKED = "not checked"
    SKIPPED = "skipped"
    UNCERTIFIED = "not certified"

    @property
    def sign(self) -> str:
        """The sign of the verdict in a table."""
        return next((sign for sign, verdicts in _SIGNS.items() if self in verdicts), "?")

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds, or None if that is open."""
        return {"✓": True, "✗": False}.get(self.sign)


_SIGNS = {
    "✓": (Verdict.PROVED, Verdict.CHECKED, Verdict.PASSED),
    "✗": (Verdict.REFUTED, Verdict.FAILED),
    "~": (Verdict.WAIVED,),
    "–": (Verdict.NOTHING, Verdict.EMPTY),
}


class Kind(Enum):
    """A kind of claim: its name, its ``letter`` in tables if any, its ``method``, and its meaning."""

    HELD_OUT = "held out", "H", "static", "No sentence of training can contain the structure."
    INSTANCE = "instance", "I", "static", "Every item contains the structure, and no structure of another pattern."
    LICENSED = "licensed", "L", "static", "Training shows the parts of the structure, each often enough."
    EXPOSED = "exposed", "E", "static", "Training has all that items are made of, except what the pattern is about."
    STRINGS = (
        "string level",
        "S",
        "parsing",
        "No other reading of a training sentence contains the structure, and no item has two outputs.",
    )
    DISJOINT = "disjoint", "D", "static", "No sentence is in training and among the items."
    GRAPHS = "on the graphs", "", "searched", "A second program has searched every dependency graph that was written."

    letter: str
    method: str
    meaning: str

    def __new__(cls, value: str, letter: str, method: str, meaning: str) -> "Kind":
        """Return the kind named ``value``."""
        kind = object.__new__(cls)
        kind._value_, kind.letter, kind.method, kind.meaning = value, letter, method, meaning
        return kind


class IngredientKind(Enum):
    """The kind of an ingredient of an item."""

    WORD = "word"
    ENTRY = "entry"
    FORM = "form"
    RULE = "rule"

    @property
    def plural(self) -> str:
        """The plural of its name."""
        return "entries" if self is IngredientKind.ENTRY else f"{self.value}s"


class Reason(Enum):
    """The reason why training need not contain something, or ``MISSING``."""

    TARGET = "target"
    STRUCTURE = "with the structure"
    TOGETHER = "held out together"
    MISSING = "missing"


@dataclass(frozen=True)
class Unseen:
    """An ingredient that items can use and training cannot; ``rules`` are the ids of rules that provide it."""

    kind: IngredientKind
    name: str
    reason: Reason
    rules: tuple[int, ...]


@dataclass(frozen=True)
class Conflict:
    """Clauses that no text of the grammar satisfies together.

    One structure of each group of ``require`` must occur, and none of ``exclude`` may.  Both are empty if the grammar
    derives no text at all.
    """

    require: tuple[tuple[Structure, ...], ...]
    exclude: tuple[Structure, ...]

    @property
    def opposed(self) -> Structure | None:
        """A structure that one clause requires and another excludes."""
        asked = {structure for group in self.require for structure in group}
        return next((structure for structure in self.exclude if structure in asked), None)


@dataclass(frozen=True)
class Cut:
    """Evidence about a held-out structure: its probability in the in-distribution training grammar.

    ``asserted`` distinguishes ``assert never`` from ``forbid``.
    """

    train_mass: float = 0.0
    asserted: bool = False


@dataclass(frozen=True)
class Supply:
    """Evidence that training has enough sentences with a part.

    ``expected`` is the expected number of training sentences that contain it, including the pattern's own exposures;
    ``short`` is the probability that there are fewer than the ``minimum``.
    """

    minimum: int
    expected: float
    short: float


@dataclass(frozen=True)
class Inventory:
    """Evidence about the ingredients of items.

    ``counts`` has the number of ingredients of each kind that items can use, and is empty without items or training;
    ``unseen`` has those that training cannot use, each with its reason.  ``barred`` lists the streams for which no item
    can be drawn, because each has a word that training lacks.
    """

    counts: tuple[tuple[IngredientKind, int], ...]
    unseen: tuple[Unseen, ...]
    barred: tuple[str, ...] = ()

    @property
    def unseen_words(self) -> frozenset[str]:
        """The words that training cannot use, excused or not."""
        return frozenset(thing.name for thing in self.unseen if thing.kind is IngredientKind.WORD)

    @property
    def missing(self) -> tuple[Unseen, ...]:
        """The ingredients that training lacks without an excuse."""
        return tuple(thing for thing in self.unseen if thing.reason is Reason.MISSING)

    @property
    def excused(self) -> tuple[Unseen, ...]:
        """The ingredients that training may lack, because the pattern is about them."""
        return tuple(thing for thing in self.unseen if thing.reason is not Reason.MISSING)


_Evidence = TypeVar("_Evidence")


@dataclass(frozen=True)
class Claim(Generic[_Evidence]):
    """One claim about a pattern: its content, its verdict and its evidence.

    It is about the first of ``structures``; the second is the whole from which a piece was taken.  ``stream`` is the
    stratum that it is about, or whose sentence is shown.  ``mass`` is the probability of the structure or of the
    stratum under the author's grammar; for a needed part, in the in-distribution training grammar.  ``example`` is the
    smallest text that confirms the claim, ``witness`` the smallest that refutes it, and ``conflict`` has the clauses
    that exclude what should exist.
    """

    kind: Kind
    pattern: str
    verdict: Verdict
    evidence: _Evidence
    structures: tuple[Structure, ...] = ()
    stream: str | None = None
    mass: float = 0.0
    example: Derivation | None = None
    witness: Derivation | None = None
    conflict: Conflict | None = None

    @property
    def structure(self) -> Structure:
        """The structure that the claim is about."""
        return self.structures[0]

    @property
    def whole(self) -> Structure:
        """The structure from which the piece was taken."""
        return self.structures[-1]

    @property
    def refuted(self) -> bool:
        """Whether the claim fails."""
        return self.verdict is Verdict.REFUTED


def verdict_of(claims: Iterable[Claim[Any]]) -> Verdict:
    """Return the joint verdict on several claims: the worst that is not ``NOTHING``."""
    found = {claim.verdict for claim in claims}
    order = (Verdict.REFUTED, Verdict.WAIVED, Verdict.PROVED)
    return next((verdict for verdict in order if verdict in found), Verdict.NOTHING)


@dataclass(frozen=True)
class PatternProofs:
    """All claims about one pattern; ``idle_waivers`` are structures that waive nothing.

    ``licences`` are about the parts that it needs, ``pieces`` about what remains of a held-out structure without one
    link; both license it.  ``instances`` and ``disjoint`` are about strata of items; the evidence of ``disjoint`` is
    the training stratum that shares the witness.  ``mass`` is the probability that a text of the grammar as written
    contains anything held out, ``train_mass`` that a training text does.
    """

    name: str
    held_out: tuple[Claim[Cut], ...]
    licences: tuple[Claim[Supply], ...]
    pieces: tuple[Claim[None], ...]
    instances: tuple[Claim[None], ...]
    exposed: Claim[Inventory]
    disjoint: tuple[Claim[str | None], ...]
    idle_waivers: tuple[Structure, ...] = ()
    mass: float = 0.0
    train_mass: float = 0.0

    @property
    def claims(self) -> tuple[Claim[Any], ...]:
        """All claims about the pattern."""
        return (*self.held_out, *self.licences, *self.pieces, *self.instances, self.exposed, *self.disjoint)

    def of(self, kind: Kind) -> tuple[Claim[Any], ...]:
        """Return the claims of one kind."""
        return tuple(claim for claim in self.claims if claim.kind is kind)

    @property
    def vacuous(self) -> frozenset[Structure]:
        """The cut structures that no text of the author's grammar contains."""
        return frozenset(c.structure for c in self.held_out if not c.mass and not c.evidence.asserted)

    @property
    def proved(self) -> bool:
        """Whether no claim is refuted."""
        return not any(claim.refuted for claim in self.claims)


@dataclass(frozen=True)
class Unsatisfiable:
    """A stratum without any text, with the conflicting clauses."""

    stream: str
    conflict: Conflict


@dataclass(frozen=True)
class Overlap:
    """Two generalization strata of different patterns that share ``witness``."""

    first: str
    second: str
    witness: Derivation


@dataclass(frozen=True)
class Nesting:
    """Every text with ``inner`` also contains ``outer``, held out by another pattern."""

    inner_pattern: str
    inner: Structure
    outer_pattern: str
    outer: Structure


@dataclass(frozen=True)
class Unused:
    """Rules and words, by id, that some text of the grammar uses but no stratum of ``split``."""

    split: str
    rules: tuple[int, ...]
    words: tuple[int, ...]


@dataclass(frozen=True)
class DrawnNeed:
    """A part drawn in ``count`` sentences for clause ``index``; training alone would have had ``expected`` ones."""

    pattern: str
    index: int
    structure: Structure
    count: int
    expected: float


@dataclass(frozen=True)
class Proofs:
    """Everything proved and found about a plan; ``drawn`` lists parts drawn because they are needed."""

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
