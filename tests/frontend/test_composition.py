"""A dataset with every kind of part, share and restriction, from source to verified files."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from composed_grammar import SOURCE, TAKES
from diagnostics import BASE, MAIN

from sgl.cli.main import OK, run


@pytest.fixture(scope="module", params=["on", "off"])
def dataset(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that `sglc compile` writes, with and without the restriction."""
    directory = tmp_path_factory.mktemp(f"selection_{request.param}")
    (directory / MAIN).write_text(BASE + SOURCE, encoding="utf-8")
    (directory / "takes.yaml").write_text(TAKES, encoding="utf-8")
    setting = f"selection={request.param}"
    command = ["compile", MAIN, "--out", "out", "--set", setting]
    with contextlib.chdir(directory):
        assert run(command) == OK
    return directory / "out"


def rows(dataset: Path) -> list[list[str]]:
    """The rows of all splits: source, target, category."""
    return [
        line.split("\t")
        for path in sorted((dataset / "data").iterdir())
        for line in path.read_text("utf-8").splitlines()
    ]


@pytest.mark.slow
def test_every_check_of_the_verifier_passes(dataset: Path) -> None:
    verification = json.loads((dataset / "verification.json").read_text("utf-8"))
    assert verification["ok"]
    checked = {result["code"]: result["checked"] for result in verification["results"]}
    assert all(checked[code] for code in ("V016", "V022"))


def test_what_is_drunk_is_milk_while_the_restriction_holds(dataset: Path) -> None:
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    objects = {
        source.split(" drank ")[1].split()[1].rstrip(".")
        for source, _, _ in rows(dataset)
        if " drank " in source and "that" not in source
    }
    if manifest["parameters"]["selection"] == "on":
        assert objects == {"milk"}
        assert manifest["nowhere"] == ["{ V[lemma=drink] -[obj|~obj]-> N[lemma!=milk] }"]
    else:
        assert objects - {"milk"}
        assert manifest["nowhere"] == []


def test_targets_share_what_is_asked_of_each(dataset: Path) -> None:
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    shares = {
        stratum["stream"]: stratum["shares"] for split in manifest["splits"].values() for stratum in split["strata"]
    }
    assert shares["gen/pp_in_subject/0"] == {"dog": 3, "cat": 2}
    assert shares["gen/pp_in_subject/1"] == {}
    assert shares["train/exposure:pp_in_subject/0"] == {"dog": 2, "cat": 2}
    assert "Items by target: dog 3, cat 2." in (dataset / "README.md").read_text("utf-8")
    assert "3 dog, 2 cat" in (dataset / "report.html").read_text("utf-8")


def test_the_part_alone_has_relative_clauses(dataset: Path) -> None:
    counted = Counter((" that " in source, category) for source, _, category in rows(dataset))
    assert counted[True, "part:relatives"] == 6
    assert {category for relative, category in counted if relative} == {"part:relatives"}


def test_the_manifest_carries_what_was_written(dataset: Path) -> None:
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    (pattern,) = manifest["patterns"]
    (part,) = manifest["parts"]
    assert pattern["waive"] == ["{ V -[nsubj]-> N[lemma=cat|dog] }"]
    assert ["targets" in quota["extent"] for quota in pattern["quotas"]] == [True, False]
    assert part["repeated_lemmas"]
    assert part["only"] == ["{ N -[acl:relcl]-> V }"]


def test_the_standalone_sampler_draws_the_same(dataset: Path) -> None:
    command = [sys.executable, "-I", "sampler.py", "--check"]
    done = subprocess.run(command, cwd=dataset, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
