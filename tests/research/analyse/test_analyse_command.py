"""``sglc analyse`` on treebanks as they are: multiword tokens, faults, misaligned outputs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from treebanks import EXAMPLE_WORDS, SPELT, conllu, example, write

from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run
from sgl.diagnostics import CODES
from sgl.research.analyse import TreebankReader, TreebankSentence
from sgl.research.analyse.words import tokenize_at_marks, without_marks

Analyse = Callable[..., dict[str, Any]]


@pytest.fixture
def analysed(tmp_path: Path) -> Analyse:
    """Run the command on files with these contents; what it writes as JSON."""

    def analysed(gold: str, *outputs: tuple[str, str], status: int = OK, options: str = "") -> Any:  # noqa: ANN401
        paths = [write(tmp_path / "gold.conllu", gold)]
        paths += [write(tmp_path / name, text) for name, text in outputs]
        out = tmp_path / "out.json"
        arguments = ["analyse", *map(str, paths), "--json", str(out), *options.split()]
        assert run(arguments) == status
        return json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}

    return analysed


# --- what is read ----------------------------------------------------------------------------


def test_the_example_of_the_paper_from_a_treebank_and_a_text(analysed: Analyse) -> None:
    found = analysed(example(), ("system.txt", "i enjoy my time at High Franklin school .\n"))
    means = {name: entry["mean"] for name, entry in found["treebank"]["measures"].items()}
    assert means == {"length": 8, "depth": 3, "distance": 2, "flux_size": 2, "flux_weight": 1, "arity": 0.875}
    assert found["treebank"]["projective"] == 1
    (system,) = found["systems"]
    assert system["edges"] == {"kept": 5, "edges": 7, "dea": 5 / 7}
    assert system["relations"]["compound"] == {"kept": 0, "edges": 2, "dea": 0}


def test_multiword_tokens_are_their_words_and_empty_nodes_are_none(analysed: Analyse) -> None:
    found = analysed(SPELT, ("system.txt", "Don't go to Dr. No.\n"))
    assert found["treebank"]["words"] == 6
    assert found["systems"][0]["exact"] == 1
    assert found["systems"][0]["edges"] == {"kept": 5, "edges": 5, "dea": 1}


FAULTS = [
    ("1\ta\ta\tX\t_\t_\t0\troot\t_", "9 columns instead of 10"),
    ("2\ta\ta\tX\t_\t_\t0\troot\t_\t_", "numbered 2 instead of 1"),
    ("x\ta\ta\tX\t_\t_\t0\troot\t_\t_", "not the number of a word"),
    ("1\ta\ta\tX\t_\t_\t2\troot\t_\t_", "which does not exist"),
    ("1\ta\ta\tX\t_\t_\t_\troot\t_\t_", "the HEAD of word 1 is not a number"),
    ("1\ta\ta\tX\t_\t_\t-1\troot\t_\t_", "the HEAD of word 1 is not a number"),
    ("1\ta\ta\tX\t_\t_\t1\tx\t_\t_\n2\ta\ta\tX\t_\t_\t0\troot\t_\t_", "circle"),
    ("1\ta\ta\tX\t_\t_\t1\tx\t_\t_", "0 words have HEAD 0"),
    ("1\ta\ta\tX\t_\t_\t0\tx\t_\t_\n2\ta\ta\tX\t_\t_\t0\tx\t_\t_", "2 words have HEAD 0"),
    ("1-2\ta\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\ta\tX\t_\t_\t0\tx\t_\t_", "lacks words"),
    ("2-3\ta\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\ta\tX\t_\t_\t0\tx\t_\t_", "out of place"),
    ("1\t\ta\tX\t_\t_\t0\troot\t_\t_", "FORM is empty"),
    ("1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n# late", "a comment after"),
    ("# sent_id = only", "a sentence without words"),
]


@pytest.mark.parametrize(("block", "reason"), FAULTS)
def test_a_malformed_sentence_is_reported_and_the_others_are_read(
    block: str, reason: str, analysed: Analyse, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = example("s1") + block + "\n\n" + example("s3")
    outputs = "\n".join(["i enjoy", "the output of the malformed one", " ".join(EXAMPLE_WORDS)])
    found = analysed(gold, ("system.txt", outputs), status=FAILED)
    assert found["treebank"]["sentences"] == 2
    assert found["systems"][0]["bleu"]["max"] > 0.8
    said = capsys.readouterr().err
    assert "SGL1501" in said
    assert "1 sentence cannot be read" in said
    assert reason in said


# --- predictions -----------------------------------------------------------------------------

GOLD = example("s1") + example("s2")
RIGHT = " ".join(EXAMPLE_WORDS) + " ."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("system.txt", f"{RIGHT}\n{RIGHT}\n"),
        ("system.tsv", f"s2\t{RIGHT}\ns1\t{RIGHT}\n"),
        ("system.jsonl", json.dumps({"prediction": RIGHT}) + "\n" + json.dumps({"prediction": RIGHT.split()})),
        ("system.jsonl", "\n".join(json.dumps({"id": i, "prediction": RIGHT}) for i in ("s2", "s1"))),
        ("system.conllu", example("s2") + example("s1")),
    ],
)
def test_every_form_of_predictions_is_read(name: str, text: str, analysed: Analyse) -> None:
    (system,) = analysed(GOLD, (name, text))["systems"]
    assert system["exact"] == 2
    assert system["bleu"]["mean"] == pytest.approx(1)
    assert system["edges"]["dea"] == 1


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("bad.txt", f"{RIGHT}\n", "1 prediction where 2 are expected"),
        ("bad.txt", f"{RIGHT}\n" * 3, "3 predictions where 2 are expected"),
        ("bad.txt", "", "0 predictions where 2 are expected"),
        ("bad.tsv", "s1\ta\ns1\tb\n", "a second prediction for `s1`"),
        ("bad.tsv", "s1\ta\ns7\tb\n", "have an unknown id"),
        ("bad.tsv", "s1 a\n", "line 1 has 1 column;"),
        ("bad.tsv", "\ta\n", "has no id"),
        ("bad.jsonl", "{", "is not JSON"),
        ("bad.jsonl", "[" * 100_000, "nested more than 100 deep"),
        ("bad.jsonl", "3", "no `prediction` that is a text"),
        ("bad.jsonl", '{"id": "s1"}', "no `prediction`"),
        ("bad.jsonl", '{"id": [], "prediction": ""}', "an `id` that is not a text"),
        ("bad.jsonl", '{"id": "s1", "prediction": ""}\n{"prediction": ""}', "has no `id`"),
        ("bad.conllu", "nothing\n\n", "1 columns instead of 10"),
    ],
)
def test_predictions_that_fit_nothing_are_an_error_and_other_systems_are_scored(
    name: str, text: str, reason: str, analysed: Analyse, capsys: pytest.CaptureFixture[str]
) -> None:
    found = analysed(GOLD, (name, text), ("good.txt", f"{RIGHT}\n" * 2), status=FAILED)
    assert [system["name"] for system in found["systems"]] == ["good"]
    assert reason in found["unusable"][0]["message"]
    said = capsys.readouterr().err
    assert "SGL1402" in said
    assert reason in said


def test_predictions_with_ids_need_sentences_with_ids(analysed: Analyse, capsys: pytest.CaptureFixture[str]) -> None:
    analysed(conllu([("a", "a", "X", 0, "root")]), ("system.tsv", "s1\ta\n"), status=FAILED)
    assert "no `sent_id`" in capsys.readouterr().err
    analysed(example() * 2, ("system.tsv", "s1\ta\n"), status=FAILED)
    assert "two sentences `s1`" in capsys.readouterr().err


@pytest.mark.parametrize("letter", ["D", "H"])
def test_names_that_look_like_those_in_a_log_are_names(letter: str, analysed: Analyse) -> None:
    gold = example(f"{letter}-0") + example(f"{letter}-1")
    (system,) = analysed(gold, ("system.tsv", f"{letter}-0\t{RIGHT}\n{letter}-1\t{RIGHT}\n"))["systems"]
    assert (system["exact"], system["empty"]) == (2, 0)


@pytest.mark.parametrize("line", ["s{}, " + RIGHT, "S{}\t" + RIGHT, "s{}: " + RIGHT.lower()])
def test_lines_that_begin_with_the_names_of_their_sentences_are_refused(
    line: str, analysed: Analyse, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "".join(f"{line.format(number)}\n" for number in (1, 2))
    analysed(GOLD, ("system.txt", text), status=FAILED)
    assert "2 of the 2 predictions begin with the name of their sentence" in capsys.readouterr().err


def test_names_in_capital_letters_are_said(analysed: Analyse, capsys: pytest.CaptureFixture[str]) -> None:
    analysed(GOLD, ("system.tsv", f"S1\t{RIGHT}\nS2\t{RIGHT}\n"), status=FAILED)
    assert "2 of them differ in capital letters or spaces alone" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["i en@@ joy my time", "Ġi Ġen joy Ġmy</s>", '{"prediction": ["i", "en", "##joy"]}'])
def test_pieces_of_a_tokenizer_are_noticed(text: str, analysed: Analyse, capsys: pytest.CaptureFixture[str]) -> None:
    analysed(GOLD, ("system.txt", f"{text}\n" * 2))
    assert "2 predictions joined; the marks of a tokenizer were removed" in capsys.readouterr().err


def test_a_missing_prediction_counts_as_wrong_and_is_said(
    analysed: Analyse, capsys: pytest.CaptureFixture[str]
) -> None:
    (system,) = analysed(GOLD, ("system.tsv", f"s1\t{RIGHT}\n"))["systems"]
    assert (system["missing"], system["empty"], system["exact"]) == (1, 0, 1)
    assert system["bleu"]["mean"] == pytest.approx(0.5)
    assert "SGL1403" in capsys.readouterr().err


def test_an_empty_prediction_counts_as_wrong(analysed: Analyse) -> None:
    (system,) = analysed(GOLD, ("system.txt", f"{RIGHT}\n\n"))["systems"]
    assert (system["missing"], system["empty"]) == (0, 1)
    assert system["bleu"]["min"] == 0


def test_texts_that_are_cut_otherwise_than_the_treebank_are_noticed(
    analysed: Analyse, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("本", "本", "NOUN", 2, "nsubj"), ("だ", "だ", "AUX", 0, "root")]
    gold = conllu(rows, "text = 本だ")  # type: ignore[arg-type]
    found = analysed(gold, ("system.txt", "本だ\n"), options="--tokenize space")
    assert found["systems"][0]["glued"] == 1
    assert "SGL1505" in capsys.readouterr().err
    found = analysed(gold, ("system.txt", "本だ\n"), options="--tokenize char")
    assert found["systems"][0]["exact"] == 1


JAPANESE = [("猫", "猫", "NOUN", 3, "nsubj"), ("が", "が", "ADP", 1, "case"), ("走っ", "走る", "VERB", 0, "root")]
JAPANESE += [("た", "た", "AUX", 3, "aux"), ("。", "。", "PUNCT", 3, "punct")]
CHINESE = [
    ("老师", "老师", "NOUN", 2, "nsubj"),
    ("喜欢", "喜欢", "VERB", 0, "root"),
    ("学生", "学生", "NOUN", 2, "obj"),
]


@pytest.mark.parametrize(
    ("rows", "text", "output", "way", "kept"),
    [
        # The text of the sentence, another one, and one that is cut already.
        (JAPANESE, "猫が走った。", "猫が走った。", "ja-mecab", 3),
        (JAPANESE, "猫が走った。", "犬が走った。", "ja-mecab", 1),
        (JAPANESE, "猫が走った。", "犬 が 走っ た 。", "ja-mecab", 1),
        (CHINESE, "老师喜欢学生", "老师喜欢医生", "jieba", 1),
    ],
)
def test_outputs_without_spaces_are_cut_by_the_segmenter_of_the_language(
    rows: list[tuple[str, str, str, int, str]],
    text: str,
    output: str,
    way: str,
    kept: int,
    analysed: Analyse,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if way == "jieba":
        pytest.importorskip("jieba")
    found = analysed(conllu(rows, f"text = {text}"), ("system.txt", f"{output}\n"))  # type: ignore[arg-type]
    assert found["settings"]["tokenizer"] == way
    assert found["systems"][0]["edges"]["kept"] == kept
    assert f"Outputs without spaces are cut into words by {way}." in capsys.readouterr().out
    plainly = analysed(conllu(rows, f"text = {text}"), ("system.txt", f"{output}\n"), options="--tokenize space")  # type: ignore[arg-type]
    assert plainly["systems"][0]["edges"]["kept"] == (kept if " " in output else 0)


@pytest.mark.parametrize("tokenizer", ["marks", "space", "13a", "intl", "zh", "char"])
def test_every_tokenizer_cuts(tokenizer: str, analysed: Analyse) -> None:
    outputs = ("system.txt", f"{RIGHT}\n{RIGHT}\n")
    found = analysed(GOLD, outputs, options=f"--tokenize {tokenizer}")
    assert found["systems"][0]["exact"] == (0 if tokenizer == "char" else 2)


def test_case_and_punctuation_matter_if_asked(analysed: Analyse) -> None:
    outputs = ("system.txt", f"{RIGHT.lower()}\n{RIGHT}\n")
    assert analysed(GOLD, outputs)["systems"][0]["exact"] == 2
    assert analysed(GOLD, outputs, options="--keep-case")["systems"][0]["exact"] == 1
    assert analysed(GOLD, outputs, options="--keep-punctuation")["treebank"]["words"] == 18


def test_an_exact_output_keeps_all_edges_though_a_mark_is_a_word_elsewhere(analysed: Analyse) -> None:
    rows = [("-", "-", "PUNCT", 2, "punct"), ("say", "say", "VERB", 0, "root")]
    gold = conllu([*rows, ("-", "-", "SYM", 2, "obj")])
    (system,) = analysed(gold, ("system.txt", "- say -\n"))["systems"]
    assert (system["exact"], system["edges"]["dea"]) == (1, 1)


def sentence_of(text: str, tmp_path: Path) -> TreebankSentence:
    (found,) = TreebankReader().read(write(tmp_path / "gold.conllu", text))
    assert isinstance(found, TreebankSentence)
    return found


def test_marks_are_cut_off_unknown_words_only(tmp_path: Path) -> None:
    sentence = sentence_of(SPELT, tmp_path)
    words = tokenize_at_marks("(don't go to Dr. No, Jim...) !", sentence)
    assert words == ["(", "Do", "n't", "go", "to", "Dr.", "No", ",", "Jim", "...", ")", "!"]
    assert without_marks(["a", "%", ".", "-"], {"a", "%"}, {"."}) == ["a", "%"]


# --- groups, results, options ----------------------------------------------------------------


def test_sentences_are_grouped_by_a_comment(analysed: Analyse) -> None:
    gold = "# kind = a\n" + example("s1") + "# kind = b\n" + example("s2") + example("s3")
    found = analysed(gold, ("system.txt", f"{RIGHT}\nno\n{RIGHT}\n"), options="--by kind")
    assert [group["group"] for group in found["groups"]] == ["a", "b", ""]
    assert [group["systems"]["system"]["exact"] for group in found["groups"]] == [1, 0, 1]


def test_two_systems_of_one_name_are_told_apart(tmp_path: Path, analysed: Analyse) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    outputs = [(f"{name}/out.txt", f"{RIGHT}\nno\n") for name in ("one", "two")]
    found = analysed(GOLD, *outputs, options="--support 1")
    assert [system["name"] for system in found["systems"]] == ["one", "two"]
    assert found["mined"][0]["suspects"][0]["coverage"] == 2


def test_where_lemmas_are_compared_examples_show_forms(analysed: Analyse) -> None:
    said = conllu([("Times", "time", "NOUN", 0, "root")], "sent_id = s1")
    found = analysed(example("s1"), ("system.conllu", said), options="--support 1 --compare lemma --failure inexact")
    assert {suspect["example"]["output"] for suspect in found["mined"][0]["suspects"]} == {"Times"}


def test_a_page_and_tables_are_written(tmp_path: Path, analysed: Analyse) -> None:
    page, tables = tmp_path / "page.html", tmp_path / "tables.tex"
    crooked = example("s3").replace("nmod:poss", "nmod_p<b>")
    outputs = ("system.txt", f"{RIGHT}\n<script>no & such</script>\n{RIGHT}\n")
    options = f"--html {page} --latex {tables} --support 1 --failure inexact"
    analysed(GOLD + crooked, outputs, options=options)
    html = page.read_text(encoding="utf-8")
    assert "<script" not in html
    assert "://" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "word marked" in html
    assert html.count("<svg") == html.count("</svg>") > 3
    assert r"nmod\_p\textless{}b\textgreater{}" in tables.read_text(encoding="utf-8")


def test_a_perfect_system_has_nothing_to_mine(analysed: Analyse) -> None:
    found = analysed(GOLD, ("system.txt", f"{RIGHT}\n" * 2), options="--support 1")
    assert found["systems"][0]["failed"] == 0
    assert all(mined["suspects"] == [] for mined in found["mined"])


def test_a_perfect_short_sentence_has_not_failed_whatever_its_bleu(analysed: Analyse) -> None:
    short = conllu([("Go", "go", "VERB", 0, "root"), ("on", "on", "ADP", 1, "compound:prt")])
    found = analysed(short + example(), ("system.txt", f"Go on\n{RIGHT}\n"))
    assert found["systems"][0]["bleu"]["min"] < 0.8
    assert found["systems"][0]["failed"] == 0


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ("nowhere.conllu", OUTPUT, "SGL1102"),
        (". ", OUTPUT, "it is a directory"),
        ("gold.conllu nowhere.txt", OUTPUT, "cannot read `nowhere.txt`"),
        ("gold.conllu --nodes 3:2", USAGE, "--nodes 3:2"),
        ("gold.conllu --nodes ²", USAGE, "--nodes ²"),
        ("gold.conllu --failure 1.5", USAGE, "--failure 1.5"),
        ("gold.conllu --failure nan", USAGE, "--failure nan"),
        ("gold.conllu --json gold.conllu", OUTPUT, "is also an input file"),
        ("gold.conllu --json a --html a", USAGE, "two results"),
        ("gold.conllu --json no/where", OUTPUT, "no directory"),
        ("gold.conllu --html .", OUTPUT, "SGL1103"),
        ("empty.conllu", FAILED, "SGL1502"),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: str,
    status: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "gold.conllu", GOLD)
    write(tmp_path / "empty.conllu", "\n")
    assert run(["analyse", *arguments.split()]) == status
    said = capsys.readouterr().err
    assert words in said
    assert "internal error" not in said


JAPANESE = "犬 が 本 を 読ん だ"
ENGLISH = "the dog has read a book"


@pytest.mark.parametrize(
    ("sentence", "output", "noticed"),
    [
        (JAPANESE, ENGLISH, "Latin, not Hiragana, Han"),
        (ENGLISH, "собака прочитала книгу", "Cyrillic, not Latin"),
        (ENGLISH, "犬が本を読んだ", "Hiragana, Han, not Latin"),
        (JAPANESE, "猫 は 魚 を 食べ る", ""),
        (JAPANESE, "狗 读 了 书", ""),
        (ENGLISH, "der Hund hat ein Buch gelesen", ""),
        ("犬 が Franklin を 読ん だ", "犬 が Franklin High School を 読ん だ", ""),
    ],
)
def test_outputs_in_another_script_are_noticed(
    sentence: str, output: str, noticed: str, analysed: Analyse, capsys: pytest.CaptureFixture[str]
) -> None:
    words = sentence.split()
    rows = [(word, word, "NOUN", place, "dep" if place else "root") for place, word in enumerate(words)]
    analysed(conllu(rows) * 20, ("system.txt", f"{output}\n" * 20))
    said = capsys.readouterr().err
    assert ("warning[SGL1507]" in said) == bool(noticed)
    assert noticed in said


def test_few_outputs_say_nothing_about_the_language(analysed: Analyse, capsys: pytest.CaptureFixture[str]) -> None:
    analysed(GOLD, ("system.txt", "犬\n猫\n"))
    assert "SGL1507" not in capsys.readouterr().err


def test_the_same_files_give_the_same_results(tmp_path: Path) -> None:
    write(tmp_path / "gold.conllu", GOLD)
    write(tmp_path / "system.txt", f"{RIGHT}\nno\n")
    files = [str(tmp_path / name) for name in ("gold.conllu", "system.txt")]
    results = [tmp_path / name for name in ("first.json", "second.json")]
    for result in results:
        assert run(["analyse", *files, "--support", "1", "--json", str(result)]) == OK
    assert results[0].read_bytes() == results[1].read_bytes()


def test_every_code_of_the_command_has_a_page() -> None:
    assert {"SGL1402", "SGL1403", "SGL1501", "SGL1502", "SGL1505", "SGL1506", "SGL1507"} <= set(CODES)
