"""Checks on sentences, words, strings and names: repetitions, new words, targets, readings, look-alikes.

Names are the labels, attributes, values and words in claims.  A claim about a name that no graph has is true of any
data.  A reader notices if the name is nonsense, but not if it looks like one that graphs have.  So names are compared
by their skeletons (``sgl.verify.skeleton``).
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from sgl import foreign
from sgl.foreign.json import read_json
from sgl.verify.dataset import LoadedData, Result, SkippedError, Violation, checks
from sgl.verify.items import EXPOSURE, GENERALIZATION, PART, TRAIN, Place, Split, repetitions
from sgl.verify.manifest import CERTIFICATE, IGNORE, MANIFEST, REJECT, Stratum
from sgl.verify.skeleton import name_skeletons
from sgl.verify.structure import GraphPattern, Labels, passes, read_structure

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
        free = {own.category for own in strata if own.extent.repeated or own.extent.copies > 1}
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


@checks("V026")
def one_target(data: LoadedData, tally: Result) -> None:
    strings = data.manifest.ambiguous
    lenient = strings is not None and strings.policy != REJECT
    several = 0
    tally.checked += data.items

    def second(split: Split, entry: int, other: Split, before: int) -> Violation:
        first = data.item(other, before)
        message = f"the sentence has another target in {first.sent_id}: {first.targets[0]}"
        return data.violation(message, split, entry)

    for (split, entry), (other, before) in repetitions(data.splits):
        if split.targets[entry] != other.targets[before]:
            several += 1
            if not lenient:
                tally.add(partial(second, split, entry, other, before))
    if lenient:
        tally.figure("sentences that have another target elsewhere", several)


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
    stated = {claim.pattern: claim.result for claim in manifest.guarantees if claim.claim == "string level"}
    for pattern in manifest.patterns:
        tally.checked += 1
        name = pattern.name
        expected = {IGNORE: "not checked", REJECT: "checked"}.get(strings.policy)
        if expected is None:
            leaks = [r.patterns.get(name, 0) for split, _, r in parsed if split != GENERALIZATION]
            outputs = [r.outputs for _, kind, r in parsed if kind in (name, EXPOSURE + name)]
            expected = "refuted" if any(leaks) or any(outputs) else "checked"
        verdict = stated.get(name, "not checked")
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
    items = stratum.count // stratum.extent.copies
    # Also what was accepted for instances that got too few contexts.
    if read.parsed < items + rejected or (read.parsed > items + rejected and not stratum.extent.contexts):
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


class _Name(NamedTuple):
    """A name in its role: ``label``, ``attribute``, or an attribute whose value it is, with ``=``.

    >>> str(_Name("lemma=", "cat"))
    "lemma='cat'"
    """

    role: str
    text: str

    def __str__(self) -> str:
        return f"{self.role}{self.text!r}"


#: Where graphs have a name: the first sentence of each split.
_Found = dict[_Name, list[Place]]


class _NameTest(NamedTuple):
    """A set of names in a claim; ``excused`` if graphs need not have any of them."""

    names: frozenset[_Name]
    claim: str
    place: str
    excused: bool


@checks("V029")
def names(data: LoadedData, tally: Result) -> None:
    found, tests = _found(data), [*_tests(data)]
    claimed = [*dict.fromkeys(name for test in tests for name in sorted(test.names))]
    absent = [name for name in claimed if name not in found]
    layers = (data.manifest.distinct.layer, *data.manifest.layers.written) if absent else ()
    made = frozenset().union(*(made_by_rules(data.directory, layer) for layer in layers))
    tally.checked += len(claimed)
    suspicious: set[_Name] = set()
    for name, other in _lookalikes(claimed, found):
        claims = [test.claim for test in tests if name in test.names and other not in test.names]
        if claims and not _is_another_word(data, name, other, name in made - found.keys()):
            suspicious.add(name)
            tally.add(partial(_lookalike, data, name, other, claims, found))
    vacuous: dict[frozenset[_Name], list[_NameTest]] = {}
    for test in tests:
        known = [n for n in test.names if n in found or n in made or n in suspicious]
        if test.names and not known and not test.excused:
            vacuous.setdefault(test.names, []).append(test)
    for group, concerned in vacuous.items():
        shown = " or ".join(map(str, sorted(group)))
        message = f"no graph has {shown}: {' and '.join(test.claim for test in concerned)}"
        tally.fault(message, f"{MANIFEST}: {concerned[0].place}")
    _disguised_variables(data, tally)
    _disguised_words(data, tally, {name.text for name in claimed if name.role == "lemma="})
    examples = ", ".join(map(str, absent[:_EXAMPLES]))
    tally.figure("names in claims that no graph has", len(absent), examples)


def _found(data: LoadedData) -> _Found:
    found: _Found = {}
    for split in data.splits:
        own = {_Name("label ", label): entry for label, entry in split.labels.items()}
        for (attribute, value), entry in split.values.items():
            own[_Name(f"{attribute}=", value)] = entry
            own.setdefault(_Name("attribute ", attribute), entry)
        for name, entry in own.items():
            found.setdefault(name, []).append((split, entry))
    return found


def _tests(data: LoadedData) -> Iterator[_NameTest]:
    manifest = data.manifest
    certified = (data.directory / CERTIFICATE).exists()
    nowhere = {clause.number for clause in manifest.nowhere}
    for clause in data.clauses:
        for inside, needless in _in_structure(read_structure(clause.text)):
            excused = needless or (clause.number in nowhere and not certified)
            yield _NameTest(frozenset(inside), clause.text, clause.place, excused)
    for rank, pattern in enumerate(manifest.patterns):
        for target in pattern.targets:
            claim, place = f"the targets of {pattern.name}", f"patterns[{rank}].targets"
            yield _NameTest(frozenset([_Name("lemma=", target)]), claim, place, excused=False)
    for tag in manifest.distinct.lemmas:
        own = frozenset([_Name("upos=", tag)])
        yield _NameTest(own, "the distinct lemmas", "distinct.lemmas", excused=False)


def _in_structure(structure: GraphPattern) -> Iterator[tuple[list[_Name], bool]]:

    def of(labels: Labels, *, needless: bool) -> tuple[list[_Name], bool]:
        own = [_Name("label ", label) for label in labels.names]
        return own, len(own) != 1 and (needless or labels.negated)

    for body in structure.bodies:
        denied = body is not structure.body
        for link in body.links:
            yield of(link.walk.labels, needless=denied)
        for variable in body.variables:
            for degree in variable.degrees:
                yield of(degree.labels, needless=denied or passes(0, degree))
            for test in variable.tests:
                yield [_Name("attribute ", test.attribute)], False
                values = [_Name(f"{test.attribute}=", value) for value in test.values]
                yield values, len(values) != 1 and (denied or test.negated)


def made_by_rules(directory: Path, layer: str) -> frozenset[_Name]:
    """Return the names of a layer that rules in a certificate make, as far as it can be read."""
    made: set[_Name] = set()
    with suppress(OSError, ValueError, TypeError, LookupError, RecursionError):
        path = directory / CERTIFICATE
        content: Any = read_json(path, foreign.CERTIFICATE, inside=directory)
        grammar = content["core"]["grammar"]
        number = [graph[0] for graph in grammar["graph"]].index(layer)
        for fragment in [rule[6][number] for rule in grammar["rules"]]:
            made.update(_Name("label ", label) for _, label, *_ in fragment["edges"])
            for attribute, value in (pair for own, *_ in fragment["nodes"] for pair in own or ()):
                made |= {_Name("attribute ", attribute), _Name(f"{attribute}=", value)}
    return frozenset(made)


def _lookalikes(claimed: Iterable[_Name], found: Iterable[_Name]) -> Iterator[tuple[_Name, _Name]]:
    alike: dict[tuple[str, str], list[_Name]] = {}
    for name in found:
        for skeleton in dict.fromkeys(name_skeletons(name.text)):
            alike.setdefault((name.role, skeleton), []).append(name)
    for name in claimed:
        keys = [(name.role, skeleton) for skeleton in name_skeletons(name.text)]
        for other in dict.fromkeys(other for key in keys for other in alike.get(key, ())):
            if other != name:
                yield name, other


def _is_another_word(data: LoadedData, name: _Name, other: _Name, unsampled: bool) -> bool:
    """Return whether names that look alike are different words, as *may* and *May*, or ``unsampled``: in no graph."""
    if name.text.casefold() != other.text.casefold():
        return False
    words = [word for split in data.splits for word in split.words]
    tags = [{upos for _, lemma, upos in words if lemma == text} for text in (name.text, other.text)]
    return unsampled or (name.role == "lemma=" and tags[0].isdisjoint(tags[1]) and tags[0] != set())


def _lookalike(data: LoadedData, name: _Name, other: _Name, claims: list[str], found: _Found) -> Violation:
    splits = ", ".join(split.name for split, _ in found[other])
    lacking = "" if name in found else ", which no graph has"
    message = f"{other.role}{other.text!a} in {splits} looks like {name.text!a}{lacking}"
    return data.violation(f"{message}: {' and '.join(claims)}", *found[other][0])


def _disguised_variables(data: LoadedData, tally: Result) -> None:
    for clause in data.clauses:
        bodies = read_structure(clause.text).bodies
        own = {_Name("variable ", variable.name) for body in bodies for variable in body.variables}
        for name, other in _lookalikes(sorted(own), own):
            if name < other and name.text.casefold() != other.text.casefold():
                message = f"variable {name.text!a} looks like {other.text!a}: {clause.text}"
                tally.fault(message, f"{MANIFEST}: {clause.place}")


def _disguised_words(data: LoadedData, tally: Result, lemmas: set[str]) -> None:
    words = [(split, entry, *word) for split in data.splits for word, entry in split.words.items()]
    known: dict[str, set[tuple[str, str]]] = {}
    told: set[frozenset[tuple[str, str]]] = set()
    for _, _, form, lemma, _ in words:
        for skeleton in name_skeletons(form) if lemma in lemmas else ():
            known.setdefault(skeleton, set()).add((form, lemma))
    for split, entry, form, lemma, _ in words:
        alike = {own for skeleton in name_skeletons(form) for own in known.get(skeleton, ())}
        for own_form, own_lemma in sorted(alike):
            pair = frozenset([(form, lemma), (own_form, own_lemma)])
            differs = not lemma or form.casefold() != own_form.casefold()
            if lemma != own_lemma and differs and pair not in told:
                told.add(pair)
                message = f"{form!a} with lemma={lemma!a} looks like {own_form!a} of {own_lemma!a}"
                tally.add(partial(data.violation, message, split, entry))
