"""The command ``sglc audit``: what it counts, what it explains, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from workplace import Workplace

from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run

FARM = Path(__file__).parent.parent.parent / "docs" / "examples"

ROWS = """\
The dog chased a cat.\t犬が猫を追いかけた。\tplain
The dog chased a cat.\t犬が猫を追いかけた。\tplain
The dog saw the hen near a cow.\t犬が牛の近くの雛を見た。\tpp
The hen near a cow saw the dog.\t牛の近くの鶏が犬を見た。\tpp
The dog chased a unicorn.\t犬がユニコーンを追いかけた。\tplain
The dog saw a cat .\t犬が猫を見た。\tplain

The dog\t犬
"""


@pytest.fixture
def corpus(work: Workplace) -> Path:
    for name in ("farm.sgl", "animals.yaml", "verbs.yaml"):
        work.write(name, (FARM / name).read_bytes())
    work.write("first.tsv", ROWS)
    work.write("second.tsv", "The dog saw a cow.\t犬が牛を見た。\nThe dog chased a cat.\tx\n")
    return work.directory


def audited(work: Workplace, *options: str, status: int = FAILED) -> dict[str, object]:
    """The JSON object of an audit of both files; the first one has two bad lines."""
    assert run(["audit", "farm.sgl", "first.tsv", "second.tsv", "--json=a.json", *options]) == status
    data = json.loads((work.directory / "a.json").read_text("utf-8"))
    assert isinstance(data, dict)
    return data


@pytest.mark.usefixtures("corpus")
def test_every_row_is_counted_once(work: Workplace) -> None:
    data = audited(work)
    assert {key: data[key] for key in ("rows", "parsed", "ambiguous", "unreadable", "exact")} == {
        "rows": 10,
        "parsed": 6,
        "ambiguous": 0,
        "unreadable": 2,
        "exact": {"ja": 4},
    }
    first, second = data["files"]  # type: ignore[misc]
    assert [first["rows"], second["rows"]] == [8, 2]
    assert {kind: entry["rows"] for kind, entry in first["kinds"].items()} == {"": 2, "plain": 4, "pp": 2}
    assert [(row["line"], row["reason"]) for row in data["unreadable_rows"]] == [  # type: ignore[attr-defined]
        (7, "the line is empty"),
        (8, "2 columns instead of 3"),
    ]
    assert [row["line"] for row in data["unparsed_rows"]] == [5, 6]  # type: ignore[attr-defined]
    said = work.capsys.readouterr().err
    assert "error[SGL1104]: 2 rows cannot be read" in said
    assert "first.tsv:7: the line is empty" in said
    assert "hint: name the columns of the files with `--columns`" in said
    assert data["failing"] == [{"word": "unicorn", "rows": 1}, {"word": ".", "rows": 1}]
    assert data["structures"] == {}


@pytest.mark.usefixtures("corpus")
def test_duplicates_within_and_across_files(work: Workplace) -> None:
    data = audited(work)
    assert [file["distinct"] for file in data["files"]] == [5, 2]  # type: ignore[attr-defined]
    (line,) = (line for line in data["leaks"] if line["key"] == "sentence")  # type: ignore[attr-defined]
    assert (line["files"], line["rows"]) == ([0, 1], 1)
    assert line["sets"] == [{"file": "second.tsv", "kind": "", "detail": "first.tsv: plain", "rows": 1}]


@pytest.mark.usefixtures("corpus")
def test_differences_are_grouped_by_what_explains_them(work: Workplace) -> None:
    data = audited(work)
    whole, word = data["differences"]  # type: ignore[misc]
    assert (word["name"], word["kind"], word["rows"]) == ("hen (N)", "word", 1)
    assert word["pairs"] == [{"given": "鶏", "published": "雛", "rows": 1}]
    assert (word["example"]["file"], word["example"]["line"]) == ("first.tsv", 3)
    assert whole["example"]["given"] == "犬が猫を追いかけた。"


@pytest.mark.usefixtures("corpus")
def test_the_leak_audit_counts_declared_structures_by_file_and_kind(work: Workplace) -> None:
    data = audited(work, "--patterns")
    assert data["structures"] == {"pp_in_subject.forbid": 1, "pp_in_subject.need": 1}
    assert data["structures"] == data["structures_in_every_reading"]
    kinds = data["files"][0]["kinds"]  # type: ignore[index]
    assert kinds["pp"]["structures"]["pp_in_subject.forbid"] == 1
    assert kinds["plain"]["structures"]["pp_in_subject.forbid"] == 0
    said = work.capsys.readouterr().out
    assert "held out: 1 of 1 structure found: pp_in_subject.forbid (1)" in said


@pytest.mark.usefixtures("corpus")
def test_finishing_is_forgiven_when_that_is_asked_for(work: Workplace) -> None:
    data = audited(work, "--normalise", "spacing")
    assert (data["parsed"], data["exact"]) == (7, {"ja": 5})
    assert data["changed"] == {"spacing": 1}


@pytest.mark.usefixtures("corpus")
def test_a_corpus_is_audited_from_its_other_column(work: Workplace) -> None:
    data = audited(work, "--layer", "ja", "--target", "en")
    assert data["source"] == "ja"
    # The Japanese has no articles: every noun may have either.
    assert data["ambiguous"] == data["differing"] == data["parsed"] == 5
    assert data["exact"] == {"en": 4}


@pytest.mark.usefixtures("corpus")
def test_columns_are_named_when_they_are_others(work: Workplace) -> None:
    work.write("ids.tsv", "1\tThe dog saw a cow.\n2\tThe cow saw a dog.\n")
    assert run(["audit", "farm.sgl", "ids.tsv", "--columns=-,en", "--json=a.json"]) == OK
    data = json.loads((work.directory / "a.json").read_text("utf-8"))
    assert (data["parsed"], data["exact"]) == (2, {})


@pytest.mark.usefixtures("corpus")
def test_equal_corpora_give_equal_results_and_a_page(work: Workplace) -> None:
    first = audited(work, "--patterns", "--html", "a.html")
    page = (work.directory / "a.html").read_text("utf-8")
    assert audited(work, "--patterns") == first
    for words in ("pp_in_subject.forbid", "unicorn", "雛", "2 columns instead of 3"):
        assert words in page


def test_what_a_corpus_contains_is_shown_as_text(work: Workplace, corpus: Path) -> None:
    (corpus / "first.tsv").write_text("[/red] <script>\x1b[2J\t犬[bold]\n", "utf-8")
    assert run(["audit", "farm.sgl", "first.tsv", "--html=a.html"]) == OK
    said = work.capsys.readouterr().out
    assert "[/red] <script>␛[2J" in said
    assert "<script>" not in (corpus / "a.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (["absent.tsv"], OUTPUT, "cannot read `absent.tsv`"),
        (["."], OUTPUT, "cannot read"),
        ([], USAGE, "Missing argument"),
        (["first.tsv", "--layer=fr"], USAGE, "there is no text layer `fr`"),
        (["first.tsv", "--target=syn"], USAGE, "there is no text layer or view `syn`"),
        (["first.tsv", "--columns=en", "--target=ja"], USAGE, "no column has the layer `ja`"),
        (["first.tsv", "--normalise=spacng"], USAGE, "did you mean `spacing`?"),
        (["first.tsv", "--json=first.tsv"], OUTPUT, "is also an input file"),
        (["first.tsv", "--json=nowhere/a.json"], OUTPUT, "there is no directory"),
        (["first.tsv", "--html=."], OUTPUT, "cannot write"),
    ],
)
@pytest.mark.usefixtures("corpus")
def test_what_cannot_be_done_is_said(options: list[str], status: int, words: str, work: Workplace) -> None:
    before = (work.directory / "first.tsv").read_bytes()
    assert run(["audit", "farm.sgl", *options]) == status
    assert words in work.capsys.readouterr().err
    assert (work.directory / "first.tsv").read_bytes() == before


@pytest.mark.usefixtures("corpus")
def test_ambiguous_rows_are_counted_by_where_their_readings_part(
    work: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    data = audited(work, "--layer=ja", "--target=en", "--columns=en,ja")
    (choice,) = data["choices"]  # type: ignore[attr-defined]
    assert choice["options"] == ["a", "the"]
    assert choice["rows"] == data["ambiguous"]
    assert "Det               word  a / the" in capsys.readouterr().out


# --- sets of rows ------------------------------------------------------------------------------

#: Two patterns with a target word each; the horse is the subject in one, the object in the other.
PATTERNS = """
pattern horse_in_object "Horse: Subj → Obj"
  targets horse
  forbid { V -[obj]-> N[@targets] }
  need   { V -[nsubj]-> N[@targets] }

