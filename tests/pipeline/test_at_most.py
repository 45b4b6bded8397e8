"""``at most``: as many sentences as were asked for, or those that there are."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_all_of_it import opened, produced, rows
from test_measures import GRAMMAR, sentences

from sgl.automata import StructureCompiler
from sgl.core.extent import RARE, STEP, Extent
from sgl.core.interpret import interpret
from sgl.diagnostics import Diagnostics
from sgl.pipeline.proofs import establish
from sgl.sampling import pack
from sgl.sampling.screening import seen_sentences
from sgl.sampling.strata import BatchAcceptance, Sampler, StrataSampler
from sgl.verify import certificate_faults, verify
from sgl.verify.sampled import look_at
from sgl.verify.schema_plan import ExtentClaim

#: Of 240 items with at most 11 words, 48 have at most 9, and are taken first.
PATTERNS = """
pattern deep
  forbid { depth nmod >= 2 }
  size at most 300 repeated 2 within { length en <= 9 } outside { depth nmod >= 3 },
       at most 100 within { length en <= 11 }, rest(200), at most 40
part cats
  only { V -[nsubj]-> N[lemma=cat] }
  size at most 100 within { N -[nmod]-> M }
quota rest(n) = n within { length en <= 11 }
"""

DATASET = """
dataset
  from S
  output act
  train all
  seed 1
  ambiguous ignore
  distinct sentences
