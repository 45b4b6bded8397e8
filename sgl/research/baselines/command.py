"""``sglc baseline``: train a small model on a dataset, let it predict, and score it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sgl.cli.common import Progress, compile_options, count, progress, show
from sgl.cli.main import FAILED, OK, OUTPUT
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.morphology.analyser import AnalyserMissing
from sgl.research.baselines.config import CAUSAL, MODELS, Config, ConfigError, changed, read_config
from sgl.research.baselines.data import Data, read_data
from sgl.research.evaluate.benchmark import DatasetError
from sgl.research.evaluate.command import EvaluationRequest, score

if TYPE_CHECKING:
    from sgl.research.baselines.checkpoint import Progressed
    from sgl.research.baselines.job import Job

#: Libraries of the extra `baselines`, and of `lora`, which contains it.
_NEEDED = ("torch", "tokenizers", "safetensors", "scipy", "statsmodels")
_NEEDED_FOR_LORA = ("transformers", "peft")

#: What to do when training ended because it diverged, or because of its time limit.
_REMEDIES = ("a smaller `rate` may help", "`--resume` goes on with it")

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|)")
_UNITS = {"s": 1, "m": 60, "h": 3600, "": 60}


def _seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float:
    """``90s``, ``15m``, ``1.5h`` in seconds; minutes without a unit."""
    if value is None:
        return float("inf")
    read = _DURATION.fullmatch(value.strip())
    if read is None or not float(read[1]):
        raise click.BadParameter(f"`{value}` is not a time such as 90s, 15m or 2h", ctx, param)
    return float(read[1]) * _UNITS[read[2]]


@click.command("baseline")
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path),
    help="The directory of the run.  [default: out/DATASET-CONFIGURATION]",
)
@click.option(
    "--model", type=click.Choice(MODELS), help="Its small preset.  [default: transformer]"
)
@click.option("--config", metavar="NAME|FILE.yml", help="A preset, or settings of your own.")
@click.option("--target", metavar="NAME", help="The target to learn.  [default: the first]")
@click.option("--path", metavar="DIR", help="The language model to be tuned.")
@click.option("--seed", type=int, help="Instead of the seed of the configuration.")
@click.option("--steps", type=int, help="Instead of its number of steps.")
@click.option("--threads", type=int, help="Instead of its number of threads.")
@click.option(
    "--time-limit", metavar="TIME", callback=_seconds, help="End training after 90s, 15m, 2h."
)
@click.option("--resume", is_flag=True, help="Go on with the run in the directory.")
@compile_options
@click.pass_context
def command(context: click.Context, /, **options: Any) -> int:  # noqa: ANN401 - click decides
    """Train a model on DATASET, a directory of `sglc compile`, decode and score it.

    The state that is best on `dev` predicts every split but `train` and `dev`; the scores
    are those of `sglc eval`.  A run that was interrupted is resumed with `--resume`.
    """
    request = _Options(**options)
    messages = _Messages(request.form, request.color)
    diagnostics = Diagnostics()
    job = _prepared(request, diagnostics)
    if job is not None:
        context.call_on_close(job.close)
    predicted = _run(job, diagnostics, messages) if job is not None else None
    messages.show(diagnostics)
    if job is None or predicted is None:
        failed = any(diagnostic.code == "SGL1103" for diagnostic in diagnostics)
        status = OUTPUT if failed else FAILED
    else:
        statuses = [_scored(job, request, messages, *pair) for pair in predicted.items()]
        status = max(statuses, default=OK)
    return status


class _Messages:
    """Writes what is said of a run, and messages in the form that is asked for."""

    def __init__(self, form: str, color: str) -> None:
        self.sources = SourceMap()
        self._form, self._color = form, color

    def say(self, text: str) -> None:
        """Write a line about the run."""
        click.echo(text)

    def show(self, diagnostics: Diagnostics) -> None:
        """Write diagnostics."""
        show(diagnostics, self.sources, self._form, self._color)


@dataclass(frozen=True)
class _Options:
    """The options of the command line."""

    dataset: Path
    out: Path | None
    model: str | None
    config: str | None
    target: str | None
    path: str | None
    seed: int | None
    steps: int | None
    threads: int | None
    time_limit: float
    resume: bool
    settings: dict[str, str]
    form: str
    color: str


def _prepared(options: _Options, diagnostics: Diagnostics) -> Job | None:
    """Everything that can be wrong before training begins; None after an error."""
    try:
        config = changed(
            read_config(options.config, options.model),
            seed=options.seed,
            steps=options.steps,
            threads=options.threads,
            path=options.path,
        )
        if options.path and config.model != CAUSAL:
            raise ConfigError(
                f"`--path` is of a language model, and `{config.model}` is none",
                "`--config sget-lora`, or a file with `model: causal-lm`",
            )
        data = read_data(options.dataset, options.target)
        if not _installed(config, diagnostics):
            return None
    except ConfigError as problem:
        diagnostics.error("SGL1601", None, problem.message, hint=problem.hint)
        return None
    except DatasetError as problem:
        diagnostics.error("SGL1602", None, problem.message, notes=problem.notes, hint=problem.hint)
        return None
    name = Path(options.config).stem if options.config else config.model
    out = options.out or Path("out") / f"{data.name}-{name}"
    return _job(config, data, out, options, diagnostics)


def _installed(config: Config, diagnostics: Diagnostics) -> bool:
    """Whether the libraries are there."""
    lora = config.model == CAUSAL
    needed = (*_NEEDED, *_NEEDED_FOR_LORA) if lora else _NEEDED
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        extra = "lora" if lora else "baselines"
        diagnostics.error(
            "SGL1603",
            None,
            f"no {' and no '.join(missing)}",
            hint=f"pip install 'sgl-compiler[{extra}]'",
        )
        return False
    import torch

    if config.device == "cuda" and not torch.cuda.is_available():
        diagnostics.error(
            "SGL1601",
            None,
            "the configuration asks for a GPU (`device: cuda`), and PyTorch finds none",
            hint="`device: cpu` computes without one, slowly",
        )
    return not diagnostics.errors


def _job(
    config: Config, data: Data, out: Path, options: _Options, diagnostics: Diagnostics
) -> Job | None:
    from sgl.research.baselines.causal import LanguageModelError
    from sgl.research.baselines.checkpoint import CheckpointError
    from sgl.research.baselines.directory import DirectoryError
    from sgl.research.baselines.job import Job, Request

    try:
        return Job(Request(config, data, out, options.resume, options.time_limit))
    except (CheckpointError, DirectoryError) as problem:
        diagnostics.error("SGL1604", None, problem.message, hint=problem.hint)
    except LanguageModelError as problem:
        diagnostics.error("SGL1605", None, str(problem))
    except AnalyserMissing as problem:
        diagnostics.error("SGL1603", None, f"Japanese cannot be cut into words: {problem}")
    except OSError as problem:
        _refused(out, problem, diagnostics)
    except (RuntimeError, MemoryError) as problem:
        _too_large(problem, diagnostics)
    return None


def _what_is_kept(job: Job) -> str:
    """What an interrupted run leaves, in words."""
    path = job.directory.path
    if job.directory.checkpoint.exists():
        return f"{path}: `--resume` goes on from the last check"
    check = job.request.config.check
    return f"{path}: `--resume` begins anew, as the first check comes after {check:,} steps"


def _run(job: Job, diagnostics: Diagnostics, messages: _Messages) -> dict[str, Path] | None:
    """Train and decode; the predictions by split, or None after an error."""
    from sgl.research.baselines.causal import LanguageModelError
    from sgl.research.baselines.checkpoint import CheckpointError
    from sgl.research.baselines.training import DIVERGED, LIMIT

    data = job.request.data
    messages.say(
        f"{data.name}: {data.source} → {data.target}, {count(len(data.train), 'row')} to learn, "
        f"{job.request.config.model}, {job.directory.path}"
    )
    for split, number in job.unwritable():
        diagnostics.warning(
            "SGL1606",
            None,
            f"{count(number, 'gold text')} of `{split}` cannot be written with the vocabulary",
            hint="`tokens: bpe` writes every text whose characters training has",
        )
    try:
        with progress() as line:
            trained = job.train(
                line,
                lambda state, left: _tell(line, messages, state, left),
                lambda step: messages.say(_resumed(step, job.request.config.steps)),
            )
        score = "" if trained.kept_score is None else f", dev {trained.kept_score:.1%}"
        messages.say(f"kept: step {trained.kept_step:,}{score}; ended: {trained.ended}")
        if trained.ended in (LIMIT, DIVERGED):
            steps = f"step {trained.progressed.step:,} of {job.request.config.steps:,}"
            diagnostics.warning(
                "SGL1607",
                None,
                f"training ended at {steps}: {trained.ended}",
                hint=_REMEDIES[trained.ended == LIMIT],
            )
        with progress() as line:
            return {split.split: job.predict(split, line) for split in data.predicted}
    except KeyboardInterrupt:
        messages.say(_what_is_kept(job))
        raise
    except CheckpointError as problem:
        diagnostics.error("SGL1604", None, problem.message, hint=problem.hint)
    except LanguageModelError as problem:
        diagnostics.error("SGL1605", None, str(problem))
    except OSError as problem:
        _refused(job.directory.path, problem, diagnostics)
    except (RuntimeError, MemoryError) as problem:
        _too_large(problem, diagnostics)
    return None


def _resumed(step: int, steps: int) -> str:
    """From where a run is gone on with, in words."""
    if not step:
        return "resumed: there was no check yet, so it begins anew"
    if step >= steps:
        return f"resumed: all {steps:,} steps are done"
    return f"resumed after step {step:,} of {steps:,}"


def _refused(path: Path, problem: OSError, diagnostics: Diagnostics) -> None:
    reason = problem.strerror or str(problem)
    diagnostics.error("SGL1103", None, f"cannot write in `{path}`: {reason}")


def _too_large(problem: RuntimeError | MemoryError, diagnostics: Diagnostics) -> None:
    """Say that the memory does not suffice; PyTorch has an exception of its own for GPUs only."""
    if not isinstance(problem, MemoryError) and "memory" not in str(problem):
        raise problem
    diagnostics.error(
        "SGL1601",
        None,
        "there is not enough memory for this model and its batches",
        hint="a smaller `width`, `layers`, `inner` or `batch` needs less",
    )


def _tell(line: Progress, messages: _Messages, state: Progressed, left: float) -> None:
    """A line after each check on dev."""
    step, loss, score = state.checks[-1]
    dev = "" if score is None else f"  dev {score:6.1%}"
    minutes, seconds = divmod(round(left), 60)
    line.clear()
    messages.say(
        f"step {step:7,}  loss {loss:.4f}{dev}  {state.tokens / state.seconds:,.0f} tokens/s  "
        f"{minutes}:{seconds:02} left"
    )


def _scored(job: Job, options: _Options, messages: _Messages, split: str, file: Path) -> int:
    """Score the predictions of a split as `sglc eval` does."""
    messages.say(f"\n{split}: {file}")
    diagnostics = Diagnostics()
    try:
        written = [job.directory.scores(split, kind) for kind in ("json", "html")]
    except OSError as problem:
        _refused(job.directory.path, problem, diagnostics)
        messages.show(diagnostics)
        return OUTPUT
    request = EvaluationRequest(
        dataset=options.dataset,
        predictions=(f"{job.request.config.model}={file}",),
        settings=options.settings,
        form=options.form,
        color=options.color,
        split=split,
        target=job.request.data.target,
        json_file=written[0],
        html_file=written[1],
    )
    status = score(request, messages.sources, diagnostics)
    messages.show(diagnostics)
    return status
