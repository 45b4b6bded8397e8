"""What does the published training data of SGET show, and what does a dataset of ours show?

    sglc compile grammars/sget.sgl --out sget
    python benchmarks/concordance.py sget

prints two tables in Markdown: how many sentences contain certain structures, and, for each pattern, the finding about
the published data next to our verdicts and counts.  The published figures come from parse trees of the 44,100 training
sentences that the paper's authors distribute (Kumon, Matsuoka & Yanaka 2024); ours come from the verifier's own search
in the written dependency graphs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from common import command_line
from concordance_findings import COUNTS, FINDINGS, Count
from sgl.verify.conllu import Sentence, TokenTable, read_sentences
from sgl.verify.items import ShapeTable
from sgl.verify.search import Searcher
from sgl.verify.structure import read_structure

TRAIN = "train"


def count_structures(directory: Path, structures: Sequence[str]) -> list[int]:
    """Count the training sentences that contain each structure."""
    shapes = ShapeTable([read_structure(text) for text in structures])
    searcher = Searcher(shapes)
    sentences = read_sentences(directory / "conllu" / f"{TRAIN}.conllu", TokenTable())
    counts = Counter(shapes.of(entry) for entry in sentences if isinstance(entry, Sentence))
    for shape in shapes.shapes():
        shape.occurring = searcher.occurring(shape)
    return [
        sum(count for shape, count in counts.items() if shape.occurring >> number & 1)
        for number in range(len(structures))
    ]


def count_table(directory: Path, rows: Sequence[Count]) -> list[str]:
    """Return the first table: what training sentences contain."""
    ours = count_structures(directory, [row.structure for row in rows])
    lines = ["| training sentences with | published | here |", "| --- | ---: | ---: |"]
    for row, number in zip(rows, ours, strict=True):
        lines.append(f"| {row.what} | {row.published} | {number:,} |")
    return lines


def pattern_table(directory: Path) -> list[str]:
    """Return the second table: each pattern, the published finding, and our verdicts."""
    manifest = json.loads((directory / "manifest.json").read_text("utf-8"))
    verification = json.loads((directory / "verification.json").read_text("utf-8"))
    figures = {result["code"]: result["figures"] for result in verification["results"]}
    lines = ["| pattern | published training data | here |", "| --- | --- | --- |"]
    for pattern in manifest["patterns"]:
        name = pattern["name"]
        refuted = [
            f"{guarantee['claim']} {guarantee['result']}"
            for guarantee in manifest["guarantees"]
            if guarantee["pattern"] == name
            and guarantee["method"] == "static"
            and not guarantee["result"].startswith("proved")
        ]
        parts = ["; ".join(refuted) or "absent, proved"]
        strata = manifest["splits"]["train"]["strata"]
        drawn = sum(own["count"] for own in strata if own["category"] == f"exposure:{name}")
        if drawn:
            parts.append(f"{drawn} exposures")
        needs = [f["value"] for f in figures["V012"] if f["label"].startswith(f"{name} needs")]
        if needs:
            parts.append("needed: " + ", ".join(f"{number:,}" for number in needs))
        lines.append(f"| {pattern['title']} | {FINDINGS[name]} | {'; '.join(parts)} |")
    return lines


def main() -> None:
    """Print both tables."""
    parser = command_line(__doc__)
    parser.add_argument("directory", type=Path, help="a dataset compiled from grammars/sget.sgl")
    directory = parser.parse_args().directory
    print("\n".join([*count_table(directory, COUNTS), "", *pattern_table(directory)]))


if __name__ == "__main__":
    main()
