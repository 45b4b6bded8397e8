"""Items from files: where they are, what they are called, and what occurs in them.

Items come from Parquet files with a column ``derivation``, as ``sglc compile`` writes them,
or from CoNLL-U.  A directory stands for the files in it::

    out/sget     derivation   out/sget/parquet/train.parquet, dev, test, gen
                 graph        out/sget/conllu/train.conllu, dev, test, gen

All files are read together, so that a compound has one number whatever file it is in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import file_digest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl.research.divergence.derivations import NotADerivationError, read_derivations
from sgl.research.divergence.elements import Elements
from sgl.research.divergence.morphology import feature_elements
from sgl.research.divergence.pieces import pieces, weighted_pieces
from sgl.research.divergence.treebank import (
    NotATreebankError,
    Sentence,
    dependency_trees,
    read_treebank,
)
from sgl.research.divergence.trees import Trees, edge_compounds, node_and_edge_atoms, node_atoms

DERIVATION, GRAPH, MORPHOLOGY = "derivation", "graph", "morphology"
VIEWS = (DERIVATION, GRAPH, MORPHOLOGY)

#: How files of each view end, and where a dataset has them.
_SUFFIX = {DERIVATION: ".parquet", GRAPH: ".conllu", MORPHOLOGY: ".conllu"}
_FOLDER = {".parquet": "parquet", ".conllu": "conllu"}

#: The order of the splits of a dataset; other files follow.
_ORDER = ("train", "dev", "test", "gen")

#: Columns of a Parquet file that are used if they are there.
_ID, _DERIVATION, _CATEGORY = "id", "derivation", "category"

Progress = Callable[[str, int], None]


class NoItemsError(Exception):
    """A file or directory gives no items; the message says why."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What atoms and compounds are to be: of which view, how large, and how weighted.

    ``above`` is the weight that tag combinations must have more than; None keeps them all.
    """

    view: str
    size: int = 2
    weighted: bool = False
    above: Fraction | None = None


@dataclass(frozen=True)
class Part:
    """The items of one file: their ids and categories, and the digest of the file."""

    path: Path
    digest: str
    first: int
    ids: tuple[str, ...]
    categories: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the file without its ending."""
        return self.path.stem


@dataclass(frozen=True)
class Material:
    """The items of all files: their elements, and the rows or sentences themselves."""

    parts: tuple[Part, ...]
    elements: Elements
    sentences: tuple[Sentence, ...] = ()
    #: A table of Arrow; its type has no annotations.
    table: Any = None

    @property
    def ids(self) -> list[str]:
        """The ids of all items, with the name of their file if there are several."""
        several = len(self.parts) > 1
        return [
            f"{part.name}/{name}" if several else name for part in self.parts for name in part.ids
        ]

    def mask(self, part: Part, category: str | None = None) -> NDArray[np.bool_]:
        """Which items a part has, or those of them with a category."""
        chosen = np.zeros(self.elements.atoms.items, np.bool_)
        if category is None:
            chosen[part.first : part.first + len(part.ids)] = True
        else:
            chosen[part.first : part.first + len(part.ids)] = [
                other == category for other in part.categories
            ]
        return chosen


def files_of(paths: Iterable[Path], view: str | None) -> tuple[list[Path], str]:
    """The files that are meant, in the order of splits, and the view, if none was named.

    Raises:
        NoItemsError: a directory has no such files, or a file is of another kind.
    """
    given = list(paths)
    if view is None:
        tables = all(_listed(path, ".parquet") for path in given)
        view = DERIVATION if tables else GRAPH
    suffix = _SUFFIX[view]
    files = []
    for path in given:
        found = _listed(path, suffix)
        if not found:
            if not path.exists():
                raise NoItemsError(f"there is no file or directory `{path}`")
            what = "has no files" if path.is_dir() else "is no file"
            raise NoItemsError(
                f"`{path}` {what} in `{suffix}`, which the view `{view}` is read from"
            )
        files += found
    return files, view


