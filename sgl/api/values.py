"""Results and errors of methods: tables of findings and scores, and one exception."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgl.characters import has_surrogate, visible
from sgl.diagnostics import Diagnostic, SourceMap
from sgl.diagnostics.render import render

if TYPE_CHECKING:
    import datasets
    import pandas as pd
    import pyarrow as pa

    from sgl.frontend import Compiled


class GrammarError(Exception):
    """An error in a grammar or a request; the text says what is wrong and where.

    ``diagnostics`` are the messages as values, with their codes.
    """

    def __init__(self, text: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(text)
        self.diagnostics = diagnostics


def raised(diagnostics: Iterable[Diagnostic], sources: SourceMap) -> GrammarError:
    """Return the error that shows these messages."""
    found = tuple(diagnostics)
    return GrammarError("\n\n".join(render(each, sources, color=False) for each in found), found)


@contextmanager
def working(compiled: Compiled | None = None, sources: SourceMap | None = None) -> Iterator[None]:
    """Use the cache in the block, and turn exceptions caused by the user into ``GrammarError``."""
    from sgl.cache import open_cache, using

    try:
        with using(open_cache()):
            yield
    except GrammarError:
        raise
    except Exception as problem:
        from click import UsageError

        from sgl.cli.failures import failure_of
        from sgl.pipeline.samples import SampleError
        from sgl.verify import VerifyError

        if isinstance(problem, UsageError):
            raise GrammarError(problem.format_message()) from problem
        if isinstance(problem, SampleError | VerifyError):
            raise GrammarError(str(problem)) from problem
        failure = failure_of(problem, compiled)
        if failure is None:
            raise
        raise raised([failure[0]], sources or SourceMap()) from problem


def settings_of(parameters: Mapping[str, str | int | bool]) -> dict[str, str]:
    """Return parameters in the form that ``--set`` takes."""
    said = {True: "on", False: "off"}
    return {name: said[value] if isinstance(value, bool) else str(value) for name, value in parameters.items()}


def whole(number: int, name: str, least: int = 0) -> int:
    """Return a number within its limits; raises ``TypeError`` if it is not whole, and ``GrammarError`` outside them."""
    from sgl.frontend.names.parameters import MAX_COUNT

    if not least <= (found := index(number)) <= MAX_COUNT:
        raise GrammarError(f"`{name}` is {found:,}; it must be from {least:,} to {MAX_COUNT:,}")
    return found


def text(value: str, name: str) -> str:
    """Return a text; raises ``TypeError`` for anything else, and ``GrammarError`` for half characters."""
    if not isinstance(value, str):
        raise TypeError(f"`{name}` must be a text, not {value!r:.100}")
    if has_surrogate(value):
        raise GrammarError(f"`{visible(name)}` contains half of a character (a surrogate), which no file can contain")
    return value


def texts_of(files: Mapping[str, str] | None, main: str, content: str, folder: Path = Path()) -> dict[Path, bytes]:
    """Return texts by the paths that they stand for; raises ``TypeError`` or ``GrammarError`` for other values."""
    if main in (files or {}):
        raise GrammarError(f"`{main}` is the name of the text itself: rename the file in `files`")
    given = {**(files or {}), main: content}
    return {(folder / text(name, "files")).resolve(): text(value, name).encode() for name, value in given.items()}


#: Pictures of one page have different names.
_NUMBERS = count(1)

#: A notebook shows this many texts or rows and counts the others.
_IN_A_NOTEBOOK = 50


class Shown:
    """A value that a notebook shows with a part of the template."""

    _part = "findings"

    def _repr_html_(self) -> str:
        from sgl.report.render import page_environment

        environment = page_environment("sgl.api")
        environment.filters["shown"] = shown
        return environment.get_template("notebook.html.j2").render(
            part=self._part, it=self, numbers=_NUMBERS, most=_IN_A_NOTEBOOK
        )


class Tabular(Shown):
    """A value with rows, convertible to tables of other libraries."""

    def _table(self) -> dict[str, list[object]]:
        """Return the columns by name."""
        raise NotImplementedError

    @working()
    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a data frame; needs pandas."""
        import pandas as pd

        return pd.DataFrame(self._table())

    @working()
    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table, which Polars, DuckDB and others read."""
        import pyarrow as pa

        return pa.table(self._table())

    @working()
    def to_hf(self) -> datasets.Dataset:
        """Return the rows as a Hugging Face dataset; needs datasets."""
        from datasets import Dataset

        return Dataset.from_dict(self._table())


@dataclass(frozen=True, repr=False)
class Findings(Tabular):
    """The result of a method: a table, and whether all is right.

    It is false if something is wrong: ``assert g.prove()``.  ``data`` has everything that the command writes as JSON,
    ``messages`` the errors as the command line shows them.
    """

    summary: str
    ok: bool
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    data: Mapping[str, Any] = field(default_factory=dict)
    messages: str = ""

    def __bool__(self) -> bool:
        return self.ok

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<{self.summary}>"

    def __str__(self) -> str:
        from sgl.report.model import columns

        table = columns([tuple(self.columns), *(tuple(map(shown, row)) for row in self.rows)])
        return "\n".join([*table, "", self.summary, *[self.messages] * bool(self.messages)])

    def _table(self) -> dict[str, list[object]]:
        return {name: [row[place] for row in self.rows] for place, name in enumerate(self.columns)}


@dataclass(frozen=True, repr=False)
class Scores(Findings):
    """The scores of systems, one row each, from 0 to 1 (BLEU and chrF++ from 0 to 100).

    scores.by("patterns").to_pandas()  # a row for each pattern and system
    wandb.log(scores.flat("model"))  # {"exact": 0.61, "pp_in_subject/exact": 0.05, …}
    """

    def by(self, table: str) -> Findings:
        """Return a row for each part and system: parts by ``pattern``, ``group``, ``length``, ``depth``, ``nesting``.

        The requested ``slices`` are also available.  Raises ``GrammarError`` if there are no such scores.
        """
        tables = self.data["tables"]
        chosen = table if table in tables else f"{table}s"
        if chosen not in tables:
            raise GrammarError(f"there are no scores by `{table}`; there are: {', '.join(tables)}")
        metrics = self.data["metrics"]
        rows = [
            (part["name"], part["title"], part["items"], system["name"], *_cells(part, system["name"], metrics))
            for part in tables[chosen]
            for system in self.data["systems"]
        ]
        columns = (chosen.removesuffix("s"), "title", "items", "system", *metrics)
        return Findings(f"{self.summary}, by {chosen}", self.ok, columns, rows, {chosen: tables[chosen]})

    def flat(self, system: str = "") -> dict[str, float]:
        """Return the scores of all items, groups and patterns by name: ``model/pp_in_subject/exact``.

        With a ``system``, only its scores are returned, without its name.  Experiment trackers can log them directly.
        """
        systems = [one["name"] for one in self.data["systems"]]
        system = text(system, "system")
        if system and system not in systems:
            raise GrammarError(f"there is no system `{system}`; there is: {', '.join(systems)}")
        metrics, tables = self.data["metrics"], self.data["tables"]
        parts = [("", tables["overall"][0]), *((f"{p['name']}/", p) for t in ("groups", "patterns") for p in tables[t])]
        return {
            f"{'' if system else f'{name}/'}{prefix}{metric}": value
            for name in ([system] if system else systems)
            for prefix, part in parts
            for metric, value in zip(metrics, _cells(part, name, metrics), strict=True)
            if value is not None
        }


def _cells(part: Mapping[str, Any], system: str, metrics: Iterable[str]) -> list[float | None]:
    """Return the scores of a system for a part, one for each metric."""
    return [part["scores"].get(metric, {}).get(system, {}).get("mean") for metric in metrics]


def shown(value: object) -> str:
    """Return a cell as text: ``1,000``, ``0.25``, ``proved``; empty for None."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return (
        "" if value is None else f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    )
