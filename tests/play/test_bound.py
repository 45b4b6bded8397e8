"""A connection of ``sglc play`` sees the files of one project, saves what was opened in it, and takes nothing along."""

from __future__ import annotations

import asyncio
import gc
import json
import shutil
import threading
import weakref
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pages import PATIENCE, Client, RefusedError, Served, farm_in, playing
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from sgl.resources import grammars_dir
from sgl_editor.play import server as play
from sgl_editor.play.pages import Page

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("play")]

PRIVATE = "export PASSWORD=swordfish\n"
READS = 'lexicon private from "{name}"\n  N\n    en $en\n    syn node(upos=NOUN)\n\n'


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The page of a farm; nothing that is asked of it shows a traceback in the terminal."""
    with playing(farm_in(tmp_path_factory.mktemp("farm") / "farm")) as found:
        yield found
    assert "Traceback" not in found.said
    assert "SGL0999" not in found.said


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    """A client that has said what clients say first."""
    with served.client() as found:
        yield found.begin()


@pytest.fixture
def farm(served: Served) -> Iterator[Path]:
    """The grammar of the page, in whose folder a test may write: afterwards it is as it was."""
    folder = served.grammar.parent
    kept = {path: path.read_bytes() for path in folder.iterdir()}
    yield served.grammar
    for path in folder.iterdir():
        if path not in kept:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    for path, content in kept.items():
        path.write_bytes(content)


# ---- what is opened


def test_the_project_and_what_comes_with_sgl_can_be_opened(client: Client, farm: Path) -> None:
    assert {one["name"] for one in client.command("files", farm.as_uri())["files"]} == {
        "farm.sgl", "animals.yaml", "verbs.yaml",
    }  # fmt: skip
    bundled = grammars_dir() / "cogs.sgl"
    assert client.command("files", bundled.resolve().as_uri())["title"]


@pytest.mark.parametrize("name", [".bashrc", "secret.txt", "secret.py", "secret", "linked.yaml", "../other/other.sgl"])
def test_no_other_file_is_opened_or_shown(client: Client, farm: Path, name: str) -> None:
    outside = farm.parent.parent / "other"
    outside.mkdir(exist_ok=True)
    (outside / "other.sgl").write_text("category Private\n", "utf-8")
    (outside / "private.yaml").write_text(PRIVATE, "utf-8")
    if name == "linked.yaml":
        (farm.parent / name).symlink_to(outside / "private.yaml")
    elif not name.startswith(".."):
        (farm.parent / name).write_text(PRIVATE, "utf-8")
    address = farm.parent.joinpath(name).as_uri() if ".." not in name else (outside / "other.sgl").as_uri()
    for command, *more in (("files",), ("save",), ("patterns",), ("samples", "", "1"), ("pair", "x"), ("dataset",)):
        with pytest.raises(RefusedError, match="of one project alone"):
            client.command(command, address, *more)
    client.open(farm, READS.format(name=name) + farm.read_text("utf-8"))
    shown = json.dumps(client.command("files", farm.as_uri()))
    assert "swordfish" not in shown
    assert "Private" not in shown
    told = json.dumps(client.ask("textDocument/codeAction", about(farm)))
    assert "SGL0001" in told or "SGL0005" in told
    assert "swordfish" not in told


def about(path: Path) -> dict[str, Any]:
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    return {"textDocument": {"uri": path.as_uri()}, "range": whole, "context": {"diagnostics": []}}


def test_a_grammar_above_the_project_is_not_asked_about_its_modules(tmp_path: Path) -> None:
    grammar = farm_in(tmp_path / "farm")
    (tmp_path / "above.sgl").write_text("use farm.farm\n" + grammar.read_text("utf-8"), "utf-8")
    with playing(grammar) as served, served.client() as client:
        client.begin()
        assert {one["name"] for one in client.command("files", grammar.as_uri())["files"]} >= {"farm.sgl"}
        assert "above.sgl" not in json.dumps(client.command("files", grammar.as_uri()))
        with pytest.raises(RefusedError):
            client.command("files", (tmp_path / "above.sgl").as_uri())


# ---- what is saved


def test_files_that_were_opened_are_saved_and_no_others(client: Client, farm: Path) -> None:
    table = farm.parent / "animals.yaml"
    client.open(farm, farm.read_text("utf-8") + "\n# written in the page\n")
    client.open(table, table.read_text("utf-8") + "\n# also\n")
    client.tell("textDocument/didClose", {"textDocument": {"uri": table.as_uri()}})
    assert client.command("save", farm.as_uri()) == {"saved": ["farm.sgl"]}
    assert farm.read_text("utf-8").endswith("# written in the page\n")
    assert "# also" not in table.read_text("utf-8")
    assert client.command("save", farm.as_uri()) == {"saved": []}


@pytest.mark.parametrize("name", [".bashrc", "notes.txt", "linked.yaml", "new.yaml", "folder/linked.yaml"])
def test_what_is_no_table_of_the_project_is_never_written(client: Client, farm: Path, name: str) -> None:
    outside = farm.parent.parent / "outside"
    outside.mkdir(exist_ok=True)
    target = (outside if "linked" in name else farm.parent) / Path(name).name
    if name != "new.yaml":
        target.write_text(PRIVATE, "utf-8")
    if name == "linked.yaml":
        (farm.parent / name).symlink_to(target)
    elif "/" in name:
        (farm.parent / "folder").symlink_to(outside)
    client.open(farm, READS.format(name=name) + farm.read_text("utf-8"))
    client.open(farm.parent / name, "- {en: horse}\n")
    with suppress(RefusedError):
        assert client.command("save", farm.as_uri()) == {"saved": ["farm.sgl"]}
    assert not target.exists() if name == "new.yaml" else target.read_text("utf-8") == PRIVATE


def test_what_comes_with_sgl_is_never_written(client: Client) -> None:
    bundled = (grammars_dir() / "cogs.sgl").resolve()
    before = bundled.read_bytes()
    client.open(bundled, bundled.read_text("utf-8") + "\n# written in the page\n")
    assert client.command("save", bundled.as_uri()) == {"saved": []}
    assert bundled.read_bytes() == before


def test_a_file_that_is_none_any_more_is_not_saved(client: Client, farm: Path) -> None:
    client.open(farm, farm.read_text("utf-8") + "\n# more\n")
    client.command("files", farm.as_uri())
    (farm.parent / "verbs.yaml").unlink()
    client.open(farm.parent / "verbs.yaml", "- {en: chase}\n")
    with pytest.raises(RefusedError, match="not saved"):
        client.command("save", farm.as_uri())
    assert not (farm.parent / "verbs.yaml").exists()


# ---- what is asked


@pytest.mark.parametrize(
    "method",
    ["textDocument/rename", "textDocument/formatting", "workspace/symbol", "exit", "shutdown", "initialize", "no/such"],
)
def test_what_the_page_does_not_ask_for_is_refused(client: Client, farm: Path, method: str) -> None:
    client.tell(method, {})
    with pytest.raises(RefusedError):
        client.ask(method, {})
    assert client.command("files", farm.as_uri())["files"]


@pytest.mark.parametrize("name", ["sgl.compile", "sgl.samples", "play.nothing", "", "__init__"])
def test_commands_of_editors_are_none_of_the_page(client: Client, farm: Path, name: str) -> None:
    with pytest.raises(RefusedError, match="there is no such command"):
        client.ask("workspace/executeCommand", {"command": name, "arguments": [farm.as_uri(), "/tmp/x"]})  # noqa: S108


@pytest.mark.parametrize("command", ["files", "samples", "patterns", "pair", "save", "dataset"])
@pytest.mark.parametrize(
    "arguments",
    [None, [], [1], [None], ["{}", 5, "1"], ["{}", [], {}], ["{}", "a", "b", "c", "d"], [["{}"]], [{"x": "{}"}], "x"],
)
def test_arguments_that_are_wrong_are_one_line(client: Client, farm: Path, command: str, arguments: object) -> None:
    given = json.loads(json.dumps(arguments).replace('"{}"', json.dumps(farm.as_uri())))
    with pytest.raises(RefusedError) as refused:
        client.ask("workspace/executeCommand", {"command": f"play.{command}", "arguments": given})
    assert refused.value.error == {"code": -32602, "message": refused.value.error["message"]}
    assert "\n" not in refused.value.error["message"]
    assert "/" not in refused.value.error["message"]


@pytest.mark.parametrize("seed", ["", "x", "-1", "1.5", "９", "1" * 19, "1\n"])
def test_a_seed_is_a_whole_number(client: Client, farm: Path, seed: str) -> None:
    with pytest.raises(RefusedError, match="a seed is a whole number"):
        client.command("samples", farm.as_uri(), "", seed)


# ---- what ends with a connection


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[play.PageServer]:
    """A server of the page in this process."""
    editor = play.editor_folder()
    assert editor is not None
    server, ready = play.PageServer(farm_in(folder / "farm"), editor), asyncio.Event()
    task = asyncio.create_task(server.run(0, ready.set))
    await ready.wait()
    try:
        yield server
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def connected(server: play.PageServer) -> connect:
    base = server.address.partition("/?")[0]
    address = f"{base.replace('http', 'ws')}/connection?token={server.token}"
    return connect(address, origin=base, max_size=None)  # type: ignore[arg-type]


async def asked(connection: ClientConnection, number: int, method: str, params: object) -> Any:  # noqa: ANN401
    await connection.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
    while (answer := json.loads(await connection.recv())).get("id") != number:
        pass
    return answer["result"]


async def visited(server: play.PageServer, root: str) -> Page:
    """The language server of a page that was opened, used, and left."""
    async with connected(server) as connection:
        await asked(connection, 1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        command = {"command": "play.samples", "arguments": [root, "", "1"]}
        assert "html" in await asked(connection, 2, "workspace/executeCommand", command)
        (page,) = server.pages.values()
    await until(lambda: not server.pages)
    return page


async def until(there: Callable[[], bool]) -> None:
    for _ in range(PATIENCE * 20):
        if there():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it does not come to that")


def alive(kept: Sequence[weakref.ref[Any]]) -> list[object]:
    """What is still there of what was kept, once Python has looked."""
    gc.collect()
    return [found for one in kept if (found := one()) is not None]


def test_a_connection_that_ends_gives_back_its_thread_and_its_memory(tmp_path: Path) -> None:
    async def visits() -> None:
        async with serving(tmp_path) as server:
            root = (tmp_path / "farm" / "farm.sgl").as_uri()
            await visited(server, root)
            before = threading.active_count()
            kept: list[weakref.ref[Any]] = []
            for _ in range(5):
                page = await visited(server, root)
                assert not page._grammars  # noqa: SLF001 - what would be kept
                kept += [weakref.ref(page), weakref.ref(page.protocol)]
                del page
            await until(lambda: threading.active_count() <= before)
            await until(lambda: not alive(kept))

    asyncio.run(visits())


def test_the_workspace_of_a_connection_goes_with_it(tmp_path: Path) -> None:
    async def visits() -> None:
        async with serving(tmp_path) as server:
            async with connected(server) as connection:
                await asked(connection, 1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
                command = {"command": "play.patterns", "arguments": [(tmp_path / "farm" / "farm.sgl").as_uri()]}
                await asked(connection, 2, "workspace/executeCommand", command)
                engines = [weakref.ref(page.engine) for page in server.pages.values()]
            await until(lambda: not server.pages)
            assert len(engines) == 1
            await until(lambda: not alive(engines))

    asyncio.run(visits())


def test_there_are_no_more_pages_than_a_machine_bears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "MOST_PAGES", 2)

    async def visits() -> None:
        async with serving(tmp_path) as server, connected(server) as first, connected(server):
            await until(lambda: len(server.pages) == 2)
            async with connected(server) as third:
                with pytest.raises(ConnectionClosed, match="2 pages are open already; close one of them"):
                    await third.recv()
            await first.close()
            await until(lambda: len(server.pages) == 1)
            async with connected(server) as again:
                params = {"processId": None, "rootUri": None, "capabilities": {}}
                assert await asked(again, 1, "initialize", params)

    asyncio.run(visits())


def test_a_page_has_one_dataset_and_takes_it_along(tmp_path: Path) -> None:
    grammar, temporary = farm_in(tmp_path / "farm"), tmp_path / "temporary"
    temporary.mkdir()
    grammar.write_text(grammar.read_text("utf-8").replace("train 1000", "train 100"), "utf-8")
    with playing(grammar, environment={"TMPDIR": str(temporary)}) as served:
        with served.client() as client:
            client.begin()
            (name,) = {client.command("dataset", grammar.as_uri())["folder"] for _ in range(2)}
            path = f"/dataset/{name}.zip?token={served.token}"
            archive = served.answer(served.request(path)).partition(b"\r\n\r\n")[2]
            with zipfile.ZipFile(BytesIO(archive)) as found:
                assert "dataset/manifest.json" in found.namelist()
            assert [one.name for one in temporary.glob("*/*/*")] == ["dataset.zip"]
        asyncio.run(until(lambda: not [*temporary.glob("*/*/*")]))
        assert served.status(path) == 404
