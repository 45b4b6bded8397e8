"""Read untrusted files and texts in bounded time and memory.

A dataset, a corpus or the output of a system may be anything: a device that never ends, a pipe that nobody writes to, a
link to a private file, bytes that are not text, JSON with a hundred thousand brackets.  Everything is read through
:func:`opened`, which opens only regular files no larger than the limit of their kind; a pipe only as ``/dev/stdin`` or
``/dev/fd/N``, which only the caller's shell can have meant.  Whatever cannot be read raises :class:`ForeignFileError`.
Files that were read are remembered, so that no result overwrites one of them.

:class:`Limits` bounds what one input may ask for, in this thread and whatever it calls.  An input beyond a limit is
refused with a message, or counted and named if it is one of many.  All limits that a user can change (``--limit
words=2000``) are fields there.
"""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from errno import EFBIG, EINVAL, ENOENT
from functools import partial
from hashlib import file_digest
from io import BufferedReader
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")

_MIB, _GIB = 1 << 20, 1 << 30


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file, with the most bytes that it may have and the reason for that limit."""

    name: str
    limit: int
    why: str
    is_text: bool = True


#: The kinds of files.  A file that is read whole takes up to twenty times its size in memory.  A file that is read line
#: by line takes almost none; its limit only ends the reading of a sparse file.
SOURCE = Kind("a grammar or table", 32_000_000, "the limit of `sgl.lang`", is_text=False)
MANIFEST = Kind("a manifest", 64 * _MIB, "a thousand times the largest known")
CERTIFICATE = Kind("a certificate", 256 * _MIB, "a hundred times the largest known, of 2 MB")
VERIFICATION = Kind("a report of the verifier", 64 * _MIB, "as for manifests")
CHECKSUMS = Kind("a list of hashes", 16 * _MIB, "some hundred thousand files")
ROWS = Kind("a file of rows", 64 * _GIB, "read line by line; some hundred million rows")
TREEBANK = Kind("a treebank", 64 * _GIB, "read sentence by sentence")
TABLE = Kind("a data file", 64 * _GIB, "Parquet, or hashed: read in pieces", is_text=False)
BENCHMARK = Kind("a file of rows", _GIB, "kept in memory; some million rows")
PREDICTIONS = Kind("a file of predictions", _GIB, "kept in memory, as the rows that they answer")
COMPOUNDS = Kind("a list of compounds", 256 * _MIB, "kept in memory; one for each row")
LEXICON = Kind("a lexicon", 4 * _MIB, "YAML, of which a second reads some 100 kB")
SETTINGS = Kind("a file of settings", 64 << 10, "written by hand")
CHECKPOINT = Kind("a checkpoint", 64 * _GIB, "the weights of a model, of our own", is_text=False)

#: How files begin that are not UTF-8 text.
_MAGIC = {
    b"\x1f\x8b": "it is compressed (gzip) and has to be unpacked",
    b"PK\x03\x04": "it is an archive (zip) and has to be unpacked",
    b"BZh": "it is compressed (bzip2) and has to be unpacked",
    b"\xfd7zXZ": "it is compressed (xz) and has to be unpacked",
    b"\x28\xb5\x2f\xfd": "it is compressed (zstd) and has to be unpacked",
    b"PAR1": "it is Parquet and should be text",
    b"%PDF": "it is a PDF and should be text",
    b"\xff\xfe": "it is UTF-16 and has to be UTF-8",
    b"\xfe\xff": "it is UTF-16 and has to be UTF-8",
}

#: Streams that a shell passes by name.
_STREAM = re.compile(r"/dev/stdin|/dev/fd/\d+|/proc/self/fd/\d+")

_FLAGS = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
    _FLAGS |= getattr(os, _flag, 0)


class ForeignFileError(OSError):
    """A file cannot be read as the kind that it should be.

    ``filename`` is the file and ``strerror`` the reason, a clause with the place in the file; ``line`` and ``column``
    count from 1 and are 0 if unknown; ``hint`` says what to do.
    """

    def __init__(
        self, path: Path, reason: str, *, line: int = 0, column: int = 0, hint: str = "", error: int = EINVAL
    ) -> None:
        at = f"line {line:,}" + (f", column {column:,}" if column else "")
        super().__init__(error, f"{reason} ({at})" if line else reason, str(path))
        self.line, self.column, self.hint = line, column, hint

    @property
    def is_missing(self) -> bool:
        """Whether there is no such file."""
        return self.errno == ENOENT

    def __str__(self) -> str:
        return f"cannot read `{self.filename}`: {self.strerror}"

    def __reduce__(self) -> tuple[object, ...]:
        # Otherwise unpickling would make an OSError of its three arguments.
        again = partial(ForeignFileError, error=self.errno or EINVAL)
        return again, (Path(self.filename), self.strerror), self.__dict__


def opened(path: Path, kind: Kind, *, inside: Path | None = None) -> BufferedReader:
    """Open a regular file no larger than its kind allows.

    Symbolic links must not leave the directory ``inside``.  Like all readers here, raises ``ForeignFileError`` if the
    file does not exist or cannot be read.
    """
    try:
        file = os.open(path if inside is None else _kept_inside(path, inside), _FLAGS)
    except OSError as problem:
        raise _refused(path, problem) from None
    except ValueError:
        raise ForeignFileError(path, "no file can have this name", error=ENOENT) from None
    try:
        status = os.fstat(file)
        is_stream = inside is None and _STREAM.fullmatch(os.fspath(path)) is not None
        _check_status(path, kind, status, is_stream)
        if is_stream:
            os.set_blocking(file, True)
        stream = os.fdopen(file, "rb")
    except BaseException:
        os.close(file)
        raise
    _note(status)
    if kind.is_text and not is_stream:
        begin = stream.read(8)
        stream.seek(0)
        for magic, reason in _MAGIC.items():
            if begin.startswith(magic):
                stream.close()
                raise ForeignFileError(path, reason)
    return stream


def _kept_inside(path: Path, inside: Path) -> Path:
    """Return the file that a path leads to, which must be below a directory."""
    try:
        found = path.resolve()
    except RuntimeError:
        raise ForeignFileError(path, "it is part of a loop of links") from None
    if not found.is_relative_to(inside.resolve()):
        reason = f"a link leads out of `{inside}`"
        raise ForeignFileError(path, reason, hint="put a copy of the file there")
    return found


def _check_status(path: Path, kind: Kind, status: os.stat_result, is_stream: bool) -> None:
    """Raise an error if this is not a regular file or is too large."""
    if stat.S_ISDIR(status.st_mode):
        raise ForeignFileError(path, "it is a directory, not a file")
    if not (stat.S_ISREG(status.st_mode) or is_stream):
        raise ForeignFileError(path, "it is not a file but a device or a pipe")
    if status.st_size > kind.limit:
        raise _too_large(path, kind, status.st_size)


def _too_large(path: Path, kind: Kind, size: int) -> ForeignFileError:
    reason = f"it has {size:,} bytes; {kind.name} may have at most {kind.limit:,}"
    return ForeignFileError(path, reason, error=EFBIG)


def _refused(path: Path, problem: OSError) -> ForeignFileError:
    reason = problem.strerror or str(problem)
    return ForeignFileError(path, reason, error=problem.errno or EINVAL)


#: Texts that replace files, by resolved path.
_EDITED: ContextVar[Mapping[Path, bytes]] = ContextVar("edited")


@contextmanager
def during(variable: ContextVar[_T], value: _T) -> Iterator[None]:
    """Set a context variable in the block."""
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)


def edited(texts: Mapping[Path, bytes]) -> AbstractContextManager[None]:
    """Read these texts, by resolved path, instead of files in the block, as an editor has them."""
    return during(_EDITED, texts)


def edit_of(path: Path) -> bytes | None:
    """Return the text that replaces a file being edited, or None if the file is read from disk."""
    texts = _EDITED.get({})
    return texts.get(Path(os.path.realpath(path))) if texts else None


def sha256_of(path: Path, kind: Kind = TABLE, *, inside: Path | None = None) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with opened(path, kind, inside=inside) as stream:
        return file_digest(stream, "sha256").hexdigest()


#: Bytes read at a time: a buffer as large as the limit would take that much memory.
_PIECE = 1 << 20


def read_bytes(path: Path, kind: Kind, *, inside: Path | None = None) -> bytes:
    """Return the whole content of a file."""
    text = edit_of(path)
    if text is not None:
        if len(text) > kind.limit:
            raise _too_large(path, kind, len(text))
        return text
    pieces, size = [], 0
    with opened(path, kind, inside=inside) as stream:
        try:
            while size <= kind.limit and (piece := stream.read(_PIECE)):
                pieces.append(piece)
                size += len(piece)
        except OSError as problem:
            raise _refused(path, problem) from None
    if size > kind.limit:
        # The file has grown, or is a pipe.
        raise _too_large(path, kind, size)
    return b"".join(pieces)


def read_text(path: Path, kind: Kind, *, inside: Path | None = None) -> str:
    """Return the text of a file, without a byte order mark."""
    return text_of(read_bytes(path, kind, inside=inside), path)


def text_of(content: bytes, path: Path) -> str:
    """Decode the content of a file."""
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as problem:
        before = content[: problem.start]
        line = before.rpartition(b"\n")[2].decode("utf-8")
        raise ForeignFileError(
            path, "it is not UTF-8", line=before.count(b"\n") + 1, column=len(line) + 1, hint="save it as UTF-8"
        ) from None


def lines_of(text: str) -> list[str]:
    r"""Return the lines of a text, split at line feeds only.

    ``str.splitlines`` would also split at U+2028 and other characters that a cell may contain.

    >>> lines_of("a\u2028b\r\n\nc\n")
    ['a\u2028b', '', 'c']
    """
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


#: For each run that remembers its inputs, the files that it has read, by device and inode.
_RUNS: list[set[tuple[int, int]]] = []


@contextmanager
def remembering() -> Iterator[None]:
    """Remember which files are read in this block."""
    _RUNS.append(set())
    try:
        yield
    finally:
        _RUNS.pop()


@contextmanager
def forgetting() -> Iterator[None]:
    """Read files in this block without remembering them."""
    runs, _RUNS[:] = _RUNS[:], []
    try:
        yield
    finally:
        _RUNS[:] = runs


def is_input(path: Path) -> bool:
    """Return whether a path leads to a file that a remembering run has read."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return False
    return any((status.st_dev, status.st_ino) in known for known in _RUNS)


