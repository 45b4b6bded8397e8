r"""The check of the names in claims: labels, attributes, values and words that graphs have.

A claim about a name that no graph has is true of any data.  A reader notices if the name is nonsense, but not if it
looks like one that graphs have.  So names are compared by their skeletons (``sgl.verify.skeleton``).
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sgl import foreign
from sgl.foreign.json import read_json
from sgl.verify.dataset import LoadedData, Result, Violation, checks
from sgl.verify.items import Place
from sgl.verify.manifest import CERTIFICATE, MANIFEST
from sgl.verify.skeleton import name_skeletons
from sgl.verify.structure import GraphPattern, Labels, passes, read_structure

_EXAMPLES = 10


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
