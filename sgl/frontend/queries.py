"""Questions about a grammar that compiles: its structures, and the words it inflects.

Whoever wants to check the words that come out of the library's morphology asks here: every template
of a word or lexicon is evaluated once more, and each use of the library is noted.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostics, SourceFile, SourceMap
from sgl.frontend.morphology import Evaluation, Inflection
from sgl.frontend.names import Scope
from sgl.frontend.passes import RESOLVE, Compiled, run_passes
from sgl.frontend.productions import each_layer, entries_of, laid_over
from sgl.frontend.structures import contexts_of, lower_structure
from sgl.frontend.tables import LexiconTables, rows_of
from sgl.lang import syntax as s
from sgl.lang.project import Project
from sgl.lang.reader import read


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
