"""Say how many sentences a part of the data has: a number, all, copies, instances in contexts, shares of targets.

The ``size`` that an author writes is one value, from the quota of a pattern to the table that is sampled::

    size 1000 per target          count 5,000, and each of five targets has 1,000 of them
    size all repeated 3           every sentence that there is, three times
    size 200 instances in 5       count 1,000, and each of 200 instances has 5 contexts

Nothing else needs to know which kind it is: the operations below answer the questions of sampling, proofs and reports.

This module needs only the standard library of Python 3.9, because the standalone sampler contains it.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Extent:
    """The number of sentences, and what they share.

    ``count`` is their number; with ``every``, it is set to the number of all sentences once the grammar is known.  Each
    sentence occurs ``copies`` times.  With ``contexts``, the sentences are instances of a structure, each in that many
    contexts.  The lemmas in ``targets`` have equal shares of the sentences.  ``repeated`` sentences may equal one
    another, though not sentences of other parts.
    """

    count: int = 0
    every: bool = False
    copies: int = 1
    contexts: int = 0
    targets: tuple[str, ...] = ()
    repeated: bool = False

    @property
    def empty(self) -> bool:
        """Whether no sentence is wanted."""
        return not (self.count or self.every)

    @property
    def shared(self) -> bool:
        """Whether each sentence belongs to a target or an instance with a share of its own."""
        return bool(self.targets or self.contexts)

    def of(self, count: int) -> "Extent":
        """Return the same extent with another number of sentences."""
        return replace(self, count=count)

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
        elif self.contexts:
            done = complete * self.contexts
        return self.count - done
