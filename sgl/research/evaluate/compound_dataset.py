"""Find the compounds of items while a dataset is written, and write them beside its rows.

A pattern of compounds holds out a structure.  The compound is the smallest phrase that has all words of the
structure, in both languages.  Its *atoms* are the noun and the phrases beside it, on all levels from the compound
down to the noun.  The role of an atom is its relation to the noun; what governs the noun is a verb.  A verb or
preposition may have two parts (behind = 在 … 后面): what the rule that joins it to the noun phrase writes belongs
to it. Within the noun phrase such words are *fillers*, which may stand between atoms (the classifier 顶, the
particle 的).
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sgl.cli.terminal import json_text
from sgl.core.grammar import EXTRACTED, CoreGrammar, Slot
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, derive_graph
from sgl.core.structure import Structure
from sgl.dataset import DataFile
from sgl.dataset.rows import Chunk, written
from sgl.disk import write
from sgl.frontend import Compiled
from sgl.pipeline.matches import GraphFinder
from sgl.research.evaluate.compounds import ADJECTIVE, ATTRIBUTIVE, DETERMINER, HEADS, HOLE, MODIFIER, NOUN
from sgl.research.evaluate.query import PatternQuery
from sgl.research.evaluate.realization import DerivedPhrase, Realizer, template_words

if TYPE_CHECKING:
    from sgl.sampling.strata import Sampler

FILE = "compounds.json"
FORMAT = "sgl-compounds/1"

#: The group of patterns that are about compounds; the observer is registered for it.
GROUP = "compound"

#: Roles whose atoms may be words of the grammar, by their part of speech.
_WORD_ROLES = {"DET": DETERMINER, "ADJ": ADJECTIVE, "NOUN": NOUN}

_VERB, _PREPOSITION = HEADS

#: The role of an atom by its relation to the noun; subtypes (``acl:relcl``) are like their type.
_ROLES = {"det": DETERMINER, "amod": ADJECTIVE, "case": _PREPOSITION, "acl": MODIFIER, "nmod": MODIFIER}
_NOUNS = ("NOUN", "PROPN")


#: An atom of a compound: its role, its words, and the words of its translation.
FoundAtom = tuple[str, str, str]


class FoundCompound(NamedTuple):
    """A compound in both languages, as words between spaces, with its atoms."""

    source: str
    target: str
    atoms: tuple[FoundAtom, ...]
    fillers: frozenset[str]


class UnknownRoleError(Exception):
    """A compound has parts that have no role in a compound."""


_finder = cache(GraphFinder)


class CompoundFinder:
    """Find compounds in the derivations of a grammar."""

    def __init__(self, grammar: CoreGrammar, layer: str, source: str, target: str) -> None:
        """``layer`` is the graph that structures speak of; the others are text layers."""
        self._grammar = grammar
        self._graph = grammar.graph_layer(layer)
        self.source, self.target = grammar.text_layer(source), grammar.text_layer(target)
        self._realizer = Realizer(grammar, self._graph, self.source, self.target)

    def sentence(self, derivation: Derivation) -> str:
        """Return the words of the source between spaces, without a capital for the first one."""
        return " ".join(self._realizer.phrases(derivation)[-1].texts[0])

    def compounds(self, structures: Sequence[Structure], derivation: Derivation) -> list[FoundCompound]:
        """Return the compounds with one of the structures; raises ``UnknownRoleError``."""
        root = self._realizer.phrases(derivation)[-1]
        graph = derive_graph(self._grammar, derivation, self._graph)
        # Phrases know nodes by the numbers of their words.
        words = [root.anchors[node.position] for node in graph.nodes]
        found: dict[FoundCompound, None] = {}
        for structure in structures:
            for binding in _finder(structure).bindings(graph):
                noun = _noun(graph, binding)
                phrase, wanted = root, {words[node] for node in binding}
                # The smallest phrase that has all of these words.
                while inner := next((p for p in phrase.children if wanted <= {*p.anchors}), None):
                    phrase = inner
                atoms, fillers = self._atoms(phrase, words[noun], _roles(graph, words, noun))
                source, target = map(" ".join, phrase.texts)
                found[FoundCompound(source, target, tuple(atoms), frozenset({ATTRIBUTIVE, *fillers}))] = None
        return list(found)

    def _atoms(self, phrase: DerivedPhrase, noun: int, roles: dict[int, str]) -> tuple[list[FoundAtom], list[str]]:
        """Return the atoms of a phrase around a noun, in the order of the source, and its fillers."""
        source, target = map(" ".join, phrase.texts)
        if not phrase.children:
            return [(NOUN, source, target)], []
        inner = next((part for part in phrase.children if noun in part.anchors), None)
        if inner is None or phrase.rule.words(self.source):
            raise UnknownRoleError(source)
        inside, further = self._atoms(inner, noun, roles)
        atoms, fillers = list[FoundAtom](), [*phrase.rule.words(self.target)]
        for item in phrase.rule.constituents(self.source):
            assert isinstance(item, Slot), "the rule writes no word of the source"
            part = phrase.children[item.child]
            if part is inner:
                atoms += inside
                continue
            text, translation = part.texts
            role = roles.get(-1 if part.ports[0] is None else part.ports[0], "")
            if not role:
                raise UnknownRoleError(" ".join(text))
            if role in HEADS:
                # The target words of the head and of the rule, with dots for the noun phrase.
                texts = {id(inner): (HOLE,), id(part): translation}
                translation = template_words(phrase.rule, self.target, [texts.get(id(p), ()) for p in phrase.children])
                fillers = []
            elif len(translation) > 1 and translation[-1] == ATTRIBUTIVE:
                # The particle joins a modifier to the noun.
                translation = translation[:-1]
            atoms.append((role, " ".join(text), " ".join(translation)))
        return atoms, fillers + further


def _roles(graph: Graph, words: Sequence[int], noun: int) -> dict[int, str]:
    """Return the roles of the neighbours of a noun, by their words."""
    into = (source for source, label, target in graph.edges if target == noun and not label.startswith(EXTRACTED))
    roles = {words[node]: _VERB for node in into}
    below = ((label.partition(":")[0], node) for source, label, node in reversed(graph.edges) if source == noun)
    return roles | {words[node]: _ROLES[relation] for relation, node in below if relation in _ROLES}


def _noun(graph: Graph, binding: Sequence[int]) -> int:
    """Return the noun of a structure: the one that no other noun of it governs."""
    nouns = [n for n in binding if dict(graph.nodes[n].attributes).get("upos") in _NOUNS]
    governed = {target for source, _, target in graph.edges if source in nouns}
    highest = [noun for noun in nouns if noun not in governed]
    if len(highest) != 1:
        raise UnknownRoleError("a compound has one noun")
    return highest[0]


class CompoundObserver:
    """Collect the compounds of items, as the observer of patterns in the group ``compound``."""

    def __init__(self, compiled: Compiled, sampler: "Sampler") -> None:
        self._grammar, self._plan = compiled.grammar, compiled.plan
        self._sampler = sampler
        self._finder: CompoundFinder | None = None
        plan = compiled.plan
        if plan.lemma_layer and plan.target in {layer.name for layer in self._grammar.text_layers}:
            self._finder = CompoundFinder(self._grammar, plan.lemma_layer, plan.source, plan.target)
        self._structures = {p.name: PatternQuery.of(p).structures for p in plan.patterns if GROUP in p.groups}
        self._items: list[dict[str, str]] = []
        self._left_out: Counter[str] = Counter()
        self._lexicon: dict[str, dict[str, dict[str, None]]] = {}
        self._fillers: set[str] = set()

    def __call__(self, chunk: Chunk) -> None:
        """Take note of the compounds of a chunk."""
        row = chunk.first
        for piece in chunk.selections:
            pattern = piece.stratum.category
            if self._finder and pattern in self._structures and len(piece.numbers):
                derivations = self._sampler.derive(piece.stratum, piece.numbers).derivations
                for place, derivation in enumerate(iter(derivations)):
                    self._add(self._finder, f"{chunk.split}-{row + place:06d}", pattern, derivation)
            row += len(piece.numbers)

    def _add(self, finder: CompoundFinder, name: str, pattern: str, derivation: tuple[int, ...]) -> None:
        try:
            compounds = finder.compounds(self._structures[pattern], derivation)
        except UnknownRoleError:
            self._left_out[pattern] += 1
            return
        sentence = finder.sentence(derivation)
        for compound in compounds:
            texts = {"compound": compound.source, "translation": compound.target, "sentence": sentence}
            self._items.append({"id": name, "pattern": pattern, **texts})
            self._fillers |= compound.fillers
            for role, source, target in compound.atoms:
                self._lexicon.setdefault(role, {}).setdefault(source, {})[target] = None

    def write(self, directory: Path) -> Sequence[DataFile]:
        """Write the file if there are items of compounds; return its entry for the manifest."""
        if not self._items and not self._left_out:
            return ()
        write(directory / FILE, json_text(self._content()))
        return (written(directory, directory / FILE, rows=0),)

    def _content(self) -> dict[str, Any]:
        source, target = map(self._grammar.text_layer, (self._plan.source, self._plan.target))
        for rule in self._grammar.rules:
            # A word of the grammar may be an atom of the role of its part of speech.
            word, translation = (" ".join(rule.words(layer)) for layer in (source, target))
            for node in (n for f in rule.fragments for n in f.nodes if rule.lexical):
                role = _WORD_ROLES.get(dict(node.attributes or ()).get("upos", ""), "")
                if translation and word in self._lexicon.get(role, ()):
                    self._lexicon[role][word][translation] = None
        words = {word for rule in self._grammar.rules for word in rule.words(target) if word}
        return {
            "format": FORMAT,
            "source": self._plan.source,
            "target": self._plan.target,
            "spaces": bool(self._grammar.text_layers[target].join),
            "lexicon": {
                role: {atom: list(found) for atom, found in sorted(atoms.items())}
                for role, atoms in sorted(self._lexicon.items())
            },
            "fillers": sorted(self._fillers),
            "words": sorted(words),
            "left_out": self._left_out,
            "items": self._items,
        }
