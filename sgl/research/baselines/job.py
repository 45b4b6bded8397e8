"""Train, decode and write predictions: the work of `sglc baseline`, without its scoring.

``run.json`` is written first, so that a directory says from the start which run it belongs to.  It has the settings,
the hashes of settings and data, the versions of the libraries, every check on dev, and the reason why training ended.
While a run is at work, a file ``lock`` keeps a second one out.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tokenizers

from sgl import __version__
from sgl.cli.files import replace_text
from sgl.disk import make, make_way
from sgl.disk.stages import HOLDER, LOCK, FolderLockedError, LockedFolder
from sgl.foreign import MANIFEST, ForeignFileError
from sgl.foreign.json import read_document
from sgl.research.baselines.config import CAUSAL, Config
from sgl.research.baselines.data import BaselineData, unwritable
from sgl.research.baselines.learner import Learner, Line, Seq2SeqLearner, learn_vocabulary
from sgl.research.baselines.training import DirectoryError, OnCheck, Training, TrainingResult, reproducible
from sgl.research.evaluate.benchmark import Benchmark, BenchmarkRow

#: The files of a locked directory that has nothing else.
_LOCKING = {LOCK, HOLDER}

#: The first member of the record, which marks the directory of a run.
FORMAT = "sgl-baseline/1"


class Directory:
    """The files of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record = path / "run.json"
        self.checkpoint = path / "checkpoint.safetensors"
        self.vocabularies = path / "source-tokens.json", path / "tokens.json"

    def take(self, run: str, *, resume: bool) -> LockedFolder:
        """Start or resume a run here and lock the directory; raises ``DirectoryError`` if that is impossible."""
        # Write nothing, not even the lock, into someone else's directory.
        self.check(run, resume=resume)
        make_way(self.path)
        try:
            held = LockedFolder.take(self.path, ".*")
        except FolderLockedError as problem:
            raise DirectoryError(f"`{self.path}` is in use: {problem}") from None
        try:
            # Another run may have started and ended meanwhile.
            self.check(run, resume=resume)
        except DirectoryError:
            held.leave()
            raise
        return held

    def check(self, run: str, *, resume: bool) -> None:
        """Raise ``DirectoryError`` unless a run can be started, or resumed, here; writes nothing."""
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
            raise DirectoryError(f"`{self.path}` already has a run", "`--resume` continues it, or delete it")
        if record["run"].data != run:
            raise DirectoryError(
                f"the run in `{self.path}` has another configuration or other data",
                "use the same options, dataset and library versions, or name another directory",
            )

    def write_record(self, record: dict[str, Any]) -> None:
        """Write the record of the run."""
        text = json.dumps({"format": FORMAT} | record, ensure_ascii=False, indent=1)
        replace_text(self.record, text + "\n")

    def write_predictions(self, split: str, rows: Sequence[BenchmarkRow], texts: Sequence[str]) -> Path:
        """Write the predictions for a split, in the format that `sglc eval` reads."""
        path = self.path / "predictions" / f"{split}.tsv"
        make(path.parent)
        lines = [f"{row.id}\t{text}\n" for row, text in zip(rows, texts, strict=True)]
        replace_text(path, "".join(lines))
        return path

    def scores(self, split: str, kind: str) -> Path:
        """Return the path for the scores of a split."""
        path = self.path / "scores" / f"{split}.{kind}"
        make(path.parent)
        return path


