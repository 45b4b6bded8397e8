"""What is proved about a plan, as values.

Each claim has a verdict; a refuted claim carries a *witness*, a derivation (the
rule ids in preorder) that ``sgl.core.interpret`` turns into a sentence.

==============  ==============================================================
``HeldOut``     no training sentence contains the structure
``Instance``    every item of a generalization stratum contains one of its
                structures and none that it excludes
``Licence``     training contains a part that the pattern needs
``Disjoint``    no generalization item is a training sentence
==============  ==============================================================

Beside the claims stand findings that are neither right nor wrong: overlapping
generalization sets, nested structures, rules that training cannot use.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from sgl.automata.conflict import Conflict
from sgl.core.interpret import Derivation
from sgl.core.structure import Structure


class Verdict(Enum):
    """Whether a claim holds."""

    PROVED = "proved"
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The claim that no training stratum derives ``structure``.

    ``asserted`` tells ``assert never`` from ``forbid``.  ``mass`` is the
    probability of the structure under the author's grammar, ``train_mass`` under
    the in-distribution training grammar.  If the claim fails, ``stream`` is the
    first training stratum that derives the structure and ``witness`` the smallest
    of its texts that contain it.
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
        """Whether nothing is cut: no text of the author's grammar contains the structure.

        An assertion claims no more than that, and is never vacuous.
        """
        return self.mass == 0.0 and not self.asserted


@dataclass(frozen=True, slots=True)
class Licence:
    """The claim that training contains ``structure``.

    ``mass`` is its probability in the in-distribution training grammar;
    ``expected`` the expected number of training sentences that contain it, those
    of the pattern's own exposures included; ``example`` the smallest.  The claim
    fails if that number is 0.
    """

    structure: Structure
    minimum: int
    verdict: Verdict
    mass: float
    expected: float
    example: Derivation | None

    @property
    def scarce(self) -> bool:
        """Whether fewer sentences are expected than the author asks for."""
        return self.expected < self.minimum


@dataclass(frozen=True, slots=True)
class Instance:
    """The claim about the items of one generalization stratum.

    ``problem`` is the excluded structure that ``witness`` contains, or ``None``
    if the witness lacks a required one.  ``mass`` is the probability of the
    stratum under the author's grammar, ``example`` its smallest text.
    ``conflict`` explains an empty stratum, of which the claim is refuted.
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
    """The claim that a generalization stratum shares no text with training.

    If it fails, ``witness`` is also in the training stratum ``train_stream``.
    """

    stream: str
    verdict: Verdict
    train_stream: str | None = None
    witness: Derivation | None = None


@dataclass(frozen=True, slots=True)
class PatternProofs:
    """Everything claimed about one pattern."""

    name: str
    held_out: tuple[HeldOut, ...]
    licences: tuple[Licence, ...]
    instances: tuple[Instance, ...]
    disjoint: tuple[Disjoint, ...]

    @property
    def claims(self) -> tuple[HeldOut | Licence | Instance | Disjoint, ...]:
        """All claims."""
        return (*self.held_out, *self.licences, *self.instances, *self.disjoint)

    @property
    def proved(self) -> bool:
        """Whether all claims are proved."""
        return all(claim.verdict is Verdict.PROVED for claim in self.claims)


@dataclass(frozen=True, slots=True)
class Distribution:
    """Figures of one stratum: how probable it is and how its texts grow."""

    stream: str
    mass: float
    spectral_radius: float
    expected_tokens: float


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
    """Rules that the grammar can use in a text, and no stratum of ``split`` can.

    ``rules`` have children; ``words`` have none.  Both are rule ids.
    """

    split: str
    rules: tuple[int, ...]
    words: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Proofs:
    """Everything proved and found about a plan."""

    patterns: tuple[PatternProofs, ...]
    distributions: tuple[Distribution, ...]
    unsatisfiable: tuple[Unsatisfiable, ...]
    overlaps: tuple[Overlap, ...]
    nestings: tuple[Nesting, ...]
    unused: tuple[Unused, ...]

    @property
    def proved(self) -> bool:
        """Whether all claims hold and every stratum has texts."""
        return not self.unsatisfiable and all(pattern.proved for pattern in self.patterns)

    def of(self, pattern: str) -> PatternProofs:
        """The claims about a pattern; raises ``KeyError``."""
        for proofs in self.patterns:
            if proofs.name == pattern:
                return proofs
        raise KeyError(pattern)

    def refuted(self) -> Iterator[tuple[str, HeldOut | Licence | Instance | Disjoint]]:
        """The claims that fail, each with the name of its pattern."""
        for proofs in self.patterns:
            for claim in proofs.claims:
                if claim.verdict is Verdict.REFUTED:
                    yield proofs.name, claim
