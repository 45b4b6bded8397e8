"""Fill in a grammar of Alto that is a Jinja2 template.

Authors of large grammars let Jinja2 write rules that differ in a word.  Alto's preprocessor does no more than that: it
fills in a file together with the files next to it, and provides ``counter`` and ``zipf``.  Here a template runs in the
sandbox of authors' views, which counts steps, with most of Jinja2's own language.  Features are missing if they could
write or wait without limit, or differ between runs (``random``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from jinja2 import FunctionLoader, TemplateError, TemplateSyntaxError, meta, nodes
from jinja2.environment import TemplateModule
from jinja2.exceptions import SecurityError, UndefinedError
from jinja2.filters import FILTERS as JINJA

from sgl.diagnostics import Diagnostics, SourceFile, SourceMap, Span, suggest
from sgl.lang.project import Root, locate, read_file
from sgl.rendering.sandbox import COMPUTING, MISTAKES, ComputingEnvironment, line_of, said

#: The most letters of a template.
LONGEST_TEMPLATE = 250_000
#: The most letters of the grammar that it writes.
LONGEST = 4_000_000
#: The most steps that it takes.
MOST_STEPS = 200_000

#: Marks that only a template contains.
MARKS = re.compile(r"\{[{%#]")

#: The exponent of the filter ``zipf``, and Riemann's zeta function of it.
_EXPONENT, _ZETA = 1.4, 3.1055472779775813

_CONSTRUCTS: tuple[type[nodes.Node], ...] = (
    *COMPUTING,
    *(nodes.Div, nodes.Include, nodes.Import, nodes.FromImport),
    *(nodes.With, nodes.CallBlock, nodes.AssignBlock, nodes.FilterBlock),
)


class _Counter:
    """Alto's ``counter``, which numbers labels of rules."""

    def __init__(self, start_value: int = 1) -> None:
        self._next = start_value

    def current(self) -> int:
        return self._next

    def next(self) -> int:
        self._next += 1
        return self._next - 1


def _zipf(words: Iterable[object]) -> list[list[object]]:
    """Pair words with the probabilities that the preprocessors of COGS and SLOG give them, those of their ranks.

    These are Zipf's for all ranks, and the words share the probability of the ranks beyond them equally.
    """
    words = list(words)
    shares = [rank**-_EXPONENT / _ZETA for rank in range(1, len(words) + 1)]
    rest = (1 - sum(shares)) / max(len(words), 1)
    return [[word, share + rest] for word, share in zip(words, shares, strict=True)]


def _rounded(value: float, precision: int = 0, method: str = "common") -> float:
    if abs(precision) > 12:
        raise SecurityError("it rounds to more than 12 digits")
    return JINJA["round"](value, precision, method)  # type: ignore[no-any-return]


def _formatted(pattern: str, *values: object) -> str:
    if re.sub(r"%[-+ 0]?[0-9]{0,2}(\.[0-9]{1,2})?[dsfeg]|%%", "", pattern).count("%"):
        raise SecurityError("it formats with something other than `%s`, `%d` or `%.3f`")
    return pattern % values


class _GrammarEnvironment(ComputingEnvironment):
    """The sandbox of views with more of Jinja2, for the files of one folder."""

    intercepted_binops = ComputingEnvironment.intercepted_binops | {"/"}

    what = "a grammar"
    constructs, numbers = _CONSTRUCTS, (int, float)
    attributes: ClassVar = {**ComputingEnvironment.attributes, _Counter: ("current", "next")}
    hidden = ComputingEnvironment.hidden - {"caller", "varargs", "kwargs"}
    functions = (*ComputingEnvironment.functions, _Counter)
    longest, most_steps = LONGEST, MOST_STEPS
    known_filters = {  # noqa: RUF012 - as in the class above
        **ComputingEnvironment.known_filters,
        **{name: JINJA[name] for name in ("float", "groupby")},
        "round": _rounded,
        "format": _formatted,
        "zipf": _zipf,
    }

    def __init__(self, load: Callable[[str], tuple[str, str, None]]) -> None:
        super().__init__()
        self.loader = FunctionLoader(load)
        self.globals |= {"counter": _Counter}

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        try:
            return super()._parse(source, name, filename)
        except TemplateSyntaxError as error:
            error.filename = filename
            raise

    def is_safe_attribute(self, owner: Any, attribute: str, value: Any) -> bool:  # noqa: ANN401 - Jinja2 decides
        own = isinstance(owner, TemplateModule) and not attribute.startswith("_")
        return own or super().is_safe_attribute(owner, attribute, value)


