"""Rules that compute with features: docs/algebra.md.  A model of all of it is in ``tests/models/algebra.py``."""

from __future__ import annotations

import pickle
from collections import defaultdict
from pathlib import Path

import pytest

import sgl
from sgl.core.grammar import CoreGrammar
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.memory import Memory, keeping
from sgl.pipeline.grammar import open_grammar

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
HEAD = """
layer en : text
layer ja : text
layer syn : graph on en
feature v = 0 < 1 < 2 < 3
feature day = mon < tue < wed
feature gender = f ~ 3 | m
feature mut = soft | none
"""
TAIL = "\ndataset\n  from S\n  train 1\n"


def core(text: str, folder: Path, **tables: str) -> CoreGrammar:
    for name, table in tables.items():
        (folder / f"{name}.yaml").write_text(table, "utf-8")
    (folder / "main.sgl").write_text(HEAD + text + TAIL, "utf-8")
    diagnostics = Diagnostics()
    compiled = open_grammar(folder / "main.sgl", {}, SourceMap(), diagnostics)
    assert compiled is not None, [found.message for found in diagnostics.found]
    return compiled.grammar


def words(category: str, feature: str, *values: str) -> str:
    """A word for each value."""
    return "".join(f'word {category}[{feature}={v}]: "{v}"\n  ja "{v}"\n  syn node(upos=X)\n' for v in values)


def rules(grammar: CoreGrammar, name: str) -> dict[tuple[str, ...], float]:
    """The rules of a name, by their categories, with their weights."""
    found: defaultdict[tuple[str, ...], float] = defaultdict(float)
    names = [category.name for category in grammar.categories]
    for rule in grammar.rules:
        if rule.name == name:
            found[names[rule.lhs], *(names[child] for child in rule.rhs)] += rule.weight
    return dict(found)


DAYS = "category S\ncategory D[day]\ncategory E[day]\nrule s: S -> E[day=_]\n" + words("D", "day", "mon", "tue", "wed")


def test_names_count_as_their_places_in_the_order(tmp_path: Path) -> None:
    made = rules(core(DAYS + "rule next: E[day=d+1] -> D[day=d]\n", tmp_path), "next")
    assert made == {("E[day=tue]", "D[day=mon]"): 1, ("E[day=wed]", "D[day=tue]"): 1}


def test_the_rest_goes_round(tmp_path: Path) -> None:
    made = rules(core(DAYS + "rule next: E[day=d+1 mod 3] -> D[day=d]\n", tmp_path), "next")
    assert made.keys() == {(f"E[day={b}]", f"D[day={a}]") for a, b in (("mon", "tue"), ("tue", "wed"), ("wed", "mon"))}


def test_choices_of_one_left_hand_side_share_the_weight_of_the_line(tmp_path: Path) -> None:
    text = "category S\ncategory N[v]\ncategory E[v]\nrule s: S -> E[v=_]\n" + words("N", "v", "0", "1", "2", "3")
    text += "rule plus: E[v=x+y] -> one:N[v=x] two:N[v=y] where x != y  ~ 2\n  ja one two\n  syn one -[a]-> two\n"
    text += "rule one: E[v=x] -> N[v=x]\n"
    found = rules(core(text, tmp_path), "plus")
    by_value = defaultdict(list)
    for (left, *_), weight in found.items():
        by_value[left].append(round(weight, 9))
    third = round(2 / 3 / 2, 9)
    assert by_value == {"E[v=1]": [third] * 2, "E[v=2]": [third] * 2, "E[v=3]": [round(2 / 3 / 4, 9)] * 4}


NBAR = 'category S\ncategory N[gender, mut]\nrule other: S -> "x"\n  ja "x"\n  syn head = "x"(upos=X)\n' + "".join(
    f'word N[gender={g}, mut={m}]: "{g}{m}"\n  ja "{g}"\n  syn node(upos=X)\n' for g in "fm" for m in ("soft", "none")
)


@pytest.mark.parametrize(
    ("line", "share"),
    [("S -> N[gender=g, mut=soft if g=f, none]", 1 / 2), ("S -> N[gender=_, mut=none]", 1 / 2)],
    ids=["conditions", "plain"],
)
def test_conditions_do_not_shift_weights(line: str, share: float, tmp_path: Path) -> None:
    made = rules(core(f"{NBAR}rule noun: {line}\n", tmp_path), "noun")
    assert sum(made.values()) == pytest.approx(share)
    feminine = sum(weight for (_, noun), weight in made.items() if "gender=f" in noun)
    assert feminine == pytest.approx(share * 3 / 4)


def test_a_table_is_a_function_where_it_has_a_row(tmp_path: Path) -> None:
    text = DAYS + 'table later[a:day, b:day] from "later.yaml"\n'
    text += "rule two: E[day=later(c, d)] -> one:D[day=c] two:D[day=d]\n  ja one two\n  syn one -[a]-> two\n"
    made = rules(core(text, tmp_path, later="- {a: mon, b: tue, c: wed}\n- {b: wed, c: mon}\n"), "two")
    one, rest = ("E[day=wed]", "D[day=mon]", "D[day=tue]"), "E[day=mon]"
    assert made == {one: 1.0} | {
        (rest, f"D[day={d}]", "D[day=wed]"): pytest.approx(1 / 3) for d in ("mon", "tue", "wed")
    }


def test_the_words_of_algebra_are_ordinary_names(tmp_path: Path) -> None:
    text = DAYS + "rule mod: E[day=and] -> where:D[day=and] mod:D[day=_]\n"
    text += "  ja mod where\n  syn where -[a]-> mod\n"
    assert len(rules(core(text, tmp_path), "mod")) == 9


def value(words: list[str]) -> int:
    """The value of a list, computed without features."""
    stack: list[list[str | int]] = [[]]
    for word in words:
        if word == "[":
            stack.append([])
        elif word == "]":
            name, *items = stack.pop()
            numbers = [int(item) for item in items]
            stack[-1].append({"MIN": min, "MAX": max, "SM": lambda own: sum(own) % 10}[str(name)](numbers))
        else:
            stack[-1].append(word)
    return int(stack[0][0])


def test_lists_have_their_values() -> None:
    rows = sgl.load(EXAMPLES / "lists.sgl").sample(150, seed=1)
    assert len({row.texts["value"] for row in rows}) > 5
    assert all(row.texts["value"] == str(value(row.texts["list"].split())) for row in rows)


@pytest.mark.parametrize("name", ["lists.sgl", "family.sgl", "arithmetic.sgl"])
def test_what_is_known_of_a_grammar_that_computes_can_be_kept(name: str) -> None:
    """The memory of a grammar is written to the cache, and is sent to other processes."""
    memory = Memory()
    with keeping(memory):
        compiled = open_grammar(EXAMPLES / name, {}, SourceMap(), Diagnostics())
    assert compiled is not None
    assert pickle.loads(pickle.dumps(memory)).find(("no such entry",)) is None  # noqa: S301 - written here
