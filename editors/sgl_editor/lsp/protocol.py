"""Read the messages of a client, answering an unreadable one with the protocol's error and one line in the log.

The library would log tracebacks, leave some requests without an answer, and lose everything after a frame with a bad
header.  So it is silenced, and gets messages that were read here.
"""

import asyncio
import json
import logging
import re
from collections.abc import Iterator
from traceback import format_tb
from typing import TYPE_CHECKING, Any, BinaryIO

from lsprotocol import types as t
from pygls import exceptions as e
from pygls.protocol import LanguageServerProtocol

from sgl.characters import visible

if TYPE_CHECKING:
    from sgl_editor.lsp.server import Server

#: The most bytes of a client's message.
LARGEST = 64_000_000
#: Bytes of a frame's header read at once; letters of a line in the log, and of an error.
_LINE, _SAID = 1_000, 300
#: The header line with the length, after anything that is not a frame; other header lines.
_LENGTH = re.compile(rb"Content-Length: (\d{1,9})\r\n\Z")
_OTHER = re.compile(rb"(?:(?!Content-Length)[\w-]+: [ -~]*)?\r\n")
#: The text for mistakes of our own; codes of errors where a request was wrong rather than impossible.
MISTAKE = "SGL0999, a mistake in sglc"
_WRONG = range(-32_768, -31_999)
#: A JSON value, or the library's object for it.
_Json = Any
logging.getLogger("pygls").setLevel(logging.CRITICAL)


def note(text: str) -> None:
    """Write a line to the log, which is standard error unless configured otherwise."""
    logging.getLogger("sgl_editor").warning("%s", visible(text[:_SAID]))


def frames(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the messages of a stream, with an empty one for anything that is not a frame or is too large."""
    line, lost = b"", False
    while part := stream.readline(_LINE):
        line += part
        head = _LENGTH.search(line)
        if head is not None and int(head[1]) <= LARGEST:
            if lost or head[0] != line:
                yield b""
            while stream.readline(_LINE).strip():
                continue
            yield stream.read(int(head[1]))
            line, lost = b"", False
        else:
            lost = lost or not _OTHER.fullmatch(line)
            # The header of the next frame may begin in a line that is cut here.
            line = b"" if line.endswith(b"\n") else line[-_LINE:]
    if lost:
        yield b""


class Protocol(LanguageServerProtocol):
    """The library's protocol, for messages that were read here."""

    _server: "Server"

    def receive(self, body: str | bytes) -> None:
        """Handle a message; a wrong request, and anything that is not a message, gets an error."""
        parts: dict[str, _Json] = {}
        try:
            message = json.loads(body)
            parts = message if isinstance(message, dict) else {}
            self.handle_message(self._read(parts))
        except Exception as problem:  # noqa: BLE001 - whatever it is, it gets an answer
            unread = not parts and isinstance(problem, (ValueError, RecursionError))
            # Nobody waits for an answer to a notification or to an answer.
            silent = ("id" in parts) != ("method" in parts)
            self.fail(e.JsonRpcParseError() if unread else problem, parts.get("id"), silent=silent)

    def _read(self, parts: dict[str, _Json]) -> _Json:
        """Return a message as the library's object; raises ``JsonRpcException`` if it is wrong."""
        method = parts.get("method", "")
        texts = type(method) is str and type(parts.get("id", 0)) in (int, str)
        if parts.get("jsonrpc") != self.VERSION or not texts or not parts.keys() & {"id", "method"}:
            raise e.JsonRpcInvalidRequest
        started = hasattr(self, "server_capabilities")
        if "method" in parts and method != t.EXIT:
            if self._shutdown or started == (method == t.INITIALIZE):
                raise e.JsonRpcInvalidRequest if started else e.JsonRpcServerNotInitialized
            if method != t.CANCEL_REQUEST:
                self._get_handler(method)
        try:
            read = self.structure_message(parts)
        except Exception:  # noqa: BLE001 - the library raises all sorts
            raise e.JsonRpcInvalidParams from None
        if method == t.CANCEL_REQUEST and type(read.params.id) not in (int, str):
            raise e.JsonRpcInvalidParams
        if "method" in parts:
            self._server.check(method, read.params)
        if method in (t.SHUTDOWN, t.EXIT):
            self.cancel()
            self.writer = None if method == t.EXIT else self.writer
        return read

    def fail(self, problem: BaseException, number: object = None, *, silent: bool = False) -> None:
        """Log an error and send it as the answer to a message, unless nobody waits for one."""
        if not isinstance(problem, e.JsonRpcException):
            said, trace = f"{type(problem).__name__}: {problem}", format_tb(problem.__traceback__)
            problem = e.JsonRpcInternalError(said, data={"traceback": trace})
        if silent:
            _noted(problem)
        else:
            self._send_response(number if type(number) in (int, str) else None, error=problem)

    def _send_response(self, msg_id: _Json, result: _Json = None, error: _Json = None) -> None:
        if error is None:
            super()._send_response(msg_id, result)
        else:  # the library leaves out an `id` that is null
            self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "error": _noted(error)})

    def _execute_handler(self, msg_id: _Json, *how: _Json, **more: _Json) -> None:
        """Run a handler and forget it when it is done, which the library does only with some."""
        super()._execute_handler(msg_id, *how, **more)
        if (future := self._request_futures.get(msg_id)) is not None:
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))

    def cancel(self) -> list[asyncio.Future[object]]:
        """Cancel all requests, and return those that have not noticed yet."""
        # The library caches each server with the methods that it was asked for.
        LanguageServerProtocol.get_message_type.cache_clear()
        LanguageServerProtocol.get_result_type.cache_clear()
        asked: list[_Json] = [*self._request_futures.values()]
        return [one for one in asked if one.cancel() and asyncio.isfuture(one)]


def _noted(error: t.ResponseError | e.JsonRpcException) -> dict[str, object]:
    """Return an error as the client sees it: on one line, without details that belong in the log."""
    said = error.message
    if error.code == e.JsonRpcInternalError.CODE:
        note(f"{MISTAKE}: {said} {[line.strip() for line in (error.data or {}).get('traceback', ())[-1:]]}")
        said = f"{MISTAKE}: {said.partition(':')[0]}"
    elif error.code in _WRONG:
        note(f"a message is refused: {said}")
    return {"code": error.code, "message": visible(said[:_SAID])}
