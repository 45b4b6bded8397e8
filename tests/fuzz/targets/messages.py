"""What clients say: messages to the language server and to the page in the browser, and requests of browsers.

A case is a conversation of ten messages, made of good ones.  Beside what may never be, it is wrong if a request has no
answer, an error has more than a line, or a good request has no answer afterwards.  What is said is the log, and errors.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

from fuzz import seeds
from fuzz.case import Case
from fuzz.mutation import TELLING, bytes_mutated, json_mutated, tokens_mutated
from fuzz.targets.target import Target, shown

_MESSAGES = 10
#: Seconds in which there is an answer, if there is any.
_PATIENCE = 20
#: Stands for the folder in addresses of files.
_HERE = "file:///HERE"

_ASKED = (
    *("hover", "completion", "definition", "references", "rename", "prepareRename", "documentSymbol", "foldingRange"),
    *("formatting", "codeAction", "codeLens", "inlayHint", "documentHighlight", "diagnostic", "semanticTokens/full"),
)
_TOLD = ("didOpen", "didChange", "didChange", "didSave", "didClose")
_OTHERS = (
    *("workspace/symbol", "workspace/didChangeWatchedFiles", "$/cancelRequest", "$/setTrace", "initialized"),
    *("initialize", "shutdown", "no/such"),
)
_COMMAND = "workspace/executeCommand"
#: Those that start another process are left out.
_OF_EDITORS = ("sgl.samples", "sgl.beside", "sgl.prove", "sgl.counterexample", "sgl.explain")
_OF_PAGES = ("play.files", "play.samples", "play.patterns", "play.pair", "play.save")

_TEXTS = (
    *(f"{_HERE}/{name}" for name in ("farm.sgl", "animals.yaml", "nowhere.sgl", ".bashrc", "../x.sgl", "%00", "")),
    *("file:///etc/passwd", "untitled:1", "http://x/y.sgl", "NP", "pp_in_subject", "train", "SGL0301", "exit"),
)
_REQUESTS = (
    "/",
    "/page/play.js",
    "/page/../answers.py",
    "/editor/index.js",
    "/connection",
    "/dataset/x.zip",
    "//[::1/",
)


def _farm() -> dict[str, bytes]:
    folder = seeds.ROOT / "docs" / "examples"
    return {name: (folder / name).read_bytes() for name in ("farm.sgl", "animals.yaml", "verbs.yaml")}


def _message(random: Random, number: int, commands: Sequence[str]) -> dict[str, Any]:
    """A good message; parameters that a method does not know are ignored."""
    uri, text = f"{_HERE}/farm.sgl", _farm()["farm.sgl"].decode()
    place = {"line": random.randrange(60), "character": random.randrange(30)}
    if random.random() < 0.5:
        text = tokens_mutated(random, text, seeds.words())
    params: dict[str, Any] = {
        "textDocument": {"uri": uri, "version": number, "languageId": "sgl", "text": text},
        "contentChanges": [{"text": text}],
        "position": place,
        "range": {"start": place, "end": place},
        "context": {"diagnostics": [], "includeDeclaration": True},
        "options": {"tabSize": 2, "insertSpaces": True},
        "changes": [{"uri": uri, "type": 2}],
        "capabilities": {},
        "newName": "z",
        "query": "NP",
        "id": number - 1,
        "value": "off",
        "processId": None,
    }
    kind = random.random()
    if kind < 0.3:
        names = ("train", "pp_in_subject", "", "NP", "SGL0301")
        arguments = [uri, random.choice(names), str(number)][: random.randint(1, 3)]
        params = {"command": random.choice(commands), "arguments": arguments}
    method = _COMMAND if kind < 0.3 else f"textDocument/{random.choice(_ASKED)}"
    if kind > 0.7:
        method = f"textDocument/{random.choice(_TOLD)}"
    if kind > 0.9:
        method = random.choice(_OTHERS)
    told = 0.7 < kind <= 0.9 or method in _OTHERS[1:5]
    return {"jsonrpc": "2.0", "method": method, "params": params, **({} if told else {"id": number})}


def _conversation(random: Random, commands: Sequence[str]) -> dict[str, bytes]:
    found = {}
    for number in range(_MESSAGES):
        body = json.dumps(_message(random, number, commands)).encode()
        change = random.random()
        if change < 0.6:
            body = json_mutated(random, body, _TEXTS)
        elif change < 0.75:
            body = bytes_mutated(random, body, (b'{"jsonrpc": "2.0", "id": 5, "result": null}', b"[]", b"null"))
        found[f"message-{number}"] = body
    return found


def _to_server(random: Random) -> Case:
    files = _conversation(random, _OF_EDITORS)
    if random.random() < 0.3:
        # What stands before a frame hides none, if it is no head.
        heads = (b"Content-Length: x\r\n\r\n", b"Content-Length: -1\r\n", b"\r\n\r\n", b"X: y\r\n", *TELLING)
        files[f"before-{random.randrange(_MESSAGES)}"] = random.choice(heads)
    return Case({**_farm(), **files})


def _to_page(random: Random) -> Case:
    files = _conversation(random, _OF_PAGES)
    request = f"{random.choice(('GET', 'GET', 'HEAD', 'POST'))} {random.choice(_REQUESTS)}?token=TOKEN HTTP/1.1\r\n"
    heads = f"Host: SERVER\r\nOrigin: http://SERVER\r\nX: {random.choice(('', 'y' * 9_000))}\r\n\r\n"
    request = tokens_mutated(random, request, ("\r\n", " ", "..", "%00", "é")) if random.random() < 0.5 else request
    files["request"] = bytes_mutated(random, (request + heads).encode())
    return Case({**_farm(), **files})


# ---- what becomes of a conversation


def _bodies(case: Case) -> list[tuple[bytes, bytes]]:
    """The messages, each with what stands before it, with the addresses of the files of the case."""
    here = Path.cwd().as_uri().encode()
    parts = ((case.files.get(f"before-{n}", b""), case.files[f"message-{n}"]) for n in range(_MESSAGES))
    return [(before, body.replace(_HERE.encode(), here)) for before, body in parts]


def _number(body: bytes) -> int | str | None:
    """The number of a request that needs an answer."""
    with suppress(ValueError, RecursionError):
        message = json.loads(body)
        if isinstance(message, dict) and "method" in message and type(message.get("id")) in (int, str):
            return message["id"]  # type: ignore[no-any-return]
    return None


_LAST = "the last"
_GREETING = {"jsonrpc": "2.0", "id": "the first", "method": "initialize"}
_GREETED = json.dumps({**_GREETING, "params": {"capabilities": {}, "processId": None}}).encode()


def _parting(commands: Sequence[str]) -> bytes:
    params = {"command": commands[0], "arguments": [f"{Path.cwd().as_uri()}/farm.sgl"]}
    return json.dumps({"jsonrpc": "2.0", "id": _LAST, "method": _COMMAND, "params": params}).encode()


@contextmanager
def _logged() -> Iterator[list[str]]:
    """The lines of the log in the block."""
    lines: list[str] = []
    handler, log = logging.Handler(), logging.getLogger("sgl_editor")
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    before, log.propagate = log.propagate, False
    log.addHandler(handler)
    try:
        yield lines
    finally:
        log.removeHandler(handler)
        log.propagate = before


def _judged(asked: Sequence[bytes], answers: Sequence[dict[str, Any]], log: Sequence[str]) -> tuple[str, bool]:
    """What was said; raises an error for what is wrong of a conversation alone."""
    answered = [one["id"] for one in answers if "id" in one and "method" not in one]
    missing = [number for number in map(_number, asked) if number is not None and number not in answered]
    if missing:
        raise AssertionError(f"requests without an answer: {missing[:5]!r}")
    errors = [one["error"] for one in answers if "error" in one]
    if any(error.keys() != {"code", "message"} or "\n" in error["message"] for error in errors):
        raise AssertionError(f"an error is more than a line: {errors!r:.500}")
    return shown([*log, *(error["message"] for error in errors)]), not errors


class _Pipe(BytesIO):
    """The messages of a client that waits for the last answer before it goes."""

    def __init__(self, content: bytes, heard: threading.Event) -> None:
        super().__init__(content)
        self._heard = heard

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return a line, and nothing when the answer is there."""
        line = super().readline(size)
        if not line and not self._heard.wait(_PATIENCE):
            raise AssertionError("a good request has no answer")
        return line


