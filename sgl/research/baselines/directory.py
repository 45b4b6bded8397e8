"""The directory of a run: what is in it, and whether it may be used.

::

    run.json                 what the run is: settings, dataset, versions; later how it ended
    checkpoint.safetensors   where training stands
    tokens.json              the vocabulary
    model.safetensors        the weights that are kept (`adapter/` for a language model)
    predictions/gen.tsv      names of rows and predictions, for `sglc eval`
    scores/gen.json, .html   what `sglc eval` finds

``run.json`` is written first, so that a directory says from its beginning whose it is.  While
a run is at work there is also a file ``lock``, which keeps a second one out.

Checkpoints are in the format of safetensors, which holds numbers and texts and nothing that
could be executed.  A file is written beside its name and put in place when it is complete::

    model.encoder.weight   best.encoder.weight   mean.encoder.weight   square.encoder.weight
    header: {"run": "<hash of configuration and data>", "state": {"step": 1500, ...}}
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from sgl.cli.files import replace_text
from sgl.dataset.lock import HOLDER, LOCK, FolderLockedError, LockedFolder
from sgl.dataset.staged import staged_file
from sgl.foreign import CHECKPOINT, MANIFEST, ForeignFileError, opened
from sgl.foreign.json import read_document
from sgl.research.baselines.config import BaselineError
from sgl.research.evaluate.benchmark import BenchmarkRow

#: The files of a locked directory that has nothing else.
_LOCKING = {LOCK, HOLDER}

#: The first member of the record; what marks a directory as that of a run.
FORMAT = "sgl-baseline/1"


class DirectoryError(BaselineError):
    """A directory cannot be used for a run, or what is in it cannot be continued."""

    code = "SGL1604"


class Directory:
    """The files of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record = path / "run.json"
        self.checkpoint = path / "checkpoint.safetensors"
        self.vocabulary = path / "tokens.json"
        self._held: LockedFolder | None = None

    def take(self, run: str, *, resume: bool) -> None:
        """Begin a run, or go on with it, here; until ``leave`` no other process can.

        Raises ``DirectoryError``: it holds something else, or a run that is not to be resumed, or
        another process is at work in it.
        """
        # A directory of others does not even get the file of the lock.
        self.check(run, resume=resume)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._held = LockedFolder.take(self.path)
        except FolderLockedError as problem:
            raise DirectoryError(f"`{self.path}` is in use: {problem}") from None
        try:
            # Another run may have begun and ended meanwhile.
            self.check(run, resume=resume)
        except DirectoryError:
            self.leave()
            raise

    def leave(self) -> None:
        """Let others use the directory; an empty one is deleted."""
        if self._held is not None:
            self._held.leave()
            self._held = None

    def check(self, run: str, *, resume: bool) -> None:
        """Raise ``DirectoryError`` unless a run may be begun, or resumed, here; writes nothing."""
        if self.path.exists() and not self.path.is_dir():
            raise DirectoryError(f"`{self.path}` is a file")
        if not self.path.is_dir() or {child.name for child in self.path.iterdir()} <= _LOCKING:
            if resume:
                raise DirectoryError(f"there is no run to resume in `{self.path}`")
            return
        try:
            record = read_document(self.record, MANIFEST, inside=self.path)
            known = record["format"].of(str) == FORMAT
        except ForeignFileError:
            known = False
        if not known:
            raise DirectoryError(f"`{self.path}` is not empty and is not the directory of a run")
        if not resume:
            raise DirectoryError(
                f"`{self.path}` already has a run", "`--resume` continues it, or delete it"
            )
        if record["run"].data != run:
            raise DirectoryError(
                f"the run in `{self.path}` is of another configuration or other data",
                "use the same options, dataset and versions of the libraries, or give another "
                "directory",
            )

    def write_record(self, record: dict[str, Any]) -> None:
        """Write what is known of the run."""
        text = json.dumps({"format": FORMAT} | record, ensure_ascii=False, indent=1)
        replace_text(self.record, text + "\n")

    def write_predictions(
        self, split: str, rows: Sequence[BenchmarkRow], texts: Sequence[str]
    ) -> Path:
        """Write the predictions for a split, in the form that `sglc eval` reads."""
        path = self.path / "predictions" / f"{split}.tsv"
        path.parent.mkdir(exist_ok=True)
        lines = [f"{row.id}\t{text}\n" for row, text in zip(rows, texts, strict=True)]
        replace_text(path, "".join(lines))
        return path

    def scores(self, split: str, kind: str) -> Path:
        """Where the scores of a split are to be."""
        path = self.path / "scores" / f"{split}.{kind}"
        path.parent.mkdir(exist_ok=True)
        return path


# ---- checkpoints


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
    with staged_file(path) as new:
        save_file(written, new, header)


def load(path: Path, run: str) -> tuple[TrainingProgress, dict[str, Tensor]]:
    """Read a checkpoint; raises ``DirectoryError`` if it is damaged, or that of another run."""
    try:
        opened(path, CHECKPOINT, inside=path.parent).close()
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            names = list(file.keys())
            if header.get("run") != run:
                raise DirectoryError(
                    f"`{path}` is a checkpoint of another configuration or other data",
                    "use the same options, dataset and versions, or give another directory",
                )
            state = TrainingProgress(**json.loads(header["state"]))
            return state, {name: file.get_tensor(name) for name in names}
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as problem:
        raise DirectoryError(
            f"`{path}` cannot be read: {problem}", "begin again in another directory"
        ) from problem
