"""Columns that a template computes, computed a second time in plain Python; and SQL, asked of a database.

The grammars are those of ``docs/examples``: the tests read the sentences, not the derivations.
"""

from __future__ import annotations

import re
import sqlite3
from functools import cache
from pathlib import Path
from statistics import median

import sgl

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@cache
def samples(name: str, number: int, source: str, target: str) -> dict[str, str]:
    """Drawn inputs with their outputs."""
    grammar = sgl.load(EXAMPLES / f"{name}.sgl")
    return {text[source]: text[target] for text in grammar.sample(number)}


# ---- operations on lists


def value_of(words: list[str]) -> int:
    """The value of an expression, whose words are consumed."""
    word = words.pop(0)
    if word != "[":
        return int(word)
    operation, values = words.pop(0), list[int]()
    while words[0] != "]":
        values.append(value_of(words))
    words.pop(0)
    match operation:
        case "SM":
            return sum(values) % 10
        case "MED":
            return int(median(values))
    return {"MIN": min, "MAX": max}[operation](values)


def test_the_value_of_a_list_is_what_python_makes_of_it() -> None:
    found = samples("listops", 150, "expression", "value")
    assert {text: value_of(text.split()) for text in found} == {text: int(value) for text, value in found.items()}
    assert all(name in " ".join(found) for name in ("MIN", "MAX", "MED", "SM"))
    assert max(text.count("[") for text in found) > 3
    assert len({*found.values()}) == 10


# ---- commands in a world


def actions_of(text: str) -> str:
    scene, command = text.split(" | ")
    verb, _, *words = command.split()
    manner = words.pop() if words[-1] in ("slowly", "twice") else ""
    places = [at for at, place in enumerate(scene.split(", "), 1) if {*words} <= {*place.split()}]
    if not places:
        return "none"
    steps = ["wait", "step"] * places[0] if manner == "slowly" else ["step"] * places[0]
    last = {("fetch", "twice"): ["take", "take"], ("reach", "twice"): ["back"]}
    return " ".join(steps + last.get((verb, manner), ["take"] if verb == "fetch" else []))


def test_the_actions_of_a_command_are_what_python_does_in_its_world() -> None:
    found = samples("scene", 150, "scene+command", "actions")
    assert {text: actions_of(text) for text in found} == found
    assert len({*found.values()}) > 10


# ---- a story and its question


def test_who_has_a_thing_is_in_the_story() -> None:
    found = samples("holds", 40, "story+question", "answer")
    for text, answer in found.items():
        story, thing = re.fullmatch(r"(.*\.) Question: Who has the (\w+)\?", text).groups()  # type: ignore[union-attr]
        assert f"{answer} has the {thing}." in story


# ---- questions and SQL

RIVERS = {"Danube": 2850, "Rhine": 1233, "Loire": 1006, "Ebro": 930, "Seine": 777, "Po": 652, "Elbe": 1094}
CITIES = {"Vienna": 2006, "Budapest": 1752, "Basel": 177, "Nantes": 323, "Paris": 2103, "Turin": 848, "Hamburg": 1910}
COUNTRIES = {"Spain": 48, "France": 68, "Austria": 9, "Hungary": 10, "Italy": 59, "Germany": 84, "Portugal": 11}
#: The table of each verb, its columns, and its rows.
TABLES = {
    "cross": ("flows", "river", "country"),
    "overlook": ("banks", "city", "river"),
    "border": ("borders", "country", "neighbour"),
    "contain": ("located", "country", "city"),
}
ROWS = """
cross Danube Austria Hungary Germany
cross Rhine Germany France
cross Loire France
cross Ebro Spain
cross Seine France
cross Po Italy
cross Elbe Germany
cross Tagus Spain Portugal
overlook Vienna Danube
overlook Budapest Danube
overlook Basel Rhine
overlook Nantes Loire
overlook Paris Seine
overlook Turin Po
overlook Hamburg Elbe
overlook Lisbon Tagus
border Spain France Portugal
border France Spain Italy Germany
border Austria Hungary Italy Germany
border Hungary Austria
border Italy Austria France Switzerland
border Germany Austria France
border Portugal Spain
border Switzerland Italy
contain Austria Vienna
contain Hungary Budapest
contain Switzerland Basel
contain France Nantes Paris
contain Italy Turin
contain Germany Hamburg
contain Portugal Lisbon
"""
SIZES = {
    "rivers": {**RIVERS, "Tagus": 1007},
    "cities": {**CITIES, "Lisbon": 545},
    "countries": {**COUNTRIES, "Switzerland": 9},
}
PAIRS = {
    verb: {
        (first, other)
        for own, first, *others in map(str.split, ROWS.split("\n")[1:-1])
        for other in others
        if own == verb
    }
    for verb in TABLES
}


def database() -> sqlite3.Connection:
    found = sqlite3.connect(":memory:")
    sizes = {"river": ("length", "rivers"), "city": ("population", "cities"), "country": ("population", "countries")}
    for table, (size, plural) in sizes.items():
        found.execute(f"CREATE TABLE {table} (name TEXT, {size} INTEGER)")
        found.executemany(f"INSERT INTO {table} VALUES (?, ?)", SIZES[plural].items())  # noqa: S608 - names above
    for verb, (table, first, second) in TABLES.items():
        found.execute(f"CREATE TABLE {table} ({first} TEXT, {second} TEXT)")
        found.executemany(f"INSERT INTO {table} VALUES (?, ?)", PAIRS[verb])  # noqa: S608 - names above
    return found


def meant(words: list[str]) -> set[str]:
    """The names that a phrase is about: a name, all of a kind, or those of which a relative clause is true."""
    if words[0] not in SIZES:
        return {words[0]}
    return fitting(words[0], words[2:]) if words[1:2] == ["that"] else {*SIZES[words[0]]}


def fitting(plural: str, words: list[str]) -> set[str]:
    """The things of a kind of which a predicate is true."""
    if words[0] == "are":
        sizes = SIZES[plural]
        return {one for one in sizes if any(sizes[one] > sizes[other] for other in meant(words[3:]))}
    below = meant(words[1:])
    return {one for one in SIZES[plural] if any((one, other) in PAIRS[words[0]] for other in below)}


def answer_of(question: str) -> list[str | int]:
    asked, _, order = question.rstrip("?").partition(", ")
    many, words = asked.startswith("How many"), asked.replace("How many", "Which").split()[1:]
    found = fitting(words[0], words[1:])
    if many:
        return [len(found)]
    sizes = SIZES[words[0]]
    return [*sorted(found, key=lambda name: (-sizes[name], name) if order else (0, name))]


def test_sql_finds_in_a_database_what_its_question_asks_for() -> None:
    found, rows = samples("atlas", 150, "en", "sql"), database()
    answers = {question: [row[0] for row in rows.execute(sql)] for question, sql in found.items()}
    assert answers == {question: answer_of(question) for question in found}
    assert sum(len(answer) > 1 for answer in answers.values()) > 10
    assert any("that" in question for question in found)
    assert all(any(word in question for question in found) for word in ("How many", "longest", "larger", "cross"))
