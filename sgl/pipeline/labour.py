"""Who does the work of a run, and what becomes of an interrupted one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sgl.parallel.executor import LOCAL
from sgl.parallel.journal import Journal, partial_folder
from sgl.parallel.journal import open_journal as open_at


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


def open_journal(
    target: Path,
    identity: Mapping[str, object],
    labour: Labour,
    when_held: Callable[[], None] = lambda: None,
) -> Journal:
    """The journal of the run that makes ``target``, new or resumed.

    ``when_held`` is called when no other process can work on ``target`` any more.

    Raises:
        InterruptedRunError: another run is in the way, or it is not this one.
        OSError: the operating system refuses.
    """
    folder = partial_folder(target)
    return open_at(folder, identity, going_on=labour.resume, anew=labour.force, when_held=when_held)
