"""Read sentences from users, and check the examples in an author's files.

``read_sentence`` reports where the grammar cannot continue a sentence.  ``check_examples`` checks the ``test``
declarations and examples of a grammar.  Messages about a stratum or a structure point at the clause that
requests it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from sgl.automata import StructureCompiler, StructureTooCostly, UnsupportedStructure
from sgl.automata.proofs.edits import shape_of
from sgl.cache import cached
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, Item, interpret
from sgl.core.joint import PLUS
from sgl.core.plan import EXPOSURE_PREFIX, GEN, NEED_PREFIX, PART_PREFIX, TRAIN, Pattern, Plan, foreign
from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostic, Diagnostics, Severity, SourceFile, SourceMap, Span, suggest
from sgl.frontend import Compiled
from sgl.frontend.lower.patterns import LoweredPattern, LoweredTest
from sgl.lang import syntax as s
from sgl.memory import BRIEFLY, kept
from sgl.rendering import outputs
from sgl.values import dataclass, replace

if TYPE_CHECKING:
    from sgl.corpus import Normalizer
    from sgl.parsing import Forest, Parser, TooLongError
    from sgl.pipeline.comparison import GrammarLabels


def place_of_stream(compiled: Compiled, stream: str) -> Span:
    """Return the clause that requests a stratum: ``size``, ``expose``, or the size of the split.

    ``stream`` is the name of its stream: ``gen/PATTERN/1`` is the second part of ``size``, ``train/exposure:PATTERN/0``
    the first ``expose``, ``train/part:PART/0`` the first number of a part, ``train/need:PATTERN/0`` the first ``need``.
    For any other stream it is the dataset.
    """
    split, category, *index = [*stream.split("/"), ""]
    for part in compiled.parts:
        if category == PART_PREFIX + part.part.name:
            return part.sizes[int(index[0])]
    name = category.removeprefix(EXPOSURE_PREFIX).removeprefix(NEED_PREFIX)
    kind = "need" if category.startswith(NEED_PREFIX) else "expose"
    for lowered in compiled.patterns:
        if lowered.pattern.name == name:
            return lowered.span("size" if split == GEN else kind, int(index[0]))
    declarations = (d for unit in compiled.project.units for d in unit.file.declarations)
    datasets = (d for d in declarations if isinstance(d, s.Dataset))
    sizes = (c.span for dataset in datasets for c in dataset.clauses if c.key.text == split)
    return next(sizes, compiled.dataset_span)


def places_of_structure(compiled: Compiled, structure: Structure) -> list[Span]:
    """Return the first clause with this structure in each declaration."""
    places = (
        *(lowered.places for lowered in compiled.patterns),
        *(lowered.places for lowered in compiled.parts),
        *(lowered.places for lowered in compiled.restrictions),
    )
    return [found[structure] for found in places if structure in found]


@contextmanager
def deciding(compiled: Compiled, diagnostics: Diagnostics) -> Iterator[None]:
    """Report a structure that is too large for an automaton, and go on after the block."""
    try:
        yield
    except (StructureTooCostly, UnsupportedStructure) as problem:
        diagnostics.add(undecided(problem, compiled))


def undecided(problem: StructureTooCostly | UnsupportedStructure, compiled: Compiled | None) -> Diagnostic:
    """Return the diagnostic for a structure that cannot be decided."""
    if isinstance(problem, UnsupportedStructure):
        place = None if compiled is None else compiled.dataset_span
        return Diagnostic("SGL0810", Severity.ERROR, place, str(problem))
    places = [] if compiled is None else places_of_structure(compiled, problem.structure)
    return Diagnostic(
        "SGL0810",
        Severity.ERROR,
        next(iter(places), None),
        "this structure has too many ways to match: its automaton would be too large",
        notes=(f"the variable that costs most is `{problem.variable}`",),
        hint=f"give `{problem.variable}` a test such as [upos=NOUN], or label its edges; "
        f"`--limit matches=NUMBER` changes the limit of {problem.budget:,} steps",
    )


#: The beginning of the note that gives the actual output.
GIVES = "it gives: "

#: The file name of a command-line sentence in diagnostics.
SENTENCE = "sentence"


def read_sentence(
    parser: Parser,
    sentence: str,
    normalizer: Normalizer | None,
    sources: SourceMap,
    diagnostics: Diagnostics,
    place: Span | None = None,
) -> Forest | None:
    """Return the readings of a sentence, or report where parsing fails and return None.

    With a normalizer, normalized spellings are also tried.  ``place`` is the sentence's place if it is in a file.
    """
    from sgl.parsing import TooLongError

    spellings = [(sentence, ())] if normalizer is None else list(normalizer.spellings(sentence))
    last = spellings[-1][0]
    if place is None:
        place = sources.add(SourceFile(SENTENCE, last)).span(0, len(last))
    try:
        for spelling, _ in spellings:
            if (forest := parser.forest(spelling)) is not None:
                return forest
    except TooLongError as problem:
        diagnostics.add(too_long(problem, place))
        return None
    _report_underivable(parser, last, place, "SGL1101", diagnostics)
    return None


def _report_underivable(parser: Parser, sentence: str, place: Span, code: str, diagnostics: Diagnostics) -> None:
    # A place may include the quotation marks: the sentence then begins after the first.
    opening = place.start + (place.end - place.start == len(sentence) + 2)
    failure = parser.failure(sentence)
    start, word = parser.word_at(sentence, failure.position)
    if failure.position == len(sentence) and failure.complete:
        from sgl.parsing.parser import NAMES

        diagnostics.error(code, place, f"the grammar does not derive this sentence: {NAMES}")
        return
    notes = [f"parsed up to: {sentence[: failure.position]}"] if failure.position else []
    if expected := ", ".join(failure.expected(parser.grammar)):
        notes.append(f"expected one of: {expected}")
    layer = parser.grammar.text_layers[parser.layer]
    unknown = bool(layer.join) and bool(word) and word not in parser.vocabulary
    label = "the grammar has no such word" if unknown else "this cannot stand here"
    hint = suggest(word, parser.vocabulary) if unknown else ""
    other = word[:1].swapcase() + word[1:]
    changed = sentence[:start] + other + sentence[start + len(word) :]
    if parser.forest(changed) is not None or parser.failure(changed).position > failure.position:
        hint = f"write `{other}`"
    diagnostics.error(
        code,
        Span(place.file, opening + start, opening + start + len(word)),
        f"the grammar does not derive this sentence in the layer `{layer.name}`",
        label=label if word else "more is expected here",
        notes=notes,
        hint=hint,
    )


def too_long(problem: TooLongError, place: Span | None) -> Diagnostic:
    """Return the diagnostic for a sentence that is too long to parse."""
    hint = "`--limit words=NUMBER` or `--limit steps=NUMBER` lets longer sentences be parsed"
    return Diagnostic("SGL1107", Severity.ERROR, place, f"a sentence is {problem}", hint=hint)


class Example(NamedTuple):
    """An author's example with its ``kind``, the diagnostics about it, and the time it took."""

    kind: str
    sentence: s.Name
    found: tuple[Diagnostic, ...]
    seconds: float


