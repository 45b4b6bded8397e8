"""Files that a command writes: completely or not at all, and over no other file unasked."""

from __future__ import annotations

import os
from collections.abc import Callable
from errno import EISDIR
from pathlib import Path
from typing import Any

import click

from sgl.diagnostics import Diagnostics


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options ``--out`` and ``--force``."""
    file = click.Path(path_type=Path)
    out_help = "Write to this file.  [default: standard output]"
    force = click.option("--force", is_flag=True, help="Replace the file if it exists.")
    return click.option("--out", type=file, help=out_help)(force(command))


def replace_text(path: Path, text: str) -> None:
    """Put a text in the place of what a file holds, at once and only when all is written.

    Raises ``OSError`` if the operating system refuses; then, and after an interruption,
    the file is as it was.
    """
    if path.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
    if path.exists() and not path.is_file():
        # A device or a pipe is written to: to replace `/dev/null` by a file would be a surprise.
        path.write_text(text, "utf-8", errors="replace", newline="\n")
        return
    partial = path.with_name(f".{path.name}-{os.getpid()}.partial")
    try:
        partial.write_text(text, "utf-8", errors="replace", newline="\n")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_results(texts: list[tuple[Path, str]], diagnostics: Diagnostics) -> None:
    """Write each of these files; report those that cannot be."""
    for path, text in texts:
        try:
            replace_text(path, text)
        except OSError as problem:
            reason = problem.strerror or str(problem)
            diagnostics.error("SGL1103", None, f"cannot write `{path}`: {reason}")


def deliver(
    text: str, out: Path | None, force: bool, source: Path, diagnostics: Diagnostics
) -> bool:
    """Write what was made of ``source`` to a file, or to standard output; False after a report."""
    if out is None:
        click.echo(text, nl=False)
        return True
    try:
        fault, hint = write_fault(out, force, source)
        if not fault:
            replace_text(out, text)
    except OSError as problem:
        fault, hint = f"cannot write `{out}`: {problem.strerror or problem}", ""
    if fault:
        diagnostics.error("SGL1103", None, fault, hint=hint)
    return not fault


def write_fault(out: Path, force: bool, source: Path | None = None) -> tuple[str, str]:
    """Return why the file may not be written, and a hint; empty if it may.

    Raises:
        OSError: the operating system does not let anybody look.
    """
    if out.is_dir():
        return f"cannot write `{out}`: it is a directory", ""
    if not out.exists():
        return "", ""
    if source is not None and out.samefile(source):
        return f"`{out}` is the file that was read", "name another file after `--out`"
    return ("", "") if force else (f"`{out}` is there already", "`--force` replaces it")
