"""Read ``manifest.json`` strictly.

Every value is asked for by name and kind; what is missing or of another kind raises
``ManifestError`` with its path in the file::

    patterns[2].need[0].minimum: a whole number expected, found "ten"

Members that the checks do not use are ignored.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from sgl.verify.manifest import (
    FORMAT,
    IGNORE,
    MANIFEST,
    REJECT,
    REPORT,
    Clause,
    Counted,
    DataFile,
    Manifest,
    PartClaim,
    PatternClaim,
    Quota,
    ReadingCounts,
    Stratum,
    Strings,
)

#: A larger file is not a manifest.
LARGEST = 1 << 26
SPLITS = ("train", "dev", "test", "gen")
_POLICIES = (REJECT, REPORT, IGNORE)

#: The claim of the guarantees that rest on parsing.
STRING_LEVEL = "string level"

#: NUL, and halves of characters that JSON can spell but UTF-8 cannot.
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")

Value = TypeVar("Value")


class ManifestError(ValueError):
    """The manifest is not what it should be; the message says where."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A value in the file with its path."""

    value: object
    path: str = ""

    def member(self, name: str) -> Cursor:
        """Return a member by name."""
        path = f"{self.path}.{name}" if self.path else name
        members = self._expect(dict, "an object")
        if name not in members:
            raise ManifestError(f"{path}: missing")
        return Cursor(members[name], path)

    def members(self) -> list[tuple[str, Cursor]]:
        """Return all members with their names."""
        return [(name, self.member(name)) for name in self._expect(dict, "an object")]

    def elements(self) -> list[Cursor]:
        """Return the elements of a list."""
        values = self._expect(list, "a list")
        return [Cursor(value, f"{self.path}[{rank}]") for rank, value in enumerate(values)]

    def text(self) -> str:
        """Return a string that can be part of a text."""
        text = self._expect(str, "a string")
        if _NOT_TEXT.search(text):
            raise ManifestError(f"{self.path}: a string with characters that no text has")
        return text

    def flag(self) -> bool:
        """Return true or false."""
        return self._expect(bool, "true or false")

    def option(self, name: str) -> bool:
        """Return a flag that may be missing: then it is false."""
        return self.has(name) and self.member(name).flag()

    def optional(self, name: str) -> list[Cursor]:
        """Return the elements of a member that may be missing."""
        return self.member(name).elements() if self.has(name) else []

    def has(self, name: str) -> bool:
        """Return whether an object has a member."""
        return name in self._expect(dict, "an object")

    def count(self) -> int:
        """Return a whole number, not negative."""
        if isinstance(self.value, bool) or self._expect(int, "a whole number") < 0:
            raise ManifestError(f"{self.path}: a whole number expected, found {self._shown()}")
        return self._expect(int, "a whole number")

    def texts(self) -> tuple[str, ...]:
        """Return a list of strings."""
        return tuple(element.text() for element in self.elements())

    def _expect(self, kind: type[Value], description: str) -> Value:
        if not isinstance(self.value, kind):
            place = self.path or "manifest"
            raise ManifestError(f"{place}: {description} expected, found {self._shown()}")
        return self.value

    def _shown(self) -> str:
        if isinstance(self.value, dict | list):
            return "an object" if isinstance(self.value, dict) else "a list"
        shown = json.dumps(self.value)
        return shown if len(shown) <= 40 else f"{shown[:39]}…"


@dataclass(slots=True)
class _Clauses:
    """Numbers the distinct texts of structures."""

    first: dict[str, Clause] = field(default_factory=dict)

    def read(self, cursor: Cursor) -> Clause:
        text = cursor.text()
        known = self.first.get(text)
        clause = Clause(text, cursor.path, known.number if known else len(self.first))
        self.first.setdefault(text, clause)
        return clause

    def all(self, cursor: Cursor) -> tuple[Clause, ...]:
        return tuple(self.read(element) for element in cursor.elements())

    def counted(self, cursor: Cursor, count: str) -> tuple[Counted, ...]:
        return tuple(
            Counted(
                self.read(element.member("structure")),
                element.member(count).count(),
                element.option("each_target"),
            )
            for element in cursor.elements()
        )


