"""``sglc explain``: the page of a diagnostic code."""

import click

from sgl.characters import visible
from sgl.cli.main import FAILED, OK
from sgl.diagnostics import CODES, suggest
from sgl.diagnostics.registry import page

_PREFIX = "SGL"


@click.command("explain")
@click.argument("code", required=False)
def command(code: str | None) -> int:
    """Explain the diagnostic CODE, for example SGL0301 or 301; without a code, list all."""
    if code is None:
        for entry in CODES.values():
            click.echo(f"{entry.code}  {entry.title}")
        return OK
    number = code.upper().removeprefix(_PREFIX)
    asked = _PREFIX + number.zfill(4) if number.isdigit() else code.upper()
    found = CODES.get(asked)
    if found is None:
        hint = suggest(asked, CODES) or "`sglc explain` lists all"
        click.echo(f"there is no code `{visible(code)}`; {hint}", err=True)
        return FAILED
    click.echo(page(found))
    return OK
