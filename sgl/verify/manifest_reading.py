"""Read ``manifest.json`` strictly, by the classes of ``sgl.verify.manifest``.

What is missing or of another kind raises ``ManifestError`` with its path in the file::

    patterns[2].need[0].minimum: a whole number expected, found "ten"
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from sgl import foreign
from sgl.foreign import ForeignFileError, json_of, read_bytes
from sgl.verify.manifest import FORMAT, MANIFEST, POLICIES, SPLITS, Clause, Manifest

#: Numbers have at most twenty digits, as in a certificate.
LIMIT = 10**20

#: NUL, and halves of characters that JSON can spell but UTF-8 cannot.
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")

#: What values in the file are called.
_KINDS = {
    str: "a string",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}

Value = TypeVar("Value")
Kind = Any  # the type of a field
Json = Any  # what a value becomes


class ManifestError(ValueError):
    """The manifest is not what it should be; the message says where."""


def read_manifest(directory: Path) -> tuple[Manifest, tuple[Clause, ...]]:
    """Return the manifest and its structures by number; raises ``ManifestError``."""
    try:
        path = directory / MANIFEST
        text = read_bytes(path, foreign.MANIFEST, inside=directory)
        if text.startswith(codecs.BOM_UTF8):
            raise ManifestError(f"{MANIFEST} begins with a byte order mark, which is invisible")
        content = json_of(text, path)
    except ForeignFileError as problem:
        raise ManifestError(f"{MANIFEST} cannot be read: {problem.strerror}") from None
    # In another format all else may be otherwise: this is asked first.
    found = content.get("format", FORMAT) if isinstance(content, dict) else FORMAT
    if _expect(found, str, "format") != FORMAT:
        raise ManifestError(f"format: {found!r} is not {FORMAT!r}")
    clauses: dict[str, Clause] = {}
    manifest: Manifest = _read(Manifest, content, "", clauses)
    for contradiction in _contradictions(manifest):
        raise ManifestError(contradiction)
    return manifest, tuple(clauses.values())


def _contradictions(manifest: Manifest) -> Iterator[str]:
    """Yield what cannot be meant, with its place."""
    layer = manifest.distinct.layer
    if layer not in {graph.name for graph in manifest.layers.graph}:
        yield f"distinct.layer: there is no graph layer {layer!r}"
    for name in manifest.splits:
        if name not in SPLITS:
            yield f"splits.{name}: a split is one of {', '.join(SPLITS)}"
    if manifest.ambiguous and manifest.ambiguous.policy not in POLICIES:
        yield f"ambiguous.policy: one of {', '.join(POLICIES)} expected"
    names = [pattern.name for pattern in manifest.patterns]
    for rank, name in enumerate(names):
        if names.index(name) < rank:
            yield f"patterns[{rank}].name: {name!r} occurs twice"
    claims = [(f"patterns[{rank}]", own.allow) for rank, own in enumerate(manifest.patterns)]
    claims += [(f"parts[{rank}]", own.allow) for rank, own in enumerate(manifest.parts)]
    for place, allow in claims:
        for name in [name for name in allow if name not in names]:
            yield f"{place}.allow: there is no pattern {name!r}"


def _read(kind: Kind, value: object, path: str, clauses: dict[str, Clause]) -> Json:
    """Return a value at a path as one of a kind; ``clauses`` are the structures so far."""
    if kind is Clause:
        text = _expect(value, str, path)
        known = clauses.get(text)
        clause = Clause(text, path, known.number if known else len(clauses))
        clauses.setdefault(text, clause)
        return clause
    if is_dataclass(kind):
        create: Kind = kind
        members, found = _expect(value, dict, path), {}
        for name, (type_, required) in _fields(create).items():
            place = f"{path}.{name}" if path else name
            if name in members:
                found[name] = _read(type_, members[name], place, clauses)
            elif required:
                raise ManifestError(f"{place}: missing")
        return create(**found)
    origin: Kind = get_origin(kind)
    inner = get_args(kind)
    if origin is tuple:
        elements = enumerate(_expect(value, list, path))
        return tuple(_read(inner[0], v, f"{path}[{rank}]", clauses) for rank, v in elements)
    if origin is dict:
        members = _expect(value, dict, path)
        return {k: _read(inner[1], v, f"{path}.{k}", clauses) for k, v in members.items()}
    if origin is UnionType:
        return None if value is None else _read(inner[0], value, path, clauses)
    return _expect(value, kind, path)


@cache
def _fields(kind: type) -> dict[str, tuple[Any, bool]]:
    """Return the fields of a class, each with its type and whether it is required.

    What need not be there must not be null.
    """
    types, found = get_type_hints(kind), {}
    for own in fields(kind):
        type_, required = types[own.name], own.default is own.default_factory is MISSING
        if not required and get_origin(type_) is UnionType:
            type_ = get_args(type_)[0]
        found[own.name] = type_, required
    return found


def _expect(value: object, kind: type[Value], path: str) -> Value:
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LIMIT
    wrong = kind is int and not whole
    if wrong or not isinstance(value, kind):
        shown = json.dumps(value)
        if isinstance(value, dict | list):
            shown = _KINDS[type(value)]
        elif len(shown) > 40:
            shown = f"{shown[:39]}…"
        raise ManifestError(f"{path or 'manifest'}: {_KINDS[kind]} expected, found {shown}")
    if isinstance(value, str) and _NOT_TEXT.search(value):
        raise ManifestError(f"{path}: a string with characters that no text has")
    return value
