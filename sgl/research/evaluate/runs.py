"""The predictions of systems, assigned to rows: what each run says of each item, and what is wrong with the whole.

A prediction that is missing or empty counts as wrong, and is reported.  One that belongs to no row (a line too many,
an unknown name, a name twice) is an error: then no score would mean anything.  If a file has several samples of every
item, each is a run.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import compress
from operator import and_, not_
from pathlib import Path
from shlex import quote
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.cli.terminal import count
from sgl.diagnostics import Diagnostics
from sgl.foreign import limits
from sgl.research.analyse.command import report_pieces
from sgl.research.analyse.outputs import PredictionsError, SystemOutput, Usage
from sgl.research.analyse.predictions import Outputs, Predictions, first_of, given_outputs, read_predictions
from sgl.research.analyse.statistics import places_by
from sgl.research.analyse.words import joined
from sgl.research.evaluate.answers import FAULTS, Faults, Noticed, answer_in, noticed
from sgl.research.evaluate.benchmark import BenchmarkRow
from sgl.research.evaluate.equivalence import exact, normal

#: Languages that are written without spaces between words.
_SPACELESS = ("ja", "zh", "th")

#: What stands before the first space or sign of a line, without quotes.
_CELL = re.compile(r"""\s*["']?([^\s,;:|"']{1,100})["']?\s*[\s,;:|]""")

#: A name that `sglc compile` could have given to a row.
_ROW_NAME = re.compile(r"[^\W\d]\w*-\d{6,}")

#: What to do about predictions without names.
_IN_ORDER = (
    "give `--split` if they are for another split; with the names of rows before them (`gen-000001`, a tab), "
    "predictions may be missing"
)

#: The number of rows from which an offset of all predictions by one line can be detected.
_TELLING = 20


class Run(NamedTuple):
    """The predictions of one run, one for each row; empty where there is none.

    ``missing`` are the names of rows without one, ``empty`` of those with nothing in it. ``shifted`` is by how many
    lines the file seems to be off.  ``words`` has the words of predictions that came as words, None for the others.
    ``faults`` says of wrong predictions why they are no answers, ``usage`` what they cost; ``unread`` counts those in
    which readers found nothing, and ``noticed`` is what stands around most, if nothing reads them.  ``pieces`` counts
    predictions with marks of tokenizers, where no gold text has them; ``cut`` those that were longer than the limit
    ``letters``.
    """

    file: str
    texts: tuple[str, ...]
    missing: tuple[str, ...]
    empty: tuple[str, ...]
    shifted: int
    words: tuple[tuple[str, ...] | None, ...]
    faults: tuple[str | None, ...]
    usage: Usage = Usage()
    unread: int = 0
    noticed: Noticed | None = None
    pieces: int = 0
    cut: int = 0

    def only(self, kept: Sequence[bool]) -> "Run":
        """Return the predictions for these rows."""
        texts, words = tuple(compress(self.texts, kept)), tuple(compress(self.words, kept))
        return self._replace(texts=texts, words=words, faults=tuple(compress(self.faults, kept)))


#: The runs of each system.
Systems = Mapping[str, Sequence[Run]]


#: Predictions: a file, or texts by the names of rows or in their order.
Given = Path | Outputs

#: A function from the source of a row to its output, or to several samples.
Model = Callable[[str], str | Sequence[str]]


def predictions_for(given: Given, names: Collection[str]) -> Predictions:
    """Return predictions for what has these names; raises ``PredictionsError``."""
    return read_predictions(given, "form", names) if isinstance(given, Path) else given_outputs(given)


def read_runs(
    given: Given,
    rows: Sequence[BenchmarkRow],
    language: str = "",
    words: Sequence[tuple[str, ...]] = (),
    other_names: Callable[[], Sequence[str]] = tuple,
    readers: Sequence[str] = (),
) -> list[Run]:
    """Read the predictions of a file, or those given: a run for each sample that all items have.

    ``language`` says whether words have spaces between them.  ``words`` are those of the rows, if they are known: a
    prediction of these words, without a text, has the text of the row.  ``other_names`` are those that Parquet files
    have for the rows.  ``readers`` take answers out of outputs.  Raises ``PredictionsError`` if they do not fit.
    """
    names = [row.id for row in rows]
    said = _named_alike(predictions_for(given, frozenset(names)), names, other_names)
    in_order = said.by_id is None
    try:
        outputs = said.of(names)
    except PredictionsError as problem:
        problem.hint = _IN_ORDER if in_order else f"rows are called {names[0]} to {names[-1]}"
        raise
    if in_order:
        _check_names([output.text or "" for output in outputs if output], rows)
    samples = [(output, *output.samples) if output else () for output in outputs]
    reader = _RunReader(given.name if isinstance(given, Path) else "", rows, language, words, readers)
    number = min(filter(None, map(len, samples)), default=1)
    return [reader.run([of[at] if of else None for of in samples], in_order=in_order) for at in range(number)]


def _named_alike(said: Predictions, names: Sequence[str], other_names: Callable[[], Sequence[str]]) -> Predictions:
    """Return predictions by the names of the rows, if they have the other ones."""
    if not said.by_id or not said.by_id.keys().isdisjoint(names):
        return said
    row_of = dict(zip(other_names(), names, strict=False))
    # What is neither is reported as unknown.
    return Predictions({row_of.get(name, name): output for name, output in said.by_id.items()})


class _RunReader:
    """Reads the outputs of a file for some rows."""

    def __init__(
        self,
        file: str,
        rows: Sequence[BenchmarkRow],
        language: str,
        words: Sequence[tuple[str, ...]],
        readers: Sequence[str],
    ) -> None:
        self._file, self._rows, self._language, self._readers = file, rows, language, readers
        self._words = words or [()] * len(rows)
        self._golds = [row.target for row in rows]
        self._faults = Faults({row.source for row in rows}, self._golds)

    def run(self, outputs: Sequence[SystemOutput | None], *, in_order: bool) -> Run:
        """Return the run of one output for each row."""
        said = [output or SystemOutput("") for output in outputs]
        raw = list(map(self._written, said, self._rows, self._words))
        answers = [answer_in(text, self._readers) for text in raw]
        whole = list(map(_accepted, self._rows, raw, answers))
        most = [max(limits().letters, 2 * len(gold)) for gold in self._golds]
        texts = [text[:at] for text, at in zip(whole, most, strict=True)]
        cut = sum(map(str.__ne__, texts, whole))
        words = [of.words and of.words[:at] for of, at in zip(said, most, strict=True)]
        pieces = _joined(texts, self._rows, self._language)
        for place in pieces:
            words[place] = None
        empty, ids = [not text.strip() for text in texts], [row.id for row in self._rows]
        return Run(
            self._file,
            tuple(texts),
            missing=tuple(compress(ids, map(not_, outputs))),
            empty=tuple(compress(ids, map(and_, map(bool, outputs), empty))),
            shifted=_shift(texts, self._rows) if in_order else 0,
            words=(None,) * len(texts) if self._readers else tuple(words),
            faults=tuple(map(self._fault, self._golds, raw, answers, texts)),
            usage=Usage.total(output.usage for output in said),
            unread=sum(answer is None and not of for answer, of in zip(answers, empty, strict=True)),
            noticed=None if self._readers else noticed(whole, self._golds),
            pieces=len(pieces),
            cut=cut,
        )

    def _written(self, output: SystemOutput, row: BenchmarkRow, words: Sequence[str]) -> str:
        """Return the text of an output, which may have come as words."""
        if output.text is not None:
            return output.text
        said = output.words or ()
        return row.target if said and said == words else ("" if self._language in _SPACELESS else " ").join(said)

    def _fault(self, gold: str, output: str, answer: str | None, text: str) -> str | None:
        """Return why the text of an output is no answer, if it is wrong."""
        if not text.strip() or exact(gold, text):
            return None
        return self._faults.of(output, text, found=answer is not None)


def _accepted(row: BenchmarkRow, output: str, answer: str | None) -> str:
    """Return the answer in an output; another right answer counts as the gold text, by every metric."""
    text = output if answer is None else answer
    return row.target if any(exact(other, text) for other in row.others) else text


def _check_names(texts: Sequence[str], rows: Sequence[BenchmarkRow]) -> None:
    """Refuse lines of which some begin with what may be meant as the name of a row.

    Without exact names, from the first line on, a line is all text: then all would be wrong.
    """
    names = {row.id.casefold() for row in rows}
    found = [(text, cell[1]) for text in texts if (cell := _CELL.match(text))]
    # No gold text has a tab, so that what stands before one is meant as something else.
    known = [text for text, cell in found if "\t" in text or cell.casefold() in names]
    lines = [text for text, cell in found if _ROW_NAME.fullmatch(cell)] or known
    if lines is not known or 2 * len(known) > len(texts):
        raise PredictionsError(
            f"{len(lines):,} of {len(texts):,} lines begin like the name of a row, but not with one",
            f"write all lines as `{rows[0].id}`, a tab and the text; the first line tells that lines "
            "have names, and names are those of the split",
            [line[:60] for line in lines[:3]],
        )


def _joined(texts: list[str], rows: Sequence[BenchmarkRow], language: str) -> list[int]:
    """Join predictions that have marks of a tokenizer, as no gold text has; return their places."""
    whole = list(map(joined, texts))
    marked = [place for place, text in enumerate(texts) if whole[place] != text]
    # Gold texts are looked at only where there is something to join.
    if not marked or any(joined(row.target) != row.target for row in rows):
        return []
    spaceless = language in _SPACELESS and not any(" " in row.target for row in rows)
    for place in marked:
        texts[place] = "".join(whole[place].split()) if spaceless else whole[place]
    return marked


def _shift(texts: Sequence[str], rows: Sequence[BenchmarkRow]) -> int:
    """Return by how many lines the predictions seem to be off: 0, or 1 up or down."""
    if len(rows) < _TELLING:
        return 0
    gold, said = [normal(row.target) for row in rows], [normal(text) for text in texts]
    here, up, down = (sum(map(str.__eq__, *pair)) for pair in ((said, gold), (said[1:], gold), (said, gold[1:])))
    if max(up, down) <= max(2 * here, len(rows) // _TELLING):
        return 0
    return 1 if up >= down else -1


def report_run(path: Path, run: Run, *, skipped: bool, diagnostics: Diagnostics) -> None:
    """Report what is odd about a run; ``skipped`` says whether rows without a prediction are left out."""
    for what, names in (("missing", run.missing), ("empty", run.empty)):
        if names:
            counted = "left out" if skipped and what == "missing" else "counted as wrong"
            message = f"`{path}`: {count(len(names), 'prediction')} {what}, {counted}"
            diagnostics.warning("SGL1403", None, message, notes=first_of(names))
    if run.cut:
        message = f"`{path}`: {count(run.cut, 'prediction')} cut off after {limits().letters:,} letters"
        notes = ["models that repeat themselves never stop"]
        hint = "`--limit letters=NUMBER` scores longer ones, slowly"
        diagnostics.warning("SGL1408", None, message, hint, notes=notes)
    report_pieces(path, run.pieces, diagnostics)
    if run.shifted:
        message = f"`{path}` seems to be off by one line"
        notes = ["most of its lines are right for the row before or after theirs"]
        hint = "with the names of rows before the predictions this cannot happen"
        diagnostics.warning("SGL1403", None, message, hint, notes=notes)
    if run.noticed is not None:
        reader, shared, said, right = run.noticed
        message = f"`{path}`: {shared:,} of {said:,} predictions have something around their answer"
        notes = [f"without it, {right:,} more are right"] if reader else ["the right answer is in them"]
        hint = f"`--answer {quote(reader)}` takes it away" if reader else "`--answer /REGEX/` says where the answer is"
        diagnostics.warning("SGL1414", None, message, hint, notes=notes)
    if 2 * run.unread > len(run.texts):
        message = f"`{path}`: `--answer` finds nothing in {run.unread:,} of {len(run.texts):,} predictions"
        diagnostics.warning("SGL1414", None, message, "without `--answer` SGL names what most of them share")


def answers_data(
    systems: Systems, rows: Sequence[BenchmarkRow], right: Mapping[str, NDArray[np.float64]]
) -> list[dict[str, Any]]:
    """Return for each system what its outputs cost, and for each pattern why some are no answers.

    ``best`` is the share of items that some run has right, ``agreement`` that of equal pairs of answers to an item.
    """
    parts = {"all": np.arange(len(rows)), **places_by((row.category,) for row in rows)}
    data = []
    for name, runs in systems.items():
        columns = list(zip(*(zip(map(normal, run.texts), run.faults, strict=True) for run in runs), strict=True))
        found = []
        for part, items in parts.items():
            of = [columns[item] for item in items]
            said = Counter(fault if text else "no answer" for each in of for text, fault in each)
            row: dict[str, Any] = {"name": part, "items": len(of) * len(runs)}
            row |= {kind: said[kind] for kind in ("no answer", *FAULTS)}
            if len(runs) > 1:
                equal = [sum(n * (n - 1) for n in Counter(text for text, _ in each).values()) for each in of]
                row["best"] = float(right[name][:, items].max(axis=0).mean())
                row["agreement"] = fmean(equal) / (len(runs) * (len(runs) - 1))
            found.append(row)
        usage = Usage.total(run.usage for run in runs)
        # Runs of one file are samples.
        samples = len(runs) if len({run.file for run in runs}) < len(runs) else 1
        notable = samples > 1 or any(usage) or any(found[0][kind] for kind in FAULTS)
        about = {"system": name, "samples": samples, "notable": notable, "usage": usage._asdict()}
        data.append({**about, "parts": found})
    return data
