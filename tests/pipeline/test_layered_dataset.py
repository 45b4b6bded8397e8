"""Patterns on several graph layers, from the grammar to the checker of rows.

The grammar is ``docs/examples/layers.sgl``: roles in ``sem``, Japanese dependencies in ``dep``.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from shutil import copytree

import pytest
from row_datasets import rows_refused

from sgl.cli.main import OK, run
from sgl.verify import verify
from sgl.verify.certificate import judge
from sgl.verify.conllu import Sentence, TokenTable, read_sentences

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
GRAMMAR = ROOT / "docs" / "examples" / "layers.sgl"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("layers") / "out"
    assert run(["compile", str(GRAMMAR), "--out", str(directory)]) == OK
    return directory


@cache
def read(path: Path, *, free: bool = False) -> list[Sentence]:
    found = list(read_sentences(path, TokenTable(free=free)))
    sentences = [sentence for sentence in found if isinstance(sentence, Sentence)]
    assert len(sentences) == len(found)
    return sentences


def failed(directory: Path) -> list[str]:
    return [result.code for result in verify(directory).results if result.status == "failed"]


def changed(dataset: Path, place: Path, file: str, old: str, new: str) -> Path:
    copy = copytree(dataset, place / "copy")
    text = (copy / file).read_text("utf-8")
    assert old in text
    (copy / file).write_text(text.replace(old, new, 1), "utf-8")
    return copy


def test_the_dataset_is_proved_certified_searched_and_drawn_again(dataset: Path) -> None:
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    results = {claim["result"] for claim in manifest["guarantees"]}
    assert results == {"proved", "passed", "checked"}
    assert manifest["layers"]["written"] == ["sem", "dep"]
    assert judge((dataset / "certificate.json").read_bytes())[0] == []
    assert rows_refused(dataset) == ""
    assert failed(dataset) == []


def test_training_has_no_place_of_a_theme_and_items_have_one(dataset: Path) -> None:
    """What the pattern says, read off the files without any structure."""

    def has_it(sentence: Sentence) -> bool:
        themes = {target for _, label, target in sentence.edges if label == "theme"}
        return any(label == "place" and source in themes for source, label, _ in sentence.edges)

    folder = dataset / "conllu" / "sem"
    assert not any(map(has_it, read(folder / "train.conllu", free=True)))
    items = read(folder / "gen.conllu", free=True)
    own = [one for one in items if one.comment("category") == "place_of_theme"]
    assert len(own) == 150
    assert all(map(has_it, own))


def test_layers_have_the_words_of_their_texts(dataset: Path) -> None:
    for layer, free, key in (("sem", True, "text"), ("dep", False, "text_ja")):
        plain = read(dataset / "conllu" / "test.conllu")
        further = read(dataset / "conllu" / layer / "test.conllu", free=free)
        for one, other in zip(plain, further, strict=True):
            assert one.comment(key) == other.comment("text")
    japanese = read(dataset / "conllu" / "dep" / "test.conllu")
    assert all("" not in [word.form for word in sentence.words] for sentence in japanese)


@pytest.mark.parametrize(
    ("file", "old", "new", "codes"),
    [
        # Another role, in all three columns that a reader could look at.
        ("conllu/sem/gen.conllu", ":theme", ":agent", {"V002", "V013", "V016", "V030"}),
        ("conllu/dep/train.conllu", ":obj", ":obl", {"V002", "V005", "V030"}),
        # A word that leaves the graph takes its structures with it.
        ("conllu/sem/gen.conllu", "Node=No", "_", {"V002", "V030"}),
        ("conllu/sem/dev.conllu", "# text = The", "# text = A", {"V002", "V005", "V030"}),
    ],
)
def test_what_is_changed_in_a_layer_is_noticed(
    dataset: Path, tmp_path: Path, file: str, old: str, new: str, codes: set[str]
) -> None:
    assert codes <= {*failed(changed(dataset, tmp_path, file, old, new))}
    assert rows_refused(tmp_path / "copy").startswith("R05")


def test_graphs_that_are_not_listed_are_missed(dataset: Path, tmp_path: Path) -> None:
    copy = changed(dataset, tmp_path, "manifest.json", '"sem",\n      "dep"', '"sem"')
    assert {"V002", "V004"} <= {*failed(copy)}


def test_a_joint_layer_is_not_believed_but_made(dataset: Path) -> None:
    """The certificate has the graphs of layers only; the checker joins them itself."""
    content = json.loads((dataset / "certificate.json").read_text("utf-8"))
    assert [layer["name"] for layer in content["core"]["grammar"]["graph_layers"]] == ["syn", "sem", "dep"]
    joint = next(own for own in content["structures"] if own["layer"] == "syn+sem")
    for layer in ("sem", "sem+syn", "syn+sem+dep"):
        name = joint["name"].replace("syn+sem", layer, 1)
        other = json.loads(json.dumps(content))
        for own in other["structures"]:
            if own["layer"] == "syn+sem":
                own |= {"layer": layer, "name": own["name"].replace("syn+sem", layer, 1)}
        assert name != joint["name"]
        faults = judge(json.dumps(other, ensure_ascii=False).encode())[0]
        assert any(fault.startswith(("C08", "C10")) for fault in faults)
