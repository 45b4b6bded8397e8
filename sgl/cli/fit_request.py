"""What ``sglc fit`` was asked for, checked; and what its file says about that."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from sgl.cli.corpora import differences
from sgl.cli.layers import are_known, listed, text_layers
from sgl.corpus.fit import PROVENANCE, Fit, Options, Sample
from sgl.dataset import fingerprint
from sgl.frontend import Compiled

#: A column that is not looked at.
_IGNORED = "-"


@dataclass(frozen=True)
class Request:
    """What the options ask for."""

    source: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    given: str | None
    normalise: tuple[str, ...]
    options: Options


def read_request(
    compiled: Compiled,
    source: str | None,
    columns: str | None,
    only: tuple[str, ...],
    given: str | None,
    normalise: str,
    options: Options,
) -> Request | None:
    """What the options ask for; None after a message."""
    plan = compiled.plan
    names = listed(columns) or list(dict.fromkeys((plan.source, plan.target)))
    parsed = source or next((name for name in names if name != _IGNORED), plan.source)
    asked = differences(normalise)
    mentioned = [*(name for name in names if name != _IGNORED), parsed]
    if not are_known(mentioned, text_layers(compiled.grammar), "text layer") or asked is None:
        return None
    if parsed not in names:
        shown = ", ".join(names)
        click.echo(
            f"error: no column has the layer `{parsed}`; the columns are {shown} "
            "(`--columns` says otherwise)",
            err=True,
        )
        return None
    splits = list(dict.fromkeys(s.split for s in plan.strata if s.split != "gen"))
    if given is not None and not are_known([given], splits, "split"):
        return None
    return Request(parsed, tuple(names), only, given, tuple(asked), options)


def may_replace(out: Path | None) -> bool:
    """Whether the file of weights would replace nothing but weights; says so if not."""
    if out is None or not out.exists() or _has_weights(out):
        return True
    click.echo(f"error: `{out}` is there and has no weights in it; choose another file", err=True)
    return False


def _has_weights(path: Path) -> bool:
    """Whether a file was written by this command."""
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError:
        return False
    return f"\n{PROVENANCE}:\n" in f"\n{text}"


def provenance(compiled: Compiled, request: Request, fit: Fit, sample: Sample) -> dict[str, Any]:
    """Where the weights come from: plain values, the same on every computer."""
    return {
        "grammar": compiled.project.name,
        "grammar_sha256": fingerprint(compiled.grammar, compiled.plan),
        "parameters": dict(sorted(compiled.parameters.items())),
        "corpora": [
            {"file": file.name, "sha256": file.sha256, "rows": file.rows} for file in sample.files
        ],
        "rows_used": sample.rows,
        "source": request.source,
        "only": list(request.kinds),
        "given": request.given or "",
        "normalise": list(request.normalise),
        "smoothing": request.options.smoothing,
        "prior": request.options.prior,
        "rounds": fit.rounds,
        "log_likelihood": round(fit.after, 6),
    }


def head(
    grammar: Path,
    corpora: Sequence[Path],
    request: Request,
    settings: dict[str, str],
    out: Path,
) -> list[str]:
    """The first lines of the file: what it is, and the command that makes it again."""
    words = ["sglc", "fit", _shown(grammar), *(path.name for path in corpora)]
    if request.columns[0] != request.source:
        words += ["--source", request.source]
    for kind in request.kinds:
        words += ["--only", kind]
    if request.given:
        words += ["--given", request.given]
    if request.normalise:
        words += ["--normalise", ",".join(request.normalise)]
    for name, value in settings.items():
        words += ["--set", f"{name}={value}"]
    words += ["--smoothing", f"{request.options.smoothing:g}", "--prior", request.options.prior]
    words += ["--out", _shown(out)]
    return ["Estimated from a corpus by", f"  {shlex.join(words)}"]


def _shown(path: Path) -> str:
    """A path as it was written, unless it is of one computer only."""
    return path.name if path.is_absolute() else path.as_posix()
