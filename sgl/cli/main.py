"""Run a command, and let no traceback reach an author."""

from __future__ import annotations

import gc
import os
import platform
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from sgl import EDITION, __version__

OK, FAILED, USAGE, OUTPUT, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 70, 130

#: Commands by name: where each is, and what it does in one line.
COMMANDS: dict[str, tuple[str, str]] = {
    "analyse": ("sgl.cli.analyse", "Measure the trees of a treebank; mine errors of systems."),
    "audit": ("sgl.cli.audit", "Compare a corpus with a grammar; find structures in it."),
    "baseline": ("sgl.cli.baseline", "Train a small model on a dataset, and score it."),
    "cache": ("sgl.cli.cache", "Show or clear what earlier runs have kept."),
    "check": ("sgl.cli.check", "Read and check a grammar; draw nothing."),
    "compile": ("sgl.cli.compile", "Prove, draw, write and verify a dataset."),
    "eval": ("sgl.cli.eval", "Score the predictions of systems for a dataset."),
    "explain": ("sgl.cli.explain", "Explain a diagnostic code."),
    "export": ("sgl.cli.export", "Write a grammar for Alto or NLTK, or graphs as CoNLL-U."),
    "fit": ("sgl.cli.fit", "Estimate the weights of a grammar from a corpus."),
    "import": ("sgl.cli.imports", "Make a grammar of an IRTG of Alto."),
    "parse": ("sgl.cli.parse", "Show the trees of a sentence."),
    "prove": ("sgl.cli.prove", "Prove what the patterns claim."),
    "sample": ("sgl.cli.sample", "Show sentences of a grammar or a pattern."),
    "split": ("sgl.cli.split", "Divide items by the divergence of their compounds."),
    "translate": ("sgl.cli.translate", "Say a sentence in the other layers."),
    "verify": ("sgl.cli.verify", "Check a written dataset or a certificate, independently."),
}


class _Commands(click.Group):
    """Imports a command when it is called, so that ``sglc --help`` answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, COMMANDS[name][1]) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as problem:
            from sgl.diagnostics import suggest

            hint = suggest(args[0], COMMANDS)
            message = f"{problem.message.rstrip('.')}; {hint}" if hint else problem.message
            raise click.UsageError(message, ctx) from None


def _version() -> str:
    build = f"Python {platform.python_version()}"
    return f"sglc {__version__} (language edition {EDITION}, {build})"


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message=_version())
def sglc() -> None:
    """SGL: benchmarks for compositional generalization, with proved splits."""


def main(arguments: list[str] | None = None) -> None:
    """Run ``sglc`` and leave with one of the documented exit codes."""
    status = run(arguments)
    # On leaving, the interpreter would look for cycles in all that it is about to give back.
    gc.freeze()
    sys.exit(status)


def run(arguments: list[str] | None = None) -> int:
    """Run ``sglc`` and return its exit code."""
    # Compiling makes many small values and hardly a cycle among them.
    gc.set_threshold(100_000, 50, 50)
    try:
        result: Any = sglc.main(arguments, prog_name="sglc", standalone_mode=False)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except click.ClickException as problem:
        problem.show()
        return USAGE
    except BrokenPipeError:
        # The reader of a pipe has left; keep the interpreter from complaining about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except Exception as problem:
        _report_internal(problem)
        return INTERNAL
    return result if isinstance(result, int) else OK


def _report_internal(problem: Exception) -> None:
    """Say that this is not the author's fault, and what to report."""
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
