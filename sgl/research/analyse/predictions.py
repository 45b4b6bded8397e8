r"""Read the outputs of systems, and match each output to its sentence or row.

The suffix of a file gives its format (``.conllu``, ``.jsonl``, ``.tsv``); if it does not, the first line does; any
other file has a text on each line.  Files with ids may be in any order.  A sentence without an output gets an empty
one, which is counted; outputs for no sentence are reported.  A system is named before its file,
``NAME=FILE``, or after the part in which paths differ.
"""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, takewhile
from math import inf, isfinite
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, NamedTuple

from sgl.characters import has_surrogate
from sgl.foreign import PREDICTIONS, opened
from sgl.research.analyse.outputs import ARCHIVE, IDS, TEXTS, OutputRow, PredictionsError, SystemOutput, objects
from sgl.research.treebank import LONGEST_LINE, Malformed, TreebankReader, TreebankSentence

#: The most lines of a file of predictions, which is also the most that `sglc compile` writes of a split.
MOST_LINES = 10_000_000

#: The suffixes of files of JSON.
_JSON = (".jsonl", ".ndjson", ".json", ".eval")

#: What programs show of a value that is missing.
_NONE = ("None", "nan", "<NA>", "NaT")


def named_system(given: str) -> tuple[str, Path]:
    """Return the name of a system, or "" if it has none, and its file."""
    name, equals, file = given.partition("=")
    return (name, Path(file)) if equals and not Path(given).is_file() else ("", Path(given))


def systems_of(arguments: Sequence[str]) -> list[tuple[str, Path]]:
    """Return names and files of all systems; files with one name are runs of one system."""
    systems = [named_system(given) for given in arguments]
    parts = {path: (path.parent / path.stem).parts[::-1] for name, path in systems if not name}
    alike = takewhile(lambda column: len(set(column)) == 1, zip(*parts.values(), strict=False))
    same = len(list(alike)) if len(parts) > 1 else 0
    # For each path, the last part before which all differ.
    names = {path: part[min(same, len(part) - 1)] if part else "" for path, part in parts.items()}
    uses = Counter([*(name for name, _ in systems if name), *names.values()])
    return [(name or (names[path] if uses[names[path]] == 1 else str(path)), path) for name, path in systems]


#: A line of the log of fairseq-generate: its kind, the number of the item, and the rest.
_LOGGED = re.compile(r"([STHDP])-(\d{1,9})\t(.*)")


def first_of(names: Sequence[str], number: int = 5) -> list[str]:
    """Return the first of many names, followed by dots if there are more."""
    return [*names[:number], *(["…"] if len(names) > number else [])]


class Predictions(NamedTuple):
    """The outputs of a system: by ids, or in the order of the sentences."""

    by_id: Mapping[str, SystemOutput] | None
    in_order: Sequence[SystemOutput] = ()

    def of(self, names: Sequence[str | None], skipped: Collection[int] = ()) -> list[SystemOutput | None]:
        """Return the output for each sentence, if any; raises ``PredictionsError`` if outputs are of other sentences.

        ``names`` are the ids of the sentences.  Nothing is asked of the sentences at ``skipped`` places, which nobody
        reads.
        """
        if self.by_id is None:
            if (outputs := len(self.in_order)) != len(names):
                plural = "" if outputs == 1 else "s"
                raise PredictionsError(f"{outputs:,} prediction{plural} where {len(names):,} are expected")
            return [*self.in_order]
        asked = Counter(name for place, name in enumerate(names) if place not in skipped)
        if None in asked:
            raise PredictionsError("the predictions have ids, and a sentence has no `sent_id`")
        if twice := [name for name, times in asked.items() if times > 1]:
            raise PredictionsError(f"the treebank has two sentences `{twice[0]}`")
        every = {*names}
        if unknown := [name for name in self.by_id if name not in every]:
            known = {name.strip().lower() for name in names if name is not None}
            near = sum(name.strip().lower() in known for name in unknown)
            message = f"{len(unknown):,} of the {len(self.by_id):,} predictions have an unknown id"
            hint = f"{near:,} of them differ in capital letters or spaces alone" if near else ""
            raise PredictionsError(message, hint, first_of(unknown))
        return [None if name is None else self.by_id.get(name) for name in names]


