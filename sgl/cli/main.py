"""Run a command, and let no traceback reach an author."""

from __future__ import annotations

import gc
import os
import platform
import sys
import traceback
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sgl import EDITION, __version__
from sgl.characters import for_terminal
from sgl.cli import process
from sgl.cli.registry import OWN, commands
from sgl.garbage import collect_rarely

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

OK, FAILED, USAGE, OUTPUT, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 70, 130


class _PassedError(Exception):
    """Carries an exception past click, which would take it for a signal to end."""


class _Commands(click.Group):
    """A group that imports a command when it is called.

    Help and the completion of names import none, so that they answer at once.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = commands().get(cmd_name)
        try:
            return None if entry is None else entry.load()
        except ImportError as problem:
            if cmd_name in OWN:
                raise
            raise click.ClickException(f"`{cmd_name}` cannot be loaded: {problem}") from problem

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Commands": [], "Further tools": []}
        for name, entry in commands().items():
            section = "Commands" if name in OWN else "Further tools"
            sections[section].append((name, entry.summary))
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        # The method of the group would import every command to ask whether it is hidden.
        names = (item for item in commands().items() if item[0].startswith(incomplete))
        found = [CompletionItem(name, help=entry.summary) for name, entry in names]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as problem:
            from sgl.diagnostics import suggest

            hint = suggest(args[0], commands())
            message = f"{problem.message.rstrip('.')}; {hint}" if hint else problem.message
            raise click.UsageError(message, ctx) from None

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click decides
        try:
            return super().invoke(ctx)
        except (EOFError, BrokenPipeError) as problem:
            raise _PassedError from problem


def _version() -> str:
    build = f"Python {platform.python_version()}"
    return f"sglc {__version__} (language edition {EDITION}, {build})"


#: What all commands inherit.
_SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}


@click.command(cls=_Commands, context_settings=_SETTINGS)
@click.version_option(__version__, message=_version())
def sglc() -> None:
    """SGL: benchmarks for compositional generalization, with proved splits."""


def main(arguments: list[str] | None = None) -> None:
    """Run ``sglc`` and leave with one of the documented exit codes."""
    process.use_streams()
    process.hear_signals()
    if "SGL_CACHE_DIR" in os.environ:
        from sgl.cache import ignored_variable

        if ignored := ignored_variable():
            click.echo(f"warning: SGL_CACHE_DIR is ignored, as `{ignored}` is relative", err=True)
    status = run(arguments)
    # On leaving, the interpreter would look for cycles in all that it is about to give back.
    gc.freeze()
    sys.exit(status)


def run(arguments: list[str] | None = None) -> int:
    """Run ``sglc`` and return its exit code."""
    collect_rarely()
    try:
        result: Any = sglc.main(arguments, prog_name="sglc", standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        said, status = process.interruption()
        click.echo(said, err=True)
        return status
    except click.ClickException as problem:
        # It quotes the command line, which somebody else may have written.
        shown = StringIO()
        problem.show(shown)
        click.echo(for_terminal(shown.getvalue()), nl=False, err=True)
        return USAGE
    except process.StreamError as problem:
        if not problem.left:
            click.echo(f"error[SGL1103]: {problem}", err=True)
        return OK if problem.left else OUTPUT
    except Exception as problem:
        cause = problem.__cause__ if isinstance(problem, _PassedError) else problem
        return _report(cause or problem)
    return result if isinstance(result, int) else OK


def _report(problem: BaseException) -> int:
    """Say what the machine has refused, or else that sglc is at fault, and what to report."""
    refused = process.refusal(problem)
    if refused is not None:
        code, message = refused
        click.echo(f"error[{code}]: {message}", err=True)
        return OUTPUT
    last = traceback.extract_tb(problem.__traceback__)[-1]
    place = f"{Path(last.filename).name}:{last.lineno} in {last.name}"
    click.echo(
        f"internal error[SGL0999]: {type(problem).__name__}: {problem}\n"
        f"  at {place}\n"
        "  This is a mistake in sglc, not in your grammar. Please report it with\n"
        f"  the output of `sglc --version` ({_version()}), the command, and the grammar.\n"
        "  SGL_TRACEBACK=1 shows the whole traceback.",
        err=True,
    )
    if os.environ.get("SGL_TRACEBACK"):
        traceback.print_exception(problem)
    return INTERNAL
