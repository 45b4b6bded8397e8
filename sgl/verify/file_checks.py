"""Checks on the files: are they complete, unchanged, well formed, of one mind, and drawn as said?

Each check is a claim and a function of the dataset that reports to a tally.

The *signature* of a dataset is its identity, which the manifest states, with the SHA-256 of
``SHA256SUMS``, which has the SHA-256 of every other file.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from itertools import starmap, zip_longest
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np

from sgl import foreign
from sgl.foreign import ROWS, TABLE, TREEBANK, opened, read_bytes, sha256_of
from sgl.foreign.parquet import READABLE
from sgl.verify import parquet
from sgl.verify.dataset import LoadedData, Result, SkippedError, checks
from sgl.verify.items import Split, conllu_path, kind_of
from sgl.verify.manifest import CERTIFICATE, MANIFEST, Manifest
from sgl.verify.rows import ACCEPTED
from sgl.verify.structure import StructureError, read_structure

CHECKSUMS = "SHA256SUMS"

_LINE = re.compile("([0-9a-f]{64})  (.+)")
_IDENTITY = re.compile(r"sgl:[\w.+-]+\|edition:\w+\|grammar:sha256:[0-9a-f]{12}\|seed:\d+\|items:\d+", re.ASCII)

#: No row of a benchmark comes near this number of bytes.
_LONGEST_ROW = 1 << 20


class TableRow(NamedTuple):
    """A row; ``kind`` is ``iid``, ``exposure`` or ``gen``, in Parquet only."""

    source: str
    target: str
    category: str
    kind: str = ""


def _read_tsv(path: Path) -> Iterator[TableRow | str]:
    with opened(path, ROWS) as stream:
        while line := stream.readline(_LONGEST_ROW):
            if not line.endswith(b"\n"):
                yield "the line is cut off or too long"
                continue
            try:
                cells = line[:-1].decode("utf-8").split("\t")
            except UnicodeDecodeError as error:
                yield f"not UTF-8 at byte {error.start + 1} of the line"
                continue
            well_formed = len(cells) == 3 and "\r" not in cells[-1]
            yield TableRow(*cells) if well_formed else "not a source, a target and a category"


_FOLDERS = ("data", "parquet", "conllu", "derivations", "pairs")
#: Files that a manifest lists and that belong to no split.
_OF_NO_SPLIT = (CERTIFICATE, "derivations/rejected.tsv")
_SUFFIXES = frozenset({".tsv", ".parquet", ".conllu", ".jsonl"})


@checks("V002")
def files_unchanged(data: LoadedData, tally: Result) -> None:
    known = {*_OF_NO_SPLIT}
    folders = ("data", *(f"data/{name}" for name in data.manifest.layers.further), "derivations")
    for split in data.manifest.splits:
        known |= {conllu_path(split, layer) for layer in ("", *data.manifest.layers.written)}
        known |= {f"parquet/{split}.parquet", f"pairs/{split}.jsonl"}
        known |= {f"{folder}/{split}.tsv" for folder in folders}
    for file in data.manifest.files:
        tally.checked += 1
        path = _inside(data.directory, file.path)
        if path is None:
            tally.fault("the file lies outside the dataset", file.path)
        elif file.path not in known and ("/" in file.path or path.suffix != ".json"):
            tally.fault("no split has this file", file.path)
        elif not path.is_file():
            tally.fault("the file is missing", file.path)
        elif sha256_of(path) != file.sha256:
            tally.fault("the file has changed: another SHA-256", file.path)
    listed = Counter(file.path for file in data.manifest.files)
    for name in [name for name, times in listed.items() if times > 1]:
        tally.fault(f"the file is listed {listed[name]} times", name)
    for within in sorted(Path(name) for name, _ in entries_below(data.directory)):
        path = data.directory / within
        # Data files are those in the data folders, and of these kinds anywhere.
        own = within.parts[0] in _FOLDERS or path.suffix in _SUFFIXES
        if own and path.is_file() and within.as_posix() not in listed:
            tally.fault("the manifest does not list this file", within.as_posix())


@checks("V003")
def row_counts(data: LoadedData, tally: Result) -> None:
    entries = {conllu_path(split.name): len(split) for split in data.splits}
    for file in data.manifest.files:
        path = _inside(data.directory, file.path)
        if path is None or not path.is_file():
            continue
        rows = 0 if file.path == CERTIFICATE else entries.get(file.path)
        if rows is None and path.suffix == ".conllu":
            with opened(path, TREEBANK) as stream:
                rows = sum(line == b"\n" for line in iter(stream.readline, b""))
        if path.suffix == ".tsv":
            with opened(path, ROWS) as stream:
                rows = sum(piece.count(b"\n") for piece in iter(partial(stream.read, 1 << 20), b""))
        elif path.suffix == ".parquet" and READABLE:
            try:
                rows = parquet.rows_in(path)
            except OSError as error:
                tally.fault(f"the file cannot be read: {error.strerror}", file.path)
        if rows is not None:
            tally.checked += 1
            if rows != file.rows:
                tally.fault(f"{rows} rows instead of {file.rows}", file.path)


@checks("V004")
def structures_readable(data: LoadedData, tally: Result) -> None:
    tally.checked = len(data.clauses)
    written = {data.manifest.distinct.layer, *data.manifest.layers.written}
    for clause in data.clauses:
        try:
            layers = read_structure(clause.text).layer
            if layers and not written.issuperset(layers.split("+")):
                tally.fault(f"there are no graphs of {layers!r}: {clause.text}", clause.place)
        except StructureError as error:
            tally.fault(f"{error}: {clause.text}", clause.place)
    for pattern in data.manifest.patterns:
        if pattern.layer not in ("", data.manifest.distinct.layer):
            tally.fault(
                f"{pattern.name} is about the layer {pattern.layer!r}, "
                f"the CoNLL-U files hold {data.manifest.distinct.layer!r}"
            )


@checks("V032")
def structures_searched(data: LoadedData, tally: Result) -> None:
    tally.checked = len(data.known.shapes.shapes())
    for clause in [clause for clause in data.clauses if clause.number in data.endless]:
        tally.fault(f"the search takes too many steps: {clause.text}", clause.place)


@checks("V005")
def conllu_well_formed(data: LoadedData, tally: Result) -> None:
    for split in data.splits:
        path = conllu_path(split.name)
        if split.error:
            tally.fault(f"the file cannot be read: {split.error}", path)
        tally.checked += len(split)
        numbers = np.asarray(split.numbers, np.int64)
        for entry in np.flatnonzero(numbers != np.arange(1, len(split) + 1)).tolist():
            malformed = split.malformed.get(entry)
            if malformed:
                tally.fault(malformed.reason, f"{path}:{malformed.line}")
            else:
                message = f"sent_id is not {split.name}-{entry + 1:06d}"
                tally.add(partial(data.violation, message, split, entry))


@checks("V006")
def tsv_rows(data: LoadedData, tally: Result) -> None:
    for target, folder in enumerate(("", *data.manifest.layers.further)):
        for split in data.splits:
            path = f"data/{folder}/{split.name}.tsv" if folder else f"data/{split.name}.tsv"
            try:
                _compare(data, path, _read_tsv(data.directory / path), split, tally, target)
            except OSError as error:
                tally.fault(f"the file cannot be read: {error.strerror}", path)


@checks("V007")
def parquet_rows(data: LoadedData, tally: Result) -> None:
    if not (data.directory / "parquet").exists():
        raise SkippedError("the dataset has no Parquet files")
    if not READABLE:
        raise SkippedError("pyarrow, which reads Parquet, is not installed")
    columns = ["target", *(f"target_{name}" for name in data.manifest.layers.further)]
    for target, column in enumerate(columns):
        for split in data.splits:
            path = f"parquet/{split.name}.parquet"
            try:
                wanted = ("source", column, "category", "split_kind")
                rows = parquet.read_columns(data.directory / path, wanted)
                _compare(data, path, starmap(TableRow, rows), split, tally, target)
            except OSError as error:
                tally.fault(f"the file cannot be read: {error.strerror}", path)


@checks("V008")
def strata(data: LoadedData, tally: Result) -> None:
    for split in data.splits:
        found: Counter[str] = Counter()
        for kind in data.categories_of(split.name):
            found[kind.category] += kind.items
        declared: Counter[str] = Counter()
        claim = data.manifest.splits[split.name]
        for stratum in claim.strata:
            declared[stratum.category] += stratum.count
        place = f"manifest.json: splits.{split.name}"
        for category in sorted(declared | found):
            tally.checked += 1
            if found[category] != declared[category]:
                message = f"{found[category]} sentences of {category} in {split.name} instead of {declared[category]}"
                tally.fault(message, place)
        if claim.items != declared.total():
            message = f"{claim.items} items, but the strata have {declared.total()}"
            tally.fault(message, place)


def _inside(directory: Path, name: str) -> Path | None:
    parts = PurePosixPath(name)
    path = directory / parts
    if parts.is_absolute() or ".." in parts.parts or "\\" in name:
        return None
    return path if path.resolve().is_relative_to(directory.resolve()) else None


def _compare(
    data: LoadedData,
    path: str,
    rows: Iterator[TableRow | str] | Iterator[TableRow],
    split: Split,
    tally: Result,
    target: int,
) -> None:
    number = 0
    for number, (row, known) in enumerate(zip_longest(rows, split.rows[target]), 1):
        tally.checked += 1
        if row is None or known is None:
            missing = f"{number - 1} rows for {len(split)} sentences"
            more = f"more rows than the {len(split)} sentences"
            tally.fault(missing if row is None else more, f"{path}:{number}")
            return
        if isinstance(row, str):
            tally.fault(row, f"{path}:{number}")
            continue
        try:
            found = data.known.hashing.of(row.source, row.target, row.category)
        except TypeError:
            found = None  # Parquet has something else than texts here.
        if known == found and row.kind in ("", kind_of(row.category)):
            continue
        if number - 1 not in split.malformed:
            item = data.item(split, number - 1)
            if row.source != item.source:
                tally.fault(f"the source is {row.source!r}", f"{path}:{number}", item.sent_id, item.source)
            kind = kind_of(item.category)
            for name, written, expected in (
                ("target", row.target, item.targets[target]),
                ("category", row.category, item.category),
                ("split_kind", kind if row.kind == "" else row.kind, kind),
            ):
                if written != expected:
                    message = f"the {name} is {written!r}, not {expected!r}"
                    tally.fault(message, f"{path}:{number}", item.sent_id, item.source)


@checks("V030")
def rows_drawn(data: LoadedData, tally: Result) -> None:
    named = [file.path for file in data.manifest.files]
    folder = data.directory / "derivations"
    if not (CERTIFICATE in named or (data.directory / CERTIFICATE).exists() or folder.exists()):
        raise SkippedError("the dataset has no certificate to draw its rows from")
    found = data.rows()
    tally.checked = found.rows
    if found.refusal:
        tally.fault(found.refusal)
        return
    for split, claim in data.manifest.splits.items():
        for stratum in claim.strata:
            counts = Counter(found.outcomes.get(stratum.stream, {}))
            stated = {ACCEPTED: stratum.count // stratum.extent.copies, **asdict(stratum.rejected)}
            if counts != Counter(stated):
                shown = ", ".join(f"{number} {reason}" for reason, number in counts.items())
                tally.fault(f"{stratum.stream}: {shown}", f"{MANIFEST}: splits.{split}")


@checks("V031")
def parquet_columns(data: LoadedData, tally: Result) -> None:
    if not (data.directory / "parquet").exists():
        raise SkippedError("the dataset has no Parquet files")
    found = data.rows()
    if found.parquet is None:
        raise SkippedError("pyarrow, which reads Parquet, is not installed")
    tally.checked = found.rows
    for fault in found.parquet:
        tally.fault(fault)


@checks("V028")
def checksums(data: LoadedData, tally: Result) -> None:
    content = read_bytes(data.directory / CHECKSUMS, foreign.CHECKSUMS, inside=data.directory)
    lines = content.decode("utf-8", "replace").split("\n")
    matches = [match for match in map(_LINE.fullmatch, lines) if match]
    names = [match[2] for match in matches]
    if lines[-1] or len(matches) < len(lines) - 1:
        tally.fault("a line is not a SHA-256, two spaces and a path", CHECKSUMS)
    if names != sorted(set(names)):
        tally.fault("the paths are not sorted, or one is listed twice", CHECKSUMS)
    listed = {match[2]: match[1] for match in matches}
    found = {name for name, _ in entries_below(data.directory)} - {CHECKSUMS}
    for name in sorted(found | set(listed)):
        tally.checked += 1
        if name not in listed:
            tally.fault(f"{CHECKSUMS} does not list this file", _printable(name))
        elif name not in found:
            tally.fault("the file is missing", name)
        elif sha256_of(data.directory / name) != listed[name]:
            tally.fault("the file has changed: another SHA-256", name)
    stated, compiler = data.manifest.identity, data.manifest.compiler
    items = sum(split.items for split in data.manifest.splits.values())
    expected = (
        f"sgl:{compiler.version}|edition:{compiler.edition}"
        f"|grammar:sha256:{data.manifest.grammar.sha256[:12]}|seed:{data.manifest.seed}|items:{items}"
    )
    if stated != expected or not _IDENTITY.fullmatch(stated):
        tally.fault(f"the identity is {stated}, but the manifest says {expected}", MANIFEST)
    own = signature_of(data.directory, data.manifest)
    if data.signature and data.signature != own:
        tally.fault(f"the signature is {own}, not {data.signature}", CHECKSUMS)


def foreign_entries(directory: Path) -> Iterator[str]:
    """Yield links, pipes, devices, sockets and files too large for any kind: nothing in such a directory is read."""
    for name, entry in entries_below(directory):
        shown = _printable(name)
        if entry.is_dir(follow_symlinks=False):
            yield f"{shown} is an empty folder"
        elif not entry.is_file(follow_symlinks=False):
            yield f"{shown} is neither a file nor a folder"
        elif entry.stat(follow_symlinks=False).st_size > TABLE.limit:
            yield f"{shown} has more than {TABLE.limit:,} bytes"


def signature_of(directory: Path, manifest: Manifest) -> str:
    """Return the signature of a dataset; nothing if it has no list of its files."""
    try:
        listed = read_bytes(directory / CHECKSUMS, foreign.CHECKSUMS, inside=directory)
    except OSError:
        return ""
    return f"{manifest.identity}|files:sha256:{sha256(listed).hexdigest()}"


def entries_below(directory: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield what is in a directory and below it, with its path inside it; of folders empty ones."""
    folders: list[tuple[str, list[os.DirEntry[str]]]] = [("", [])]
    while folders:
        folder, own = folders.pop()
        with os.scandir(directory / folder) as entries:
            for entry in entries:
                own = []
                if entry.is_dir(follow_symlinks=False):
                    folders.append((f"{folder}{entry.name}/", [entry]))
                else:
                    yield f"{folder}{entry.name}", entry
        yield from ((folder, entry) for entry in own)


def _printable(name: str) -> str:
    return name.encode("utf-8", "replace").decode()
