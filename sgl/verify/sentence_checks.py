"""Check sentences and strings: new words, repetitions, look-alikes, targets, readings.

Each check is one query on the table of sentences.  Sentences that share a text come in groups, the earliest first.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from sgl.verify.dataset import LoadedData, Result, SkippedError, Violation, checks
from sgl.verify.items import EXPOSURE, GENERALIZATION, TRAIN
from sgl.verify.manifest import IGNORE, LIST, MANIFEST, REJECT, ReadingCounts, Stratum
from sgl.verify.table import DatasetTable

_EXAMPLES = 10

#: Words with their lemmas; a word without a lemma is its own lemma.  Rules in derivations are not words.
_LEXEMES = """
    WITH lexeme AS (
        SELECT split, form, CASE lemma WHEN '' THEN form ELSE lemma END AS lemma, upos, number, rowid AS place
        FROM word WHERE lemma != '' OR :layer != 'derivation'
    )
"""
#: Lemmas of gen that train lacks.
_NEW_LEMMAS = """
    SELECT lemma, min(number) FROM lexeme
    WHERE split = 'gen' AND lemma NOT IN (SELECT lemma FROM lexeme WHERE split = 'train')
    GROUP BY lemma ORDER BY min(number)
"""


@checks("V017")
def words_exposed(data: LoadedData, tally: Result) -> None:
    def select(query: str, **values: str) -> list[tuple[Any, ...]]:
        return data.table.select(f"{_LEXEMES}{query}", layer=data.manifest.distinct.layer, **values)

    ((tally.checked,),) = select("SELECT count(DISTINCT lemma) FROM lexeme WHERE split = 'gen'")
    for lemma, number in select(_NEW_LEMMAS):
        tally.add(partial(data.violation, f"the lemma {lemma!r} does not occur in train", number))
    own = "SELECT form, lemma, upos FROM lexeme WHERE split = :split ORDER BY place"
    known, asked = (select(own, split=split) for split in (TRAIN, GENERALIZATION))
    for label, shown in (
        ("word forms of gen that are not in train", lambda form, *_: form.lower()),
        ("lemmas with a part of speech that train lacks", lambda _, lemma, upos: f"{lemma}/{upos}"),
    ):
        seen = {shown(*word) for word in known}
        new = [*dict.fromkeys(text for text in (shown(*word) for word in asked) if text not in seen)]
        tally.figure(label, len(new), ", ".join(new[:_EXAMPLES]))


class Repeated(NamedTuple):
    """A sentence that shares a text with others; ``number`` is its row in the table."""

    number: int
    split: str
    shape: int
    sent_id: str
    source: str
    target: str
    skeleton: str


#: Sentences that share their text, in one of the columns, with others: equal sources have equal skeletons.
_REPEATED = """
    SELECT {text}, number, split, shape, sent_id, source, target, skeleton FROM alike
    WHERE {text} IN (SELECT {text} FROM alike GROUP BY {text} HAVING count(*) > 1)
    ORDER BY {text}, number
