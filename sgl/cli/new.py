"""``sglc new``: a directory with a small grammar to begin with, made from a template."""

import re
from pathlib import Path

import click

from sgl.cli.files import DIRECTORY, replace_text
from sgl.cli.session import Session, session_options
from sgl.lang.keywords import DECLARATIONS
from sgl.resources import templates

#: What a template calls its grammar, and the files that are named after it.
_GRAMMAR = "grammar"


@click.command("new")
@click.argument("directory", type=DIRECTORY)
@click.option("--from", "template", type=click.Choice(list(templates())), default="farm", help="What to begin with.")
@session_options
def command(session: Session, directory: Path, template: str) -> None:
    """Make DIRECTORY, with a small grammar, its tables, tests, and a README that says what to do next."""
    if directory.exists() and not (directory.is_dir() and not any(directory.iterdir())):
        message = f"cannot make `{directory}`: it is there already, and is not empty"
        session.fail("SGL1103", message, hint="name another directory")
    name = re.sub(r"[^a-z0-9]+", "_", directory.resolve().name.lower()).strip("_")
    if not name[:1].isalpha() or name in DECLARATIONS:
        name = _GRAMMAR
    directory.mkdir(parents=True, exist_ok=True)
    for file in sorted(templates()[template].iterdir()):
        text = re.sub(
            rf"\b{_GRAMMAR}(?=\.s)|(?<=^module ){_GRAMMAR}\b", name, file.read_text("utf-8"), flags=re.MULTILINE
        )
        replace_text(directory / re.sub(rf"^{_GRAMMAR}\.", f"{name}.", file.name), text)
    session.echo(f"made {directory}, with {name}.sgl; README.md says what to do next")
