"""Check the sentences an author wrote: ``test`` declarations and ``like`` clauses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sgl.automata import StructureCompiler
from sgl.build.deciding import deciding
from sgl.compile import Compiled
from sgl.compile.patterns import LoweredPattern
from sgl.core.grammar import CoreGrammar
from sgl.core.graph import Graph, GraphNode
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import Pattern, foreign
from sgl.core.structure import Structure, Variable
from sgl.diagnostics import Diagnostics, suggest
from sgl.lang import syntax as s
from sgl.parse import Parser

TRAIN = "train"


def check_examples(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Report every example that the grammar does not treat as its author expects."""
    likes = [(lowered, like) for lowered in compiled.patterns for like in lowered.examples]
    if not compiled.tests and not likes:
        return
    parser = Parser(compiled.grammar, compiled.grammar.text_layer(compiled.plan.source))
    for test in compiled.tests:
        _check_test(test, parser, compiled.grammar, diagnostics)
    if likes:
        checker = _Likes(compiled, parser, diagnostics)
        with deciding(compiled, diagnostics):
            for lowered, like in likes:
                checker.check(lowered, like)


def _check_test(
    test: s.Test, parser: Parser, grammar: CoreGrammar, diagnostics: Diagnostics
) -> None:
    sentence = test.sentence
    readings = parser.parse(sentence.text)
    if test.expected is None:
        if readings:
            texts = interpret(grammar, readings[0]).texts
            diagnostics.error(
                "SGL0817",
                sentence.span,
                "the grammar derives this sentence, though the test rejects it",
                notes=("its reading is " + " | ".join(texts),),
            )
        return
    if not readings:
        diagnostics.error(
            "SGL0817",
            sentence.span,
            "the grammar does not derive this sentence",
            hint="check its words, its finishing (capital, full stop) and its rules",
        )
        return
    for layer, expected in test.expected:
        _check_output(layer, expected, readings, grammar, diagnostics)


def _check_output(
    layer: s.Name,
    expected: s.Name,
    readings: tuple[Derivation, ...],
    grammar: CoreGrammar,
    diagnostics: Diagnostics,
) -> None:
    names = [text.name for text in grammar.text_layers]
    if layer.text not in names:
        diagnostics.error(
            "SGL0201",
            layer.span,
            f"there is no text layer `{layer}`",
            hint=suggest(layer.text, names),
        )
        return
    index = names.index(layer.text)
    outputs = list(dict.fromkeys(interpret(grammar, reading).texts[index] for reading in readings))
    if expected.text not in outputs:
        diagnostics.error(
            "SGL0817",
            expected.span,
            f"the grammar gives another output in `{layer}`",
            notes=tuple(f"it gives: {output}" for output in outputs[:3]),
        )


@dataclass(frozen=True, slots=True)
class _Reading:
    """A derivation in the grammar of its own rules: small, so that automata are too."""

    grammar: CoreGrammar
    derivation: Derivation
    graphs: tuple[Graph, ...]
    structures: StructureCompiler


def _passes(node: GraphNode, variable: Variable) -> bool:
    return all(test.accepts(node.get(test.attribute)) for test in variable.tests)


def _alone(grammar: CoreGrammar, derivation: Derivation) -> _Reading:
    numbers = {rule: number for number, rule in enumerate(dict.fromkeys(derivation))}
    rules = tuple(replace(grammar.rules[rule], id=number) for rule, number in numbers.items())
    small = replace(grammar, rules=rules)
    graphs = interpret(grammar, derivation).graphs
    numbered = tuple(numbers[rule] for rule in derivation)
    return _Reading(small, numbered, graphs, StructureCompiler(small))


class _Likes:
    """Checks membership of examples in training and in a generalization set."""

    def __init__(self, compiled: Compiled, parser: Parser, diagnostics: Diagnostics) -> None:
        self.parser = parser
        self.grammar = compiled.grammar
        self.plan = compiled.plan
        self.diagnostics = diagnostics

    def check(self, lowered: LoweredPattern, like: s.LikeClause) -> None:
        """Report a ``like`` sentence that is not where its clause says."""
        readings = self.parser.parse(like.sentence.text)
        name = lowered.pattern.name
        if not readings:
            self._error(like, "the grammar does not derive this sentence", ())
            return
        alone = [_alone(self.grammar, reading) for reading in readings]
        problems = [self._problem(lowered, like.split, reading) for reading in alone]
        if all(problem is not None for problem in problems):
            where = "training" if like.split == TRAIN else f"the items of `{name}`"
            reasons = dict.fromkeys(problem for problem in problems if problem is not None)
            self._error(like, f"this sentence does not belong to {where}", tuple(reasons))

    def _problem(self, lowered: LoweredPattern, split: str, reading: _Reading) -> str | None:
        """Why a reading does not belong to the split, or None."""
        pattern = lowered.pattern
        for structure in self.plan.nowhere:
            if self._contains(structure, reading):
                return f"it contains {structure}, which a restriction rules out"
        if split == TRAIN:
            return self._held_out(self.plan.patterns, reading)
        if not any(self._contains(structure, reading) for structure in pattern.gen):
            return f"it contains none of {' or '.join(map(str, pattern.gen))}"
        for structure in pattern.exclude:
            if self._contains(structure, reading):
                return f"it contains {structure}, which `not` excludes"
        for part in self.plan.parts:
            for structure in () if part.tested else part.only:
                if self._contains(structure, reading):
                    return f"it contains {structure}, which only the part `{part.name}` may"
        others = [p for p in self.plan.patterns if foreign(pattern, [p])]
        return self._held_out(others, reading)

    def _held_out(self, patterns: Iterable[Pattern], reading: _Reading) -> str | None:
        for pattern in patterns:
            for structure in pattern.held_out:
                if self._contains(structure, reading):
                    return f"it contains what `{pattern.name}` holds out: {structure}"
        return None

    def _contains(self, structure: Structure, reading: _Reading) -> bool:
        if not self._possible(structure, reading):
            return False
        automaton = reading.structures.structure_automaton(structure)
        return automaton.accepts(reading.grammar, reading.derivation)

    def _possible(self, structure: Structure, reading: _Reading) -> bool:
        """Whether the reading has a fitting edge for every edge, a node for every variable.

        Most pairs of sentence and structure end here, before any automaton is built.
        """
        graph = reading.graphs[reading.grammar.graph_layer(structure.layer)]
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

    def _error(self, like: s.LikeClause, message: str, notes: tuple[str, ...]) -> None:
        self.diagnostics.error("SGL0817", like.sentence.span, message, notes=notes)
