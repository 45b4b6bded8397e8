"""How many sentences a part of the data has: a number, all of them, copies, instances in contexts, shares of targets.

What an author writes in a ``size`` is one value, from the quota of a pattern to the table that is sampled from::

    size 1000 per target          count 5,000, and each of five targets has 1,000 of them
    size all repeated 3           every sentence that there is, three times
    size 200 instances in 5       count 1,000, and each of 200 instances has 5 contexts

Nothing else needs to know which of these it is: the operations below answer what sampling, proofs and reports ask.

This module needs nothing but the standard library of Python 3.9, because the standalone sampler contains it.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Extent:
    """How many sentences there are, and what they share.

    ``count`` is their number; of ``every`` sentence that there is, it is counted when the grammar is known.  Each
    sentence is there ``copies`` times.  With ``contexts`` the sentences are instances of a structure, and each
    instance is in that many.  If there are ``targets``, these lemmas have equal shares of the sentences.  Those that
    are ``repeated`` may be equal to one another, though not to sentences of other parts.
    """

    count: int = 0
    every: bool = False
    copies: int = 1
    contexts: int = 0
    targets: tuple[str, ...] = ()
    repeated: bool = False

    @property
    def empty(self) -> bool:
        """Whether no sentence is asked for."""
        return not (self.count or self.every)

    @property
    def shared(self) -> bool:
        """Whether each sentence belongs to a target or an instance, which has a share of them."""
        return bool(self.targets or self.contexts)

    def of(self, count: int) -> "Extent":
        """Return the same extent with another number of sentences."""
        return replace(self, count=count)

    def shares(self) -> dict[str, int]:
        """Return how many sentences each target has: an equal part, the first ones one more.

        >>> Extent(5, targets=("dog", "cat")).shares()
        {'dog': 3, 'cat': 2}
        """
        each, more = divmod(self.count, len(self.targets) or 1)
        return {target: each + (rank < more) for rank, target in enumerate(self.targets)}

    def missing(self, candidates: int, accepted: int, complete: int) -> int:
        """Return how many sentences are missing after this many candidates, and complete instances.

        >>> Extent(10, every=True).missing(7, 4, 0), Extent(10, contexts=5).missing(7, 4, 1)
        (3, 5)
        """
        done = accepted
        if self.every:
            done = candidates
        elif self.contexts:
            done = complete * self.contexts
        return self.count - done
