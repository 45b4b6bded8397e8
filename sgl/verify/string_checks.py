"""Checks on strings: one target for each, and figures of their readings that agree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sgl.verify.dataset import Dataset
from sgl.verify.items import EXPOSURE, GENERALIZATION, Split, repetitions
from sgl.verify.manifest_strings import IGNORE, REJECT, Readings, Strings
from sgl.verify.report import SkippedError, Tally, Violation

_CHECKED, _REFUTED, _NOT_CHECKED = "checked", "refuted", "not checked"
_PLACE = "manifest.json: {}"


def one_target(data: Dataset, tally: Tally) -> None:
    """No source sentence has two targets, anywhere in the data.

    Where the author lets ambiguous sentences pass (`ambiguous report` or `ignore`) they
    are counted without being violations.
    """
    strings = data.manifest.strings
    lenient = strings is not None and strings.policy != REJECT
    several = 0
    tally.checked += data.items()
    for (split, entry), (other, before) in repetitions(data.splits):
        if split.targets[entry] != other.targets[before]:
            several += 1
            if not lenient:
                tally.add_later(partial(_second_target, data, split, entry, other, before))
    if lenient:
        tally.figure("sentences that have another target elsewhere", several)


def _second_target(data: Dataset, split: Split, entry: int, other: Split, before: int) -> Violation:
    first = data.item(other, before)
    message = f"the sentence has another target in {first.sent_id}: {first.targets[0]}"
    return data.violation_by(message, split, entry)


def readings(data: Dataset, tally: Tally) -> None:
    """The figures on the readings of strings are there, agree, and bear out the verdicts.

    As many strings were parsed as there are items and candidates rejected as ambiguous.
    With `ambiguous reject` these are all that were found to be so, and the verdict of a
    pattern is `checked`; with `ambiguous report` none is rejected, and the verdict is
    `refuted` if a string of train, dev or test can be read with what the pattern holds
    out, or one of its own has two outputs; with `ambiguous ignore` there are no figures,
    and the verdict is `not checked`.
    """
    strings = data.manifest.strings
    if strings is None:
        raise SkippedError("the manifest says nothing of readings")
    for stratum in strings.strata:
        tally.checked += 1
        for message in _disagreements(stratum, strings.policy):
            tally.add(Violation(message, _PLACE.format(stratum.stream)))
    if strings.policy != IGNORE:
        for stream in strings.unparsed:
            tally.add(Violation("the strings were not parsed", _PLACE.format(stream)))
    stated = dict(strings.verdicts)
    for pattern in data.manifest.patterns:
        tally.checked += 1
        expected = _verdict(strings, pattern.name)
        verdict = stated.get(pattern.name, _NOT_CHECKED)
        if verdict != expected:
            message = (
                f"the verdict on the strings of {pattern.name} is {verdict!r}, "
                f"the figures say {expected!r}"
            )
            tally.add(Violation(message, _PLACE.format("guarantees")))
    tally.figure("strings parsed", sum(stratum.parsed for stratum in strings.strata))
    tally.figure("strings with several readings", sum(s.several for s in strings.strata))


def _disagreements(stratum: Readings, policy: str) -> Iterator[str]:
    """What is wrong with the figures of one stratum."""
    if policy == IGNORE:
        yield "there are figures, though readings were to be ignored"
    if stratum.parsed != stratum.accepted + stratum.rejected:
        yield (
            f"{stratum.parsed} strings parsed, but {stratum.accepted} items and "
            f"{stratum.rejected} rejected"
        )
    expected = stratum.ambiguous if policy == REJECT else 0
    if stratum.rejected != expected:
        yield f"{stratum.rejected} rejected as ambiguous instead of {expected}"
    either = max(stratum.held_out, stratum.outputs)
    if not either <= stratum.ambiguous <= stratum.held_out + stratum.outputs:
        yield f"{stratum.ambiguous} ambiguous, {stratum.held_out} and {stratum.outputs} by kind"
    if not stratum.ambiguous <= stratum.several <= stratum.parsed:
        yield f"{stratum.several} with several readings, {stratum.ambiguous} ambiguous"
    by_pattern = [number for _, number in stratum.patterns]
    if not max(by_pattern, default=0) <= stratum.held_out <= sum(by_pattern):
        yield f"{stratum.held_out} with what is held out, by pattern {by_pattern}"


def _verdict(strings: Strings, pattern: str) -> str:
    """What the figures say of a pattern."""
    if strings.policy == IGNORE:
        return _NOT_CHECKED
    if strings.policy == REJECT:
        return _CHECKED
    leaks = sum(
        number
        for stratum in strings.strata
        for name, number in stratum.patterns
        if name == pattern and stratum.split != GENERALIZATION
    )
    own = (pattern, EXPOSURE + pattern)
    differing = sum(s.outputs for s in strings.strata if s.category in own)
    return _REFUTED if leaks + differing else _CHECKED
