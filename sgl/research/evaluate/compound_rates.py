r"""Error rates of systems on the compounds of a benchmark, beside the rates of the gold texts.

A dataset of ``sglc compile`` has a file of compounds.  For other data there are two files: a YAML
lexicon with the translations of each atom under its role, ``ADJ: {red: [红, 红色]}``, where an
empty text means that anything will do, and the compounds, one on a line in the order of the rows.
Before a tab there may be a name; compounds of one name are one compound in five contexts.

Rates are also by the slices of the rows, such as how often training has a compound.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import compress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml
from numpy.typing import NDArray

from sgl.cli.terminal import count
from sgl.diagnostics import Diagnostics
from sgl.foreign import COMPOUNDS, LEXICON, ForeignFileError, lines_of, read_text
from sgl.foreign.json import JsonValue, read_document
from sgl.lang.yaml_files import yaml_of
from sgl.research.analyse.scoring import Json
from sgl.research.evaluate.benchmark import Benchmark, BenchmarkRow, PatternInfo
from sgl.research.evaluate.compound_dataset import FILE
from sgl.research.evaluate.compounds import (
    CompoundError,
    CompoundLexicon,
    CompoundOccurrence,
    ErrorRate,
    Group,
    check_occurrence,
    error_rates,
    verdicts,
)
from sgl.research.evaluate.judgements import GOLD, Columns, Judgements, kind_of
from sgl.research.evaluate.runs import Systems
from sgl.research.evaluate.slices import Slice
from sgl.research.evaluate.surface import Segmentation, segmentation


class CompoundTable(NamedTuple):
    """The compounds of some rows, and of a dataset all words of the target language.

    ``spaces`` says whether texts of that language have spaces between words, ``left_out`` how
    many items of the patterns of the split have a compound with a part without a role.
    """

    lexicon: CompoundLexicon
    occurrences: tuple[CompoundOccurrence, ...]
    words: tuple[str, ...] = ()
    spaces: bool = True
    left_out: int = 0


def read_lexicon(path: Path) -> CompoundLexicon:
    """Read a lexicon; raises ``CompoundError`` for anything else."""
    text = read_text(path, LEXICON)
    try:
        return CompoundLexicon(_entries(JsonValue(path, yaml_of(text, path))))
    except ForeignFileError as problem:
        raise CompoundError(str(problem)) from None


def _entries(content: JsonValue) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the atoms of each role, with their translations."""
    members = content.members().items()
    return {
        role: {" ".join(atom.split()): found.texts() for atom, found in atoms.members().items()}
        for role, atoms in members
    }


def read_compounds(
    path: Path, rows: Sequence[BenchmarkRow], lexicon: CompoundLexicon
) -> tuple[CompoundOccurrence, ...]:
    """Read the compound of each row; raises ``CompoundError`` if rows or lexicon do not fit."""
    lines = lines_of(read_text(path, COMPOUNDS))
    if len(lines) != len(rows):
        raise CompoundError(f"`{path}` has {len(lines):,} compounds for {len(rows):,} rows")
    found: list[CompoundOccurrence] = []
    for place, (line, row) in enumerate(zip(lines, rows, strict=True)):
        name, tab, compound = line.partition("\t")
        found.append(CompoundOccurrence(name, compound if tab else name, row.source, place))
        try:
            check_occurrence(lexicon, found[-1])
        except CompoundError as problem:
            raise CompoundError(f"`{path}`:{place + 1}: {problem}") from problem
    return tuple(found)


def read_dataset_compounds(benchmark: Benchmark) -> CompoundTable | None:
    """Return the compounds that a dataset has for its rows; None without any for the target.

    Raises ``ForeignFileError`` if it is no table of compounds, ``CompoundError`` if a compound has
    no atoms in its lexicon, or is not in its sentence.
    """
    if benchmark.directory is None:
        return None
    path = benchmark.directory / FILE
    try:
        content = read_document(path, COMPOUNDS, inside=benchmark.directory)
    except ForeignFileError as problem:
        if problem.is_missing:
            return None
        raise
    if content["target"].of(str) != benchmark.target:
        return None
    entries = _entries(content["lexicon"])
    places = {row.id: place for place, row in enumerate(benchmark.rows)}
    occurrences: list[CompoundOccurrence] = []
    try:
        lexicon = CompoundLexicon(entries, frozenset(content["fillers"].texts()))
        for item in content["items"].elements():
            if (place := places.get(item["id"].of(str))) is not None:
                name, source, kind = (item[k].of(str) for k in ("compound", "sentence", "pattern"))
                occurrences.append(CompoundOccurrence(name, name, source, place, kind))
                check_occurrence(lexicon, occurrences[-1])
    except CompoundError as problem:
        raise CompoundError(f"`{path}`: {problem}") from problem
    patterns = {row.category for row in benchmark.rows}
    left_out = sum(n.of(int) for name, n in content["left_out"].members().items() if name in patterns)
    words, spaces = content["words"].texts(), content["spaces"].of(bool)
    return CompoundTable(lexicon, tuple(occurrences), words, spaces, left_out)


def published_compounds(benchmark: Benchmark) -> CompoundTable | None:
    """Return the compounds of the published files of CoGnition, if it is these."""
    if benchmark.lexicon is None:
        return None
    roles: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "cognition.yml").read_text("utf-8"))
    lines = (line.partition("\t") for line in lines_of(read_text(benchmark.lexicon, LEXICON)))
    found = {word: tuple(text.split("/")) for word, _, text in lines}
    # Modifiers have numbers there.
    found |= {text: found.get(f"mod{number}", ()) for number, text in enumerate(roles["MOD"])}
    lexicon = CompoundLexicon({role: {w: found[w] for w in words if w in found} for role, words in roles.items()})
    occurrences = []
    for place, row in enumerate(benchmark.rows):
        types = "+".join(role for role, _ in lexicon.atoms(row.compound))
        occurrences.append(CompoundOccurrence(row.compound, row.compound, row.source, place, types))
        check_occurrence(lexicon, occurrences[-1])
    return CompoundTable(lexicon, tuple(occurrences))


