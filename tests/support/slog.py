"""The grammars of COGS and SLOG, compiled once, for the tests about them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sget import compile_file

from sgl.frontend import Compiled
from sgl.parsing import Parser, best_readings
from sgl.rendering import Output, outputs
from sgl.resources import grammars_dir

#: The published data; absent from most checkouts.
DATA = Path(__file__).parents[3] / "shared" / "data"

FORMS = Path(__file__).parents[1] / "golden" / "slog" / "forms.txt"


@cache
def grammar(name: str) -> Compiled:
    """``slog`` or ``cogs``; fails when compiling it reports anything at all."""
    return compile_file(grammars_dir() / f"{name}.sgl")


@cache
def parser(name: str) -> Parser:
    """The parser of a grammar."""
    return Parser(grammar(name).grammar, 0)


def views(name: str) -> dict[str, Output]:
    """The outputs of a grammar by name."""
    return outputs(grammar(name).grammar)


def forms(name: str, view: str, sentence: str) -> set[str]:
    """What the readings of a sentence are in a view."""
    output = views(name)[view]
    return {output(reading) for reading in parser(name).parse(sentence)}


def likeliest(name: str, view: str, sentence: str) -> str:
    """What the likeliest reading of a sentence is in a view."""
    forest = parser(name).forest(sentence)
    assert forest is not None
    (best,) = best_readings(forest, 1)
    return views(name)[view](best.derivation)


def pairs() -> list[tuple[str, str, str]]:
    """Our own sentences, each with its COGS form and its variable-free form."""
    blocks = FORMS.read_text("utf-8").split("\n\n")
    found = [tuple(block.strip().splitlines()) for block in blocks if not block.startswith("#")]
    return [(sentence, cogs, term) for sentence, cogs, term in found]


def rows(path: str) -> list[tuple[str, str, str]]:
    """The rows of a published file: sentence, logical form, kind."""
    lines = (DATA / path).read_text("utf-8").splitlines()
    found = [line.split("\t") for line in lines]
    return [(sentence, form, kind) for sentence, form, kind in found]
