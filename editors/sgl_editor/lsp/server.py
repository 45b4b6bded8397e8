"""Connect client and engine: texts go to the engine, and its answers go to the client.

Everything that examines a grammar runs on one thread, in the order of the requests; claims are proved there while
nothing else is asked for, and put off as soon as something is.  So the loop is always free to read and to cancel.  A
request that fails gets an error, and nothing that a client sends ends the server.
"""

import asyncio
import sys
from codecs import BOM_UTF8
from collections import defaultdict
from collections.abc import Awaitable, Callable, Container, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from urllib.parse import unquote

import click
from lsprotocol import types as t
from pygls.exceptions import FeatureRequestError, JsonRpcInvalidParams
from pygls.io_ import StdoutWriter
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter
from pygls.uris import to_fs_path

from sgl import __version__
from sgl.engine import Workspace
from sgl.frontend import Compiled
from sgl.lang import SUFFIXES
from sgl_editor.lsp import edits, marks
from sgl_editor.lsp.commands import COMMANDS, check_arguments
from sgl_editor.lsp.completion import complete
from sgl_editor.lsp.document import Document, Grammar
from sgl_editor.lsp.hover import hover
from sgl_editor.lsp.protocol import MISTAKE, Protocol, frames

#: Seconds without a keystroke before a grammar is read again, and before its claims are proved.
_PAUSE, _LONG_PAUSE = 0.15, 0.3
#: The most messages shown for one file.
_MESSAGES = 1_000
_WATCHED = f"**/*.{{{','.join(suffix[1:] for suffix in SUFFIXES)}}}"
_Value = TypeVar("_Value")
#: Parameters of a client.  The library passes the server to functions that take any `object`.
_Params = Any
_Found = dict[Path, list[t.Diagnostic]]

#: The functions that answer requests about a file or a grammar, and the options announced for them.
FEATURES: dict[str, tuple[Callable[[Any, Any], object], object]] = {
    t.TEXT_DOCUMENT_CODE_ACTION: (edits.actions, t.CodeActionOptions([t.CodeActionKind.QuickFix])),
    t.TEXT_DOCUMENT_CODE_LENS: (marks.lenses, None),
    t.TEXT_DOCUMENT_COMPLETION: (complete, t.CompletionOptions(["$", "@", "[", "=", "{", '"', "."])),
    t.TEXT_DOCUMENT_DEFINITION: (edits.definition, None),
    t.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (edits.highlights, None),
    t.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (marks.outline, None),
    t.TEXT_DOCUMENT_FOLDING_RANGE: (marks.folds, None),
    t.TEXT_DOCUMENT_FORMATTING: (edits.formatting, None),
    t.TEXT_DOCUMENT_HOVER: (hover, None),
    t.TEXT_DOCUMENT_INLAY_HINT: (marks.inlays, None),
    t.TEXT_DOCUMENT_PREPARE_RENAME: (edits.prepare, None),
    t.TEXT_DOCUMENT_REFERENCES: (edits.references, None),
    t.TEXT_DOCUMENT_RENAME: (edits.rename, t.RenameOptions(prepare_provider=True)),
    t.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (marks.tokens, marks.LEGEND),
    t.WORKSPACE_SYMBOL: (marks.everywhere, None),
}


class _PutOffError(Exception):
    """Something else was asked for, so the proof is put off."""


