"""Lower restrictions: what breaks one is a structure that is nowhere.

A restriction says which words may stand together.  A relation lists for some words those that they go with; a word
without a row may stand with any.  There is one structure for all words with equal rows::

    { V[lemma=drink|sip] -[obj]-> N[lemma!=milk|water] }
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from sgl.core.joint import variable_of
from sgl.core.structure import NodeTest, Structure
from sgl.diagnostics import Span, suggest
from sgl.frontend.elaborate.structures import write_out
from sgl.frontend.lower.bodies import StructureContext
from sgl.frontend.lower.structures import lower_structure
from sgl.frontend.names.resolved import Resolved
from sgl.frontend.names.scopes import Scope
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
from sgl.lang.mapping_files import RelationRow, read_relation


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


def lower_restrictions(context: StructureContext) -> tuple[LoweredRestriction, ...]:
    """Turn what breaks a restriction into structures to forbid."""
    names = context.state.names
    checked = set[s.WordSet]()
    relations = {relation: _rows(relation, scope, checked, context) for relation, scope in names.of(s.Relation)}
    lowered = [_lower(restrict, scope, relations, context) for restrict, scope in names.of(s.Restrict)]
    return tuple(found for found in lowered if found is not None)


def _rows(relation: s.Relation, scope: Scope, checked: set[s.WordSet], context: StructureContext) -> _Rows | None:
    """Return the table of a relation; None after a report.  Sets of words that it mentions are ``checked`` once."""
    state = context.state
    errors, source = state.diagnostics.errors, scope.read(relation.path, MAX_TABLE)
    table = read_relation(source, state.diagnostics) if source is not None else None
    if source is not None and table == ():
        state.error("SGL0610", relation.path.span, f"the table `{source.name}` has no rows")
    rows: _Rows = {}
    first: dict[str, Span] = {}
    for row in table or ():
        word = row.word
        if word.text in rows:
            state.report_twice("row", word, first[word.text], "put the words of both rows into one")
        rows[word.text] = _partners(row, scope, checked, context)
        first.setdefault(word.text, word.span)
    return rows if state.diagnostics.errors == errors else None


def _partners(row: RelationRow, scope: Scope, checked: set[s.WordSet], context: StructureContext) -> frozenset[str]:
    hint = "add it to a lexicon, or remove it here"
    context.check_lemmas((row.word, *row.words), hint)
    found = [word.text for word in row.words]
    for declaration in (scope.find(s.WordSet, kind) for kind in row.kinds):
        if declaration is not None:
            found.extend(value.text for value in declaration.values)
            context.check_lemmas(declaration.values if declaration not in checked else (), hint)
            checked.add(declaration)
    if not row.words and not row.kinds:
        hint = "list the words that it goes with, or remove the row: it then goes with any"
        context.state.error("SGL0614", row.word.span, f"`{row.word}` goes with no word at all", hint)
    return frozenset(found)


def _lower(
    restrict: s.Restrict, scope: Scope, relations: Mapping[s.Relation, _Rows | None], context: StructureContext
) -> LoweredRestriction | None:
    relation = scope.find(s.Relation, restrict.relation)
    written = write_out(restrict.graph, scope)
    structure = lower_structure(written, context)
    if written is None or structure is None or relation is None:
        return None
    if not _check_nodes(restrict, written.names, context.state):
        return None
    rows = relations.get(relation)
    if rows is None:
        return None
    words_with: dict[frozenset[str], list[str]] = {}
    for word, partners in rows.items():
        words_with.setdefault(partners, []).append(word)
    # Of a word on several layers the lemma is that of the first.
    own = {variable_of(v.name): v.name for v in reversed(structure.body.variables)}
    first, second = own[restrict.first.text], own[restrict.second.text]
    structures = []
    for partners, words in words_with.items():
        asked = {first: NodeTest("lemma", frozenset(words)), second: NodeTest("lemma", partners, negated=True)}
        variables = tuple(
            replace(v, tests=(*v.tests, asked[v.name])) if v.name in asked else v for v in structure.body.variables
        )
        structures.append(replace(structure, body=replace(structure.body, variables=variables)))
    return LoweredRestriction(restrict, tuple(structures))


def _check_nodes(restrict: s.Restrict, known: Collection[str], state: Resolved) -> bool:
    first, second = restrict.first, restrict.second
    strange = [node for node in (first, second) if node.text not in known]
    for node in strange:
        hint = suggest(node.text, known, "its nodes are")
        state.error("SGL0828", node.span, f"`{node}` is no node of the structure", hint)
    if not strange and first.text == second.text:
        message = f"the relation is between two nodes, and `{first}` is one"
        state.error("SGL0828", second.span, message, "name the node of the other word")
        return False
    return not strange
