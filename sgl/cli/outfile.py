"""The file after ``--out``: written whole or not at all, and never over another one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import click

from sgl.diagnostics import Diagnostics

_Command = TypeVar("_Command", bound=Callable[..., Any])


def output_options(command: _Command) -> _Command:
    """The options ``--out`` and ``--force``."""
    for decorate in (
        click.option("--force", is_flag=True, help="Replace the file if it is there."),
        click.option(
            "--out",
            type=click.Path(path_type=Path),
            help="Write to this file.  [default: standard output]",
        ),
    ):
        command = decorate(command)
    return command


def deliver(text: str, out: Path | None, force: bool, diagnostics: Diagnostics) -> bool:
    """Write a text to a file, or to standard output; False after a report."""
    if out is None:
        click.echo(text, nl=False)
        return True
    if out.exists() and not force:
        diagnostics.error(
            "SGL1103", None, f"`{out}` is there already", hint="`--force` replaces it"
        )
        return False
    try:
        _replace(out, text)
    except OSError as problem:
        diagnostics.error("SGL1103", None, f"cannot write `{out}`: {problem.strerror or problem}")
        return False
    return True


def _replace(out: Path, text: str) -> None:
    """Write beside the file and rename, so that an interruption leaves the old one."""
    if out.is_dir():
        raise IsADirectoryError(0, "it is a directory")
    handle, name = tempfile.mkstemp(prefix=f".{out.name}-", dir=out.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        # A temporary file is for its owner only; this one is like any other new file.
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(out)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
