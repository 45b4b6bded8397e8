"""Read the ``view`` declarations: which notation renders which graph layer.

``conllu`` renders a tree; the other notations are about events and their roles, and render
a free layer::

    layer syn : graph on en
    layer sem : graph on en (free)
    view  conllu = conllu(syn)
    view  cogs   = cogs(sem)
"""

from __future__ import annotations

from collections.abc import Sequence

from sgl.compile.names import Names
from sgl.core.grammar import GraphLayer, View
from sgl.diagnostics import Diagnostics, Label, suggest
from sgl.lang import syntax as s

#: The option of a graph layer whose edges need not form a tree.
FREE = "free"

#: The kinds of views.
VIEWS = ("conllu", "cogs", "varfree", "recogs", "recogs_v1", "recogs_v2", "penman")

#: Those that a dataset can be written in, for the standalone sampler contains them.
WRITTEN = ("cogs", "varfree")

#: Those that render any tree; the others are notations of events and their roles.
_OF_TREES = ("conllu",)


def read_views(names: Names, graphs: Sequence[GraphLayer], diagnostics: Diagnostics) -> list[View]:
    """The views of graph layers; reports those of other things, and unknown kinds."""
    layers = {declaration.name.text: declaration for declaration, _ in names.of(s.Layer)}
    found: list[View] = []
    for view, _ in names.of(s.View):
        errors = diagnostics.errors
        _check_name(view, layers.get(view.name.text), diagnostics)
        _check_kind(view, diagnostics)
        for argument in view.arguments:
            if argument.text not in layers and not names.project.may_declare(
                "layer", argument.text
            ):
                diagnostics.error(
                    "SGL0201",
                    argument.span,
                    f"there is no layer `{argument}`",
                    hint=suggest(argument.text, layers),
                )
        if diagnostics.errors == errors:
            layer = _rendered(view, layers, graphs, diagnostics)
            if layer is not None:
                found.append(View(view.name.text, view.kind.text, layer))
    return found


def _check_name(view: s.View, layer: s.Layer | None, diagnostics: Diagnostics) -> None:
    """Report a view with the name of a layer: commands ask for either by its name."""
    if layer is not None:
        diagnostics.error(
            "SGL0203",
            view.name.span,
            f"`{view.name}` is a layer already",
            labels=[Label(layer.name.span, "declared here")],
            hint="give the view another name",
        )


def _check_kind(view: s.View, diagnostics: Diagnostics) -> None:
    if view.kind.text not in VIEWS:
        diagnostics.error(
            "SGL0201",
            view.kind.span,
            f"there is no kind of view `{view.kind}`",
            hint=suggest(view.kind.text, VIEWS) or f"there is: {', '.join(VIEWS)}",
        )


def _rendered(
    view: s.View,
    layers: dict[str, s.Layer],
    graphs: Sequence[GraphLayer],
    diagnostics: Diagnostics,
) -> int | None:
    """The index of the layer that a view renders; None after a report, or if it is unsound."""
    argument = view.arguments[0]
    index = next((i for i, layer in enumerate(graphs) if layer.name == argument.text), None)
    declared = layers.get(argument.text)
    is_text = declared is not None and declared.kind.text == "text"
    if index is None and not is_text and len(view.arguments) == 1:
        return None
    of_tree = view.kind.text in _OF_TREES
    fits = index is not None and graphs[index].free != of_tree
    if fits and len(view.arguments) == 1:
        return index
    wanted = "one graph layer that is a tree" if of_tree else "one graph layer that is free"
    diagnostics.error(
        "SGL0313",
        view.span,
        f"`{view.kind}` renders {wanted}",
        labels=[Label(declared.span, "declared here")] if declared is not None else (),
        hint="" if of_tree else f"declare `layer sem : graph on … ({FREE})` for it",
    )
    return None
