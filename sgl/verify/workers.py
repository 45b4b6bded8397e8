"""The certificate is judged in a second process, while the sentences are read in the first.

A certificate is judged by its bytes alone, so that this may be begun before anything else
is known of the dataset, and the report is the same however many processes there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from sgl.verify.certificate_checks import CERTIFICATE
from sgl.verify.dataset import Judge

#: More workers than these have nothing to do.
USEFUL = 2


@dataclass(frozen=True, slots=True)
class _Ahead:
    """A judge that has been asked about some bytes in advance."""

    judge: Judge
    text: bytes
    verdict: Future[tuple[str, ...]]

    def __call__(self, text: bytes) -> tuple[str, ...]:
        """The verdict of the other process, if it is about these bytes."""
        if text != self.text:
            return self.judge(text)
        try:
            return self.verdict.result()
        except BrokenProcessPool:  # killed from outside, perhaps for memory
            return self.judge(text)


@contextmanager
def judging(directory: Path, judge: Judge, workers: int) -> Iterator[Judge]:
    """A judge for the certificate of a dataset, at work from now on if there are workers."""
    path = directory / CERTIFICATE
    if workers < USEFUL or not path.is_file():
        yield judge
        return
    try:
        text = path.read_bytes()
    except OSError:
        yield judge
        return
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield _Ahead(judge, text, pool.submit(judge, text))
