"""Whatever a command writes, it destroys nothing: every option of every command."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from diagnostics import INTERNAL, MAIN
from kept_farm import FILES
from workplace import Workplace
from writing_commands import WRITING, WRITING_DIRECTORIES, write_inputs

import sgl
from sgl.cli.files import TEXT, Input, Result, Target
from sgl.cli.main import OK, OUTPUT, USAGE, run
from sgl.cli.registry import commands

PACKAGE = Path(sgl.__file__).parent

#: Directories that are made only where there is nothing: tests of the command try them.
MAKING = {("new", "directory")}
#: What each command reads besides its grammar, and the files of the grammar.
GRAMMAR = [MAIN, "verbs.yaml"]
READ = {
    "sample": [MAIN, "animals.yaml", "verbs.yaml", *FILES],
    "audit": [*GRAMMAR, "rows.tsv"],
    "fit": [*GRAMMAR, "rows.tsv"],
    "eval": ["gold.txt", "ds/data/gen.tsv", "ds/manifest.json", "ds/conllu/gen.conllu"],
    "analyse": ["bank.conllu", "gold.txt"],
    "export conllu": [*GRAMMAR, "said.txt"],
    "export forms": ["forms.tsv"],
    "export unordered": ["bank.conllu"],
    "import irtg": ["farm.irtg"],
    "import cfg": ["rules.cfg"],
    "annotate": ["ds/data/gen.tsv", "ds/manifest.json"],
    "release": ["ds/data/gen.tsv", "ds/manifest.json"],
    "recipe": ["banks/bank.conllu", "bank.conllu"],
}


def options(kind: type[click.ParamType]) -> Iterator[tuple[str, click.Command, click.Parameter]]:
    """All options and arguments of a type, with the name of their command."""
    todo = [(name, entry.load()) for name, entry in commands().items()]
    while todo:
        name, command = todo.pop()
        if isinstance(command, click.Group):
            todo += [(f"{name} {sub}", each) for sub, each in command.commands.items()]
        for parameter in command.params:
            if isinstance(parameter.type, kind):
                yield name, command, parameter


def ended(option: str, name: str) -> str:
    """The name of a result with an ending that its option needs."""
    return f"{name}.tsv" if option == "sample --out" else name


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_inputs(tmp_path_factory.mktemp("made"))


@pytest.fixture
def place(work: Workplace, made: Path) -> Workplace:
    shutil.copytree(made, work.directory, dirs_exist_ok=True)
    return work


def contents(work: Workplace) -> dict[str, bytes]:
    paths = (path for path in work.directory.rglob("*") if path.is_file())
    return {path.relative_to(work.directory).as_posix(): path.read_bytes() for path in paths}


def refuses(work: Workplace, arguments: list[str], words: str) -> None:
    before = contents(work)
    assert run(arguments) == OUTPUT, arguments
    shown = work.capsys.readouterr()
    assert not [word for word in INTERNAL if word in shown.out + shown.err]
    assert words in " ".join(shown.err.split()), arguments
    assert contents(work) == before


# ---- the house


def test_every_option_that_writes_is_tried_here() -> None:
    def named(kind: type[click.ParamType]) -> set[tuple[str, str]]:
        return {(name, parameter.opts[-1]) for name, _, parameter in options(kind)} - MAKING

    assert named(Result) == set(WRITING)
    assert {(name, f"--{option.lstrip('-')}") for name, option in named(Target)} <= {
        (name, option) for name, option in WRITING_DIRECTORIES
    } | {(name, "--o") for name, _ in WRITING_DIRECTORIES}
    assert len(named(Target)) == len(WRITING_DIRECTORIES)


def test_every_path_of_a_command_line_is_read_or_written() -> None:
    """A path of no type of ``sgl.cli.files`` would not be guarded."""
    known = (Input, Result, Target)
    bare = [(name, p.name) for name, _, p in options(click.ParamType) if is_path(p)]
    assert [entry for entry in bare if entry not in EXCEPTIONS] == []
    assert not [name for name, _, p in options(click.Path) if not isinstance(p.type, known)]


#: Names of files of which nothing is written, and which are read with a guard of their own, or beside the file that
#: names them; what rewrites what was read because it is asked to; and a name of settings, with a directory that
#: ``tests/pipeline/test_training_variants.py`` guards.
EXCEPTIONS = [
    ("baseline", "config"),
    ("baseline", "path"),
    ("import irtg", "replace"),
    ("test", "update"),
    ("compile", "variants"),
]


def is_path(parameter: click.Parameter) -> bool:
    """Whether the help of a parameter speaks of a file and its type does not."""
    shown = f"{getattr(parameter, 'metavar', '')} {getattr(parameter, 'help', '')}"
    spoken = re.search(r"\bFILE\b|\bDIR\b|[Ww]rite (?!the result as JSON|it all|nothing)", shown)
    return bool(spoken) and not isinstance(parameter.type, click.Path)


def test_every_command_that_writes_a_file_has_an_option_to_force_it() -> None:
    for name, command, _ in options(Result):
        assert any("--force" in parameter.opts for parameter in command.params), name


def test_commands_write_files_by_their_session_alone() -> None:
    writing = re.compile(r"\b(write_text|write_bytes|open)\b")
    for path in [*(PACKAGE / "cli").glob("*.py"), *PACKAGE.glob("research/*/*command.py")]:
        calls = [
            ast.unparse(node)
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Call) and writing.search(ast.unparse(node.func))
        ]
        allowed = ("session.open(", "self.open(", "workspace.open(", "self._resources", "os.open(os.devnull")
        found = [call for call in calls if not call.startswith(allowed)]
        assert path.name == "files.py" or found == [], path


# ---- files


@pytest.mark.parametrize("option", WRITING, ids=" ".join)
def test_nothing_that_is_read_is_written_over(option: tuple[str, str], place: Workplace) -> None:
    for name in READ.get(option[0], GRAMMAR):
        what = "is a file of the dataset `ds`" if name.startswith("ds/") else "is also an input file"
        refuses(place, [*WRITING[option], option[1], name, "--force"], what)
        link = place.directory / ended(" ".join(option), "link")
        link.symlink_to(place.directory / name)
        refuses(place, [*WRITING[option], option[1], link.name, "--force"], f"`{link.name}`")
        link.unlink()


@pytest.mark.parametrize("option", WRITING, ids=" ".join)
def test_what_is_something_else_is_replaced_by_force_only(option: tuple[str, str], place: Workplace) -> None:
    name = ended(" ".join(option), "mine")
    asked = [*WRITING[option], option[1], name]
    for text in ("my thesis\n", '{"name": "my-package"}\n', "\\documentclass{article}\n"):
        place.write(name, text)
        refuses(place, asked, "already exists")
    assert run([*asked, "--force"]) == OK
    assert (place.directory / name).read_bytes() != text.encode()
    # A former result takes its place unasked, unless it is a text that says nothing of itself.
    kind = next(p.type for n, _, p in options(Result) if (n, p.opts[-1]) == option)
    if kind is TEXT or option[0] == "sample":
        refuses(place, asked, "already exists")
    else:
        assert run(asked) == OK


@pytest.mark.parametrize("option", WRITING, ids=" ".join)
def test_a_place_that_is_none_is_refused_before_anything_is_done(option: tuple[str, str], place: Workplace) -> None:
    (place.directory / ended(" ".join(option), "folder")).mkdir()
    for name, words in (
        (ended(" ".join(option), "folder"), "it is a directory"),
        (ended(" ".join(option), "no/where"), "there is no directory `no`"),
        (ended(" ".join(option), "x" * 300), "File name too long"),
    ):
        refuses(place, [*WRITING[option], option[1], name], words)


def test_two_results_are_two_files(place: Workplace) -> None:
    assert run(["audit", MAIN, "rows.tsv", "--json", "a", "--html", "./a"]) == USAGE
    assert "two results would be written to one file" in place.capsys.readouterr().err


def test_nothing_is_left_beside_a_result(place: Workplace) -> None:
    before = set(contents(place))
    assert run(["audit", MAIN, "rows.tsv", "--json", "a.json", "--html", "a.html"]) == OK
    assert set(contents(place)) == before | {"a.json", "a.html"}


# ---- directories


@pytest.mark.parametrize("option", WRITING_DIRECTORIES, ids=" ".join)
def test_a_directory_with_anything_else_is_not_replaced(option: tuple[str, str], place: Workplace) -> None:
    if option[0] == "baseline":
        pytest.importorskip("torch")
    place.write("mine/thesis.tex", "mine")
    before = contents(place)
    for force in ([], ["--force"]) if option[0] != "baseline" else ([],):
        assert run([*WRITING_DIRECTORIES[option], "--out", "mine", *force]) != OK
        assert contents(place) == before


def test_a_grammar_in_a_dataset_is_not_lost_when_it_is_compiled_again(place: Workplace) -> None:
    for name in READ["sample"]:
        shutil.move(place.directory / name, place.directory / "ds" / name)
    for force in ([], ["--force"]):
        refuses(place, ["compile", f"ds/{MAIN}", "--out", "ds", *force], "that would be lost")


@pytest.mark.slow
def test_a_split_is_not_replaced_by_a_split_of_its_own_items(place: Workplace) -> None:
    assert run(["split", "bank.conllu", "--out", "s"]) == OK
    refuses(place, ["split", "s", "--out", "s", "--force"], "this run has read files from it")
    place.write("s/notes.txt", "mine")
    again = ["split", "bank.conllu", "--out", "s", "--force"]
    refuses(place, again, "that would be lost: notes.txt")


# ---- runs that are complete


def test_a_complete_run_is_resumed_without_a_change(place: Workplace) -> None:
    for asked in (["sample", MAIN, "-n", "50", "--out", "a.tsv"], ["compile", MAIN, "--out", "ds", "--workers", "1"]):
        assert run(asked) == OK
        before = contents(place)
        assert run([*asked, "--resume"]) == OK
        assert contents(place) == before


def test_a_run_that_is_resumed_replaces_no_other_file(place: Workplace) -> None:
    place.write("a.tsv", "mine\n")
    asked = ["sample", MAIN, "-n", "5", "--out", "a.tsv", "--resume"]
    refuses(place, asked, "it already exists, and is another file")
