"""``sglc test``: the examples of grammars, and samples that must not change, with the time of each.

Recorded samples of ``farm.sgl`` are in ``farm.samples`` beside it: a line ``$ sample pp_in_subject
-n 2``, as one would ask for them, and below it what comes out.
"""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import click

from sgl.automata import StructureTooCostly, UnsupportedStructure
from sgl.cli import sample
from sgl.cli.arguments import listed, text_layers
from sgl.cli.check import roots_of
from sgl.cli.files import GRAMMAR, TESTS, force_option, rewrite
from sgl.cli.levels import level_options
from sgl.cli.session import Session, grammar_options, json_option
from sgl.diagnostics import Diagnostic, Diagnostics, Severity, SourceFile, SourceMap, Span
from sgl.diagnostics.formats import Case, junit_report, said
from sgl.diagnostics.render import as_object
from sgl.frontend import Compiled
from sgl.lang import MAX_SOURCE
from sgl.lang.project import read_file
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.samples import SampleError, sampled_items, source_of, unknown
from sgl.pipeline.sentences import GIVES, examples
from sgl.rendering import outputs
from sgl.sampling import NotEnoughError

#: The end of the name of a file with recorded samples, and how a sample begins in it.
_SAMPLES = ".samples"
_REQUEST = re.compile(r"^\$ sample\b", re.MULTILINE)

#: What may be asked for there.
_ASKED = ("what", "where", "number", "seed", "layers")
_SAMPLE = click.Command("sample", params=[param for param in sample.command.params if param.name in _ASKED])


class Tried(NamedTuple):
    """Something that was tried: its name and place, the time, what is wrong, how to accept it."""

    kind: str
    name: str
    place: Span | None
    seconds: float
    found: tuple[Diagnostic, ...]
    edits: tuple[tuple[Span, str], ...] = ()

    @property
    def faults(self) -> tuple[Diagnostic, ...]:
        """The errors among what was found."""
        return tuple(found for found in self.found if found.severity is Severity.ERROR)


@click.command("test")
@click.argument("grammars", nargs=-1, required=True, type=GRAMMAR, metavar="GRAMMAR…")
@click.option("--update", is_flag=True, help="Write the outputs that there are now into tests and recorded samples.")
@click.option("--junit", type=TESTS, metavar="FILE", help="Write a JUnit report.")
@force_option
@json_option
@level_options
@grammar_options
def command(session: Session, grammars: tuple[Path, ...], update: bool, junit: Path | None, as_json: bool) -> None:
    """Try the tests and examples of GRAMMAR…, and its recorded samples.

    Recorded samples are in a file of the same name that ends with `.samples`: below a line
    `$ sample pp_in_subject -n 2` it has what `sglc sample` shows.  With --update the outputs
    that `test` expects and the samples become those that there are now.
    """
    cases: list[Case] = []
    for path in dict.fromkeys(root for grammar in grammars for root in roots_of(session, grammar)):
        tried = list(_try(session, path))
        edits = [edit for one in tried for edit in one.edits]
        if update and edits:
            for file in _accept(session.sources, edits):
                session.echo(f"updated: {file}", err=True)
            tried = list(_try(session, path))
        session.diagnostics.extend(found for one in tried for found in one.found)
        if not as_json:
            _show(session, path, tried)
        session.show()
        cases += [_case(session, path, one) for one in tried]
    if as_json:
        session.json([case._asdict() for case in cases])
    if junit is not None:
        session.write(junit, junit_report(cases))


def _try(session: Session, path: Path) -> Iterator[Tried]:
    """Try everything that a grammar has to try; first of all, whether it can be read."""
    found, started = Diagnostics(session.diagnostics.judge), time.perf_counter()
    compiled = open_grammar(path, session.settings, session.sources, found)
    yield Tried("grammar", path.name, None, time.perf_counter() - started, found.found)
    if compiled is None:
        return
    for example in examples(compiled):
        edits = tuple(
            (wrong.span, _quoted(note.removeprefix(GIVES)))
            for wrong in example.found
            for note in wrong.notes[:1]
            if wrong.span is not None and note.startswith(GIVES)
        )
        yield Tried(example.kind, example.sentence.text, example.sentence.span, example.seconds, example.found, edits)
    file, found = path.with_suffix(_SAMPLES), Diagnostics()
    if file.is_file():
        source = read_file(file, file.as_posix(), None, MAX_SOURCE, session.sources, found)
        if source is None:
            yield Tried("samples", file.name, None, 0.0, found.found)
            return
        starts = [request.start() for request in _REQUEST.finditer(source.text)]
        for start, end in zip(starts, [*starts[1:], len(source.text)], strict=bool(starts)):
            yield _try_sample(compiled, source, source.span(start, end))


