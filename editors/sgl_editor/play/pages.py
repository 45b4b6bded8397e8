"""Serve one page as a language server for a project's files and those bundled with SGL; save the project's.

It answers only what the script of the page asks for.
"""

import asyncio
from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

from lsprotocol import types as t
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcMethodNotFound

from sgl.children import program
from sgl.cli.files import replace_text
from sgl.disk import make, temporary, write
from sgl.disk.stages import staged_file
from sgl.foreign import SOURCE, read_text
from sgl.pipeline.release import write_archive
from sgl.resources import grammars_dir
from sgl_editor.lsp.commands import check_arguments
from sgl_editor.lsp.document import Document
from sgl_editor.lsp.server import Server
from sgl_editor.play.answers import ANSWERS, render

#: The dataset made last for a page, in the folder of the page.
ARCHIVE = "dataset.zip"
_METHODS = {
    *(t.INITIALIZE, t.INITIALIZED, t.TEXT_DOCUMENT_DID_OPEN, t.TEXT_DOCUMENT_DID_CHANGE, t.TEXT_DOCUMENT_DID_CLOSE),
    *(t.TEXT_DOCUMENT_HOVER, t.TEXT_DOCUMENT_COMPLETION, t.TEXT_DOCUMENT_CODE_ACTION, t.WORKSPACE_EXECUTE_COMMAND),
}


class Page(Server):
    """A language server for files below the directory of ``root``, with a ``folder`` for its results."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder, self._bundled, self._making = folder, grammars_dir().resolve(), asyncio.Lock()
        commands = {**ANSWERS, "play.save": self._save, "play.dataset": self._dataset}
        super().__init__(commands, (root.parent, self._bundled))

    def check(self, method: str, params: Any) -> None:  # noqa: ANN401 - of any type of the library
        """Raise ``JsonRpcException`` for requests that the script of the page does not make."""
        if method not in _METHODS:
            raise JsonRpcMethodNotFound.of(method)
        super().check(method, params)

    def _command(self, command: Callable[..., Any]) -> Callable[..., Awaitable[object]]:
        async def handler(*arguments: Any) -> object:  # noqa: ANN401 - values of JSON
            check_arguments(command, *arguments)
            if iscoroutinefunction(command):
                return await command(*arguments)
            return await self.work(lambda: command(self._opened(arguments[0]), *arguments[1:]))

        return handler

    def _opened(self, uri: str) -> Document:
        if (found := self.document(uri)) is None:
            raise JsonRpcInvalidParams("the page opens grammars, tables and templates of one project alone")
        return found

    def _save(self, document: Document) -> dict[str, Any]:
        """Write the open files of a grammar, except those bundled with SGL."""
        changed = []
        try:
            for path, text in document.grammar.snapshot.own.items():
                # A link may have replaced a folder since the file was opened.
                is_own = path in self.uris and self.engine.sees(path) and not path.is_relative_to(self._bundled)
                if is_own and read_text(path, SOURCE).replace("\r\n", "\n") != text:
                    replace_text(path, text)
                    changed.append(path.name)
        except OSError as problem:
            raise JsonRpcException(f"not saved: {problem.strerror}", t.LSPErrorCodes.RequestFailed) from None
        return {"saved": changed}

    async def _dataset(self, uri: str) -> dict[str, Any]:
        """Compile a grammar, as it is in the editor, into an archive that replaces the previous one."""
        async with self._making:
            with temporary(self.folder) as place:
                main = await self.work(lambda: _copied(self._opened(uri), place / "grammar"))
                words = ("compile", str(main), "--out", str(place / "dataset"), "--color", "never")
                code, said = await program("sgl", *words)
                if not code:
                    with staged_file(self.folder / ARCHIVE) as new:
                        await asyncio.to_thread(write_archive, place / "dataset", new, lambda *_: None, "dataset")
        return {"html": render("problem.html.j2", text=said), "folder": "" if code else self.folder.name}


def _copied(document: Document, place: Path) -> Path:
    root = document.grammar.snapshot.root.resolve()
    for path, text in document.grammar.snapshot.own.items():
        copied = place / path.relative_to(root.parent)
        make(copied.parent)
        write(copied, text)
    return place / root.name
