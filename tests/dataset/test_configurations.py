"""Every configuration of a card is loaded as its readers load it: all targets, one target, and GenBench's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from datasets import get_dataset_config_names, load_dataset
from released import write_released_farm

from sgl.cli.main import OK, run

SHARED = ["id", "source", "category", "split_kind", "derivation", "depth", "features", "seed_stream"]
#: The columns of each configuration beyond the shared ones, which depend on the outputs, and its last split.
CONFIGURATIONS = {
    "default": ({"target", "target_lf", "references", "references_lf"}, "gen"),
    "en-ja": ({"target", "references"}, "gen"),
    "en-lf": ({"target_lf", "references_lf"}, "gen"),
    "genbench": ({"target"}, "test"),
}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("configurations")
    grammar = write_released_farm(home)
    text = grammar.read_text("utf-8").replace("view  amr = penman(sem)", "view  lf = cogs(sem)")
    grammar.write_text(text.replace("dataset\n", "dataset\n  output ja lf\n  ambiguous list\n"), "utf-8")
    assert run(["compile", str(grammar), "--out", str(home / "farm")]) == OK
    return home / "farm"


def test_these_are_all(dataset: Path) -> None:
    assert get_dataset_config_names(str(dataset)) == [*CONFIGURATIONS]


def test_descriptions_for_programs_are_indented_as_their_values_are_nested(dataset: Path) -> None:
    found = [dataset / "croissant.json", dataset / "genbench" / "card.json"]
    for path in found:
        text = path.read_text("utf-8")
        assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_configuration_has_the_rows_of_its_files(name: str, dataset: Path, tmp_path: Path) -> None:
    own, last = CONFIGURATIONS[name]
    found: Any = load_dataset(str(dataset), name, cache_dir=str(tmp_path))
    shared = ["id", "source", "category"] if name == "genbench" else SHARED
    assert set(found[last].column_names) == {*shared, *own}
    folder = dataset / "data" / ("lf" if name == "en-lf" else "")
    rows = [tuple(line.split("\t")) for line in (folder / "gen.tsv").read_text("utf-8").splitlines()]
    target = "target_lf" if name == "en-lf" else "target"
    assert [(row["source"], row[target], row["category"]) for row in found[last]] == rows
