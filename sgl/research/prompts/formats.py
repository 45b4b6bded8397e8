"""The forms in which prompts are written for the programs that run models.

A form is a function from prompts to files, by their names below the directory.  Everything that a program needs beside
the texts is in a template; harnesses read the prompts of each pattern from ``data/PATTERN.jsonl``::

    {"id": "gen-000001", "pattern": …, "shots": […], "text": …, "messages": […], "answers": […], "signature": …}

The *signature* names the dataset and, by a hash of ``prompts.jsonl``, the prompts.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sgl.cli.terminal import text_environment

_Message = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WrittenPrompt:
    """A prompt with its texts; ``about`` is its line in ``prompts.jsonl``, the right answers are those of the item."""

    about: Mapping[str, Any]
    messages: Sequence[_Message]
    answers: Sequence[str]


@dataclass(frozen=True, slots=True)
class PromptSet:
    """All prompts of a directory, with the name of the dataset, their signature, and the model of batches."""

    name: str
    split: str
    signature: str
    model: str
    prompts: Sequence[WrittenPrompt]

    def by_pattern(self) -> dict[str, list[WrittenPrompt]]:
        """Return the prompts of each pattern."""
        found: dict[str, list[WrittenPrompt]] = {}
        for prompt in self.prompts:
            found.setdefault(prompt.about["pattern"], []).append(prompt)
        return found


def messages_of(instruction: str, shots: Iterable[tuple[str, str]], question: str) -> list[_Message]:
    """Return a prompt as messages: the instruction, a question and an answer for each shot, and the question."""
    turns = [("user", said, "assistant", answer) for said, answer in shots]
    talk = ["system", instruction, *(each for turn in turns for each in turn), "user", question]
    return [{"role": role, "content": said} for role, said in zip(talk[::2], talk[1::2], strict=True)]


def _chat(given: PromptSet) -> dict[str, str]:
    """Return a request of a batch for each prompt."""
    requests = []
    for prompt in given.prompts:
        body = {"model": given.model, "messages": prompt.messages, "temperature": 0}
        head = {"custom_id": prompt.about["id"], "method": "POST", "url": "/v1/chat/completions"}
        requests.append({**head, "body": body})
    return {"chat.jsonl": _lines(requests)}


def _text(given: PromptSet) -> dict[str, str]:
    return {f"text/{prompt.about['id']}.txt": prompt.about["text"] for prompt in given.prompts}


def _training(given: PromptSet) -> dict[str, str]:
    """Return conversations that end in the right answer."""
    about = {"signature": given.signature}
    answered = ([*of.messages, {"role": "assistant", "content": of.answers[0]}] for of in given.prompts)
    both = zip(given.prompts, answered, strict=True)
    return {"messages.jsonl": _lines({"id": of.about["id"], "messages": talk, **about} for of, talk in both)}


def _data(given: PromptSet) -> dict[str, str]:
    about = {"signature": given.signature}
    return {
        f"data/{pattern}.jsonl": _lines(
            {**of.about, "messages": of.messages, "answers": of.answers, **about} for of in prompts
        )
        for pattern, prompts in given.by_pattern().items()
    }


def _lm_eval(given: PromptSet) -> dict[str, str]:
    files = {f"lm_eval/{name}": _filled(f"{name}.j2", given) for name in ("sgl_prompts.py", "group.yaml")}
    for pattern, prompts in given.by_pattern().items():
        # A token has a letter at least, and short answers may have much around them.
        most = max(256, *(len(answer) for prompt in prompts for answer in prompt.answers))
        files[f"lm_eval/{pattern}.yaml"] = _filled("task.yaml.j2", given, pattern=pattern, most=most)
    return _data(given) | files


def _inspect(given: PromptSet) -> dict[str, str]:
    return _data(given) | {"inspect/task.py": _filled("inspect.py.j2", given)}


def _hub(given: PromptSet) -> dict[str, str]:
    return _data(given) | {"README.md": _filled("README.md.j2", given)}


#: The forms by name.
FORMS: dict[str, Callable[[PromptSet], dict[str, str]]] = {
    "chat": _chat,
    "text": _text,
    "messages": _training,
    "lm-eval": _lm_eval,
    "inspect": _inspect,
    "hub": _hub,
}


def formatted(given: PromptSet, forms: Iterable[str]) -> dict[str, str]:
    """Return the files of some forms, by their names."""
    return {name: text for form in forms for name, text in FORMS[form](given).items()}


def form_files(prompts: Iterable[tuple[str, str]]) -> set[str]:
    """Return the names that files of any form can have, from the names and patterns of prompts."""
    known = [WrittenPrompt({"id": name, "pattern": pattern, "text": ""}, (), ("",)) for name, pattern in prompts]
    return {*formatted(PromptSet("", "", "", "", known), FORMS)}


def _lines(values: Iterable[object]) -> str:
    return "".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values)


def _filled(name: str, given: PromptSet, **further: object) -> str:
    template = text_environment("sgl.research.prompts").get_template(name)
    patterns = {pattern: len(prompts) for pattern, prompts in given.by_pattern().items()}
    return template.render(given=given, patterns=patterns, **further)
