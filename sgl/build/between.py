"""Compare two grammars: which structures that B tests does the training of A show?

A model trained on the data of A is asked for B.  For every structure that an item
of B may be asked to contain it is decided whether training sentences of A contain
it.  Layers, labels and attributes are matched by name::

    { V -[nsubj]-> N; N -[nmod]-> M }    A derives it: The dog near the cat slept.
    { N -[acl]-> V }                     no rule of A makes an edge `acl`
    { N[lemma=hedgehog] }                no word of A has lemma=hedgehog
    { V -[ccomp]{3}-> W }                A can make it, but its training cannot
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from sgl.automata import StructureCompiler
from sgl.automata.evidence import Evidence
from sgl.automata.search import TrainingSearch
from sgl.compile import Compiled
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import interpret
from sgl.core.plan import Pattern
from sgl.core.structure import LabelTest, NodeTest, Structure


class Found(Enum):
    """What a training grammar makes of a structure of another grammar."""

    SHOWN = "shown in training"
    HELD_OUT = "not in training, though the grammar makes it"
    NEVER = "never made"
    STRANGE = "not expressible"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One structure of a pattern of B, and what A makes of it.

    ``role`` is ``held out`` or ``items``.  ``reason`` says what A lacks;
    ``sentence`` are the texts of a sentence of A, ``stream`` where it belongs.
    """

    pattern: str
    role: str
    structure: Structure
    found: Found
    reason: str = ""
    stream: str = ""
    sentence: tuple[str, ...] = ()


def compare(
    first: Compiled, second: Compiled, structures: StructureCompiler | None = None
) -> Iterator[Comparison]:
    """What the training of ``first`` shows of what the patterns of ``second`` test.

    ``structures`` are automata over the grammar of ``first``, if there are some already.
    """
    structures = structures or StructureCompiler(first.grammar)
    search = TrainingSearch(Evidence(structures, first.plan))
    vocabulary = _Vocabulary(first.grammar)
    for pattern in second.plan.patterns:
        for role, structure in _tested(pattern):
            lacking = vocabulary.lacks(structure)
            if lacking:
                yield Comparison(pattern.name, role, structure, Found.STRANGE, lacking)
                continue
            seen = search.find(structure)
            if seen is None:
                possible = bool(structures.disjunction((structure,)).accepting)
                found = Found.HELD_OUT if possible else Found.NEVER
                yield Comparison(pattern.name, role, structure, found)
            else:
                texts = interpret(first.grammar, seen.derivation).texts
                yield Comparison(pattern.name, role, structure, Found.SHOWN, "", seen.stream, texts)


def _tested(pattern: Pattern) -> Iterator[tuple[str, Structure]]:
    """What a pattern holds out, and what its items contain if that is something else."""
    for structure in dict.fromkeys(pattern.held_out):
        yield "held out", structure
    for structure in dict.fromkeys(pattern.gen):
        if structure not in pattern.held_out:
            yield "items", structure


class _Vocabulary:
    """The labels and attributes of a grammar."""

    def __init__(self, grammar: CoreGrammar) -> None:
        self._labels: dict[str, set[str]] = {}
        self._values: dict[str, dict[str, set[str]]] = {}
        for place, layer in enumerate(grammar.graph_layers):
            labels = self._labels.setdefault(layer.name, set())
            values = self._values.setdefault(layer.name, {})
            for rule in grammar.rules:
                fragment = rule.fragments[place]
                labels.update(edge.label for edge in fragment.edges)
                for node in fragment.nodes:
                    for name, value in node.attributes or ():
                        values.setdefault(name, set()).add(value)

    def lacks(self, structure: Structure) -> str:
        """What the grammar would need to express a structure, in words; empty if nothing."""
        if structure.layer not in self._labels:
            return f"there is no graph layer `{structure.layer}`"
        reasons = [
            *(self._label(structure.layer, link.labels) for link in structure.body.links),
            *(
                self._value(structure.layer, test)
                for variable in structure.body.variables
                for test in variable.tests
            ),
        ]
        return "; ".join(dict.fromkeys(reason for reason in reasons if reason))

    def _label(self, layer: str, test: LabelTest) -> str:
        if any(test.accepts(label) for label in self._labels[layer]):
            return ""
        return f"no rule makes an edge {_list(test.labels)}"

    def _value(self, layer: str, test: NodeTest) -> str:
        known = self._values[layer].get(test.attribute, set())
        if any(test.accepts(value) for value in (*known, "")):
            return ""
        return f"no word has `{test.attribute}` {_list(test.values)}"


def _list(names: Iterable[str]) -> str:
    return " or ".join(f"`{name}`" for name in sorted(names))
