"""Check every inflected word of a grammar, and report the doubtful ones row by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sgl.diagnostics import Diagnostics, Label
from sgl.frontend.queries import Inflection
from sgl.morphology.analyser import Analyse, Morpheme
from sgl.morphology.compare import Base, FormComparison
from sgl.morphology.knowledge import (
    LANGUAGE,
    UNKNOWN,
    Exemption,
    ExpectedReading,
    Knowledge,
    Spelling,
)

#: In a table of exemptions, the form of a row about the class of a word.
CLASS = "class"

#: The form of a text that stands in a cell for the dictionary form itself.
_DICTIONARY = "nonpast"


@dataclass(frozen=True, slots=True)
class MorphologyResult:
    """What was checked: forms and words are counted once for each row of a table.

    ``exempted`` are the exemptions that were needed, ``spellings`` the dictionary forms
    that had to be translated.
    """

    forms: int
    words: int
    doubtful: int
    exempted: tuple[Exemption, ...]
    spellings: tuple[Spelling, ...]


def check_morphology(
    inflections: Sequence[Inflection],
    knowledge: Knowledge,
    analyse: Analyse,
    diagnostics: Diagnostics,
    table: str,
) -> MorphologyResult:
    """Let the analyser read every form of the library's paradigms and functions.

    ``table`` is the name of the file in which the author may exempt a form.
    Forms that rows give in a cell of their own are checked as well: they must contain
    what the paradigm would have made, in that order (知っていた, a past of 知る).
    """
    check = _Check(FormComparison(analyse, knowledge), knowledge, diagnostics, table)
    forms = _forms(inflections, knowledge)
    doubtful = sum(not check.is_right(inflection) for inflection in forms)
    return MorphologyResult(
        forms=len(forms),
        words=len({_word(inflection) for inflection in forms}),
        doubtful=doubtful,
        exempted=tuple(row for row in knowledge.exemptions if row in check.exempted),
        spellings=tuple(row for row in knowledge.spellings if row in check.comparison.used),
    )


def report_idle(
    rows: Iterable[Exemption], outcome: MorphologyResult, diagnostics: Diagnostics
) -> None:
    """Warn about exemptions that were not needed."""
    for row in rows:
        if row not in outcome.exempted:
            diagnostics.warning(
                "SGL0654",
                row.span,
                f"this row exempts nothing: no form `{row.gives}` is doubtful",
                hint="remove the row, or correct it",
            )


def _forms(inflections: Sequence[Inflection], knowledge: Knowledge) -> list[Inflection]:
    """Return the forms of words of the language, each once for each row.

    A cell that stands for the word itself counts where the row inflects that word.
    """
    found: dict[tuple[object, ...], Inflection] = {}
    inflected = {
        (inflection.row, inflection.application.word): inflection.application.inflection_class
        for inflection in inflections
        if inflection.application.language == LANGUAGE
        and inflection.application.form in knowledge.forms
    }
    for inflection in inflections:
        made = inflection.application
        inflection_class = inflected.get((inflection.row, made.word))
        if inflection_class is None:
            continue
        if made.form in knowledge.forms:
            found.setdefault((inflection.row, made.form, made.word, made.instead), inflection)
        elif not made.form:
            plain = replace(made, form=_DICTIONARY, inflection_class=inflection_class)
            key = (inflection.row, _DICTIONARY, made.word, made.instead)
            found.setdefault(key, Inflection(plain, inflection.row))
    return list(found.values())


def _word(inflection: Inflection) -> tuple[object, ...]:
    made = inflection.application
    return (inflection.row, made.word, made.inflection_class)


@dataclass
class _Check:
    """One run: the exemptions that were needed are collected in ``exempted``."""

    comparison: FormComparison
    knowledge: Knowledge
    diagnostics: Diagnostics
    table: str
    exempted: set[Exemption] = field(default_factory=set)

    def is_right(self, inflection: Inflection) -> bool:
        """Return whether a form is read as it should be, or exempt; report it otherwise."""
        made = inflection.application
        bases = self.comparison.bases(made.word, made.inflection_class)
        if not bases:
            if not self._is_exempt(CLASS, made.word, made.inflection_class):
                self._report_class(inflection)
                return False
            bases = (Base(self.comparison.analyse(made.word), "", UNKNOWN),)
        readings = self.knowledge.readings(made.form, made.inflection_class)
        given = made.instead or made.result
        agrees = self.comparison.contains if made.instead else self.comparison.is_read_as
        if any(agrees(given, base, reading) for base in bases for reading in readings):
            return True
        if self._is_exempt(made.form, made.word, given):
            return True
        self._report_form(inflection, bases[0], readings)
        return False

    def _is_exempt(self, form: str, word: str, gives: str) -> bool:
        for row in self.knowledge.exemptions:
            if (row.form, row.word, row.gives) == (form, word, gives):
                self.exempted.add(row)
                return True
        return False

    def _exemption(self, form: str, word: str, gives: str) -> str:
        """How an author would exempt a form."""
        row = f"- {{form: {form}, word: {word}, gives: {gives}, reason: …}}"
        return f"or, if the analyser is wrong, add to `{self.table}`: {row}"

    def _report_class(self, inflection: Inflection) -> None:
        made = inflection.application
        read = self.comparison.analyse(made.word)
        self.diagnostics.error(
            "SGL0652",
            inflection.place,
            f"the analyser does not know `{made.word}` as the dictionary form of a word of "
            f"class `{made.inflection_class}`",
            labels=[Label(made.call, "inflected here")] if inflection.row else [],
            notes=(f"it reads {_shown(read)}",),
            hint="correct the word or its class, "
            + self._exemption(CLASS, made.word, made.inflection_class),
        )

    def _report_form(
        self, inflection: Inflection, base: Base, readings: Sequence[ExpectedReading]
    ) -> None:
        made = inflection.application
        given = made.instead or made.result
        expected = [
            " + ".join("/".join(words) for words in self.comparison.expected(base, reading))
            + (f" ({'/'.join(reading.ends)})" if any(reading.ends) else "")
            for reading in readings
        ]
        frame = readings[0].frames[0] if readings else ""
        read = self.comparison.analyse(base.before + given + frame)
        self.diagnostics.error(
            "SGL0651",
            inflection.place,
            f"the analyser does not read `{given}` as the form `{made.form}` of `{made.word}`",
            labels=[Label(made.call, "made here")] if inflection.row else [],
            notes=(
                f"expected is {' or '.join(expected) or 'nothing: the class has no such form'}",
                f"it reads {_shown(read)}",
            ),
            hint="correct the word, its class or the cell, "
            + self._exemption(made.form, made.word, given),
        )


def _shown(morphemes: Sequence[Morpheme]) -> str:
    return " + ".join(
        f"{m.lemma} ({m.kind if m.conjugation == '*' else f'{m.conjugation}, {m.form}'})"
        for m in morphemes
    )
