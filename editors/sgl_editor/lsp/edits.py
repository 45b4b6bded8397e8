"""Change the text: fixes of messages, renaming, formatting."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from sgl.diagnostics import Diagnostics, Span
from sgl.diagnostics.fixes import Edit, fixes_of
from sgl.lang.layout import layout
from sgl.lang.reader import read
from sgl_editor.lsp.document import Document, Grammar
from sgl_editor.lsp.names import DECLARED, LOCAL, Site, Symbol, is_library

#: The kinds of names that an author can change.
_RENAMED = {*DECLARED, *LOCAL, "value", "column", "label", "group", "port"} - {"literal"}


def _changes(grammar: Grammar, edits: Iterable[Edit]) -> types.WorkspaceEdit:
    changes: dict[str, list[types.TextEdit]] = defaultdict(list)
    for edit in dict.fromkeys(edits):
        changes[grammar.uri(edit.span.file)].append(types.TextEdit(grammar.range(edit.span), edit.text))
    return types.WorkspaceEdit(changes=dict(changes))


def actions(document: Document, params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
    """Return the fixes of the messages at a place, and commands that explain them."""
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


def _sites(grammar: Grammar, symbol: Symbol) -> Iterator[Site]:
    return (site for site in grammar.names.everywhere() if site.symbol == symbol)


def definition(document: Document, params: types.DefinitionParams) -> list[types.Location]:
    """Return where a name is declared; for a lemma, where its words are."""
    grammar, site = document.grammar, document.site(params.position)
    files = grammar.snapshot.sources.files
    if site is None:
        return []
    if site.symbol.kind == "file":
        return [grammar.location(Span(site.symbol.name, 0, 0))] if site.symbol.name in files else []
    if site.symbol.kind == "lemma":
        origins = (rule.origin for rule in grammar.words(site.symbol.name))
        starts = {(at.file, files[at.file].line_starts[at.line - 1]) for at in origins if at is not None}
        return [grammar.location(Span(file, start, start)) for file, start in sorted(starts)]
    places = [grammar.location(one.span) for one in _sites(grammar, site.symbol) if one.declares]
    return places[:1] if site.symbol.kind == "column" else places


def references(document: Document, params: types.ReferenceParams) -> list[types.Location]:
    """Return all places of a name."""
    site, all_ = document.site(params.position), params.context.include_declaration
    found = _sites(document.grammar, site.symbol) if site is not None else ()
    return [document.grammar.location(one.span) for one in found if all_ or not one.declares]


def highlights(document: Document, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    """Return the places of a name in this file."""
    site, names = document.site(params.position), document.grammar.names.of(document.source.name)
    same = (one.span for one in names if site is not None and one.symbol == site.symbol)
    return [types.DocumentHighlight(document.grammar.range(span)) for span in same]


def prepare(
    document: Document, params: types.PrepareRenameParams | types.RenameParams
) -> types.PrepareRenamePlaceholder:
    """Return the name at a position that can be changed; raises ``JsonRpcException`` if there is none."""
    site = document.site(params.position)
    if site is None or site.symbol.kind not in _RENAMED:
        raise _refused("there is no name here that can be changed")
    if is_library(site.symbol.home) or (site.symbol.kind in DECLARED and not site.symbol.home):
        raise _refused(f"`{site.symbol.name}` is not declared in a file of this grammar")
    return types.PrepareRenamePlaceholder(document.grammar.range(site.span), site.symbol.name)


def _refused(why: str) -> JsonRpcException:
    return JsonRpcException(why, types.LSPErrorCodes.RequestFailed)


def rename(document: Document, params: types.RenameParams) -> types.WorkspaceEdit:
    """Return the edits that rename a thing in all files and tables."""
    prepare(document, params)
    site, new = document.site(params.position), params.new_name
    assert site is not None
    symbol = site.symbol
    sites = [one for one in document.grammar.names.everywhere() if not is_library(one.span.file)]
    letter = "" if symbol.kind in ("value", "column") else "capital" if symbol.name[:1].isupper() else "small"
    form = {"": r"\w+", "capital": r"[A-Z]\w*", "small": r"(?![A-Z])[^\W\d][\w]*"}[letter]
    if not re.fullmatch(form + r"(?::\w+)*" * (symbol.kind == "label"), new):
        begins = f", and begins with a {letter} letter" if letter else ""
        raise _refused(f"`{new}` is not a name here: a name consists of letters, digits and `_`{begins}")
    if any(one.symbol == symbol._replace(name=new) for one in sites):
        raise _refused(f"there is a {symbol.kind.replace('_', ' ')} `{new}` already")
    return _changes(document.grammar, (Edit(one.span, new) for one in sites if one.symbol == symbol))


def formatting(document: Document, _: object) -> list[types.TextEdit]:
    """Return the edits that format a file, line by line, or none if it cannot be read."""
    told, source = Diagnostics(), document.source
    read(source, told)
    if told.errors or not document.declarations:
        return []
    before, after = source.text.splitlines(keepends=True), layout(source.text).splitlines(keepends=True)
    starts = (*source.line_starts, len(source.text))
    return [
        types.TextEdit(document.range(starts[first], starts[last]), "".join(after[start:end]))
        for how, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if how != "equal"
    ]
