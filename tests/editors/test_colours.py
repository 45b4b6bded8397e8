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

from sgl.lang import CLAUSES, DECLARATIONS

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


#: Lines with words of the language that are names there, between `«` and `»`; the others are none.
NAMES = """\
feature «gen»   = m | f
feature order = second | «last»
category VP[form, «gen»] with de.verb, de.«after»
  de  NP VP.«after» if o = «last»
  sem V -[neg]-> A last
  need 10 { V[form=past, «size»=big] }
test "An author walked." when not published
test reject "A author walked." when not published
""".splitlines()


def unmarked(line: str) -> tuple[str, dict[str, bool]]:
    """A line without the marks, and whether each word of the language in it is a keyword there."""
    words = re.findall(r"«?\b\w+»?", re.sub(r'"[^"]*"', "", line))
    return re.sub("[«»]", "", line), {
        word.strip("«»"): "«" not in word for word in words if word.strip("«»") in CLAUSES
    }


@pytest.mark.parametrize("line", NAMES[:-2])
def test_names_are_no_keywords(line: str) -> None:
    text, keywords = unmarked(line)
    found = {piece: scope.startswith("keyword") for piece, scope in scopes(text)}
    declared = {piece.split()[1]: False for piece in found if piece.partition(" ")[0] in DECLARATIONS}
    assert {word: (found | declared)[word] for word in keywords} == keywords


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
@pytest.mark.parametrize("line", NAMES)
def test_names_are_no_keywords_in_the_page(line: str) -> None:
    text, keywords = unmarked(line)
    page = (EDITORS / "sgl_editor/play/page/play.js").read_text("utf-8")
    (token,) = re.findall(r"^  (token\(stream, state\) \{\n.*?^  \}),\n  languageData", page, re.MULTILINE | re.DOTALL)
    script = f"""
const declarations = new Set({json.dumps(DECLARATIONS)}), clauses = new Set({json.dumps(CLAUSES)});
const stream = {{
  string: {json.dumps(text)}, start: 0, pos: 0,
  sol() {{ return this.pos === 0; }},
  peek() {{ return this.string[this.pos]; }},
  next() {{ return this.string[this.pos++]; }},
  skipToEnd() {{ this.pos = this.string.length; }},
  eatSpace() {{ return Boolean(this.match(/^\\s+/)); }},
  match(pattern, consume = true) {{
    const found = this.string.slice(this.pos).match(pattern);
    if (found && consume) this.pos += found[0].length;
    return found;
  }},
}};
const mode = {{ {token} }}, state = {{ declared: false, inside: false }}, found = [];
while (stream.pos < stream.string.length) {{
  stream.start = stream.pos;
  const scope = mode.token(stream, state);
  found.push([stream.string.slice(stream.start, stream.pos), scope === "keyword"]);
}}
console.log(JSON.stringify(found));"""
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    found = dict(json.loads(done.stdout))
    assert {word: found[word] for word in keywords} == keywords


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
    out, colours, named = tmp_path / "out", tmp_path / "colours", tmp_path / "named.sgl"
    texts = [unmarked(line) for line in NAMES]
    named.write_text("".join(f"{text}\n" for text, _ in texts))
    script.write_text(
        f"set runtimepath^={EDITORS}/vim\nfiletype plugin on\nsyntax on\n"
        f"edit {ROOT}/docs/examples/farm.sgl\n"
        "let colour = synIDattr(synID(1, 1, 1), 'name')\n"
        f"call writefile([&filetype, colour, &makeprg], '{out}')\n"
        f"edit {named}\n"
        "let colours = map(range(1, line('$')), {_, l -> map(range(1, col([l, '$']) - 1), "
        "{_, c -> synIDattr(synID(l, c, 1), 'name') ==# 'sglClause'})})\n"
        f"call writefile([json_encode(colours)], '{colours}')\nqall!\n"
    )
    subprocess.run(["vim", "-es", "-u", "NONE", "-i", "NONE", "-N", "-S", script], check=False, timeout=60)
    filetype, colour, command = out.read_text().splitlines()
    assert (filetype, colour) == ("sgl", "sglDeclaration")
    assert command.startswith("sglc check")
    for (text, keywords), row in zip(texts, json.loads(colours.read_text()), strict=True):
        found = {match.group(): row[match.start()] for match in re.finditer(r"\w+", text)}
        assert {word: bool(found[word]) for word in keywords} == keywords, text
