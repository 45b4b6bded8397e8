"""Find the compound of an item in its derivation, with the atoms that it is made of.

A pattern of compounds holds out a structure, and an item contains it somewhere.  The compound
is the smallest phrase that has all words of the structure, in both languages::

    { N[lemma=scarf] -[amod]-> A[lemma=red] }     Peter saw the very red scarf he liked .

    en   the very red scarf he liked              DET the, ADJ very red, N scarf, MOD he liked
    zh   他 喜欢 的 那 条 很 红 的 围巾            那, 很 红, 围巾, 他 喜欢

Its *atoms* are the noun and the phrases beside it, on all levels from the compound down to
the noun.  The role of an atom is its relation to the noun; what governs the noun is a verb.
A verb or preposition may be in two parts: whatever the rule that joins it to the noun phrase
writes itself belongs to it, and the dots are the noun phrase.  ::

    behind the tent     在 那 顶 帐篷 后面        P behind = 在 … 后面

On the levels of the noun phrase such words belong to no atom (the classifier 顶, the particle
的): they are *fillers*, which may stand between the atoms of a translation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sgl.core.grammar import EXTRACTED, CoreGrammar, Slot
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, derive_graph
from sgl.core.structure import Structure
from sgl.research.evaluate.bindings import Scene
from sgl.research.evaluate.compounds import ADJECTIVE, ATTRIBUTIVE, DETERMINER, HOLE, MODIFIER, NOUN

_VERB, _PREPOSITION = "V", "P"

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


class UnknownShapeError(Exception):
    """A compound has parts that have no role in a compound."""


@dataclass(frozen=True)
class _Phrase:
    """A part of a derivation: its rule, its words in the layer of the graph, and its head.

    ``source`` and ``target`` are its words in both languages.
    """

    rule: int
    children: tuple[_Phrase, ...]
    words: tuple[int, ...]
    head: int | None
    source: tuple[str, ...]
    target: tuple[str, ...]


class CompoundFinder:
    """Finds compounds in the derivations of a grammar."""

    def __init__(self, grammar: CoreGrammar, layer: str, source: str, target: str) -> None:
        """``layer`` is the graph that structures speak of; the others are text layers."""
        self._grammar = grammar
        self._graph = grammar.graph_layer(layer)
        self._anchor = grammar.text_layer(grammar.graph_layers[self._graph].anchor)
        self._source = grammar.text_layer(source)
        self._target = grammar.text_layer(target)

    def sentence(self, derivation: Derivation) -> str:
        """The words of the source between spaces, with no capital for the first one."""
        return " ".join(self._tree(derivation)[0].source)

    def compounds(
        self, structures: Sequence[Structure], derivation: Derivation
    ) -> list[FoundCompound]:
        """The compounds that contain one of the structures, each once.

        Raises:
            UnknownShapeError: one of them has a part without a role.
        """
        root, position = self._tree(derivation)
        graph = derive_graph(self._grammar, derivation, self._graph)
        scene = Scene(graph)
        # Nodes are known to phrases by the numbers of their words.
        word_at = {place: number for number, place in position.items()}
        node_of = {word_at[node.position]: n for n, node in enumerate(graph.nodes)}
        found: dict[FoundCompound, None] = {}
        for structure in structures:
            for binding in scene.bindings(structure):
                words = {word_at[graph.nodes[node].position] for node in binding}
                noun = _noun(graph, binding)
                reading = _Reading(self, scene, node_of, noun)
                found[reading.compound(_smallest(root, words))] = None
        return list(found)

    def _tree(self, derivation: Derivation) -> tuple[_Phrase, dict[int, int]]:
        """The derivation as a tree of phrases, and where each numbered word stands."""
        stack: list[tuple[_Phrase, list[int | None]]] = []
        made = 0
        for number in reversed(derivation):
            rule = self._grammar.rules[number]
            below = [stack.pop() for _ in rule.rhs]
            words: list[int] = []
            for place, item in enumerate(rule.templates[self._anchor]):
                words += below[item.child][0].words if isinstance(item, Slot) else [made + place]
            fragment = rule.fragments[self._graph]
            nodes: list[int | None] = []
            for node in fragment.nodes:
                glued = (below[child][1][port] for child, port in node.glue)
                known = next((word for word in glued if word is not None), None)
                nodes.append(known if node.token is None else made + node.token)
            ports = [nodes[export] for export in fragment.exports]
            children = tuple(phrase for phrase, _ in below)
            source = self._words(number, self._source, [phrase.source for phrase in children])
            target = self._words(number, self._target, [phrase.target for phrase in children])
            phrase = _Phrase(number, children, tuple(words), ports[0], source, target)
            stack.append((phrase, ports))
            made += len(rule.templates[self._anchor])
        root = stack.pop()[0]
        return root, {word: place for place, word in enumerate(root.words)}

    def _words(self, number: int, layer: int, parts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """The words that a rule makes of those of its children."""
        words: list[str] = []
        for item in self._grammar.rules[number].templates[layer]:
            words += parts[item.child] if isinstance(item, Slot) else [item.text]
        return tuple(words)

    def _own(self, phrase: _Phrase, layer: int) -> list[str]:
        """The words that the rule of a phrase writes itself."""
        template = self._grammar.rules[phrase.rule].templates[layer]
        return [item.text for item in template if not isinstance(item, Slot)]

    def in_order(self, phrase: _Phrase) -> Iterator[_Phrase]:
        """The parts of a phrase as they follow one another in the source."""
        for item in self._grammar.rules[phrase.rule].templates[self._source]:
            if isinstance(item, Slot):
                yield phrase.children[item.child]

    def has_source_words(self, phrase: _Phrase) -> bool:
        """Whether the rule of a phrase writes source words itself."""
        return bool(self._own(phrase, self._source))

    def fillers(self, phrase: _Phrase) -> list[str]:
        """The target words that the rule of a phrase writes itself."""
        return self._own(phrase, self._target)

    def around(self, phrase: _Phrase, head: _Phrase, inner: _Phrase) -> str:
        """The target words of a phrase, with dots for one part; of the others only the head's."""
        words = [
            (HOLE,) if part is inner else part.target if part is head else ()
            for part in phrase.children
        ]
        return " ".join(self._words(phrase.rule, self._target, words))


