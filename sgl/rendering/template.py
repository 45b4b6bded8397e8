"""Run an author's own view, a template in a small part of Jinja2.

It can use ``nodes`` (those with attributes, in the order of their tokens), ``root`` and ``tokens``.  A node has
``lemma``, ``position``, ``edges`` (pairs of label and node) and ``get(attribute)``.  The sandbox of
``sgl.rendering.sandbox`` lets it do nothing but write.
"""

import re
from collections.abc import Callable, Sequence
from typing import ClassVar

from jinja2 import TemplateSyntaxError
from jinja2.exceptions import SecurityError

from sgl.core.graph import Graph
from sgl.rendering.meaning import ViewError
from sgl.rendering.sandbox import MISTAKES, BoundedEnvironment, line_of, said

#: The most characters of a text that a template writes or holds.
LONGEST = 20_000
#: The most rounds of loops and calls of macros for one graph.
MOST_STEPS = 20_000


class TemplateNode:
    """A node of a semantic graph as templates see it."""

    __slots__ = ("_attributes", "edges", "position")

    def __init__(self, attributes: dict[str, str], position: int) -> None:
        self._attributes = attributes
        self.position = position
        #: Pairs of label and node, in the order of roles.
        self.edges: tuple[tuple[str, TemplateNode], ...] = ()

    @property
    def lemma(self) -> str:
        """The lemma, or "" for a node without one."""
        return self._attributes.get("lemma", "")

    def get(self, attribute: str, default: str = "") -> str:
        """Return the value of an attribute, or ``default``."""
        return self._attributes.get(attribute, default)

    def __repr__(self) -> str:
        return self.lemma


class ViewEnvironment(BoundedEnvironment):
    """The sandbox of views, without multiplication, ``range``, lists, or variables that outlive their loop."""

    what, calls = "a view", "'get' of a node"
    attributes: ClassVar = {**BoundedEnvironment.attributes, TemplateNode: ("lemma", "position", "edges", "get")}
    given = frozenset({"nodes", "root", "tokens"})
    longest, most_steps = LONGEST, MOST_STEPS


#: The most characters of a template.
LONGEST_TEMPLATE = 10_000

#: A line or column separator, with the spaces around it.
_BREAKS = re.compile(r"\s*[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]\s*")


def template_view(source: str) -> Callable[[Graph, Sequence[str]], str]:
    """Turn an author's template into a view, a function of a graph and its tokens.

    White space at both ends is dropped, and a line end or tab becomes a space.  Raises ``ViewError`` if ``source`` is
    not a valid template; the view raises it if the template fails, writes more than ``LONGEST`` characters, or does not
    end within ``MOST_STEPS`` steps.
    """
    if len(source) > LONGEST_TEMPLATE:
        raise ViewError(f"the template is longer than {LONGEST_TEMPLATE} characters")
    environment = ViewEnvironment()
    try:
        template = environment.from_string(source)
    except TemplateSyntaxError as error:
        raise ViewError(f"line {error.lineno} of the template: {error.message}") from error
    except MISTAKES as error:
        raise ViewError(f"the template cannot be read: {said(error)}") from error

    def render(graph: Graph, tokens: Sequence[str]) -> str:
        shown, root = _shown(graph)
        environment.steps = 0
        context = {"nodes": shown, "root": root, "tokens": tuple(tokens)}
        pieces: list[str] = []
        length = 0
        try:
            for piece in template.generate(context):
                length += len(piece)
                if length > LONGEST:
                    raise SecurityError(f"it writes more than {LONGEST} characters")
                pieces.append(piece)
        except MISTAKES as error:
            _, line = line_of(error, ("<template>", "<unknown>"))
            raise ViewError(f"{f'line {line} of ' * (line > 0)}the template: {said(error)}") from error
        return _BREAKS.sub(" ", "".join(pieces)).strip()

    return render


def _shown(graph: Graph) -> tuple[tuple[TemplateNode, ...], TemplateNode]:
    found = {
        number: TemplateNode(dict(node.attributes), node.position)
        for number, node in enumerate(graph.nodes)
        if node.attributes
    }
    for source, label, target in graph.edges:
        if source not in found or target not in found:
            raise ViewError(f"the edge '{label}' leads from or to a word without meaning")
        found[source].edges = (*found[source].edges, (label, found[target]))
    if graph.head not in found:
        raise ViewError("the head of the graph is a word without meaning")
    return tuple(sorted(found.values(), key=lambda node: node.position)), found[graph.head]
