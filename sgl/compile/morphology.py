"""Evaluate morphology: paradigms and functions over the columns of a table.

A paradigm rewrites the end of a word by inflection class; the longest ending
that fits wins, so that an exception is a longer ending::

    paradigm past
      godan  "く" -> "いた", "行く" -> "行った"      書く -> 書いた, 行く -> 行った
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sgl.compile.names import Scope
from sgl.diagnostics import Diagnostics, Label, Span, suggest
from sgl.lang import syntax as s

_MAX_CALLS = 50


@dataclass(frozen=True)
class Evaluation:
    """Where and on what an expression is evaluated.

    ``row`` is the span of the table row, shown beside the expression; a value
    of None means that a report was made.
    """

    scope: Scope
    columns: Mapping[str, str]
    known: tuple[str, ...]
    row: Span | None
    diagnostics: Diagnostics
    depth: int = 0

    def value(self, expression: s.Expression) -> str | None:
        """The text of an expression; ``""`` is an absent column, None an error."""
        if isinstance(expression, s.Name):
            return expression.text
        if isinstance(expression, s.Column):
            return self._column(expression.name, expression.span)
        if isinstance(expression, s.Mention):
            return self._mention(expression)
        if isinstance(expression, s.Concat):
            left, right = self.value(expression.left), self.value(expression.right)
            return None if left is None or right is None else left + right
        if isinstance(expression, s.Fallback):
            left = self.value(expression.left)
            return left if left is None or left else self.value(expression.right)
        return self._call(expression)

    def _mention(self, mention: s.Mention) -> str | None:
        """A bare name is a parameter, in the body of a function."""
        if self.depth:
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
            if not self.depth:
                what = f"the table has no column `{name}`" if self.row else f"`${name}` is nothing"
            self.diagnostics.error(
                "SGL0603",
                span,
                what,
                hint=suggest(name.text, self.known)
                or f"there is: {', '.join(self.known) or 'none'}",
            )
            return None
        return self.columns.get(name.text, "")

    def _call(self, call: s.Call) -> str | None:
        arguments = [self.value(argument) for argument in call.arguments]
        function = self.scope.peek(s.Function, call.name.text)
        paradigm = self.scope.peek(s.Paradigm, call.name.text)
        if function is None and paradigm is None:
            known = [*self.scope.names(s.Function), *self.scope.names(s.Paradigm)]
            self.diagnostics.error(
                "SGL0201",
                call.name.span,
                f"there is no paradigm or function `{call.name}`",
                hint=suggest(call.name.text, known),
            )
            return None
        values = [argument for argument in arguments if argument is not None]
        if len(values) < len(arguments):
            return None
        if function is not None:
            return self._function(call, function, values)
        assert paradigm is not None
        return self._paradigm(call, paradigm, values)

    def _function(self, call: s.Call, function: s.Function, values: list[str]) -> str | None:
        parameters = tuple(name.text for name in function.parameters)
        if len(values) != len(parameters):
            self._report_arguments(call, len(parameters), function.name)
            return None
        if self.depth >= _MAX_CALLS:
            self.diagnostics.error(
                "SGL0608", call.span, f"the function `{function.name}` calls itself without end"
            )
            return None
        inner = Evaluation(
            self.scope.where(function),
            dict(zip(parameters, values, strict=True)),
            parameters,
            self.row,
            self.diagnostics,
            self.depth + 1,
        )
        return inner.value(function.body)

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
                hint=suggest(name, classes) or f"its classes are: {', '.join(classes)}",
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
