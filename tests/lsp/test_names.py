"""What every name in a grammar stands for: one table, tried on all grammars of the repository."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from lsprotocol import types

from sgl.diagnostics import Diagnostics, SourceMap
from sgl.engine import Workspace
from sgl.lang.project import load_project
from sgl.lang.syntax import Dataset
from sgl_editor.lsp.document import Document, Grammar
from sgl_editor.lsp.edits import rename
from sgl_editor.lsp.names import DECLARED, LOCAL, Names

ROOT = Path(__file__).parents[2]
GRAMMARS = sorted({*(ROOT / "grammars").rglob("*.sgl"), *(ROOT / "docs" / "examples").glob("*.sgl")})
#: Of other kinds there are names that the compiler knows itself, such as `targets`.
_SURE = ("category", "feature", "structure", "pattern", "function")


@pytest.mark.slow
@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_name_is_found_where_it_stands(path: Path) -> None:
    sources, told = SourceMap(), Diagnostics()
    project = load_project(path, sources, told)
    assert project is not None
    if told.errors or path.name == "wrong.sgl":
        return
    names = Names(project)
    for site in (site for site in names.everywhere() if site.symbol.kind != "file"):
        text = sources.files[site.span.file].text[site.span.start : site.span.end]
        assert text.replace("\\", "") == site.symbol.name, site
    # A part of a grammar may mean what another part declares.
    lost = {one.symbol for one in names.everywhere() if one.symbol.kind in DECLARED and not one.symbol.home}
    assert not project.declarations(Dataset) or not {one for one in lost if one.kind in _SURE}


MAIN = """
module words "Words"
use stdlib.en.verb (ed)
use rules

layer en  : text
layer ja  : text (join "")
layer syn : graph on en

weights fitted from "fitted.yaml" when published
param published = off

relation takes from "takes.yaml"
words animals = dog, cats
restrict { V[upos=VERB] -[obj]-> N } to takes(V, N)

lexicon nouns from "nouns.yaml"
  N[num=$num]
    en  $en
    ja  $ja
    syn node(lemma=$en, upos=NOUN)

forms past(X, ending)
  X
    en  ed($en)
    ja  $ja + $ending
    syn node(lemma=$en, upos=VERB)

lexicon verbs from "verbs.yaml"
  past(V, "た")

dataset
  from Text
  train 10

pattern objects "Objects" (all)
  forbid seen(obj)
  gen    seen(obj)
  size   1

structure seen(label) { V -[$label]-> N[lemma=dog] }
"""
RULES = """
feature num = sg | pl
category Text
category N[num]
category V

rule text: Text -> V obj:N[num=n]  ~ 2 if n = sg, 1 if n = pl
  ja  obj V
  syn V -[obj]-> obj
