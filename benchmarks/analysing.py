"""How long does an analysis take, how much memory, and does mining find a planted cause?

Takes a treebank in CoNLL-U and writes the outputs of systems that fail for a known reason:
sentences with the structure ``--cause`` fail with ``--often``, others with ``--seldom``,
and a failed sentence has two of its words exchanged::

    python benchmarks/analysing.py out/sget/conllu/gen.conllu --systems 2

Each number of systems is measured in a process of its own, once without any; reading alone
is measured with this project's reader and with the library ``conllu``, which are then
compared word by word.  The exit status is 1 if they differ, or if mean dependency distance
and mean flux size do in any sentence.  The rank of the planted structure is reported, with
those before it: where all sentences with one of these have the cause, too, no method can tell.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import conllu
import numpy as np

from common import Json, print_table, write_json
from sgl.research.analyse import Sentence, Settings, TreebankReader, analyse, without_punctuation
from sgl.research.analyse.structures import Structure, labels_of, occurrence

CAUSE = "(acl:relcl (nsubj))"


def main() -> int:
    """Measure everything; the result is the exit status."""
    options = _options()
    if options.here is not None:
        predictions = [(path.stem, path) for path in options.here]
        sys.stdout.write(json.dumps(measure(options.treebank, predictions, options.cause)))
        return 0
    with tempfile.TemporaryDirectory() as place:
        files = [Path(place) / f"system{n}.txt" for n in range(options.systems)]
        affected = [
            write_outputs(options.treebank, path, options, seed) for seed, path in enumerate(files)
        ]
        runs = [_apart(options, []), *([_apart(options, files)] if files else [])]
    reading = compare_readers(options.treebank)
    result = {"treebank": options.treebank.name, "reading": reading, "runs": runs}
    result["planted"] = {"cause": options.cause, "sentences": affected[0] if affected else 0}
    report(result)
    write_json(options.json, result)
    return 0 if _is_right(result) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--systems", type=int, default=2)
    parser.add_argument("--cause", default=CAUSE, help="a structure of relations")
    parser.add_argument("--often", type=float, default=0.85)
    parser.add_argument("--seldom", type=float, default=0.08)
    parser.add_argument("--json", type=Path, help="write the result to this file")
    parser.add_argument("--here", type=Path, nargs="*", help=argparse.SUPPRESS)
    return parser.parse_args()


def write_outputs(treebank: Path, path: Path, options: argparse.Namespace, seed: int) -> int:
    """Write the outputs of a system that fails for the planted cause; in how many sentences."""
    draw = Random(seed)  # noqa: S311 - nothing is secret here
    cause = Structure(options.cause, options.cause.count("("))
    affected = 0
    with path.open("w", encoding="utf-8") as stream:
        for sentence in TreebankReader().read(treebank):
            if not isinstance(sentence, Sentence):
                raise SystemExit(f"{treebank}:{sentence.line}: {sentence.reason}")
            skeleton = without_punctuation(sentence.words)
            labels = labels_of(sentence.words, skeleton, "dep")
            has_cause = occurrence(skeleton.heads, labels, cause) is not None
            affected += has_cause
            words = [word.form for word in sentence.words]
            if draw.random() < (options.often if has_cause else options.seldom):
                first, second = draw.randrange(len(words)), draw.randrange(len(words))
                words[first], words[second] = words[second], words[first]
            stream.write(" ".join(words) + "\n")
    return affected


def _apart(options: argparse.Namespace, files: list[Path]) -> Json:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, str(options.treebank), "--cause", options.cause]
    done = subprocess.run(
        [*command, "--here", *map(str, files)], capture_output=True, text=True, check=True
    )
    result: Json = json.loads(done.stdout)
    return result


def measure(treebank: Path, predictions: list[tuple[str, Path]], cause: str) -> Json:
    """Analyse once, here."""
    started, cpu = time.perf_counter(), time.process_time()
    found = analyse(treebank, predictions, Settings(failure="inexact"))
    spent = time.process_time() - cpu
    columns = found.treebank.columns
    return {
        "systems": len(predictions),
        "sentences": found.treebank.sentences,
        "words": found.treebank.words,
        "cpu": spent,
        "wall": time.perf_counter() - started,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "distance is flux size": bool(np.allclose(columns["distance"], columns["flux_size"])),
        "first mined": [mined.suspects[0].structure.text for mined in found.mined],
        "rank of the cause": [
            [suspect.structure.text for suspect in mined.suspects].index(cause) + 1
            for mined in found.mined
            if mined.view == "dep"
        ],
    }


def compare_readers(treebank: Path) -> Json:
    """The times of both readers, and whether they read the same."""
    cpu = time.process_time()
    number = sum(1 for _ in TreebankReader().read(treebank))
    ours = time.process_time() - cpu
    cpu = time.process_time()
    with treebank.open(encoding="utf-8") as stream:
        theirs_number = sum(1 for _ in conllu.parse_incr(stream))
    theirs = time.process_time() - cpu
    same = number == theirs_number
    with treebank.open(encoding="utf-8") as stream:
        for mine, other in zip(
            TreebankReader().read(treebank), conllu.parse_incr(stream), strict=False
        ):
            same &= isinstance(mine, Sentence) and list(mine.words) == [
                (word["form"], word["lemma"], word["upos"], word["head"], word["deprel"])
                for word in other
                if isinstance(word["id"], int)
            ]
    return {"sentences": number, "ours": ours, "conllu": theirs, "same": same}


def report(result: Json) -> None:
    """Print what was measured."""
    reading = result["reading"]
    print_table(
        ["CPU seconds", "all", "per 10,000 sentences"],
        [
            [f"reading, {name}", seconds, 10_000 * seconds / reading["sentences"]]
            for name, seconds in (("sglc", reading["ours"]), ("conllu", reading["conllu"]))
        ]
        + [
            [
                f"analysis, {run['systems']} systems",
                run["cpu"],
                10_000 * run["cpu"] / run["sentences"],
            ]
            for run in result["runs"]
        ],
    )
    for run in result["runs"]:
        print(f"{run['systems']} systems: {run['wall']:.1f} s, at most {run['megabytes']:.0f} MB")
    last = result["runs"][-1]
    print(
        f"{last['sentences']:,} sentences, {last['words']:,} words; same reading: {reading['same']}"
    )
    for rank in last["rank of the cause"]:
        print(f"planted {result['planted']['cause']}: rank {rank}; first {last['first mined']}")


def _is_right(result: Json) -> bool:
    runs = result["runs"]
    return bool(result["reading"]["same"] and all(run["distance is flux size"] for run in runs))


if __name__ == "__main__":
    sys.exit(main())
