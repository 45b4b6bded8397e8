"""What a manifest says of the readings of the source strings.

The verifier has no parser: whether a string has another reading it cannot tell.  It can
tell whether the figures are there, agree with one another and with the verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass

from sgl.verify.cursor import Cursor, ManifestError

REJECT, REPORT, IGNORE = "reject", "report", "ignore"
_POLICIES = (REJECT, REPORT, IGNORE)

#: The claim of the guarantees that rest on parsing, and what they may say.
STRING_LEVEL = "string level"


@dataclass(frozen=True, slots=True)
class Readings:
    """The figures of a stratum in numbers of strings, as the compiler states them.

    ``accepted`` and ``rejected`` are the items and the candidates rejected as ambiguous;
    ``patterns`` counts the strings that contain what each pattern holds out.
    """

    stream: str
    split: str
    category: str
    accepted: int
    rejected: int
    parsed: int
    several: int
    held_out: int
    outputs: int
    ambiguous: int
    patterns: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Strings:
    """What is said of all strings: the policy, the strata, the verdicts by pattern.

    ``unparsed`` are the strata with items and without figures.
    """

    policy: str
    strata: tuple[Readings, ...]
    unparsed: tuple[str, ...]
    verdicts: tuple[tuple[str, str], ...]


def read_strings(root: Cursor) -> Strings | None:
    """What the manifest says; None if it says nothing of readings."""
    if not root.has("ambiguous"):
        return None
    policy = root.member("ambiguous").member("policy")
    if policy.text() not in _POLICIES:
        raise ManifestError(f"{policy.path}: one of {', '.join(_POLICIES)} expected")
    strata: list[Readings] = []
    unparsed: list[str] = []
    for split, entry in root.member("splits").members():
        for stratum in entry.member("strata").elements():
            if stratum.member("readings").value is not None:
                strata.append(_read(split, stratum))
            elif stratum.member("count").count():
                unparsed.append(stratum.member("stream").text())
    return Strings(policy.text(), tuple(strata), tuple(unparsed), _verdicts(root))


def _read(split: str, stratum: Cursor) -> Readings:
    readings, rejected = stratum.member("readings"), stratum.member("rejected")
    return Readings(
        stream=stratum.member("stream").text(),
        split=split,
        category=stratum.member("category").text(),
        accepted=stratum.member("count").count(),
        rejected=rejected.member("ambiguous").count(),
        parsed=readings.member("parsed").count(),
        several=readings.member("several").count(),
        held_out=readings.member("held_out").count(),
        outputs=readings.member("outputs").count(),
        ambiguous=readings.member("ambiguous").count(),
        patterns=tuple((name, n.count()) for name, n in readings.member("patterns").members()),
    )


def _verdicts(root: Cursor) -> tuple[tuple[str, str], ...]:
    """The result of the claim for each pattern, in the order of the guarantees."""
    return tuple(
        (guarantee.member("pattern").text(), guarantee.member("result").text())
        for guarantee in root.optional("guarantees")
        if guarantee.member("claim").text() == STRING_LEVEL
    )
