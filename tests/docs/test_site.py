"""The site as it is read: every link leads somewhere, and a reader with other eyes or a phone can use it."""

from __future__ import annotations

import functools
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]

#: One of each kind: start, how-to, benchmarks, tools, lists that are generated, interface, background.
LOOKED_AT = [
    *("", "tutorial/", "python/", "howto/word-in-one-role/", "gallery/patterns/", "sget/", "evaluate/", "play/"),
    *("commands/", "diagnostics/", "diagnostics/04/", "api/", "api/proofs/", "guarantees/", "compare/"),
]
_SIZES = {"light": (1280, 900), "dark": (1280, 900), "phone": (390, 844)}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built."""
    pytest.importorskip("material")
    directory = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(directory)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return directory


class Links(HTMLParser):
    """The places of a page, and where it leads."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.places, self.to = {""}, set[str]()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.places.add(value)
            elif name in ("href", "src") and value:
                self.to.add(value)


@pytest.mark.slow
def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    pages = {path.relative_to(site).as_posix(): Links(path) for path in site.rglob("*.html")}
    broken = set()
    for name, page in pages.items():
        for link in page.to:
            target = urlsplit(urljoin(f"http://here/{name}", link))
            # The page of what is not found has links from the root of wherever the site lies.
            if target.netloc != "here" or target.scheme != "http" or name == "404.html":
                continue
            path = unquote(target.path).lstrip("/")
            path += "index.html" if path.endswith("/") or not path else ""
            known = pages[path].places if path in pages else {""} if (site / path).is_file() else set()
            if unquote(target.fragment) not in known:
                broken.add((name, link))
    assert len(pages) > 80
    assert sorted(broken) == []


@contextmanager
def served(directory: Path) -> Iterator[str]:
    handler = functools.partial(SilentHandler, directory=str(directory))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class SilentHandler(SimpleHTTPRequestHandler):
    """Serves files without saying so."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.mark.acceptance
@pytest.mark.parametrize("mode", _SIZES)
def test_pages_are_accessible(site: Path, browser: Browser, mode: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    width, height = _SIZES[mode]
    context = browser.new_context(
        color_scheme="dark" if mode == "dark" else "light", viewport={"width": width, "height": height}
    )
    found = []
    with served(site) as address:
        for name in LOOKED_AT:
            page = context.new_page()
            page.goto(address + name, wait_until="load")
            violations = axe.run(page).response["violations"]
            serious = [one for one in violations if one["impact"] in ("serious", "critical")]
            found += [(name, one["id"], len(one["nodes"]), one["nodes"][0]["html"]) for one in serious]
            if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
                found.append((name, "scrolls sideways", wide, ""))
            page.close()
    context.close()
    assert found == []
