"""Read judgements of outputs, by people or by models, and measure how far metrics and judges agree.

A row of a table names its item: by the name of the row, by the code on a sheet of ``sglc annotate``, which is about the
gold text, or by the source.  If it has the output as well, the judgement holds for every run with this output.  Scales
with 0 and 1 or labels alone are *verdicts*.  The *precision* of a metric is the share of the outputs
it calls wrong that the judge calls wrong; its *recall* is the share of the outputs the judge calls wrong that it finds.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sgl.cli.terminal import count
from sgl.diagnostics import Diagnostics, UserError
from sgl.research.analyse.outputs import IDS, PredictionsError
from sgl.research.analyse.predictions import ANNOTATOR, Said, first_of, read_said
from sgl.research.analyse.scoring import Json
from sgl.research.analyse.statistics import places_by, spearman, wilson
from sgl.research.evaluate.benchmark import BenchmarkRow
from sgl.research.evaluate.runs import Systems

#: The name of the gold texts as a system.
GOLD = "gold"

#: Columns that name an item, that repeat its output, and that are no scales either.
_ITEMS = (*IDS, "code", "source", "sentence")
_OUTPUTS = ("output", "prediction", "hypothesis", "translation")
_ABOUT = (*_ITEMS, *_OUTPUTS, "system", "target", "reference", "category", "pattern", "compound", "comment")

#: For each system an array of runs and items; ``nan`` where nothing is said.
Columns = dict[str, NDArray[np.float64]]

#: What each judge says.
Judgements = dict[str, Columns]


class JudgementError(UserError):
    """Judgements that cannot be used."""

    code = "SGL1430"


def code_of(row: BenchmarkRow) -> str:
    """Return the code of an item on a sheet of ``sglc annotate``, which does not tell its pattern."""
    return sha256(f"{row.id}\t{row.source}\t{row.target}".encode()).hexdigest()[:12]


def kappa(pairs: Sequence[tuple[float, float]], weight: Callable[[float, float], float]) -> float | None:
    """Return Cohen's kappa of pairs that disagree by a ``weight``; None where nothing could disagree by chance."""
    both, (one, two) = Counter(pairs), (Counter(side) for side in (zip(*pairs, strict=True) if pairs else ((), ())))
    seen = sum(weight(*pair) * n for pair, n in both.items()) * len(pairs)
    chance = sum(weight(a, b) * n * m for a, n in one.items() for b, m in two.items())
    return 1 - seen / chance if chance else None


def read_verdicts(
    paths: Sequence[Path], rows: Sequence[BenchmarkRow], systems: Systems, diagnostics: Diagnostics
) -> Judgements:
    """Return what files say of the outputs of systems and of gold texts; raises ``JudgementError``.

    Of several files, judges are called by file and column.  What is said of no output here is left out, with a warning.
    """
    texts = {GOLD: [[_bare(row.target) for row in rows]]}
    texts |= {name: [list(map(_bare, run.texts)) for run in runs] for name, runs in systems.items()}
    places = places_by(set(map(_bare, (row.id, code_of(row), row.source))) for row in rows)
    values: Judgements = {}
    for path in paths:
        try:
            said = read_said(path, _ABOUT)
        except PredictionsError as problem:
            raise JudgementError(problem.message, problem.hint) from None
        whole = len({one.line for one in said}) == len(rows)
        strange: list[Said] = []
        for one in said:
            judge = " ".join(filter(None, (path.stem if len(paths) > 1 else "", one.scale, one.row.get(ANNOTATOR))))
            name = _bare(next(filter(None, map(one.row.get, _ITEMS)), ""))
            # A source may be spelt in another way; the output in its place tells that this is its line.
            items = [*places.get(name, [one.line - 2] * (whole and bool(_output(one))))] if name else []
            if not _add(one, values.setdefault(judge, {}), items, texts, f"`{path}`, line {one.line:,}"):
                strange.append(one)
        notes = first_of([f"line {one.line:,}" for one in strange])
        if len(strange) == len(said):
            hint = f"an item is named by a column {', '.join(_ITEMS)}; `system` and `output` say whose output it is"
            raise JudgementError(f"`{path}` has no judgement of an output that is scored", hint, notes)
        if strange:
            message = f"`{path}`: {count(len(strange), 'judgement')} left out: of no output that is scored"
            diagnostics.warning("SGL1431", None, message, notes=notes)
    return {judge: of for judge, of in values.items() if of}


