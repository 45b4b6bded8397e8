"""Answers in chat: what surrounds them is noticed or read, and what is no answer is counted apart."""

from __future__ import annotations

import json
import re
import zipfile
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from workplace import Workplace

import sgl
from sgl.cli.main import OK, USAGE, run
from sgl.research.evaluate.answers import Faults, answer_in, noticed
from sgl.research.evaluate.benchmark import BenchmarkRow
from sgl.research.evaluate.equivalence import exact
from sgl.research.evaluate.runs import read_runs

PAGE = (Path(__file__).parent / "answers.md").read_text("utf-8")
GOLD = {name: text.splitlines() for name, text in re.findall(r"(?ms)^```text (\w+)\n(.*?)\n```$", PAGE)}
WRAPPERS = {
    title: (output, option)
    for title, _, output, option in re.findall(
        r"(?ms)^## ([^\n]+)\n\n(`{3,4})text\n(.*?)\n\2\n\n`--answer ([^\n]+)`$", PAGE
    )
}


def test_the_page_has_twelve_wrappers_and_three_languages() -> None:
    assert (len(WRAPPERS), [*GOLD]) == (12, ["ja", "cogs", "fr"])


def wrapped(output: str, answer: str, number: int) -> str:
    begin, end = (part.replace("{n}", f"{number}") for part in re.split(r"\{\}(?!.*\{\})", output, flags=re.DOTALL))
    return begin + answer + end


@pytest.mark.parametrize(("title", "language"), [*product(WRAPPERS, GOLD)])
def test_what_stands_around_most_answers_is_named(title: str, language: str) -> None:
    output, option = WRAPPERS[title]
    rows = [BenchmarkRow(f"r-{n}", f"source {n}", gold, "p") for n, gold in enumerate(GOLD[language])]
    said = [wrapped(output, row.target, n) for n, row in enumerate(rows)]
    (plain,) = read_runs(said, rows, language)
    assert not any(map(exact, GOLD[language], plain.texts))
    assert plain.noticed is not None
    assert plain.noticed.reader == option.strip("'")
    assert plain.noticed[1:] == (5, 5, 5)
    (read,) = read_runs(said, rows, language, readers=[option.strip("'")])
    assert list(map(exact, GOLD[language], read.texts)) == [True] * 5
    assert read.noticed is None


def test_nothing_is_noticed_of_plain_answers() -> None:
    golds = ["JUMP RUN", "RUN RUN", "WALK JUMP JUMP", "JUMP"]
    assert noticed(golds, golds) is None
    assert noticed(["RUN JUMP", "RUN", "WALK", "WALK JUMP"], golds) is None
    # Too much of what a right answer has is another answer, and what gold texts have is theirs.
    assert noticed([f"{gold} RUN" for gold in golds], golds) is None
    assert noticed(['She said "no"', 'He said "go"'], ['She said "yes"', 'He said "stop"']) is None
    assert noticed(['"a b"', "c d", "e f"], ["a b", "x", "y"]) is None


def test_an_answer_that_no_reader_finds_is_warned_of() -> None:
    golds = ["the dog runs", "a cat sleeps", "the hen sees it"]
    found = noticed([f"It is {word} that {gold} {word}" for gold, word in zip(golds, "xyz", strict=True)], golds)
    assert found is not None
    assert (found.reader, found.shared, found.outputs) == ("", 3, 3)


@pytest.mark.parametrize(
    ("readers", "text", "answer"),
    [
        (["line"], "one\ntwo\n\n", "two"),
        (["first"], "\none\ntwo", "one"),
        (["fence"], "```\na\n```\n```py\nb\n```", "b"),
        (["fence"], "no fence", None),
        (["tag:out"], "<out>a</out> <OUT kind='x'>b</OUT>", "b"),
        (["quotes"], "don't say 'it is' or 'that'", "that"),
        (["/= (\\d+)/"], "= 1 = 2", "2"),
        (["/\\d+/"], "1 22", "22"),
        (["Answer: {}"], "answer:\n  a b\nanswer:c", "c"),
        (["{} (sure)"], "a\nb (sure)\n", "b"),
        (["line", "quotes"], '"a"\nso "b"', "b"),
        (["line"], "x" * 50_000 + "\nend", "end"),
        (["first"], "begin\n" + "x" * 50_000, "begin"),
    ],
)
def test_readers_take_answers_out(readers: list[str], text: str, answer: str | None) -> None:
    assert answer_in(text, readers) == answer


