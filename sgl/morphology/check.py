"""Check every inflected word of a grammar, and report the doubtful ones row by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sgl.diagnostics import Diagnostics, Label
from sgl.frontend.morphology import Inflection
from sgl.morphology.analyser import Analyse, Morpheme
from sgl.morphology.compare import Base, FormComparison
from sgl.morphology.knowledge import LANGUAGE, UNKNOWN, Exemption, Knowledge, Spelling

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
    words = {(form.row, form.word, form.inflection_class) for form in forms}
    doubtful = sum(not check.is_right(form) for form in forms)
    return MorphologyResult(
        forms=len(forms),
        words=len(words),
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
            message = f"this row exempts nothing: no form `{row.gives}` is doubtful"
            diagnostics.warning("SGL0654", row.span, message, "remove the row, or correct it")


def _forms(inflections: Sequence[Inflection], knowledge: Knowledge) -> list[Inflection]:
    """Return the forms of words of the language, each once for each row.

    A cell that stands for the word itself counts where the row inflects that word.
    """
    found: dict[tuple[object, ...], Inflection] = {}
    inflected = {
        (made.row, made.word): made.inflection_class
        for made in inflections
        if made.language == LANGUAGE and made.form in knowledge.forms
    }
    for made in inflections:
        inflection_class = inflected.get((made.row, made.word))
        if inflection_class is None:
            continue
        if made.form in knowledge.forms:
            found.setdefault((made.row, made.form, made.word, made.instead), made)
        elif not made.form:
            plain = replace(made, form=_DICTIONARY, inflection_class=inflection_class)
            key = (made.row, _DICTIONARY, made.word, made.instead)
            found.setdefault(key, plain)
    return list(found.values())


@dataclass
class _Check:
    """One run: the exemptions that were needed are collected in ``exempted``."""

    comparison: FormComparison
    knowledge: Knowledge
    diagnostics: Diagnostics
    table: str
    exempted: set[Exemption] = field(default_factory=set)

    def is_right(self, made: Inflection) -> bool:
        """Return whether a form is read as it should be, or exempt; report it otherwise."""
        bases = self.comparison.bases(made.word, made.inflection_class)
        if not bases:
            read = self.comparison.analyse(made.word)
            if not self._is_exempt(CLASS, made.word, made.inflection_class):
                message = f"the analyser does not know `{made.word}` as the dictionary form of "
                message += f"a word of class `{made.inflection_class}`"
                notes = [f"it reads {_shown(read)}"]
                exempt = (CLASS, made.word, made.inflection_class)
                self._report("SGL0652", made, message, "the word or its class", notes, exempt)
                return False
            bases = (Base(read, "", UNKNOWN),)
        readings = self.knowledge.readings(made.form, made.inflection_class)
        given, with_more = made.instead or made.result, bool(made.instead)
        if any(
            self.comparison.is_read_as(given, base, reading, with_more=with_more)
            for base in bases
            for reading in readings
        ):
            return True
        if self._is_exempt(made.form, made.word, given):
            return True
        expected = [
            " + ".join("/".join(words) for words in self.comparison.expected(bases[0], reading))
            + (f" ({'/'.join(reading.ends)})" if any(reading.ends) else "")
            for reading in readings
        ]
        frame = readings[0].frames[0] if readings else ""
        read = self.comparison.analyse(bases[0].before + given + frame)
        message = f"the analyser does not read `{given}` as the form `{made.form}` of `{made.word}`"
        wanted = " or ".join(expected) or "nothing: the class has no such form"
        notes = [f"expected is {wanted}", f"it reads {_shown(read)}"]
        exempt = (made.form, made.word, given)
        self._report("SGL0651", made, message, "the word, its class or the cell", notes, exempt)
        return False

    def _is_exempt(self, form: str, word: str, gives: str) -> bool:
        for row in self.knowledge.exemptions:
            if (row.form, row.word, row.gives) == (form, word, gives):
                self.exempted.add(row)
                return True
        return False

    def _report(
        self,
        code: str,
        made: Inflection,
        message: str,
        correct: str,
        notes: Sequence[str],
        exempt: tuple[str, str, str],
    ) -> None:
        """Report a doubtful form, and say what to correct or how to exempt it."""
        row = "- {{form: {}, word: {}, gives: {}, reason: …}}".format(*exempt)
        hint = f"correct {correct}, or, if the analyser is wrong, add to `{self.table}`: {row}"
        where = "inflected here" if exempt[0] == CLASS else "made here"
        labels = [Label(made.call, where)] if made.row else []
        self.diagnostics.error(code, made.place, message, hint, labels=labels, notes=notes)


def _shown(morphemes: Sequence[Morpheme]) -> str:
    return " + ".join(
        f"{m.lemma} ({m.kind if m.conjugation == '*' else f'{m.conjugation}, {m.form}'})"
        for m in morphemes
    )
