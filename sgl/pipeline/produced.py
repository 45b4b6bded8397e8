"""A produced dataset, and what is written again if its grammar says the same in other words.

Comments and layout change nothing but the copy of the grammar that a dataset has, and what lists its files.  So the
cache keeps what is known of a dataset under what its grammar *means*.  If the directory has the very files that are
known, they are copied, the grammar is written as it is now, and the verifier compares all hashes; what it has found in
the rows holds, since they are the same bytes.
"""

import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl import dataset, foreign
from sgl.core.plan import Plan
from sgl.dataset.cards import descriptions
from sgl.diagnostics import Diagnostics
from sgl.disk import create, make, write
from sgl.frontend import Compiled
from sgl.lang.packed import FOLDER, write_grammar
from sgl.pipeline.diverging import Losses
from sgl.pipeline.proofs import meaning
from sgl.pipeline.sentences import place_of_stream
from sgl.report.words import sentence_of
from sgl.verify import Report, check_files


@dataclass(frozen=True)
class ProducedDataset:
    """A produced dataset, in place unless there are violations; ``unchanged`` if it was there before.

    ``listed`` is the list of its files, ``losses`` warn about rules lost to ambiguity.
    """

    directory: Path
    manifest: dict[str, Any]
    signature: str
    listed: str
    verification: Report
    losses: Diagnostics = field(default_factory=Diagnostics)
    unchanged: bool = False


class RejectedError(Exception):
    """Leaves a staged directory that the verifier does not accept."""


@dataclass(frozen=True)
class Known:
    """What is known of a dataset and cannot be read in its files.

    ``origin`` identifies the grammar as it was written; ``review`` is the page for reviewers; ``lost`` are the
    sentences rejected as ambiguous, and ``used`` counts the uses of each rule.
    """

    produced: ProducedDataset
    origin: str
    review: dict[str, Any]
    lost: Losses
    used: NDArray[np.int64]

    def renewed(self, compiled: Compiled, target: Path) -> "Known | None":
        """Write the grammar anew if the directory has all that is known, unchanged; return None if it has not.

        Nothing is written if the grammar was written in the same words.
        """
        if not dataset.is_in_place(target, self.produced.listed):
            return None
        if self.origin == compiled.origin:
            return self
        content = self.produced.manifest
        with suppress(RejectedError), dataset.staged_directory(target) as directory:
            _copy(target, directory, self.produced.listed)
            files = write_packed(directory, compiled)
            content = content | {"grammar": content["grammar"] | {"files": files}}
            describe(directory, content, compiled.plan, self.review)
            found = check_files(directory)
            if found != tuple(self.produced.verification.result(own.code) for own in found):
                raise RejectedError
            known = {file["path"]: file["sha256"] for file in (*content["files"], *files)}
            listed, signature = signed(directory, content, known)
            again = replace(self.produced, manifest=content, signature=signature, listed=listed)
            return replace(self, produced=again, origin=compiled.origin)
        return None

    def as_said_by(self, compiled: Compiled, target: Path, *, unchanged: bool = False) -> ProducedDataset:
        """Return the dataset, with warnings that refer to the grammar as it is written now."""
        losses = warnings(compiled, self.produced.manifest, self.lost, self.used)
        return replace(self.produced, directory=target, losses=losses, unchanged=unchanged)


def said(compiled: Compiled) -> tuple[str, ...]:
    """Return a cache key of all that a dataset depends on, except the text of its grammar."""
    project, paths = compiled.project, [name for name, _ in compiled.project.files()]
    stated = project.name, project.title, sorted(compiled.parameters.items()), compiled.release, paths
    return *meaning(compiled), repr(stated)


def write_packed(directory: Path, compiled: Compiled) -> list[dict[str, str]]:
    """Write the grammar of a dataset, and return its files as the manifest lists them."""
    files = write_grammar(directory, compiled.project, compiled.parameters, compiled.plan.seed)
    return [{"path": path, "sha256": digest} for path, digest in files.items()]


def describe(directory: Path, content: dict[str, Any], plan: Plan, review: Mapping[str, Any]) -> None:
    """Write the manifest, and the texts that say the same to people and programs."""
    dataset.write_manifest(directory, content)
    sentences = {pattern.name: sentence_of(pattern.held_out) for pattern in plan.patterns}
    for name, text in descriptions(content, sentences, review):
        make((directory / name).parent)
        write(directory / name, text)


def signed(directory: Path, content: Mapping[str, Any], known: Mapping[str, str]) -> tuple[str, str]:
    """Write the list of all files, of which some hashes are known; return it, with the signature."""
    listed = dataset.write_checksums(directory, known)
    return listed, dataset.signature(directory, content["identity"])


def warnings(compiled: Compiled, content: dict[str, Any], lost: Losses, used: NDArray[np.int64]) -> Diagnostics:
    """Return what an author is told of a dataset: rules that lose sentences, and words that training lacks."""
    found = Diagnostics()
    lost.warn(compiled, used, found)
    for stream, what in dataset.left_out(content).items():
        span, hint = place_of_stream(compiled, stream), "let training show the words, or ask for this number"
        found.warning("SGL0909", span, f"`{stream}` has {what}", hint)
    return found


def _copy(source: Path, target: Path, listed: str) -> None:
    """Copy the listed files except the grammar; what is only copied is no input of this run."""
    names = (line.partition("  ")[2] for line in listed.rstrip("\n").split("\n"))
    with foreign.forgetting():
        for name in (name for name in names if not name.startswith(f"{FOLDER}/")):
            make((target / name).parent)
            with foreign.opened(source / name, foreign.TABLE, inside=source) as old, create(target / name) as new:
                shutil.copyfileobj(old, new, 1 << 20)