def read_manifest(directory: Path) -> Manifest:
    """Return the manifest of a dataset directory; raises ``ManifestError``."""
    root = Cursor(_load(directory / MANIFEST))
    if root.member("format").text() != FORMAT:
        raise ManifestError(f"format: {root.member('format').text()!r} is not {FORMAT!r}")
    layers, distinct = root.member("layers"), root.member("distinct")
    layer = distinct.member("layer").text()
    splits = root.member("splits").members()
    clauses = _Clauses()
    patterns = tuple(
        _read_pattern(element, clauses) for element in root.member("patterns").elements()
    )
    parts = tuple(_read_part(element, clauses) for element in root.optional("parts"))
    _check_names(patterns, parts)
    nowhere = tuple(map(clauses.read, root.optional("nowhere")))
    return Manifest(
        name=root.member("name").text(),
        signature=root.member("signature").text(),
        source=layers.member("source").text(),
        target=layers.member("target").text(),
        layer=layer,
        anchor=_anchor(layers.member("graph"), layer),
        distinct_sentences=distinct.member("sentences").flag(),
        distinct_lemmas=distinct.member("lemmas").texts(),
        splits={name: _read_strata(split) for name, split in splits},
        items={name: split.member("items").count() for name, split in splits},
        patterns=patterns,
        files=tuple(_read_file(element) for element in root.member("files").elements()),
        structures=tuple(clauses.first.values()),
        parts=parts,
        nowhere=nowhere,
        further=layers.member("further").texts() if layers.has("further") else (),
        strings=read_strings(root),
        proved=any(map(_is_proof, root.optional("guarantees"))),
    )


