"""The table of sentences has what was read, however the files were cut, and its queries say what plain loops say."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_dataset import explain, failed, repeated_sentence, said, sentence_in_two_splits, tiny, verify

from sgl.verify.dataset import CLAIMS
from sgl.verify.items import Frame, GraphShape, ShapeTable
from sgl.verify.sentence_checks import repetitions
from sgl.verify.table import Block, DatasetTable, ReadPart, dataset_table

TEXTS = st.lists(st.sampled_from(["a", "b", "A", "a\x00", "é", "e\u0301"]), max_size=30)


def block(text: str) -> Block:
    """A sentence with this source; what has none is malformed."""
    if not text:
        return Block(7, "no tokens")
    return Block(1, sent_id="x", category="c", shape=0, source=text, target=text, skeleton=text, latin=text)


def part(texts: list[str]) -> ReadPart:
    return ReadPart([block(text) for text in texts], {GraphShape(Frame(0, ()), ()): 0})


def filled(table: DatasetTable, shapes: ShapeTable, parts: list[tuple[str, list[str]]]) -> DatasetTable:
    for split, texts in parts:
        table.add(split, part(texts), shapes, 0)
    table.complete(shapes.shapes())
    return table


@given(TEXTS, st.integers(0, 30))
def test_repetitions_are_the_sentences_whose_text_is_not_theirs_alone(texts: list[str], cut: int) -> None:
    with dataset_table() as table:
        filled(table, ShapeTable([]), [("train", texts[:cut]), ("dev", texts[cut:])])
        found = {group[0].source: [own.number for own in group] for group in repetitions(table, "source")}
    places = {text: [at for at, other in enumerate(texts, 1) if other == text] for text in texts}
    assert found == {text: numbers for text, numbers in places.items() if len(numbers) > 1}


@given(st.lists(st.sampled_from(["a", "b", ""]), max_size=12), st.integers(0, 12))
def test_the_table_does_not_depend_on_where_a_file_is_cut(texts: list[str], cut: int) -> None:
    tables = []
    for parts in ([texts], [texts[:cut], texts[cut:]]):
        with dataset_table() as table:
            filled(table, ShapeTable([]), [("train", own) for own in parts])
            tables.append([table.select(f"SELECT * FROM {name}") for name in ("block", "kind", "shape")])  # noqa: S608
    assert tables[0] == tables[1]


def test_a_table_for_which_there_is_no_room_is_no_fault_of_the_dataset() -> None:
    with pytest.raises(OSError, match="a temporary file: database or disk is full"):
        _fill_a_small_disk()


def _fill_a_small_disk() -> None:
    with dataset_table() as table:
        table.select("PRAGMA max_page_count = 20")
        filled(table, ShapeTable([]), [("train", ["a" * 10_000] * 100)])


def test_a_wrong_query_is_no_lack_of_room() -> None:
    with pytest.raises(sqlite3.OperationalError), dataset_table() as table:
        table.select("SELECT colour FROM sentence")


def test_every_sentence_after_the_first_is_named_with_the_first(tmp_path: Path) -> None:
    data = tiny()
    repeated_sentence(data)
    sentence_in_two_splits(data)
    data.splits["dev"].append(said("girl", "saw", "book"))
    report = verify(data.write(tmp_path))
    assert "V018" in failed(report), explain(report)
    own = [violation.sent_id for violation in report.result("V018").violations]
    assert own == sorted(own, key=lambda name: (["train", "dev", "test", "gen"].index(name[:-7]), name))


# --- witnesses ---------------------------------------------------------------------------------


def test_every_check_belongs_to_a_witness() -> None:
    assert {own["witness"] for own in CLAIMS.values()} == {"certificate", "graphs", "rows"}
    searching = {code for code, own in CLAIMS.items() if "V032" in own["needs"]}
    assert searching <= {code for code, own in CLAIMS.items() if own["witness"] == "graphs"}


def test_a_check_that_the_certificate_implies_says_by_which_check_and_why_it_stays() -> None:
    implied = {code: own for code, own in CLAIMS.items() if "stays" in own}
    assert implied
    for code, own in implied.items():
        assert own["witness"] != "certificate", code
        others = re.findall(r"V\d{3}", own["stays"])
        assert {CLAIMS[other]["witness"] for other in others} == {"certificate"}, code
