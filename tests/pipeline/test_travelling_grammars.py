"""A dataset is a grammar: it means the same and compiles to the same bytes, and a stranger's reads nothing of yours."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from workplace import Workplace

import sgl
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run
from sgl.dataset import write_checksums
from sgl.lang.packed import RECORD
from sgl.verify import verify

FARM = (Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl").read_text("utf-8")
TABLES = {
    name: (Path(__file__).parents[2] / "docs" / "examples" / name).read_text("utf-8")
    for name in ("animals.yaml", "verbs.yaml")
}

#: Two switches and a table that is read with one of them.
SWITCHES = """
param insects = off
param size = 1000

lexicon insects from "tables/insects.yaml"
  when insects
  N
    en  $en
    ja  $ja
    syn node(upos=NOUN)
"""
RELEASE = '\nrelease "1.0.0"\n  licence "CC-BY-4.0"\n  authors "Lovelace, Ada"\n'


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a grammar, and the dataset `farm` of it, of other parameters and another seed than it names."""
    home = tmp_path_factory.mktemp("home")
    text = FARM.replace("train 1000", "train size\n  percent 50")
    assert "train size" in text
    (home / "farm.sgl").write_text(text + SWITCHES + RELEASE, "utf-8")
    for name, table in TABLES.items():
        (home / name).write_text(table, "utf-8")
    (home / "tables").mkdir()
    (home / "tables" / "insects.yaml").write_bytes("\ufeff- {en: ant, ja: 蟻}\r\n".encode())
    place = str(home / "farm.sgl"), "--set", "size=800", "--seed", "7", "--out", str(home / "farm")
    assert run(["compile", *place]) == OK
    return home


@pytest.fixture
def farm(home: Path, work: Workplace) -> Path:
    """A copy of the dataset in the current directory."""
    return shutil.copytree(home / "farm", work.directory / "farm")


@pytest.fixture(scope="module")
def archive(home: Path) -> Path:
    """Its release."""
    assert run(["release", str(home / "farm"), "--out", str(home / "farm.zip")]) == OK
    return home / "farm.zip"


