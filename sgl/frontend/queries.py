"""Questions about a grammar that compiles: its named structures, and the words it inflects.

The compiler itself only needs the words that come out of the library's morphology.  Whoever
wants to check them asks here: every template of a word or lexicon is evaluated once more,
and each use of the library is noted::

    ja  past($ja, $class)        {ja: 書く, class: godan}  ->  past of 書く is 書いた
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostics, Span
from sgl.frontend.lexicons import clauses_of
from sgl.frontend.morphology import Application, Evaluation
from sgl.frontend.names import Scope
from sgl.frontend.passes import RESOLVE, Compiled, run_passes
from sgl.frontend.state import CompilerState
from sgl.frontend.structures import context_of, lower_structure
from sgl.frontend.tables import LexiconTables, rows_of
from sgl.lang import syntax as s
from sgl.lang.project import Project
from sgl.lang.yaml_files import TableRow


@dataclass(frozen=True, slots=True)
class Inflection:
    """An application of a form, and the row of a table that it was made for.

    ``row`` is None for a ``word``, which stands in no table.
    """

    application: Application
    row: Span | None

    @property
    def place(self) -> Span:
        """Where an author would correct it: the row, or the call."""
        return self.row or self.application.call


def inflections(project: Project, settings: Mapping[str, str]) -> tuple[Inflection, ...]:
    """Return all inflected words of a grammar that compiles, each once for each row.

    ``settings`` are the parameters it was compiled with.
    """
    state = run_passes(RESOLVE, project, settings, Diagnostics())
    return tuple(dict.fromkeys(_all(state)))


def _all(state: CompilerState) -> Iterator[Inflection]:
    tables = LexiconTables(state)
    for word, scope in state.names.of(s.WordDecl):
        yield from _in_clauses(word.layers, None, (), scope)
    for lexicon, scope in state.names.of(s.Lexicon):
        table = tables.of(lexicon, scope)
        for row in rows_of(lexicon, table, state) if table is not None else ():
            for entry in lexicon.entries:
                clauses = clauses_of(lexicon, entry)
                yield from _in_clauses(clauses, row, table.columns if table else (), scope)


def _in_clauses(
    clauses: Iterable[s.LayerClause], row: TableRow | None, columns: tuple[str, ...], scope: Scope
) -> Iterator[Inflection]:
    """Yield what the templates of one word apply."""
    heard: list[Application] = []
    cells = row.cells if row is not None else {}
    span = row.span if row is not None else None
    evaluation = Evaluation(scope, cells, columns, span, Diagnostics(), listener=heard.append)
    for clause in clauses:
        for item in clause.template or ():
            if not isinstance(item, s.Mention):
                evaluation.value(item)
    for application in heard:
        yield Inflection(application, span)


def named_structures(compiled: Compiled) -> dict[str, Structure]:
    """Return every ``structure`` that means something by itself, by name, used or not.

    One that asks for ``@targets`` depends on the pattern that uses it and is left out.
    """
    if not compiled.grammar.graph_layers:
        return {}
    found: dict[str, Structure] = {}
    state = run_passes(RESOLVE, compiled.project, compiled.parameters, Diagnostics())
    layer = compiled.grammar.graph_layers[0].name
    context = context_of(state, 0, layer, compiled.grammar)
    for declaration, scope in state.names.of(s.StructureDecl):
        structure = lower_structure(declaration.graph, scope, context)
        if structure is not None:
            found[declaration.name.text] = structure
    return found
