"""Are the guarantees of a grammar guarded?  Break it in hundreds of ways and see.

Each mutant is the grammar with one small change, of the kinds that authors make: a rule
added that leaks, an exposure left out, a feature widened, a label swapped, a depth off by
one, a word removed.  A mutant whose data would not keep what the original claims has to
be caught by something that its author runs: when it is read, by an example beside a rule
or pattern, by the proof of its own claims, by the comparison of its training with what the
original tests, or by the verifier, which reads a small dataset drawn from it against the
original's manifest.  A mutant that keeps all claims has to pass::

    python benchmarks/models.py mutants grammars/sget.sgl --jobs 2 --json mutants.json

The table counts the mutants of each kind by who caught them; below are the mutants that
nobody caught, and those that were harmless but set off an alarm; there should be none.
A mutant with a `wrong graph` calls, say, an object a subject where no example says
otherwise: its graphs keep all claims, its sentences do not.  The first that notices is
counted, and those after it are not asked.
The file has every mutant with its message and witness, and why a harmless one is so.  A
run that was interrupted goes on where it stopped.  How a mutant is judged:
``mutation/judge.py``; what is changed: ``mutation/patterns.py``, ``mutation/rules.py``.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path
from random import Random

from common import Json, Workers, command_line, forget, print_table, run_tasks, write_json
from mutation import patterns, rules
from mutation.judge import ALARM, HARMLESS, MISSED, STAGES, WRONG_GRAPH, judge, open_original
from mutation.source import Mutant, Source


def main() -> int:
    """Run the benchmark; the exit status is 1 if a harmful mutant was missed."""
    options = _options()
    source = Source.read(options.grammar)
    mutants = choose(source, options.seed, options.limit)
    if options.only:
        mutants = {name: m for name, m in mutants.items() if options.only in name}
    started = time.time()
    original = open_original(options.grammar)

    def work(name: str) -> Json:
        return judge(original, source, mutants[name])

    memory = options.json.with_suffix(".partial") if options.json else None
    workers = Workers(options.jobs, memory)
    key = f"{hash_of(source)} {options.seed}"
    results = run_tasks(list(mutants), work, workers, key)
    report(results)
    print(f"{time.time() - started:.0f} s")
    seconds = cpu(results)
    print("CPU:", ", ".join(f"{stage} {used:.0f} s" for stage, used in seconds.items()))
    write_json(options.json, {"summary": summary(results), "cpu": seconds, "mutants": results})
    forget(workers)
    return 1 if summary(results)["missed"] else 0


def _options() -> argparse.Namespace:
    parser = command_line(__doc__, results=True)
    parser.add_argument("grammar", type=Path)
    parser.add_argument("--seed", type=int, default=1, help="which mutants of each kind")
    parser.add_argument("--limit", type=int, help="so many mutants in all, for a short run")
    parser.add_argument("--only", help="mutants with this text in their name")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    return parser.parse_args()


def hash_of(source: Source) -> str:
    """A name for the text of a project."""
    return f"{Random(repr(sorted(source.files.items()))).getrandbits(64):016x}"  # noqa: S311


def choose(source: Source, seed: int, limit: int | None = None) -> dict[str, Mutant]:
    """Mutants of all kinds by name, so many of each as ``KINDS`` says, in a random order.

    The first ones are a sample of all, for a short run or one that is interrupted.
    """
    random = Random(seed)  # noqa: S311
    chosen: list[Mutant] = []
    for most, make in (*patterns.KINDS, *rules.KINDS):
        made = list(make(source))
        chosen += made if len(made) <= most else random.sample(made, most)
    random.shuffle(chosen)
    named: dict[str, Mutant] = {}
    for mutant in chosen[:limit]:
        name = f"{mutant.kind} · {mutant.name}"
        while name in named:
            name += "'"
        named[name] = mutant
    return named


def summary(results: dict[str, Json]) -> Json:
    """How many mutants there were of each verdict."""
    counts = Counter(result["verdict"] for result in results.values())
    caught = sum(counts[stage] for stage in STAGES)
    return {
        "mutants": len(results),
        "caught": caught,
        **{f"by {stage}": counts[stage] for stage in STAGES},
        "harmless": counts[HARMLESS],
        "wrong graph": counts[WRONG_GRAPH],
        "missed": counts[MISSED],
        "false alarms": counts[ALARM],
    }


def cpu(results: dict[str, Json]) -> dict[str, float]:
    """The CPU seconds of all mutants in each stage."""
    seconds: Counter[str] = Counter()
    for result in results.values():
        seconds.update(result["cpu"])
    return dict(seconds)


def report(results: dict[str, Json]) -> None:
    """Print the table, and what should not be there."""
    verdicts = (*STAGES, HARMLESS, WRONG_GRAPH, MISSED, ALARM)
    table: dict[str, Counter[str]] = {}
    for result in results.values():
        table.setdefault(result["kind"], Counter())[result["verdict"]] += 1
    rows = [(kind, *(counts[v] for v in verdicts), counts.total()) for kind, counts in table.items()]
    total = sum(table.values(), Counter())
    rows.append(("all", *(total[v] for v in verdicts), total.total()))
    print_table(("kind", *verdicts, "mutants"), rows)
    reasons = Counter(r["message"] for r in results.values() if r["verdict"] == HARMLESS)
    for reason, number in reasons.most_common():
        print(f"harmless, {number}: {reason}")
    for name, result in results.items():
        if result["verdict"] in (WRONG_GRAPH, MISSED, ALARM):
            print(f"{result['verdict'].upper()}: {name}\n    {result['message']}")