def contents(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def said(work: Workplace, status: int, *arguments: str) -> str:
    assert run(list(arguments)) == status
    captured = work.capsys.readouterr()
    return captured.out + captured.err


def shown(work: Workplace, *arguments: str) -> str:
    """What a command writes; how far it is goes elsewhere."""
    assert run(list(arguments)) == OK
    return work.capsys.readouterr().out


# --- the same


def test_it_has_all_that_was_read_or_may_be(home: Path) -> None:
    found = set(contents(home / "farm" / "grammar"))
    assert found == {
        "farm.sgl",
        "animals.yaml",
        "verbs.yaml",
        "tables/insects.yaml",
        RECORD,
        "stdlib/en/verb.sgl",
        "stdlib/ja/verb.sgl",
    }
    listed = (home / "farm" / "SHA256SUMS").read_text("utf-8")
    assert all(f"  grammar/{name}\n" in listed for name in found)
    record = json.loads((home / "farm" / "grammar" / RECORD).read_text("utf-8"))
    assert (record["main"], record["parameters"], record["seed"]) == ("farm.sgl", {"size": "800"}, 7)


@pytest.mark.parametrize("way", ["directory", "folder", "main file", "archive", "unpacked"])
def test_it_compiles_to_the_same_bytes(way: str, home: Path, archive: Path, work: Workplace) -> None:
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(work.directory)
    ways = {
        "directory": home / "farm",
        "folder": home / "farm" / "grammar",
        "main file": home / "farm" / "grammar" / "farm.sgl",
        "archive": archive,
        "unpacked": work.directory / "farm-1.0.0",
    }
    assert run(["compile", str(ways[way]), "--out", "again"]) == OK
    assert contents(work.directory / "again") == contents(home / "farm")


def test_what_is_said_on_the_command_line_comes_first(farm: Path, work: Workplace) -> None:
    assert run(["compile", str(farm), "--set", "size=900", "--set", "insects=on", "--seed", "8", "-o", "other"]) == OK
    manifest = json.loads((work.directory / "other" / "manifest.json").read_text("utf-8"))
    assert (manifest["seed"], manifest["parameters"]["size"]) == (8, "900")
    record = json.loads((work.directory / "other" / "grammar" / RECORD).read_text("utf-8"))
    assert (record["seed"], record["parameters"]) == (8, {"insects": "on", "size": "900"})


def test_its_standard_library_is_its_own(farm: Path) -> None:
    """With another inflection there, its example is wrong."""
    own = farm / "grammar" / "stdlib" / "ja" / "verb.sgl"
    own.write_text(own.read_text("utf-8").replace("た", "タ"), "utf-8")
    with pytest.raises(sgl.GrammarError, match="追いかけタ"):
        sgl.load(farm)
    own.unlink()
    with pytest.raises(sgl.GrammarError, match=r"the standard library has no file `stdlib\.ja\.verb`"):
        sgl.load(farm)


@pytest.mark.parametrize("command", ["check", "prove", "stats", "test", "sample"])
def test_commands_take_it(command: str, farm: Path, archive: Path, work: Workplace) -> None:
    told = shown(work, command, str(farm))
    assert told
    again = shown(work, command, str(archive))
    # Times, and the path of the main file, are others.
    assert command == "test" or again == told


def test_python_takes_it(home: Path, archive: Path) -> None:
    drawn = [str(text) for text in sgl.load(home / "farm").sample(3)]
    assert drawn == [str(text) for text in sgl.load(str(archive)).sample(3)]
    assert drawn == [str(text) for text in sgl.open_dataset(home / "farm").grammar.sample(3)]


def test_dev_is_also_called_validation(home: Path) -> None:
    dataset = sgl.open_dataset(home / "farm")
    assert dataset.to_arrow("validation") == dataset.to_arrow("dev")
    assert [*map(str, dataset.grammar.sample(2, of="validation"))] == [*map(str, dataset.grammar.sample(2, of="dev"))]
    with pytest.raises(sgl.GrammarError, match="there is no split `valid`"):
        dataset.to_arrow("valid")


def test_it_is_extended_from_its_archive(archive: Path) -> None:
    g = sgl.load(archive)
    larger = g.extend('word N: "ox"\n  ja "雄牛"\n  syn node(lemma=ox, upos=NOUN)\n\ndataset\n  seed 3\n')
    assert (g.accepts("The ox saw a cat."), larger.accepts("The ox saw a cat.")) == (False, True)
    assert (g.compiled.plan.seed, larger.compiled.plan.seed) == (7, 3)
    assert larger.compiled.parameters["size"] == "800"


def test_it_scores_and_verifies_itself(farm: Path, work: Workplace) -> None:
    rows = (farm / "data" / "gen.tsv").read_text("utf-8").splitlines()
    work.write("system.txt", "".join(row.split("\t")[1] + "\n" for row in rows))
    told = said(work, OK, "eval", str(farm), "system.txt")
    assert "Partial Match" in told
    assert "SGL1405" not in told
    assert "passed  G001" in said(work, OK, "verify", str(farm), "--grammar")


# --- used by another grammar


def test_a_grammar_uses_it_and_travels_with_it(farm: Path, work: Workplace) -> None:
    """Both use the same file of the standard library, which is declared once."""
    text = (
        'module ext\nuse "farm" without (pp_in_subject)\nuse stdlib.en.verb\n\ndataset\n  train 30\n  dev 5\n  test 5\n'
    )
    work.write("ext.sgl", text)
    assert run(["compile", "ext.sgl", "--out", "ext"]) == OK
    assert (work.directory / "ext" / "grammar" / "farm" / "grammar" / RECORD).read_bytes() == (
        farm / "grammar" / RECORD
    ).read_bytes()
    assert run(["compile", "ext", "--out", "again"]) == OK
    assert contents(work.directory / "again") == contents(work.directory / "ext")
    manifest = json.loads((work.directory / "ext" / "manifest.json").read_text("utf-8"))
    assert manifest["parameters"]["size"] == "800"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("nowhere", "`nowhere` is not a dataset with its grammar"),
        ("farm.sgl", "`farm.sgl` is not a dataset with its grammar"),
        ("..", "`..` is outside the project directory"),
        ("/", "`/` is outside the project directory"),
    ],
)
def test_what_is_no_dataset_is_not_used(written: str, message: str, work: Workplace) -> None:
    work.write("ext.sgl", f'module ext\nuse "{written}"\n')
    assert message in said(work, FAILED, "check", "ext.sgl")


