"""Prompts in the programs that run models, offline: lm-evaluation-harness, Inspect, batches and training files.

Makes a dataset and its prompts in all forms, lets systems that need no weights answer them, reads the logs back with
SGL, and compares its scores with those of the harnesses::

    python -m venv harness && harness/bin/pip install lm-eval inspect-ai
    python benchmarks/harnesses.py --python harness/bin/python

With torch, transformers and accelerate (`lm-eval[hf]`) in that environment too, a *tiny* language model with random
weights answers in lm-evaluation-harness as well, with a tokenizer of its own; nothing of what it says is right.

The systems are an *oracle*, a *parrot* that repeats the question, lm-eval's *dummy* (`lol`), and the *training
grammar*, which answers what it derives and nothing else: it should have no held-out item right, and all of the test
set.  Exit status 1 if a score is not as it should be, or differs from that of a harness.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SYSTEMS = "oracle", "parrot", "dummy", "training grammar"
FORMS = "chat", "text", "messages", "lm-eval", "inspect", "hub"


# In the environment of the harnesses --------------------------------------------------------------------------------


def run_lm_eval(prompts: Path, answers: dict[str, str], logs: Path) -> dict[str, float]:
    """Run the group of tasks with a model that knows the answers; return the score of each task."""
    from lm_eval.api.model import LM

    class Given(LM):
        def loglikelihood(self, requests: object) -> list[tuple[float, bool]]:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

        def generate_until(self, requests: Iterable[Any]) -> list[str]:
            return [answers[request.doc["id"]] for request in requests]

    return evaluate_tasks(Given(), prompts, logs)


def evaluate_tasks(model: object, prompts: Path, logs: Path, **arguments: object) -> dict[str, float]:
    """Run the group of tasks; return the score of each."""
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(prompts / "lm_eval"))
    group = next(name for name in manager.all_groups if name.endswith("_prompts"))
    tracker, arguments = EvaluationTracker(output_path=str(logs)), {"bootstrap_iters": 0, **arguments}
    found = simple_evaluate(model, tasks=[group], task_manager=manager, evaluation_tracker=tracker, **arguments)
    tracker.save_results_aggregated(results=found, samples=found["samples"])
    for task, samples in found["samples"].items():
        tracker.save_results_samples(task_name=task, samples=samples)
    return {
        task.partition("_prompts_")[2]: scores["exact_match,none"]
        for task, scores in found["results"].items()
        if "_prompts_" in task
    }


def run_tiny(prompts: Path, place: Path, logs: Path) -> dict[str, float]:
    """Run the group of tasks with a model of one layer and random weights, whose tokens are bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, set_seed

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = Tokenizer(models.BPE(vocab={token: n for n, token in enumerate([*alphabet, "<end>"])}, merges=[]))
    tokens.pre_tokenizer, tokens.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    set_seed(1)
    size = {"vocab_size": len(alphabet) + 1, "n_positions": 2048, "n_embd": 32, "n_layer": 1, "n_head": 2}
    ends = {"bos_token_id": len(alphabet), "eos_token_id": len(alphabet)}
    GPT2LMHeadModel(GPT2Config(**size, **ends)).save_pretrained(place)
    PreTrainedTokenizerFast(
        tokenizer_object=tokens, **dict.fromkeys(("eos_token", "pad_token"), "<end>")
    ).save_pretrained(place)
    given = {"model_args": f"pretrained={place},device=cpu,dtype=float32", "gen_kwargs": "max_gen_toks=16"}
    return evaluate_tasks("hf", prompts, logs, **given)


