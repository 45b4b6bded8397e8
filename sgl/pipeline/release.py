"""Pack a dataset for publication, and check the archive as a stranger will: unpack, load, verify.

Equal datasets give equal archives: the files stand in the order of their names, without times, owners
or rights.  The compression is that of Python's zlib.
"""

import shutil
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from sgl import foreign
from sgl.dataset import CHECKSUMS, manifest_of
from sgl.dataset.manifest import LOADED
from sgl.dataset.staged import listed_files
from sgl.foreign import opened
from sgl.verify import USEFUL, Report, verify

#: The time of every file of an archive: the first that the format knows.
_TIME = (1980, 1, 1, 0, 0, 0)
_PIECE = 1 << 20


class ReleaseError(ValueError):
    """A dataset cannot be released; the message says why, ``hint`` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def name_of(directory: Path) -> str:
    """Return what the release of a dataset is called: its name and version."""
    manifest = manifest_of(directory)
    if "release" not in manifest.members():
        hint = 'add `release "1.0.0"` with `licence` and `authors` to the grammar, and compile it again'
        raise ReleaseError(f"the grammar of `{directory}` declares no release", hint)
    name = f"{manifest['name'].of(str)}-{manifest['release']['version'].of(str)}"
    if not name.replace("-", "").replace(".", "").replace("_", "").isalnum():
        raise ReleaseError(f"the manifest gives a name that no file has: {name!r}")
    return name


def write_archive(directory: Path, archive: Path, progress: Callable[[str, int, int], None]) -> int:
    """Write all files of a dataset into an archive, in a folder of its name; return their size."""
    folder, names = name_of(directory), sorted({*(listed_files(directory) or ())} - {"", CHECKSUMS})
    size = 0
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for number, name in enumerate((CHECKSUMS, *names)):
            entry = zipfile.ZipInfo(f"{folder}/{name}", _TIME)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
            with opened(directory / name, foreign.TABLE, inside=directory) as source:
                entry.file_size = (directory / name).stat().st_size
                size += entry.file_size
                with packed.open(entry, "w") as target:
                    shutil.copyfileobj(source, target, _PIECE)
            progress("packing", number, len(names))
    return size


def checked(archive: Path, place: Path, progress: Callable[[str, int, int], None]) -> tuple[Report, tuple[str, ...]]:
    """Unpack an archive of ours, verify and load what it has; return the report, and what has loaded it."""
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(place)
    (directory,) = place.iterdir()
    report = verify(directory, lambda done, total, what: progress(what, done, total), USEFUL)
    return report, tuple(_loaded(directory))


def _loaded(directory: Path) -> Iterator[str]:
    """Yield how the rows could be loaded; raises ``ReleaseError`` if they could not."""
    import pyarrow.parquet as pq

    splits = manifest_of(directory)["splits"].members()
    for split, claim in splits.items():
        rows = pq.ParquetFile(directory / "parquet" / f"{split}.parquet").metadata.num_rows
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
            warnings.simplefilter("ignore")  # what its own libraries will change is nothing to the user
            mlcroissant.Dataset(directory / "croissant.json")
    except (mlcroissant.ValidationError, KeyError, TypeError, ValueError) as problem:
        raise ReleaseError(f"croissant.json is not valid: {problem}") from problem
    yield "Croissant: valid"
