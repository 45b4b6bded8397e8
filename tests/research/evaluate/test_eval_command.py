"""``sglc eval`` as a user runs it: good predictions, bad ones, and files that do not fit."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from diagnostics import INTERNAL
from workplace import Workplace

import scoring
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run
from sgl.foreign import ForeignFileError
from sgl.research.analyse.outputs import PredictionsError
from sgl.research.analyse.words import joined
from sgl.research.evaluate.benchmark import read_benchmark
from sgl.research.evaluate.data import show_table
from sgl.research.evaluate.partial import Decision
from sgl.research.evaluate.runs import read_runs

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples"


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset of the tutorial, with its grammar beside it."""
    directory = tmp_path_factory.mktemp("farm")
    for path in EXAMPLE.iterdir():
        if path.is_file():
            shutil.copy(path, directory)
    assert run(["compile", str(directory / "farm.sgl"), "-o", str(directory / "out")]) == OK
    return directory / "out"


@pytest.fixture
def gold(farm: Path) -> list[str]:
    rows = (farm / "data" / "gen.tsv").read_text("utf-8").splitlines()
    return [row.split("\t")[1] for row in rows]


def evaluated(work: Workplace, farm: Path, *arguments: str, status: int = OK) -> dict[str, Any]:
    """The JSON of a run that ends so."""
    assert run(["eval", str(farm), *arguments, "--json", "result.json"]) == status
    said = work.capsys.readouterr()
    assert not [word for word in INTERNAL if word in said.out + said.err]
    result: dict[str, Any] = json.loads((work.directory / "result.json").read_text("utf-8"))
    return result


def lines(texts: list[str]) -> str:
    return "\n".join(texts) + "\n"


def mean(result: dict[str, Any], metric: str, system: str = "gold") -> float:
    found: float = result["tables"]["overall"][0]["scores"][metric][system]["mean"]
    return found


@pytest.mark.slow
def test_gold_texts_are_right_by_every_metric(work: Workplace, farm: Path, gold: list[str]) -> None:
    work.write("gold.txt", lines(gold))
    result = evaluated(work, farm, "gold.txt")
    assert mean(result, "exact") == mean(result, "exact_raw") == mean(result, "partial") == 1.0
    assert mean(result, "bleu") == pytest.approx(100)
    assert mean(result, "chrf") == pytest.approx(100)
    assert result["partial_match"]["gold"] == {"pp_in_subject": {"checked": 100, "right": 100}}
    assert result["mistakes"]["systems"] == {"gold": {}}


def test_names_in_brackets_are_shown_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(["", "[bold]t5[/bold]", "[sget-lstm]"], [["[red]x[/red]", "[1] 83.0", "[/]"]])
    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["[bold]t5[/bold]", "[sget-lstm]"]
    assert row.split() == ["[red]x[/red]", "[1]", "83.0", "[/]"]


def test_every_wrong_prediction_has_a_kind_of_mistake(work: Workplace, farm: Path, gold: list[str]) -> None:
    bad = list(gold)
    bad[0], bad[1], bad[2] = "", "ヌ。", gold[3]
    work.write("bad.txt", lines(bad))
    result = evaluated(work, farm, "bad.txt")
    counts = result["mistakes"]["systems"]["bad"]["pp_in_subject"]
    assert counts["empty"] == counts["unrelated"] == 1
    # One prediction may have several.
    assert sum(counts.values()) >= 3
    assert mean(result, "exact", "bad") == pytest.approx(1 - 3 / len(gold))


def test_the_page_has_the_score_of_each_system_beside_an_item_that_it_got_wrong(
    work: Workplace, farm: Path, gold: list[str]
) -> None:
    work.write("good.txt", lines(gold))
    work.write("bad.txt", lines([*gold[:7], "犬。", *gold[8:]]))
    result = evaluated(work, farm, "bad.txt", "good.txt", "--html", "page.html")
    (example,) = result["examples"]["pp_in_subject"].items()
    assert example[0] == "bad"
    assert (example[1]["id"], example[1]["target"], example[1]["prediction"]) == ("gen-000008", gold[7], "犬。")
    table = (work.directory / "page.html").read_text("utf-8").partition('<table class="answers">')[2]
    assert f"{100 * mean(result, 'exact', 'bad'):.1f} %" in table.partition("</table>")[0]


