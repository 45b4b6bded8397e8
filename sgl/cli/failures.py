"""What a user's mistake is called: from exceptions to diagnostics.

Code below the command line raises; only here an exception gets a code, a place in the
grammar and a hint.  What has no case here is a mistake in sglc itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sgl.automata import StructureTooCostly, UnsupportedStructure
from sgl.cli.main import FAILED, OUTPUT
from sgl.cli.terminal import count
from sgl.dataset import OutputError
from sgl.dataset.chunk import TextTooLongError
from sgl.diagnostics import Diagnostic, Diagnostics, Severity, Span
from sgl.pipeline.messages import place_of_stream, undecided
from sgl.pipeline.proof_data import NotADatasetError
from sgl.rendering import ConlluError, ViewError
from sgl.sampling import AMBIGUOUS, NotEnoughError
from sgl.sampling.acceptance import TRAIN, UNEXPOSED_WORD

if TYPE_CHECKING:
    from sgl.frontend import Compiled

#: What candidates are rejected for, where the name of the reason does not say it.
_REJECTED = {UNEXPOSED_WORD: "a word that no sentence of train has"}


class Failure(NamedTuple):
    """A diagnostic that ends a command, and the exit code."""

    diagnostic: Diagnostic
    status: int = FAILED


def failure_of(problem: Exception, compiled: Compiled | None) -> Failure | None:
    """Return what to say about an exception; None if the user has not caused it.

    ``compiled`` is the grammar that the command has opened, whose places are named.
    """
    match problem:
        case OutputError():
            here, path = Path.cwd(), problem.path
            path = path.relative_to(here) if path.is_relative_to(here) else path
            message = f"cannot write `{path}`: {problem.reason}"
            hint = "choose another directory with `--out`"
            return Failure(_error("SGL0901", message, hint=hint), OUTPUT)
        case NotADatasetError():
            return Failure(_error("SGL1401", f"no dataset to compare with: {problem}"), OUTPUT)
        case ConlluError() | ViewError() | TextTooLongError():
            place = None if compiled is None else compiled.dataset_span
            message = f"a text that was drawn has no form: {problem}"
            return Failure(_error("SGL0513", message, place))
        case StructureTooCostly() | UnsupportedStructure():
            return Failure(undecided(problem, compiled))
        case NotEnoughError():
            place = None if compiled is None else place_of_stream(compiled, problem.stratum)
            return Failure(shortage(problem, place))
    return None


def _error(code: str, message: str, place: Span | None = None, *, hint: str = "") -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, place, message, hint=hint)


# ---- too few sentences


def shortage(problem: NotEnoughError, place: Span | None) -> Diagnostic:
    """Return what cannot yield its sentences, why candidates were rejected, and what to do."""
    rejected = ", ".join(
        f"{number:,} for {_REJECTED.get(reason, reason.replace('_', ' '))}"
        for reason, number in sorted(problem.rejected.items())
        if number
    )
    return Diagnostic(
        "SGL0809",
        Severity.ERROR,
        place,
        f"`{problem.stratum}` cannot yield {count(problem.wanted, 'sentence')}",
        notes=(
            problem.reason,
            f"found {problem.found:,} in {count(problem.candidates, 'candidate')}"
            + (f"; rejected {rejected}" if rejected else ""),
            *_ambiguous_before(problem),
        ),
        hint=_more_sentences(problem),
    )


def report_none(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Say that no sentence of the grammar is what was asked for."""
    diagnostics.error(
        "SGL0812",
        compiled.dataset_span,
        "no sentence of the grammar qualifies",
        hint="`sglc prove` says why",
    )


def _more_sentences(problem: NotEnoughError) -> str:
    """Return a hint when sentences run out, going by why candidates were rejected."""
    often = max(problem.rejected, key=lambda reason: problem.rejected[reason], default="")
    if problem.rejected.get(often) and (often == AMBIGUOUS or _ambiguous_before(problem)):
        return (
            "look at their readings with `sglc parse --all`; make the grammar less ambiguous, "
            "or let them pass: `ambiguous report` in the dataset"
        )
    return "ask for fewer, enlarge the lexicon, or allow repeated sentences"


def _ambiguous_before(problem: NotEnoughError) -> list[str]:
    """Return notes on parts of training that lack words because sentences are ambiguous."""
    if not problem.rejected.get(UNEXPOSED_WORD):
        return []
    return [
        f"of {count(candidates, 'candidate')} for `{stream}`, {ambiguous:,} were rejected for "
        "their readings, so that their words were not seen"
        for stream, (candidates, ambiguous) in problem.before.items()
        if stream.startswith(f"{TRAIN}/") and ambiguous
    ]
