"""Write prompts: their texts, the right answers, and the certificate, from which every other file follows."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Any

from sgl.dataset import manifest_of, staged_directory
from sgl.dataset.staged import Listing
from sgl.disk import make_way, write
from sgl.foreign import CERTIFICATE, ForeignFileError
from sgl.foreign.json import read_document
from sgl.research.prompts.beside import Made
from sgl.research.prompts.formats import PromptSet, form_files, formatted, lines_of, messages_of
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
    of = Counter(row.category for row in material.items.rows)
    listed = {"of": {name: of[name] for name in dict.fromkeys(prompt.pattern for prompt in prompts)}}
    proof = {**head, **options, **listed, "prompts": list(map(asdict, prompts)), "beside": beside}
    with staged_directory(out, listing=listing) as stage:
        for name, text in files_of(material, prompts, options, beside).items():
            make_way(stage / name)
            write(stage / name, text)
        write(stage / PROOF, json.dumps(proof, ensure_ascii=False, indent=1) + "\n")


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
