"""The picture of the page in the browser, for the documentation: ``python tests/support/docs_screens.py``.

It shows SLOG, in English and logical forms, and needs Chromium and the extra ``play``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parents[2] / "docs" / "screens" / "play.png"
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_PATIENCE = 300_000


def main() -> None:
    """Open the page, wait for the claims of SLOG, and take its picture."""
    command = [sys.executable, "-m", "sgl", "play", sys.argv[1] if len(sys.argv) > 1 else "slog", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as driver:
        assert server.stdout is not None
        browser = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(server.stdout.readline().strip())
        page.wait_for_selector("body[data-ready]", timeout=_PATIENCE)
        page.click("#tab-patterns")
        page.wait_for_selector("#patterns .state:has-text('proved')", timeout=_PATIENCE)
        page.screenshot(path=PICTURE)
        browser.close()
        server.terminate()


if __name__ == "__main__":
    main()