@pytest.mark.parametrize(
    ("output", "fault"),
    [
        ("I'm sorry, but I can't help with that.", "refusal"),
        ("申し訳ありませんが、できません。", "refusal"),
        ("犬が猫を見た。\nThis is it.", "format"),
        ("```\n犬が牛を見た。\n```", "format"),
        ("The dog saw the cat.", "language"),
        ("собака видела кошку", "language"),
        ("牛が猫を見た。", None),
        ("...", None),
    ],
)
def test_why_an_output_is_no_answer(output: str, fault: str | None) -> None:
    assert Faults(["The dog saw the cat.", "The cat ran."], GOLD["ja"]).of(output, output, found=True) == fault


def test_the_language_of_the_source_is_told_by_its_words_where_letters_are_shared() -> None:
    faults = Faults(["The dog saw the cat.", "The hen saw the cow."], GOLD["fr"])
    assert faults.of("", "The dog saw the cat.", found=True) == "language"
    assert faults.of("", "Le chat a vu le chien.", found=True) is None
    assert faults.of("", "Le chat a vu le chien.", found=False) == "format"


ROWS = "The dog saw the cat.\t犬が猫を見た。\tp\nThe cat ran.\t猫が走った。\tq\nThe cow ran.\t牛が走った。\tq\n"


def scores_of(work: Workplace, name: str, text: str, *options: str) -> dict[str, Any]:
    work.write("rows.tsv", ROWS)
    work.write(name, text)
    arguments = ["rows.tsv", f"m={name}", "--language", "ja", "--samples", "100", *options, "--json", "result.json"]
    assert run(["eval", *arguments, "--html", "page.html"]) == OK
    found: dict[str, Any] = json.loads((work.directory / "result.json").read_text("utf-8"))
    return found


def exact_of(result: dict[str, Any]) -> float:
    mean: float = result["tables"]["overall"][0]["scores"]["exact"]["m"]["mean"]
    return mean


def test_the_command_warns_and_counts(work: Workplace) -> None:
    said = ["Sure!\n```\n犬が猫を見た。\n```", "Sure!\n```\n牛が走った。\n```", "I'm sorry, I cannot."]
    text = "".join(json.dumps({"id": f"rows-{n:06d}", "prediction": each}) + "\n" for n, each in enumerate(said, 1))
    assert exact_of(scores_of(work, "m.jsonl", text)) == 0
    told = work.capsys.readouterr()
    assert "warning[SGL1414]: `m.jsonl`: 2 of 3 predictions have something around their answer" in told.err
    assert "without it, 1 more are right" in told.err
    assert "`--answer fence` takes it away" in told.err
    result = scores_of(work, "m.jsonl", text, "--answer", "fence", "--force")
    told = work.capsys.readouterr()
    assert exact_of(result) == pytest.approx(1 / 3)
    assert "SGL1414" not in told.err
    assert re.search(r"answers +no answer +refusal +format .*\nm +0.0 % +33.3 % +0.0 % +0.0 % ", told.out)
    (answers,) = result["answers"]
    assert [(part["name"], part["items"], part["refusal"]) for part in answers["parts"]] == [
        ("all", 3, 1),
        ("p", 1, 0),
        ("q", 2, 1),
    ]
    assert "Outputs that are not answers" in (work.directory / "page.html").read_text("utf-8")
    scores_of(work, "m.jsonl", text, "--answer", "quotes", "--force")
    assert "`--answer` finds nothing in 3 of 3 predictions" in work.capsys.readouterr().err


def test_a_reader_that_is_none_is_refused(work: Workplace) -> None:
    work.write("rows.tsv", ROWS)
    work.write("m.txt", "a\nb\nc\n")
    assert run(["eval", "rows.tsv", "m.txt", "--answer", "lines"]) == USAGE
    said = " ".join(work.capsys.readouterr().err.split())
    assert "`--answer` is fence, tag, quotes, line, first, yes-no, tag:NAME" in said
    assert run(["eval", "rows.tsv", "m.txt", "--answer", "/(/"]) == USAGE
    assert "not a regular expression" in work.capsys.readouterr().err


# Logs of harnesses and services -------------------------------------------------------------------------------------

A, B = "犬が猫を見た。", "猫が走った。"


