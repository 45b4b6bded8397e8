"""Check every inflected word of a grammar, and report the doubtful ones row by row.

An analyser needs context to choose a reading: たい alone may be a fish, after a stem it is a wish.  So each form is
read in several contexts, and is right if one of them gives the expected reading.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path

from sgl.diagnostics import Diagnostics, Label, SourceMap
from sgl.frontend import Compiled
from sgl.frontend.elaborate.columns import Inflection
from sgl.frontend.passes import inflections
from sgl.morphology import knowledge as known
from sgl.values import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Base:
    """A dictionary form as the analyser reads it, preceded by the text ``before``."""

    morphemes: tuple[known.Morpheme, ...]
    before: str
    inflection_class: known.InflectionClass


#: A form as the analyser reads it, and the morphemes of the text after it.
FoundForm = tuple[tuple[known.Morpheme, ...], tuple[known.Morpheme, ...]]


@dataclass(frozen=True)
class FormComparison:
    """Compares forms with their expected readings; ``used`` collects the spellings that mattered."""

    analyse: known.Analyse
    knowledge: known.Knowledge
    used: set[known.Spelling] = field(default_factory=set)

    def lemma(self, morpheme: known.Morpheme) -> str:
        """Return the dictionary form of a morpheme in the library's spelling."""
        for spelling in self.knowledge.spellings:
            if spelling.analyser == morpheme.lemma and morpheme.is_a(spelling.reads):
                self.used.add(spelling)
                return spelling.word
        return morpheme.lemma

    def bases(self, word: str, inflection_class: str) -> tuple[Base, ...]:
        """Return the readings of the word as a dictionary form of its class, over all contexts."""
        expected = self.knowledge.classes.get(inflection_class)
        if expected is None:
            return ()
        found: dict[Base, None] = {}
        for before in self.knowledge.contexts:
            for morphemes, _ in self._read(word, before, known.FRAMES):
                last = morphemes[-1]
                inflected = last.form.startswith(expected.ends) and last.lemma == last.surface
                if inflected and last.is_a(expected.reads):
                    found[Base(morphemes, before, expected)] = None
        return tuple(found)

    def is_read_as(self, text: str, base: Base, reading: known.ExpectedReading, *, with_more: bool = False) -> bool:
        """Return whether a text reads as word and additions; ``with_more`` in between (知っていた, of 知る)."""
        fits = self._is_around if with_more else self._is_the_word
        # Each morpheme must have the inflection that the next one requires.
        return reading.last in ("", base.morphemes[-1].lemma) and any(
            fits(morphemes, base, reading)
            and all(self.knowledge.joins(*pair) for pair in pairwise((*morphemes, *frame)))
            for morphemes, frame in self._read(text, base.before, reading.frames)
        )

    def expected(self, base: Base, reading: known.ExpectedReading) -> list[tuple[str, ...]]:
        """Return the possible dictionary forms of each morpheme of a form."""
        own = [(self.lemma(morpheme),) for morpheme in base.morphemes]
        return [*own[:-1], reading.replaces or own[-1], *reading.adds]

    def _is_the_word(self, found: Sequence[known.Morpheme], base: Base, reading: known.ExpectedReading) -> bool:
        expected = self.expected(base, reading)
        if len(found) != len(expected) or not all(map(self._is_one_of, found, expected)):
            return False
        *stays, last = base.morphemes
        same = [morpheme.surface for morpheme in found[: len(stays)]] == [m.surface for m in stays]
        # 来 of 来ない belongs to the class of 来る (kuru); 来ら is a form of another verb with the same spelling.
        inflected = found[len(stays)]
        of_its_class = (
            inflected.lemma in reading.replaces if reading.replaces else inflected.is_a(base.inflection_class.reads)
        )
        of_its_class |= inflected.lemma != last.lemma
        return same and of_its_class and found[-1].form.startswith(reading.ends)

    def _is_around(self, found: Sequence[known.Morpheme], base: Base, reading: known.ExpectedReading) -> bool:
        rest = iter(found)
        in_order = all(
            any(self._is_one_of(morpheme, words) for morpheme in rest) for words in self.expected(base, reading)
        )
        last = found[-1]
        ends_alike = not reading.adds or self._is_one_of(last, reading.adds[-1])
        return in_order and ends_alike and last.form.startswith(reading.ends)

    def _is_one_of(self, morpheme: known.Morpheme, words: Sequence[str]) -> bool:
        itself = known.ITSELF in words and morpheme.surface == morpheme.lemma
        return itself or self.lemma(morpheme) in words

    def _read(self, text: str, before: str, frames: Sequence[str]) -> Iterator[FoundForm]:
        for frame in frames:
            morphemes = self.analyse(before + text + frame)
            ends = [0, *accumulate(len(morpheme.surface) for morpheme in morphemes)]
            begin, end = len(before), len(before) + len(text)
            if begin in ends and end in ends and begin < end:
                first, last = ends.index(begin), ends.index(end)
                yield morphemes[first:last], morphemes[last:]


#: The `form` of an exemption for the class of a word.
CLASS = "class"

#: The form of a cell that contains the dictionary form itself.
_DICTIONARY = "nonpast"


