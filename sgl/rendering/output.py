"""What a derivation is written as: the text of a layer, or a view of a graph.

Whatever compares, translates or writes derivations asks for outputs by name and need not
know which of them are read off the words and which off a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from sgl.core.grammar import CoreGrammar, View
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, derive_graph, derive_tokens, finish
from sgl.rendering.meaning import ViewError
from sgl.rendering.template import template_view
from sgl.rendering.views import VIEWS


class Output(Protocol):
    """A named function from derivations to texts."""

    @property
    def name(self) -> str:
        """The name of the text layer or the view."""

    @property
    def layer(self) -> int | None:
        """The index of the text layer; None for a view."""

    def __call__(self, derivation: Derivation) -> str:
        """The text of a derivation."""


@dataclass(frozen=True)
class TextOutput:
    """The text of a text layer, by its index."""

    grammar: CoreGrammar
    layer: int

    @property
    def name(self) -> str:
        """The name of the layer."""
        return self.grammar.text_layers[self.layer].name

    def __call__(self, derivation: Derivation) -> str:
        """The words of the layer, joined as it declares."""
        tokens = derive_tokens(self.grammar, derivation, self.layer)
        return finish(self.grammar.text_layers[self.layer], tokens)


@dataclass(frozen=True)
class ViewOutput:
    """A view of a graph layer."""

    grammar: CoreGrammar
    view: View

    @property
    def name(self) -> str:
        """The name of the view."""
        return self.view.name

    @property
    def layer(self) -> None:
        """A view is no text layer."""
        return None

    def __call__(self, derivation: Derivation) -> str:
        """The graph of the derivation in the notation of the view.

        Where the graph has no such form, as that of a phrase may have none, the text says
        in parentheses why; no form begins so.
        """
        graph = derive_graph(self.grammar, derivation, self.view.layer)
        try:
            return self.render(graph, derive_tokens(self.grammar, derivation, self.anchor))
        except ViewError as problem:
            return f"(no form: {problem})"

    @property
    def anchor(self) -> int:
        """The index of the text layer whose words the nodes of the graph are."""
        return self.grammar.text_layer(self.grammar.graph_layers[self.view.layer].anchor)

    def render(self, graph: Graph, tokens: Sequence[str]) -> str:
        """A graph that is known already in the notation of the view.

        Raises:
            ViewError: if the graph has no such form.
        """
        if self.view.template:
            return _of_author(self.view.template)(graph, tokens)
        return VIEWS[self.view.kind].render(graph, tokens)


def written(output: Output, derivation: Derivation) -> str:
    """The text of a derivation, or, for people to read, in parentheses why it has none."""
    try:
        return output(derivation)
    except ViewError as reason:
        return f"(no form: {reason})"


@cache
def _of_author(template: str) -> Callable[[Graph, Sequence[str]], str]:
    """The view that an author's template is; raises ``ViewError`` if it is none."""
    return template_view(template)


def outputs(grammar: CoreGrammar) -> dict[str, Output]:
    """The outputs of a grammar by name: its text layers, then its views that are one line."""
    found: dict[str, Output] = {
        layer.name: TextOutput(grammar, index) for index, layer in enumerate(grammar.text_layers)
    }
    for view in grammar.views:
        if view.kind in VIEWS or view.template:
            found.setdefault(view.name, ViewOutput(grammar, view))
    return found