def note_input(path: Path) -> None:
    """Remember a file that will be read."""
    with suppress(OSError, ValueError):
        _note(path.stat())


def _note(status: os.stat_result) -> None:
    for known in _RUNS:
        known.add((status.st_dev, status.st_ino))


@dataclass(frozen=True)
class Limits:
    """Limits by name, with their defaults.

    Attributes:
        words: words of a sentence to be parsed, or characters if the layer joins words without a separator (SGL1107).
            The longest sentences of published benchmarks have about 250.
        steps: items of the chart, moves between them, and alternatives of the forest that parsing one sentence may take
            (SGL1107).  A sentence of 40 words takes about 500; the limit takes about two seconds and 200 MB.
        counts: the highest count in a structure: edges of a path, rounds of a ``repeat``, edges that leave a node
            (SGL0801).  Automata grow with it.
        matches: partial matches joined to build the automaton of one structure (SGL0810); the limit takes a few
            seconds.
        columns: columns of a row in a table, and of a variant of a row (SGL0602).  No known table has fifty.
        children: children and quoted words of a rule (SGL0712).  No known rule has twenty.
        parts: parts of a phrase in one text layer, the main part included (SGL0321).  With *k* parts, parsing a
            sentence of length *n* takes time that grows with about *n* to the power of 2 *k*.
        letters: letters of a prediction that are scored, or twice the length of the gold text if that is more
            (SGL1408).  Models that repeat themselves never stop.
    """

    words: int = 500
    steps: int = 1_000_000
    counts: int = 40
    matches: int = 4_000_000
    columns: int = 1_000
    children: int = 200
    parts: int = 3
    letters: int = 5_000


