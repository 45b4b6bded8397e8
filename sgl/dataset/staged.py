"""The files of a dataset, the places where it may be written, and its signature.

A directory is replaced only if SGL has written all of it: it is left alone if it contains a file that its own list does
not name, or one that was read in this run.

A file of the dataset cannot state the hash of all files, itself included.  So the files state the *identity*, and the
SHA-256 of ``SHA256SUMS``, a list of all other files, completes the signature::

    sgl:0.1.0+f2c860ec08ac|edition:2026|grammar:sha256:1f0c…|seed:2024|items:69000|files:sha256:5be2…
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path

from sgl import foreign
from sgl.disk import DIRECTORY, LINK, InTheWayError, kind, write
from sgl.disk.stages import OldMovedError, replaced_directory
from sgl.foreign import ForeignFileError, read_bytes, read_text, sha256_of
from sgl.foreign.json import JsonValue, read_document

#: The ``format`` of every manifest; with any number it marks a directory as a dataset.
FORMAT = "sgl-dataset/3"
_FAMILY = FORMAT.partition("/")[0] + "/"

MANIFEST, CHECKSUMS = "manifest.json", "SHA256SUMS"

#: Files that other programs leave in directories.
_TRACES = frozenset({"__pycache__", ".DS_Store", "Thumbs.db", "desktop.ini"})

#: Maximum number of files in a message.
_NAMED = 5

#: Returns the files that a directory's own list names, or None if SGL has not written it.
Listing = Callable[[Path], Collection[str] | None]


class TextTooLongError(ValueError):
    """A text is longer than a format allows; the message gives the limit."""


class FormatError(ValueError):
    """A format cannot represent a text, or a view a graph."""


class OutputError(Exception):
    """A dataset cannot be written to ``path``; ``reason`` is a clause for the author."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"cannot write {path}: {reason}")
        self.path = path
        self.reason = reason


def manifest_of(directory: Path) -> JsonValue:
    """Return the manifest of the dataset in a directory."""
    return read_document(directory / MANIFEST, foreign.MANIFEST, inside=directory)


def compiler_of(directory: Path) -> str:
    """Return the version and build of SGL that wrote a dataset, as its identity has them."""
    compiler = manifest_of(directory)["compiler"].members()
    return "+".join(compiler[part].of(str) for part in ("version", "build") if part in compiler)


def listed_files(directory: Path) -> Collection[str] | None:
    """Return the listed files of the dataset in a directory; None if it holds no dataset."""
    try:
        manifest = manifest_of(directory)
        if not manifest["format"].of(str).startswith(_FAMILY):
            return None
        text = read_text(directory / CHECKSUMS, foreign.CHECKSUMS, inside=directory)
    except ForeignFileError as problem:
        # Without the list, only the manifest is known to be part of the dataset.
        return (MANIFEST,) if problem.filename == str(directory / CHECKSUMS) else None
    names = (line.partition("  ")[2] for line in text.split("\n"))
    return {MANIFEST, CHECKSUMS, *names}


def dataset_of(file: Path) -> Path | None:
    """Return the dataset whose list names a file, if any."""
    file = file.resolve()
    for directory in file.parents:
        if (directory / MANIFEST).is_file():
            names = listed_files(directory)
            if names is not None and file.relative_to(directory).as_posix() in names:
                return directory
    return None


@contextmanager
def staged_directory(target: Path, place: Path | None = None, listing: Listing = listed_files) -> Iterator[Path]:
    """Yield a new directory that replaces ``target`` when the block ends, as ``replaced_directory`` does.

    ``listing`` decides what may be replaced.  Raises ``OutputError`` if ``target`` may not be replaced, or if the
    system refuses to write.
    """
    target = resolved(target)
    try:
        with replaced_directory(target, place, partial(check_target, target, listing)) as new:
            yield new
    except (OSError, OldMovedError) as error:
        raise OutputError(target, _reason(error)) from error


def resolved(target: Path) -> Path:
    """Return a path without symbolic links among its directories; the last component may be a link."""
    return target.parent.resolve() / target.name if target.name not in ("", "..") else target.resolve()


def check_target(target: Path, listing: Listing = listed_files) -> None:
    """Raise ``OutputError`` if no dataset can be written to ``target``; write nothing."""
    target = resolved(target)
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
    if (found := kind(target)) is None:
        return
    if found == LINK:
        raise OutputError(target, "it is a symbolic link; name the directory that it leads to")
    if found != DIRECTORY:
        raise OutputError(target, f"there is {found} of that name")
    if not any(target.iterdir()):
        return
    if (names := listing(target)) is None:
        raise OutputError(target, "the directory is not empty and is not an SGL dataset")
    _check_files(target, names)


def _check_files(target: Path, names: Collection[str]) -> None:
    """Raise ``OutputError`` if the directory has files that would be lost, or that were read in this run."""
    files = sorted(_files_of(target))
    if strangers := [name for name in files if name not in names]:
        shown = ", ".join(strangers[:_NAMED]) + (", …" if strangers[_NAMED:] else "")
        raise OutputError(target, f"it contains files that are not on its list, and that would be lost: {shown}")
    # Files that the listing itself reads are not input.
    read = [name for name in files if Path(name).suffix != ".json" and name != CHECKSUMS]
    if any(foreign.is_input(target / name) for name in read):
        raise OutputError(target, "this run has read files from it")


def _files_of(directory: Path) -> Iterator[str]:
    for place, folders, files in os.walk(directory):
        folders[:] = [name for name in folders if name not in _TRACES]
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        for name in (*files, *links):
            if name not in _TRACES:
                yield (Path(place) / name).relative_to(directory).as_posix()


def _reason(error: OSError | OldMovedError) -> str:
    if isinstance(error, OldMovedError):
        return str(error)
    if isinstance(error, InTheWayError):
        return str(error.strerror)
    reason = (error.strerror or str(error)).lower()
    # A relative file name is relative to an open directory, which means nothing to a user.
    return f"{reason} ({error.filename})" if error.filename and Path(error.filename).is_absolute() else reason


def write_checksums(directory: Path, known: Mapping[str, str]) -> str:
    """Write and return the list of all files, which must be final; ``known`` are hashes by relative path."""
    listed = _checksums(directory, known)
    write(directory / CHECKSUMS, listed)
    return listed


def _checksums(directory: Path, known: Mapping[str, str]) -> str:
    files = {path.relative_to(directory).as_posix(): path for path in directory.rglob("*")}
    names = sorted(name for name, path in files.items() if path.is_file() and name != CHECKSUMS)
    return "".join(f"{known.get(name) or sha256_of(files[name])}  {name}\n" for name in names)


def is_in_place(directory: Path, listed: str) -> bool:
    """Return whether a directory has the files of this list, unchanged, and no others, links or empty folders."""
    try:
        # Files that are only compared are no input of this run.
        with foreign.forgetting():
            entries = [directory, *directory.rglob("*")]
            filled = {path.parent for path in entries}
            strange = any(path.is_symlink() or (path.is_dir() and path not in filled) for path in entries)
            stated = read_text(directory / CHECKSUMS, foreign.CHECKSUMS)
            return not strange and listed == stated == _checksums(directory, {})
    except OSError:
        return False


def signature(directory: Path, identity: str, *used: str) -> str:
    """Return the dataset's signature, or its identity if a file in ``used`` is not listed or has changed."""
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
