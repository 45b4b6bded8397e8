"""The n-grams that two texts have in common, for many pairs of texts, as machine code.

The number of pairs of equal n-grams, each used once, is the sum over n-grams of the lesser of both counts.  Two
n-grams are equal if what begins at their places is equal for so long; ``run`` has this length for one place of the
first text and all of the second, and follows from that of the next place.
"""

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel

Ints = NDArray[np.int64]


@kernel
def count_common(
    first: Ints, firsts: Ints, second: Ints, seconds: Ints, orders: int, run: Ints, used: Ints, found: Ints
) -> None:
    """Add to ``found[p, n]`` how many n-grams of ``n + 1`` words the texts of pair ``p`` have in common.

    Text ``p`` is ``first[firsts[p]:firsts[p + 1]]``.  A bit for each order says of the places of the second text in
    ``used`` which of their n-grams have one that is equal.
    """
    for pair in range(len(firsts) - 1):
        begin, wide = seconds[pair], seconds[pair + 1] - seconds[pair]
        run[: wide + 1] = 0
        used[:wide] = 0
        for at in range(firsts[pair + 1] - 1, firsts[pair] - 1, -1):
            free = (1 << orders) - 1
            for other in range(wide):
                if first[at] != second[begin + other]:
                    run[other] = 0
                    continue
                run[other] = run[other + 1] + 1
                most = min(run[other], orders)
                fits = free & ~used[other] & ((1 << most) - 1)
                if fits:
                    free ^= fits
                    used[other] |= fits
                    for order in range(most):
                        found[pair, order] += (fits >> order) & 1
