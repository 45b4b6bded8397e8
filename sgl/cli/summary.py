"""What ``sglc compile`` says at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from sgl.automata import Proofs
from sgl.cli.common import count
from sgl.cli.session import Session
from sgl.dataset import string_figures
from sgl.pipeline.production import Outcome


def show_summary(session: Session, outcome: Outcome, proofs: Proofs, seconds: float) -> None:
    """Show the splits, the patterns with their verdicts, and where the dataset is."""
    session.table(_splits(outcome))
    session.echo()
    session.table(_patterns(outcome, proofs))
    session.echo()
    report = outcome.verification
    passed = sum(result.status == "passed" for result in report.results)
    violations = sum(result.total for result in report.results)
    proved = sum(pattern.proved for pattern in proofs.patterns)
    session.echo(
        f"proved    {proved} of {count(len(proofs.patterns), 'pattern')}: "
        "held out, instance, licensed, exposed, disjoint"
    )
    session.echo(
        f"verified  {passed} of {count(len(report.results), 'check')} on "
        f"{count(report.items, 'item')} ({count(report.shapes, 'graph shape')}): "
        f"{count(violations, 'violation')}"
    )
    session.echo(f"strings   {string_figures(outcome.manifest).sentence}")
    session.echo(f"dataset   {outcome.directory} (open report.html)")
    session.echo(f"signature {outcome.manifest['signature']}")
    session.echo(f"time      {seconds:.1f} s")


def _splits(outcome: Outcome) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("split")
    kinds = {"in distribution": "in_distribution", "exposures": "exposure:"}
    if outcome.manifest["parts"]:
        kinds["parts"] = "part:"
    for heading in ("items", *kinds, "ambiguous", "accepted"):
        table.add_column(heading, justify="right")
    for split, entry in outcome.manifest["splits"].items():
        strata = entry["strata"]
        counts = [
            sum(s["count"] for s in strata if s["category"].startswith(prefix))
            for prefix in kinds.values()
        ]
        candidates = sum(s["candidates"] for s in strata)
        share = entry["items"] / candidates if candidates else 1.0
        numbers = (f"{number:,}" for number in (entry["items"], *counts))
        table.add_row(split, *numbers, _ambiguous(strata), f"{100 * share:.1f} %")
    return table


def _patterns(outcome: Outcome, proofs: Proofs) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("pattern", no_wrap=True)
    for heading in ("items", "exposed", "mass", "in train", "ambiguous", "accepted"):
        table.add_column(heading, justify="right", no_wrap=True)
    strata = [s for entry in outcome.manifest["splits"].values() for s in entry["strata"]]
    for pattern in proofs.patterns:
        own = [s for s in strata if s["category"] == pattern.name]
        exposed = [s for s in strata if s["category"] == f"exposure:{pattern.name}"]
        items, candidates = sum(s["count"] for s in own), sum(s["candidates"] for s in own)
        before = sum(claim.mass for claim in pattern.held_out)
        after = sum(claim.train_mass for claim in pattern.held_out)
        table.add_row(
            pattern.name,
            f"{items:,}",
            f"{sum(s['count'] for s in exposed):,}" if exposed else "–",
            f"{before:.1e}",
            f"{after:.1e}" if after else "0",
            _ambiguous([*own, *exposed]),
            f"{100 * items / candidates:.1f} %" if candidates else "–",
        )
    return table


def _ambiguous(strata: Sequence[Mapping[str, Any]]) -> str:
    """The strings with readings of consequence, rejected or kept; ``?`` if none was parsed."""
    parsed = [s["readings"]["ambiguous"] for s in strata if s["readings"] is not None]
    return f"{sum(parsed):,}" if parsed or not strata else "?"
