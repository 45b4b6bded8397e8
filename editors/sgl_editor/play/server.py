"""Serve the page at one address of this machine, with a token that nobody can guess.

The server listens only on the loopback interface.  Anybody may fetch the page's own script and style; the page itself,
its connection and the datasets need the token.  A request that names another host is refused, so no other site can
reach the page under a name of its own, and so is a connection opened by another site.  All users can see the arguments
of processes, so the browser is given a private file that leads to the address; and a browser sends cookies to every
port of this machine, so the token is in none.
"""

import asyncio
import gc
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from importlib.resources import files
from importlib.util import find_spec
from mimetypes import guess_type
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pygls.io_ import WebSocketWriter
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed, InvalidMessage
from websockets.frames import CloseCode
from websockets.http11 import Request, Response

from sgl.disk import create, temporary
from sgl.lang import CLAUSES, DECLARATIONS
from sgl.resources import bundled_grammars, grammars_dir
from sgl_editor.lsp.protocol import LARGEST, note
from sgl_editor.play.answers import render
from sgl_editor.play.pages import ARCHIVE, Page

HOST = "127.0.0.1"

#: The most pages that may be open at a time.
MOST_PAGES = 16
#: The header that makes a browser save a file; the answer to anything that is not a request.
_SAVED = {"Content-Disposition": f'attachment; filename="{ARCHIVE}"'}
_NO_REQUEST = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
#: The place of CodeMirror in the NiceGUI package.
_EDITOR = ("elements", "codemirror", "dist")

logging.getLogger("websockets").setLevel(logging.CRITICAL)


def editor_folder() -> Path | None:
    """Return the folder of CodeMirror, or None if the extra ``play`` is not installed."""
    found = find_spec("nicegui")
    folder = None if found is None or found.origin is None else Path(found.origin).parent.joinpath(*_EDITOR)
    return folder if folder is not None and (folder / "index.js").is_file() else None


class _Connection(ServerConnection):
    """A connection that answers even what is not a request, where the library would only hang up."""

    def send_data(self) -> None:
        if self.protocol.writes and isinstance(self.protocol.handshake_exc, InvalidMessage):
            self.transport.write(_NO_REQUEST)
        super().send_data()


class PageServer:
    """A server of the page that first shows ``root``; the file ``opener`` leads to its ``address`` with the token."""

    def __init__(self, root: Path, editor: Path) -> None:
        self.token, self.address = secrets.token_urlsafe(24), ""
        self._root = root.resolve()
        folders = {"page": Path(str(files("sgl_editor.play"))) / "page", "editor": editor}
        paths = ((name, folder, path) for name, folder in folders.items() for path in folder.rglob("*"))
        self._files = {f"/{name}/{path.relative_to(folder).as_posix()}": path for name, folder, path in paths}
        self._folder = Path()
        self.pages: dict[str, Page] = {}

    async def run(self, port: int, ready: Callable[[], None]) -> None:
        """Serve until the task is cancelled, calling ``ready`` once there is an address."""
        asyncio.get_running_loop().set_exception_handler(_quietly)
        how: dict[str, Any] = {"process_request": self._respond, "create_connection": _Connection, "compression": None}
        how |= {"max_size": LARGEST, "max_queue": 1}
        with temporary() as self._folder:
            async with serve(self._connected, HOST, port, **how) as server:
                self._port = next(iter(server.sockets)).getsockname()[1]
                self.address = f"http://{HOST}:{self._port}/?token={self.token}"
                self.opener = self._folder / "open.html"
                with create(self.opener, 0o600) as file:
                    file.write(render("open.html.j2", address=self.address).encode())
                ready()
                await asyncio.get_running_loop().create_future()

    async def _connected(self, connection: ServerConnection) -> None:
        if len(self.pages) >= MOST_PAGES:
            await connection.close(CloseCode.TRY_AGAIN_LATER, f"{MOST_PAGES} pages are open already; close one of them")
            return
        # Python seldom collects what closed pages leave behind.
        gc.collect()
        with temporary(self._folder) as place:
            page = self.pages[place.name] = Page(self._root, place)
            page.protocol.set_writer(WebSocketWriter(connection), include_headers=False)
            try:
                with suppress(ConnectionClosed):
                    async for body in connection:
                        page.protocol.receive(body)
            finally:
                del self.pages[place.name]
                await page.end()

    def _respond(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer a request for a file, or return None to open the connection."""
        if request.method != "GET":
            answer = connection.respond(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET is allowed.\n")
            answer.headers["Allow"] = "GET"
            return answer
        try:
            return self._answer(connection, request)
        except (KeyError, OSError):
            return connection.respond(HTTPStatus.NOT_FOUND, "There is no such page.\n")
        except (LookupError, ValueError):
            return connection.respond(HTTPStatus.BAD_REQUEST, "No browser sends such a request.\n")

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        address = urlsplit(request.path)
        hosts = {f"{name}:{self._port}" for name in (HOST, "localhost")}
        if request.headers.get("Host") not in hosts:
            return connection.respond(HTTPStatus.FORBIDDEN, "Only this machine may open this page.\n")
        token = parse_qs(address.query).get("token", [""])[0]
        known = secrets.compare_digest(token.encode(), self.token.encode())
        if address.path == "/connection":
            origin = request.headers.get("Origin")
            allowed = known and origin in {f"http://{host}" for host in hosts}
            return None if allowed else connection.respond(HTTPStatus.FORBIDDEN, "Other pages may not ask.\n")
        if address.path in self._files:
            return _file(self._files[address.path])
        if not known:
            return connection.respond(HTTPStatus.FORBIDDEN, "Open the address that `sglc play` has printed.\n")
        made = {f"/dataset/{name}.zip": page.folder / ARCHIVE for name, page in self.pages.items()}
        return self._page() if address.path == "/" else _file(made[address.path], **_SAVED)

    def _page(self) -> Response:
        nonce = secrets.token_urlsafe(16)
        policy = (
            f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; img-src data:; "
            "style-src-attr 'unsafe-inline'; connect-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        own, bundled = not self._root.is_relative_to(grammars_dir().resolve()), [*bundled_grammars().values()]
        shown = {"start": self._root.as_uri(), "own": own, "bundled": bundled, "nonce": nonce, "token": self.token}
        html = render("index.html.j2", words={"declarations": DECLARATIONS, "clauses": CLAUSES}, **shown)
        return _response(html.encode(), "text/html; charset=utf-8", {"Content-Security-Policy": policy})


def _quietly(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    # Failing to tell a page that was closed meanwhile is not worth logging.
    if not isinstance(problem := context.get("exception"), ConnectionClosed):
        note(f"{context['message']}: {problem!r}")


def _file(path: Path, **more: str) -> Response:
    kind = "text/javascript" if path.suffix in (".js", ".mjs") else guess_type(path.name)[0]
    return _response(path.read_bytes(), f"{kind or 'application/octet-stream'}; charset=utf-8", more)


def _response(body: bytes, kind: str, more: dict[str, str]) -> Response:
    headers = Headers({"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"})
    headers.update({"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"})
    headers.update(more)
    return Response(HTTPStatus.OK, "OK", headers, body)