@pytest.mark.parametrize("form", ["tsv", "jsonl", "txt with names"])
def test_missing_predictions_count_as_wrong_and_are_named(
    form: str, work: Workplace, farm: Path, gold: list[str]
) -> None:
    named = [(f"gen-{n:06d}", text) for n, text in enumerate(gold, 1)][1:]
    if form == "jsonl":
        texts = [json.dumps({"id": name, "prediction": text}) for name, text in named]
    else:
        texts = [f"{name}\t{text}" for name, text in named]
    file = "some." + form.split(maxsplit=1)[0]
    work.write(file, lines(texts))
    assert run(["eval", str(farm), file, "--json", "result.json"]) == OK
    said = work.capsys.readouterr().err
    assert "warning[SGL1403]" in said
    assert "1 prediction missing, counted as wrong" in said
    assert "gen-000001" in said
    result = json.loads((work.directory / "result.json").read_text("utf-8"))
    assert mean(result, "exact", "some") == pytest.approx(1 - 1 / len(gold))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda gold: gold[1:], "199 predictions where 200 are expected"),
        (lambda gold: [*gold, "犬。"], "201 predictions where 200 are expected"),
        (lambda _: [], "1 prediction where 200 are expected"),
        (
            lambda gold: [f"gen-{n:06d}\t{t}" for n, t in enumerate(gold, 2)],
            "1 of the 200 predictions have an unknown id",
        ),
        (lambda gold: [f"gen-000001\t{t}" for t in gold], "is a second prediction for `gen-000001`"),
        (
            lambda gold: ["id\tprediction", "gen-000001", *gold],
            "line 2 has 1 column; a prediction is an id, a tab and a text",
        ),
        (lambda _: ["{"], "is not JSON"),
        (lambda _: ['{"a":' * 100_000], "nested more than 100 deep"),
        (lambda _: [r'{"text": "\ud800"}'], "half of a surrogate pair"),
        (lambda _: ["{}"], "no `prediction` that is a text"),
        (lambda _: ['{"id": 1, "text": 2}'], "no `prediction` that is a text"),
    ],
)
def test_predictions_that_do_not_fit_are_an_error(
    change: Callable[[list[str]], list[str]], words: str, work: Workplace, farm: Path, gold: list[str]
) -> None:
    work.write("bad.txt", lines(change(gold)))
    assert run(["eval", str(farm), "bad.txt"]) == FAILED
    said = work.capsys.readouterr()
    assert "error[SGL1402]" in said.err
    assert words in said.err
    assert "Exact Match" not in said.out


def test_a_file_that_lost_a_line_and_gained_one_is_noticed(farm: Path, work: Workplace, gold: list[str]) -> None:
    path = work.write("shifted.txt", lines(["犬。", *gold[:-1]]))
    rows = read_benchmark(farm, None, None).rows
    assert read_runs(path, rows)[0].shifted == 1
    assert read_runs(work.write("gold.txt", lines(gold)), rows)[0].shifted == 0


def test_what_is_not_utf8_or_not_there_is_an_error(farm: Path, work: Workplace) -> None:
    rows = read_benchmark(farm, None, None).rows
    with pytest.raises(PredictionsError, match="line 1 is not UTF-8 at byte 3"):
        read_runs(work.write("bytes.txt", b"ab\xff\n"), rows)
    with pytest.raises(ForeignFileError, match="No such file"):
        read_runs(work.directory / "nothing.txt", rows)


def test_the_strangest_predictions_are_wrong_and_nothing_else(work: Workplace, farm: Path, gold: list[str]) -> None:
    strange = ["犬が" * 300, "犬の近くの" * 5000, "\x00\x1b[2J", "𝔡𝔬𝔤", "🐕‍🦺", "a" * 99, "。", "\u202e犬"]
    work.write("strange.txt", lines([*strange, *gold[len(strange) :]]))
    result = evaluated(work, farm, "strange.txt", "--html", "page.html")
    wrong = len(strange) / len(gold)
    assert mean(result, "exact", "strange") == pytest.approx(1 - wrong)
    assert mean(result, "partial", "strange") == pytest.approx(1 - wrong)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{farm}", "x.txt", "--split", "dve"], "it has train, dev, test, gen"),
        (["{farm}", "x.txt", "--target", "cogs"], "the dataset has no target `cogs`"),
        (["{farm}/data/gen.tsv", "x.txt", "--split", "gen"], "has no split"),
    ],
)
def test_what_is_no_dataset_is_an_error(arguments: list[str], words: str, work: Workplace, farm: Path) -> None:
    assert run(["eval", *(a.format(farm=farm) for a in arguments)]) == FAILED
    said = work.capsys.readouterr().err
    assert "error[SGL1401]" in said
    assert words in said


