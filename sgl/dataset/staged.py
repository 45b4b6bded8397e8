"""Write a file or a directory so that it is there completely or not at all.

Everything is written into a hidden directory beside the target, the *stage*, and renamed, which
is atomic, when it is finished.  A dataset that the target holds already is moved into the stage
first and deleted last; if anything fails in between, it is moved back.  A stage is locked as long
as its process lives, so the next run knows which of them are dead, and deletes those.

A directory is replaced only as a whole that SGL has written: with a file in it that its own
list does not name, or one that was read in this run, it stays as it is.

A dataset cannot state the hash of all its files: it would have to be in one of them.  So its
files state its *identity*, and the SHA-256 of ``SHA256SUMS``, a list of all others, completes its signature::

    sgl:0.1.0|edition:2026|grammar:sha256:1f0c…|seed:2024|items:69000|files:sha256:5be2…
"""

import os
import platform
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from errno import ENOSYS, ENOTSUP
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Self

from sgl import foreign
from sgl.foreign import ForeignFileError, read_bytes, read_text, sha256_of
from sgl.foreign.json import JsonValue, read_document

if TYPE_CHECKING:
    from filelock import BaseFileLock

#: The first member of every manifest; with any number it marks a directory as a dataset.
FORMAT = "sgl-dataset/2"
_FAMILY = FORMAT.partition("/")[0] + "/"

MANIFEST, CHECKSUMS = "manifest.json", "SHA256SUMS"

#: What other programs leave in a directory that they have looked at.
_TRACES = frozenset({"__pycache__", ".DS_Store", "Thumbs.db", "desktop.ini"})

#: Files that are named in a message.
_NAMED = 5

#: Returns the files that a directory has by its own list, and None if SGL has not written it.
Listing = Callable[[Path], Collection[str] | None]


class TextTooLongError(ValueError):
    """A text is longer than the formats can hold; the message says what they can."""


class FormatError(ValueError):
    """A text that the format of a file cannot hold, or that there is not."""


class OutputError(Exception):
    """A dataset cannot be written to ``path``; ``reason`` is a clause for the author."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"cannot write {path}: {reason}")
        self.path = path
        self.reason = reason


#: The file that is locked, and the file that says by whom.
LOCK, HOLDER = "lock", "holder"

#: How often a folder is made that another process deletes at the same moment.
_ATTEMPTS = 100


class FolderLockedError(Exception):
    """Another process works in the folder; the message says which, if that is known."""


class LockedFolder:
    """A folder in which only this process works, until it is released or deleted.

    The lock is one of the operating system, which takes it back when the process ends, also when it is killed.  A file
    ``holder`` beside it says who has it.  Without a lock, where the file system has none, nobody can tell whether the
    process lives.
    """

    def __init__(self, path: Path, lock: "BaseFileLock | None" = None) -> None:
        self.path, self._lock = path, lock

    @classmethod
    def take(cls, path: Path) -> Self:
        """Make the folder if need be, and lock it; raises ``FolderLockedError``.

        The folder may be deleted just as another process is about to lock it:  ``filelock`` takes no lock whose file
        has lost its name, and the other makes the folder again.
        """
        # It takes longer to load than most commands need, and most write nothing.
        from filelock import FileLock, Timeout

        # A soft lock would outlive a process that is killed.
        lock = FileLock(path / LOCK, blocking=False, fallback_to_soft=False)
        for _ in range(_ATTEMPTS):
            try:
                path.mkdir(exist_ok=True)
                lock.acquire()
            except (FileNotFoundError, FileExistsError):
                # `mkdir` reports a folder that was there, and is gone when it looks again.
                if not path.parent.is_dir() or (path.exists() and not path.is_dir()):
                    raise
                continue
            except Timeout:
                who = ""
                with suppress(OSError, ValueError):
                    who = (path / HOLDER).read_text("utf-8")
                raise FolderLockedError(f"another run is writing here{who and ': '}{who}") from None
            locked = cls(path, lock)
            try:
                since = datetime.now().astimezone().isoformat(" ", "seconds")
                holder = f"process {os.getpid()} on {platform.node()}, since {since}"
                (path / HOLDER).write_text(holder, "utf-8")
            except BaseException:
                locked.leave()
                raise
            return locked
        raise OSError(f"the folder {path} is deleted again and again")

    def clear(self) -> None:
        """Delete everything in the folder but the lock."""
        for child in self.path.iterdir():
            if child.name in (LOCK, HOLDER):
                continue
            if child.is_dir() and not child.is_symlink():
                shutil.rmtree(child)
            else:
                child.unlink()

    def release(self) -> None:
        """Leave the folder to others as it is."""
        if self._lock:
            self._lock.release()

    def delete(self) -> None:
        """Delete the folder with everything in it, and release it."""
        with suppress(OSError):
            self.clear()
        self.leave()

    def leave(self) -> None:
        """Release the folder without the lock's files; delete it if nothing else is in it."""
        if sys.platform == "win32":
            # Files that are open cannot be deleted there: neither by others, nor here.
            self.release()
        for name in (HOLDER, LOCK):
            with suppress(OSError):
                (self.path / name).unlink()
        self.release()
        # Another process may have begun in it by now, and then its lock lies there.
        with suppress(OSError):
            self.path.rmdir()


