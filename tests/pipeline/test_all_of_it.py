"""``all``: a part of the data is everything that its grammar derives; ``repeated``: copies."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from test_measures import GRAMMAR, sentences

from random_claims import compare
from sgl.automata import StructureCompiler
from sgl.core.interpret import interpret
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.produced import ProducedDataset
from sgl.pipeline.production import produce
from sgl.pipeline.proofs import establish
from sgl.sampling.engine import Listing, State
from sgl.verify import certificate_faults, verify
from sgl.verify.rows import Rows

#: Training has every short sentence thrice; a part has all of its own twice, some in dev.
PATTERNS = """
pattern deep
  forbid { depth nmod >= 2; length en <= 9 }
  allow toolong
  waive { depth nmod >= 2 }
  size all repeated 2, 4 repeated 3 within { N[lemma=cat] -[nmod]-> M }
pattern toolong
  forbid { length en >= 8 }
  size 3
part cats
  only { V -[nsubj]-> N[lemma=cat] }
  size all repeated 2 within { N -[nmod]-> M }, all in dev outside { N -[nmod]-> M }
"""

DATASET = """
dataset
  from S
  output act
  train all repeated 3
  test 2 repeated 5
  seed 1
"""


def opened(source: str, folder: Path) -> tuple[Compiled | None, Diagnostics]:
    """A grammar that is compiled, with what is said about it."""
    path, diagnostics = folder / "toy.sgl", Diagnostics()
    path.write_text(source, "utf-8")
    return open_grammar(path, {}, SourceMap(), diagnostics), diagnostics


def produced(compiled: Compiled | None, out: Path) -> ProducedDataset:
    """The dataset of a grammar without errors."""
    assert compiled is not None
    structures, diagnostics = StructureCompiler(compiled.grammar), Diagnostics()
    proofs = establish(compiled, structures, diagnostics)
    assert proofs is not None, diagnostics.found
    assert proofs.proved, diagnostics.found
    made = produce(compiled, structures, proofs, out, lambda *_: None)
    assert made.verification.ok
    return made


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("all")
    produced(opened(GRAMMAR + PATTERNS + DATASET, folder)[0], folder / "out")
    return folder / "out"


def rows(dataset: Path, split: str) -> list[tuple[str, str, str]]:
    """The rows of a split."""
    lines = (dataset / f"data/{split}.tsv").read_text("utf-8").splitlines()
    return [(a, b, c) for a, b, c in (line.split("\t") for line in lines)]


def test_training_is_the_set_of_all_sentences(dataset: Path, tmp_path: Path) -> None:
    compiled, _ = opened(GRAMMAR + PATTERNS + DATASET, tmp_path)
    assert compiled is not None
    items = [interpret(compiled.grammar, own).texts for own in sentences(compiled.grammar, 3)]
    expected = {
        (en, act)
        for en, act in items
        if len(en.split()) < 8 and not en.startswith("cat")
        if all(phrase.count("of") < 2 for phrase in en.split("saw"))
    }
    found = Counter(row[:2] for row in rows(dataset, "train") if row[2] == "in_distribution")
    assert set(found) == expected
    assert set(found.values()) == {3}


def test_copies_follow_one_another(dataset: Path) -> None:
    usual = [row[0] for row in rows(dataset, "train") if row[2] == "in_distribution"]
    assert usual[::3] == usual[1::3] == usual[2::3]
    tested = [row[0] for row in rows(dataset, "test")]
    assert tested == [tested[0]] * 5 + [tested[5]] * 5
    counted = Counter(row[2] for row in rows(dataset, "gen"))
    assert counted == {"deep": 172, "toolong": 3}


def test_the_whole_chain_of_checks_passes(dataset: Path) -> None:
    report = verify(dataset)
    assert [result.code for result in report.results if result.status == "failed"] == []
    assert certificate_faults((dataset / "certificate.json").read_bytes()) == ()
    assert sum(1 for _ in Rows(dataset).rows()) == 269
    check = [sys.executable, str(dataset / "sampler.py"), "--check"]
    assert subprocess.run(check, check=False, capture_output=True).returncode == 0


def test_manifest_and_card_say_that_it_is_everything(dataset: Path) -> None:
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    train = manifest["splits"]["train"]["strata"][0]
    assert (train["extent"]["every"], train["extent"]["copies"], train["count"]) == (True, 3, 3 * train["candidates"])
    assert "every" not in manifest["splits"]["test"]["strata"][0]["extent"]
    card = (dataset / "README.md").read_text("utf-8")
    assert "in_distribution (all that there are) (each 3 times)" in card


@pytest.mark.parametrize("change", ["lacking", "twice", "order"])
def test_a_row_less_more_or_elsewhere_is_found(change: str, dataset: Path, tmp_path: Path) -> None:
    forged = tmp_path / "forged"
    shutil.copytree(dataset, forged)
    for path in (forged / "data/train.tsv", forged / "derivations/train.tsv"):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        if change == "lacking":
            del lines[3]
        elif change == "twice":
            lines.insert(3, lines[3])
        else:
            lines[0], lines[3] = lines[3], lines[0]
        path.write_text("".join(lines), "utf-8")
    failed = {result.code for result in verify(forged).results if result.status == "failed"}
    assert "V030" in failed


def test_derivations_are_counted_and_listed_once_each() -> None:
    """The last child changes quickest."""
    words = State([1, 2], [5, 6], [(), ()])
    pairs = State([1, 2], [1, 2], [(1, 0), (0,)])
    listing = Listing([words, State([1], [7], [()]), pairs], 2)
    found = [listing.derivation(number) for number in range(len(listing))]
    assert found == [[1, 5, 7], [1, 6, 7], [2, 5], [2, 6]]
    two = Listing([words, State([1], [0], [(0, 0)])], 1)
    listed = [two.derivation(number) for number in range(len(two))]
    assert listed == [[0, *pair] for pair in product((5, 6), repeat=2)]


def test_what_has_no_end_has_no_size() -> None:
    again = [State([1, 2], [1, 2], [(1, 0), ()]), State([1, 2], [3, 4], [(0,), ()])]
    assert Listing(again, 0).size is None
    twice = [State([1], [1], [(1, 1)]), State([1, 2], [2, 3], [(2,), (2, 2)]), State([1, 2], [4, 5], [(), ()])]
    assert Listing(twice, 0).size == 36


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (GRAMMAR + DATASET, "SGL0831"),
        (GRAMMAR + PATTERNS.replace("length en <= 9", "length act >= 1") + DATASET, "SGL0831"),
        (GRAMMAR + PATTERNS.replace("size 3", "size all per target") + DATASET, "SGL0825"),
        (GRAMMAR + PATTERNS + DATASET.replace("repeated 5", "repeated 50000"), "SGL0705"),
        (GRAMMAR + PATTERNS + DATASET.replace("seed 1", "seed 1 repeated 2"), "SGL0201"),
        (GRAMMAR + PATTERNS.replace("length en >= 8", "length en >= 39") + DATASET, "SGL0705"),
    ],
)
def test_what_cannot_be_listed_is_told(source: str, code: str, tmp_path: Path) -> None:
    compiled, diagnostics = opened(source, tmp_path)
    assert compiled is None
    assert code in [found.code for found in diagnostics.found]


def test_needs_are_counted_exactly(tmp_path: Path) -> None:
    """Twelve sentences of training and eight of a part have an object with a link."""
    need = "  need 12 { V -[obj]-> N; N -[nmod]-> M }\n  size 3\n"
    for number, right in ((20, True), (21, False)):
        asked = PATTERNS.replace("  size 3\n", need.replace("12", str(number)))
        compiled, _ = opened(GRAMMAR + asked + DATASET, tmp_path)
        assert compiled is not None
        diagnostics = Diagnostics()
        proofs = establish(compiled, StructureCompiler(compiled.grammar), diagnostics)
        codes = [found.code for found in diagnostics.found]
        assert proofs is not None
        assert (codes == []) == right, diagnostics.found


def test_lists_of_random_grammars_agree_with_the_model(tmp_path: Path) -> None:
    figures: Counter[str] = Counter()
    for seed in (102, 103, 107, 109):
        compare(seed, tmp_path / str(seed), figures, dataset=False)
    assert figures["listed"] > 100
