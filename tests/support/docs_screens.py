"""Pictures of the page in the browser, for the documentation: ``python tests/support/docs_screens.py``.

``play.png`` shows SLOG and its claims, ``claim.png`` a claim that fails while somebody writes, and what the name of a
rule means.  They need Chromium and the extra ``play``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from browser import launched
from playwright.sync_api import Page

SCREENS = Path(__file__).parents[2] / "docs" / "screens"
_PATIENCE = 300_000


@contextmanager
def opened(grammar: str, height: int) -> Iterator[Page]:
    """Serve a grammar, and open its page."""
    command = [sys.executable, "-m", "sgl", "play", grammar, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, launched() as browser:
        assert server.stdout is not None
        page = browser.new_page(viewport={"width": 1280, "height": height})
        page.goto(server.stdout.readline().strip())
        page.wait_for_selector("body[data-ready]", timeout=_PATIENCE)
        yield page
        server.terminate()


def main() -> None:
    """Take both pictures."""
    with opened("slog", 800) as page:
        page.click("#tab-patterns")
        page.wait_for_selector("#patterns .state:has-text('proved')", timeout=_PATIENCE)
        page.screenshot(path=SCREENS / "play.png")
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "clauses", "clauses.sgl")
        subprocess.run([sys.executable, "-m", "sgl", "new", "--from", "logical-form", path.parent], check=True)
        path.write_text(path.read_text("utf-8").replace("  forbid {", "  assert never {", 1), "utf-8")
        with opened(str(path), 840) as page:
            page.wait_for_selector("#messages .error", timeout=_PATIENCE)
            page.evaluate("document.querySelector('.cm-scroller').scrollTop = 1e6")
            page.locator(".cm-line", has_text="rule modified").locator("text=modified").first.hover()
            page.wait_for_selector(".hover pre", timeout=_PATIENCE)
            page.screenshot(path=SCREENS / "claim.png")


if __name__ == "__main__":
    main()
