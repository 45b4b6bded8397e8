"""Every example of README.md and of the site does what the page says.

A page is read from top to bottom in a directory of its own, which starts with the
files of ``docs/examples`` and with ``grammars``.  Fences mean:

=========================  ====================================================
```` ```sgl ````           declarations that can be read
```` ```sgl title="F" ```` is added to the file ``F``; so is any other language
```` ```console ````       each ``$ sglc …`` runs and prints what stands below
                           it; ``...`` stands for any text, on a line of its
                           own for any lines; without output any will do
```` ```python ````        runs, after the earlier ones of the page
=========================  ====================================================

A command ends with exit code 1 where its output shows an error, otherwise with 0.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from docs_pages import pages

import sgl
from sgl.diagnostics import Diagnostics, SourceFile, SourceMap
from sgl.diagnostics.render import render
from sgl.lang.reader import read

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "docs" / "examples"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: where it starts, its language, its file if any, its text."""

    page: Path
    line: int
    language: str
    title: str | None
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Block(page, line, match[1], match[2], match[3])


ALL = [block for page in PAGES for block in blocks(page)]
SGL = [block for block in ALL if block.language == "sgl"]
#: Pages with something to run.
SESSIONS = [
    page for page in PAGES if any(block.page == page and block.language in ("console", "python") for block in ALL)
]


@pytest.mark.parametrize("block", SGL, ids=str)
def test_every_sgl_block_can_be_read(block: Block) -> None:
    sources, diagnostics = SourceMap(), Diagnostics()
    source = sources.add(SourceFile(str(block), block.text))
    file = read(source, diagnostics)
    assert [render(found, sources) for found in diagnostics] == []
    assert file.declarations


#: Pages that compile a benchmark, or as much: they are tried for acceptance.
LONG = [
    *("discontinuity", "evaluate", "exchange", "faq", "fit", "releases", "split", "stdlib", "texts"),
    *("commands/compile", "commands/grammars", "commands/verify"),
    *(
        "gallery/index",
        "gallery/pcfg_set",
        "gallery/question",
        "gallery/scan",
        "howto/ablations",
        "howto/add-pattern",
        "howto/depth",
        "howto/hub",
    ),
    "howto/word-in-one-role",
]


def tried(page: Path) -> object:
    """A page with its name, and when it is tried."""
    name = page.relative_to(ROOT).as_posix()
    long = name.removeprefix("docs/").removesuffix(".md") in LONG
    return pytest.param(page, id=name, marks=pytest.mark.acceptance if long else pytest.mark.slow)


@pytest.mark.parametrize("page", [tried(page) for page in SESSIONS])
def test_a_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    prepare(tmp_path)
    names: dict[str, object] = {}
    seen: set[str] = set()
    for block in blocks(page):
        if block.title is not None:
            add(tmp_path / block.title, block, seen)
        elif block.language == "console":
            check_session(block, tmp_path)
        elif block.language == "python":
            with contextlib.chdir(tmp_path):
                exec(compile(block.text, str(block), "exec"), names)  # noqa: S102 - our own page


def test_the_tutorial_ends_with_the_example_grammar(tmp_path: Path) -> None:
    seen: set[str] = set()
    for block in blocks(ROOT / "docs" / "tutorial.md"):
        if block.title is not None:
            add(tmp_path / block.title, block, seen)
    written = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    kept = {name: (EXAMPLES / name).read_text(encoding="utf-8") for name in written}
    assert written == kept


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_opens_in_the_browser_is_there(page: Path) -> None:
    text = page.read_text("utf-8")
    opened = set(re.findall(r"`sglc play ([a-z_./-]+)`", text))
    written = {block.title for block in blocks(page)} | {path.name for path in EXAMPLES.iterdir()}
    # Commands of the page write some: `sglc import irtg … --out hens.sgl`, `sglc new clauses`.
    written |= set(re.findall(r"--out (\S+\.sgl)", text))
    written |= {f"{made}/{made}.sgl" for made in re.findall(r"sglc new (\w+)", text)}
    assert opened <= written | set(sgl.grammars())
    # Every grammar that a reader can take from the page; one that is wrong on purpose shows its message instead.
    shown = {block.title for block in blocks(page) if block.title is not None and block.title.endswith(".sgl")}
    shown |= set(re.findall(r"\]\(examples/(\w+\.sgl)\)", text))
    assert shown - {"wrong.sgl"} <= opened


