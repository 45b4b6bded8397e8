"""What has a baseline learnt?  Scores of patterns and groups, and their ranks next to a published system's.

Reads the directory of a run of `sglc baseline`, or of several runs with different seeds::

    sglc baseline out/sget --out run1
    python benchmarks/baselines.py run1 --published table.tsv

Each line of the file ``--published`` has the name of a pattern, a tab and a score, for instance from Table 10 of Kumon,
Matsuoka & Yanaka (2024), which is not in this repository; Spearman's rank correlation compares the two systems.

The questions are the paper's: are structural patterns harder than lexical ones, do modified subjects (with a
prepositional phrase or a relative clause) score close to zero, and are adjectives easier than these?
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev

from scipy.stats import spearmanr

from common import Json, command_line, print_table, write_json

GROUPS = ("lexical", "lexical_morphological", "structural")

#: The patterns that each question is about.
MODIFIED_SUBJECTS = ("pp_in_subject", "rc_in_subject")
MODIFIED = ("pp_in_subject", "pp_in_recipient", "rc_in_subject", "rc_in_recipient")
ADJECTIVES = ("adjective_in_subject", "adjective_in_recipient")


def main() -> int:
    """Print the tables and return the exit status 0."""
    parser = command_line(__doc__, results=True)
    parser.add_argument("runs", type=Path, nargs="+", help="directories of `sglc baseline`")
    parser.add_argument("--published", type=Path, help="pattern, tab, score")
    options = parser.parse_args()
    result = run(options.runs, read_published(options.published))
    report(result)
    write_json(options.json, result)
    return 0


def read_published(path: Path | None) -> dict[str, float]:
    """Read the scores of a published system by pattern."""
    if path is None:
        return {}
    rows = (line.split("\t") for line in path.read_text("utf-8").splitlines() if line.strip())
    return {row[0]: float(row[1]) for row in rows}


def run(runs: Sequence[Path], published: Mapping[str, float]) -> Json:
    """Return Exact Match on test, on each pattern and each group, and what follows from them."""
    gens = [scores_of(path, "gen") for path in runs]
    patterns = {name: fmean(gen["patterns"][name] for gen in gens) for name in gens[0]["patterns"]}
    shared = [name for name in patterns if name in published]
    result: Json = {
        "runs": [_training(path) for path in runs],
        "test": _spread([scores_of(path, "test")["all"] for path in runs]),
        "patterns": patterns,
        "groups": {
            group: fmean(patterns[name] for name, of in gens[0]["groups"].items() if group in of)
            for group in GROUPS
            if any(group in of for of in gens[0]["groups"].values())
        },
        "questions": _questions(patterns),
    }
    if len(shared) > 1:
        found = spearmanr([patterns[n] for n in shared], [published[n] for n in shared])
        result["spearman"] = {"patterns": len(shared), "rho": float(found.statistic), "p": float(found.pvalue)}
    return result


def scores_of(path: Path, split: str) -> Json:
    """Return Exact Match of a run on a split: of all items and of each pattern, and the groups of the patterns."""
    data = json.loads((path / "scores" / f"{split}.json").read_text("utf-8"))
    tables = data["tables"]

    def exact(row: Json) -> float:
        (cell,) = row["scores"]["exact"].values()
        return float(cell["mean"])

    return {
        "all": exact(tables["overall"][0]),
        "patterns": {row["name"]: exact(row) for row in tables["patterns"]},
        "groups": {name: kind["groups"] for name, kind in data["dataset"]["patterns"].items()},
    }


def _training(path: Path) -> Json:
    record = json.loads((path / "run.json").read_text("utf-8"))
    training = record["training"]
    return {
        "run": path.name,
        "model": record["config"]["model"],
        "weights": record["weights"],
        "steps": training["steps"],
        "seconds": training["seconds"],
        "kept": training["kept_step"],
        "dev": training["kept_dev_exact"],
        "ended": training["ended"],
    }


def _spread(values: Sequence[float]) -> Json:
    return {"mean": fmean(values), "deviation": stdev(values) if len(values) > 1 else None}


def _questions(patterns: Mapping[str, float]) -> Json:
    asked = {
        "modified subjects": MODIFIED_SUBJECTS,
        "modified by a phrase or a clause": MODIFIED,
        "modified by an adjective": ADJECTIVES,
    }
    return {
        what: fmean(patterns[name] for name in names)
        for what, names in asked.items()
        if all(name in patterns for name in names)
    }


def report(result: Json) -> None:
    """Print all results."""
    for made in result["runs"]:
        print(
            f"{made['run']}: {made['model']}, {made['weights']:,} weights, {made['steps']:,} steps "
            f"in {made['seconds']:.0f} s ({made['ended']}); kept step {made['kept']:,}"
        )
    print(f"\ntest {result['test']['mean']:.1%}\n")
    ranked = sorted(result["patterns"].items(), key=lambda pair: -pair[1])
    print_table(("pattern", "exact"), [(name, f"{share:.1%}") for name, share in ranked])
    print()
    means = {**result["groups"], **result["questions"]}
    print_table(("mean of patterns", "exact"), [(n, f"{share:.1%}") for n, share in means.items()])
    if "spearman" in result:
        found = result["spearman"]
        print(f"\nSpearman's rho {found['rho']:.2f} (p {found['p']:.1e}, {found['patterns']})")
    else:
        print("\nno published scores were given: no rank correlation")


if __name__ == "__main__":
    raise SystemExit(main())
