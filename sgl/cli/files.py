"""Files of a command: written completely or not at all, and what is said of those that fail."""

from __future__ import annotations

import os
from collections.abc import Sequence
from errno import EISDIR
from pathlib import Path

import click

from sgl.diagnostics import Diagnostics


def replace_text(path: Path, text: str) -> None:
    """Put a text in the place of what a file holds, at once and only when all is written.

    Raises ``OSError`` if the operating system refuses; then, and after an interruption,
    the file is as it was.
    """
    if path.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
    if path.exists() and not path.is_file():
        # A device or a pipe is written to: to replace `/dev/null` by a file would be a surprise.
        path.write_text(text, "utf-8", errors="replace")
        return
    partial = path.with_name(f".{path.name}-{os.getpid()}.partial")
    try:
        partial.write_text(text, "utf-8", errors="replace")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def may_write(results: Sequence[Path], inputs: Sequence[Path]) -> bool:
    """Return whether results would be written beside what is read, not over it; says so if not.

    This is asked before anything is computed, so a directory that is not there is said as well.
    """
    for path in results:
        if any(path.resolve() == file.resolve() for file in inputs):
            click.echo(f"error: `{path}` is one of the files that are read", err=True)
            return False
        if not path.resolve().parent.is_dir():
            click.echo(f"error: there is no directory `{path.parent}`", err=True)
            return False
    if len({path.resolve() for path in results}) < len(results):
        click.echo("error: two results would be written to one file", err=True)
        return False
    return True


def report_unread(problem: OSError, diagnostics: Diagnostics) -> None:
    """Say which file cannot be read."""
    reason = problem.strerror or str(problem)
    diagnostics.error("SGL1102", None, f"cannot read `{problem.filename}`: {reason}")


def write_results(texts: list[tuple[Path, str]], diagnostics: Diagnostics) -> None:
    """Write each of these files; report those that cannot be."""
    for path, text in texts:
        try:
            replace_text(path, text)
        except OSError as problem:
            reason = problem.strerror or str(problem)
            diagnostics.error("SGL1103", None, f"cannot write `{path}`: {reason}")
