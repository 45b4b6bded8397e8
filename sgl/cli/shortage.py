"""What there is to say when fewer sentences can be drawn than are asked for."""

from __future__ import annotations

from sgl.cli.counts import count
from sgl.diagnostics import Diagnostic, Diagnostics, Severity, Span
from sgl.frontend import Compiled
from sgl.sampling import AMBIGUOUS, NotEnoughError
from sgl.sampling.distinct import TRAIN, UNEXPOSED_WORD

#: What candidates are rejected for, where the name of the reason does not say it.
_REJECTED = {UNEXPOSED_WORD: "a word that no sentence of train has"}


def report_shortage(problem: NotEnoughError, place: Span | None, diagnostics: Diagnostics) -> None:
    """Report what cannot yield its sentences."""
    diagnostics.add(shortage(problem, place))


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
    """What to do when sentences run out, going by why candidates were rejected."""
    often = max(problem.rejected, key=lambda reason: problem.rejected[reason], default="")
    if problem.rejected.get(often) and (often == AMBIGUOUS or _ambiguous_before(problem)):
        return (
            "look at their readings with `sglc parse --all`; make the grammar less ambiguous, "
            "or let them pass: `ambiguous report` in the dataset"
        )
    return "ask for fewer, enlarge the lexicon, or allow repeated sentences"


def _ambiguous_before(problem: NotEnoughError) -> list[str]:
    """The parts of training that lack words because their sentences are ambiguous, in words."""
    if not problem.rejected.get(UNEXPOSED_WORD):
        return []
    return [
        f"of {count(candidates, 'candidate')} for `{stream}`, {ambiguous:,} were rejected for "
        "their readings, so that their words were not seen"
        for stream, (candidates, ambiguous) in problem.before.items()
        if stream.startswith(f"{TRAIN}/") and ambiguous
    ]
