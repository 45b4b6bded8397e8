"""The session of a command: everything between its options and its exit code.

A command is options plus a function whose first parameter is its :class:`Session`.  A method of the session ends the
command when it cannot go on: :meth:`Session.fail` with a diagnostic, :meth:`Session.refuse` for a bad command line.
Exceptions caused by a user's mistake become diagnostics only here; see :mod:`sgl.cli.failures`.

``--deny``, ``--warn`` and ``--allow`` set the level of a warning.  A comment that allows a warning in one declaration
overrides them.  Errors stay errors.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, redirect_stdout
from functools import partial, wraps
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import click

from sgl import foreign
from sgl.cache import current, open_cache, using
from sgl.cli import again, terminal
from sgl.cli.files import GRAMMAR, STREAM, Results
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, StreamError
from sgl.cli.options import limit_option, no_cache_option, set_option
from sgl.cli.terminal import count, json_text, talk, talk_options
from sgl.diagnostics import CODES, Diagnostic, Diagnostics, Severity, SourceMap, Span, one_of, suggest
from sgl.diagnostics.render import DOCUMENTS, as_object, github, render, render_concise
from sgl.lang.allowed import AllowedWarnings
from sgl.memory import memory
from sgl.values import dataclass, field, replace

if TYPE_CHECKING:
    from rich.table import Table

    from sgl.frontend import Compiled

_Command = Callable[..., Any]

#: Maximum number of messages shown; `--format json` has all of them.
_MESSAGES = 1_000

#: Errors about files: a command with one of them exits with ``OUTPUT`` instead of ``FAILED``.
_FILE_CODES = frozenset({"SGL0901", "SGL1102", "SGL1103", "SGL1301"})

#: Exceptions that end a command deliberately.
_ENDS = (click.ClickException, click.Abort, click.exceptions.Exit, StreamError)

#: Key of the levels in the context, and the key among them for all codes without a level of their own.
_LEVELS, _ALL = "sgl.levels", "all"


class StopError(Exception):
    """The command ends here with a status; all messages have been shown."""


@dataclass(frozen=True)
class Judge:
    """Decide the severity of diagnostics from the levels of codes and the comments in files."""

    levels: Mapping[str, str]
    allowed: AllowedWarnings

    def __call__(self, found: Diagnostic) -> Diagnostic | None:
        """Return the diagnostic with its final severity, or None if it is allowed."""
        level = self.levels.get(found.code, "")
        if found.severity is Severity.ERROR:
            note = f"`--{level} {found.code}` has no effect: this is an error"
            return replace(found, notes=(*found.notes, note)) if level in ("warn", "allow") else found
        level = level or self.levels.get(_ALL, "")
        if self.allowed(found) or level == "allow":
            return None
        return replace(found, severity=Severity.ERROR) if level == "deny" else found


@dataclass(kw_only=True, eq=False)
class Session:
    """One run of a command, a context manager; its ``status`` is the exit code at the end."""

    settings: Mapping[str, str] = field(default_factory=dict)
    form: str = "full"
    color: str = "auto"
    keep: bool = True
    bounds: Mapping[str, int] = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)
    free: bool = False

    #: The last session, with the work that it kept: to free it when the command ends would only take time.
    last: ClassVar[Session | None] = None

    def __post_init__(self) -> None:
        self.sources = SourceMap()
        self.allowed = AllowedWarnings(self.sources)
        self.diagnostics = Diagnostics(Judge(self.levels, self.allowed))
        self.compiled: Compiled | None = None
        self.status, self.reported, self.results = OK, "", Results()
        on_terminal = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
        self._color = self.color == "always" or (self.color == "auto" and on_terminal)
        self._stdout, self._line, self._resources = sys.stdout, terminal.Progress(), ExitStack()
        self._shown, self._uncounted = dict[Diagnostic, None](), Diagnostics()

    def __enter__(self) -> Session:
        """Enable the cache, and reserve standard output for JSON where a program parses it.

        The list of messages is written at the end, even if it is empty, and also if the command crashes.
        """
        from sgl.accel import announcing

        enter = self._resources.enter_context
        if self.quiet or self.free:
            enter(redirect_stdout(sys.stderr))
        enter(foreign.remembering())
        enter(announcing(lambda: self.progress("compiling machine code (once)")))
        # Cache entries do not record the limits under which they were computed.
        enter(using(current() or open_cache() if self.keep and not self.bounds else None))
        enter(foreign.limited(self.bounds))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Report the exception that ended the command, and write pending messages."""
        handled = problem is None
        if isinstance(problem, StopError):
            handled, (self.status,) = True, problem.args
        elif isinstance(problem, Exception):
            from sgl.cli.failures import failure_of

            if failure := failure_of(problem, self.compiled):
                handled, self.status = True, failure[1]
                self.diagnostics.add(failure[0])
        self._line.clear()
        if handled:
            self.show()
            codes = {d.code for d in self.diagnostics if d.severity is Severity.ERROR}
            of_errors = OUTPUT if codes & _FILE_CODES else FAILED
            self.status = self.status or (of_errors if codes else OK)
        Session.last, self._kept = self, memory()
        self._resources.close()
        if self.quiet:
            if isinstance(problem, Exception) and not (handled or isinstance(problem, _ENDS)):
                message = f"{type(problem).__name__}: {problem}"
                self._shown[Diagnostic("SGL0999", Severity.ERROR, None, message)] = None
            objects = [as_object(diagnostic, self.sources) for diagnostic in self._shown]
            unique = {repr(entry): entry for entry in objects}.values()
            click.echo(DOCUMENTS[self.form](list(unique)), nl=False)
        return handled

    def open(self, path: Path, *, opinions: bool = False) -> Compiled:
        """Return the compiled grammar of a file, with warnings if ``opinions``; end the command if it has errors."""
        from sgl.pipeline.grammar import open_grammar

        self.compiled = open_grammar(path, self.settings, self.sources, told := Diagnostics(), fast=not opinions)
        self.diagnostics.extend(told if opinions or told.errors else ())
        if self.compiled is None or self.diagnostics.errors:
            self.stop()
        self.show()
        self.check_results()
        return self.compiled

    def open_dataset(self, path: Path) -> Compiled:
        """Return the compiled grammar of a file; end the command if it declares no dataset."""
        compiled = self.open(path, opinions=True)
        if not compiled.has_dataset:
            hint = "add `dataset` with `from` and a category, and the sizes of the splits"
            message = "this command needs a dataset, and the grammar declares none"
            self.fail("SGL0804", message, compiled.dataset_span, hint=hint)
        return compiled

    @property
    def quiet(self) -> bool:
        """Whether the user wants only messages in a machine-readable format."""
        return self.form in DOCUMENTS

    def progress(self, what: str, done: int = 0, total: int = 1) -> None:
        """Show progress on a terminal; any other output clears the line first."""
        self._line(what, done, total)

    def proving(self, name: str) -> None:
        """Show on a terminal which claim is being proved."""
        self._line(f"proving {name}", 0, 1)

    def echo(self, text: str = "", *, end: str = "\n", err: bool = False) -> None:
        """Write a text to standard output or standard error."""
        self._line.clear()
        terminal.say(text, end=end, err=err)

    def json(self, data: object, *, sort: bool = False) -> None:
        """Write plain data to standard output as JSON."""
        self.echo(json_text(data, sort=sort), end="")

    def table(self, table: Table) -> None:
        """Write a table to standard output."""
        self._line.clear()
        terminal.print_table(table)

    def present(self, template: str, package: str = "sgl.cli", **given: object) -> None:
        """Fill a template of a package and write it; in it ``table`` prints a :func:`text_table`."""
        given = {"table": lambda *rows, **looks: self.table(terminal.text_table(*rows, **looks))} | given
        for part in terminal.text_environment(package).get_template(template).generate(given):
            self.echo(part, end="")

    def show(self, *, more: bool = False) -> None:
        """Write new diagnostics, and their number unless ``more`` will come; JSON is written only at the end."""
        new, fresh = Diagnostics(), [found for found in self.diagnostics if found not in self._shown]
        self._shown.update(dict.fromkeys(fresh))
        new.extend(found for found in fresh if talk() != "quiet" or found.severity is Severity.ERROR)
        self._line.clear()
        if self.quiet:
            return
        said: list[str] = []
        for diagnostic in islice(new, _MESSAGES):
            text = render_concise(diagnostic, self.sources)
            if self.form == "full":
                text = render(diagnostic, self.sources, color=self._color) + "\n"
            elif self.form == "github":
                text = github(as_object(diagnostic, self.sources))
            said.append(f"{text}\n")
        self._uncounted.extend(new)
        if not more and (told_of := self._uncounted).found:
            self._uncounted = Diagnostics()
            most = f"; only {_MESSAGES:,} are shown, `--format json` lists all" * (len(told_of.found) > _MESSAGES)
            said.append(f"{count(told_of.errors, 'error')}, {count(told_of.warnings, 'warning')}{most}\n")
        self.reported += "".join(said)
        click.echo("".join(said), nl=False, err=True, color=self._color)

    def tell(self, diagnostics: Iterable[Diagnostic], sources: SourceMap) -> None:
        """Write diagnostics of other texts, even repeated ones; they do not affect the exit code."""
        self.sources, self.diagnostics, self._shown = sources, Diagnostics(self.diagnostics.judge), {}
        self.diagnostics.extend(diagnostics)
        self.show()
        self.diagnostics = Diagnostics(self.diagnostics.judge)

    def stop(self, status: int = OK) -> NoReturn:
        """End the command; with ``OK``, reported errors determine the exit code."""
        raise StopError(status)

    def stop_on_errors(self) -> None:
        """End the command if an error was reported."""
        if self.diagnostics.errors:
            self.stop()

    def fail(
        self,
        code: str,
        message: str,
        place: Span | None = None,
        *,
        notes: Iterable[str] = (),
        hint: str = "",
        status: int = OK,
    ) -> NoReturn:
        """Report an error and end the command."""
        self.diagnostics.error(code, place, message, notes=notes, hint=hint)
        self.stop(status)

    def refuse(self, message: str, status: int = USAGE) -> NoReturn:
        """Report a mistake in the command line, and end the command."""
        self.echo(f"error: {message}", err=True)
        self.stop(status)

    def check_names(self, names: Iterable[str | None], known: Sequence[str], what: str) -> None:
        """End the command if a given name is not among the ``known`` ones; None is ignored."""
        for name in names:
            if name is not None and name not in known:
                self.refuse(f"there is no {what} `{name}`; {one_of(name, known)}")

    def check_results(self) -> None:
        """End the command, before any computation, if a requested result may not be written."""
        for path in self.results.asked:
            if fault := self.results.write(path):
                self.fail("SGL1103", fault[0], hint=fault[1])

    def write(self, path: Path, content: str) -> bool:
        """Write a file, completely or not at all; report a failure and return False."""
        if path == STREAM:
            click.echo(content, file=self._stdout, nl=False)
            return True
        if fault := self.results.write(path, content):
            self.diagnostics.error("SGL1103", None, fault[0], hint=fault[1])
        return fault is None

    def deliver(self, text: str, out: Path | None) -> bool:
        """Write a text to a file or to standard output; report a failure and return False."""
        if out is not None:
            return self.write(out, text)
        self.echo(text, end="")
        return True


