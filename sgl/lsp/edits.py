"""What changes the text, and what is offered above declarations: fixes of messages, the one style, commands."""

from collections import defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher

from lsprotocol import types

from sgl.diagnostics import Diagnostics
from sgl.diagnostics.fixes import Edit, fixes_of
from sgl.lang import syntax as s
from sgl.lang.layout import layout
from sgl.lang.reader import read
from sgl.lsp.document import Document, Grammar

#: Commands above declarations: what they say, and their names.
_LENSES: dict[type[s.SyntaxNode], dict[str, str]] = {
    s.CategoryDecl: {"5 samples": "sgl.samples"},
    s.PartDecl: {"5 samples": "sgl.samples"},
    s.PatternDecl: {
        "5 samples": "sgl.samples",
        "counterexample": "sgl.counterexample",
        "train beside gen": "sgl.beside",
    },
    s.Dataset: {"prove": "sgl.prove", "compile": "sgl.compile"},
}


def _changes(grammar: Grammar, edits: Iterable[Edit]) -> types.WorkspaceEdit:
    changes: dict[str, list[types.TextEdit]] = defaultdict(list)
    for edit in dict.fromkeys(edits):
        changes[grammar.uri(edit.span.file)].append(types.TextEdit(grammar.range(edit.span), edit.text))
    return types.WorkspaceEdit(changes=dict(changes))


def actions(document: Document, params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
    """Return the fixes of the messages at a place, and their explanations."""
    first, last = document.offset(params.range.start), document.offset(params.range.end)
    grammar, found = document.grammar, list[types.CodeAction | types.Command]()
    for one in grammar.diagnostics:
        if one.span is None or one.span.file != document.source.name or one.span.end < first or one.span.start > last:
            continue
        for title, edit in fixes_of(one, document.source):
            changes = _changes(grammar, [edit])
            action = types.CodeAction(title, types.CodeActionKind.QuickFix, [grammar.shown(one)], edit=changes)
            action.is_preferred = title == one.hint
            found.append(action)
        found.append(types.Command(f"Explain {one.code}", "sgl.explain", None, [params.text_document.uri, one.code]))
    return found


def formatting(document: Document, _: object) -> list[types.TextEdit]:
    """Return what lays a file out, as changes of lines; nothing if it cannot be read."""
    told, source = Diagnostics(), document.source
    read(source, told)
    if told.errors or not document.source.name.endswith(".sgl"):
        return []
    before, after = source.text.splitlines(keepends=True), layout(source.text).splitlines(keepends=True)
    starts = (*source.line_starts, len(source.text))
    return [
        types.TextEdit(document.range(starts[first], starts[last]), "".join(after[start:end]))
        for how, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if how != "equal"
    ]


def lenses(document: Document, _: object) -> list[types.CodeLens]:
    """Return the commands that are offered above declarations."""
    project, found = document.grammar.snapshot.project, []
    for one in project.declarations(s.SyntaxNode) if project is not None else ():
        for title, command in _LENSES.get(type(one), {}).items() if one.span.file == document.source.name else ():
            name = str(one.name) if isinstance(one, s.NamedDeclaration) else ""
            asked = types.Command(title, command, None, [document.grammar.uri(document.source.name), name])
            found.append(types.CodeLens(document.grammar.range(one.span), asked))
    return found
