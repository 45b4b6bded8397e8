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


def deliver(
    text: str, out: Path | None, force: bool, source: Path, diagnostics: Diagnostics
) -> bool:
    """Write what was made of ``source`` to a file, or to standard output; False after a report."""
    if out is None:
        click.echo(text, nl=False)
        return True
    if out.is_dir():
        diagnostics.error("SGL1103", None, f"cannot write `{out}`: it is a directory")
        return False
    if out.exists() and not force:
        diagnostics.error(
            "SGL1103", None, f"`{out}` is there already", hint="`--force` replaces it"
        )
        return False
    try:
        if out.exists() and out.samefile(source):
            diagnostics.error("SGL1103", None, f"`{out}` is the file that was read")
            return False
        replace_text(out, text)
    except OSError as problem:
        diagnostics.error("SGL1103", None, f"cannot write `{out}`: {problem.strerror or problem}")
        return False
    return True
