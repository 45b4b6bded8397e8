"""A directory of files in which ``sglc`` runs, and pieces of grammars to write there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from diagnostics import INTERNAL, MAIN, PIECES

from sgl.cli.main import run
from sgl.dataset import write_checksums
from sgl.foreign import sha256_of

DATASET = PIECES["dataset"]
PATTERN = "\npattern p\n  forbid { V -[nsubj]-> N; N -[nmod]-> M }\n  size 10\n"
ANIMALS = """
lexicon animals from "%s"
  N
    en  $en
    ja  $ja
    syn node(upos=NOUN)
"""
ROWS = "- {en: horse, ja: 馬}\n"


def reseal(directory: Path) -> None:
    """Write all hashes anew, as a forger would."""
    path = directory / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    for file in manifest["files"]:
        file["sha256"] = sha256_of(directory / file["path"])
    path.write_text(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n", "utf-8")
    write_checksums(directory, {})


class Workplace:
    """A directory of files in which ``sglc`` runs."""

    def __init__(self, directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.directory = directory
        self.capsys = capsys

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    def files(self) -> list[str]:
        """Everything there is, but for the directory that holds datasets by default."""
        found = (str(path.relative_to(self.directory)) for path in self.directory.rglob("*"))
        return sorted(path for path in found if path != "out")

    def refuses(self, status: int, *expected: str, command: tuple[str, ...] = ("compile",)) -> str:
        """``sglc`` ends with this exit code, says this, and changes no file."""
        before = self.files()
        assert run([command[0], MAIN, *command[1:]]) == status
        captured = self.capsys.readouterr()
        said = captured.out + captured.err
        for words in expected:
            assert words in said
        assert not [word for word in INTERNAL if word in said]
        assert self.files() == before
        return said
