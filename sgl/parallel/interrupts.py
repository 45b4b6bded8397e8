"""Ctrl-C, which reaches all processes of a terminal, is heard by the first of them alone.

A process that has just been started imports modules for a second before it can say how it
takes an interruption; meanwhile Python would answer with a traceback.  So it is started with
the signal blocked, which it inherits::

    driver    block · start · unblock        hears Ctrl-C, also one from meanwhile
    worker            imports · works        never does
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker


@contextmanager
def unheard_by_children() -> Iterator[None]:
    """Processes that are started meanwhile hear no interruption from the keyboard."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # It starts with the first process, and unblocks the signal when it has.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
