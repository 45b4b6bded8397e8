"""Load a dataset: cut its files into ranges, have them read, and all its shapes searched.

Each file is cut into ranges of some megabytes (``sgl.verify.conllu``), which are read by
whoever works (``sgl.verify.workers``), and their parts are put together in order.  Then
the shapes are searched for all that the checks will ask, frame by frame, some hundreds of
shapes in a task.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import groupby
from operator import or_
from pathlib import Path

from sgl.verify.conllu import Word, ranges
from sgl.verify.dataset import Dataset, Judge, Progress
from sgl.verify.items import Group, Kind, Split, conllu_path
from sgl.verify.manifest import Clause, Manifest
from sgl.verify.merging import Content, Merger
from sgl.verify.questions import Questions
from sgl.verify.reading import FrameShapes, Range, Tables, read_range, search_frames
from sgl.verify.search import Searcher
from sgl.verify.shape import Shape, Shapes
from sgl.verify.structure import Structure, StructureError, read_structure
from sgl.verify.workers import Workers

#: Bytes of a file in one task, and shapes in one task.
RANGE = 1 << 22
SHAPES = 500


def read_structures(
    manifest: Manifest,
) -> tuple[list[Structure], tuple[tuple[Clause, str], ...]]:
    """The structures of the manifest by number; none at all if one cannot be read."""
    structures: list[Structure] = []
    unreadable: list[tuple[Clause, str]] = []
    for clause in manifest.structures:
        try:
            structures.append(read_structure(clause.text))
        except StructureError as error:
            unreadable.append((clause, str(error)))
    return ([] if unreadable else structures), tuple(unreadable)


def load(
    directory: Path,
    manifest: Manifest,
    unreadable: tuple[tuple[Clause, str], ...],
    workers: Workers,
    judge: Judge,
    progress: Progress,
) -> Dataset:
    """Read the CoNLL-U files of a dataset, and search its shapes."""
    own = Tables(workers.task)
    splits = tuple(_read(directory, manifest, workers, own.shapes, progress))
    searcher = Searcher(own.vocabulary.compiled())
    kinds = tuple(kind for split in splits for kind in _kinds(split, manifest))
    if not unreadable:
        _search(kinds, searcher, workers, progress)
        kinds = tuple(_searched(kind, searcher) for kind in kinds)
    return Dataset(
        directory,
        manifest,
        splits,
        kinds,
        unreadable,
        searcher,
        own.shapes,
        own.hashing,
        judge,
    )


def _read(
    directory: Path, manifest: Manifest, workers: Workers, shapes: Shapes, progress: Progress
) -> Iterator[Split]:
    """The splits, whose ranges are all asked for before the first is put together."""
    cut: dict[str, list[Range]] = {}
    errors: dict[str, str] = {}
    for name in manifest.splits:
        path = directory / conllu_path(name)
        try:
            cut[name] = [Range(name, path, *ends) for ends in ranges(path, RANGE)]
        except OSError as failure:
            cut[name], errors[name] = [], failure.strerror or str(failure)
    parts = workers.results(read_range, [part for own in cut.values() for part in own])
    words: dict[Content, Word] = {}
    total, done = sum(manifest.items.values()), 0
    for name, own in cut.items():
        merger = Merger(name, 1 + len(manifest.further), shapes, words)
        merger.split.error = errors.get(name, "")
        for _ in own:
            part = next(parts)
            if not merger.split.error:
                merger.add(part)
            done += len(part.group_of)
            progress(min(done, total), total, "reading sentences")
        yield merger.split


def _kinds(split: Split, manifest: Manifest) -> Iterator[Kind]:
    """The categories of a split, with the structures that will be asked for."""
    questions = Questions(manifest)
    groups: dict[str, list[tuple[Group, int]]] = {}
    for group, count in zip(split.groups, split.counts(), strict=True):
        groups.setdefault(group.category, []).append((group, count))
    for category, own in groups.items():
        yield Kind(split.name, category, tuple(own), questions[split.name, category], 0)


def _search(
    kinds: tuple[Kind, ...], searcher: Searcher, workers: Workers, progress: Progress
) -> None:
    """Search every shape for all that will be asked of it."""
    wanted: dict[Shape, int] = {}
    for kind in kinds:
        for group, _ in kind.groups:
            wanted[group.shape] = wanted.get(group.shape, 0) | kind.searched
    shapes = sorted(wanted, key=lambda shape: shape.frame.number)
    parts = [shapes[at : at + SHAPES] for at in range(0, len(shapes), SHAPES)]
    results = workers.results(search_frames, [_by_frame(part, wanted) for part in parts])
    for done, (part, found) in enumerate(zip(parts, results, strict=True)):
        progress(done * SHAPES, len(wanted), "searching graphs")
        for shape, occurring in zip(part, found, strict=True):
            searcher.learn(shape, wanted[shape], occurring)


def _searched(kind: Kind, searcher: Searcher) -> Kind:
    """The same, with what occurs in its sentences."""
    found = (searcher.among(group.shape, kind.searched) for group, _ in kind.groups)
    return replace(kind, occurring=reduce(or_, found, 0))


def _by_frame(shapes: list[Shape], wanted: dict[Shape, int]) -> list[FrameShapes]:
    """Shapes, sorted by their frames, as plain values."""
    return [
        FrameShapes(
            frame.number,
            frame.size,
            frame.edges,
            tuple((shape.number, shape.nodes, wanted[shape]) for shape in same),
        )
        for frame, same in groupby(shapes, key=lambda shape: shape.frame)
    ]