"""

SOURCE = GRAMMAR + PATTERNS.replace("rest(200)", "at most rest(200)") + DATASET


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("most")
    produced(opened(SOURCE, folder)[0], folder / "out")
    return folder / "out"


def strata(dataset: Path) -> dict[str, Any]:
    """The strata of the manifest by stream."""
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    return {own["stream"]: own for split in manifest["splits"].values() for own in split["strata"]}


def test_a_small_part_is_listed_and_a_large_one_drawn(dataset: Path) -> None:
    found = {name: (own["extent"], own["count"]) for name, own in strata(dataset).items()}
    assert found["train/part:cats/0"] == ({"count": 12, "every": True, "at_most": True}, 12)
    assert found["gen/deep/0"] == ({"count": 48, "every": True, "copies": 2, "at_most": True}, 96)
    assert found["gen/deep/1"] == ({"count": 100, "at_most": True}, 100)
    assert found["gen/deep/3"] == ({"count": 40, "at_most": True}, 40)


def test_what_is_left_is_drawn_until_it_is_rare(dataset: Path, tmp_path: Path) -> None:
    """Two hundred more are asked for, and all that other quotas left are found."""
    own = strata(dataset)["gen/deep/2"]
    assert own["candidates"] % STEP == 0
    assert own["count"] * RARE < own["candidates"] <= own["count"] * RARE + STEP
    compiled, _ = opened(SOURCE, tmp_path)
    assert compiled is not None
    texts = [interpret(compiled.grammar, one).texts[0] for one in sentences(compiled.grammar, 5)]
    short = [text for text in texts if len(text.split()) <= 11 and not text.startswith("cat")]
    there = {text for text in short if max(phrase.count("of") for phrase in text.split("saw")) >= 2}
    assert len(there) == 240
    items = [row[0] for row in rows(dataset, "gen")]
    assert set(items[:-40]) == there
    assert len(items) == 96 + len(there) - 48 + 40


def test_the_whole_chain_of_checks_passes(dataset: Path) -> None:
    report = verify(dataset)
    assert [result.code for result in report.results if result.status == "failed"] == []
    assert certificate_faults((dataset / "certificate.json").read_bytes()) == ()
    check = [sys.executable, str(dataset / "sampler.py"), "--check"]
    assert subprocess.run(check, check=False, capture_output=True).returncode == 0


def test_a_sample_is_one_of_the_rows_that_there_are(dataset: Path) -> None:
    counts = [own["count"] for own in strata(dataset).values()]
    found = look_at(dataset, max(counts))
    assert (found.rows, found.right, found.refusal) == (sum(counts), sum(counts), "")


def test_the_card_says_what_was_asked_for(dataset: Path) -> None:
    card = (dataset / "README.md").read_text("utf-8")
    assert "| gen | deep (all that there are) (each 2 times) | 96 | 48 |" in card
    assert f"| gen | deep (at most 200) | {strata(dataset)['gen/deep/2']['count']} |" in card


@pytest.mark.parametrize("stream", ["gen/deep/0", "gen/deep/2"])
def test_a_row_less_is_found(stream: str, dataset: Path, tmp_path: Path) -> None:
    """Fewer than were drawn are not excused by fewer than were asked for."""
    forged = tmp_path / "forged"
    shutil.copytree(dataset, forged)
    manifest = json.loads((forged / "manifest.json").read_text("utf-8"))
    own = next(own for own in manifest["splits"]["gen"]["strata"] if own["stream"] == stream)
    lines = {path: path.read_text("utf-8").splitlines(keepends=True) for path in sorted(forged.glob("d*/gen.tsv"))}
    place = 0 if stream == "gen/deep/0" else 196
    for path, content in lines.items():
        path.write_text("".join(content[:place] + content[place + 1 :]), "utf-8")
    own["count"] -= 1
    manifest["splits"]["gen"]["items"] -= 1
    (forged / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    failed = {result.code for result in verify(forged).results if result.status == "failed"}
    assert "V030" in failed


def test_the_verifier_knows_which_extents_serve_a_quota() -> None:
    asked = ExtentClaim(300, at_most=True)
    assert ExtentClaim(300, at_most=True).serves(asked)
    assert ExtentClaim(48, every=True, at_most=True).serves(asked)
    assert not ExtentClaim(301, every=True, at_most=True).serves(asked)
    assert not ExtentClaim(48, at_most=True).serves(asked)
    assert not ExtentClaim(300).serves(asked)
    assert not ExtentClaim(48, every=True).serves(asked)
    assert not ExtentClaim(48, every=True, at_most=True).serves(ExtentClaim(48))
    shared = ExtentClaim(48, targets=("dog", "cat"), at_most=True)
    assert not replace(shared, count=22, every=True).serves(shared)
    assert ExtentClaim(48, every=True).serves(ExtentClaim(every=True))
    assert [asked.allows(count) for count in (0, 299, 300, 301)] == [True, True, True, False]
    assert [ExtentClaim(300).allows(count) for count in (299, 300)] == [False, True]


def test_sampling_can_go_on_where_it_ended(tmp_path: Path) -> None:
    compiled, _ = opened(SOURCE, tmp_path)
    assert compiled is not None
    structures = StructureCompiler(compiled.grammar)
    splits = {own.stream: structures.drawn(own) for own in compiled.plan.strata}
    tables = pack(compiled.grammar, compiled.plan, splits)
    sampler = StrataSampler(Sampler(tables))
    samples = [sampler.stratum(number) for number in range(len(tables.strata))]
    for number, sample in enumerate(samples):
        own = BatchAcceptance(tables, number, seen_sentences(tables))
        own.restore(sample)
        assert own.missing == 0


def test_no_proof_counts_on_sentences_that_may_not_be_there(tmp_path: Path) -> None:
    """The ten of a part are certain if it has to have them, and those of `at most` are not."""
    part = "pattern deep\n  forbid { depth nmod >= 2 }\n  need 8 { V -[nsubj]-> N[lemma=cat] }\n  size 3\n"
    part += "part cats\n  only { V -[nsubj]-> N[lemma=cat] }\n  size "
    for size, right in (("10", True), ("at most 10", False)):
        compiled, found = opened(GRAMMAR + part + size + DATASET.replace("train all", "train 8"), tmp_path)
        assert compiled is not None, found.found
        diagnostics = Diagnostics()
        proofs = establish(compiled, StructureCompiler(compiled.grammar), diagnostics)
        assert ([found.code for found in diagnostics.found] == []) == right, diagnostics.found
        assert proofs is not None


@pytest.mark.parametrize("size", ["at most all", "at most 6 instances in 5 contexts"])
def test_only_a_number_of_sentences_has_a_limit(size: str, tmp_path: Path) -> None:
    pattern = f"pattern deep\n  forbid {{ N -[nmod]-> M }}\n  size {size}\n"
    compiled, diagnostics = opened(GRAMMAR + pattern + DATASET, tmp_path)
    assert compiled is None
    assert [found.code for found in diagnostics.found] == ["SGL0825"]


def test_a_limit_is_not_the_number_that_there_is(tmp_path: Path) -> None:
    pattern = "pattern deep\n  forbid { N -[nmod]-> M }\n  size at most 6000000 repeated 2\n"
    compiled, diagnostics = opened(GRAMMAR + pattern + DATASET.replace("all", "30"), tmp_path)
    assert compiled is not None, diagnostics.found


def test_shares_of_targets_are_limits_too(tmp_path: Path) -> None:
    """Training has a cat once, as an object: there are fewer of one target than of the other."""
    pattern = "pattern subjects\n  targets dog cat\n  forbid { V -[nsubj]-> N[@targets]; N -[nmod]-> M }\n"
    pattern += "  size at most 12 per target within { length en <= 7 }\n"
    made = produced(opened(GRAMMAR + pattern + DATASET.replace("all", "30"), tmp_path)[0], tmp_path / "out")
    own = strata(tmp_path / "out")["gen/subjects/0"]
    assert made.verification.ok
    assert own["extent"] == {"count": 24, "targets": ["dog", "cat"], "at_most": True}
    assert 0 < own["count"] < 24
    assert sum(own["shares"].values()) == own["count"]


def test_what_may_not_have_been_taken_is_left_for_others(tmp_path: Path) -> None:
    """Of three sentences two are taken, as no target may have more, and one target has none."""
    pattern = "pattern subjects\n  targets dog cat\n  forbid { V -[nsubj]-> N[@targets]; N -[nmod]-> M }\n"
    short = "within { length en <= 7 } outside { K[lemma=cat] }"
    pattern += f"  size at most 2 per target {short}, 1 {short}\n"
    produced(opened(GRAMMAR + pattern + DATASET.replace("all", "30"), tmp_path)[0], tmp_path / "out")
    found = strata(tmp_path / "out")
    assert [found[f"gen/subjects/{number}"]["count"] for number in range(2)] == [2, 1]


def test_an_extent_answers_for_what_is_not_known() -> None:
    limited = Extent(500, at_most=True)
    assert (limited.most, limited.exact) == (500, False)
    assert limited.counted(500) == replace(limited, every=True)
    assert limited.counted(501) == limited.counted(None) == limited
    assert [limited.missing(n, 3, 0) for n in (0, STEP - 1, STEP, STEP + 1)] == [497, 497, 0, 497]
    assert limited.missing(STEP, STEP // RARE, 0) == 500 - STEP // RARE
