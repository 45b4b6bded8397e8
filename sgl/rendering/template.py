"""Run an author's own view or column, a template in a part of Jinja2.

A view can use ``nodes`` (those with attributes, in the order of their tokens), ``root`` and ``tokens``.  A column can
use the layers that it reads, by name: a text layer is its text, a graph layer has ``nodes`` and ``root``.  A node has
``lemma``, ``position``, ``edges`` (pairs of label and node) and ``get(attribute)``.  The sandbox of
``sgl.rendering.sandbox`` lets a template do nothing but calculate and write.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from jinja2 import TemplateSyntaxError
from jinja2.exceptions import SecurityError

from sgl.core.graph import Graph
from sgl.rendering.meaning import TEMPLATES, ViewError
from sgl.rendering.sandbox import MISTAKES, ComputingEnvironment, line_of, said

#: The most characters of a text that a template writes or holds.
LONGEST = 20_000
#: The most rounds of loops and calls of macros for one graph.
MOST_STEPS = 20_000


#: The layer of derivations, as in ``sgl.core.grammar``.
DERIVATION = "derivation"


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


class TemplateGraph(NamedTuple):
    """A graph as templates see it: its nodes with attributes, in the order of their tokens, and the head."""

    nodes: tuple[TemplateNode, ...]
    root: TemplateNode


class ViewEnvironment(ComputingEnvironment):
    """The sandbox of views and columns; ``given`` are the names that a template finds."""

    what = "a view"
    attributes: ClassVar = {
        **ComputingEnvironment.attributes,
        TemplateNode: ("lemma", "position", "edges", "get"),
        TemplateGraph: ("nodes", "root"),
    }
    longest, most_steps = LONGEST, MOST_STEPS

    def __init__(self, given: Collection[str]) -> None:
        super().__init__()
        self.given = frozenset(given)


#: The most characters of a template.
LONGEST_TEMPLATE = 10_000

#: A line or column separator, with the spaces around it; the search begins once in a run of spaces.
_BREAKS = re.compile(r"(?<!\s)\s*[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]\s*")


def template_view(source: str) -> Callable[[Graph, Sequence[str]], str]:
    """Turn an author's template into a view, a function of a graph and its tokens.

    White space at both ends is dropped, and a line end or tab becomes a space.  Raises ``ViewError`` if ``source`` is
    not a valid template; the view raises it if the template fails, writes more than ``LONGEST`` characters, or does not
    end within ``MOST_STEPS`` steps.
    """
    write = _writer(source, ("nodes", "root", "tokens"))

    def render(graph: Graph, tokens: Sequence[str]) -> str:
        return write({**_seen(graph)._asdict(), "tokens": tuple(tokens)})

    return render


def column_of(source: str, reads: Sequence[str]) -> Callable[[Mapping[str, Graph | str]], str]:
    """Turn an author's template into a column, a function of the layers that it ``reads``; raises like a view."""
    write = _writer(source, reads)

    def render(given: Mapping[str, Graph | str]) -> str:
        return write({name: own if isinstance(own, str) else _seen(own, name) for name, own in given.items()})

    return render


def _writer(source: str, given: Collection[str]) -> Callable[[dict[str, Any]], str]:
    if len(source) > LONGEST_TEMPLATE:
        raise ViewError(f"the template is longer than {LONGEST_TEMPLATE} characters")
    environment = ViewEnvironment(given)
    try:
        template = environment.from_string(source)
    except TemplateSyntaxError as error:
        raise ViewError(f"line {error.lineno} of the template: {error.message}") from error
    except MISTAKES as error:
        raise ViewError(f"the template cannot be read: {said(error)}") from error

    def write(context: dict[str, Any]) -> str:
        environment.steps = 0
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

    return write


def _seen(graph: Graph, name: str = "") -> TemplateGraph:
    """Return a graph for templates; the edges of a derivation are in the order of the children."""
    found = {
        number: TemplateNode(dict(node.attributes), node.position)
        for number, node in enumerate(graph.nodes)
        if node.attributes
    }
    edges = sorted(graph.edges, key=lambda edge: edge[2]) if name == DERIVATION else graph.edges
    for source, label, target in edges:
        if source not in found or target not in found:
            raise ViewError(f"the edge '{label}' leads from or to a word without meaning")
        found[source].edges = (*found[source].edges, (label, found[target]))
    if graph.head not in found:
        raise ViewError("the head of the graph is a word without meaning")
    return TemplateGraph(tuple(sorted(found.values(), key=lambda node: node.position)), found[graph.head])


TEMPLATES.update(template=template_view, column=column_of)
