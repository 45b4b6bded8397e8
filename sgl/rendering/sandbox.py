"""Run authors' templates in a sandbox: a small part of Jinja2 that ends, whatever a template says.

Jinja2's sandbox keeps a template from Python; to stop templates that never end or that fill the memory, the language
itself is small:

* only the listed constructs and filters exist;
* every round of a loop, every call and every filter is a step, or several if it makes or examines something long, and
  steps are limited;
* everything that makes a text or a list (an output, ``~``, ``+``, a macro) checks its length.

Authors' views have the language below; grammars that are templates have more (``sgl.research.exchange``).
"""

import re
from collections.abc import Callable, Collection, Container, Iterable
from functools import partial, wraps
from typing import Any, ClassVar

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS as _JINJA
from jinja2.runtime import LoopContext, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment, safe_range
from jinja2.utils import Namespace
from jinja2.visitor import NodeTransformer

from sgl.characters import code_of, hidden

#: The deepest nesting of brackets and blocks in a template.
DEEPEST_BLOCKS = 40

#: The constructs of the language; tuples and loops have further checks.
ALLOWED: tuple[type[nodes.Node], ...] = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.For, nodes.If, nodes.Macro),
    *(nodes.Assign, nodes.Name, nodes.Const, nodes.Getattr, nodes.Getitem, nodes.Call),
    *(nodes.Filter, nodes.Test, nodes.Compare, nodes.Operand),
    *(nodes.CondExpr, nodes.And, nodes.Or, nodes.Not, nodes.Concat, nodes.Add, nodes.Sub),
    *(nodes.Keyword, nodes.Slice, nodes.Neg),
)


_SIZED = (str, list, tuple, dict, range)

#: The letters or members that cost one step.
_SHORT = 10

#: The highest number that a template may use.
_GREATEST = 10**9

#: Names that a template cannot use at all.
HIDDEN = frozenset({"step", "joined", "held", "cut", "self", "caller", "varargs", "kwargs"})

#: The attributes of a loop that a template can read.
_LOOP = frozenset({"index", "index0", "revindex", "revindex0", "first", "last", "length", "previtem", "nextitem"})


def extent(value: Any, most: int) -> int:  # noqa: ANN401 - any value of a template
    """Return the number of letters and members in a value and everything in it, counting only up to ``most``."""
    found, pending = 0, [value]
    while pending and found <= most:
        part = pending.pop()
        found += len(part) if isinstance(part, _SIZED) else 1
        if isinstance(part, dict):
            pending += part.items()
        elif isinstance(part, (list, tuple)):
            pending += part
    return found


#: The filters of the language.
FILTERS: dict[str, Callable[..., Any]] = {
    name: _JINJA[name]
    for name in (
        *("default", "first", "last", "length", "list", "map", "reject", "rejectattr"),
        *("reverse", "select", "selectattr", "sort", "unique"),
        *("capitalize", "lower", "title", "trim", "upper"),
    )
}

#: The filters that make a text of their value.
_OF_TEXTS = frozenset({"capitalize", "lower", "string", "title", "trim", "upper"})

#: The filters that do not go through their values.
_QUICK = frozenset({"count", "d", "default", "first", "last", "length"})

