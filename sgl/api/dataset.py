"""Datasets on disk, and predictions and corpora from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sgl.api.grammar import Grammar, load
from sgl.api.values import Findings, GrammarError, Scores, Shown, raised, whole, working
from sgl.cli.registry import commands
from sgl.cli.terminal import count as number
from sgl.core.plan import LOADED
from sgl.dataset import manifest_of, signature
from sgl.diagnostics import Diagnostics, SourceMap, one_of
from sgl.foreign.parquet import table_of

if TYPE_CHECKING:
    import datasets
    import pandas as pd
    import pyarrow as pa


def open_dataset(directory: str | PathLike[str]) -> Dataset:
    """Return the dataset in a directory that ``sglc compile`` wrote; raises ``GrammarError`` if there is none."""
    with working():
        return Dataset(Path(directory))


class Dataset(Shown):
    """A dataset on disk."""

    _part = "dataset"

    def __init__(self, directory: Path) -> None:
        document = manifest_of(directory)
        self.directory, self.manifest = directory, document.of(dict)
        self.splits = {name: own["items"].of(int) for name, own in document["splits"].members().items()}
        self._named = document["name"].of(str), document["identity"].of(str)

    def __repr__(self) -> str:
        return f"<dataset {self._named[0]}: {', '.join(f'{n:,} {name}' for name, n in self.splits.items())}>"

    @cached_property
    def grammar(self) -> Grammar:
        """The grammar of the dataset, as ``load`` returns it; raises ``GrammarError`` if there is none."""
        return load(self.directory)

    @cached_property
    def signature(self) -> str:
        """The line by which the data are cited."""
        return signature(self.directory, self._named[1])

    def verify(
        self, signature: str = "", progress: Callable[[str, int, int], None] | None = None, *, sample: int = 0
    ) -> Findings:
        """Check the files against every claim of the manifest, as ``sglc verify`` does.

        ``progress`` is called with the current step, the work done, and the total work.  With a ``sample``, only that
        number of rows is checked in each part of the data, and nothing is verified: ``ok`` says that these rows are
        right.
        """
        from sgl.verify import verify

        show = progress or (lambda *_: None)
        if sample:
            return self._look(whole(sample, "sample", least=1), show)
        with working():
            report = verify(self.directory, lambda done, of, what: show(what, done, of), signature=signature)
        rows = [(r.code, r.name, r.status, r.checked, r.total) for r in report.results]
        violations = sum(result.total for result in report.results)
        summary = f"{report.name}: {number(report.items, 'item')}, {number(violations, 'violation')}"
        columns = ("code", "check", "status", "checked", "violations")
        messages = "\n".join(str(found) for result in report.failed for found in result.violations)
        return Findings(summary, report.ok, columns, rows, report.as_data(), messages)

    def _look(self, sample: int, show: Callable[[str, int, int], None]) -> Findings:
        """Check a sample of the rows."""
        from sgl.verify import look

        show("drawing a sample of the rows again", 0, 1)
        with working():
            found = look(self.directory, sample)
        show("looked at a sample", 1, 1)
        summary = f"{self._named[0]}: {number(found.right, 'row')} of {found.rows:,} drawn again, not verified"
        data = {"verified": False, **found._asdict()}
        return Findings(summary, not found.refusal, ("rows", "right"), [(found.rows, found.right)], data, found.refusal)

    def split_named(self, split: str) -> str:
        """Return the name of a split in the files; it may differ on the Hub, where ``dev`` is ``validation``."""
        own = next((name for name in self.splits if split in (name, LOADED.get(name))), None)
        if own is None:
            raise GrammarError(f"there is no split `{split}`; {one_of(f'{split}', self.splits)}")
        return own

    @working()
    def to_arrow(self, split: str = "") -> pa.Table:
        """Return the rows of a split, or of all splits with a column ``split``."""
        import pyarrow as pa

        if split:
            path = self.directory / "parquet" / f"{self.split_named(split)}.parquet"
            return table_of(path, inside=self.directory)
        tables = [(name, self.to_arrow(name)) for name in self.splits]
        return pa.concat_tables(
            [rows.append_column("split", pa.array([name] * len(rows), pa.string())) for name, rows in tables]
        )

    @working()
    def to_pandas(self, split: str = "") -> pd.DataFrame:
        """Return the rows of ``to_arrow`` as a data frame; needs pandas."""
        frame: pd.DataFrame = self.to_arrow(split).to_pandas()
        return frame

    @working()
    def to_hf(self) -> datasets.DatasetDict:
        """Return the splits as ``load_dataset`` would, with the names in the card; needs datasets."""
        from datasets import Dataset as HubDataset
        from datasets import DatasetDict

        return DatasetDict({LOADED.get(split, split): HubDataset(self.to_arrow(split)) for split in self.splits})


#: What a system says of an item: a text, or several samples.
Said = str | Sequence[str]

#: Predictions of a system: a file, texts in row order, texts by row name, or a function from source to target.  A
#: pandas ``Series`` is read by its index if the index has row names.
Predictions = str | PathLike[str] | Iterable[Said] | Mapping[str, Said] | Callable[[str], Said]


def evaluate(
    dataset: str | PathLike[str] | Dataset,
    predictions: Mapping[str, Predictions],
    *,
    split: str | None = None,
    target: str | None = None,
    grammar: str | PathLike[str] | Grammar | None = None,
    language: str | None = None,
    missing: Literal["wrong", "left-out"] = "wrong",
    answer: str | Sequence[str] = (),
    programs: bool = False,
    test: Literal["randomisation", "bootstrap"] = "randomisation",
    samples: int = 100_000,
    seed: int = 1,
    slices: str | Sequence[str] = (),
    runs: Literal["averaged", "pooled"] = "averaged",
    compounds: str | PathLike[str] | None = None,
    lexicon: str | PathLike[str] | None = None,
    published_rule: bool = False,
    judgements: Sequence[str | PathLike[str]] = (),
    train: Sequence[str | PathLike[str]] = (),
    segment: str | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Scores:
    r"""Score the predictions of named systems, as ``sglc eval`` does.

    Predictions are a file, texts in the order of the rows, texts by row id (``gen-000001``, or the column ``id``),
    or a function from source to target.  A list of texts in place of a text has several samples of an answer.  With
    ``programs=True`` predictions are Python programs by the names of patterns, or a function that writes one for such
    a name; they run on this machine.  Predictions with ids may be incomplete: missing ones count as wrong, or
    with ``missing="left-out"`` only rows that every system predicts are scored, and ``data["dataset"]["left_out"]``
    counts the others.  ``answer`` says where the answer is in a model's output (``"line"``, ``"Answer: {}"``).
    Partial Match, edges and mistakes need the ``grammar`` if the dataset does not contain it.  Other keywords are
    options of the command.  Raises ``GrammarError``.

    >>> import sgl, tempfile
    >>> g = sgl.loads('layer en : text\ncategory S\nword S: "yes"\nword S: "no"\ndataset\n  from S\n  train 2\n')
    >>> with tempfile.TemporaryDirectory() as place:
    ...     data = g.compile(f"{place}/data")
    ...     gold = data.to_arrow("train")["target"]
    ...     scores = sgl.evaluate(data, {"gold": gold, "no": lambda source: "no"}, samples=100)
    >>> scores.flat("gold")["exact"], scores.flat("no")["exact"]
    (1.0, 0.0)
    """
    slices, answer = ((given,) if isinstance(given, str) else given for given in (slices, answer))
    own = ("dataset", "predictions", "grammar", "progress")
    options = {name: value for name, value in locals().items() if name not in (*own, "own")}
    directory = dataset.directory if isinstance(dataset, Dataset) else Path(dataset)
    given = _given(predictions)
    sources, diagnostics, command = SourceMap(), Diagnostics(), commands()["eval"]
    with working(None, sources):
        options = command.typed(options) | {"progress": progress}
        if split is not None and isinstance(dataset, Dataset):
            options["split"] = dataset.split_named(split)
        if grammar is not None:
            options["grammar"] = grammar.compiled if isinstance(grammar, Grammar) else Path(grammar)
        data = command.function()(directory, given, options, sources, diagnostics)
    if data is None or diagnostics.errors:
        raise raised(diagnostics, sources)
    scores = data["tables"]["overall"][0]["scores"]
    rows = [
        (system["name"], *(cells.get(system["name"], {}).get("mean") for cells in scores.values()))
        for system in data["systems"]
    ]
    summary = f"{data['dataset']['split']}: {number(data['dataset']['items'], 'item')}, {number(len(rows), 'system')}"
    columns = ("system", *(data["metrics"][metric] for metric in scores))
    return Scores(summary, True, columns, rows, data, str(raised(diagnostics, sources)))


def _given(predictions: Mapping[str, Predictions]) -> dict[str, Any]:
    """Return the predictions of each system in the form of the command; raises ``TypeError`` or ``GrammarError``."""
    if not isinstance(predictions, Mapping):
        raise TypeError("`predictions` maps the names of systems to predictions: `{'transformer': 'predictions.txt'}`")
    if not predictions:
        raise GrammarError("there are no predictions")
    for name, given in predictions.items():
        if not (callable(given) or isinstance(given, str | PathLike | Iterable)):
            raise TypeError(f"`{name}` has no predictions: {given!r:.100}")
    return {f"{name}": _outputs(given) for name, given in predictions.items()}


def _outputs(given: Predictions) -> Any:  # noqa: ANN401 - a file, texts by names, texts in a row, or a function
    if isinstance(given, str | PathLike):
        return Path(given)
    if isinstance(given, Mapping) or callable(given):
        return given
    named: Any = given
    if hasattr(given, "items") and all(isinstance(name, str) for name, _ in named.items()):
        return dict(named.items())
    # Arrow columns, arrays and Series convert themselves to lists of Python values.
    tolist = getattr(given, "to_pylist", getattr(given, "tolist", None))
    return tolist() if tolist is not None else list(named)


def prompts(
    dataset: str | PathLike[str] | Dataset,
    out: str | PathLike[str] | None = None,
    **options: Any,  # noqa: ANN401 - those of the command
) -> Findings:
    """Make a prompt with examples from training for each item of a dataset, as ``sglc prompts`` does.

    The result has a row for each pattern, which counts its prompts that show all parts.  ``out`` is a directory;
    without it nothing is written.  ``options`` are the command's, such as ``shots=4``.  Raises ``GrammarError``.
    """
    directory, command = dataset.directory if isinstance(dataset, Dataset) else Path(dataset), commands()["prompts"]
    with working():
        data = command.function()(directory, command.typed(options | {"out": out}))
    columns = ("pattern", "prompts", "complete", "complete_but_untrained", "parts", "missing")
    rows = [tuple(row[column] for column in columns) for row in data["summary"]]
    return Findings(f"{number(sum(row[1] for row in rows), 'prompt')}", True, columns, rows, data)


def audit(grammar: str | PathLike[str] | Grammar, *corpora: str | PathLike[str]) -> Findings:
    """Compare rows of files with a grammar: whether it derives each sentence, and with the same output.

    A row has a sentence and, after tabs, its translation and optionally a kind, as for ``sglc audit``.
    """
    from sgl.corpus.audit import Auditor, audit_data

    grammar = grammar if isinstance(grammar, Grammar) else load(grammar)
    compiled = grammar.compiled
    core, plan = compiled.grammar, compiled.plan
    with working(compiled):
        auditor = Auditor(core, (plan.source, plan.target), (plan.source, plan.target))
        data = audit_data(auditor.run([Path(path) for path in corpora], lambda *_: None))
    names = [name for name, value in data.items() if isinstance(value, int)]
    rows = [(file["file"], *(file[name] for name in names)) for file in data["files"]]
    return Findings(f"{number(data['rows'], 'row')} in {number(len(rows), 'file')}", True, ("file", *names), rows, data)
