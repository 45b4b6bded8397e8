"""Run the passes of the compiler's front end in order, from syntax trees to a plan.

A pass is a function of the results of earlier passes, and reports errors.  It returns None if later passes could not
use its result; those that need it are then skipped.  Some run only if there are no errors so far, so that consequences
of a mistake are not reported as further mistakes.

The module also answers questions about a compiled grammar: its structures, and its inflected words.  To find the words
that the library's morphology produces, every template of a word or lexicon is evaluated once more, and each use of the
library is recorded.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain

from sgl.core.derivation import RULES, with_derivation
from sgl.core.grammar import DERIVATION, CoreGrammar, GraphLayer
from sgl.core.plan import Pattern, Plan, Release
from sgl.core.structure import LengthTest, Structure
from sgl.diagnostics import Diagnostics, EditedFile, Reported, SourceFile, SourceMap, Span, attempt, there
from sgl.foreign import granted
from sgl.frontend.elaborate.columns import Evaluation, Inflection
from sgl.frontend.elaborate.substitution import write_out
from sgl.frontend.elaborate.tables import LexiconTables, each_layer, entries_of, laid_over, rows_of
from sgl.frontend.lower.bodies import StructureContext
from sgl.frontend.lower.expand import expand
from sgl.frontend.lower.finishing import check_absorbed, check_contrast
from sgl.frontend.lower.grammar import Expanded, Lowered, lower
from sgl.frontend.lower.graphs import check_graphs
from sgl.frontend.lower.naming import check_names
from sgl.frontend.lower.patterns import LoweredTest, lower_parts, lower_patterns, lower_tests
from sgl.frontend.lower.plan import Claims, check_interchangeable, check_patterns, make_plan, read_together, source_of
from sgl.frontend.lower.productions import Produced
from sgl.frontend.lower.rules import lower_rules
from sgl.frontend.lower.structures import contexts_of, derivation_asked, lower_restrictions, lower_structure
from sgl.frontend.lower.weights import apply_weights
from sgl.frontend.lower.words import check_words, lower_words
from sgl.frontend.names.dataset import (
    DatasetSettings,
    check_lemma_classes,
    choose_inputs,
    choose_targets,
    read_dataset,
    read_release,
)
from sgl.frontend.names.parameters import Session, limits_of
from sgl.frontend.names.scopes import Resolved, Scope, resolve
from sgl.frontend.names.signature import Signed, build_signature
from sgl.lang import syntax as s
from sgl.lang.project import Project
from sgl.lang.reader import read
from sgl.memory import kept
from sgl.values import dataclass, field, replace


@dataclass(frozen=True, kw_only=True)
class Compiled(Claims, Lowered):
    """A grammar compiled without errors, with the places of its parts.

    ``has_dataset`` says whether a dataset is declared; otherwise the plan is empty.  ``origin`` is the SHA-256 of the
    grammar's inputs, or empty if unknown.  A copy with other values (:func:`dataclasses.replace`) has none.
    """

    project: Project
    parameters: Mapping[str, str]
    plan: Plan
    dataset_span: Span
    tests: tuple[LoweredTest, ...]
    has_dataset: bool = True
    release: Release | None = None
    origin: str = field(init=False, default="", compare=False, repr=False)

    @property
    def lengths(self) -> Iterator[LengthTest]:
        """The tests on lengths in the plan and in the expectations of tests."""
        expected = (structure for test in self.tests for structure in test.structures)
        yield from (length for structure in chain(self.plan.structures, expected) for length in structure.body.lengths)

    def with_seed(self, seed: int | None) -> "Compiled":
        """Return the grammar with another seed for its dataset; with None, the grammar itself."""
        return self if seed in (None, self.plan.seed) else replace(self, plan=replace(self.plan, seed=seed))

    def with_origin(self, origin: str) -> "Compiled":
        """Record the origin of this grammar, and return it."""
        object.__setattr__(self, "origin", origin)
        return self

    @property
    def told_as(self) -> str:
        """The origin, if known, with the places of declarations, which depend on history: a cache key of messages."""
        files = self.project.sources.files.values()
        places = sorted((file.name, file.places) for file in files if isinstance(file, EditedFile))
        return self.origin and repr((self.origin, places))


@dataclass(frozen=True)
class Compilation:
    """The results of the passes for a project: its core grammar and the compiled grammar, each None after errors."""

    expanded: Expanded | None = None
    compiled: Compiled | None = None


def compile_project(project: Project, settings: Mapping[str, str], diagnostics: Diagnostics) -> Compiled | None:
    """Compile a project with parameters set to ``settings``; return None after errors."""
    return run_passes(project, settings, diagnostics).compiled


def run_passes(project: Project, settings: Mapping[str, str], diagnostics: Diagnostics) -> Compilation:
    """Compile a project with parameters set to ``settings``, as far as its errors allow."""
    with granted(limits_of(project, diagnostics)):
        return attempt(_run_passes, project, settings, diagnostics) or Compilation()


def _run_passes(project: Project, settings: Mapping[str, str], diagnostics: Diagnostics) -> Compilation:
    resolved = resolve(Session(project, settings, diagnostics))
    built, dataset = attempt(build_signature, resolved), attempt(read_dataset, resolved)
    release = read_release(resolved)
    signature = there(built)
    if dataset is not None and project.record is not None:
        dataset.seed = project.record.seed
    signed = Signed(project, settings, diagnostics, resolved.parameters, resolved.names, signature)
    inputs, targets = _columns(dataset, signed)
    expanded = attempt(_expanded, signed, dataset)
    lowered = attempt(apply_weights, expanded) if expanded is not None else None
    if expanded is not None and lowered is not None:
        check_names(expanded, lowered.grammar, lowered.rule_spans)
    grammar = expanded.declared.grammar if expanded is not None else None
    asked = derivation_asked(signed)
    if asked is not signed:
        # Structures do not need weights.
        signature, grammar = asked.signature, grammar and with_derivation(lowered.grammar if lowered else grammar)
        lowered = lowered and replace(lowered, grammar=grammar or lowered.grammar)
    claims, tests = _spoken(asked, dataset, grammar)
    if lowered is not None and inputs and not diagnostics.errors:
        lowered = replace(lowered, grammar=read_together(inputs, lowered.grammar, signed))
    if lowered is None or dataset is None or diagnostics.errors:
        return Compilation(expanded)
    compiled = Compiled(
        project=project,
        parameters=resolved.parameters.values,
        plan=make_plan(dataset, source_of(inputs, signature.source.name), targets, claims, signature),
        dataset_span=dataset.start.span,
        tests=tests,
        has_dataset=dataset.declared,
        release=release,
        **vars(lowered),
        **vars(claims),
    )
    return Compilation(expanded, compiled)


def _columns(dataset: DatasetSettings | None, signed: Signed) -> tuple[tuple[s.Name, ...], tuple[str, ...]]:
    """Return what a model reads, and the targets of rows."""
    if dataset is None:
        return (), ()
    inputs = choose_inputs(dataset, signed)
    return inputs, choose_targets(dataset, inputs, signed)


def _expanded(signed: Signed, dataset: DatasetSettings | None) -> Expanded:
    """Return the core grammar of the rules and words."""
    known = (signed.project, signed.settings, signed.diagnostics, signed.parameters, signed.names, signed.signature)
    produced = Produced(*known, lower_rules(signed), *lower_words(signed))
    if not signed.diagnostics.errors:
        check_words(produced)
    if dataset is None or signed.diagnostics.errors:
        raise Reported
    instances = expand(dataset.start, produced)
    expanded = Expanded(*known, produced.rules, produced.words, produced.tables, instances, lower(instances, produced))
    _check_contents(expanded)
    return expanded


def _check_contents(state: Expanded) -> None:
    """Check what the rules write, unless these contents have been checked without a message."""

    def silent() -> bool | None:
        found = Diagnostics()
        try:
            for check in (check_graphs, check_absorbed, check_contrast):
                check(replace(state, diagnostics=found))
        finally:
            state.diagnostics.extend(found.found)
        return not found.found or None

    grammar = state.declared.grammar
    contents = chain.from_iterable((rule.templates, rule.fragments) for rule in grammar.rules)
    words = (bool(instance.production.word or instance.production.pool) for instance in state.instances)
    rules = tuple((rule.lhs, rule.rhs, word) for rule, word in zip(grammar.rules, words, strict=True))
    kept("sound", tuple(contents), (grammar.categories, grammar.text_layers, grammar.graph_layers, rules), silent)


def _spoken(
    signed: Signed, dataset: DatasetSettings | None, grammar: CoreGrammar | None
) -> tuple[Claims, tuple[LoweredTest, ...]]:
    """Return the claims about the data and the tests; without a ``grammar``, words are not checked."""
    signature, claims = signed.signature, Claims()
    percent = dataset.percent if dataset is not None else 100
    contexts = contexts_of(signed, signature.graph_layers, grammar, signature.unsound, percent)
    first = next(iter(contexts.values()), None)
    if first is not None and first.attributes is not None and dataset is not None:
        check_lemma_classes(dataset, first.attributes["upos"], signed)
    if first is not None and any(map(signed.names.of, (s.PatternDecl, s.PartDecl, s.Restrict))):
        patterns, parts = lower_patterns(first, dataset), lower_parts(first, dataset)
        claims = Claims(patterns, parts, lower_restrictions(first))
    if grammar is not None:
        check_interchangeable(claims, grammar, signed)
    tests = lower_tests(contexts, signed)
    if dataset is not None and not signed.diagnostics.errors:
        check_patterns(claims, dataset, signed)
    return claims, tests


def inflections(project: Project, settings: Mapping[str, str]) -> tuple[Inflection, ...]:
    """Return all inflected words of a grammar that compiles with these ``settings``, each once per row."""
    state, found = resolve(Session(project, settings, Diagnostics())), dict[Inflection, None]()

    def evaluate(clauses: Iterable[s.LayerClause], evaluation: Evaluation) -> None:
        """Record the uses of the library in the templates of one word."""
        evaluation = replace(evaluation, listener=found.setdefault)
        for clause in clauses:
            for item in clause.template or ():
                if not isinstance(item, s.Mention):
                    attempt(evaluation.value, item)

    for word, scope in state.names.of(s.WordDecl):
        evaluate(word.layers, Evaluation(scope, {}, (), None, Diagnostics()))
    tables = LexiconTables(state)
    for lexicon, scope in state.names.of(s.Lexicon):
        table, entries = tables.of(lexicon, scope), entries_of(lexicon, scope, state)
        for row in rows_of(lexicon, table, state):
            evaluation = Evaluation(scope, row.cells, table.columns, row.span, Diagnostics())
            for entry in entries:
                evaluate(laid_over(entry.layers, each_layer(lexicon.shared, state)), evaluation)
    return tuple(found)


def named_structures(compiled: Compiled) -> dict[str, Structure]:
    """Return every ``structure`` that is complete, without parameters and ``@targets``, by name."""
    state = _names_of(compiled, Diagnostics())
    return _named(state, _first_context(compiled, state))


def structures_without_grammar(
    project: Project, settings: Mapping[str, str], diagnostics: Diagnostics
) -> tuple[tuple[Pattern, ...], dict[str, Structure], str]:
    """Return the patterns, the complete structures by name, and the first graph layer, without reading rules or words.

    So structures can be looked for in trees that no grammar made; the project may declare nothing else.  Labels and
    lemmas are not checked: any tree may have them.
    """
    with suppress(Reported):
        state = resolve(Session(project, settings, diagnostics))
        declared = [layer.name.text for layer, _ in state.names.of(s.Layer) if layer.kind.text == "graph"] or ["syn"]
        layers = [*(GraphLayer(name, "") for name in declared), GraphLayer(DERIVATION, RULES)]
        context = contexts_of(state, layers, None)[declared[0]]
        lowered = lower_patterns(context, None)
        return tuple(one.pattern for one in lowered), _named(state, context), declared[0]
    return (), {}, ""


def _named(state: Resolved, context: StructureContext) -> dict[str, Structure]:
    found: dict[str, Structure] = {}
    for declaration, scope in state.names.of(s.StructureDecl):
        if declaration.parameters:
            continue
        with suppress(Reported):
            found[declaration.name.text] = lower_structure(write_out(declaration.graph, scope), context)
    return found


def read_structure(compiled: Compiled, text: str, sources: SourceMap, diagnostics: Diagnostics) -> Structure | None:
    """Return a structure written with the names of a grammar; report errors and return None."""
    # Joined into one line, the text can only be one declaration.
    source = sources.add(SourceFile("structure", f"structure asked {' '.join(text.split())}"))
    file = read(source, diagnostics)
    if diagnostics.errors:
        return None
    (declaration,) = (d for d in file.declarations if isinstance(d, s.StructureDecl))
    state = _names_of(compiled, diagnostics)
    unit = compiled.project.units[-1]
    kinds = (s.Labels, s.WordSet, s.StructureDecl)
    visible: dict[type, dict[str, s.NamedDeclaration]] = {
        kind: {d.name.text: d for d, _ in state.names.of(kind)} for kind in kinds
    }
    scope = Scope(unit, visible, state.names)
    with suppress(Reported):
        return lower_structure(write_out(declaration.graph, scope), _first_context(compiled, state))
    return None


def _names_of(compiled: Compiled, diagnostics: Diagnostics) -> Resolved:
    return resolve(Session(compiled.project, compiled.parameters, diagnostics))


def _first_context(compiled: Compiled, state: Resolved) -> StructureContext:
    grammar = with_derivation(compiled.grammar)
    return next(iter(contexts_of(state, grammar.graph_layers, grammar).values()))