grammar_argument = click.argument("grammar", type=GRAMMAR)


def _note_levels(context: click.Context, parameter: click.Parameter, codes: tuple[str, ...]) -> None:
    """Record the level of each code; a code has only one."""
    levels: dict[str, str] = context.meta.setdefault(_LEVELS, {})
    level = parameter.name or ""
    for code in codes:
        name = code.lower() if code.lower() == _ALL else code.upper()
        if name != _ALL and name not in CODES:
            hint = suggest(name, CODES) or "`sglc explain` lists all"
            raise click.BadParameter(f"there is no code `{code}`; {hint}", context, parameter)
        if levels.setdefault(name, level) != level:
            raise click.BadParameter(f"`--{levels[name]} {name}` says otherwise", context, parameter)


def level_options(command: _Command) -> _Command:
    """Add ``--deny``, ``--warn`` and ``--allow`` to a command with a session."""
    each: dict[str, Any] = {"multiple": True, "metavar": "CODE", "callback": _note_levels, "expose_value": False}
    command = click.option("--allow", help="Suppress the warning CODE, or `all` (repeatable).", **each)(command)
    command = click.option("--warn", help="Keep CODE a warning despite `--deny all` (repeatable).", **each)(command)
    return click.option("--deny", help="Treat the warning CODE, or `all`, as an error (repeatable).", **each)(command)


