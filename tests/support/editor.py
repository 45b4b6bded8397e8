"""An editor for tests: a client of a real library, at the other end of the pipes of ``sglc lsp``.

Places are written into texts as ``▮``, so that a test reads as what an author sees.
"""

# ruff: noqa: ANN401, SLF001 - answers are what the protocol says; the client shows its process to no one

from __future__ import annotations

import asyncio
import copy
import sys
import threading
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

CARET = "▮"
#: No answer takes as long, unless there is none.
PATIENCE = 60

_Value = TypeVar("_Value")


def lsp_position(text: str, offset: int) -> types.Position:
    """An offset in lines and units of UTF-16, computed another way than the server does."""
    before = text[:offset].split("\n")
    return types.Position(len(before) - 1, sum(2 if ord(character) > 0xFFFF else 1 for character in before[-1]))


def lsp_offset(text: str, position: types.Position) -> int:
    """The offset of a position in UTF-16."""
    start = sum(len(line) + 1 for line in text.split("\n")[: position.line])
    units = 0
    for offset, character in enumerate(text[start:], start):
        if units >= position.character:
            return offset
        units += 2 if ord(character) > 0xFFFF else 1
    return len(text)


class Editor:
    """A client with some files open, each as a text."""

    def __init__(self, directory: Path, *, pulls: bool = False, command: Sequence[str] = ("-m", "sgl", "lsp")) -> None:
        self.directory = directory
        self.texts: dict[str, str] = {}
        self.said: list[str] = []
        self._found: dict[str, list[types.Diagnostic]] = {}
        self._changed = threading.Condition()
        self.refreshed = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.client = LanguageClient("tests", "1")
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(partial(self._told))
        self.client.feature(types.WINDOW_SHOW_MESSAGE)(lambda params: self.said.append(params.message))
        self.client.feature(types.WORKSPACE_DIAGNOSTIC_REFRESH)(partial(self._refreshed))
        self._wait(self.client.start_io(sys.executable, *command, cwd=directory))
        document = types.TextDocumentClientCapabilities()
        workspace = types.WorkspaceClientCapabilities()
        if pulls:
            document.diagnostic = types.DiagnosticClientCapabilities()
            workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
        capabilities = types.ClientCapabilities(text_document=document, workspace=workspace)
        params = types.InitializeParams(capabilities, root_uri=directory.as_uri())
        self.server = self._wait(self.client.initialize_async(params)).capabilities
        self.client.initialized(types.InitializedParams())

    def within(self, directory: Path) -> Editor:
        """The same client with files of another directory."""
        found = copy.copy(self)
        found.directory, found.texts = directory, {}
        return found

    def close_files(self) -> None:
        """Close all files that are open."""
        for name in self.texts:
            self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.document(name)))

    def _told(self, params: types.PublishDiagnosticsParams) -> None:
        with self._changed:
            self._found[params.uri] = list(params.diagnostics)
            self._changed.notify_all()

    def _refreshed(self, _: object) -> None:
        with self._changed:
            self.refreshed += 1
            self._changed.notify_all()

    def _wait(self, work: Coroutine[Any, Any, _Value]) -> _Value:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    def close(self) -> int:
        """Leave, and return how the server ended."""
        self._wait(self.client.shutdown_async(None))
        self.client.exit(None)
        server = self.client._server
        assert server is not None
        status = self._wait(server.wait())
        self._wait(self.client.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()
        return status

    # ---- files

    def uri(self, name: str) -> str:
        return (self.directory / name).as_uri()

    def document(self, name: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri(name))

    def open(self, name: str, text: str | None = None) -> str:
        """Open a file, with a text that need not be on disk."""
        path = self.directory / name
        self.texts[name] = path.read_text("utf-8") if text is None else text
        item = types.TextDocumentItem(self.uri(name), "sgl", 1, self.texts[name])
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return self.texts[name]

    def write(self, name: str, text: str) -> None:
        """Give an open file another text."""
        self.texts[name] = text
        document = types.VersionedTextDocumentIdentifier(2, self.uri(name))
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def replace(self, name: str, old: str, new: str) -> None:
        """Write something in place of something that stands in a file once."""
        assert self.texts[name].count(old) == 1, old
        self.write(name, self.texts[name].replace(old, new))

    def save(self, name: str) -> None:
        (self.directory / name).write_text(self.texts[name], "utf-8")
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(self.document(name)))

    def changed(self, path: Path, how: types.FileChangeType) -> None:
        """Say that something else has changed a file on disk."""
        events = [types.FileEvent(path.as_uri(), how)]
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))

    # ---- places

    def place(self, name: str, marked: str) -> types.Position:
        """The place of the caret in a piece of a file that stands there once without it."""
        piece, text = marked.replace(CARET, ""), self.texts[name]
        assert text.count(piece) == 1, (text.count(piece), piece)
        return lsp_position(text, text.index(piece) + marked.index(CARET))

    def text_at(self, name: str, place: types.Range) -> str:
        """The text of a range; of a file that is not open, that on disk."""
        text = self.texts.get(name) or (self.directory / name).read_text("utf-8")
        return text[lsp_offset(text, place.start) : lsp_offset(text, place.end)]

    def name_of(self, uri: str) -> str:
        path = Path(uri.removeprefix("file://"))
        return path.relative_to(self.directory).as_posix() if path.is_relative_to(self.directory) else path.as_posix()

    # ---- questions

    def ask(self, method: str, params: object) -> Any:
        """The answer to a request; an error is raised."""

        async def answer() -> Any:
            return await self.client.protocol.send_request_async(method, params)

        return self._wait(answer())

    def ask_at(self, kind: type, name: str, marked: str, **more: object) -> Any:
        """The answer to a request about a place; ``kind`` is the type of its parameters."""
        method = next(m for m, found in types.METHOD_TO_TYPES.items() if found[2] is kind)
        return self.ask(method, kind(text_document=self.document(name), position=self.place(name, marked), **more))

    def ask_of(self, kind: type, name: str, **more: object) -> Any:
        """The answer to a request about a file."""
        method = next(m for m, found in types.METHOD_TO_TYPES.items() if found[2] is kind)
        return self.ask(method, kind(text_document=self.document(name), **more))

    def run(self, command: str, *arguments: str) -> Any:
        """The answer to a command."""
        return self.ask(types.WORKSPACE_EXECUTE_COMMAND, types.ExecuteCommandParams(command, list(arguments)))

    def completions(self, name: str, marked: str) -> dict[str, str]:
        """What is offered at a place, with its kind."""
        found = self.ask_at(types.CompletionParams, name, marked)
        items = found if isinstance(found, list) else found.items
        return {item.label: item.detail for item in items}

    def hover(self, name: str, marked: str) -> str:
        found = self.ask_at(types.HoverParams, name, marked)
        return found.contents.value if found is not None else ""

    # ---- diagnostics

    def diagnostics(self, name: str, *codes: str) -> list[types.Diagnostic]:
        """The diagnostics of a file, once they have these codes."""

        def there() -> bool:
            found = self._found.get(self.uri(name))
            return found is not None and sorted(str(one.code) for one in found) == sorted(codes)

        self.wait_until(there)
        return self._found[self.uri(name)]

    def wait_until(self, there: Callable[[], bool]) -> None:
        """Wait for something that the server says without being asked."""
        with self._changed:
            assert self._changed.wait_for(there, PATIENCE), self._found

    def applied(self, edits: Sequence[types.TextEdit], text: str) -> str:
        """A text after some edits."""
        for edit in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
            start, end = lsp_offset(text, edit.range.start), lsp_offset(text, edit.range.end)
            text = text[:start] + edit.new_text + text[end:]
        return text
