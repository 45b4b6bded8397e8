"""``sglc compile --variants``: smaller training sets for one generalization set."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from workplace import Workplace

import sgl
from sgl.cli.main import OK, USAGE, run
from sgl.foreign import sha256_of

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"

#: A small farm in which cows and goats are objects of gen only, and deep phrases are a part of train.
SIZES = {"train 1000": "train 60", "size   200": "size 20", "need   100": "need 5"}
ADDED = """
param shown = 6
param deep = on

part deep_phrases when deep
  only { N -[nmod]-> M; M -[nmod]-> K }
  size 8

pattern subject_to_object
  targets cow goat seen only in exposures
  forbid { V -[obj]-> N[@targets] }
  expose shown shared { V -[nsubj]-> N[@targets] }
  size 10
"""


@pytest.fixture
def farm(work: Workplace) -> Workplace:
    for name in ("animals.yaml", "verbs.yaml"):
        work.write(name, (EXAMPLES / name).read_bytes())
    text = (EXAMPLES / "farm.sgl").read_text("utf-8")
    for given, smaller in SIZES.items():
        text = text.replace(given, smaller)
    work.write("farm.sgl", text + ADDED)
    return work


@pytest.mark.slow
def test_variants_are_nested_parts_of_train_for_the_same_items(farm: Workplace) -> None:
    options = ["--variants", "shown=1,2,4,6", "--variants", "deep=on,off"]
    assert run(["compile", "farm.sgl", "--out", "data", *options]) == OK
    said = farm.capsys.readouterr().out
    train = (farm.directory / "data/data/train.tsv").read_text("utf-8").splitlines()
    rows = {
        path.parent.name: path.read_text("utf-8").splitlines()
        for path in (farm.directory / "data.variants").glob("*/train.tsv")
    }
    assert sorted(rows) == ["deep=off", "shown=1", "shown=2", "shown=4"]
    sets = [set(rows[f"shown={number}"]) for number in (1, 2, 4)] + [set(train)]
    assert all(smaller <= larger for smaller, larger in pairwise(sets))
    exposed = [line for line in rows["shown=4"] if "exposure:" in line]
    assert [sum(word in line.lower() for line in exposed) for word in ("cow", "goat")] == [2, 2]
    assert set(train) - set(rows["deep=off"]) == {line for line in train if "part:" in line}
    listed = json.loads((farm.directory / "data.variants/variants.json").read_text("utf-8"))
    assert listed["dataset"] in (farm.directory / "data/README.md").read_text("utf-8")
    for variant in listed["variants"]:
        assert f"variant   {variant['settings']}: {variant['rows']} sentences of train" in said
        english = [line.split("\t")[0].lower() for line in rows[variant["settings"]]]
        assert not any(word in line for word in variant["unseen"] for line in english)
        assert bool(variant["unseen"]) == bool(variant["items"])
        for name, digest in variant["sha256"].items():
            assert sha256_of(farm.directory / "data.variants" / name) == digest
    # Again in the same place: what is there is SGL's own.
    assert run(["compile", "farm.sgl", "--out", "data", "--variants", "shown=2"]) == OK
    assert [path.name for path in sorted((farm.directory / "data.variants").iterdir())] == ["shown=2", "variants.json"]


def test_a_variant_keeps_copies_and_what_was_drawn_for_needs(farm: Workplace) -> None:
    text = (farm.directory / "farm.sgl").read_text("utf-8")
    farm.write("farm.sgl", text.replace("size 8", "size 8 repeated 2").replace("need 5", "need 20"))
    assert run(["compile", "farm.sgl", "--out", "data", "--variants", "shown=2"]) == OK
    train = (farm.directory / "data/data/train.tsv").read_text("utf-8").splitlines()
    rows = (farm.directory / "data.variants/shown=2/train.tsv").read_text("utf-8").splitlines()
    assert "train/need:" in (farm.directory / "data/derivations/train.tsv").read_text("utf-8")
    lost = Counter(train) - Counter(rows)
    assert lost.total() == len(train) - len(rows) == 4
    assert all("exposure:" in line for line in lost)


@pytest.mark.parametrize("variant", ["shown=9", "deep=maybe"])
def test_a_variant_that_is_no_part_is_refused_before_anything_is_written(farm: Workplace, variant: str) -> None:
    assert run(["compile", "farm.sgl", "--out", "data", "--variants", variant]) != OK
    assert not (farm.directory / "data").exists()
    if variant == "shown=9":
        assert run(["compile", "farm.sgl", "--out", "data", "--variants", variant]) == USAGE


def test_systems_are_scored_by_the_ablation_that_they_were_trained_on(farm: Workplace) -> None:
    """Items with words that it never shows are left out and named, and `longest` knows its training set."""
    text = (farm.directory / "farm.sgl").read_text("utf-8")
    # Most words of so small a training set are in its deep phrases alone.
    farm.write("farm.sgl", text.replace("train 60", "train 3").replace("need 5", "need 1"))
    assert run(["compile", "farm.sgl", "--out", "data", "--variants", "deep=off", "--variants", "shown=1,2"]) == OK
    variants = farm.directory / "data.variants"
    listed = json.loads((variants / "variants.json").read_text("utf-8"))["variants"]
    (unseen,) = (variant["items"] for variant in listed if variant["settings"] == "deep=off")
    items = [name for name in unseen if name.startswith("gen-")]
    assert items
    rows = (farm.directory / "data/data/gen.tsv").read_text("utf-8").splitlines()
    farm.write("right.txt", "".join(row.split("\t")[1] + "\n" for row in rows))
    scores = ["eval", "data", "A=right.txt", "--samples", "100", "--json", "r.json"]
    trained = ["--train", "data.variants/deep=off", "--train", "data.variants/shown=2"]
    cuts = ["--slice", "long={ length en > longest(deep=off) }", "--slice", "full={ length en > longest(train) }"]
    farm.capsys.readouterr()
    assert run([*scores, *trained, *cuts]) == OK
    said = farm.capsys.readouterr().err
    assert f"{len(items)} rows with words that training with `deep=off` does not show: left out" in said
    assert "1 word: hen" in said
    made = json.loads((farm.directory / "r.json").read_text("utf-8"))
    assert made["dataset"]["left_out"] == len(items)
    assert made["dataset"]["items"] == len(rows) - len(items)
    predicted, variant = {"A": farm.directory / "right.txt"}, variants / "deep=off"
    by_program = sgl.evaluate(farm.directory / "data", predicted, train=[variant], samples=100)
    assert by_program.data["dataset"]["left_out"] == len(items)
    found = {part["name"]: part["items"] for part in made["tables"]["slices"]}
    kept = [row.split("\t")[0] for n, row in enumerate(rows, 1) if f"gen-{n:06}" not in items]
    words = {
        name: max(len(line.split("\t")[0].split()) for line in path.read_text("utf-8").splitlines())
        for name, path in (("long", variants / "deep=off/train.tsv"), ("full", farm.directory / "data/data/train.tsv"))
    }
    for name, most in words.items():
        assert found.get(name, 0) == sum(len(text.split()) > most for text in kept)


def test_there_is_no_longest_sentence_where_there_is_none(farm: Workplace) -> None:
    assert run(["compile", "farm.sgl", "--out", "data", "--variants", "deep=off"]) == OK
    farm.write("data.variants/deep=off/train.tsv", "")
    farm.write("right.txt", "x\n" * 30)
    asked = ["eval", "data", "A=right.txt", "--samples", "100", "--train", "data.variants/deep=off"]
    farm.capsys.readouterr()
    assert run([*asked, "--slice", "long={ length en > longest(deep=off) }"]) != OK
    assert "there are no sentences" in farm.capsys.readouterr().err


def test_the_rarest_words_are_counted_in_the_rows_of_a_variant(farm: Workplace) -> None:
    assert run(["compile", "farm.sgl", "--out", "data", "--variants", "deep=off"]) == OK
    row, *others = (farm.directory / "data/data/train.tsv").read_text("utf-8").splitlines(keepends=True)
    # Training has this sentence once, and the variant ten times.
    farm.write("data.variants/deep=off/train.tsv", row * 10)
    farm.write("right.txt", "x\n" * (1 + len(others)))
    asked = ["eval", "data", "A=right.txt", "--split", "train", "--samples", "100", "--train", "data.variants/deep=off"]
    assert run([*asked, "--slice", "rare=rarest(en, 3, deep=off)", "--json", "r.json"]) == OK
    tables = json.loads((farm.directory / "r.json").read_text("utf-8"))["tables"]
    found = {part["name"]: part["items"] for part in tables["slices"] if "/" not in part["name"]}
    assert found == {"rare 0": len(others), "rare 10–99": 1}


@pytest.mark.parametrize(("place", "why"), [("data", "variants.json"), ("other/shown=2", "no variant")])
def test_what_is_no_variant_of_the_dataset_is_refused(place: str, why: str, farm: Workplace) -> None:
    assert run(["compile", "farm.sgl", "--out", "data", "--variants", "deep=off"]) == OK
    (farm.directory / "data.variants").rename(farm.directory / "other")
    farm.write("right.txt", "x\n")
    farm.capsys.readouterr()
    assert run(["eval", "data", "A=right.txt", "--train", place]) != OK
    said = farm.capsys.readouterr().err
    assert "SGL1401" in said
    assert why in said
