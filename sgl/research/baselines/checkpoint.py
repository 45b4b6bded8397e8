"""Where a training run stands, in one file: weights, the best weights so far, the optimiser.

The file is in the format of safetensors, which holds numbers and texts and nothing that
could be executed.  It is written beside its name and put in place when it is complete::

    model.encoder.weight   best.encoder.weight   mean.encoder.weight   square.encoder.weight
    header: {"run": "<hash of configuration and data>", "state": {"step": 1500, ...}}
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from sgl.research.baselines.config import BaselineError


class CheckpointError(BaselineError):
    """A checkpoint cannot be continued."""

    code = "SGL1604"


@dataclass(slots=True)
class TrainingProgress:
    """How far training is: steps taken, the best check, seconds, and the history of checks.

    ``checks`` are triples of a step, the mean loss since the check before, and the share of
    items of dev that are right; none without a dev split.
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
    """Write a checkpoint of the run with this hash, at once or not at all."""
    write_tensors(path, tensors, {"run": run, "state": json.dumps(asdict(progressed))})


def write_tensors(
    path: Path, tensors: Mapping[str, Tensor], header: dict[str, str] | None = None
) -> None:
    """Write tensors in the format of safetensors, at once or not at all."""
    written = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    partial = path.with_name(f".{path.name}-{os.getpid()}.partial")
    try:
        save_file(written, partial, header)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def load(path: Path, run: str) -> tuple[TrainingProgress, dict[str, Tensor]]:
    """Read a checkpoint of the run with this hash.

    Raises:
        CheckpointError: it is damaged, or that of another run.
    """
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            names = list(file.keys())
            if header.get("run") != run:
                raise CheckpointError(
                    f"`{path}` is a checkpoint of another configuration or other data",
                    "use the same options, dataset and versions, or give another directory",
                )
            state = TrainingProgress(**json.loads(header["state"]))
            return state, {name: file.get_tensor(name) for name in names}
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as problem:
        raise CheckpointError(
            f"`{path}` cannot be read: {problem}", "begin again in another directory"
        ) from problem
