"""Read ``manifest.json`` into typed values, trusting neither types nor presence.

Every member that the checks use is asked for by name and kind; what is missing
or of another kind raises ``ManifestError`` with its path in the file::

    patterns[2].need[0].minimum: a whole number expected, found "ten"

Members that the checks do not use are ignored.  Structures stay text here; each
distinct text gets a number, under which it is read and searched once.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from sgl.verify.cursor import Cursor, ManifestError
from sgl.verify.manifest_strings import Strings, read_strings

FORMAT = "sgl-dataset/1"
MANIFEST = "manifest.json"
#: A larger file is not a manifest.
LARGEST = 1 << 26
SPLITS = ("train", "dev", "test", "gen")


@dataclass(frozen=True, slots=True)
class Clause:
    """A structure where it is written: its text, the place, and its number."""

    text: str
    place: str
    number: int


@dataclass(frozen=True, slots=True)
class Counted:
    """A structure with a number of sentences, of which targets may have equal shares."""

    clause: Clause
    count: int
    each_target: bool = False


@dataclass(frozen=True, slots=True)
class Quota:
    """``count`` items that contain one of each group of ``within`` and none of ``outside``.

    With ``each_target`` the targets of the pattern have equal shares of them.
    """

    count: int
    within: tuple[tuple[Clause, ...], ...]
    outside: tuple[Clause, ...]
    each_target: bool = False
    split: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One type of generalization, as declared; see the language reference."""

    name: str
    layer: str
    forbid: tuple[Clause, ...]
    never: tuple[Clause, ...]
    gen: tuple[Clause, ...]
    exclude: tuple[Clause, ...]
    reserved: tuple[Clause, ...]
    need: tuple[Counted, ...]
    expose: tuple[Counted, ...]
    quotas: tuple[Quota, ...]
    allow: tuple[str, ...]
    targets: tuple[str, ...] = ()

    @property
    def held_out(self) -> tuple[Clause, ...]:
        """What no sentence of train, dev or test contains."""
        return (*self.forbid, *self.never)

    @property
    def instances(self) -> tuple[Clause, ...]:
        """Of which every generalization item contains one."""
        return self.gen or self.held_out


@dataclass(frozen=True, slots=True)
class Part:
    """Sentences that belong to no pattern; they contain one of ``only``.

    Generalization items may contain these as well if the part is ``tested``.  With
    ``repeated_lemmas`` a lemma may occur twice in one of them.  ``allow``: patterns
    whose reserved structures they may contain.
    """

    name: str
    only: tuple[Clause, ...]
    quotas: tuple[Quota, ...]
    repeated_lemmas: bool
    allow: tuple[str, ...]
    tested: bool = False


@dataclass(frozen=True, slots=True)
class Stratum:
    """``count`` items of a category in a split; ``repeated`` ones may be equal.

    ``shares`` are the numbers of items that targets have, by lemma.
    """

    category: str
    count: int
    repeated: bool = False
    shares: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class DataFile:
    """A listed file: path inside the dataset, SHA-256, number of rows."""

    path: str
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the checks use of a manifest.

    ``source`` and ``target`` name what the first two columns of the data are, ``further``
    the targets that have files of their own, ``layer`` is the graph layer of the CoNLL-U
    files and ``anchor`` the text layer of its tokens.  ``structures`` are the distinct
    structures by number.  ``proved``: it says that a claim was proved, rather than found
    in the data.
    """

    name: str
    signature: str
    source: str
    target: str
    layer: str
    anchor: str
    distinct_sentences: bool
    distinct_lemmas: tuple[str, ...]
    splits: dict[str, tuple[Stratum, ...]]
    items: dict[str, int]
    patterns: tuple[Pattern, ...]
    files: tuple[DataFile, ...]
    structures: tuple[Clause, ...]
    parts: tuple[Part, ...] = ()
    nowhere: tuple[Clause, ...] = ()
    further: tuple[str, ...] = ()
    strings: Strings | None = None
    proved: bool = False


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
    """The manifest of a dataset directory; raises ``ManifestError``."""
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
    """The JSON value in a file."""
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


def _read_pattern(cursor: Cursor, clauses: _Clauses) -> Pattern:
    return Pattern(
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


def _read_part(cursor: Cursor, clauses: _Clauses) -> Part:
    return Part(
        name=cursor.member("name").text(),
        only=clauses.all(cursor.member("only")),
        quotas=_read_quotas(cursor.member("quotas"), clauses),
        repeated_lemmas=cursor.member("repeated_lemmas").flag(),
        allow=cursor.member("allow").texts(),
        tested=cursor.option("tested"),
    )


def _check_names(patterns: tuple[Pattern, ...], parts: tuple[Part, ...]) -> None:
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
