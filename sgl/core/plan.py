"""Define the plan of a dataset: what each part of each split must and must not contain.

A *pattern* is one type of generalization.  The patterns and the author's ``dataset`` declaration determine the
*strata*: parts of a split that are each drawn from one conditional distribution::

    train   in_distribution    40,000   no held-out structure, nothing reserved
            exposure:active_to_passive  100   contains its exposure, nothing held out
    gen     active_to_passive   1,000   contains its structure, no other pattern's

A *lemma* of a rule is its spelling, whatever the part of speech.  Some lemmas may occur only once in a sentence: those
of nodes whose ``upos`` is in ``plan.distinct_lemmas``.

A *release* is not part of the plan and does not change the fingerprint of a grammar: the same rows may be published
again under another version or licence.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from sgl.core.extent import Extent
from sgl.core.grammar import DERIVATION, CoreGrammar
from sgl.core.joint import PLUS
from sgl.core.structure import Structure
from sgl.values import dataclass, fields, is_dataclass, replace

TRAIN, GEN = "train", "gen"
#: The names that loaders give to the splits they know; Croissant has a class for each.
LOADED = {"train": "train", "dev": "validation", "test": "test"}
IN_DISTRIBUTION = "in_distribution"
EXPOSURE_PREFIX = "exposure:"
PART_PREFIX = "part:"
#: The prefix of streams of training sentences that are drawn because a pattern needs them.
NEED_PREFIX = "need:"


def split_called(name: str) -> str:
    """Return the name of a split in files, given either that name or the loaders' name."""
    return next((own for own, loaded in LOADED.items() if loaded == name), name)


class Ambiguous(Enum):
    """What to do with sentences whose other readings matter.

    In train, dev and test these are sentences of which some reading contains a held-out structure; in all splits,
    sentences whose readings differ in another text layer.  With ``LIST``, every output counts as a right answer, and
    only sentences with held-out structures or too many readings are rejected.
    """

    REJECT = "reject"
    LIST = "list"
    REPORT = "report"
    IGNORE = "ignore"

    @property
    def rejects(self) -> bool:
        """Whether some ambiguous sentences are rejected."""
        return self in (Ambiguous.REJECT, Ambiguous.LIST)


@dataclass(frozen=True)
class Constraint:
    """A Boolean combination of structures that a sentence must satisfy.

    For each group in ``require`` at least one structure occurs; no structure of ``exclude`` occurs.  Structures of
    ``cut`` are among these, but a derivation that uses a rule the author keeps in training may contain them.
    """

    require: tuple[tuple[Structure, ...], ...] = ()
    exclude: tuple[Structure, ...] = ()
    cut: tuple[Structure, ...] = ()

    def requiring(self, *group: Structure) -> "Constraint":
        """Return the constraint of sentences that also contain one of these structures."""
        return replace(self, require=(*self.require, group))


@dataclass(frozen=True)
class Need:
    """A part that training must contain, in at least ``minimum`` sentences."""

    structure: Structure
    minimum: int = 1


@dataclass(frozen=True)
class Exposure:
    """Training sentences that contain ``structure``, which is reserved; single words may be repeated."""

    structure: Structure
    extent: Extent


@dataclass(frozen=True)
class Quota:
    """Items that contain all of ``within`` and none of ``outside``.

    They also contain one structure of each group in ``within_one_of``: a condition that was joined to each of several
    ``gen`` structures.  ``split`` is the split of a part's sentences.
    """

    extent: Extent
    within: tuple[Structure, ...] = ()
    within_one_of: tuple[tuple[Structure, ...], ...] = ()
    outside: tuple[Structure, ...] = ()
    split: str = "train"

    @property
    def groups(self) -> tuple[tuple[Structure, ...], ...]:
        """Groups of structures; the items contain one structure of each."""
        return (*((structure,) for structure in self.within), *self.within_one_of)

    @property
    def structures(self) -> tuple[Structure, ...]:
        """Every structure that the quota mentions."""
        return (*(s for group in self.groups for s in group), *self.outside)


