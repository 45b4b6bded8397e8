"""Check that no structure sees a word that a text layer may absorb.

A word that the finish of a text layer absorbs is in no text and no graph, but automata ignore this.  So such a word
must be a leaf of its rule, no structure may follow an edge to it, and no variable without a link may match it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from sgl.verify.certificate_rules import LAYER
from sgl.verify.schema import CertifiedStructure
from sgl.verify.schema_grammar import CertifiedGrammar, Flaw, GrammarRule
from sgl.verify.structure import Labels, NodeVariable, StructureBody, ValueTest


class Absorbed(NamedTuple):
    """Words that may be absorbed: the labels of the edges to them, and the attributes of their nodes."""

    labels: set[str]
    leaves: list[dict[str, str]]


def check_unseen(grammar: CertifiedGrammar, structure: CertifiedStructure) -> None:
    """Check that no structure sees a word that may be absorbed."""
    layers = structure.layer.split("+")
    for name in layers:
        absorbed = absorbed_in(grammar, grammar.graph(name))
        of_layer = name if len(layers) > 1 else ""
        first = {variable.name for variable in variables_of(structure.bodies[0], of_layer)}
        for number, body in enumerate(structure.bodies if absorbed.leaves else ()):
            _check_body(body, of_layer, absorbed, first if number else set())


def _check_body(body: StructureBody, layer: str, absorbed: Absorbed, known: set[str]) -> None:
    own = variables_of(body, layer)
    names, linked = {variable.name for variable in own}, set[str]()
    for link in body.links:
        ends = {body.names[link.source], body.names[link.target]}
        if ends <= names:
            linked |= ends
            _check_labels(link.labels, absorbed)
    for variable in own:
        for degree in variable.degrees:
            _check_labels(degree.labels, absorbed)
        if variable.name not in linked | known and _may_be_one(variable, absorbed.leaves):
            raise Flaw(f"its node {variable.name} can be a word that may be absorbed")


def _check_labels(labels: Labels, absorbed: Absorbed) -> None:
    if any(map(labels.passes, absorbed.labels)):
        raise Flaw("a label of it leads to a word that may be absorbed")


def _may_be_one(variable: NodeVariable, leaves: list[dict[str, str]]) -> bool:
    tests = [test for test in variable.tests if test.attribute != LAYER]
    return any(all(test.passes(leaf.get(test.attribute, "")) for test in tests) for leaf in leaves)


def variables_of(body: StructureBody, layer: str) -> list[NodeVariable]:
    """Return the variables of a body; for a joint structure, only the variables of one layer."""
    mark = ValueTest(LAYER, frozenset([layer]))
    return [own for own in body.variables if not layer or mark in own.tests]


def absorbed_in(grammar: CertifiedGrammar, layer: int) -> Absorbed:
    """Return the labels of the edges to words that may be absorbed, and their attributes."""
    anchor = grammar.anchor(layer)
    finish = grammar.text_layers[anchor].finish
    found = Absorbed(set(), [])
    if finish is not None and finish.absorb:
        lost = {word for word, _ in finish.absorb}
        for rule in grammar.rules:
            for number in _lost_nodes(rule, layer, anchor, lost):
                _add_leaf(found, rule, layer, number)
    return found


def _add_leaf(found: Absorbed, rule: GrammarRule, layer: int, number: int) -> None:
    fragment = rule.fragments[layer]
    node = fragment.nodes[number]
    if number in fragment.exports or node.glue or any(edge.source == number for edge in fragment.edges):
        raise Flaw(f"a word of rule {rule.name} may be absorbed but is not a leaf")
    found.labels.update(edge.label for edge in fragment.edges if edge.target == number)
    found.leaves.append(dict(node.attributes or ()))


def _lost_nodes(rule: GrammarRule, layer: int, anchor: int, lost: set[str]) -> Iterator[int]:
    """Yield the nodes of a rule whose words may be absorbed, as written or capitalized."""
    for number, node in enumerate(rule.fragments[layer].nodes):
        text = rule.templates[anchor][node.token].text if node.token is not None else None
        if text and not lost.isdisjoint({text, text[:1].upper() + text[1:]}):
            yield number
