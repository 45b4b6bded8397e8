"""Chunks of rows, and the files that contain them: TSV, Parquet and CoNLL-U, with equal rows.

A chunk is cut from the candidates that were accepted for the strata of its split, in their order::

    train   in_distribution 39,700   exposure:… 100   exposure:… 100   …
            |- 10,000 -|- 10,000 -|- 10,000 -|-   9,700 + 100 + …   -|

If the target is a twin of the source, each sentence is also written with its twin, for probing: ``pairs/test.jsonl``
has a line for each row of ``data/test.tsv``::

    {"sentence_good": "The dogs bark.", "sentence_bad": "The dogs barks.", "pattern": "plain"}

and ``lm_eval/test.yaml`` makes them a task for the Language Model Evaluation Harness.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sgl.core.arrays import SLACK, Column, Derivations
from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan
from sgl.dataset.cards import templates
from sgl.dataset.manifest import DataFile
from sgl.dataset.staged import TextTooLongError
from sgl.disk import create, make, write
from sgl.foreign import sha256_of
from sgl.rendering import ViewError
from sgl.sampling.engine import PackedStratum
from sgl.sampling.rows import row_of
from sgl.sampling.strata import StratumSample

#: Rows in a chunk, and in a row group of a Parquet file.
ROWS = 10_000

#: The folders of derivations and of probing tasks.
DERIVATIONS, TASKS = "derivations", "lm_eval"

#: Maximum size of the texts in one Arrow array, in bytes.
MOST_BYTES = (1 << 31) - 1

#: Columns of the Parquet files; ``features`` has a number for each label that it counts.
_NAMES = (*("id", "source", "target", "category", "split_kind"), *("derivation", "depth", "features", "seed_stream"))

#: Columns with few values.
DICTIONARY = ("category", "split_kind")

#: The compression level of zstd.
LEVEL = 3

#: Yields the chunks of these parts of splits in order, made here (``sgl.dataset.maker``) or on workers
#: (``sgl.parallel.dataset``).
Making = Callable[[Iterable[tuple[str, int, list["Selection"]]]], Iterator["Chunk"]]


class Selection(NamedTuple):
    """Candidates of one stratum, by their numbers."""

    stratum: PackedStratum
    numbers: NDArray[np.int64]


class Chunk(NamedTuple):
    """Rows of a split.

    ``first`` is the number of the first row, from 1.  ``rows`` has the lines for each target's file, ``conllu`` the
    sentences with each graph layer, ``derivations`` a line for each row, ``table`` the rows of the Parquet file as an
    Arrow table.  ``words`` counts the words of each row in the first text layer.
    """

    split: str
    first: int
    rows: tuple[bytes, ...]
    conllu: tuple[bytes, ...]
    derivations: bytes
    table: Any
    words: NDArray[np.int32]
    selections: tuple[Selection, ...]


def chunks_of(samples: Sequence[StratumSample]) -> Iterator[tuple[str, int, list[Selection]]]:
    """Yield the chunks of a dataset: split, number of the first row, candidates."""
    splits: dict[str, list[Selection]] = {}
    for sample in samples:
        selection = Selection(sample.stratum, sample.numbers)
        splits.setdefault(sample.stratum.split, []).append(selection)
    for split, selections in splits.items():
        ends = np.cumsum([0, *(len(selection.numbers) for selection in selections)]).tolist()
        for first in range(0, ends[-1], ROWS):
            last = first + ROWS
            cut = [
                Selection(selection.stratum, selection.numbers[max(first - start, 0) : last - start])
                for selection, (start, end) in zip(selections, pairwise(ends), strict=True)
                if start < min(last, end) and first < end
            ]
            yield split, first + 1, cut


def rows_of(source: Column, target: Column, category: Column) -> bytes:
    """Return rows in the form of ``sgl.sampling.rows.row_of``; raises ``ValueError`` for tabs or line ends."""
    fields = source, target, category
    rows = pc.binary_join_element_wise(*map(arrow_array, fields), "\t")
    lines = b"".join(map(lines_of, rows.chunks))
    if lines.count(b"\t") != 2 * len(rows) or len(lines.decode().splitlines()) != len(rows):
        for row in zip(*(field.texts() for field in fields), strict=True):
            row_of(*row)
    return lines


def lines_of(texts: Any) -> bytes:  # noqa: ANN401
    """Return the texts of an Arrow array, each with a line end."""
    # The texts of a new array are contiguous.
    end = (pa.scalar(part, texts.type) for part in ("", "\n"))
    _, offsets, data = pc.binary_join_element_wise(texts, *end).buffers()
    if not len(texts):
        return b""
    width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    size = int(np.frombuffer(offsets, width)[len(texts)])
    lines: bytes = data.slice(0, size).to_pybytes()
    return lines


def streams_of(selection: Selection) -> Any:  # noqa: ANN401
    """Return the stream and number of each candidate as texts in an Arrow array."""
    numbers = pc.cast(pa.array(selection.numbers), pa.string())
    return pc.binary_join_element_wise(selection.stratum.stream, numbers, "#")


def derivation_lines(streams: Any, derivations: Derivations) -> bytes:  # noqa: ANN401
    """Return a line for each candidate: its stream and number, and the rules of its derivation in preorder."""
    offsets = pa.array(derivations.offsets.astype(np.int32))
    numbers = pa.array(derivations.rules[: int(derivations.offsets[-1])])
    rules = pa.ListArray.from_arrays(offsets, pc.cast(numbers, pa.string()))
    return lines_of(pc.binary_join_element_wise(streams, pc.binary_join(rules, " "), "\t"))


def numbered(first: int, count: int) -> Column:
    """Return the numbers of items as texts of at least six digits."""
    numbers = pc.cast(pa.array(np.arange(first, first + count)), pa.large_string())
    _, offsets, data = pc.utf8_lpad(numbers, 6, "0").buffers()
    return Column(np.frombuffer(data or b"", np.uint8), np.frombuffer(offsets, np.int64)[: count + 1])


def content(column: Column) -> NDArray[np.uint8]:
    """Return the bytes of all texts of a column."""
    return column.data[column.offsets[0] : column.offsets[-1]]


def joined(columns: Sequence[Column]) -> Column:
    """Return the concatenation of several columns."""
    return Column(np.concatenate([*map(content, columns), np.zeros(SLACK, np.uint8)]), _ends(columns))


def joined_derivations(parts: Sequence[Derivations]) -> Derivations:
    """Return the concatenation of several arrays of derivations."""
    return Derivations(np.concatenate([part.rules[: int(part.offsets[-1])] for part in parts]), _ends(parts))


def _ends(parts: Sequence[Column] | Sequence[Derivations]) -> NDArray[np.int64]:
    return np.cumsum(np.concatenate([np.zeros(1, np.int64), *(np.diff(part.offsets) for part in parts)]))


def arrow_array(column: Column) -> Any:  # noqa: ANN401
    """Return a column as a chunked Arrow array, over the same bytes.

    A chunk counts its bytes with 32 bits, so a long column has several chunks; files do not show this.  Raises
    ``TextTooLongError`` if no chunk can hold a text.
    """
    arrays, first = [], 0
    while first < column.rows:
        start = column.offsets[first]
        end = int(np.searchsorted(column.offsets, start + MOST_BYTES, "right")) - 1
        if end == first:
            raise TextTooLongError("a text has more than 2 GiB, too many for a column of a file")
        end = min(end, column.rows)
        offsets = (column.offsets[first : end + 1] - start).astype(np.int32)
        data = np.ascontiguousarray(column.data[start : column.offsets[end]])
        buffers = pa.py_buffer(offsets), pa.py_buffer(data)
        arrays.append(pa.StringArray.from_buffers(end - first, *buffers))
        first = end
    return pa.chunked_array(arrays, pa.string())


def schema_of(plan: Plan, counted: Sequence[str]) -> Any:  # noqa: ANN401
    """Return the columns of the Parquet files: one more for each further target, ``features`` if labels are counted."""
    kinds = {"depth": pa.int32(), "features": pa.struct([(label, pa.int32()) for label in counted])}
    columns = [(name, kinds.get(name, pa.string())) for name in _NAMES if name != "features" or counted]
    return pa.schema([*columns, *((f"target_{name}", pa.string()) for name in plan.further)])


def parquet_writer(
    file: BinaryIO,
    schema: Any,  # noqa: ANN401
    dictionary: Sequence[str] = DICTIONARY,
    level: int = LEVEL,
) -> Any:  # noqa: ANN401
    """Return a writer for a Parquet file; each ``write_table`` adds a row group.

    The columns in ``dictionary`` are dictionary-encoded.  No column has statistics: the least and greatest of distinct
    sentences are of no use.
    """
    return pq.ParquetWriter(
        file,
        schema,
        version="2.6",
        compression="zstd",
        compression_level=level,
        use_dictionary=list(dictionary) or False,
        write_statistics=False,
        store_schema=False,
    )


class SplitFiles:
    """The files of one split: targets, Parquet, CoNLL-U (if there are graphs), derivations.

    The first target is in ``data/train.tsv``, each other target in a folder of its name; likewise the graph layers.
    ``paths`` are all files in the order of the manifest.
    """

    def __init__(self, directory: Path, split: str, plan: Plan, closing: ExitStack, counted: Sequence[str]) -> None:
        """Create the files; ``closing`` completes them; ``counted`` are the labels of ``features``."""
        folders = ["", *plan.further]
        lines = [directory / "data" / folder / f"{split}.tsv" for folder in folders]
        parquet = directory / "parquet" / f"{split}.parquet"
        layers = ["", *plan.graphs] if plan.lemma_layer else []
        sentences = [directory / "conllu" / layer / f"{split}.conllu" for layer in layers]
        derivations = directory / DERIVATIONS / f"{split}.tsv"
        self.paths = [lines[0], parquet, *lines[1:], *sentences, derivations]
        for path in self.paths:
            make(path.parent)
        texts = (*lines, *sentences, derivations)
        self._texts = [closing.enter_context(create(path)) for path in texts]
        table = parquet_writer(closing.enter_context(create(parquet)), schema_of(plan, counted))
        self._table = closing.enter_context(table)
        self.rows = 0

    def write(self, chunk: Chunk) -> None:
        """Append a chunk."""
        texts = (*chunk.rows, *chunk.conllu, chunk.derivations)
        for file, text in zip(self._texts, texts, strict=True):
            file.write(text)
        self._table.write_table(chunk.table)
        self.rows += len(chunk.words)


def write_items(
    directory: Path,
    plan: Plan,
    making: Making,
    samples: Sequence[StratumSample],
    observe: Callable[[Chunk], None] | None = None,
    counted: Sequence[str] = (),
) -> list[DataFile]:
    """Write the files of every split of the plan; splits without items get empty files.

    ``counted`` are the labels of ``features``.  ``observe`` sees every chunk once it is written.  Raises
    ``ConlluError``, ``ViewError`` or ``ValueError`` if the formats cannot hold a text, and ``OSError``.
    """
    with ExitStack() as closing:
        names = dict.fromkeys(stratum.split for stratum in plan.strata)
        splits = {name: SplitFiles(directory, name, plan, closing, counted) for name in names}
        for chunk in making(chunks_of(samples)):
            splits[chunk.split].write(chunk)
            if observe is not None:
                observe(chunk)
    folders = zip(*(files.paths for files in splits.values()), strict=True)
    return [
        written(directory, path, files.rows)
        for folder in folders
        for path, files in zip(folder, splits.values(), strict=True)
    ]


def write_rejected(directory: Path, rejected: Iterable[tuple[Selection, Derivations]]) -> DataFile:
    """Write ``derivations/rejected.tsv``: ambiguous candidates, each with its other reading."""
    path, rows = directory / DERIVATIONS / "rejected.tsv", 0
    with create(path) as file:
        for selection, readings in rejected:
            file.write(derivation_lines(streams_of(selection), readings))
            rows += readings.number
    return written(directory, path, rows)


def written(directory: Path, path: Path, rows: int) -> DataFile:
    """Return the manifest entry of a finished file."""
    return DataFile(path.relative_to(directory).as_posix(), sha256_of(path), rows)


def json_line(value: object) -> str:
    """Return a value as a line of JSON."""
    return json.dumps(value, ensure_ascii=False) + "\n"


def write_pairs(directory: Path, grammar: CoreGrammar, plan: Plan) -> Iterator[DataFile]:
    """Write the rows of each target that is a twin as pairs; raises ``ViewError`` if a sentence equals its twin."""
    twins = {layer.name: layer.twin for layer in grammar.text_layers}
    splits = dict.fromkeys(stratum.split for stratum in plan.strata)
    for target in plan.targets:
        folder = "" if target == plan.target else target
        for split in splits if twins.get(target) == plan.source else ():
            path = directory / "pairs" / folder / f"{split}.jsonl"
            lines = _pairs((directory / "data" / folder / f"{split}.tsv").read_text("utf-8"))
            make(path.parent)
            write(path, "".join(lines))
            names = {"name": "_".join(filter(None, (grammar.name, folder))), "split": split, "folder": folder}
            make(directory / TASKS / folder)
            task = templates().get_template("lm_eval.yaml.j2").render(names)
            write(directory / TASKS / folder / f"{split}.yaml", task)
            yield written(directory, path, len(lines))


def _pairs(rows: str) -> list[str]:
    """Return a line with the pair for each row of a file."""
    lines = list[str]()
    for row in rows.splitlines():
        good, bad, category = row.split("\t")
        if good == bad:
            raise ViewError(f"it is its own twin, “{good}”")
        lines.append(json_line({"sentence_good": good, "sentence_bad": bad, "pattern": category}))
    return lines
