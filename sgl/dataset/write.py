"""Write the items of a plan into a directory: TSV, Parquet and CoNLL-U, row by row equal.

Where the target is a contrast of the source, each sentence is written with its twin as well, for probing:
``pairs/test.jsonl`` has a line for each row of ``data/test.tsv``::

    {"sentence_good": "The dogs bark.", "sentence_bad": "The dogs barks.", "pattern": "plain"}

and ``lm_eval/test.yaml`` makes them a task for the Language Model Evaluation Harness.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from sgl.core.arrays import Derivations
from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan
from sgl.dataset.chunk import Chunk, Selection, chunks_of
from sgl.dataset.manifest import DataFile, templates
from sgl.dataset.rows import derivation_lines, parquet_writer, schema_of, streams_of
from sgl.foreign import sha256_of
from sgl.rendering import ViewError
from sgl.sampling.strata import StratumSample

#: The folder of the derivations of rows.
DERIVATIONS = "derivations"


#: Returns the chunks that parts of splits are made into, in their order: here (``sgl.dataset.maker``), or on workers
#: (``sgl.parallel.dataset``).
Making = Callable[[Iterable[tuple[str, int, list[Selection]]]], Iterator[Chunk]]


class SplitFiles:
    """The files of one split: targets, Parquet, CoNLL-U (if there are graphs), derivations.

    The first target has the file ``data/train.tsv``, each other a folder of its name; so have the graph layers.
    ``paths`` are all files, in the order in which the manifest lists them.
    """

    def __init__(self, directory: Path, split: str, plan: Plan, closing: ExitStack) -> None:
        """Create the files; ``closing`` completes them."""
        folders = ["", *plan.further]
        lines = [directory / "data" / folder / f"{split}.tsv" for folder in folders]
        parquet = directory / "parquet" / f"{split}.parquet"
        layers = ["", *plan.graphs] if plan.lemma_layer else []
        sentences = [directory / "conllu" / layer / f"{split}.conllu" for layer in layers]
        derivations = directory / DERIVATIONS / f"{split}.tsv"
        self.paths = [lines[0], parquet, *lines[1:], *sentences, derivations]
        for path in self.paths:
            path.parent.mkdir(parents=True, exist_ok=True)
        texts = (*lines, *sentences, derivations)
        self._texts = [closing.enter_context(path.open("wb")) for path in texts]
        self._table = closing.enter_context(parquet_writer(parquet, schema_of(plan)))
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
) -> list[DataFile]:
    """Write the files of every split of the plan, by folder; those without items are empty.

    ``observe`` sees every chunk once it is written.  Raises ``ConlluError``, ``ViewError`` or
    ``ValueError`` if the formats cannot hold a text, and ``OSError``.
    """
    with ExitStack() as closing:
        names = dict.fromkeys(stratum.split for stratum in plan.strata)
        splits = {name: SplitFiles(directory, name, plan, closing) for name in names}
        for chunk in making(chunks_of(samples)):
            splits[chunk.split].write(chunk)
            if observe is not None:
                observe(chunk)
    folders = zip(*(files.paths for files in splits.values()), strict=True)
    return [
        _written(directory, path, files.rows)
        for folder in folders
        for path, files in zip(folder, splits.values(), strict=True)
    ]


def write_rejected(directory: Path, rejected: Iterable[tuple[Selection, Derivations]]) -> DataFile:
    """Write ``derivations/rejected.tsv``: candidates, each with the reading that it has besides."""
    path, rows = directory / DERIVATIONS / "rejected.tsv", 0
    with path.open("wb") as file:
        for selection, readings in rejected:
            file.write(derivation_lines(streams_of(selection), readings))
            rows += readings.number
    return _written(directory, path, rows)


def _written(directory: Path, path: Path, rows: int) -> DataFile:
    return DataFile(path.relative_to(directory).as_posix(), sha256_of(path), rows)


#: The folder of the tasks.
TASKS = "lm_eval"


def write_pairs(directory: Path, grammar: CoreGrammar, plan: Plan) -> Iterator[DataFile]:
    """Write the rows of a dataset whose target is the twin as pairs; ``ViewError`` if a sentence is its own twin."""
    finish = {layer.name: layer.finish for layer in grammar.text_layers}.get(plan.target)
    splits = dict.fromkeys(stratum.split for stratum in plan.strata)
    for split in splits if finish is not None and finish.twin == plan.source else ():
        path, lines = directory / "pairs" / f"{split}.jsonl", list[str]()
        for row in (directory / "data" / f"{split}.tsv").read_text("utf-8").splitlines():
            good, bad, category = row.split("\t")
            if good == bad:
                raise ViewError(f"it is its own twin, “{good}”")
            members = {"sentence_good": good, "sentence_bad": bad, "pattern": category}
            lines.append(json.dumps(members, ensure_ascii=False) + "\n")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes("".join(lines).encode())
        task = templates().get_template("lm_eval.yaml.j2").render(name=grammar.name, split=split)
        (directory / TASKS).mkdir(exist_ok=True)
        (directory / TASKS / f"{split}.yaml").write_bytes(task.encode())
        yield DataFile(path.relative_to(directory).as_posix(), sha256_of(path), len(lines))
