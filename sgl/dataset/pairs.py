"""Pairs for probing: each sentence with its twin, where the target is a contrast of the source.

``pairs/test.jsonl`` has a line for each row of ``data/test.tsv``::

    {"sentence_good": "The dogs bark.", "sentence_bad": "The dogs barks.", "pattern": "plain"}

and ``lm_eval/test.yaml`` makes them a task for the Language Model Evaluation Harness.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan
from sgl.dataset.card import templates
from sgl.dataset.manifest import DataFile
from sgl.foreign import sha256_of
from sgl.rendering import ViewError

#: The folder of the tasks.
TASKS = "lm_eval"


def write_pairs(directory: Path, grammar: CoreGrammar, plan: Plan) -> Iterator[DataFile]:
    """Write the rows of a dataset whose target is the twin as pairs; ``ViewError`` if a sentence is its own twin."""
    finish = {layer.name: layer.finish for layer in grammar.text_layers}.get(plan.target)
    splits = dict.fromkeys(stratum.split for stratum in plan.strata)
    for split in splits if finish is not None and finish.twin == plan.source else ():
        path, lines = directory / "pairs" / f"{split}.jsonl", list[str]()
        for row in (directory / "data" / f"{split}.tsv").read_text("utf-8").splitlines():
            good, bad, category = row.split("\t")
            if good == bad:
                raise ViewError(f"it is its own twin, “{good}”")
            members = {"sentence_good": good, "sentence_bad": bad, "pattern": category}
            lines.append(json.dumps(members, ensure_ascii=False) + "\n")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes("".join(lines).encode())
        task = templates().get_template("lm_eval.yaml.j2").render(name=grammar.name, split=split)
        (directory / TASKS).mkdir(exist_ok=True)
        (directory / TASKS / f"{split}.yaml").write_bytes(task.encode())
        yield DataFile(path.relative_to(directory).as_posix(), sha256_of(path), len(lines))
