r"""The rows of a dataset that predictions are made for, and the grammar that they come from.

A dataset is a directory of ``sglc compile``, a single file of rows (source, target, category), or a
treebank in CoNLL-U, whose sentences are to be predicted.  Rows have the names that CoNLL-U gives
them: ``gen-000001`` is the first row of ``gen``.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

from sgl.core.plan import IN_DISTRIBUTION, split_called
from sgl.corpus.rows import Corpus, Unreadable
from sgl.dataset import MANIFEST, manifest_of, signature
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.foreign import BENCHMARK, ForeignFileError, lines_of, opened, read_text, sha256_of
from sgl.foreign.json import JsonValue, json_of
from sgl.foreign.parquet import table_of
from sgl.frontend import Compiled
from sgl.lang.packed import main_of
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.proofs import fingerprints
from sgl.rendering.views import VIEWS
from sgl.research.analyse.outputs import PredictionsError
from sgl.research.treebank import Malformed, TreebankReader, TreebankSentence

#: Logical forms that can be compared by what they mean.
FORMS = tuple(name for name, view in VIEWS.items() if view.syntax)

#: What logical forms have that no sentence has.
_MARKS = {"cogs": re.compile(r"\( x _ \d+ [,)]"), "varfree": re.compile(r"\w \( \w+( \. \w+)* = ")}

#: Rows that are kept in memory: as many as `sglc compile` writes of a split at most.
MOST_ROWS = 10_000_000

#: Rows that are named in a message.
_NAMED = 5

Item = TypeVar("Item")


class DatasetError(PredictionsError):
    """A dataset that cannot be used."""

    code = "SGL1401"


class BenchmarkRow(NamedTuple):
    """A row to be predicted: source, gold target, the category it is counted by, and other right answers."""

    id: str
    source: str
    target: str
    category: str
    compound: str = ""
    others: tuple[str, ...] = ()


class PatternInfo(NamedTuple):
    """A generalization pattern as tables show it: its title and the groups that it is in."""

    title: str
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The rows of one split, in order.

    ``view`` is the notation of the target if it is a logical form.  ``directory`` is where the dataset is, none for a
    file of another origin; only a dataset knows the hash and the parameters of its grammar.  ``sentences`` are those
    of a treebank, one for each row, ``lexicon`` is that of published compounds.  ``variants`` are other training sets,
    by their settings.
    """

    name: str
    title: str
    signature: str
    split: str
    source: str
    target: str
    view: str
    rows: tuple[BenchmarkRow, ...]
    patterns: Mapping[str, PatternInfo] = field(default_factory=dict)
    grammar_sha256: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    directory: Path | None = None
    sentences: tuple[TreebankSentence, ...] = ()
    lexicon: Path | None = None
    variants: dict[str, Path] = field(default_factory=dict)

    @property
    def is_in_distribution(self) -> bool:
        """Whether this is a split without items of patterns, such as ``test``."""
        return self.directory is not None and {row.category for row in self.rows} == {IN_DISTRIBUTION}

    def other_names(self) -> list[str]:
        """Return the names that Parquet files have for the rows; none if there are no such files."""
        path = self.directory and self.directory / "parquet" / f"{self.split}.parquet"
        if path is None or not path.is_file():
            return []
        table = table_of(path, inside=self.directory)
        return table["id"].to_pylist() if "id" in table.column_names else []


def read_benchmark(path: Path, split: str | None, target: str | None) -> Benchmark:
    """Read a split of a dataset (``gen`` if there is one), or a file of rows.

    Without a ``target`` it is the one of the main files.  Raises ``DatasetError`` without such a
    split or target, or for rows that cannot be read.
    """
    if path.is_dir() and (path / "lexicon").is_file() and not (path / MANIFEST).exists():
        return _of_cognition(path, split or "gen")
    return (_of_dataset if path.is_dir() else _of_file)(path, split, target)


