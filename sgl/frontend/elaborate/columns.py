"""Evaluate morphology: paradigms and functions over the columns of a table.

A paradigm rewrites the end of a word by inflection class; the longest ending that fits wins, so
that an exception is a longer ending: ``"く" -> "いた", "行く" -> "行った"``.  Others rewrite the start,
or what is inside, where it stands last.  ``[aiu]`` is any of these letters, ``[^aiu]`` any other, and a ``*``
behind it says any number of them; ``&`` in the result is then all that was found: ``"[bdkls][aiu]" -> "&&"``
doubles the beginning of a word, ``"[ei][^aeiou]*" -> "&ler"`` is vowel harmony.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, count, zip_longest
from operator import itemgetter
from typing import NoReturn

from sgl.diagnostics import Diagnostics, Label, Reported, Span, attempt, each, one_of, one_slip, suggest, suggested
from sgl.frontend.elaborate.categories import Slotting
from sgl.frontend.names.scopes import Resolved, Scope
from sgl.lang import syntax as s
from sgl.values import dataclass, field, replace

#: Limits for the computation of a word: steps, nesting of calls, and characters.  They stop functions that call
#: themselves.
_MAX_STEPS = 10_000
_MAX_DEPTH = 150
_MAX_LENGTH = 1_000


def marked(text: str) -> tuple[str, str, str] | None:
    """Return what is before the marked word of several, with the mark; the word; and what is behind it.

    >>> marked("attorney ^general of"), marked("^general")
    (('attorney ^', 'general', ' of'), None)
    """
    match = re.fullmatch(r"((?:[^ ]+ )*?\^)([^ ]+)((?: [^ ]+)*)", text)
    return (match[1], match[2], match[3]) if match is not None and " " in text else None


def unmarked(text: str) -> str:
    """Return a text without its mark."""
    own = marked(text)
    return text if own is None else f"{own[0][:-1]}{own[1]}{own[2]}"


#: The parts of words that paradigms rewrite, and what of theirs a word may lack.
END = "end"
PLACES = {END: "its ending", "start": "its beginning", "inside": "what is inside it"}
_LETTERS = re.compile(r"\[(\^?)([^][^]+)\](\*?)")


def _rewritten(word: str, place: str, found: s.Name, result: s.Name) -> tuple[tuple[int, ...], str] | None:
    """Return a word after a rewrite, behind what makes one win: its length, and how closely its letters are told."""
    literals = _LETTERS.split(found.text)[::4]
    sets = [f"[{no}{re.escape(letters)}]{star}" for no, letters, star in _LETTERS.findall(found.text)]
    own = "".join(chain(*zip_longest(map(re.escape, literals), sets, fillvalue="")))
    stars = sum(letters.endswith("*") for letters in sets)
    before, after = {END: (".*", ""), "start": ("", ".*"), "inside": (".*", ".*")}[place]
    match = re.fullmatch(f"({before})({own})({after})", word, re.DOTALL)
    if match is None:
        return None
    new = result.text.replace("&", match[2]) if sets else result.text
    return (len(match[2]), len("".join(literals)), len(sets) - stars, -stars), match[1] + new + match[3]


def _slip(text: str) -> tuple[int, int, str] | None:
    """Return where the letters of a rewrite cannot be told in this way, and why; None if they can."""
    # The time to find several parts of any length in a word would grow with a power of its length.
    stars = [letters.end() for letters in _LETTERS.finditer(text) if letters[3]]
    lone = re.search(r"\[\^?\]|[][]", _LETTERS.sub(lambda letters: " " * len(letters[0]), text))
    if lone is not None:
        return lone.start(), lone.end(), "encloses no letters"
    return (stars[1] - 1, stars[1], "is the second") if len(stars) > 1 else None


class _Endless(Exception):
    """An expression exceeds a limit."""

    def __init__(self, span: Span, function: s.Function | None, bound: str) -> None:
        super().__init__(bound)
        self.span = span
        self.what = f"the function `{function.name}`" if function is not None else "this expression"
        self.bound = bound


class _Missing(Exception):
    """The row lacks a column without a fallback; an empty cell does not count as lacking."""

    def __init__(self, column: s.Name) -> None:
        super().__init__(column.text)
        self.column = column


@dataclass(frozen=True)
class Inflection:
    """The result of a paradigm or function of the standard library for a word.

    ``form`` is its name, empty for the word itself, and ``language`` its directory in the library; ``inflection_class``
    may be empty.  With ``instead``, a cell of the row had that text, so ``result`` was not used: ``$past_ja or
    past($ja, $class)``. ``row`` is the row of the table, None for a ``word`` outside tables.
    """

    form: str
    language: str
    word: str
    inflection_class: str
    result: str
    call: Span
    row: Span | None
    instead: str = ""

    @property
    def place(self) -> Span:
        """The place to correct it: the row, or the call."""
        return self.row or self.call


def _no_cell(_: s.TableCell) -> NoReturn:
    raise Reported  # Only words are evaluated with tables; errors of others are not shown.


#: Called with the inflections during evaluation.
Listener = Callable[[Inflection], None]


@dataclass(frozen=True)
class Evaluation:
    """The context in which an expression is evaluated.

    ``columns`` are the cells of the row, of the columns ``known`` in the table.  In a function they
    are its arguments, and ``lacking`` says for those without a value which column is to blame.
    ``row`` is the span of the table row.  ``features`` are those of the category of the word;
    columns that are ``optional`` may be missing in the table.  ``cell`` returns what tables have for the features.
    The ``listener`` hears what the author's files ask of the library, not what its functions ask of one another.
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
    features: Mapping[str, Slotting] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    cell: Callable[[s.TableCell], str] = _no_cell

    def value(self, expression: s.Expression) -> str:
        """Return the text of an expression."""
        if isinstance(expression, s.Name):
            return expression.text
        if isinstance(expression, s.Column) and self.columns.get(expression.name.text):
            return self.columns[expression.name.text]
        try:
            return replace(self, steps=count()).value_within(expression, 0)
        except _Endless as problem:
            notes = ("a function that calls itself, directly or through others, never ends",)
            self.diagnostics.fail("SGL0608", problem.span, f"{problem.what} never ends: {problem.bound}", notes=notes)
        except _Missing as problem:
            column = problem.column
            hint = f'fill in the column, with `""` for an empty text, or write `${column} or …`'
            if meant := suggested(column.text, self.columns):
                hint = f"did you mean `{column}` where this row says `{meant}`? Otherwise, {hint}"
            self.fail("SGL0604", f"this row has no `{column}`", hint, Label(column.span, "asked for here"))

    def fail(self, code: str, message: str, hint: str, asked: Label) -> NoReturn:
        """Report the row, or add it to the same mistake elsewhere; outside tables, report where it was ``asked``."""
        if self.row is None:
            self.diagnostics.fail(code, asked.span, message, hint)
        told = (code, message, hint, (asked,))
        same = (d.span for d in self.diagnostics.found if (d.code, d.message, d.hint, d.labels[:1]) == told)
        first = next(same, None)
        if first is None or first == self.row:
            self.diagnostics.error(code, self.row, message, hint, labels=[asked])
        else:
            self.diagnostics.also_at(code, first, self.row)
        raise Reported

    def value_within(self, expression: s.Expression, depth: int) -> str:
        """Return the value of an expression that is nested in ``depth`` others and calls."""
        if next(self.steps) > _MAX_STEPS:
            self._give_up(expression, f"it takes more than {_MAX_STEPS:,} steps")
        if isinstance(expression, s.Name):
            return expression.text
        if isinstance(expression, s.Column | s.Mention):
            return self._column(expression)
        if isinstance(expression, s.TableCell):
            return self.cell(expression)
        if depth >= _MAX_DEPTH:
            self._give_up(expression, f"it takes more than {_MAX_DEPTH} calls in one another")
        if isinstance(expression, s.Call):
            return self._call(expression, depth + 1)
        if isinstance(expression, s.Fallback):
            return self._fallback(expression, depth + 1)
        left, right = each(partial(self.value_within, depth=depth + 1), (expression.left, expression.right))
        if len(left) + len(right) > _MAX_LENGTH:
            self._give_up(expression, f"its text has more than {_MAX_LENGTH:,} characters")
        return left + right

    def _give_up(self, expression: s.Expression, bound: str) -> NoReturn:
        raise _Endless(expression.span, self.function, bound)

    def _fallback(self, fallback: s.Fallback, depth: int) -> str:
        try:
            left = self.value_within(fallback.left, depth)
        except _Missing:
            left = ""
        if left and self.listener is not None:
            # Inflections of the right side are recorded, though its value is not used.
            heard: list[Inflection] = []
            quiet = replace(self, diagnostics=Diagnostics(), steps=count(), listener=heard.append)
            value = attempt(quiet.value, self._plain(fallback.right)) or ""
            plain = Inflection("", "", value, "", value, fallback.right.span, self.row)
            last = heard[-1] if heard and heard[-1].result == value else plain
            self.listener(replace(last, instead=left))
        return left or self.value_within(self._plain(fallback.right), depth)

    def _plain(self, expression: s.Expression) -> s.Expression:
        """Return a plain name as a text, unless it is a parameter or a slip of one."""
        if not isinstance(expression, s.Mention):
            return expression
        name = expression.name
        meant = any(known == name.text or one_slip(known, name.text) for known in self.known)
        return expression if self.function is not None and meant else s.Name(name.text, name.span)

    def _column(self, expression: s.Column | s.Mention) -> str:
        name, text = expression.name, expression.name.text
        if isinstance(expression, s.Mention) and self.function is None:
            message = f"`{name}` is a bare name, but a word is made from columns and quoted texts"
            hint = f'write `${name}` for a column, or `"{name}"` for a text'
            self.diagnostics.fail("SGL0603", expression.span, message, hint)
        if text in self.columns:
            return self.columns[text]
        if text in self.known:
            raise self.lacking.get(text) or _Missing(name)
        slot = self.features.get(text)
        if slot is not None:
            return self._feature(expression, slot)
        if text in self.optional:
            raise _Missing(name)
        what = f"the function has no parameter `{name}`"
        if self.function is None:
            what = f"the table has no column `{name}`" if self.row else f"`${name}` is nothing"
        hint = one_of(text, self.known) + ("; or add it to the rows" if self.function is None and self.row else "")
        self.diagnostics.fail("SGL0603", expression.span, what, hint)

    def _feature(self, expression: s.Column | s.Mention, slot: Slotting) -> str:
        if len(slot) == 1 and not isinstance(slot, str):
            return next(iter(slot))
        message = f"this word may have several values of the feature `{expression.name}`"
        hint = f"set it in the brackets of the category: `[{expression.name}=…]`"
        notes = [f"they are: {', '.join(sorted(slot))}"]
        self.diagnostics.fail("SGL0618", expression.span, message, hint, notes=notes)

    def _call(self, call: s.Call, depth: int) -> str:
        name = call.name.text
        # Functions named in a block of forms are resolved in its file.
        scope = self.scope.resolved.scopes.get(call.span.file, self.scope)
        declared = scope.peek(s.Function, name) or scope.peek(s.Paradigm, name)
        if declared is None:
            self._report_missing(call, scope)
        values = each(partial(self._argument, depth=depth), call.arguments)
        lacking = [value for value in values if isinstance(value, _Missing)]
        if lacking and isinstance(declared, s.Paradigm):
            # Only the body of a function shows whether it needs the value; a paradigm always does.
            raise lacking[0]
        texts = [value for value in values if isinstance(value, str)]
        # The library directory of the declaration, if it is in the library.
        unit = self.scope.where(declared).unit
        language = unit.path.relative_to(unit.root.directory).parts[0] if unit.is_library else ""
        if isinstance(declared, s.Function):
            result = self._function(call, declared, values, depth, heard=not language)
        else:
            result = self._paradigm(call, declared, texts)
        if self.listener is not None and language and texts:
            word, inflection_class, *_ = (*texts, "")
            made = (name, language, word, inflection_class, result)
            self.listener(Inflection(*made, call.span, self.row))
        return result

    def _argument(self, argument: s.Expression, depth: int) -> str | _Missing:
        try:
            return self.value_within(self._plain(argument), depth)
        except _Missing as problem:
            return problem

    def _function(
        self, call: s.Call, function: s.Function, values: list[str | _Missing], depth: int, *, heard: bool
    ) -> str:
        parameters = tuple(name.text for name in function.parameters)
        if len(values) != len(parameters):
            self._report_arguments(call, len(parameters), function.name)
        given = list(zip(parameters, values, strict=True))
        inner = replace(
            self,
            scope=self.scope.where(function),
            columns={name: value for name, value in given if isinstance(value, str)},
            known=parameters,
            function=function,
            features={},
            optional=frozenset(),
            lacking={name: value for name, value in given if isinstance(value, _Missing)},
            listener=self.listener if heard else None,
        )
        return inner.value_within(function.body, depth)

    def _paradigm(self, call: s.Call, paradigm: s.Paradigm, values: list[str]) -> str:
        classes = {line.inflection_class.text: line for line in paradigm.lines}
        if not values or len(values) > 2 or (len(values) == 1 and len(classes) != 1):
            self._report_arguments(call, 2 if len(classes) != 1 else 1, paradigm.name)
        whole, name = values[0], values[1] if len(values) == 2 else next(iter(classes))
        # Of several words the marked one is inflected.
        before, word, after = marked(whole) or ("", whole, "")
        asked = Label(call.span, "asked for here")
        if name not in classes:
            message = f"the paradigm `{paradigm.name}` has no class `{name}`"
            self.fail("SGL0606", message, suggest(name, classes, "its classes are"), asked)
        place = paradigm.place.text if paradigm.place is not None and paradigm.place.text in PLACES else END
        fitting = [found for pair in classes[name].rewrites if (found := _rewritten(word, place, *pair)) is not None]
        if not fitting or not word:
            what = f"`{word}`" if word else "an empty cell"
            message = f"the paradigm `{paradigm.name}` does not say how {what} is inflected as `{name}`"
            hint = f"correct the word or its class, or add {PLACES[place]} to the paradigm"
            self.fail("SGL0607", message, hint, asked)
        return before + max(fitting, key=itemgetter(0))[1] + after

    def _report_missing(self, call: s.Call, scope: Scope) -> NoReturn:
        name, kinds = call.name.text, (s.Function, s.Paradigm)
        if not any(scope.may_declare(kind, name) for kind in kinds):
            hint = scope.in_library(name, *kinds)
            hint = hint or suggest(name, [known for kind in kinds for known in scope.names(kind)])
            self.diagnostics.error("SGL0201", call.name.span, f"there is no paradigm or function `{name}`", hint)
        raise Reported

    def _report_arguments(self, call: s.Call, expected: int, declared: s.Name) -> NoReturn:
        plural = "s" if expected != 1 else ""
        message = f"`{declared}` takes {expected} argument{plural}, not {len(call.arguments)}"
        self.diagnostics.fail("SGL0608", call.span, message, labels=[Label(declared.span, "declared here")])