def test_a_dataset_that_uses_itself_goes_in_a_circle(farm: Path, work: Workplace) -> None:
    main = farm / "grammar" / "farm.sgl"
    main.write_text(main.read_text("utf-8") + 'use "."\n', "utf-8")
    assert "files use each other in a circle" in said(work, FAILED, "check", "farm")


# --- names


def test_a_directory_hides_no_grammar_of_sgl(farm: Path, work: Workplace) -> None:
    shutil.copytree(farm, work.directory / "cogs")
    assert sgl.load("cogs").name == "cogs"
    assert sgl.load("./cogs").name == "farm"
    assert "`./cogs` is the directory" in said(work, OK, "sample", "cogs", "-n", "1")
    assert shown(work, "sample", "./cogs", "-n", "1") == shown(work, "sample", "farm", "-n", "1")


def test_a_dataset_without_a_grammar_is_none(farm: Path, work: Workplace) -> None:
    shutil.rmtree(farm / "grammar")
    assert "is a dataset of an older version, without its grammar" in said(work, USAGE, "sample", "farm")
    assert "has no folder `grammar`" in said(work, USAGE, "verify", "farm", "--grammar")


# --- nothing of it is changed


@pytest.mark.parametrize("command", [("lock",), ("fmt",)])
def test_commands_leave_it_as_it_is(command: tuple[str, ...], farm: Path, work: Workplace) -> None:
    main = farm / "grammar" / "farm.sgl"
    main.write_text(main.read_text("utf-8").replace("param size =", "param  size  ="), "utf-8")
    before = contents(farm)
    assert "it belongs to a dataset" in said(work, OUTPUT, *command, str(main))
    assert run(["fmt", "."]) == OK
    assert contents(farm) == before


def test_it_is_not_written_over_by_itself(farm: Path, work: Workplace) -> None:
    before = contents(farm)
    assert "this run has read files from it" in said(work, OUTPUT, "compile", "farm", "--out", "farm")
    assert contents(farm) == before


# --- what strangers send

_PRIVATE = "private: of mine\n"


def _link(path: Path, target: Path) -> None:
    path.unlink()
    path.symlink_to(target)


def _moved(path: Path, there: Path) -> None:
    shutil.move(path, there)
    path.symlink_to(there)


def _with_record(folder: Path, **members: object) -> None:
    record = json.loads((folder / RECORD).read_text("utf-8"))
    (folder / RECORD).write_text(json.dumps(record | members), "utf-8")


#: What is changed in the folder of a grammar, with a file outside it, and what is said.
_PLANTED: dict[str, tuple[Callable[[Path, Path], object], str]] = {
    "main elsewhere": (lambda own, _: _with_record(own, main="../../mine.sgl"), "is not the name of a grammar file"),
    "main at the top": (lambda own, _: _with_record(own, main="/etc/passwd"), "is not the name of a grammar file"),
    "no main": (lambda own, _: _with_record(own, main="none.sgl"), "No such file"),
    "main is a number": (lambda own, _: _with_record(own, main=3), "`main` is not a text"),
    "seed below zero": (lambda own, _: _with_record(own, seed=-1), "`seed` is not a seed"),
    "no JSON": (lambda own, _: (own / RECORD).write_text("{"), "it is not JSON"),
    "a link for the main file": (lambda own, mine: _link(own / "farm.sgl", mine), "a link leads out of"),
    "a link to itself": (lambda own, _: _link(own / "farm.sgl", own / "farm.sgl"), "it is part of a loop of links"),
    "a link for the folder": (lambda own, mine: _moved(own, mine.parent / "grammar"), "a link leads out of"),
    "a link for the record": (lambda own, mine: _link(own / RECORD, mine), "a link leads out of"),
    "a link for a table": (lambda own, mine: _link(own / "animals.yaml", mine), "is outside the project directory"),
    "a link for the library": (lambda own, mine: _moved(own / "stdlib", mine.parent / "stdlib"), "a link leads out of"),
    "a link for a part of it": (
        lambda own, mine: _link(own / "stdlib" / "ja" / "verb.sgl", mine),
        "a link leads out of",
    ),
}


