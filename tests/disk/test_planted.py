"""Whatever is planted where a command is about to write: nothing outside changes, and nothing of the user's is lost.

A project comes from a stranger, with a link, a pipe, a file or a folder under each name that a command uses.  The
command ends, with a message where it cannot write, and whatever was outside the project is as it was.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest
from diagnostics import INTERNAL, MAIN
from writing_commands import WRITING, WRITING_DIRECTORIES, write_inputs

from sgl.cli.main import INTERRUPTED, OK, run

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and pipes of this kind are those of POSIX")


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "mine.txt").write_text("mine")


#: What may be planted, by its name; everything outside is in the directory ``precious`` above the project.
PLANTS: dict[str, Callable[[Path, Path], None]] = {
    "a link to a directory": lambda path, outside: path.symlink_to(outside),
    "a link to an empty directory": lambda path, outside: path.symlink_to(outside / "empty"),
    "a link to a file": lambda path, outside: path.symlink_to(outside / "thesis.tex"),
    "a dangling link": lambda path, outside: path.symlink_to(outside / "nothing"),
    "a file": lambda path, _: path.write_text("mine") and None,
    "a directory with a file": lambda path, _: _folder(path),
    "a pipe": lambda path, _: os.mkfifo(path),
}
#: What a run that is interrupted leaves under a name that starts with a dot, and a stage of a killed process.
RUN, DEAD = ".{}.partial", ".{}-0123abcd.partial"

#: Options of commands that keep what is finished.
PARALLEL = [["--workers", "2"], ["--resume"], ["--force"], ["--workers", "2", "--force"]]


def writing() -> Iterator[tuple[list[str], list[str]]]:
    """Commands that write, each with the names that it writes to."""
    for option, command in WRITING.items():
        name = "mine.tsv" if option == ("sample", "--out") else "mine"
        yield [*command, option[1], name], [name, DEAD.format(name)]
        yield [*command, option[1], name, "--force"], [name]
    for option, command in WRITING_DIRECTORIES.items():
        yield [*command, option[1], "mine"], ["mine", DEAD.format("mine")]
    for more in PARALLEL:
        yield ["sample", MAIN, "-n", "3", "--out", "mine.tsv", *more], ["mine.tsv", RUN.format("mine.tsv")]
        yield ["compile", MAIN, "--out", "mine", *more], ["mine", RUN.format("mine")]
    yield ["compile", MAIN], ["out"]
    yield ["compile", MAIN, "--out", "mine", "--variants", "weights=even"], ["mine.variants"]
    yield ["release", "ds"], ["farm-1.0.0.zip"]
    yield ["new", "mine"], ["mine"]
    yield ["lock", MAIN], [f"{MAIN}.lock"]
    yield ["lock", MAIN, "--update"], [f"{MAIN}.lock", DEAD.format(f"{MAIN}.lock")]


COMMANDS = list(writing())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_inputs(tmp_path_factory.mktemp("made"))


@pytest.fixture
def project(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, with something precious beside it."""
    shutil.copytree(made, tmp_path / "project")
    outside = tmp_path / "precious"
    (outside / "empty").mkdir(parents=True)
    (outside / "thesis.tex").write_text("chapter 1")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def contents(top: Path) -> dict[str, bytes | None]:
    """All files below a directory with what they contain; directories and pipes with nothing."""
    return {
        path.relative_to(top).as_posix(): path.read_bytes() if path.is_file() and not path.is_symlink() else None
        for path in top.rglob("*")
    }


