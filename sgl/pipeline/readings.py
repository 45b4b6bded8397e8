"""One reading of a sentence, and which structures its graphs contain.

A derivation is read by the automata of a grammar of its own rules alone, so that a
question about one sentence does not cost an automaton for the whole grammar.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sgl.automata import StructureCompiler
from sgl.core.grammar import CoreGrammar
from sgl.core.graph import Graph, GraphNode
from sgl.core.interpret import Derivation, Item, interpret
from sgl.core.structure import Structure, Variable


@dataclass(frozen=True, slots=True)
class Reading:
    """A derivation in the grammar of its own rules, with its values in every layer.

    ``derivation`` counts the rules of the small ``grammar``.
    """

    grammar: CoreGrammar
    derivation: Derivation
    item: Item
    structures: StructureCompiler

    @classmethod
    def of(cls, grammar: CoreGrammar, derivation: Derivation) -> Reading:
        """The reading of a derivation."""
        numbers = {rule: number for number, rule in enumerate(dict.fromkeys(derivation))}
        rules = tuple(replace(grammar.rules[rule], id=number) for rule, number in numbers.items())
        small = replace(grammar, rules=rules)
        numbered = tuple(numbers[rule] for rule in derivation)
        return cls(small, numbered, interpret(grammar, derivation), StructureCompiler(small))

    def graph(self, layer: str) -> Graph:
        """Its graph in a layer."""
        return self.item.graphs[self.grammar.graph_layer(layer)]

    def contains(self, structure: Structure) -> bool:
        """Whether its graph contains the structure."""
        if not self._possible(structure):
            return False
        automaton = self.structures.structure_automaton(structure)
        return automaton.accepts(self.grammar, self.derivation)

    def edges(self, layer: str) -> Iterator[str]:
        """The edges of its graph, with the words of the sentence: ``saw -[obj]-> cat``."""
        graph = self.graph(layer)
        anchor = self.grammar.graph_layers[self.grammar.graph_layer(layer)].anchor
        words = self.item.tokens[self.grammar.text_layer(anchor)]
        for source, label, target in graph.edges:
            head, dependent = (words[graph.nodes[node].position] for node in (source, target))
            yield f"{head} -[{label}]-> {dependent}"

    def _possible(self, structure: Structure) -> bool:
        """Whether there is a fitting edge for every edge, a node for every variable.

        Most pairs of sentence and structure end here, before any automaton is built.
        """
        graph = self.graph(structure.layer)
        body = structure.body
        labels = {label for _, label, _ in graph.edges}
        if not all(any(map(atom.labels.accepts, labels)) for atom in body.links):
            return False
        fitting = [
            {index for index, node in enumerate(graph.nodes) if _passes(node, variable)}
            for variable in body.variables
        ]
        return all(fitting) and all(
            any(
                atom.labels.accepts(label)
                and source in fitting[atom.source]
                and target in fitting[atom.target]
                for source, label, target in graph.edges
            )
            for atom in body.edges
        )


def _passes(node: GraphNode, variable: Variable) -> bool:
    return all(test.accepts(node.get(test.attribute)) for test in variable.tests)
