"""The forms in which prompts are written for the programs that run models.

A form is a function from prompts to files, by their names below the directory.  Everything that a program needs beside
the texts is in a template; harnesses read the prompts of each pattern from ``data/PATTERN.jsonl``::

    {"id": "gen-000001", "pattern": …, "shots": […], "text": …, "messages": […], "answers": […], "signature": …}

The *signature* names the dataset and, by a hash of ``prompts.jsonl``, the prompts.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sgl.cli.terminal import text_environment
from sgl.research.evaluate.equivalence import normal

_Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PromptSet:
    """All prompts of a directory, as rows of ``data``; the name and split of the dataset, and the model of batches.

    Each ``kind`` of prompts has a name of its own, such as ``control``, since harnesses compare them.
    """

    name: str
    split: str
    model: str
    signature: str
    rows: Sequence[_Json]
    kind: str = "prompts"

    @property
    def task(self) -> str:
        """The name of all prompts together."""
        return f"{self.name}_{self.kind}"

    @property
    def patterns(self) -> dict[str, list[_Json]]:
        """The rows of each pattern."""
        names = dict.fromkeys(row["pattern"] for row in self.rows)
        return {name: [row for row in self.rows if row["pattern"] == name] for name in names}


def messages_of(instruction: str, shots: Iterable[tuple[str, str]], question: str) -> list[_Json]:
    """Return a prompt as messages: the instruction, a question and an answer for each shot, and the question."""
    turns = [("system", instruction)]
    for source, target in shots:
        turns += [("user", source), ("assistant", target)]
    return [{"role": role, "content": said} for role, said in (*turns, ("user", question))]


def _chat(given: PromptSet) -> dict[str, str]:
    """Return a request of a batch for each prompt."""
    head = {"method": "POST", "url": "/v1/chat/completions"}
    bodies = [{"model": given.model, "messages": row["messages"], "temperature": 0} for row in given.rows]
    both = zip(given.rows, bodies, strict=True)
    return {"chat.jsonl": lines_of({"custom_id": row["id"], **head, "body": body} for row, body in both)}


def _text(given: PromptSet) -> dict[str, str]:
    return {f"text/{row['id']}.txt": row["text"] for row in given.rows}


def _training(given: PromptSet) -> dict[str, str]:
    """Return conversations that end in the right answer."""
    talks = ([*row["messages"], {"role": "assistant", "content": row["answers"][0]}] for row in given.rows)
    rows = zip(given.rows, talks, strict=True)
    said = ({"id": row["id"], "messages": talk, "signature": given.signature} for row, talk in rows)
    return {"messages.jsonl": lines_of(said)}


def _data(given: PromptSet) -> dict[str, str]:
    return {
        f"data/{pattern}.jsonl": lines_of({**row, "signature": given.signature} for row in rows)
        for pattern, rows in given.patterns.items()
    }


def _lm_eval(given: PromptSet) -> dict[str, str]:
    files = {f"lm_eval/{name}": _filled(f"{name}.j2", given) for name in ("sgl_prompts.py", "group.yaml")}
    for pattern, rows in given.patterns.items():
        # A token has a letter at least, and short answers may have much around them.
        most = max(256, *(len(answer) for row in rows for answer in row["answers"]))
        files[f"lm_eval/{pattern}.yaml"] = _filled("task.yaml.j2", given, pattern=pattern, most=most)
    return _data(given) | files


def _promptfoo(given: PromptSet) -> dict[str, str]:
    """Return a test for each prompt, which passes if the output is a right answer; its metric is the pattern."""
    tests = []
    for row in given.rows:
        # Braces would be read as those of a template.
        answers = json.dumps([normal(answer) for answer in row["answers"]]).replace("{", "\\u007b")
        right = {"type": "javascript", "value": f'{answers}.includes(output.normalize("NFKC").trim())'}
        shown = {"vars": {"id": row["id"], "messages": row["messages"]}, "metadata": {"pattern": row["pattern"]}}
        tests.append({"description": row["id"], **shown, "assert": [{**right, "metric": row["pattern"]}]})
    files = {"promptfooconfig.yaml": _filled("promptfooconfig.yaml.j2", given), "tests.jsonl": lines_of(tests)}
    files |= {"prompt.json": "{{ messages | dump }}\n"}
    return {f"promptfoo/{name}": text for name, text in files.items()}


#: The forms by name.
FORMS: dict[str, Callable[[PromptSet], dict[str, str]]] = {
    "chat": _chat,
    "text": _text,
    "messages": _training,
    "lm-eval": _lm_eval,
    "inspect": lambda given: _data(given) | {"inspect/task.py": _filled("inspect.py.j2", given)},
    "promptfoo": _promptfoo,
    "hub": lambda given: _data(given) | {"README.md": _filled("README.md.j2", given)},
}


def formatted(given: PromptSet, forms: Iterable[str]) -> dict[str, str]:
    """Return the files of some forms, by their names."""
    return {name: text for form in forms for name, text in FORMS[form](given).items()}


def form_files(prompts: Iterable[tuple[str, str]]) -> set[str]:
    """Return the names that files of any form can have, from the names and patterns of prompts."""
    blank = {"text": "", "messages": (), "answers": ("",)}
    rows = [{"id": name, "pattern": pattern, **blank} for name, pattern in prompts]
    return {*formatted(PromptSet("", "", "", "", rows), FORMS)}


def lines_of(values: Iterable[object]) -> str:
    """Return values as lines of JSON."""
    return "".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values)


def _filled(name: str, given: PromptSet, **further: object) -> str:
    return text_environment("sgl.research.prompts").get_template(name).render(given=given, **further)
