"""Look for garbage seldom: what SGL computes has hardly a cycle in it.

To look through all objects of a grammar takes a third of a second each time and finds nothing.
Programs call this when they start; a program that imports SGL keeps its settings.
"""

import gc


def collect_rarely() -> None:
    """Let Python look for cycles seldom from now on, in this process."""
    gc.set_threshold(100_000, 50, 50)
