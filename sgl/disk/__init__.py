"""The owner of all files that SGL writes: only this package creates, replaces, renames and removes files.

A project may come from a stranger, and with it links, pipes and folders under the very names that SGL is about to use.
Three rules keep everything outside the project, and everything that belongs to the user, as it is:

* **Nothing follows a link.**  A name is looked up in the open handle of its directory, and whatever has the name is
  judged by itself.  Only the directories that lead to a place that the user has named may be links.
* **A new file is created exclusively.**  No existing file is opened for writing; a new one takes its name.
* **SGL removes only what it has made**: files of this process, and the folder of an earlier run that can prove to be
  one (:mod:`sgl.disk.stages`).

A test of the house, ``tests/house/test_owned_files.py``, forbids to write anywhere else.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from errno import EEXIST, EFBIG, EINVAL, ENXIO
from functools import partial
from math import inf
from pathlib import Path
from typing import IO, BinaryIO, cast

_PLAIN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_STAY = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | _PLAIN | getattr(os, "O_DIRECTORY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN
_OLD = os.O_RDONLY | _PLAIN | _STAY | getattr(os, "O_NONBLOCK", 0)
_STREAM = os.O_WRONLY | _PLAIN | getattr(os, "O_NONBLOCK", 0)

#: Whether names can be looked up in an open directory; Windows needs whole paths.
_HANDLES = {os.open, os.stat, os.mkdir, os.rename, os.unlink, os.rmdir} <= os.supports_dir_fd

#: What a name can stand for, in the words of a message.
FILE, DIRECTORY, LINK, PIPE, DEVICE = "a file", "a directory", "a symbolic link", "a named pipe", "a device"
_KINDS = {stat.S_IFREG: FILE, stat.S_IFDIR: DIRECTORY, stat.S_IFLNK: LINK, stat.S_IFIFO: PIPE}


class InTheWayError(FileExistsError):
    """Something that SGL has not made has the name that it needs; ``strerror`` names it and says why."""

    def __init__(self, path: Path, reason: str) -> None:
        shown = path
        with suppress(OSError, ValueError):
            shown = path.relative_to(Path.cwd())
        super().__init__(EEXIST, f"`{shown}` is in the way: {reason}", str(path))


class Folder(AbstractContextManager["Folder"]):
    """An open directory, whose entries are named without a path; no method follows a link.

    With ``own`` the directory itself may be no link either, and belongs to the user.  Raises ``InTheWayError`` if it
    is not so, and ``OSError``.
    """

    def __init__(self, path: Path, *, own: bool = False) -> None:
        self.path, self._handle = path, None
        if own and (found := kind(path)) not in (None, DIRECTORY):
            raise InTheWayError(path, f"it is {found}")
        if _HANDLES:
            self._handle = os.open(path, _FOLDER | (_STAY if own else 0))
        if own and self._handle is not None and os.fstat(self._handle).st_uid != os.geteuid():
            self.close()
            raise InTheWayError(path, "it belongs to another user")

    def close(self) -> None:
        """Close the directory."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __exit__(self, *_: object) -> None:
        """Close the directory."""
        self.close()

    def _at(self, name: str) -> str:
        return name if self._handle is not None else str(self.path / name)

    def names(self) -> list[str]:
        """Return the names of all entries, sorted."""
        with os.scandir(self.path if self._handle is None else self._handle) as entries:
            return sorted(entry.name for entry in entries)

    def status(self, name: str) -> os.stat_result | None:
        """Return the status of an entry; None if there is none."""
        with suppress(FileNotFoundError):
            return os.stat(self._at(name), dir_fd=self._handle, follow_symlinks=False)
        return None

    def kind(self, name: str) -> str | None:
        """Return what an entry is; None if there is none."""
        found = self.status(name)
        return None if found is None else _KINDS.get(stat.S_IFMT(found.st_mode), DEVICE)

    def check(self, name: str, expected: str) -> bool:
        """Return whether there is such an entry; raises ``InTheWayError`` if it is of another kind."""
        found = self.kind(name)
        if found not in (None, expected):
            raise InTheWayError(self.path / name, f"it is {found}")
        return found is not None

    def create(self, name: str, mode: int = 0o666) -> BinaryIO:
        """Create a file and open it; raises ``FileExistsError`` if the name is taken."""
        return cast(BinaryIO, os.fdopen(os.open(self._at(name), _NEW, mode, dir_fd=self._handle), "wb"))

    def read(self, name: str) -> bytes:
        """Return the content of a regular file."""
        self.check(name, FILE)
        with os.fdopen(os.open(self._at(name), _OLD, dir_fd=self._handle), "rb") as file:
            return file.read()

    def make(self, name: str, mode: int = 0o777) -> bool:
        """Create a directory; return False if there is one already."""
        try:
            os.mkdir(self._at(name), mode, dir_fd=self._handle)
        except FileExistsError:
            self.check(name, DIRECTORY)
            return False
        return True

    def write(self, name: str, *pieces: bytes, mode: int = 0o666) -> None:
        """Give a new file with this content the name; a file that had it is gone."""
        new = f".{name}-{os.urandom(4).hex()}.new"
        with self.create(new, mode) as file:
            try:
                file.writelines(pieces)
                file.flush()
                self.move(new, self, name)
            except BaseException:
                self.remove(new)
                raise

    def move(self, name: str, there: "Folder", new: str) -> None:
        """Rename an entry; a file may take the place of a file, and nothing else the place of anything."""
        if self.kind(name) == FILE:
            there.check(new, FILE)
        elif (found := there.kind(new)) is not None:
            raise InTheWayError(there.path / new, f"it is {found}")
        os.replace(self._at(name), there._at(new), src_dir_fd=self._handle, dst_dir_fd=there._handle)  # noqa: SLF001

    def permit(self, name: str, mode: int) -> None:
        """Give a file these permissions."""
        self.check(name, FILE)
        os.chmod(self._at(name), mode, dir_fd=self._handle)

    def remove(self, name: str) -> None:
        """Remove a file; of a link, the link."""
        os.unlink(self._at(name), dir_fd=self._handle)

    def remove_tree(self, name: str) -> None:
        """Remove an entry with everything in it; no link is followed."""
        if self.kind(name) == DIRECTORY:
            import shutil

            shutil.rmtree(self._at(name), dir_fd=self._handle)
        else:
            self.remove(name)

    def remove_empty(self, name: str) -> None:
        """Remove a directory that has no entries."""
        os.rmdir(self._at(name), dir_fd=self._handle)


