"""Pictures and sentences of the site are those of the grammars; pages take every picture that is kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs_pictures import DOCS, PICTURES, patterns_page
from rooms import APART, LAYERS

#: Those of grammars that are quickly compiled.
QUICK = [name for name in PICTURES if name != "sget"]


@pytest.mark.parametrize("name", [*QUICK, pytest.param("sget", marks=pytest.mark.acceptance)])
def test_a_picture_shows_what_the_grammar_says(name: str) -> None:
    kept = (DOCS / "pictures" / f"{name}.html").read_text("utf-8")
    assert kept == PICTURES[name](), "python tests/support/docs_pictures.py"


def test_the_picture_of_the_rooms_has_every_package() -> None:
    rooms = {name for *_, names in LAYERS for name in names.split()} | {name for name, *_ in APART}
    packages = {path.parent.name for path in (DOCS.parent / "sgl").glob("*/__init__.py")}
    assert packages - rooms == set()


def test_every_picture_is_on_a_page() -> None:
    pages = "\n".join(page.read_text("utf-8") for page in DOCS.rglob("*.md"))
    taken = set(re.findall(r'^--8<-- "pictures/([\w-]+)\.html"$', pages, re.MULTILINE))
    assert taken == set(PICTURES) == {path.stem for path in (DOCS / "pictures").iterdir()}


@pytest.mark.acceptance
def test_the_page_of_patterns_shows_what_the_grammars_say() -> None:
    kept = (DOCS / "gallery" / "patterns.md").read_text("utf-8")
    assert kept == patterns_page(), "python tests/support/docs_pictures.py"


def test_every_page_is_in_the_navigation() -> None:
    nav = (DOCS.parent / "mkdocs.yml").read_text("utf-8")
    pages = {Path(page).relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert pages == set(re.findall(r": ([\w/-]+\.md)$", nav, re.MULTILINE))
