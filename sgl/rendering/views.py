"""The views of the library by name.

A view writes a semantic graph as one line of text.  It is a pure function of the graph,
which holds the positions of its nodes, and of the tokens of the sentence::

    VIEWS["cogs"].render(graph, tokens)

An author's own view is a template; see ``template_view``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sgl.core.graph import Graph
from sgl.rendering.cogs import cogs
from sgl.rendering.meaning import ViewError
from sgl.rendering.penman import penman
from sgl.rendering.recogs import recogs, recogs_v1, recogs_v2
from sgl.rendering.template import template_view
from sgl.rendering.varfree import varfree

__all__ = ["VIEWS", "View", "ViewError", "template_view"]


@dataclass(frozen=True, slots=True)
class View:
    """A view: its name, a sentence about it, and the function.

    ``render`` takes a graph and the tokens of its sentence; it raises ``ViewError`` if
    the graph has no such form.
    """

    name: str
    description: str
    render: Callable[[Graph, Sequence[str]], str]


def _view(name: str, description: str, function: Callable[[Graph], str]) -> View:
    return View(name, description, lambda graph, _tokens: function(graph))


_ALL = (
    _view("cogs", "the logical form of COGS: atoms over variables named by positions", cogs),
    _view("varfree", "the variable-free form: the graph unfolded into a term", varfree),
    _view("recogs", "the ReCOGS form with positions as variables", recogs),
    _view("recogs_v1", "the ReCOGS form, version 1: random variables, modifiers first", recogs_v1),
    _view("recogs_v2", "the ReCOGS form, version 2: random variables", recogs_v2),
    _view("penman", "Penman notation with variables and re-entrancies", penman),
)

#: The views of the library, in the order in which they are listed.
VIEWS: Mapping[str, View] = MappingProxyType({view.name: view for view in _ALL})