def kind(path: Path) -> str | None:
    """Return what has this path; None if nothing has it.  A link is a link, wherever it leads."""
    try:
        return _KINDS.get(stat.S_IFMT(path.lstat().st_mode), DEVICE)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError:
        raise OSError(EINVAL, "no file can have this name") from None


def create(path: Path, mode: int = 0o666) -> BinaryIO:
    """Create a file and open it; raises ``FileExistsError`` if the name is taken."""
    with Folder(path.parent) as folder:
        return folder.create(path.name, mode)


def write(path: Path, content: str | bytes) -> None:
    """Write a file; of a text in UTF-8, with replacements for what UTF-8 cannot hold."""
    with Folder(path.parent) as folder:
        folder.write(path.name, content.encode("utf-8", "replace") if isinstance(content, str) else content)


def make(path: Path, mode: int = 0o777) -> None:
    """Create a directory, and those above it; one that exists stays.  Raises ``InTheWayError`` if it is none."""
    path = path.absolute()
    make_way(path, mode)
    with Folder(path.parent) as folder:
        folder.make(path.name, mode)


def make_way(path: Path, mode: int = 0o777) -> list[Path]:
    """Create the missing directories above a path; return them, the lowest first."""
    missing = [parent for parent in path.absolute().parents if not parent.exists()]
    for parent in reversed(missing):
        with Folder(parent.parent) as folder:
            folder.make(parent.name, mode)
    return missing


def remove(path: Path) -> None:
    """Remove a file; of a link, the link."""
    with Folder(path.parent) as folder:
        folder.remove(path.name)


def remove_empty(path: Path) -> None:
    """Remove a directory if nothing is in it, and it can be removed."""
    with suppress(OSError), Folder(path.absolute().parent) as folder:
        folder.remove_empty(path.name)


def send(path: Path, content: bytes) -> None:
    """Write to a device, or to a pipe that somebody reads; raises ``OSError``."""
    try:
        stream = os.open(path, _STREAM)
    except OSError as problem:
        if problem.errno == ENXIO:
            raise InTheWayError(path, "it is a named pipe, which nobody reads") from None
        raise
    os.set_blocking(stream, True)
    with os.fdopen(stream, "wb") as file:
        file.write(content)


def unpack(archive: Path, place: Path, wanted: Callable[[str], object] = str, limit: float = inf) -> None:
    """Write the ``wanted`` files of a zip archive below a directory.

    Raises ``InTheWayError`` if one would be outside it, and ``OSError`` if they take more bytes than the ``limit``.
    """
    import shutil
    import zipfile

    with zipfile.ZipFile(archive) as packed:
        # Some programs write the names of Windows.
        names = {entry: entry.filename.replace("\\", "/") for entry in packed.infolist()}
        entries = [entry for entry, name in names.items() if wanted(name)]
        # No more is read of a file than the archive says that it has; an empty one takes room as well.
        if sum(entry.file_size + 1_000 for entry in entries) > limit:
            raise OSError(EFBIG, "its files are too large")
        for entry in entries:
            path = place / names[entry]
            if names[entry].endswith("/") or ".." in path.parts or not path.is_relative_to(place):
                raise InTheWayError(path, "an archive contains nothing but files below its top")
            make(path.parent)
            with packed.open(entry) as source, create(path) as file:
                shutil.copyfileobj(source, file)


@contextmanager
def temporary(inside: Path | None = None, prefix: str = "sgl-") -> Iterator[Path]:
    """Yield a new directory for this process alone, which is removed at the end of the block, or of the process."""
    import atexit
    import shutil
    import tempfile

    place = tempfile.mkdtemp(prefix=prefix, dir=inside)
    remove = partial(shutil.rmtree, place, ignore_errors=True)
    # Who keeps the directory as long as a value may never come to the end of the block.
    atexit.register(remove)
    try:
        yield Path(place)
    finally:
        atexit.unregister(remove)
        remove()


def unnamed(inside: Path | None = None) -> IO[bytes]:
    """Open a file that has no name, and is gone when it is closed."""
    import tempfile

    return tempfile.TemporaryFile(dir=inside)