def logged(*values: object) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def openai(name: str, *texts: str) -> dict[str, object]:
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
    choices = [{"index": n, "message": {"role": "assistant", "content": text}} for n, text in enumerate(texts)]
    return {"custom_id": name, "response": {"status_code": 200, "body": {"choices": choices, "usage": usage}}}


def inspect_sample(name: str, epoch: int, text: str) -> dict[str, object]:
    content = [{"type": "reasoning", "reasoning": "well"}, {"type": "text", "text": text}]
    choice = {"message": {"content": content}, "stop_reason": "stop"}
    return {
        "id": name,
        "epoch": epoch,
        "input": "The dog saw the cat.",
        "target": "x",
        "output": {"choices": [choice], "usage": {"input_tokens": 100, "output_tokens": 7}},
    }


def harness(name: str, filtered: str, *raw: str, rule: str = "none") -> dict[str, object]:
    return {
        "doc_id": 0,
        "doc": {"id": name},
        "target": "x",
        "resps": [[*raw]],
        "filtered_resps": [filtered],
        "filter": rule,
    }


FAILED_SAMPLE = {
    "id": "rows-000003",
    "epoch": 1,
    "output": {"choices": [], "completion": ""},
    "error": {"message": "ConnectionError()"},
}

LOGS: dict[str, str] = {
    "openai.jsonl": logged(openai("rows-000002", B), openai("rows-000001", A)),
    "anthropic.jsonl": logged(
        *(
            {
                "custom_id": name,
                "result": {
                    "type": "succeeded",
                    "message": {
                        "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}],
                        "usage": {"input_tokens": 100, "output_tokens": 7},
                    },
                },
            }
            for name, text in (("rows-000001", A), ("rows-000002", B))
        ),
        {"custom_id": "rows-000003", "result": {"type": "errored", "error": {"type": "overloaded"}}},
    ),
    "gemini.jsonl": logged(
        *(
            {
                "key": name,
                "response": {
                    "candidates": [{"content": {"parts": [{"text": "hm", "thought": True}, {"text": text}]}}],
                    "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 7},
                },
            }
            for name, text in (("rows-000001", A), ("rows-000002", B))
        )
    ),
    "responses.jsonl": logged(
        *(
            {
                "custom_id": name,
                "response": {
                    "body": {
                        "output": [
                            {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "hm"}]},
                            {"type": "message", "content": [{"type": "output_text", "text": text}]},
                        ],
                        "usage": {"input_tokens": 100, "output_tokens": 7},
                    }
                },
            }
            for name, text in (("rows-000001", A), ("rows-000002", B))
        )
    ),
    "inspect.json": json.dumps(
        {
            "version": 2,
            "eval": {"task": "t"},
            "samples": [
                *(inspect_sample(*one) for one in (("rows-000001", 1, A), ("rows-000002", 1, B))),
                FAILED_SAMPLE,
            ],
        }
    ),
    "promptfoo.json": json.dumps(
        {
            "results": {
                "version": 3,
                "results": [
                    {"vars": {"id": name}, "response": {"output": text, "tokenUsage": {"prompt": 100, "completion": 7}}}
                    for name, text in (("rows-000001", A), ("rows-000002", B))
                ],
            }
        }
    ),
}


@pytest.mark.parametrize("name", LOGS)
def test_partial_logs_are_read_by_id_with_their_tokens(name: str, work: Workplace) -> None:
    result = scores_of(work, name, LOGS[name], "--missing", "left-out")
    assert exact_of(result) == 1
    assert result["dataset"]["left_out"] == 1
    (answers,) = result["answers"]
    assert answers["usage"] == {"read": 200, "written": 14, "cost": 0}
    assert re.search(r"m .* 200 +14 +–", work.capsys.readouterr().out)


