"""What a report shows, as plain values.

::

    ReportData
      guarantees      claims about the whole dataset (disjoint, distinct)
      patterns        one PatternReport each:
        guarantees      held out, instance, licensed, verified on graphs
        masses          probability of its structures, before and after the cut
        parts, excused  what training shows of it, and what it need not show
        examples        trees of source and target, a dependency graph
      counts          what was drawn for each stratum, and what was rejected
      lengths         how long the sentences of each split are
      divergences     how far each split is from training in rules and their combinations
      sizes, heights  how large and how deep each distribution is, computed
      unused          what the cut did to the grammar
      relations       patterns that share items or contain each other
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A claim with its verdict.

    ``method`` says how it is established: ``static`` (a proof on the grammar),
    ``parsing`` (of every sentence) or ``searched`` (a search of every graph).
    ``ok`` is ``None`` as long as that has not been done.  ``detail`` carries the
    figures.
    """

    claim: str
    method: str
    result: str
    ok: bool | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class StructureMass:
    """The probability that a sentence contains ``structure``.

    ``before`` under the grammar as written, ``after`` under the training
    distribution; ``role`` is what the structure is to the pattern (``held
    out``, ``need``, ``exposure``).
    """

    role: str
    structure: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class NeededPart:
    """Something that training has to contain, with a training sentence that does.

    ``role`` is ``need`` or ``piece``; ``ok`` is ``None`` if the pattern waives it.
    """

    role: str
    structure: str
    result: str
    ok: bool | None
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of a constituent tree; a leaf is a word and has no children.

    ``note`` is what a reader sees on pointing at the node: the full category.
    """

    label: str
    children: tuple[TreeNode, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class GraphWord:
    """A token of the source sentence with its part of speech, if it has a node.

    ``marked`` sets it off from the others.
    """

    form: str
    upos: str = ""
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Arc:
    """A labelled edge between words, by 0-based position.

    ``extracted`` marks an edge of the enhanced graph that is no part of the
    basic tree (``~obj`` in a grammar).
    """

    governor: int
    label: str
    dependent: int
    extracted: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """One item: its texts, its derivation as a tree of each text, and its graph.

    ``trees`` are those of source and target; there are none for a derivation
    that is too large for a picture.
    """

    source: str
    target: str
    trees: tuple[TreeNode, ...]
    words: tuple[GraphWord, ...]
    arcs: tuple[Arc, ...]
    root: int


@dataclass(frozen=True, slots=True)
class PatternReport:
    """One pattern: its structures, what is guaranteed, and items of its test set."""

    name: str
    title: str
    groups: tuple[str, ...] = ()
    held_out: tuple[str, ...] = ()
    guarantees: tuple[Guarantee, ...] = ()
    masses: tuple[StructureMass, ...] = ()
    parts: tuple[NeededPart, ...] = ()
    excused: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no guarantee fails."""
        return all(guarantee.ok is not False for guarantee in self.guarantees)


@dataclass(frozen=True, slots=True)
class StratumCounts:
    """What was drawn for one stratum of a split.

    ``mass`` is the probability of the stratum's constraint under the grammar;
    ``candidates`` are the sentences drawn until ``items`` were accepted, and
    ``rejected`` counts the others by reason, ``shares`` the items of each target.
    """

    split: str
    category: str
    items: int
    candidates: int
    mass: float
    rejected: tuple[tuple[str, int], ...] = ()
    shares: tuple[tuple[str, int], ...] = ()

    @property
    def acceptance(self) -> float:
        """The share of candidates that were accepted, 1 when nothing was drawn."""
        return self.items / self.candidates if self.candidates else 1.0


@dataclass(frozen=True, slots=True)
class Lengths:
    """How many sentences of a split have which number of source tokens."""

    split: str
    counts: tuple[tuple[int, int], ...]

    @property
    def items(self) -> int:
        """The number of sentences."""
        return sum(count for _, count in self.counts)

    @property
    def mean(self) -> float:
        """The mean number of tokens, 0 for an empty split."""
        total = sum(length * count for length, count in self.counts)
        return total / self.items if self.items else 0.0


@dataclass(frozen=True, slots=True)
class Divergence:
    """How far the derivations of a split are from those of training.

    ``atoms`` is the divergence of rules, ``compounds`` that of rules with a child; of the
    latter ``unseen`` kinds are not in training, a ``share`` of their occurrences.
    """

    split: str
    atoms: float
    compounds: float
    unseen: int
    share: float


@dataclass(frozen=True, slots=True)
class DistributionSize:
    """How large, long and deep a distribution is.

    ``mass`` is its probability under the grammar.  ``derivations`` is the number
    of its derivations and ``short`` of those of at most ``longest`` source tokens,
    ``None`` if there is no end of them.  ``expected_length`` counts source tokens.
    Half of the derivations are at most ``median_height`` rules high, 99 of 100 at
    most ``usual_height``.  ``spectral_radius`` is that of the mean matrix of the
    branching process: below 1, derivations end.
    """

    distribution: str
    mass: float
    derivations: int | None
    short: int | None
    longest: int
    expected_length: float
    median_height: int
    usual_height: int
    spectral_radius: float


@dataclass(frozen=True, slots=True)
class Heights:
    """The probability of each height of the derivations of a split, from 0 upwards."""

    split: str
    shares: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean height."""
        return sum(height * share for height, share in enumerate(self.shares))


@dataclass(frozen=True, slots=True)
class UnusedName:
    """A rule or word (``kind``) that a distribution can no longer use."""

    kind: str
    name: str
    distribution: str


@dataclass(frozen=True, slots=True)
class PatternRelation:
    """What two patterns have to do with each other, with a sentence or structure.

    ``kind`` is, for instance, ``share items`` or ``nested``.
    """

    kind: str
    first: str
    second: str
    detail: str


@dataclass(frozen=True, slots=True)
class ReportData:
    """Everything on the page."""

    title: str
    signature: str
    source_language: str
    target_language: str
    guarantees: tuple[Guarantee, ...] = ()
    patterns: tuple[PatternReport, ...] = ()
    counts: tuple[StratumCounts, ...] = ()
    lengths: tuple[Lengths, ...] = ()
    divergences: tuple[Divergence, ...] = ()
    sizes: tuple[DistributionSize, ...] = ()
    heights: tuple[Heights, ...] = ()
    unused: tuple[UnusedName, ...] = ()
    relations: tuple[PatternRelation, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def items(self) -> int:
        """The number of items in all splits."""
        return sum(row.items for row in self.counts)

    @property
    def all_guarantees(self) -> tuple[Guarantee, ...]:
        """The guarantees of the dataset and of every pattern."""
        own = (guarantee for pattern in self.patterns for guarantee in pattern.guarantees)
        return (*self.guarantees, *own)

    @property
    def ok(self) -> bool:
        """Whether no guarantee fails."""
        return all(guarantee.ok is not False for guarantee in self.all_guarantees)

    @property
    def claims(self) -> tuple[str, ...]:
        """The claims that some pattern makes, in the order of their first mention."""
        own = (guarantee.claim for pattern in self.patterns for guarantee in pattern.guarantees)
        return tuple(dict.fromkeys(own))
