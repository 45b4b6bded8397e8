"""``sglc play`` for tests: a page of a project, and a client that speaks with it as the script of the page does."""

# ruff: noqa: ANN401 - answers are what the protocol says

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
#: No answer takes as long, unless there is none.
PATIENCE = 60


def farm_in(folder: Path) -> Path:
    """The grammar of the tutorial with its tables, in a folder."""
    folder.mkdir(exist_ok=True)
    for name in ("farm.sgl", "animals.yaml", "verbs.yaml"):
        shutil.copy(EXAMPLES / name, folder)
    return folder / "farm.sgl"


@dataclass
class Served:
    """A page that is served: where, to whom, and what the terminal has shown when it has ended."""

    grammar: Path
    base: str
    token: str
    said: str = ""

    @property
    def address(self) -> str:
        return f"{self.base}/?token={self.token}"

    def answer(self, request: bytes) -> bytes:
        """The whole answer to a request, byte by byte."""
        host, port = self.base.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), PATIENCE) as stream:
            stream.sendall(request)
            return b"".join(iter(lambda: stream.recv(65_536), b""))

    def request(self, path: str, *heads: str, method: str = "GET") -> bytes:
        """A request for a path, with the head that the server expects."""
        host = (
            () if any(head.startswith("Host:") for head in heads) else (f"Host: {self.base.removeprefix('http://')}",)
        )
        return "\r\n".join([f"{method} {path} HTTP/1.1", *host, *heads, "", ""]).encode("latin-1")

    def status(self, path: str, *heads: str, method: str = "GET") -> int:
        """The status of the answer to a request; 0 if there is none."""
        return status_of(self.answer(self.request(path, *heads, method=method)))

    @contextmanager
    def client(self) -> Iterator[Client]:
        """A connection, as the script of the page opens it."""
        address = f"{self.base.replace('http', 'ws')}/connection?token={self.token}"
        with connect(address, origin=self.base, max_size=None, open_timeout=PATIENCE) as connection:  # type: ignore[arg-type]
            yield Client(connection)


def status_of(answer: bytes) -> int:
    """The status of an answer."""
    found = re.match(rb"HTTP/1\.1 (\d{3}) ", answer)
    return int(found[1]) if found else 0


class RefusedError(Exception):
    """An error of the protocol; ``error`` is what the client was told."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.error = error


class Client:
    """A client of the page."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection, self._number = connection, 0

    def tell(self, method: str, params: Any) -> None:
        """Send what has no answer."""
        self.connection.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def ask(self, method: str, params: Any) -> Any:
        """The answer to a request; what is said in between is not heard."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.connection.send(json.dumps(message))
        while (answer := json.loads(self.connection.recv(PATIENCE))).get("id") != self._number:
            pass
        if "error" in answer:
            raise RefusedError(answer["error"])
        return answer["result"]

    def begin(self) -> Client:
        """Say what every client says first."""
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.tell("initialized", {})
        return self

    def command(self, name: str, *arguments: Any) -> Any:
        """The answer to a command of the page."""
        return self.ask("workspace/executeCommand", {"command": f"play.{name}", "arguments": list(arguments)})

    def open(self, path: Path, text: str | None = None) -> str:
        """Open a file, with a text that need not be on disk; return its address."""
        written = path.read_text("utf-8") if text is None else text
        item = {"uri": path.as_uri(), "languageId": "sgl", "version": 1, "text": written}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return path.as_uri()


@contextmanager
def playing(grammar: Path, *options: str, environment: Mapping[str, str] | None = None) -> Iterator[Served]:
    """Serve the page of a grammar by the command, until the block ends."""
    command = [sys.executable, "-m", "sgl", "play", str(grammar), *(options or ("--no-browser",))]
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **streams, env={**os.environ, **(environment or {})}) as process:
        assert process.stdout is not None
        base, _, token = process.stdout.readline().strip().partition("/?token=")
        served = Served(grammar, base, token)
        try:
            yield served
        finally:
            process.terminate()
            served.said = process.communicate()[1]
