"""Load a dataset: have its files read in ranges, then all its shapes searched.

Each file is cut into ranges of some megabytes, which workers read (``sgl.verify.workers``);
then they search the shapes for the structures that the checks will ask for, frame by frame,
some hundreds of shapes in a task.  A structure that is left out here is searched when a
check asks for it, so nothing rests on ``structures_of`` but speed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from pathlib import Path

from sgl.verify.conllu import WordForm, ranges
from sgl.verify.dataset import Dataset, Judge, Progress, clause_bits
from sgl.verify.items import (
    EXPOSURE,
    GENERALIZATION,
    PART,
    CategoryGroups,
    Group,
    Split,
    conllu_path,
)
from sgl.verify.manifest import Clause, Manifest, Quota
from sgl.verify.reading import (
    Range,
    Search,
    SplitBuilder,
    WordKey,
    read_range,
    search_shapes,
)
from sgl.verify.shape import GraphShape
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
    parted = [(split.name, *entry) for split in splits for entry in split.by_category().items()]
    wanted = [
        0 if unreadable else structures_of(manifest, split, category)
        for split, category, _ in parted
    ]
    _search([groups for _, _, groups in parted], wanted, workers, progress)
    categories = tuple(
        CategoryGroups(
            split,
            category,
            tuple(groups),
            searched,
            reduce(or_, (known.searcher.among(group.shape, searched) for group, _ in groups), 0),
        )
        for (split, category, groups), searched in zip(parted, wanted, strict=True)
    )
    return Dataset(
        directory,
        manifest,
        splits,
        categories,
        unreadable,
        known.searcher,
        known.shapes,
        known.hashing,
        judge,
    )


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


def _search(
    parted: list[list[tuple[Group, int]]],
    wanted: list[int],
    workers: Workers,
    progress: Progress,
) -> None:
    """Search every shape for all that will be asked of it."""
    of_shape: dict[GraphShape, int] = {}
    for groups, structures in zip(parted, wanted, strict=True):
        for group, _ in groups:
            of_shape[group.shape] = of_shape.get(group.shape, 0) | structures
    shapes = sorted(of_shape, key=lambda shape: shape.frame.number)
    parts = [shapes[at : at + SHAPES] for at in range(0, len(shapes), SHAPES)]
    tasks = [[_as_search(shape, of_shape[shape]) for shape in part] for part in parts]
    results = workers.results(search_shapes, tasks)
    for done, (part, found) in enumerate(zip(parts, results, strict=True)):
        progress(done * SHAPES, len(shapes), "searching graphs")
        for shape, occurring in zip(part, found, strict=True):
            workers.known.searcher.learn(shape, of_shape[shape], occurring)


def _as_search(shape: GraphShape, wanted: int) -> Search:
    return shape.frame.size, shape.frame.edges, shape.nodes, wanted


def structures_of(manifest: Manifest, split: str, category: str) -> int:
    """Return the structures that the checks ask for in a category, with a bit for each.

    ::

    train  in_distribution    what is held out, reserved, needed, own to a part, or nowhere
    train  exposure:p         the same, and what p exposes
    gen    p                  what is held out, own to a part, or nowhere; instances,
                              exclusions and quotas of p
    """
    return clause_bits(_clauses_of(manifest, split, category))


def _clauses_of(manifest: Manifest, split: str, category: str) -> Iterator[Clause]:
    yield from manifest.nowhere
    for part in manifest.parts:
        yield from part.only
        if category == PART + part.name:
            yield from _of_quotas(part.quotas)
    for pattern in manifest.patterns:
        yield from pattern.held_out
        if split != GENERALIZATION:
            yield from pattern.reserved
            yield from (need.clause for need in pattern.need)
        if category == EXPOSURE + pattern.name:
            yield from (part.clause for part in pattern.expose)
        if category == pattern.name:
            yield from (*pattern.instances, *pattern.exclude)
            yield from _of_quotas(pattern.quotas)


def _of_quotas(quotas: Iterable[Quota]) -> Iterator[Clause]:
    for quota in quotas:
        yield from quota.outside
        for group in quota.within:
            yield from group
