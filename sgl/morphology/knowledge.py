"""SudachiPy as a function from a text to its morphemes, and the readings that it must find.

The expected readings are in the tables of ``stdlib/ja/analysis``, so that a new paradigm of the library needs only a
new row; the notes at the top of each file explain its columns.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import metadata
from operator import itemgetter
from pathlib import Path

from sgl.diagnostics import Diagnostics, SourceMap, Span
from sgl.lang import MAX_TABLE
from sgl.lang.project import read_file
from sgl.lang.tables import TableRow, read_table
from sgl.resources import stdlib_dir
from sgl.values import dataclass


@dataclass(frozen=True, slots=True)
class Morpheme:
    """A piece of a text as the analyser reads it.

    ``lemma`` is its dictionary form, ``kind`` and ``subkind`` are its part of speech (助詞, 接続助詞), ``conjugation``
    is its type (五段-カ行) and ``form`` its inflection (連用形-促音便); the last two are ``*`` for words that do not
    inflect.
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


#: Number of texts whose morphemes are cached.
_KEPT = 4_096

#: The morphemes of a text.
Analyse = Callable[[str], tuple[Morpheme, ...]]


class AnalyserMissing(Exception):
    """SudachiPy or its dictionary is not installed; the message is Python's."""


@dataclass(frozen=True, slots=True)
class Sudachi:
    """The analyser with its core dictionary; ``versions`` names the versions of both."""

    versions: str
    analyse: Analyse


@cache
def sudachi() -> Sudachi:
    """Return SudachiPy, splitting into short units; raises ``AnalyserMissing`` if it is not installed."""
    try:
        from sudachipy import Dictionary, SplitMode

        versions = f"SudachiPy {metadata.version('sudachipy')}, SudachiDict-core {metadata.version('sudachidict-core')}"
        dictionary = Dictionary(dict="core")
        # Releases before 0.7 call this method `create`.
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


#: The standard-library directory whose forms are checked.
LANGUAGE = "ja"

#: Texts after a form that is a complete word: a full stop shows that it is the last.
FRAMES = ("", "。")

#: In a table of forms: a morpheme that is its own dictionary form.
ITSELF = "itself"

#: Columns of a table of exemptions; every row must fill them all.
COLUMNS = ("form", "word", "gives", "reason")


@dataclass(frozen=True, slots=True)
class ExpectedReading:
    """One way in which the analyser may read a form of the words of some ``classes``.

    With ``last``, it applies only to words that end in a morpheme of that dictionary form.  ``adds`` are the morphemes
    after the word, each with its possible dictionary forms; ``replaces``, if any, are the dictionary forms that replace
    the word's last morpheme.  The name of the last inflection begins with one of ``ends``, and one of the ``frames`` is
    written after the form.
    """

    classes: tuple[str, ...]
    last: str
    replaces: tuple[str, ...]
    adds: tuple[tuple[str, ...], ...]
    ends: tuple[str, ...]
    frames: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InflectionClass:
    """Prefixes of the analyser's names for a class of words, and for the inflection of its dictionary form."""

    group: str
    reads: tuple[str, ...]
    ends: tuple[str, ...]


#: The class of a word that the analyser does not know: any word, any inflection.
UNKNOWN = InflectionClass("", ("",), ("",))


@dataclass(frozen=True, slots=True)
class Joint:
    """The inflection that a morpheme must have before another; empty ``words`` mean all words of these kinds."""

    next: tuple[str, ...]
    of: tuple[str, ...]
    words: tuple[str, ...]
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spelling:
    """A dictionary form that the library spells differently, with the reason."""

    analyser: str
    reads: tuple[str, ...]
    word: str
    reason: str


@dataclass(frozen=True, slots=True)
class Exemption:
    """A form that is right although the analyser reads it differently, with the reason."""

    form: str
    word: str
    gives: str
    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All tables; ``exemptions`` come from the library and a grammar."""

    forms: Mapping[str, tuple[ExpectedReading, ...]]
    classes: Mapping[str, InflectionClass]
    contexts: tuple[str, ...]
    joints: tuple[Joint, ...]
    spellings: tuple[Spelling, ...]
    exemptions: tuple[Exemption, ...]

    def joins(self, first: Morpheme, second: Morpheme) -> bool:
        """Return whether a morpheme has the inflection that the next one requires."""
        asking = [joint for joint in self.joints if second.lemma in joint.next]
        for joint in asking:
            if first.is_a(joint.of) and (not joint.words or first.lemma in joint.words):
                return first.form.startswith(joint.needs)
        return first.form == "*" or not asking

    def readings(self, form: str, inflection_class: str) -> tuple[ExpectedReading, ...]:
        """Return the readings of a form; empty if the class has no such form."""
        known = self.classes.get(inflection_class)
        names = {inflection_class, known.group} if known is not None else {inflection_class}
        return tuple(row for row in self.forms.get(form, ()) if names.intersection(row.classes))


def library_knowledge(sources: SourceMap) -> Knowledge:
    """Return the library's tables; raise ``ValueError`` if the installation is damaged."""

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
    """Return the path of a grammar's table of exemptions: ``farm.morphology.yaml`` for ``farm.sgl``."""
    return grammar.with_suffix(".morphology.yaml")


def grammar_exemptions(main: Path, shown: str, sources: SourceMap, diagnostics: Diagnostics) -> tuple[Exemption, ...]:
    """Return the exemptions of a grammar; ``shown`` is the name of their table in messages."""
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
