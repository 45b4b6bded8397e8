"""The annex uses the front door: ``import sgl``, and the names on the pages of ``docs/api``.

What a tool of research needs, a package of a stranger needs as well, so it stands on a page.  A page lists names of a
module as members, or, where nothing but their values matters, in a table of constants.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType

import pytest

import sgl

ROOT = Path(__file__).parents[2]
PAGES = [*(ROOT / "docs" / "api").glob("*.md"), ROOT / "docs" / "python.md"]
ANNEX = sorted((ROOT / "sgl" / "research").rglob("*.py"))

#: A module of which all public names are meant, or those that are listed.
_MODULE = re.compile(
    r"^::: ([\w.]+)(?:\n    options:(?:\n      heading_level: 3)?\n      members: \[(.*)\])?", re.MULTILINE
)
_CONSTANTS = re.compile(r"^\| `(sgl[\w.]*)` \| (.+?) \|", re.MULTILINE)

Name = tuple[str, str]


@cache
def documented() -> frozenset[Name]:
    """The names of modules that stand on a page."""
    found: set[Name] = set()
    for page in PAGES:
        text = page.read_text("utf-8")
        for module, members in _MODULE.findall(text):
            names = members.split(", ") if members else [n for n in vars(import_module(module)) if n[0] != "_"]
            found.update((module, name) for name in names)
        for module, names in _CONSTANTS.findall(text):
            found.update((module, name) for name in re.findall(r"`(\w+)`", names))
    return frozenset(found)


def imports(source: str) -> Iterator[Name]:
    """The names of SGL outside the annex that a module imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "sgl":
            module = node.module or ""
            if not module.startswith("sgl.research"):
                yield from ((module, alias.name) for alias in node.names)
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.startswith("sgl."))


def is_open(name: Name) -> bool:
    """Whether a name is behind the door, perhaps by way of the package that passes it on."""
    module, own = name
    if name in documented() or (module == "sgl" and own in dir(sgl)):
        return True
    value = getattr(import_module(module), own, None) if own else None
    same = (known for page, known in documented() if known == own and getattr(import_module(page), own) is value)
    return isinstance(value, type | FunctionType) and next(same, None) is not None


def test_the_annex_imports_what_stands_on_a_page_of_the_interface() -> None:
    closed = {
        f"{path.relative_to(ROOT).as_posix()}: {module}.{own}"
        for path in ANNEX
        for module, own in imports(path.read_text("utf-8"))
        if not is_open((module, own))
    }
    assert closed == set()


def test_every_name_on_a_page_is_there() -> None:
    assert [f"{module}.{own}" for module, own in documented() if not hasattr(import_module(module), own)] == []


@pytest.mark.parametrize(
    "statement",
    [
        "from sgl.automata.proofs.evidence import anything",
        "def late():\n    from sgl.verify.items import ShapeTable",
        "import sgl.sampling.engine",
        "from sgl import foreign",
    ],
)
def test_what_stands_on_no_page_is_found(statement: str) -> None:
    assert [name for name in imports(statement) if not is_open(name)]


def test_a_name_that_a_package_passes_on_is_the_same_name() -> None:
    assert is_open(("sgl.automata", "StructureCompiler"))
    assert is_open(("sgl.rendering", "ConlluError"))
