"""An author's own view: a template in a small part of Jinja2.

It knows ``nodes`` (those that mean something, in the order of their tokens), ``root`` and
``tokens``.  A node has ``lemma``, ``position``, ``edges`` (pairs of label and node) and
``get(attribute)``.  A template must not be able to do anything but write.  Jinja2's sandbox keeps
it from Python; against templates that never end or fill the memory the language itself is small:

* only the constructs and the filters that are listed here: there is no
  multiplication, no ``range``, no list, no variable that outlives its loop;
* every round of a loop, every call and every filter is a step, and steps are counted;
* whatever makes a text (an output, ``~``, ``+``, a macro) checks its length.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS as _JINJA
from jinja2.runtime import LoopContext, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from sgl.characters import code_of, hidden
from sgl.core.graph import Graph
from sgl.rendering.meaning import ViewError
from sgl.rendering.rule_classes import inspect, size, watched

#: Characters of a text that a template writes or holds.
LONGEST = 20_000
#: Rounds of loops and calls of macros for one graph.
MOST_STEPS = 20_000
#: Levels of brackets and blocks in a template.
DEEPEST = 40

#: The constructs of the language; tuples and loops are looked at more closely.
ALLOWED: tuple[type[nodes.Node], ...] = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.For, nodes.If, nodes.Macro),
    *(nodes.Assign, nodes.Name, nodes.Const, nodes.Getattr, nodes.Getitem, nodes.Call),
    *(nodes.Filter, nodes.Test, nodes.Compare, nodes.Operand),
    *(nodes.CondExpr, nodes.And, nodes.Or, nodes.Not, nodes.Concat, nodes.Add, nodes.Sub),
    *(nodes.Keyword, nodes.Slice, nodes.Neg),
)


_SIZED = (str, list, tuple)

#: The greatest number that a template may hold.
_GREATEST = 10**9

#: Names that a template cannot give to anything else.
_GIVEN = frozenset({"nodes", "root", "tokens"})
#: Names that a template cannot use at all.
_HIDDEN = frozenset({"step", "joined", "self", "caller", "varargs", "kwargs"})

#: What a template can ask about a loop.
_LOOP = frozenset({"index", "index0", "revindex", "revindex0", "first", "last", "length", "previtem", "nextitem"})


def _scalar(value: object) -> object:
    if isinstance(value, (str, int, float, Undefined)):
        return _bounded(value)
    raise SecurityError("a view writes texts and numbers, no lists and no nodes")


def _bounded(value: Any) -> Any:  # noqa: ANN401 - any value goes through
    if isinstance(value, int):
        if abs(value) > _GREATEST:
            raise SecurityError("it counts too far")
    elif isinstance(value, _SIZED) and size(value) > LONGEST:
        raise SecurityError(f"it makes something longer than {LONGEST}")
    return watched(value)


def _joined(values: Iterable[object], separator: str = "") -> str:
    pieces = [str(_scalar(value)) for value in values]
    if sum(map(len, pieces)) + len(pieces) * len(separator) > LONGEST:
        raise SecurityError(f"it makes something longer than {LONGEST}")
    return separator.join(pieces)


def _replaced(text: str, old: str, new: str) -> str:
    if len(text) + text.count(old) * len(new) > LONGEST:
        raise SecurityError(f"it makes something longer than {LONGEST}")
    return text.replace(old, new)


#: The filters of the language.
FILTERS: dict[str, Callable[..., Any]] = {
    name: _JINJA[name]
    for name in (
        *("default", "first", "last", "length", "list", "map", "reject", "rejectattr"),
        *("reverse", "select", "selectattr", "sort", "unique"),
        *("capitalize", "lower", "title", "trim", "upper"),
    )
} | {"join": _joined, "replace": _replaced}

#: The filters that change a text, or look for something in it.
_OF_TEXTS = frozenset({"capitalize", "lower", "title", "trim", "upper", "replace"})

_TESTS = (
    *("defined", "undefined", "none", "odd", "even", "in", "string", "number"),
    *("==", "eq", "equalto", "!=", "ne", "<", "lt", "<=", "le", ">", "gt", ">=", "ge"),
)


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
        """The lemma; empty for a node without one."""
        return self._attributes.get("lemma", "")

    def get(self, attribute: str, default: str = "") -> str:
        """Return the value of an attribute, or ``default``."""
        return self._attributes.get(attribute, default)

    def __repr__(self) -> str:
        return self.lemma


class ViewEnvironment(ImmutableSandboxedEnvironment):
    """The sandbox, with the steps that the template has taken."""

    intercepted_binops = frozenset(("+", "-"))

    def __init__(self) -> None:
        super().__init__(undefined=StrictUndefined, finalize=_scalar, autoescape=False)
        self.steps = 0
        self.globals = {"step": self.step, "joined": self.joined, "in": inspect}
        self.filters = {name: self._counted(name, function) for name, function in FILTERS.items()}
        self.tests = {name: self.tests[name] for name in _TESTS}
        self.tests["in"] = lambda value, values: inspect(value) in values

    def step(self, size: int = 0) -> str:
        """Count a step, or more for one that goes through so many things."""
        self.steps += 1 + size // 10
        if self.steps > MOST_STEPS:
            raise SecurityError(f"it does not end within {MOST_STEPS} steps")
        return ""

    def _counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a filter whose every use is a step, or more for long values."""
        looks = name in _OF_TEXTS

        @wraps(function)
        def counted(*values: Any, **named: Any) -> Any:  # noqa: ANN401 - any filter
            self.step(sum(size(value) for value in values if isinstance(value, _SIZED)))
            if looks:
                values = tuple(map(inspect, values))
                named = {key: inspect(value) for key, value in named.items()}
            return _bounded(function(*values, **named))

        return counted

    def joined(self, *values: object) -> str:
        """Return what ``~`` means."""
        return _joined(values)

    def call(self, context: Any, function: Any, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - Jinja2 decides
        """Call a macro, ``node.get``, or one of the functions that ``_Counted`` adds."""
        if function not in (self.step, self.joined, inspect):
            self.step()
            if not self.is_safe_callable(function):
                raise SecurityError("a view calls macros and 'get' of a node, nothing else")
        return _bounded(super().call(context, function, *args, **kwargs))

    def is_safe_callable(self, function: Any) -> bool:  # noqa: ANN401 - Jinja2 decides
        """Nothing can be called but what ``call`` says."""
        if isinstance(function, Macro) or function is inspect:
            return True
        owner = getattr(function, "__self__", None)
        return isinstance(owner, (TemplateNode, ViewEnvironment))

    def is_safe_attribute(self, owner: Any, attribute: str, value: Any) -> bool:  # noqa: ANN401, ARG002 - Jinja2 decides
        """No attribute of texts and other values: only those of nodes and loops."""
        if isinstance(owner, TemplateNode):
            return attribute in ("lemma", "position", "edges", "get")
        return isinstance(owner, LoopContext) and attribute in _LOOP

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401 - Jinja2 decides
        """Add or subtract, watching the size."""
        return _bounded(super().call_binop(context, operator, left, right))


def prepared(tree: nodes.Template) -> nodes.Template:
    """Return a template that counts its steps; raises ``TemplateSyntaxError``."""
    _check(tree, 0)
    _Counted().visit(tree)
    return tree


class _Counted(NodeTransformer):
    """Lets every round of a loop count, every ``~`` check its length, and every ``in`` look."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - Jinja2 decides
        self.generic_visit(node)
        call = nodes.Call(nodes.Name("step", "load"), [], [], None, None)
        call.set_lineno(node.lineno)
        node.body.insert(0, nodes.Output([call]).set_lineno(node.lineno))
        if node.test is not None:  # a round that the condition leaves out counts as well
            node.test = nodes.Or(call, node.test).set_lineno(node.lineno)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - Jinja2 decides
        self.generic_visit(node)
        name = nodes.Name("joined", "load")
        return nodes.Call(name, node.nodes, [], None, None).set_lineno(node.lineno)

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802 - Jinja2 decides
        self.generic_visit(node)
        if any(operand.op in ("in", "notin") for operand in node.ops):
            parts: list[Any] = [node, *node.ops]
            for part in parts:
                name = nodes.Name("in", "load")  # as no author can call anything
                part.expr = nodes.Call(name, [part.expr], [], None, None).set_lineno(node.lineno)
        return node


def _check(node: nodes.Node, depth: int) -> None:
    if not _allowed(node):
        kind = type(node).__name__.lower()
        raise TemplateSyntaxError(f"views have no '{kind}'", node.lineno)
    if depth > DEEPEST:
        raise TemplateSyntaxError("too many blocks and brackets inside one another", node.lineno)
    # Jinja2 writes constants into the Python that it makes, where an infinite one is a name.
    value = node.value if isinstance(node, nodes.Const) else None
    if isinstance(value, float) or (isinstance(value, int) and value > _GREATEST):
        message = f"a number in a view is whole, and at most {_GREATEST:,}"
        raise TemplateSyntaxError(message, node.lineno)
    text = node.data if isinstance(node, nodes.TemplateData) else value
    if isinstance(text, str) and (at := hidden(text)) >= 0:
        message = f"a text has a character that cannot be seen, {code_of(text[at])}"
        raise TemplateSyntaxError(message, node.lineno + text.count("\n", 0, at))
    name = node.name if isinstance(node, (nodes.Name, nodes.Macro)) else ""
    if name in _HIDDEN or (name in _GIVEN and getattr(node, "ctx", "") != "load"):
        raise TemplateSyntaxError(f"the name '{name}' is taken", node.lineno)
    for child in node.iter_child_nodes():
        _check(child, depth + 1)


def _allowed(node: nodes.Node) -> bool:
    if isinstance(node, nodes.Tuple):
        return node.ctx == "store"
    return isinstance(node, ALLOWED) and not (isinstance(node, nodes.For) and node.recursive)


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
