"""No forged dataset passes, and every honest one does."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import forgeries
import pytest
from forged_datasets import HONEST, compiled
from forgery_page import PAGE, page
from forging import FORGERIES, SIGNED, Forger, Forgery, forge, misjudged, missed
from row_datasets import rows_refused

from sgl.cli.main import OK, run
from sgl.pipeline.release import compare
from sgl.verify import Report, verify
from sgl.verify import certificate as claims_checker
from sgl.verify import rows as rows_checker
from sgl.verify.certificate import judge

ROOT, CERTIFICATE = Path(__file__).parents[2], "certificate.json"
SCRIPTS = {Path(claims_checker.__file__): CERTIFICATE, Path(rows_checker.__file__): ""}


def copied(name: str, directory: Path) -> Path:
    """A copy of a dataset, which may be changed."""
    return Path(shutil.copytree(compiled(name), directory / "forged"))


def accepting_everything(report: Report) -> Report:
    """What a verifier says that finds nothing wrong anywhere."""
    return replace(report, results=tuple(replace(x, status="passed") for x in report.results))


def refusing_everything(report: Report) -> Report:
    """What a verifier says that finds something wrong in everything."""
    for result in report.results:
        result.fault("something is wrong")
    return report


# ---- honest datasets


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_dataset_is_accepted(name: str) -> None:
    directory = compiled(name)
    report = verify(directory)
    assert misjudged(report) == ""
    assert {result.code for result in report.results if result.status == "skipped"} == set()
    assert judge((directory / CERTIFICATE).read_bytes())[0] == []
    assert rows_refused(directory) == ""
    assert misjudged(refusing_everything(report)) != ""


@pytest.mark.acceptance
@pytest.mark.parametrize("grammar", ["docs/examples/farm.sgl", "grammars/slog.sgl"])
def test_an_honest_dataset_of_its_full_size_is_accepted(grammar: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(["compile", str(ROOT / grammar), "--out", str(out)]) == OK
    assert misjudged(verify(out)) == ""


@pytest.mark.parametrize("name", HONEST)
def test_what_a_forger_seals_without_a_change_is_accepted(name: str, tmp_path: Path) -> None:
    """So a forgery is refused for what it changes, not for how it is written."""
    forger = Forger(copied(name, tmp_path))
    assert forger.certificate
    for split in forger.manifest["splits"]:
        forger.write(split, forger.read(split), ["data"])
    published = forger.signature
    forger.seal()
    assert forger.signature == published
    assert misjudged(verify(forger.directory, signature=published)) == ""


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_checkers_accept_an_honest_dataset_as_programs(script: Path) -> None:
    command = [sys.executable, "-S", str(script), str(compiled("farm") / SCRIPTS[script])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[0]) == (0, "accepted")


# ---- forgeries


def forgery_cases() -> Iterator[object]:
    """All forgeries; slow are those of which ``tests/verify/test_rows_drawn.py`` has the like."""
    for name, forged in FORGERIES.items():
        slow = forged.family in ("graphs in CoNLL-U", "columns of Parquet")
        yield pytest.param(forged, id=name, marks=[pytest.mark.slow] if slow else [])


@pytest.mark.parametrize("forged", [*forgery_cases()])
def test_a_forgery_is_refused(forged: Forgery, tmp_path: Path) -> None:
    directory = copied(forged.dataset, tmp_path)
    signature = forge(forged, directory)
    report = verify(directory, signature=signature)
    assert missed(forged, report) == ""
    if forged.refused_by.startswith("C"):
        said = judge((directory / CERTIFICATE).read_bytes())[0]
        assert forged.refused_by in {fault[:3] for fault in said}
    if forged.refused_by.startswith("R"):
        assert rows_refused(directory).startswith(forged.refused_by)
    if forged.family == SIGNED:  # nothing but the published signature, or the grammar, tells
        assert misjudged(verify(directory)) == ""
        assert compare(directory, compiled(forged.dataset)).status == "failed"
    assert missed(forged, accepting_everything(report)) != ""


def test_the_page_of_forgeries_lists_them() -> None:
    assert page() == PAGE.read_text("utf-8")
    shown = (PAGE.parents[2] / "docs" / "certificate.md").read_text("utf-8")
    assert f"[{len(FORGERIES)} forgeries](" in shown


def test_there_are_forgeries_of_every_kind() -> None:
    families = Counter(forged.family for forged in FORGERIES.values())
    assert families.total() >= 150
    assert min(families.values()) >= 5
    modules = {forged.act.__module__ for forged in FORGERIES.values()}
    assert modules == {f"forgeries.{name}" for name in forgeries.__all__}