"""


def repetitions(table: DatasetTable, column: str) -> Iterator[list[Repeated]]:
    """Yield the groups of sentences with the same ``source``, ``skeleton`` or ``latin`` text."""
    rows = table.each(_REPEATED.format(text=column))
    for _, group in groupby(rows, key=lambda row: row[0]):
        yield [Repeated(*row[1:]) for row in group]


#: A sentence, and others that it repeats.
Repetition = tuple[Repeated, list[Repeated]]


def _in_other_splits(data: LoadedData, column: str) -> Iterator[Repetition]:
    """Yield the sentences whose text occurs earlier in other splits, with the first occurrence in each."""
    for group in repetitions(data.table, column):
        first: dict[str, Repeated] = {}
        for own in group:
            if others := [other for split, other in first.items() if split != own.split]:
                yield own, others
            first.setdefault(own.split, own)


@checks("V018")
def splits_disjoint(data: LoadedData, tally: Result) -> None:
    shared, recased, found = 0, 0, list[tuple[Repetition, str]]()
    distinct = data.manifest.distinct.sentences
    tally.checked += data.items
    for own, others in _in_other_splits(data, "source"):
        if distinct or _has_items(own, others):
            found.append(((own, others), "is"))
        else:
            shared += 1
    for own, others in _looking_alike(data):
        if _has_items(own, others) or (distinct and _letters_differ(own, others)):
            found.append(((own, others), "looks like"))
        else:
            recased += 1
    for (own, others), verb in sorted(found, key=lambda each: (each[1], each[0][0].number)):
        tally.add(partial(_twice, data, own, others, verb))
    if not distinct:
        tally.figure("sentences that train, dev and test share", shared)
    tally.figure("sentences that they share except for case and spaces", recased)


def _looking_alike(data: LoadedData) -> Iterator[Repetition]:
    for column in ("skeleton", "latin"):
        for own, others in _in_other_splits(data, column):
            alike = [other for other in others if other.source != own.source]
            if column == "latin":
                alike = [other for other in alike if other.skeleton != own.skeleton]
            if alike:
                yield own, alike


def _has_items(own: Repeated, others: Sequence[Repeated]) -> bool:
    return GENERALIZATION in {own.split, *(other.split for other in others)}


def _letters_differ(own: Repeated, others: Sequence[Repeated]) -> bool:
    return len({"".join(each.source.split()).casefold() for each in (own, *others)}) > 1


def _twice(data: LoadedData, own: Repeated, others: Sequence[Repeated], verb: str) -> Violation:
    named = []
    for other in others:
        text = other.sent_id if verb == "is" else f"{other.sent_id} “{other.source}”"
        named.append(text if other.shape == own.shape else f"{text} (with another graph)")
    ending = " as well" if verb == "is" else ""
    return data.violation(f"the sentence {verb} {' and '.join(named)}{ending}", own.number)


@checks("V026")
def one_target(data: LoadedData, tally: Result) -> None:
    strings = data.manifest.ambiguous
    # If the target is also written as pairs, it is no answer, and a sentence may have several.
    twins = any(file.path.startswith("pairs/") for file in data.manifest.files)
    lenient = twins or (strings is not None and strings.policy != REJECT)
    found = list[tuple[Repeated, str]]()
    tally.checked += data.items
    for first, *later in repetitions(data.table, "source"):
        message = f"the sentence has another target in {first.sent_id}: {first.target}"
        found += [(own, message) for own in later if own.target != first.target]
    for own, message in () if lenient else sorted(found):
        tally.add(partial(data.violation, message, own.number))
    if lenient:
        tally.figure("sentences that have another target elsewhere", len(found))


@checks("V027")
def readings(data: LoadedData, tally: Result) -> None:
    manifest, strings = data.manifest, data.manifest.ambiguous
    if strings is None:
        raise SkippedError("the manifest says nothing about readings")
    strata = [(split, stratum) for split, claim in manifest.splits.items() for stratum in claim.strata]
    parsed = [stratum.readings for _, stratum in strata if stratum.readings]
    tally.checked = len(parsed) + len(manifest.patterns)
    for _, stratum in strata:
        for message in _disagreements(stratum, strings.policy):
            tally.fault(message, f"{MANIFEST}: {stratum.stream}")
    stated = {claim.pattern: claim.result for claim in manifest.guarantees if claim.claim == "string level"}
    for name in (pattern.name for pattern in manifest.patterns):
        verdict, expected = stated.get(name, "not checked"), _verdict(strings.policy, name, strata)
        if verdict != expected:
            message = f"the verdict on the strings of {name} is {verdict!r}, the figures say {expected!r}"
            tally.fault(message, f"{MANIFEST}: guarantees")
    tally.figure("strings parsed", sum(counts.parsed for counts in parsed))
    tally.figure("strings with several readings", sum(counts.several for counts in parsed))


def _verdict(policy: str, pattern: str, strata: Sequence[tuple[str, Stratum]]) -> str:
    """Return the verdict on the strings of a pattern that follows from the figures."""
    if policy in (IGNORE, REJECT, LIST):
        return "not checked" if policy == IGNORE else "checked"
    return "refuted" if any(_refutes(pattern, split, stratum) for split, stratum in strata) else "checked"


def _refutes(pattern: str, split: str, stratum: Stratum) -> bool:
    """Return whether strings can be read with what a pattern holds out, or ones of its own have several outputs."""
    if stratum.readings is None:
        return False
    leaks = split != GENERALIZATION and stratum.readings.patterns.get(pattern, 0)
    return bool(leaks or (stratum.category in (pattern, EXPOSURE + pattern) and stratum.readings.outputs))


def _disagreements(stratum: Stratum, policy: str) -> Iterator[str]:
    """Yield how the figures on the strings of a stratum disagree with one another and with the policy."""
    read = stratum.readings
    if read is None:
        if stratum.count and policy != IGNORE:
            yield "the strings were not parsed"
        return
    rejected, items = stratum.rejected.ambiguous, stratum.count // stratum.extent.copies
    if policy == IGNORE:
        yield "there are figures, though readings were to be ignored"
    # Instances with too few contexts have been parsed as well.
    spare = read.parsed - items - rejected
    if spare < 0 or (spare and not stratum.extent.contexts):
        yield f"{read.parsed} strings parsed, but {items} items and {rejected} rejected"
    least, most = _rejectable(read, policy)
    if not least <= rejected <= most:
        yield f"{rejected} rejected as ambiguous instead of {least if least == most else f'{least} to {most}'}"


def _rejectable(read: ReadingCounts, policy: str) -> tuple[int, int]:
    """Return the smallest and largest possible number of strings rejected as ambiguous."""
    # If every output is listed, only held-out readings and too many readings are rejected.
    most = read.ambiguous if policy in (REJECT, LIST) else 0
    return read.held_out if policy == LIST else most, most
