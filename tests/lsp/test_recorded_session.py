"""A recorded session: from ``sglc new`` to a proved dataset, by the protocol of editors alone.

What the author does and is told is written down in ``session.md`` beside this test, and compared.
``SGL_UPDATE_GOLDEN=1 pytest tests/lsp/test_recorded_session.py`` writes what is said now.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from lsprotocol import types

from editor import Editor
from sgl.cli.main import OK, run
from sgl.verify import verify

RECORD = Path(__file__).parent / "session.md"


class Author:
    """Somebody at an editor, whose session is recorded."""

    def __init__(self, editor: Editor) -> None:
        self.editor, self.record = editor, ["# A session with `sglc lsp`"]

    def told(self, what: str, answer: str) -> None:
        text = re.sub(r"\d+\.\d+ s\b", "… s", answer.replace(str(self.editor.directory), "."))
        text = re.sub(r"(signature\s+).*", r"\1…", text)
        self.record.append(f"## {what}\n\n````text\n{text.strip()}\n````")

    def writes(self, what: str, old: str, new: str, *codes: str) -> None:
        """Change the grammar, and read the messages."""
        self.editor.replace("farm.sgl", old, new)
        found = self.editor.diagnostics("farm.sgl", *codes)
        said = [f"{self.editor.text_at('farm.sgl', one.range)}: {one.code}: {one.message}" for one in found]
        self.told(what, "\n".join(said) or "no message")

    def fixes(self, what: str) -> None:
        """Apply the fix of the only message."""
        everything = types.Range(types.Position(0, 0), types.Position(1000, 0))
        context = types.CodeActionContext([])
        actions = self.editor.ask_of(types.CodeActionParams, "farm.sgl", range=everything, context=context)
        (fix,) = (one for one in actions if getattr(one, "is_preferred", False))
        edits = fix.edit.changes[self.editor.uri("farm.sgl")]
        self.editor.write("farm.sgl", self.editor.applied(edits, self.editor.texts["farm.sgl"]))
        self.editor.diagnostics("farm.sgl")
        self.told(what, f"{fix.title}\n\nno message")


@pytest.mark.slow
def test_an_author_comes_to_a_proved_dataset_by_the_editor_alone(client: Editor, tmp_path: Path) -> None:
    assert run(["new", str(tmp_path / "farm")]) == OK
    editor = client.within(tmp_path / "farm")
    author = Author(editor)
    grammar = editor.open("farm.sgl")
    editor.diagnostics("farm.sgl")
    author.told("Hover over a category", editor.hover("farm.sgl", "rule transitive: V▮P"))
    begun, pattern = grammar.split("\npattern ")
    editor.write("farm.sgl", begun)
    author.writes(
        "A pattern is begun", begun[-20:], begun[-20:] + "\npattern p\n  forbid { V -[nsub]-> N }\n", "SGL0807"
    )
    author.writes("It is completed", editor.texts["farm.sgl"].partition("\npattern ")[2], pattern)
    author.writes("A name is misspelt", "rule near: PP", "rule near: Pp", "SGL0201")
    author.fixes("The fix is taken")
    author.writes("A claim cannot hold", "need   100 {", "need   2000 {", "SGL0821")
    author.writes("It is corrected, and smaller", "need   2000 {", "need   20 {")
    author.writes("So is the data", "train 1000", "train 300")
    author.told("Counterexample", editor.run("sgl.counterexample", editor.uri("farm.sgl"), "pp_in_subject"))
    author.told("Train beside gen", editor.run("sgl.beside", editor.uri("farm.sgl"), "pp_in_subject"))
    author.told("Compile", editor.run("sgl.compile", editor.uri("farm.sgl")))
    editor.save("farm.sgl")
    author.told("Compile, after the file was saved", editor.run("sgl.compile", editor.uri("farm.sgl")))
    editor.close_files()
    assert verify(editor.directory / "out" / "farm").ok
    said = "\n\n".join(author.record) + "\n"
    if os.environ.get("SGL_UPDATE_GOLDEN"):
        RECORD.write_text(said, "utf-8")
    assert said == RECORD.read_text("utf-8")
