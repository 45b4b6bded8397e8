"""Messages that are wrong: each is answered by the protocol's error, is one line in the log, and harms no other."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pages import farm_in

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wrong messages")]

PARSE, REQUEST, METHOD, PARAMS, BEFORE = -32700, -32600, -32601, -32602, -32002
INITIALIZE = {"id": 0, "method": "initialize", "params": {"capabilities": {}, "processId": None}}
PLACE = {"line": 1, "character": 1}


def message(**parts: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **parts}).encode()


def frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Server:
    """A language server at the end of two pipes."""

    def __init__(self, folder: Path) -> None:
        self.uri = farm_in(folder).as_uri()
        self._log, self._seen = folder / "errors.log", 0
        command, pipe = [sys.executable, "-m", "sgl", "lsp"], subprocess.PIPE
        with self._log.open("w") as log:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=log, cwd=folder)
        self._number = 1_000_000

    def send(self, sent: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(sent)
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b": ")
            length = int(value) if name == b"Content-Length" else length
        answer: dict[str, Any] = json.loads(self._process.stdout.read(length))
        return answer

    def answers(self, sent: bytes) -> list[dict[str, Any]]:
        """The answers to what is sent, up to that to a good request that is sent after it."""
        self._number += 1
        self.send(sent + frame(message(id=self._number, method="workspace/symbol", params={"query": "NP"})))
        found = []
        while (answer := self.receive()).get("id") != self._number:
            found += [answer] * ("method" not in answer)
        assert isinstance(answer.get("result"), list), answer
        return found

    def errors(self, sent: bytes) -> list[tuple[object, int]]:
        """The errors that are answered, as the number of the request and the code."""
        found = self.answers(sent)
        for one in found:
            assert one["error"].keys() == {"code", "message"}
            assert "\n" not in one["error"]["message"]
            assert "/" not in one["error"]["message"].replace("no/such", "")
        return [(one["id"], one["error"]["code"]) for one in found]

    def log(self) -> Sequence[str]:
        """What the log has got since the last time."""
        text = self._log.read_text("utf-8")
        found, self._seen = text[self._seen :].splitlines(), len(text)
        return found

    def end(self, *sent: bytes) -> int:
        self._process.communicate(b"".join(map(frame, sent)), timeout=60)
        return self._process.returncode


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that was greeted, and that ends well at the end."""
    found = Server(tmp_path_factory.mktemp("server") / "farm")
    found.send(frame(message(**INITIALIZE)))
    assert "result" in found.receive()
    text = Path(found.uri.removeprefix("file://")).read_text("utf-8")
    item = {"uri": found.uri, "languageId": "sgl", "version": 1, "text": text}
    found.send(frame(message(method="textDocument/didOpen", params={"textDocument": item})))
    yield found
    assert found.end(message(id=1, method="shutdown"), message(method="exit")) == 0


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"no json", [(None, PARSE)]),
        (b"\xff\xfe\x00", [(None, PARSE)]),
        (b"[" * 100_000, [(None, PARSE)]),
        (b'{"id": ' + b"9" * 5_000 + b"}", [(None, PARSE)]),
        (b"5", [(None, REQUEST)]),
        (b"null", [(None, REQUEST)]),
        (b"[]", [(None, REQUEST)]),
        (b"{}", [(None, REQUEST)]),
        (b'{"id": 5, "method": "shutdown"}', [(5, REQUEST)]),
        (b'{"jsonrpc": "1.0", "id": 5, "method": "shutdown"}', [(5, REQUEST)]),
        (message(id=None, method="shutdown"), [(None, REQUEST)]),
        (message(id=1.5, method="shutdown"), [(None, REQUEST)]),
        (message(id=[1], method="shutdown"), [(None, REQUEST)]),
        (message(id=True, method="shutdown"), [(None, REQUEST)]),
        (message(id=5, method=None), [(5, REQUEST)]),
        (message(id=5, method=["x"], params={}), [(5, REQUEST)]),
        (message(**{**INITIALIZE, "id": 5}), [(5, REQUEST)]),
        (message(id=5, method="no/such", params={}), [(5, METHOD)]),
        (message(id="x", method="", params={}), [("x", METHOD)]),
        (message(id=5, method="textDocument/hover"), [(5, PARAMS)]),
        (message(id=5, method="textDocument/hover", params=3), [(5, PARAMS)]),
        (message(id=5, method="textDocument/hover", params={"textDocument": 3}), [(5, PARAMS)]),
        (message(id=5, method="textDocument/rename", params={"jsonrpc": "2.0", "method": "exit"}), [(5, PARAMS)]),
        (message(id=5, method="workspace/executeCommand", params={"command": "sgl.samples"}), [(5, PARAMS)]),
        (message(id=5, method="workspace/executeCommand", params={"command": "rm", "arguments": ["x"]}), [(5, PARAMS)]),
    ],
)  # fmt: skip
def test_a_request_that_is_wrong_has_its_error(server: Server, body: bytes, expected: list[tuple[object, int]]) -> None:
    server.log()
    assert server.errors(frame(body)) == expected
    assert len(server.log()) == 1


