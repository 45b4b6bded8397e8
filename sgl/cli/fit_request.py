"""What ``sglc fit`` was asked for, checked; and what its file says about that."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sgl.cli.corpora import check_column, differences
from sgl.cli.layers import listed, text_layers
from sgl.cli.session import Session
from sgl.corpus.fit import PROVENANCE, Fit, Options, Sample
from sgl.dataset import fingerprint
from sgl.frontend import Compiled

#: A column that is not looked at.
_IGNORED = "-"


@dataclass(frozen=True)
class FitRequest:
    """What the options ask for."""

    source: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    given: str | None
    normalise: tuple[str, ...]
    options: Options


def read_request(
    session: Session,
    source: str | None,
    columns: str | None,
    only: tuple[str, ...],
    given: str | None,
    normalise: str,
    options: Options,
) -> FitRequest:
    """Return what the options ask for."""
    compiled = session.compiled
    assert compiled is not None
    plan = compiled.plan
    names = listed(columns) or list(dict.fromkeys((plan.source, plan.target)))
    parsed = source or next((name for name in names if name != _IGNORED), plan.source)
    mentioned = [*(name for name in names if name != _IGNORED), parsed]
    session.check_names(mentioned, text_layers(compiled.grammar), "text layer")
    allowed = differences(session, normalise)
    check_column(session, parsed, names)
    splits = list(dict.fromkeys(s.split for s in plan.strata if s.split != "gen"))
    session.check_names([given] if given is not None else [], splits, "split")
    return FitRequest(parsed, tuple(names), only, given, tuple(allowed), options)


def check_weights_file(session: Session, out: Path) -> None:
    """End the command if the file of weights would replace anything but weights."""
    if out.exists() and not _has_weights(out):
        session.refuse(f"`{out}` is there and has no weights in it; choose another file")


def _has_weights(path: Path) -> bool:
    """Whether a file was written by this command."""
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError:
        return False
    return f"\n{PROVENANCE}:\n" in f"\n{text}"


def provenance(compiled: Compiled, request: FitRequest, fit: Fit, sample: Sample) -> dict[str, Any]:
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
    request: FitRequest,
    settings: Mapping[str, str],
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
