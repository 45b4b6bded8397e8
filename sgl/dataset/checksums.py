"""``SHA256SUMS``, and the signature that follows from it.

A dataset cannot state the hash of all its files: it would have to be in one of them.  So its
files state its *identity*, and the SHA-256 of a list of all others completes it::

    sgl:0.1.0|edition:2026|grammar:sha256:1f0c…|seed:2024|items:69000|files:sha256:5be2…
"""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from sgl import foreign
from sgl.dataset.staged import CHECKSUMS
from sgl.foreign import ForeignFileError, read_bytes, sha256_of


def write_checksums(directory: Path, known: Mapping[str, str]) -> None:
    """List all files, whose content is final; ``known`` are hashes by path inside it."""
    files = {path.relative_to(directory).as_posix(): path for path in directory.rglob("*")}
    names = sorted(name for name, path in files.items() if path.is_file() and name != CHECKSUMS)
    lines = (f"{known.get(name) or sha256_of(files[name])}  {name}\n" for name in names)
    (directory / CHECKSUMS).write_text("".join(lines), "utf-8", newline="\n")


def signature(directory: Path, identity: str, *used: str) -> str:
    """Return the dataset's signature; its identity if no file lists the ``used`` ones, or one is not as listed."""
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
