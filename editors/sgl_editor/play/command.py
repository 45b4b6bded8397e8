"""Run ``sglc play``: write, sample and prove a grammar on a page in the browser."""

import asyncio
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path

import click

from sgl.cli.files import GRAMMAR
from sgl.cli.session import Session, grammar_options


@click.command("play")
@click.argument("grammar", type=GRAMMAR, default="cogs")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, show_default=False, help="The port.  [default: a free one]"
)
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
@grammar_options
def command(session: Session, grammar: Path, port: int, browser: bool) -> None:
    """Write GRAMMAR in the browser.

    The page shows the editor with messages, samples in all layers and, for each pattern, an item next to what training
    shows, all updated as you type.  It works only on this machine and with the printed address.  Nothing is saved until
    you say so.
    """
    from sgl_editor.play.server import PageServer, editor_folder

    editor = editor_folder()
    if editor is None:
        session.refuse("the editor of the page is not installed; install it: pip install 'sgl-compiler[play]'")
    page = PageServer(grammar, editor)

    def ready() -> None:
        session.echo(f"{page.address}\nCtrl-C ends it.")
        if browser:
            # With some browsers, this waits until they end.
            threading.Thread(target=webbrowser.open, args=(page.opener.as_uri(),), daemon=True).start()

    with suppress(KeyboardInterrupt):
        asyncio.run(page.run(port, ready))
