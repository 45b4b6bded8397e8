"""A command starts with what it needs: here is everything that the quickest ones load."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kept_farm import MAIN, edit, write_farm
from workplace import Workplace

ROOT = Path(__file__).parents[2]

_ALWAYS = """
    sgl sgl.cache sgl.characters sgl.children sgl.cli sgl.cli.main sgl.cli.registry sgl.disk sgl.foreign sgl.memory
    sgl.values
"""
_CHECK = """
    sgl.accel sgl.cli.again sgl.cli.check sgl.cli.files sgl.cli.options sgl.cli.session sgl.cli.terminal sgl.diagnostics
    sgl.diagnostics.model sgl.diagnostics.parts sgl.diagnostics.registry sgl.diagnostics.render sgl.disk.stages sgl.lang
    sgl.lang.allowed sgl.lang.packed sgl.pipeline sgl.pipeline.grammar sgl.resources
"""

#: For commands, the modules that they load; the farm was checked before.
LOADED = {("--help",): _ALWAYS, ("check", MAIN): _ALWAYS + _CHECK}

_PROGRAM = """
import atexit, sys
before = set(sys.modules)
atexit.register(lambda: print(*sorted(sys.modules.keys() - before), file=sys.stderr))
from sgl.cli.main import main
main(sys.argv[1:])
"""


def loaded(work: Workplace, *command: str) -> set[str]:
    """The modules that a command loads in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *command],
        cwd=work.directory,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.usefixtures("cache_directory")
@pytest.mark.parametrize("command", LOADED, ids=" ".join)
def test_a_quick_command_loads_no_more_than_it_needs(command: tuple[str, ...], work: Workplace) -> None:
    write_farm(work)
    if command[0] == "check":
        assert "sgl.frontend" in loaded(work, *command)
    found = loaded(work, *command)
    packages = {name.partition(".")[0] for name in found}
    assert packages & {"click", "jinja2", "lark", "networkx", "numpy", "pyarrow", "rich", "yaml"} == {"click"}
    # A package of commands, which has nothing of its own, is loaded to find them.
    own = {name for name in found if name.partition(".")[0] == "sgl"} - {"sgl.research"}
    assert own == set(LOADED[command].split())


#: For commands, the modules that they need for an edited grammar only if more than a weight has changed.
SPARED = {
    ("check", MAIN): "yaml jinja2 rich pyarrow networkx sgl.corpus sgl.parsing sgl.dataset sgl.pipeline.preview",
    ("sample", MAIN): "yaml jinja2 rich pyarrow networkx sgl.corpus sgl.parsing sgl.dataset sgl.lint multiprocessing",
}


@pytest.mark.usefixtures("cache_directory")
@pytest.mark.parametrize("command", SPARED, ids=" ".join)
def test_another_weight_loads_nothing_for_what_is_known(command: tuple[str, ...], work: Workplace) -> None:
    write_farm(work)
    assert "yaml" in loaded(work, *command)
    edit(work, MAIN, "rule modified: NP -> Det N PP", "rule modified: NP -> Det N PP ~ 1.5")
    found = loaded(work, *command)
    assert "sgl.frontend" in found
    assert sorted(found & set(SPARED[command].split())) == []
