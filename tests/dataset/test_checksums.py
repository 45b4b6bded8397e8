"""SHA256SUMS, and the signature."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from sgl.dataset import signature, write_checksums


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    for name in ("manifest.json", "data/gen.tsv", "data-2"):
        (tmp_path / name).write_text(name, "utf-8")
    write_checksums(tmp_path, {"data/gen.tsv": "known"})
    return tmp_path


def test_paths_are_sorted_and_known_hashes_are_taken(home: Path) -> None:
    listed = (home / "SHA256SUMS").read_text("utf-8")
    hashes = {name: sha256(name.encode()).hexdigest() for name in ("data-2", "manifest.json")}
    assert listed == (f"{hashes['data-2']}  data-2\nknown  data/gen.tsv\n{hashes['manifest.json']}  manifest.json\n")


def test_the_list_does_not_list_itself(home: Path) -> None:
    before = (home / "SHA256SUMS").read_bytes()
    write_checksums(home, {"data/gen.tsv": "known"})
    assert (home / "SHA256SUMS").read_bytes() == before


def test_the_signature_names_the_list(home: Path) -> None:
    digest = sha256((home / "SHA256SUMS").read_bytes()).hexdigest()
    assert signature(home, "sgl:1") == f"sgl:1|files:sha256:{digest}"
    assert signature(home, "sgl:1", "manifest.json") == f"sgl:1|files:sha256:{digest}"


def test_whose_files_are_others_has_no_signature(home: Path) -> None:
    (home / "manifest.json").write_text("{}", "utf-8")
    assert signature(home, "sgl:1", "manifest.json") == "sgl:1"
    (home / "SHA256SUMS").unlink()
    assert signature(home, "sgl:1") == "sgl:1"
