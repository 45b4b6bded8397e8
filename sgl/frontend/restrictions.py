"""Lower restrictions: which words may stand together becomes structures that are nowhere.

A relation lists for some words those that they go with.  A restriction says of which
nodes it is to be true; what breaks it is one structure for all words with equal rows::

    drink: [milk, water]      restrict { V -[obj]-> N } to takes(V, N)
    sip:   [milk, water]
                              { V[lemma=drink|sip] -[obj]-> N[lemma!=milk|water] }

A word without a row may stand with any.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from sgl.core.structure import NodeTest, Structure, Variable
from sgl.diagnostics import Diagnostics, Span, suggest
from sgl.frontend.names import Scope
from sgl.frontend.state import CompilerState
from sgl.frontend.structures import StructureContext, lower_structure, variables_of
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
from sgl.lang.yaml_events import Cell
from sgl.lang.yaml_files import RelationRow, read_relation


@dataclass(frozen=True)
class LoweredRestriction:
    """A restriction, and the structures that break it, each with where it was written."""

    declaration: s.Restrict
    structures: tuple[Structure, ...]

    @property
    def places(self) -> dict[Structure, Span]:
        """The structures, all at the place of the declaration."""
        return dict.fromkeys(self.structures, self.declaration.span)


#: For each word with a row, in the order of the table, the words that it goes with.
_Rows = dict[str, frozenset[str]]


def lower_restrictions(state: CompilerState) -> None:
    """Turn what breaks a restriction into structures that no text may contain.

    Before: ``context``.  After: ``restrictions``, those that are sound.
    """
    state.restrictions = tuple(Relations(state.context).lower_all())


@dataclass
class Relations:
    """Reads the tables of relations, each once, and lowers the restrictions to them."""

    context: StructureContext
    read: dict[s.Relation, _Rows | None] = field(default_factory=dict)
    checked: set[s.WordSet] = field(default_factory=set)

    def lower_all(self) -> list[LoweredRestriction]:
        """Return the restrictions that are sound."""
        for relation, scope in self.context.state.names.of(s.Relation):
            self._rows(relation, scope)
        lowered = (
            self._lower(restrict, scope)
            for restrict, scope in self.context.state.names.of(s.Restrict)
        )
        return [restriction for restriction in lowered if restriction is not None]

    @property
    def _diagnostics(self) -> Diagnostics:
        return self.context.state.diagnostics

    # ---- tables

    def _rows(self, relation: s.Relation, scope: Scope) -> _Rows | None:
        if relation not in self.read:
            self.read[relation] = self._read(relation, scope)
        return self.read[relation]

    def _read(self, relation: s.Relation, scope: Scope) -> _Rows | None:
        diagnostics, span = self._diagnostics, relation.path.span
        source = scope.read(relation.path, MAX_TABLE)
        table = read_relation(source, diagnostics) if source is not None else None
        if source is None or table is None:
            return None
        errors = diagnostics.errors
        if not table:
            diagnostics.error("SGL0610", span, f"the table `{source.name}` has no rows")
        rows: _Rows = {}
        first: dict[str, Span] = {}
        for row in table:
            self._check_lemmas((row.word, *row.words))
            if row.word.text in rows:
                name = s.Name(row.word.text, row.word.span)
                self.context.state.report_twice("row", name, first[name.text], _ONE_ROW)
            rows[row.word.text] = self._partners(row, scope)
            first.setdefault(row.word.text, row.word.span)
        return rows if diagnostics.errors == errors else None

    def _partners(self, row: RelationRow, scope: Scope) -> frozenset[str]:
        found = [word.text for word in row.words]
        for kind in row.kinds:
            declaration = scope.find(s.WordSet, s.Name(kind.text, kind.span))
            if declaration is not None:
                found.extend(value.text for value in declaration.values)
                if declaration not in self.checked:
                    self.checked.add(declaration)
                    self._check_lemmas(declaration.values)
        if not row.words and not row.kinds:
            message = f"`{row.word.text}` goes with no word at all"
            hint = "list the words that it goes with, or remove the row: it then goes with any"
            self._diagnostics.error("SGL0614", row.word.span, message, hint)
        return frozenset(found)

    def _check_lemmas(self, cells: Iterable[Cell | s.Name]) -> None:
        words = self.context.words
        lemmas = words.attributes.get("lemma", frozenset())
        for cell in cells if words.complete else ():
            if cell.text not in lemmas:
                message = f"no word has `lemma={cell.text}`"
                hint = suggest(cell.text, lemmas) or "add it to a lexicon, or remove it here"
                self._diagnostics.error("SGL0808", cell.span, message, hint)

    # ---- restrictions

    def _lower(self, restrict: s.Restrict, scope: Scope) -> LoweredRestriction | None:
        relation = scope.find(s.Relation, restrict.relation)
        structure = lower_structure(restrict.graph, scope, self.context)
        if structure is None or not self._check_nodes(restrict, scope) or relation is None:
            return None
        rows = self._rows(relation, scope.where(relation))
        if rows is None:
            return None
        words_with: dict[frozenset[str], list[str]] = {}
        for word, partners in rows.items():
            words_with.setdefault(partners, []).append(word)
        first, second = restrict.first.text, restrict.second.text
        structures = [
            _broken(structure, {first: _any_of(words), second: _none_of(partners)})
            for partners, words in words_with.items()
        ]
        return LoweredRestriction(restrict, tuple(structures))

    def _check_nodes(self, restrict: s.Restrict, scope: Scope) -> bool:
        """Return whether the relation is asked of two nodes of the structure; report the others."""
        main, *_ = variables_of(restrict.graph, scope)
        strange = [node for node in (restrict.first, restrict.second) if node.text not in main]
        for node in strange:
            message = f"`{node}` is no node of the structure"
            hint = suggest(node.text, main, "its nodes are")
            self._diagnostics.error("SGL0828", node.span, message, hint)
        if not strange and restrict.first.text == restrict.second.text:
            message = f"the relation is between two nodes, and `{restrict.first}` is one"
            hint = "name the node of the other word"
            self._diagnostics.error("SGL0828", restrict.second.span, message, hint)
            return False
        return not strange


_ONE_ROW = "put the words of both rows into one"


def _any_of(words: Iterable[str]) -> NodeTest:
    return NodeTest("lemma", frozenset(words))


def _none_of(words: frozenset[str]) -> NodeTest:
    return NodeTest("lemma", words, negated=True)


def _broken(structure: Structure, tests: dict[str, NodeTest]) -> Structure:
    """Return the structure with one more test for some of its nodes."""

    def tested(variable: Variable) -> Variable:
        added = tests.get(variable.name)
        return variable if added is None else replace(variable, tests=(*variable.tests, added))

    body = structure.body
    variables = tuple(tested(variable) for variable in body.variables)
    return replace(structure, body=replace(body, variables=variables))