def test_a_manifest_that_is_none_is_an_error(work: Workplace) -> None:
    for content in ("{", "[]", '{"layers": 5}', '{"layers": {}, "splits": []}'):
        work.write("data/manifest.json", content)
        assert run(["eval", "data", "x.txt"]) == OUTPUT
        assert "error[SGL1102]: cannot read `data/manifest.json`" in work.capsys.readouterr().err


def test_a_file_of_rows_is_scored_without_a_manifest(work: Workplace, farm: Path, gold: list[str]) -> None:
    work.write("gold.txt", lines(gold))
    rows = farm / "data" / "gen.tsv"
    result = evaluated(work, rows, "gold.txt", "--language", "ja")
    assert mean(result, "exact") == 1.0
    assert "partial" not in result["metrics"]
    assert "no manifest" in result["not_computed"]["Partial Match"]
    assert "tok:ja-mecab" in result["signatures"]["bleu"]


def test_a_grammar_that_has_changed_is_named_and_used(work: Workplace, farm: Path, gold: list[str]) -> None:
    text = (EXAMPLE / "farm.sgl").read_text("utf-8").replace("~ 3", "~ 4")
    work.write("farm.sgl", text)
    for path in EXAMPLE.iterdir():
        if path.is_file() and path.name != "farm.sgl":
            work.write(path.name, path.read_bytes())
    work.write("gold.txt", lines(gold))
    assert run(["eval", str(farm), "gold.txt", "--grammar", "farm.sgl"]) == OK
    assert "warning[SGL1404]" in work.capsys.readouterr().err


def test_runs_of_one_system_have_a_deviation_and_systems_are_compared(
    work: Workplace, farm: Path, gold: list[str]
) -> None:
    for number, wrong in enumerate((60, 64, 20, 24)):
        work.write(f"{number}.txt", lines(["犬。"] * wrong + gold[wrong:]))
    files = ["A=0.txt", "A=1.txt", "B=2.txt", "B=3.txt"]
    result = evaluated(work, farm, *files, "--test", "randomisation", "--samples", "2000")
    cell = result["tables"]["overall"][0]["scores"]["exact"]["A"]
    assert cell["mean"] == pytest.approx(0.69)
    assert cell["runs"] == [0.7, 0.68]
    assert cell["deviation"] == pytest.approx(0.02 / 2**0.5)
    assert cell["low"] < 0.69 < cell["high"]
    found = [d for d in result["tests"]["differences"] if d["metric"] == "exact"]
    assert [(d["first"], d["second"], d["part"]) for d in found] == [("A", "B", "all"), ("A", "B", "pp_in_subject")]
    assert found[0]["mean"] == pytest.approx(0.2)
    assert found[0]["p"] <= found[0]["adjusted"] < 0.05


@pytest.mark.slow
def test_the_page_needs_nothing_but_itself_and_the_tables_are_latex(
    work: Workplace, farm: Path, gold: list[str]
) -> None:
    work.write("gold.txt", lines(gold))
    work.write("bad.txt", lines(["<b>&犬。", *gold[1:]]))
    evaluated(work, farm, "gold.txt", "bad.txt", "--html", "page.html", "--latex", "tables.tex")
    page = (work.directory / "page.html").read_text("utf-8")
    assert not re.search(r"<script|<link|<img|src=|href=|url\(|@import", page)
    for part in ("Overall", "By pattern", "By length", "By depth", "Mistakes", "Differences"):
        assert part in page
    assert page.count("<svg") > 4
    tables = (work.directory / "tables.tex").read_text("utf-8")
    assert tables.count(r"\begin{table}") == tables.count(r"\end{table}") == 5
    assert r"PP in object $\rightarrow$ subject & 200 & 100.0" in tables


def test_the_benchmark_of_known_faults_finds_gold_texts_right(farm: Path) -> None:
    result = scoring.run(farm, items=20, seed=1)
    assert result["gold wrong"] == []
    assert result["verdicts"] == [["none", Decision.PARSE.value, True, True, 20]]
    assert set(result["microseconds"]) > {"parsing alone", "BLEU and chrF++"}


