"""What differs in the published sentences of SGET, and in how many of them?

    python benchmarks/errata.py shared/train.tsv shared/dev.tsv

reads the published rows (English, Japanese) with the grammar of SGET in both settings: `published=on` has the published
forms, and `published=off` corrects them.  With `on`, every row has one reading, and its Japanese is the published text
to the letter.  The words and rules of this reading that the other setting lacks are its *errata*:

    A child guess that Emma knew a guy.    guess …ことを想像した → …と推測した,  guy 人 → 男

With `off`, the rows that come out differently, or not at all, must be exactly those with an erratum: then the errata
are complete.  Prints, in Markdown, how many rows have each erratum and each cause, and ends with 1 if a row is not
accounted for.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from common import command_line
from errata_causes import CAUSES, causes_by_erratum
from opening import opened
from sgl.core.grammar import CoreGrammar, Rule, Token
from sgl.core.interpret import Derivation, interpret
from sgl.parsing import Parser
from sgl.resources import grammars_dir

#: What a table of the grammar lists.
KINDS = {
    "animates": "noun",
    "inanimates": "noun",
    "places": "noun after a preposition",
    "adjectives": "adjective",
    "primitives": "word alone",
    "intransitive": "verb without an object",
    "transitive": "verb with an object",
    "ditransitive": "verb with two objects",
    "complement": "verb with a clause",
    "control": "verb with an infinitive",
}

#: How the verb under an infinitive is written, by its form: する, to do.
_INFINITIVES = {"dict": "する", "stem": "し", "vol": "しよう"}

#: The article before a word, by its first sound.
_ARTICLES = {"vowel": "an ", "consonant": "a "}

#: Verbs of embedded clauses have a category of their own, because of the published orders.
_EMBEDDING, _EMBEDDED_AS = "Va", "Vt attr"

#: The cause of each erratum.
CAUSE_OF = causes_by_erratum()

#: The number of form pairs that a line of the table shows.
_SHOWN = 3


@dataclass(frozen=True, order=True)
class Erratum:
    """A difference: a row of a table (its kind and word), or a construction."""

    kind: str
    name: str


@dataclass(frozen=True)
class Form:
    """How an erratum is written in one form of the word: as published, and here.

    ``english`` is the part found in a sentence with the erratum, if the English differs.
    """

    published: str
    here: str
    english: str = ""

    def stands_in(self, sentence: str) -> bool:
        """Return whether an English sentence has it: not *the obese*, but *a obese*."""
        return f" {self.english}" in f" {sentence[:1].lower()}{sentence[1:]}"


#: Rules of `published=on` that build what the other setting builds otherwise.
ORDERS = {
    "gap_of_thing_published": Form("子供教師が見た見つけた本", "教師が見た子供が見つけた本"),
    "deep_gap": Form("子供母が聞いた教師が見た見つけた本", "母が聞いた教師が見た子供が見つけた本"),
}
ORDER = Erratum("construction", "embedding")
NAME = Erratum("construction", "name")
NAME_FORM = Form("Liam that the father helped", "–")
COMMA = Erratum("construction", "topic")
COMMA_FORM = Form("a nail , Liam found", "a nail, Liam found")
SPACED_COMMA = " ,"


@dataclass(frozen=True)
class Verdict:
    """What the two settings make of one row."""

    readings: int
    exact: bool
    exact_here: bool
    errata: Mapping[Erratum, Form]

    @property
    def accounted(self) -> bool:
        """Whether the row has one reading that is exact as published, and is exact here just if it has no errata."""
        return self.readings == 1 and self.exact and self.exact_here == (not self.errata)


class Errata:
    """Both settings of the grammar, and the words of the published setting that differ."""

    def __init__(self, published: CoreGrammar, here: CoreGrammar) -> None:
        self._published = Parser(published)
        self._here = Parser(here)
        self.words = dict(_differing_words(published, here))

    def judge(self, english: str, japanese: str) -> Verdict:
        """Return what both settings make of a row."""
        readings = self._published.parse(english)
        errata: dict[Erratum, Form] = {COMMA: COMMA_FORM} if SPACED_COMMA in english else {}
        for derivation in readings[:1]:
            errata |= self._errata(english, derivation)
        return Verdict(
            len(readings),
            _gives(self._published, readings, japanese),
            _gives(self._here, self._here.parse(english), japanese),
            errata,
        )

    def _errata(self, english: str, derivation: Derivation) -> dict[Erratum, Form]:
        grammar = self._published.grammar
        found: dict[Erratum, Form] = {}
        for place, number in enumerate(derivation):
            rule = grammar.rules[number]
            if number in self.words:
                erratum, form = self.words[number]
                if form.stands_in(english):
                    found[erratum] = form
            elif _reorders(grammar, rule):
                found[ORDER] = ORDERS[rule.name]
            below = derivation[place + 1 : place + 2]
            modifies = rule.name == "nested" or _reorders(grammar, rule)
            if modifies and below and grammar.rules[below[0]].name == "name":
                found[NAME] = NAME_FORM
        return found


def _reorders(grammar: CoreGrammar, rule: Rule) -> bool:
    """Return whether a rule puts the subject of a relative clause before a clause of its own."""
    return rule.name in ORDERS and "order=regular" not in grammar.categories[rule.lhs].name


def _gives(parser: Parser, readings: Sequence[Derivation], japanese: str) -> bool:
    return any(interpret(parser.grammar, found).texts[1] == japanese for found in readings)


def _differing_words(published: CoreGrammar, here: CoreGrammar) -> Iterator[tuple[int, tuple[Erratum, Form]]]:
    """Yield the words of ``published``, by rule, whose row gives another word ``here``."""
    own = {word.place: word for word in _words(here)}
    for word in _words(published):
        other = own.get(word.place, word)
        if (word.english, word.japanese) != (other.english, other.japanese):
            erratum = Erratum(KINDS[word.place[0]], _lemma(word.rule))
            yield word.rule.id, (erratum, _contrast(word, other))


@dataclass(frozen=True)
class _Word:
    """A word with its context: the article, or the verb under an infinitive.

    ``place`` is the table, the line of the row, and the form, which are the same in both settings.
    """

    place: tuple[str, int, str]
    rule: Rule
    english: str
    japanese: str


def _words(grammar: CoreGrammar) -> Iterator[_Word]:
    """Yield the words of tables."""
    for rule in grammar.rules:
        if rule.lexical and rule.origin is not None and rule.origin.file.endswith(".yaml"):
            category, _, rest = grammar.categories[rule.lhs].name.rstrip("]").partition("[")
            features = dict(f.split("=") for f in rest.split(", ")) if rest else {}
            slot = f"{category} {features.get('form', '')}".strip()
            english, japanese = (
                "".join(item.text for item in template if isinstance(item, Token)) for template in rule.templates
            )
            yield _Word(
                (Path(rule.origin.file).stem, rule.origin.line, _EMBEDDED_AS if slot == _EMBEDDING else slot),
                rule,
                _ARTICLES.get(features.get("sound", ""), "") + english,
                _INFINITIVES.get(features.get("inner", ""), "") + japanese,
            )


def _lemma(rule: Rule) -> str:
    return dict(rule.fragments[0].nodes[0].attributes or ())["lemma"]


def _contrast(published: _Word, here: _Word) -> Form:
    """Return both spellings, without the language in which they are the same."""
    if published.english == here.english:
        return Form(published.japanese, here.japanese)
    if published.japanese == here.japanese:
        return Form(published.english, here.english, published.english)
    return Form(f"{published.english} {published.japanese}", f"{here.english} {here.japanese}", published.english)


# ---- counting


@dataclass
class Count:
    """The verdicts on the rows of one file."""

    rows: int = 0
    ambiguous: int = 0
    exact: int = 0
    exact_here: int = 0
    errata: Counter[Erratum] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)
    forms: dict[Erratum, Counter[Form]] = field(default_factory=lambda: defaultdict(Counter))
    unaccounted: list[str] = field(default_factory=list)

    def add(self, english: str, verdict: Verdict) -> None:
        """Count the verdict on a row."""
        self.rows += 1
        self.ambiguous += verdict.readings > 1
        self.exact += verdict.exact
        self.exact_here += verdict.exact_here
        self.errata.update(verdict.errata.keys())
        self.causes.update({CAUSE_OF[e.kind, e.name] for e in verdict.errata})
        for erratum, form in verdict.errata.items():
            self.forms[erratum][form] += 1
        if not verdict.accounted:
            self.unaccounted.append(english)


def count(errata: Errata, rows: Iterable[tuple[str, str]]) -> Count:
    """Return the verdicts on rows of English and Japanese; a repeated row is judged once."""
    total = Count()
    seen: dict[tuple[str, str], Verdict] = {}
    for row in rows:
        if row not in seen:
            seen[row] = errata.judge(*row)
        total.add(row[0], seen[row])
    return total


def read_rows(path: Path) -> list[tuple[str, str]]:
    """Read the first two columns of a corpus."""
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [(row[0], row[1]) for row in reader]


def both_settings() -> Errata:
    """Return the grammar of SGET in both settings."""
    return Errata(_grammar("on"), _grammar("off"))


def _grammar(published: str) -> CoreGrammar:
    return opened(grammars_dir() / "sget.sgl", {"published": published}).grammar


# ---- tables


def summary(counts: Mapping[str, Count]) -> list[str]:
    """Return a table of what becomes of each file's rows in both settings."""
    lines = ["| rows | " + " | ".join(counts) + " |", "| --- |" + " ---: |" * len(counts)]
    figures = {
        "all": [total.rows for total in counts.values()],
        "`published=on`: exactly the published Japanese": [c.exact for c in counts.values()],
        "… with more than one reading": [c.ambiguous for c in counts.values()],
        "`published=off`: exactly the published Japanese": [c.exact_here for c in counts.values()],
        "not accounted for": [len(c.unaccounted) for c in counts.values()],
    }
    for name, numbers in figures.items():
        lines.append(f"| {name} | " + " | ".join(f"{number:,}" for number in numbers) + " |")
    return lines


