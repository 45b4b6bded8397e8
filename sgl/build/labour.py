"""Who does the work of a run, and what becomes of an interrupted one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sgl.shards.executor import LOCAL
from sgl.shards.journal import (
    InterruptedRunError,
    Journal,
    begin,
    interrupted,
    partial_folder,
    resume,
)


@dataclass(frozen=True)
class Labour:
    """So many workers of an engine; ``scheduler`` is the address of a cluster that runs already.

    An interrupted run is resumed, or replaced by ``force``, or else in the way.
    """

    workers: int = 1
    engine: str = LOCAL
    scheduler: str = ""
    resume: bool = False
    force: bool = False

    @property
    def divided(self) -> bool:
        """Whether anything is asked for that takes a journal."""
        return self != Labour(force=self.force)


def open_journal(target: Path, identity: Mapping[str, object], labour: Labour) -> Journal:
    """The journal of the run that makes ``target``, new or resumed.

    Raises ``InterruptedRunError`` if an interrupted run is in the way, or is another run.
    """
    folder = partial_folder(target)
    if labour.force or not interrupted(folder):
        return begin(folder, identity)
    if not labour.resume:
        raise InterruptedRunError("an interrupted run of it is there")
    return resume(folder, identity)
