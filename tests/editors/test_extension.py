"""The extension of VS Code: what it packs, and that it starts the server, without VS Code."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

EDITORS = Path(__file__).parents[2] / "editors"
EXTENSION = EDITORS / "vscode"
NODE = shutil.which("node")

#: What stands for VS Code and for the client of language servers, and a session with both.
SESSION = """
const Module = require("module"), load = Module._load, log = [];
class LanguageClient {
  constructor(id, name, server, options) { Object.assign(this, { server, options }); }
  async start() { log.push([this.server.command, ...this.server.args]); }
  async stop() { log.push("stopped"); }
}
const clients = [];
const vscode = {
  ViewColumn: { Beside: -2 }, ProgressLocation: { Notification: 15 },
  window: {
    withProgress: (_, work) => work(), showTextDocument: async (shown) => log.push(shown.content),
    showWarningMessage: (text) => log.push(text), showErrorMessage: (text) => log.push(text),
  },
  workspace: {
    openTextDocument: async (made) => made,
    getConfiguration: () => ({ get: () => ["sglc", "lsp"] }),
  },
  commands: { registerCommand: (name) => log.push(name) },
};
Module._load = (name, ...rest) => {
  if (name === "vscode") return vscode;
  if (name === "vscode-languageclient/node") {
    if (process.argv[3] === "without") throw new Error("none");
    return { LanguageClient: class extends LanguageClient { constructor(...a) { super(...a); clients.push(this); } } };
  }
  return load(name, ...rest);
};
const extension = require(process.argv[2]);
(async () => {
  await extension.activate({ subscriptions: [] });
  for (const client of clients) {
    await client.options.middleware.executeCommand("sgl.samples", [], async () => "five samples");
  }
  await extension.deactivate();
  console.log(JSON.stringify(log));
})();
"""


def pack(target: Path) -> list[str]:
    spec = importlib.util.spec_from_file_location("pack", EDITORS / "pack.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    names: list[str] = module.pack(target)
    return names


@pytest.mark.skipif(NODE is None, reason="needs node")
@pytest.mark.parametrize("client", ["with", "without"])
def test_the_extension_starts_the_server_and_shows_answers(client: str, tmp_path: Path) -> None:
    (tmp_path / "session.js").write_text(SESSION, "utf-8")
    command = [str(NODE), "session.js", str(EXTENSION / "extension.js"), client]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    log = json.loads(done.stdout)
    if client == "with":
        assert log[-3:] == [["sglc", "lsp"], "five samples", "stopped"]
    else:
        assert "npm install" in log[-1]


def test_the_extension_is_packed_with_the_same_bytes_each_time(tmp_path: Path) -> None:
    names = pack(tmp_path / "one.vsix")
    pack(tmp_path / "two.vsix")
    assert (tmp_path / "one.vsix").read_bytes() == (tmp_path / "two.vsix").read_bytes()
    described = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    assert {f"extension/{described['main'].removeprefix('./')}", "extension.vsixmanifest"} <= set(names)
    with zipfile.ZipFile(tmp_path / "one.vsix") as archive:
        assert archive.testzip() is None
        assert f'Version="{described["version"]}"' in archive.read("extension.vsixmanifest").decode()


def test_what_the_package_names_is_there() -> None:
    described = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    paths = re.findall(r'"(?:path|configuration|main)": "(\./[^"]+)"', json.dumps(described))
    assert len(paths) >= 4
    assert [path for path in paths if not (EXTENSION / path).is_file()] == []
    source = (EXTENSION / "extension.js").read_text("utf-8")
    assert all(one["command"] in source for one in described["contributes"]["commands"])
