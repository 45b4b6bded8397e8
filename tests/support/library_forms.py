"""Forms of words by the standard library alone, and those of a list of Japanese predicates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from sgl.diagnostics import Diagnostics, SourceFile, SourceMap, Span, attempt
from sgl.frontend.elaborate.columns import Evaluation, Inflection
from sgl.frontend.names.parameters import Session
from sgl.frontend.names.scopes import Scope, resolve
from sgl.lang import syntax as s
from sgl.lang.project import load_project
from sgl.lang.yaml_files import TableRow, read_table
from sgl.morphology.knowledge import Knowledge
from sgl.resources import stdlib_dir

PREDICATES = Path(__file__).parent / "predicates.yaml"
#: The files of the library that have forms of words, by language.
FILES = {"ja": ("verb", "adjective"), "en": ("verb", "noun", "article")}


@cache
def predicates() -> tuple[TableRow, ...]:
    """The rows of the list."""
    source = SourceFile(PREDICATES.name, PREDICATES.read_text(encoding="utf-8"))
    table = read_table(source, Diagnostics())
    assert table is not None
    return table.rows


@cache
def scopes(language: str = "ja") -> tuple[Scope, ...]:
    """The declarations of the library, file by file."""
    found = []
    for name in FILES[language]:
        diagnostics = Diagnostics()
        project = load_project(stdlib_dir() / language / f"{name}.sgl", SourceMap(), diagnostics)
        assert project is not None
        assert len(diagnostics) == 0
        state = resolve(Session(project, {}, diagnostics))
        (scope,) = state.names.scopes.values()
        found.append(scope)
    return tuple(found)


def form_names() -> list[str]:
    """The names of all paradigms and functions."""
    return [name for scope in scopes() for kind in (s.Paradigm, s.Function) for name in scope.names(kind)]


def inflect(form: str, word: str, *classes: str, language: str = "ja") -> str | None:
    """A form of a word of this class, if it has any; None where the class has no such form."""
    nowhere = Span("tests", 0, 0)
    arguments = tuple(s.Name(text, nowhere, quoted=True) for text in (word, *classes))
    call = s.Call(nowhere, s.Name(form, nowhere), arguments)
    for scope in scopes(language):
        if form in {*scope.names(s.Paradigm), *scope.names(s.Function)}:
            return attempt(Evaluation(scope, {}, (), None, Diagnostics()).value, call)
    raise KeyError(form)


def library_inflections(knowledge: Knowledge) -> Iterator[Inflection]:
    """All forms that the predicates have; those in the column ``lacks`` they do not have."""
    for row in predicates():
        word, inflection_class = row.cells["ja"], row.cells["class"]
        lacks = row.cells.get("lacks", "").split()
        for form in form_names():
            if form.partition("_")[0] in lacks or not knowledge.readings(form, inflection_class):
                continue
            result = inflect(form, word, inflection_class)
            assert result is not None, (form, word)
            yield Inflection(form, "ja", word, inflection_class, result, row.span, row.span)


def with_wrong_endings(form: str, word: str, inflection_class: str) -> set[str]:
    """A form of a word with each ending that its paradigm has for other words of the class."""
    paradigms = [names[form] for scope in scopes() if form in (names := scope.names(s.Paradigm))]
    lines = [
        line
        for paradigm in paradigms
        if isinstance(paradigm, s.Paradigm)
        for line in paradigm.lines
        if line.inflection_class.text == inflection_class
    ]
    rewrites = [(old.text, new.text) for line in lines for old, new in line.rewrites]
    longest = max((len(old) for old, _ in rewrites if word.endswith(old)), default=0)
    beginning = word[: len(word) - longest]
    wrong = {beginning + new for _, new in rewrites}
    return wrong - {"", inflect(form, word, inflection_class) or ""}
