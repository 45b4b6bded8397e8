"""The page *Limits and promises* states the numbers of the code, and the list of promises tests that exist."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import sgl
from sgl import foreign

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "limits.md").read_text("utf-8")
PROMISES = (ROOT / "tests" / "expectations" / "promises.md").read_text("utf-8")

UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

#: How constants are called that bound something.
BOUND = re.compile(r"_?(?:MAX|MOST|LONGEST|LARGEST|DEEPEST|HIGHEST|PATIENCE|.*BUDGET)(?:_[A-Z_]+)?")

#: Those that bound nothing from outside: what is shown, remembered, or done in another way.
INTERNAL = {
    "sgl.accel": "machine code falls back on the definition",
    "sgl.diagnostics": "what a message shows",
    "sgl.report": "what a page shows",
    "sgl.research.analyse.tables": "what a page shows",
    "sgl.cli.terminal": "what a line shows",
    "sgl.cli.parse._MOST": "readings that are shown",
    "sgl.lang.parser": "what a message shows",
    "sgl.automata.algebra.boolean.MOST_JOINED": "more are joined in another way",
    "sgl.automata.proofs.evidence.LONGEST": "another example is sampled",
    "sgl.automata.proofs.prove.LONGEST_COUNTED": "what a table shows",
    "sgl.automata.weights.split.HIGHEST": "what a table shows",
    "sgl.dataset.rows.MOST_BYTES": "more is written in parts",
    "sgl.verify.dataset._LONGEST": "what a message shows",
    "sgl.rendering.output.MOST_SHAPES": "others are written by the definition",
    "sgl.sampling.strata.LARGEST_BATCH": "more is sampled in parts",
    "sgl.core.graph.MOST_KNOWN": "graphs that are remembered",
    "sgl.pipeline.matches.MOST_KNOWN": "answers that are remembered",
}


def rows() -> list[list[str]]:
    """The cells of the rows about limits."""
    part = PAGE[PAGE.index("## Limits") :]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] != "what" and not row[0].startswith("---")]


def source(row: list[str]) -> str:
    return row[4].strip("`")


def value(name: str) -> int:
    """The number that stands in the source under a name."""
    module, _, constant = name.rpartition(".")
    if module == "sgl.foreign.Limits":
        number: int = getattr(foreign.Limits(), constant)
        return number
    found = getattr(import_module(module), constant)
    return found.limit if isinstance(found, foreign.Kind) else int(found)


@pytest.mark.parametrize("row", rows(), ids=source)
def test_a_number_is_that_of_the_code(row: list[str]) -> None:
    number = re.match(r"([\d,]+)(?: (KiB|MiB|GiB))?", row[1])
    assert number
    stated = int(number[1].replace(",", "")) * UNITS.get(number[2], 1)
    assert stated == value(source(row))


@pytest.mark.parametrize("row", rows(), ids=source)
def test_what_happens_beyond_a_limit_is_said(row: list[str]) -> None:
    assert row[2]
    for code in re.findall(r"SGL\d{4}", row[2]):
        assert (ROOT / "sgl" / "diagnostics" / "pages" / f"{code}.md").exists()
    is_named = source(row).startswith("sgl.foreign.Limits.")
    name = source(row).rpartition(".")[2]
    most = f", in a grammar up to {foreign.OF_GRAMMARS[name]:,}" if is_named and name in foreign.OF_GRAMMARS else ""
    assert row[3] == (f"`{name}`{most}" if is_named else "")


@cache
def bounds() -> tuple[str, ...]:
    """Constants of the source that bound something, by their names."""
    constant = re.compile(r"^([A-Z_]+)(?:: \w+)? = [0-9(]", re.MULTILINE)
    found = [f"sgl.foreign.Limits.{field.name}" for field in fields(foreign.Limits)]
    found += [f"sgl.foreign.{n}" for n, k in vars(foreign).items() if isinstance(k, foreign.Kind)]
    for module in walk_packages(sgl.__path__, "sgl."):
        path = ROOT / module.name.replace(".", "/")
        text = path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"
        constants = constant.findall(text.read_text("utf-8"))
        found += [f"{module.name}.{name}" for name in constants if BOUND.fullmatch(name)]
    return tuple(found)


def test_every_limit_of_the_code_is_on_the_page() -> None:
    stated = {source(row) for row in rows()}
    missing = [n for n in bounds() if n not in stated and not n.startswith(tuple(INTERNAL))]
    assert missing == []
    assert len(stated) == len(rows()) > 50


def promises() -> list[str]:
    return re.findall(r"`(tests/[\w/.]+::\w+)`", PROMISES)


@pytest.mark.parametrize("promise", promises())
def test_a_promise_is_held_by_a_test_that_exists(promise: str) -> None:
    path, name = promise.split("::")
    assert f"\ndef {name}(" in (ROOT / path).read_text("utf-8")


def test_there_are_promises_and_each_row_has_its_test() -> None:
    lines = [line for line in PROMISES.splitlines() if line.startswith("| ")]
    held = [line for line in lines if not line.startswith(("| promise", "| ---"))]
    assert len(held) == len(set(promises())) >= 25
