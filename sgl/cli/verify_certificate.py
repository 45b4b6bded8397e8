"""``sglc verify FILE``: a certificate by itself, checked by its small checker."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import click

from sgl.cache import cached
from sgl.cli.common import count, progress
from sgl.cli.main import FAILED, OK, OUTPUT
from sgl.verify.certificate import FAULTS, Checker


def verify_certificate(path: Path, *, as_json: bool) -> int:
    """Check a certificate and say what it shows, or which lines of its reasoning fail."""
    try:
        text = path.read_bytes()
    except OSError as problem:
        click.echo(f"error: cannot read {path}: {problem.strerror}", err=True)
        return OUTPUT
    with progress() as line:
        line("checking the certificate", 0, 1)
        # The verdict depends on the text and on the checker; the latter is in every key.
        digest = hashlib.sha256(text).hexdigest()
        found = cached(dict, "verdict", (digest,), lambda: _checked(text))
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        _show(found)
    return OK if found["accepted"] else FAILED


def _checked(text: bytes) -> dict[str, Any]:
    """What the checker finds; a file that is no certificate has one fault, its form."""
    try:
        checker = Checker(text.decode("utf-8"))
        faults = list(checker.faults())
        return {"accepted": not faults, "faults": faults, **_figures(checker.data)}
    except FAULTS as problem:
        return {"accepted": False, "faults": [f"malformed: {type(problem).__name__} {problem}"]}


def _figures(content: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": content["name"],
        "fingerprint": content["fingerprint"],
        "structures": len(content["structures"]),
        "splits": len(content["splits"]),
        "claims": dict(Counter(kind for kind, *_ in content["claims"])),
    }


def _show(found: dict[str, Any]) -> None:
    for fault in found["faults"]:
        click.echo(f"failed  {fault}")
    if not found["accepted"]:
        click.echo(f"not accepted: {count(len(found['faults']), 'line')} of reasoning")
        return
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in found["claims"].items())
    click.echo(
        f"accepted: {count(sum(found['claims'].values()), 'claim')} ({kinds}) about "
        f"{count(found['splits'], 'split')} and {count(found['structures'], 'structure')} "
        f"of {found['name']}\n"
        f"grammar   sha256:{str(found['fingerprint'])[:12]}"
    )