def check_examples(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Report every example that does not behave as its author expects."""

    def compute() -> tuple[Diagnostic, ...]:
        return tuple(found for example in examples(compiled) for found in example.found)

    said = (shape_of(compiled.grammar), *compiled.tests, *compiled.patterns, *compiled.parts)
    known = partial(cached, tuple, "examples", (compiled.told_as,), compute)
    diagnostics.extend(kept("examples", said, (compiled.plan.source, compiled.plan.nowhere), known))


def source_parser(compiled: Compiled) -> Parser:
    """Return the parser for the input of the dataset, the same as long as one looks at this grammar."""
    from sgl.parsing import Parser

    grammar, source = compiled.grammar, compiled.grammar.text_layer(compiled.plan.source)
    return kept(BRIEFLY, (grammar,), ("parser", source), lambda: Parser(grammar, source))


def examples(compiled: Compiled) -> Iterator[Example]:
    """Try the examples of a grammar in turn, up to the first that cannot be decided."""
    jobs: list[tuple[str, s.Name, Callable[[Parser, Diagnostics], None]]] = []
    for test in compiled.tests:
        kind = "test" if test.declaration.expected is not None else "test reject"
        jobs.append((kind, test.declaration.sentence, partial(_check_test, test)))
    for pattern in compiled.patterns:
        kinds = ("train example" if like.split == "train" else "example" for like in pattern.examples)
        checks = ((like.sentence, partial(_check_like, compiled.plan, pattern, like)) for like in pattern.examples)
        jobs += [(kind, *check) for kind, check in zip(kinds, checks, strict=True)]
    if not jobs:
        return
    # After most edits the answers are known.
    from sgl.parsing import TooLongError

    parser = source_parser(compiled)
    for kind, sentence, check in jobs:
        found, started, decided = Diagnostics(), time.perf_counter(), False
        with deciding(compiled, found):
            try:
                check(parser, found)
            except TooLongError as problem:
                found.add(too_long(problem, sentence.span))
            decided = True
        yield Example(kind, sentence, found.found, time.perf_counter() - started)
        if not decided:
            return


def _check_test(test: LoweredTest, parser: Parser, diagnostics: Diagnostics) -> None:
    grammar, declaration = parser.grammar, test.declaration
    sentence = declaration.sentence
    readings = [Reading.of(grammar, derivation) for derivation in parser.parse(sentence.text)]
    if declaration.expected is None:
        if readings:
            texts = readings[0].item.texts
            message = "the grammar derives this sentence, though the test rejects it"
            notes = ("its reading is " + " | ".join(texts),)
            diagnostics.error("SGL0817", sentence.span, message, notes=notes)
        return
    if not readings:
        _report_underivable(parser, sentence.text, sentence.span, "SGL0817", diagnostics)
        return
    for layer, expected in declaration.expected:
        readings = _with_output(grammar, layer, expected, readings, diagnostics)
    if test.structures:
        _check_graphs(test, readings, diagnostics)


def _with_output(
    grammar: CoreGrammar, name: s.Name, expected: s.Name, readings: list[Reading], diagnostics: Diagnostics
) -> list[Reading]:
    known = outputs(grammar)
    if name.text not in known:
        # The name is neither a text layer nor a one-line view.
        kinds = {view.name: view.kind for view in grammar.views}
        message = f"there is no text layer or view `{name}`"
        hint = suggest(name.text, known) or f"there is: {', '.join(known)}"
        if name.text in kinds:
            kind = kinds[name.text]
            message = f"the view `{name}` is `{kind}`, which is more than one line of text"
            hint = "say with a structure what its graph contains: `syn { V -[obj]-> N }`"
        diagnostics.error("SGL0201", name.span, message, hint=hint)
        return readings
    texts = [outputs(reading.grammar)[name.text](reading.derivation) for reading in readings]
    if expected.text not in texts:
        notes = [f"{GIVES}{text}" for text in dict.fromkeys(texts)]
        message = f"the grammar gives another output in `{name}`"
        diagnostics.error("SGL0817", expected.span, message, notes=notes[:3])
        return readings
    pairs = zip(readings, texts, strict=True)
    return [reading for reading, text in pairs if text == expected.text]


def _check_graphs(test: LoweredTest, readings: list[Reading], diagnostics: Diagnostics) -> None:
    for expected, structure in zip(test.declaration.graphs, test.structures, strict=True):
        if fitting := [reading for reading in readings if reading.contains(structure)]:
            readings = fitting
            continue
        named = " and ".join(f"`{part.layer}`" for part in expected.parts)
        message = "this sentence is longer or shorter"
        notes = [
            f"its length in `{layer}` is {len(readings[0].item.tokens[readings[0].grammar.text_layer(layer)]):,}"
            for layer in dict.fromkeys(length.layer for length in structure.body.lengths)
        ]
        if structure.body.variables:
            message = f"the graph of this sentence in {named} does not contain this"
            notes.append(f"its edges are: {', '.join(readings[0].edges(structure.layer))}")
        diagnostics.error("SGL0817", expected.parts[0].graph.span, message, notes=notes)


def _check_like(
    plan: Plan, lowered: LoweredPattern, like: s.LikeClause, parser: Parser, diagnostics: Diagnostics
) -> None:
    reasons: dict[str, None] = {}
    sentence, message = like.sentence, ""
    for derivation in parser.parse(sentence.text):
        reading = Reading.of(parser.grammar, derivation)
        if (reason := next(_faults(plan, lowered.pattern, like.split, reading), None)) is None:
            return
        reasons[reason] = None
        name = lowered.pattern.name
        where = "training" if like.split == TRAIN else f"the items of `{name}`"
        message = f"this sentence does not belong to {where}"
    if reasons:
        diagnostics.error("SGL0817", sentence.span, message, notes=tuple(reasons))
    else:
        _report_underivable(parser, sentence.text, sentence.span, "SGL0817", diagnostics)


def _faults(plan: Plan, pattern: Pattern, split: str, reading: Reading) -> Iterator[str]:
    for structure in filter(reading.contains, plan.nowhere):
        yield f"it contains {structure}, which a restriction rules out"
    if split != TRAIN:
        if not any(map(reading.contains, pattern.gen)):
            yield f"it contains none of {' or '.join(map(str, pattern.gen))}"
        for structure in filter(reading.contains, pattern.exclude):
            yield f"it contains {structure}, which `exclude` rules out"
        for part in plan.parts:
            for structure in filter(reading.contains, () if part.tested else part.only):
                yield f"it contains {structure}, which only the part `{part.name}` may"
    for other in plan.patterns:
        if split == TRAIN or foreign(pattern, [other]):
            for structure in filter(reading.contains, other.held_out):
                yield f"it contains what `{other.name}` holds out: {structure}"


@dataclass(frozen=True)
class Reading:
    """A derivation with its values in every layer; ``grammar`` has only its own rules."""

    grammar: CoreGrammar
    derivation: Derivation
    item: Item

    @cached_property
    def _structures(self) -> StructureCompiler:
        return StructureCompiler(self.grammar)

    @cached_property
    def _labels(self) -> GrammarLabels:
        from sgl.pipeline.comparison import GrammarLabels

        return GrammarLabels(self.grammar)

    @classmethod
    def of(cls, grammar: CoreGrammar, derivation: Derivation) -> Reading:
        """Return the reading of a derivation."""
        numbers = {rule: number for number, rule in enumerate(dict.fromkeys(derivation))}
        rules = tuple(replace(grammar.rules[rule], id=number) for rule, number in numbers.items())
        numbered = tuple(numbers[rule] for rule in derivation)

        def compute() -> Reading:
            small = replace(grammar, rules=rules, names=())
            return cls(small, numbered, interpret(small, numbered))

        # A reading depends only on its own rules, and stays valid when others change.
        content = (part for rule in rules for part in (rule.templates, rule.fragments))
        categories = tuple(grammar.categories[number] for rule in rules for number in (rule.lhs, *rule.rhs))
        layers = (grammar.text_layers, grammar.graph_layers)
        return kept("reading", tuple(content), (numbered, categories, layers), compute)

    def contains(self, structure: Structure) -> bool:
        """Return whether the reading's graph contains the structure."""
        return kept("contains", (self, structure), None, partial(self._contains, structure))

    def _contains(self, structure: Structure) -> bool:
        # Most pairs of sentence and structure end here, before an automaton is built.
        if self._labels.lacks(structure):
            return False
        return self._structures.structure_automaton(structure).accepts(self.grammar, self.derivation)

    def edges(self, layer: str) -> Iterator[str]:
        """Yield the edges of the reading's graph with the words of the sentence: ``saw -[obj]-> cat``."""
        for number in map(self.grammar.graph_layer, layer.split(PLUS)):
            graph, words = self.item.graphs[number], self.item.tokens[self.grammar.anchors[number]]
            for source, label, target in graph.edges:
                head, dependent = (words[graph.nodes[node].position] for node in (source, target))
                yield f"{head} -[{label}]-> {dependent}"