def fill_in(
    path: Path,
    source: SourceFile,
    settings: Mapping[str, str],
    sources: SourceMap,
    diagnostics: Diagnostics,
    included: tuple[str, str] = ("", ""),
) -> SourceFile | None:
    """Return the grammar that a template writes, given the settings, or None after reporting errors.

    Where it includes the first file of ``included``, it gets the second.
    """
    wanted, instead = included
    folder = path.resolve().parent
    root = Root(folder, path.parent.as_posix() if path.parent != Path() else "")
    files, unread = {source.name: source}, Diagnostics()
    asked_for: dict[str, None] = {}

    def load(name: str) -> tuple[str, str, None]:
        read = source if name == path.name else None
        asked_for.update({name: None} if read is None else {})
        name = instead if name == wanted else name
        found = locate(root, folder, name, None, sources, unread) if read is None else None
        if found is not None:
            read = read_file(found, root.display(found), None, LONGEST_TEMPLATE, sources, unread)
        if read is None:
            raise TemplateError  # the reason is in `unread`
        files[read.name] = read
        return read.text, read.name, None

    environment = _GrammarEnvironment(load)
    try:
        if len(source.text) > LONGEST_TEMPLATE:
            raise SecurityError(f"it is longer than {LONGEST_TEMPLATE}")
        given = {name: _value(text) for name, text in settings.items() if name not in ComputingEnvironment.hidden}
        text = environment.get_template(path.name).render(given)
        environment.held(text)
    except MISTAKES as error:
        hint = "`--set` gives it variables; a file that another one includes is imported with that one, by `--replace`"
        hint *= isinstance(error, UndefinedError)
        if not unread:
            unread.error("SGL1217", None, f"this template cannot be filled in: {said(error)}", hint)
        diagnostics.extend(replace(told, span=_place(error, files) or source.span(0, 1)) for told in unread)
        return None
    if wanted and wanted not in asked_for:
        message, hint = f"this template includes no file `{wanted}`", suggest(wanted, asked_for)
        diagnostics.error("SGL1217", source.span(0, 1), message, hint=hint)
    asked = set().union(*(meta.find_undeclared_variables(environment.parse(file.text)) for file in files.values()))
    asked -= set(environment.globals)
    for name in sorted(set(settings) - asked):
        hint = suggest(name, asked)
        diagnostics.error("SGL1217", source.span(0, 1), f"this template has no variable `{name}`", hint=hint)
    name = f"{source.name} (filled in{f' with {instead}' if wanted else ''})"
    return sources.add(SourceFile(name, text)) if not diagnostics.errors else None


def _value(text: str) -> str | float:
    if re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,15})?", text):
        return float(text) if "." in text else int(text)
    return text


def _place(error: BaseException, files: Mapping[str, SourceFile]) -> Span | None:
    """Return the line of a template where a mistake was noticed."""
    name, line = line_of(error, files)
    if isinstance(error, TemplateSyntaxError):
        name, line = error.filename or "", error.lineno
    if (file := files.get(name)) is None:
        return None
    line = min(line, len(file.line_starts))
    start, written = file.line_starts[line - 1], file.line(line).rstrip()
    indent = len(written) - len(written.lstrip())
    return file.span(start + indent, start + max(len(written), indent + 1))
