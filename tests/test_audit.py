"""Audits: every row is accounted for, and what is said of it is so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sget import PUBLISHED
from test_parse import ATTACHMENT
from toy import PP_IN_SUBJECT, TOY, random_derivations
from workplace import Workplace

from sgl.audit import (
    Auditor,
    Choice,
    Declared,
    Reader,
    StructureFinder,
    all_give,
    audit_data,
    choices,
    declared_structures,
    explain_difference,
    first_outputs,
    gives,
)
from sgl.automata import StructureCompiler
from sgl.build.session import open_grammar
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run
from sgl.compile import Compiled, named_structures
from sgl.core.interpret import interpret
from sgl.corpus import Corpus, Row, Speller, Unreadable
from sgl.corpus.rows import LONGEST_LINE
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.graph import TextOutput
from sgl.parse import Parser
from sgl.resources import grammars_dir

FARM = Path(__file__).parent.parent / "docs" / "examples"


@cache
def farm() -> Compiled:
    compiled = open_grammar(FARM / "farm.sgl", {}, SourceMap(), Diagnostics())
    assert compiled is not None
    return compiled


# --- rows ------------------------------------------------------------------------------------


def read(path: Path, content: bytes, columns: int = 2) -> list[Row | Unreadable]:
    path.write_bytes(content)
    return list(Corpus(path, columns).rows())


def test_rows_have_texts_and_perhaps_a_kind(tmp_path: Path) -> None:
    file = tmp_path / "c.tsv"
    assert read(file, "a\tあ\tgen\nb\tい\tdev\r\n".encode()) == [
        Row(1, ("a", "あ"), "gen", 10),
        Row(2, ("b", "い"), "dev", 11),
    ]
    assert read(file, "\ufeffa\tあ".encode()) == [Row(1, ("a", "あ"), "", 8)]
    assert read(file, b"") == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"a", "1 column instead of 3"),
        (b"a\tb\tc\td", "4 columns instead of 3"),
        (b"", "the line is empty"),
        (b" \t", "the line is empty"),
        (b"a\t \tkind", "column 2 is empty"),
        (b"a\xff\tb\tkind", "byte 2 is not UTF-8"),
        (b"a" * (2 * LONGEST_LINE + 5), "more than 100,000 bytes"),
    ],
)
def test_a_line_that_cannot_be_read_is_kept_with_its_number(
    line: bytes, reason: str, tmp_path: Path
) -> None:
    first, broken, last = read(tmp_path / "c.tsv", b"x\ty\tkind\n" + line + b"\nz\tw\tkind\n")
    assert isinstance(first, Row)
    assert isinstance(broken, Unreadable)
    assert (broken.line, broken.size) == (2, len(line) + 1)
    assert reason in broken.reason
    assert last == Row(3, ("z", "w"), "kind", 9)


@settings(max_examples=200, deadline=None)
@given(content=st.lists(st.binary(max_size=12)).map(b"\n".join))
def test_no_line_is_lost_whatever_the_file(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = read(tmp_path_factory.getbasetemp() / "any.tsv", content)
    assert [row.line for row in rows] == list(range(1, len(rows) + 1))
    assert sum(row.size for row in rows) == len(content)
    assert len(rows) == content.count(b"\n") + bool(content and not content.endswith(b"\n"))


# --- spelling ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layer", "text", "spelling", "changed"),
    [
        ("en", "The dog saw a cat .", "The dog saw a cat.", ("spacing",)),
        ("en", "  The dog  saw a cat.", "The dog saw a cat.", ("spacing",)),
        ("en", "The dog saw a cat", "The dog saw a cat.", ("stop",)),
        ("en", "The dog saw a cat．", "The dog saw a cat.", ("width",)),
        ("en", "Ｔｈｅ dog saw a cat", "The dog saw a cat.", ("width", "stop")),
        ("ja", "犬 が 猫 を 見た", "犬が猫を見た。", ("spacing", "stop")),
        ("ja", "犬が猫を見た｡", "犬が猫を見た。", ("width",)),
    ],
)
def test_a_text_is_brought_into_the_spelling_of_its_layer(
    layer: str, text: str, spelling: str, changed: tuple[str, ...]
) -> None:
    grammar = farm().grammar
    parser = Parser(grammar, grammar.text_layer(layer))
    speller = Speller(grammar.text_layers[parser.layer], parser.vocabulary)
    spellings = list(speller.spellings(text))
    assert spellings[0] == (text, ())
    assert spellings[-1] == (spelling, changed)
    assert parser.recognise(spelling)


def test_only_what_is_asked_for_is_put_right() -> None:
    grammar = farm().grammar
    words = Parser(grammar).vocabulary
    speller = Speller(grammar.text_layers[0], words, ["width"])
    assert list(speller.spellings("The dog saw a cat ．")) == [
        ("The dog saw a cat ．", ()),
        ("The dog saw a cat .", ("width",)),
    ]


def test_a_mark_that_is_a_word_of_its_own_gets_its_space() -> None:
    layer = TOY.text_layers[0]
    speller = Speller(layer, {"a", "b", "-", *layer.attach}, ["spacing"])
    assert [text for text, _ in speller.spellings("a-b .")][-1] == "a - b."


# --- outputs -----------------------------------------------------------------------------------


def test_some_reading_gives_a_text_exactly_if_going_through_them_finds_it() -> None:
    ja = TOY.text_layer("ja")
    parser = Parser(TOY, ja)
    for derivation in random_derivations(TOY, 40, seed=5):
        forest = parser.forest(interpret(TOY, derivation).texts[ja])
        assert forest is not None
        if forest.count > 200:
            continue
        source = TextOutput(TOY, 0)
        outputs = {source(reading) for reading in forest.readings(forest.count)}
        assert interpret(TOY, derivation).texts[0] in outputs
        assert all(gives(forest, source, text) for text in outputs)
        assert set(first_outputs(forest, source, forest.count)) == outputs
        assert not gives(forest, source, f"{min(outputs)} Not this.")
        assert not gives(forest, source, min(outputs)[:-1])
        assert all(all_give(forest, source, text) == (len(outputs) == 1) for text in outputs)


# --- choices -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Emma saw dogs", set()),
        ("Emma saw dogs near dogs", {("rule", "VP")}),
        ("Emma near dogs near dogs saw dogs", {("parts", "NP")}),
    ],
)
def test_readings_part_at_rules_and_in_the_parts_of_one(
    sentence: str, expected: set[tuple[str, str]]
) -> None:
    forest = Parser(ATTACHMENT).forest(sentence)
    assert forest is not None
    assert {(choice.kind, choice.category) for choice in choices(forest, 0)} == expected


def test_readings_part_at_words_that_are_written_alike() -> None:
    grammar = farm().grammar
    forest = Parser(grammar, grammar.text_layer("ja")).forest("犬が猫を追いかけた。")
    assert forest is not None
    assert forest.count == 4
    assert choices(forest, 0) == {Choice("word", "Det", ("a", "the"))}


@pytest.mark.usefixtures("corpus")
def test_ambiguous_rows_are_counted_by_where_their_readings_part(
    work: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    data = audited(work, "--source=ja", "--target=en", "--columns=en,ja")
    (choice,) = data["choices"]  # type: ignore[attr-defined]
    assert choice["options"] == ["a", "the"]
    assert choice["rows"] == data["ambiguous"]
    assert "Det               word  a / the" in capsys.readouterr().out


# --- structures --------------------------------------------------------------------------------


def test_the_joint_automaton_finds_what_each_automaton_finds() -> None:
    declared = declared_structures(farm().plan.patterns, named_structures(farm()))
    grammar = farm().grammar
    compiler = StructureCompiler(grammar)
    finder = StructureFinder(grammar, declared)
    found = 0
    for derivation in random_derivations(grammar, 80, seed=2):
        single = {
            index
            for index, entry in enumerate(declared)
            if compiler.structure_automaton(entry.structure).accepts(grammar, derivation)
        }
        assert finder.in_reading(derivation) == single
        forest = Parser(grammar).forest(interpret(grammar, derivation).texts[0])
        assert forest is not None
        some, every = finder.in_forest(forest)
        assert every <= single <= some
        found += len(single)
    assert found > 40


def test_structures_are_named_after_the_pattern_and_their_role() -> None:
    declared = declared_structures(farm().plan.patterns, {"own": farm().plan.patterns[0].forbid[0]})
    assert [(entry.name, entry.held_out) for entry in declared] == [
        ("pp_in_subject.forbid", True),
        ("pp_in_subject.need", False),
        ("own", False),
    ]


def test_structures_of_the_grammar_that_no_pattern_uses_count_too(tmp_path: Path) -> None:
    text = (FARM / "farm.sgl").read_text("utf-8")
    for name in ("animals.yaml", "verbs.yaml"):
        (tmp_path / name).write_text((FARM / name).read_text("utf-8"), "utf-8")
    path = tmp_path / "farm.sgl"
    path.write_text(
        text + "\nstructure nested { N -[nmod]-> M; M -[nmod]-> K }\n"
        "\nstructure target { N[lemma in @targets] }\n",
        "utf-8",
    )
    compiled = open_grammar(path, {}, SourceMap(), Diagnostics())
    assert compiled is not None
    assert {name: str(s) for name, s in named_structures(compiled).items()} == {
        "nested": "{ N -[nmod]-> M; M -[nmod]-> K }"
    }


# --- differences --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("published", "causes"),
    [
        ("犬が鶏の近くの猫を追いかけた。", []),
        ("犬が鶏の近くの猫を見た。", [("verbs", "word", "追いかけた", "見た")]),
        (
            "馬が鶏の近くの牛を追いかけた。",
            [("animals", "word", "犬", "馬"), ("animals", "word", "猫", "牛")],
        ),
        ("犬は鶏の近くの猫を追いかけた。", [("clause", "parts", "が", "は")]),
        ("犬が猫の近くの鶏を追いかけた。", [("modified", "order", "鶏の近くの猫", "猫の近くの鶏")]),
        (
            "犬が猫を鶏の近くの追いかけた。",
            [("transitive", "order", "鶏の近くの猫を", "猫を鶏の近くの")],
        ),
        ("犬が鶏の近くの大きい猫を追いかけた。", [("modified", "parts", "", "大きい")]),
        (
            "鶏の近くの猫を追いかけた犬が。",
            [("clause", "order", "犬が鶏の近くの猫を追いかけた", "鶏の近くの猫を追いかけた犬が")],
        ),
    ],
)
def test_a_difference_is_charged_to_the_smallest_phrase(
    published: str, causes: list[tuple[str, str, str, str]]
) -> None:
    grammar = farm().grammar
    (derivation,) = Parser(grammar).parse("The dog chased a cat near the hen.")
    found = explain_difference(grammar, derivation, TextOutput(grammar, 1), published)
    names = [(grammar.rules[d.rule].name, d.kind, d.given, d.published) for d in found]
    assert names == causes


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.text(alphabet="犬猫がをの。近く", max_size=30))
def test_every_difference_has_an_explanation_and_equality_has_none(seed: int, other: str) -> None:
    (derivation,) = random_derivations(TOY, 1, seed=seed)
    text = interpret(TOY, derivation).texts[1]
    assert explain_difference(TOY, derivation, TextOutput(TOY, 1), text) == ()
    found = explain_difference(TOY, derivation, TextOutput(TOY, 1), other)
    assert bool(found) == (text != other)
    assert {difference.rule for difference in found} <= set(derivation)


# --- the command ---------------------------------------------------------------------------------

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
    assert (
        run(["audit", "farm.sgl", "first.tsv", "second.tsv", "--json=a.json", *options]) == status
    )
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
    assert {kind: entry["rows"] for kind, entry in first["kinds"].items()} == {
        "": 2,
        "plain": 4,
        "pp": 2,
    }
    assert [(row["line"], row["reason"]) for row in data["unreadable_rows"]] == [  # type: ignore[attr-defined]
        (7, "the line is empty"),
        (8, "2 columns instead of 3"),
    ]
    assert [row["line"] for row in data["unparsed_rows"]] == [5, 6]  # type: ignore[attr-defined]
    said = work.capsys.readouterr().err
    assert "error[SGL1104]: 2 rows cannot be read" in said
    assert "first.tsv:7: the line is empty" in said
    assert data["failing"] == [{"word": "unicorn", "rows": 1}, {"word": ".", "rows": 1}]
    assert data["structures"] == {}


@pytest.mark.usefixtures("corpus")
def test_duplicates_within_and_across_files(work: Workplace) -> None:
    data = audited(work)
    assert [file["distinct"] for file in data["files"]] == [5, 2]  # type: ignore[attr-defined]
    assert data["shared"] == [
        {"first": "first.tsv", "second": "second.tsv", "rows": 1, "distinct": 1}
    ]


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
    data = audited(work, "--source", "ja", "--target", "en")
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
        (["first.tsv", "--source=fr"], USAGE, "there is no text layer `fr`"),
        (["first.tsv", "--target=syn"], USAGE, "there is no text layer or view `syn`"),
        (["first.tsv", "--columns=en", "--target=ja"], USAGE, "no column has the layer `ja`"),
        (["first.tsv", "--normalise=spacng"], USAGE, "did you mean `spacing`?"),
        (["first.tsv", "--json=first.tsv"], USAGE, "is one of the corpora"),
        (["first.tsv", "--json=nowhere/a.json"], USAGE, "there is no directory"),
        (["first.tsv", "--html=."], OUTPUT, "cannot write"),
    ],
)
@pytest.mark.usefixtures("corpus")
def test_what_cannot_be_done_is_said(
    options: list[str], status: int, words: str, work: Workplace
) -> None:
    before = (work.directory / "first.tsv").read_bytes()
    assert run(["audit", "farm.sgl", *options]) == status
    assert words in work.capsys.readouterr().err
    assert (work.directory / "first.tsv").read_bytes() == before


# --- the published data ------------------------------------------------------------------------


def published_audit(name: str, declared: Sequence[Declared]) -> dict[str, object]:
    compiled = open_grammar(grammars_dir() / "sget.sgl", {}, SourceMap(), Diagnostics())
    assert compiled is not None
    grammar = compiled.grammar
    parser = Parser(grammar)
    finder = StructureFinder(grammar, tuple(declared))
    spellers = [
        Speller(layer, Parser(grammar, index).vocabulary, ["spacing"])
        for index, layer in enumerate(grammar.text_layers)
    ]
    reader = Reader(parser, (TextOutput(grammar, 1),), finder, spellers[0])
    auditor = Auditor(reader, ("en", "ja"), tuple(declared), spellers[1:])
    return audit_data(auditor.run([PUBLISHED / name], lambda *_: None))


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published data are not beside the checkout")
def test_of_the_published_dev_set_only_the_known_errors_are_not_derived() -> None:
    data = published_audit("dev.tsv", [Declared("pp_in_subject", PP_IN_SUBJECT)])
    assert (data["rows"], data["unreadable"], data["ambiguous"]) == (5_000, 0, 0)
    assert data["structures"] == {"pp_in_subject": 0}
    assert data["files"][0]["distinct"] == 4_425  # type: ignore[index]
    rows = data["unparsed_rows"]
    # "guess" as a past tense, and a relative clause on a name.
    strange = (" guess that ", "Liam that the friend knew liked")
    assert all(any(s in row["sentence"] for s in strange) for row in rows)  # type: ignore[attr-defined]
    assert 4_500 < data["exact"]["ja"] <= data["parsed"]  # type: ignore[index,operator]
