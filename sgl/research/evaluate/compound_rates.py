r"""Error rates of systems on the compounds of a benchmark, beside the rates of the gold texts.

A dataset of ``sglc compile`` has a file of compounds.  For other data there are two files: a YAML
lexicon with the translations of each atom under its role, ``ADJ: {red: [红, 红色]}``, where an
empty text means that anything will do, and the compounds, one on a line in the order of the rows.
Before a tab there may be a name; compounds of one name are one compound in five contexts.

Rates are also by the slices of the rows, such as how often training has a compound.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
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
from sgl.research.analyse.statistics import places_by
from sgl.research.evaluate.benchmark import Benchmark, BenchmarkRow, PatternInfo
from sgl.research.evaluate.compound_dataset import FILE
from sgl.research.evaluate.compounds import CompoundError, CompoundLexicon, error_rate, published_correct, translates
from sgl.research.evaluate.judgements import GOLD, Columns, Judgements, verdicts_in
from sgl.research.evaluate.runs import Systems
from sgl.research.evaluate.slices import Slice
from sgl.research.evaluate.surface import Segmentation, segmentation

#: Compounds that are counted together: ``all``, a ``kind``, or another division, and the part of it.
_Groups = Mapping[tuple[str, str], NDArray[np.int64]]


class CompoundOccurrence(NamedTuple):
    """A compound in the sentence of the row of this name; those of one ``name`` are one compound."""

    name: str
    compound: str
    source: str
    row: str
    pattern: str = ""


class CompoundTable(NamedTuple):
    """The compounds of some rows, and of a dataset all words of the target language.

    ``spaces`` says whether texts of that language have spaces between words, ``left_out`` how many items of the
    patterns of the split have a compound with a part without a role; ``way`` cuts outputs into words.
    """

    lexicon: CompoundLexicon
    occurrences: tuple[CompoundOccurrence, ...]
    words: tuple[str, ...] = ()
    spaces: bool = True
    left_out: int = 0
    way: Segmentation = segmentation("spaces")

    def typed(self, benchmark: Benchmark) -> Benchmark:
        """Return published rows by the types of their atoms, in groups by the kinds of their compounds."""
        if benchmark.lexicon is None or not all(one.pattern for one in self.occurrences):
            return benchmark
        kind = self.lexicon.kind
        patterns = {one.pattern: PatternInfo(one.pattern, (kind(one.compound),)) for one in self.occurrences}
        rows = (row._replace(category=one.pattern) for row, one in zip(benchmark.rows, self.occurrences, strict=True))
        return replace(benchmark, rows=tuple(rows), patterns=patterns)

    def rates(
        self, benchmark: Benchmark, systems: Systems, slices: Sequence[Slice], judged: Judgements, *, published: bool
    ) -> tuple[Json | None, Columns]:
        """Return the rates of the gold texts and of each run as plain data, if there are any, and the verdicts."""
        places = {row.id: place for place, row in enumerate(benchmark.rows)}
        occurrences = [one for one in self.occurrences if one.row in places]
        if not occurrences:
            return None, {}
        cut, rows = cache(self.way.cut), np.array([places[one.row] for one in occurrences])
        lexicon, groups = self.lexicon.segmented(cut), self._groups(occurrences, rows, slices)
        listed = partial(_listed, [one.name for one in occurrences], groups)
        # The references are as if they were a system.
        texts = [(GOLD, "", tuple(row.target for row in benchmark.rows))]
        texts += [(name, run.file, run.texts) for name, runs in systems.items() for run in runs]
        rates: list[Json] = []
        columns: dict[str, list[NDArray[np.float64]]] = {}
        stopped = 0
        for system, file, outputs in texts:
            given = [cut(outputs[row]) for row in rows]
            told = [_verdict(lexicon, *pair, published=published) for pair in zip(occurrences, given, strict=True)]
            # Where the published script would have stopped, the output counts as wrong.
            right = np.array([bool(verdict) for verdict in told], np.float64)
            stopped += told.count(None)
            rates += listed({"system": system, "file": file}, right, published=published)
            columns.setdefault(system, []).append(np.full(len(benchmark.rows), np.nan))
            columns[system][-1][rows] = right
        by_judges: list[Json] = []
        for judge, system, said in verdicts_in(judged):
            by_judges += listed({"judge": judge, "system": system}, said[rows])
        data = {
            "rule": "the published rule" if published else "whole words, compounds by name",
            "segmented": self.way.name,
            "rates": rates,
            "judged": by_judges,
            "unchecked_atoms": sorted(
                text for of in lexicon.entries.values() for text, found in of.items() if "" in found
            ),
            "published_script_stops": stopped,
        }
        return data, {system: np.array(runs) for system, runs in columns.items()}

    def _groups(
        self, occurrences: Sequence[CompoundOccurrence], rows: NDArray[np.int64], slices: Sequence[Slice]
    ) -> _Groups:
        """Return all compounds, and those of each kind, number of atoms, pattern and label of a slice."""
        found = places_by(
            [("all", "all"), ("kind", self.lexicon.kind(one.compound))]
            + [("atoms", str(len(self.lexicon.atoms(one.compound))))]
            + [("pattern", one.pattern)] * bool(one.pattern)
            + [(cut.name, label) for cut in slices for label in cut.labels[row]]
            for one, row in zip(occurrences, rows, strict=True)
        )
        # Kinds are in the order of their names, others as they come.
        return dict(sorted(found.items(), key=lambda item: (item[0][0], item[0][0] == "kind" and item[0][1])))


def _listed(
    names: Sequence[str], groups: _Groups, of: Json, right: NDArray[np.float64], *, published: bool = False
) -> Iterator[Json]:
    """Yield the rates of compounds in groups."""
    for (by, kind), places in groups.items():
        if len(known := places[~np.isnan(right[places])]):
            rate = error_rate([names[at] for at in known], right[known] > 0, published=published)
            yield {**of, "by": by, "kind": kind, **rate}


def _verdict(lexicon: CompoundLexicon, one: CompoundOccurrence, text: str, *, published: bool) -> bool | None:
    """Return whether an output is right; None where the published script would have stopped."""
    try:
        if published:
            return published_correct(lexicon, one.source, one.compound, text)
        return translates(lexicon, one.compound, text)
    except CompoundError:
        return None


def _entries(content: JsonValue) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the atoms of each role, with their translations."""
    return {
        role: {" ".join(atom.split()): found.texts() for atom, found in atoms.members().items()}
        for role, atoms in content.members().items()
    }


