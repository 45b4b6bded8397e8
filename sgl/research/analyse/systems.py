"""The systems that a command line names, each with the file of its predictions.

A name is given before the file, ``NAME=FILE``, or is as much of the path as is not the
same for all files::

    good.tsv bad.tsv                                  good, bad
    run1/predictions/gen.tsv run2/predictions/gen.tsv run1, run2
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path


def named(given: str) -> tuple[str, Path]:
    """The name of a system, empty if there is none, and its file."""
    name, equals, file = given.partition("=")
    return (name, Path(file)) if equals and not Path(given).is_file() else ("", Path(given))


def systems_of(arguments: Sequence[str]) -> list[tuple[str, Path]]:
    """Names and files of all systems; files of one name are the runs of one system."""
    systems = [named(given) for given in arguments]
    given = [name for name, _ in systems if name]
    names = _telling_apart([path for name, path in systems if not name])
    uses = Counter([*given, *names.values()])
    return [
        (name or (names[path] if uses[names[path]] == 1 else str(path)), path)
        for name, path in systems
    ]


def _telling_apart(paths: Sequence[Path]) -> dict[Path, str]:
    """The last part of each path behind which all are the same."""
    parts = {path: path.with_suffix("").parts[::-1] for path in paths}
    alike = takewhile(lambda column: len(set(column)) == 1, zip(*parts.values(), strict=False))
    same = len(list(alike)) if len(parts) > 1 else 0
    return {path: part[min(same, len(part) - 1)] if part else "" for path, part in parts.items()}
