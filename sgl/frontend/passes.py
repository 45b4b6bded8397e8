"""The passes of the compiler's front end, in their order: from syntax trees to a plan.

A pass reads what earlier passes left in the state, adds what it finds, and reports what is wrong.
It runs if the state has what it ``needs``; a pass that is ``clean`` runs only while no error was
found, so that what merely follows from a mistake is not reported as another.

Below are questions about a grammar that compiles: its structures, and the words it inflects.  Whoever wants to check
the words that come out of the library's morphology asks here: every template of a word or lexicon is evaluated once
more, and each use of the library is noted.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from sgl.core.grammar import CoreGrammar, RuleKey
from sgl.core.plan import Plan, Release
from sgl.core.structure import LengthTest, Structure
from sgl.diagnostics import Diagnostics, SourceFile, SourceMap, Span
from sgl.frontend.checks import check_graphs, check_words
from sgl.frontend.dataset import check_lemma_classes, choose_targets, read_dataset, read_release
from sgl.frontend.expand import expand
from sgl.frontend.finishing import check_absorbed, check_contrast
from sgl.frontend.lexicons import lower_words
from sgl.frontend.lower import apply_weights, lower
from sgl.frontend.morphology import Evaluation, Inflection
from sgl.frontend.names import Scope, resolve_names
from sgl.frontend.nodes import check_instances
from sgl.frontend.patterns import LoweredPart, LoweredPattern, LoweredTest, lower_patterns, lower_tests
from sgl.frontend.plan import LoweredRestriction, check_patterns, lower_restrictions, make_plan
from sgl.frontend.productions import each_layer, entries_of, laid_over
from sgl.frontend.rules import lower_rules
from sgl.frontend.signature import build_signature
from sgl.frontend.state import CompilerState, set_parameters
from sgl.frontend.structures import contexts_of, lower_structure, structure_contexts
from sgl.frontend.tables import LexiconTables, rows_of
from sgl.lang import syntax as s
from sgl.lang.project import Project
from sgl.lang.reader import read


@dataclass(frozen=True)
class Pass:
    """One step of the front end.

    The docstring of ``run`` says what holds before and after it; ``needs`` names the
    attributes of the state without which it is left out.
    """

    run: Callable[[CompilerState], None]
    needs: tuple[str, ...] = ()
    clean: bool = False


RESOLVE = (Pass(set_parameters), Pass(resolve_names, needs=("parameters",)))

PASSES = (
    *RESOLVE,
    Pass(build_signature, needs=("names",)),
    Pass(read_dataset, needs=("names",)),
    Pass(read_release, needs=("names",)),
    Pass(choose_targets, needs=("signature", "dataset")),
    Pass(lower_rules, needs=("signature",)),
    Pass(lower_words, needs=("rules",)),
    Pass(check_graphs, needs=("productions",), clean=True),
    Pass(check_words, needs=("productions",), clean=True),
    Pass(expand, needs=("productions", "dataset"), clean=True),
    Pass(lower, needs=("instances",)),
    Pass(check_instances, needs=("declared",)),
    Pass(check_absorbed, needs=("declared",)),
    Pass(check_contrast, needs=("declared",)),
    Pass(apply_weights, needs=("declared",)),
    Pass(structure_contexts, needs=("signature",)),
    Pass(check_lemma_classes, needs=("contexts", "dataset")),
    Pass(lower_patterns, needs=("context",)),
    Pass(lower_restrictions, needs=("context",)),
    Pass(lower_tests, needs=("contexts",)),
    Pass(check_patterns, needs=("dataset", "signature"), clean=True),
    Pass(make_plan, needs=("lowered", "targets"), clean=True),
)


@dataclass(frozen=True)
class Compiled:
    """A grammar that was compiled without errors, and where its parts were written.

    It ``has_dataset`` if a dataset is declared; otherwise its plan is empty.  ``origin`` is the
    SHA-256 of all that the grammar was made from, or empty if that is not known.  A copy with other
    values (:func:`dataclasses.replace`) has none.
    """

    project: Project
    parameters: Mapping[str, str]
    grammar: CoreGrammar
    plan: Plan
    rule_spans: tuple[Span, ...]
    rule_keys: tuple[RuleKey, ...]
    patterns: tuple[LoweredPattern, ...]
    parts: tuple[LoweredPart, ...]
    restrictions: tuple[LoweredRestriction, ...]
    dataset_span: Span
    tests: tuple[LoweredTest, ...]
    has_dataset: bool = True
    release: Release | None = None
    origin: str = field(init=False, default="", compare=False, repr=False)

    @property
    def lengths(self) -> Iterator[LengthTest]:
        """The tests on lengths of the plan and of what tests expect."""
        expected = (structure for test in self.tests for structure in test.structures)
        yield from (length for structure in chain(self.plan.structures, expected) for length in structure.body.lengths)

    def with_origin(self, origin: str) -> "Compiled":
        """Return the same value, after a note of what it was made from."""
        object.__setattr__(self, "origin", origin)
        return self


def compile_project(project: Project, settings: Mapping[str, str], diagnostics: Diagnostics) -> Compiled | None:
    """Compile a project with parameters set to ``settings``; return None after errors."""
    return compiled_of(run_passes(PASSES, project, settings, diagnostics))


def compiled_of(state: CompilerState) -> Compiled | None:
    """Return what all passes have made; None if there were errors."""
    if not hasattr(state, "plan"):
        return None
    return Compiled(
        project=state.project,
        parameters=state.parameters.values,
        grammar=state.lowered.grammar,
        plan=state.plan,
        rule_spans=state.lowered.rule_spans,
        rule_keys=state.lowered.rule_keys,
        patterns=state.patterns,
        parts=state.parts,
        restrictions=state.restrictions,
        dataset_span=state.dataset.start.span,
        tests=state.tests,
        has_dataset=state.dataset.declared,
        release=state.release,
    )


def run_passes(
    passes: tuple[Pass, ...], project: Project, settings: Mapping[str, str], diagnostics: Diagnostics
) -> CompilerState:
    """Run passes in their order, each if it applies, and return what they found."""
    state = CompilerState(project, settings, diagnostics)
    for step in passes:
        sound = not (step.clean and diagnostics.errors)
        if sound and all(hasattr(state, name) for name in step.needs):
            step.run(state)
    return state


def inflections(project: Project, settings: Mapping[str, str]) -> tuple[Inflection, ...]:
    """Return all inflected words of a grammar that compiles with these ``settings``, each once for each row."""
    state = run_passes(RESOLVE, project, settings, Diagnostics())
    found: dict[Inflection, None] = {}

    def evaluate(clauses: Iterable[s.LayerClause], evaluation: Evaluation) -> None:
        """Note what the templates of one word ask of the library."""
        evaluation = replace(evaluation, listener=found.setdefault)
        for clause in clauses:
            for item in clause.template or ():
                if not isinstance(item, s.Mention):
                    evaluation.value(item)

    for word, scope in state.names.of(s.WordDecl):
        evaluate(word.layers, Evaluation(scope, {}, (), None, Diagnostics()))
    tables = LexiconTables(state)
    for lexicon, scope in state.names.of(s.Lexicon):
        table, entries = tables.of(lexicon, scope), entries_of(lexicon, scope, state)
        for row in rows_of(lexicon, table, state) if table is not None else ():
            columns = table.columns if table is not None else ()
            evaluation = Evaluation(scope, row.cells, columns, row.span, Diagnostics())
            for entry in entries or ():
                evaluate(laid_over(entry.layers, each_layer(lexicon.shared, state)), evaluation)
    return tuple(found)


def named_structures(compiled: Compiled) -> dict[str, Structure]:
    """Return every ``structure`` that means something by itself, by name: without parameters and ``@targets``."""
    if not compiled.grammar.graph_layers:
        return {}
    found: dict[str, Structure] = {}
    state = run_passes(RESOLVE, compiled.project, compiled.parameters, Diagnostics())
    state.contexts = contexts_of(state, compiled.grammar)
    context = next(iter(state.contexts.values()))
    for declaration, scope in state.names.of(s.StructureDecl):
        if declaration.parameters:
            continue
        structure = lower_structure(declaration.graph, scope, context)
        if structure is not None:
            found[declaration.name.text] = structure
    return found


def read_structure(compiled: Compiled, text: str, sources: SourceMap, diagnostics: Diagnostics) -> Structure | None:
    """Return a structure that somebody writes about a grammar with its names for things; None after a report."""
    # On one line it can only be one declaration.
    source = sources.add(SourceFile("structure", f"structure asked {' '.join(text.split())}"))
    file = read(source, diagnostics)
    if diagnostics.errors:
        return None
    if not compiled.grammar.graph_layers:
        message = "a structure speaks about a graph layer, and the grammar declares none"
        diagnostics.error("SGL0307", source.span(0, len(source.text)), message)
        return None
    (declaration,) = (d for d in file.declarations if isinstance(d, s.StructureDecl))
    state = run_passes(RESOLVE, compiled.project, compiled.parameters, diagnostics)
    unit = compiled.project.units[-1]
    kinds = (s.Labels, s.WordSet, s.StructureDecl)
    visible: dict[type, dict[str, s.NamedDeclaration]] = {
        kind: {d.name.text: d for d, _ in state.names.of(kind)} for kind in kinds
    }
    state.contexts = contexts_of(state, compiled.grammar)
    context = next(iter(state.contexts.values()))
    return lower_structure(declaration.graph, Scope(unit, visible, state.names), context)
