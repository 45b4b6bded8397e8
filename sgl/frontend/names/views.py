"""Read the declarations of views and computed columns.

A ``view`` declaration selects the notation of a graph layer.  ``conllu`` renders a tree; the other notations are about
events and their roles, and render a free layer.  A template is an author's own notation, for either kind of layer.
"""

from collections.abc import Iterator, Mapping, Sequence

from sgl.core.derivation import RULES
from sgl.core.grammar import COLUMN, DERIVATION, GraphLayer, TextLayer, View
from sgl.diagnostics import Label, Reported, attempt, sound, there, whole
from sgl.frontend.names.parameters import Session
from sgl.frontend.names.scopes import Resolved, Scope
from sgl.lang import syntax as s
from sgl.rendering.views import VIEWS

#: The option of a graph layer whose edges need not form a tree.
FREE = "free"

#: The kind of view with an author's template file.
TEMPLATE = "template"

MAX_TEMPLATE = 100_000

_VIEWS = ("conllu", *VIEWS, TEMPLATE)

#: Views that render any tree; the others are notations of events and their roles.
_OF_TREES = ("conllu",)


def check_own_name(name: s.Name, kind: str, state: Session) -> None:
    """Report a layer or column that is called like the layer of derivations."""
    if name.text in (DERIVATION, RULES):
        message = f"`{name}` is a layer already: every grammar has its derivations"
        state.error("SGL0203", name.span, message, f"give the {kind} another name")


def read_views(graphs: Sequence[GraphLayer], state: Resolved) -> list[View]:
    """Return the declared views without mistakes."""
    layers = {declaration.name.text: declaration for declaration, _ in state.names.of(s.Layer)}
    return sound(lambda pair: _view(*pair, layers, graphs, state), state.names.of(s.ViewDecl))


def _view(
    view: s.ViewDecl, scope: Scope, layers: Mapping[str, s.Layer], graphs: Sequence[GraphLayer], state: Resolved
) -> View:
    with whole(state.diagnostics):
        _check_new(view.name, layers, "layer", state)
        if view.kind.text not in _VIEWS:
            state.report_missing("kind of view", view.kind, _VIEWS, f"there is: {', '.join(_VIEWS)}")
        for argument in view.arguments:
            if argument.text not in layers:
                state.report_missing("layer", argument, layers, keyword="layer")
    layer = attempt(_rendered, view, layers, graphs, state)
    template = _template(view, scope, state)
    return View(view.name.text, view.kind.text, there(layer), template)


def _check_new(name: s.Name, others: Mapping[str, s.NamedDeclaration], kind: str, state: Session) -> None:
    """Report a view or column that is called like something else; commands refer to all of them by name alone."""
    if name.text in others:
        labels = [Label(others[name.text].name.span, "declared here")]
        state.error("SGL0203", name.span, f"`{name}` is a {kind} already", "give it another name", labels=labels)


def read_columns(texts: Sequence[TextLayer], graphs: Sequence[GraphLayer], state: Resolved) -> Iterator[View]:
    """Yield the declared columns without mistakes, as views of all that they read."""
    layers = {declaration.name.text: declaration for declaration, _ in state.names.of(s.Layer)}
    views = {declaration.name.text: declaration for declaration, _ in state.names.of(s.ViewDecl)}
    known = [*(layer.name for layer in texts), *(layer.name for layer in graphs), DERIVATION]
    for column, scope in state.names.of(s.ColumnDecl):
        errors, reads = state.diagnostics.errors, tuple(argument.text for argument in column.arguments)
        check_own_name(column.name, "column", state)
        _check_new(column.name, layers, "layer", state)
        _check_new(column.name, views, "view", state)
        for argument in (argument for argument in column.arguments if argument.text not in known):
            if argument.text not in layers:
                state.report_missing("layer", argument, known, keyword="layer")
        if len({*reads}) < len(reads):
            message = f"the column `{column.name}` reads a layer twice"
            state.error("SGL0205", column.span, message, "name each layer once")
        text = _text_of(column, scope, state)
        if state.diagnostics.errors == errors and set(reads) <= set(known):
            yield View(column.name.text, COLUMN, len(graphs), text, reads)


def _text_of(column: s.ColumnDecl, scope: Scope, state: Session) -> str:
    """Return the template of a column, as written there or in its file; empty after a report."""
    written, path = column.template, column.path
    if (written is None) == (path is None) or (written is not None and not written.text.strip()):
        message = f"the column `{column.name}` has {'no template' if path is None else 'two templates'}"
        hint = f'write `column {column.name}(…) = "{{{{ … }}}}"`, or `from "FILE.j2"`'
        state.error("SGL0205", column.span, message, hint)
    if written is not None or path is None:
        return written.text if written is not None else ""
    source = attempt(scope.read, path, MAX_TEMPLATE)
    return source.text if source is not None else ""


def _template(view: s.ViewDecl, scope: Scope, state: Resolved) -> str:
    wanted = view.kind.text == TEMPLATE
    if wanted != (view.path is not None):
        span = view.kind.span if view.path is None else view.path.span
        what = "written in a file" if wanted else "a notation of the library"
        hint = f'write `{TEMPLATE}(…) from "FILE"`' if wanted else "leave out `from`"
        state.fail("SGL0313", span, f"`{view.kind}` is {what}", hint)
    return "" if view.path is None else scope.read(view.path, MAX_TEMPLATE).text


def _rendered(view: s.ViewDecl, layers: Mapping[str, s.Layer], graphs: Sequence[GraphLayer], state: Resolved) -> int:
    argument = view.arguments[0]
    index = next((i for i, layer in enumerate(graphs) if layer.name == argument.text), None)
    declared = layers.get(argument.text)
    is_text = declared is not None and declared.kind.text == "text"
    if index is None and not is_text and len(view.arguments) == 1:
        raise Reported
    of_tree, either = view.kind.text in _OF_TREES, view.kind.text == TEMPLATE
    if index is not None and (either or graphs[index].free != of_tree) and len(view.arguments) == 1:
        return index
    sort = "" if either else " that is a tree" if of_tree else " that is free"
    labels = [Label(declared.span, "declared here")] if declared is not None else ()
    hint = "" if of_tree or either else f"declare `layer sem : graph on … ({FREE})` for it"
    state.fail("SGL0313", view.span, f"`{view.kind}` renders one graph layer{sort}", hint, labels=labels)
