"""The format of plans in certificates, whose parts manifests repeat."""

from dataclasses import dataclass, field, replace

from sgl.verify.schema_grammar import Flaw

REJECT, LIST = "reject", "list"


@dataclass(frozen=True, slots=True)
class Clause:
    """A structure at a place of a manifest: its text, the place, and its number among the manifest's structures."""

    text: str
    place: str = field(default="", compare=False)
    number: int = field(default=-1, compare=False)

    def __str__(self) -> str:
        return self.text


STEP, RARE = 2_000, 100  # with ``at_most``, drawing ends after a multiple of 2,000 if under one in 100 was accepted


@dataclass(frozen=True, slots=True)
class ExtentClaim:
    """The number of sentences, and how they are shared out.

    ``count`` is their number; with ``every`` it is the number of all derivations.  Each sentence occurs ``copies``
    times. With ``contexts``, each instance of a structure occurs in that number of sentences.  ``targets`` have equal
    shares. Sentences may repeat if ``repeated``.  With ``at_most``, there may be fewer.
    """

    count: int = 0
    every: bool = False
    copies: int = 1
    contexts: int = 0
    targets: tuple[str, ...] = ()
    repeated: bool = False
    at_most: bool = False

    def __post_init__(self) -> None:
        if self.copies < 1:
            raise Flaw("a sentence occurs at least once")

    @property
    def shared(self) -> bool:
        """Whether each sentence counts towards the share of a target or an instance."""
        return bool(self.targets or self.contexts)

    @property
    def rows(self) -> int:
        """The number of rows, unless too many candidates are rejected."""
        return self.count * self.copies

    def allows(self, rows: int) -> bool:
        """Return whether there may be this number of rows; of all sentences, some may have been rejected."""
        return self.every or rows == self.rows or (self.at_most and rows < self.rows)

    def serves(self, quota: "ExtentClaim") -> bool:
        """Return whether a quota with that extent asks for this one, in which all sentences have been counted."""
        counted = self.every and (quota.every or (quota.at_most and not quota.targets and self.count <= quota.count))
        return self == (replace(quota, every=True, count=self.count) if counted else quota)

    def shares(self) -> dict[str, int]:
        """Return the number of sentences of each target: equal shares, one more for the first ones."""
        each, more = divmod(self.count, len(self.targets) or 1)
        return {target: each + (rank < more) for rank, target in enumerate(self.targets)}

    def missing(self, candidates: int, accepted: int, complete: int) -> int:
        """Return the number of missing sentences after these candidates, accepted ones and complete instances."""
        if self.every:
            return self.count - candidates
        if self.at_most and candidates % STEP == 0 and accepted * RARE < candidates:
            return 0
        return self.count - (complete * self.contexts if self.contexts else accepted)


@dataclass(frozen=True, slots=True)
class Need:
    """A structure that a number of sentences of train must contain."""

    structure: Clause
    minimum: int = 1


@dataclass(frozen=True, slots=True)
class Exposure:
    """A structure with the extent of its exposures."""

    structure: Clause
    extent: ExtentClaim


@dataclass(frozen=True, slots=True)
class QuotaClaim:
    """Items that contain all of ``within``, one of each ``within_one_of``, and none of ``outside``."""

    extent: ExtentClaim
    within: tuple[Clause, ...] = ()
    within_one_of: tuple[tuple[Clause, ...], ...] = ()
    outside: tuple[Clause, ...] = ()
    split: str = "train"


@dataclass(frozen=True, slots=True)
class PartClaim:
    """Sentences that belong to no pattern; they contain one of ``only``.

    Generalization items may contain these as well if the part is ``tested``.  With ``repeated_lemmas``, a sentence may
    repeat a lemma.  ``allow`` are the patterns whose reserved structures it may contain.
    """

    name: str
    title: str
    only: tuple[Clause, ...]
    quotas: tuple[QuotaClaim, ...]
    repeated_lemmas: bool = False
    allow: tuple[str, ...] = ()
    tested: bool = False


@dataclass(frozen=True, slots=True)
class PatternClaim:
    """One type of generalization, as declared; see the language reference."""

    name: str
    title: str
    groups: tuple[str, ...]
    forbid: tuple[Clause, ...]
    never: tuple[Clause, ...]
    gen: tuple[Clause, ...]
    exclude: tuple[Clause, ...]
    need: tuple[Need, ...]
    allow: tuple[str, ...]
    targets: tuple[str, ...]
    expose: tuple[Exposure, ...]
    reserved: tuple[Clause, ...]
    quotas: tuple[QuotaClaim, ...]
    waive: tuple[Clause, ...] = ()
    layer: str = ""

    @property
    def held_out(self) -> tuple[Clause, ...]:
        """The structures that no sentence of train, dev or test contains."""
        return (*self.forbid, *self.never)

    @property
    def instances(self) -> tuple[Clause, ...]:
        """The structures of which every generalization item contains one."""
        return self.gen or self.held_out


@dataclass(frozen=True, slots=True)
class DrawnConstraint:
    """Conditions on sentences: one structure of each group in ``require``, and none of ``exclude``."""

    require: tuple[tuple[Clause, ...], ...] = ()
    exclude: tuple[Clause, ...] = ()
    cut: tuple[Clause, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedStratum:
    """A part of a split that is drawn from one conditional distribution, with its own stream of random numbers."""

    split: str
    category: str
    stream: str
    extent: ExtentClaim
    constraint: DrawnConstraint
    repeated_lemmas: bool = False

    @property
    def count(self) -> int:
        """The number of sentences, without their copies."""
        return self.extent.count


@dataclass(frozen=True, slots=True)
class DatasetPlan:
    """Everything that is drawn, in drawing order."""

    source: str
    target: str
    strata: tuple[PlannedStratum, ...]
    patterns: tuple[PatternClaim, ...]
    distinct_lemmas: tuple[str, ...]
    distinct_sentences: bool
    lemma_layer: str
    parts: tuple[PartClaim, ...] = ()
    nowhere: tuple[Clause, ...] = ()
    ambiguous: str = REJECT
    further: tuple[str, ...] = ()
    graphs: tuple[str, ...] = ()
