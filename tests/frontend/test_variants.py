"""Settings of tables and layers: variants of rows, options under a condition."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import BASE, MAIN, PIECES, diagnose
from sget import compile_file

from sgl.core.grammar import CoreGrammar, Token
from sgl.core.interpret import interpret
from sgl.parsing import Parser

PARAMETERS = "param spoken = off\nparam spelling = british\n"

LEXICON = """
lexicon animals from "animals.yaml"{where}  ~ zipf(1.0)
  variant american when spelling = american
  variant spoken when spoken
  N
    en  $en
    ja  $honorific or $ja
    syn node(upos=NOUN)
"""

TABLE = """\
- {en: grey_wolf, ja: 狼, american: {en: gray_wolf}}
- {en: crow, ja: 烏, honorific: 烏さん, spoken: {honorific: ~, ja: カラス}}
- {en: cock, ja: 雄鶏, spoken: {en: rooster, ja: 鶏}, american: {en: chicken}}
- {en: mule, ja: 騾馬}
"""

GREY = {"grey_wolf": "狼", "crow": "烏さん", "cock": "雄鶏", "mule": "騾馬"}


def farm(directory: Path, where: str = "", **settings: str) -> CoreGrammar:
    text = f"{PARAMETERS}{BASE}{LEXICON.format(where=where)}"
    (directory / MAIN).write_text(text, encoding="utf-8")
    (directory / "animals.yaml").write_text(TABLE, encoding="utf-8")
    return compile_file(directory / MAIN, settings).grammar


def animals(grammar: CoreGrammar) -> dict[str, str]:
    """The words of the table, English and Japanese, in their order."""
    return {
        rule.templates[0][0].text: "".join(item.text for item in rule.templates[1] if isinstance(item, Token))
        for rule in grammar.rules
        if rule.name == "animals" and isinstance(rule.templates[0][0], Token)
    }


def test_without_a_setting_the_cells_of_the_row_count(tmp_path: Path) -> None:
    assert animals(farm(tmp_path)) == GREY


def test_in_force_the_cells_of_the_variant_stand_in_their_place(tmp_path: Path) -> None:
    words = animals(farm(tmp_path, spelling="american"))
    assert words == {"gray_wolf": "狼", "crow": "烏さん", "chicken": "雄鶏", "mule": "騾馬"}


def test_an_emptied_cell_takes_its_fallback(tmp_path: Path) -> None:
    words = animals(farm(tmp_path, spoken="on"))
    assert words == {"grey_wolf": "狼", "crow": "カラス", "rooster": "鶏", "mule": "騾馬"}


def test_of_several_variants_the_one_named_last_gives_a_cell(tmp_path: Path) -> None:
    words = animals(farm(tmp_path, spoken="on", spelling="american"))
    assert words == {"gray_wolf": "狼", "crow": "カラス", "rooster": "鶏", "mule": "騾馬"}


def test_conditions_see_the_cells_in_force(tmp_path: Path) -> None:
    where = " where en = cock | rooster | mule, ja != 鶏"
    assert animals(farm(tmp_path, where)) == {"cock": "雄鶏", "mule": "騾馬"}
    assert animals(farm(tmp_path, where, spoken="on")) == {"mule": "騾馬"}


def test_a_variant_keeps_its_row_in_place(tmp_path: Path) -> None:
    def weights(grammar: CoreGrammar) -> list[float]:
        return [rule.weight for rule in grammar.rules if rule.name == "animals"]

    assert weights(farm(tmp_path)) == weights(farm(tmp_path, spoken="on", spelling="american"))


def reports(directory: Path, table: str, lexicon: str) -> list[str]:
    """What the compiler says: `severity code place`, where the place is marked text."""
    outcome = diagnose({MAIN: BASE + lexicon, "animals.yaml": table}, directory, prove=False)
    return [f"{found.severity.name.lower()} {found.code} {outcome.marked(found)}" for found in outcome.found]


ALWAYS = """
lexicon animals from "animals.yaml"
  variant spoken
  N
    en  $en
    ja  $ja
    syn node(upos=NOUN)
"""


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("- {en: crow, ja: 烏, spoken: {ja: カラス}}", []),
        ("- {en: crow, ja: 烏}", ["error SGL0616 spoken"]),
        ("- {en: crow, ja: 烏, spokn: {ja: カラス}}", ["error SGL0616 spoken"]),
        ("- {en: crow, ja: 烏, spoken: カラス}", ["error SGL0616 spoken"]),
        ("- {en: crow, ja: 烏, spoken: {ja: 烏}}", ["warning SGL0616 -"]),
        ("- {en: crow, ja: 烏, spoken: {ja: カラス, kana: x}}", ["warning SGL0612 -"]),
        ("- {en: crow, ja: 烏, spoken: {ja: カラス}, old: {ja: x}}", ["warning SGL0616 -"]),
        ("- {en: crow, ja: 烏, spoken: {en: dog, ja: 犬}}", ["error SGL0605 -"]),
    ],
)
def test_what_is_said_about_variants(row: str, expected: list[str], tmp_path: Path) -> None:
    said = reports(tmp_path, row + "\n", ALWAYS)
    assert said == [line.replace(" -", f" {row}") for line in expected]


def test_an_unknown_parameter_is_reported(tmp_path: Path) -> None:
    row = "- {en: crow, ja: 烏, spoken: {ja: カラス}}\n"
    lexicon = ALWAYS.replace("variant spoken", "variant spoken when spokn")
    assert reports(tmp_path, row, lexicon) == ["error SGL0201 spokn"]


# ---- options of layers


def layered(directory: Path, options: str, **settings: str) -> CoreGrammar:
    pieces = PIECES | {"layers": f'layer en : text ({options})\nlayer ja : text (join "")\nlayer syn : graph on en\n'}
    (directory / MAIN).write_text(PARAMETERS + "\n".join(pieces.values()), encoding="utf-8")
    return compile_file(directory / MAIN, settings).grammar


@pytest.mark.parametrize(("spoken", "sentence"), [("off", "The dog saw the cat."), ("on", "The dog saw the cat .")])
def test_an_option_holds_under_its_condition(spoken: str, sentence: str, tmp_path: Path) -> None:
    grammar = layered(tmp_path, 'attach "?", attach "." when not spoken', spoken=spoken)
    (reading,) = Parser(grammar).parse(sentence)
    assert interpret(grammar, reading).texts[0] == sentence


def test_the_words_of_several_options_attach_together(tmp_path: Path) -> None:
    grammar = layered(tmp_path, 'attach "?", attach "."')
    assert grammar.text_layers[0].attach == {"?", "."}


@pytest.mark.parametrize(("spoken", "join"), [("on", "-"), ("off", "+")])
def test_words_are_joined_in_one_way_in_each_setting(spoken: str, join: str, tmp_path: Path) -> None:
    options = 'join "-" when spoken, join "+" when not spoken'
    assert layered(tmp_path, options, spoken=spoken).text_layers[0].join == join


def test_words_are_not_joined_in_two_ways_at_once(tmp_path: Path) -> None:
    layers = 'layer en : text (join "-", join "+")\nlayer syn : graph on en\n'
    outcome = diagnose({MAIN: layers}, tmp_path, prove=False)
    assert ("SGL0308", 'join "+"') in outcome.places()
