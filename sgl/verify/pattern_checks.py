"""Check the claims of patterns by searching every sentence's graph.

Each quota of a pattern or a part, and each exposure, has its own stratum, so each sentence is checked against its
quota.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from sgl.verify.dataset import LoadedData, Place, Result, checks
from sgl.verify.items import EXPOSURE, GENERALIZATION, IN_DISTRIBUTION, PART, TRAIN, TRAINING_LIKE
from sgl.verify.manifest import MANIFEST, Clause, Manifest, QuotaClaim

#: The sentences of some streams that contain, or do not contain, one of some structures.
_FOUND = """
    SELECT number, profile FROM kind CROSS JOIN sentence USING (split, stream, profile)
    WHERE stream IN (SELECT value FROM json_each(:streams))
    AND (profile IN (SELECT profile FROM found WHERE clause IN (SELECT value FROM json_each(:clauses)))) = :present
    ORDER BY number
"""


def _expect_none(
    data: LoadedData, tally: Result, places: list[Place], clauses: tuple[Clause, ...], message: str
) -> None:
    tally.checked += sum(place.items for place in places) if clauses else 0
    streams, texts = [place.stream for place in places], {clause.number: clause.text for clause in clauses}
    told: dict[int, tuple[str, int]] = {}
    for number, profile in data.table.select(_FOUND, streams=streams, clauses=[*texts], present=True):
        if profile not in told:
            own = [clause for clause in texts if clause in data.table.profiles[profile]]
            told[profile] = f"{message}: {' and '.join(texts[clause] for clause in own)}", own[0]
        text, first = told[profile]
        tally.add(partial(data.violation, text, number, first))


def _expect_one(data: LoadedData, tally: Result, place: Place, clauses: tuple[Clause, ...], message: str) -> None:
    numbers = [clause.number for clause in clauses]
    for number, _ in data.table.select(_FOUND, streams=[place.stream], clauses=numbers, present=False):
        tally.add(partial(data.violation, message, number))


@checks("V009")
def held_out(data: LoadedData, tally: Result) -> None:
    for pattern in data.manifest.patterns:
        _expect_none(data, tally, data.places(*TRAINING_LIKE), pattern.held_out, f"{pattern.name} is held out")


@checks("V010")
def reserved(data: LoadedData, tally: Result) -> None:
    for name, pattern in ((pattern.name, pattern) for pattern in data.manifest.patterns):
        allowed = {EXPOSURE + name, *(PART + part.name for part in data.manifest.parts if name in part.allow)}
        others = [place for place in data.places(*TRAINING_LIKE) if place.category not in allowed]
        _expect_none(data, tally, others, pattern.reserved, f"{name} reserves this for its exposures")


@checks("V014")
def excluded(data: LoadedData, tally: Result) -> None:
    for pattern in data.manifest.patterns:
        own = [place for place in data.places(GENERALIZATION) if place.category == pattern.name]
        _expect_none(data, tally, own, pattern.exclude, f"{pattern.name} excludes this")


@checks("V015")
def held_out_by_others(data: LoadedData, tally: Result) -> None:
    for name, pattern in ((pattern.name, pattern) for pattern in data.manifest.patterns):
        allowing = {name, *(other.name for other in data.manifest.patterns if name in other.allow)}
        others = [place for place in data.places(GENERALIZATION) if place.category not in allowing]
        message = f"{name} is held out, and the item's pattern does not allow it"
        _expect_none(data, tally, others, pattern.held_out, message)


@checks("V022")
def parts(data: LoadedData, tally: Result) -> None:
    owners = {
        (clause.text, quota.split, PART + part.name)
        for part in data.manifest.parts
        for clause in part.only
        for quota in part.quotas
    }
    for part in data.manifest.parts:
        places = data.places(*TRAINING_LIKE, *([] if part.tested else [GENERALIZATION]))
        for clause in part.only:
            others = [place for place in places if (clause.text, place.split, place.category) not in owners]
            _expect_none(data, tally, others, (clause,), f"only the part {part.name} may contain this")


@checks("V024")
def restrictions(data: LoadedData, tally: Result) -> None:
    places = data.places(*TRAINING_LIKE, GENERALIZATION)
    _expect_none(data, tally, places, data.manifest.nowhere, "this must not occur anywhere")


#: The number of train sentences with a structure.
_LICENSED = """
    SELECT coalesce(sum(items), 0) FROM found JOIN kind USING (profile) WHERE clause = :clause AND split = 'train'
