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
from sgl.frontend.parameters import report_missing
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
        errors = state.diagnostics.errors
        _check_name(view, layers.get(view.name.text), state)
        if view.kind.text not in KINDS:
            hint = f"there is: {', '.join(KINDS)}"
            report_missing("kind of view", view.kind, KINDS, state.diagnostics, hint)
        for argument in view.arguments:
            if argument.text not in layers and not state.names.project.may_declare(
                "layer", argument.text
            ):
                report_missing("layer", argument, layers, state.diagnostics)
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
        state.error(
            "SGL0313",
            view.kind.span if view.path is None else view.path.span,
            f"`{view.kind}` is {'written in a file' if wanted else 'a notation of the library'}",
            f'write `{TEMPLATE}(…) from "FILE"`' if wanted else "leave out `from`",
        )
        return None
    if view.path is None:
        return ""
    source = scope.read(view.path, MAX_TEMPLATE)
    return source.text if source is not None else None


def _check_name(view: s.ViewDecl, layer: s.Layer | None, state: CompilerState) -> None:
    """Report a view with the name of a layer: commands ask for either by its name."""
    if layer is not None:
        state.error(
            "SGL0203",
            view.name.span,
            f"`{view.name}` is a layer already",
            "give the view another name",
            labels=[Label(layer.name.span, "declared here")],
        )


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
    of_tree = view.kind.text in _OF_TREES
    either = view.kind.text == TEMPLATE
    fits = index is not None and (either or graphs[index].free != of_tree)
    if fits and len(view.arguments) == 1:
        return index
    sort = "" if either else " that is a tree" if of_tree else " that is free"
    wanted = f"one graph layer{sort}"
    state.error(
        "SGL0313",
        view.span,
        f"`{view.kind}` renders {wanted}",
        "" if of_tree or either else f"declare `layer sem : graph on … ({FREE})` for it",
        labels=[Label(declared.span, "declared here")] if declared is not None else (),
    )
    return None
