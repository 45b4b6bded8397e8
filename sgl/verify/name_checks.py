"""Check names: graphs contain the names in claims, and no look-alikes.

Names are the labels, attributes, values and words in claims.  A claim that something with a nonexistent name does not
occur is always true.  A reader notices a nonsense name, but not one that looks like an existing name.  So names are
compared by their skeletons (``sgl.verify.skeleton``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sgl import foreign
from sgl.foreign.json import read_json
from sgl.verify.certificate_format import STRICT
from sgl.verify.dataset import LoadedData, Result, checks
from sgl.verify.items import LAYER, SAME, label_role
from sgl.verify.manifest import CERTIFICATE, MANIFEST
from sgl.verify.schema_grammar import CertifiedGrammar
from sgl.verify.skeleton import name_skeletons
from sgl.verify.structure import GraphPattern, Labels, NodeVariable, passes, read_structure

_EXAMPLES = 10


class GraphName(NamedTuple):
    """A name with its kind: ``label``, ``role`` in derivations, ``attribute``, or for a value its attribute with ``=``.

    >>> str(GraphName("lemma=", "cat"))
    "lemma='cat'"
    """

    role: str
    text: str

    def __str__(self) -> str:
        return f"{self.role}{self.text!r}"


#: For each name in graphs and each split, in order, the first sentence with it.
Found = dict[GraphName, dict[str, int]]


class NameTest(NamedTuple):
    """A set of names in a claim; ``excused`` if no graph needs to have any of them."""

    names: frozenset[GraphName]
    claim: str
    place: str
    excused: bool


@checks("V029")
def names(data: LoadedData, tally: Result) -> None:
    found, tests = Found(), [*_tests(data)]
    for role, text, split, number in data.table.select("SELECT role, text, split, number FROM name ORDER BY rowid"):
        found.setdefault(GraphName(role, text), {})[split] = number
    claimed = [*dict.fromkeys(name for test in tests for name in sorted(test.names))]
    absent = [name for name in claimed if name not in found]
    layers = (data.manifest.distinct.layer, *data.manifest.layers.written) if absent else ()
    made = made_by_rules(data.directory, *layers) if layers else frozenset()
    tally.checked += len(claimed)
    suspicious = _disguised_names(data, tally, tests, found, made)
    _vacuous_tests(tally, tests, made | suspicious | found.keys())
    _disguised_variables(data, tally)
    _disguised_words(data, tally, {name.text for name in claimed if name.role == "lemma="})
    examples = ", ".join(map(str, absent[:_EXAMPLES]))
    tally.figure("names in claims that no graph has", len(absent), examples)


def _tests(data: LoadedData) -> Iterator[NameTest]:
    """Yield the sets of names in all claims."""
    manifest = data.manifest
    certified = (data.directory / CERTIFICATE).exists()
    nowhere = {clause.number for clause in manifest.nowhere}
    for clause in data.clauses:
        for inside, needless in _in_structure(read_structure(clause.text), manifest.distinct.layer):
            excused = needless or (clause.number in nowhere and not certified)
            yield NameTest(frozenset(inside), clause.text, clause.place, excused)
    for rank, pattern in enumerate(manifest.patterns):
        for target in pattern.targets:
            own = frozenset([GraphName("lemma=", target)])
            yield NameTest(own, f"the targets of {pattern.name}", f"patterns[{rank}].targets", excused=False)
    for tag in manifest.distinct.lemmas:
        yield NameTest(frozenset([GraphName("upos=", tag)]), "the distinct lemmas", "distinct.lemmas", excused=False)


def _in_structure(structure: GraphPattern, first: str) -> Iterator[tuple[list[GraphName], bool]]:
    """Yield the sets of names in a structure, by default of layer ``first``, and whether graphs may lack them."""
    for body in structure.bodies:
        denied = body is not structure.body
        roles = [_role(variable, structure.layer or first) for variable in body.variables]
        for link in body.links:
            yield _labels(link.labels, roles[link.source], needless=denied)
        for variable, role in zip(body.variables, roles, strict=True):
            yield from _in_variable(variable, role, denied=denied)


def _role(variable: NodeVariable, layer: str) -> str:
    """Return the kind of labels at a node; in a joint layer, a test gives its layer."""
    own = [value for test in variable.tests if test.attribute == LAYER for value in test.values]
    return label_role(own[0] if own else layer)


def _in_variable(variable: NodeVariable, role: str, *, denied: bool) -> Iterator[tuple[list[GraphName], bool]]:
    for degree in variable.degrees:
        yield _labels(degree.labels, role, needless=denied or passes(0, degree))
    for test in variable.tests:
        yield [GraphName("attribute ", test.attribute)], False
        values = [GraphName(f"{test.attribute}=", value) for value in test.values]
        yield values, len(values) != 1 and (denied or test.negated)


def _labels(labels: Labels, role: str, *, needless: bool) -> tuple[list[GraphName], bool]:
    # Joint layers, not authors, exclude the edges between two nodes of one word, which may not exist.
    own = [GraphName(role, label) for label in labels.labels if not (labels.negated and label == SAME)]
    return own, len(own) != 1 and (needless or labels.negated)


def made_by_rules(directory: Path, *layers: str) -> frozenset[GraphName]:
    """Return the names in some layers that the rules of a certificate make, as far as it can be read."""
    made: set[GraphName] = set()
    with suppress(OSError, ValueError, TypeError, LookupError, RecursionError):
        content: Any = read_json(directory / CERTIFICATE, foreign.CERTIFICATE, inside=directory)
        grammar: CertifiedGrammar = STRICT.read(CertifiedGrammar, content["core"]["grammar"])
        numbers = [(label_role(layer), grammar.graph(layer)) for layer in layers]
        for role, fragment in ((role, rule.fragments[number]) for rule in grammar.rules for role, number in numbers):
            made.update(GraphName(role, edge.label) for edge in fragment.edges)
            for attribute, value in (pair for node in fragment.nodes for pair in node.attributes or ()):
                made |= {GraphName("attribute ", attribute), GraphName(f"{attribute}=", value)}
    return frozenset(made)


def _lookalikes(claimed: Iterable[GraphName], found: Iterable[GraphName]) -> Iterator[tuple[GraphName, GraphName]]:
    """Yield the pairs of a claimed name and another name that looks like it."""
    alike: dict[tuple[str, str], list[GraphName]] = {}
    for name in found:
        for skeleton in dict.fromkeys(name_skeletons(name.text)):
            alike.setdefault((name.role, skeleton), []).append(name)
    for name in claimed:
        keys = [(name.role, skeleton) for skeleton in name_skeletons(name.text)]
        for other in dict.fromkeys(other for key in keys for other in alike.get(key, ())):
            if other != name:
                yield name, other


def _disguised_names(
    data: LoadedData, tally: Result, tests: list[NameTest], found: Found, made: frozenset[GraphName]
) -> set[GraphName]:
    """Report names in graphs that look like a claimed name; return the claimed names concerned."""
    suspicious: set[GraphName] = set()
    claimed = dict.fromkeys(name for test in tests for name in sorted(test.names))
    for name, other in _lookalikes(claimed, found):
        claims = [test.claim for test in tests if name in test.names and other not in test.names]
        if claims and not _is_another_word(data, name, other, unsampled=name in made - found.keys()):
            suspicious.add(name)
            lacking = "" if name in found else ", which no graph has"
            message = f"{other.role}{other.text!a} in {', '.join(found[other])} looks like {name.text!a}{lacking}"
            tally.add(partial(data.violation, f"{message}: {' and '.join(claims)}", next(iter(found[other].values()))))
    return suspicious


def _is_another_word(data: LoadedData, name: GraphName, other: GraphName, *, unsampled: bool) -> bool:
    """Return whether look-alike names are different words, as *may* and *May*, or ``unsampled``: in no graph."""
    if name.text.casefold() != other.text.casefold():
        return False
    if unsampled or name.role != "lemma=":
        return unsampled
    tags = "SELECT DISTINCT upos FROM word WHERE lemma = :lemma"
    own, others = ({*data.table.select(tags, lemma=each.text)} for each in (name, other))
    return own.isdisjoint(others) and own != set()


def _vacuous_tests(tally: Result, tests: list[NameTest], known: Set[GraphName]) -> None:
    """Report each set of names of which no graph has any."""
    vacuous: dict[frozenset[GraphName], list[NameTest]] = {}
    for test in tests:
        if test.names and known.isdisjoint(test.names) and not test.excused:
            vacuous.setdefault(test.names, []).append(test)
    for group, concerned in vacuous.items():
        shown = " or ".join(map(str, sorted(group)))
        message = f"no graph has {shown}: {' and '.join(test.claim for test in concerned)}"
        tally.fault(message, f"{MANIFEST}: {concerned[0].place}")


def _disguised_variables(data: LoadedData, tally: Result) -> None:
    for clause in data.clauses:
        bodies = read_structure(clause.text).bodies
        own = {GraphName("variable ", variable.name) for body in bodies for variable in body.variables}
        for name, other in _lookalikes(sorted(own), own):
            if name < other and name.text.casefold() != other.text.casefold():
                message = f"variable {name.text!a} looks like {other.text!a}: {clause.text}"
                tally.fault(message, f"{MANIFEST}: {clause.place}")


def _disguised_words(data: LoadedData, tally: Result, lemmas: set[str]) -> None:
    """Report words that look like a form of a claimed lemma but have another lemma or none."""
    words = data.table.select("SELECT form, lemma, number FROM word ORDER BY rowid")
    known: dict[str, set[tuple[str, str]]] = {}
    told: set[frozenset[tuple[str, str]]] = set()
    for form, lemma, _ in words:
        for skeleton in name_skeletons(form) if lemma in lemmas else ():
            known.setdefault(skeleton, set()).add((form, lemma))
    for form, lemma, number in words:
        alike = {own for skeleton in name_skeletons(form) for own in known.get(skeleton, ())}
        for own_form, own_lemma in sorted(alike):
            pair = frozenset([(form, lemma), (own_form, own_lemma)])
            differs = not lemma or form.casefold() != own_form.casefold()
            if lemma != own_lemma and differs and pair not in told:
                told.add(pair)
                message = f"{form!a} with lemma={lemma!a} looks like {own_form!a} of {own_lemma!a}"
                tally.add(partial(data.violation, message, number))
