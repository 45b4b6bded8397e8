"""The file after ``--out``: it takes no other file's place unless the user says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from sgl.cli.files import replace_text
from sgl.diagnostics import Diagnostics

_Command = TypeVar("_Command", bound=Callable[..., Any])


def output_options(command: _Command) -> _Command:
    """Return the options ``--out`` and ``--force``."""
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


def deliver(
    text: str, out: Path | None, force: bool, source: Path, diagnostics: Diagnostics
) -> bool:
    """Write what was made of ``source`` to a file, or to standard output; False after a report."""
    if out is None:
        click.echo(text, nl=False)
        return True
    try:
        fault, hint = _fault(out, force, source)
        if not fault:
            replace_text(out, text)
    except OSError as problem:
        fault, hint = f"cannot write `{out}`: {problem.strerror or problem}", ""
    if fault:
        diagnostics.error("SGL1103", None, fault, hint=hint)
    return not fault


def _fault(out: Path, force: bool, source: Path) -> tuple[str, str]:
    """Return what stands against writing the file, and a hint; empty if nothing does."""
    if out.is_dir():
        return f"cannot write `{out}`: it is a directory", ""
    if not out.exists():
        return "", ""
    if out.samefile(source):
        return f"`{out}` is the file that was read", "name another file after `--out`"
    return ("", "") if force else (f"`{out}` is there already", "`--force` replaces it")
