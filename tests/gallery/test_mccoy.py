"""Question formation and tense reinflection: each output is what plain code makes of the words.

What the main auxiliary, the first auxiliary, the subject and the noun before a verb are is found
here in the words alone, by a reader of the flat sentences of this language that knows no grammar.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest
import yaml
from described import lines_of
from sget import compile_file

from sgl.cli.main import run
from sgl.core.interpret import interpret
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.resources import grammars_dir
from sgl.verify import certificate_faults

GALLERY = grammars_dir() / "gallery"
PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "mccoy"
published = pytest.mark.skipif(not PUBLISHED.exists(), reason="the published data are not here")

#: The published sets as settings of one of the two grammars.
SETS: dict[str, tuple[str, dict[str, str]]] = {
    "question": ("question", {}),
    "question_main": ("question", {"question": "main"}),
    "question_first": ("question", {"question": "first"}),
    "question_main_tense": ("question", {"question": "main", "tense": "ambiguous", "inflected": "on"}),
    "question_main_tense_aux": ("question", {"question": "main", "tense": "ambiguous"}),
    "question_tense_subject": ("question", {"tense": "subject", "inflected": "on"}),
    "question_tense_aux_subject": ("question", {"tense": "subject"}),
    "tense": ("tense", {}),
    "tense_subject": ("tense", {"tense": "subject"}),
    "tense_recent": ("tense", {"tense": "recent"}),
    "tense_aux": ("tense", {"auxiliaries": "on", "inflected": "off"}),
    "tense_aux_subject": ("tense", {"tense": "subject", "auxiliaries": "on", "inflected": "off"}),
}
#: The files that are here, with the structures of the patterns that an audit finds in them.
FILES = ("question", "question_main", "tense", "tense_subject")

TABLE = yaml.safe_load((GALLERY / "lexicon" / "mccoy.yaml").read_text("utf-8"))
NOUNS = {row[number]: number for row in TABLE if row["class"] == "noun" for number in ("sg", "pl")}
VERBS = [row for row in TABLE if row["class"] in ("intrans", "trans")]
FINITE = {row["past"]: row for row in TABLE if "past" in row}
AUXILIARIES = {"do", "does", "don't", "doesn't"}
PREPOSITIONS = {row["word"] for row in TABLE if row["class"] == "prep"}
DETERMINERS = {row["word"] for row in TABLE if row["class"] == "det"}
RELATIVES = {row["word"] for row in TABLE if row["class"] == "rel"}


@cache
def grammar(name: str) -> Compiled:
    """The grammar of a set."""
    file, settings = SETS[name]
    return compile_file(GALLERY / f"{file}.sgl", settings)


def subject_ends(words: list[str], verbs: set[str]) -> int:
    """The place of the first word after the subject: the main verb, or its auxiliary."""
    places = [place for place, word in enumerate(words) if word in verbs]
    return places[1] if words[2] in RELATIVES else places[0]


def answers(source: str) -> tuple[str, str]:
    """What the hierarchical and the linear hypothesis make of a sentence."""
    *words, stop, task = source.split()
    assert stop == "."
    if task in ("decl", "PAST"):
        return " ".join([*words, "."]), " ".join([*words, "."])
    if task == "quest":
        first = next(place for place, word in enumerate(words) if word in AUXILIARIES)
        places = (subject_ends(words, AUXILIARIES), first)
        moved = [[words[place], *words[:place], *words[place + 1 :], "?"] for place in places]
        return " ".join(moved[0]), " ".join(moved[1])
    # *Read* may be bare; where there are auxiliaries, they alone are finite.
    helpers = {"did", "didn't"} & set(words)
    finite = {word: FINITE[word] for word in helpers or FINITE}
    main = subject_ends(words, set(finite))
    hierarchical, linear, recent = list[str](), list[str](), "sg"
    for place, word in enumerate(words):
        recent = NOUNS.get(word, recent)
        number = NOUNS[words[1]] if place == main else recent
        for said, own in ((hierarchical, number), (linear, recent)):
            row = finite.get(word)
            said.append(word if row is None else row["sg" if own == "sg" else "bare"])
    return " ".join([*hierarchical, "."]), " ".join([*linear, "."])


def sentences(name: str, count: int) -> Iterator[dict[str, str]]:
    """Sentences of a set, with their texts by layer."""
    core = grammar(name).grammar
    layers = [layer.name for layer in core.text_layers]
    for derivation in sampled(grammar(name), count):
        yield dict(zip(layers, interpret(core, derivation).texts, strict=True))


def sampled(compiled: Compiled, count: int) -> Iterator[tuple[int, ...]]:
    """Derivations of the whole grammar, each alternative with the same chance."""
    random, core = Random(1), compiled.grammar  # noqa: S311
    by_category: dict[int, list[int]] = {}
    for rule in core.rules:
        by_category.setdefault(rule.lhs, []).append(rule.id)

    def derive(category: int) -> Iterator[int]:
        chosen = random.choice(by_category[category])
        yield chosen
        for child in core.rules[chosen].rhs:
            yield from derive(child)

    return (tuple(derive(core.start)) for _ in range(count))


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_each_layer_answers_as_its_hypothesis_says(name: str) -> None:
    which = "linear" if name in ("question_first", "tense_recent") else "hierarchical"
    tasks = set[str]()
    for texts in sentences(name, 200):
        assert (texts["hierarchical"], texts["linear"]) == answers(texts["en"])
        assert texts["out"] == texts[which]
        tasks.add(texts["en"].split()[-1])
    asked = {"quest", "decl"} if "question" in name else set()
    assert tasks == asked | ({"PAST", "PRESENT"} if "tense" in name else set())


def bracketed(text: str) -> str:
    """A sentence, with or without its task, or a question: each phrase of several words in brackets."""
    words = text.split()
    task = [words.pop()] if words[-1] not in (".", "?") else []
    helpers = AUXILIARIES | {"did", "didn't"}

    def phrase(*parts: str) -> str:
        return f"[ {' '.join(parts)} ]"

    def noun() -> str:
        return phrase(words.pop(0), words.pop(0))

    def nominal() -> str:
        head = noun()
        if words[0] in PREPOSITIONS:
            return phrase(head, phrase(words.pop(0), noun()))
        return phrase(head, relative()) if words[0] in RELATIVES else head

    def relative() -> str:
        who = words.pop(0)
        if words[0] in DETERMINERS:
            return phrase(who, phrase(noun(), predicate(noun, is_object=False)))
        return phrase(who, predicate(noun))

    def predicate(inner: Callable[[], str], is_object: bool = True) -> str:
        if words[0] in helpers:
            return phrase(words.pop(0), predicate(inner, is_object))
        verb = words.pop(0)
        return phrase(verb, inner()) if is_object and words[0] in DETERMINERS else verb

    front = [words.pop(0)] if words[0] in helpers else []
    clause = phrase(nominal(), predicate(nominal))
    clause = phrase(*front, clause) if front else clause
    return " ".join([phrase(clause, words.pop(0)), *task])


@pytest.mark.parametrize("name", SETS)
def test_brackets_are_around_phrases(name: str) -> None:
    for texts in sentences(name, 100):
        assert texts["bracket"] == bracketed(texts["en"])
        assert texts["bracket_out"] == bracketed(texts["hierarchical"])


@pytest.mark.parametrize("name", SETS)
def test_auxiliaries_are_where_a_set_has_them(name: str) -> None:
    tensed = [texts["en"] for texts in sentences(name, 100) if texts["en"].split()[-1].isupper()]
    helped = [re.search(r"\bdid(n't)?\b", text) is not None for text in tensed]
    assert all(helped) if "aux" in name else not any(helped)


@pytest.mark.parametrize(
    "name", [name if name == "question" else pytest.param(name, marks=pytest.mark.acceptance) for name in SETS]
)
def test_a_set_is_proved_and_its_certificate_holds(name: str, tmp_path: Path) -> None:
    file, settings = SETS[name]
    given = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    path = tmp_path / "certificate.json"
    assert run(["prove", str(GALLERY / f"{file}.sgl"), "--certificate", str(path), *given]) == 0
    assert certificate_faults(path.read_bytes()) == ()
    held = [pattern.name for pattern in grammar(name).plan.patterns]
    ambiguous = {
        "moved": "question" in name and "_main" not in name and "_first" not in name,
        "attracted": "tense" in name and "_subject" not in name and "_recent" not in name,
    }
    assert held == [pattern for pattern, here in ambiguous.items() if here]


def test_both_grammars_and_what_they_share_have_at_most_250_lines() -> None:
    files = (GALLERY / "question.sgl", GALLERY / "tense.sgl", GALLERY / "mccoy" / "english.sgl")
    assert lines_of(*files) <= 250


@published
@pytest.mark.parametrize("name", FILES)
def test_published_rows_are_read_once_and_answered_exactly(name: str) -> None:
    core = grammar(name).grammar
    parser = Parser(core)
    lines = (PUBLISHED / f"{name}.dev.tsv").read_text("utf-8").splitlines()
    for source, output in [line.split("\t") for line in lines[:100]]:
        (derivation,) = parser.parse(source)
        texts = interpret(core, derivation).texts
        assert texts[:2] == (source, output)
        assert texts[2:4] == answers(source)
        assert output == texts[2]


@published
@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_an_audit_reads_every_published_row(name: str, tmp_path: Path) -> None:
    file, settings = SETS[name]
    given = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    out = tmp_path / "audit.json"
    corpus = str(PUBLISHED / f"{name}.dev.tsv")
    assert run(["audit", str(GALLERY / f"{file}.sgl"), corpus, "--target", "out", "--json", str(out), *given]) == 0
    audit = json.loads(out.read_text("utf-8"))
    assert audit["rows"] == audit["parsed"] == audit["exact"]["out"] == 1_000
    assert audit["ambiguous"] == 0


@pytest.mark.slow
@published
@pytest.mark.parametrize("name", ["question", "tense"])
def test_an_audit_reads_rows_with_brackets(name: str, tmp_path: Path) -> None:
    corpus, out = tmp_path / "bracket.tsv", tmp_path / "audit.json"
    lines = (PUBLISHED / f"{name}.dev.tsv").read_text("utf-8").splitlines()[:300]
    rows = ("\t".join(map(bracketed, line.split("\t"))) + "\n" for line in lines)
    corpus.write_text("".join(rows), "utf-8")
    layers = ["--layer", "bracket", "--target", "bracket_out"]
    assert run(["audit", str(GALLERY / f"{name}.sgl"), str(corpus), *layers, "--json", str(out)]) == 0
    audit = json.loads(out.read_text("utf-8"))
    assert audit["rows"] == audit["parsed"] == audit["exact"]["bracket_out"] == 300


@published
@pytest.mark.parametrize("name", ["question", "tense"])
def test_sentences_of_the_published_grammar_have_one_reading(name: str) -> None:
    lines = [line.split("\t") for line in (PUBLISHED / f"{name}.gr").read_text("utf-8").splitlines()]
    rules: dict[str, list[list[str]]] = {}
    for _, left, right in (line for line in lines if len(line) == 3):
        rules.setdefault(left.strip(), []).append(right.split())
    random, parser = Random(2), Parser(grammar(name).grammar)  # noqa: S311

    def derive(symbol: str) -> Iterator[str]:
        if symbol not in rules:
            yield symbol
            return
        for part in random.choice(rules[symbol]):
            yield from derive(part)

    past = {row[form]: row["past"] for row in VERBS for form in ("sg", "bare")}
    for _ in range(100):
        words = [*derive("ROOT")]
        if name == "tense":
            words = [past.get(word, word) for word in words]
        for task in ("decl", "quest") if name == "question" else ("PAST", "PRESENT"):
            assert len(parser.parse(" ".join([*words, task]))) == 1
