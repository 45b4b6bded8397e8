"""The messages of a client: one that cannot be read is answered by the protocol's error, with one line in the log.

The library would log tracebacks, leave some requests without an answer, and lose all that follows a frame whose head is
wrong.  So it is kept quiet, and gets messages that were read here.
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

#: Bytes that a message of a client may have.
LARGEST = 64_000_000
#: Bytes of a frame's head that are read at once; letters of a line of the log, and of an error.
_LINE, _SAID = 1_000, 300
#: The line of a head that has the length, after whatever is no frame; other lines of a head.
_LENGTH = re.compile(rb"Content-Length: (\d{1,9})\r\n\Z")
_OTHER = re.compile(rb"(?:(?!Content-Length)[\w-]+: [ -~]*)?\r\n")
#: What is said of a mistake of our own; errors that mean that a request was wrong, and not that it cannot be done.
MISTAKE = "SGL0999, a mistake in sglc"
_WRONG = range(-32_768, -31_999)
#: A value of JSON, or what the library makes of it.
_Json = Any
logging.getLogger("pygls").setLevel(logging.CRITICAL)


def note(text: str) -> None:
    """Write a line to the log, which is standard error where nobody has asked for another."""
    logging.getLogger("sgl_editor").warning("%s", visible(text[:_SAID]))


def frames(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the messages of a stream; an empty one for what is no frame, or one that is too large."""
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
            # The head of the next frame may begin in a line that is cut here.
            line = b"" if line.endswith(b"\n") else line[-_LINE:]
    if lost:
        yield b""


class Protocol(LanguageServerProtocol):
    """The protocol of the library for messages that were read here."""

    _server: "Server"

    def receive(self, body: str | bytes) -> None:
        """Do what a message asks for; a request that is wrong, and what is no message at all, has an error."""
        parts: dict[str, _Json] = {}
        try:
            message = json.loads(body)
            parts = message if isinstance(message, dict) else {}
            self.handle_message(self._read(parts))
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is answered
            unread = not parts and isinstance(problem, (ValueError, RecursionError))
            # Nobody waits for an answer to a notification, or to an answer.
            silent = ("id" in parts) != ("method" in parts)
            self.fail(e.JsonRpcParseError() if unread else problem, parts.get("id"), silent=silent)

    def _read(self, parts: dict[str, _Json]) -> _Json:
        """Return a message as the library knows it; raise ``JsonRpcException`` if it is wrong."""
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
        """Answer a message with an error, which is noted; where nobody waits for an answer, it is noted alone."""
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
        """Run a handler; forget it when it is done, which the library does with some of them alone."""
        super()._execute_handler(msg_id, *how, **more)
        if (future := self._request_futures.get(msg_id)) is not None:
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))

    def cancel(self) -> list[asyncio.Future[object]]:
        """End what was asked for; return what has yet to notice."""
        # The library remembers each server, with the methods that it was asked for.
        LanguageServerProtocol.get_message_type.cache_clear()
        LanguageServerProtocol.get_result_type.cache_clear()
        asked: list[_Json] = [*self._request_futures.values()]
        return [one for one in asked if one.cancel() and asyncio.isfuture(one)]


def _noted(error: t.ResponseError | e.JsonRpcException) -> dict[str, object]:
    """Return an error as the client is told it: in one line, without what only the log should have."""
    said = error.message
    if error.code == e.JsonRpcInternalError.CODE:
        note(f"{MISTAKE}: {said} {[line.strip() for line in (error.data or {}).get('traceback', ())[-1:]]}")
        said = f"{MISTAKE}: {said.partition(':')[0]}"
    elif error.code in _WRONG:
        note(f"a message is refused: {said}")
    return {"code": error.code, "message": visible(said[:_SAID])}
