"""Pack a dataset for publication, check the archive like a user, and compare a recompiled dataset.

Equal datasets give equal archives: files are sorted by name, and have no times, owners or permissions.  The compression
is Python's zlib.  An archive is checked as others use it: unpacked, loaded and verified.

A dataset and the one that its grammar gives when it is compiled again are compared file by file.  Every file has to be
the same, bit by bit, but for Parquet, whose bytes depend on the version of its library.  Where that differs, rows are
compared, and the hash of the file is taken as it is.  Another build of the compiler may differ in its own name alone.
"""

import filecmp
import json
import shutil
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any

from sgl.core.plan import LOADED
from sgl.dataset import CHECKSUMS, MANIFEST, manifest_of
from sgl.dataset.staged import listed_files
from sgl.disk import create, unpack
from sgl.foreign import TABLE, ForeignFileError, opened, read_bytes, sha256_of
from sgl.foreign.parquet import parquet, table_of
from sgl.verify import USEFUL, Report, Result, verify

#: The time of every file in an archive: the earliest that the format can represent.
_TIME = (1980, 1, 1, 0, 0, 0)
_PIECE = 1 << 20


class ReleaseError(ValueError):
    """A dataset cannot be released; the message says why, ``hint`` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def name_of(directory: Path) -> str:
    """Return the name of a dataset's release: its name and version."""
    manifest = manifest_of(directory)
    if "release" not in manifest.members():
        hint = 'add `release "1.0.0"` with `licence` and `authors` to the grammar, and compile it again'
        raise ReleaseError(f"the grammar of `{directory}` declares no release", hint)
    name = f"{manifest['name'].of(str)}-{manifest['release']['version'].of(str)}"
    if not name.replace("-", "").replace(".", "").replace("_", "").isalnum():
        raise ReleaseError(f"the name in the manifest cannot be a file name: {name!r}")
    return name


def write_archive(directory: Path, archive: Path, progress: Callable[[str, int, int], None], folder: str = "") -> int:
    """Write all files of a dataset into an archive, in ``folder`` or one of its name; return their total size."""
    folder, names = folder or name_of(directory), sorted({*(listed_files(directory) or ())} - {"", CHECKSUMS})
    size = 0
    with create(archive) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for number, name in enumerate((CHECKSUMS, *names)):
            entry = zipfile.ZipInfo(f"{folder}/{name}", _TIME)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
            with opened(directory / name, TABLE, inside=directory) as source:
                entry.file_size = (directory / name).stat().st_size
                size += entry.file_size
                with packed.open(entry, "w") as target:
                    shutil.copyfileobj(source, target, _PIECE)
            progress("packing", number, len(names))
    return size


def checked(archive: Path, place: Path, progress: Callable[[str, int, int], None]) -> tuple[Report, tuple[str, ...]]:
    """Unpack, verify and load an archive; return the report, and the libraries that loaded it."""
    unpack(archive, place)
    (directory,) = place.iterdir()
    report = verify(directory, lambda done, total, what: progress(what, done, total), USEFUL)
    return report, tuple(_loaded(directory)) if report.ok else ()


def _loaded(directory: Path) -> Iterator[str]:
    """Yield how the rows were loaded; raises ``ReleaseError`` if they could not be."""
    splits = manifest_of(directory)["splits"].members()
    for split, claim in splits.items():
        with parquet(directory / "parquet" / f"{split}.parquet") as file:
            rows = file.metadata.num_rows
        if rows != claim["items"].of(int):
            raise ReleaseError(f"the Parquet file of `{split}` has {rows:,} rows")
    yield f"Parquet: {', '.join(LOADED.get(split, split) for split in splits)}"
    try:
        import mlcroissant
    except ImportError:
        yield "Croissant: not validated (pip install 'sgl-compiler[release]')"
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # deprecation warnings of its libraries do not concern the user
            mlcroissant.Dataset(directory / "croissant.json")
    except (mlcroissant.ValidationError, KeyError, TypeError, ValueError) as problem:
        raise ReleaseError(f"croissant.json is not valid: {problem}") from problem
    yield "Croissant: valid"


CODE, NAME = "G001", "grammar"
CLAIM = "The grammar, compiled again with the same parameters and seed, gives the same files."

#: The order of comparison: derived files come after the files that they depend on.
_ORDER = ("certificate.json", "derivations", "data", "conllu", "parquet", "", MANIFEST, CHECKSUMS)

#: Length of an excerpt of a text, and how much of it precedes the difference.
_SHOWN, _BEFORE = 70, 20


def request_of(directory: Path) -> tuple[dict[str, str], int]:
    """Return the parameters and seed of a dataset whose manifest has been verified."""
    manifest = manifest_of(directory)
    parameters = manifest["parameters"].members()
    return {name: str(value.data) for name, value in parameters.items()}, manifest["seed"].of(int)