def holds(command: list[str], name: str, plant: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Plant something, run the command, and compare everything that is not the command's."""
    outside, place = project.parent / "precious", project / name
    if command[0] == "baseline":
        pytest.importorskip("torch")
    before, mine = contents(outside), contents(project)
    PLANTS[plant](place, outside)
    status = run(command)
    said = capsys.readouterr()
    assert not [word for word in INTERNAL if word in said.out + said.err], command
    assert contents(outside) == before, (command, name, plant)
    after = contents(project)
    assert {path: after.get(path) for path in mine} == mine, "files of the project"
    if plant == "a directory with a file":
        assert (place / "mine.txt").read_text() == "mine"
    elif plant != "a file" or "--force" not in command:
        # What is in the way of a result stays, and is named; beside it the command may do its work.
        assert place.is_symlink() or place.is_fifo() or place.read_text() == "mine"
    if name in command or (name in map(RUN.format, command) and "--workers" in command):
        assert status != OK, (command, name, plant)
    if status != OK:
        assert "error[SGL" in said.err, said.err
    shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink(missing_ok=True)


def each(commands: list[tuple[list[str], list[str]]]) -> pytest.MarkDecorator:
    places = [(command, name) for command, names in commands for name in names]
    ids = [" ".join([*command, "|", name]) for command, name in places]
    return pytest.mark.parametrize(("command", "name"), places, ids=ids)


@each([*COMMANDS[:4], *COMMANDS[-16:]])
def test_a_link_is_not_followed(
    command: list[str], name: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    holds(command, name, "a link to a directory", project, capsys)


@pytest.mark.acceptance
@each(COMMANDS)
def test_nothing_is_lost_whatever_is_planted(
    command: list[str], name: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for plant in PLANTS:
        if plant == "a file" and "--force" in command:
            continue
        kept = contents(project)
        holds(command, name, plant, project, capsys)
        for path in set(contents(project)) - set(kept):
            (project / path).unlink() if (project / path).is_file() else None


@pytest.mark.parametrize("command", [["fmt", "."], ["fmt", "link.sgl"], ["test", MAIN, "--update"]], ids=" ".join)
def test_a_grammar_is_not_rewritten_through_a_link(
    command: list[str], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(project, project.parent / "precious", dirs_exist_ok=True)
    outside = project.parent / "precious" / "farm.sgl"
    text = (project / MAIN).read_text() + '\ntest "The dog chased a cat." =>   ja "犬"\n'
    outside.write_text(text)
    name = MAIN if command[0] == "test" else "link.sgl"
    (project / name).unlink(missing_ok=True)
    (project / name).symlink_to(outside)
    (project / "other.sgl").write_text("module  other\n")
    assert run(command) != OK
    assert f"`{name}` is in the way: it is a symbolic link" in capsys.readouterr().err
    assert outside.read_text() == text
    if command == ["fmt", "."]:
        assert (project / "other.sgl").read_text() == "module other\n", "the others are laid out"


def test_an_archive_without_a_name_of_its_own_replaces_no_file_of_the_user(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = project / "farm-1.0.0.zip"
    archive.write_text("mine")
    assert run(["release", "ds"]) != OK
    assert "`farm-1.0.0.zip` already exists, and is something else" in capsys.readouterr().err
    assert archive.read_text() == "mine"
    assert run(["release", "ds", "--force"]) == OK
    assert run(["release", "ds"]) == OK, "a former archive is replaced"


def test_a_pipe_that_somebody_reads_is_written_to(project: Path) -> None:
    pipe = project / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert run(["lock", MAIN]) == OK
    assert run(["export", "nltk", MAIN, "--out", "pipe"]) == OK
    assert os.read(reader, 1 << 16).startswith(b"#")
    os.close(reader)


# ---- the folder of an unfinished run


@contextmanager
def _power_cut(*_: object) -> Iterator[Callable[[bytes], None]]:
    """A file that is open when the user ends the command."""

    def fails(_: bytes) -> None:
        raise KeyboardInterrupt

    yield fails


def test_a_planted_run_with_forged_rows_is_not_resumed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its results are those of a true run, with another row in them, and hashes as they should be."""
    asked = ["sample", MAIN, "-n", "3", "--out", "mine.tsv"]
    assert run(asked) == OK
    expected = (project / "mine.tsv").read_bytes()
    (project / "mine.tsv").unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sgl.parallel.dataset.SentenceWork.open_file", _power_cut)
        assert run(asked) == INTERRUPTED
    folder = project / ".mine.tsv.partial"
    (rows,) = folder.glob("rows-*")
    genuine = rows.read_bytes()
    seal, text = genuine[:32], genuine[32:]
    assert b"The" in text
    for forged in (
        seal + text.replace(b"The", b"Tee", 1),
        sha256(text.replace(b"The", b"Tee", 1)).digest() + text.replace(b"The", b"Tee", 1),
        (folder / "run.json").read_bytes(),
    ):
        rows.write_bytes(forged)
        copied = shutil.copytree(folder, project.parent / "kept")
        assert run([*asked, "--resume"]) == OK
        assert (project / "mine.tsv").read_bytes() == expected, "the row is sampled again"
        (project / "mine.tsv").unlink()
        shutil.move(copied, folder)
    rows.write_bytes(genuine)
    # What another user has begun, or who has another key, is no run of ours.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SGL_CACHE_DIR", str(project.parent / "another"))
        for more in ("--resume", "--force"):
            assert run([*asked, more]) != OK
            assert "no unfinished run of yours has written it" in capsys.readouterr().err
    assert rows.read_bytes() == genuine