_TESTS = (
    *("defined", "undefined", "none", "odd", "even", "in", "string", "number"),
    *("==", "eq", "equalto", "!=", "ne", "<", "lt", "<=", "le", ">", "gt", ">=", "ge"),
)


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """The sandbox, with the number of steps that the template has taken."""

    intercepted_binops = frozenset(("+", "-"))

    #: The nouns for the template, and for what it can call, in messages.
    what, calls = "a template", "nothing else"
    #: Its constructs, filters and types of numbers, and the attributes of values by type.
    constructs, known_filters = ALLOWED, FILTERS
    numbers: tuple[type, ...] = (int,)
    attributes: ClassVar[dict[type, Collection[str]]] = {LoopContext: _LOOP}
    #: The names that a template cannot use, or cannot give to anything else.
    hidden, given = HIDDEN, frozenset[str]()
    #: The most letters that it may write, and the most steps that it may take.
    longest, most_steps = 0, 0

    def __init__(self) -> None:
        super().__init__(undefined=StrictUndefined, finalize=self.scalar, autoescape=False)
        self.steps = 0
        self.globals = {name: getattr(self, name) for name in ("step", "joined", "held", "cut")}
        filters: dict[str, Any] = {**self.known_filters, "join": self.joined, "replace": self._replaced}
        self.filters = {name: self._counted(name, function) for name, function in filters.items()}
        tests: dict[str, Any] = {**self.tests}
        self.tests = {name: self._counted(name, tests[name]) for name in _TESTS}

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Return a template that counts its steps; raises ``TemplateSyntaxError``."""
        tree = super()._parse(source, name, filename)
        self._check(tree, 0)
        _Counted().visit(tree)
        return tree

    def step(self, size: int = 0) -> str:
        """Count a step, or several for one that goes through ``size`` things."""
        self.steps += 1 + size // _SHORT
        if self.steps > self.most_steps:
            raise SecurityError(f"it does not end within {self.most_steps} steps")
        return ""

    def held(self, value: Any) -> Any:  # noqa: ANN401 - any value goes through
        """Return a value after checking its size."""
        if isinstance(value, (int, float)):
            if abs(value) > _GREATEST:
                raise SecurityError("it counts too far")
        elif isinstance(value, _SIZED):
            length = extent(value, self.longest)
            self._fits(length)
            if length >= _SHORT:
                self.step(length)
        return value

    def cut(self, value: Any, *bounds: Any) -> Any:  # noqa: ANN401 - any value of a template
        """Return ``value[a:b]``, which in Jinja2's own code would warn if the value is not a text or a list."""
        return self.held(value[slice(*bounds)])

    def scalar(self, value: object) -> object:
        """Return a value that can be written; raises ``SecurityError`` for any other."""
        if isinstance(value, (str, int, float, Undefined)):
            return self.held(value)
        raise SecurityError(f"{self.what} writes texts and numbers, not lists or nodes")

    def joined(self, values: Iterable[object], separator: str = "") -> str:
        """Return the result of ``~`` or ``join``."""
        pieces = [str(self.scalar(value)) for value in values]
        self._fits(sum(map(len, pieces)) + len(pieces) * len(separator))
        return separator.join(pieces)

    def _replaced(self, text: str, old: str, new: str) -> str:
        self._fits(len(text) + text.count(old) * len(new))
        return text.replace(old, new)

    def _fits(self, length: int) -> None:
        if length > self.longest:
            raise SecurityError(f"it makes something longer than {self.longest}")

    def _counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a filter each use of which counts as a step, or several for long values."""
        quick, as_text = name in _QUICK, name in _OF_TEXTS

        @wraps(function)
        def counted(*values: Any, **named: Any) -> Any:  # noqa: ANN401 - any filter
            if as_text:
                # What is no text would be written out by Python, nested variables without end.
                self.scalar(values[0])
            self.step(0 if quick else sum(extent(value, self.longest) for value in values))
            return self.held(function(*values, **named))

        return counted

    def call(self, context: Any, function: Any, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - Jinja2 decides
        """Call a macro, ``node.get``, or a function that ``_Counted`` adds."""
        if getattr(function, "__self__", None) is not self:
            self.step()
            if not self.is_safe_callable(function):
                raise SecurityError(f"{self.what} calls macros and {self.calls}, nothing else")
        return self.held(super().call(context, function, *args, **kwargs))

    def is_safe_callable(self, function: Any) -> bool:  # noqa: ANN401 - Jinja2 decides
        """Return whether a function is a macro, the sandbox's own, or an attribute listed in ``attributes``."""
        owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
        return isinstance(function, Macro) or owner is self or self.is_safe_attribute(owner, name, function)

    def is_safe_attribute(self, owner: Any, attribute: str, value: Any) -> bool:  # noqa: ANN401, ARG002 - Jinja2 decides
        """Return whether ``attributes`` lists the attribute for this type of value."""
        return attribute in self.attributes.get(type(owner), ())

    def getitem(self, obj: Any, argument: Any) -> Any:  # noqa: ANN401 - Jinja2 decides
        """Return a member or a slice."""
        return self.held(super().getitem(obj, argument))

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401 - Jinja2 decides
        """Calculate, checking the size of the result."""
        return self.held(super().call_binop(context, operator, left, right))

    def _check(self, node: nodes.Node, depth: int) -> None:
        allowed = isinstance(node, self.constructs) and not (isinstance(node, nodes.For) and node.recursive)
        if not (allowed or (isinstance(node, nodes.Tuple) and node.ctx == "store")):
            kind = type(node).__name__.lower()
            raise TemplateSyntaxError(f"{self.what} has no '{kind}'", node.lineno)
        if depth > DEEPEST_BLOCKS:
            raise TemplateSyntaxError("too many blocks and brackets inside one another", node.lineno)
        value = node.value if isinstance(node, nodes.Const) else None
        # Jinja2 writes constants into the Python that it generates, where infinity would be a name.
        if isinstance(value, (int, float)) and not (isinstance(value, self.numbers) and abs(value) <= _GREATEST):
            message = f"a number in {self.what} is {'whole, and ' * (len(self.numbers) == 1)}at most {_GREATEST:,}"
            raise TemplateSyntaxError(message, node.lineno)
        text = node.data if isinstance(node, nodes.TemplateData) else value
        if isinstance(text, str) and (at := hidden(text)) >= 0:
            message = f"a text contains an invisible character, {code_of(text[at])}"
            raise TemplateSyntaxError(message, node.lineno + text.count("\n", 0, at))
        taken = self.hidden if getattr(node, "ctx", "") == "load" else self.hidden | self.given
        aliases = (name if isinstance(name, str) else name[1] for name in getattr(node, "names", ()))
        for name in taken.intersection([getattr(node, "name", ""), getattr(node, "target", ""), *aliases]):
            raise TemplateSyntaxError(f"the name '{name}' is taken", node.lineno)
        for child in node.iter_child_nodes():
            self._check(child, depth + 1)


