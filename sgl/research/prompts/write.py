"""Write prompts: their texts, the right answers, and the certificate, from which every other file follows."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from sgl.dataset import staged_directory
from sgl.dataset.staged import Listing
from sgl.disk import make, write
from sgl.foreign import CERTIFICATE, ForeignFileError
from sgl.foreign.json import read_document
from sgl.research.evaluate.benchmark import BenchmarkRow
from sgl.research.prompts.material import Material, Prompt

FORMAT, PROOF = "sgl-prompts/1", "prompts.certificate.json"
CHAT, TEXT = FORMS = "chat", "text"
INSTRUCTION = "Give the output of the last input, in the way of the examples."


@dataclass(frozen=True, slots=True)
class Wording:
    """What prompts say beside their sentences, and the forms in which they are written."""

    instruction: str
    forms: tuple[str, ...]
    model: str


def _text(wording: Wording, shots: Iterable[BenchmarkRow], item: BenchmarkRow) -> str:
    shown = (f"Input: {shot.source}\nOutput: {shot.target}" for shot in shots)
    return "\n\n".join([wording.instruction, *shown, f"Input: {item.source}\nOutput:"])


def _chat(wording: Wording, shots: Iterable[BenchmarkRow], item: BenchmarkRow) -> dict[str, Any]:
    turns = [("system", wording.instruction)]
    for shot in shots:
        turns += [("user", shot.source), ("assistant", shot.target)]
    messages = [{"role": role, "content": content} for role, content in (*turns, ("user", item.source))]
    body = {"model": wording.model, "messages": messages, "temperature": 0}
    return {"custom_id": item.id, "method": "POST", "url": "/v1/chat/completions", "body": body}


def files_of(material: Material, prompts: Iterable[Prompt], wording: Wording) -> dict[str, str]:
    """Return the text of each file but the certificate, from the item, pattern and shots of each prompt."""
    known = {row.id: row for rows in (material.items.rows, material.train.rows) for row in rows}
    names = ("prompts.jsonl", "gold.tsv", *(["chat.jsonl"] if CHAT in wording.forms else []))
    lines: dict[str, list[str]] = {name: [] for name in names}
    files: dict[str, str] = {}
    for prompt in prompts:
        name, item, shown = prompt.id, known[prompt.id], [known[shot] for shot in prompt.shots]
        text = _text(wording, shown, item)
        lines["prompts.jsonl"].append(
            _line({"id": name, "pattern": prompt.pattern, "shots": list(prompt.shots), "text": text})
        )
        lines["gold.tsv"].append(f"{name}\t{item.target}")
        if CHAT in wording.forms:
            lines["chat.jsonl"].append(_line(_chat(wording, shown, item)))
        if TEXT in wording.forms:
            files[f"text/{name}.txt"] = text
    return files | {name: "".join(f"{line}\n" for line in own) for name, own in lines.items()}


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def prompts_certificate(
    material: Material, prompts: Sequence[Prompt], settings: Mapping[str, Any], wording: Wording
) -> dict[str, Any]:
    """Return what is claimed of prompts: of each which shot shows which part."""
    head = {"format": FORMAT, "dataset": material.signature, "split": material.split, "target": material.target}
    return head | dict(settings) | asdict(wording) | {"prompts": [asdict(prompt) for prompt in prompts]}


def write_prompts(out: Path, files: Mapping[str, str], proof: dict[str, Any], listing: Listing) -> None:
    """Write a directory of prompts, or nothing; raises ``OutputError``."""
    with staged_directory(out, listing=listing) as stage:
        for folder in {Path(name).parent for name in files} - {Path()}:
            make(stage / folder)
        for name, text in files.items():
            write(stage / name, text)
        write(stage / PROOF, json.dumps(proof, ensure_ascii=False, indent=1) + "\n")


def prompt_files(directory: Path) -> Collection[str] | None:
    """Return the files that a directory of prompts can have; None if it is none."""
    with suppress(ForeignFileError):
        proof = read_document(directory / PROOF, CERTIFICATE, inside=directory)
        if proof["format"].of(str) == FORMAT:
            names = [prompt["id"].of(str) for prompt in proof["prompts"].elements()]
            return {PROOF, "prompts.jsonl", "gold.tsv", "chat.jsonl", *(f"text/{name}.txt" for name in names)}
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
