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
from sgl.research.prompts.formats import PromptSet, form_files, formatted, lines_of, messages_of
from sgl.research.prompts.material import Material, Prompt, factors_of

FORMAT, PROOF = "sgl-prompts/1", "prompts.certificate.json"
INSTRUCTION = "Give the output of the last input, in the way of the examples."

#: The options about what prompts say beside their sentences, and the forms in which they are written.
WORDING = "instruction", "forms", "model"


def files_of(material: Material, prompts: Iterable[Prompt], wording: Mapping[str, Any]) -> dict[str, str]:
    """Return the text of each file but the certificate, from the items and shots of prompts."""
    known = {row.id: row for rows in (material.items.rows, material.train.rows) for row in rows}
    instruction, rows = wording["instruction"], list[dict[str, Any]]()
    for prompt in prompts:
        item, shots = known[prompt.id], [(known[shot].source, known[shot].target) for shot in prompt.shots]
        shown = (f"Input: {source}\nOutput: {target}" for source, target in shots)
        text = "\n\n".join([instruction, *shown, f"Input: {item.source}\nOutput:"])
        about: dict[str, Any] = {"id": prompt.id, "pattern": prompt.pattern, "shots": prompt.shots, "text": text}
        about |= {"factors": factors_of(material, prompt)}
        asked = messages_of(instruction, shots, item.source)
        rows.append({**about, "messages": asked, "answers": (item.target, *item.others)})
    own = [{name: value for name, value in row.items() if name not in ("messages", "answers")} for row in rows]
    files = {"prompts.jsonl": lines_of(own), "gold.tsv": "".join(f"{row['id']}\t{row['answers'][0]}\n" for row in rows)}
    # It names the dataset, and the prompts by their texts.
    signed = f"{material.signature}|prompts:sha256:{sha256(files['prompts.jsonl'].encode()).hexdigest()}"
    name = manifest_of(material.directory)["name"].of(str)
    return files | formatted(
        PromptSet(name, material.split, wording["model"], signed, rows, wording["control"]), wording["forms"]
    )


def write_prompts(
    out: Path, material: Material, prompts: Sequence[Prompt], options: Mapping[str, Any], listing: Listing
) -> None:
    """Write prompts with their certificate, or nothing; raises ``OutputError``."""
    head = {"format": FORMAT, "dataset": material.signature, "split": material.split, "target": material.target}
    of = Counter(row.category for row in material.items.rows)
    listed = {"of": {name: of[name] for name in dict.fromkeys(prompt.pattern for prompt in prompts)}}
    proof = {**head, **options, **listed, "prompts": list(map(asdict, prompts))}
    with staged_directory(out, listing=listing) as stage:
        for name, text in files_of(material, prompts, options).items():
            make_way(stage / name)
            write(stage / name, text)
        write(stage / PROOF, json.dumps(proof, ensure_ascii=False, indent=1) + "\n")


def prompt_files(directory: Path) -> Collection[str] | None:
    """Return the files that a directory of prompts can have; None if it is none."""
    with suppress(ForeignFileError):
        proof = read_document(directory / PROOF, CERTIFICATE, inside=directory)
        proof["format"].one_of([FORMAT])
        prompts = ((prompt["id"].of(str), prompt["pattern"].of(str)) for prompt in proof["prompts"].elements())
        return {PROOF, "prompts.jsonl", "gold.tsv", *form_files(prompts)}
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
