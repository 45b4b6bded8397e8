"""Say why a part of the data cannot have the sentences that it asks for, and what an author can do about it."""

from collections.abc import Iterator

from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, NEED_PREFIX
from sgl.dataset.manifest import rejected_in_words
from sgl.diagnostics import Diagnostic, Severity
from sgl.frontend import Compiled
from sgl.pipeline.sentences import place_of_stream
from sgl.sampling import AMBIGUOUS, NotEnoughError
from sgl.sampling.acceptance import REPEATED_LEMMA, TRAIN, UNEXPOSED_WORD


def too_few(problem: NotEnoughError, compiled: Compiled | None) -> Diagnostic:
    """Return what cannot yield its sentences, why candidates were rejected, and what to do."""
    # Parts of training lack words because their sentences are ambiguous.
    before = [
        f"of {_count(candidates, 'candidate')} for `{stream}`, {ambiguous:,} were rejected for "
        "their readings, so that their words were not seen"
        for stream, (candidates, ambiguous) in problem.before.items()
        if problem.rejected.get(UNEXPOSED_WORD) and stream.startswith(f"{TRAIN}/") and ambiguous
    ]
    message = f"`{problem.stratum}` cannot yield {_count(problem.wanted, 'sentence')}"
    found = f"found {problem.found:,} in {_count(problem.candidates, 'candidate')}"
    if rejected := rejected_in_words(problem.rejected):
        found += f"; rejected {rejected}"
    place = None if compiled is None else place_of_stream(compiled, problem.stratum)
    notes = (problem.reason, *([found] if problem.candidates else ()), *_all_of_them(problem), *before)
    return Diagnostic("SGL0809", Severity.ERROR, place, message, notes=notes, hint=_way_out(problem, bool(before)))


def _all_of_them(problem: NotEnoughError) -> Iterator[str]:
    """Yield what is known of all derivations of a part of the data that drawing has given up."""
    if not problem.candidates or problem.derivations in (None, problem.candidates):
        return
    there = f"this part of the data has {_count(problem.derivations or 0, 'derivation')}"
    if problem.possible is None:
        yield there
    elif problem.possible < problem.wanted:
        why = f" (left out: {rejected_in_words(problem.excluded)})"
        yield f"{there}; all were looked at, and only {_count(problem.possible, 'sentence')} can be accepted{why}"
    else:
        yield f"{there}; all were looked at: {_count(problem.possible, 'sentence')} can be accepted, but some are rare"


def _way_out(problem: NotEnoughError, readings: bool) -> str:
    rejected = problem.excluded or problem.rejected
    often = max(rejected, key=lambda reason: rejected[reason], default="") if any(rejected.values()) else ""
    if often == AMBIGUOUS or readings:
        return (
            f'look at their readings: `sglc parse --all GRAMMAR "{problem.example or "…"}"`; '
            "make the grammar less ambiguous, or let them pass: `ambiguous report` in the dataset"
        )
    split, _, rest = problem.stratum.partition("/")
    every = _all_clause(split, rest.partition("/")[0])
    if problem.possible is not None and problem.possible >= problem.wanted and every:
        return f"take every sentence, with `{every}`, or give the rare rules and words more weight"
    if often == UNEXPOSED_WORD and not problem.found:
        nothing = "" if split == TRAIN else "; a pattern that is to have no items says `size 0`"
        return f"let training show the words, as `expose 1 {{ N[@targets] }}` does{nothing}"
    if often == REPEATED_LEMMA:
        return (
            "a sentence needs more different words than there are, or most often draws one "
            "twice: enlarge the lexicon, or take a part of speech out of `distinct lemmas`"
        )
    fewer = f"ask for {problem.possible:,} at most" if problem.possible else "ask for fewer"
    if every and (problem.possible or (problem.derivations and not problem.candidates)):
        fewer += f" (`{every}` takes every one)"
    return f"{fewer}, enlarge the lexicon, or allow repeated sentences"


def _all_clause(split: str, category: str) -> str:
    """Return the clause that asks for all sentences of a part of the data, or nothing if none can."""
    if category == IN_DISTRIBUTION:
        return f"{split} all"
    return "" if not category or category.startswith((EXPOSURE_PREFIX, NEED_PREFIX)) else "size all"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