@pytest.mark.parametrize(
    ("library", "status", "words"),
    [("scipy", FAILED, "error[SGL0904]: no scipy"), ("sacrebleu.metrics.bleu", OK, "SGL1405")],
)
def test_a_library_that_is_not_installed_is_named(
    library: str, status: int, words: str, work: Workplace, farm: Path, gold: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    work.write("gold.txt", lines(gold))
    if library == "scipy":
        monkeypatch.setattr("sgl.research.analyse.command.find_spec", lambda name: None if name == library else 1)
    else:
        monkeypatch.setitem(sys.modules, library, None)
    assert run(["eval", str(farm), "gold.txt"]) == status
    said = work.capsys.readouterr()
    assert words in said.err
    assert "BLEU:" not in said.out


def test_options_that_need_one_another_and_files_that_cannot_be_written(
    work: Workplace, farm: Path, gold: list[str]
) -> None:
    work.write("gold.txt", lines(gold))
    assert run(["eval", str(farm), "gold.txt", "--compounds", "gold.txt"]) == USAGE
    assert run(["eval", str(farm), "gold.txt", "--html", "none/page.html"]) == OUTPUT
    assert "there is no directory `none`" in work.capsys.readouterr().err
    assert run(["eval", str(farm), "gold.txt", "--html", "."]) == OUTPUT
    assert "SGL1103" in work.capsys.readouterr().err


# ---- what looks like a score and would be none


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("{name},{text}", 200),
        ("{upper}\t{text}", 200),
        (" {name}\t{text}", 200),
        ("test-{number:06d}\t{text}", 200),
        ("{name} {text}", 200),
        ('"{name}";"{text}"', 200),
        ("{number}\t{text}", 200),
    ],
)
def test_lines_that_nearly_have_the_names_of_rows_are_refused(
    line: str, count: int, work: Workplace, farm: Path, gold: list[str]
) -> None:
    names = [f"gen-{number:06d}" for number in range(1, len(gold) + 1)]
    work.write(
        "near.txt",
        lines(
            [
                line.format(name=name, upper=name.upper(), number=number, text=text)
                for number, (name, text) in enumerate(zip(names, gold, strict=True), 1)
            ]
        ),
    )
    assert run(["eval", str(farm), "near.txt", "--json", "result.json"]) == FAILED
    said = work.capsys.readouterr().err
    assert "error[SGL1402]" in said
    assert f"{count} of 200 lines begin like the name of a row, but not with one" in said
    assert "`gen-000001`, a tab and the text" in said
    assert not (work.directory / "result.json").exists()


def test_a_first_line_without_its_name_does_not_make_all_others_wrong(
    work: Workplace, farm: Path, gold: list[str]
) -> None:
    named = [f"gen-{number:06d}\t{text}" for number, text in enumerate(gold, 1)]
    work.write("near.txt", lines([gold[0], *named[1:]]))
    assert run(["eval", str(farm), "near.txt"]) == FAILED
    assert "199 of 200 lines begin like the name" in work.capsys.readouterr().err


def test_texts_may_have_commas_and_numbers(work: Workplace, farm: Path, gold: list[str]) -> None:
    work.write("texts.txt", lines(["COVID-19, 犬が", "1, 2", *gold[2:]]))
    assert mean(evaluated(work, farm, "texts.txt"), "exact", "texts") == pytest.approx(0.99)


@pytest.mark.parametrize(
    "change", [lambda text: text.replace("。", "", 1), lambda text: "".join(reversed(text.splitlines(keepends=True)))]
)
def test_gold_texts_that_were_changed_are_not_scored_against(
    change: Callable[[str], str], work: Workplace, farm: Path, gold: list[str]
) -> None:
    copy = work.directory / "copy"
    shutil.copytree(farm, copy)
    rows = copy / "data" / "gen.tsv"
    rows.write_text(change(rows.read_text("utf-8")), "utf-8")
    work.write("gold.txt", lines(gold))
    assert run(["eval", str(copy), "gold.txt"]) == FAILED
    said = work.capsys.readouterr().err
    assert "error[SGL1401]" in said
    assert "is not the file of the manifest: it has changed since it was written" in said
    # The file by itself is a file of somebody's.
    assert run(["eval", str(rows), "gold.txt"]) == OK