def _load(path: Path) -> object:
    """Return the JSON value in a file."""
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise ManifestError(f"{MANIFEST} has more than {LARGEST:,} bytes")
        return json.loads(content.decode("utf-8"))
    except ManifestError:
        raise
    except OSError as error:
        raise ManifestError(f"{MANIFEST} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ManifestError(f"{MANIFEST} is not UTF-8 at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ManifestError(f"{MANIFEST} is not JSON: {error.msg} at {place}") from None
    except ValueError as error:
        raise ManifestError(f"{MANIFEST} is not JSON: {error}") from None
    except RecursionError:
        raise ManifestError(f"{MANIFEST} is nested too deeply") from None


def _read_pattern(cursor: Cursor, clauses: _Clauses) -> PatternClaim:
    return PatternClaim(
        name=cursor.member("name").text(),
        layer=cursor.member("layer").text(),
        forbid=clauses.all(cursor.member("forbid")),
        never=clauses.all(cursor.member("never")),
        gen=clauses.all(cursor.member("gen")),
        exclude=clauses.all(cursor.member("exclude")),
        reserved=clauses.all(cursor.member("reserved")),
        need=clauses.counted(cursor.member("need"), "minimum"),
        expose=clauses.counted(cursor.member("expose"), "count"),
        quotas=_read_quotas(cursor.member("quotas"), clauses),
        allow=cursor.member("allow").texts(),
        targets=tuple(element.text() for element in cursor.optional("targets")),
    )


def _read_quotas(cursor: Cursor, clauses: _Clauses) -> tuple[Quota, ...]:
    return tuple(
        Quota(
            quota.member("count").count(),
            (
                *((clause,) for clause in clauses.all(quota.member("within"))),
                *map(clauses.all, quota.optional("within_one_of")),
            ),
            clauses.all(quota.member("outside")),
            quota.option("each_target"),
            quota.member("split").text() if quota.has("split") else "",
        )
        for quota in cursor.elements()
    )


def _read_part(cursor: Cursor, clauses: _Clauses) -> PartClaim:
    return PartClaim(
        name=cursor.member("name").text(),
        only=clauses.all(cursor.member("only")),
        quotas=_read_quotas(cursor.member("quotas"), clauses),
        repeated_lemmas=cursor.member("repeated_lemmas").flag(),
        allow=cursor.member("allow").texts(),
        tested=cursor.option("tested"),
    )


def _check_names(patterns: tuple[PatternClaim, ...], parts: tuple[PartClaim, ...]) -> None:
    names = [pattern.name for pattern in patterns]
    for rank, pattern in enumerate(patterns):
        if names.index(pattern.name) < rank:
            raise ManifestError(f"patterns[{rank}].name: {pattern.name!r} occurs twice")
        _check_allowed(f"patterns[{rank}]", pattern.allow, names)
    for rank, part in enumerate(parts):
        _check_allowed(f"parts[{rank}]", part.allow, names)


def _check_allowed(place: str, allow: tuple[str, ...], names: list[str]) -> None:
    for name in allow:
        if name not in names:
            raise ManifestError(f"{place}.allow: there is no pattern {name!r}")


def _anchor(graphs: Cursor, layer: str) -> str:
    for graph in graphs.elements():
        if graph.member("name").text() == layer:
            return graph.member("anchor").text()
    raise ManifestError(f"distinct.layer: there is no graph layer {layer!r}")


def _read_strata(split: Cursor) -> tuple[Stratum, ...]:
    if split.path.removeprefix("splits.") not in SPLITS:
        raise ManifestError(f"{split.path}: a split is one of {', '.join(SPLITS)}")
    return tuple(
        Stratum(
            element.member("category").text(),
            element.member("count").count(),
            element.option("repeated"),
            _read_shares(element),
        )
        for element in split.member("strata").elements()
    )


def _read_shares(stratum: Cursor) -> tuple[tuple[str, int], ...]:
    if not stratum.has("shares"):
        return ()
    return tuple((name, share.count()) for name, share in stratum.member("shares").members())


def _is_proof(guarantee: Cursor) -> bool:
    verdict = (guarantee.member("method").text(), guarantee.member("result").text())
    return verdict == ("static", "proved")


def _read_file(cursor: Cursor) -> DataFile:
    return DataFile(
        cursor.member("path").text(), cursor.member("sha256").text(), cursor.member("rows").count()
    )


def read_strings(root: Cursor) -> Strings | None:
    """Return what the manifest says; None if it says nothing of readings."""
    if not root.has("ambiguous"):
        return None
    policy = root.member("ambiguous").member("policy")
    if policy.text() not in _POLICIES:
        raise ManifestError(f"{policy.path}: one of {', '.join(_POLICIES)} expected")
    strata: list[ReadingCounts] = []
    unparsed: list[str] = []
    for split, entry in root.member("splits").members():
        for stratum in entry.member("strata").elements():
            if stratum.member("readings").value is not None:
                strata.append(_read_readings(split, stratum))
            elif stratum.member("count").count():
                unparsed.append(stratum.member("stream").text())
    return Strings(policy.text(), tuple(strata), tuple(unparsed), _verdicts(root))


def _read_readings(split: str, stratum: Cursor) -> ReadingCounts:
    readings, rejected = stratum.member("readings"), stratum.member("rejected")
    return ReadingCounts(
        stream=stratum.member("stream").text(),
        split=split,
        category=stratum.member("category").text(),
        accepted=stratum.member("count").count(),
        rejected=rejected.member("ambiguous").count(),
        parsed=readings.member("parsed").count(),
        several=readings.member("several").count(),
        held_out=readings.member("held_out").count(),
        outputs=readings.member("outputs").count(),
        ambiguous=readings.member("ambiguous").count(),
        patterns=tuple((name, n.count()) for name, n in readings.member("patterns").members()),
    )


def _verdicts(root: Cursor) -> tuple[tuple[str, str], ...]:
    """Return the result of the claim for each pattern, in the order of the guarantees."""
    return tuple(
        (guarantee.member("pattern").text(), guarantee.member("result").text())
        for guarantee in root.optional("guarantees")
        if guarantee.member("claim").text() == STRING_LEVEL
    )
