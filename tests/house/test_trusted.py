"""The trusted programs are written to be read: short functions, few decisions, the standard library."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from trusted import MODULES

#: The most lines of a function, and the most decisions in it; comprehensions and Boolean operators count.
LINES, COMPLEXITY = 25, 8
_DECISIONS = ast.If | ast.IfExp | ast.For | ast.While | ast.ExceptHandler | ast.Assert | ast.match_case


def complexity(function: ast.AST) -> int:
    """The number of ways through a function, as radon counts them."""
    found = 1
    for node in ast.walk(function):
        if isinstance(node, ast.comprehension):
            found += 1 + len(node.ifs)
        elif isinstance(node, ast.BoolOp):
            found += len(node.values) - 1
        elif isinstance(node, _DECISIONS):
            found += 1
    return found


def functions(path: Path) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)]


def test_decisions_are_counted() -> None:
    (own,) = ast.parse(
        "def f(a, b):\n  if a and b or not a:\n    return [x for x in a if x]\n  return a if b else b"
    ).body
    assert complexity(own) == 1 + 1 + 2 + 2 + 1


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_functions_are_short_and_simple(path: Path) -> None:
    own = [(f.name, (f.end_lineno or 0) - f.lineno + 1, complexity(f)) for f in functions(path)]
    assert [name for name, lines, decisions in own if lines > LINES or decisions > COMPLEXITY] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_the_standard_library_is_enough(path: Path) -> None:
    imported = set[str]()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
        elif isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
    own = {"sgl.verify", *(f"sgl.verify.{other.stem}" for other in MODULES), "alone"}
    assert {name for name in imported if name not in own} <= sys.stdlib_module_names | {"collections.abc"}
