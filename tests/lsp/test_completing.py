"""What is offered where: the declaration is not finished, and the server knows what may come."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from sgl.engine import Workspace
from sgl.frontend import Compiled
from sgl.rendering.views import VIEWS
from sgl_editor.lsp.completion import complete
from sgl_editor.lsp.document import Grammar
from sgl_editor.lsp.names import TABLES

FARM = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"
CATEGORIES = {"N", "V", "Det", "Text", "S", "VP", "NP", "PP"}


@pytest.fixture(scope="module")
def before() -> Compiled | None:
    return Workspace().open(FARM).compiled


def offered(piece: str, before: Compiled | None) -> dict[str, str]:
    """What is offered at the caret, at the end of the farm, with its kind."""
    workspace, text = Workspace(), FARM.read_text("utf-8") + "\n" + piece
    workspace.edit(FARM, text.replace("▮", ""))
    grammar = Grammar(workspace.open(FARM), before=before)
    document = grammar.open(FARM)
    assert document is not None
    position = grammar.position(document.source, text.index("▮"))
    found = complete(document, types.CompletionParams(types.TextDocumentIdentifier(""), position))
    return {item.label: item.detail or "" for item in found}


RULE = "rule x: NP -> first:Det N\n  ja  N\n"


@pytest.mark.parametrize(
    ("piece", "there", "not_there"),
    [
        ("rule x: ▮", CATEGORIES, {"category", "en"}),
        ("rule x: NP -> D▮", CATEGORIES | {"capital"}, {"rule"}),
        ("feature f = a | b\ncategory X[▮", {"f"}, {"N"}),
        ("feature f = a | b\ncategory X[f]\nrule x: X[▮", {"f"}, {"a"}),
        ("feature f = a | b\ncategory X[f]\nrule x: X[f=▮", {"a", "b"}, {"f"}),
        ("rule x: NP -> Det N\n  ▮", {"en", "ja", "syn", "when", "keep"}, {"forbid", "NP"}),
        ('rule x: NP -> first:Det N\n  ja  "お" ▮', {"first", "N", "drop"}, {"Text"}),
        (RULE + "  syn N -[▮", {"nsubj", "obj", "punct"}, {"N"}),
        (RULE + "  syn N -[det]-> f▮", {"first", "N"}, {"Text", "nsubj"}),
        ('lexicon z from "▮', {"animals.yaml", "verbs.yaml"}, {"stdlib.ud"}),
        ('lexicon z from "verbs.yaml"\n  V\n    en  $▮', {"en", "past", "class"}, {"num"}),
        ('lexicon z from "verbs.yaml"\n  V\n    en  e▮', {"ed", "past"}, {"S"}),
        ('lexicon z from "verbs.yaml"  ~ z▮', {"zipf", "uniform"}, {"V"}),
        ('word N: "x"\n  syn node(▮', {"lemma", "upos", "Tense"}, {"N"}),
        ("use ▮", {"stdlib.ud", "stdlib.ja.verb"}, {"verbs.yaml"}),
        ("use stdlib.ja.▮", {"stdlib.ja.verb"}, set()),
        ("use stdlib.ja.verb (▮", {"past", "te"}, {"ed"}),
        ("pattern z\n  ▮", {"forbid", "gen", "need", "targets"}, {"en", "rule"}),
        ("pattern z\n  forbid { V[▮", {"lemma", "upos"}, {"num"}),
        ("pattern z\n  forbid { V[lemma=▮", {"dog", "chase"}, {"NOUN"}),
        ("pattern z\n  forbid { V -[▮", {"nsubj"}, {"V"}),
        ("pattern z\n  allow ▮", {"pp_in_subject"}, {"NP"}),
        ("pattern z\n  targets ▮", {"dog", "sheep"}, {"NP"}),
        ("param q = on\nrule x: NP -> N\n  when ▮", {"q", "not"}, {"NP"}),
        ("dataset\n  ▮", {"from", "train", "distinct"}, {"forbid"}),
        ("dataset\n  from ▮", CATEGORIES, {"train"}),
        ('test "犬" => ▮', {"ja", "syn"}, {"NP"}),
        ("▮", {"rule", "category", "pattern"}, {"NP", "forbid"}),
        ("view v = ▮", {"conllu", "template"}, {"syn"}),
    ],
)  # fmt: skip
def test_what_fits_is_offered(piece: str, there: set[str], not_there: set[str], before: Compiled | None) -> None:
    found = offered(piece, before)
    assert there <= found.keys(), found
    assert not (not_there & found.keys()), found


def test_what_is_offered_takes_the_place_of_what_was_begun(before: Compiled | None) -> None:
    workspace, text = Workspace(), FARM.read_text("utf-8") + 'rule x: NP -> "古い" De'
    workspace.edit(FARM, text)
    grammar = Grammar(workspace.open(FARM), before=before)
    document = grammar.open(FARM)
    assert document is not None
    position = grammar.position(document.source, len(text))
    params = types.CompletionParams(types.TextDocumentIdentifier(""), position)
    (item,) = (one for one in complete(document, params) if one.label == "Det")
    assert isinstance(item.text_edit, types.TextEdit)
    assert item.text_edit.range.end.character - item.text_edit.range.start.character == len("De")


def test_all_kinds_of_views_are_known() -> None:
    assert TABLES["words"]["ViewDecl.kind"] == sorted(["conllu", "template", *VIEWS])
