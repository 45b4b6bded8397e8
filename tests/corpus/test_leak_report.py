"""The leak report of ``sglc audit``: a planted leak of each kind is found by its line and by no other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from workplace import Workplace

from sgl.cli.main import OK, run
from sgl.corpus.audit.leaks import report_lines

DOCS = Path(__file__).parent.parent.parent / "docs"
FARM = DOCS / "examples"

#: More sentences: with a new Japanese word, with two readings, and with two readings that differ in Japanese.
RULES = """
rule beside: VP -> V "near" NP
  ja  NP "のそばで" V
  syn V -[obl]-> NP; NP -[case]-> "near"(upos=ADP)

rule alone: VP -> V
rule lonely: VP -> V

rule near_by: VP -> "near" V
  ja  V
  syn V -[advmod]-> "near"(upos=ADV)

rule near_it: VP -> "near" V
  ja  "を" V
  syn V -[advmod]-> "near"(upos=ADV)

pattern horse "Horse: subject → object"
  targets horse
  forbid { V -[obj]-> N[@targets] }
  allow  cow_and_horse

pattern cow_and_horse "A cow does something to a horse"
  forbid { V -[nsubj]-> N[lemma=cow]; V -[obj]-> M[lemma=horse] }

pattern sheep "Sheep with a modifier"
  targets sheep
  forbid { N[@targets] -[nmod]-> M }

pattern goose "Goose as an object"
  targets goose
  forbid { V -[obj]-> N[@targets] }
