"""Load a dataset: have its files read in ranges, then all its shapes searched.

Each file is cut into ranges of some megabytes, which workers read (``sgl.verify.workers``);
then they search the shapes for all structures, frame by frame, some hundreds in a task.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_
from pathlib import Path

from sgl.verify.conllu import WordForm, ranges
from sgl.verify.dataset import Dataset, Judge, Progress
from sgl.verify.items import CategoryGroups, Split, conllu_path
from sgl.verify.manifest import Clause, Manifest
from sgl.verify.reading import Range, SplitBuilder, WordKey, read_range, search_shapes
from sgl.verify.structure import GraphPattern, StructureError, read_structure
from sgl.verify.workers import Workers

#: Bytes of a file in one task, and shapes in one task.
RANGE = 1 << 22
SHAPES = 500


def read_structures(
    manifest: Manifest,
) -> tuple[list[GraphPattern], tuple[tuple[Clause, str], ...]]:
    """Return the structures of the manifest by number; none at all if one cannot be read."""
    structures: list[GraphPattern] = []
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
    known = workers.known
    splits = tuple(_read(directory, manifest, workers, progress))
    _search(workers, progress)
    categories = tuple(
        CategoryGroups(
            split.name,
            category,
            tuple(groups),
            reduce(or_, (known.searcher.occurring(group.shape) for group, _ in groups)),
        )
        for split in splits
        for category, groups in split.by_category().items()
    )
    return Dataset(directory, manifest, splits, categories, unreadable, known, judge)


def _read(
    directory: Path, manifest: Manifest, workers: Workers, progress: Progress
) -> Iterator[Split]:
    """Yield the splits, whose ranges are all submitted before the first is put together."""
    cut: dict[str, list[Range]] = {}
    errors: dict[str, str] = {}
    for name in manifest.splits:
        path = directory / conllu_path(name)
        try:
            cut[name] = [Range(name, path, *ends) for ends in ranges(path, RANGE)]
        except OSError as failure:
            cut[name], errors[name] = [], failure.strerror or str(failure)
    contents = workers.results(read_range, [read for own in cut.values() for read in own])
    words: dict[WordKey, WordForm] = {}
    total, done = sum(manifest.items.values()), 0
    for name, own in cut.items():
        builder = SplitBuilder(name, 1 + len(manifest.further), workers.known.shapes, words)
        builder.split.error = errors.get(name, "")
        for read in own:
            content = next(contents)
            if not builder.split.error:
                builder.add(read, content)
            done += len(content.numbers)
            progress(min(done, total), total, "reading sentences")
        yield builder.split


def _search(workers: Workers, progress: Progress) -> None:
    """Search every shape for every structure."""
    known = workers.known
    shapes = sorted(known.shapes.table.values(), key=lambda shape: shape.frame.number)
    parts = [shapes[at : at + SHAPES] for at in range(0, len(shapes), SHAPES)]
    tasks = [[(s.frame.size, s.frame.edges, s.nodes) for s in part] for part in parts]
    results = workers.results(search_shapes, tasks)
    for done, (part, found) in enumerate(zip(parts, results, strict=True)):
        progress(done * SHAPES, len(shapes), "searching graphs")
        for shape, occurring in zip(part, found, strict=True):
            known.searcher.learn(shape, occurring)