class _Heard(BytesIO):
    """What the client hears; it does not notice that somebody closes it."""

    def __init__(self) -> None:
        super().__init__()
        self.last, self.bodies = threading.Event(), list[dict[str, Any]]()

    def write(self, data: Any, /) -> int:  # noqa: ANN401 - any bytes
        """Read an answer."""
        self.bodies.append(json.loads(bytes(data).partition(b"\r\n\r\n")[2]))
        if self.bodies[-1].get("id") == _LAST:
            self.last.set()
        return len(data)

    def close(self) -> None:
        """Stay open."""


def _read_server(case: Case) -> tuple[str, bool]:
    from sgl_editor.lsp.server import Server

    bodies = [(b"", _GREETED), *_bodies(case), (b"", _parting(_OF_EDITORS))]
    sent = b"".join(before + b"Content-Length: %d\r\n\r\n" % len(body) + body for before, body in bodies)
    heard = _Heard()

    async def talk() -> None:
        server = Server()
        try:
            await server.listen(_Pipe(sent, heard.last), heard)
        finally:
            await server.end()

    with _logged() as log:
        try:
            asyncio.run(talk())
        except SystemExit:
            return shown(log), True  # a client may say that it ends
    return _judged([body for _, body in bodies], heard.bodies, log)


def _read_page(case: Case) -> tuple[str, bool]:
    from websockets.asyncio.client import connect

    from sgl_editor.play.server import PageServer

    answers: list[dict[str, Any]] = []
    asked = [_GREETED, *(body for _, body in _bodies(case)), _parting(_OF_PAGES)]

    async def talk(server: PageServer) -> None:
        base = server.address.partition("/?")[0].removeprefix("http://")
        request = case.files["request"].replace(b"TOKEN", server.token.encode()).replace(b"SERVER", base.encode())
        reader, writer = await asyncio.open_connection(*base.split(":"))
        writer.write(request + b"\r\n\r\n")
        answer = await asyncio.wait_for(reader.read(), _PATIENCE)
        writer.close()
        if answer[:10] == b"HTTP/1.1 5" or (answer and not answer.startswith(b"HTTP/1.1 ")):
            raise AssertionError(f"a request is answered by {answer[:100]!r}")
        address = f"ws://{base}/connection?token={server.token}"
        async with connect(address, origin=f"http://{base}", max_size=None) as connection:  # type: ignore[arg-type]
            for body in asked:
                # What is no text in UTF-8 is sent as bytes.
                await connection.send(body)
            async with asyncio.timeout(_PATIENCE):
                while not answers or answers[-1].get("id") != _LAST:
                    answers.append(json.loads(await connection.recv()))

    async def serve() -> None:
        # The editor of the page is a folder of files like any other.
        server, ready = PageServer(Path("farm.sgl"), Path.cwd()), asyncio.Event()
        task = asyncio.create_task(server.run(0, ready.set))
        try:
            await ready.wait()
            await talk(server)
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    with _logged() as log:
        asyncio.run(serve())
    return _judged(asked, answers, log)


TARGETS = (
    Target("lsp", "messages to the language server", 20, _to_server, _read_server),
    Target("play", "messages and requests to the page", 20, _to_page, _read_page),
)
