"""Only `sgl.disk` creates, replaces, renames and removes files: another place that would is found in the sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = [
    path
    for top in ("sgl", "editors/sgl_editor")
    for path in sorted((ROOT / top).rglob("*.py"))
    if not path.is_relative_to(ROOT / "sgl" / "disk")
]

#: Functions and methods that change what is on disk, by their last name.
WRITERS = {
    *(
        "chmod",
        "chown",
        "extract",
        "extractall",
        "hardlink_to",
        "lchmod",
        "link_to",
        "make_archive",
        "makedirs",
        "mkdir",
    ),
    *("mkdtemp", "mkfifo", "mknod", "mkstemp", "open_memmap", "removedirs", "renames", "rmdir", "rmtree"),
    *("save_file", "save_pretrained", "symlink", "symlink_to", "tofile", "touch", "truncate", "unlink"),
    *("unpack_archive", "utime", "write_bytes", "write_text"),
    *("NamedTemporaryFile", "SpooledTemporaryFile", "TemporaryDirectory", "TemporaryFile"),
}
#: Functions that do so as members of these modules; many other things have methods of these names.
OF_MODULES = {
    "os": {"remove", "rename", "replace", "ftruncate", "link"},
    "shutil": {"copy", "copy2", "copyfile", "copytree", "move"},
}
#: Classes and functions that write if a mode says so.
OPENERS = {"open", "ZipFile", "TarFile", "FileIO", "fdopen", "memmap"}

#: Calls that have such a name and change nothing, with the reason.
HARMLESS = {
    "sgl/sampling/screening.py": {"truncate": "an unnamed file that `sgl.disk` has opened", "memmap": "the same file"},
    "sgl/cache.py": {"utime": "marks an entry of the private directory as used"},
    "sgl/cli/terminal.py": {"truncate": "a text of the terminal"},
    "sgl/pipeline/release.py": {"ZipFile": "into a file that `sgl.disk` has created", "open": "inside the archive"},
    "sgl/research/baselines/learner.py": {"save_pretrained": "into a directory of `sgl.disk.temporary`"},
}


def mode_of(call: ast.Call) -> str:
    """The mode of a call that opens something; that of reading if none is named."""
    texts = [
        value.value for value in (*call.args, *(k.value for k in call.keywords)) if isinstance(value, ast.Constant)
    ]
    return next((t for t in texts if isinstance(t, str) and 0 < len(t) <= 3 and set(t) <= set("rwxabt+U")), "r")


def writing(source: str) -> Iterator[tuple[str, int]]:
    """The calls in a module that change what is on disk: the name of the function, and the line."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        names = ast.unparse(node.func).split(".")
        name = names[-1]
        flags = {leaf.attr for leaf in ast.walk(node) if isinstance(leaf, ast.Attribute)}
        of_path = name in ("rename", "replace") and len(names) > 1 and len(node.args) == 1 and not node.keywords
        opens = name in OPENERS and (set(mode_of(node)) & set("wax+") or flags & {"O_CREAT", "O_WRONLY", "O_RDWR"})
        if name in WRITERS or of_path or opens or name in OF_MODULES.get(names[0], ()):
            yield name, node.lineno


def test_nothing_but_the_owner_of_files_writes() -> None:
    found = {
        f"{path.relative_to(ROOT).as_posix()}:{line}": name
        for path in MODULES
        for name, line in writing(path.read_text("utf-8"))
        if name not in HARMLESS.get(path.relative_to(ROOT).as_posix(), {})
    }
    assert found == {}


def test_every_exception_is_needed() -> None:
    for name, calls in HARMLESS.items():
        assert {call for call, _ in writing((ROOT / name).read_text("utf-8"))} >= set(calls), name


@pytest.mark.parametrize(
    "source",
    [
        "shutil.rmtree(place)",
        "path.unlink(missing_ok=True)",
        "new.replace(target)",
        "os.replace(new, target)",
        "os.remove(path)",
        "path.rename(target)",
        "path.parent.mkdir(parents=True)",
        "os.makedirs(path)",
        "path.write_text(text)",
        "path.open('wb')",
        "open(path, 'a')",
        "open(path, mode='x')",
        "os.open(path, os.O_WRONLY | os.O_CREAT)",
        "zipfile.ZipFile(path, 'w')",
        "tempfile.mkdtemp()",
        "TemporaryDirectory()",
        "path.symlink_to(other)",
        "archive.extractall(place)",
    ],
)
def test_a_call_that_writes_is_found(source: str) -> None:
    assert list(writing(source))


@pytest.mark.parametrize(
    "source",
    ["text.replace('a', 'b')", "replace(stratum, count=3)", "path.open('rb')", "open(path)", "names.remove(one)"],
)
def test_a_call_that_does_not_is_left_alone(source: str) -> None:
    assert not list(writing(source))
