"""A grammar packed with its data: every dataset has a folder ``grammar`` with all files that the compiler read.

::

    farm/grammar/
      grammar.json             the main file, the parameters that were set, the seed, the version of SGL
      farm.sgl                 the main file
      tables/nouns.yaml        a table, where the main file looks for it
      stdlib/ja/verbs.sgl      a part of the standard library

So the directory of a dataset is a grammar, and so is its archive.  Files are stored where they refer to one another.  A
packed grammar reads its own copy of the standard library and no file outside its folder, so that it means the same to
later versions of SGL, and a stranger's grammar cannot read your files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from sgl import EDITION, __version__
from sgl.disk import make, unpack, write
from sgl.foreign import SETTINGS, SOURCE, ForeignFileError, opened, read_bytes
from sgl.lang import MAX_TABLE
from sgl.values import dataclass, replace

if TYPE_CHECKING:
    from sgl.lang.project import Project

#: The folder with a dataset's grammar; the file that records how it is compiled; its format; the largest seed.
FOLDER, RECORD, FORMAT, LARGEST_SEED = "grammar", "grammar.json", "sgl-grammar/1", 10**15

#: Names of main files, which are at the top of the folder, and of a grammar's files in an archive.
_MAIN = re.compile(r"[^/\\\0]+\.sgl")
_IN_ARCHIVE = re.compile(rf"([^/]+/)?{FOLDER}/.*[^/]")


#: The archives that were unpacked, by the place.
_ARCHIVES: dict[Path, Path] = {}


@dataclass(frozen=True)
class Record:
    """How a packed grammar is compiled; ``text`` is the content of the record file."""

    main: str
    parameters: Mapping[str, str]
    seed: int
    text: str


def record_of(folder: Path, inside: Path | None = None) -> Record | None:
    """Return the record of a packed grammar; None if the folder has none.

    Raises ``ForeignFileError`` if the record is malformed or a link leads out of ``inside``, and if the main file
    cannot be opened in the folder.
    """
    path = folder / RECORD
    if not path.is_file():
        return None
    # Every command calls this function, but few grammars are packed.
    from sgl.foreign.json import JsonValue, json_of

    content = read_bytes(path, SETTINGS, inside=inside or folder)
    document = JsonValue(path, json_of(content, path))
    kind = document.data.get("format") if isinstance(document.data, dict) else None
    if isinstance(kind, str) and kind != FORMAT and kind.startswith(FORMAT.partition("/")[0] + "/"):
        raise document["format"].fault(f"is {kind}, of another version of SGL; this one reads {FORMAT}")
    if kind != FORMAT:
        return None
    main, seed = document["main"].of(str), document["seed"].of(int)
    if not _MAIN.fullmatch(main):
        raise document["main"].fault("is not the name of a grammar file")
    if not 0 <= seed <= LARGEST_SEED:
        raise document["seed"].fault("is not a seed")
    opened(folder / main, SOURCE, inside=folder).close()
    parameters = {name: value.of(str) for name, value in document["parameters"].members().items()}
    return Record(main, parameters, seed, content.decode())


def shown_folder(folder: Path) -> Path:
    """Return what messages call a folder: one that was unpacked of an archive is in the archive."""
    places = (place for place in _ARCHIVES if folder.is_relative_to(place))
    return next((_ARCHIVES[place] / folder.relative_to(place) for place in places), folder)


def is_packed(path: Path) -> bool:
    """Return whether a file is, or would be, in the packed grammar of a dataset."""
    return any(folder.name == FOLDER and (folder / RECORD).exists() for folder in path.absolute().parents)


def main_of(path: Path, place: Callable[[], Path] | None = None) -> Path:
    """Return the main file of a dataset, or of its folder ``grammar``; return any other path unchanged.

    The grammar of a zip archive is unpacked if ``place`` is given.  Raises ``ForeignFileError`` as :func:`record_of`
    does, and for an archive without a grammar.
    """
    if place is not None and path.suffix.lower() == ".zip" and path.is_file():
        return _unpacked(path, place())
    for folder in (path / FOLDER, path) if path.is_dir() else ():
        if (record := record_of(folder, path)) is not None:
            return folder / record.main
    return path


def _unpacked(archive: Path, place: Path) -> Path:
    """Unpack the grammar of a zipped dataset below ``place``, and return its main file."""
    import lzma
    import zipfile
    import zlib

    _ARCHIVES[place] = archive
    try:
        unpack(archive, place, _IN_ARCHIVE.fullmatch, SOURCE.limit)
    except (OSError, EOFError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error, lzma.LZMAError) as problem:
        raise ForeignFileError(archive, f"it cannot be unpacked: {problem}") from None
    for top in (place, *sorted(place.iterdir())):
        try:
            if (main := main_of(top)) != top:
                return main
        except ForeignFileError as problem:
            problem.filename = str(shown_folder(Path(problem.filename)))
            raise
    raise ForeignFileError(archive, f"it contains no `{FOLDER}` folder of a dataset")


def write_grammar(directory: Path, project: Project, parameters: Mapping[str, str], seed: int) -> dict[str, str]:
    """Write the grammar of a dataset into its directory; return the SHA-256 of each file by relative path."""
    from sgl.diagnostics import Diagnostics, SourceMap
    from sgl.lang.project import locate, read_file
    from sgl.lang.syntax import Name, Param

    # With other parameters, the grammar reads other tables.
    sources = SourceMap(dict(project.sources.files))
    named = ((unit, getattr(declared, "path", None)) for unit in project.units for declared in unit.file.declarations)
    for unit, table in ((unit, table) for unit, table in named if isinstance(table, Name)):
        path = locate(unit.root, unit.path.parent, table.text, None, SourceMap(), Diagnostics())
        if path is not None and (shown := unit.root.display(path)) not in sources.files:
            read_file(path, shown, None, MAX_TABLE, sources, Diagnostics())
    written = {declared.name.text: declared.value.text for declared in project.declarations(Param)}
    record = {
        "format": FORMAT,
        "main": project.main.path.name,
        "parameters": {name: value for name, value in sorted(parameters.items()) if value != written.get(name)},
        "seed": seed,
        "compiler": {"version": __version__, "edition": EDITION},
    }
    texts = {name: file.text for name, file in replace(project, sources=sources).files()}
    texts[RECORD] = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
    for name, text in texts.items():
        make((directory / FOLDER / name).parent)
        write(directory / FOLDER / name, text)
    return {f"{FOLDER}/{name}": sha256(text.encode()).hexdigest() for name, text in texts.items()}