@pytest.mark.parametrize("place", [{"line": -1, "character": 0}, {"line": 10**30, "character": 0}, {"line": "1"}, []])
def test_a_place_that_cannot_be_is_refused(server: Server, place: object) -> None:
    params = {"textDocument": {"uri": server.uri}, "position": place}
    assert server.errors(frame(message(id=5, method="textDocument/hover", params=params))) == [(5, PARAMS)]


@pytest.mark.parametrize("arguments", [[], [1], [None], ["{}", 1], ["{}", "a", "b"], [["{}"]], 5])
@pytest.mark.parametrize("command", ["samples", "beside", "prove", "explain", "compile", "counterexample"])
def test_arguments_of_commands_are_texts_and_as_many_as_there_may_be(
    server: Server, command: str, arguments: object
) -> None:
    given = json.loads(json.dumps(arguments).replace("{}", server.uri))
    params = {"command": f"sgl.{command}", "arguments": given}
    server.log()
    sent = frame(message(id=5, method="workspace/executeCommand", params=params))
    assert server.errors(sent) == [(5, PARAMS)]
    assert len(server.log()) == 1


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("no/such", {"type_name": "1 2"}),
        ("textDocument/didOpen", {}),
        ("textDocument/didChange", {"textDocument": {"uri": "file:///x.sgl", "version": 1}, "contentChanges": []}),
        ("$/cancelRequest", {"id": []}),
        ("initialize", {}),
        ("\x1b[31m\n\n", None),
    ],
)
def test_what_has_no_answer_is_a_line_in_the_log(server: Server, method: str, params: object) -> None:
    server.log()
    assert server.errors(frame(message(method=method, params=params))) == []
    (line,) = server.log()
    assert line.isprintable()
    assert len(line) < 400


@pytest.mark.parametrize(
    "answer",
    [{"id": 77, "result": 5}, {"id": 77, "error": 5}, {"id": [], "result": 5}, {"id": 5}, {"id": 5, "error": {}}],
)
def test_answers_to_nothing_have_no_answer(server: Server, answer: dict[str, object]) -> None:
    assert server.answers(frame(message(**answer))) == []


@pytest.mark.parametrize(
    "sent",
    [
        b"Content-Length: none\r\n\r\n" + message(id=5, method="shutdown"),
        b"Content-Length: -1\r\n\r\n" + message(id=5, method="shutdown"),
        b"content-length 30\r\n\r\n" + message(id=5, method="shutdown"),
        b"Content-Length: 3\r\n\r\n" + message(id=5, method="shutdown"),
        b"Content-Length: 99999999999\r\n\r\n" + message(id=5, method="shutdown"),
        b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n",
        b"Content-Length: 70000000\r\n\r\n" + b" " * 70_000_000,
        b"\0\xff" * 3_000,
        b"x" * 997,
        b"x" * 1_003 + b"\r\n",
        message(id=5, method="shutdown"),
    ],
    ids=lambda sent: repr(sent[:40]),
)
def test_a_frame_that_is_wrong_hides_none_that_follows(server: Server, sent: bytes) -> None:
    server.log()
    found = server.errors(sent)
    assert {*found} == {(None, PARSE)}
    assert 1 <= len(found) <= 2
    assert len(server.log()) == len(found)


def test_other_lines_of_a_head_are_no_mistake(server: Server) -> None:
    body = message(id=5, method="no/such", params={})
    head = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
    for sent in (head + frame(body), frame(body).replace(b"\r\n\r\n", b"\r\n" + head + b"\r\n")):
        assert server.errors(sent) == [(5, METHOD)]


def test_before_it_is_greeted_and_after_it_was_dismissed_a_server_answers_nothing_else(tmp_path: Path) -> None:
    server = Server(tmp_path / "farm")
    params = {"textDocument": {"uri": server.uri}, "position": PLACE}
    hover = frame(message(id=5, method="textDocument/hover", params=params))
    server.send(hover)
    assert server.receive()["error"]["code"] == BEFORE
    for wrong in ({"processId": []}, {}, {"capabilities": {}, "processId": None, "workspaceFolders": [5]}):
        server.send(frame(message(id=6, method="initialize", params=wrong)))
        assert server.receive()["error"]["code"] == PARAMS
    server.send(frame(message(**INITIALIZE)))
    assert "result" in server.receive()
    server.send(frame(message(id=7, method="shutdown")) + hover)
    assert [server.receive().get("id"), server.receive()["error"]["code"]] == [7, REQUEST]
    assert server.end(message(method="exit")) == 0
    assert "Traceback" not in "\n".join(server.log())


def test_who_leaves_without_a_word_has_the_status_of_the_protocol(tmp_path: Path) -> None:
    assert Server(tmp_path / "farm").end(message(method="exit")) == 1