class BenchmarkCompounds(NamedTuple):
    """The compounds of a benchmark, if any; ``chosen`` is the segmentation, for BLEU too."""

    table: CompoundTable | None
    segmentation: Segmentation
    chosen: Segmentation | None

    def only(self, kept: Sequence[bool]) -> "BenchmarkCompounds":
        """Return the compounds of these rows."""
        if self.table is None:
            return self
        places = {row: place for place, row in enumerate(compress(range(len(kept)), kept))}
        own = tuple(one._replace(row=places[one.row]) for one in self.table.occurrences if one.row in places)
        return self._replace(table=self.table._replace(occurrences=own))

    def typed(self, benchmark: Benchmark) -> Benchmark:
        """Return published rows by the types of their atoms, in groups by the kinds of their compounds."""
        if benchmark.lexicon is None or self.table is None or not all(one.pattern for one in self.table.occurrences):
            return benchmark
        kind, own = self.table.lexicon.kind, self.table.occurrences
        patterns = {one.pattern: PatternInfo(one.pattern, (kind(one.compound),)) for one in own}
        rows = (row._replace(category=one.pattern) for row, one in zip(benchmark.rows, own, strict=True))
        return replace(benchmark, rows=tuple(rows), patterns=patterns)

    def rates(
        self, benchmark: Benchmark, systems: Systems, slices: Sequence[Slice], judged: Judgements, *, published: bool
    ) -> tuple[Json | None, Columns]:
        """Return the rates of the gold texts and of each run as plain data, if there are any, and the verdicts."""
        if self.table is None or not self.table.occurrences:
            return None, {}
        # The references are as if they were a system.
        texts = [(GOLD, "", tuple(row.target for row in benchmark.rows))]
        texts += [(name, run.file, run.texts) for name, runs in systems.items() for run in runs]
        cut = cache(self.segmentation.cut)
        lexicon = self.table.lexicon.segmented(cut)
        occurrences = [
            one._replace(factors=tuple((by.name, label) for by in slices for label in by.labels[one.row]))
            for one in self.table.occurrences
        ]
        rates: list[Json] = []
        columns: dict[str, list[NDArray[np.float64]]] = {}
        stopped = 0
        for system, file, outputs in texts:
            given = [cut(outputs[one.row]) for one in occurrences]
            right, stops = verdicts(lexicon, occurrences, given, published=published)
            stopped += stops
            found = error_rates(lexicon, occurrences, right, published=published)
            rates += _listed({"system": system, "file": file}, found)
            columns.setdefault(system, []).append(np.full(len(benchmark.rows), np.nan))
            for one, fits in zip(occurrences, right, strict=True):
                columns[system][-1][one.row] = fits
        by_judges: list[Json] = []
        for judge, of in judged.items():
            for system, said in [(name, run) for name in of for run in of[name] if kind_of(of) == "verdict"]:
                known = [one for one in occurrences if not np.isnan(said[one.row])]
                found = error_rates(lexicon, known, [bool(said[one.row]) for one in known], published=False)
                by_judges += _listed({"judge": judge, "system": system}, found)
        atoms = (pair for atoms in lexicon.entries.values() for pair in atoms.items())
        data = {
            "rule": "the published rule" if published else "whole words, compounds by name",
            "segmented": self.segmentation.name,
            "rates": rates,
            "judged": by_judges,
            "unchecked_atoms": sorted(text for text, translations in atoms if "" in translations),
            "published_script_stops": stopped,
        }
        return data, {system: np.array(runs) for system, runs in columns.items()}


def _listed(of: Json, rates: Mapping[Group, ErrorRate]) -> list[Json]:
    return [{**of, "by": by, "kind": name, **rate._asdict(), **rate.shares} for (by, name), rate in rates.items()]


def compounds_of(
    benchmark: Benchmark, files: tuple[Path | None, Path | None], way: str | None, diagnostics: Diagnostics
) -> BenchmarkCompounds:
    """Return the compounds of the rows, by default from the dataset; raises ``CompoundError``.

    ``files`` are the compound of each row, and the lexicon.  ``way`` is how texts are segmented.
    """
    dataset = read_dataset_compounds(benchmark)
    table = published_compounds(benchmark) or dataset
    if files[0] is not None and files[1] is not None:
        lexicon = read_lexicon(files[1])
        table = CompoundTable(lexicon, read_compounds(files[0], benchmark.rows, lexicon))
    if table is not None and table.left_out:
        message = f"not computed: the error rate of {count(table.left_out, 'compound')}"
        notes = ["they have parts without a role; the others are counted"]
        diagnostics.warning("SGL1405", None, message, notes=notes)
    if way == "words" and dataset is None:
        message = "the dataset has no list of words for `--segment words`"
        raise CompoundError(message, notes=[f"it is in `{FILE}`, which datasets with compounds have"])
    known = () if dataset is None else dataset.words
    chosen = None if way is None else segmentation(way, known)
    cut = chosen or segmentation("spaces")
    if dataset is not None and table is dataset:
        # Its compounds are words of it, which another segmentation would cut in other places.
        cut = segmentation("spaces" if dataset.spaces else "words", known)
    return BenchmarkCompounds(table, cut, chosen)
