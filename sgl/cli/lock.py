"""``sglc lock``: record which tables and modules a grammar uses, so that no other ones are taken."""

from pathlib import Path

import click

from sgl.cli.files import replace_text
from sgl.cli.session import Session, grammar_argument, grammar_options
from sgl.cli.terminal import count
from sgl.frontend import compile_project
from sgl.lang.project import check_lock, load_project, lock_of, lock_text


@click.command("lock")
@grammar_argument
@click.option("--update", is_flag=True, help="Record the files as they are now.")
@grammar_options
def command(session: Session, grammar: Path, update: bool) -> None:
    """Record the hashes of all files that GRAMMAR uses, in a file that ends with `.lock`.

    While it is there, every command refuses a grammar whose tables or modules are others.
    """
    project = load_project(grammar, session.sources, session.diagnostics)
    if project is None or compile_project(project, session.settings, session.diagnostics) is None:
        session.stop()
    path, text = lock_of(grammar), lock_text(project)
    if not update:
        check_lock(project, session.diagnostics)
        session.stop_on_errors()
    if update or not path.exists():
        replace_text(path, text)
    session.echo(f"{path}: {count(text.count(chr(10)) - 1, 'file')}")