#: Whatever a page opens or links, but for what is wrong on purpose.
LINKED = [pytest.param(path, id=path.name) for path in sorted(EXAMPLES.glob("*.sgl")) if path.stem != "wrong"]


@pytest.mark.slow
@pytest.mark.parametrize("path", LINKED)
def test_every_grammar_that_a_page_links_passes_its_tests(path: Path) -> None:
    status, output = run(f"sglc test {shlex.quote(str(path))}", EXAMPLES)
    assert status == 0, output


@pytest.mark.slow
def test_the_first_command_of_the_readme_ends_with_a_verified_dataset(tmp_path: Path) -> None:
    """All but its set-up, which ``.ci/run`` does; this is the whole of SGET."""
    prepare(tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^python3 -m venv .* && \.venv/bin/(sglc .*)$", text, re.MULTILINE)
    status, output = run(command, tmp_path)
    assert status == 0, output
    assert "42 of 42 patterns" in output
    assert ": 0 violations" in output
    assert (tmp_path / "out" / "sget" / "report.html").exists()


#: A line more in the changelog, or another docstring, is on the site when somebody makes the pages.
EXACT = [(name, text) for name, text in pages() if name not in ("api.md", "changelog.md")]


@pytest.mark.parametrize(("name", "text"), EXACT)
def test_generated_pages_are_up_to_date(name: str, text: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == text, "python tests/support/docs_pages.py"


def test_the_page_of_changes_has_every_version() -> None:
    versions = [re.findall(r"^## .*$", text, re.MULTILINE) for name, text in pages() if name == "changelog.md"]
    assert versions == [re.findall(r"^## .*$", (ROOT / "docs" / "changelog.md").read_text("utf-8"), re.MULTILINE)]


def test_there_is_something_to_run() -> None:
    assert ROOT / "docs" / "tutorial.md" in SESSIONS
    assert len(SGL) > 20


def prepare(directory: Path) -> None:
    """What every page may use: the example grammar and the grammars that come with SGL."""
    shutil.copytree(EXAMPLES, directory, dirs_exist_ok=True)
    (directory / "grammars").symlink_to(ROOT / "grammars")


def add(path: Path, block: Block, seen: set[str]) -> None:
    """Begin the file at its first block, go on with it at the later ones."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text(encoding="utf-8") + "\n" if str(path) in seen else ""
    path.write_text(before + block.text, encoding="utf-8")
    seen.add(str(path))


def check_session(block: Block, directory: Path) -> None:
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        status, output = run(command, directory)
        context = f"{block}: $ {command}\n{output}"
        if expected.strip():
            as_shown = wildcard(expected).fullmatch(tidy(output)) is not None
            assert as_shown, context
        failed = re.search(r"^error", output, re.MULTILINE) is not None
        assert status == int(failed), context


def run(command: str, directory: Path) -> tuple[int, str]:
    """Exit code and output of a command; ``sglc`` is the package under test."""
    program, *arguments = shlex.split(command, comments=True)
    start = [sys.executable, "-m", "sgl"] if program == "sglc" else [program]
    done = subprocess.run(
        [*start, *arguments],
        cwd=directory,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout


def tidy(text: str) -> str:
    """Lines without the space at their ends, and no empty lines around them."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def wildcard(expected: str) -> re.Pattern[str]:
    pattern = ""
    for line in tidy(expected).splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(piece) for piece in line.split("...")) + r"\n"
    return re.compile(pattern)


@pytest.mark.parametrize(
    ("expected", "output", "fits"),
    [
        ("a\n", "a\n", True),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("took ... s\n", "took 1.3 s\n", True),
        ("a\n", "a\nb\n", False),
        ("took ... s\n", "took 1.3 min\n", False),
        ("a.c\n", "abc\n", False),
    ],
)
def test_wildcards_stand_for_any_text_and_nothing_else_does(expected: str, output: str, fits: bool) -> None:
    assert bool(wildcard(expected).fullmatch(tidy(output))) == fits


def test_the_list_of_the_interface_has_every_page_and_every_name() -> None:
    listed = re.compile(r"\((api/[\w-]+\.md)(?:#([\w.]+))?\)").findall
    kept = (ROOT / "docs" / "api.md").read_text("utf-8")
    assert listed(kept) == listed(dict(pages())["api.md"]), "python tests/support/docs_pages.py"
    assert {page for page, _ in listed(kept)} == {f"api/{path.name}" for path in (ROOT / "docs" / "api").iterdir()}
