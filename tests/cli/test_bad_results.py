"""What newcomers give to `sglc eval`, `analyse` and `split`: a clear word, never a traceback."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from diagnostics import INTERNAL
from workplace import Workplace

from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run

ROWS = "A cow ran.\t牛が走った。\tp\nA dog ran.\t犬が走った。\tp\n"
GOLD = "牛が走った。\n犬が走った。\n"
TREE = """\
# sent_id = s{0}
1	A	a	DET	_	_	2	det	_	_
2	{1}	{1}	NOUN	_	_	0	root	_	_

"""
TREES = TREE.format(1, "cow") + TREE.format(2, "dog")

#: What is no text in UTF-8, and what is said of it.
FOREIGN: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "gzip": (gzip.compress, "compressed (gzip)"),
    "bzip2": (bz2.compress, "compressed (bzip2)"),
    "xz": (lzma.compress, "compressed (xz)"),
    "zip": (lambda text: b"PK\x03\x04" + text, "an archive (zip)"),
    "parquet": (lambda text: b"PAR1" + text, "Parquet"),
    "UTF-16": (lambda text: text.decode().encode("utf-16"), "UTF-16"),
}
#: What stays readable.
HARMLESS: dict[str, Callable[[bytes], bytes]] = {
    "CRLF": lambda text: text.replace(b"\n", b"\r\n"),
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "no last line end": lambda text: text.rstrip(b"\n"),
}


def said(work: Workplace) -> str:
    shown = work.capsys.readouterr()
    assert not [word for word in INTERNAL if word in shown.out + shown.err]
    return shown.err


@pytest.fixture
def files(work: Workplace) -> Workplace:
    work.write("rows.tsv", ROWS)
    work.write("gold.conllu", TREES)
    work.write("gold.txt", GOLD)
    work.write("en.txt", "A cow\nA dog\n")
    return work


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_that_is_no_text_is_called_what_it_is(name: str, files: Workplace) -> None:
    change, words = FOREIGN[name]
    files.write("bad.txt", change(GOLD.encode()))
    files.write("bad.tsv", change(ROWS.encode()))
    files.write("bad.conllu", change(TREES.encode()))
    asked = [
        ["eval", "rows.tsv", "bad.txt"],
        ["eval", "rows.tsv", "bad.conllu"],
        ["eval", "bad.tsv", "gold.txt"],
        ["eval", "bad.conllu", "en.txt"],
        ["analyse", "gold.conllu", "bad.txt"],
        ["analyse", "bad.conllu", "en.txt"],
        ["split", "bad.conllu", "--out", "out"],
    ]
    for arguments in asked:
        assert run(arguments) == OUTPUT, arguments
        shown = said(files)
        assert "error[SGL1102]: cannot read `bad." in shown
        assert words in shown, arguments


@pytest.mark.parametrize("name", HARMLESS)
def test_line_ends_and_byte_order_marks_do_no_harm(name: str, files: Workplace) -> None:
    change = HARMLESS[name]
    files.write("out.txt", change(GOLD.encode()))
    files.write("out.tsv", change(b"rows-000002\t" + GOLD.encode().split(b"\n")[1] + b"\n"))
    files.write("bank.conllu", change(TREES.encode()))
    files.write("en.jsonl", change(b'{"prediction": "A cow"}\n{"prediction": "A dog"}\n'))
    assert run(["eval", "rows.tsv", "out.txt", "out.tsv", "--json", "r.json"]) == OK
    text = (files.directory / "r.json").read_text("utf-8")
    systems = json.loads(text)["tables"]["overall"][0]["scores"]["exact"]
    # The second file of the same name is called by its path.
    assert [cell["mean"] for cell in systems.values()] == [1.0, 0.5]
    assert run(["eval", "bank.conllu", "en.jsonl", "--json", "r.json"]) == OK
    assert run(["analyse", "bank.conllu", "en.jsonl", "--json", "a.json"]) == OK
    found = json.loads((files.directory / "a.json").read_text("utf-8"))["systems"][0]
    assert found["exact"] == 2


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("a.txt", "", "0 predictions where 2 are expected"),
        ("a.txt", "x\n" * 3, "3 predictions where 2 are expected"),
        ("a.txt", b"\xe9\n\xe9\n", "line 1 is not UTF-8 at byte 1"),
        ("a.txt", bytes(range(256)), "is not UTF-8"),
        ("a.tsv", "x\ty\tz\n", "line 1 has 3 columns"),
        ("a.tsv", "{0}1\ta\n{0}1\tb\n", "line 2 is a second prediction for `{0}1`"),
        ("a.tsv", "{0}1\ta\nnobody\tb\n", "1 of the 2 predictions have an unknown id"),
        ("a.jsonl", '{"id": "nobody", "prediction": "a"}\n', "have an unknown id"),
        ("a.jsonl", "17\n18\n", "line 1 has no `prediction`"),
        ("a.json", '[{"prediction": "a"}]', "1 prediction where 2 are expected"),
        ("a.jsonl", '{"predicted": 17}\n', "line 1 has no `prediction`"),
        ("a.jsonl", '{"id": "{0}1", "prediction": "a"}\n{"prediction": "b"}', "has no `id`"),
        ("a.conllu", "1\ta\n\n", "2 columns instead of 10"),
    ],
)
def test_eval_and_analyse_say_the_same_of_the_same_predictions(
    file: str, content: str | bytes, words: str, files: Workplace
) -> None:
    for command, gold, prefix in (("eval", "rows.tsv", "rows-00000"), ("analyse", "gold.conllu", "s")):
        text = content.replace("{0}", prefix) if isinstance(content, str) else content
        files.write(file, text)
        assert run([command, gold, file]) == FAILED
        shown = said(files)
        assert "error[SGL1402]" in shown
        assert f"`{file}` cannot be scored" in shown
        assert words.replace("{0}", prefix) in " ".join(shown.split())


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("a.jsonl", '{{"id": "{0}1", "hypothesis": "x"}}\n'),
        ("a.jsonl", '{{"sent_id": "{0}1", "text": ["x", "y"]}}\n\n'),
        ("a.txt", "id\tprediction\n{0}1\tx\n"),
        ("a.tsv", "sent_id\toutput\n{0}1\tx\n"),
        ("a.txt", '{{"id": "{0}1", "prediction": "x"}}\n'),
        ("a.conllu", "# sent_id = {0}1\n1\tx\tx\t_\t_\t_\t_\t_\t_\t_\n\n"),
    ],
)
def test_eval_and_analyse_read_the_same_forms(file: str, content: str, files: Workplace) -> None:
    for command, gold, prefix in (("eval", "rows.tsv", "rows-00000"), ("analyse", "gold.conllu", "s")):
        files.write(file, content.format(prefix))
        assert run([command, gold, file]) == OK
        assert f"warning[SGL1403]: `{file}`: 1 prediction missing" in said(files)


def test_directories_and_names_of_nothing_are_named(files: Workplace) -> None:
    (files.directory / "folder").mkdir()
    for path in ("folder", "nothing"):
        for arguments in (
            ["eval", path, "gold.txt"],
            ["eval", "rows.tsv", path],
            ["analyse", path, "en.txt"],
            ["analyse", "gold.conllu", path],
            ["split", path, "--out", "out"],
            ["split", "--report", "gold.conllu", path],
        ):
            assert run(arguments) in (FAILED, OUTPUT)
            assert path in said(files), arguments


def test_one_bad_system_of_two_keeps_eval_from_comparing(files: Workplace) -> None:
    files.write("short.txt", "x\n")
    assert run(["eval", "rows.tsv", "gold.txt", "short.txt"]) == FAILED
    assert "`short.txt` cannot be scored" in said(files)


def test_files_that_are_read_are_never_written_over(files: Workplace) -> None:
    (files.directory / "rows").mkdir()
    for command in (["eval", "rows.tsv", "a=gold.txt"], ["analyse", "gold.conllu", "en.txt"]):
        for path in (command[1], command[2].removeprefix("a="), f"rows/../{command[1]}"):
            before = (files.directory / path).read_bytes()
            assert run([*command, "--json", path, "--force"]) == OUTPUT
            assert "is also an input file" in said(files)
            assert (files.directory / path).read_bytes() == before
        assert run([*command, "--json", "r", "--html", "r"]) == USAGE
        assert "two results would be written to one file" in said(files)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no devices among its files")
@pytest.mark.usefixtures("files")
def test_a_device_is_written_to_and_not_replaced() -> None:
    assert run(["eval", "rows.tsv", "gold.txt", "--json", os.devnull]) == OK
    assert Path(os.devnull).is_char_device()


def test_with_messages_as_json_standard_output_is_one_list(files: Workplace) -> None:
    for command in (["eval", "rows.tsv", "gold.txt"], ["analyse", "gold.conllu", "en.txt"]):
        assert run([*command, "--format", "json", "--json", "r.json"]) == OK
        shown = files.capsys.readouterr()
        assert isinstance(json.loads(shown.out), list)
        assert json.loads((files.directory / "r.json").read_text("utf-8"))["systems"]


#: Pairs of a lexicon and of a file of compounds for two rows, and what is said of them.
COMPOUNDS = [
    ("[" * 20, "a cow\na dog\n", "this is nested too deep (line 1)"),
    ("[" * 20_000, "a cow\na dog\n", "(line 1)"),
    ("DET: {a: [b}", "a cow\na dog\n", "it is not YAML"),
    ("? [DET]\n: {a: [b]}", "a cow\na dog\n", "a name is text, not a list or a mapping (line 1)"),
    ("DET: !!python/name:os.system {a: [b]}", "a cow\na dog\n", "is a type tag"),
    ("DET: {a: [b]}\nDET: {the: [c]}", "a cow\na dog\n", "`DET` occurs twice (line 2)"),
    ("DET: [a]", "a cow\na dog\n", "`DET` is not an object"),
    ("DET: {a: b}", "a cow\na dog\n", "`DET.a` is not a list"),
    ("X: {a: [b]}", "a cow\na dog\n", "there is no role `X`"),
    ("DET: {a: [b]}", "a cow\na dog\n", "`a cow` is not made of atoms of the lexicon"),
    ("DET: {a: [b]}", "a\n", "has 1 compounds for 2 rows"),
    ("DET: {a: [b]}", "a\n\n", "`` is not made of atoms of the lexicon"),
    ("N: {cow: [b], goat: [c]}", "cow\ngoat\n", "`goat` is not in `a dog ran .`"),
]


@pytest.mark.parametrize(("lexicon", "compounds", "words"), COMPOUNDS)
def test_compounds_that_cannot_be_scored_are_an_error(
    lexicon: str, compounds: str, words: str, files: Workplace
) -> None:
    files.write("rows.tsv", ROWS.lower().replace(".", " ."))
    files.write("lexicon.yml", lexicon)
    files.write("compounds.txt", compounds)
    asked = ["eval", "rows.tsv", "gold.txt", "--compounds", "compounds.txt"]
    assert run([*asked, "--lexicon", "lexicon.yml"]) == FAILED
    shown = " ".join(said(files).split())
    assert "error[SGL1406]" in shown
    assert words in shown


def test_lines_end_with_line_feeds_and_with_nothing_else(files: Workplace) -> None:
    """U+2028 and its like are white space within a line of rows, compounds, outputs, and of a word of a lexicon."""
    files.write(
        "rows.tsv", "the red\u2028car ran\t红 车 跑\na fire\x85engine sat\t消防 坐\nthe red car\u2029sat\t红 车 坐\n"
    )
    files.write("lexicon.yml", 'ADJ: {red: [红]}\nN: {car: [车], "fire\\Lengine": [消防]}\n')
    files.write("compounds.txt", "one\tred\u2028car\ntwo\tfire engine\nred\x0bcar\n")
    files.write("out.txt", "红 车\u2028跑\n消防\x1c坐\n车 坐\n")
    asked = ["eval", "rows.tsv", "out.txt", "--compounds", "compounds.txt", "--json", "r.json"]
    assert run([*asked, "--lexicon", "lexicon.yml"]) == OK
    found = json.loads((files.directory / "r.json").read_text("utf-8"))["compounds"]["rates"]
    wrong = {entry["system"]: (entry["instances"], entry["wrong"]) for entry in found if entry["kind"] == "all"}
    assert wrong == {"gold": (3, 0), "out": (3, 1)}


@pytest.mark.parametrize("rule", [[], ["--published-rule"]])
def test_a_compound_without_a_noun_is_judged_by_what_it_has(rule: list[str], files: Workplace) -> None:
    # To YAML the words `no` and `on` would be false and true.
    files.write("rows.tsv", "no cow on\t没有 牛 在\nred cow\t红 牛\n")
    files.write("lexicon.yml", "{DET: {no: [没有]}, ADJ: {red: [红]}, N: {cow: [牛]}, MOD: {on: [在]}}")
    files.write("compounds.txt", "no cow on\nred\n")
    files.write("out.txt", "没有 在 牛\n牛\n")
    asked = ["eval", "rows.tsv", "out.txt", "--compounds", "compounds.txt", "--json", "r.json"]
    assert run([*asked, "--lexicon", "lexicon.yml", *rule]) == OK
    found = json.loads((files.directory / "r.json").read_text("utf-8"))["compounds"]["rates"]
    wrong = {(entry["system"], entry["kind"]): entry["wrong"] for entry in found}
    # The place of the modifier is wrong in the gold text, the adjective missing in the output.
    assert (wrong["gold", "all"], wrong["out", "all"]) == (1, 1)
