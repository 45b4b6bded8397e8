"""A picture of an editor: the farm of the tutorial with one pattern too many, and all that ``sglc lsp`` says of it.

The file is opened over the protocol, as an editor does it; hints, lenses, messages and what stands under the mouse
are the answers of the server, word for word.  Only their places on the page and their colours are drawn here.
"""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

from lsprotocol import types
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from editor import Editor

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
GRAMMAR = "farm.sgl"
TABLES = ("animals.yaml", "verbs.yaml")

#: The declarations that are shown, and the one that the mouse points at.
SHOWN = ("rule noun_phrase", "rule modified", "pattern pp_in_subject", "pattern near_once")
POINTED = "rule modi▮fied"

#: What is said of the pattern that is wrong.
CODE = "SGL0811"

_PAGE = Markup('<div class="editor">\n<p class="tab">{} <span>{}</span></p>\n<pre class="highlight">{}</pre>\n</div>')
_LEXER = get_lexer_by_name("sgl", stripnl=False, ensurenl=False)


def editor_page() -> str:
    """Return the page of an editor, as HTML."""
    with TemporaryDirectory() as name:
        directory = Path(name).resolve()
        for table in TABLES:
            shutil.copy(EXAMPLES / table, directory)
        one_more = (EXAMPLES / "wrong.sgl").read_text("utf-8").removeprefix("use farm\n")
        editor = Editor(directory)
        try:
            editor.open(GRAMMAR, (EXAMPLES / GRAMMAR).read_text("utf-8") + one_more)
            return _Page(editor).drawn()
        finally:
            editor.close()


class _Page:
    """A file as an editor shows it; ``above``, ``behind`` and ``below`` are what is drawn at a line, by its number."""

    def __init__(self, editor: Editor) -> None:
        self.lines = editor.texts[GRAMMAR].split("\n")
        self.found = editor.diagnostics(GRAMMAR, CODE)
        self.above: dict[int, list[str]] = defaultdict(list)
        self.behind: dict[int, list[str]] = defaultdict(list)
        self.below: dict[int, list[Markup]] = defaultdict(list)
        everything = types.Range(types.Position(0, 0), types.Position(len(self.lines), 0))
        for lens in editor.ask_of(types.CodeLensParams, GRAMMAR):
            self.above[lens.range.start.line].append(lens.command.title)
        for hint in editor.ask_of(types.InlayHintParams, GRAMMAR, range=everything):
            assert hint.position.character == len(self.lines[hint.position.line]), "hints stand behind lines"
            self.behind[hint.position.line].append(hint.label)
        for one in self.found:
            self.below[one.range.end.line].append(_box("message", f"{one.code}: {one.message}"))
        self.pointed = editor.place(GRAMMAR, POINTED).line
        # The declaration stands there already.
        self.hover = re.sub(r"```sgl\n.*?```\n\n", "", editor.hover(GRAMMAR, POINTED), flags=re.DOTALL)

    def drawn(self) -> str:
        """Return the page."""
        return _PAGE.format(GRAMMAR, f"errors: {len(self.found)}", Markup("\n").join(self._rows()))

    def _rows(self) -> list[Markup]:
        rows = []
        starts = [number for number, line in enumerate(self.lines) if line.startswith(SHOWN)]
        for start in starts:
            rows += [] if start == starts[0] else [Markup("&nbsp;")]
            rows += [_box("lens", " | ".join(self.above[start]))] if self.above[start] else []
            end = next((n for n in range(start, len(self.lines)) if not self.lines[n].strip()), len(self.lines))
            for number in range(start, end):
                hints = [Markup(' <span class="hint">{}</span>').format(hint) for hint in self.behind[number]]
                rows += [Markup("").join([self._line(number), *hints]), *self.below[number]]
            rows += [_box("hover", self.hover.replace("`", ""))] if start == self.pointed else []
        return rows

    def _line(self, number: int) -> Markup:
        line = self.lines[number]
        for one in self.found:
            if one.range.start.line == number:
                start, end = one.range.start.character, one.range.end.character
                wrong = Markup('<span class="wrong">{}</span>').format(_coloured(line[start:end]))
                return _coloured(line[:start]) + wrong + _coloured(line[end:])
        return _coloured(line)


def _coloured(text: str) -> Markup:
    if not text.strip():
        return escape(text)
    return Markup(highlight(text, _LEXER, HtmlFormatter(nowrap=True)).rstrip("\n"))  # noqa: S704 - escaped there


def _box(kind: str, text: str) -> Markup:
    return Markup('<span class="{}">{}</span>').format(kind, text.strip())
