"""Write what is wrong with each prediction as a table: a row for every item of every run, right ones included."""

import csv
import io

from sgl.research.evaluate.evaluation import Evaluation
from sgl.research.evaluate.meanings import kinds_of
from sgl.research.evaluate.scoring import EXACT

#: The columns of the table, before the texts.
_COLUMNS = ("id", "pattern", "system", "run", "right", "answer", "kinds", "evidence", "source", "target", "prediction")


def items_text(evaluation: Evaluation) -> str:
    """Return the table as CSV; several kinds, and what shows them, are separated by semicolons."""
    text, scores = io.StringIO(), evaluation.scores
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    for system, runs in evaluation.systems.items():
        mistakes = scores.mistakes.get(system, [[()] * len(run.texts) for run in runs])
        rights = scores.scores[EXACT][system]
        for number, (run, own, right) in enumerate(zip(runs, mistakes, rights, strict=True), 1):
            rows = zip(evaluation.benchmark.rows, run.texts, run.faults, own, right, strict=True)
            for row, said, fault, found, good in rows:
                kinds = "; ".join(kind.value for kind in kinds_of(found))
                shown = "; ".join(f"{one.kind.value}: {one.gold} → {one.said}" for one in found)
                first = row.id, row.category, system, number, int(good)
                table.writerow((*first, fault or "", kinds, shown, row.source, row.target, said))
    return text.getvalue()