@dataclass(frozen=True)
class Part:
    """A part of train, and perhaps of dev and test, that belongs to no pattern.

    Its sentences contain one of ``only``, which no other sentence of the dataset contains, except that generalization
    items may if the part is ``tested``.  With ``repeated_lemmas`` a lemma may occur twice in one of them.  ``allow``
    lists patterns whose reserved structures they may contain.
    """

    name: str
    title: str
    only: tuple[Structure, ...]
    quotas: tuple[Quota, ...]
    repeated_lemmas: bool = False
    allow: tuple[str, ...] = ()
    tested: bool = False


@dataclass(frozen=True)
class Pattern:
    """One type of generalization.

    ``forbid``: held out of training (cut from the grammar).  ``never``: held out by assertion (the grammar stays; a
    leak is an error).  ``gen``: its items contain one of these.  ``exclude``: its items contain none of these.
    ``allow``: patterns whose held-out structures its items may contain.  ``reserved``: words and structures that only
    exposures may contain.  ``waive``: parts of its held-out structures that training need not contain.
    """

    name: str
    title: str
    groups: tuple[str, ...]
    forbid: tuple[Structure, ...]
    never: tuple[Structure, ...]
    gen: tuple[Structure, ...]
    exclude: tuple[Structure, ...]
    need: tuple[Need, ...]
    allow: tuple[str, ...]
    targets: tuple[str, ...]
    expose: tuple[Exposure, ...]
    reserved: tuple[Structure, ...]
    quotas: tuple[Quota, ...]
    waive: tuple[Structure, ...] = ()

    @property
    def held_out(self) -> tuple[Structure, ...]:
        """Every structure that the pattern claims training does not contain."""
        return (*self.forbid, *self.never)

    @property
    def forgets_targets(self) -> bool:
        """Whether it has targets that none of its structures mentions."""
        words = frozenset(self.targets)
        variables = (v for s in structures_of(self) for body in (s.body, *s.without) for v in body.variables)
        return bool(words) and not any(test.values == words for v in variables for test in v.tests)

    @property
    def layer(self) -> str:
        """The graph layer of its structures that name none, or "" if each names its own."""
        return next((s.layer for s in (*self.held_out, *self.gen) if not s.named), "")


def foreign(pattern: Pattern, patterns: Sequence[Pattern]) -> tuple[Structure, ...]:
    """Return the structures that a pattern's items must not contain: held out by others, and not allowed by it."""
    return tuple(
        structure
        for other in patterns
        if other.name != pattern.name and other.name not in pattern.allow
        for structure in other.held_out
    )


@dataclass(frozen=True)
class Stratum:
    """A part of a split that is drawn from one conditional distribution.

    ``category`` is the third column of the data; ``stream`` names the stream of random numbers and is unique in the
    plan.  With ``repeated_lemmas`` a lemma may occur twice in a sentence.  A stratum of every possible text counts all
    derivations and takes them in order; copies follow one another.  Instances in contexts are instances of the first
    required structure.
    """

    split: str
    category: str
    stream: str
    extent: Extent
    constraint: Constraint
    repeated_lemmas: bool = False

    @property
    def count(self) -> int:
        """The number of sentences, not counting copies."""
        return self.extent.count

    def of(self, count: int) -> "Stratum":
        """Return the stratum with another number of sentences."""
        return replace(self, extent=self.extent.of(count))


@dataclass(frozen=True)
class Plan:
    """All strata to draw, in order.

    ``source`` names a text layer; ``target`` and the ``further`` targets name text layers or views.
    ``distinct_lemmas`` has the values of ``upos`` whose lemmas may occur only once in a sentence; with
    ``distinct_sentences`` no source text occurs twice, even across splits.  ``parts`` are parts of training; no text
    contains a structure of ``nowhere``.  ``ambiguous`` says what to do with sentences that have other readings.
    ``graphs`` are the graph layers, other than ``lemma_layer``, that structures mention; the dataset has their graphs,
    too.
    """

    seed: int
    source: str
    target: str
    strata: tuple[Stratum, ...]
    patterns: tuple[Pattern, ...]
    distinct_lemmas: tuple[str, ...]
    distinct_sentences: bool
    lemma_layer: str
    parts: tuple[Part, ...] = ()
    nowhere: tuple[Structure, ...] = ()
    ambiguous: Ambiguous = Ambiguous.REJECT
    further: tuple[str, ...] = ()
    graphs: tuple[str, ...] = ()

    @property
    def targets(self) -> tuple[str, ...]:
        """All targets; the target of the main files comes first."""
        return self.target, *self.further

    @property
    def measured(self) -> tuple[str, ...]:
        """The text layers whose lengths structures test, by name."""
        return tuple(sorted({test.layer for s in self.structures for test in s.body.lengths}))

    @property
    def headed(self) -> tuple[str, ...]:
        """The graph layers that structures join with the derivation, by name."""
        joined = [layers for s in self.structures if DERIVATION in (layers := s.layer.split(PLUS))]
        return tuple(sorted({layer for layers in joined for layer in layers if layer != DERIVATION}))

    @property
    def structures(self) -> Iterator[Structure]:
        """The structures of all declarations, which include the structures of the strata."""
        return structures_of((self.patterns, self.parts, self.nowhere))

    def in_distribution(self, split: str) -> Stratum | None:
        """Return the stratum of a split that no pattern asks for, or None."""
        own = (stratum for stratum in self.strata if stratum.split == split)
        return next((stratum for stratum in own if stratum.category == IN_DISTRIBUTION), None)