def _listed(path: Path, suffix: str) -> list[Path]:
    """The file, or the files of a directory with the ending."""
    if not path.is_dir():
        return [path] if path.suffix == suffix else []
    for folder in (path / _FOLDER[suffix], path):
        found = sorted(folder.glob(f"*{suffix}")) if folder.is_dir() else []
        if found:
            return sorted(found, key=_rank)
    return []


def _rank(path: Path) -> int:
    return _ORDER.index(path.stem) if path.stem in _ORDER else len(_ORDER)


def read_material(
    files: Sequence[Path], wanted: Wanted, progress: Progress | None = None
) -> Material:
    """Read the files and count what occurs in their items.

    Raises:
        OSError: a file cannot be opened or read.
        NoItemsError: a file holds something else, or nothing.
    """
    read = _read_tables if wanted.view == DERIVATION else _read_sentences
    return read(files, wanted, progress or (lambda _name, _done: None))


def _read_tables(files: Sequence[Path], wanted: Wanted, progress: Progress) -> Material:
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts: list[Part] = []
    tables = []
    first = 0
    for path in files:
        progress(path.name, first)
        digest = _digest(path)
        try:
            table = pq.read_table(path)
            rows = {name: table[name].to_pylist() for name in (_ID, _DERIVATION)}
        except (pa.ArrowException, KeyError, UnicodeDecodeError):
            raise NoItemsError(
                f"`{path}` is no Parquet file with the columns `{_ID}` and `{_DERIVATION}`"
            ) from None
        if not all(isinstance(text, str) for column in rows.values() for text in column):
            raise NoItemsError(f"`{path}` has rows without id or derivation")
        categories = table[_CATEGORY].to_pylist() if _CATEGORY in table.column_names else []
        parts.append(_part(path, digest, first, rows[_ID], [str(name) for name in categories]))
        tables.append(table)
        first += table.num_rows
    try:
        whole = pa.concat_tables(tables)
    except pa.ArrowException:
        raise NoItemsError("the Parquet files have different columns") from None
    progress("derivations", first)
    try:
        trees = read_derivations(whole[_DERIVATION].to_pylist())
    except NotADerivationError as problem:
        part = max((p for p in parts if p.first <= problem.row), key=lambda p: p.first)
        row = problem.row - part.first + 1
        raise NoItemsError(f"`{part.path}` has no derivation in row {row}") from None
    return Material(tuple(parts), _tree_elements(trees, wanted), table=whole)


def _read_sentences(files: Sequence[Path], wanted: Wanted, progress: Progress) -> Material:
    parts: list[Part] = []
    sentences: list[Sentence] = []
    for path in files:
        first = len(sentences)
        progress(path.name, first)
        digest = _digest(path)
        try:
            sentences += read_treebank(path)
        except NotATreebankError as problem:
            raise NoItemsError(f"`{path}` is not CoNLL-U: {problem}") from None
        new = sentences[first:]
        ids = [sentence.name for sentence in new]
        parts.append(_part(path, digest, first, ids, [sentence.category for sentence in new]))
    progress("atoms and compounds", len(sentences))
    if wanted.view == MORPHOLOGY:
        elements = feature_elements(sentences, wanted.above)
    else:
        elements = _tree_elements(dependency_trees(sentences), wanted)
    return Material(tuple(parts), elements, sentences=tuple(sentences))


def _part(
    path: Path, digest: str, first: int, ids: Sequence[str], categories: Sequence[str]
) -> Part:
    if not ids:
        raise NoItemsError(f"`{path}` has no items")
    return Part(path, digest, first, tuple(ids), tuple(categories) or ("",) * len(ids))


def _tree_elements(trees: Trees, wanted: Wanted) -> Elements:
    atoms = (node_atoms if wanted.view == DERIVATION else node_and_edge_atoms)(trees)
    if wanted.weighted:
        return Elements(atoms, weighted_pieces(trees, wanted.size))
    if wanted.size > 2:
        return Elements(atoms, pieces(trees, wanted.size))
    return Elements(atoms, edge_compounds(trees))


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
