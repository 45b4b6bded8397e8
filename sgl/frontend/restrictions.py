"""Lower restrictions: which words may stand together becomes structures that are nowhere.

A relation lists for some words those that they go with; a word without a row may stand with any.
What breaks a restriction is one structure for all words with equal rows::

    { V[lemma=drink|sip] -[obj]-> N[lemma!=milk|water] }
"""

from dataclasses import dataclass, field, replace

from sgl.core.joint import variable_of
from sgl.core.structure import NodeTest, Structure
from sgl.diagnostics import Span, suggest
from sgl.frontend.bodies import StructureContext
from sgl.frontend.names import Scope
from sgl.frontend.state import CompilerState
from sgl.frontend.structures import lower_structure, variables_of
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
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
    """Turn what breaks a restriction into structures to forbid. Before: ``context``. After: ``restrictions``."""
    relations = _Relations(state, state.context)
    for relation, scope in state.names.of(s.Relation):
        relations.rows(relation, scope)
    lowered = [_lower(restrict, scope, relations) for restrict, scope in state.names.of(s.Restrict)]
    state.restrictions = tuple(found for found in lowered if found is not None)


@dataclass
class _Relations:
    """The tables of relations, each read once; ``checked`` are the sets that they mention."""

    state: CompilerState
    context: StructureContext
    read: dict[s.Relation, _Rows | None] = field(default_factory=dict)
    checked: set[s.WordSet] = field(default_factory=set)

    def rows(self, relation: s.Relation, scope: Scope) -> _Rows | None:
        if relation not in self.read:
            errors = self.state.diagnostics.errors
            source = scope.read(relation.path, MAX_TABLE)
            table = read_relation(source, self.state.diagnostics) if source is not None else None
            if source is not None and table == ():
                message = f"the table `{source.name}` has no rows"
                self.state.error("SGL0610", relation.path.span, message)
            rows: _Rows = {}
            first: dict[str, Span] = {}
            for row in table or ():
                word = row.word
                if word.text in rows:
                    hint = "put the words of both rows into one"
                    self.state.report_twice("row", word, first[word.text], hint)
                rows[word.text] = self._partners(row, scope)
                first.setdefault(word.text, word.span)
            self.read[relation] = rows if self.state.diagnostics.errors == errors else None
        return self.read[relation]

    def _partners(self, row: RelationRow, scope: Scope) -> frozenset[str]:
        hint = "add it to a lexicon, or remove it here"
        self.context.check_lemmas((row.word, *row.words), hint)
        found = [word.text for word in row.words]
        for kind in row.kinds:
            declaration = scope.find(s.WordSet, kind)
            if declaration is not None:
                found.extend(value.text for value in declaration.values)
                if declaration not in self.checked:
                    self.checked.add(declaration)
                    self.context.check_lemmas(declaration.values, hint)
        if not row.words and not row.kinds:
            message = f"`{row.word}` goes with no word at all"
            hint = "list the words that it goes with, or remove the row: it then goes with any"
            self.state.error("SGL0614", row.word.span, message, hint)
        return frozenset(found)


def _lower(restrict: s.Restrict, scope: Scope, relations: _Relations) -> LoweredRestriction | None:
    relation = scope.find(s.Relation, restrict.relation)
    structure = lower_structure(restrict.graph, scope, relations.context)
    if structure is None or not _check_nodes(restrict, scope, relations.state) or relation is None:
        return None
    rows = relations.rows(relation, scope.where(relation))
    if rows is None:
        return None
    words_with: dict[frozenset[str], list[str]] = {}
    for word, partners in rows.items():
        words_with.setdefault(partners, []).append(word)
    structures = []
    for partners, words in words_with.items():
        tests = {
            restrict.first.text: NodeTest("lemma", frozenset(words)),
            restrict.second.text: NodeTest("lemma", partners, negated=True),
        }
        # Of a word on several layers the lemma is that of the first.
        own = {variable_of(v.name): v.name for v in reversed(structure.body.variables)}
        asked = {own[name]: test for name, test in tests.items()}
        variables = tuple(
            replace(v, tests=(*v.tests, asked[v.name])) if v.name in asked else v for v in structure.body.variables
        )
        structures.append(replace(structure, body=replace(structure.body, variables=variables)))
    return LoweredRestriction(restrict, tuple(structures))


def _check_nodes(restrict: s.Restrict, scope: Scope, state: CompilerState) -> bool:
    main, *_ = variables_of(restrict.graph, scope)
    first, second = restrict.first, restrict.second
    strange = [node for node in (first, second) if node.text not in main]
    for node in strange:
        hint = suggest(node.text, main, "its nodes are")
        state.error("SGL0828", node.span, f"`{node}` is no node of the structure", hint)
    if not strange and first.text == second.text:
        message = f"the relation is between two nodes, and `{first}` is one"
        state.error("SGL0828", second.span, message, "name the node of the other word")
        return False
    return not strange