def test_a_split_that_the_manifest_does_not_list_is_not_scored_against(
    work: Workplace, farm: Path, gold: list[str]
) -> None:
    copy = work.directory / "copy"
    shutil.copytree(farm, copy)
    manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
    manifest["files"] = [f for f in manifest["files"] if f["path"] != "data/gen.tsv"]
    (copy / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    work.write("gold.txt", lines(gold))
    assert run(["eval", str(copy), "gold.txt"]) == FAILED
    assert "it is not listed" in work.capsys.readouterr().err


def as_bytes(text: str) -> str:
    """Byte-level pieces of a text: a letter for each byte, and spaces between pieces."""
    return " ".join("".join(BYTE_LETTERS[byte] for byte in part.encode()) for part in re.findall(".{1,2}", text))


#: Of GPT-2: bytes that can be seen are themselves, the others are letters from Ā on, in order.
SEEN = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
BYTE_LETTERS = {byte: chr(byte) for byte in SEEN}
BYTE_LETTERS |= {byte: chr(0x100 + at) for at, byte in enumerate(b for b in range(256) if b not in SEEN)}


@pytest.mark.parametrize(
    "cut",
    [
        "@@ ".join,
        lambda text: "▁" + " ".join(text),
        " ##".join,
        as_bytes,
        lambda text: f"Ġ{text}",
        lambda text: f"{as_bytes(text)}Ċ",
        lambda text: f"<s> {text} </s> <pad> <pad>",
        lambda text: f"</s>{text}</s>",
        lambda text: f"[CLS] {' '.join(text)} [SEP] [PAD]",
        lambda text: f"<s>▁{' '.join(text)}</s>",
    ],
)
def test_pieces_of_words_are_joined_and_the_user_is_told(
    cut: Callable[[str], str], work: Workplace, farm: Path, gold: list[str]
) -> None:
    work.write("pieces.txt", lines([cut(text) for text in gold]))
    assert run(["eval", str(farm), "pieces.txt", "--json", "result.json"]) == OK
    said = work.capsys.readouterr().err
    assert "warning[SGL1409]" in said
    assert "200 predictions joined; the marks of a tokenizer were removed" in said
    result = json.loads((work.directory / "result.json").read_text("utf-8"))
    assert mean(result, "exact", "pieces") == 1.0


@pytest.mark.parametrize(
    "text", ["Čapek saw Dvořák.", "Zoë ate a café.", "łódź", "a < b > c", "[see] </b>", "<unk>", "# 1 ## 2", "名前"]
)
def test_what_is_no_mark_of_a_tokenizer_stays(text: str) -> None:
    assert joined(text) == text


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ("The ĠcatĠ sle pt .", "The cat slept."),
        ("ĠçĮ« ãģĮ", "猫が"),
        ("çĮ«ãģĮ", "猫が"),
        ("ĠcafÃ©ĊĠtwo", "café two"),
        ("ĠçĮ", "\ufffd"),  # a letter that was cut off
        ("Ġ猫が Ġnear", "猫が near"),
        ("</s>", ""),
    ],
)
def test_pieces_of_bytes_are_text(pieces: str, text: str) -> None:
    assert joined(pieces) == text


FAIRSEQ = (
    "loading\nS-1\tb\nT-1\tb\nH-1\t-0.2\t犬@@ が\nD-1\t-0.2\t{1}\nS-0\ta\nH-0\t-0.1\t{0}\nH-0\t-0.9\tx\nP-0\t-0.1\n"
)


