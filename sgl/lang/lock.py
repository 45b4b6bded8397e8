"""The lock of a grammar, ``farm.lock`` for ``farm.sgl``: the SHA-256 of each file that it uses.

If there is a lock, changed tables or modules are an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sgl.diagnostics import Diagnostics, SourceMap
from sgl.lang import MAX_SOURCE
from sgl.lang.project import STDLIB, Project, read_file
from sgl.resources import stdlib_dir

_ENTRY = re.compile(r"^([0-9a-f]{64})  (.+)$", re.MULTILINE)


def lock_of(main: Path) -> Path:
    """Return the path of a grammar's lock, which need not exist."""
    return main.with_suffix(".lock")


def lock_text(project: Project) -> str:
    """Return the lock for the current files of a grammar."""
    lines = sorted(f"{digest}  {name}\n" for name, digest in _used(project.main.path, project.sources))
    return "".join(["# What the grammar uses. `sglc lock --update` records what has changed.\n", *lines])


def check_lock(project: Project, diagnostics: Diagnostics) -> None:
    """Report every file that differs from the lock, if there is one."""
    lock = lock_of(project.main.path)
    if not lock.is_file():
        project.sources.dependencies.lacked(lock)
        return
    source = read_file(lock, project.main.root.display(lock), None, MAX_SOURCE, project.sources, diagnostics)
    if source is None:
        return
    recorded = {entry[2]: (entry[1], source.span(*entry.span())) for entry in _ENTRY.finditer(source.text)}
    hint = "if that is intended, record it: `sglc lock --update`"
    for name, digest in _used(project.main.path, project.sources):
        known, place = recorded.get(name, ("", source.span(0, 0)))
        if known != digest:
            message = f"`{name}` differs from the lock" if known else f"`{name}` is not in the lock"
            diagnostics.error("SGL0007", place, message, hint)


def _used(main: Path, sources: SourceMap) -> Iterator[tuple[str, str]]:
    """Yield the name and hash of each file that was read, except the main file and the lock."""
    library = stdlib_dir().resolve()
    for path, digest in ((Path(name), digest) for name, digest in sources.dependencies.contents.items()):
        if path.is_relative_to(library):
            yield f"{STDLIB}/{path.relative_to(library).as_posix()}", digest
        elif path not in (main, lock_of(main)):
            yield path.relative_to(main.parent).as_posix(), digest