def _of_cognition(path: Path, split: str) -> Benchmark:
    """Return the rows of published files of CoGnition, line by line: `.en`, `.zh` and, for ``gen``, `.compound`."""
    lexicon = path / "lexicon" if split == "gen" else None
    one = path / ("cg-test.compound" if lexicon else f"{split}.en")
    whole = [one] if not lexicon or one.exists() else sorted(path.glob("*.compound"))
    # The whole test set has noun phrases, then verb phrases, then the others.
    whole.sort(key=lambda file: ("NP", "VP", "PP").index(file.stem) if file.stem in ("NP", "VP", "PP") else -1)
    rows: list[BenchmarkRow] = []
    for file in whole:
        ends = (".en", ".zh", ".compound") if lexicon else (".en", ".zh")
        sides = [lines_of(read_text(file.with_suffix(end), BENCHMARK)) for end in ends]
        if len({len(side) for side in sides}) != 1:
            raise DatasetError(f"`{file.stem}` has different numbers of lines in {', '.join(ends)}")
        for number, (source, text, *compound) in enumerate(zip(*sides, strict=True), 1):
            name = f"{file.stem}-{number:06d}"
            rows.append(BenchmarkRow(name, source, text, file.stem, "".join(compound).strip()))
    if not rows:
        lacking = "a lexicon, but no `.compound` file next to it" if not whole else f"no rows in `{split}`"
        raise DatasetError(f"`{path}` has {lacking}")
    return Benchmark("cognition", "CoGnition", "", split, "en", "zh", "", tuple(rows), lexicon=lexicon)


def _of_file(path: Path, split: str | None, target: str | None) -> Benchmark:
    """Return the rows of a file, or the sentences of a treebank with their own names."""
    if split is not None:
        opened(path, BENCHMARK).close()
        raise DatasetError(f"`{path}` is a file of rows, which has no split `{split}`")
    name = path.stem
    if path.suffix.lower() != ".conllu":
        # Without a manifest the name of the target says whether it is a logical form, or the first forms do.
        given = _rows(path, name)
        found = (view for view, mark in _MARKS.items() if any(mark.search(row.target) for row in given))
        view = target if target in FORMS else "" if target else next(found, "")
        return Benchmark(name, name, "", name, "source", target or "target", view, given)
    sentences = all_of(path, TreebankReader().read(path), "sentences")
    rows = []
    for number, sentence in enumerate(sentences, 1):
        sent_id, category = map(sentence.comment, ("sent_id", "category"))
        rows.append(BenchmarkRow(sent_id or f"{name}-{number:06d}", "", sentence.text, category or IN_DISTRIBUTION))
    return Benchmark(name, name, "", name, "tree", target or "text", "", tuple(rows), sentences=tuple(sentences))


def _of_dataset(path: Path, split: str | None, target: str | None) -> Benchmark:
    try:
        manifest = manifest_of(path)
    except ForeignFileError as problem:
        problem.hint = problem.hint or "DATASET is a directory that `sglc compile` has written, or a file of rows"
        raise
    layers, splits = manifest["layers"], list(manifest["splits"].members())
    targets = [layers["target"].of(str), *layers["further"].texts()]
    chosen = split_called(split or "") or ("gen" if "gen" in splits else splits[-1] if splits else "")
    wanted = target or targets[0]
    for what, name, known in (("split", chosen, splits), ("target", wanted, targets)):
        if name not in known:
            hint = f"it has {', '.join(known) or 'none'}"
            raise DatasetError(f"the dataset has no {what} `{name}`", hint=hint)
    data = f"data/{chosen}.tsv" if wanted == targets[0] else f"data/{wanted}/{chosen}.tsv"
    views = {view["name"].of(str): view["kind"].of(str) for view in layers["views"].elements()}
    name = manifest["name"].of(str)
    return Benchmark(
        name,
        manifest["title"].of(str) or name,
        signature(path, manifest["identity"].of(str), MANIFEST, data),
        chosen,
        layers["source"].of(str),
        wanted,
        views.get(wanted, ""),
        _listed_rows(path, chosen, wanted, data, manifest),
        {
            e["name"].of(str): PatternInfo(e["title"].of(str), e["groups"].texts())
            for e in manifest["patterns"].elements()
        },
        manifest["grammar"]["sha256"].of(str),
        {name: str(value.data) for name, value in manifest["parameters"].members().items()},
        path,
    )


