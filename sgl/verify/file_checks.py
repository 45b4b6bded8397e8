"""Check that the files are complete, unchanged, well formed, consistent, and drawn as claimed.

Each check is a claim, and a function of the dataset that reports to a tally.

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
from pathlib import Path, PurePosixPath

from sgl import foreign
from sgl.foreign import TABLE, read_bytes, sha256_of
from sgl.verify.dataset import LoadedData, Result, SkippedError, checks
from sgl.verify.items import conllu_path
from sgl.verify.manifest import CERTIFICATE, GRAMMAR, MANIFEST, Manifest
from sgl.verify.rows import ACCEPTED
from sgl.verify.structure import StructureError, read_structure

CHECKSUMS = "SHA256SUMS"

_LINE = re.compile("([0-9a-f]{64})  (.+)")
_IDENTITY = re.compile(r"sgl:[\w.+-]+\|edition:\w+\|grammar:sha256:[0-9a-f]{12}\|seed:\d+\|items:\d+", re.ASCII)

_FOLDERS = ("data", "parquet", "conllu", "derivations", "pairs", "references", "readings", GRAMMAR)
#: Files of a manifest that belong to no split.
_OF_NO_SPLIT = (CERTIFICATE, "derivations/rejected.tsv")
_SUFFIXES = frozenset({".tsv", ".parquet", ".conllu", ".jsonl"})


@checks("V002")
def files_unchanged(data: LoadedData, tally: Result) -> None:
    compare_files(data.directory, data.manifest, tally)


def compare_files(directory: Path, manifest: Manifest, tally: Result) -> None:
    """Compare the files of a directory with those that its manifest lists."""
    known, present = {*_OF_NO_SPLIT, *_of_splits(manifest)}, {name for name, _ in entries_below(directory)}
    for file in manifest.files:
        tally.checked += 1
        if file.path not in known and ("/" in file.path or not file.path.endswith(".json")):
            tally.fault("no split has this file", file.path)
        else:
            _expect_hash(directory, tally, file.path, file.sha256, present)
    grammar = manifest.grammar.packed()
    for file in grammar:
        tally.checked += 1
        _expect_hash(directory, tally, file.path, file.sha256, present)
    listed = Counter(file.path for file in (*manifest.files, *grammar))
    for name in [name for name, times in listed.items() if times > 1]:
        tally.fault(f"the file is listed {listed[name]} times", name)
    for name in sorted(present - listed.keys()):
        if name.partition("/")[0] in _FOLDERS or PurePosixPath(name).suffix in _SUFFIXES:
            tally.fault("the manifest does not list this file", _printable(name))


def _expect_hash(directory: Path, tally: Result, name: str, stated: str, present: set[str]) -> None:
    if name not in present:
        tally.fault("the file is missing", name)
    elif sha256_of(directory / name) != stated:
        tally.fault("the file has changed: another SHA-256", name)


def _of_splits(manifest: Manifest) -> Iterator[str]:
    """Yield the files that splits may have."""
    folders = ["", *(f"{name}/" for name in manifest.layers.further)]
    for split in manifest.splits:
        yield from (conllu_path(split, layer) for layer in ("", *manifest.layers.written))
        yield from (f"data/{folder}{split}.tsv" for folder in folders)
        yield from (f"pairs/{folder}{split}.jsonl" for folder in folders)
        yield from (f"derivations/{split}.tsv", f"parquet/{split}.parquet")
        yield from (f"references/{split}.jsonl", f"readings/{split}.tsv")


@checks("V003")
def row_counts(data: LoadedData, tally: Result) -> None:
    strata = data.manifest.strata().values()
    rows = data.table.blocks | {"certificate": 0, "rejected": sum(own.rejected.ambiguous for own in strata)}
    for file in data.manifest.files:
        # The number of readings with other answers depends on the rows.
        expected = None if file.path.startswith("readings/") else rows.get(PurePosixPath(file.path).stem)
        tally.checked += expected is not None
        if expected not in (None, file.rows):
            tally.fault(f"{file.rows} rows are listed instead of {expected}", file.path)


@checks("V004")
def structures_readable(data: LoadedData, tally: Result) -> None:
    tally.checked, first = len(data.clauses), data.manifest.distinct.layer
    written = {first, *data.manifest.layers.written}
    for clause in data.clauses:
        try:
            layers = read_structure(clause.text).layer
            if layers and not written.issuperset(layers.split("+")):
                tally.fault(f"there are no graphs of {layers!r}: {clause.text}", clause.place)
        except StructureError as error:
            tally.fault(f"{error}: {clause.text}", clause.place)
    for pattern in data.manifest.patterns:
        if pattern.layer not in ("", first):
            tally.fault(f"{pattern.name} is about the layer {pattern.layer!r}, the CoNLL-U files hold {first!r}")


@checks("V032")
def structures_searched(data: LoadedData, tally: Result) -> None:
    tally.checked = len(data.known.shapes.shapes())
    for clause in [clause for clause in data.clauses if clause.number in data.endless]:
        tally.fault(f"the search takes too many steps: {clause.text}", clause.place)


#: Blocks that are malformed, or whose number differs from their place in the file.
_MISNUMBERED = """
    SELECT split, entry, number, reason, line FROM block
    WHERE reason != '' OR sent_id != printf('%s-%06d', split, entry) ORDER BY number
