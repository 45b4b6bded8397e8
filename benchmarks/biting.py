"""Do the published failures come out of data that SGL made?

    python benchmarks/biting.py out/bite              # two models, seed 1: an estimated 2.5 hours on an idle core
    python benchmarks/biting.py out/bite --seeds 3    # two more seeds: an estimated 7.5 hours in all
    python benchmarks/biting.py out/bite --device cuda    # train on a GPU
    python benchmarks/biting.py out/bite --only scan-jump question --models lstm
    python benchmarks/biting.py out/bite --report     # only the tables of finished runs

Each run compiles its dataset, trains a small model with ``sglc baseline`` on one thread, predicts and scores.  Finished
runs are never repeated, and an interrupted one continues from its last check.  The tables show Exact Match on the test
split and on the held-out items beside published figures, and which rule answers to questions and tenses follow.  For
benchmarks with many patterns, Spearman's rank correlation compares the scores of patterns with what their certificates
and data say about them, and with ``--published NAME=TABLE.tsv`` (a pattern, a tab and a score on each line) with the
scores of a published system.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

import licensing
from baselines import read_published, scores_of
from common import Json, command_line, print_table, write_json
from licensing import compared

SGLC = (sys.executable, "-m", "sgl")

#: Settings of all models, and of each.
SETTINGS: Json = {"layers": 1, "dropout": 0.1, "batch": 64, "rate": 2.0e-3, "tokens": "word", "dev_items": 0}
MODELS: dict[str, Json] = {
    "lstm": {"width": 128, "warmup": 200},
    "transformer": {"width": 64, "layers": 2, "heads": 4, "inner": 256, "warmup": 300},
}

LAKE, LOULA = "Lake & Baroni 2018", "Loula, Baroni & Lake 2018"
MCCOY, KIM, KUMON = "McCoy, Frank & Linzen 2020", "Kim & Linzen 2020", "Kumon, Matsuoka & Yanaka 2024"


@dataclass(frozen=True, slots=True)
class Experiment:
    """A dataset: its grammar, with the lines that replace those of its ``dataset`` block, and what is published.

    ``published`` has the share of a system that the paper names; without one, the paper has no figure for the split.
    Two rules are compared in the first ``within`` words: the first alone in questions, as in the paper.
    """

    grammar: str
    steps: int
    options: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    published: str = ""
    within: int = 1000


def _scan(split: str, published: str = "") -> Experiment:
    return Experiment("gallery.scan", 4000, (f"split={split}",), published=published)


_TWO_RULES = f"only tree-structured models are hierarchical in both tasks ({MCCOY})"

EXPERIMENTS: dict[str, Experiment] = {
    "scan-simple": _scan("simple", f"99.8 % ({LAKE}, best overall)"),
    "scan-jump": _scan("jump", f"0.08 % ({LAKE}, best overall)"),
    "scan-turn_left": _scan("turn_left", f"90.0 % ({LAKE}, best overall)"),
    "scan-length": _scan("length", f"13.8 % ({LAKE}, best overall)"),
    "scan-around_right": _scan("around_right", f"2.46 % ({LOULA})"),
    "scan-fillers_0": _scan("fillers_0"),
    "scan-fillers_1": _scan("fillers_1"),
    "scan-fillers_2": _scan("fillers_2"),
    "scan-fillers_3": _scan("fillers_3", f"98.43 % ({LOULA})"),
    "question": Experiment("gallery.question", 1500, sizes=("percent 20",), published=_TWO_RULES, within=1),
    "tense": Experiment("gallery.tense", 1500, sizes=("percent 20",), published=_TWO_RULES),
    "cogs": Experiment(
        "cogs", 4000, ("items=100",), ("dev 500", "test 1000"), published=f"test 96–99 %, gen 16–35 % ({KIM})"
    ),
    # The same, with a hundred exposures of each target word instead of one.
    "cogs-exposed": Experiment("cogs", 4000, ("items=100", "exposures=100"), ("dev 500", "test 1000")),
    "sget": Experiment(
        "sget",
        4000,
        settings={
            "tokens": "bpe",
            "width": 96,
            "layers": 2,
            "inner": 384,
            "warmup": 400,
            "check": 1000,
            "dev_items": 200,
        },
        published=f"gen 48.7 % ({KUMON}, Transformer; LSTM 9.6 %)",
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the runs that are missing, print all tables, and return the exit status 0."""
    parser = command_line(__doc__, results=True)
    parser.add_argument("out", type=Path, help="the directory of everything that is made")
    parser.add_argument("--seeds", type=int, default=1, help="train each model with this many seeds")
    parser.add_argument("--only", nargs="+", choices=EXPERIMENTS, default=list(EXPERIMENTS))
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where to train")
    parser.add_argument("--report", action="store_true", help="make nothing")
    parser.add_argument("--published", nargs="+", default=(), metavar="NAME=TABLE.tsv")
    options = parser.parse_args(arguments)
    if not options.report:
        for seed in range(1, options.seeds + 1):
            for name in options.only:
                for model in options.models:
                    make(options.out, name, model, seed, options.device)
    published = {name: Path(path) for name, _, path in (text.partition("=") for text in options.published)}
    result = tables(options.out, published)
    report(result)
    write_json(options.json, result)
    return 0