#: The constructs with which a template calculates.
COMPUTING: tuple[type[nodes.Node], ...] = (
    *ALLOWED,
    *(nodes.Tuple, nodes.List, nodes.Dict, nodes.Pair, nodes.Mul, nodes.FloorDiv, nodes.Mod),
    *(nodes.Pos, nodes.NSRef),
)

#: The methods of values that a template can call.
METHODS: dict[type, Collection[str]] = {
    str: (
        *("capitalize", "endswith", "join", "lower", "lstrip", "replace"),
        *("rstrip", "split", "startswith", "strip", "title", "upper"),
    ),
    list: ("count", "index"),
    dict: ("get", "items", "keys", "values"),
}


class ComputingEnvironment(BoundedEnvironment):
    """The sandbox with whole numbers, lists and tables of values, and variables that outlive a loop (``namespace``)."""

    intercepted_binops = frozenset(("+", "-", "*", "//", "%"))

    calls = "methods like 'split'"
    constructs: tuple[type[nodes.Node], ...] = COMPUTING
    attributes: ClassVar = {**BoundedEnvironment.attributes, **METHODS}
    known_filters = {  # noqa: RUF012 - as in the class above
        **FILTERS,
        **{name: _JINJA[name] for name in ("abs", "count", "d", "dictsort", "int", "items", "max", "min", "string")},
        "sum": partial(sum, start=0),
    }
    #: The functions of the language.
    functions: tuple[Callable[..., Any], ...] = (safe_range, Namespace)

    def __init__(self) -> None:
        super().__init__()
        self.globals |= {"range": safe_range, "namespace": Namespace}

    def call(self, context: Any, function: Any, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - Jinja2 decides
        """Call a method of a value as well, whose size counts."""
        owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
        if type(owner) is str and name in ("join", "replace"):
            return self.filters[name](*args, owner) if name == "join" else self.filters[name](owner, *args)
        self.held(owner if isinstance(owner, (str, list)) else None)  # it examines all of it
        return super().call(context, function, *args, **kwargs)

    def is_safe_callable(self, function: Any) -> bool:  # noqa: ANN401 - Jinja2 decides
        """Return whether a function is one of ``functions``, or the sandbox lets it be called."""
        return function in self.functions or super().is_safe_callable(function)

    def is_safe_attribute(self, owner: Any, attribute: str, value: Any) -> bool:  # noqa: ANN401 - Jinja2 decides
        """Return whether an attribute is a template's own variable, or listed."""
        own = isinstance(owner, Namespace) and not attribute.startswith("_")
        return own or super().is_safe_attribute(owner, attribute, value)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401 - Jinja2 decides
        """Calculate with numbers; ``+`` joins texts and lists as well."""
        if operator != "+" and not (isinstance(left, (int, float)) and isinstance(right, (int, float))):
            raise SecurityError(f"'{operator}' is for numbers")
        return super().call_binop(context, operator, left, right)


class _Counted(NodeTransformer):
    """Make every loop round and macro count, and every ``~``, list and comparison check its length."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - Jinja2 decides
        call = self._begun(node)
        if node.test is not None:  # a round that the condition skips counts as well
            node.test = nodes.Or(call, node.test).set_lineno(node.lineno)
        return node

    def visit_Template(self, node: nodes.Template) -> nodes.Node:  # noqa: N802 - Jinja2 decides
        self._begun(node)
        return node

    visit_Macro = visit_CallBlock = visit_Template  # noqa: N815 - Jinja2 decides

    def _begun(self, node: nodes.Template | nodes.For) -> nodes.Call:
        """Make a construct count its own text each time that it begins."""
        length = sum(len(data.data) for data in node.find_all(nodes.TemplateData))
        length += sum(len(const.value) for const in node.find_all(nodes.Const) if isinstance(const.value, str))
        self.generic_visit(node)
        call = _called("step", node, nodes.Const(length))
        node.body.insert(0, nodes.Output([call]).set_lineno(node.lineno))
        return call

    def visit_List(self, node: nodes.Expr) -> nodes.Node:  # noqa: N802 - Jinja2 decides
        self.generic_visit(node)
        return _called("held", node, node) if getattr(node, "ctx", "load") == "load" else node

    visit_Tuple = visit_Dict = visit_List  # noqa: N815 - Jinja2 decides

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - Jinja2 decides
        self.generic_visit(node)
        return _called("joined", node, nodes.List(node.nodes))

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802 - Jinja2 decides
        self.generic_visit(node)
        if not isinstance(part := node.arg, nodes.Slice):
            return node
        return _called(
            "cut", node, node.node, *(bound or nodes.Const(None) for bound in (part.start, part.stop, part.step))
        )

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802 - Jinja2 decides
        self.generic_visit(node)
        parts: list[Any] = [node, *node.ops]
        for part in parts:
            part.expr = _called("held", node, part.expr)
        return node


def _called(name: str, place: nodes.Node, *arguments: nodes.Expr) -> nodes.Call:
    call = nodes.Call(nodes.Name(name, "load"), [*arguments], [], None, None)
    call.set_lineno(place.lineno)
    return call


#: Jinja2's phrase for a value without some attribute, and an author's noun for it.
_OWNERS = re.compile(r"'(?:[\w.]*\.)?(\w+) object'")
_CALLED = {"TemplateNode": "a node", "LoopContext": "a loop", "str": "a text", "int": "a number"}

#: Exceptions that an author's mistake can raise while a template is read or run; the last few if its Python is too
#: deep.
MISTAKES = (
    *(TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
    *(RecursionError, SyntaxError, MemoryError),
)


def line_of(error: BaseException, files: Container[str]) -> tuple[str, int]:
    """Return the template file, out of ``files``, and the line where a mistake was noticed; line 0 if unknown."""
    found, trace = ("", 0), error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        found = (name, trace.tb_lineno) if name in files else found
        trace = trace.tb_next
    return found


def said(error: BaseException) -> str:
    """Return what is wrong in a template, in the words of its author."""
    if isinstance(error, TemplateError):
        return _OWNERS.sub(lambda owner: _CALLED.get(owner[1], "a list"), str(error))
    if isinstance(error, (RecursionError, SyntaxError, MemoryError)):
        return "something is nested too deeply"
    if isinstance(error, TypeError) and not str(error).startswith("macro "):
        return "a filter, a macro or an operator gets an argument that it does not take"
    if isinstance(error, (ValueError, LookupError, ArithmeticError, AttributeError)):
        return "there is no such value, or it is too large"
    return str(error)
