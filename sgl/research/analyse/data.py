"""An analysis as the JSON object that ``sglc analyse --json`` writes (see ``docs/analyse.md``)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from sgl.research.analyse.metrics import EdgeAccuracy, mean_entropy
from sgl.research.analyse.result import (
    Analysis,
    Example,
    Mined,
    Suspect,
    SystemScores,
    TreebankMeasures,
)
from sgl.research.analyse.statistics import Values


def analysis_data(found: Analysis) -> dict[str, Any]:
    """Everything that was found, as plain values in a fixed order."""
    settings = asdict(found.settings)
    return {
        "settings": {**settings, "views": list(settings["views"])},
        "treebank": _treebank(found.treebank),
        "groups": _groups(found),
        "systems": [_system(system, found) for system in found.systems],
        "unusable": [
            {"path": system.path, "message": system.message, "details": list(system.details)}
            for system in found.failed_systems
        ],
        "correlations": {
            name: [asdict(test) for test in tests] for name, tests in found.correlations.items()
        },
        "projectivity": {
            name: [asdict(test) for test in tests] for name, tests in found.projectivity.items()
        },
        "freedom": {name: asdict(test) for name, test in found.freedom.items()},
        "mined": [_mined(mined) for mined in found.mined],
    }


def _treebank(bank: TreebankMeasures) -> dict[str, Any]:
    return {
        "path": bank.path,
        "sentences": bank.sentences,
        "words": bank.words,
        "measures": {name: _summary(values) for name, values in bank.columns.items()},
        "projective": int(bank.projective.sum()),
        "mean_entropy": mean_entropy(bank.relations),
        "relations": {
            label: {"left": sides.left, "right": sides.right, "entropy": sides.entropy}
            for label, sides in bank.relations.items()
        },
        "malformed": bank.malformed,
        "malformed_sentences": [
            {"line": block.line, "reason": block.reason} for block in bank.listed
        ],
    }


def _groups(found: Analysis) -> list[dict[str, Any]]:
    bank = found.treebank
    rows = []
    for number, name in enumerate(bank.group_names):
        inside = bank.groups == number
        rows.append(
            {
                "group": name,
                "sentences": int(inside.sum()),
                "projective": int(bank.projective[inside].sum()),
                "measures": {key: _mean(column[inside]) for key, column in bank.columns.items()},
                "systems": {
                    system.name: {
                        "bleu": _mean(system.bleu[inside]),
                        "dea": _mean(system.dea[inside]),
                        "exact": int(system.exact[inside].sum()),
                    }
                    for system in found.systems
                },
            }
        )
    return rows


def _system(system: SystemScores, found: Analysis) -> dict[str, Any]:
    return {
        "name": system.name,
        "path": system.path,
        "bleu": _summary(system.bleu),
        "dea": _summary(system.dea),
        "edges": _kept(system.edges),
        "exact": int(system.exact.sum()),
        "empty": system.empty,
        "missing": system.missing,
        "glued": system.glued,
        "failed": found.failures[system.name],
        "relations": {label: _kept(kept) for label, kept in sorted(system.relations.items())},
    }


def _kept(kept: EdgeAccuracy) -> dict[str, Any]:
    return {"kept": kept.kept, "edges": kept.edges, "dea": kept.share}


def _mean(values: Values) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _summary(values: Values) -> dict[str, Any] | None:
    """Return a column in a few numbers; nothing if it is not defined anywhere."""
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, median, high = np.quantile(known, (0.25, 0.5, 0.75))
    return {
        "sentences": len(known),
        "mean": float(known.mean()),
        "deviation": float(known.std()),
        "min": float(known.min()),
        "quartiles": [float(low), float(median), float(high)],
        "max": float(known.max()),
    }


def _mined(mined: Mined) -> dict[str, Any]:
    return {
        "view": mined.view,
        "structures": mined.subtrees,
        "too_broad": mined.too_broad,
        "suspects": [_suspect(suspect) for suspect in mined.suspects],
    }


def _suspect(suspect: Suspect) -> dict[str, Any]:
    return {
        "structure": suspect.structure.text,
        "words": suspect.structure.words,
        "sentences": suspect.support,
        "score": suspect.score,
        "coverage": len(suspect.blame),
        "systems": [asdict(blame) for blame in suspect.blame],
        "example": None if suspect.example is None else _example(suspect.example),
    }


def _example(example: Example) -> dict[str, Any]:
    return {
        "sent_id": example.sent_id,
        "line": example.line,
        "system": example.system,
        "bleu": example.bleu,
        "words": [{"form": form, "upos": upos} for form, upos in example.words],
        "arcs": [
            {"governor": governor, "label": label, "dependent": dependent}
            for governor, label, dependent in example.arcs
        ],
        "root": example.root,
        "marked": list(example.marked),
        "output": example.output,
    }