def structures_of(value: object) -> Iterator[Structure]:
    """Yield all structures in a plan or a part of it, with repetitions."""
    if isinstance(value, Structure):
        yield value
    elif isinstance(value, tuple):
        for member in value:
            yield from structures_of(member)
    elif is_dataclass(value):
        for own in fields(value):
            yield from structures_of(getattr(value, own.name))


#: Some lemmas of each rule of a grammar.
RuleLemmas = list[tuple[str, ...]]


def introduced_lemmas(grammar: CoreGrammar, plan: Plan) -> RuleLemmas:
    """Return for each rule the lemmas of the words that it introduces."""
    return [tuple(node["lemma"] for node in nodes) for nodes in _lemma_nodes(grammar, plan)]


def content_lemmas(grammar: CoreGrammar, plan: Plan) -> RuleLemmas:
    """Return for each rule the lemmas that it introduces and that may occur only once in a sentence."""
    wanted = frozenset(plan.distinct_lemmas)
    return [tuple(n["lemma"] for n in nodes if n.get("upos") in wanted) for nodes in _lemma_nodes(grammar, plan)]


def repeats_lemma(derivation: Iterable[int], lemmas: Sequence[tuple[str, ...]]) -> bool:
    """Return whether a derivation introduces one of these lemmas twice."""
    used = [lemma for rule in derivation for lemma in lemmas[rule]]
    return len(set(used)) < len(used)


def _lemma_nodes(grammar: CoreGrammar, plan: Plan) -> list[list[dict[str, str]]]:
    if not plan.lemma_layer:
        return [[] for _ in grammar.rules]
    layer = grammar.graph_layer(plan.lemma_layer)
    nodes = [[dict(n.attributes or ()) for n in r.fragments[layer].nodes] for r in grammar.rules]
    return [[node for node in own if node.get("lemma")] for own in nodes]


@dataclass(frozen=True)
class Release:
    """A release; optional fields that were not given are empty.

    ``licence`` is an identifier of SPDX, and so is that of the ``grammar`` with its tables.  ``languages`` are codes
    such as ``en``, ``date`` is in ISO form, ``words`` says where the words come from.  ``canary`` is a UUID to look
    for in what models were trained on; it is the same for all versions of a dataset.
    """

    version: str
    licence: str
    authors: tuple[str, ...]
    languages: tuple[str, ...] = ()
    cite: str = ""
    homepage: str = ""
    date: str = ""
    canary: str = ""
    grammar: str = ""
    words: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()
    doi: str = ""
    contact: str = ""
    funding: str = ""
    motivation: tuple[str, ...] = ()


@cache
def known() -> Any:  # noqa: ANN401 - a file of ours
    """Return what releases have: licences, clauses, columns of rows, files, size classes of hubs, GenBench's axes."""
    return json.loads(Path(__file__).with_name("release.json").read_text("utf-8"))


def canary_of(module: str, first_author: str) -> str:
    """Return the canary of the datasets of a grammar.

    >>> canary_of("farm", "Lovelace, Ada")
    'c09f773f-dd01-531c-9a4e-777a9ca7593d'
    """
    return str(uuid5(NAMESPACE_URL, f"sgl:{module}:{first_author}"))