class Server(LanguageServer):
    """The language server of ``sglc lsp``; its commands take the address of a file first."""

    protocol: Protocol

    def __init__(self, commands: Mapping[str, Any] = COMMANDS, within: tuple[Path, ...] = ()) -> None:
        super().__init__("sglc", __version__, t.TextDocumentSyncKind.Full, None, Protocol, default_converter)
        self.engine, self.uris = Workspace(within), dict[Path, str]()
        self._worker, self._waiting, self._tells = ThreadPoolExecutor(1), 0, True
        #: Changes by the client or on disk that no grammar knows yet.
        self._texts: dict[Path, str | None] = {}
        self._stale = self._moved = False
        # The fields below belong to the thread.
        self._roots: dict[Path, tuple[Path, ...]] = {}
        self._grammars: dict[Path, Grammar] = {}
        self._before: dict[Path, Compiled] = {}
        self._shown: set[Path] = set()
        self._checking: asyncio.Future[None] | None = None
        events = (t.TEXT_DOCUMENT_DID_OPEN, t.TEXT_DOCUMENT_DID_CHANGE, t.TEXT_DOCUMENT_DID_SAVE)
        for method in (*events, t.TEXT_DOCUMENT_DID_CLOSE, t.WORKSPACE_DID_CHANGE_WATCHED_FILES):
            # The library marks the functions that it is given, and methods cannot be marked.
            self.feature(method)(partial(self._changed))
        self.feature(t.INITIALIZE)(partial(self._started))
        self.feature(t.INITIALIZED)(partial(self._watch))
        pull = t.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False)
        for method, (answer, option) in {**FEATURES, t.TEXT_DOCUMENT_DIAGNOSTIC: (self._pulled, pull)}.items():
            self.feature(method, option)(self._handler(answer))
        for name, command in commands.items():
            self.command(name)(self._command(command))

    def check(self, method: str, params: _Params) -> None:
        """Raise ``JsonRpcException`` if the client may not make this request now."""
        is_change = method == t.TEXT_DOCUMENT_DID_CHANGE
        if is_change and unquote(params.text_document.uri) not in self.workspace.text_documents:
            raise JsonRpcInvalidParams("the file is not open")
        if method == t.WORKSPACE_EXECUTE_COMMAND and params.command not in self.protocol.fm.commands:
            raise JsonRpcInvalidParams("there is no such command")

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log errors outside of requests; a failed request has its answer."""
        if source is not FeatureRequestError:
            self.protocol.fail(error, silent=True)

    async def listen(self, stream: BinaryIO, output: BinaryIO) -> None:
        """Answer the messages of a stream until it ends."""
        self.protocol.set_writer(StdoutWriter(output))
        found = frames(stream)
        while (body := await asyncio.to_thread(next, found, None)) is not None:
            self.protocol.receive(body)

    async def end(self) -> None:
        """Stop everything under way and free the thread and the memory, as the client has left."""
        # A running proof ends at its next step.
        self.protocol.writer, self._stale = None, True
        if self._checking is not None:
            self._checking.cancel()
        if running := self.protocol.cancel():
            await asyncio.wait(running)
        self._worker.shutdown(wait=False, cancel_futures=True)
        self.engine, self._grammars, self._before = Workspace(self.engine.within), {}, {}

    async def work(self, job: Callable[[], _Value]) -> _Value:
        """Run a job on the thread and return its result; proofs wait until then."""
        self._waiting += 1
        try:
            return await self._done(job)
        finally:
            self._waiting -= 1

    async def _done(self, job: Callable[[], _Value]) -> _Value:
        def fresh() -> _Value:
            if self._stale:
                self._stale = False
                while self._texts:
                    self.engine.edit(*self._texts.popitem())
                self._before |= {root: one.compiled for root, one in self._grammars.items() if one.compiled is not None}
                self._grammars = {}
            if self._moved:
                self._moved, self._roots = False, {}
            return job()

        return await asyncio.get_running_loop().run_in_executor(self._worker, fresh)

    def _handler(self, answer: Callable[[Any, Any], object]) -> Callable[[_Params], Awaitable[object]]:
        def answered(params: _Params) -> object:
            if hasattr(params, "text_document"):
                document = self.document(params.text_document.uri)
                return answer(document, params) if document is not None else None
            found: list[Any] = [answer(one, params) for one in self.grammars() if one.snapshot.project is not None]
            return [one for several in found for one in several]

        async def handler(params: _Params) -> object:
            return await self.work(lambda: answered(params))

        return handler

    def _command(self, command: Callable[..., Any]) -> Callable[..., Awaitable[object]]:
        async def handler(*arguments: _Params) -> object:
            check_arguments(partial(command, self), *arguments)
            text = await command(self, *arguments)
            if self._tells:
                self.window_show_message(t.ShowMessageParams(t.MessageType.Info, text))
            return text

        return handler

    def grammar(self, root: Path) -> Grammar:
        """Return a grammar as it is now."""
        if root not in self._grammars:
            encoding = t.PositionEncodingKind(self.server_capabilities.position_encoding or "utf-16").value
            self._grammars[root] = Grammar(self.engine.open(root), self.uris, encoding, self._before.get(root))
        return self._grammars[root]

    def roots(self, path: Path) -> tuple[Path, ...]:
        """Return the grammars that a file is part of, nearest first; a table may have none."""
        if path not in self._roots:
            found = self.engine.roots(path)
            self._roots[path] = found if path.suffix == ".sgl" or found != (path,) else ()
        return self._roots[path]

    def grammars(self) -> list[Grammar]:
        """Return the grammars of all open files."""
        roots = dict.fromkeys(one for path in [*self.uris] for one in self.roots(path)[:1])
        return [self.grammar(root) for root in roots]

    def document(self, uri: str) -> Document | None:
        """Return a file as part of the nearest grammar that reads it."""
        path = self._path(uri)
        roots = dict.fromkeys((*self.roots(path), *[path][: path.suffix == ".sgl"])) if path is not None else ()
        found = (self.grammar(root).open(path) for root in roots if path is not None)
        return next((document for document in found if document is not None), None)

    def _path(self, uri: str) -> Path | None:
        with suppress(OSError, RuntimeError, ValueError):
            path = Path(name).resolve() if (name := to_fs_path(uri)) else None
            return path if path is not None and self.engine.sees(path) else None
        return None

    def _started(self, params: t.InitializeParams) -> None:
        # A client may show the answers of commands in its own way.
        self._tells = params.initialization_options != {"answers": "result"}

    def _changed(self, params: _Params) -> None:
        uri = params.text_document.uri if hasattr(params, "text_document") else ""
        if path := self._path(uri):
            self.uris.pop(path, None)
            self._texts[path] = None
            if uri in self.workspace.text_documents:
                self.uris[path], self._texts[path] = uri, self.workspace.get_text_document(uri).source
        if not isinstance(params, t.DidChangeTextDocumentParams):
            self._moved = True
        self._stale = True
        if self._checking is not None:
            self._checking.cancel()
        self._checking = asyncio.ensure_future(self._check())
        self._checking.add_done_callback(self._tell)

    def _tell(self, done: asyncio.Future[None]) -> None:
        # The compiler has made a mistake while no request was waiting.
        problem = None if done.cancelled() else done.exception()
        if problem is not None:
            self.protocol.fail(problem, silent=True)
            said = f"{MISTAKE}: {type(problem).__name__}"
            self.window_show_message(t.ShowMessageParams(t.MessageType.Error, said))

    def unsaved(self, paths: Container[Path]) -> bool:
        """Return whether an editor has unsaved text of any of these files."""
        texts = {path: self.workspace.get_text_document(uri).source for path, uri in self.uris.items() if path in paths}
        on_disk = {path: path.read_bytes().removeprefix(BOM_UTF8) for path in texts if path.is_file()}
        return any(on_disk.get(path) != text.encode() for path, text in texts.items())

    def _watch(self, _: t.InitializedParams) -> None:
        watched = self.client_capabilities.workspace and self.client_capabilities.workspace.did_change_watched_files
        if watched and watched.dynamic_registration:
            options = t.DidChangeWatchedFilesRegistrationOptions([t.FileSystemWatcher(_WATCHED)])
            method = t.WORKSPACE_DID_CHANGE_WATCHED_FILES
            self.client_register_capability(t.RegistrationParams([t.Registration("files", method, options)]))

    async def _check(self) -> None:
        await asyncio.sleep(_PAUSE)
        self._show(await self.work(self._found))
        while True:
            await asyncio.sleep(_LONG_PAUSE)
            with suppress(_PutOffError):
                self._show(await self._done(self._proved))
                return

    def _found(self) -> _Found:
        found: dict[Path, dict[str, t.Diagnostic]] = defaultdict(dict)
        for grammar in self.grammars():
            for one in grammar.diagnostics:
                found[grammar.path_of(one)].setdefault(repr(one), grammar.shown(one))
        return {path: list(of.values())[:_MESSAGES] for path, of in found.items()}

    def _proved(self) -> _Found:
        def step(_: str) -> None:
            if self._waiting or self._stale:
                raise _PutOffError

        for grammar in self.grammars():
            step("")
            grammar.claims = grammar.claims or grammar.snapshot.claims(step)
        return self._found()

    def _pulled(self, document: Document, _: object) -> t.RelatedFullDocumentDiagnosticReport:
        grammar, path = document.grammar, document.grammar.snapshot.path_of(document.source.name).resolve()
        shown = [grammar.shown(one) for one in grammar.diagnostics if grammar.path_of(one) == path]
        return t.RelatedFullDocumentDiagnosticReport(shown[:_MESSAGES])

    def _show(self, found: _Found) -> None:
        text, workspace = self.client_capabilities.text_document, self.client_capabilities.workspace
        pulls = text is not None and text.diagnostic is not None
        for path in self._shown | found.keys() | self.uris.keys():
            items = [] if pulls and path in self.uris else found.get(path, [])
            uri = self.uris.get(path) or path.as_uri()
            self.text_document_publish_diagnostics(t.PublishDiagnosticsParams(uri, items))
        self._shown = {*found}
        if pulls and workspace and workspace.diagnostics and workspace.diagnostics.refresh_support:
            self.workspace_diagnostic_refresh(None)
        if workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)


@click.command("lsp")
def command() -> int:
    """Speak the language server protocol over standard input and output.

    Editors start this command; [Editors](editors.md) says how.
    """
    # Nothing that prints may write to the client.
    output, sys.stdout = sys.stdout, sys.stderr
    asyncio.run(Server().listen(sys.stdin.buffer, output.buffer))
    return 0