def run_inspect(prompts: Path, answers: dict[str, str], logs: Path) -> dict[str, float]:
    """Run the task with a model that knows the answers; return the score of each pattern."""
    import inspect_ai.model._model as model
    from inspect_ai import eval as evaluate
    from inspect_ai.model import ModelOutput, get_model

    # Tokens are counted by tables that Inspect would download.
    model.count_text_tokens = lambda text: max(1, len(text) // 4)
    rows = (line for file in (prompts / "data").glob("*.jsonl") for line in file.read_text("utf-8").splitlines())
    names = {row["messages"][-1]["content"]: row["id"] for row in map(json.loads, rows)}

    def said(messages: Sequence[Any], *_: object) -> ModelOutput:
        return ModelOutput.from_content("mockllm/model", answers[names[messages[-1].content]])

    mock = get_model("mockllm/model", custom_outputs=said)
    # Inspect finds tasks below the working directory.
    os.chdir(prompts)
    (log,) = evaluate("inspect/task.py", model=mock, log_dir=str(logs), display="none")
    assert log.status == "success", log.error
    return {
        name: metric.value for name, metric in log.results.scores[0].metrics.items() if name not in ("all", "stderr")
    }


def inside(place: Path) -> None:
    """Run every system of every set of prompts in both harnesses."""
    found = {}
    for prompts in sorted(path for path in place.glob("prompts-*")):
        for system, answers in json.loads((place / f"answers-{prompts.name}.json").read_text("utf-8")).items():
            for name, harness in (("lm-eval", run_lm_eval), ("inspect", run_inspect)):
                logs = place / "logs" / prompts.name / system / name
                found[f"{prompts.name}/{system}/{name}"] = harness(prompts, answers, logs)
        if all(map(find_spec, ("torch", "transformers", "accelerate"))):
            logs = place / "logs" / prompts.name / "tiny" / "lm-eval"
            found[f"{prompts.name}/tiny/lm-eval"] = run_tiny(prompts, place / "tiny", logs)
    (place / "scores.json").write_text(json.dumps(found), "utf-8")


# In the environment of SGL ------------------------------------------------------------------------------------------


def derived(dataset: Path, sources: list[str]) -> Iterator[str]:
    """What the training grammar makes of sentences: their outputs, or nothing where every reading is held out."""
    import sgl
    from sgl.research.prompts.check import contains
    from sgl.verify.conllu import TokenTable, read_sentences
    from sgl.verify.structure import read_structure

    grammar = sgl.load(dataset)
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    held_out = [read_structure(text) for of in manifest["patterns"] for text in (*of["forbid"], *of["never"])]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "graphs.conllu"
        for source in sources:
            readings = grammar.parse(source, limit=100)
            path.write_text("".join(f"{reading.graph.strip()}\n\n" for reading in readings), "utf-8")
            graphs = list(read_sentences(path, TokenTable()))
            free = (
                reading.target
                for reading, graph in zip(readings, graphs, strict=True)
                if not any(contains(graph, structure) for structure in held_out)
            )
            yield next(free, "")


def read_back(dataset: Path, split: str, prompts: Path, logs: Path, answers: dict[str, str]) -> dict[str, Any]:
    """The scores by pattern of each log of a system, of a batch too."""
    import sgl

    samples = [path.read_text("utf-8") for path in sorted((logs / "lm-eval").rglob("samples_*.jsonl"))]
    (logs / "lm-eval.jsonl").write_text("".join(samples), "utf-8")
    (log,) = (logs / "inspect").glob("*.eval")
    requests = map(json.loads, (prompts / "chat.jsonl").read_text("utf-8").splitlines())
    body = {"usage": {"prompt_tokens": 100, "completion_tokens": 10}}
    batch = [
        {"custom_id": name, "response": {"body": {"choices": [{"message": {"content": answers[name]}}], **body}}}
        for name in (request["custom_id"] for request in requests)
    ]
    (logs / "batch.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in batch), "utf-8")
    given = {"lm-eval": logs / "lm-eval.jsonl", "inspect": log, "batch": logs / "batch.jsonl"}
    scores = sgl.evaluate(dataset, given, split=split, missing="left-out", samples=100)
    rows = scores.data["tables"]["patterns"]
    answered = {each["system"]: each["parts"][0] for each in scores.data["answers"]}
    return {
        name: ({row["name"]: row["scores"]["exact"][name]["mean"] for row in rows}, answered[name]) for name in given
    }


def check_files(prompts: Path) -> None:
    """Read training files and configurations as others do."""
    from datasets import load_dataset

    cache = str(prompts.parent / "cache")
    talk = load_dataset("json", data_files=str(prompts / "messages.jsonl"), split="train", cache_dir=cache)
    roles = {tuple(message["role"] for message in row["messages"])[-2:] for row in talk}
    assert roles == {("user", "assistant")}, roles
    pattern = next((prompts / "data").glob("*.jsonl")).stem
    own = load_dataset(str(prompts), pattern, split="test", cache_dir=cache)
    assert own[0]["signature"] == talk[0]["signature"]
    print(f"{prompts.name}: {len(talk)} conversations, configuration `{pattern}` of {len(own)} rows")


def main() -> int:
    """Run everything, print a table and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", help="Python with lm-eval and inspect-ai")
    parser.add_argument("--grammar", default=str(ROOT / "docs" / "examples" / "farm.sgl"))
    parser.add_argument("--items", type=int, default=20, help="items of each pattern")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        inside(options.inside)
        return 0
    import sgl

    place = Path(tempfile.mkdtemp(prefix="harnesses-"))
    dataset = sgl.load(options.grammar).compile(place / "data").directory
    all_answers = {}
    for split in ("gen", "test"):
        prompts = place / f"prompts-{split}"
        sgl.prompts(dataset, prompts, shots=4, items=options.items, split=split, forms=FORMS)
        data = [
            json.loads(line) for f in (prompts / "data").glob("*.jsonl") for line in f.read_text("utf-8").splitlines()
        ]
        names, questions = [row["id"] for row in data], [row["messages"][-1]["content"] for row in data]
        said = [row["answers"][0] for row in data], questions, ["lol"] * len(data), [*derived(dataset, questions)]
        answers = {system: dict(zip(names, texts, strict=True)) for system, texts in zip(SYSTEMS, said, strict=True)}
        (place / f"answers-{prompts.name}.json").write_text(json.dumps(answers), "utf-8")
        all_answers[split] = answers
        check_files(prompts)
    subprocess.run([options.python, __file__, "--inside", str(place)], check=True, cwd=place)
    told = json.loads((place / "scores.json").read_text("utf-8"))
    wrong = 0
    expected = {"oracle": (1, 1), "parrot": (0, 0), "dummy": (0, 0), "training grammar": (0, 1)}
    for number, (split, answers) in enumerate(all_answers.items()):
        for system in SYSTEMS:
            prompts, logs = place / f"prompts-{split}", place / "logs" / f"prompts-{split}" / system
            for name, (scores, parts) in read_back(dataset, split, prompts, logs, answers[system]).items():
                theirs = told.get(f"{prompts.name}/{system}/{name}", scores)
                right = theirs == scores and set(scores.values()) == {expected[system][number]}
                wrong += not right
                shown = ", ".join(f"{pattern} {100 * score:.1f}" for pattern, score in scores.items())
                faults = {kind: parts[kind] for kind in ("no answer", "refusal", "format", "language") if parts[kind]}
                print(f"{split:5} {system:17} {name:8} {shown}  {faults or ''}{'' if right else f'  WRONG: {theirs}'}")
        if (theirs := told.get(f"prompts-{split}/tiny/lm-eval")) is not None:
            samples = sorted((place / "logs" / f"prompts-{split}" / "tiny").rglob("samples_*.jsonl"))
            log = place / "logs" / f"prompts-{split}" / "tiny" / "all.jsonl"
            log.write_text("".join(path.read_text("utf-8") for path in samples), "utf-8")
            scores = sgl.evaluate(dataset, {"tiny": log}, split=split, missing="left-out", samples=100).data
            means = {row["name"]: row["scores"]["exact"]["tiny"]["mean"] for row in scores["tables"]["patterns"]}
            wrong += not (means == theirs and set(means.values()) == {0})
            print(f"{split:5} {'tiny':17} lm-eval  {means}, {scores['dataset']['items']} items")
    print(f"{place}: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
