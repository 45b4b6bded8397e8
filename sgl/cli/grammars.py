"""``sglc grammars``: what comes with SGL."""

import click

from sgl.cli.terminal import say
from sgl.resources import bundled_grammars


@click.command("grammars")
@click.option("--path", is_flag=True, help="Show where the files are.")
def command(path: bool) -> None:
    """List the grammars that come with SGL; every command takes their names.

    A file that is called so, with `.sgl` or without, takes the place of the grammar.
    """
    found = bundled_grammars()
    width = max(map(len, found))
    for name, title, file in found.values():
        say(f"{name:<{width}}  {file if path else title}")
