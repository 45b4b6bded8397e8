"""The right answers of ambiguous sentences (``ambiguous list``).

``references/test.jsonl`` has a line for each row of ``data/test.tsv``: the texts of each target, the row's own first.
``readings/test.tsv`` justifies each other answer by a derivation of the same sentence::

    {"ja": ["猫が犬の近くの鳥を見た。", "犬の近くの猫が鳥を見た。"]}
    gen/pp/0#17     0 1 4 9 12 4 10
"""

from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.core.plan import Plan
from sgl.dataset.manifest import DataFile
from sgl.dataset.rows import json_line, written
from sgl.disk import create, make
from sgl.rendering import outputs

#: The folders of right answers and of the readings that justify them, with their file extensions.
FOLDERS = {"references": ".jsonl", "readings": ".tsv"}


class Answers(NamedTuple):
    """A row of a split: its candidate, its derivation, and a reading for each other answer."""

    split: str
    candidate: str
    derivation: Derivation
    others: list[Derivation]


def write_answers(directory: Path, grammar: CoreGrammar, plan: Plan, rows: Iterable[Answers]) -> list[DataFile]:
    """Write right answers to ``references/SPLIT.jsonl``, and the readings that justify them to ``readings/SPLIT.tsv``.

    A line of the first file has the texts of each target, the row's own first; the second file has a line for each
    other reading: the candidate, and the rules of a derivation in preorder.
    """
    targets = {name: output for name, output in outputs(grammar).items() if name in plan.targets}
    splits, counts = dict.fromkeys(stratum.split for stratum in plan.strata), Counter[Path]()
    paths = {s: [directory / folder / f"{s}{end}" for folder, end in FOLDERS.items()] for s in splits}
    with ExitStack() as closing:
        for folder in FOLDERS:
            make(directory / folder)
        files = {path: closing.enter_context(create(path)) for own in paths.values() for path in own}
        before = ""
        for split, candidate, own, others in rows:
            texts = {name: list(dict.fromkeys(map(output, (own, *others)))) for name, output in targets.items()}
            # Copies share the readings of the first row.
            shown = others if candidate != before else []
            lines, before = "".join(f"{candidate}\t{' '.join(map(str, other))}\n" for other in shown), candidate
            for path, text in zip(paths[split], (json_line(texts), lines), strict=True):
                files[path].write(text.encode())
                counts[path] += text.count("\n")
    return [written(directory, path, counts[path]) for path in files]
