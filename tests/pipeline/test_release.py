"""A dataset with a release can be loaded, cited and packed; the archive is checked as a stranger would."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from released import RELEASE, write_released_farm
from workplace import Workplace

from sgl.cli.main import FAILED, OK, run
from sgl.dataset.cards import genbench

CANARY = "c09f773f-dd01-531c-9a4e-777a9ca7593d"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("released")
    grammar = write_released_farm(directory)
    assert run(["compile", str(grammar), "--out", str(directory / "farm")]) == OK
    return directory / "farm"


def front_matter(dataset: Path) -> dict[str, Any]:
    _, text, _ = (dataset / "README.md").read_text("utf-8").split("---\n", 2)
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def test_the_card_says_what_hubs_ask_for(dataset: Path) -> None:
    card = front_matter(dataset)
    assert (card["license"], card["language"], card["task_categories"]) == ("cc-by-4.0", ["en", "ja"], ["translation"])
    config, other = card["configs"]
    assert [(part["split"], part["path"]) for part in other["data_files"]][-1] == ("test", "parquet/gen.parquet")
    files = {part["split"]: part["path"] for part in config["data_files"]}
    assert files["validation"] == "parquet/dev.parquet"
    assert list(files) == ["train", "validation", "test", "gen"]


def test_the_columns_of_the_card_are_those_of_the_rows(dataset: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    features = {part["name"]: part for part in front_matter(dataset)["dataset_info"][0]["features"]}
    schema = pq.read_schema(dataset / "parquet" / "gen.parquet")
    assert [*features] == schema.names
    assert features["features"]["struct"] == [{"name": "nmod", "dtype": "int32"}]
    assert str(schema.field("features").type) == "struct<nmod: int32>"


def test_the_citation_names_persons_and_groups(dataset: Path) -> None:
    citation = yaml.safe_load((dataset / "CITATION.cff").read_text("utf-8"))
    assert citation["authors"] == [{"family-names": "Lovelace", "given-names": "Ada"}, {"name": "Farm Lab"}]
    assert (citation["version"], citation["license"]) == ("1.2.0", "CC-BY-4.0")


def test_the_canary_is_in_the_descriptions_and_in_no_row(dataset: Path) -> None:
    having = {
        path.relative_to(dataset).as_posix()
        for path in dataset.rglob("*")
        if path.is_file() and CANARY.encode() in path.read_bytes()
    }
    assert having == {"CANARY.txt", "CITATION.cff", "README.md", "manifest.json"}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_croissant_is_valid_and_loads_the_rows(dataset: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    loaded = mlcroissant.Dataset(dataset / "croissant.json")
    assert not loaded.metadata.ctx.issues.errors
    splits = [record["items/split"] for record in loaded.records("items")]
    assert {name: splits.count(name) for name in splits} == {b"train": 120, b"dev": 10, b"test": 10, b"gen": 20}


def test_equal_datasets_give_equal_archives(dataset: Path, work: Workplace) -> None:
    copied = shutil.copytree(dataset, work.directory / "copy")
    for path in copied.rglob("*"):
        path.touch()
    assert run(["release", str(dataset), "--out", "one.zip"]) == run(["release", str(copied), "--out", "two.zip"]) == OK
    assert Path("one.zip").read_bytes() == Path("two.zip").read_bytes()
    assert "verified: 160 items, no violations" in work.capsys.readouterr().out


def test_what_does_not_verify_is_not_packed(dataset: Path, work: Workplace) -> None:
    changed = shutil.copytree(dataset, work.directory / "changed")
    rows = changed / "data" / "gen.tsv"
    rows.write_bytes(rows.read_bytes().replace(b"dog", b"cat"))
    assert run(["release", "changed"]) == FAILED
    assert not Path("farm-1.2.0.zip").exists()


def test_without_a_release_nothing_is_added(work: Workplace) -> None:
    grammar = write_released_farm(work.directory, release="")
    assert run(["compile", str(grammar), "--out", "farm"]) == OK
    added = {"croissant.json", "CITATION.cff", "LICENSE", "DATASHEET.md", "CANARY.txt"}
    assert not added & {path.name for path in Path("farm").iterdir()}
    assert "release" not in json.loads(Path("farm/manifest.json").read_text("utf-8"))
    assert run(["release", "farm"]) == FAILED
    assert 'hint: add `release "1.0.0"` with `licence` and `authors`' in work.capsys.readouterr().err


def test_a_licence_of_ones_own_odd_names_and_no_canary(work: Workplace) -> None:
    odd = r"O'Neil: \"Ö\" #1 <b>{{ x }}</b> | --- %, A\\B"
    release = RELEASE.replace("CC-BY-4.0", "LicenseRef-Farm").replace("Lovelace, Ada", odd) + "  canary    off\n"
    grammar = write_released_farm(work.directory, release)
    assert run(["compile", str(grammar), "--out", "farm"]) == OK
    card = front_matter(Path("farm"))
    assert (card["license"], card["license_name"], card["license_link"]) == ("other", "LicenseRef-Farm", "LICENSE")
    assert not Path("farm/CANARY.txt").exists()
    citation = yaml.safe_load(Path("farm/CITATION.cff").read_text("utf-8"))
    assert "license" not in citation
    assert citation["authors"][0] == {"family-names": 'O\'Neil: "Ö" #1 <b>{{ x }}</b> | --- %', "given-names": "A\\B"}
    creators = json.loads(Path("farm/croissant.json").read_text("utf-8"))["creator"]
    assert creators[0]["name"] == 'A\\B O\'Neil: "Ö" #1 <b>{{ x }}</b> | --- %'


def test_the_card_says_how_much_of_the_items_training_has(dataset: Path) -> None:
    """The figures of the card are those of sets of n-grams over the files."""

    def grams(split: str, n: int) -> list[tuple[str, ...]]:
        sources = [line.split("\t")[0].lower() for line in (dataset / f"data/{split}.tsv").read_text().splitlines()]
        words = [source.replace(".", " .").split() for source in sources]
        return [tuple(own[at : at + n]) for own in words for at in range(len(own) - n + 1)]

    shares = [
        f"{100 * sum(gram in known for gram in items) / len(items):.1f} %"
        for n in (1, 2, 3)
        for known, items in [({*grams("train", n)}, grams("gen", n))]
    ]
    card = (dataset / "README.md").read_text("utf-8")
    (row,) = (line for line in card.splitlines() if line.startswith("| gen pp_in_subject | 20 | 1"))
    assert [cell.strip() for cell in row.split("|")][3:6] == shares
    first = (dataset / "data/gen.tsv").read_text("utf-8").splitlines()[0].split("\t")
    assert f"| {first[0]} | {first[1]} |" in card


def test_genbench_is_told_what_is_proved(dataset: Path) -> None:
    card = json.loads((dataset / "genbench/card.json").read_text("utf-8"))
    assert (card["type"], card["shift type"]) == (["compositional"], ["covariate"])
    assert (card["shift source"], card["shift locus"]) == (["fully generated"], ["train-test"])
    latex = (dataset / "genbench/card.tex").read_text("utf-8")
    assert latex.count("$\\boxtimes$") == 4  # nobody has said the motivation
    assert latex.count("{") == latex.count("}")
    config = (dataset / "genbench/config.jsonnet").read_text("utf-8")
    task = json.loads("".join(line for line in config.splitlines(keepends=True) if not line.startswith("//")))
    assert task["data_source"]["hf_id"] == ["farm", "genbench"]


def test_without_a_proof_a_shift_is_assumed(dataset: Path) -> None:
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    assert genbench(manifest)["shift type"] == ["covariate"]
    (held,) = (g for g in manifest["guarantees"] if (g["claim"], g["method"]) == ("held out", "static"))
    held["result"] = "not certified"
    assert genbench(manifest)["shift type"] == ["assumed"]
    held["result"] = "proved"
    manifest["ambiguous"]["policy"] = "ignore"
    assert genbench(manifest)["shift type"] == ["assumed"]


def test_judges_get_a_sheet_and_are_read_back(dataset: Path, work: Workplace) -> None:
    assert run(["annotate", str(dataset), "--items", "2", "--out", "sheet.csv"]) == OK
    lines = Path("sheet.csv").read_text("utf-8").splitlines()
    assert len(lines) == 5
    Path("ada.csv").write_text("\n".join([lines[0], *(line[:-3] + ",5,yes," for line in lines[1:])]), "utf-8")
    assert run(["annotate", str(dataset), "ada.csv", "--json"]) == OK
    found = json.loads(work.capsys.readouterr().out)
    assert found["all"] == {"judgements": 4, "natural": 5, "right": 1}
    assert run(["annotate", str(dataset), "sheet.csv"]) == FAILED
    assert "SGL1415" in work.capsys.readouterr().err
