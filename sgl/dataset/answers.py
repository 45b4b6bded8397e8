"""The right answers of ambiguous sentences (``ambiguous list``).

``references/test.jsonl`` has a line for each row of ``data/test.tsv``: the texts of each target, the row's own first.
``readings/test.tsv`` justifies each other answer by a derivation of the same sentence::

    {"ja": ["猫が犬の近くの鳥を見た。", "犬の近くの猫が鳥を見た。"]}
    gen/pp/0#17     0 1 4 9 12 4 10

The Parquet files have them as lists, in the column ``references`` and one more for each further target.
"""

import json
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.core.plan import Plan
from sgl.dataset.manifest import DataFile
from sgl.dataset.rows import ROWS, json_line, parquet_writer, written
from sgl.disk import create, make
from sgl.disk.stages import staged_file
from sgl.foreign import TABLE, opened
from sgl.foreign.parquet import table_of
from sgl.rendering import outputs

#: The folders of right answers and of the readings that justify them, with their file extensions.
FOLDERS = {"references": ".jsonl", "readings": ".tsv"}


class Answers(NamedTuple):
    """A row of a split: its candidate, its derivation, and a reading for each other answer."""

    split: str
    candidate: str
    derivation: Derivation
    others: list[Derivation]


def write_answers(directory: Path, grammar: CoreGrammar, plan: Plan, rows: Iterable[Answers]) -> list[DataFile]:
    """Write right answers to ``references/SPLIT.jsonl``, and the readings that justify them to ``readings/SPLIT.tsv``.

    A line of the first file has the texts of each target, the row's own first; the second file has a line for each
    other reading: the candidate, and the rules of a derivation in preorder.
    """
    targets = {name: output for name, output in outputs(grammar).items() if name in plan.targets}
    splits, counts = dict.fromkeys(stratum.split for stratum in plan.strata), Counter[Path]()
    paths = {s: [directory / folder / f"{s}{end}" for folder, end in FOLDERS.items()] for s in splits}
    with ExitStack() as closing:
        for folder in FOLDERS:
            make(directory / folder)
        files = {path: closing.enter_context(create(path)) for own in paths.values() for path in own}
        before = ""
        for split, candidate, own, others in rows:
            texts = {name: list(dict.fromkeys(map(output, (own, *others)))) for name, output in targets.items()}
            # Copies share the readings of the first row.
            shown = others if candidate != before else []
            lines, before = "".join(f"{candidate}\t{' '.join(map(str, other))}\n" for other in shown), candidate
            for path, text in zip(paths[split], (json_line(texts), lines), strict=True):
                files[path].write(text.encode())
                counts[path] += text.count("\n")
    return [written(directory, path, counts[path]) for path in files]


def with_answers(directory: Path, files: list[DataFile], answers: list[DataFile]) -> list[DataFile]:
    """Return all files, after adding the answers to the Parquet files."""
    for path in (directory / "parquet").iterdir():
        _add_columns(path, directory / "references" / f"{path.stem}.jsonl")
    changed = {f.path: written(directory, directory / f.path, f.rows) for f in files if f.path.endswith(".parquet")}
    return [changed.get(file.path, file) for file in files] + answers


def _add_columns(path: Path, references: Path) -> None:
    """Write a Parquet file anew, with a column of answers for each target."""
    table, texts = table_of(path), pa.list_(pa.string())
    with opened(references, TABLE) as lines:
        rows = [json.loads(line) for line in lines]
    for target, name in enumerate(name for name in table.column_names if name.split("_")[0] == "target"):
        column = pa.array([[*row.values()][target] for row in rows], texts)
        table = table.append_column(pa.field(name.replace("target", "references", 1), texts), column)
    with staged_file(path) as new, create(new) as file, parquet_writer(file, table.schema) as writer:
        writer.write_table(table, ROWS)
