"""The grammars of the gallery, and the data that they make: for the tests about them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sget import compile_file

from sgl.cli.main import OK, run
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.rendering import outputs
from sgl.resources import grammars_dir
from sgl.verify import verify
from sgl.verify.certificate import judge

GALLERY = grammars_dir() / "gallery"


def grammar(name: str) -> Path:
    return GALLERY / f"{name}.sgl"


@cache
def whole(name: str) -> Compiled:
    """A grammar; fails when compiling it reports anything at all."""
    return compile_file(grammar(name))


def translated(name: str, sentence: str, *wanted: str) -> list[str]:
    """The outputs of the one reading of a sentence."""
    core = whole(name).grammar
    (reading,) = Parser(core, 0).parse(sentence)
    written = outputs(core)
    return [written[output](reading) for output in wanted]


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
