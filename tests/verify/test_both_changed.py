"""A manifest and a certificate that are changed together, by whoever wrote both: violations, and never an error."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from row_datasets import compiled

from sgl.verify import verify

Json = Any


def garbage_structures(_: Json, certificate: Json) -> None:
    for structure in certificate["structures"]:
        structure["name"] = "garbage ("


def no_parts(manifest: Json, _: Json) -> None:
    manifest.pop("parts", None)


def strata_that_are_not_there(_: Json, certificate: Json) -> None:
    certificate["splits"][0]["strata"].append(99)
    certificate["claims"] = []


def a_claim_about_nothing(_: Json, certificate: Json) -> None:
    for claim in certificate["claims"]:
        claim.update(claim="licensed", kind="contains", structures=[])


def a_state_without_words(_: Json, certificate: Json) -> None:
    states = certificate["sampler"]["states"]
    states.append({"bounds": [], "rules": [], "children": []})
    states[0]["bounds"].append(states[0]["bounds"][-1] + 1)
    states[0]["rules"].append(states[0]["rules"][0])
    states[0]["children"].append([len(states) - 1])


def no_copy(manifest: Json, _: Json) -> None:
    for split in manifest["splits"].values():
        for stratum in split["strata"]:
            stratum["extent"]["copies"] = 0


def an_endless_part(manifest: Json, _: Json) -> None:
    manifest["patterns"][0]["quotas"][0]["extent"]["contexts"] = 2
    for stratum in manifest["splits"]["gen"]["strata"]:
        stratum["count"] = 10**19


CHANGES = (
    *(garbage_structures, no_parts, strata_that_are_not_there, a_claim_about_nothing, a_state_without_words),
    *(no_copy, an_endless_part),
)


def test_the_dataset_itself_is_accepted() -> None:
    assert verify(compiled("farm")).ok


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_both_say_is_a_violation(change: Callable[[Json, Json], None], tmp_path: Path) -> None:
    forged = shutil.copytree(compiled("farm"), tmp_path / "forged")
    files = [forged / "manifest.json", forged / "certificate.json"]
    contents = [json.loads(path.read_text("utf-8")) for path in files]
    change(*contents)
    for path, content in zip(files, contents, strict=True):
        path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    assert not verify(forged).ok


def test_more_candidates_than_there_were_are_noticed(tmp_path: Path) -> None:
    forged = shutil.copytree(compiled("farm"), tmp_path / "forged")
    path = forged / "manifest.json"
    content = json.loads(path.read_text("utf-8"))
    content["splits"]["train"]["strata"][0]["candidates"] += 1
    path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    assert verify(forged).result("V030").status == "failed"