def check_morphology(state: Resolved) -> None:
    """Report classes, endings and parameters that are given twice."""
    lists: list[tuple[str, Iterable[s.Name], s.Name]] = []
    for paradigm, _ in state.names.declared(s.Paradigm):
        if paradigm.place is not None and paradigm.place.text not in PLACES:
            hint = suggest(paradigm.place.text, PLACES) or f"write {', '.join(f'`({place})`' for place in PLACES)}"
            message = f"a paradigm changes the end of a word or another part of it, not `{paradigm.place}`"
            state.error("SGL0201", paradigm.place.span, message, hint)
        for found in (found for line in paradigm.lines for found, _ in line.rewrites):
            if (slip := _slip(found.text)) is not None:
                at, end, what = slip
                own = replace(found.span, start=found.span.start + 1 + at, end=found.span.start + 1 + end)
                hint = "write `[aiu]` for one of these letters; one such bracket may have a `*`, for any number"
                state.error("SGL0623", own, f"this `{found.text[at:end]}` of `{found}` {what}", hint)
    for function, _ in state.names.declared(s.Function):
        lists.append(("parameter", function.parameters, function.name))
    for paradigm, _ in state.names.declared(s.Paradigm):
        lists.append(("class", [line.inflection_class for line in paradigm.lines], paradigm.name))
        lists.extend(
            ("ending", [ending for ending, _ in line.rewrites], line.inflection_class) for line in paradigm.lines
        )
    for what, parts, whole in lists:
        seen: dict[str, s.Name] = {}
        for part in parts:
            earlier = seen.setdefault(part.text, part)
            if earlier is not part:
                message = f"`{whole}` has the {what} `{part}` twice"
                labels = [Label(earlier.span, "here first")]
                state.error("SGL0203", part.span, message, "remove one of the two", labels=labels)
