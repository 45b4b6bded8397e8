"""Look for garbage seldom: what SGL computes has hardly a cycle in it.

Python looks through its objects for cycles whenever some hundreds are new, and through all of
them whenever there are a quarter more.  Of a grammar with its templates that takes a third of a
second each time and finds nothing.  Programs call this when they start; a module that is
imported by another program leaves the settings of that program alone.
"""

from __future__ import annotations

import gc


def collect_rarely() -> None:
    """Let Python look for cycles seldom from now on, in this process."""
    gc.set_threshold(100_000, 50, 50)