LIMITS = tuple(field.name for field in fields(Limits))

#: The limits that a grammar can set for itself (``limit parts = 4``), with the highest numbers; more takes ``--limit``.
OF_GRAMMARS = {"children": 1_000, "columns": 10_000, "counts": 100, "parts": 6}

_DEFAULTS = Limits()
_LIMITS: ContextVar[Limits] = ContextVar("limits", default=_DEFAULTS)

#: The names of limits that the user changed.
_GIVEN: ContextVar[frozenset[str]] = ContextVar("given", default=frozenset())

#: The limits in force.
limits = _LIMITS.get


@contextmanager
def limited(numbers: Mapping[str, int]) -> Iterator[None]:
    """Change limits, by name, in the block, as the user asks."""
    with during(_LIMITS, replace(limits(), **numbers)), during(_GIVEN, _GIVEN.get().union(numbers)):
        yield


def granted(numbers: Mapping[str, int]) -> AbstractContextManager[None]:
    """Change limits as a grammar asks, in the block; those that the user changed are not raised."""
    lowest = {name: getattr(limits(), name) for name in _GIVEN.get()}
    return during(_LIMITS, replace(limits(), **{name: min(n, lowest.get(name, n)) for name, n in numbers.items()}))


def raising(name: str, number: int | None = None) -> str:
    """Return what to write for a higher limit of a grammar: in the grammar if that is enough, or in the command."""
    wanted = "NUMBER" if number is None else str(number)
    enough = (number or getattr(limits(), name) + 1) <= OF_GRAMMARS[name] and name not in _GIVEN.get()
    return f"`limit {name} = {wanted}`" if enough else f"`--limit {name}={wanted}`"
