"""Read the ``view`` declarations: which notation renders which graph layer.

``conllu`` renders a tree; the other notations are about events and their roles, and render
a free layer::

    layer syn : graph on en
    layer sem : graph on en (free)
    view  conllu = conllu(syn)
    view  cogs   = cogs(sem)
    view  roles  = template(sem) from "roles.j2"

A template is an author's own notation, of a layer of either sort.
"""

from __future__ import annotations

from collections.abc import Sequence

from sgl.core.grammar import GraphLayer, View
from sgl.diagnostics import Label
from sgl.frontend.names import Scope
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s
from sgl.rendering.views import VIEWS

#: The option of a graph layer whose edges need not form a tree.
FREE = "free"

#: The kind of view that an author writes, in a file of its own.
TEMPLATE = "template"

#: The largest template, in bytes.
MAX_TEMPLATE = 100_000

#: The kinds of views.
KINDS = ("conllu", *VIEWS, TEMPLATE)

#: Those that a dataset can be written in, for the standalone sampler contains them.
WRITTEN = tuple(name for name, view in VIEWS.items() if view.target)

#: Those that render any tree; the others are notations of events and their roles.
_OF_TREES = ("conllu",)


def read_views(graphs: Sequence[GraphLayer], state: CompilerState) -> list[View]:
    """Return the views of graph layers; report those of other things, and unknown kinds."""
    layers = {declaration.name.text: declaration for declaration, _ in state.names.of(s.Layer)}
    found: list[View] = []
    for view, scope in state.names.of(s.ViewDecl):
        errors, namesake = state.diagnostics.errors, layers.get(view.name.text)
        if namesake is not None:
            # Commands ask for either by its name.
            message = f"`{view.name}` is a layer already"
            labels = [Label(namesake.name.span, "declared here")]
            hint = "give the view another name"
            state.error("SGL0203", view.name.span, message, hint, labels=labels)
        if view.kind.text not in KINDS:
            hint = f"there is: {', '.join(KINDS)}"
            state.report_missing("kind of view", view.kind, KINDS, hint)
        for argument in view.arguments:
            unread = state.project.may_declare("layer", argument.text)
            if argument.text not in layers and not unread:
                state.report_missing("layer", argument, layers)
        if state.diagnostics.errors == errors:
            layer = _rendered(view, layers, graphs, state)
            template = _template(view, scope, state)
            if layer is not None and template is not None:
                found.append(View(view.name.text, view.kind.text, layer, template))
    return found


def _template(view: s.ViewDecl, scope: Scope, state: CompilerState) -> str | None:
    """Return the template of a view, empty for one of the library; None after a report."""
    wanted = view.kind.text == TEMPLATE
    if wanted != (view.path is not None):
        span = view.kind.span if view.path is None else view.path.span
        what = "written in a file" if wanted else "a notation of the library"
        hint = f'write `{TEMPLATE}(…) from "FILE"`' if wanted else "leave out `from`"
        state.error("SGL0313", span, f"`{view.kind}` is {what}", hint)
        return None
    if view.path is None:
        return ""
    source = scope.read(view.path, MAX_TEMPLATE)
    return source.text if source is not None else None


def _rendered(
    view: s.ViewDecl, layers: dict[str, s.Layer], graphs: Sequence[GraphLayer], state: CompilerState
) -> int | None:
    """Return the index of the layer that a view renders; None after a report."""
    argument = view.arguments[0]
    index = next((i for i, layer in enumerate(graphs) if layer.name == argument.text), None)
    declared = layers.get(argument.text)
    is_text = declared is not None and declared.kind.text == "text"
    if index is None and not is_text and len(view.arguments) == 1:
        return None
    of_tree, either = view.kind.text in _OF_TREES, view.kind.text == TEMPLATE
    fits = index is not None and (either or graphs[index].free != of_tree)
    if fits and len(view.arguments) == 1:
        return index
    sort = "" if either else " that is a tree" if of_tree else " that is free"
    labels = [Label(declared.span, "declared here")] if declared is not None else ()
    hint = "" if of_tree or either else f"declare `layer sem : graph on … ({FREE})` for it"
    message = f"`{view.kind}` renders one graph layer{sort}"
    state.error("SGL0313", view.span, message, hint, labels=labels)
    return None