def test_a_log_of_lm_evaluation_harness_is_read_by_the_id_of_the_document(work: Workplace) -> None:
    log = logged(harness("rows-000002", B, "x"), harness("rows-000001", A, "y"))
    assert exact_of(scores_of(work, "samples_farm.jsonl", log, "--missing", "left-out")) == 1
    # Of several filters none is better than others.
    several = [
        harness(name, "no", f"So: {text}", rule=rule)
        for name, text in (("rows-000001", A), ("rows-000002", B))
        for rule in "ab"
    ]
    options = ("--missing", "left-out", "--answer", "So: {}", "--force")
    assert exact_of(scores_of(work, "samples_farm.jsonl", logged(*several), *options)) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("openai.jsonl", logged(openai("rows-000001", A, "x", A), openai("rows-000002", B, B, B))),
        ("own.jsonl", logged({"id": "rows-000001", "samples": [A, "x", A]}, {"id": "rows-000002", "samples": [B] * 3})),
        ("samples.jsonl", logged(harness("rows-000001", A, A, "x", A), harness("rows-000002", B, B, B, B))),
        (
            "inspect.json",
            json.dumps(
                {
                    "samples": [
                        inspect_sample(name, epoch, text)
                        for name, texts in (("rows-000001", (A, "x", A)), ("rows-000002", (B, B, B)))
                        for epoch, text in enumerate(texts, 1)
                    ]
                }
            ),
        ),
    ],
)
def test_samples_of_an_item_are_runs(name: str, text: str, work: Workplace) -> None:
    result = scores_of(work, name, text, "--missing", "left-out")
    assert result["tables"]["overall"][0]["scores"]["exact"]["m"]["runs"] == [1, 0.5, 1]
    (answers,) = result["answers"]
    assert answers["samples"] == 3
    row = answers["parts"][0]
    # Of three pairs of the first item one is equal, and all of the second.
    assert (row["items"], row["best"], row["agreement"]) == (6, 1, pytest.approx((1 / 3 + 1) / 2))
    assert re.search(r"m .* 3 +100.0 +66.7 ", work.capsys.readouterr().out)


def test_an_archive_of_inspect_is_read_and_a_broken_one_refused(work: Workplace) -> None:
    work.write("rows.tsv", ROWS)
    with zipfile.ZipFile(work.directory / "log.eval", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("header.json", "{}")
        packed.writestr("samples/rows-000001_epoch_1.json", json.dumps(inspect_sample("rows-000001", 1, A)))
        packed.writestr("samples/rows-000002_epoch_1.json", json.dumps(inspect_sample("rows-000002", 1, B)))
    found = sgl.evaluate("rows.tsv", {"m": Path("log.eval")}, language="ja", missing="left-out", samples=100)
    assert found.flat("m")["exact"] == 1
    assert found.data["answers"][0]["usage"] == {"read": 200, "written": 14, "cost": 0}
    content = (work.directory / "log.eval").read_bytes()
    for broken in (b"", b"PK\x03\x04", content[:200], content.replace(b"samples/", b"samplex/")):
        (work.directory / "log.eval").write_bytes(broken)
        with pytest.raises(sgl.GrammarError, match="SGL1402"):
            sgl.evaluate("rows.tsv", {"m": Path("log.eval")}, language="ja", samples=100)


def test_every_licensed_answer_is_right_also_in_chat_and_in_several_samples() -> None:
    rows = [BenchmarkRow("r-1", "s", A, "p", others=(B,)), BenchmarkRow("r-2", "t", B, "p")]
    given = {"r-1": f"Output: {B}", "r-2": f"Output: {B}"}
    (found,) = read_runs(given, rows, "ja", readers=["Output: {}"])
    assert found.texts == (A, B)
    assert found.faults == (None, None)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("yes", "yes"),
        ("**No**, because `the` is missing.", "no"),
        ("Let me see.\nIt is not clear.\nAnswer: Yes.", "yes"),
        ("The final answer is NO", "no"),
        ("Yes, since no rule forbids it.", "yes"),
        ("I know.", None),
    ],
)
def test_yes_and_no_are_read(text: str, answer: str | None) -> None:
    assert answer_in(text, ["yes-no"]) == answer


def test_what_models_say_around_yes_and_no_is_noticed() -> None:
    found = noticed(["Yes, it is.", "No.", "No, it lacks a verb.", "Yes!"], ["yes", "no", "no", "yes"])
    assert found is not None
    assert (found.reader, found.right) == ("yes-no", 4)


def test_a_regular_expression_that_takes_for_ever_is_refused(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgl.research.evaluate.answers._SECONDS", 0.2)
    work.write("rows.tsv", "a\tb\tp\n")
    work.write("said.txt", "a" * 5_000 + "!\n")
    assert run(["eval", "rows.tsv", "said.txt", "--answer", r"/(?:(a|aa)+)+$/"]) == USAGE
    assert "takes more than 0.2 seconds for one output" in work.capsys.readouterr().err
