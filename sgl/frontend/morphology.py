"""Evaluate morphology: paradigms and functions over the columns of a table.

A paradigm rewrites the end of a word by inflection class; the longest ending
that fits wins, so that an exception is a longer ending::

    paradigm past
      godan  "く" -> "いた", "行く" -> "行った"      書く -> 書いた, 行く -> 行った
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NoReturn

from sgl.diagnostics import Diagnostics, Label, Span, suggest
from sgl.frontend.names import Scope
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s

#: A word is computed in so many steps, through so many calls in one another, and has
#: so many characters.  A function that calls itself is stopped there.
_MAX_STEPS = 10_000
_MAX_DEPTH = 150
_MAX_LENGTH = 1_000


class _Endless(Exception):
    """An expression that exceeds one of the bounds."""

    def __init__(self, span: Span, function: s.Function | None, bound: str) -> None:
        super().__init__(bound)
        self.span = span
        self.what = f"the function `{function.name}`" if function is not None else "this expression"
        self.bound = bound


class _Missing(Exception):
    """A column that the row lacks, and that has no fallback; an empty cell is no such."""

    def __init__(self, column: s.Name) -> None:
        super().__init__(column.text)
        self.column = column


@dataclass(frozen=True, slots=True)
class Application:
    """What a paradigm or function of the standard library made of a word.

    ``form`` is its name and ``language`` the directory of the library that it stands in;
    ``inflection_class`` is empty where none was given.  With ``instead`` the row had
    that text in a cell, so that ``result`` was not used: ``$past_ja or past($ja, $class)``.
    An application without a ``form`` stands for the word itself, ``$pres_ja or $ja``.
    """

    form: str
    language: str
    word: str
    inflection_class: str
    result: str
    call: Span
    instead: str = ""


#: Hears of applications while words are evaluated.
Listener = Callable[[Application], None]


@dataclass(frozen=True)
class Evaluation:
    """Where and on what an expression is evaluated.

    ``columns`` are the cells that the row has, of the columns ``known`` in the table.
    In the body of a function they are its arguments, and ``lacking`` says for those
    without a value which column is to blame.  ``row`` is the span of the table row,
    shown beside the expression; a value of None means that a report was made.
    The ``listener`` hears what the author's files ask of the library, not what its
    functions ask of one another.
    """

    scope: Scope
    columns: Mapping[str, str]
    known: tuple[str, ...]
    row: Span | None
    diagnostics: Diagnostics
    function: s.Function | None = None
    steps: Iterator[int] = field(default_factory=count)
    lacking: Mapping[str, _Missing] = field(default_factory=dict)
    listener: Listener | None = None

    def value(self, expression: s.Expression) -> str | None:
        """Return the text of an expression; None after a report."""
        if isinstance(expression, s.Name):
            return expression.text
        if isinstance(expression, s.Column) and self.columns.get(expression.name.text):
            return self.columns[expression.name.text]
        try:
            return replace(self, steps=count()).value_within(expression, 0)
        except _Endless as problem:
            self.diagnostics.error(
                "SGL0608",
                problem.span,
                f"{problem.what} never ends: {problem.bound}",
                notes=("a function that calls itself, directly or through others, never ends",),
            )
        except _Missing as problem:
            self.diagnostics.error(
                "SGL0604",
                self.row or problem.column.span,
                f"this row has no `{problem.column}`",
                labels=[Label(problem.column.span, "asked for here")],
                hint='fill in the column, with `""` for an empty text, '
                f"or write `${problem.column} or …`",
            )
        return None

    def value_within(self, expression: s.Expression, depth: int) -> str | None:
        """Return the same for an expression that stands in ``depth`` others and calls."""
        if next(self.steps) > _MAX_STEPS:
            self._give_up(expression, f"it takes more than {_MAX_STEPS:,} steps")
        if isinstance(expression, s.Name):
            return expression.text
        if isinstance(expression, s.Column):
            return self._column(expression.name, expression.span)
        if isinstance(expression, s.Mention):
            return self._mention(expression)
        if depth >= _MAX_DEPTH:
            self._give_up(expression, f"it takes more than {_MAX_DEPTH} calls in one another")
        if isinstance(expression, s.Call):
            return self._call(expression, depth + 1)
        if isinstance(expression, s.Fallback):
            return self._fallback(expression, depth + 1)
        left = self.value_within(expression.left, depth + 1)
        right = self.value_within(expression.right, depth + 1)
        if left is None or right is None:
            return None
        if len(left) + len(right) > _MAX_LENGTH:
            self._give_up(expression, f"its text has more than {_MAX_LENGTH:,} characters")
        return left + right

    def _fallback(self, fallback: s.Fallback, depth: int) -> str | None:
        try:
            left = self.value_within(fallback.left, depth)
        except _Missing:
            left = ""
        if left and self.listener is not None:
            self.listener(self._unused(fallback, left))
        return left if left is None or left else self.value_within(fallback.right, depth)

    def _unused(self, fallback: s.Fallback, instead: str) -> Application:
        """Return what the right side of a fallback would have given."""
        heard: list[Application] = []
        quiet = replace(self, diagnostics=Diagnostics(), steps=count(), listener=heard.append)
        value = quiet.value(fallback.right) or ""
        plain = Application("", "", value, "", value, fallback.right.span)
        last = heard[-1] if heard and heard[-1].result == value else plain
        return replace(last, instead=instead)

    def _give_up(self, expression: s.Expression, bound: str) -> NoReturn:
        raise _Endless(expression.span, self.function, bound)

    def _mention(self, mention: s.Mention) -> str | None:
        """Return a bare name is a parameter, in the body of a function."""
        if self.function is not None:
            return self._column(mention.name, mention.span)
        self.diagnostics.error(
            "SGL0603",
            mention.span,
            f"`{mention.name}` is a bare name, but a word is made from columns and quoted texts",
            hint=f"write `${mention.name}` for a column",
        )
        return None

    def _column(self, name: s.Name, span: Span) -> str | None:
        if name.text not in self.known:
            what = f"the function has no parameter `{name}`"
            if self.function is None:
                what = f"the table has no column `{name}`" if self.row else f"`${name}` is nothing"
            hint = suggest(name.text, self.known) or f"there is: {', '.join(self.known) or 'none'}"
            self.diagnostics.error("SGL0603", span, what, hint)
            return None
        if name.text in self.columns:
            return self.columns[name.text]
        raise self.lacking.get(name.text) or _Missing(name)

    def _call(self, call: s.Call, depth: int) -> str | None:
        name = call.name.text
        declared = self.scope.peek(s.Function, name) or self.scope.peek(s.Paradigm, name)
        if declared is None:
            self._report_unknown(call.name)
            return None
        arguments = [self._argument(argument, depth) for argument in call.arguments]
        values = [argument for argument in arguments if argument is not None]
        if len(values) < len(arguments):
            return None
        if isinstance(declared, s.Function):
            result = self._function(call, declared, values, depth)
        else:
            result = self._paradigm(call, declared, [_present(value) for value in values])
        language = self._language(declared)
        texts = [value for value in values if isinstance(value, str)]
        if self.listener is not None and language and result is not None and texts:
            word, inflection_class, *_ = (*texts, "")
            self.listener(Application(name, language, word, inflection_class, result, call.span))
        return result

    def _language(self, declared: s.Function | s.Paradigm) -> str:
        """Return the directory of the library that a declaration stands in, or an empty text."""
        unit = self.scope.where(declared).unit
        return unit.path.relative_to(unit.root.directory).parts[0] if unit.is_library else ""

    def _argument(self, argument: s.Expression, depth: int) -> str | _Missing | None:
        """Return the value of an argument; whether a function needs it is seen in its body."""
        try:
            return self.value_within(argument, depth)
        except _Missing as problem:
            return problem

    def _report_unknown(self, name: s.Name) -> None:
        kinds = (s.Function, s.Paradigm)
        if not any(self.scope.may_declare(kind, name.text) for kind in kinds):
            known = [known for kind in kinds for known in self.scope.names(kind)]
            message = f"there is no paradigm or function `{name}`"
            self.diagnostics.error("SGL0201", name.span, message, suggest(name.text, known))

    def _function(
        self, call: s.Call, function: s.Function, values: list[str | _Missing], depth: int
    ) -> str | None:
        parameters = tuple(name.text for name in function.parameters)
        if len(values) != len(parameters):
            self._report_arguments(call, len(parameters), function.name)
            return None
        given = dict(zip(parameters, values, strict=True))
        inner = Evaluation(
            self.scope.where(function),
            {name: value for name, value in given.items() if isinstance(value, str)},
            parameters,
            self.row,
            self.diagnostics,
            function,
            self.steps,
            {name: value for name, value in given.items() if isinstance(value, _Missing)},
            None if self._language(function) else self.listener,
        )
        return inner.value_within(function.body, depth)

    def _paradigm(self, call: s.Call, paradigm: s.Paradigm, values: list[str]) -> str | None:
        classes = {line.inflection_class.text: line for line in paradigm.lines}
        if not values or len(values) > 2 or (len(values) == 1 and len(classes) != 1):
            self._report_arguments(call, 2 if len(classes) != 1 else 1, paradigm.name)
            return None
        name = values[1] if len(values) == 2 else next(iter(classes))
        line = classes.get(name)
        if line is None:
            self.diagnostics.error(
                "SGL0606",
                self.row or call.span,
                f"the paradigm `{paradigm.name}` has no class `{name}`",
                labels=[Label(call.span, "asked for here")] if self.row else [],
                hint=suggest(name, classes, "its classes are"),
            )
            return None
        return self._rewrite(values[0], line, paradigm, call)

    def _rewrite(
        self, word: str, line: s.ParadigmLine, paradigm: s.Paradigm, call: s.Call
    ) -> str | None:
        fitting = [pair for pair in line.rewrites if word.endswith(pair[0].text)]
        if not fitting or not word:
            what = f"`{word}`" if word else "an empty cell"
            self.diagnostics.error(
                "SGL0607",
                self.row or call.span,
                f"the paradigm `{paradigm.name}` does not say how {what} is inflected "
                f"as `{line.inflection_class}`",
                labels=[Label(call.span, "asked for here")] if self.row else [],
                hint="correct the word or its class, or add its ending to the paradigm",
            )
            return None
        ending, replacement = max(fitting, key=lambda pair: len(pair[0].text))
        return word[: len(word) - len(ending.text)] + replacement.text

    def _report_arguments(self, call: s.Call, expected: int, declared: s.Name) -> None:
        self.diagnostics.error(
            "SGL0608",
            call.span,
            f"`{declared}` takes {expected} argument{'s' if expected != 1 else ''}, "
            f"not {len(call.arguments)}",
            labels=[Label(declared.span, "declared here")],
        )


def _present(value: str | _Missing) -> str:
    """Return the value itself, which a paradigm always needs."""
    if isinstance(value, _Missing):
        raise value
    return value


# ---- paradigms and functions by themselves


def check_morphology(state: CompilerState) -> None:
    """Report classes, endings and parameters that are given twice."""
    for function, _ in state.names.declared(s.Function):
        _check_twice("parameter", function.parameters, function.name, state)
    for paradigm, _ in state.names.declared(s.Paradigm):
        classes = [line.inflection_class for line in paradigm.lines]
        _check_twice("class", classes, paradigm.name, state)
        for line in paradigm.lines:
            endings = [ending for ending, _ in line.rewrites]
            _check_twice("ending", endings, line.inflection_class, state)


def _check_twice(what: str, parts: Iterable[s.Name], whole: s.Name, state: CompilerState) -> None:
    seen: dict[str, s.Name] = {}
    for part in parts:
        earlier = seen.setdefault(part.text, part)
        if earlier is not part:
            message = f"`{whole}` has the {what} `{part}` twice"
            hint = "remove one of the two"
            state.error(
                "SGL0203", part.span, message, hint, labels=[Label(earlier.span, "here first")]
            )
