"""``sglc explain``: the page of a diagnostic code."""

from __future__ import annotations

import click

from sgl.cli.main import FAILED, OK
from sgl.diagnostics import CODES, suggest
from sgl.diagnostics.page import page


@click.command("explain")
@click.argument("code", required=False)
def command(code: str | None) -> int:
    """Explain the diagnostic CODE, for example SGL0301; without a code, list all."""
    if code is None:
        for entry in CODES.values():
            click.echo(f"{entry.code}  {entry.title}")
        return OK
    found = CODES.get(code.upper())
    if found is None:
        hint = suggest(code.upper(), CODES)
        click.echo(f"there is no code `{code}` {hint}".rstrip(), err=True)
        return FAILED
    click.echo(page(found))
    return OK