"""

#: Files without any leak.
TRAIN = [
    "The horse saw a cat.\t馬が猫を見た。\ttrain",
    "The dog saw a cat near the hen.\t犬が鶏の近くの猫を見た。\ttrain",
    "The goat helped a sheep.\tヤギが羊を助けた。\ttrain",
    "The cow licked the duck.\t牛がアヒルをなめた。\ttrain",
    "The cat saw the duck.\t猫がアヒルを見た。\ttrain",
]
DEV = ["The cow saw the sheep.\t牛が羊を見た。\tdev"]
ITEMS = [
    "A goat helped the horse.\tヤギが馬を助けた。\thorse",
    "The cat near the hen saw a sheep.\t鶏の近くの猫が羊を見た。\tpp_in_subject",
    "A goat licked the sheep near the hen.\tヤギが鶏の近くの羊をなめた。\tsheep",
]

#: For each line of the report, a row that it finds, in a file, and the other definitions that find it too.
PLANTED = {
    "sentence": ("dev", "The goat helped a sheep.\tヤギが羊を助けた。\tdev", []),
    "spelling": ("dev", "the goat helped a sheep .\tヤギが羊を助けた。\tdev", []),
    "frame": ("gen", "The goat helped a horse.\tヤギが馬を助けた。\thorse", []),
    "answer": ("dev", "A goat helped a sheep.\tヤギが羊を助けた。\tdev", []),
    "held_out": ("train", "A cat near the hen licked a duck.\t鶏の近くの猫がアヒルをなめた。\ttrain", []),
    "lacking": ("gen", "The horse licked a sheep.\t馬が羊をなめた。\thorse", []),
    "second": ("gen", "The cat near the hen helped the horse.\t鶏の近くの猫が馬を助けた。\thorse", []),
    "allowed": ("gen", "The cow helped the horse.\t牛が馬を助けた。\thorse", []),
    "modifier": ("gen", "A goat helped the horse near the hen.\tヤギが鶏の近くの馬を助けた。\thorse", ["relation"]),
    "relation": (
        "gen",
        "The dog saw a cat near the sheep near the hen.\t犬が鶏の近くの羊の近くの猫を見た。\tsheep",
        [],
    ),
    "elsewhere": ("gen", "A duck helped the horse.\tアヒルが馬を助けた。\thorse", []),
    "word": ("dev", "The dog saw a zebra.\t犬がシマウマを見た。\tdev", []),
    "target": ("gen", "A dog helped the goose.\t犬がガチョウを助けた。\tgoose", []),
    "output": ("dev", "The dog saw near the hen.\t犬が鶏のそばで見た。\tdev", []),
    "ambiguous": ("dev", "The dog saw.\t犬が見た。\tdev", []),
    "differing": ("dev", "The dog near saw.\t犬が見た。\tdev", ["ambiguous"]),
}


@pytest.fixture
def farm(work: Workplace) -> Workplace:
    work.write("farm.sgl", (FARM / "farm.sgl").read_text("utf-8") + RULES)
    work.write("animals.yaml", (FARM / "animals.yaml").read_text("utf-8") + "- {en: goose, ja: ガチョウ}\n")
    work.write("verbs.yaml", (FARM / "verbs.yaml").read_bytes())
    return work


def report(work: Workplace, *options: str, **planted: str) -> dict[str, dict[str, object]]:
    """The lines of the report on the files, with a row more at the end of some, by their keys."""
    for name, rows in {"train": TRAIN, "dev": DEV, "gen": ITEMS}.items():
        more = [planted[name]] if name in planted else []
        work.write(f"{name}.tsv", "".join(row + "\n" for row in [*rows, *more]))
    command = ["audit", "farm.sgl", "train.tsv", "dev.tsv", "gen.tsv", "--patterns", "--json=a.json", *options]
    assert run(command) == OK
    data = json.loads((work.directory / "a.json").read_text("utf-8"))
    return {line["key"]: line for line in data["leaks"]}


def found(lines: dict[str, dict[str, object]]) -> dict[str, object]:
    """The numbers of rows of the lines that find any."""
    return {key: line["rows"] for key, line in lines.items() if line["rows"]}


def test_each_line_is_zero_where_there_is_no_leak(farm: Workplace) -> None:
    lines = report(farm)
    assert {key: line["rows"] for key, line in lines.items()} == dict.fromkeys(report_lines(), 0)
    assert not any(line["sets"] or line["examples"] for line in lines.values())


def test_every_line_has_a_planted_leak() -> None:
    assert list(PLANTED) == list(report_lines())


@pytest.mark.parametrize("key", PLANTED)
def test_a_planted_leak_is_found_by_its_line_and_by_no_other_question(key: str, farm: Workplace) -> None:
    file, row, also = PLANTED[key]
    sentence, _, kind = row.split("\t")
    place = len({"train": TRAIN, "dev": DEV, "gen": ITEMS}[file]) + 1
    lines = report(farm, "--rows=leaks.tsv", **{file: row})
    assert found(lines) == dict.fromkeys([name for name in PLANTED if name in {key, *also}], 1)
    assert {lines[name]["question"] for name in also} <= {lines[key]["question"]}
    (example,) = lines[key]["examples"]  # type: ignore[misc]
    assert (example["file"], example["line"], example["sentence"]) == (f"{file}.tsv", place, sentence)
    header, *rows = (farm.directory / "leaks.tsv").read_text("utf-8").splitlines()
    assert header == "leak\tfile\tline\tkind\tdetail\tsentence"
    assert {(*r[:4], r[5]) for r in (line.split("\t") for line in rows)} == {
        (name, f"{file}.tsv", str(place), kind, sentence) for name in (key, *also)
    }


def test_words_of_one_meaning_are_the_same_if_the_author_says_so(farm: Workplace) -> None:
    row = "The dog saw a cat near the duck.\t犬がアヒルの近くの猫を見た。\tdev"
    assert found(report(farm, dev=row)) == {}
    assert found(report(farm, "--same=Duck=hen", dev=row)) == {"spelling": 1}


def test_a_row_counts_once_in_a_line_and_once_for_each_detail(farm: Workplace) -> None:
    line = report(farm, dev="The zebra saw a lion.\tシマウマがライオンを見た。\tdev")["word"]
    assert (line["rows"], line["files"]) == (1, [0, 1, 0])
    assert line["sets"] == [
        {"file": "dev.tsv", "kind": "dev", "detail": f"en: {word}", "rows": 1} for word in ("lion", "zebra")
    ]


def test_items_in_the_file_of_training_are_compared_with_all_of_training(farm: Workplace) -> None:
    farm.write("one.tsv", "".join(row + "\n" for row in [*ITEMS, *TRAIN]))
    assert run(["audit", "farm.sgl", "one.tsv", "--patterns", "--json=a.json"]) == OK
    data = json.loads((farm.directory / "a.json").read_text("utf-8"))
    assert [line["key"] for line in data["leaks"] if line["rows"]] == []


def test_without_patterns_only_some_questions_can_be_answered(farm: Workplace) -> None:
    farm.write("dev.tsv", "".join(row + "\n" for row in [*DEV, TRAIN[0]]))
    farm.write("train.tsv", "".join(row + "\n" for row in TRAIN))
    assert run(["audit", "farm.sgl", "train.tsv", "dev.tsv", "--json=a.json"]) == OK
    data = json.loads((farm.directory / "a.json").read_text("utf-8"))
    rows = {line["key"]: line["rows"] for line in data["leaks"]}
    assert {key for key, number in rows.items() if number is None} == {
        key for key, line in report_lines().items() if line["patterns"]
    }
    assert rows["sentence"] == 1
    said = farm.capsys.readouterr().out
    assert "the same sentence in two splits, to the letter: 1 row" in said
    assert "dev.tsv:2: The horse saw a cat. (train.tsv: train)" in said


def test_the_page_gives_every_definition_in_the_words_of_the_command() -> None:
    page = " ".join((DOCS / "audit.md").read_text("utf-8").split())
    assert [key for key, line in report_lines().items() if line["definition"] not in page] == []


def test_a_pipe_is_audited_like_a_file(farm: Workplace) -> None:
    """Rows are read more than once, and a pipe says them once."""
    rows = "".join(row + "\n" for row in [*TRAIN, TRAIN[0]])
    farm.write("train.tsv", rows)
    command = [sys.executable, "-m", "sgl", "audit", "farm.sgl", "/dev/stdin", "--patterns", "--json"]
    piped = subprocess.run(
        command, cwd=farm.directory, input=rows.encode(), capture_output=True, check=True, timeout=300
    )
    assert run(["audit", "farm.sgl", "train.tsv", "--patterns", "--json"]) == OK
    said = farm.capsys.readouterr().out.replace("train.tsv", "/dev/stdin")
    assert json.loads(piped.stdout) == json.loads(said)


@pytest.mark.parametrize(("one", "other", "same"), [("कि", "कु", 0), ("+", "-", 0), ("a_b", "ab", 0), ("No", "no!", 1)])
def test_marks_are_punctuation_and_no_parts_of_words(one: str, other: str, same: int, work: Workplace) -> None:
    work.write(
        "g.sgl", f'layer en : text\ncategory S\nword S: "{one}"\nword S: "{other}"\ndataset\n  from S\n  train 2\n'
    )
    for name, text in (("train", one), ("dev", other)):
        work.write(f"{name}.tsv", f"{text}\n")
    assert run(["audit", "g.sgl", "train.tsv", "dev.tsv", "--columns", "en", "--json=a.json"]) == OK
    data = json.loads((work.directory / "a.json").read_text("utf-8"))
    assert {line["key"]: line["rows"] for line in data["leaks"]}["spelling"] == same
