"""Imports go one way: the picture in ``docs/architecture.md``, held against every import.

Read from the syntax trees of the modules, so that an import inside a function counts as well.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "sgl"

#: Below all packages, and the standard library alone: the verifier may import them as well.
BELOW = {"children", "disk", "foreign", "values"}

#: What each package may import, besides itself and what is below all.
ALLOWED: dict[str, set[str]] = {
    **{name: set[str]() for name in BELOW},
    "diagnostics": {"characters"},
    "resources": set(),
    "cache": {"memory"},
    "memory": set(),
    "characters": set(),
    "lang": {"cache", "characters", "diagnostics", "memory", "resources"},
    "core": set(),
    "accel": {"cache", "core", "parsing", "sampling"},
    "frontend": {"characters", "core", "diagnostics", "lang", "memory", "rendering"},
    "lint": {"core", "diagnostics", "frontend", "lang", "memory"},
    "morphology": {"diagnostics", "frontend", "lang", "resources"},
    "automata": {"cache", "core", "memory"},
    "rendering": {"characters", "core"},
    "parsing": {"core"},
    "sampling": {"automata", "core", "rendering"},
    "corpus": {"automata", "core", "parsing", "rendering"},
    "dataset": {"core", "rendering", "sampling"},
    "parallel": {"cache", "core", "dataset", "rendering", "sampling"},
    "report": {"characters", "core", "rendering"},
    "verify": set(),
}

#: Compiled code is above what it computes; who decides to use it imports it while it runs.
LATE = "accel"

#: What puts everything together: the job, the engine of editors, the command line.
ON_TOP = {"pipeline", "engine", "cli", "api", "__main__"}

#: What the packages of ``sgl.research`` may import of one another.
RESEARCH: dict[str, set[str]] = {
    "analyse": {"treebank"},
    "annotate": {"analyse", "evaluate"},
    "baselines": {"evaluate"},
    "divergence": {"treebank"},
    "evaluate": {"analyse", "logical_forms", "treebank"},
    "exchange": {"logical_forms", "treebank"},
    "logical_forms": set(),
    "prompts": {"evaluate"},
    "recipes": {"analyse", "divergence", "evaluate", "prompts"},
    "treebank": set(),
}

#: The floors of ``sgl.automata``: each imports those before it.
AUTOMATA = ("patterns", "algebra", "weights", "proofs", "certificate")

MODULES = sorted(PACKAGE.rglob("*.py"))


def parts_of(path: Path) -> tuple[str, ...]:
    return path.relative_to(PACKAGE).with_suffix("").parts


def imported(source: str) -> Iterator[tuple[str, ...]]:
    """The modules of ``sgl`` that a module names in its import statements, without ``sgl``."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "sgl":
            names = [f"sgl.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        for name in names:
            top, *rest = name.split(".")
            if top == "sgl" and rest and rest[0] not in {"__version__", "EDITION"}:
                yield tuple(rest)


def breaches(parts: tuple[str, ...], source: str) -> set[str]:
    """What a module imports and may not, as dotted names."""
    package = parts[0]
    found = set(imported(source))
    if package == "research":
        # The package itself only registers the commands.
        inside = parts[1] if len(parts) > 2 else ""
        allowed = RESEARCH.get(inside, set()) | {inside}
        wrong = {name for name in found if name[0] == "research" and name[1] not in allowed}
    elif package in ON_TOP or package == "__init__":
        wrong = {name for name in found if name[0] == "research"}
    else:
        allowed = ALLOWED[package] | {package, LATE} | BELOW
        wrong = {name for name in found if name[0] not in allowed}
    if package == "automata" and parts[1] in AUTOMATA:
        above = AUTOMATA[AUTOMATA.index(parts[1]) + 1 :]
        wrong |= {name for name in found if name[0] == "automata" and name[1:2] and name[1] in above}
    return {".".join(name) for name in wrong}


def test_a_module_imports_only_what_is_below_it() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix(): breaches(parts_of(path), path.read_text("utf-8")) for path in MODULES
    }
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_compiled_code_is_imported_by_those_who_decide_to_use_it_while_they_run() -> None:
    early = [
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        if parts_of(path)[0] != LATE
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        and re.search(rf"\b(sgl\.{LATE}|sgl import {LATE}|numba)\b", ast.unparse(node))
    ]
    assert early == []


def test_every_package_has_a_place() -> None:
    assert {parts_of(path)[0] for path in MODULES} <= {*ALLOWED, *ON_TOP, "__init__", "research"}


def test_the_tables_have_no_circle() -> None:
    assert set(TopologicalSorter(ALLOWED).static_order()) == set(ALLOWED)
    assert set(TopologicalSorter(RESEARCH).static_order()) == set(RESEARCH)