@dataclass(frozen=True, slots=True)
class MorphologyResult:
    """The number of checked forms and words and of doubtful forms; the exemptions and ``spellings`` that were used."""

    forms: int
    words: int
    doubtful: int
    exempted: tuple[known.Exemption, ...]
    spellings: tuple[known.Spelling, ...]


def check_morphology(
    inflections: Sequence[Inflection],
    knowledge: known.Knowledge,
    analyse: known.Analyse,
    diagnostics: Diagnostics,
    table: str,
) -> MorphologyResult:
    """Check every form of the library's paradigms and functions with the analyser.

    ``table`` is the file in which the author may exempt a form.  A form in a cell of its own must contain the morphemes
    of the paradigm's form, in order (知っていた, a past of 知る).
    """
    check = _Check(FormComparison(analyse, knowledge), diagnostics, table)
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


def _forms(inflections: Sequence[Inflection], knowledge: known.Knowledge) -> list[Inflection]:
    """Return the forms of Japanese words, each once per row.

    A cell with the word itself counts if the row inflects that word.
    """
    found: dict[tuple[object, ...], Inflection] = {}
    inflected = {
        (made.row, made.word): made.inflection_class
        for made in inflections
        if made.language == known.LANGUAGE and made.form in knowledge.forms
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
    """One run; ``exempted`` collects the exemptions that were needed."""

    comparison: FormComparison
    diagnostics: Diagnostics
    table: str
    exempted: set[known.Exemption] = field(default_factory=set)

    def is_right(self, made: Inflection) -> bool:
        comparison, inflection_class = self.comparison, made.inflection_class
        bases = comparison.bases(made.word, inflection_class)
        if not bases:
            read = comparison.analyse(made.word)
            message = f"the analyser does not know `{made.word}` as the dictionary form of a word of class "
            notes = [f"it reads {_shown(read)}"]
            if not self._is_exempt(made, CLASS, inflection_class, f"{message}`{inflection_class}`", notes):
                return False
            bases = (Base(read, "", known.UNKNOWN),)
        readings = comparison.knowledge.readings(made.form, inflection_class)
        given, with_more = made.instead or made.result, bool(made.instead)
        if any(
            comparison.is_read_as(given, base, reading, with_more=with_more) for base in bases for reading in readings
        ):
            return True
        expected = [
            " + ".join("/".join(words) for words in comparison.expected(bases[0], reading))
            + (f" ({'/'.join(reading.ends)})" if any(reading.ends) else "")
            for reading in readings
        ]
        frame = readings[0].frames[0] if readings else ""
        read = comparison.analyse(bases[0].before + given + frame)
        message = f"the analyser does not read `{given}` as the form `{made.form}` of `{made.word}`"
        wanted = " or ".join(expected) or "nothing: the class has no such form"
        return self._is_exempt(made, made.form, given, message, [f"expected is {wanted}", f"it reads {_shown(read)}"])

    def _is_exempt(self, made: Inflection, form: str, gives: str, message: str, notes: Sequence[str]) -> bool:
        """Return whether a row exempts a doubtful form; if none does, report the form."""
        for row in self.comparison.knowledge.exemptions:
            if (row.form, row.word, row.gives) == (form, made.word, gives):
                self.exempted.add(row)
                return True
        code, correct, where = "SGL0651", "the word, its class or the cell", "made here"
        if form == CLASS:
            code, correct, where = "SGL0652", "the word or its class", "inflected here"
        added = f"- {{form: {form}, word: {made.word}, gives: {gives}, reason: …}}"
        hint = f"correct {correct}, or, if the analyser is wrong, add to `{self.table}`: {added}"
        labels = [Label(made.call, where)] if made.row else []
        self.diagnostics.error(code, made.place, message, hint, labels=labels, notes=notes)
        return False


def _shown(morphemes: Sequence[known.Morpheme]) -> str:
    return " + ".join(
        f"{m.lemma} ({m.kind if m.conjugation == '*' else f'{m.conjugation}, {m.form}'})" for m in morphemes
    )


def check_inflected(
    compiled: Compiled, sources: SourceMap, diagnostics: Diagnostics
) -> tuple[MorphologyResult, str] | None:
    """Report Japanese forms that are read as others; return the result and the versions, or None without analyser."""
    try:
        analyser = known.sudachi()
    except known.AnalyserMissing as problem:
        message = "the morphological analyser is not installed"
        diagnostics.error("SGL0655", None, message, "pip install 'sgl-compiler[ja]'", notes=(str(problem),))
        return None
    main = compiled.project.main
    library = known.library_knowledge(sources)
    table = known.beside(Path(main.file.name)).as_posix()
    own = known.grammar_exemptions(main.path, table, sources, diagnostics)
    knowledge = replace(library, exemptions=(*own, *library.exemptions))
    forms = inflections(compiled.project, compiled.parameters)
    outcome = check_morphology(forms, knowledge, analyser.analyse, diagnostics, table)
    for row in own:
        if row not in outcome.exempted:
            message = f"this row exempts nothing: no form `{row.gives}` is doubtful"
            diagnostics.warning("SGL0654", row.span, message, "remove the row, or correct it")
    return outcome, analyser.versions