"""
FILES = {
    "main.sgl": MAIN,
    "rules.sgl": RULES,
    "nouns.yaml": "- {en: dog, ja: 犬, num: sg}\n- {en: cats, ja: 猫, num: pl}\n",
    "verbs.yaml": "- {en: chase, ja: 追い}\n- {en: help, ja: 助け}\n",
    "takes.yaml": "chase: {of: [animals]}\n",
    "fitted.yaml": "rules:\n  Text:\n    text:\n      'V N[num=sg]': 2\n      'V N[num=pl]': 1\n",
}
#: One place of each kind of name that can be changed, where it stands first after some words.
PLACES = {
    "category N": "rules.sgl", "category V": "rules.sgl", "feature num": "rules.sgl", "num = sg": "rules.sgl",
    "~ 2 if n": "rules.sgl", "V obj": "rules.sgl", "rule text": "rules.sgl", "layer ja": "main.sgl",
    "-[obj": "rules.sgl", "ja  $ja": "main.sgl", "restrict { V": "main.sgl", "words animals": "main.sgl",
    "relation takes": "main.sgl", "lexicon nouns": "main.sgl", "forms past": "main.sgl", "past(X": "main.sgl",
    "past(X, ending": "main.sgl", "structure seen": "main.sgl", "seen(label": "main.sgl", "param published": "main.sgl",
    "weights fitted": "main.sgl", "pattern objects": "main.sgl",
    '(all': "main.sgl", "num=$num": "main.sgl",
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_a_grammar_means_the_same_after_a_name_was_changed(place: str, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    root, before = tmp_path / "main.sgl", Workspace()
    grammar = Grammar(before.open(root))
    assert grammar.snapshot.compiled is not None, grammar.diagnostics
    document = grammar.open(tmp_path / PLACES[place])
    assert isinstance(document, Document)
    offset = document.source.text.index(place) + len(place)
    old = next(site.symbol.name for site in grammar.names.of(document.source.name) if site.span.end == offset)
    new = f"{old}new"
    position = grammar.position(document.source, offset)
    changes = rename(document, types.RenameParams(types.TextDocumentIdentifier(""), position, new)).changes
    assert changes
    workspace, touched = Workspace(), defaultdict(int)
    for uri, edits in changes.items():
        path = Path(uri.removeprefix("file://"))
        text = path.read_text("utf-8")
        for edit in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
            lines = text.splitlines(keepends=True)
            line = lines[edit.range.start.line]
            assert line[edit.range.start.character : edit.range.end.character] == old
            lines[edit.range.start.line] = line[: edit.range.start.character] + new + line[edit.range.end.character :]
            text = "".join(lines)
            touched[path.name] += 1
        workspace.edit(path, text)
    for settings in ({}, {"published": "on"}) if place != "param published" else ({}, {"publishednew": "on"}):
        changed = workspace.open(root, settings)
        assert changed.compiled is not None, changed.diagnostics
        same = before.open(root, {"published": "on"} if settings else {}).compiled
        assert same is not None
        rules = [[one.weight for one in compiled.grammar.rules] for compiled in (same, changed.compiled)]
        assert rules[0] == pytest.approx(rules[1])
        assert [one.code for one in changed.diagnostics] == [one.code for one in grammar.diagnostics]
    assert sum(touched.values()) > 1 or old in ("all", "fitted", "nouns", "objects", "label")


FAMILY = {path.name: path.read_text("utf-8") for path in (ROOT / "docs" / "examples").glob("family*")}


@pytest.mark.parametrize(
    "place", ["Chain[kin=compose(k", "table compose", "compose[first", "feature kin = father", "(k, r"]
)
def test_names_in_computations_are_changed_with_the_others(place: str, tmp_path: Path) -> None:
    for name, text in FAMILY.items():
        (tmp_path / name).write_text(text.partition("\nstructure")[0] + "\ndataset\n  from Text\n  train 1\n"
                                     if name == "family.sgl" else text, "utf-8")  # fmt: skip
    root = tmp_path / "family.sgl"
    grammar = Grammar(Workspace().open(root))
    document = grammar.open(root)
    assert isinstance(document, Document)
    position = grammar.position(document.source, document.source.text.index(place) + len(place))
    changes = rename(document, types.RenameParams(types.TextDocumentIdentifier(""), position, "anew")).changes
    workspace = Workspace()
    for uri, edits in (changes or {}).items():
        lines = (path := Path(uri.removeprefix("file://"))).read_text("utf-8").splitlines(keepends=True)
        for edit in sorted(edits, key=lambda one: -one.range.start.character):
            line = lines[edit.range.start.line]
            lines[edit.range.start.line] = (
                line[: edit.range.start.character] + "anew" + line[edit.range.end.character :]
            )
        workspace.edit(path, "".join(lines))
    changed, before = workspace.open(root).compiled, grammar.snapshot.compiled
    assert changed is not None
    assert before is not None
    assert [rule.weight for rule in changed.grammar.rules] == pytest.approx([r.weight for r in before.grammar.rules])


def test_local_names_have_kinds_of_their_own() -> None:
    assert set(LOCAL).isdisjoint(DECLARED)
