"""Compare the output of a grammar with its tests, its examples and recorded samples.

``sglc test`` tries the examples of grammars and their recorded samples, and times each.  Recorded samples of
``farm.sgl`` are in ``farm.samples`` in the same directory: a request ``$ sample pp_in_subject -n 2``, followed by its
output.  ``sglc watch`` shows errors, samples and proofs after each save.
"""

import re
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import click

from sgl.automata import StructureTooCostly, UnsupportedStructure
from sgl.cli import sample
from sgl.cli.arguments import listed, text_layers
from sgl.cli.check import roots_of
from sgl.cli.files import GRAMMAR, TESTS, force_option, replace_text
from sgl.cli.session import Session, grammar_argument, grammar_options, level_options
from sgl.cli.terminal import count, json_option
from sgl.core.claims import Verdict
from sgl.diagnostics import Diagnostic, Diagnostics, Severity, SourceMap, Span, one_of
from sgl.diagnostics.render import Case, as_object, junit_report, said
from sgl.engine import Claims, SampleError, Snapshot, Workspace
from sgl.frontend import Compiled
from sgl.frontend.names.parameters import MAX_COUNT
from sgl.lang import MAX_SOURCE
from sgl.lang.project import read_file
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.guarantees import pattern_guarantees
from sgl.pipeline.samples import sampled_items, source_of
from sgl.pipeline.sentences import GIVES, examples
from sgl.rendering import outputs
from sgl.sampling import NotEnoughError

#: The beginning of a recorded sample, and the parameters that it may use.
_REQUEST = re.compile(r"^\$ sample\b", re.MULTILINE)
_ASKED = ("what", "where", "number", "seed", "layers")
_SAMPLE = click.Command("sample", params=[param for param in sample.command.params if param.name in _ASKED])

#: Seconds between two checks of the files, and by which a file may be saved later than its timestamp.
_PAUSE, _LATE = 0.1, 0.02

#: A place in a file, and its new text.
_Edit = tuple[Span, str]


class Tried(NamedTuple):
    """A test that was tried: its name and place, the diagnostics, the time, and the edits that accept it."""

    name: str
    place: Span | None
    found: tuple[Diagnostic, ...]
    seconds: float
    edits: tuple[_Edit, ...] = ()

    @property
    def faults(self) -> list[Diagnostic]:
        """The errors among the diagnostics."""
        return [found for found in self.found if found.severity is Severity.ERROR]


@click.command("test")
@click.argument("grammars", nargs=-1, required=True, type=GRAMMAR, metavar="GRAMMAR…")
@click.option("--update", is_flag=True, help="Record the current outputs in tests and samples.")
@click.option("--junit", type=TESTS, metavar="FILE", help="Write a JUnit report.")
@force_option
@json_option
@level_options
@grammar_options
def command(session: Session, grammars: tuple[Path, ...], update: bool, junit: Path | None, as_json: bool) -> None:
    """Run the tests, examples and recorded samples of GRAMMAR….

    Recorded samples are in the file of the same name that ends in `.samples`: a line
    `$ sample pp_in_subject -n 2` is followed by the output of `sglc sample`.  With --update, the
    expected outputs of `test` and the samples are replaced by the current ones.
    """
    cases: list[Case] = []
    for path in dict.fromkeys(root for grammar in grammars for root in roots_of(session, grammar)):
        tried = list(_try(session, path))
        edits = [edit for one in tried for edit in one.edits]
        if update and edits:
            _accept(session, edits)
            tried = list(_try(session, path))
        session.diagnostics.extend(found for one in tried for found in one.found)
        own = [_case(session, path, one) for one in tried]
        for case in () if as_json else own:
            session.echo(f"{'failed' if case.failure else 'passed'}  {1000 * case.seconds:8.1f} ms  {case.name}")
        if not as_json:
            passed = sum(not case.failure for case in own)
            session.echo(f"{path}: {passed} of {len(own)} passed in {sum(case.seconds for case in own):.1f} s")
        session.show()
        cases += own
    if as_json:
        session.json([case._asdict() for case in cases])
    if junit is not None:
        session.write(junit, junit_report(cases))


