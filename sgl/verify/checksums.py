"""The check of the directory as a whole: ``SHA256SUMS`` lists it, and the signature is its own.

The *signature* of a dataset is its identity, which the manifest states, with the SHA-256 of
``SHA256SUMS``, which has the SHA-256 of every other file::

    sgl:0.1.0|edition:2026|grammar:sha256:1f0c…|seed:2024|items:69000|files:sha256:5be2…
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from sgl import foreign
from sgl.foreign import TABLE, read_bytes, sha256_of
from sgl.verify.dataset import Dataset
from sgl.verify.manifest import MANIFEST, Manifest
from sgl.verify.report import Result, claims

CHECKSUMS = "SHA256SUMS"

#: Digits of the fingerprint of the grammar in an identity.
_SHORT = 12

_LINE = re.compile("([0-9a-f]{64})  (.+)")
_IDENTITY = re.compile(
    r"sgl:[\w.+-]+\|edition:\w+\|grammar:sha256:[0-9a-f]{12}\|seed:\d+\|items:\d+", re.ASCII
)


def foreign_entries(directory: Path) -> Iterator[str]:
    """Yield what is neither a file nor a folder with files: links, pipes, devices, sockets.

    Nothing in a directory that has one is read: it may lead elsewhere, or never end.  The same
    is true of a file that is too large for any kind.
    """
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


@claims(
    """SHA256SUMS lists every other file with its SHA-256; the identity is that of the manifest.

    The list is sorted by path, and every file of the directory is in it, whatever its kind.
    Version, edition, fingerprint, seed and number of items in the identity are those of the
    manifest. If a signature is expected (`--signature`), it is the one of this dataset.
    """
)
def checksums(data: Dataset, tally: Result) -> None:
    listed = _read_list(data.directory, tally)
    found = {name for name, _ in entries_below(data.directory)} - {CHECKSUMS}
    for name in sorted(found | set(listed)):
        tally.checked += 1
        if name not in listed:
            tally.fault(f"{CHECKSUMS} does not list this file", _printable(name))
        elif name not in found:
            tally.fault("the file is missing", name)
        elif sha256_of(data.directory / name) != listed[name]:
            tally.fault("the file has changed: another SHA-256", name)
    stated, expected = data.manifest.identity, _identity(data.manifest)
    if stated != expected or not _IDENTITY.fullmatch(stated):
        tally.fault(f"the identity is {stated}, but the manifest says {expected}", MANIFEST)
    own = signature_of(data.directory, data.manifest)
    if data.signature and data.signature != own:
        tally.fault(f"the signature is {own}, not {data.signature}", CHECKSUMS)


def _read_list(directory: Path, tally: Result) -> dict[str, str]:
    """Return the SHA-256 of each listed path; report lines that no list has."""
    content = read_bytes(directory / CHECKSUMS, foreign.CHECKSUMS, inside=directory)
    lines = content.decode("utf-8", "replace").split("\n")
    matches = [match for match in map(_LINE.fullmatch, lines) if match]
    names = [match[2] for match in matches]
    if lines[-1] or len(matches) < len(lines) - 1:
        tally.fault("a line is not a SHA-256, two spaces and a path", CHECKSUMS)
    if names != sorted(set(names)):
        tally.fault("the paths are not sorted, or one is listed twice", CHECKSUMS)
    return {match[2]: match[1] for match in matches}


def _identity(manifest: Manifest) -> str:
    """Return the identity that follows from the other members of a manifest."""
    items = sum(split.items for split in manifest.splits.values())
    return (
        f"sgl:{manifest.compiler.version}|edition:{manifest.compiler.edition}"
        f"|grammar:sha256:{manifest.grammar.sha256[:_SHORT]}|seed:{manifest.seed}|items:{items}"
    )


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
    """Return a name without bytes that no text has."""
    return name.encode("utf-8", "replace").decode()