"""


@checks("V005")
def conllu_well_formed(data: LoadedData, tally: Result) -> None:
    for split, error in data.table.errors.items():
        tally.fault(f"the file cannot be read: {error}", conllu_path(split))
    tally.checked += data.table.blocks.total()
    for split, entry, number, reason, line in data.table.select(_MISNUMBERED):
        if reason:
            tally.fault(reason, f"{conllu_path(split)}:{line}")
        else:
            tally.add(partial(data.violation, f"sent_id is not {split}-{entry:06d}", number))


@checks("V008")
def strata(data: LoadedData, tally: Result) -> None:
    for split, claim in data.manifest.splits.items():
        found, declared = Counter[str](), Counter[str]()
        for each in data.places(split):
            found[each.category] += each.items
        for stratum in claim.strata:
            declared[stratum.category] += stratum.count
        place = f"manifest.json: splits.{split}"
        for category in sorted(declared | found):
            tally.checked += 1
            if found[category] != (wanted := declared[category]):
                tally.fault(f"{found[category]} sentences of {category} in {split} instead of {wanted}", place)
        if claim.items != declared.total():
            tally.fault(f"{claim.items} items, but the strata have {declared.total()}", place)


@checks("V030")
def rows_drawn(data: LoadedData, tally: Result) -> None:
    found = data.rows()
    tally.checked = found.rows
    if found.refusal:
        tally.fault(found.refusal)
        return
    for split, claim in data.manifest.splits.items():
        for stratum in claim.strata:
            counts = Counter(found.outcomes.get(stratum.stream, {}))
            stated = {ACCEPTED: stratum.count // stratum.extent.copies, **asdict(stratum.rejected)}
            if counts != Counter(stated) or stratum.candidates not in (None, counts.total()):
                shown = ", ".join(f"{number} {reason}" for reason, number in counts.items())
                tally.fault(f"{stratum.stream}: {shown}", f"{MANIFEST}: splits.{split}")
            if (own := found.shares.get(stratum.stream, Counter())) != Counter(stratum.shares):
                tally.fault(f"{stratum.stream}: other shares, {dict(own)}", f"{MANIFEST}: splits.{split}")


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
    listed = _listed(data.directory, tally)
    found = {name for name, _ in entries_below(data.directory)} - {CHECKSUMS}
    for name in sorted(found | set(listed)):
        tally.checked += 1
        if name not in listed:
            tally.fault(f"{CHECKSUMS} does not list this file", _printable(name))
        else:
            _expect_hash(data.directory, tally, name, listed[name], found)
    stated, expected = data.manifest.identity, _identity(data.manifest)
    if stated != expected or not _IDENTITY.fullmatch(stated):
        tally.fault(f"the identity is {stated}, but the manifest says {expected}", MANIFEST)
    own = signature_of(data.directory, data.manifest)
    if data.signature and data.signature != own:
        tally.fault(f"the signature is {own}, not {data.signature}", CHECKSUMS)


def _listed(directory: Path, tally: Result) -> dict[str, str]:
    """Return the SHA-256 of each listed file, and report malformed lines."""
    content = read_bytes(directory / CHECKSUMS, foreign.CHECKSUMS, inside=directory)
    *lines, rest = content.decode("utf-8", "replace").split("\n")
    matches = [match for match in map(_LINE.fullmatch, lines) if match]
    names = [match[2] for match in matches]
    if rest or len(matches) < len(lines):
        tally.fault("a line is not a SHA-256, two spaces and a path", CHECKSUMS)
    if names != sorted(set(names)):
        tally.fault("the paths are not sorted, or one is listed twice", CHECKSUMS)
    return {match[2]: match[1] for match in matches}


def _identity(manifest: Manifest) -> str:
    items = sum(split.items for split in manifest.splits.values())
    compiler = manifest.compiler
    version = f"{compiler.version}+{compiler.build}" if compiler.build else compiler.version
    grammar = f"grammar:sha256:{manifest.grammar.sha256[:12]}"
    return f"sgl:{version}|edition:{compiler.edition}|{grammar}|seed:{manifest.seed}|items:{items}"


def foreign_entries(directory: Path) -> Iterator[str]:
    """Yield links, pipes, devices, sockets and oversized files: a directory with one of them is not read."""
    for name, entry in entries_below(directory):
        shown = _printable(name)
        if not entry.is_file(follow_symlinks=False):
            yield f"{shown} is neither a file nor a folder"
        elif entry.stat(follow_symlinks=False).st_size > TABLE.limit:
            yield f"{shown} has more than {TABLE.limit:,} bytes"


def empty_folders(directory: Path) -> list[str]:
    """Return the folders that have nothing in them, which no list of files has."""
    folders = (Path(folder) for folder, inside, files in os.walk(directory) if not inside and not files)
    return sorted(f"{_printable(folder.relative_to(directory).as_posix())}/" for folder in folders)


def signature_of(directory: Path, manifest: Manifest) -> str:
    """Return the signature of a dataset; empty if it has no list of its files."""
    try:
        listed = read_bytes(directory / CHECKSUMS, foreign.CHECKSUMS, inside=directory)
    except OSError:
        return ""
    return f"{manifest.identity}|files:sha256:{sha256(listed).hexdigest()}"


def entries_below(directory: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield what is below a directory, except folders, with relative paths."""
    folders = [""]
    while folders:
        folder = folders.pop()
        with os.scandir(directory / folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{folder}{entry.name}/")
                else:
                    yield f"{folder}{entry.name}", entry


def _printable(name: str) -> str:
    return name.encode("utf-8", "replace").decode()