def compare(directory: Path, again: Path) -> Result:
    """Return how a dataset differs from its recompiled version."""
    tally = Result(CODE, NAME, CLAIM)
    #: Hashes of files that may differ, and the build of the compiler, as they are now, and those in the dataset.
    excused: dict[bytes, bytes] = {}
    with suppress(ForeignFileError):
        now, was = (manifest_of(place)["compiler"]["build"].of(str) for place in (again, directory))
        if now != was:
            excused[now.encode()] = was.encode()
            tally.figure(f"another build of the compiler: {was}, now {now}", 1)

    def rank(name: str) -> tuple[int, str]:
        top = name.partition("/")[0]
        return _ORDER.index(top if top in _ORDER else ""), name

    paths = ((path, top) for top in (directory, again) for path in top.rglob("*") if path.is_file())
    for name in sorted({path.relative_to(top).as_posix() for path, top in paths}, key=rank):
        tally.checked += 1
        stated, made = directory / name, again / name
        if not made.is_file():
            tally.fault("the grammar does not produce this file", name)
            continue
        try:
            opened(stated, TABLE, inside=directory).close()
        except ForeignFileError as problem:
            what = "the file is missing" if problem.is_missing else f"{problem.strerror}"
            tally.fault(what, name)
            continue
        if not filecmp.cmp(stated, made, shallow=False):
            if difference := _difference(stated, made, excused):
                tally.fault(difference, name)
            else:
                excused[sha256_of(made).encode()] = sha256_of(stated).encode()
                tally.figure("another version of the library or the compiler", 1, name)
    return tally


def _difference(stated: Path, made: Path, excused: dict[bytes, bytes]) -> str:
    if stated.suffix == ".parquet":
        return _difference_of_tables(stated, made)
    found, expected = read_bytes(stated, TABLE), read_bytes(made, TABLE)
    for new, old in excused.items() if stated.parent.name != "data" else ():
        expected = expected.replace(new, old)
    if found == expected:
        return ""
    with suppress(ValueError, RecursionError):
        a, b = json.loads(found), json.loads(expected)
        if a != b:
            return _difference_of_values(a, b)
    return _difference_of_lines(found, expected)


def _difference_of_tables(stated: Path, made: Path) -> str:
    try:
        with parquet(stated) as found, parquet(made) as expected:
            if not found.schema_arrow.equals(expected.schema_arrow, check_metadata=True):
                return "the columns differ"
            same_library = found.metadata.created_by == expected.metadata.created_by
        rows, again = table_of(stated), table_of(made)
        for name in rows.column_names:
            if not rows[name].equals(again[name]):
                cells = zip_longest(rows[name].to_pylist(), again[name].to_pylist())
                row, (a, b) = next((row, pair) for row, pair in enumerate(cells) if len({*pair}) > 1)
                return f"row {row + 1}: {name} is {_excerpt(a)}, compiled again {_excerpt(b)}"
        if same_library:
            return "other bytes, although the same version of the library gave the same rows"
    except ForeignFileError as error:
        return f"the file cannot be read: {error.strerror}"
    return ""


def _difference_of_values(a: Any, b: Any, path: str = "") -> str:  # noqa: ANN401 - what JSON holds
    """Return the first member in which two values differ, and how."""
    pairs: Any = ()
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        pairs = ((name, a[name], b[name]) for name in a)
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = zip(range(len(a)), a, b, strict=True)
    for name, own, its in pairs:
        if own != its:
            return _difference_of_values(own, its, f"{path}.{name}")
    place = path.lstrip(".") or "the value"
    if isinstance(a, dict) and isinstance(b, dict):
        return f"{place}: only one has {', '.join(sorted(a.keys() ^ b.keys()))}"
    if isinstance(a, list) and isinstance(b, list):
        return f"{place} has {len(a):,} members, compiled again {len(b):,}"
    return f"{place} is {_excerpt(a)}, compiled again {_excerpt(b)}"


def _difference_of_lines(found: bytes, expected: bytes) -> str:
    lines = list(zip_longest(found.split(b"\n"), expected.split(b"\n")))
    different = [number for number, (a, b) in enumerate(lines) if a != b]
    first, pair = different[0] + 1, [line or b"" for line in lines[different[0]]]
    places = enumerate(zip(*pair, strict=False))
    start = next((at for at, (x, y) in places if x != y), min(map(len, pair)))
    cut = slice(max(start - _BEFORE, 0), None)
    a, b = (_excerpt(line[cut].decode("utf-8", "replace")) for line in pair)
    more = f" ({len(different) - 1:,} more lines differ)" if different[1:] else ""
    return f"line {first} is {a}, compiled again {b}{more}"


def _excerpt(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
