"""Own all files that SGL writes: only this package creates, replaces, renames and removes files.

A project may come from a stranger, with links, pipes and folders under the very names that SGL is about to use.  Three
rules protect everything outside the project and everything that belongs to the user:

* **Nothing follows a link.**  A name is looked up in the open handle of its directory, and the entry itself is judged.
  Only the directories on the way to a place that the user has named may be links.
* **A new file is created exclusively.**  No existing file is opened for writing; a new one takes its name.
* **SGL removes only what it has made**: files of this process, and the folder of an earlier run that can prove to be
  one (:mod:`sgl.disk.stages`).

The test ``tests/house/test_owned_files.py`` forbids writing anywhere else.
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

#: Whether names can be looked up in an open directory; Windows needs full paths.
_HANDLES = {os.open, os.stat, os.mkdir, os.rename, os.unlink, os.rmdir} <= os.supports_dir_fd

#: The kinds of directory entry, in the words of messages.
FILE, DIRECTORY, LINK, PIPE, DEVICE = "a file", "a directory", "a symbolic link", "a named pipe", "a device"
_KINDS = {stat.S_IFREG: FILE, stat.S_IFDIR: DIRECTORY, stat.S_IFLNK: LINK, stat.S_IFIFO: PIPE}


class InTheWayError(FileExistsError):
    """SGL needs a name that something else already has; ``strerror`` names it and says why."""

    def __init__(self, path: Path, reason: str) -> None:
        shown = path
        with suppress(OSError, ValueError):
            shown = path.relative_to(Path.cwd())
        super().__init__(EEXIST, f"`{shown}` is in the way: {reason}", str(path))


class Folder(AbstractContextManager["Folder"]):
    """An open directory whose entries are named without a path; no method follows a link.

    With ``own``, the directory itself must not be a link either and must belong to the user.  Raises ``InTheWayError``
    otherwise, and ``OSError``.
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
        """Return the status of an entry, or None if it does not exist."""
        with suppress(FileNotFoundError):
            return os.stat(self._at(name), dir_fd=self._handle, follow_symlinks=False)
        return None

    def kind(self, name: str) -> str | None:
        """Return the kind of an entry, or None if it does not exist."""
        found = self.status(name)
        return None if found is None else _KINDS.get(stat.S_IFMT(found.st_mode), DEVICE)

    def check(self, name: str, expected: str) -> bool:
        """Return whether an entry exists; raises ``InTheWayError`` if it is of another kind than ``expected``."""
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
        """Create a directory; return False if it already exists."""
        try:
            os.mkdir(self._at(name), mode, dir_fd=self._handle)
        except FileExistsError:
            self.check(name, DIRECTORY)
            return False
        return True

    def write(self, name: str, *pieces: bytes, mode: int = 0o666) -> None:
        """Write a file under a temporary name and rename it, replacing any file of that name."""
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
        """Rename an entry; a file may replace a file, and nothing else may replace anything."""
        if self.kind(name) == FILE:
            there.check(new, FILE)
        elif (found := there.kind(new)) is not None:
            raise InTheWayError(there.path / new, f"it is {found}")
        os.replace(self._at(name), there._at(new), src_dir_fd=self._handle, dst_dir_fd=there._handle)  # noqa: SLF001

    def permit(self, name: str, mode: int) -> None:
        """Set the permissions of a file."""
        self.check(name, FILE)
        os.chmod(self._at(name), mode, dir_fd=self._handle)

    def remove(self, name: str) -> None:
        """Remove a file, or a link but not its target."""
        os.unlink(self._at(name), dir_fd=self._handle)

    def remove_tree(self, name: str) -> None:
        """Remove an entry with everything in it, following no link."""
        if self.kind(name) == DIRECTORY:
            import shutil

            shutil.rmtree(self._at(name), dir_fd=self._handle)
        else:
            self.remove(name)

    def remove_empty(self, name: str) -> None:
        """Remove a directory that has no entries."""
        os.rmdir(self._at(name), dir_fd=self._handle)


def kind(path: Path) -> str | None:
    """Return the kind of entry at this path, or None; a link is a link, wherever it leads."""
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
    """Write a file; a text is written in UTF-8, with replacements for characters that UTF-8 cannot hold."""
    with Folder(path.parent) as folder:
        folder.write(path.name, content.encode("utf-8", "replace") if isinstance(content, str) else content)


def make(path: Path, mode: int = 0o777) -> None:
    """Create a directory and its parents unless it exists; raises ``InTheWayError`` if something else has its name."""
    path = path.absolute()
    make_way(path, mode)
    with Folder(path.parent) as folder:
        folder.make(path.name, mode)


def make_way(path: Path, mode: int = 0o777) -> list[Path]:
    """Create the missing directories above a path and return them, the lowest first."""
    missing = [parent for parent in path.absolute().parents if not parent.exists()]
    for parent in reversed(missing):
        with Folder(parent.parent) as folder:
            folder.make(parent.name, mode)
    return missing


def remove(path: Path) -> None:
    """Remove a file, or a link but not its target."""
    with Folder(path.parent) as folder:
        folder.remove(path.name)


def remove_empty(path: Path) -> None:
    """Remove a directory if it is empty and can be removed."""
    with suppress(OSError), Folder(path.absolute().parent) as folder:
        folder.remove_empty(path.name)


def send(path: Path, content: bytes) -> None:
    """Write to a device, or to a pipe that has a reader; raises ``OSError``."""
    try:
        stream = os.open(path, _STREAM)
    except OSError as problem:
        if problem.errno == ENXIO:
            raise InTheWayError(path, "it is a named pipe that nobody reads") from None
        raise
    os.set_blocking(stream, True)
    with os.fdopen(stream, "wb") as file:
        file.write(content)


def unpack(archive: Path, place: Path, wanted: Callable[[str], object] = str, limit: float = inf) -> None:
    """Write the ``wanted`` files of a zip archive below a directory.

    Raises ``InTheWayError`` if a file would be outside it, and ``OSError`` if the files take more than ``limit`` bytes.
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
    """Yield a new directory for this process alone; it is removed when the block, or the process, ends."""
    import atexit
    import shutil
    import tempfile

    place = tempfile.mkdtemp(prefix=prefix, dir=inside)
    remove = partial(shutil.rmtree, place, ignore_errors=True)
    # A caller that keeps the directory for the lifetime of a value may never reach the end of the block.
    atexit.register(remove)
    try:
        yield Path(place)
    finally:
        atexit.unregister(remove)
        remove()


def unnamed(inside: Path | None = None) -> IO[bytes]:
    """Open a file that has no name and is gone when it is closed."""
    import tempfile

    return tempfile.TemporaryFile(dir=inside)
