"""Editors colour every grammar, with the words that the language has."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sgl.lang.keywords import CLAUSES, DECLARATIONS

ROOT = Path(__file__).parents[2]
EDITORS = ROOT / "editors"
GRAMMAR = json.loads((EDITORS / "vscode/syntaxes/sgl.tmLanguage.json").read_text("utf-8"))
FILES = sorted(p for place in ("grammars", "stdlib", "docs") for p in (ROOT / place).rglob("*.sgl"))


def scopes(line: str) -> Iterator[tuple[str, str]]:
    """Colour a line as an engine of TextMate grammars does: each piece with its scope."""
    inside: list[Any] = []
    place = 0
    while place < len(line):
        found = _first(line, place, inside)
        if found is None:
            yield line[place:], ""
            return
        match, rule = found
        if match.start() > place:
            yield line[place : match.start()], ""
        if rule is None:
            inside.pop()
            yield match.group(), "end"
        elif "begin" in rule:
            inside.append(rule)
            yield match.group(), "begin"
        else:
            yield match.group(), rule.get("name") or rule["captures"]["1"]["name"]
        assert match.end() > place, line
        place = match.end()


def _first(line: str, place: int, inside: list[Any]) -> tuple[re.Match[str], Any] | None:
    """The rule whose match begins first; of several, the first."""
    rules = inside[-1]["patterns"] if inside else GRAMMAR["patterns"]
    tried = [(re.compile(rule.get("match") or rule["begin"]), rule) for rule in rules]
    if inside:
        tried.insert(0, (re.compile(inside[-1]["end"]), None))
    matches = [(match, rule) for regex, rule in tried if (match := regex.search(line, place))]
    return min(matches, key=lambda pair: pair[0].start(), default=None)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_grammar_is_coloured_to_its_last_character(path: Path) -> None:
    for line in path.read_text("utf-8").splitlines():
        assert not [piece for piece, scope in scopes(line) if not scope and piece.strip()]


def test_words_have_their_colours() -> None:
    found = dict(scopes('  forbid { V -[~obj]-> N[#amod>=5, lemma="を"] }  # why'))
    assert found["forbid"] == "keyword.control.sgl"
    assert found["obj"] == "entity.other.attribute-name.sgl"
    assert found['"を"'] == "string.quoted.double.sgl"
    assert found["# why"] == "comment.line.number-sign.sgl"
    assert dict(scopes("pattern p"))["pattern p"] == "keyword.declaration.sgl"


def test_the_files_are_those_of_the_words() -> None:
    done = subprocess.run([sys.executable, EDITORS / "make.py", "--check"], capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)


def test_snippets_are_grammar() -> None:
    snippets = json.loads((EDITORS / "vscode/snippets/sgl.json").read_text("utf-8"))
    for snippet in snippets.values():
        assert snippet["prefix"] in DECLARATIONS
        text = re.sub(r"\$\{\d+:([^}]*)\}|\$\d+", r"\1", "\n".join(snippet["body"]))
        words = set(re.findall(r"^  ([a-z]+)", text, re.MULTILINE))
        assert words - {"ja", "syn", "dev", "test"} <= {*CLAUSES, "from", "train", "seed"} | {""}


def test_messages_are_matched() -> None:
    package = json.loads((EDITORS / "vscode/package.json").read_text("utf-8"))
    pattern = package["contributes"]["problemPatterns"][0]["regexp"]
    match = re.match(pattern, "grammars/my.sgl:3:14: error[SGL0301]: `ja` leaves out `Det`")
    assert match is not None
    assert match.groups()[:5] == ("grammars/my.sgl", "3", "14", "error", "SGL0301")


@pytest.mark.skipif(shutil.which("vim") is None, reason="Vim is not installed")
def test_vim_reads_its_files(tmp_path: Path) -> None:
    script = tmp_path / "script.vim"
    out = tmp_path / "out"
    script.write_text(
        f"set runtimepath^={EDITORS}/vim\nfiletype plugin on\nsyntax on\n"
        f"edit {ROOT}/docs/examples/farm.sgl\n"
        "let colour = synIDattr(synID(1, 1, 1), 'name')\n"
        f"call writefile([&filetype, colour, &makeprg], '{out}')\nqall!\n"
    )
    subprocess.run(["vim", "-es", "-u", "NONE", "-i", "NONE", "-N", "-S", script], check=False, timeout=60)
    filetype, colour, command = out.read_text().splitlines()
    assert (filetype, colour) == ("sgl", "sglDeclaration")
    assert command.startswith("sglc check")
