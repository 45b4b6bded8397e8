"""Which words a grammar inflects, by which form of the standard library, in which row.

The compiler itself only needs the words that come out.  Whoever wants to check
them asks here, of a grammar that compiles: every template of a word or lexicon is
evaluated once more, and each use of the library's morphology is noted::

    ja  past($ja, $class)        {ja: 書く, class: godan}  ->  past of 書く is 書いた
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sgl.diagnostics import Diagnostics, Span
from sgl.frontend.lexicons import clauses_of
from sgl.frontend.morphology import Application, Evaluation
from sgl.frontend.names import Scope
from sgl.frontend.passes import RESOLVE, run_passes
from sgl.frontend.state import State
from sgl.frontend.tables import Tables, select
from sgl.frontend.variants import apply_variants
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
    """All inflected words of a grammar that compiles, each once for each row.

    ``settings`` are the parameters it was compiled with.
    """
    state = run_passes(RESOLVE, project, settings, Diagnostics())
    return tuple(dict.fromkeys(_all(state)))


def _all(state: State) -> Iterator[Inflection]:
    tables = Tables(state)
    for word, scope in state.names.of(s.Word):
        yield from _in_clauses(word.layers, None, (), scope)
    for lexicon, scope in state.names.of(s.Lexicon):
        written = tables.of(lexicon, scope)
        table = apply_variants(lexicon, written, state) if written else None
        if table is not None:
            for row in select(lexicon, table, state):
                for entry in lexicon.entries:
                    clauses = clauses_of(lexicon, entry)
                    yield from _in_clauses(clauses, row, table.columns, scope)


def _in_clauses(
    clauses: Iterable[s.LayerClause], row: TableRow | None, columns: tuple[str, ...], scope: Scope
) -> Iterator[Inflection]:
    """What the templates of one word apply."""
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
