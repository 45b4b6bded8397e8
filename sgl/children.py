"""Processes that work for this one: how they start, and that they end when this one does.

A new process imports modules for a second, and until then it hears no Ctrl-C, which reaches all processes of a
terminal.  What it does first is :func:`begin`: from then on it ends within moments when the process that has started
it is gone, even if that was killed.  The module needs the standard library alone, and is imported quickly: what starts
processes is loaded when one starts.
"""

import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

#: The signals that end a command.
_ENDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


#: How many objects more there may be before Python looks for cycles in a process that soon ends, and in any other.
HARDLY_EVER, RARELY = 10_000_000, 100_000


def collect_rarely(growth: int = HARDLY_EVER) -> None:
    """Let Python look for cycles seldom from now on, in this process: what SGL computes has hardly one in it.

    To look at a million objects takes a third of a second.  Programs call this when they start; a program that imports
    SGL keeps its settings.
    """
    gc.set_threshold(growth, 50, 50)


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Look for cycles seldom in this block; afterwards, restore the settings of the program."""
    before = gc.get_threshold()
    collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def starting() -> Iterator[None]:
    """Start processes in this block: they do not hear Ctrl-C, and here signals to end wait.

    Otherwise Python would answer Ctrl-C in a new process with a traceback, or leave it half begun.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    # It starts with the first process, and unblocks the signal when it has.
    resource_tracker.ensure_running()
    waiting: list[int] = []
    heard = {}
    if threading.current_thread() is threading.main_thread():
        heard = {end: signal.getsignal(end) for end in _ENDS if callable(signal.getsignal(end))}
    for end in heard:
        signal.signal(end, lambda number, _: waiting.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for end, handler in heard.items():
            signal.signal(end, handler)
        if waiting:
            signal.raise_signal(waiting[0])


def begin(folder: str = "") -> None:
    """End when the process ends that has started this one; a folder of one's own goes as well.

    When its work is done it ends at once: to take all of its memory apart would take a second.
    """
    from multiprocessing import parent_process
    from multiprocessing.util import Finalize

    from sgl.disk import Folder

    def end_with(parent: "BaseProcess") -> None:
        parent.join()
        if folder:
            path = Path(folder)
            with suppress(OSError), Folder(path.parent) as above:
                above.remove_tree(path.name)
        os._exit(1)

    collect_rarely()
    Finalize(None, os._exit, (0,), exitpriority=-1)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=end_with, args=(parent,), daemon=True).start()


@contextmanager
def process_in(module: str, function: str, *given: bytes) -> Iterator["BaseProcess"]:
    """Have another process call a function with a folder of its own and the ``given`` bytes while the block runs."""
    from multiprocessing import get_context

    from sgl.disk import temporary

    with temporary() as folder:
        process = get_context("spawn").Process(target=_call, args=(module, function, str(folder), *given), daemon=True)
        with starting():
            process.start()
        try:
            yield process
        finally:
            process.terminate()
            process.join()


def _call(module: str, function: str, folder: str, *given: bytes) -> None:
    """Call a function; its module is imported when this process is ready to end."""
    begin(folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    getattr(import_module(module), function)(Path(folder), *given)


async def program(module: str, *words: str) -> tuple[int, str]:
    """Run a module as a program, which is ended if nobody waits for it; return its exit code, and what it has said.

    It finds no modules in the current directory, which may belong to a stranger.
    """
    import asyncio
    from asyncio.subprocess import DEVNULL, PIPE, STDOUT

    command = (sys.executable, "-P", "-m", module, *words)
    process = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
    try:
        said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, said.decode("utf-8", "replace").strip()