def _listed_rows(path: Path, split: str, target: str, data: str, manifest: JsonValue) -> tuple[BenchmarkRow, ...]:
    """Return the rows of a split, if they are those that the manifest lists, with their other right answers."""
    listed = {entry["path"].of(str): entry["sha256"].of(str) for entry in manifest["files"].elements()}
    rows, references = _rows(path / data, split, path), f"references/{split}.jsonl"
    for file in (data, references) if references in listed else (data,):
        if listed.get(file) != sha256_of(path / file, inside=path):
            changed = "has changed since it was written" if file in listed else "is not listed"
            raise DatasetError(
                f"`{path / file}` is not the file of the manifest: it {changed}",
                f"`sglc verify {path}` shows what differs"
                + (f"; `sglc eval {path / data}` takes the file alone" if references not in listed else ""),
                ["scores against it would not be comparable with the dataset's"],
            )
    if references not in listed:
        return rows
    lines = lines_of(read_text(path / references, BENCHMARK, inside=path))
    read = (json_of(line.encode(), path / references, number) for number, line in enumerate(lines, 1))
    answers = [JsonValue(path / references, value)[target].texts() for value in read]
    return tuple(row._replace(others=tuple(own[1:])) for row, own in zip(rows, answers, strict=True))


def _rows(path: Path, split: str, inside: Path | None = None) -> tuple[BenchmarkRow, ...]:
    return tuple(
        BenchmarkRow(f"{split}-{row.line:06d}", row.texts[0], row.texts[1], row.kind or IN_DISTRIBUTION)
        for row in all_of(path, Corpus(path, 2, BENCHMARK, inside).rows(), "rows")
    )


def all_of(path: Path, read: Iterable[Item | Malformed | Unreadable], what: str) -> list[Item]:
    """Return a file's items; raises ``DatasetError`` if one cannot be read, or none is there."""
    found: list[Item] = []
    faults: list[str] = []
    for item in read:
        if isinstance(item, Malformed | Unreadable):
            faults.append(f"line {item.line}: {item.reason}")
        else:
            found.append(item)
        if len(found) > MOST_ROWS:
            raise DatasetError(f"`{path}` has more than {MOST_ROWS:,} {what}")
    if faults:
        raise DatasetError(f"`{path}` has {what} that cannot be read: {len(faults):,}", notes=faults[:_NAMED])
    if not found:
        raise DatasetError(f"`{path}` has no {what}")
    return found


def grammar_of(
    benchmark: Benchmark,
    given: Path | Compiled | None,
    settings: Mapping[str, str],
    sources: SourceMap,
    diagnostics: Diagnostics,
) -> Compiled | None:
    """Return the grammar for partial matches; None without a grammar, or after errors.

    Without one that is ``given`` it is the grammar of the dataset.  One with another fingerprint is used with a
    warning; rows that it does not derive are counted.
    """
    path = None if isinstance(given, Compiled) else given
    if given is None and benchmark.directory is not None:
        path = main_of(benchmark.directory)
        path = path if path != benchmark.directory else None
    compiled = given if isinstance(given, Compiled) else None
    if path is not None:
        compiled = open_grammar(path, {**benchmark.parameters, **settings}, sources, diagnostics)
    if compiled is None or benchmark.directory is None:
        return compiled
    if benchmark.grammar_sha256 not in fingerprints(compiled):
        message = f"`{path or compiled.project.name}` is not the grammar that the dataset was made from"
        notes = ["its fingerprint differs from the one in the manifest"]
        diagnostics.warning("SGL1404", None, message, "name another one with `--grammar`", notes=notes)
    return compiled