@pytest.mark.parametrize("planted", _PLANTED)
def test_a_planted_folder_reads_nothing_else(
    planted: str, farm: Path, work: Workplace, tmp_path_factory: pytest.TempPathFactory
) -> None:
    change, message = _PLANTED[planted]
    secret = tmp_path_factory.mktemp("mine") / "secret.sgl"
    secret.write_text(_PRIVATE, "utf-8")
    change(farm / "grammar", secret)
    status = run(["check", "farm"])
    captured = work.capsys.readouterr()
    told = captured.out + captured.err
    assert status in (FAILED, USAGE)
    assert message in told
    assert "of mine" not in told
    with pytest.raises(sgl.GrammarError) as raised:
        sgl.load("./farm")
    assert "of mine" not in str(raised.value)


@pytest.mark.parametrize(
    "entry", ["grammar/../../evil.sgl", "farm/grammar/../../../evil.sgl", "farm/grammar/a\\..\\b.sgl"]
)
def test_an_archive_is_unpacked_in_its_place_alone(entry: str, work: Workplace) -> None:
    with zipfile.ZipFile(work.directory / "evil.zip", "w") as archive:
        archive.writestr(entry, "module evil\n")
    before = work.files()
    told = said(work, USAGE, "check", "evil.zip")
    assert "cannot read `evil.zip`" in told
    assert work.files() == before


@pytest.mark.parametrize("number", [1, 40_000])
def test_an_archive_is_no_bomb(number: int, work: Workplace) -> None:
    """A large file, and many empty ones."""
    with zipfile.ZipFile(work.directory / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("farm/data/train.tsv", b"\0" * 50_000_000)
        for count in range(number):
            archive.writestr(f"farm/grammar/{count}.sgl", b"\0" * (40_000_000 if number == 1 else 0))
    assert "its files are too large" in said(work, USAGE, "check", "bomb.zip")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and no archive", b"PK\x05\x06" + b"\0" * 18])
def test_what_is_no_archive_is_refused(content: bytes, work: Workplace) -> None:
    work.write("a.zip", content)
    assert "cannot read `a.zip`" in said(work, USAGE, "check", "a.zip")
    with pytest.raises(sgl.GrammarError, match=r"a\.zip"):
        sgl.load("a.zip")


# --- the verifier


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda farm: (farm / "grammar" / "farm.sgl").unlink(), "the file is missing · grammar/farm.sgl"),
        (
            lambda farm: (farm / "grammar" / "verbs.yaml").write_text("[]"),
            "the file has changed: another SHA-256 · grammar/verbs.yaml",
        ),
        (
            lambda farm: (farm / "grammar" / "more.sgl").write_text(""),
            "the manifest does not list this file · grammar/more.sgl",
        ),
    ],
)
def test_the_verifier_checks_it(change: Callable[[Path], object], message: str, farm: Path) -> None:
    change(farm)
    failed = [str(found) for result in verify(farm).results if result.code == "V002" for found in result.violations]
    assert message in failed


def test_the_dataset_of_an_older_version_is_verified(farm: Path) -> None:
    """Its manifest lists the files of the author, which nobody has."""
    shutil.rmtree(farm / "grammar")
    path = farm / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    for file in manifest["grammar"]["files"]:
        file["path"] = file["path"].removeprefix("grammar/")
    path.write_text(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n", "utf-8")
    write_checksums(farm, {})
    assert verify(farm).ok
