"""Find the grammars that a file is a module of.

A module has no dataset, and often no layers: it means something in the grammar that uses it.
Such a grammar lies in the directory of the module or above it, since files are used from the
directory of the file that uses them, downwards.
"""

from __future__ import annotations

import re
from pathlib import Path

from sgl.diagnostics import Diagnostics, SourceMap
from sgl.foreign import SOURCE, ForeignFileError, read_text

#: Directories above that of the module, and files in one of them, that are looked at.
_LEVELS, _FILES = 4, 200

_DATASET = re.compile(r"^dataset\b", re.MULTILINE)
_USE = re.compile(r"^use\s", re.MULTILINE)


def grammars_of(module: Path) -> list[Path]:
    """Return the grammars with a dataset that use a file, directly or not; nearest first.

    A file that has a dataset of its own is a grammar, and none is looked for.
    """
    text = _text(module)
    if text is None or _DATASET.search(text):
        return []
    # A grammar that is known from an earlier run is checked without the reader.
    from sgl.lang.project import load_project
    from sgl.lang.syntax import Dataset

    wanted = module.resolve()
    found: list[Path] = []
    directory = module.parent
    for _ in range(_LEVELS):
        for path in sorted(directory.glob("*.sgl"))[:_FILES]:
            if path.resolve() != wanted and _USE.search(_text(path) or ""):
                project = load_project(path, SourceMap(), Diagnostics())
                if project is not None and project.declarations(Dataset):
                    units = {unit.path.resolve() for unit in project.units}
                    found += [path] if wanted in units else []
        directory = directory.parent if directory.name not in ("", "..") else directory / ".."
    return found


def _text(path: Path) -> str | None:
    """Return the text of a file; None if it is none that a grammar could be."""
    try:
        return read_text(path, SOURCE)
    except ForeignFileError:
        return None
