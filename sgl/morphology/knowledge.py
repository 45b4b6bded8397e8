"""SudachiPy as a function from a text to its morphemes, and what it must find.

What it must find stands in the tables of ``stdlib/ja/analysis``.  They are data, so that whoever adds a paradigm to
the library says in a row what the analyser must find; the notes at the top of each file explain its columns.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import metadata
from operator import itemgetter
from pathlib import Path

from sgl.diagnostics import Diagnostics, SourceMap, Span
from sgl.lang import MAX_TABLE
from sgl.lang.project import read_file
from sgl.lang.yaml_files import TableRow, read_table
from sgl.resources import stdlib_dir


@dataclass(frozen=True, slots=True)
class Morpheme:
    """A piece of a text as the analyser reads it.

    ``lemma`` is its dictionary form, ``kind`` and ``subkind`` are its part of speech (助詞, 接続助詞),
    ``conjugation`` is its type (五段-カ行) and ``form`` its inflection (連用形-促音便); the last two are ``*`` for
    what does not inflect.
    """

    surface: str
    lemma: str
    kind: str
    subkind: str
    conjugation: str
    form: str

    def is_a(self, names: tuple[str, ...]) -> bool:
        """Return whether its part of speech or conjugation type begins with one of the names."""
        read = (self.kind, self.subkind, self.conjugation)
        return any(name.startswith(names) for name in read)


#: Texts whose morphemes are kept.
_KEPT = 4_096

#: The morphemes of a text.
Analyse = Callable[[str], tuple[Morpheme, ...]]


class AnalyserMissing(Exception):
    """SudachiPy or its dictionary is not installed; the message is that of Python."""


@dataclass(frozen=True, slots=True)
class Sudachi:
    """The analyser with its core dictionary; ``versions`` names both for a report."""

    versions: str
    analyse: Analyse


@cache
def sudachi() -> Sudachi:
    """SudachiPy in its mode of short units; raises ``AnalyserMissing`` if it is not installed."""
    try:
        from sudachipy import Dictionary, SplitMode

        versions = f"SudachiPy {metadata.version('sudachipy')}, SudachiDict-core {metadata.version('sudachidict-core')}"
        dictionary = Dictionary(dict="core")
        # Releases before 0.7 know this method as `create`.
        tokenizer = getattr(dictionary, "tokenizer", dictionary.create)(SplitMode.A)
    except (ImportError, OSError) as problem:
        raise AnalyserMissing(str(problem)) from problem

    @lru_cache(maxsize=_KEPT)
    def analyse(text: str) -> tuple[Morpheme, ...]:
        return tuple(
            Morpheme(token.surface(), token.dictionary_form(), *itemgetter(0, 1, 4, 5)(token.part_of_speech()))
            for token in tokenizer.tokenize(text)
        )

    return Sudachi(versions, analyse)


#: The directory of the standard library whose forms are checked.
LANGUAGE = "ja"

#: What is written after a form that is a word by itself: a full stop shows that it is the last.
FRAMES = ("", "。")

#: In a table of forms: the morpheme that is its own dictionary form.
ITSELF = "itself"

#: Columns of a table of exemptions, all of which each row has.
COLUMNS = ("form", "word", "gives", "reason")


@dataclass(frozen=True, slots=True)
class ExpectedReading:
    """One way in which the analyser may read a form of the words of some ``classes``.

    With ``last`` it is only about words that end in a morpheme of that dictionary form.  ``adds``
    are the morphemes after the word, each with its possible dictionary forms; ``replaces``, if any,
    are those in place of the last morpheme of the word itself.  The name of the last inflection
    begins with one of ``ends``, and one of the ``frames`` is written after the form.
    """

    classes: tuple[str, ...]
    last: str
    replaces: tuple[str, ...]
    adds: tuple[tuple[str, ...], ...]
    ends: tuple[str, ...]
    frames: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InflectionClass:
    """How the analyser's names begin: of a class of words, and of the form in dictionaries."""

    group: str
    reads: tuple[str, ...]
    ends: tuple[str, ...]


#: The class of a word that the analyser does not know: anything, inflected in any way.
UNKNOWN = InflectionClass("", ("",), ("",))


@dataclass(frozen=True, slots=True)
class Joint:
    """Which inflection a morpheme has before another; no ``words`` are all of these kinds."""

    next: tuple[str, ...]
    of: tuple[str, ...]
    words: tuple[str, ...]
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spelling:
    """A dictionary form that the library writes in another way, and why."""

    analyser: str
    reads: tuple[str, ...]
    word: str
    reason: str


