"""What a grammar is made from, as one hash: the key to all that is kept about it.

Which files a grammar reads is known only when it was read.  So two steps lead to what is
kept.  The *request* is known at once: the main file with its content, and the settings.
Under it the cache has what the file system answered when the grammar was read last
(:class:`~sgl.diagnostics.FileDependencies`).  If it gives the same answers now, request and answers
together are the *origin*, and reading again could give nothing else::

    request   farm.sgl (its path, its text), --set size=10, the standard library
    looks     animals.yaml → /farm/animals.yaml, SHA-256 of its bytes
    origin    SHA-256 of both
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from sgl.cache import Cache, current
from sgl.diagnostics import FileDependencies
from sgl.lang.limits import MAX_SOURCE
from sgl.resources import stdlib_dir

#: What a grammar is opened with, in words; nothing if that is not known.
Request = tuple[str, ...]

_LOOKS = "looks"


def request_of(path: Path, settings: Mapping[str, str]) -> Request:
    """What is asked for; empty if nothing is kept, or if there is no such file.

    The path counts as it is written, since messages show it, and as it is resolved.
    """
    if current() is None:
        return ()
    try:
        main = path.resolve()
        if not main.is_file() or main.stat().st_size > MAX_SOURCE:
            return ()
        content = hashlib.sha256(main.read_bytes()).hexdigest()
        library = stdlib_dir().resolve()
    except (OSError, RuntimeError, ValueError):
        return ()
    set_to = repr(sorted(settings.items()))
    return (os.fspath(path), os.fspath(main), content, os.fspath(library), set_to)


def known_origin(request: Request) -> str:
    """The origin of a grammar that was read before and would be read the same now, or nothing."""
    cache = current()
    if cache is None or not request:
        return ""
    looks = cache.get(FileDependencies, _LOOKS, *request)
    return _origin(request, looks) if looks is not None and looks.hold() else ""


def new_origin(request: Request, looks: FileDependencies) -> str:
    """The origin of a grammar that was just read; nothing if no hash can stand for it."""
    cache = current()
    if cache is None or not request or not looks.complete:
        return ""
    _remember(cache, request, looks)
    return _origin(request, looks)


def _remember(cache: Cache, request: Request, looks: FileDependencies) -> None:
    cache.put(looks, _LOOKS, *request)


def _origin(request: Request, looks: FileDependencies) -> str:
    text = repr((request, looks.digest()))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