@dataclass(frozen=True)
class _Reading:
    """One structure in one item: what takes its compound apart."""

    finder: CompoundFinder
    scene: Scene
    node_of: dict[int, int]
    noun: int

    def compound(self, phrase: _Phrase) -> FoundCompound:
        """A phrase as a compound."""
        atoms: list[FoundAtom] = []
        fillers: set[str] = {ATTRIBUTIVE}
        self._take_apart(phrase, atoms, fillers)
        return FoundCompound(
            " ".join(phrase.source), " ".join(phrase.target), tuple(atoms), frozenset(fillers)
        )

    def _take_apart(self, phrase: _Phrase, atoms: list[FoundAtom], fillers: set[str]) -> None:
        if not phrase.children:
            atoms.append(FoundAtom(NOUN, " ".join(phrase.source), " ".join(phrase.target)))
            return
        inner = next((part for part in phrase.children if self._has_noun(part)), None)
        if inner is None or self.finder.has_source_words(phrase):
            raise UnknownShapeError(" ".join(phrase.source))
        heads = 0
        for part in self.finder.in_order(phrase):
            if part is inner:
                self._take_apart(inner, atoms, fillers)
                continue
            role = self._role(part)
            if role in (_VERB, _PREPOSITION):
                heads += 1
                target = self.finder.around(phrase, part, inner)
            else:
                target = " ".join(_bare(part.target))
            atoms.append(FoundAtom(role, " ".join(part.source), target))
        if not heads:
            fillers.update(self.finder.fillers(phrase))

    def _has_noun(self, phrase: _Phrase) -> bool:
        return any(self.node_of.get(word) == self.noun for word in phrase.words)

    def _role(self, part: _Phrase) -> str:
        """The role of a part beside the noun."""
        head = None if part.head is None else self.node_of.get(part.head)
        for label, node in self.scene.out[self.noun]:
            if node == head and label.partition(":")[0] in _ROLES:
                return _ROLES[label.partition(":")[0]]
        if any(n == head and not lb.startswith(EXTRACTED) for lb, n in self.scene.into[self.noun]):
            return _VERB
        raise UnknownShapeError(" ".join(part.source))


def _noun(graph: Graph, binding: Sequence[int]) -> int:
    """The noun of a structure: the one that no other noun of it governs."""
    nouns = [n for n in binding if dict(graph.nodes[n].attributes).get("upos") in _NOUNS]
    governed = {target for source, _, target in graph.edges if source in nouns}
    highest = [noun for noun in nouns if noun not in governed]
    if len(highest) != 1:
        raise UnknownShapeError("a compound has one noun")
    return highest[0]


def _smallest(phrase: _Phrase, words: set[int]) -> _Phrase:
    """The smallest phrase that has all of these words."""
    while True:
        inner = next((part for part in phrase.children if words <= set(part.words)), None)
        if inner is None:
            return phrase
        phrase = inner


def _bare(words: Sequence[str]) -> Sequence[str]:
    """The words of a modifier without the particle that joins it to the noun."""
    return words[:-1] if len(words) > 1 and words[-1] == ATTRIBUTIVE else words
