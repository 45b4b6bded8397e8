"""Run ``sglc baseline``: train a small model on a dataset, let it predict, and score it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sgl.cli.files import DIRECTORY, FILE, in_out
from sgl.cli.session import Session, grammar_options
from sgl.cli.terminal import count
from sgl.diagnostics import Diagnostics
from sgl.disk import make_way
from sgl.foreign import ForeignFileError
from sgl.morphology.knowledge import AnalyserMissing
from sgl.research.baselines.config import CAUSAL, MODELS, Config, ConfigError, change_config, read_config
from sgl.research.baselines.data import BaselineData, read_data
from sgl.research.evaluate.benchmark import DatasetError
from sgl.research.evaluate.command import score
from sgl.research.evaluate.evaluation import EvaluationRequest

if TYPE_CHECKING:
    from sgl.research.baselines.job import Job
    from sgl.research.baselines.training import TrainingProgress

#: The libraries of the extra `baselines`, and of `lora`, which contains it.
_NEEDED = ("torch", "tokenizers", "safetensors", "scipy")
_NEEDED_FOR_LORA = ("transformers", "peft")

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|)")
_UNITS = {"s": 1, "m": 60, "h": 3600, "": 60}


def _seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float:
    if value is None:
        return float("inf")
    read = _DURATION.fullmatch(value.strip())
    if read is None or not float(read[1]):
        raise click.BadParameter(f"`{value}` is not a time such as 90s, 15m or 2h", ctx, param)
    return float(read[1]) * _UNITS[read[2]]


@click.command("baseline")
@click.argument("dataset", type=FILE)
@click.option("-o", "--out", type=DIRECTORY, help="The directory of the run.  [default: out/DATASET-CONFIGURATION]")
@click.option("--model", type=click.Choice(MODELS), help="Use the small preset of this model.  [default: transformer]")
@click.option("--config", metavar="NAME|FILE.yml", help="A preset, or a file with settings.")
@click.option("--target", metavar="NAME", help="The target to learn.  [default: the first]")
@click.option("--path", metavar="DIR", help="The language model to tune.")
@click.option("--seed", type=int, help="Random seed.  [default: the configuration's]")
@click.option("--seeds", type=click.IntRange(1, 1000), help="Train N models with consecutive seeds.")
@click.option("--pieces", type=int, help="Number of subwords.  [default: the configuration's]")
@click.option("--source-pieces", type=int, help="Number of source subwords, in a separate vocabulary.")
@click.option("--steps", type=int, help="Number of training steps.  [default: the configuration's]")
@click.option("--threads", type=int, help="Number of threads.  [default: the configuration's]")
@click.option("--time-limit", metavar="TIME", callback=_seconds, help="End training after this time: 90s, 15m, 2h.")
@click.option("--resume", is_flag=True, help="Continue the run in the directory.")
@grammar_options
def command(session: Session, /, **options: Any) -> None:  # noqa: ANN401 - click decides
    """Train a model on DATASET, a directory of `sglc compile`, and score its predictions.

    DATASET may be a directory of `sglc split --parallel`.  The best state on `dev`
    predicts every split except `train` and `dev`; the scores are those of `sglc eval`.  To resume
    an interrupted run, pass `--resume`.
    """
    predicted: dict[str, list[Path]] = {}
    for number in range(options["seeds"] or 1):
        with closing(_job(session, options, None if options["seeds"] is None else number)) as job:
            for split, file in _run(session, job).items():
                predicted.setdefault(split, []).append(file)
            session.show()
    for split, files in predicted.items():
        status = _score(session, job, options, split, files)
        session.status = max(session.status, status)


@contextmanager
def _reporting(session: Session, out: Path | None = None) -> Iterator[None]:
    try:
        yield
    except DatasetError as problem:
        session.fail("SGL1602", problem.message, notes=problem.notes, hint=problem.hint)
    except AnalyserMissing as problem:
        session.fail("SGL1603", f"Japanese cannot be cut into words: {problem}")
    except OSError as problem:
        if out is None or isinstance(problem, ForeignFileError):
            raise
        reason = problem.strerror or str(problem)
        session.fail("SGL1103", f"cannot write in `{out}`: {reason}")
    except (RuntimeError, MemoryError) as problem:
        # PyTorch has an exception of its own only for a lack of memory on GPUs.
        if not isinstance(problem, MemoryError) and "memory" not in str(problem):
            raise
        message = "there is not enough memory for this model and its batches"
        hint = "a smaller `width`, `layers`, `inner` or `batch` needs less"
        session.fail("SGL1601", message, hint=hint)


def _job(session: Session, options: dict[str, Any], number: int | None) -> Job:
    """Return a run; one of several has a ``number`` from 0, a seed and a directory of its own."""
    with _reporting(session):
        config = change_config(
            read_config(options["config"], options["model"]),
            **{name: options[name] for name in ("seed", "steps", "threads", "path", "pieces", "source_pieces")},
        )
        if number is not None:
            config = change_config(config, seed=config.seed + number)
        if options["path"] and config.model != CAUSAL:
            raise ConfigError(
                f"`--path` names a language model, but `{config.model}` is not one",
                "`--config sget-lora`, or a file with `model: causal-lm`",
            )
        data: BaselineData = read_data(options["dataset"], options["target"])
        _check_libraries(session, config)
    from sgl.research.baselines.job import Job

    name = Path(options["config"]).stem if options["config"] else config.model
    options["out"] = options["out"] or in_out(f"{data.name}-{name}")
    out = options["out"] if number is None else options["out"] / f"seed-{config.seed}"
    # Of several runs, those that have not started yet do so.
    resume = options["resume"] and (number is None or out.exists())
    with _reporting(session, out):
        make_way(out)
        return Job(config, data, out, resume=resume, limit=options["time_limit"])


def _check_libraries(session: Session, config: Config) -> None:
    lora = config.model == CAUSAL
    needed = (*_NEEDED, *_NEEDED_FOR_LORA) if lora else _NEEDED
    if missing := [name for name in needed if find_spec(name) is None]:
        extra = "lora" if lora else "baselines"
        session.fail("SGL1603", f"no {' and no '.join(missing)}", hint=f"pip install 'sgl-compiler[{extra}]'")
    import torch

    if config.device == "cuda" and not torch.cuda.is_available():
        raise ConfigError(
            "the configuration asks for a GPU (`device: cuda`), and PyTorch finds none",
            "`device: cpu` computes without one, slowly",
        )


def _run(session: Session, job: Job) -> dict[str, Path]:
    from sgl.research.baselines.training import DIVERGED, LIMIT

    data, config, path = job.data, job.config, job.directory.path
    session.echo(
        f"{data.name}: {data.source} → {data.target}, {count(len(data.train), 'row')} to learn, {config.model}, {path}"
    )
    for split, number in job.unwritable():
        message = f"{count(number, 'gold text')} of `{split}` cannot be written with the vocabulary"
        hint = "`tokens: bpe` writes every text whose characters training has"
        session.diagnostics.warning("SGL1606", None, message, hint)
    try:
        with _reporting(session, path):
            result = job.train(
                session.progress,
                lambda progress, left: session.echo(_check_line(progress, left)),
                lambda step: session.echo(_resumed(step, config.steps)),
            )
            score = "" if result.kept_score is None else f", dev {result.kept_score:.1%}"
            session.echo(f"kept: step {result.kept_step:,}{score}; ended: {result.ended}")
            if result.ended in (LIMIT, DIVERGED):
                steps = f"step {result.progress.step:,} of {config.steps:,}"
                limited = result.ended == LIMIT
                session.diagnostics.warning(
                    "SGL1607",
                    None,
                    f"training ended at {steps}: {result.ended}",
                    hint="`--resume` continues it" if limited else "a smaller `rate` may help",
                )
            return {split.split: job.predict(split, session.progress) for split in data.predicted}
    except KeyboardInterrupt:
        going_on = f"starts over, because the first check is after {config.check:,} steps"
        if job.directory.checkpoint.exists():
            going_on = "continues from the last check"
        session.echo(f"{path}: `--resume` {going_on}")
        raise


def _resumed(step: int, steps: int) -> str:
    if not step:
        return "resumed: there was no check yet, so it starts over"
    if step >= steps:
        return f"resumed: all {steps:,} steps are done"
    return f"resumed after step {step:,} of {steps:,}"


def _check_line(progress: TrainingProgress, left: float) -> str:
    from sgl.research.baselines.training import pace

    step, loss, score = progress.checks[-1]
    dev = "" if score is None else f"  dev {score:6.1%}"
    return "  ".join([f"step {step:7,}  loss {loss:.4f}{dev}", *pace(progress, left)])


def _score(session: Session, job: Job, options: dict[str, Any], split: str, files: list[Path]) -> int:
    from sgl.research.baselines.job import Directory

    session.echo(f"\n{split}: {', '.join(map(str, files))}")
    with _reporting(session, options["out"]):
        json_file, html_file = (Directory(options["out"]).scores(split, kind) for kind in ("json", "html"))
    diagnostics = Diagnostics()
    # A split by divergence has its rows in a file.
    rows = options["dataset"] / f"{split}.tsv"
    request = EvaluationRequest(
        dataset=rows if rows.is_file() else options["dataset"],
        predictions=tuple([f"{job.config.model}={file}" for file in files]),
        settings=dict(session.settings),
        split=None if rows.is_file() else split,
        target=job.data.target,
        json_file=json_file,
        html_file=html_file,
    )
    status = score(session, request, diagnostics)
    session.diagnostics.extend(diagnostics)
    session.show()
    return status
