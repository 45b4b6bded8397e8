"""The directory of the cache: damage, limits, rights, several runs at once, and `sglc cache`."""

from __future__ import annotations

import gc
import os
import pickle
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from kept_farm import MAIN, write_farm
from workplace import Workplace

from sgl import cache as store_module
from sgl.cache import Cache, cached, environment, open_cache, using
from sgl.cli.main import OK, run
from sgl.cli.registry import commands
from sgl.diagnostics import FileDependencies
from sgl.disk import Folder


@pytest.fixture
def farm(work: Workplace, cache_directory: Path) -> Workplace:  # noqa: ARG001 - in use
    return write_farm(work)


# ---- the directory


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: content[:-1] + bytes([content[-1] ^ 1]),
        lambda content: b"SGL cache 0" + content[11:],
        lambda _: pickle.dumps("something else"),
    ],
    ids=["empty", "cut", "half", "one bit", "another format", "foreign"],
)
def test_a_damaged_entry_is_no_entry_and_is_written_again(damage: object, cache: Cache) -> None:
    assert callable(damage)
    cache.put([1, 2], "numbers", "a")
    (entry,) = cache.entries()
    entry.path.write_bytes(damage(entry.path.read_bytes()))
    assert cache.get(list, "numbers", "a") is None
    with using(cache):
        assert cached(list, "numbers", ["a"], lambda: [1, 2]) == [1, 2]
    assert cache.get(list, "numbers", "a") == [1, 2]


def test_an_entry_of_another_type_is_no_entry(cache: Cache) -> None:
    cache.put("text", "value", "a")
    assert cache.get(list, "value", "a") is None
    assert cache.get(str, "value", "a") == "text"


def test_what_has_no_pickle_is_not_kept_and_no_secret(cache: Cache) -> None:
    # Users see no such warning; in every other test it is an error.
    with pytest.warns(ResourceWarning, match="`function` cannot be kept"), using(cache):
        function = cached(object, "function", ["a"], lambda: lambda: 1)
    assert callable(function)
    assert cache.entries() == []


def test_parts_are_kept_apart(cache: Cache) -> None:
    cache.put(1, "number", "a", "bc")
    assert cache.get(int, "number", "ab", "c") is None


def test_above_the_limit_the_entries_go_that_were_not_used(cache: Cache) -> None:
    small = Cache(cache.directory, cache.environment, limit=5_000)
    for number in range(4):
        small.put(bytes(1_000), "bytes", str(number))
        os.utime(small.entries()[-1].path, (number, number))
    small.put(bytes(1_000), "bytes", "0")
    assert small.get(bytes, "bytes", "1") is not None
    small.put(bytes(1_500), "bytes", "more")
    left = [number for number in "0123" if small.get(bytes, "bytes", number) is not None]
    assert left == ["0", "1"]
    assert small.get(bytes, "bytes", "more") is not None


