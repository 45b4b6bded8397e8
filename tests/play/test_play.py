"""The page of ``sglc play`` in a browser: an author types, and the page says what the grammar now says."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"

pytestmark = pytest.mark.slow

#: A browser on a busy machine needs time; nothing here says how long an answer may take.
_PATIENCE = 120_000


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a page that shows the farm of the tutorial, in a folder of its own."""
    for library in ("pygls", "websockets", "nicegui"):
        pytest.importorskip(library)
    folder = tmp_path_factory.mktemp("farm")
    for name in ("farm.sgl", "animals.yaml", "verbs.yaml"):
        shutil.copy(EXAMPLES / name, folder)
    command = [sys.executable, "-m", "sgl", "play", str(folder / "farm.sgl"), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()
        process.communicate()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The page, ready, which has asked nobody but its own server and has said nothing in the console."""
    shown = browser.new_page(viewport={"width": 1400, "height": 900})
    asked: list[str] = []
    said: list[str] = []
    shown.on("request", lambda request: asked.append(request.url))
    shown.on("console", lambda message: said.append(message.text))
    shown.on("pageerror", lambda error: said.append(str(error)))
    open_page(shown, address)
    yield shown
    shown.close()
    assert all(url.startswith(("http://127.0.0.1:", "data:")) for url in asked)
    assert said == []


def open_page(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("body[data-ready]", timeout=_PATIENCE)


def replace(page: Page, old: str, new: str) -> None:
    """Replace a text in the editor, as somebody does who selects it and types."""
    found = page.evaluate(
        """old => {
            const walker = document.createTreeWalker(document.querySelector(".cm-content"), NodeFilter.SHOW_TEXT);
            for (const line of document.querySelectorAll(".cm-line")) {
                const at = line.textContent.indexOf(old);
                if (at < 0) continue;
                const range = document.createRange();
                const place = (offset) => {
                    const nodes = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
                    while (nodes.nextNode()) {
                        if (offset <= nodes.currentNode.length) return [nodes.currentNode, offset];
                        offset -= nodes.currentNode.length;
                    }
                };
                range.setStart(...place(at));
                range.setEnd(...place(at + old.length));
                document.querySelector(".cm-content").focus();
                getSelection().removeAllRanges();
                getSelection().addRange(range);
                return true;
            }
            return false;
        }""",
        old,
    )
    assert found, f"the editor does not show {old!r}"
    page.wait_for_timeout(100)
    page.keyboard.insert_text(new)


def scroll_to_end(page: Page) -> None:
    page.evaluate("document.querySelector('.cm-scroller').scrollTop = 1e6")
    page.wait_for_timeout(300)


def says(page: Page, selector: str, text: str) -> None:
    page.wait_for_selector(f"{selector}:has-text({text!r})", timeout=_PATIENCE)


def test_a_mistake_is_underlined_explained_and_mended(page: Page) -> None:
    replace(page, "graph on en", "graph on enn")
    says(page, "#messages", "enn")
    page.wait_for_selector(".cm-content .wrong")
    page.wait_for_selector("#messages .error button.fix", timeout=_PATIENCE)
    assert page.locator("#messages .error >> nth=0").inner_text().count("did you mean") == 1
    page.click("#messages .error button.fix >> nth=0", timeout=_PATIENCE)
    says(page, "#messages", "No errors or warnings.")


def test_a_name_that_is_pointed_at_says_what_it_is(page: Page) -> None:
    page.locator(".cm-line", has_text="lexicon animals").locator("text=animals").first.hover(timeout=_PATIENCE)
    page.wait_for_selector(".hover pre:has-text('from \"animals.yaml\"')", timeout=_PATIENCE)
    assert page.inner_text(".hover p >> nth=0") == "lexicon animals"


def test_samples_follow_what_is_typed(page: Page) -> None:
    says(page, "#sampled", "the")
    replace(page, 'word Det: "the"', 'word Det: "yonder"')
    says(page, "#sampled", "yonder")


def test_the_line_after_the_head_of_a_declaration_is_indented_and_others_are_as_before(page: Page) -> None:
    page.click(".cm-content")
    page.keyboard.press("Control+End")
    page.keyboard.type("\npattern once\nsize 3\nneed nothing")
    lines = page.locator(".cm-line")
    assert [lines.nth(lines.count() - back).inner_text() for back in (3, 2, 1)] == [
        "pattern once", "  size 3", "  need nothing",
    ]  # fmt: skip


def test_a_pattern_is_refuted_with_its_witness_and_healed(page: Page) -> None:
    page.click("#tab-patterns")
    says(page, "#patterns .state", "proved")
    scroll_to_end(page)
    replace(page, "forbid", "assert never")
    says(page, "#patterns .state", "refuted")
    page.wait_for_selector("#patterns .leak svg .marked", timeout=_PATIENCE)
    scroll_to_end(page)
    replace(page, "assert never", "forbid")
    says(page, "#patterns .state", "proved")
    assert page.query_selector("#patterns .leak") is None


def test_a_pattern_is_shown_beside_what_training_shows(page: Page) -> None:
    page.click("#tab-patterns")
    says(page, "#patterns .state", "proved")
    page.click("#patterns details.pattern > summary")
    says(page, "#patterns .pair", "Training shows")
    assert page.locator("#patterns .held svg .marked").count() >= 2


def test_another_grammar_can_be_opened_and_is_never_written(page: Page) -> None:
    page.select_option("#grammar", label=page.locator("#grammar option", has_text="cogs:").first.inner_text())
    says(page, "#title", "COGS")
    assert page.is_disabled("#save")


def test_what_is_typed_can_be_saved(page: Page, address: str) -> None:
    replace(page, "Animals on a farm", "Animals in a field")
    page.click("#save:enabled", timeout=_PATIENCE)
    says(page, "#save", "Saved farm.sgl")
    open_page(page, address)
    says(page, "#title", "Animals in a field")


def test_the_dataset_can_be_downloaded(page: Page, tmp_path: Path) -> None:
    with page.expect_download(timeout=_PATIENCE) as download:
        page.click("#download")
    archive = tmp_path / "dataset.zip"
    download.value.save_as(archive)
    shutil.unpack_archive(archive, tmp_path)
    assert (tmp_path / "dataset" / "manifest.json").is_file()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(browser: Browser, address: str, scheme: Literal["light", "dark"]) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = browser.new_page(color_scheme=scheme, bypass_csp=True)
    open_page(page, address)
    for tab in ("#tab-patterns", "#tab-messages"):
        page.click(tab)
        page.wait_for_timeout(500)
        found = axe.Axe().run(page).response["violations"]
        serious = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]
        assert serious == []
    page.close()


def test_a_phone_shows_the_page_without_scrolling_sideways(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    open_page(page, address)
    for tab in ("#tab-messages", "#tab-patterns"):
        page.click(tab)
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


@pytest.mark.parametrize(
    ("path", "host"), [("/", None), ("/dataset/x.zip", None), ("/connection", None), ("/?token={token}", "example.org")]
)
def test_without_the_token_or_by_another_name_nothing_is_shown(address: str, path: str, host: str | None) -> None:
    base, _, token = re.split(r"/\?(token)=", address)
    request = urllib.request.Request(base + path.format(token=token), headers={"Host": host} if host else {})  # noqa: S310
    assert status_of(request) == 403


def test_nothing_outside_the_folders_of_the_page_is_served(address: str) -> None:
    base = address.partition("/?")[0]
    for path in ("/page/../answers.py", "/page/%2e%2e/answers.py", "/editor/../../__init__.py"):
        assert status_of(urllib.request.Request(base + path)) in (400, 403, 404)  # noqa: S310


def status_of(request: urllib.request.Request) -> int:
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code