def make(out: Path, name: str, model: str, seed: int, device: str) -> None:
    """Compile a dataset and train a model on it, unless the run is finished."""
    experiment, run = EXPERIMENTS[name], out / "runs" / name / f"{model}-{seed}"
    if finished(run):
        return
    data, grammar, config = (
        out / kind for kind in (f"data/{name}", f"grammars/{name}.sgl", f"configs/{name}-{model}.yml")
    )
    if not data.exists():
        lines = [f"use stdlib.grammars.{experiment.grammar}", "dataset", *(f"  {line}" for line in experiment.sizes)]
        _write(grammar, lines if experiment.sizes else lines[:1])
        _sglc("compile", grammar, "--out", data, *(part for option in experiment.options for part in ("--set", option)))
    chosen = {"model": model, "device": device, "steps": experiment.steps}
    settings = {**chosen, **SETTINGS, **MODELS[model], **experiment.settings}
    _write(config, [f"{key}: {value}" for key, value in settings.items()])
    going_on = ["--resume"] if (run / "run.json").exists() else []
    _sglc("baseline", data, "--config", config, "--seed", seed, "--out", run, *going_on)


def finished(run: Path) -> bool:
    """Return whether all predictions of a run are scored."""
    predictions = [*run.glob("predictions/*.tsv")]
    return bool(predictions) and all((run / "scores" / f"{path.stem}.json").exists() for path in predictions)


def _write(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _sglc(*arguments: object) -> None:
    subprocess.run([*SGLC, *map(str, arguments)], check=True)


# ---- tables


class Run(NamedTuple):
    """A finished run: its experiment and model, its scores, the share of answers by the linear rule, and its time."""

    name: str
    model: str
    scores: Mapping[str, Json]
    linear: float | None
    minutes: float


def tables(out: Path, published: Mapping[str, Path]) -> Json:
    """Return the tables of all finished runs."""
    found = sorted(_runs(out), key=lambda run: (list(EXPERIMENTS).index(run.name), run.model))
    result: Json = {"systems": [], "patterns": []}
    for (name, model), group in groupby(found, key=lambda run: (run.name, run.model)):
        runs = list(group)
        system: Json = {"name": name, "model": model, "seeds": len(runs), "minutes": fmean(r.minutes for r in runs)}
        for split in ("test", "gen"):
            system[split] = _spread([run.scores[split]["all"] for run in runs if split in run.scores])
        system["linear"] = _spread([run.linear for run in runs if run.linear is not None])
        result["systems"].append(system)
        names = list(runs[0].scores.get("gen", {}).get("patterns", ()))
        if len(names) > 3:
            exact = {pattern: 100 * fmean(run.scores["gen"]["patterns"][pattern] for run in runs) for pattern in names}
            scores = {"exact": exact} | ({"published": read_published(published[name])} if name in published else {})
            result["patterns"].append({"name": name, "model": model, **compared(out / "data" / name, scores)})
    return result


def _runs(out: Path) -> Iterator[Run]:
    for run in out.glob("runs/*/*-*"):
        if run.parent.name in EXPERIMENTS and finished(run):
            scores = {path.stem: scores_of(run, path.stem) for path in run.glob("scores/*.json")}
            record = json.loads((run / "run.json").read_text("utf-8"))
            linear = _linear(out / "data" / run.parent.name, run, EXPERIMENTS[run.parent.name].within)
            yield Run(run.parent.name, record["config"]["model"], scores, linear, record["training"]["seconds"] / 60)


def _spread(values: Sequence[float]) -> Json | None:
    return {"mean": fmean(values), "deviation": stdev(values) if len(values) > 1 else None} if values else None


def _linear(data: Path, run: Path, within: int) -> float | None:
    """Return the share of the linear rule among the outputs that follow one of two rules, where these differ first."""
    if not (data / "data" / "linear").exists():
        return None
    files = data / "data" / "gen.tsv", data / "data" / "linear" / "gen.tsv", run / "predictions" / "gen.tsv"
    rows = ([words[:within] for words in row] for row in zip(*map(_outputs, files), strict=True))
    followed = [each for each in (_followed(*row) for row in rows) if each is not None]
    return fmean(followed) if followed else None


def _outputs(path: Path) -> list[list[str]]:
    return [row.split("\t")[1].split() for row in path.read_text("utf-8").splitlines()]


def _followed(hierarchical: list[str], linear: list[str], said: list[str]) -> bool | None:
    """Return whether an output has the linear answer up to the first difference of the two, or None for neither."""
    place = next((place for place, pair in enumerate(zip(hierarchical, linear, strict=False)) if len(set(pair)) > 1), 0)
    begun, answers = said[: place + 1], (hierarchical[: place + 1], linear[: place + 1])
    return begun == answers[1] if begun in answers and answers[0] != answers[1] else None


def report(result: Json) -> None:
    """Print all tables."""
    header = ("dataset", "model", "seeds", "test %", "held out %", "linear %", "minutes", "published")
    rows = []
    for each in result["systems"]:
        shares = [_percent(each[key]) for key in ("test", "gen", "linear")]
        published = EXPERIMENTS[each["name"]].published or "–"
        rows.append((each["name"], each["model"], each["seeds"], *shares, f"{each['minutes']:.0f}", published))
    print_table(header, rows)
    for table in result["patterns"]:
        print(f"\n{table['name']}, {table['model']}: Exact Match of each pattern, and what is known about it\n")
        licensing.report(table)


def _percent(spread: Json | None) -> str:
    if spread is None:
        return "–"
    wide = "" if spread["deviation"] is None else f" ±{100 * spread['deviation']:.1f}"
    return f"{100 * spread['mean']:.1f}{wide}"


if __name__ == "__main__":
    raise SystemExit(main())