def cause_table(counts: Mapping[str, Count]) -> list[str]:
    """Return a table of the rows with errata of each cause; a row may have several."""
    lines = ["| cause | " + " | ".join(counts) + " |", "| --- |" + " ---: |" * len(counts)]
    for cause in CAUSES:
        numbers = " | ".join(f"{total.causes[cause]:,}" for total in counts.values())
        lines.append(f"| {cause} | {numbers} |")
    return lines


def table(errata: Errata, counts: Mapping[str, Count]) -> list[str]:
    """Return a table of all errata with their forms and numbers of rows, the most frequent first."""
    declared: dict[Erratum, Counter[Form]] = defaultdict(Counter)
    for erratum, form in errata.words.values():
        declared[erratum][form] += 0
    for found in counts.values():
        for erratum, forms in found.forms.items():
            declared[erratum].update(forms)
    lines = [
        "| kind | word | published | here | " + " | ".join(counts) + " |",
        "| --- | --- | --- | --- |" + " ---: |" * len(counts),
    ]
    for erratum in sorted(declared, key=lambda e: (_order(e), -_rows(e, counts), e.name)):
        forms = [form for form, _ in declared[erratum].most_common(_SHOWN)]
        cells = [
            erratum.kind,
            erratum.name,
            ", ".join(dict.fromkeys(form.published for form in forms)),
            ", ".join(dict.fromkeys(form.here for form in forms)),
            *(f"{total.errata[erratum]:,}" for total in counts.values()),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _order(erratum: Erratum) -> int:
    kinds = ["construction", *dict.fromkeys(KINDS.values())]
    return kinds.index(erratum.kind)


def _rows(erratum: Erratum, counts: Mapping[str, Count]) -> int:
    return sum(total.errata[erratum] for total in counts.values())


def main() -> None:
    """Print the tables and the rows that are not accounted for."""
    parser = command_line(__doc__)
    parser.add_argument("corpus", type=Path, nargs="+", help="published rows: English, Japanese")
    paths: list[Path] = parser.parse_args().corpus
    errata = both_settings()
    counts = {path.stem: count(errata, read_rows(path)) for path in paths}
    parts = [summary(counts), cause_table(counts), table(errata, counts)]
    print("\n\n".join("\n".join(lines) for lines in parts))
    unaccounted = [f"{name}: {row}" for name, c in counts.items() for row in c.unaccounted]
    for line in unaccounted:
        print(line, file=sys.stderr)
    sys.exit(1 if unaccounted else 0)


if __name__ == "__main__":
    main()