def manifest_of(directory: Path) -> JsonValue:
    """Return the manifest of the dataset in a directory."""
    return read_document(directory / MANIFEST, foreign.MANIFEST, inside=directory)


def listed_files(directory: Path) -> Collection[str] | None:
    """Return the files of the dataset in a directory; None if it holds none."""
    try:
        manifest = manifest_of(directory)
        if not manifest["format"].of(str).startswith(_FAMILY):
            return None
        text = read_text(directory / CHECKSUMS, foreign.CHECKSUMS, inside=directory)
    except ForeignFileError as problem:
        # Without the list of files nothing but the manifest is known to be part of it.
        return (MANIFEST,) if problem.filename == str(directory / CHECKSUMS) else None
    names = (line.partition("  ")[2] for line in text.split("\n"))
    return {MANIFEST, CHECKSUMS, *names}


def dataset_of(file: Path) -> Path | None:
    """Return the dataset whose list names a file, if there is one."""
    file = file.resolve()
    for directory in file.parents:
        if (directory / MANIFEST).is_file():
            names = listed_files(directory)
            if names is not None and file.relative_to(directory).as_posix() in names:
                return directory
    return None


@contextmanager
def staged_file(target: Path) -> Iterator[Path]:
    """Yield a path; the file there takes the place of ``target``, which stays as it was on any exception."""
    stage = _new_stage(target)
    try:
        new = stage.path / "new"
        yield new
        new.replace(target)
    finally:
        stage.delete()


