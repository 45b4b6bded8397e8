"""The farm of the tutorial as its users have it in Python: the files, the grammar, a dataset with a release."""

from __future__ import annotations

from pathlib import Path

import pytest
from released import write_released_farm

import sgl


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("farm")
    write_released_farm(directory)
    return directory


@pytest.fixture(scope="module")
def grammar(place: Path) -> sgl.Grammar:
    return sgl.load(place / "farm.sgl")


@pytest.fixture(scope="module")
def dataset(grammar: sgl.Grammar, place: Path) -> sgl.Dataset:
    return grammar.compile(place / "data")
