"""An audit as the JSON object that ``sglc audit --json`` writes (see ``docs/audit.md``)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sgl.corpus.audit.result import OTHER_PAIRS, Audit, Cause, FileTally, Listed, Open, Tally


def audit_data(audit: Audit) -> dict[str, Any]:
    """Everything that was found, as plain values in a fixed order."""
    return {
        "source": audit.source,
        "targets": list(audit.targets),
        **_tally(audit.total, audit),
        "files": [_file(file, audit) for file in audit.files],
        "shared": [
            {
                "first": audit.files[pair.first].name,
                "second": audit.files[pair.second].name,
                "rows": pair.rows,
                "distinct": pair.distinct,
            }
            for pair in audit.shared
        ],
        "differences": [_cause(cause) for cause in audit.ranked_causes()],
        "unreadable_rows": [_listed(row, "reason") for row in audit.unreadable],
        "unparsed_rows": [_listed(row, "obstacle") for row in audit.unparsed],
        "failing": [{"word": w, "rows": n} for w, n in audit.failing.most_common()],
        "choices": [_open(entry) for entry in audit.ranked_choices()],
        "ambiguous_rows": [_listed(row, "readings") for row in audit.ambiguous],
    }


def _tally(tally: Tally, audit: Audit) -> dict[str, Any]:
    return {
        "rows": tally.rows,
        "parsed": tally.parsed,
        "ambiguous": tally.ambiguous,
        "differing": tally.differing,
        "unreadable": tally.unreadable,
        "exact": {layer: tally.exact[layer] for layer in audit.targets},
        "changed": _ordered(tally.changed),
        "structures": {name: tally.some[name] for name in audit.structures},
        "structures_in_every_reading": {name: tally.every[name] for name in audit.structures},
    }


def _file(file: FileTally, audit: Audit) -> dict[str, Any]:
    return {
        "file": file.name,
        **_tally(file.total, audit),
        "distinct": file.distinct,
        "kinds": {kind: _tally(tally, audit) for kind, tally in sorted(file.kinds.items())},
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "layer": cause.layer,
        "kind": cause.kind,
        "name": cause.name,
        "rows": cause.rows,
        "pairs": [
            {"given": given, "published": published, "rows": rows}
            for (given, published), rows in _ranked(cause.pairs)
        ],
        "example": {**_listed(cause.example, "published"), "given": cause.given},
    }


def _open(entry: Open) -> dict[str, Any]:
    kind, category, options = entry.choice
    return {
        "kind": kind,
        "category": category,
        "options": list(options),
        "rows": entry.rows,
        "example": _listed(entry.example, "readings"),
    }


def _listed(row: Listed, detail: str) -> dict[str, Any]:
    return {"file": row.file, "line": row.line, "sentence": row.sentence, detail: row.detail}


def _ranked(counts: Counter[tuple[str, str]]) -> list[tuple[tuple[str, str], int]]:
    """Frequent pairs first, those that were not told apart last."""
    return sorted(counts.items(), key=lambda entry: (entry[0] == OTHER_PAIRS, -entry[1], entry[0]))


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))
