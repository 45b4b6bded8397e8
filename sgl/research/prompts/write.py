"""Write prompts: their texts, the right answers, and the certificate, from which every other file follows.

A *form* is a function from prompts to files for the programs that run models, by their names below the directory.
Everything that a program needs beside the texts is in a template; harnesses read the prompts of each pattern from
``data/PATTERN.jsonl``::

    {"id": "gen-000001", "pattern": …, "shots": […], "text": …, "messages": […], "answers": […], "signature": …}

The *signature* names the dataset and, by a hash of ``prompts.jsonl``, the prompts.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Any

from sgl.cli.terminal import json_text, text_environment
from sgl.dataset import manifest_of, staged_directory
from sgl.dataset.rows import json_line
from sgl.dataset.staged import Listing
from sgl.disk import make_way, write
from sgl.foreign import CERTIFICATE, ForeignFileError
from sgl.foreign.json import read_document
from sgl.research.evaluate.equivalence import normal
from sgl.research.prompts.beside import Made
from sgl.research.prompts.material import Material, Prompt, factors_of
from sgl.research.prompts.questions import JUDGE, OUTPUT, PROGRAM, questions_of

FORMAT, PROOF = "sgl-prompts/2", "prompts.certificate.json"

#: What eval reads where questions are not the rows of the dataset.
QUESTIONS = "questions.tsv"

#: The options about what prompts say beside their sentences, and the forms in which they are written.
WORDING = "instruction", "forms", "model"


def files_of(
    material: Material, prompts: Iterable[Prompt], options: Mapping[str, Any], beside: Mapping[str, Made]
) -> dict[str, str]:
    """Return the text of each file but the certificate, from prompts, options and what is beside items.

    Raises ``ValueError`` if that cannot be beside them.
    """
    task, rows = options["task"], list[dict[str, Any]]()
    own, asked = task == JUDGE or options["matched"], list(questions_of(material, prompts, options, beside))
    names = [f"questions-{number:06d}" if own else of.prompt.id for number, of in enumerate(asked, 1)]
    for name, (prompt, _, question, answers, shots, context, known) in zip(names, asked, strict=True):
        head = "\n\n".join(filter(None, [options["instruction"], context]))
        shown = (f"Input: {source}\nOutput: {target}" for source, target in shots)
        text = "\n\n".join([head, *shown, "Program:" if task == PROGRAM else f"Input: {question}\nOutput:"])
        about: dict[str, Any] = {"id": name, "pattern": prompt.pattern, "shots": prompt.shots, "text": text}
        about |= {"factors": {} if task == PROGRAM else factors_of(material, prompt), **known}
        talk = messages_of(head, shots, question) if task != PROGRAM else [{"role": "user", "content": text}]
        rows.append({**about, "messages": talk, "answers": answers})
    written = [{name: value for name, value in row.items() if name not in ("messages", "answers")} for row in rows]
    files = {"prompts.jsonl": lines_of(written)}
    if task != PROGRAM:
        files["gold.tsv"] = "".join(f"{name}\t{of.answers[0]}\n" for name, of in zip(names, asked, strict=True))
    if own:
        files[QUESTIONS] = "".join(f"{of.text}\t{of.answers[0]}\t{of.kind}\n" for of in asked)
    # It names the dataset, and the prompts by their texts.
    signed = f"{material.signature}|prompts:sha256:{sha256(files['prompts.jsonl'].encode()).hexdigest()}"
    kinds = [*[task] * (task != OUTPUT), *(kind for kind in ("matched", "control") if options[kind])]
    name, kind = manifest_of(material.directory)["name"].of(str), "_".join(kinds) or "prompts"
    of = PromptSet(name, material.asked.split, options["model"], signed, rows, kind)
    return files | formatted(of, options["forms"])


def write_prompts(
    out: Path,
    material: Material,
    prompts: Sequence[Prompt],
    options: Mapping[str, Any],
    beside: Mapping[str, Made],
    listing: Listing,
) -> None:
    """Write prompts with their certificate, or nothing; raises ``OutputError``."""
    asked = material.asked
    head = {"format": FORMAT, "dataset": material.signature, "split": asked.split, "target": asked.target}
    of = Counter(of.row.category for of in material.items)
    listed = {"of": {name: of[name] for name in dict.fromkeys(prompt.pattern for prompt in prompts)}}
    proof = {**head, **options, **listed, "prompts": list(map(asdict, prompts)), "beside": beside}
    with staged_directory(out, listing=listing) as stage:
        for name, text in files_of(material, prompts, options, beside).items():
            make_way(stage / name)
            write(stage / name, text)
        write(stage / PROOF, json_text(proof))


def prompt_files(directory: Path) -> Collection[str] | None:
    """Return the files that a directory of prompts can have; None for any other directory."""
    with suppress(ForeignFileError):
        proof = read_document(directory / PROOF, CERTIFICATE, inside=directory)
        proof["format"].one_of([FORMAT])
        prompts = ((prompt["id"].of(str), prompt["pattern"].of(str)) for prompt in proof["prompts"].elements())
        # There are at most two questions for each prompt.
        listed = list(prompts)
        named = [(f"questions-{n:06d}", listed[0][1]) for n in range(1, 2 * len(listed) + 1)]
        return {PROOF, "prompts.jsonl", "gold.tsv", QUESTIONS, *form_files([*listed, *named])}
    return None


def summary_rows(prompts: Sequence[Prompt]) -> Iterator[dict[str, Any]]:
    """Yield for each pattern the prompts, the share whose parts are all shown, and what is missing."""
    for pattern in dict.fromkeys(prompt.pattern for prompt in prompts):
        own = [prompt for prompt in prompts if prompt.pattern == pattern]
        missing = Counter(part for prompt in own for part in prompt.missing)
        # The most frequent, and of several the first in the alphabet.
        most = min(missing, key=lambda part: (-missing[part], part), default=None)
        yield {
            "pattern": pattern,
            "prompts": len(own),
            "complete": sum(not prompt.missing for prompt in own) / len(own),
            "complete_but_untrained": sum(prompt.missing == prompt.untrained for prompt in own) / len(own),
            "parts": fmean(len(prompt.shown) + len(prompt.missing) for prompt in own),
            "missing": fmean(len(prompt.missing) for prompt in own),
            "commonest": most and {"part": most, "prompts": missing[most]},
            "untrained": sorted({part for prompt in own for part in prompt.untrained}),
        }


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
    "text": lambda given: {f"text/{row['id']}.txt": row["text"] for row in given.rows},
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
    return "".join(map(json_line, values))


def _filled(name: str, given: PromptSet, **further: object) -> str:
    return text_environment("sgl.research.prompts").get_template(name).render(given=given, **further)
