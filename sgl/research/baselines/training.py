"""Train a model, choose its best state by the dev split, and be resumable.

Everything that is random is a function of the seed and of the number of the step: the order
of the rows, and dropout, whose generator is set anew for each step.  So a checkpoint holds no
generators, and a run that was interrupted ends with the same weights as one that was not::

    steps 1 ... 500, check, 501 ... 730 |  killed
                            501 ... 730, 731 ... 1000, check     resumed from the check

A time limit ends training between two steps.  The state is then compared with the best one,
but that comparison is no part of the checkpoint: a run that is resumed would not have made it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sgl.research.baselines.checkpoint import TrainingProgress, load, save
from sgl.research.baselines.config import Config
from sgl.research.baselines.data import BatchOrder
from sgl.research.evaluate.benchmark import BenchmarkRow
from sgl.research.evaluate.equivalence import exact

#: Steps between two looks at the progress line.
_OFTEN = 10

FINISHED, LIMIT, PATIENCE = "all steps", "time limit", "no progress on dev"
DIVERGED = "the loss is no number"


#: Says how far something is: what, done, total.
Line = Callable[[str, int, int], None]


def quiet(_: str, __: int, ___: int) -> None:
    """Say nothing."""


def decode_in_batches(
    lengths: Sequence[int],
    size: int,
    decode: Callable[[Sequence[int]], Sequence[str]],
    line: Line = quiet,
) -> list[str]:
    """Decode texts of about the same length together, and return the results in order.

    ``decode`` gets the places of at most ``size`` texts.
    """
    order = sorted(range(len(lengths)), key=lambda place: lengths[place])
    results = [""] * len(order)
    for begin in range(0, len(order), size):
        places = order[begin : begin + size]
        for place, text in zip(places, decode(places), strict=True):
            results[place] = text
        line("decoding", begin + len(places), len(order))
    return results


class Learner(Protocol):
    """A model with the rows that it learns from."""

    @property
    def module(self) -> nn.Module:
        """The network; its parameters that need gradients are trained."""

    @property
    def lengths(self) -> Sequence[int]:
        """The length of each row of training."""

    def loss(self, rows: NDArray[np.int64]) -> tuple[Tensor, int]:
        """Return the summed loss of all tokens of some rows, and how many tokens they have."""

    def translate(self, texts: Sequence[str], line: Line = quiet) -> list[str]:
        """Return what the model says for each text."""

    def keep(self, directory: Path) -> None:
        """Write what is needed to use the model again."""


class _DivergedError(Exception):
    """The loss of a step or its gradient is no finite number; the weights are those before it."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """How to train: the settings, the items of dev, and where the checkpoint of ``run`` is.

    ``limit`` is the number of seconds after which to stop, in this call.
    """

    config: Config
    dev: Sequence[BenchmarkRow]
    checkpoint: Path
    run: str
    limit: float = float("inf")


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """How training ended: why, where, and at which step the weights that are kept were."""

    ended: str
    kept_step: int
    kept_score: float | None
    progress: TrainingProgress


#: OnCheck after each check: the progress, and the seconds that are left.
OnCheck = Callable[[TrainingProgress, float], None]


@contextmanager
def reproducible(threads: int, device: str = "cpu") -> Iterator[None]:
    """Let PyTorch compute with so many threads, on a CPU only in ways that give the same again."""
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(device == "cpu")
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        torch.use_deterministic_algorithms(before[1])


class Training:
    """One run of training; its result is in the model."""

    def __init__(self, learner: Learner, plan: TrainingPlan) -> None:
        config = plan.config
        self.learner = learner
        self.plan = plan
        self.order = BatchOrder(learner.lengths, config.batch, config.seed)
        self.weights = {
            name: weight
            for name, weight in learner.module.named_parameters()
            if weight.requires_grad
        }
        self.optimiser = torch.optim.Adam(
            self.weights.values(), lr=config.rate, betas=(0.9, 0.98), eps=1e-9
        )
        self.best: dict[str, Tensor] = {}
        self.state = TrainingProgress()

    def resume(self) -> None:
        """Go on where the checkpoint is.

        Raises:
            CheckpointError: it is damaged, or that of another run.
        """
        self.state, tensors = load(self.plan.checkpoint, self.plan.run)
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

    def train(self, line: Line, told: OnCheck) -> TrainingResult:
        """Train to the end, and leave the best weights in the model."""
        config, state = self.plan.config, self.state
        began, before = time.monotonic(), state.seconds
        ended = FINISHED
        while state.step < config.steps:
            if self._impatient():
                ended = PATIENCE
                break
            if time.monotonic() - began >= self.plan.limit:
                ended = LIMIT
                self._save()
                break
            try:
                self._step()
            except _DivergedError:
                ended = DIVERGED
                break
            state.seconds = before + time.monotonic() - began
            left = self._left(began)
            if state.step % config.check == 0 or state.step == config.steps:
                self._check(line)
                self._save()
                told(state, left)
            elif state.step % _OFTEN == 0:
                line(self._telling(left), state.step, config.steps)
        return self._chosen(ended, line)

    def _step(self) -> None:
        config, state = self.plan.config, self.state
        module = self.learner.module
        module.train()
        torch.manual_seed((config.seed << 32) + state.step + 1)
        for group in self.optimiser.param_groups:
            group["lr"] = rate(config, state.step)
        self.optimiser.zero_grad()
        total, tokens = 0.0, 0
        for part in range(config.accumulate):
            rows = self.order.rows(state.step * config.accumulate + part)
            loss, number = self.learner.loss(rows)
            loss.backward()
            total += loss.item()
            if not math.isfinite(total):
                raise _DivergedError
            tokens += number
        for weight in self.weights.values():
            if weight.grad is not None:
                weight.grad /= tokens
        norm = nn.utils.clip_grad_norm_(self.weights.values(), config.clip or math.inf)
        if not math.isfinite(norm):
            raise _DivergedError
        self.optimiser.step()
        state.step += 1
        state.tokens += tokens
        state.loss += total
        state.loss_tokens += tokens

    def _check(self, line: Line) -> None:
        """Compare the state with the best one; the later of two that are equal is kept."""
        state = self.state
        score = self._score(line)
        state.checks.append((state.step, state.loss / state.loss_tokens, score))
        state.loss, state.loss_tokens = 0.0, 0
        if score is None or score >= state.best:
            state.best, state.best_step = -1.0 if score is None else score, state.step
            self.best = {name: weight.detach().clone() for name, weight in self.weights.items()}

    def _score(self, line: Line) -> float | None:
        """Return the share of items of dev that are translated exactly."""
        rows = self.plan.dev[: self.plan.config.dev_items]
        if not rows:
            return None
        said = self.learner.translate([row.source for row in rows], line)
        right = sum(exact(row.target, text) for row, text in zip(rows, said, strict=True))
        return right / len(rows)

    def _impatient(self) -> bool:
        patience, scores = self.plan.config.patience, [check[2] for check in self.state.checks]
        known = [score for score in scores if score is not None]
        if not patience or len(known) <= patience:
            return False
        return max(known[-patience:]) <= max(known[:-patience])

    def _chosen(self, ended: str, line: Line) -> TrainingResult:
        state = self.state
        checked = bool(state.checks) and state.checks[-1][0] == state.step
        # Weights that lead to no finite loss are not kept for their score: if it is 0 before,
        # theirs is as good.
        if not checked and not (ended == DIVERGED and self.best):
            score = self._score(line)
            if score is None or score >= state.best:
                return TrainingResult(ended, state.step, score, state)
        for name, weight in self.weights.items():
            weight.data.copy_(self.best[name])
        return TrainingResult(
            ended, state.best_step, state.best if state.best >= 0 else None, state
        )

    def _save(self) -> None:
        tensors: dict[str, Tensor] = {}
        for name, weight in self.weights.items():
            tensors[f"model.{name}"] = weight
            if name in self.best:
                tensors[f"best.{name}"] = self.best[name]
            moments = self.optimiser.state.get(weight)
            if moments:
                tensors[f"mean.{name}"] = moments["exp_avg"]
                tensors[f"square.{name}"] = moments["exp_avg_sq"]
        save(self.plan.checkpoint, self.plan.run, self.state, tensors)

    def _left(self, began: float) -> float:
        """Seconds until the last step or the limit, whichever comes first."""
        state = self.state
        steps = state.seconds / state.step * (self.plan.config.steps - state.step)
        return max(0.0, min(steps, self.plan.limit - (time.monotonic() - began)))

    def _telling(self, left: float) -> str:
        state = self.state
        minutes, seconds = divmod(round(left), 60)
        return (
            f"loss {state.loss / state.loss_tokens:.3f}, "
            f"{state.tokens / state.seconds:,.0f} tokens/s, {minutes}:{seconds:02} left"
        )


def rate(config: Config, step: int) -> float:
    """Return the learning rate of a step: it rises during the warm-up, and may fall to nothing."""
    rising = (step + 1) / config.warmup if step < config.warmup else 1.0
    if config.decay == "none" or step < config.warmup:
        return config.rate * rising
    return config.rate * (config.steps - step) / (config.steps - config.warmup)
