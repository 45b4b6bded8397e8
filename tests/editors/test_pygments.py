"""The colours of ``.sgl``: the lexer knows every character of the language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pygments.token import Comment, Error, Keyword, Name, Operator, String

from sgl.lang import CLAUSES, DECLARATIONS
from sgl_editor.pygments_lexer import SglLexer

ROOT = Path(__file__).parent.parent.parent
FILES = sorted(
    path
    for folder in ("docs", "grammars", "stdlib", "tests")
    for path in (ROOT / folder).rglob("*.sgl")
    if "invalid" not in path.parts
)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def tokens(text: str) -> list[tuple[object, str]]:
    return [(kind, value) for kind, value in SglLexer().get_tokens(text) if value.strip()]


def unknown(text: str) -> list[str]:
    return [value for kind, value in tokens(text) if kind in Error]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_grammar_is_coloured_to_its_last_character(path: Path) -> None:
    assert unknown(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_block_of_the_docs_is_coloured(path: Path) -> None:
    for block in re.findall(r"^```sgl\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        assert unknown(block) == []


def test_there_are_grammars_to_colour() -> None:
    assert FILES


def test_a_foreign_character_is_an_error() -> None:
    assert unknown("rule r: S -> NP `VP`") == ["`", "`"]


def test_declarations_differ_from_clauses() -> None:
    found = tokens('pattern p "A title"\n  forbid { V -[~obj]-> N[lemma="を"] }  # why\n')
    assert found[0] == (Keyword.Declaration, "pattern")
    assert (Name.Class, "p") in found
    assert (Keyword, "forbid") in found
    assert (Name.Attribute, "obj") in found
    assert (String, '"を"') in found
    assert found[-1] == (Comment.Single, "# why")


def test_a_degree_test_is_no_comment() -> None:
    found = tokens("structure many { N[#amod>=5] }")
    assert (Operator, "#") in found
    assert (Name.Attribute, "amod") in found


@pytest.mark.parametrize("word", DECLARATIONS)
def test_a_declaration_is_a_keyword_in_the_first_column_only(word: str) -> None:
    assert tokens(f"{word} x\n")[0] == (Keyword.Declaration, word)
    indented = tokens(f"  {word}\n")[0][0]
    assert indented == (Keyword if word in CLAUSES else Name)