def kind_of(judged: Columns) -> str:
    """Return ``verdict`` if a judge says only right or wrong, or else ``scale``."""
    return "verdict" if all(np.isin(said[~np.isnan(said)], (0, 1)).all() for said in judged.values()) else "scale"


def verdicts_in(judged: Judgements) -> Iterator[tuple[str, str, NDArray[np.float64]]]:
    """Yield each judge that says only right or wrong, each system, and what the judge says of each run."""
    for judge, of in judged.items():
        if kind_of(of) == "verdict":
            yield from ((judge, system, said) for system, runs in of.items() for said in runs)


def _bare(text: str) -> str:
    return "".join(text.split())


def _output(said: Said) -> str:
    return _bare(next((said.row[key] for key in _OUTPUTS if said.row.get(key)), ""))


def _add(said: Said, of: Columns, items: Sequence[int], texts: Mapping[str, list[list[str]]], where: str) -> bool:
    """Add what is said to the columns of a judge; tell whether it is about any output."""
    output = _output(said)
    named = said.row.get("system") or (GOLD if said.row.get("code") and not output else "")
    runs = [(name, run) for name in texts for run in range(len(texts[name])) if (named or name) == name]
    runs = runs if named else runs[1:]
    if not output and len(runs) > 1:
        what = f"there are {len(runs)} outputs for an item"
        raise JudgementError(f"{where}: {what}", "columns `system` and `output` say which one is judged")
    fits = False
    for name, run in runs:
        if known := [item for item in items if output in ("", texts[name][run][item])]:
            fits, column = True, of.setdefault(name, np.full((len(texts[name]), len(texts[name][0])), np.nan))[run]
            free = next((item for item in known if np.isnan(column[item])), known[-1])
            if not np.isnan(column[free]) and column[free] != said.value:
                raise JudgementError(f"{where}: this judge has said something else of the same output")
            column[free] = said.value
    return fits


#: A part of the split: its name, its title and its items.
Part = tuple[str, str, NDArray[np.int64]]


def judgements_data(judged: Judgements, parts: Sequence[Part], metrics: Mapping[str, Columns]) -> Json:
    """Return what each judge says of each part, and how each metric and each judge before agrees with the judge."""
    rates: list[Json] = []
    compared: list[Json] = []
    kinds = {name: kind_of(of) for name, of in (*metrics.items(), *judged.items())}
    for judge, of in judged.items():
        kind = kinds[judge]
        for (part, title, items), (system, column) in product(parts, of.items()):
            said = column[:, items]
            names: Json = {"part": part, "title": title, "judge": judge, "system": system}
            if number := int((~np.isnan(said)).sum()):
                wrong, figures = float((said == 0).sum()), {"items": number, "mean": float(np.nanmean(said))}
                sure = (wrong / number, *wilson(wrong, number)) if kind == "verdict" else (None, None, None)
                rates.append({**names, **figures, **dict(zip(("wrong", "low", "high"), sure, strict=True))})
            for metric, columns in metrics.items() if number else ():
                # A share and a judge's scale have no values in common.
                same = kind == kinds[metric] and (kind == "verdict" or metric in judged)
                if system in columns and (found := _agreement(columns[system][:, items], said, kind if same else "")):
                    compared.append({**names, "metric": metric, **found})
        metrics = {**metrics, judge: of}
    return {"judges": [*judged], "rates": rates, "metrics": compared}


def _agreement(metric: NDArray[np.float64], judge: NDArray[np.float64], kind: str) -> Json:
    """Return the figures of outputs that both say something of, if any: by ranks, and more if of one ``kind``."""
    both = ~(np.isnan(metric) | np.isnan(judge))
    x, y = metric[both], judge[both]
    found: Json = dict.fromkeys(("equal", "kappa", "precision", "recall"))
    found |= {"items": len(x), "rho": spearman("", "", x, y).rho}
    if kind and len(x):
        pairs = list(zip(x.tolist(), y.tolist(), strict=True))
        found |= {"equal": float((x == y).mean()), "kappa": kappa(pairs, lambda a, b: (a - b) ** 2)}
    for name, side in (("precision", x), ("recall", y)) if kind == "verdict" else ():
        found[name] = float(((x == 0) & (y == 0)).sum() / (side == 0).sum()) if (side == 0).any() else None
    return found if len(x) else {}
