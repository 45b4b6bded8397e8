"""An author's own view: a template in a small part of Jinja2.

It knows ``nodes`` (those that mean something, in the order of their tokens), ``root`` and
``tokens``.  A node has ``lemma``, ``position``, ``edges`` (pairs of label and node) and
``get(attribute)``.  A template must not be able to do anything but write.  Jinja2's sandbox keeps
it from Python; against templates that never end or fill the memory the language itself is small:

* only the constructs and the filters that ``template_language`` lists: there is no
  multiplication, no ``range``, no list, no variable that outlives its loop;
* every round of a loop, every call and every filter is a step, and steps are counted;
* whatever makes a text (an output, ``~``, ``+``, a macro) checks its length.
"""

import re
from collections.abc import Callable, Sequence

from jinja2 import TemplateError, TemplateSyntaxError
from jinja2.exceptions import SecurityError

from sgl.core.graph import Graph
from sgl.rendering.meaning import ViewError
from sgl.rendering.placeholders import watched
from sgl.rendering.template_language import LONGEST, TemplateNode, ViewEnvironment, prepared

#: Characters of a template.
LONGEST_TEMPLATE = 10_000

#: What ends a line or a column, with the spaces around it.
_BREAKS = re.compile(r"\s*[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]\s*")

#: How Jinja2 calls what has no such attribute, and what an author calls it.
_OWNERS = re.compile(r"'(?:[\w.]*\.)?(\w+) object'")
_CALLED = {"TemplateNode": "a node", "LoopContext": "a loop", "str": "a text", "int": "a number"}

#: What an author's mistake can raise while a template runs.
_MISTAKES = (TemplateError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def template_view(source: str) -> Callable[[Graph, Sequence[str]], str]:
    """Make a view of an author's template; the view takes a graph and its tokens.

    White space at both ends is dropped, a line end or a tab is a space.  Raises ``ViewError`` if
    ``source`` is no such template; the view raises it if the template fails, writes more than
    ``LONGEST`` characters, or does not end within ``MOST_STEPS`` steps.
    """
    if len(source) > LONGEST_TEMPLATE:
        raise ViewError(f"the template is longer than {LONGEST_TEMPLATE} characters")
    environment = ViewEnvironment()
    try:
        template = environment.from_string(prepared(environment.parse(source)))
    except TemplateSyntaxError as error:
        raise ViewError(f"line {error.lineno} of the template: {error.message}") from error
    except (TemplateError, RecursionError, SyntaxError, ValueError) as error:
        raise ViewError(f"the template cannot be read: {_said(error)}") from error

    def render(graph: Graph, tokens: Sequence[str]) -> str:
        shown, root = _shown(graph)
        environment.steps = 0
        context = {"nodes": shown, "root": root, "tokens": tuple(map(watched, tokens))}
        pieces: list[str] = []
        length = 0
        try:
            for piece in template.generate(context):
                length += len(piece)
                if length > LONGEST:
                    raise SecurityError(f"it writes more than {LONGEST} characters")
                pieces.append(piece)
        except _MISTAKES as error:
            raise ViewError(f"{_line(error)}: {_said(error)}") from error
        return _BREAKS.sub(" ", "".join(pieces)).strip()

    return render


def _shown(graph: Graph) -> tuple[tuple[TemplateNode, ...], TemplateNode]:
    found = {
        number: TemplateNode({name: watched(value) for name, value in node.attributes}, node.position)
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


def _said(error: BaseException) -> str:
    match error:
        case TemplateError():
            return _OWNERS.sub(lambda owner: _CALLED.get(owner[1], "a list"), str(error))
        case RecursionError():
            return "something stands too deep in itself"
        case TypeError() if not str(error).startswith("macro "):
            return "a filter, a macro or an operator is given what it does not take"
        case ValueError() | LookupError() | ArithmeticError() | AttributeError():
            return "there is no such value, or it is too large"
    return str(error)


def _line(error: BaseException) -> str:
    line = 0
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in ("<template>", "<unknown>"):
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"line {line} of the template" if line else "the template"
