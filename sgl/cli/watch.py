"""``sglc watch``: at each save what is wrong with a grammar, what it says, and what is proved."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import click

from sgl.cli.session import Session, grammar_argument, grammar_options
from sgl.cli.terminal import count
from sgl.engine import Claims, SampleError, Snapshot, Workspace
from sgl.frontend.quotas import MAX_COUNT
from sgl.pipeline.guarantees import REFUTED, pattern_guarantees

#: Seconds between two looks at the files, and by which a file may be saved later than it says.
_PAUSE, _LATE = 0.1, 0.02


class _SavedError(Exception):
    """A file was saved while its claims were proved."""


@click.command("watch")
@grammar_argument
@click.argument("what", required=False, default="")
@click.option("-n", "--number", type=click.IntRange(1, MAX_COUNT), default=5, help="The number of sentences.")
@grammar_options
def command(session: Session, grammar: Path, what: str, number: int) -> None:
    """Show at each save of a file of GRAMMAR what is wrong with it, samples, and claims that have changed.

    WHAT is a pattern, or what else `sglc sample` takes. Samples have the same seed each time: those that are gone since
    the last save stand after `-`, new ones after `+`. Ctrl-C ends it.
    """
    if session.quiet:
        session.refuse("`watch` comes to no end, where these messages are written; `check` does")
    workspace, samples, verdicts = Workspace(), list[str](), list[str]()
    with suppress(KeyboardInterrupt):
        root = workspace.roots(grammar)[0]
        while True:
            began = time.time()
            snapshot = workspace.open(root, session.settings)
            saved = partial(_saved, snapshot, _stamps(snapshot), began)
            click.clear()
            session.tell(snapshot.diagnostics, snapshot.sources)
            if snapshot.compiled is not None:
                before, samples = samples, _samples(snapshot, what, number)
                session.lines(_news(before, samples))
            session.echo(f"{time.strftime('%H:%M:%S')}  {root}  {time.time() - began:.2f} s")
            with suppress(_SavedError):
                claims = snapshot.claims(partial(_unless, saved))
                session.tell(claims.diagnostics, snapshot.sources)
                before, verdicts = verdicts, _verdicts(claims) or verdicts
                session.lines(line for line in _news(before, verdicts) if not line.startswith(" "))
                if claims.proofs is not None:
                    proved = sum(one.proved for one in claims.proofs.patterns)
                    session.echo(f"{proved} of {count(len(claims.proofs.patterns), 'pattern')} proved")
            while not saved():
                time.sleep(_PAUSE)
            # Who writes one file writes another one.
            time.sleep(2 * _LATE)


def _samples(snapshot: Snapshot, what: str, number: int) -> list[str]:
    try:
        return [" · ".join(filter(None, one.texts.values())) for one in snapshot.samples(what, number)]
    except SampleError as problem:
        return [str(problem)]


def _verdicts(claims: Claims) -> list[str]:
    patterns = claims.proofs.patterns if claims.proofs is not None else ()
    refuted = {one.name: [of.claim for of in pattern_guarantees(one) if of.result == REFUTED] for one in patterns}
    return [f"{name}: {'refuted: ' + ', '.join(of) if of else 'proved'}" for name, of in refuted.items()]


def _news(before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    """Yield lines that are gone, and those that there are."""
    yield from (f"- {line}" for line in before if line not in now)
    yield from (f"{'+' if before and line not in before else ' '} {line}" for line in now)


def _stamps(snapshot: Snapshot) -> Mapping[Path, float]:
    """Return when the files that a grammar asked for were saved, and their directories, where one comes and goes."""
    asked = snapshot.sources.dependencies
    files = {snapshot.root.absolute(), *map(Path, (*asked.contents, *asked.links))}
    stamps = {}
    for path in files | {path.parent for path in files}:
        with suppress(OSError):
            stamps[path] = path.stat().st_mtime
    return stamps


def _saved(snapshot: Snapshot, stamps: Mapping[Path, float], began: float) -> bool:
    now = _stamps(snapshot)
    return now != stamps or max(now.values(), default=0) > began - _LATE


def _unless(saved: Callable[[], bool], _: str) -> None:
    if saved():
        raise _SavedError