#: Outputs that are no file: texts by ids, or in the order of the sentences.  An item may have several samples.
Outputs = Mapping[str, str | Sequence[str]] | Sequence[str | Sequence[str]]


def given_outputs(given: Outputs) -> Predictions:
    """Return the outputs for sentences; raises ``PredictionsError``.

    None, or what frames have in its place, is no output where there are ids.
    """
    by_name = isinstance(given, Mapping)
    found: list[tuple[Any, Any]] = [*(given.items() if isinstance(given, Mapping) else enumerate(given, 1))]
    found = [(name, text) for name, text in found if not by_name or isinstance(text, str) or str(text) not in _NONE]
    hint = "" if by_name else "to leave items out, give the texts by id"
    outputs: dict[Any, SystemOutput] = {}
    for name, said in found:
        samples = said if isinstance(said, list | tuple) and said else (said,)
        for text in samples:
            if not isinstance(text, str) or isinstance(name, str) != by_name:
                raise PredictionsError(f"the prediction for `{name}` is not text: {text!r:.60}", hint)
            if has_surrogate(text):
                raise PredictionsError(f"the prediction for `{name}` contains half of a character: {text!a:.60}")
        first, *others = map(SystemOutput, samples)
        outputs[name] = first._replace(samples=tuple(others))
    return Predictions(outputs) if by_name else Predictions(None, list(outputs.values()))


def read_predictions(path: Path, column: str, ids: Collection[str] = ()) -> Predictions:
    """Read a file of predictions; raises ``PredictionsError`` if it is something else.

    ``column`` (form, lemma) says what the words of CoNLL-U are.  A file whose first line begins with one of ``ids`` and
    a tab has ids.
    """
    opened(path, ARCHIVE if path.suffix == ".eval" else PREDICTIONS).close()
    named, rows = _rows(path, column, ids)
    if not named:
        return Predictions(None, [output for _, _, output in rows])
    by_id = _by_id(rows)
    # Libraries number their predictions from 0 or 1.
    numbers = sorted(int(name) for name in by_id if name.isdecimal() and len(name) < 10)
    counted = [list(range(first, first + len(by_id))) for first in (0, 1)]
    if ids and numbers in counted and by_id.keys().isdisjoint(ids):
        return Predictions(None, [by_id[name] for name in sorted(by_id, key=int)])
    return Predictions(by_id)


def _rows(path: Path, column: str, ids: Collection[str]) -> tuple[bool, Iterable[OutputRow]]:
    """Return the rows of a file, whatever its format, and whether they have ids."""
    kind = path.suffix.lower()
    if kind == ".conllu":
        block = next(TreebankReader(trees=False).read(path), None)
        return isinstance(block, TreebankSentence) and block.sent_id is not None, _sentences(path, column)
    if kind != ".eval" and (log := _log(path)):
        return False, log
    first = "" if kind == ".eval" else next((line for _, line in _lines(path) if line.strip()), "")
    if kind in _JSON or first.startswith(("{", "[{", '["')) or first == "[":
        return _all_named(objects(path, _lines(path)))
    if kind == ".csv":
        return _all_named(_csv(path))
    if first.startswith(("# sent_id", "# text =")):
        return _all_named(_commented(path))
    cell, tab, _ = first.partition("\t")
    if kind == ".tsv" or (tab and (cell in IDS or cell in ids)):
        return True, _tsv(path)
    return False, ((number, None, SystemOutput(text)) for number, text in _lines(path))