BATCH = (
    '{{{{"custom_id": "rows-00000{}", "response": {{{{"body": {{{{"choices": '
    '[{{{{"message": {{{{"content": "{}"}}}}}}}}]}}}}}}}}}}}}\n'
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("generate.log", FAIRSEQ),
        ("list.json", '["{0}",\n "{1}"]'),
        ("objects.json", '[{{"generated_text": "{0}"}}, {{"generated_text": "{1}"}}]'),
        ("lines.jsonl", '{{"predict": "{0}", "label": "x"}}\n{{"predict": "{1}", "label": "x"}}\n'),
        ("translation.jsonl", '{{"translation_text": "{0}"}}\n{{"translation_text": "{1}"}}\n'),
        # What grep takes from a log.
        ("hypotheses.txt", "H-1\t-0.2\t{1}\nH-0\t-0.1\t{0}\n"),
        ("detokenized.txt", "D-1\t-0.2\t{1}\nD-0\t-0.1\t{0}\n"),
        # A pipeline of Transformers, lm-evaluation-harness, vLLM, a batch of OpenAI, AllenNLP with beams.
        ("pipeline.json", '[[{{"generated_text": "{0}"}}], [{{"generated_text": "{1}"}}]]'),
        (
            "samples.jsonl",
            '{{"doc_id": 0, "resps": [["q"]], "filtered_resps": ["{0}"]}}\n{{"filtered_resps": ["{1}"]}}\n',
        ),
        (
            "served.jsonl",
            '{{"prompt": "x", "outputs": [{{"text": "{0}"}}, {{"text": "y"}}]}}\n{{"outputs": [{{"text": "{1}"}}]}}\n',
        ),
        ("batch.jsonl", BATCH.format("2", "{1}") + BATCH.format("1", "{0}")),
        ("beams.jsonl", '{{"predicted_tokens": [["{0}"], ["y"]]}}\n{{"predicted_tokens": [["{1}"]]}}\n'),
        ("whole.json", '{{\n "predictions": ["{0}",\n "{1}"]\n}}'),
        ("named.json", '{{"rows-000002": "{1}", "rows-000001": "{0}"}}'),
        ("numbered.json", '[{{"id": 1, "prediction": "{1}"}}, {{"id": 0, "prediction": "{0}"}}]'),
        ("european.csv", "ID;Prediction\nrows-000002;{1}\nrows-000001;{0}\n"),
        ("broken_lines.csv", 'prediction\n"{0}\n"\n{1}\n'),
        ("table.csv", 'id,source,prediction\nrows-000002,"a, b","{1}"\nrows-000001,c,{0}\n'),
        ("plain.csv", "prediction\n{0}\n{1}\n"),
        ("realized.txt", "# sent_id = rows-000002\n# text = {1}\n\n# sent_id = rows-000001\n# text = {0}\n"),
    ],
)
def test_outputs_are_read_as_systems_write_them(name: str, text: str, work: Workplace) -> None:
    texts = ["犬が猫を見た。", "猫が走った。"]
    work.write("rows.tsv", "".join(f"x\t{target}\n" for target in texts))
    work.write(name, text.format(*texts))
    assert run(["eval", "rows.tsv", name, "--language", "ja", "--json", "result.json"]) == OK
    result = json.loads((work.directory / "result.json").read_text("utf-8"))
    assert mean(result, "exact", name.partition(".")[0]) == 1.0


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("generate.log", "S-0\ta\nH-1\t-0.2\tx\n", "none for item 0"),
        ("table.csv", "id,text of mine\n1,x\n", "no column is called one of prediction"),
        ("lines.jsonl", '{"mine": "x"}\n{"mine": "x"}\n', "the member with the text is called one of"),
        ("list.json", '["x", 3]', "line 2 has no `prediction` that is a text"),
        ("deep.jsonl", '{"outputs": [{"score": 1}]}\n' * 2, "the member with the text is called one of"),
        ("numbers.json", '[{"id": 0, "text": "b"}, {"id": 2, "text": "d"}]', "2 predictions have an unknown id"),
        ("empty.tsv", "", "0 predictions where 2 are expected"),
        ("list.json", '["x"', "it is not JSON"),
    ],
)
def test_outputs_that_cannot_be_read_are_refused_with_the_reason(
    name: str, text: str, why: str, work: Workplace
) -> None:
    work.write("rows.tsv", "a\tb\nc\td\n")
    work.write(name, text)
    assert run(["eval", "rows.tsv", name]) == FAILED
    said = work.capsys.readouterr().err
    assert "error[SGL1402]" in said
    assert why in said


