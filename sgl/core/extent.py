"""Say how many sentences a part of the data has: a number, all, copies, instances in contexts, shares of targets.

The ``size`` that an author writes is one value, from the quota of a pattern to the table that is sampled::

    size 1000 per target          count 5,000, and each of five targets has 1,000 of them
    size all repeated 3           every sentence that there is, three times
    size at most 500              500 sentences, or all that there are
    size 200 instances in 5       count 1,000, and each of 200 instances has 5 contexts

Only what draws candidates in a way of its own (a list of all sentences, instances in contexts) asks which kind it is.
Everything else asks the operations below: how many sentences there can be, how many are certain, when there are enough,
and what a reader should know beside their number.

This module needs only the standard library of Python 3.9, because the standalone sampler contains it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf

#: With ``at_most``, drawing ends after a multiple of ``STEP`` candidates, if fewer than one in ``RARE`` was accepted.
STEP, RARE = 2_000, 100


@dataclass(frozen=True)
class Extent:
    """The number of sentences, and what they share.

    ``count`` is their number; with ``every``, it is set to the number of all sentences once the grammar is known.  Each
    sentence occurs ``copies`` times.  With ``contexts``, the sentences are instances of a structure, each in that many
    contexts.  The lemmas in ``targets`` have equal shares of the sentences.  ``repeated`` sentences may equal one
    another, though not sentences of other parts.  With ``at_most``, there may be fewer; ``every`` is set as well if the
    grammar has no more.
    """

    count: int = 0
    every: bool = False
    copies: int = 1
    contexts: int = 0
    targets: tuple[str, ...] = ()
    repeated: bool = False
    at_most: bool = False

    @property
    def empty(self) -> bool:
        """Whether no sentence is wanted."""
        return not (self.count or self.every)

    @property
    def shared(self) -> bool:
        """Whether each sentence belongs to a target or an instance with a share of its own."""
        return bool(self.targets or self.contexts)

    @property
    def rows(self) -> int:
        """The number of rows if all sentences are found."""
        return self.count * self.copies

    @property
    def exact(self) -> bool:
        """Whether there must be as many sentences, however many the grammar has for this part of the data."""
        return not (self.every or self.at_most)

    @property
    def most(self) -> float:
        """The largest number of sentences; infinity as long as it is not known."""
        return inf if self.every and not self.count else self.count

    def of(self, count: int) -> "Extent":
        """Return the same extent with another number of sentences."""
        return replace(self, count=count)

    def counted(self, number: int | None) -> "Extent | None":
        """Return the extent if the grammar has this number of sentences, None if endless; None if it cannot be had."""
        if self.at_most and (number is None or number > self.count or self.targets):
            return self
        return None if number is None else replace(self, count=number, every=True)

    def shares(self) -> dict[str, int]:
        """Return the number of sentences of each target: an equal share, and one more for the first targets.

        >>> Extent(5, targets=("dog", "cat")).shares()
        {'dog': 3, 'cat': 2}
        """
        each, more = divmod(self.count, len(self.targets) or 1)
        return {target: each + (rank < more) for rank, target in enumerate(self.targets)}

    def missing(self, candidates: int, accepted: int, complete: int) -> int:
        """Return how many sentences are missing after these candidates, accepted ones and complete instances.

        >>> Extent(10, every=True).missing(7, 4, 0), Extent(10, contexts=5).missing(7, 4, 1)
        (3, 5)
        """
        done = accepted
        if self.every:
            done = candidates
        elif self.at_most and candidates % STEP == 0 and accepted * RARE < candidates:
            done = self.count
        elif self.contexts:
            done = complete * self.contexts
        return self.count - done

    def remarks(self, owners: int, lost: str = "") -> Iterator[str]:
        """Yield what a reader should know beside the number of sentences.

        ``owners`` is the number of instances that have them, ``lost`` says which of all sentences are left out.

        >>> [*Extent(6, every=True, copies=2).remarks(0)], [*Extent(10, contexts=5).remarks(2)]
        (['all that there are', 'each 2 times'], ['2 instances, each in 5 contexts'])
        """
        if self.every:
            yield lost or "all that there are"
        elif self.at_most:
            yield f"at most {self.count:,}"
        if self.copies > 1:
            yield f"each {self.copies} times"
        if self.contexts:
            yield f"{owners} instances, each in {self.contexts} contexts"
