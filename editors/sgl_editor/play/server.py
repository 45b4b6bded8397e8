"""The server of the page: one address of this machine, with a token that nobody can guess.

It listens on the loopback interface only.  What it hands out to anybody is the page's own script and style; the page
itself, its connection and the datasets need the token.  A request that names another host is refused, so that no other
site can reach the page by a name of its own, and so is a connection that another site has opened.
"""

import asyncio
import secrets
import shutil
import threading
from collections.abc import Callable
from http import HTTPStatus
from importlib.resources import files
from importlib.util import find_spec
from mimetypes import guess_type
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pygls.io_ import run_websocket
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from sgl.lang import CLAUSES, DECLARATIONS
from sgl.resources import bundled_grammars, grammars_dir
from sgl_editor.lsp.server import Server
from sgl_editor.play.answers import ANSWERS, render

HOST = "127.0.0.1"

#: The largest message of the page, in bytes.
_LARGEST = 64_000_000
#: Where the package of NiceGUI has CodeMirror.
_EDITOR = ("elements", "codemirror", "dist")


def editor_folder() -> Path | None:
    """Return the folder of CodeMirror; None where the extra ``play`` is not installed."""
    found = find_spec("nicegui")
    folder = None if found is None or found.origin is None else Path(found.origin).parent.joinpath(*_EDITOR)
    return folder if folder is not None and (folder / "index.js").is_file() else None


class PageServer:
    """Serves the page that shows a grammar first; its ``address`` has the token."""

    def __init__(self, root: Path, editor: Path) -> None:
        self.token = secrets.token_urlsafe(24)
        self.address = ""
        self._root, self._editor = root.resolve(), editor
        self._folder = TemporaryDirectory(prefix="sgl-play-")

    async def run(self, port: int, ready: Callable[[str], None]) -> None:
        """Serve until the task is cancelled; call ``ready`` with the address."""
        asyncio.get_running_loop().set_exception_handler(_quietly)
        async with serve(
            *(self._connected, HOST, port), process_request=self._respond, max_size=_LARGEST, compression=None
        ) as server:
            self._port = next(iter(server.sockets)).getsockname()[1]
            self.address = f"http://{HOST}:{self._port}/?token={self.token}"
            ready(self.address)
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                self._folder.cleanup()

    async def _connected(self, connection: ServerConnection) -> None:
        """Speak with a page, as a language server of its own."""
        server = Server()
        for name, answer in ANSWERS.items():
            server.command(name)(self._answered(server, answer))
        await run_websocket(connection, threading.Event(), server.protocol)

    def _answered(self, server: Server, answer: Callable[..., dict[str, Any]]) -> Callable[..., object]:
        async def handler(uri: str, *arguments: str) -> object:
            if answer is ANSWERS["play.dataset"]:
                arguments = (self._folder.name,)

            def job() -> dict[str, Any]:
                document = server.document(uri)
                return {} if document is None else answer(document, *arguments)

            return await server.work(job)

        return handler

    def _respond(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer a request for a file; None opens the connection."""
        address = urlsplit(request.path)
        hosts = {f"{name}:{self._port}" for name in (HOST, "localhost")}
        if request.headers.get("Host") not in hosts:
            return connection.respond(HTTPStatus.FORBIDDEN, "This page is for this machine alone.\n")
        known = secrets.compare_digest(parse_qs(address.query).get("token", [""])[0], self.token)
        if address.path == "/connection":
            origin = request.headers.get("Origin")
            allowed = known and origin in {f"http://{host}" for host in hosts}
            return None if allowed else connection.respond(HTTPStatus.FORBIDDEN, "Another page has asked.\n")
        folder, _, name = address.path.removeprefix("/").partition("/")
        if folder in ("page", "editor"):
            place = Path(str(files("sgl_editor.play"))) / "page" if folder == "page" else self._editor
            return _file(connection, place, name)
        if not known:
            return connection.respond(HTTPStatus.FORBIDDEN, "Open the address that `sglc play` has printed.\n")
        if folder == "dataset":
            return self._dataset(connection, name.removesuffix(".zip"))
        if address.path == "/":
            return self._page()
        return connection.respond(HTTPStatus.NOT_FOUND, "There is no such page.\n")

    def _page(self) -> Response:
        nonce = secrets.token_urlsafe(16)
        policy = (
            f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; img-src data:; "
            "style-src-attr 'unsafe-inline'; connect-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        html = render(
            "index.html.j2",
            nonce=nonce,
            start=self._root.as_uri(),
            own=not self._root.is_relative_to(grammars_dir().resolve()),
            bundled=[*bundled_grammars().values()],
            words={"declarations": DECLARATIONS, "clauses": CLAUSES},
            token=self.token,
        )
        return _response(html.encode(), "text/html; charset=utf-8", {"Content-Security-Policy": policy})

    def _dataset(self, connection: ServerConnection, name: str) -> Response:
        """Return a dataset that was compiled, as an archive."""
        folder = Path(self._folder.name) / Path(name).name
        if not name or not (folder / "dataset").is_dir():
            return connection.respond(HTTPStatus.NOT_FOUND, "There is no such dataset.\n")
        archive = shutil.make_archive(str(folder / "archive"), "zip", folder, "dataset")
        saved = {"Content-Disposition": 'attachment; filename="dataset.zip"'}
        return _response(Path(archive).read_bytes(), "application/zip", saved)


def _quietly(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Say nothing of what could not be told to a page that was closed meanwhile."""
    if not isinstance(context.get("exception"), ConnectionClosed):
        loop.default_exception_handler(context)


def _file(connection: ServerConnection, folder: Path, name: str) -> Response:
    """Return a file of a folder, and nothing outside it."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        return connection.respond(HTTPStatus.NOT_FOUND, "There is no such file.\n")
    kind = "text/javascript" if path.suffix in (".js", ".mjs") else guess_type(path.name)[0]
    return _response(path.read_bytes(), f"{kind or 'application/octet-stream'}; charset=utf-8", {})


def _response(body: bytes, kind: str, more: dict[str, str]) -> Response:
    headers = Headers({"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"})
    headers.update({"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"})
    headers.update(more)
    return Response(HTTPStatus.OK, "OK", headers, body)