def _try_sample(compiled: Compiled, source: SourceFile, block: Span) -> Tried:
    """Try a recorded sample: a line with what is asked for, and those that came out."""
    started = time.perf_counter()
    head, _, told = source.text[block.start : block.end].partition("\n")
    place, name = Span(block.file, block.start, block.start + len(head)), head.removeprefix("$ sample").strip()
    try:
        lines = _sampled(compiled, name)
    except (SampleError, NotEnoughError, StructureTooCostly, UnsupportedStructure, click.ClickException) as problem:
        reason = problem.format_message() if isinstance(problem, click.ClickException) else str(problem)
        fault = Diagnostic("SGL0834", Severity.ERROR, place, f"this sample cannot be drawn: {reason}")
        return Tried("sample", name, place, time.perf_counter() - started, (fault,))
    now, before = "\n".join(lines).strip("\n"), told.strip("\n")
    seconds = time.perf_counter() - started
    if now == before:
        return Tried("sample", name, place, seconds, ())
    fault = _changed(place, before.split("\n"), now.split("\n"))
    end = "\n\n" if block.end < len(source.text) else "\n"
    return Tried("sample", name, place, seconds, (fault,), ((block, f"{head}\n{now}{end}"),))


def _sampled(compiled: Compiled, request: str) -> list[str]:
    """Return the lines that `sglc sample` shows; raises ``SampleError`` or an exception of click."""
    try:
        asked = _SAMPLE.make_context("sample", shlex.split(request)).params
    except ValueError as problem:
        raise SampleError(f"{problem}") from problem
    told, known = Diagnostics(), [*outputs(compiled.grammar), "tree", "graph"]
    chosen = source_of(compiled, asked["what"], SourceMap(), told, asked["where"])
    if chosen is None:
        raise SampleError(next(iter(told)).message)
    shown = listed(asked["layers"]) or text_layers(compiled.grammar)
    for name in shown:
        if name not in known:
            raise SampleError(f"there is no layer or view `{name}`; {unknown(name, known)}")
    items = sampled_items(compiled, chosen, asked["number"], asked["seed"])
    values = (sample.values_of(chosen.grammar, item, shown, index) for index, item in enumerate(items, 1))
    return [line for value in values for line in sample.lines_of(value)]


def _changed(place: Span, before: list[str], now: list[str]) -> Diagnostic:
    """Return what to say of a sample that is not what was recorded, with the first lines that differ."""
    old, new = next((old, new) for old, new in zip_longest(before, now, fillvalue="(nothing)") if old != new)
    message = "this sample is not what was recorded" if any(before) else "nothing is recorded here yet"
    notes = (f"recorded: {old}", f"now:      {new}") if any(before) else ()
    hint = "`sglc test --update` records what it is now"
    return Diagnostic("SGL0834", Severity.ERROR, place, message, notes=notes, hint=hint)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _accept(sources: SourceMap, edits: Iterable[tuple[Span, str]]) -> Iterator[Path]:
    """Make edits in files, each at once; yield the files."""
    by_file: dict[str, dict[Span, str]] = {}
    for span, text in edits:
        by_file.setdefault(span.file, {})[span] = text
    for name, changes in by_file.items():
        text = sources.files[name].text
        for span in sorted(changes, reverse=True):
            text = text[: span.start] + changes[span] + text[span.end :]
        rewrite(Path(name), text)
        yield Path(name)


# ---- what is shown


def _show(session: Session, path: Path, tried: list[Tried]) -> None:
    for one in tried:
        verdict = "failed" if one.faults else "passed"
        session.echo(f"{verdict}  {1000 * one.seconds:8.1f} ms  {one.kind}  {one.name}")
    passed, seconds = sum(not one.faults for one in tried), sum(one.seconds for one in tried)
    session.echo(f"{path}: {passed} of {len(tried)} passed in {seconds:.1f} s")


def _case(session: Session, path: Path, one: Tried) -> Case:
    """Return what reports say of something that was tried."""
    file = session.sources.get(one.place.file) if one.place is not None else None
    line = file.position(one.place.start)[0] if file is not None and one.place is not None else None
    failure = "\n".join(said(as_object(fault, session.sources)) for fault in one.faults)
    code, name = one.faults[0].code if one.faults else "", file.name if file is not None else str(path)
    return Case(f"{one.kind} {one.name}", name, line, one.seconds, failure, code)
