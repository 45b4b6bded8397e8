"""Tell by its first bytes that a file is something else than text in UTF-8.

::

    1f 8b …      the file is compressed (gzip); it has to be unpacked
    ff fe …      the file is UTF-16; it has to be UTF-8
"""

from __future__ import annotations

from pathlib import Path

#: How files begin that are something else.
_MAGIC = {
    b"\x1f\x8b": "the file is compressed (gzip); it has to be unpacked",
    b"PK\x03\x04": "the file is an archive (zip); it has to be unpacked",
    b"BZh": "the file is compressed (bzip2); it has to be unpacked",
    b"\xfd7zXZ": "the file is compressed (xz); it has to be unpacked",
    b"PAR1": "the file is Parquet, and should be text",
    b"%PDF": "the file is a PDF, and should be text",
    b"\xff\xfe": "the file is UTF-16; it has to be UTF-8",
    b"\xfe\xff": "the file is UTF-16; it has to be UTF-8",
}


def what_else(path: Path) -> str:
    """What a file is if it is no text in UTF-8; empty if its first bytes do not say.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with path.open("rb") as stream:
        begin = stream.read(8)
    return next((what for magic, what in _MAGIC.items() if begin.startswith(magic)), "")
