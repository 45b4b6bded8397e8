"""No word has a character that nobody sees: not in the grammar, its tables or its templates."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from diagnostics import BASE, MAIN
from workplace import ANIMALS, Workplace

from sgl.characters import hidden, visible
from sgl.cli.main import FAILED, OK, run
from sgl.diagnostics import Diagnostics, SourceFile
from sgl.lang.mapping_files import read_relation, read_weights
from sgl.rendering import ViewError
from sgl.rendering.template import template_view

#: Controls of C0 and C1, marks of direction, characters without width, fillers, tags.
HIDDEN = [
    *("\x00", "\x07", "\x1b", "\x7f", "\x9b", "\xad", "\u034f", "\u061c", "\u115f", "\u200b"),
    *("\u200e", "\u200f", "\u202a", "\u202e", "\u2060", "\u2066", "\u2800", "\u3164", "\ufeff"),
    *("\ufff9", "\U000e0041"),
]


@pytest.mark.parametrize("character", HIDDEN, ids=ascii)
def test_no_text_has_it_anywhere(character: str) -> None:
    assert hidden(f"{character}dog") == 0
    assert hidden(f"do{character}g") == 2
    assert hidden(f"犬{character}") == 1


@pytest.mark.parametrize(
    "word",
    [
        *("dog", "犬が", "e\u0301", "naïve", "ｶﾞ", "العربية", "\ue000", "a b", "a\tb", "\u3000"),
        "می\u200cخواهم",  # Persian: the letters beside it do not join
        "ශ්\u200dරී",  # Sinhala: they do
        "ന\u0d4d\u200d",  # Malayalam: a consonant of its own, at the end of a word
        "ᠰᠠᠷ\u180eᠠ",  # Mongolian: the last vowel stands apart
        "葛\U000e0100",  # Japanese names: one of two shapes
        "❤\ufe0f",
        "👨🏽\u200d🌾",
    ],
)
def test_what_real_orthographies_need_is_seen(word: str) -> None:
    assert hidden(word, whole=True) == -1
    assert visible(word.replace("\t", "")) == word.replace("\t", "")


@pytest.mark.parametrize(
    ("word", "place"),
    [
        *(("do\u200dg", 2), ("\u200cdog", 0), ("dog\u200d", 3), ("do\ufe0fg", 2), ("犬\u200d", 1)),
        *(("می\u200c", 2), ("می\u200c\u200cخ", 2), ("犬\u180e", 1), ("\ufe0f", 0)),
    ],
)
def test_joiners_and_selectors_that_change_nothing_are_hidden(word: str, place: int) -> None:
    assert hidden(word, whole=True) == place


def test_a_piece_of_a_word_may_end_in_a_joiner() -> None:
    assert hidden("می\u200c") == -1
    assert hidden("do\u200c") == 2


@pytest.mark.parametrize("character", ["\x1b", "\x9b", "\u202e", "\u200b", "\ufeff"], ids=ascii)
def test_a_quotation_with_one_is_refused_with_its_place(character: str, work: Workplace) -> None:
    word = f'\nword N: "ho{character}rse"\n  ja  "馬"\n  syn node(upos=NOUN)\n'
    work.write(MAIN, BASE + word)
    line = (BASE + word).count("\n", 0, len(BASE) + 1) + 1
    assert run(["check", MAIN, "--format", "concise"]) == FAILED
    said = work.capsys.readouterr().err
    assert f"{MAIN}:{line}:12: error[SGL0107]: this quotation has an invisible character" in said
    assert character not in said


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ('{en: "ho\\x1b]0;PWN\\x07rse", ja: 馬}', 8),
        ("{en: horse, ja: 馬\u202e}", 20),
        ("{en: ho\u200brse, ja: 馬}", 10),
        ("{e\u200bn: horse, ja: 馬}", 5),
    ],
)
def test_a_value_of_a_table_with_one_is_refused_with_its_place(row: str, column: int, work: Workplace) -> None:
    work.write(MAIN, BASE + ANIMALS % "a.yaml")
    work.write("a.yaml", f"- {{en: cow, ja: 牛}}\n- {row}\n")
    assert run(["check", MAIN, "--format", "concise"]) == FAILED
    assert f"a.yaml:2:{column}: error[SGL0107]: this value has" in work.capsys.readouterr().err


def test_relations_and_weights_are_read_in_the_same_way() -> None:
    relation = SourceFile("eats.yaml", "cow: [gra\u200bss]\n")
    weights = SourceFile("fitted.yaml", "rules: {NP: {n\u200bp: 2}}\n")
    found = Diagnostics()
    assert read_relation(relation, found) is None
    assert read_weights(weights, found) is None
    places = [(entry.code, entry.span) for entry in found]
    assert places == [("SGL0107", relation.span(9, 10)), ("SGL0107", weights.span(14, 15))]


def test_a_word_that_a_paradigm_makes_has_none_either(work: Workplace) -> None:
    # The piece may end in a joiner, the word may not.
    work.write(MAIN, BASE + ANIMALS % "a.yaml")
    work.write("a.yaml", "- {en: horse, ja: می\u200c}\n")
    assert run(["check", MAIN, "--format", "concise"]) == FAILED
    assert "a.yaml:1:1: error[SGL0107]: the word" in work.capsys.readouterr().err


@pytest.mark.parametrize("text", ["a\x1bb", "{{ '\\x1b' }}", "{{ 'a' | join('\u202e') }}"])
def test_a_template_with_one_is_no_view(text: str) -> None:
    with pytest.raises(ViewError, match="line 2 of the template: a text contains an invisible character"):
        template_view(f"\n{text}")


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("on_terminal", [True, False])
def test_what_goes_to_a_terminal_is_escaped(
    on_terminal: bool, work: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.write(MAIN, BASE)
    work.write("rows.tsv", "The dog\x1b[8m ran.\tx\n")
    stream = Terminal() if on_terminal else io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    assert run(["audit", MAIN, "rows.tsv"]) == OK
    assert run(["sample", MAIN, "-n", "2"]) == OK
    written = stream.getvalue()
    assert "\x1b[8m" not in written
    assert "␛[8m" in written
    assert written.count("\t") == 2


def test_messages_for_programs_have_escapes(work: Workplace) -> None:
    work.write(MAIN, BASE)
    assert run(["parse", MAIN, "The \x9b\u202edog.", "--format", "json"]) == FAILED
    said = work.capsys.readouterr().out
    assert "\x9b" not in said
    assert "\u202e" not in said
    assert json.loads(said)[0]["code"] == "SGL1101"


def test_the_sources_of_the_library_have_none() -> None:
    files = [*Path("stdlib").rglob("*.sgl"), *Path("stdlib").rglob("*.yaml")]
    assert all(hidden(path.read_text("utf-8")) == -1 for path in files)
