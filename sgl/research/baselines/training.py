"""Train a model, choose its best state by the dev split, and resume interrupted runs.

All randomness is a function of the seed and the number of the step: the order of the rows, and dropout, whose generator
is seeded anew for each step.  So an interrupted run ends with the same weights as an uninterrupted one.  Checkpoints
are safetensors, which cannot contain anything executable.

A time limit ends training between two steps.  The state is then compared with the best one, but that comparison is not
part of the checkpoint, as a resumed run would not have made it.
"""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from sgl.diagnostics import UserError
from sgl.foreign import CHECKPOINT, opened
from sgl.research.baselines.config import Config
from sgl.research.baselines.data import BatchOrder
from sgl.research.baselines.learner import Learner, Line, write_tensors
from sgl.research.evaluate.benchmark import BenchmarkRow
from sgl.research.evaluate.equivalence import exact

#: Steps between two updates of the progress line.
_OFTEN = 10

FINISHED, LIMIT, PATIENCE = "all steps", "time limit", "no progress on dev"
DIVERGED = "the loss is not a number"


class DirectoryError(UserError):
    """A directory cannot be used for a run, or its contents cannot be continued."""

    code = "SGL1604"


@dataclass(slots=True)
class TrainingProgress:
    """The progress of training: steps taken, the best check, seconds, and the history of checks.

    ``checks`` are triples of a step, the mean loss since the previous check, and the share of correct dev items (None
    without a dev split).
    """

    step: int = 0
    best: float = -1.0
    best_step: int = 0
    seconds: float = 0.0
    tokens: int = 0
    loss: float = 0.0
    loss_tokens: int = 0
    checks: list[tuple[int, float, float | None]] = field(default_factory=list)


def save(path: Path, run: str, progressed: TrainingProgress, tensors: Mapping[str, Tensor]) -> None:
    """Write a checkpoint of the run with this hash, whole or not at all."""
    write_tensors(path, tensors, {"run": run, "state": json.dumps(asdict(progressed))})


def load(path: Path, run: str) -> tuple[TrainingProgress, dict[str, Tensor]]:
    """Read a checkpoint; raises ``DirectoryError`` if it is damaged or belongs to another run."""
    try:
        opened(path, CHECKPOINT, inside=path.parent).close()
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            names = list(file.keys())
            if header.get("run") != run:
                raise DirectoryError(
                    f"`{path}` is a checkpoint of another configuration or other data",
                    "use the same options, dataset and versions, or name another directory",
                )
            state = TrainingProgress(**json.loads(header["state"]))
            return state, {name: file.get_tensor(name) for name in names}
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as problem:
        raise DirectoryError(f"`{path}` cannot be read: {problem}", "begin again in another directory") from problem


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """The end of training: the reason, the step and dev score of the kept weights, and the progress."""

    ended: str
    kept_step: int
    kept_score: float | None
    progress: TrainingProgress


#: A callback after each check, with the progress and the seconds left.
OnCheck = Callable[[TrainingProgress, float], None]


@contextmanager
def reproducible(threads: int, device: str = "cpu") -> Iterator[None]:
    """Let PyTorch compute with this many threads, reproducibly if on a CPU."""
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(device == "cpu")
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        torch.use_deterministic_algorithms(before[1])


