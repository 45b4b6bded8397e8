"""Check the sentences an author wrote: ``test`` declarations and ``like`` clauses."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sgl.cache import cached
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import Pattern, foreign
from sgl.diagnostics import Diagnostic, Diagnostics, suggest
from sgl.frontend import Compiled
from sgl.frontend.patterns import LoweredPattern
from sgl.frontend.sentence_tests import LoweredTest
from sgl.lang import syntax as s
from sgl.parsing import Parser
from sgl.pipeline.deciding import deciding
from sgl.pipeline.readings import Reading
from sgl.rendering import outputs

TRAIN = "train"


def check_examples(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Report every example that the grammar does not treat as its author expects."""

    def compute() -> tuple[Diagnostic, ...]:
        found = Diagnostics()
        _check(compiled, found)
        return found.found

    diagnostics.extend(cached(tuple, "examples", (compiled.origin,), compute))


def _check(compiled: Compiled, diagnostics: Diagnostics) -> None:
    likes = [(lowered, like) for lowered in compiled.patterns for like in lowered.examples]
    if not compiled.tests and not likes:
        return
    parser = Parser(compiled.grammar, compiled.grammar.text_layer(compiled.plan.source))
    with deciding(compiled, diagnostics):
        for test in compiled.tests:
            _Test(test, parser, compiled.grammar, diagnostics).check()
    if likes:
        checker = _Likes(compiled, parser, diagnostics)
        with deciding(compiled, diagnostics):
            for lowered, like in likes:
                checker.check(lowered, like)


class _Test:
    """Checks one ``test``."""

    def __init__(
        self, test: LoweredTest, parser: Parser, grammar: CoreGrammar, diagnostics: Diagnostics
    ) -> None:
        self.test = test
        self.declaration = test.declaration
        self.parser = parser
        self.grammar = grammar
        self.diagnostics = diagnostics

    def check(self) -> None:
        """Report what is not as the test says."""
        sentence = self.declaration.sentence
        readings = self.parser.parse(sentence.text)
        if self.declaration.expected is None:
            if readings:
                texts = interpret(self.grammar, readings[0]).texts
                self.diagnostics.error(
                    "SGL0817",
                    sentence.span,
                    "the grammar derives this sentence, though the test rejects it",
                    notes=("its reading is " + " | ".join(texts),),
                )
            return
        if not readings:
            self.diagnostics.error(
                "SGL0817",
                sentence.span,
                "the grammar does not derive this sentence",
                hint="check its words, its finishing (capital, full stop) and its rules",
            )
            return
        for layer, expected in self.declaration.expected:
            readings = self._text(layer, expected, readings)
        if self.test.structures:
            self._graphs([Reading.of(self.grammar, reading) for reading in readings])

    def _text(
        self, name: s.Name, expected: s.Name, readings: tuple[Derivation, ...]
    ) -> tuple[Derivation, ...]:
        """The readings with this output; all of them after a report that there is none."""
        known = outputs(self.grammar)
        output = known.get(name.text)
        if output is None:
            self._unknown_output(name, known)
            return readings
        texts = [output(reading) for reading in readings]
        if expected.text not in texts:
            notes = [f"it gives: {text}" for text in dict.fromkeys(texts)]
            self.diagnostics.error(
                "SGL0817",
                expected.span,
                f"the grammar gives another output in `{name}`",
                notes=tuple(notes[:3]),
            )
            return readings
        pairs = zip(readings, texts, strict=True)
        return tuple(reading for reading, text in pairs if text == expected.text)

    def _unknown_output(self, name: s.Name, known: Collection[str]) -> None:
        """Report an output that is neither a text layer nor a view of one line."""
        others = {view.name: view.kind for view in self.grammar.views}
        if name.text in others:
            self.diagnostics.error(
                "SGL0201",
                name.span,
                f"the view `{name}` is `{others[name.text]}`, which is more than one line of text",
                hint="say with a structure what its graph contains: `syn { V -[obj]-> N }`",
            )
            return
        hint = suggest(name.text, known) or f"there is: {', '.join(known)}"
        self.diagnostics.error(
            "SGL0201", name.span, f"there is no text layer or view `{name}`", hint=hint
        )

    def _graphs(self, readings: list[Reading]) -> None:
        """Report each structure that is in no graph of those that have the ones before it."""
        pairs = zip(self.declaration.graphs, self.test.structures, strict=True)
        for expected, structure in pairs:
            fitting = [reading for reading in readings if reading.contains(structure)]
            if fitting:
                readings = fitting
                continue
            edges = ", ".join(readings[0].edges(structure.layer))
            self.diagnostics.error(
                "SGL0817",
                expected.graph.span,
                f"the graph of this sentence in `{expected.layer}` does not contain this",
                notes=(f"its edges are: {edges}",),
            )


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
        alone = [Reading.of(self.grammar, reading) for reading in readings]
        problems = [self._problem(lowered, like.split, reading) for reading in alone]
        if all(problem is not None for problem in problems):
            where = "training" if like.split == TRAIN else f"the items of `{name}`"
            reasons = dict.fromkeys(problem for problem in problems if problem is not None)
            self._error(like, f"this sentence does not belong to {where}", tuple(reasons))

    def _problem(self, lowered: LoweredPattern, split: str, reading: Reading) -> str | None:
        """Why a reading does not belong to the split, or None."""
        pattern = lowered.pattern
        for structure in self.plan.nowhere:
            if reading.contains(structure):
                return f"it contains {structure}, which a restriction rules out"
        if split == TRAIN:
            return _held_out(self.plan.patterns, reading)
        if not any(reading.contains(structure) for structure in pattern.gen):
            return f"it contains none of {' or '.join(map(str, pattern.gen))}"
        for structure in pattern.exclude:
            if reading.contains(structure):
                return f"it contains {structure}, which `not` excludes"
        for part in self.plan.parts:
            for structure in () if part.tested else part.only:
                if reading.contains(structure):
                    return f"it contains {structure}, which only the part `{part.name}` may"
        others = [p for p in self.plan.patterns if foreign(pattern, [p])]
        return _held_out(others, reading)

    def _error(self, like: s.LikeClause, message: str, notes: tuple[str, ...]) -> None:
        self.diagnostics.error("SGL0817", like.sentence.span, message, notes=notes)


def _held_out(patterns: Iterable[Pattern], reading: Reading) -> str | None:
    """What of these patterns a reading contains, in words; None if nothing."""
    for pattern in patterns:
        for structure in pattern.held_out:
            if reading.contains(structure):
                return f"it contains what `{pattern.name}` holds out: {structure}"
    return None