pattern cow_in_object "Cow: Subj → Obj"
  targets cow
  forbid { V -[obj]-> N[@targets] }
  need   { V -[nsubj]-> N[@targets] }
"""


def leaks(data: dict[str, object], key: str) -> list[tuple[str, str, int]]:
    """The findings of a line of the report: kind, detail and rows."""
    (line,) = (line for line in data["leaks"] if line["key"] == key)  # type: ignore[attr-defined]
    return [(found["kind"], found["detail"], found["rows"]) for found in line["sets"]]


TRAIN = """\
The dog saw a cat.\t犬が猫を見た。\tin_distribution
The horse saw a cat.\t馬が猫を見た。\tin_distribution
The cat saw a dog near the hen.\t猫が鶏の近くの犬を見た。\tin_distribution
"""

ITEMS = """\
The dog saw a horse.\t犬が馬を見た。\tHorse: Subj -> Obj
The hen near a cat saw a horse.\t猫の近くの鶏が馬を見た。\tHorse: Subj -> Obj
The horse saw a cat.\t馬が猫を見た。\tHorse: Subj -> Obj
The dog chased a cow.\t犬が牛を追いかけた。\tcow_in_object
The dog saw a cow.\t犬が牛を見た。\tcow_in_object
The dog saw a zebra.\t犬がシマウマを見た。\tcow_in_object
The hen near a cat saw a dog.\t猫の近くの鶏が犬を見た。\tsubjects
"""


@pytest.fixture
def sets(work: Workplace, corpus: Path) -> dict[str, object]:
    """The JSON object of an audit of training and items."""
    work.write("farm.sgl", (corpus / "farm.sgl").read_text("utf-8") + PATTERNS)
    work.write("train.tsv", TRAIN)
    work.write("gen.tsv", ITEMS)
    options = ["--patterns", "--items=subjects=pp_in_subject", "--json=s.json", "--html=s.html"]
    assert run(["audit", "farm.sgl", "train.tsv", "gen.tsv", *options]) == OK
    data = json.loads((corpus / "s.json").read_text("utf-8"))
    assert isinstance(data, dict)
    return data


def test_what_training_lacks_of_the_needs_is_said_first(work: Workplace, sets: dict[str, object]) -> None:
    assert sets["missing_needs"] == ["cow_in_object.need"]
    assert [(need["name"], need["rows"]) for need in sets["needs"]] == [  # type: ignore[attr-defined]
        ("cow_in_object.need", 0),
        ("pp_in_subject.need", 1),
        ("horse_in_object.need", 1),
    ]
    captured = work.capsys.readouterr()
    assert "warning[SGL1106]: training lacks 1 part that patterns need" in captured.err
    assert "cow_in_object.need: { V -[nsubj]-> N[lemma=cow] }" in captured.err
    assert "  need (1): cow_in_object.need" in captured.out


def test_a_set_is_compared_with_its_pattern_and_with_the_others(sets: dict[str, object]) -> None:
    training, horse, cow, subjects = sets["sets"]  # type: ignore[misc]
    assert training["training"]
    names = ("kind", "pattern", "rows", "parsed", "own", "isolated")
    assert [tuple(entry[name] for name in names) for entry in (horse, cow, subjects)] == [
        ("Horse: Subj -> Obj", "horse_in_object", 3, 3, 2, 1),
        ("cow_in_object", "cow_in_object", 3, 2, 2, 2),
        ("subjects", "pp_in_subject", 1, 1, 1, 1),
    ]
    assert leaks(sets, "second") == [("Horse: Subj -> Obj", "pp_in_subject", 1)]
    assert leaks(sets, "lacking") == [("Horse: Subj -> Obj", "", 1)]
    assert leaks(sets, "allowed") == []


def test_words_that_training_does_not_have_are_listed_by_column(sets: dict[str, object]) -> None:
    assert leaks(sets, "target") == [("cow_in_object", "en: cow", 2), ("cow_in_object", "ja: 牛", 2)]
    assert leaks(sets, "word") == [("cow_in_object", "en: chased", 1), ("cow_in_object", "en: zebra", 1)]
    assert leaks(sets, "output") == [("cow_in_object", "ja: 追いかけた", 1)]


def test_sets_share_rows_and_frames(work: Workplace, sets: dict[str, object]) -> None:
    assert leaks(sets, "sentence") == [("Horse: Subj -> Obj", "train.tsv: in_distribution", 1)]
    # "The dog saw a ▢." is in training with a cat.  The third horse is in training to the letter, so it has no frame.
    assert leaks(sets, "frame") == [
        ("Horse: Subj -> Obj", "train.tsv: in_distribution", 1),
        ("cow_in_object", "train.tsv: in_distribution", 1),
    ]
    said = work.capsys.readouterr().out
    assert "        1  gen.tsv: cow_in_object  train.tsv: in_distribution" in said
    page = (work.directory / "s.html").read_text("utf-8")
    for words in ("cow_in_object.need", "zebra", "Horse: Subj -&gt; Obj", "to the letter"):
        assert words in page


@pytest.mark.usefixtures("corpus")
def test_an_ambiguous_row_has_the_reading_that_the_corpus_chose(work: Workplace) -> None:
    work.write("one.tsv", "A dog saw the cat.\t犬が猫を見た。\n")
    options = ["--layer=ja", "--target=en", "--columns=en,ja", "--json=a.json", "--html=a.html"]
    assert run(["audit", "farm.sgl", "one.tsv", *options]) == OK
    assert "✓ 犬が猫を見た。" in (work.directory / "a.html").read_text("utf-8")
    data = json.loads((work.directory / "a.json").read_text("utf-8"))
    assert sum(data["chosen"].values()) == 1
    (row,) = data["ambiguous_rows"]
    assert [reading["outputs"] for reading in row["chosen"]] == [{"en": "A dog saw the cat."}]
    assert len(row["others"]) == 3
    said = work.capsys.readouterr().out
    assert "1 row ambiguous; the published text comes from" in said
    assert "    chosen  " in said


@pytest.mark.usefixtures("corpus")
def test_a_pattern_of_items_must_exist(work: Workplace) -> None:
    assert run(["audit", "farm.sgl", "first.tsv", "--patterns", "--items=a=nothing"]) == USAGE
    assert "there is no pattern `nothing`" in work.capsys.readouterr().err