def _all_named(rows: Iterable[OutputRow]) -> tuple[bool, list[OutputRow]]:
    """Return whether rows have ids, and the rows; raises ``PredictionsError`` if only some have one."""
    found = list(rows)
    nameless = [number for number, name, _ in found if name is None]
    if 0 < len(nameless) < len(found):
        raise PredictionsError(f"line {nameless[0]:,} has no `id`, and others have one")
    return not nameless and bool(found), found


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with opened(path, PREDICTIONS) as stream:
        for number, raw in enumerate(iter(partial(stream.readline, LONGEST_LINE), b""), 1):
            if number > MOST_LINES:
                raise PredictionsError(f"it has more than {MOST_LINES:,} lines")
            if len(raw) == LONGEST_LINE:
                raise PredictionsError(f"line {number:,} has more than {LONGEST_LINE:,} bytes")
            try:
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as problem:
                raise PredictionsError(f"line {number:,} is not UTF-8 at byte {problem.start + 1}") from None
            yield number, text.rstrip("\r\n")


def _tsv(path: Path) -> Iterator[OutputRow]:
    for number, line in _lines(path):
        cells = line.split("\t")
        if number == 1 and cells[0] in IDS:
            continue
        if len(cells) != 2:
            found = f"{len(cells)} column{'s' if len(cells) > 1 else ''}"
            raise PredictionsError(f"line {number:,} has {found}; a prediction is an id, a tab and a text")
        yield number, cells[0].strip(), SystemOutput(cells[1])


def _csv(path: Path) -> Iterator[OutputRow]:
    """Yield the rows of a CSV file, whose first line says which column is the text."""
    heads, rows = _table(path)
    text, name = (next((head for head in heads if head.lower() in known), None) for known in (TEXTS, IDS))
    if text is None:
        raise PredictionsError(f"no column is called one of {', '.join(TEXTS)}")
    for number, row in enumerate(rows, 2):
        yield number, None if name is None else row[name], SystemOutput(row[text].strip())


def _table(path: Path, quoting: Any = csv.QUOTE_MINIMAL) -> tuple[Sequence[str], list[dict[str, str]]]:  # noqa: ANN401 - csv
    """Return the columns and rows of a file separated by commas, semicolons or tabs."""
    lines = [f"{line}\n" for _, line in _lines(path)]
    sign = max(",;\t", key="".join(lines[:1]).count)
    table = csv.DictReader(lines, delimiter=sign, quoting=quoting, restval="", strict=True)
    try:
        return table.fieldnames or (), list(table)
    except csv.Error as problem:
        # Between tabs a quotation mark may be one.
        if sign == "\t" and quoting != csv.QUOTE_NONE:
            return _table(path, csv.QUOTE_NONE)
        raise PredictionsError(f"`{path}` is not a table: {problem}") from None


def _commented(path: Path) -> Iterator[OutputRow]:
    """Yield the outputs of the shared tasks of surface realization: `# sent_id = …`, `# text = …`."""
    name: str | None = None
    for number, line in _lines(path):
        key, _, value = line.removeprefix("#").partition("=")
        if key.strip() == "sent_id":
            name = value.strip()
        elif key.strip() == "text":
            yield number, name, SystemOutput(value.strip())
            name = None


def _log(path: Path) -> list[OutputRow]:
    """Return the best outputs in the order of the items, detokenized ones before others; nothing if it is no log."""
    # A log of fairseq-generate may begin with other lines; names of sentences have no score behind them.
    head = (_LOGGED.match(line) for _, line in islice(_lines(path), 200))
    if not any(logged[1] in ("H", "D") and "\t" in logged[3] for logged in head if logged):
        return []
    found: dict[int, tuple[str, str]] = {}
    for logged in filter(None, (_LOGGED.match(line) for _, line in _lines(path))):
        number, text = int(logged[2]), logged[3].partition("\t")[2]
        # More hypotheses may follow the best one, each with its detokenized text.
        if (logged[1] == "H" and number not in found) or (logged[1] == "D" and found.get(number, "H")[0] == "H"):
            found[number] = logged[1], text
    lacking = next((number for number in range(len(found)) if number not in found), None)
    if lacking is not None:
        raise PredictionsError(f"the log has {len(found):,} outputs, and none for item {lacking:,} (from 0)")
    return [(number, None, SystemOutput(text)) for number, (_, text) in sorted(found.items())]


#: The column that names a judge.
ANNOTATOR = "annotator"

