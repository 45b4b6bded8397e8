"""Find the compound of an item in its derivation, with the atoms that it is made of.

A pattern of compounds holds out a structure, and an item contains it somewhere.  The compound
is the smallest phrase that has all words of the structure, in both languages::

    { N[lemma=scarf] -[amod]-> A[lemma=red] }     Peter saw the very red scarf he liked .

    en   the very red scarf he liked              DET the, ADJ very red, N scarf, MOD he liked
    zh   他 喜欢 的 那 条 很 红 的 围巾            那, 很 红, 围巾, 他 喜欢

Its *atoms* are the noun and the phrases beside it, on all levels from the compound down to
the noun.  The role of an atom is its relation to the noun; what governs the noun is a verb.
A verb or preposition may have two parts: whatever the rule that joins it to the noun phrase
writes itself belongs to it, and the dots are the noun phrase.  ::

    behind the tent     在 那 顶 帐篷 后面        P behind = 在 … 后面

On the levels of the noun phrase such words belong to no atom (the classifier 顶, the particle
的): they are *fillers*, which may stand between the atoms of a translation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sgl.core.grammar import EXTRACTED, CoreGrammar, Slot
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, derive_graph
from sgl.core.structure import Structure
from sgl.research.evaluate.compounds import (
    ADJECTIVE,
    ATTRIBUTIVE,
    DETERMINER,
    HEADS,
    HOLE,
    MODIFIER,
    NOUN,
)
from sgl.research.evaluate.query import GraphMatcher
from sgl.research.evaluate.realization import (
    DerivedPhrase,
    PhraseBuilder,
    own_words,
    template_words,
)

_VERB, _PREPOSITION = HEADS

#: The role of an atom by its relation to the noun; subtypes (``acl:relcl``) are like their type.
_ROLES = {
    "det": DETERMINER,
    "amod": ADJECTIVE,
    "case": _PREPOSITION,
    "acl": MODIFIER,
    "nmod": MODIFIER,
}
_NOUNS = ("NOUN", "PROPN")


class FoundAtom(NamedTuple):
    """An atom of a compound: its role, its words and those of its translation."""

    role: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class FoundCompound:
    """A compound in both languages, as words between spaces, with its atoms."""

    source: str
    target: str
    atoms: tuple[FoundAtom, ...]
    fillers: frozenset[str]


class UnknownRoleError(Exception):
    """A compound has parts that have no role in a compound."""


class CompoundFinder:
    """Find compounds in the derivations of a grammar."""

    def __init__(self, grammar: CoreGrammar, layer: str, source: str, target: str) -> None:
        """``layer`` is the graph that structures speak of; the others are text layers."""
        self._grammar = grammar
        self._graph = grammar.graph_layer(layer)
        self.source, self.target = grammar.text_layer(source), grammar.text_layer(target)
        self._builder = PhraseBuilder(grammar, self._graph, (self.source, self.target))

    def sentence(self, derivation: Derivation) -> str:
        """Return the words of the source between spaces, without a capital for the first one."""
        return " ".join(self._builder.phrases(derivation)[-1].texts[0])

    def compounds(
        self, structures: Sequence[Structure], derivation: Derivation
    ) -> list[FoundCompound]:
        """Return the compounds that contain one of the structures, each once.

        Raises:
            UnknownRoleError: one of them has a part without a role.
        """
        root = self._builder.phrases(derivation)[-1]
        graph = derive_graph(self._grammar, derivation, self._graph)
        matcher = GraphMatcher(graph)
        # Phrases know nodes by the numbers of their words.
        words = [root.anchors[node.position] for node in graph.nodes]
        node_of = {word: node for node, word in enumerate(words)}
        found: dict[FoundCompound, None] = {}
        for structure in structures:
            for binding in matcher.bindings(structure):
                phrase = _smallest(root, {words[node] for node in binding})
                match = _CompoundMatch(self, matcher, node_of, _noun(graph, binding))
                atoms: list[FoundAtom] = []
                fillers: set[str] = {ATTRIBUTIVE}
                match.add_atoms(phrase, atoms, fillers)
                source, target = map(" ".join, phrase.texts)
                found[FoundCompound(source, target, tuple(atoms), frozenset(fillers))] = None
        return list(found)


@dataclass(frozen=True)
class _CompoundMatch:
    """A place where a structure of a compound is, with the node of its noun."""

    finder: CompoundFinder
    matcher: GraphMatcher
    node_of: dict[int, int]
    noun: int

    def add_atoms(self, phrase: DerivedPhrase, atoms: list[FoundAtom], fillers: set[str]) -> None:
        """Add the atoms of a phrase, in the order of the source, and its fillers."""
        source, target = map(" ".join, phrase.texts)
        if not phrase.children:
            atoms.append(FoundAtom(NOUN, source, target))
            return
        inner = next((part for part in phrase.children if self._has_noun(part)), None)
        if inner is None or own_words(phrase.rule, self.finder.source):
            raise UnknownRoleError(source)
        roles: list[str] = []
        for item in phrase.rule.templates[self.finder.source]:
            assert isinstance(item, Slot), "the rule writes no word of the source"
            part = phrase.children[item.child]
            if part is inner:
                self.add_atoms(inner, atoms, fillers)
                continue
            role = self._role(part)
            translation = part.texts[1]
            if role in HEADS:
                # The target words of the head and of the rule, with dots for the noun phrase.
                places = [
                    (HOLE,) if other is inner else translation if other is part else ()
                    for other in phrase.children
                ]
                translation = template_words(phrase.rule, self.finder.target, places)
            elif len(translation) > 1 and translation[-1] == ATTRIBUTIVE:
                # The particle joins a modifier to the noun.
                translation = translation[:-1]
            roles.append(role)
            atoms.append(FoundAtom(role, " ".join(part.texts[0]), " ".join(translation)))
        if not any(role in HEADS for role in roles):
            fillers.update(own_words(phrase.rule, self.finder.target))

    def _has_noun(self, phrase: DerivedPhrase) -> bool:
        return any(self.node_of.get(word) == self.noun for word in phrase.anchors)

    def _role(self, part: DerivedPhrase) -> str:
        """Return the role of a part beside the noun."""
        word = part.ports[0]
        head = None if word is None else self.node_of.get(word)
        for label, node in self.matcher.out[self.noun]:
            if node == head and label.partition(":")[0] in _ROLES:
                return _ROLES[label.partition(":")[0]]
        for label, node in self.matcher.into[self.noun]:
            if node == head and not label.startswith(EXTRACTED):
                return _VERB
        raise UnknownRoleError(" ".join(part.texts[0]))


def _noun(graph: Graph, binding: Sequence[int]) -> int:
    """Return the noun of a structure: the one that no other noun of it governs."""
    nouns = [n for n in binding if dict(graph.nodes[n].attributes).get("upos") in _NOUNS]
    governed = {target for source, _, target in graph.edges if source in nouns}
    highest = [noun for noun in nouns if noun not in governed]
    if len(highest) != 1:
        raise UnknownRoleError("a compound has one noun")
    return highest[0]


def _smallest(phrase: DerivedPhrase, words: set[int]) -> DerivedPhrase:
    """Return the smallest phrase that has all of these words."""
    while True:
        inner = next((part for part in phrase.children if words <= set(part.anchors)), None)
        if inner is None:
            return phrase
        phrase = inner