def session_options(command: _Command) -> _Command:
    """Add ``--format``, ``--color``, ``--limit``, ``-q`` and ``-v``, and give the command its session."""

    @talk_options
    @limit_option
    @click.option(
        "--format",
        "form",
        type=click.Choice(("full", "concise", "github", *DOCUMENTS)),
        default="full",
        help="The format of diagnostics.",
    )
    @click.option(
        "--color",
        type=click.Choice(("auto", "always", "never")),
        default="auto",
        help="Colour messages; NO_COLOR switches colours off.",
    )
    @wraps(command)
    def in_session(
        form: str,
        color: str,
        bounds: Mapping[str, int],
        settings: Mapping[str, str] | None = None,
        no_cache: bool = True,
        **others: Any,  # noqa: ANN401 - click decides
    ) -> int:
        free = others.get("json_file") == STREAM
        if form == "json" and (free or others.get("as_json")):
            raise click.UsageError("`--json` writes the result, `--format json` the messages: choose one")
        context = click.get_current_context()
        levels, keep = context.meta.get(_LEVELS, {}), not no_cache
        with Session(
            settings=settings or {}, form=form, color=color, keep=keep, bounds=bounds, levels=levels, free=free
        ) as session:
            session.results.expect(context)
            session.check_results()
            again.listen(context, session, partial(command, session, **others))
        return session.status

    return in_session


def grammar_options(command: _Command) -> _Command:
    """Add the options of commands that open grammars: ``--set``, ``--no-cache`` and the session's own."""
    return set_option(no_cache_option(session_options(command)))
