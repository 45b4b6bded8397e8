"""Check absorbed words and sentences with twins on the core grammar.

A word may be absorbed, and so leave the graphs, depending on its neighbours.  Automata ignore this, so no structure may
see such a word: it has nothing below it, no other rule reaches it, and no test of a structure accepts it.

The number of differences of a phrase from its twin follows from its rule and its parts, so the possible numbers for
each category are computed once.  For whole texts it must be exactly one.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product

from sgl.core import structure as c
from sgl.core.grammar import CoreGrammar, Slot, Token
from sgl.core.interpret import Derivation, capitalised, interpret
from sgl.core.rounds import Rounds
from sgl.diagnostics import Span
from sgl.frontend.lower.grammar import Expanded
from sgl.frontend.names.finishing import NOTE, span_of
from sgl.frontend.names.parameters import Session
from sgl.values import dataclass


@dataclass(frozen=True)
class Absorbed:
    """The words on a text ``layer`` that may be absorbed: the labels of edges to them, and their attributes."""

    layer: str
    labels: frozenset[str]
    attributes: tuple[Mapping[str, str], ...]

    def report(self, found: c.Structure, span: Span, state: Session) -> None:
        """Report a structure that may see one of these words."""
        words = ", ".join(sorted({f"`{own.get('lemma', '')}`" for own in self.attributes}))
        for body in (found.body, *found.without):
            known = {body.variables[n].name for x in body.links for n in (x.source, x.target)}
            known |= {v.name for v in found.body.variables} if body is not found.body else set()
            tests = [link.labels for link in body.links]
            tests += [degree.labels for v in body.variables for degree in v.degrees]
            labels = [label for label in sorted(self.labels) if any(t.accepts(label) for t in tests)]
            alone = [v for v in body.variables if v.name not in known]
            hints = [f"say which labels you mean, without `{x}`: `-[^{x}|…]->`" for x in labels]
            hints += [f"exclude them: `{v.name}[upos!=PUNCT]`" for v in alone if self._passes(v)]
            if hints:
                message = f"this structure can see words that `{self.layer}` absorbs: {words}"
                state.error("SGL0320", span, message, hints[0], notes=(NOTE,))
                return

    def _passes(self, variable: c.Variable) -> bool:
        return any(all(test.accepts(own.get(test.attribute, "")) for test in variable.tests) for own in self.attributes)


def absorbed_in(grammar: CoreGrammar, layer: int) -> Absorbed | None:
    """Return the words of a graph layer that may be absorbed, if any."""
    labels, different = set[str](), dict[object, Mapping[str, str]]()
    for rule, nodes in _leaves(grammar, layer):
        fragment = grammar.rules[rule].fragments[layer]
        labels |= {edge.label for edge in fragment.edges if edge.target in nodes}
        different |= {own: dict(own or ()) for own in (fragment.nodes[n].attributes for n in nodes)}
    name = grammar.graph_layers[layer].anchor
    return Absorbed(name, frozenset(labels), tuple(different.values())) if different else None


def uncounted_in(grammar: CoreGrammar) -> tuple[str, ...]:
    """Return the text layers whose number of words depends on neighbours or on functions."""
    return tuple(
        layer.name
        for number, layer in enumerate(grammar.text_layers)
        if (layer.finish is not None and layer.finish.absorb)
        or any(rule.applies_functions(number) for rule in grammar.rules)
    )


def check_absorbed(state: Expanded) -> None:
    """Report absorbable words that are more than leaves in their rule's graph."""
    grammar, reported = state.declared.grammar, set[Span]()
    for layer, graph in enumerate(grammar.graph_layers):
        for rule, nodes in _leaves(grammar, layer):
            fragment, span = grammar.rules[rule].fragments[layer], state.declared.rule_spans[rule]
            used = {*fragment.exports, *(edge.source for edge in fragment.edges)}
            if span not in reported and not used.isdisjoint(nodes):
                reported.add(span)
                message = f"this rule has a word that `{graph.anchor}` absorbs, but the word is not a leaf of the graph"
                hint = "quote the word in a rule where one edge leads to it and none leaves it"
                state.error("SGL0320", span, message, hint, notes=(NOTE,))


def _leaves(grammar: CoreGrammar, layer: int) -> Iterator[tuple[int, set[int]]]:
    anchor = grammar.anchors[layer]
    finish = grammar.text_layers[anchor].finish
    words = {word for word, _ in finish.absorb} if finish is not None else set()
    for rule in grammar.rules if words else ():
        lost = {
            n
            for n, item in enumerate(rule.templates[anchor])
            if isinstance(item, Token) and not words.isdisjoint({item.text, capitalised(item.text)})
        }
        nodes = enumerate(rule.fragments[layer].nodes)
        if lost and (own := {n for n, node in nodes if node.token in lost}):
            yield rule.id, own


SEVERAL = 2


def check_contrast(state: Expanded) -> None:
    """Report sentences that do not differ from their twins, or differ in several places."""
    grammar = state.declared.grammar
    for number, layer in enumerate(grammar.text_layers):
        if not layer.twin:
            continue
        found = differences(grammar, number)[grammar.start]
        for count, derivation in sorted(found.items()):
            if count == 1:
                continue
            texts = interpret(grammar, derivation).texts
            where = "nowhere" if not count else "in more than one place"
            message = f"a sentence differs from its twin in `{layer.name}` {where}"
            hint = "let each sentence use exactly one clause of the twin, by a feature for example"
            state.error(
                "SGL0325", span_of(layer, state.names), message, hint, notes=[f"“{texts[0]}”, and “{texts[number]}”"]
            )
            break


def differences(grammar: CoreGrammar, layer: int) -> list[dict[int, Derivation]]:
    """Return for each category the possible numbers of differences of its phrases, with examples."""
    found: list[dict[int, Derivation]] = [{} for _ in grammar.categories]
    rounds = Rounds(rule.rhs for rule in grammar.rules)
    for rule in map(grammar.rules.__getitem__, rounds):
        own = rule.templates[layer] != rule.templates[0]
        used = Counter(item.child for item in rule.templates[layer] if isinstance(item, Slot))
        for parts in product(*[list(found[child].items()) for child in rule.rhs]):
            total = min(own + sum(used[place] * count for place, (count, _) in enumerate(parts)), SEVERAL)
            if total not in found[rule.lhs]:
                inside = (number for _, derivation in parts for number in derivation)
                found[rule.lhs][total] = (rule.id, *inside)
                rounds.grew(rule.lhs)
    return found
