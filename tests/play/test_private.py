"""Nobody but the user gets at the page of ``sglc play``: its address is no argument, and wrong requests are refused."""

from __future__ import annotations

import json
import re
import stat
import sys
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pages import PATIENCE, Served, farm_in, playing, status_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("play")]

#: Somebody who looks at the arguments of a browser sees what this program writes down.
_BROWSER = """#!{python}
import json, os, sys, time
from pathlib import Path
Path({seen!r}).with_suffix(".new").write_text(json.dumps(sys.argv[1:]))
Path({seen!r}).with_suffix(".new").replace({seen!r})
parent = os.getppid()
while os.getppid() == parent:
    time.sleep(0.1)
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, list[str]]]:
    """A page that was opened in a browser, and the arguments of that browser."""
    folder = tmp_path_factory.mktemp("opened")
    program, seen = folder / "browser", folder / "seen.json"
    program.write_text(_BROWSER.format(python=sys.executable, seen=str(seen)), "utf-8")
    program.chmod(0o700)
    with playing(farm_in(folder / "farm"), "--browser", environment={"BROWSER": str(program)}) as served:
        end = time.monotonic() + PATIENCE
        while not seen.exists() and time.monotonic() < end:
            time.sleep(0.05)
        yield served, json.loads(seen.read_text("utf-8"))


def file_of(arguments: list[str]) -> Path:
    (argument,) = arguments
    return Path(urllib.parse.unquote(urllib.parse.urlsplit(argument).path))


def test_the_browser_is_called_with_a_file_that_the_user_alone_can_read(opened: tuple[Served, list[str]]) -> None:
    served, arguments = opened
    assert served.token
    assert served.token not in " ".join(arguments)
    file = file_of(arguments)
    assert arguments == [file.as_uri()]
    assert f'content="0; url={served.address}"' in file.read_text("utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_browser_that_does_not_end_keeps_nobody_waiting(opened: tuple[Served, list[str]]) -> None:
    served, _ = opened
    assert served.status(f"/?token={served.token}") == 200


def test_the_file_leads_to_the_page_which_can_be_loaded_again(
    browser: Browser, opened: tuple[Served, list[str]]
) -> None:
    served, arguments = opened
    context = browser.new_context()
    page = context.new_page()
    page.goto(arguments[0])
    page.wait_for_selector("body[data-ready]", timeout=120_000)
    assert page.url == served.address
    assert page.evaluate("document.referrer") == ""
    page.reload()
    page.wait_for_selector("body[data-ready]", timeout=120_000)
    again = context.new_page()
    again.goto(page.url)
    again.wait_for_selector("body[data-ready]", timeout=120_000)
    context.close()


def test_nothing_is_left_when_the_page_has_ended(tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    with playing(farm_in(tmp_path / "farm"), environment={"TMPDIR": str(folder)}) as served:
        assert [path.name[:4] for path in folder.iterdir()] == ["sgl-"]
        with served.client() as client:
            client.begin()
    assert [*folder.iterdir()] == []
    assert served.said == ""


# ---- requests


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A page; its terminal shows nothing, whatever it is asked for."""
    with playing(farm_in(tmp_path_factory.mktemp("requests"))) as found:
        yield found
    assert found.said == ""


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", "X"])
@pytest.mark.parametrize("path", ["/", "/page/play.js", "/connection", "/nothing"])
def test_pages_can_be_got_and_nothing_else_be_done_with_them(served: Served, method: str, path: str) -> None:
    answer = served.answer(served.request(f"{path}?token={served.token}", method=method))
    assert status_of(answer) == 405
    assert b"\r\nAllow: GET\r\n" in answer
    assert b"<title>" not in answer


@pytest.mark.parametrize(
    ("path", "heads", "status"),
    [
        ("/?token=%C3%A9", (), 403),
        ("/?token=%ED%A0%80", (), 403),
        ("/?token=" + "%00" * 500, (), 403),
        ("/?token=&token=&&&=", (), 403),
        ("/page/a\0b", (), 403),
        ("/page/" + "a" * 5_000, (), 403),
        ("/page/..%2fanswers.py", (), 403),
        ("/page/", (), 403),
        ("/page", (), 403),
        ("/editor/../../../../../../../etc/passwd", (), 403),
        ("//etc/passwd", (), 403),
        ("//[::1/", (), 400),
        ("http://[/", (), 400),
        ("/", ("Host: 127.0.0.1:1", "Host: 127.0.0.1:2"), 400),
        ("/connection", ("Origin: a", "Origin: b"), 400),
        ("/a b", (), 400),
        ("/é", (), 400),
        ("/", ("no head",), 400),
        ("/", ("Content-Length: 5",), 400),
        ("/", ("Transfer-Encoding: chunked",), 400),
        ("/" + "a" * 9_000, (), 414),
        ("/", ("X: " + "a" * 9_000,), 431),
        ("/", ("X: a",) * 200, 431),
    ],
)
def test_a_request_that_is_wrong_is_refused(served: Served, path: str, heads: tuple[str, ...], status: int) -> None:
    answer = served.answer(served.request(path, *heads))
    assert status_of(answer) == status
    assert b"Traceback" not in answer


@pytest.mark.parametrize(
    "sent", [b"\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"GET /\r\n\r\n", b"x" * 20_000, b"\0" * 50]
)
def test_what_is_no_request_is_refused(served: Served, sent: bytes) -> None:
    assert status_of(served.answer(sent + b"\r\n")) in (400, 414)


@pytest.mark.parametrize("path", ["/dataset/x.zip", "/dataset/../open.html", "/dataset/open.html", "/open.html", "/x"])
def test_with_the_token_there_is_no_other_file(served: Served, path: str) -> None:
    assert served.status(f"{path}?token={served.token}") == 404


def test_the_page_names_no_token_in_what_it_asks_others_for(served: Served) -> None:
    answer = served.answer(served.request(f"/?token={served.token}")).decode()
    assert "Referrer-Policy: no-referrer" in answer
    assert "Set-Cookie" not in answer
    assert not re.search(r'(?:href|src)="(?:[a-z]+:)?//', answer)
