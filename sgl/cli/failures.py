"""What a user's mistake is called: from exceptions to diagnostics.

Code below the command line raises; only here an exception gets a code, a place in the grammar and a hint.  What has
no case here, and the machine has not refused, is a mistake in sglc itself.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sgl.automata import StructureTooCostly, UnsupportedStructure
from sgl.cli.main import FAILED, OUTPUT, refusal
from sgl.cli.terminal import count
from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, NEED_PREFIX
from sgl.dataset import OutputError
from sgl.dataset.manifest import rejected_in_words
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
    # Parts of training lack words because their sentences are ambiguous.
    before = [
        f"of {count(candidates, 'candidate')} for `{stream}`, {ambiguous:,} were rejected for "
        "their readings, so that their words were not seen"
        for stream, (candidates, ambiguous) in problem.before.items()
        if problem.rejected.get(UNEXPOSED_WORD) and stream.startswith(f"{TRAIN}/") and ambiguous
    ]
    message = f"`{problem.stratum}` cannot yield {count(problem.wanted, 'sentence')}"
    found = f"found {problem.found:,} in {count(problem.candidates, 'candidate')}"
    if rejected := rejected_in_words(problem.rejected):
        found += f"; rejected {rejected}"
    notes = (problem.reason, *([found] if problem.candidates else ()), *_all_of_them(problem), *before)
    return Diagnostic("SGL0809", Severity.ERROR, place, message, notes=notes, hint=_way_out(problem, bool(before)))


def _all_of_them(problem: NotEnoughError) -> Iterator[str]:
    """Yield what is known of all derivations of a part of the data that drawing has given up."""
    if not problem.candidates or problem.derivations in (None, problem.candidates):
        return
    there = f"this part of the data has {count(problem.derivations or 0, 'derivation')}"
    if problem.possible is None:
        yield there
    elif problem.possible < problem.wanted:
        why = f" (left out: {rejected_in_words(problem.excluded)})"
        yield f"{there}; all were looked at, and only {count(problem.possible, 'sentence')} can be accepted{why}"
    else:
        yield f"{there}; all were looked at: {count(problem.possible, 'sentence')} can be accepted, but some are rare"


def _way_out(problem: NotEnoughError, readings: bool) -> str:
    rejected = {reason: number for reason, number in (problem.excluded or problem.rejected).items() if number}
    often = max(rejected, key=lambda reason: rejected[reason], default="")
    if often == AMBIGUOUS or readings:
        return (
            f'look at their readings: `sglc parse --all GRAMMAR "{problem.example or "…"}"`; '
            "make the grammar less ambiguous, or let them pass: `ambiguous report` in the dataset"
        )
    split, _, rest = problem.stratum.partition("/")
    category = rest.partition("/")[0]
    clause = split if category == IN_DISTRIBUTION else "size"
    countable = category == IN_DISTRIBUTION or (rest and not category.startswith((EXPOSURE_PREFIX, NEED_PREFIX)))
    if problem.possible is not None and problem.possible >= problem.wanted and countable:
        return f"take every sentence, with `{clause} all`, or give the rare rules and words more weight"
    if often == UNEXPOSED_WORD and not problem.found:
        nothing = "" if split == TRAIN else "; a pattern that is to have no items says `size 0`"
        return f"let training show the words, as `expose 1 {{ N[@targets] }}` does{nothing}"
    if often == REPEATED_LEMMA:
        return (
            "a sentence needs more different words than there are, or most often draws one "
            "twice: enlarge the lexicon, or take a part of speech out of `distinct lemmas`"
        )
    fewer = f"ask for {problem.possible:,} at most" if problem.possible else "ask for fewer"
    if countable and (problem.possible or (problem.derivations and not problem.candidates)):
        fewer += f" (`{clause} all` takes every one)"
    return f"{fewer}, enlarge the lexicon, or allow repeated sentences"
