"""Texts that no file can have, archives of other programs, and missing predictions end in messages with their place."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import sgl

TEXT = 'layer en : text\ncategory S\nword S: "yes"\nword S: "no"\ndataset\n  from S\n  train 2\n'


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> sgl.Dataset:
    return sgl.loads(TEXT).compile(tmp_path_factory.mktemp("odd") / "data")


def archive(dataset: sgl.Dataset, place: Path, sign: str = "/", more: str = "", **record: object) -> Path:
    """An archive of the grammar of a dataset, with something changed."""
    folder = dataset.directory / "grammar"
    known = json.loads((folder / "grammar.json").read_text("utf-8"))
    with zipfile.ZipFile(place / "odd.zip", "w") as packed:
        for name, text in {
            "grammar.json": json.dumps(known | record),
            known["main"]: (folder / known["main"]).read_text("utf-8") + more,
        }.items():
            packed.writestr(zipfile.ZipInfo(sign.join(("odd", "grammar", name))), text)
    return place / "odd.zip"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: sgl.loads(TEXT.replace("yes", "y\ud800")), "`grammar.sgl` contains half of a character"),
        (lambda: sgl.loads(TEXT, files={"a.yaml": "\udfff"}), "`a.yaml` contains half of a character"),
        (lambda: sgl.loads(TEXT, files={"\ud800.yaml": "a"}), "`files` contains half of a character"),
        (lambda: sgl.loads(TEXT, files={"grammar.sgl": "a"}), "the name of the text itself"),
        (lambda: sgl.load(""), "`` is not a grammar file"),
    ],
)
def test_texts_and_names_that_nobody_means(given: Callable[[], object], message: str) -> None:
    with pytest.raises(sgl.GrammarError, match=message):
        given()


def test_a_directory_is_no_grammar(tmp_path: Path) -> None:
    with pytest.raises(sgl.GrammarError, match="is not a grammar file"):
        sgl.load(tmp_path)


@pytest.mark.parametrize("sign", ["/", "\\"])
def test_an_archive_may_have_been_packed_on_windows(dataset: sgl.Dataset, sign: str, tmp_path: Path) -> None:
    assert sgl.load(archive(dataset, tmp_path, sign)).accepts("yes")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": -1}, "odd.zip/odd/grammar/grammar.json`: `seed` is not a seed"),
        ({"parameters": {"nope": "1"}}, "`grammar.json` of the dataset sets `nope`: the grammar has no parameter"),
        ({"more": "\nlexicon 5\n"}, "odd.zip/odd/grammar/grammar.sgl:"),
    ],
)
def test_messages_about_archives_name_the_archive(
    dataset: sgl.Dataset, change: dict[str, object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(sgl.GrammarError) as raised:
        sgl.load(archive(dataset, tmp_path, **change))  # type: ignore[arg-type]
    assert message in str(raised.value)
    assert "/sgl-" not in str(raised.value)


def test_nothing_at_the_place_of_a_prediction_is_no_prediction(dataset: sgl.Dataset) -> None:
    gold = dataset.to_arrow("train")["target"].to_pylist()
    absent = {"none": None, "nan": float("nan"), "na": pd.NA}
    given = {name: {"train-000001": gold[0], "train-000002": value} for name, value in absent.items()}
    given["fewer"] = {"train-000001": gold[0]}
    scores = sgl.evaluate(dataset, given, split="train", samples=100)  # type: ignore[arg-type]
    assert {name: scores.flat(name)["exact"] for name in given} == dict.fromkeys(given, 0.5)
    with pytest.raises(sgl.GrammarError, match="to leave items out, give the texts by id"):
        sgl.evaluate(dataset, {"model": [gold[0], None]}, split="train", samples=100)  # type: ignore[list-item]
    with pytest.raises(TypeError, match="`system` must be a text"):
        scores.flat(3)  # type: ignore[arg-type]
    with pytest.raises(sgl.GrammarError, match="the prediction for `1` contains half of a character"):
        sgl.evaluate(dataset, {"model": ["\ud800", "no"]}, split="train", samples=100)


def test_no_texts_have_the_columns_of_some() -> None:
    grammar = sgl.loads(TEXT)
    assert grammar.sample(0).to_arrow().column_names == grammar.sample(1).to_arrow().column_names
