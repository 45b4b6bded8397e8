"""What happens while somebody writes: messages, fixes, other names, and clients of all kinds."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import with_farm
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from editor import Editor
from sgl.engine import Workspace


def test_a_mistake_is_shown_as_one_types_and_can_be_fixed_by_its_hint(editor: Editor) -> None:
    editor.open("farm.sgl")
    editor.replace("farm.sgl", "犬が鶏の近くの猫を追いかけた。", "犬が𠮷鶏の近くの猫を追いかけた。")
    editor.diagnostics("farm.sgl", "SGL0817")
    # A character that is two units of UTF-16 stands before the place, in a file that is not saved.
    editor.replace("farm.sgl", 'ja  NP "の近くの"\n  syn NP -', 'ja  "𠮷" Np "の近くの"\n  syn NP -')
    (mistake,) = editor.diagnostics("farm.sgl", "SGL0305")
    assert editor.text_at("farm.sgl", mistake.range) == "Np"
    context = types.CodeActionContext([mistake])
    fix, explain = editor.ask_of(types.CodeActionParams, "farm.sgl", range=mistake.range, context=context)
    assert (fix.title, fix.is_preferred) == ("did you mean `NP`?", True)
    assert explain.command == "sgl.explain"
    editor.write("farm.sgl", editor.applied(fix.edit.changes[editor.uri("farm.sgl")], editor.texts["farm.sgl"]))
    editor.diagnostics("farm.sgl")
    assert 'ja  "𠮷" NP "の近くの"' in editor.texts["farm.sgl"]


def test_a_claim_turns_red_and_heals_without_being_asked_for(editor: Editor) -> None:
    editor.open("farm.sgl")
    editor.diagnostics("farm.sgl")
    editor.replace("farm.sgl", "need   100 {", "need   1001 {")
    (refuted,) = editor.diagnostics("farm.sgl", "SGL0821")
    assert editor.text_at("farm.sgl", refuted.range).startswith("need   1001 {")
    assert "need fewer" in refuted.message
    editor.replace("farm.sgl", "need   1001 {", "need   100 {")
    editor.diagnostics("farm.sgl")


def test_a_module_is_checked_through_the_grammar_that_uses_it(editor: Editor) -> None:
    text = (editor.directory / "farm.sgl").read_text("utf-8")
    start_of_rules = text.index("rule sentence")
    module, rest = text[start_of_rules : text.index("test ")], text[text.index("test ") :]
    categories = text[text.index("category Text") : start_of_rules]
    (editor.directory / "rules.sgl").write_text(f"use words\n{categories}{module}", "utf-8")
    words = "category N\ncategory V\ncategory Det\n"
    (editor.directory / "words.sgl").write_text(words, "utf-8")
    head = text[: text.index("category Text")].replace(words, "use words\nuse rules\n")
    (editor.directory / "farm.sgl").write_text(head + rest, "utf-8")
    editor.open("rules.sgl")
    editor.diagnostics("rules.sgl")
    # What the module breaks is shown where it is used, and the other way round.
    editor.replace("rules.sgl", "category PP\n", "")
    (first,) = editor.diagnostics("rules.sgl", "SGL0201")
    assert editor.text_at("rules.sgl", first.range) == "PP"
    editor.replace("rules.sgl", "category NP\n", "category NP\ncategory PP\n")
    editor.diagnostics("rules.sgl")
    editor.open("words.sgl")
    editor.replace("words.sgl", "category Det\n", "")
    editor.diagnostics("rules.sgl", "SGL0201")


@pytest.mark.slow
def test_a_client_that_asks_for_diagnostics_is_told_when_to_ask(tmp_path: Path) -> None:
    editor = Editor(with_farm(tmp_path / "writing"), pulls=True)
    editor.open("farm.sgl")
    editor.replace("farm.sgl", "rule near: PP", "rule near: Pp")
    report = editor.ask_of(types.DocumentDiagnosticParams, "farm.sgl")
    assert [one.code for one in report.items] == ["SGL0201"]
    # What is pushed is about files that are not open.
    assert editor.diagnostics("farm.sgl") == []
    editor.wait_until(lambda: editor.refreshed > 0)
    assert editor.close() == 0


def test_a_file_of_another_kind_that_no_grammar_reads_has_no_messages(editor: Editor) -> None:
    editor.open("farm.sgl")
    editor.open("other.yaml", "lines: [that, no, grammar, reads]\nname: other\n")
    editor.diagnostics("farm.sgl")
    assert editor.diagnostics("other.yaml") == []
    assert editor.hover("other.yaml", "na▮me: other") == ""


def test_a_name_is_changed_in_all_files_and_tables(editor: Editor) -> None:
    editor.open("farm.sgl")
    prepared = editor.ask_at(types.PrepareRenameParams, "farm.sgl", "en  $past or ed($e▮n)")
    assert prepared.placeholder == "en"
    edits = editor.ask_at(types.RenameParams, "farm.sgl", "en  $past or ed($e▮n)", new_name="english").changes
    for name in ("farm.sgl", "verbs.yaml"):
        text = (editor.directory / name).read_text("utf-8")
        changed = editor.applied(edits[editor.uri(name)], text)
        assert changed.count("english") == {"farm.sgl": 2, "verbs.yaml": 5}[name]
        (editor.directory / name).write_text(changed, "utf-8")
    assert not Workspace().open(editor.directory / "farm.sgl").diagnostics


@pytest.mark.parametrize(
    ("marked", "new", "why"),
    [
        ("rule near: P▮P", "pp", "begins with a capital letter"),
        ("rule near: P▮P", "P P", "letters, digits and `_`"),
        ("rule near: P▮P", "NP", "there is a category `NP` already"),
        ("ja  pa▮st($ja", "perfect", "not declared in a file of this grammar"),
        ("from▮  Text", "to", "no name here"),
    ],
)
def test_a_name_that_cannot_be_changed_is_refused_with_a_reason(farm: Editor, marked: str, new: str, why: str) -> None:
    with pytest.raises(JsonRpcException, match=why):
        farm.ask_at(types.RenameParams, "farm.sgl", marked, new_name=new)


def test_a_table_that_goes_and_comes_back_is_seen(editor: Editor) -> None:
    editor.open("farm.sgl")
    editor.diagnostics("farm.sgl")
    table, elsewhere = editor.directory / "verbs.yaml", editor.directory / "elsewhere"
    table.rename(elsewhere)
    editor.changed(table, types.FileChangeType.Deleted)
    editor.diagnostics("farm.sgl", "SGL0001")
    elsewhere.rename(table)
    editor.changed(table, types.FileChangeType.Created)
    editor.diagnostics("farm.sgl")


def test_a_dataset_is_made_of_what_is_on_disk(editor: Editor) -> None:
    editor.open("farm.sgl")
    editor.replace("farm.sgl", "train 1000", "train 2000")
    assert "Save all files first" in editor.run("sgl.compile", editor.uri("farm.sgl"))


# ---- nothing that a client sends ends the server


def test_questions_that_make_no_sense_are_answered_with_errors(editor: Editor) -> None:
    editor.open("farm.sgl")
    nowhere = types.Position(10**9, 10**9)
    found = editor.ask_of(types.HoverParams, "farm.sgl", position=nowhere)
    assert found is None or found.contents
    for uri in ("file:///nothing/here.sgl", "untitled:Untitled-1", "http://x/y.sgl", "file:///\0", ""):
        document = types.TextDocumentIdentifier(uri)
        assert not editor.ask(types.TEXT_DOCUMENT_HOVER, types.HoverParams(document, nowhere))
        editor.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "sgl", 1, "x"))
        )
    for command in ("rm", "sgl.nothing"):
        with pytest.raises(JsonRpcException):
            editor.run(command, editor.uri("farm.sgl"))
    for arguments in ((), ("x",), (editor.uri("farm.sgl"), "no_pattern"), (editor.uri("farm.sgl"), "a", "b", "c")):
        with pytest.raises(JsonRpcException):
            editor.run("sgl.beside", *arguments)
    editor.write("farm.sgl", "\0" * 10 + "[" * 10_000)
    assert editor.diagnostics("farm.sgl", "SGL0002")


@pytest.mark.slow
def test_a_crash_in_a_request_is_an_error_answer(tmp_path: Path) -> None:
    broken = (
        "from lsprotocol import types; from sgl_editor.lsp import server\n"
        "def boom(*_): raise RecursionError('boom')\n"
        "server.FEATURES[types.TEXT_DOCUMENT_HOVER] = (boom, None)\n"
        "import sys; sys.stderr = open('log', 'w', buffering=1)\n"
        "server.command.callback()"
    )
    (tmp_path / "a.sgl").write_text("category NP\n", "utf-8")
    editor = Editor(tmp_path, command=["-c", broken])
    editor.open("a.sgl")
    with pytest.raises(JsonRpcException, match=r"^SGL0999, a mistake in sglc: RecursionError$") as refused:
        editor.hover("a.sgl", "category N▮P")
    assert refused.value.data is None
    (line,) = (tmp_path / "log").read_text("utf-8").splitlines()
    assert line.startswith("SGL0999, a mistake in sglc: RecursionError: boom")
    assert editor.ask_of(types.DocumentSymbolParams, "a.sgl")[0].name == "NP"
    assert editor.close() == 0