class Job:
    """A run of training and decoding, which holds its directory until it is closed.

    Raises ``DirectoryError`` if the directory cannot be used or its contents are damaged, and ``LanguageModelError`` if
    the settings name no usable language model.
    """

    def __init__(self, config: Config, data: BaselineData, out: Path, *, resume: bool, limit: float) -> None:
        """Set up a run with the settings, the dataset, the directory and the seconds after which to stop."""
        self.config = config
        self.data = data
        self.directory = Directory(out)
        self._resume = resume
        self._limit = limit
        lora = ("transformers", "peft") if config.model == CAUSAL else ()
        # Weights may depend on the versions of these libraries.
        versions = {name: version(name) for name in ("torch", "tokenizers", "numpy", *lora)}
        told = " ".join(f"{name} {number}" for name, number in versions.items())
        self.run = hashlib.sha256(f"{config.digest} {data.digest} {told}".encode()).hexdigest()
        self._record = _begun(config, data, self.run, versions)
        # On closing, an empty directory is deleted.
        self.close = self.directory.take(self.run, resume=resume).leave
        try:
            self.learner = self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> Learner:
        """Return the learner; write nothing before everything that can be wrong with it has been checked."""
        with self._reproducible():
            learner = _learner(self.config, self.data, self.directory)
        # This tokenizes all rows, so that one that is too long is found now.
        _ = learner.lengths
        if not self.directory.record.exists():
            self.directory.write_record(self._record)
        if isinstance(learner, Seq2SeqLearner) and not self.directory.vocabularies[-1].exists():
            # The last file is written last, so its presence means that all exist.
            paths = self.directory.vocabularies[-len(learner.tokenizers) :]
            for path, tokenizer in zip(paths, learner.tokenizers, strict=True):
                replace_text(path, tokenizer.to_str(pretty=True))
        return learner

    def unwritable(self) -> Iterator[tuple[str, int]]:
        """Yield splits with gold texts that the vocabulary cannot write, and how many."""
        if isinstance(self.learner, Seq2SeqLearner):
            for benchmark in self.data.predicted:
                if found := unwritable(self.learner.target, [row.target for row in benchmark.rows]):
                    yield benchmark.split, len(found)

    def train(self, line: Line, told: OnCheck, resumed: Callable[[int], None]) -> TrainingResult:
        """Train from the last step (see ``resumed``) and write the results; raises ``DirectoryError`` if damaged."""
        checkpoint, run = self.directory.checkpoint, self.run
        if isinstance(self.learner, Seq2SeqLearner):
            # Weights mean nothing with another vocabulary.
            tokens = " ".join(tokenizer.to_str() for tokenizer in self.learner.tokenizers)
            run = hashlib.sha256(f"{run} {tokens}".encode()).hexdigest()
        with self._reproducible():
            training = Training(self.learner, self.data.dev, checkpoint, run, self._limit)
            if self._resume:
                if checkpoint.exists():
                    training.resume()
                resumed(training.state.step)
            trained = training.train(line, told)
            # The record drops predictions of weights before the weights are replaced.
            self.directory.write_record(self._record)
            self.learner.keep(self.directory.path)
        progress, weights = trained.progress, list(self.learner.module.parameters())
        self._record |= {
            "weights": sum(weight.numel() for weight in weights),
            "trained_weights": sum(weight.numel() for weight in weights if weight.requires_grad),
            "training": {
                "ended": trained.ended,
                "steps": progress.step,
                "seconds": round(progress.seconds, 1),
                "target_tokens": progress.tokens,
                "kept_step": trained.kept_step,
                "kept_dev_exact": trained.kept_score,
                "checks": [
                    {"step": step, "loss": round(loss, 6), "dev_exact": score} for step, loss, score in progress.checks
                ],
            },
        }
        self.directory.write_record(self._record)
        return trained

    def predict(self, benchmark: Benchmark, line: Line) -> Path:
        """Decode a split with the kept weights and return the file of predictions."""
        began = time.monotonic()
        with self._reproducible():
            said = self.learner.translate([row.source for row in benchmark.rows], line)
        path = self.directory.write_predictions(benchmark.split, benchmark.rows, said)
        # The record lists the splits whose predictions come from the current weights.
        seconds = self._record.setdefault("decoding_seconds", {})
        seconds[benchmark.split] = round(time.monotonic() - began, 1)
        self.directory.write_record(self._record)
        return path

    def _reproducible(self) -> AbstractContextManager[None]:
        return reproducible(self.config.threads, self.config.device)


def _learner(config: Config, data: BaselineData, directory: Directory) -> Learner:
    if config.model == CAUSAL:
        from sgl.research.baselines.learner import CausalLearner

        return CausalLearner(config, data)
    if not directory.vocabularies[-1].exists():
        return Seq2SeqLearner(config, data, learn_vocabulary(config, data))
    paths = directory.vocabularies if config.source_pieces else directory.vocabularies[-1:]
    try:
        found = [tokenizers.Tokenizer.from_file(str(path)) for path in paths]
    except Exception as problem:  # the library raises nothing more specific
        named = " or ".join(f"`{path}`" for path in paths)
        raise DirectoryError(f"{named} cannot be read: {problem}") from problem
    return Seq2SeqLearner(config, data, found)


def _begun(config: Config, data: BaselineData, run: str, versions: Mapping[str, str]) -> dict[str, Any]:
    return {
        "run": run,
        "dataset": {
            **{key: getattr(data, key) for key in ("name", "signature", "source", "target")},
            "train": len(data.train),
            "dev": len(data.dev),
            "sha256": data.digest,
        },
        "config": config.data(),
        "config_sha256": config.digest,
        "versions": {"sgl": __version__, **versions},
    }