def test_nothing_below_the_command_line_is_allowed_to_import_the_verifier() -> None:
    assert not any("verify" in allowed for allowed in ALLOWED.values())


def test_the_package_of_editors_is_beside_the_compiler() -> None:
    """The compiler knows nothing of it, and it is no tool of research."""
    editor = PACKAGE.parent / "editors" / "sgl_editor"
    assert [path for path in MODULES if "sgl_editor" in path.read_text("utf-8")] == []
    own = [path.read_text("utf-8") for path in editor.rglob("*.py")]
    assert own
    assert not [name for source in own for name in imported(source) if name[0] == "research"]


def test_what_is_below_all_is_the_standard_library_alone() -> None:
    modules = {
        name
        for path in MODULES
        if parts_of(path)[0] in BELOW
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or "sgl"]
            if isinstance(node, ast.ImportFrom)
            else []
        )
        if name.split(".")[:1] != ["sgl"] or name.split(".")[1] not in BELOW
    }
    assert {name.partition(".")[0] for name in modules} <= sys.stdlib_module_names | {"filelock"}


#: Packages that read what others have made, and where they read files of their own instead.
READERS = ("cli", "corpus", "dataset", "parallel", "pipeline", "research")
OWN_FILES = {
    "cli/completion.py": "the parameters of the commands, a table of the package",
    "cli/about.py": "examples and topics, a table of the package",
    "cli/sources.py": "templates of the package",
    "cli/files.py": "looks what a result would replace",
    "corpus/audit/leaks.py": "the lines of the report, a table of the package",
    "dataset/rows.py": "rows that were just written",
    "parallel/processes.py": "what a worker of its own has written",
    "research/evaluate/compound_rates.py": "the roles of atoms, a table of the package",
    "research/baselines/learner.py": "weights that a library has just written",
    "research/exchange/irtg_file.py": "a grammar of the package",
    "research/recipes/command.py": "the recipes of the package",
}


def test_what_others_have_made_is_opened_in_one_place() -> None:
    reading = re.compile(r"\.(read_text|read_bytes)\(|\.open\(.rb.\)|^open\(|^json\.load\(")
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        if parts_of(path)[0] in READERS
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and reading.search(ast.unparse(node))
    }
    assert found == set(OWN_FILES)


#: Where PyYAML is used beside the one reader of what others write, and for what.
OWN_YAML = {
    "cli/about.py": "examples and topics, a table of the package",
    "corpus/fit.py": "writes weights",
    "diagnostics/fixes.py": "ways of hints, a table of the package",
    "lang/yaml_files.py": "the one reader",
    "morphology/fresh.py": "writes tables",
    "research/evaluate/compound_rates.py": "the roles of atoms, a table of the package",
    "research/recipes/command.py": "the recipes of the package",
}


def test_yaml_of_others_is_read_in_one_place() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        if re.search(r"^ *(import|from) yaml\b", path.read_text("utf-8"), re.MULTILINE)
    }
    assert found == set(OWN_YAML)


#: Where a text is cut at everything that Unicode calls the end of a line, and why.
CUT_AT_ALL = {
    "cli/sources.py": "what differs between two grammars, for people",
    "dataset/rows.py": "rows that a reader could cut there are refused, and so are not in the rows that are read again",
    "research/divergence/sources.py": "a translation becomes one line",
    "sampling/rows.py": "rows that a reader could cut there are refused",
    "sampling/tables.py": "the source of modules of the package",
}


def test_lines_of_files_end_with_line_feeds_alone() -> None:
    found = {path.relative_to(PACKAGE).as_posix() for path in MODULES if ".splitlines(" in path.read_text("utf-8")}
    assert found == set(CUT_AT_ALL)


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
    assert breaches(("verify", "report"), statement)


def test_nothing_in_front_may_import_the_annex() -> None:
    statement = "from sgl.research.evaluate import anything"
    assert breaches(("pipeline", "produce"), statement)
    assert breaches(("research", "divergence", "search"), statement)
    assert not breaches(("research", "baselines", "job"), statement)


@pytest.mark.parametrize("name", AUTOMATA[:-1])
def test_a_part_of_the_automata_has_few_floors(name: str) -> None:
    """The longest chain of imports within each subpackage of ``sgl.automata``."""
    below = {
        path.stem: {
            parts[2]
            for parts in imported(path.read_text("utf-8"))
            if parts[:2] == ("automata", name) and len(parts) > 2
        }
        for path in (PACKAGE / "automata" / name).glob("*.py")
        if path.stem != "__init__"
    }
    floors: dict[str, int] = {}
    for module in TopologicalSorter(below).static_order():
        floors[module] = 1 + max((floors[other] for other in below[module]), default=0)
    assert max(floors.values()) <= 6