#: Labels of a verdict.
_LABELS = dict.fromkeys(("right", "correct", "yes", "y", "true"), 1.0)
_LABELS |= dict.fromkeys(("wrong", "incorrect", "no", "n", "false"), 0.0)


class Said(NamedTuple):
    """What a judge says on one scale, and the line and row where it is said."""

    line: int
    row: Mapping[str, str]
    scale: str
    value: float


def read_said(path: Path, about: Collection[str], needed: Collection[str] = ()) -> list[Said]:
    """Return what is said in a table; ``about`` are columns that are no scales.

    Raises ``PredictionsError`` without a scale or a ``needed`` column, or for a cell that is no number and no label.
    """
    heads, rows = _table(path)
    scales = [head for head in heads if head not in (*about, ANNOTATOR)]
    if not scales or not set(needed) <= set(heads):
        columns = "".join(f"`{name}`, " for name in needed)
        what = f"the first line names no columns {columns}and scores such as `fluency`"
        raise PredictionsError(f"in `{path}` {what}")
    found = []
    for line, row in enumerate(rows, 2):
        if len(row) > len(heads):
            raise PredictionsError(f"in `{path}`, line {line:,} has more cells than the first line")
        for name in filter(row.get, scales):
            text = row[name].strip().casefold()
            try:
                value = _LABELS[text] if text in _LABELS else float(text)
            except ValueError:
                value = inf
            if not isfinite(value):
                what = f"`{row[name][:40]}` is not a number, as `{name}` has to be, or a label such as `right`"
                hint = f"columns that are not scores are {', '.join((*about, ANNOTATOR))}"
                raise PredictionsError(f"in `{path}`, line {line:,}: {what}", hint)
            found.append(Said(line, row, name, value))
    labelled = {one.scale for one in found if one.row[one.scale].strip().casefold() in _LABELS}
    if mixed := [one for one in found if one.scale in labelled and one.value not in (0, 1)]:
        raise PredictionsError(f"in `{path}`, line {mixed[0].line:,}: `{mixed[0].scale}` has labels and other numbers")
    return found


def read_judgements(path: Path, reserved: Collection[str]) -> dict[str, dict[str, dict[str, float]]]:
    """Return people's scores of outputs, by scale, system and sentence; raises ``PredictionsError``.

    Scales are columns next to `system`, `sent_id` and perhaps `annotator`, none called one of ``reserved``.  Each
    annotator's scores become z-scores; several scores of one output are averaged.
    """
    given: dict[tuple[str, str], list[Said]] = defaultdict(list)
    for one in read_said(path, columns := ("system", "sent_id"), columns):
        given[one.scale, one.row.get(ANNOTATOR, "")].append(one)
        if one.scale in reserved:
            raise PredictionsError(f"in `{path}` the first line names `{one.scale}`, which SGL computes")
    scores: dict[str, dict[str, dict[str, list[float]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for (name, judge), found in given.items():
        values = [one.value for one in found]
        middle, wide = (fmean(values), pstdev(values) or 1.0) if judge else (0.0, 1.0)
        for one in found:
            scores[name][one.row["system"]][one.row["sent_id"]].append((one.value - middle) / wide)
    return {
        name: {system: dict(zip(of, map(fmean, of.values()), strict=True)) for system, of in systems.items()}
        for name, systems in scores.items()
    }


def _sentences(path: Path, column: str) -> Iterator[OutputRow]:
    for block in TreebankReader(trees=False).read(path):
        if isinstance(block, Malformed):
            raise PredictionsError(f"line {block.line:,}: {block.reason}")
        words = tuple([word.lemma if column == "lemma" else word.form for word in block.words])
        yield block.line, block.sent_id, SystemOutput(block.comment("text"), words)


def _by_id(rows: Iterable[OutputRow]) -> dict[str, SystemOutput]:
    outputs: dict[str, SystemOutput] = {}
    for number, sent_id, output in rows:
        if not sent_id:
            raise PredictionsError(f"the prediction in line {number:,} has no id")
        if sent_id in outputs:
            raise PredictionsError(f"line {number:,} is a second prediction for `{sent_id}`")
        outputs[sent_id] = output
    return outputs
