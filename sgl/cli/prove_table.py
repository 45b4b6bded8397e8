"""What ``sglc prove`` says: one line for each pattern, and what the signs mean."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from sgl.automata import PatternProofs, Proofs, Verdict
from sgl.automata.proofs.claims import Claim
from sgl.cli.common import count
from sgl.cli.session import Session
from sgl.frontend import Compiled
from sgl.pipeline.ambiguity import CHECKED, REFUTED
from sgl.pipeline.proof_data import Drawn

_PROVED, _WAIVED, _REFUTED, _OPEN, _NOTHING = "✓", "~", "✗", "?", "–"

#: The columns of signs, by their letters.
_CLAIMS = {
    "H": "held out",
    "I": "instance",
    "L": "licensed",
    "E": "exposed",
    "S": "string level",
    "D": "disjoint",
}


def show_proofs(session: Session, compiled: Compiled, proofs: Proofs, drawn: Drawn | None) -> None:
    """Show one line for each pattern, a legend, and how many patterns are proved."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("pattern", no_wrap=True)
    table.add_column("".join(_CLAIMS), no_wrap=True)
    for heading in ("mass", "expected", "drawn", "items") if drawn else ("mass", "expected"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("title", no_wrap=True, overflow="ellipsis")
    titles = {pattern.name: pattern.title for pattern in compiled.plan.patterns}
    for pattern in proofs.patterns:
        table.add_row(*_row(pattern, drawn), titles[pattern.name])
    session.table(table)
    _show_legend(session, drawn)
    proved = sum(pattern.proved for pattern in proofs.patterns)
    errors = session.diagnostics.errors
    but = f", but there {'is' if errors == 1 else 'are'} {count(errors, 'error')}" if errors else ""
    session.echo(f"{proved} of {count(len(proofs.patterns), 'pattern')} proved{but}")


def _row(pattern: PatternProofs, drawn: Drawn | None) -> tuple[str, ...]:
    mass = sum(claim.mass for claim in pattern.held_out)
    # The part that will be rarest, for the number that is asked for.
    rarest = min(
        pattern.licences, key=lambda need: need.expected / max(need.minimum, 1), default=None
    )
    cells = [
        pattern.name,
        _signs(pattern, drawn),
        f"{mass:.1e}",
        f"{rarest.expected:,.0f}" if rarest is not None else _NOTHING,
    ]
    if drawn is not None:
        found = None if rarest is None else drawn.parts.get((pattern.name, str(rarest.structure)))
        items = drawn.items.get(pattern.name, 0)
        cells += [_NOTHING if found is None else f"{found:,}", f"{items:,}"]
    return tuple(cells)


def _signs(pattern: PatternProofs, drawn: Drawn | None) -> str:
    return "".join(
        (
            _sign(pattern.held_out),
            _sign(pattern.instances),
            _sign([*pattern.licences, *pattern.pieces]),
            _sign([pattern.exposed] if pattern.exposed.counts else []),
            _on_strings(pattern.name, drawn),
            _sign(pattern.disjoint),
        )
    )


def _on_strings(pattern: str, drawn: Drawn | None) -> str:
    """The sign of what a dataset says of its strings; open as long as there is none."""
    stated = None if drawn is None else drawn.strings.get(pattern)
    signs = {CHECKED: _PROVED, REFUTED: _REFUTED}
    return _OPEN if stated is None else signs.get(stated.result, _OPEN)


def _sign(claims: Sequence[Claim]) -> str:
    verdicts = [claim.verdict for claim in claims]
    if not verdicts:
        return _NOTHING
    if Verdict.REFUTED in verdicts:
        return _REFUTED
    return _WAIVED if Verdict.WAIVED in verdicts else _PROVED


def _show_legend(session: Session, drawn: Drawn | None) -> None:
    claims = "  ".join(f"{letter} {claim}" for letter, claim in _CLAIMS.items())
    session.echo(f"\n{claims}")
    session.echo(
        f"{_PROVED} proved (S: checked)  {_WAIVED} proved but for what is waived  "
        f"{_REFUTED} refuted  {_OPEN} not checked  {_NOTHING} nothing claimed"
    )
    session.echo("mass      probability of what is held out, under the grammar as written")
    session.echo("expected  training sentences with the rarest of the parts that are needed")
    if drawn is not None:
        session.echo(f"strings   {drawn.figures.sentence}")
        session.echo("drawn     training sentences of the dataset with that part")
        session.echo("items     generalization items of the dataset")
