"""Checks on sentences, words and strings: repetitions, new words, targets, readings."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter

from sgl.verify.dataset import LoadedData, Result, SkippedError, Violation, checks
from sgl.verify.items import EXPOSURE, GENERALIZATION, PART, TRAIN, Place, Split, repetitions
from sgl.verify.manifest import IGNORE, MANIFEST, REJECT, Stratum

_EXAMPLES = 10


@checks("V017")
def words_exposed(data: LoadedData, tally: Result) -> None:
    splits = {split.name: split for split in data.splits}
    train, gen = (splits.get(name, Split(name, ())) for name in (TRAIN, GENERALIZATION))
    lemmas = {lemma or form for form, lemma, _ in train.words}
    first: dict[str, int] = {}
    for (form, lemma, _), entry in gen.words.items():
        first.setdefault(lemma or form, entry)
    for lemma, entry in first.items():
        tally.checked += 1
        if lemma not in lemmas:
            message = f"the lemma {lemma!r} does not occur in train"
            tally.add(partial(data.violation, message, gen, entry))

    forms = [[form.lower() for form, _, _ in split.words] for split in (train, gen)]
    tagged = [[f"{lemma or form}/{upos}" for form, lemma, upos in split.words] for split in (train, gen)]
    for label, (known, asked) in (
        ("word forms of gen that are not in train", forms),
        ("lemmas with a part of speech that train lacks", tagged),
    ):
        seen = {*known}
        new = [*dict.fromkeys(word for word in asked if word not in seen)]
        tally.figure(label, len(new), ", ".join(new[:_EXAMPLES]))


@checks("V018")
def splits_disjoint(data: LoadedData, tally: Result) -> None:
    shared = recased = 0
    distinct = data.manifest.distinct.sentences
    tally.checked += data.items
    for (split, entry), others in _in_other_splits(data, attrgetter("sources")):
        if distinct or _has_items(split, others):
            tally.add(partial(_twice, data, split, entry, others))
        else:
            shared += 1
    for (split, entry), alike in _looking_alike(data):
        others = [(o, at) for o, at in alike if o.sources[at] != split.sources[entry]]
        if not others:
            continue
        if _has_items(split, others) or (distinct and _letters_differ(data, split, entry, others)):
            tally.add(partial(_twice, data, split, entry, others, "looks like"))
        else:
            recased += 1
    if not distinct:
        tally.figure("sentences that train, dev and test share", shared)
    tally.figure("sentences that they share but for case and spaces", recased)


def _looking_alike(data: LoadedData) -> Iterator[tuple[Place, list[Place]]]:
    yield from _in_other_splits(data, attrgetter("skeletons"))
    for (split, entry), alike in _in_other_splits(data, attrgetter("latin")):
        own = split.skeletons[entry]
        yield (split, entry), [(o, at) for o, at in alike if o.skeletons[at] != own]


def _in_other_splits(data: LoadedData, texts: Callable[[Split], array[int]]) -> Iterator[tuple[Place, list[Place]]]:
    known: dict[tuple[str, int], dict[str, Place]] = {}
    for (split, entry), (first, before) in repetitions(data.splits, texts):
        places = known.setdefault((first.name, before), {first.name: (first, before)})
        if others := [place for name, place in places.items() if name != split.name]:
            yield (split, entry), others
        places.setdefault(split.name, (split, entry))


def _has_items(split: Split, others: Sequence[Place]) -> bool:
    return GENERALIZATION in {split.name, *(other.name for other, _ in others)}


def _letters_differ(data: LoadedData, split: Split, entry: int, others: Sequence[Place]) -> bool:
    texts = [data.item(*place).source for place in ((split, entry), *others)]
    return len({"".join(text.split()).casefold() for text in texts}) > 1


@checks("V019")
def sentences_distinct(data: LoadedData, tally: Result) -> None:
    repeated = 0
    for split in data.splits:
        strata = data.manifest.splits[split.name].strata
        free = {own.category for own in strata if own.repeated or own.copies > 1}
        categories = [group.category for group in split.groups]
        tally.checked += len(split) - len(split.malformed)
        for (_, entry), (_, before) in repetitions([split]):
            repeated += 1
            category = categories[split.group_of[entry]]
            own = category == categories[split.group_of[before]] and category in free
            if data.manifest.distinct.sentences and not own:
                tally.add(partial(_twice, data, split, entry, [(split, before)]))
    tally.figure("repeated sentences", repeated)


@checks("V020")
def lemmas_distinct(data: LoadedData, tally: Result) -> None:
    exempt = {PART + part.name for part in data.manifest.parts if part.repeated_lemmas}
    for split in data.splits:
        free = exempt if split.name == TRAIN else set()
        for own in data.categories_of(split.name):
            if own.category not in free:
                tally.checked += own.items
        categories = [group.category for group in split.groups]
        for entry in split.repeating:
            if categories[split.group_of[entry]] not in free:
                tally.add(partial(_repeated_lemma, data, split, entry))


def _repeated_lemma(data: LoadedData, split: Split, entry: int) -> Violation:
    words, tags = data.item(split, entry).words, data.manifest.distinct.lemmas
    lemmas = Counter(word.get("lemma") for word in words if word.get("upos") in tags)
    lemma = next(lemma for lemma, times in lemmas.items() if times > 1)
    return data.violation(f"the lemma {lemma!r} occurs twice", split, entry)


def _twice(data: LoadedData, split: Split, entry: int, others: Sequence[Place], verb: str = "is") -> Violation:
    named, shape = [], data.group(split, entry).shape
    for other, before in others:
        item = data.item(other, before)
        text = f"{item.sent_id} “{item.source}”" if verb != "is" else item.sent_id
        differs = data.group(other, before).shape is not shape
        named.append(f"{text} (with another graph)" if differs else text)
    ending = " as well" if verb == "is" else ""
    return data.violation(f"the sentence {verb} {' and '.join(named)}{ending}", split, entry)


_CHECKED, _REFUTED, _NOT_CHECKED = "checked", "refuted", "not checked"

#: The claim of the guarantees that rest on parsing.
STRING_LEVEL = "string level"


@checks("V026")
def one_target(data: LoadedData, tally: Result) -> None:
    strings = data.manifest.ambiguous
    lenient = strings is not None and strings.policy != REJECT
    several = 0
    tally.checked += data.items
    for (split, entry), (other, before) in repetitions(data.splits):
        if split.targets[entry] != other.targets[before]:
            several += 1
            if not lenient:
                tally.add(partial(_second_target, data, split, entry, other, before))
    if lenient:
        tally.figure("sentences that have another target elsewhere", several)


def _second_target(data: LoadedData, split: Split, entry: int, other: Split, before: int) -> Violation:
    first = data.item(other, before)
    message = f"the sentence has another target in {first.sent_id}: {first.targets[0]}"
    return data.violation(message, split, entry)


@checks("V027")
def readings(data: LoadedData, tally: Result) -> None:
    manifest, strings = data.manifest, data.manifest.ambiguous
    if strings is None:
        raise SkippedError("the manifest says nothing of readings")
    strata = [(split, stratum) for split, claim in manifest.splits.items() for stratum in claim.strata]
    parsed = [(split, stratum.category, stratum.readings) for split, stratum in strata if stratum.readings]
    for _, stratum in strata:
        tally.checked += stratum.readings is not None
        for message in _disagreements(stratum, strings.policy):
            tally.fault(message, f"{MANIFEST}: {stratum.stream}")
    for _, stratum in strata:
        if strings.policy != IGNORE and stratum.count and not stratum.readings:
            tally.fault("the strings were not parsed", f"{MANIFEST}: {stratum.stream}")
    stated = {claim.pattern: claim.result for claim in manifest.guarantees if claim.claim == STRING_LEVEL}
    for pattern in manifest.patterns:
        tally.checked += 1
        name = pattern.name
        expected = {IGNORE: _NOT_CHECKED, REJECT: _CHECKED}.get(strings.policy)
        if expected is None:
            leaks = [r.patterns.get(name, 0) for split, _, r in parsed if split != GENERALIZATION]
            outputs = [r.outputs for _, kind, r in parsed if kind in (name, EXPOSURE + name)]
            expected = _REFUTED if any(leaks) or any(outputs) else _CHECKED
        verdict = stated.get(name, _NOT_CHECKED)
        if verdict != expected:
            message = f"the verdict on the strings of {name} is {verdict!r}, the figures say {expected!r}"
            tally.fault(message, f"{MANIFEST}: guarantees")
    tally.figure("strings parsed", sum(counts.parsed for _, _, counts in parsed))
    tally.figure("strings with several readings", sum(counts.several for _, _, counts in parsed))


def _disagreements(stratum: Stratum, policy: str) -> Iterator[str]:
    read, rejected = stratum.readings, stratum.rejected.ambiguous
    if read is None:
        return
    if policy == IGNORE:
        yield "there are figures, though readings were to be ignored"
    items = stratum.count // stratum.copies
    # Also what was accepted for instances that got too few contexts.
    if read.parsed < items + rejected or (read.parsed > items + rejected and not stratum.contexts):
        yield f"{read.parsed} strings parsed, but {items} items and {rejected} rejected"
    expected = read.ambiguous if policy == REJECT else 0
    if rejected != expected:
        yield f"{rejected} rejected as ambiguous instead of {expected}"
    if not max(read.held_out, read.outputs) <= read.ambiguous <= read.held_out + read.outputs:
        yield f"{read.ambiguous} ambiguous, {read.held_out} and {read.outputs} by kind"
    if not read.ambiguous <= read.several <= read.parsed:
        yield f"{read.several} with several readings, {read.ambiguous} ambiguous"
    by_pattern = [*read.patterns.values()]
    if not max(by_pattern, default=0) <= read.held_out <= sum(by_pattern):
        yield f"{read.held_out} with what is held out, by pattern {by_pattern}"
