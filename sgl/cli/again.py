"""Repeat the output of an earlier run if none of the files that it read has changed.

Neither the grammar nor the command is loaded.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from sgl.cache import current, open_cache, using
from sgl.cli.registry import REPEATED
from sgl.values import dataclass

if TYPE_CHECKING:
    from sgl.cli.session import Session
    from sgl.diagnostics import FileDependencies


@dataclass(frozen=True)
class _Said:
    text: str
    reported: str
    answers: FileDependencies


class Listener(io.StringIO):
    """Copy everything that is written to standard output."""

    def __init__(self) -> None:
        super().__init__()
        self._stream: TextIO = sys.stdout

    def write(self, text: str) -> int:
        """Write a text to standard output and to the copy."""
        self._stream.write(text)
        return super().write(text)

    def isatty(self) -> bool:
        """Return whether standard output is a terminal."""
        return self._stream.isatty()

    def keep(self, arguments: Sequence[str], session: Session) -> None:
        """Cache the output for these arguments if the session's grammar has no errors."""
        session.show()
        cache, compiled = current(), session.compiled
        if cache is not None and compiled is not None and not session.diagnostics.errors:
            answers = compiled.project.sources.dependencies
            if answers.complete:
                cache.put_off(_Said(self.getvalue(), session.reported, answers), "said", *_parts(arguments))


def listen(context: click.Context, session: Session, command: Callable[[], object]) -> None:
    """Run a command, and cache its output if the output is its only effect."""
    if context.info_name not in REPEATED or session.results.asked or session.quiet or session.free:
        command()
        return
    with redirect_stdout(Listener()) as heard:
        command()
    if not any(map(context.params.get, ("data", "between"))):
        heard.keep(context.obj, session)


@contextmanager
def repeating(arguments: Sequence[str]) -> Iterator[bool]:
    """Print the cached output for these arguments; yield False if nothing is cached, and use the cache in the block."""
    cache = None if "--no-cache" in arguments else open_cache()
    known = cache.get(_Said, "said", *_parts(arguments)) if cache is not None else None
    said = known is not None and known.answers.hold()
    if known is not None and said:
        sys.stdout.write(known.text)
        click.echo(known.reported, nl=False, err=True, color=True)
    with using(cache):
        yield said


def _parts(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return everything else that the output depends on: directory, terminal width, colours, and the arguments."""
    looks = sys.stdout.isatty(), sys.stderr.isatty(), os.environ.get("NO_COLOR"), os.environ.get("TERM")
    here = ""
    with suppress(OSError):  # The directory may no longer exist.
        here = os.fspath(Path.cwd())
    return (here, repr((looks, shutil.get_terminal_size())), *arguments)
