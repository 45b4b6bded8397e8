"""The grammars of the gallery, and the data that they make: for the tests about them."""

from __future__ import annotations

from pathlib import Path

from sgl.cli.main import OK, run
from sgl.resources import grammars_dir
from sgl.verify import verify
from sgl.verify.certificate import judge

GALLERY = grammars_dir() / "gallery"


def grammar(name: str) -> Path:
    return GALLERY / f"{name}.sgl"


def checked(name: str) -> None:
    """Prove all patterns of a grammar, and parse its examples."""
    assert run(["check", str(grammar(name))]) == OK


def compiled(name: str, directory: Path) -> Path:
    """Compile a grammar; ask the checker of certificates and the verifier."""
    assert run(["compile", str(grammar(name)), "--out", str(directory)]) == OK
    refusals, established = judge((directory / "certificate.json").read_bytes())
    assert refusals == []
    assert established
    assert verify(directory).ok
    return directory


def rows(directory: Path, output: str, split: str) -> list[list[str]]:
    """Return source, target and category of all rows in one output (`""` for the first)."""
    text = (directory / "data" / output / f"{split}.tsv").read_text("utf-8")
    return [line.split("\t") for line in text.splitlines()]
