"""What a user's mistake is called: from exceptions to diagnostics.

Code below the command line raises; only here an exception gets a code, a place in the grammar and a hint.  What has
no case here, and the machine has not refused, is a mistake in sglc itself.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from sgl.automata import StructureTooCostly, UnsupportedStructure
from sgl.cli.main import FAILED, OUTPUT, refusal
from sgl.cli.terminal import count
from sgl.dataset import OutputError
from sgl.dataset.staged import TextTooLongError
from sgl.diagnostics import Diagnostic, Severity, Span
from sgl.foreign import ForeignFileError
from sgl.parsing import TooLongError, UnparsableLayerError
from sgl.pipeline.sentences import place_of_stream, too_long, undecided
from sgl.rendering import ConlluError, ViewError
from sgl.sampling import AMBIGUOUS, NotEnoughError
from sgl.sampling.acceptance import REPEATED_LEMMA, TRAIN, UNEXPOSED_WORD

if TYPE_CHECKING:
    from sgl.frontend import Compiled

#: What candidates are rejected for, where the name of the reason does not say it.
_REJECTED = {UNEXPOSED_WORD: "a word that no sentence of train has"}


def failure_of(problem: Exception, compiled: "Compiled | None") -> tuple[Diagnostic, int] | None:
    """Return what to say about an exception, and the exit code; None if the user is not at fault.

    ``compiled`` is the grammar that the command has opened, whose places are named.
    """
    dataset = None if compiled is None else compiled.dataset_span
    match problem:
        case OutputError():
            here, path = Path.cwd(), problem.path
            path = path.relative_to(here) if path.is_relative_to(here) else path
            message = f"cannot write `{path}`: {problem.reason}"
            hint = "choose another place with `--out`"
            return Diagnostic("SGL0901", Severity.ERROR, None, message, hint=hint), OUTPUT
        case ForeignFileError():
            return Diagnostic("SGL1102", Severity.ERROR, None, str(problem), hint=problem.hint), OUTPUT
        case ConlluError() | ViewError() | TextTooLongError():
            message = f"a text that was drawn has no form: {problem}"
            return Diagnostic("SGL0513", Severity.ERROR, dataset, message), FAILED
        case StructureTooCostly() | UnsupportedStructure():
            return undecided(problem, compiled), FAILED
        case UnparsableLayerError():
            hint = "name another layer; this one can only be written"
            return Diagnostic("SGL1108", Severity.ERROR, None, str(problem), hint=hint), FAILED
        case TooLongError():
            return too_long(problem, dataset), FAILED
        case NotEnoughError():
            place = None if compiled is None else place_of_stream(compiled, problem.stratum)
            return _shortage(problem, place), FAILED
    if refused := refusal(problem):
        return Diagnostic(refused[0], Severity.ERROR, None, refused[1]), OUTPUT
    return None


def _shortage(problem: NotEnoughError, place: Span | None) -> Diagnostic:
    """Return what cannot yield its sentences, why candidates were rejected, and what to do."""
    rejected = ", ".join(
        f"{number:,} for {_REJECTED.get(reason, reason.replace('_', ' '))}"
        for reason, number in sorted(problem.rejected.items())
        if number
    )
    # Parts of training lack words because their sentences are ambiguous.
    before = [
        f"of {count(candidates, 'candidate')} for `{stream}`, {ambiguous:,} were rejected for "
        "their readings, so that their words were not seen"
        for stream, (candidates, ambiguous) in problem.before.items()
        if problem.rejected.get(UNEXPOSED_WORD) and stream.startswith(f"{TRAIN}/") and ambiguous
    ]
    often = max(problem.rejected, key=lambda reason: problem.rejected[reason], default="")
    hint = "ask for fewer, enlarge the lexicon, or allow repeated sentences"
    if often == REPEATED_LEMMA and problem.rejected[often]:
        hint = (
            "a sentence needs more different words than there are, or most often draws one "
            "twice: enlarge the lexicon, or take a part of speech out of `distinct lemmas`"
        )
    if problem.rejected.get(often) and (often == AMBIGUOUS or before):
        hint = (
            f'look at their readings: `sglc parse --all GRAMMAR "{problem.example or "…"}"`; '
            "make the grammar less ambiguous, or let them pass: `ambiguous report` in the dataset"
        )
    message = f"`{problem.stratum}` cannot yield {count(problem.wanted, 'sentence')}"
    found = f"found {problem.found:,} in {count(problem.candidates, 'candidate')}"
    found += f"; rejected {rejected}" if rejected else ""
    return Diagnostic("SGL0809", Severity.ERROR, place, message, notes=(problem.reason, found, *before), hint=hint)