class Training:
    """One run of training, whose result is in the model.

    The items of ``dev`` choose the weights; ``run`` is the hash of the run to which the checkpoint belongs; after
    ``limit`` seconds training stops.
    """

    def __init__(
        self, learner: Learner, dev: Sequence[BenchmarkRow], checkpoint: Path, run: str, limit: float = math.inf
    ) -> None:
        self.config = config = learner.config
        self.learner = learner
        self.dev = dev[: config.dev_items]
        self.checkpoint = checkpoint
        self.run = run
        self.limit = limit
        self.order = BatchOrder(learner.lengths, config.batch, config.seed)
        named = learner.module.named_parameters()
        self.weights = {name: weight for name, weight in named if weight.requires_grad}
        self.optimiser = torch.optim.Adam(self.weights.values(), lr=config.rate, betas=(0.9, 0.98), eps=1e-9)
        self.best: dict[str, Tensor] = {}
        self.state = TrainingProgress()

    def resume(self) -> None:
        """Continue from the checkpoint; raises ``DirectoryError`` if it does not fit."""
        self.state, tensors = load(self.checkpoint, self.run)
        try:
            for name, weight in self.weights.items():
                weight.data.copy_(tensors[f"model.{name}"])
                if f"best.{name}" in tensors:
                    self.best[name] = tensors[f"best.{name}"]
                if f"mean.{name}" in tensors:
                    self.optimiser.state[weight] = {
                        "step": torch.tensor(float(self.state.step)),
                        "exp_avg": tensors[f"mean.{name}"].to(weight),
                        "exp_avg_sq": tensors[f"square.{name}"].to(weight),
                    }
        except (KeyError, RuntimeError) as problem:
            raise DirectoryError(f"`{self.checkpoint}` does not fit the model: {problem}") from problem

    def train(self, line: Line, told: OnCheck) -> TrainingResult:
        """Train to the end, and leave the best weights in the model."""
        config, state = self.config, self.state
        began, before = time.monotonic(), state.seconds
        ended = FINISHED
        while state.step < config.steps:
            if self._impatient():
                ended = PATIENCE
                break
            if time.monotonic() - began >= self.limit:
                ended = LIMIT
                self._save()
                break
            if not self._step():
                ended = DIVERGED
                break
            state.seconds = before + time.monotonic() - began
            # Until the last step or the limit, whichever comes first.
            rest = state.seconds / state.step * (config.steps - state.step)
            left = max(0.0, min(rest, self.limit - (time.monotonic() - began)))
            if state.step % config.check == 0 or state.step == config.steps:
                self._check(line)
                self._save()
                told(state, left)
            elif state.step % _OFTEN == 0:
                loss = f"loss {state.loss / state.loss_tokens:.3f}"
                line(", ".join([loss, *pace(state, left)]), state.step, config.steps)
        return self._chosen(ended, line)

    def _step(self) -> bool:
        config, state = self.config, self.state
        self.learner.module.train()
        torch.manual_seed((config.seed << 32) + state.step + 1)
        for group in self.optimiser.param_groups:
            group["lr"] = rate(config, state.step)
        self.optimiser.zero_grad()
        total, tokens = 0.0, 0
        for part in range(config.accumulate):
            loss, number = self.learner.loss(self.order.rows(state.step * config.accumulate + part))
            loss.backward()
            total += loss.item()
            if not math.isfinite(total):
                return False
            tokens += number
        for weight in self.weights.values():
            if weight.grad is not None:
                weight.grad /= tokens
        norm = nn.utils.clip_grad_norm_(self.weights.values(), config.clip or math.inf)
        if not math.isfinite(norm):
            return False
        self.optimiser.step()
        state.step += 1
        state.tokens += tokens
        state.loss += total
        state.loss_tokens += tokens
        return True

    def _check(self, line: Line) -> None:
        state = self.state
        score = self._score(line)
        state.checks.append((state.step, state.loss / state.loss_tokens, score))
        state.loss, state.loss_tokens = 0.0, 0
        if score is None or score >= state.best:
            state.best, state.best_step = -1.0 if score is None else score, state.step
            self.best = {name: weight.detach().clone() for name, weight in self.weights.items()}

    def _score(self, line: Line) -> float | None:
        if not self.dev:
            return None
        said = self.learner.translate([row.source for row in self.dev], line)
        right = sum(exact(row.target, text) for row, text in zip(self.dev, said, strict=True))
        return right / len(self.dev)

    def _impatient(self) -> bool:
        patience = self.config.patience
        scores = [score for _, _, score in self.state.checks if score is not None]
        if not patience or len(scores) <= patience:
            return False
        return max(scores[-patience:]) <= max(scores[:-patience])

    def _chosen(self, ended: str, line: Line) -> TrainingResult:
        state = self.state
        checked = bool(state.checks) and state.checks[-1][0] == state.step
        # Weights without a finite loss are not kept for their score: if the best so far is 0, theirs is as good.
        if not checked and not (ended == DIVERGED and self.best):
            score = self._score(line)
            if score is None or score >= state.best:
                return TrainingResult(ended, state.step, score, state)
        for name, weight in self.weights.items():
            weight.data.copy_(self.best[name])
        score = state.best if state.best >= 0 else None
        return TrainingResult(ended, state.best_step, score, state)

    def _save(self) -> None:
        tensors: dict[str, Tensor] = {}
        for name, weight in self.weights.items():
            tensors[f"model.{name}"] = weight
            if name in self.best:
                tensors[f"best.{name}"] = self.best[name]
            if moments := self.optimiser.state.get(weight):
                tensors[f"mean.{name}"] = moments["exp_avg"]
                tensors[f"square.{name}"] = moments["exp_avg_sq"]
        save(self.checkpoint, self.run, self.state, tensors)


def pace(state: TrainingProgress, left: float) -> tuple[str, str]:
    """Format the speed of training and the time left, for people."""
    minutes, seconds = divmod(round(left), 60)
    return f"{state.tokens / state.seconds:,.0f} tokens/s", f"{minutes}:{seconds:02} left"


def rate(config: Config, step: int) -> float:
    """Return the learning rate of a step: it rises during warm-up, then may fall linearly or by the square root."""
    rising = (step + 1) / config.warmup if step < config.warmup else 1.0
    if config.decay == "none" or step < config.warmup:
        return config.rate * rising
    if config.decay == "root":
        return config.rate * math.sqrt(max(config.warmup, 1) / (step + 1))
    return config.rate * (config.steps - step) / (config.steps - config.warmup)
