"""Where messages go: to standard error, or as the one JSON document of standard output.

A program that reads ``--format json`` parses all of standard output.  So while such a
command runs, messages are gathered, and what it says besides (tables, sentences, a
summary) goes to standard error; at its end the list is written, be it empty, and also
when the command fails by a mistake of its own::

    sglc compile farm.sgl --format json | jq ".[].code"
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar

import click

from sgl.cli.terminal import count
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.diagnostics.render import as_object, json_list, render, render_concise

FORMATS = ("full", "concise", "json")

#: How commands end that are at fault themselves in no way.
_ENDS = (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError)

#: The messages of the running command, if they are to be one document.
_gathered: ContextVar[list[dict[str, object]] | None] = ContextVar("gathered", default=None)


@contextmanager
def one_document(form: str) -> Iterator[None]:
    """Have standard output for the list of messages alone, if they are written as JSON."""
    if form != "json" or _gathered.get() is not None:
        yield
        return
    found: list[dict[str, object]] = []
    token = _gathered.set(found)
    try:
        with redirect_stdout(sys.stderr):
            yield
    except _ENDS:
        raise
    except Exception as problem:
        internal = Diagnostics()
        internal.error("SGL0999", None, f"{type(problem).__name__}: {problem}")
        found.extend(as_object(diagnostic, SourceMap()) for diagnostic in internal)
        raise
    finally:
        _gathered.reset(token)
        click.echo(json_list(found))


def use_color(choice: str) -> bool:
    """Return whether to colour standard error."""
    if choice != "auto":
        return choice == "always"
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR")


def show(diagnostics: Diagnostics, sources: SourceMap, form: str, color: str) -> None:
    """Write all diagnostics to standard error, or put them into the JSON document."""
    gathered = _gathered.get()
    if form == "json" and gathered is not None:
        objects = (as_object(diagnostic, sources) for diagnostic in diagnostics)
        gathered.extend(entry for entry in objects if entry not in gathered)
        return
    colored = use_color(color)
    for diagnostic in diagnostics:
        if form == "concise":
            click.echo(render_concise(diagnostic, sources), err=True)
        else:
            click.echo(render(diagnostic, sources, color=colored) + "\n", err=True, color=colored)
    if diagnostics.errors or diagnostics.warnings:
        click.echo(
            f"{count(diagnostics.errors, 'error')}, {count(diagnostics.warnings, 'warning')}",
            err=True,
        )
