"""`sglc diff A B`: rows and claims that were added, removed or changed, and the version that follows."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from diagnostics import BASE, MAIN
from hypothesis import given
from hypothesis import strategies as st
from workplace import PATTERN, Workplace

from sgl.cli.main import OK, OUTPUT, run
from sgl.pipeline.difference import difference

RELEASE = '\nrelease "1.2.3"\n  licence "CC-BY-4.0"\n  authors "Lovelace, Ada"\n'

Rows = list[list[str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset."""
    home = tmp_path_factory.mktemp("made")
    (home / MAIN).write_text(BASE + PATTERN + RELEASE, "utf-8")
    assert run(["compile", str(home / MAIN), "--out", str(home / "farm")]) == OK
    return home / "farm"


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(made, tmp_path / "copy")


def change_rows(change: Callable[[Rows], Rows], copy: Path, split: str = "gen") -> None:
    path = copy / "data" / f"{split}.tsv"
    rows = change([row.split("\t") for row in path.read_text("utf-8").splitlines()])
    path.write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")


def change_manifest(change: Callable[[dict[str, Any]], object], copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
    change(manifest)
    (copy / "manifest.json").write_text(json.dumps(manifest), "utf-8")


def _rows(change: Callable[[Rows], Rows]) -> Callable[[Path], None]:
    return partial(change_rows, change)


def _manifest(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    return partial(change_manifest, change)


#: What is changed; split, pattern, and how much is added, removed, changed; what follows after 1.2.3.
_CHANGES: dict[str, tuple[Callable[[Path], None], list[tuple[str, str, int, int, int]], str]] = {
    "nothing": (lambda _: None, [], "1.2.4"),
    "another order": (_rows(lambda rows: rows[::-1]), [], "1.2.4"),
    "a new row": (_rows(lambda rows: [*rows, ["A.", "B.", "p"]]), [("gen", "p", 1, 0, 0)], "1.3.0"),
    "a row twice": (_rows(lambda rows: [*rows, rows[0]]), [("gen", "p", 1, 0, 0)], "1.3.0"),
    "a row less": (_rows(lambda rows: rows[1:]), [("gen", "p", 0, 1, 0)], "2.0.0"),
    "another target": (_rows(lambda rows: [[rows[0][0], "B.", "p"], *rows[1:]]), [("gen", "p", 0, 0, 1)], "2.0.0"),
    "another pattern": (
        _rows(lambda rows: [[*rows[0][:2], "q"], *rows[1:]]),
        [("gen", "p", 0, 1, 0), ("gen", "q", 1, 0, 0)],
        "2.0.0",
    ),
    "another verdict": (
        _manifest(lambda manifest: manifest["guarantees"][0].update(result="violated")),
        [("claims", "p", 0, 0, 1)],
        "2.0.0",
    ),
    "a claim less": (_manifest(lambda manifest: manifest["guarantees"].pop()), [("claims", "p", 0, 1, 0)], "2.0.0"),
    "another title": (_manifest(lambda manifest: manifest.update(title="Others")), [], "1.2.4"),
}


@pytest.mark.parametrize("name", _CHANGES)
def test_changes_are_counted_by_split_and_pattern(name: str, made: Path, copy: Path) -> None:
    change, expected, follows = _CHANGES[name]
    change(copy)
    found = difference(made, copy)
    assert [tuple(one.values()) for one in found["changes"]] == expected
    assert found["versions"] == {"first": "1.2.3", "second": "1.2.3", "follows": follows}


def test_what_a_pattern_holds_out_is_part_of_its_claims(made: Path, copy: Path) -> None:
    change_manifest(lambda manifest: manifest["patterns"][0].update(forbid=["{ V -[obj]-> N }"]), copy)
    claims = len(json.loads((made / "manifest.json").read_text("utf-8"))["guarantees"])
    assert [tuple(one.values()) for one in difference(made, copy)["changes"]] == [("claims", "p", 0, 0, claims)]


@given(st.lists(st.sampled_from("ab"), max_size=5), st.lists(st.sampled_from("ab"), max_size=5))
def test_the_way_back_adds_what_the_way_there_removes(made: Path, old: list[str], new: list[str]) -> None:
    """The numbers are those of multisets, and nothing is counted twice."""
    first, second = made.parent / "first", made.parent / "second"
    for place, letters in ((first, old), (second, new)):
        if not place.exists():
            shutil.copytree(made, place)
        written: Rows = [[letter, letter, "p"] for letter in letters]
        change_rows(lambda _, written=written: written, place)  # type: ignore[misc]
    there, back = difference(first, second)["changes"], difference(second, first)["changes"]
    assert [(one["added"], one["removed"]) for one in there] == [(one["removed"], one["added"]) for one in back]
    more = sum(max(new.count(c) - old.count(c), 0) for c in "ab")
    assert sum(one["added"] for one in there) == more


def test_the_command_shows_them(made: Path, copy: Path, work: Workplace) -> None:
    _CHANGES["a row less"][0](copy)
    assert run(["diff", str(made), str(copy)]) == OK
    assert work.capsys.readouterr().out.split("\n") == [
        "split  pattern  added  removed  changed",
        "gen    p            0        1        0",
        "",
        "major change: after 1.2.3 follows 2.0.0; B says 1.2.3",
        "",
    ]
    assert run(["diff", str(made), str(made)]) == OK
    assert "no row and no claim has changed\n" in work.capsys.readouterr().out
    assert run(["diff", str(made), str(copy), "--json"]) == OK
    assert json.loads(work.capsys.readouterr().out) == difference(made, copy)
    assert run(["diff", str(made), "nowhere"]) == OUTPUT
