"""Write a directory so that it is there completely or not at all.

Everything is written into a hidden directory beside the target and moved when
it is finished.  A dataset that the target holds already is moved out of the
way first and deleted last; if anything fails in between, it is moved back::

    out/.sget-x7Kq.partial/new     being written
    out/sget                  ->   out/.sget-x7Kq.partial/old
    out/.sget-x7Kq.partial/new ->  out/sget
    out/.sget-x7Kq.partial         deleted

Renaming within one directory is atomic.  A process that is killed outright
leaves the hidden directory behind, never a part of a dataset under the
target's name.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sgl import foreign
from sgl.foreign import ForeignFileError, read_document

#: The first member of every manifest; with any number it marks a directory as a dataset.
FORMAT = "sgl-dataset/2"
_FAMILY = FORMAT.partition("/")[0] + "/"

MANIFEST = "manifest.json"


class OutputError(Exception):
    """A dataset cannot be written to ``path``; ``reason`` is a clause for the author."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"cannot write {path}: {reason}")
        self.path = path
        self.reason = reason


def is_dataset(directory: Path) -> bool:
    """Return whether ``directory`` holds a dataset: its manifest says so."""
    try:
        manifest = read_document(directory / MANIFEST, foreign.MANIFEST, inside=directory)
        return manifest["format"].of(str).startswith(_FAMILY)
    except ForeignFileError:
        return False


@contextmanager
def staged_directory(
    target: Path, place: Path | None = None, replaceable: Callable[[Path], bool] = is_dataset
) -> Iterator[Path]:
    """Yield a new directory that takes the place of ``target`` when the block ends.

    ``place`` is where the hidden directory is to be, if that is not left to this function;
    one that a process which was killed has left there is deleted.  On any exception, also on
    an interruption from the keyboard, what was written is deleted and ``target`` stays as it
    was.

    Raises:
        OutputError: ``target`` exists and is not ``replaceable``, or the operating system
            refuses to write.
    """
    target = target.resolve()
    check_target(target, replaceable)
    missing = [parent for parent in target.parents if not parent.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        stage = _new_stage(target, place)
        new, old = stage / "new", stage / "old"
        try:
            new.mkdir()
            yield new
            _check_replaceable(target, replaceable)
            try:
                if target.exists():
                    target.rename(old)
                new.rename(target)
            except BaseException:
                put_back(stage, target)
                raise
        finally:
            # The stage is never deleted with the only copy of the dataset that was there.
            if old.exists() and not target.exists():
                raise OutputError(target, f"the dataset that it held is now in {old}")
            shutil.rmtree(stage)
    except OSError as error:
        raise OutputError(target, _reason(error)) from error
    finally:
        for directory in missing:
            with suppress(OSError):
                directory.rmdir()


def _new_stage(target: Path, place: Path | None) -> Path:
    """Make an empty directory; what an earlier one in this place has moved away is put back."""
    if place is None:
        name = tempfile.mkdtemp(prefix=f".{target.name}-", suffix=".partial", dir=target.parent)
        return Path(name)
    put_back(place, target)
    if place.exists():
        shutil.rmtree(place)
    place.mkdir()
    return place


def put_back(place: Path, target: Path) -> None:
    """Put a dataset back that a process had moved out of the way when it was killed.

    To be called before a ``place`` is deleted in which it may be the only copy.
    """
    old = place / "old"
    if old.exists() and not target.exists():
        old.rename(target)


def check_target(target: Path, replaceable: Callable[[Path], bool] = is_dataset) -> None:
    """Raise ``OutputError`` if no dataset can be put at ``target``; writes nothing."""
    target = target.resolve()
    try:
        _check_replaceable(target, replaceable)
        existing = next(parent for parent in target.parents if parent.exists())
    except OSError as error:
        raise OutputError(target, _reason(error)) from error
    if not existing.is_dir():
        raise OutputError(target, f"{existing} is not a directory")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise OutputError(target, f"you may not write in {existing}")


def _check_replaceable(target: Path, replaceable: Callable[[Path], bool]) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError(target, "there is a file of that name")
    if any(target.iterdir()) and not replaceable(target):
        raise OutputError(target, "the directory is not empty and is not a dataset of SGL")


def _reason(error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return f"{reason} ({error.filename})" if error.filename else reason
