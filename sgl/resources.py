"""Where the files that come with SGL are: the standard library and the grammars.

In a checkout they are next to the package, in an installed wheel inside it, in ``_data``.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

#: What a grammar is called, in a line; files that are parts of one have no such line.
_TITLE = re.compile(r'^module \w+ "(.*)"', re.MULTILINE)

#: So much of a file has its title, in characters.
_HEAD = 2_000

_PACKAGE = Path(__file__).resolve().parent


def stdlib_dir() -> Path:
    """Return the directory that ``use stdlib.…`` reads from; raises ``FileNotFoundError``."""
    return _find("stdlib")


def grammars_dir() -> Path:
    """Return the directory of the grammars that come with SGL; raises ``FileNotFoundError``."""
    return _find("grammars")


class BundledGrammar(NamedTuple):
    """A grammar that comes with SGL: its name, its title and its main file."""

    name: str
    title: str
    path: Path


@cache
def bundled_grammars() -> dict[str, BundledGrammar]:
    """Return the grammars that come with SGL by name: the file name without ``.sgl``."""
    found: dict[str, BundledGrammar] = {}
    for path in sorted(grammars_dir().rglob("*.sgl"), key=lambda path: (len(path.parts), path)):
        with path.open(encoding="utf-8") as stream:
            title = _TITLE.search(stream.read(_HEAD))
        if title is not None:
            found.setdefault(path.stem, BundledGrammar(path.stem, title[1], path))
    return found


@cache
def templates() -> dict[str, Path]:
    """Return the directories that ``sglc new`` copies, by name."""
    return {path.name: path for path in sorted((_PACKAGE / "templates").iterdir())}


def _find(name: str) -> Path:
    for directory in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if directory.is_dir():
            return directory
    raise FileNotFoundError(f"this installation of SGL has no directory {name!r}; reinstall SGL")
