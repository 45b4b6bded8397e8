"""A certificate by itself, tampered with in ways drawn at random, and judged by its checker.

The checker says whether what a certificate states has been shown.  A forger can also change
*what* is stated (a claim less, another name or grammar); the checker then rightly accepts,
and the comparison with the manifest notices, check V025 of `sglc verify`.  So each change is

    caught           the checker rejects it
    states another   the checker accepts it, and it no longer states what the original did
    harmless         the checker accepts it, it states the same, and it is right
    missed           the checker accepts it and should not
"""

from __future__ import annotations

import json
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from common import print_table, write_json
from sgl.verify.certificate import FAULTS, Checker
from sgl.verify.certificate_format import RefusalError
from tampering import certificates
from tampering.copy import MANIFEST, Copy, Tampering

Json = Any

CAUGHT, ANOTHER, HARMLESS, MISSED = "caught", "states another", "harmless", "missed"
VERDICTS = (CAUGHT, ANOTHER, HARMLESS, MISSED)


def run(path: Path, count: int, seed: int, target: Path | None) -> int:
    """Tamper with a certificate; the exit status is 1 if something harmful was missed."""
    started = time.process_time()
    text = path.read_text("utf-8")
    results = {
        f"{tampering.kind} · {tampering.name}": judge(text, tampering)
        for tampering in certificates.drawn(json.loads(text), count, seed)
    }
    _report(results)
    print(f"{time.process_time() - started:.0f} s")
    found = Counter(result["verdict"] for result in results.values())
    write_json(target, {"summary": dict(found), "tamperings": results})
    return 1 if found[MISSED] else 0


def judge(text: str, tampering: Tampering) -> Json:
    """What the checker says of a certificate after a change."""
    after = _changed(text, tampering)
    fault = first_fault(after)
    if fault is not None:
        verdict = CAUGHT
    elif stated(json.loads(after)) != stated(json.loads(text)):
        verdict = ANOTHER
    else:
        verdict = MISSED if tampering.harmful else HARMLESS
    return {"kind": tampering.kind, "claim": tampering.claim, "verdict": verdict, "message": fault or "accepted"}


def _changed(text: str, tampering: Tampering) -> str:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / certificates.CERTIFICATE
        path.write_text(text, "utf-8")
        (Path(directory) / MANIFEST).write_text('{"files": []}', "utf-8")
        tampering.act(Copy(Path(directory)))
        return path.read_text("utf-8")


def first_fault(text: str) -> str | None:
    """The first line of reasoning that fails, if one does."""
    try:
        return next(Checker(text.encode()).refusals(), None)
    except (RefusalError, *FAULTS) as problem:
        return str(problem)


def stated(content: Json) -> Json:
    """What a certificate states, of which grammar: all that a manifest is compared with."""
    names = [structure["name"] for structure in content["structures"]]
    bodies = json.dumps([structure["bodies"] for structure in content["structures"]])
    strata = [part["strata"] for part in content["splits"]]
    claims = {
        (pattern, word, kind, n, *(names[s] for s in group)) for pattern, word, kind, n, group, _ in content["claims"]
    }
    return content["digest"], content["seed"], names, bodies, strata, claims


def _report(results: dict[str, Json]) -> None:
    table: dict[str, Counter[str]] = {}
    for result in results.values():
        table.setdefault(result["kind"], Counter())[result["verdict"]] += 1
    table["all"] = sum(table.values(), Counter())
    rows = [(kind, *(found[v] for v in VERDICTS), found.total()) for kind, found in table.items()]
    print_table(("kind", *VERDICTS, "changes"), rows)
    for name, result in results.items():
        if result["verdict"] != CAUGHT:
            print(f"{result['verdict']}: {name}: {result['claim']}")
