"""Datasets on disk, and what others have made: predictions and corpora."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgl.api.grammar import Grammar, load
from sgl.api.values import Findings, GrammarError, Shown, raised, whole, working
from sgl.cli.terminal import count as number
from sgl.dataset import manifest_of, signature
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.foreign.parquet import table_of

if TYPE_CHECKING:
    import datasets
    import pandas as pd
    import pyarrow as pa


def open_dataset(directory: str | PathLike[str]) -> Dataset:
    """Return the dataset in a directory of ``sglc compile``; raises ``GrammarError`` if there is none."""
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
    def signature(self) -> str:
        """What the data are cited by."""
        return signature(self.directory, self._named[1])

    def verify(
        self, signature: str = "", progress: Callable[[str, int, int], None] | None = None, *, sample: int = 0
    ) -> Findings:
        """Check the files against everything that the manifest claims, as ``sglc verify`` does.

        ``progress`` is called with what is being done, how much of it is done, and how much there is.  With a
        ``sample`` only so many rows of each part of the data are looked at, and nothing is verified: ``ok`` says that
        these are right.
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
        """Look at a sample of the rows."""
        from sgl.verify import look

        show("drawing a sample of the rows again", 0, 1)
        with working():
            found = look(self.directory, sample)
        show("looked at a sample", 1, 1)
        summary = f"{self._named[0]}: {number(found.right, 'row')} of {found.rows:,} drawn again, not verified"
        data = {"verified": False, **found._asdict()}
        return Findings(summary, not found.refusal, ("rows", "right"), [(found.rows, found.right)], data, found.refusal)

    @working()
    def to_arrow(self, split: str = "") -> pa.Table:
        """Return the rows of a split; without one all rows, with a column ``split``."""
        import pyarrow as pa

        if split:
            if split not in self.splits:
                raise GrammarError(f"there is no split `{split}`; there is: {', '.join(self.splits)}")
            return table_of(self.directory / "parquet" / f"{split}.parquet", inside=self.directory)
        tables = [(name, self.to_arrow(name)) for name in self.splits]
        return pa.concat_tables(
            [rows.append_column("split", pa.array([name] * len(rows), pa.string())) for name, rows in tables]
        )

    @working()
    def to_pandas(self, split: str = "") -> pd.DataFrame:
        """Return the same as a data frame; needs pandas."""
        frame: pd.DataFrame = self.to_arrow(split).to_pandas()
        return frame

    @working()
    def to_hf(self) -> datasets.DatasetDict:
        """Return the splits as ``load_dataset`` would, under the names of the card; needs datasets."""
        from datasets import Dataset as HubDataset
        from datasets import DatasetDict

        from sgl.dataset.manifest import LOADED

        names = LOADED if "release" in self.manifest else {}
        return DatasetDict({names.get(split, split): HubDataset(self.to_arrow(split)) for split in self.splits})


def evaluate(
    dataset: str | PathLike[str] | Dataset,
    predictions: Mapping[str, str | PathLike[str]],
    *,
    grammar: str | PathLike[str] | Grammar | None = None,
    **options: Any,  # noqa: ANN401 - those of the tool
) -> Findings:
    """Score the predictions of systems, files by the names of the systems, as ``sglc eval`` does.

    Partial Match, edges and mistakes need the ``grammar``, if it is not beside the dataset.  ``options`` are those of
    the command: ``split``, ``target``, ``test``, ``samples``, ``seed`` and others.  ``data["tables"]`` has the scores
    of groups, patterns, lengths and depths.
    """
    from sgl.cli.registry import commands

    directory = dataset.directory if isinstance(dataset, Dataset) else Path(dataset)
    files = _files(predictions)
    sources, diagnostics, command = SourceMap(), Diagnostics(), commands()["eval"]
    with working(None, sources):
        options = command.typed(options)
        if grammar is not None:
            options["grammar"] = grammar.compiled if isinstance(grammar, Grammar) else Path(grammar)
        data = command.function()(directory, files, options, sources, diagnostics)
    if data is None or diagnostics.errors:
        raise raised(diagnostics, sources)
    scores = data["tables"]["overall"][0]["scores"]
    rows = [
        (system["name"], *(cells.get(system["name"], {}).get("mean") for cells in scores.values()))
        for system in data["systems"]
    ]
    summary = f"{data['dataset']['split']}: {number(data['dataset']['items'], 'item')}, {number(len(rows), 'system')}"
    columns = ("system", *(data["metrics"][metric] for metric in scores))
    return Findings(summary, True, columns, rows, data, str(raised(diagnostics, sources)))


def _files(predictions: Mapping[str, str | PathLike[str]]) -> tuple[str, ...]:
    """Return the files of systems as the command takes them; raises ``TypeError`` or ``GrammarError``."""
    if not isinstance(predictions, Mapping):
        raise TypeError("`predictions` has files by the names of their systems: `{'transformer': 'predictions.txt'}`")
    if not predictions:
        raise GrammarError("there are no predictions")
    if odd := [name for name in predictions if "=" in f"{name}"]:
        raise GrammarError(f"no system has the name `{odd[0]}`")
    return tuple(f"{name}={Path(path)}" for name, path in predictions.items())


def audit(grammar: str | PathLike[str] | Grammar, *corpora: str | PathLike[str]) -> Findings:
    """Compare files of rows with a grammar: which sentences it derives, and with the same output.

    A row has a sentence and, after tabs, its translation and perhaps a kind, as for ``sglc audit``.
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