def test_items_are_divided_by_structures_lengths_quotas_and_files(work: Workplace, farm: Path, gold: list[str]) -> None:
    sources = [row.split("\t")[0] for row in (farm / "data" / "gen.tsv").read_text("utf-8").splitlines()]
    work.write("half.txt", lines([text if at % 2 else "x" for at, text in enumerate(gold)]))
    work.write("kind.txt", lines(["odd" if at % 2 else "even" for at in range(len(gold))]))
    slices = [
        "cow={ N[lemma=cow] }",
        "long={ length en > 9 }",
        "quota",
        "kind=kind.txt",
        "beyond={length en>longest(train)}",
    ]
    result = evaluated(work, farm, "half.txt", *(part for given in slices for part in ("--slice", given)))
    rows = {row["name"]: row for row in result["tables"]["slices"] if "/" not in row["name"]}
    assert rows["cow"]["items"] == sum("cow" in text for text in sources)
    # The point is a word.
    assert rows["long"]["items"] == sum(len(text.split()) + 1 > 9 for text in sources)
    assert rows["odd"]["scores"]["exact"]["half"]["mean"] == 1.0
    assert rows["even"]["scores"]["exact"]["half"]["mean"] == 0.0
    contrast = next(t for t in result["tests"]["slices"] if (t["first"], t["metric"]) == ("even", "exact"))
    assert (contrast["mean"], contrast["part"]) == (1.0, "half/all")
    assert contrast["adjusted"] < 0.05


def test_items_are_divided_by_how_often_training_has_their_rarest_words(work: Workplace, farm: Path) -> None:
    rows = {name: (farm / "data" / f"{name}.tsv").read_text("utf-8").splitlines() for name in ("train", "gen")}
    sources = {name: [f"{row.split(chr(9))[0][:-1]} .".split() for row in own] for name, own in rows.items()}
    pairs = Counter(pair for words in sources["train"] for pair in pairwise(words))
    rarest = [min(pairs[pair] for pair in pairwise(words)) for words in sources["gen"]]
    work.write("gold.txt", lines([row.split("\t")[1] for row in rows["gen"]]))
    result = evaluated(work, farm, "gold.txt", "--slice", "rare=rarest(source, 2)")
    told = {row["name"]: row["items"] for row in result["tables"]["slices"] if "/" not in row["name"]}
    ends = {"rare 0": (0, 0), "rare 1–9": (1, 9), "rare 10–99": (10, 99), "rare 100–999": (100, 999)}
    expected = {name: sum(least <= number <= most for number in rarest) for name, (least, most) in ends.items()}
    assert told == {name: number for name, number in expected.items() if number}
    assert len(told) > 1


def test_numbers_in_the_labels_of_a_slice_are_in_order(work: Workplace, farm: Path, gold: list[str]) -> None:
    work.write("gold.txt", lines(gold))
    work.write("kind.txt", lines([("10", "0.5", "9", "0.25")[at % 4] for at in range(len(gold))]))
    result = evaluated(work, farm, "gold.txt", "--slice", "kind=kind.txt")
    names = [row["name"] for row in result["tables"]["slices"] if "/" not in row["name"]]
    assert names == ["0.25", "0.5", "9", "10"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("x=rarest(en)", "does not name a text and a number of words"),
        ("x=rarest(de, 2)", "there is no text `de`; there are `en` and `ja`"),
        ("x=rarest(ja, 2)", "the texts of `ja` have no spaces between words"),
        ("x=rarest(en, 2, dog)", "dog"),
        ("nothing", "has no name with a structure or a file"),
        ("x={ N -[ }", ""),
        ("x={ length de > 3 }", "there is no text `de`; there are `en` and `ja`"),
        ("x={ length ja > 3 }", "the texts of `ja` have no spaces between words"),
        ("x=short.txt", "1 prediction where 200 are expected"),
        ("x=none.txt", "none.txt"),
    ],
)
def test_a_slice_that_cannot_be_made_is_refused(
    given: str, why: str, work: Workplace, farm: Path, gold: list[str]
) -> None:
    work.write("gold.txt", lines(gold))
    work.write("short.txt", "x\n")
    assert run(["eval", str(farm), "gold.txt", "--slice", given]) == FAILED
    said = work.capsys.readouterr().err
    assert why in said
    assert not [word for word in INTERNAL if word in said]


def test_a_prediction_without_end_is_cut(work: Workplace, farm: Path, gold: list[str]) -> None:
    work.write("long.txt", lines(["犬が" * 45_000, *gold[1:]]))
    result = evaluated(work, farm, "long.txt", "--limit", "letters=100")
    assert mean(result, "exact", "long") == pytest.approx(1 - 1 / 200)
    run(["eval", str(farm), "long.txt", "--limit", "letters=100"])
    said = work.capsys.readouterr().err
    assert "warning[SGL1408]" in said
    assert "1 prediction cut off after 100 letters" in said
