"""Editors at the other end of ``sglc lsp``: one server for all tests that it can serve."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from editor import Editor

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def with_farm(directory: Path) -> Path:
    """A directory with the farm of the tutorial."""
    directory.mkdir(exist_ok=True)
    for name in ("farm.sgl", "animals.yaml", "verbs.yaml"):
        shutil.copy(EXAMPLES / name, directory)
    return directory


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    editor = Editor(tmp_path_factory.mktemp("editor"))
    yield editor
    assert editor.close() == 0


@pytest.fixture(scope="module")
def farm(client: Editor) -> Iterator[Editor]:
    """An editor with the farm open, which no test changes."""
    editor = client.within(with_farm(client.directory / "farm"))
    editor.open("farm.sgl")
    editor.diagnostics("farm.sgl")
    yield editor
    editor.close_files()


@pytest.fixture
def editor(client: Editor, tmp_path: Path) -> Iterator[Editor]:
    """An editor in a directory with the farm, which the test may change."""
    found = client.within(with_farm(tmp_path / "writing"))
    yield found
    found.close_files()