"""


@checks("V012")
def needs_licensed(data: LoadedData, tally: Result) -> None:
    size = sum(place.items for place in data.places(TRAIN))
    for pattern in data.manifest.patterns:
        for need in pattern.need:
            tally.checked += size
            ((found,),) = data.table.select(_LICENSED, clause=need.structure.number)
            label = f"{pattern.name} needs {need.structure.text}"
            tally.figure(label, found, f"at least {need.minimum:,}")
            if found < need.minimum:
                tally.fault(f"{label} in {need.minimum:,} sentences of train, {found:,} have it", need.structure.place)


@checks("V013")
def instances(data: LoadedData, tally: Result) -> None:
    patterns = {pattern.name: pattern for pattern in data.manifest.patterns}
    for place in data.places(GENERALIZATION):
        tally.checked += place.items
        if place.category in patterns:
            clauses = patterns[place.category].instances
            _expect_one(data, tally, place, clauses, f"no structure of {place.category} occurs")
        else:
            _expect_one(data, tally, place, (), f"there is no pattern {place.category!r}")


def _quotas(manifest: Manifest) -> Iterator[tuple[str, QuotaClaim]]:
    """Yield the requirements on exposures, items and parts, each with its stream."""
    for pattern in manifest.patterns:
        for number, exposure in enumerate(pattern.expose):
            stream = f"{TRAIN}/{EXPOSURE}{pattern.name}/{number}"
            yield stream, QuotaClaim(exposure.extent, (exposure.structure,))
        for number, quota in enumerate(pattern.quotas):
            yield f"{GENERALIZATION}/{pattern.name}/{number}", quota
    for part in manifest.parts:
        for number, quota in enumerate(part.quotas):
            own = replace(quota, within_one_of=(part.only, *quota.within_one_of))
            yield f"{quota.split}/{PART}{part.name}/{number}", own


@checks("V016")
def quotas(data: LoadedData, tally: Result) -> None:
    strata, places = data.manifest.strata(), {place.stream: place for place in data.places()}
    for stream, quota in _quotas(data.manifest):
        stratum = strata.pop(stream, None)
        count = stratum.count if stratum else 0
        tally.checked += count
        if not quota.extent.allows(count):
            tally.fault(f"{count:,} sentences instead of {quota.extent.rows:,}", f"{MANIFEST}: {stream}")
        elif stratum and not stratum.extent.serves(quota.extent):
            tally.fault("the part of the split has another extent than its quota", f"{MANIFEST}: {stream}")
        if stream in places:
            _expect_quota(data, tally, places[stream], quota)
    for stratum in strata.values():
        if stratum.count and stratum.category != IN_DISTRIBUTION:
            tally.fault(f"no quota asks for {stratum.count:,} sentences", f"{MANIFEST}: {stratum.stream}")


def _expect_quota(data: LoadedData, tally: Result, place: Place, quota: QuotaClaim) -> None:
    """Report the sentences of a stratum that lack what its quota requires, or contain what it excludes."""
    for group in (*((clause,) for clause in quota.within), *quota.within_one_of):
        _expect_one(data, tally, place, group, f"{place.stream} lacks {' or '.join(map(str, group))}")
    for clause in quota.outside:
        _expect_none(data, tally, [place], (clause,), f"{place.stream} must be outside of this")
