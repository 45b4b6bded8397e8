r"""The rows of a dataset that predictions are made for, with what the manifest says of them.

A dataset is a directory that ``sglc compile`` has written, or a single file of rows of
another origin::

    A panda slept.\tパンダが眠った。\tobject_to_subject_common

or a treebank in CoNLL-U, whose sentences are what is to be predicted.  Rows have the names
that CoNLL-U gives them: ``gen-000001`` is the first row of ``gen``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sgl.core.plan import IN_DISTRIBUTION, Pattern
from sgl.corpus.rows import Corpus, Unreadable
from sgl.research.analyse.kinds import what_else
from sgl.research.treebank import Malformed, Sentence, TreebankReader

MANIFEST = "manifest.json"

#: Logical forms that can be compared by what they mean.
FORMS = ("cogs", "varfree")

#: Rows that are named in a message.
_NAMED = 5

Read = TypeVar("Read")


class DatasetError(Exception):
    """A dataset cannot be used; ``notes`` give details, ``hint`` says what to do."""

    def __init__(self, message: str, notes: Sequence[str] = (), hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.notes = tuple(notes)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Row:
    """A row to be predicted: what is given, what is wanted, and the kind it is counted by."""

    id: str
    source: str
    target: str
    category: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A generalization pattern as tables show it: its title and the groups that it is in."""

    name: str
    title: str
    groups: tuple[str, ...]

    @classmethod
    def of(cls, pattern: Pattern) -> Kind:
        """The pattern of a grammar as tables show it."""
        return cls(pattern.name, pattern.title, pattern.groups)


@dataclass(frozen=True, slots=True)
class Origin:
    """The grammar that a dataset was made from."""

    name: str
    sha256: str
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The rows of one split, in order.

    ``view`` is the notation of the target if it is a logical form, ``directory`` where the
    dataset is, none for a file of another origin.  ``sentences`` are those of a treebank, one
    for each row.
    """

    name: str
    title: str
    signature: str
    split: str
    source: str
    target: str
    view: str
    rows: tuple[Row, ...]
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    origin: Origin | None = None
    directory: Path | None = None
    sentences: tuple[Sentence, ...] = ()


def read_benchmark(path: Path, split: str | None, target: str | None) -> Benchmark:
    """Read a split of a dataset, or a file of rows.

    Args:
        path: the directory or the file.
        split: which split; ``gen`` if there is one and none is asked for.
        target: which target; the one of the main files if none is asked for.

    Raises:
        DatasetError: it is no dataset, lacks the split, or has rows that cannot be read.
    """
    if path.is_dir():
        return _from_directory(path, split, target)
    try:
        other = what_else(path)
    except OSError as problem:
        raise DatasetError(f"cannot read `{path}`: {problem.strerror or problem}") from problem
    if split is not None:
        raise DatasetError(f"`{path}` is a file of rows, which has no split `{split}`")
    if other:
        raise DatasetError(f"cannot read `{path}`: {other}")
    if path.suffix.lower() == ".conllu":
        return _from_treebank(path, target)
    rows = _rows(path, path.stem)
    # Without a manifest the name of the target says whether it is a logical form.
    view = target if target is not None and target in FORMS else ""
    return Benchmark(path.stem, path.stem, "", path.stem, "source", target or "target", view, rows)


def _from_treebank(path: Path, target: str | None) -> Benchmark:
    """The sentences of a treebank as rows, with the names that it gives them."""
    sentences = _whole(path, TreebankReader().read(path), "sentences")
    rows = tuple(_treebank_row(path, *entry) for entry in enumerate(sentences, 1))
    name = path.stem
    return Benchmark(
        name, name, "", name, "tree", target or "text", "", rows, sentences=tuple(sentences)
    )


def _treebank_row(path: Path, number: int, sentence: Sentence) -> Row:
    words = " ".join(word.form for word in sentence.words)
    return Row(
        sentence.comment("sent_id") or f"{path.stem}-{number:06d}",
        "",
        sentence.comment("text") or words,
        sentence.comment("category") or IN_DISTRIBUTION,
    )


def _from_directory(path: Path, split: str | None, target: str | None) -> Benchmark:
    manifest = _manifest(path)
    try:
        return _of_manifest(path, manifest, split, target)
    except (KeyError, TypeError, AttributeError, IndexError) as problem:
        raise DatasetError(
            f"`{path / MANIFEST}` is not a manifest of `sglc compile`: {problem!r}"
        ) from problem


def _of_manifest(
    path: Path, manifest: Mapping[str, Any], split: str | None, target: str | None
) -> Benchmark:
    layers, splits = manifest["layers"], list(manifest["splits"])
    chosen = split or ("gen" if "gen" in splits else splits[-1])
    if chosen not in splits:
        raise DatasetError(
            f"the dataset has no split `{chosen}`", hint=f"it has {', '.join(splits)}"
        )
    targets = [layers["target"], *layers["further"]]
    wanted = target or targets[0]
    if wanted not in targets:
        raise DatasetError(
            f"the dataset has no target `{wanted}`", hint=f"it has {', '.join(targets)}"
        )
    folder = path / "data" / ("" if wanted == targets[0] else wanted)
    views = {view["name"]: view["kind"] for view in layers["views"]}
    return Benchmark(
        manifest["name"],
        manifest["title"] or manifest["name"],
        manifest["signature"],
        chosen,
        layers["source"],
        wanted,
        views.get(wanted, ""),
        _rows(folder / f"{chosen}.tsv", chosen),
        {
            entry["name"]: Kind(entry["name"], entry["title"], tuple(entry["groups"]))
            for entry in manifest["patterns"]
        },
        Origin(
            manifest["name"],
            manifest["grammar"]["sha256"],
            {name: str(value) for name, value in manifest["parameters"].items()},
        ),
        path,
    )


def _manifest(path: Path) -> Mapping[str, Any]:
    file = path / MANIFEST
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except OSError as problem:
        raise DatasetError(
            f"cannot read `{file}`: {problem.strerror or problem}",
            hint="DATASET is a directory that `sglc compile` has written, or a file of rows",
        ) from problem
    except (ValueError, RecursionError) as problem:
        raise DatasetError(f"`{file}` is not JSON: {problem}") from problem
    if not isinstance(content, dict):
        raise DatasetError(f"`{file}` is not a manifest of `sglc compile`")
    return content


def _rows(path: Path, split: str) -> tuple[Row, ...]:
    return tuple(
        Row(f"{split}-{row.line:06d}", row.texts[0], row.texts[1], row.kind or IN_DISTRIBUTION)
        for row in _whole(path, Corpus(path, 2).rows(), "rows")
    )


def _whole(path: Path, read: Iterable[Read | Malformed | Unreadable], what: str) -> list[Read]:
    """All that a reader reads of a file.

    Raises ``DatasetError`` if something of it cannot be read, or if there is nothing.
    """
    found: list[Read] = []
    faults: list[Malformed | Unreadable] = []
    try:
        for item in read:
            if isinstance(item, Malformed | Unreadable):
                faults.append(item)
            else:
                found.append(item)
    except OSError as problem:
        raise DatasetError(f"cannot read `{path}`: {problem.strerror or problem}") from problem
    if faults:
        raise DatasetError(
            f"`{path}` has {what} that cannot be read: {len(faults):,}",
            [f"line {fault.line}: {fault.reason}" for fault in faults[:_NAMED]],
        )
    if not found:
        raise DatasetError(f"`{path}` has no {what}")
    return found