def test_what_an_interrupted_run_has_left_is_removed_after_a_while(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Folder, "move", refuse)
        patch.setattr(Folder, "remove", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            cache.put(1, "number", "a")
    (partial,) = cache.directory.iterdir()
    cache.put(2, "number", "b")
    assert partial.exists(), "it could belong to a run that is still writing"
    os.utime(partial, (1, 1))
    cache.put(3, "number", "c")
    assert not partial.exists()
    assert len(cache.entries()) == 2


@pytest.mark.slow
@pytest.mark.usefixtures("farm")
def test_two_runs_at_once_do_not_disturb_each_other(cache: Cache) -> None:
    command = [sys.executable, "-m", "sgl", "prove", MAIN]
    where = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}

    def prove(_: int) -> tuple[int, str, str]:
        done = subprocess.run(command, env=where, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    with ThreadPoolExecutor(3) as pool:
        said = list(pool.map(prove, range(3)))
    assert {code for code, _, _ in said} == {OK}
    assert len(set(said)) == 1
    assert prove(0) == said[0]
    assert not [path for path in cache.directory.iterdir() if path.suffix]
    assert {"grammar", "looks", "proofs"} <= {entry.kind for entry in cache.entries()}


def test_the_directory_is_private(cache: Cache) -> None:
    assert stat.S_IMODE(cache.directory.stat().st_mode) == 0o700


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_a_directory_that_others_can_write_is_not_used(cache_directory: Path) -> None:
    cache_directory.mkdir()
    cache_directory.chmod(0o777)
    assert open_cache() is None
    cache_directory.chmod(0o755)
    assert open_cache() is not None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_a_directory_in_one_that_others_can_write_is_not_used(cache_directory: Path) -> None:
    cache_directory.parent.chmod(0o777)
    assert open_cache() is None
    # There, as in `/tmp`, only the owner of a file can put another in its place.
    cache_directory.parent.chmod(0o1777)
    assert open_cache() is not None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_directories_are_made_for_the_user_alone(cache_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SGL_CACHE_DIR", str(cache_directory / "deep"))
    before = os.umask(0)
    try:
        cache = open_cache()
        assert cache is not None
        cache.put(1, "number", "a")
    finally:
        os.umask(before)
    (entry,) = cache.entries()
    modes = [stat.S_IMODE(p.stat().st_mode) for p in (entry.path, cache.directory, cache_directory)]
    assert modes == [0o600, 0o700, 0o700]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
@pytest.mark.parametrize("mode", [0o666, 0o620, 0o602])
def test_an_entry_that_others_can_write_is_no_entry(mode: int, cache: Cache) -> None:
    cache.put([1], "numbers", "a")
    (entry,) = cache.entries()
    entry.path.chmod(mode)
    assert cache.get(list, "numbers", "a") is None
    cache.put([1], "numbers", "a")
    assert cache.get(list, "numbers", "a") == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_an_entry_of_somebody_else_is_no_entry(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.put([1], "numbers", "a")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert cache.get(list, "numbers", "a") is None


@pytest.mark.skipif(sys.platform == "win32", reason="has neither links nor pipes like these")
def test_a_link_or_a_pipe_is_no_entry(cache: Cache) -> None:
    cache.put([1], "numbers", "a")
    (entry,) = cache.entries()
    entry.path.rename(cache.directory / "moved")
    entry.path.symlink_to(cache.directory / "moved")
    assert cache.get(list, "numbers", "a") is None
    entry.path.unlink()
    os.mkfifo(entry.path)
    assert cache.get(list, "numbers", "a") is None


def test_a_relative_directory_is_ignored_and_that_is_said_once(work: Workplace) -> None:
    where = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "SGL_CACHE_DIR": "here"}
    where["HOME"] = where["XDG_CACHE_HOME"] = str(work.directory / "home")
    done = subprocess.run(
        [sys.executable, "-m", "sgl", "cache", "info"],
        env=where,
        cwd=work.directory,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "warning: SGL_CACHE_DIR is ignored, because `here` is relative\n"
    assert str(work.directory / "home") in done.stdout
    assert work.files() == ["home", "home/sgl"]


@pytest.mark.usefixtures("cache_directory")
def test_a_directory_of_somebody_else_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert open_cache() is None


def test_where_no_directory_can_be_made_everything_works(farm: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    farm.write("file", "")
    monkeypatch.setenv("SGL_CACHE_DIR", str(farm.directory / "file" / "cache"))
    assert open_cache() is None
    assert run(["check", MAIN]) == OK
    assert run(["cache", "info"]) == OK
    assert "nothing is cached" in farm.capsys.readouterr().out


@pytest.mark.usefixtures("farm")
def test_where_nothing_can_be_written_everything_works(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Folder, "move", refuse)
    assert run(["check", MAIN]) == OK
    assert list(cache.directory.iterdir()) == []


def test_an_empty_variable_switches_the_cache_off(farm: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SGL_CACHE_DIR", "")
    monkeypatch.setenv("HOME", str(farm.directory / "home"))
    assert open_cache() is None
    assert run(["check", MAIN]) == OK
    assert not (farm.directory / "home").exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the place is that of Linux")
def test_without_the_variable_the_cache_is_among_the_users_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SGL_CACHE_DIR")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    found = open_cache()
    assert found is not None
    assert found.directory == tmp_path / ".cache" / "sgl"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert open_cache() == found
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "mine"))
    found = open_cache()
    assert found is not None
    assert found.directory == tmp_path / "mine" / "sgl"


# ---- commands


def test_the_cache_can_be_looked_at_and_cleared(farm: Workplace, cache: Cache) -> None:
    assert run(["check", MAIN]) == OK
    (cache.directory / "notes.txt").write_text("not an entry")
    farm.capsys.readouterr()
    assert run(["cache", "info"]) == OK
    said = farm.capsys.readouterr().out
    assert str(cache.directory) in said
    assert f"{len(cache.entries())} entries" in said
    assert run(["cache", "info", "--json"]) == OK
    assert '"grammar": 1' in farm.capsys.readouterr().out
    assert run(["cache", "clear"]) == OK
    assert "removed " in farm.capsys.readouterr().out
    assert cache.entries() == []
    assert [path.name for path in cache.directory.iterdir()] == ["notes.txt"]
    assert run(["check", MAIN]) == OK


def test_the_digest_of_the_program_counts_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "sgl"
    (package / "lang").mkdir(parents=True)
    (package / "lang" / "reader.py").write_text("one")
    (package / "lang" / "grammar.lark").write_text("two")
    monkeypatch.setattr("sgl.cache._PACKAGE", package)
    digests = [environment()]
    (package / "lang" / "__pycache__").mkdir()
    (package / "lang" / "__pycache__" / "reader.pyc").write_text("compiled")
    assert environment() == digests[0]
    for name, text in (("reader.py", "uno"), ("grammar.lark", "owt"), ("new.py", "")):
        (package / "lang" / name).write_text(text)
        digests.append(environment())
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "numpy-99.0.dist-info").mkdir()
    digests.append(environment())
    assert len(set(digests)) == len(digests)
    assert None not in digests


def test_two_looks_at_a_file_that_differ_stand_for_nothing(tmp_path: Path) -> None:
    looks = FileDependencies()
    (tmp_path / "a").write_bytes(b"1")
    looks.read(tmp_path / "a", b"1", "a")
    assert looks.hold()
    looks.read(tmp_path / "a", b"2", "a")
    assert not looks.hold()


def _imported(work: Workplace, *arguments: str) -> set[str]:
    """The modules that a command imports, in a process of its own."""
    program = (
        "import sys; from sgl.cli.main import run; code = run(sys.argv[1:]);"
        "print('\\n'.join(['', *sys.modules]), file=sys.stderr); sys.exit(code)"
    )
    where = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=where,
        cwd=work.directory,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


HEAVY = {"numpy", "networkx", "lark", "rich", "yaml", "jinja2", "pyarrow"}


def test_help_imports_no_command_and_no_library(work: Workplace) -> None:
    imported = _imported(work, "--help")
    assert not HEAVY & imported
    assert not {entry.module for entry in commands().values()} & imported
    assert "sgl.diagnostics" not in imported


def test_a_check_that_is_known_imports_no_compiler(farm: Workplace) -> None:
    assert run(["check", MAIN]) == OK
    imported = _imported(farm, "check", MAIN)
    assert not HEAVY & imported
    assert not {"sgl.frontend", "sgl.automata", "sgl.parsing", "sgl.lang.reader"} & imported


def test_reading_an_entry_leaves_the_collector_as_it_was(cache: Cache) -> None:
    cache.put([1], "numbers", "a")
    assert gc.isenabled()
    assert cache.get(list, "numbers", "a") == [1]
    assert gc.isenabled()
    assert store_module.LIMIT > 0