def _checked(
    path: Path, lexicon: CompoundLexicon, found: Iterable[CompoundOccurrence]
) -> tuple[CompoundOccurrence, ...]:
    """Return the compounds of a file; raises ``CompoundError`` if one is not of the lexicon, or not in its row."""
    occurrences = tuple(found)
    for number, one in enumerate(occurrences, 1):
        try:
            lexicon.atoms(one.compound)
            if f" {' '.join(one.compound.split())} " not in f" {' '.join(one.source.split())} ":
                raise CompoundError(f"`{one.compound}` is not in `{one.source}`")
        except CompoundError as problem:
            raise CompoundError(f"`{path}`, row {number:,}: {problem}") from None
    return occurrences


def read_compounds(path: Path, lexicon: Path, rows: Sequence[BenchmarkRow]) -> CompoundTable:
    """Read the compound of each row and a lexicon; raises ``CompoundError`` if rows or lexicon do not fit."""
    text = read_text(lexicon, LEXICON)
    try:
        known = CompoundLexicon(_entries(JsonValue(lexicon, yaml_of(text, lexicon))))
    except ForeignFileError as problem:
        raise CompoundError(str(problem)) from None
    lines = [line.partition("\t") for line in lines_of(read_text(path, COMPOUNDS))]
    if len(lines) != len(rows):
        raise CompoundError(f"`{path}` has {len(lines):,} compounds for {len(rows):,} rows")
    found = (
        CompoundOccurrence(name, compound if tab else name, row.source, row.id)
        for (name, tab, compound), row in zip(lines, rows, strict=True)
    )
    return CompoundTable(known, _checked(path, known, found))


def read_dataset_compounds(benchmark: Benchmark) -> CompoundTable | None:
    """Return the compounds that a dataset has for its rows; None without any for the target.

    Raises ``ForeignFileError`` if it is no table of compounds, ``CompoundError`` if a compound has
    no atoms in its lexicon, or is not in its sentence.
    """
    if benchmark.directory is None or not (path := benchmark.directory / FILE).exists():
        return None
    content = read_document(path, COMPOUNDS, inside=benchmark.directory)
    if content["target"].of(str) != benchmark.target:
        return None
    lexicon = CompoundLexicon(_entries(content["lexicon"]), frozenset(content["fillers"].texts()))
    rows = {row.id for row in benchmark.rows}
    occurrences = [
        CompoundOccurrence(name, name, sentence, row, pattern)
        for item in content["items"].elements()
        for row, name, sentence, pattern in [[item[key].of(str) for key in ("id", "compound", "sentence", "pattern")]]
        if row in rows
    ]
    patterns = {row.category for row in benchmark.rows}
    left_out = sum(n.of(int) for name, n in content["left_out"].members().items() if name in patterns)
    words, spaces = content["words"].texts(), content["spaces"].of(bool)
    return CompoundTable(lexicon, _checked(path, lexicon, occurrences), words, spaces, left_out)


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
    occurrences = (
        CompoundOccurrence(
            row.compound, row.compound, row.source, row.id, "+".join(role for role, _ in lexicon.atoms(row.compound))
        )
        for row in benchmark.rows
    )
    return CompoundTable(lexicon, _checked(benchmark.lexicon, lexicon, occurrences))


def compounds_of(
    benchmark: Benchmark, files: tuple[Path | None, Path | None], way: str | None, diagnostics: Diagnostics
) -> tuple[CompoundTable | None, Segmentation | None]:
    """Return the compounds of the rows, by default from the dataset, and the segmentation ``way``, for BLEU too.

    ``files`` are the compound of each row, and the lexicon.  Raises ``CompoundError``.
    """
    dataset = read_dataset_compounds(benchmark)
    table = published_compounds(benchmark) or dataset
    if files[0] is not None and files[1] is not None:
        table = read_compounds(files[0], files[1], benchmark.rows)
    if table is not None and table.left_out:
        message = f"not computed: the error rate of {count(table.left_out, 'compound')}"
        notes = ["they have parts without a role; the others are counted"]
        diagnostics.warning("SGL1405", None, message, notes=notes)
    if way == "words" and dataset is None:
        message = "the dataset has no list of words for `--segment words`"
        raise CompoundError(message, notes=[f"it is in `{FILE}`, which datasets with compounds have"])
    known = () if dataset is None else dataset.words
    chosen = None if way is None else segmentation(way, known)
    if table is None:
        return None, chosen
    cut = chosen or segmentation("spaces")
    if table is dataset:
        # Its compounds are words of it, which another segmentation would cut in other places.
        cut = segmentation("spaces" if table.spaces else "words", known)
    return table._replace(way=cut), chosen
