"""Sheets for judges are balanced and blind, and what comes back is counted as the definitions say."""

from __future__ import annotations

import csv
import io
from itertools import product
from pathlib import Path

import pytest

from sgl.research.annotate.command import COLUMNS, Judgement, SheetError, draw, read_sheet, summary
from sgl.research.evaluate.benchmark import BenchmarkRow
from sgl.research.evaluate.judgements import code_of, kappa

ROWS = [
    BenchmarkRow(f"gen-{n:06d}", f"Sentence {n}.", f"文{n}。", category)
    for n, category in enumerate(["a"] * 30 + ["b"] * 20 + ["c"] * 2, 1)
]
ITEMS = {code_of(row): row for row in ROWS}


def sheet(rows: list[tuple[str, ...]], head: str = "code,natural,right") -> str:
    return "\n".join([head, *(",".join(row) for row in rows)]) + "\n"


def test_a_sheet_has_equally_many_items_of_each_pattern_and_names_none() -> None:
    drawn = list(csv.DictReader(io.StringIO(draw(ITEMS, 5, seed=1))))
    categories = [ITEMS[row["code"]].category for row in drawn]
    assert {name: categories.count(name) for name in "abc"} == {"a": 5, "b": 5, "c": 2}
    assert tuple(drawn[0]) == COLUMNS
    assert all(row["natural"] == row["right"] == row["comment"] == "" for row in drawn)
    assert not any("gen" in cell for row in drawn for cell in row.values())
    # Neighbours are of one pattern no more often than chance has it.
    assert categories != sorted(categories)


def test_the_seed_alone_chooses() -> None:
    assert draw(ITEMS, 5, seed=1) == draw(dict(reversed(ITEMS.items())), 5, seed=1)
    assert draw(ITEMS, 5, seed=1) != draw(ITEMS, 5, seed=2)


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_a_sheet_comes_back_from_any_spreadsheet(sign: str, tmp_path: Path) -> None:
    codes = list(ITEMS)[:3]
    text = sheet([(codes[0], "5", "yes"), (codes[1], "", "No"), (codes[2], "", "")]).replace(",", sign)
    path = tmp_path / "ada.csv"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert list(read_sheet(path, ITEMS).values()) == [Judgement(5, True), Judgement(None, False)]


CODE = next(iter(ITEMS))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "names no columns `code`, `natural`, `right`, and scores"),
        (sheet([("0" * 12, "5", "yes")]), "no item of the dataset has the code `000000000000`"),
        (sheet([(CODE, "5", "yes"), (CODE, "4", "no")]), "line 3: the code"),
        (sheet([(CODE, "6", "yes")]), "line 2: `natural` is `6`"),
        (sheet([(CODE, "yes", "yes")]), "line 2: `natural` is `yes`"),
        (sheet([(CODE, "5", "yes", "fine", "or not")]), "line 2 has more cells"),
        (sheet([(CODE, "5", "yes", "Sentence 2.")], "code,natural,right,source"), "line 2: the source does not fit"),
        (sheet([(CODE, "5", "yes", "")], "code,natural,right,target"), "line 2: the target does not fit"),
        (sheet([(CODE, "5", "yes", '"oops')], "code,natural,right,comment"), "is not a table"),
        (sheet([(CODE, "5", "perhaps")]), "line 2: `perhaps` is not a number, as `right` has to be"),
        (sheet([(CODE, "", "")]), "nobody has filled in"),
        ("", "names no columns"),
    ],
)
def test_what_nobody_could_mean_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(SheetError, match=message):
        read_sheet(path, ITEMS)


def test_kappa_of_a_table_of_a_textbook() -> None:
    """Two readers of fifty proposals: 20 and 15 agreed upon, 5 and 10 not; kappa is 0.4."""
    pairs = [(1.0, 1.0)] * 20 + [(1.0, 0.0)] * 5 + [(0.0, 1.0)] * 10 + [(0.0, 0.0)] * 15
    assert kappa(pairs, lambda a, b: float(a != b)) == pytest.approx(0.4)


def test_kappa_is_what_its_definition_says() -> None:
    """Disagreement beside that of all pairs of one judge's marks with the other's."""
    pairs = [(1.0, 2.0), (5.0, 4.0), (3.0, 3.0), (2.0, 5.0)]
    chance = [(a - b) ** 2 for (a, _), (_, b) in product(pairs, pairs)]
    seen = [(a - b) ** 2 for a, b in pairs]
    expected = 1 - (sum(seen) / len(seen)) / (sum(chance) / len(chance))
    assert kappa(pairs, lambda a, b: (a - b) ** 2) == pytest.approx(expected)


def test_where_all_say_the_same_there_is_no_kappa() -> None:
    assert kappa([(1.0, 1.0)] * 3, lambda a, b: float(a != b)) is None
    assert kappa([], lambda a, b: float(a != b)) is None


def test_figures_by_pattern() -> None:
    a, b = (next(code for code, row in ITEMS.items() if row.category == name) for name in "ab")
    found = summary([{a: Judgement(5, True), b: Judgement(2, None)}, {a: Judgement(4, False)}], ITEMS)
    assert found["patterns"] == [
        {"pattern": "a", "judgements": 2, "natural": 4.5, "right": 0.5},
        {"pattern": "b", "judgements": 1, "natural": 2, "right": None},
    ]
    assert found["agreement"]["natural"] == {"items": 1, "equal": 0.0, "kappa": 0.0}
