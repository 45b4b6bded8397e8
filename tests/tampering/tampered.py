"""Does the verifier notice that a dataset was tampered with?

Makes a small dataset (a twentieth of the grammar's sizes, by `sglc`'s own means), and
changes a copy of it in some hundreds of ways: carelessly, so that a hash no longer fits,
and carefully, in all formats alike, with new counts and hashes in the manifest.  Each copy
goes through the verifier::

    python benchmarks/models.py tampered grammars/sget.sgl --jobs 2 --json tampered.json

What is harmful has to be noticed by the check that is there for it; what is harmless has
to pass.  The table counts both by kind, below it is what was missed, and the harmless ones
with why they are so.  Where the verifier has nothing to say, the standalone sampler of the
dataset is asked as well: it draws the rows anew and compares.

A certificate can be tampered with by itself, in ways drawn at random from a seed; its small
checker judges, and stops at the first line of reasoning that fails::

    sglc prove grammars/sget.sgl --certificate sget.json
    python benchmarks/models.py tampered --certificate sget.json --count 40 --seed 1
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from common import Json, Workers, command_line, forget, print_table, run_tasks, write_json
from mutation.data import scaled_plan
from mutation.judge import open_original
from sgl.automata import StructureCompiler
from sgl.dataset import write_checksums
from sgl.diagnostics import Diagnostics
from sgl.pipeline.production import produce
from sgl.pipeline.proofs import establish
from sgl.verify import VerifyError, verify
from tampering import alone, certificates, files, manifests, rows
from tampering.copy import Copy, Tampering

CAUGHT, HARMLESS, MISSED, ALARM, OTHER, NOT_HERE = (
    "caught",
    "harmless",
    "missed",
    "false alarm",
    "by another check",
    "not applicable",
)
VERDICTS = (CAUGHT, OTHER, HARMLESS, MISSED, ALARM, NOT_HERE)


def main() -> int:
    """Run the benchmark; the exit status is 1 if something harmful was missed."""
    options = _options()
    if options.certificate:
        return alone.run(options.certificate, options.count, options.seed, options.json)
    started = time.time()
    with tempfile.TemporaryDirectory() as directory:
        base = options.dataset or make_dataset(options.grammar, Path(directory) / "base")
        chosen = {f"{t.kind} · {t.name}": t for t in tamperings(Copy(base))}
        names = list(chosen)
        if options.limit:
            names = names[:: max(1, len(names) // options.limit)][: options.limit]

        def work(name: str) -> Json:
            return tamper(base, chosen[name])

        memory = options.json.with_suffix(".partial") if options.json else None
        workers = Workers(options.jobs, memory)
        key = f"{Copy(base).manifest['identity']} {options.limit}"
        results = run_tasks(names, work, workers, key)
    report(results)
    print(f"{time.time() - started:.0f} s")
    write_json(options.json, {"summary": summary(results), "tamperings": results})
    forget(workers)
    found = summary(results)
    return 1 if found[MISSED] or found[ALARM] else 0


def _options() -> argparse.Namespace:
    parser = command_line(__doc__, results=True)
    parser.add_argument("grammar", type=Path, nargs="?")
    parser.add_argument("--certificate", type=Path, help="tamper with this one by itself")
    parser.add_argument("--count", type=int, default=40, help="so many ways, for a certificate")
    parser.add_argument("--seed", type=int, default=1, help="which ways, for a certificate")
    parser.add_argument("--dataset", type=Path, help="tamper with copies of this one")
    parser.add_argument("--limit", type=int, help="so many ways, for a short run")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    if not options.grammar and not options.certificate:
        parser.error("a grammar, or --certificate FILE")
    return options


def make_dataset(grammar: Path, target: Path) -> Path:
    """A small dataset with everything that a large one has."""
    original = open_original(grammar)
    compiled = replace(original.compiled, plan=scaled_plan(original, {}))
    structures = StructureCompiler(compiled.grammar)
    proofs = establish(compiled, structures, Diagnostics())
    if proofs is None:
        raise ValueError(f"{grammar}: a claim cannot be decided")
    outcome = produce(compiled, structures, proofs, target, _silent)
    if not outcome.verification.ok:
        raise ValueError(f"{grammar}: the dataset has violations before anything is changed")
    return target


def _silent(what: str, done: int, total: int) -> None:
    """Show no progress."""


def tamperings(copy: Copy) -> Iterator[Tampering]:
    """All ways of tampering with this dataset."""
    for module in (files, rows, manifests, certificates):
        yield from module.tamperings(copy)


def tamper(base: Path, tampering: Tampering) -> Json:
    """What the verifier says of a copy."""
    with tempfile.TemporaryDirectory() as directory:
        copy = Copy(Path(shutil.copytree(base, Path(directory) / base.name)))
        result = {"kind": tampering.kind, "claim": tampering.claim, "expected": tampering.expected}
        try:
            tampering.act(copy)
        except (StopIteration, ValueError, KeyError, IndexError) as problem:
            return {**result, "verdict": NOT_HERE, "message": str(problem)}
        if copy.directory.is_dir():
            # The list of all files would notice any change, so the forger writes it anew.
            write_checksums(copy.directory, {})
        return {**result, **_verified(copy.directory, tampering)}


def _verified(directory: Path, tampering: Tampering) -> Json:
    try:
        report = verify(directory)
    except VerifyError as problem:
        return {"verdict": CAUGHT if tampering.harmful else ALARM, "message": str(problem)}
    failed = {result.code: result for result in report.failed}
    if not failed:
        verdict = MISSED if tampering.harmful else HARMLESS
        said = "the sampler finds other rows" if _resampled(directory) else "the sampler agrees"
        return {"verdict": verdict, "message": f"no check fails; {said}"}
    first = failed.get(tampering.expected, report.failed[0])
    message = f"{first.code} {first.name}: {first.violations[0]}"
    verdict = CAUGHT if tampering.expected in failed else OTHER
    return {
        "verdict": verdict if tampering.harmful else ALARM,
        "message": message,
        "failed": [f"{code} {result.name}: {result.total}" for code, result in failed.items()],
    }


def _resampled(directory: Path) -> bool:
    """Whether the sampler of the dataset draws other rows than its files have."""
    command = [sys.executable, "-I", str(directory / "sampler.py"), "--check"]
    return subprocess.run(command, check=False, capture_output=True).returncode != 0


def summary(results: dict[str, Json]) -> Json:
    """How many there were of each verdict."""
    counts = Counter(result["verdict"] for result in results.values())
    return {"tamperings": len(results), **{verdict: counts[verdict] for verdict in VERDICTS}}


def report(results: dict[str, Json]) -> None:
    """Print the table, and what should not be there."""
    table: dict[str, Counter[str]] = {}
    for result in results.values():
        table.setdefault(result["kind"], Counter())[result["verdict"]] += 1
    table["all"] = sum(table.values(), Counter())
    rows = [(kind, *(counts[v] for v in VERDICTS), counts.total()) for kind, counts in table.items()]
    print_table(("kind", *VERDICTS, "copies"), rows)
    for name, result in results.items():
        if result["verdict"] == HARMLESS:
            print(f"harmless: {name}: {result['claim']}; {result['message'].partition('; ')[2]}")
        elif result["verdict"] in (OTHER, MISSED, ALARM, NOT_HERE):
            print(f"{result['verdict'].upper()}: {name} ({result['expected']})")
            print(f"    {result['message']}")