@contextmanager
def staged_directory(target: Path, place: Path | None = None, listing: Listing = listed_files) -> Iterator[Path]:
    """Yield a new directory that takes the place of ``target`` when the block ends.

    On any exception, also an interruption, what was written is deleted and ``target`` stays.
    ``place`` is where the stage is to be; one that a killed process has left there is deleted.
    Raises ``OutputError`` if ``target`` may not be replaced, or the system refuses to write.
    """
    target = target.resolve()
    check_target(target, listing)
    missing = [parent for parent in target.parents if not parent.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _stage(target, place) as stage:
            new, old = stage / "new", stage / "old"
            new.mkdir()
            yield new
            _check_replaceable(target, listing)
            try:
                if target.exists():
                    target.rename(old)
                new.rename(target)
            except BaseException:
                put_back(stage, target)
                raise
    except OSError as error:
        raise OutputError(target, _reason(error)) from error
    finally:
        for directory in missing:
            with suppress(OSError):
                directory.rmdir()


@contextmanager
def _stage(target: Path, place: Path | None) -> Iterator[Path]:
    """Yield an empty stage, which is deleted at the end, as far as it can be, unless it has the only old dataset."""
    if place is None:
        stage = _new_stage(target)
    else:
        put_back(place, target)
        if place.exists():
            shutil.rmtree(place)
        place.mkdir()
        stage = LockedFolder(place)
    try:
        yield stage.path
    finally:
        old = stage.path / "old"
        if old.exists() and not target.exists():
            stage.release()
            raise OutputError(target, f"the dataset that it held is now in {old}")
        stage.delete()


def _new_stage(target: Path) -> LockedFolder:
    _delete_dead_stages(target)
    path = target.with_name(f".{target.name}-{secrets.token_hex(4)}.partial")
    try:
        return LockedFolder.take(path)
    except (NotImplementedError, OSError) as problem:
        if isinstance(problem, OSError) and problem.errno not in (ENOSYS, ENOTSUP):
            raise
        path.mkdir(exist_ok=True)
        return LockedFolder(path)


def _delete_dead_stages(target: Path) -> None:
    """Delete stages of this target whose process was killed; put back what one has moved away."""
    name = re.compile(rf"\.{re.escape(target.name)}-[0-9a-f]{{8}}\.partial")
    with suppress(OSError):
        for path in [path for path in target.parent.iterdir() if name.fullmatch(path.name)]:
            if path.is_symlink() or not path.is_dir():
                continue
            if not {child.name for child in path.iterdir()} <= {"new", "old", LOCK, HOLDER}:
                continue
            with suppress(FolderLockedError, NotImplementedError, OSError):
                stage = LockedFolder.take(path)
                put_back(path, target)
                stage.delete()


def put_back(place: Path, target: Path) -> None:
    """Put back a dataset, perhaps the only copy, that a killed process had moved away."""
    old = place / "old"
    if old.exists() and not target.exists():
        old.rename(target)


def check_target(target: Path, listing: Listing = listed_files) -> None:
    """Raise ``OutputError`` if no dataset can be put at ``target``; writes nothing."""
    target = target.resolve()
    try:
        _check_replaceable(target, listing)
        existing = next(parent for parent in target.parents if parent.exists())
    except OSError as error:
        raise OutputError(target, _reason(error)) from error
    if not existing.is_dir():
        raise OutputError(target, f"{existing} is not a directory")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise OutputError(target, f"you may not write in {existing}")


def _check_replaceable(target: Path, listing: Listing) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError(target, "there is a file of that name")
    if not any(target.iterdir()):
        return
    if (names := listing(target)) is None:
        raise OutputError(target, "the directory is not empty and is not a dataset of SGL")
    files = sorted(_files_of(target))
    if strangers := [name for name in files if name not in names]:
        shown = ", ".join(strangers[:_NAMED]) + (", …" if strangers[_NAMED:] else "")
        reason = f"it has files that its list does not name, and that would be lost: {shown}"
        raise OutputError(target, reason)
    # What the listing itself reads is no input.
    read = [name for name in files if Path(name).suffix != ".json" and name != CHECKSUMS]
    if any(foreign.is_input(target / name) for name in read):
        raise OutputError(target, "files of it were read in this run")


def _files_of(directory: Path) -> Iterator[str]:
    for place, folders, files in os.walk(directory):
        folders[:] = [name for name in folders if name not in _TRACES]
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        for name in (*files, *links):
            if name not in _TRACES:
                yield (Path(place) / name).relative_to(directory).as_posix()


def _reason(error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return f"{reason} ({error.filename})" if error.filename else reason


def write_checksums(directory: Path, known: Mapping[str, str]) -> None:
    """List all files, whose content is final; ``known`` are hashes by path inside it."""
    files = {path.relative_to(directory).as_posix(): path for path in directory.rglob("*")}
    names = sorted(name for name, path in files.items() if path.is_file() and name != CHECKSUMS)
    lines = (f"{known.get(name) or sha256_of(files[name])}  {name}\n" for name in names)
    (directory / CHECKSUMS).write_text("".join(lines), "utf-8", newline="\n")


def signature(directory: Path, identity: str, *used: str) -> str:
    """Return the dataset's signature; its identity if no file lists the ``used`` ones, or one is not as listed."""
    try:
        content = read_bytes(directory / CHECKSUMS, foreign.CHECKSUMS, inside=directory)
    except ForeignFileError as problem:
        if problem.is_missing:
            return identity
        raise
    lines = content.decode("utf-8", "replace").split("\n")
    for name in used:
        if f"{sha256_of(directory / name, inside=directory)}  {name}" not in lines:
            return identity
    return f"{identity}|files:sha256:{sha256(content).hexdigest()}"