@dataclass(frozen=True, slots=True)
class Exemption:
    """A form that is right although the analyser does not read it so, and why."""

    form: str
    word: str
    gives: str
    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All tables; ``exemptions`` are those of the library and of a grammar."""

    forms: Mapping[str, tuple[ExpectedReading, ...]]
    classes: Mapping[str, InflectionClass]
    contexts: tuple[str, ...]
    joints: tuple[Joint, ...]
    spellings: tuple[Spelling, ...]
    exemptions: tuple[Exemption, ...]

    def joins(self, first: Morpheme, second: Morpheme) -> bool:
        """Return whether a morpheme is inflected as the one after it needs it."""
        asking = [joint for joint in self.joints if second.lemma in joint.next]
        for joint in asking:
            if first.is_a(joint.of) and (not joint.words or first.lemma in joint.words):
                return first.form.startswith(joint.needs)
        return first.form == "*" or not asking

    def readings(self, form: str, inflection_class: str) -> tuple[ExpectedReading, ...]:
        """Return the readings of a form; none where the class has no such form."""
        known = self.classes.get(inflection_class)
        names = {inflection_class, known.group} if known is not None else {inflection_class}
        return tuple(row for row in self.forms.get(form, ()) if names.intersection(row.classes))


def library_knowledge(sources: SourceMap) -> Knowledge:
    """Return the library's tables; raises ``ValueError`` if the installation is damaged."""

    def rows(name: str) -> Sequence[TableRow]:
        file, diagnostics = f"{LANGUAGE}/analysis/{name}.yaml", Diagnostics()
        found = _rows(stdlib_dir() / file, f"stdlib/{file}", sources, diagnostics)
        if diagnostics.errors:
            raise ValueError("; ".join(problem.message for problem in diagnostics))
        return found

    forms: dict[str, tuple[ExpectedReading, ...]] = {}
    for cells in (row.cells for row in rows("forms")):
        forms[cells["form"]] = (*forms.get(cells["form"], ()), _reading(cells))
    classes = {
        cells["class"]: InflectionClass(cells["group"], _several(cells, "reads"), _several(cells, "ends") or ("",))
        for cells in (row.cells for row in rows("classes"))
    }
    joints = (
        Joint(*(_several(row.cells, column) for column in ("next", "of", "word", "needs"))) for row in rows("joints")
    )
    spellings = (
        Spelling(cells["analyser"], _several(cells, "reads"), cells["word"], cells["reason"])
        for cells in (row.cells for row in rows("spellings"))
    )
    contexts = tuple(row.cells["before"] for row in rows("contexts"))
    exemptions = tuple(map(_exemption, rows("exceptions")))
    return Knowledge(forms, classes, contexts, tuple(joints), tuple(spellings), exemptions)


def _reading(cells: Mapping[str, str]) -> ExpectedReading:
    return ExpectedReading(
        _several(cells, "class"),
        cells.get("last", ""),
        _several(cells, "replaces", "/"),
        tuple(tuple(word.split("/")) for word in cells.get("adds", "").split()),
        _several(cells, "ends") or ("",),
        _several(cells, "frame") or FRAMES,
    )


def beside(grammar: Path) -> Path:
    """Return the table of exemptions of a grammar: ``farm.morphology.yaml`` beside ``farm.sgl``."""
    return grammar.with_suffix(".morphology.yaml")


def grammar_exemptions(main: Path, shown: str, sources: SourceMap, diagnostics: Diagnostics) -> tuple[Exemption, ...]:
    """Return the exemptions of a grammar; ``shown`` is the name of their table."""
    path, found = beside(main), []
    for row in _rows(path, shown, sources, diagnostics) if path.exists() else ():
        lacking = [column for column in COLUMNS if not row.cells.get(column)]
        if lacking:
            hint = f"a row has {', '.join(COLUMNS[:-1])} and {COLUMNS[-1]}"
            diagnostics.error("SGL0653", row.span, f"this row has no `{lacking[0]}`", hint)
        else:
            found.append(_exemption(row))
    return tuple(found)


def _rows(path: Path, shown: str, sources: SourceMap, diagnostics: Diagnostics) -> Sequence[TableRow]:
    source = read_file(path, shown, None, MAX_TABLE, sources, diagnostics)
    table = read_table(source, diagnostics) if source is not None else None
    return table.rows if table is not None else ()


def _exemption(row: TableRow) -> Exemption:
    form, word, gives, reason = (row.cells[column] for column in COLUMNS)
    return Exemption(form, word, gives, reason, row.span)


def _several(cells: Mapping[str, str], column: str, between: str = "|") -> tuple[str, ...]:
    return tuple(part for part in cells.get(column, "").split(between) if part)
