"""What a user's mistake is called: a table from exception types to diagnostics.

Code below the command line raises; only here an exception gets a code, a place in the
grammar and a hint.  What is not in the table is a mistake in sglc itself.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sgl.cli.main import FAILED, OUTPUT
from sgl.diagnostics import Diagnostic, Severity, Span

if TYPE_CHECKING:
    from sgl.frontend import Compiled


class Failure(NamedTuple):
    """A diagnostic that ends a command, and the exit code."""

    diagnostic: Diagnostic
    status: int


def failure_of(problem: Exception, compiled: Compiled | None) -> Failure | None:
    """Return what to say about an exception; None if the user has not caused it.

    ``compiled`` is the grammar that the command has opened, whose places are named.
    """
    for kind, describe in _table().items():
        if isinstance(problem, kind):
            return describe(problem, compiled)
    return None


def _table() -> dict[type[Exception], Callable[[Any, Compiled | None], Failure]]:
    """Return how each type is described; a type stands before its base classes."""
    # These packages are imported when something has failed, and not by every command.
    from sgl.automata import StructureTooCostly, UnsupportedStructure
    from sgl.dataset import OutputError, TextTooLongError
    from sgl.pipeline.proof_data import NotADatasetError
    from sgl.rendering import ConlluError, ViewError
    from sgl.sampling import NotEnoughError

    return {
        OutputError: lambda problem, _: _error(
            "SGL0901",
            f"cannot write `{_shown(problem.path)}`: {problem.reason}",
            hint="choose another directory with `--out`",
            status=OUTPUT,
        ),
        NotADatasetError: lambda problem, _: _error(
            "SGL1401", f"no dataset to compare with: {problem}", status=OUTPUT
        ),
        ConlluError: _no_form,
        ViewError: _no_form,
        TextTooLongError: _no_form,
        NotEnoughError: _shortage,
        StructureTooCostly: _too_large,
        UnsupportedStructure: _too_large,
    }


def _error(
    code: str,
    message: str,
    place: Span | None = None,
    *,
    notes: tuple[str, ...] = (),
    hint: str = "",
    status: int = FAILED,
) -> Failure:
    diagnostic = Diagnostic(code, Severity.ERROR, place, message, notes=notes, hint=hint)
    return Failure(diagnostic, status)


def _shown(path: Path) -> Path:
    """Return a path as it is seen from the working directory."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _place(compiled: Compiled | None) -> Span | None:
    return None if compiled is None else compiled.dataset_span


def _no_form(problem: Exception, compiled: Compiled | None) -> Failure:
    return _error("SGL0513", f"a text that was drawn has no form: {problem}", _place(compiled))


def _shortage(problem: Any, compiled: Compiled | None) -> Failure:  # noqa: ANN401
    from sgl.cli.shortage import shortage
    from sgl.pipeline.messages import place_of_stream

    place = None if compiled is None else place_of_stream(compiled, problem.stratum)
    return Failure(shortage(problem, place), FAILED)


def _too_large(problem: Any, compiled: Compiled | None) -> Failure:  # noqa: ANN401
    from sgl.pipeline.messages import undecided

    return Failure(undecided(problem, compiled), FAILED)
