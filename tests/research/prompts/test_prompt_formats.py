"""The forms of prompts: their files, without the programs that they are for (``benchmarks/harnesses.py`` has those)."""

from __future__ import annotations

import ast
import json
import runpy
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import yaml
from datasets import load_dataset

import sgl
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run
from sgl.research.prompts.write import FORMS, PROOF, PromptSet


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    grammar = sgl.load(Path(__file__).parents[3] / "docs" / "examples" / "farm.sgl")
    return grammar.compile(tmp_path_factory.mktemp("farm") / "data").directory


@pytest.fixture(scope="module")
def made(farm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("prompts") / "p"
    sgl.prompts(farm, out, shots=2, items=5, forms=[*FORMS])
    return out


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


class Loader(yaml.SafeLoader):
    """YAML with the names of functions."""


Loader.add_constructor("!function", lambda loader, node: f"function {loader.construct_scalar(node)}")


def test_one_signature_names_the_prompts_in_every_form(made: Path) -> None:
    data = rows_of(made / "data" / "pp_in_subject.jsonl")
    signature = data[0]["signature"]
    assert signature.startswith(json.loads((made / PROOF).read_text("utf-8"))["dataset"] + "|prompts:sha256:")
    assert {row["signature"] for row in [*data, *rows_of(made / "messages.jsonl")]} == {signature}
    tasks = ("lm_eval/group.yaml", "lm_eval/pp_in_subject.yaml", "inspect/task.py", "promptfoo/promptfooconfig.yaml")
    for name in (*tasks, "README.md"):
        assert signature in (made / name).read_text("utf-8")


def test_a_row_of_data_is_a_prompt_with_messages_and_answers(made: Path) -> None:
    prompts, data, chat = (rows_of(made / n) for n in ("prompts.jsonl", "data/pp_in_subject.jsonl", "chat.jsonl"))
    gold = dict(line.split("\t") for line in (made / "gold.tsv").read_text("utf-8").splitlines())
    assert [{key: row[key] for key in ("id", "pattern", "shots", "text", "factors")} for row in data] == prompts
    assert [row["messages"] for row in data] == [request["body"]["messages"] for request in chat]
    assert {row["id"]: row["answers"] for row in data} == {name: [text] for name, text in gold.items()}


def test_training_conversations_end_in_the_right_answer(farm: Path, made: Path, tmp_path: Path) -> None:
    for talk, row in zip(rows_of(made / "messages.jsonl"), rows_of(made / "data" / "pp_in_subject.jsonl"), strict=True):
        assert talk["messages"] == [*row["messages"], {"role": "assistant", "content": row["answers"][0]}]
    sgl.prompts(farm, tmp_path / "train", shots=1, items=3, split="train", forms=["messages"])
    for talk in rows_of(tmp_path / "train" / "messages.jsonl"):
        assert [message["role"] for message in talk["messages"]] == ["system", *["user", "assistant"] * 2]
        assert talk["messages"][1] != talk["messages"][3]


def test_tasks_of_lm_evaluation_harness(made: Path) -> None:
    folder = made / "lm_eval"
    group, task = (yaml.load((folder / f"{n}.yaml").read_text("utf-8"), Loader) for n in ("group", "pp_in_subject"))  # noqa: S506 - a safe one
    assert (group["group"], group["task"]) == ("farm_prompts", [task["task"]])
    assert task["task"] == "farm_prompts_pp_in_subject"
    assert (task["doc_to_text"], task["doc_to_target"]) == ("{{text}}", "{{answers[0]}}")
    assert task["custom_dataset"] == "function sgl_prompts.load"
    assert task["generation_kwargs"]["until"] == ["\nInput:"]
    module = runpy.run_path(str(folder / "sgl_prompts.py"))
    docs = module["load"](**task["dataset_kwargs"], **task["metadata"])["test"]
    assert list(docs) == rows_of(made / "data" / "pp_in_subject.jsonl")
    assert module["right"]({"answers": ["ab？", "c"]}, ["ab? "]) == {"exact_match": 1}
    assert module["right"]({"answers": ["ab", "c"]}, ["c"]) == {"exact_match": 1}
    assert module["right"]({"answers": ["ab", "c"]}, ["d"]) == {"exact_match": 0}


def test_the_task_of_inspect_is_python_that_reads_the_same_data(made: Path) -> None:
    text = (made / "inspect" / "task.py").read_text("utf-8")
    names = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
    assert names >= {"prompts", "sample", "exact_match"}
    assert '@task(name="farm_prompts")' in text


def test_the_configuration_of_promptfoo(made: Path) -> None:
    """Its structure alone: promptfoo itself is not run."""
    folder = made / "promptfoo"
    config = yaml.safe_load((folder / "promptfooconfig.yaml").read_text("utf-8"))
    assert (config["prompts"], config["providers"], config["tests"]) == (
        ["file://prompt.json"],
        ["MODEL"],
        ["file://tests.jsonl"],
    )
    assert (folder / "prompt.json").read_text("utf-8") == "{{ messages | dump }}\n"
    tests, data = rows_of(folder / "tests.jsonl"), rows_of(made / "data" / "pp_in_subject.jsonl")
    assert [test["vars"] for test in tests] == [{"id": row["id"], "messages": row["messages"]} for row in data]
    for test, row in zip(tests, data, strict=True):
        (check,) = test["assert"]
        answers, _, call = check["value"].partition(".includes")
        assert json.loads(answers) == [unicodedata.normalize("NFKC", answer) for answer in row["answers"]]
        assert (check["type"], check["metric"], call) == (
            "javascript",
            "pp_in_subject",
            '(output.normalize("NFKC").trim())',
        )


def test_no_answer_is_a_template_for_promptfoo() -> None:
    row = {"id": "gen-1", "pattern": "p", "messages": [], "answers": ['{{ a }} "b"', "c？ "]}
    files = FORMS["promptfoo"](PromptSet("n", "gen", 'a "model"', "s", [row]))
    (check,) = json.loads(files["promptfoo/tests.jsonl"])["assert"]
    assert "{{" not in check["value"]
    assert json.loads(check["value"].partition(".includes")[0]) == ['{{ a }} "b"', "c?"]
    assert yaml.safe_load(files["promptfoo/promptfooconfig.yaml"])["providers"] == ['a "model"']


def test_results_of_promptfoo_are_read_by_the_names_of_items(farm: Path, made: Path, tmp_path: Path) -> None:
    tests = rows_of(made / "promptfoo" / "tests.jsonl")
    gold = dict(line.split("\t") for line in (made / "gold.tsv").read_text("utf-8").splitlines())
    results = [{"vars": test["vars"], "response": {"output": gold[test["vars"]["id"]]}} for test in tests]
    log = tmp_path / "answers.json"
    log.write_text(json.dumps({"evalId": "e", "results": {"version": 3, "results": results}}), "utf-8")
    assert sgl.evaluate(farm, {"m": str(log)}, missing="left-out", samples=100).flat("m")["exact"] == 1


def test_the_hub_sees_a_configuration_for_each_pattern(made: Path, tmp_path: Path) -> None:
    found = load_dataset(str(made), "pp_in_subject", split="test", cache_dir=str(tmp_path))
    assert list(found) == rows_of(made / "data" / "pp_in_subject.jsonl")


@pytest.mark.parametrize("name", ["data/pp_in_subject.jsonl", "messages.jsonl", "lm_eval/sgl_prompts.py", "README.md"])
def test_every_form_is_checked_and_replaced_as_a_whole(
    name: str, farm: Path, made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = (made / name).read_text("utf-8")
    assert run(["prompts", str(farm), "--verify", str(made)]) == OK
    (made / name).write_text(kept.replace("answers", "answer") + " ", "utf-8")
    assert run(["prompts", str(farm), "--verify", str(made)]) == FAILED
    assert f"{name}: the text is not what" in capsys.readouterr().err
    (made / name).write_text(kept, "utf-8")


def test_other_forms_take_their_place_and_foreign_files_stay(farm: Path, tmp_path: Path) -> None:
    out = tmp_path / "p"
    sgl.prompts(farm, out, shots=1, items=2, forms=[*FORMS])
    assert run(["prompts", str(farm), "--out", str(out), "--items", "2", "--shots", "1", "--force"]) == OK
    assert sorted(path.name for path in out.rglob("*")) == ["gold.tsv", PROOF, "prompts.jsonl"]
    (out / "data").mkdir()
    (out / "data" / "mine.jsonl").write_text("mine", "utf-8")
    assert run(["prompts", str(farm), "--out", str(out), "--items", "2", "--force"]) == OUTPUT
    assert (out / "data" / "mine.jsonl").read_text("utf-8") == "mine"


def test_a_control_says_that_it_is_one(farm: Path, tmp_path: Path) -> None:
    out = tmp_path / "control"
    sgl.prompts(farm, out, shots=2, items=3, control=True, forms=["lm-eval", "inspect", "hub"])
    assert (
        "This is a control: for each item of a pattern, one example is another item" in (out / "README.md").read_text()
    )
    assert "group: farm_control\n" in (out / "lm_eval" / "group.yaml").read_text("utf-8")
    assert '@task(name="farm_control")' in (out / "inspect" / "task.py").read_text("utf-8")
    arguments = ["prompts", str(farm), "--select", "none", "--control", "--out", str(tmp_path / "none")]
    assert run(arguments) == USAGE
