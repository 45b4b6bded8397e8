"""Commands that write source files: ``sglc new``, ``sglc fmt`` and ``sglc lock``."""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from sgl import disk
from sgl.cli.files import DIRECTORY, FILE, GRAMMAR, STREAM, replace_text, stream_bytes, why_not
from sgl.cli.main import FAILED, OK
from sgl.cli.session import Session, grammar_argument, grammar_options, session_options
from sgl.cli.terminal import count
from sgl.dataset import staged_directory
from sgl.disk import kind, make, remove, remove_empty, write
from sgl.foreign import SOURCE, read_bytes, text_of
from sgl.lang import DECLARATIONS, MAX_SOURCE
from sgl.lang.layout import layout
from sgl.lang.lock import check_lock, lock_of, lock_text
from sgl.lang.packed import is_packed
from sgl.lang.project import load_project, read_file, source_of
from sgl.lang.reader import read
from sgl.resources import templates

#: The name of the grammar in templates, which the files also have.
_GRAMMAR = "grammar"


class _Beginning(click.Choice[str]):
    """The name of a template, or a grammar."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401 - click decides
        return str(value if value in self.choices else GRAMMAR.convert(value, param, ctx))


@click.command("new")
@click.argument("directory", type=DIRECTORY)
@click.option("--from", "template", type=_Beginning(list(templates())), default="farm", help="Any grammar to copy.")
@click.option("--fresh-words", "seed", type=click.IntRange(0), metavar="SEED", help="Invent new words for it.")
@session_options
def new(session: Session, directory: Path, template: str, seed: int | None) -> None:
    """Make DIRECTORY, with a small grammar, its tables, tests, and a README that says what to do next.

    The files of a copied grammar are in `grammar`.  --fresh-words replaces its nouns, verbs, adjectives and adverbs
    by invented words, which are different for each SEED, and changes nothing else.
    """
    if kind(directory) is not None and not (kind(directory) == disk.DIRECTORY and not any(directory.iterdir())):
        message = f"cannot create `{directory}`: it already exists, and is not empty"
        session.fail("SGL1103", message, hint="name another directory")
    if seed is not None or template not in templates():
        folder = templates().get(template)
        _copy(session, directory, Path(template) if folder is None else folder / f"{_GRAMMAR}.sgl", seed)
        return
    name = re.sub(r"[^a-z0-9]+", "_", directory.resolve().name.lower()).strip("_")
    if not name[:1].isalpha() or name in DECLARATIONS:
        name = _GRAMMAR
    own = re.compile(rf"\b{_GRAMMAR}(?=\.s)|(?<=^module ){_GRAMMAR}\b", re.MULTILINE)
    files = {
        directory / re.sub(rf"^{_GRAMMAR}\.", f"{name}.", file.name): own.sub(name, file.read_text("utf-8"))
        for file in sorted(templates()[template].iterdir())
    }
    there, written = kind(directory) is not None, list[Path]()
    try:
        make(directory)
        for path, text in files.items():
            write(path, text)
            written.append(path)
    except OSError as problem:
        _take_back(written)
        if not there:
            remove_empty(directory)
        session.fail("SGL1103", why_not(directory, problem))
    session.echo(f"created {directory} with {name}.sgl; README.md says what to do next")


def _copy(session: Session, directory: Path, path: Path, seed: int | None) -> None:
    """Write a grammar into a directory, perhaps with fresh words of a seed."""
    from sgl.morphology.fresh import write_fresh

    project = load_project(path, session.sources, session.diagnostics)
    with staged_directory(directory) as stage:
        if project is None or not write_fresh(stage, project, seed, session.diagnostics):
            session.stop(FAILED)
    session.echo(f"created {directory}; to make its dataset, run `sglc compile {directory}`")


def _take_back(written: Iterable[Path]) -> None:
    """Remove the files of a new project that were written before the disk was full, and nothing else."""
    with suppress(OSError):
        for path in written:
            remove(path)


@click.command("fmt")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE…")
@click.option("--check", is_flag=True, help="Exit with 1 if a file would change; write nothing.")
@click.option("--diff", is_flag=True, help="Show the changes; write nothing.")
@session_options
def fmt(session: Session, files: tuple[Path, ...], check: bool, diff: bool) -> None:
    """Format FILE… in place; `-` reads standard input and writes standard output.

    There is only one style.  Line breaks and comments are kept.  For a directory, all `.sgl` files
    except those of datasets are formatted.  A file that is not a grammar is left unchanged.
    """
    changed = 0
    for path in _found(files):
        texts = _laid_out(session, path)
        if texts is None:
            continue
        before, after = texts
        if path == STREAM and not check and not diff:
            session.echo(after, end="")
        elif after != before:
            changed += 1
            if diff:
                session.echo(_difference(path, before, after), end="")
            elif check:
                session.echo(f"would change: {path}")
            else:
                _rewrite(session, path, after)
    if check or diff:
        if check and session.form == "full":
            session.echo(f"{count(changed, 'file')} would change")
        session.stop(FAILED if changed and check else OK)


def _found(files: Sequence[Path]) -> Iterator[Path]:
    """Yield files, and the grammars of directories except those that datasets contain."""
    for path in files:
        inside = sorted(path.rglob("*.sgl")) if path.is_dir() else [path]
        yield from (file for file in inside if file in files or not is_packed(file))


def _rewrite(session: Session, path: Path, text: str) -> None:
    """Write a formatted file; report a failure and go on."""
    try:
        replace_text(path, text)
    except OSError as problem:
        session.diagnostics.error("SGL1103", None, why_not(path, problem))
    else:
        session.echo(f"formatted: {path}")


def _laid_out(session: Session, path: Path) -> tuple[str, str] | None:
    """Return the text of a file and its layout; report a file that is no grammar and return None."""
    errors, sources, diagnostics = session.diagnostics.errors, session.sources, session.diagnostics
    if path != STREAM:
        source = read_file(path, path.as_posix(), None, MAX_SOURCE, sources, diagnostics)
    else:
        content, shown = stream_bytes(), "standard input"
        if len(content) > MAX_SOURCE:
            diagnostics.error("SGL0003", None, f"{shown} has more than the {MAX_SOURCE:,} bytes allowed")
            return None
        source = source_of(content, shown, None, sources, diagnostics)
    if source is None:
        return None
    read(source, diagnostics)
    if diagnostics.errors > errors:
        return None
    # Reading normalizes the line ends of other systems, so compare with the original text.
    before = source.text if path == STREAM else text_of(read_bytes(path, SOURCE), path)
    return before, layout(source.text)


def _difference(path: Path, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), str(path), str(path)
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


@click.command("lock")
@grammar_argument
@click.option("--update", is_flag=True, help="Record the current files.")
@grammar_options
def lock(session: Session, grammar: Path, update: bool) -> None:
    """Record the hashes of all files that GRAMMAR uses in a `.lock` file.

    As long as it exists, every command refuses the grammar if its tables or modules have changed.
    """
    from sgl.frontend import compile_project

    project = load_project(grammar, session.sources, session.diagnostics)
    if project is None or compile_project(project, session.settings, session.diagnostics) is None:
        session.stop()
    path, text = lock_of(grammar), lock_text(project)
    if not update:
        check_lock(project, session.diagnostics)
        session.stop_on_errors()
    if update or not path.exists():
        replace_text(path, text)
    session.echo(f"{path}: {count(text.count(chr(10)) - 1, 'file')}")
