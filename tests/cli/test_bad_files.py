"""Files, uses and tables that are none: a clear message and nothing left."""

from __future__ import annotations

import re

import pytest
from diagnostics import BASE, MAIN
from workplace import ANIMALS, ROWS, Workplace

from sgl.cli.main import FAILED, OK, run
from sgl.lang import MAX_SOURCE, MAX_TABLE, yaml_files

# ---- files that are no grammar


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        ("", "SGL0307", "declares nothing"),
        ("# only a note\n\n   # another\n", "SGL0307", "declares nothing"),
        (" \n\t\n\r\n", "SGL0307", "declares nothing"),
        ("\ufeff", "SGL0307", "declares nothing"),
        (bytes(range(256)), "SGL0002", "not UTF-8 (line 2, column 118)"),
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
        ("nonsense\n" * 10_000, "SGL0103", "nothing in this file"),
        ("category A\n" + "nonsense\n" * 10_000, "SGL0106", "more than 100 mistakes"),
    ],
    ids=lambda value: re.sub(r"\W+", "-", str(value)[:20]),
)
def test_a_main_file_that_is_no_grammar(content: str | bytes, code: str, words: str, work: Workplace) -> None:
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
    work.refuses(FAILED, "SGL0001", "`farm.sgl` does not exist", "did you mean `farms.sgl`?")


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
        ('use "../secret"', "SGL0005"),
        ('use "folder.sgl"', "SGL0001"),
        ('use "outside_folder"', "SGL0005"),
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
        ("- {en: {one: horse}, ja: 馬}\n", "SGL0603"),
        ("- {en: horse, ja: 馬, old: {ja: {one: 駒}}}\n", "SGL0602"),
        ("- {en: horse, ja: 馬, old: {ja: [駒]}}\n", "SGL0602"),
        ("- {en: horse, ja: 馬, old: {ja: 駒, ja: 馬}}\n", "SGL0602"),
        ("- {en: horse, ja: 馬, ja: {ja: 駒}}\n", "SGL0602"),
        ("- {en: horse, ja: 馬, [old]: 駒}\n", "SGL0602"),
        ("- {en: horse, ja: 馬, old: {ja: 駒}\n", "SGL0601"),
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
    monkeypatch.setattr(yaml_files, "MAX_ROWS", 3)
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


@pytest.mark.parametrize(
    "declaration",
    [
        'lexicon l from "NAME"\n  N\n    en $en\n    ja $ja\n    syn node(upos=NOUN)\n',
        'weights w from "NAME"\n',
        'relation r from "NAME"\nrestrict { V -[obj]-> N } to r(V, N)\n',
        'view v = template(syn) from "NAME"\n',
    ],
    ids=lambda text: text.split()[0],
)
@pytest.mark.parametrize("name", [".bashrc", "secret.txt", "secret", "yaml", "linked.yaml", ".YAML"])
def test_a_file_that_no_grammar_names_is_not_opened(declaration: str, name: str, work: Workplace) -> None:
    written = "export PASSWORD=[swordfish\n"
    work.write("secret.env" if name == "linked.yaml" else name, written)
    if name == "linked.yaml":
        (work.directory / name).symlink_to(work.directory / "secret.env")
    work.write(MAIN, declaration.replace("NAME", name) + "\n" + BASE)
    said = work.refuses(FAILED, "SGL0001", f"`{name}` is not the name of a table or template")
    assert "swordfish" not in said


@pytest.mark.parametrize("name", ["a.yaml", "a.yml", "A.YAML"])
def test_tables_end_in_yaml(name: str, work: Workplace) -> None:
    work.write(MAIN, BASE + ANIMALS % name)
    work.write(name, ROWS)
    assert run(["check", MAIN]) == OK


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
    said = work.refuses(FAILED, "SGL0608", "never ends")
    assert said.count("error[") == 1
