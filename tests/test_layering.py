"""Imports go one way, and the verifier imports nothing of the compiler.

    lang -> compile -> core -> graph -> automata -> sample -> dataset      verify

Read from the syntax trees of the modules, so that an import inside a function
counts as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "sgl"

#: What each part of the package may import, besides itself and the version in ``sgl``.
ALLOWED: dict[str, set[str]] = {
    "diagnostics": set(),
    "resources": set(),
    "cache": set(),
    "lang": {"cache", "diagnostics", "resources"},
    "core": set(),
    "kernel": {"cache"},
    "compile": {"core", "diagnostics", "lang"},
    "morphology": {"compile", "diagnostics", "lang", "resources"},
    "automata": {"core"},
    "certify": {"automata", "core"},
    "sample": {"automata", "core", "graph", "kernel"},
    "graph": {"core", "kernel"},
    "analyse": set(),
    "evaluate": {"analyse", "core", "corpus", "graph", "morphology", "parse"},
    "baseline": {"evaluate", "morphology", "shards"},
    "exchange": {"core", "diagnostics", "lang"},
    "parse": {"core", "kernel"},
    "corpus": {"core"},
    "audit": {"graph", "automata", "core", "corpus", "kernel", "parse"},
    "fit": {"core", "corpus", "kernel", "parse"},
    "dataset": {"core", "graph", "kernel", "sample"},
    "split": {"core", "kernel", "sample"},
    "shards": {"core", "dataset", "graph", "kernel", "sample"},
    "report": {"core", "diagnostics", "graph"},
    "verify": set(),
    "pygments_lexer": {"lang"},
}
#: What puts everything together: the job, the command line, the reference pages.
ON_TOP = {"build", "cli", "docs_pages", "__main__"}

MODULES = sorted(PACKAGE.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_parts(source: str) -> Iterator[str]:
    """The parts of ``sgl`` that a module names in its import statements."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "sgl":
            names = [f"sgl.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        for name in names:
            top, _, rest = name.partition(".")
            if top == "sgl" and rest and not rest.startswith("__"):
                yield rest.partition(".")[0]


def forbidden(part: str, source: str) -> set[str]:
    if part in ON_TOP or part == "__init__":
        return set()
    return set(imported_parts(source)) - ALLOWED[part] - {part, "EDITION"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_imports_only_what_is_below_it(path: Path) -> None:
    assert forbidden(part_of(path), path.read_text(encoding="utf-8")) == set()


def test_every_part_has_a_place() -> None:
    assert {part_of(path) for path in MODULES} <= {*ALLOWED, *ON_TOP, "__init__"}


def test_the_table_has_no_circle() -> None:
    assert set(TopologicalSorter(ALLOWED).static_order()) == set(ALLOWED)


def test_nothing_below_the_command_line_is_allowed_to_import_the_verifier() -> None:
    assert not any("verify" in parts for parts in ALLOWED.values())


@pytest.mark.parametrize(
    "statement",
    [
        "import sgl.automata",
        "from sgl import automata",
        "from sgl.automata.state import State",
        "def late():\n    from sgl.automata import anything",
    ],
)
def test_a_breach_is_found(statement: str) -> None:
    assert forbidden("verify", statement) == {"automata"}
