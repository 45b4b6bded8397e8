"""Whatever the command line is given: a clear message, the documented exit code, nothing left."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from diagnostics import INTERNAL

from sgl.automata import StructureCompiler
from sgl.cli.main import FAILED, INTERRUPTED, OK, OUTPUT, USAGE, run
from sgl.cli.main import INTERNAL as INTERNAL_ERROR
from sgl.diagnostics.codes.base import BASE, PIECES
from sgl.diagnostics.codes.code import MAIN
from sgl.lang import yaml_table
from sgl.lang.files import MAX_SOURCE, MAX_TABLE

DATASET = PIECES["dataset"]
PATTERN = "\npattern p\n  forbid { V -[nsubj]-> N; N -[nmod]-> M }\n  size 10\n"
ANIMALS = """
lexicon animals from "%s"
  N
    en  $en
    ja  $ja
    syn node(upos=NOUN)
"""
ROWS = "- {en: horse, ja: 馬}\n"


class Workplace:
    """A directory of files in which ``sglc`` runs."""

    def __init__(self, directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.directory = directory
        self.capsys = capsys

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    def files(self) -> list[str]:
        """Everything there is, but for the directory that holds datasets by default."""
        found = (str(path.relative_to(self.directory)) for path in self.directory.rglob("*"))
        return sorted(path for path in found if path != "out")

    def refuses(self, status: int, *expected: str, command: tuple[str, ...] = ("compile",)) -> str:
        """``sglc`` ends with this exit code, says this, and changes no file."""
        before = self.files()
        assert run([command[0], MAIN, *command[1:]]) == status
        captured = self.capsys.readouterr()
        said = captured.out + captured.err
        for words in expected:
            assert words in said
        assert not [word for word in INTERNAL if word in said]
        assert self.files() == before
        return said


@pytest.fixture
def work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Workplace:
    monkeypatch.chdir(tmp_path)
    return Workplace(tmp_path, capsys)


# ---- files that are no grammar


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        ("", "SGL0307", "declares nothing"),
        ("# only a note\n\n   # another\n", "SGL0307", "declares nothing"),
        (" \n\t\n\r\n", "SGL0307", "declares nothing"),
        ("\ufeff", "SGL0307", "declares nothing"),
        (bytes(range(256)), "SGL0002", "not UTF-8 (byte 128)"),
        (BASE.encode("utf-16"), "SGL0002", "not UTF-8"),
        (BASE.encode("cp932"), "SGL0002", "not UTF-8"),
        (BASE + "\0", "SGL0002", "zero byte"),
        ("PK\x03\x04\x05" * 300, "SGL0103", "does not start a declaration"),
        ("\x1b[2J" + BASE, "SGL0103", "␛[2J"),
        ('word N: "' + "x" * 1_000_000 + "\n" + BASE, "SGL0102", "…"),
        ("(" * 1_000_000 + "\n" + BASE, "SGL0103", "…"),
        ("rule r: NP -> " + "[" * 100_000 + "\n" + BASE, "SGL0105", "nested"),
        ("rule r: NP -> " + "N " * 10_000 + "(\n" + BASE, "SGL0104", "never closed"),
        ('word N: "x"\n  ja ' + "$a + " * 3_000 + "$a\n" + BASE, "SGL0105", "nested"),
        ("nonsense\n" * 10_000, "SGL0106", "more than 100 mistakes"),
    ],
    ids=lambda value: re.sub(r"\W+", "-", str(value)[:20]),
)
def test_a_main_file_that_is_no_grammar(
    content: str | bytes, code: str, words: str, work: Workplace
) -> None:
    work.write(MAIN, content)
    said = work.refuses(FAILED, code, words)
    assert max(len(line) for line in said.splitlines()) < 300


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + BASE.encode(),
        BASE.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + BASE.replace("\n", "\r\n").encode(),
        BASE.replace("\n", "\r").encode(),
        (BASE + "\n" * 50_000).encode(),
        BASE.rstrip("\n").encode(),
    ],
    ids=["byte order mark", "CRLF", "both", "CR", "empty lines", "no last line end"],
)
def test_ways_to_end_lines_and_files_make_no_difference(content: bytes, work: Workplace) -> None:
    work.write(MAIN, content)
    assert run(["check", MAIN]) == OK
    assert work.capsys.readouterr().err == ""


def test_a_place_is_right_whatever_ends_the_lines(work: Workplace) -> None:
    work.write(MAIN, (BASE + '\nword N: "馬" x\n').replace("\n", "\r\n"))
    line = (BASE + "\n").count("\n") + 1
    work.refuses(FAILED, f"{MAIN}:{line}:13", command=("check",))


def test_a_file_that_is_too_large_is_not_read(work: Workplace) -> None:
    with work.write(MAIN, "").open("wb") as file:
        file.truncate(100_000_000)
    work.refuses(FAILED, "SGL0003", "100,000,000 bytes", f"{MAX_SOURCE:,}")


def test_a_table_that_is_too_large_is_not_read(work: Workplace) -> None:
    work.write(MAIN, BASE + ANIMALS % "a.yaml")
    with work.write("a.yaml", "").open("wb") as file:
        file.truncate(100_000_000)
    work.refuses(FAILED, "SGL0003", f"{MAX_TABLE:,}")


def test_a_directory_is_no_grammar(work: Workplace) -> None:
    (work.directory / MAIN).mkdir()
    work.refuses(FAILED, "SGL0001", "is a directory")


def test_a_grammar_that_is_not_there(work: Workplace) -> None:
    work.write("farms.sgl", BASE)
    work.refuses(FAILED, "SGL0001", "`farm.sgl` is not there", "did you mean `farms.sgl`?")


def test_a_link_that_leads_to_itself(work: Workplace) -> None:
    (work.directory / MAIN).symlink_to(MAIN)
    work.refuses(FAILED, "SGL0001")


# ---- files that are used


@pytest.mark.parametrize(
    ("use", "code"),
    [
        ("use missing", "SGL0001"),
        ("use missing.deeper", "SGL0001"),
        ("use stdlib", "SGL0001"),
        ("use stdlib.klingon", "SGL0001"),
        ("use farm", "SGL0004"),
        ("use ..secret", "SGL0101"),
        ('use "../secret"', "SGL0101"),
        ("use /etc/passwd", "SGL0101"),
        ("use folder", "SGL0001"),
        ("use outside", "SGL0005"),
        ("use outside_folder.secret", "SGL0005"),
        ("use binary", "SGL0002"),
    ],
)
def test_use_of_what_cannot_be_used(use: str, code: str, work: Workplace) -> None:
    outside = work.directory.parent / f"{work.directory.name}-outside"
    outside.mkdir()
    (outside / "secret.sgl").write_text("words secret = hush\n", encoding="utf-8")
    (work.directory / "outside.sgl").symlink_to(outside / "secret.sgl")
    (work.directory / "outside_folder").symlink_to(outside)
    (work.directory / "folder.sgl").mkdir()
    work.write("binary.sgl", b"\x80\x81")
    work.write(MAIN, f"{use}\n{BASE}")
    said = work.refuses(FAILED, f"error[{code}]", f"{MAIN}:1:")
    assert said.count("error[") == 1
    assert "hush" not in said


def test_a_circle_of_files_is_shown(work: Workplace) -> None:
    work.write(MAIN, "use a\n" + BASE)
    work.write("a.sgl", "use b\n")
    work.write("b.sgl", "use a\n")
    work.refuses(FAILED, "SGL0004", "a.sgl → b.sgl → a.sgl")


def test_a_long_chain_of_files_is_given_up(work: Workplace) -> None:
    work.write(MAIN, "use f0\n" + BASE)
    for number in range(500):
        work.write(f"f{number}.sgl", f"use f{number + 1}\n")
    work.refuses(FAILED, "SGL0105", "files use one another")


# ---- tables


@pytest.mark.parametrize(
    ("table", "code"),
    [
        ("", "SGL0610"),
        ("[]", "SGL0610"),
        ("just a text\n", "SGL0602"),
        ("horse: 馬\n", "SGL0602"),
        ("- horse\n- cow\n", "SGL0602"),
        ("- [horse, 馬]\n", "SGL0602"),
        ("- {en: [horse, mare], ja: 馬}\n", "SGL0602"),
        ("- {en: {one: horse}, ja: 馬}\n", "SGL0602"),
        ("- {en: horse, en: mare, ja: 馬}\n", "SGL0602"),
        ("- &a {en: horse, ja: *a}\n", "SGL0602"),
        ("- &a {en: horse, ja: 馬}\n- *a\n", "SGL0602"),
        ("- {en: horse\n", "SGL0601"),
        ("- {en: horse, ja: '馬}\n", "SGL0601"),
        ("\t- {en: horse}\n", "SGL0601"),
        ("- {en: horse, ja: \x07}\n", "SGL0601"),
        ("%YAML 9.9\n---\n" + ROWS, "SGL0601"),
        ("[" * 100_000, "SGL0602"),
        ("{" * 100_000, "SGL0602"),
        ("- {en: horse}\n", "SGL0603"),
        ("- {en: horse, ja: 馬}\n- {ja: 牛}\n", "SGL0604"),
        (ROWS + ROWS, "SGL0605"),
        (b"- {en: horse, ja: \x94\x6e}\n", "SGL0002"),
    ],
    ids=lambda value: re.sub(r"\W+", "-", str(value)[:24]),
)
def test_what_is_no_table(table: str | bytes, code: str, work: Workplace) -> None:
    work.write(MAIN, BASE + ANIMALS % "a.yaml")
    work.write("a.yaml", table)
    said = work.refuses(FAILED, f"error[{code}]")
    assert said.count("error[") == 1


def test_a_table_with_too_many_rows(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_table, "MAX_ROWS", 3)
    work.write(MAIN, BASE + ANIMALS % "a.yaml")
    work.write("a.yaml", "".join(f"- {{en: horse{n}, ja: 馬{n}}}\n" for n in range(4)))
    said = work.refuses(FAILED, "SGL0003", "more than 3 rows", "a.yaml:4:1")
    assert said.count("error[") == 1
    work.write("a.yaml", "".join(f"- {{en: horse{n}, ja: 馬{n}}}\n" for n in range(3)))
    assert run(["check", MAIN]) == OK


def test_yaml_constructs_nothing(work: Workplace) -> None:
    work.write(MAIN, BASE + ANIMALS % "a.yaml")
    work.write("a.yaml", "- {en: horse, ja: !!python/object/apply:os.mkdir [made]}\n")
    work.refuses(FAILED, "SGL0602")


@pytest.mark.parametrize("name", ["../a.yaml", "/etc/passwd", "sub/../../a.yaml", "linked.yaml"])
def test_a_table_outside_the_project(name: str, work: Workplace) -> None:
    outside = work.directory.parent / "a.yaml"
    outside.write_text(ROWS, encoding="utf-8")
    (work.directory / "linked.yaml").symlink_to(outside)
    work.write(MAIN, BASE + ANIMALS % name)
    work.refuses(FAILED, "SGL0005", "outside the project")


@pytest.mark.parametrize("name", ["", ".", "no.yaml", "x" * 5_000 + ".yaml", "a.yaml/b.yaml"])
def test_a_table_that_is_not_there(name: str, work: Workplace) -> None:
    work.write(MAIN, BASE + ANIMALS % name)
    work.write("a.yaml", ROWS)
    work.refuses(FAILED, "SGL0001")


@pytest.mark.parametrize(
    "functions",
    [
        "function f(x) = f(x)",
        "function f(x) = f(x) + f(x)",
        "function f(x) = g(x)\nfunction g(x) = f(x) or f(x)",
        f"function f(x) = {'g(' * 20}x{')' * 20}\nfunction g(x) = x + x",
        "\n".join(f"function f{n}(x) = f{n - 1}(x) + f{n - 1}(x)" for n in range(1, 60))
        + '\nfunction f0(x) = ""\nfunction f(x) = f59(x)',
    ],
    ids=["itself", "itself twice", "each other", "endless text", "endless work"],
)
def test_a_function_that_comes_to_no_end(functions: str, work: Workplace) -> None:
    work.write(MAIN, BASE + functions + ANIMALS.replace("$ja", "f($en)") % "a.yaml")
    work.write("a.yaml", ROWS)
    said = work.refuses(FAILED, "SGL0608", "comes to no end")
    assert said.count("error[") == 1


# ---- grammars that ask for too much


def test_features_that_multiply_without_bounds(work: Workplace) -> None:
    values = " | ".join(f"v{n}" for n in range(20))
    features = "".join(f"feature f{n} = {values}\n" for n in range(8))
    carried = ", ".join(f"f{n}" for n in range(8))
    word = f'category X[{carried}]\nword X: "x"\n  ja ""\n  syn node(upos=X)\n'
    rule = "rule x: NP -> X\n"
    work.write(MAIN, BASE + features + word + rule)
    work.refuses(FAILED, "SGL0706", command=("check",))


def test_structures_that_repeat_without_bounds(work: Workplace) -> None:
    body = "N -[nmod]-> M"
    for _ in range(6):
        body = "repeat 40 N..M { " + body + " }"
    work.write(MAIN, BASE + f"\npattern p\n  forbid {{ {body} }}\n")
    work.refuses(FAILED, "SGL0801", "at most 400 edges", command=("check",))


@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("-1", "SGL0705"),
        ("0.5", "SGL0705"),
        ("9" * 30, "SGL0705"),
        ("9" * 400, "SGL0705"),
        ("nan", "SGL0201"),
        ("inf", "SGL0201"),
        ("１０", "SGL0101"),
        ("1e9", "SGL0101"),
        ("0", "SGL0804"),
    ],
)
def test_numbers_of_sentences(number: str, code: str, work: Workplace) -> None:
    work.write(MAIN, BASE.replace("train 20", f"train {number}"))
    said = work.refuses(FAILED, f"error[{code}]")
    assert said.count("error[") == 1


def test_clauses_that_contradict_one_another(work: Workplace) -> None:
    work.write(MAIN, BASE + PATTERN + "  not { P -[case]-> Q }\n")
    said = work.refuses(FAILED, "SGL0812", "no sentence can be an item of `p`")
    assert said.count("error[") == 1


def test_training_of_which_nothing_is_left(work: Workplace) -> None:
    splits = BASE.replace("train 20", "train 20\n  dev 5\n  test 5")
    work.write(MAIN, splits + "\npattern p\n  forbid { V -[nsubj]-> N }\n  size 10\n")
    said = work.refuses(FAILED, "SGL0812", "no sentence is left for `train`, `dev` and `test`")
    assert said.count("error[") == 1


COSTLY = "\npattern p\n  forbid { A -> B; C -> D; E -> F; G -> H; I -> J; K -> L }\n"


@pytest.mark.parametrize("command", [("sample", "p"), ("prove",), ("check",)])
def test_a_structure_that_is_too_large_to_decide(
    command: tuple[str, ...], work: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StructureCompiler.__init__, "__defaults__", (100,))
    work.write(
        MAIN,
        BASE + COSTLY + '  size 5\n  gen like "The dog near the cat near the dog saw the cat."\n',
    )
    said = work.refuses(FAILED, "SGL0810", "farm.sgl:", "forbid { A -> B", command=command)
    assert said.count("error[") == 1


@pytest.mark.parametrize(
    ("asks", "marked"),
    [
        ("train 4000", "train 4000"),
        ("train 4\n  dev 4000", "dev 4000"),
    ],
)
def test_a_split_that_is_too_large_is_marked(asks: str, marked: str, work: Workplace) -> None:
    finite = BASE.replace(PIECES["pp"], "").replace(PIECES["rc"], "")
    finite = finite.replace("category PP\n", "").replace("category RC with gap\n", "")
    work.write(MAIN, finite.replace("train 20", f"{asks}\n  distinct sentences"))
    said = work.refuses(FAILED, "SGL0809")
    assert f"|   {marked}\n" in said


def test_items_that_do_not_exist_are_marked_where_they_are_asked_for(work: Workplace) -> None:
    finite = BASE.replace(PIECES["rc"], "").replace("category RC with gap\n", "")
    finite = finite.replace("S -> NP VP", "S -> N VP").replace('ja  NP "が" VP', 'ja  N "が" VP')
    finite = finite.replace("VP -[nsubj]-> NP", "VP -[nsubj]-> N")
    finite = finite.replace("train 20", "train 4\n  distinct sentences")
    deep = "pattern p\n  forbid { N -[nmod]-> M }\n  not { N -[nmod]{2}-> M }\n"
    work.write(MAIN, f"{finite}\n{deep}  size 1, 4000\n")
    said = work.refuses(FAILED, "SGL0809", "`gen/p/1`")
    assert "size 1, 4000\n" in said
    assert "^^^^\n" in said


@pytest.mark.parametrize(
    ("clause", "marked"),
    [
        ("size 10000001", "10000001"),
        ("size 5\n  expose 10000001 { V -[obj]-> N }", "10000001"),
    ],
)
def test_counts_have_a_largest(clause: str, marked: str, work: Workplace) -> None:
    work.write(
        MAIN, BASE + f"\npattern p\n  forbid {{ V -[nsubj]-> N; N -[nmod]-> M }}\n  {clause}\n"
    )
    said = work.refuses(FAILED, "SGL0705", "at most 10,000,000", command=("check",))
    assert marked in said
    assert said.count("error[") == 1


def test_splits_have_a_largest_size(work: Workplace) -> None:
    work.write(MAIN, BASE.replace("train 20", "train 20\n  dev 10000001"))
    said = work.refuses(FAILED, "SGL0705", "at most 10,000,000", command=("check",))
    assert said.count("error[") == 1


def test_an_assertion_that_holds_is_no_fault(work: Workplace) -> None:
    work.write(MAIN, BASE + "\npattern p\n  assert never { N -[det]-> D; D -[nmod]-> M }\n")
    assert run(["compile", MAIN]) == OK
    assert "warning" not in work.capsys.readouterr().err


@pytest.mark.parametrize("name", ["in_distribution", "exposure", "exposure_to_pp"])
def test_names_of_categories_of_training_are_taken(name: str, work: Workplace) -> None:
    work.write(MAIN, BASE + PATTERN.replace("pattern p", f"pattern {name}"))
    work.refuses(FAILED, "SGL0823", command=("check",))


def test_a_category_is_sampled_in_all_its_variants(work: Workplace) -> None:
    work.write(MAIN, BASE)
    assert run(["sample", MAIN, "V", "-n", "5", "--show", "en"]) == OK
    words = work.capsys.readouterr().out.split()
    assert sorted(words) in (sorted(["saw"] * 3 + ["sees"] * 2), sorted(["saw"] * 2 + ["sees"] * 3))


def test_more_sentences_than_the_language_has(work: Workplace) -> None:
    finite = BASE.replace(PIECES["pp"], "").replace(PIECES["rc"], "")
    finite = finite.replace("category PP\n", "").replace("category RC with gap\n", "")
    work.write(MAIN, finite.replace("train 20", "train 20\n  distinct sentences"))
    said = work.refuses(FAILED, "SGL0809", "cannot yield 20 sentences")
    assert said.count("error[") == 1


# ---- the command line


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ((), USAGE, "Missing argument"),
        ((MAIN, "--nonsense"), USAGE, "--nonsense"),
        ((MAIN, "--format=xml"), USAGE, "xml"),
        ((MAIN, "--set", "topics"), USAGE, "not NAME=VALUE"),
        ((MAIN, "--set", "=on"), USAGE, "not NAME=VALUE"),
        ((MAIN, "--set", "topcs=off"), FAILED, "did you mean `topics`?"),
        ((MAIN, "--set", "topics=5"), FAILED, "`topics` is `on` or `off`"),
        ((MAIN, "--set", "topics="), FAILED, "`topics` is `on` or `off`"),
        ((MAIN, "--set", "number=on"), FAILED, "`number` is a number"),
        ((MAIN, "--set", "number=nan"), FAILED, "`number` is a number"),
        ((MAIN, "--set", "number=\x1b[2J"), FAILED, "␛[2J"),
        ((MAIN, "--set", "\udcff=1"), FAILED, "no parameter"),
    ],
)
@pytest.mark.parametrize("command", ["check", "compile", "prove", "sample"])
def test_options(
    command: str, arguments: tuple[str, ...], status: int, words: str, work: Workplace
) -> None:
    work.write(MAIN, BASE + "param topics = on\nparam number = 5\n")
    assert run([command, *arguments]) == status
    assert words in work.capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chekc", MAIN], "did you mean `check`?"),
        (["--nonsense"], "--nonsense"),
        (["verify"], "Missing argument"),
        (["sample", MAIN, "-n", "-3"], "-3 is not in the range"),
    ],
)
def test_commands(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == USAGE
    assert words in capsys.readouterr().err


def test_json_is_valid_whatever_the_file_is_called(work: Workplace) -> None:
    name = os.fsdecode(b"\xff.sgl")
    work.write(name, BASE + "wrod\n")
    assert run(["check", name, "--format=json"]) == FAILED
    assert '"SGL0103"' in work.capsys.readouterr().out


# ---- output that cannot be written


def occupied(directory: Path) -> Path:
    target = directory / "notes"
    target.mkdir()
    (target / "thesis.txt").write_text("important", encoding="utf-8")
    return target


def a_file(directory: Path) -> Path:
    target = directory / "out.txt"
    target.write_text("important", encoding="utf-8")
    return target


def below_a_file(directory: Path) -> Path:
    return a_file(directory) / "data"


def dangling(directory: Path) -> Path:
    target = directory / "dangling"
    target.symlink_to(directory / "out.txt" / "nothing")
    a_file(directory)
    return target


def too_long(directory: Path) -> Path:
    return directory / ("x" * 300)


@pytest.mark.parametrize("place", [occupied, a_file, below_a_file, dangling, too_long])
def test_a_directory_that_cannot_be_written(place: Callable[[Path], Path], work: Workplace) -> None:
    target = place(work.directory)
    work.write(MAIN, BASE)
    work.refuses(OUTPUT, "SGL0901", "cannot write", command=("compile", "--out", str(target)))
    for path in work.directory.rglob("*.txt"):
        assert path.read_text(encoding="utf-8") == "important"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_permission(work: Workplace) -> None:
    work.write(MAIN, BASE)
    (work.directory / "locked").mkdir(mode=0o500)
    work.refuses(OUTPUT, "SGL0901", command=("compile", "--out", "locked/data"))


def test_a_dataset_stays_when_the_next_one_fails(work: Workplace) -> None:
    work.write(MAIN, BASE)
    assert run(["compile", MAIN]) == OK
    before = {path: path.read_bytes() for path in (work.directory / "out").rglob("*.*")}
    work.write(MAIN, BASE + PATTERN + "  not { P -[case]-> Q }\n")
    work.capsys.readouterr()
    work.refuses(FAILED, "SGL0812")
    after = {path: path.read_bytes() for path in (work.directory / "out").rglob("*.*")}
    assert before == after


# ---- interruption and mistakes of our own


@pytest.fixture
def interrupted(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """``sglc compile`` while it draws a large dataset."""
    large = BASE.replace("train 20", "train 500000")
    (tmp_path / MAIN).write_text(large, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "sgl", "compile", MAIN, "--out", "data/farm"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


def test_control_c_leaves_nothing_behind(
    interrupted: subprocess.Popen[str], tmp_path: Path
) -> None:
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("data/.farm-*.partial/new/*/*")):
        assert interrupted.poll() is None, "it ended before it could be interrupted"
        assert time.monotonic() < deadline, "it never began to write"
        time.sleep(0.02)
    interrupted.send_signal(signal.SIGINT)
    _, errors = interrupted.communicate(timeout=60)
    assert interrupted.returncode == INTERRUPTED
    assert "interrupted" in errors
    assert "Traceback" not in errors
    assert list(tmp_path.glob("data/*")) == []
    assert list(tmp_path.glob("data/.*")) == []


@pytest.mark.parametrize(
    "place",
    [
        "sgl.lang.project.read",
        "sgl.compile.compiler.resolve_names",
        "sgl.compile.compiler.lower_rules",
        "sgl.compile.compiler.expand",
        "sgl.compile.compiler.make_plan",
        "sgl.build.session.consistency",
        "sgl.build.claims.prove",
        "sgl.build.produce.pack",
        "sgl.build.produce.write_manifest",
        "sgl.build.produce.verify",
    ],
)
def test_a_mistake_of_our_own_is_called_one(
    place: str, work: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(place, fail)
    work.write(MAIN, BASE + PATTERN)
    said = work.refuses(INTERNAL_ERROR, "internal error[SGL0999]", "not in your grammar")
    assert "ZeroDivisionError: division by zero" in said
    assert "sglc --version" in said


def test_the_traceback_is_shown_when_asked_for(
    work: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("sgl.lang.project.read", fail)
    monkeypatch.setenv("SGL_TRACEBACK", "1")
    work.write(MAIN, BASE)
    assert run(["check", MAIN]) == INTERNAL_ERROR
    assert "Traceback" in work.capsys.readouterr().err