def _case(session: Session, path: Path, one: Tried) -> Case:
    """Return the entry of a test in reports."""
    file = session.sources.get(one.place.file) if one.place is not None else None
    line = file.position(one.place.start)[0] if file is not None and one.place is not None else None
    failure = "\n".join(said(as_object(fault, session.sources)) for fault in one.faults)
    code, name = one.faults[0].code if one.faults else "", file.name if file is not None else str(path)
    return Case(one.name, name, line, one.seconds, failure, code)


def _try(session: Session, path: Path) -> Iterator[Tried]:
    """Try all tests of a grammar; the first is whether it compiles."""
    found, started = Diagnostics(session.diagnostics.judge), time.perf_counter()
    compiled = open_grammar(path, session.settings, session.sources, found)
    yield Tried(f"grammar  {path.name}", None, found.found, time.perf_counter() - started)
    if compiled is None:
        return
    for kind, sentence, wrong, seconds in examples(compiled):
        given = [(fault.span, note) for fault in wrong for note in fault.notes[:1] if note.startswith(GIVES)]
        quoted = str.maketrans({"\\": "\\\\", '"': '\\"'})
        edits = tuple((span, f'"{note.removeprefix(GIVES).translate(quoted)}"') for span, note in given if span)
        yield Tried(f"{kind}  {sentence.text}", sentence.span, wrong, seconds, edits)
    file, found = path.with_suffix(".samples"), Diagnostics()
    if not file.is_file():
        return
    source = read_file(file, file.as_posix(), None, MAX_SOURCE, session.sources, found)
    text = source.text if source is not None else ""
    for fault in found:
        yield Tried(f"samples  {file.name}", None, (fault,), 0.0)
    starts = [request.start() for request in _REQUEST.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        block = Span(file.as_posix(), start, end)
        yield _try_sample(compiled, block, text[start:end], "\n" if end == len(text) else "\n\n")


def _try_sample(compiled: Compiled, block: Span, text: str, end: str) -> Tried:
    """Try a recorded sample: a request, followed by the expected lines."""
    started, (head, _, told) = time.perf_counter(), text.partition("\n")
    place, request = Span(block.file, block.start, block.start + len(head)), head.removeprefix("$ sample").strip()
    faults: tuple[Diagnostic, ...] = ()
    edits: tuple[_Edit, ...] = ()
    try:
        before, now = told.strip("\n"), "\n".join(_sampled(compiled, request)).strip("\n")
        if before != now:
            faults, edits = (_changed(place, before, now),), ((block, f"{head}\n{now}{end}"),)
    except (ValueError, NotEnoughError, StructureTooCostly, UnsupportedStructure, click.ClickException) as problem:
        reason = problem.format_message() if isinstance(problem, click.ClickException) else problem
        faults = (Diagnostic("SGL0834", Severity.ERROR, place, f"this sample cannot be drawn: {reason}"),)
    return Tried(f"sample  {request}", place, faults, time.perf_counter() - started, edits)


def _sampled(compiled: Compiled, request: str) -> list[str]:
    """Return the output lines of `sglc sample`; raises ``ValueError`` or an exception of click."""
    asked = _SAMPLE.make_context("sample", shlex.split(request)).params
    told, known = Diagnostics(), [*outputs(compiled.grammar), "tree", "graph"]
    chosen = source_of(compiled, asked["what"], SourceMap(), told, asked["where"])
    if chosen is None:
        raise SampleError(next(iter(told)).message)
    shown = listed(asked["layers"]) or text_layers(compiled.grammar)
    for name in shown:
        if name not in known:
            raise SampleError(f"there is no layer or view `{name}`; {one_of(name, known)}")
    items = sampled_items(compiled, chosen, asked["number"], asked["seed"])
    values = (sample.values_of(chosen.grammar, item, shown, index) for index, item in enumerate(items, 1))
    return [line for value in values for line in sample.lines_of(value)]


def _changed(place: Span, before: str, now: str) -> Diagnostic:
    """Return the diagnostic for a sample that differs from the recorded one, with the first lines that differ."""
    lines = zip_longest(before.split("\n"), now.split("\n"), fillvalue="(nothing)")
    old, new = next((old, new) for old, new in lines if old != new)
    message, notes = "nothing is recorded here yet", tuple[str, ...]()
    if before:
        message, notes = "this sample differs from the recorded one", (f"recorded: {old}", f"now:      {new}")
    hint = "to record the new output, run `sglc test --update`"
    return Diagnostic("SGL0834", Severity.ERROR, place, message, notes=notes, hint=hint)


def _accept(session: Session, edits: list[_Edit]) -> None:
    """Apply edits, all edits of a file at once."""
    for name in dict.fromkeys(span.file for span, _ in edits):
        text = session.sources.files[name].text
        own = [(session.sources.real(span), new) for span, new in edits if span.file == name]
        for span, new in sorted(own, reverse=True):
            text = text[: span.start] + new + text[span.end :]
        replace_text(Path(name), text)
        session.echo(f"updated: {name}", err=True)


class _SavedError(Exception):
    """A file was saved during a proof."""


@click.command("watch")
@grammar_argument
@click.argument("what", required=False, default="")
@click.option("-n", "--number", type=click.IntRange(1, MAX_COUNT), default=5, help="Number of sentences.")
@grammar_options
def watch(session: Session, grammar: Path, what: str, number: int) -> None:
    """Show at each save of GRAMMAR's files its errors, samples, and changed claims.

    WHAT is as for `sglc sample`.  Samples have the same seed each time: those that the last save removed are marked
    with `-`, new ones with `+`.  Press Ctrl-C to stop.
    """
    if session.quiet:
        session.refuse("these messages are written at the end, and `watch` never ends; use `check`")
    workspace, samples, verdicts = Workspace(), list[str](), list[str]()
    with suppress(KeyboardInterrupt):
        root = workspace.roots(grammar)[0]
        while True:
            # Timestamps of files follow the wall clock, which may be set forward or back.
            began, started = time.time(), time.monotonic()
            snapshot = workspace.open(root, session.settings)
            saved = partial(_saved, snapshot, _stamps(snapshot), began)
            click.clear()
            session.tell(snapshot.diagnostics, snapshot.sources)
            if snapshot.compiled is not None:
                before, samples = samples, _samples(snapshot, what, number)
                session.echo("\n".join(_news(before, samples)))
            session.echo(f"{time.strftime('%H:%M:%S')}  {root}  {time.monotonic() - started:.2f} s")
            with suppress(_SavedError):
                claims = snapshot.claims(partial(_unless, saved))
                session.tell(claims.diagnostics, snapshot.sources)
                before, verdicts = verdicts, _verdicts(claims) or verdicts
                for line in _news(before, verdicts):
                    if not line.startswith(" "):
                        session.echo(line)
                if claims.proofs is not None:
                    proved = sum(one.proved for one in claims.proofs.patterns)
                    session.echo(f"{proved} of {count(len(claims.proofs.patterns), 'pattern')} proved")
            while not saved():
                time.sleep(_PAUSE)
            # A program that saves one file may be about to save another.
            time.sleep(2 * _LATE)


def _samples(snapshot: Snapshot, what: str, number: int) -> list[str]:
    try:
        return [" · ".join(filter(None, one.texts.values())) for one in snapshot.samples(what, number)]
    except SampleError as problem:
        return [str(problem)]


def _verdicts(claims: Claims) -> list[str]:
    patterns = claims.proofs.patterns if claims.proofs is not None else ()
    rows = {one.name: pattern_guarantees(one) for one in patterns}
    refuted = {name: [row.claim for row in own if Verdict(row.result).holds is False] for name, own in rows.items()}
    return [f"{name}: {'refuted: ' + ', '.join(of) if of else 'proved'}" for name, of in refuted.items()]


def _news(before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    """Yield the removed lines, then the current ones."""
    yield from (f"- {line}" for line in before if line not in now)
    yield from (f"{'+' if before and line not in before else ' '} {line}" for line in now)


def _stamps(snapshot: Snapshot) -> Mapping[Path, float]:
    """Return the modification times of the files that a grammar depends on, and of their directories."""
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
