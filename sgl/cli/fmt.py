"""``sglc fmt``: lay out grammars in the one style that they have."""

import difflib
from pathlib import Path

import click

from sgl.cli.files import FILE, STREAM, rewrite, stream_bytes
from sgl.cli.main import FAILED
from sgl.cli.session import Session, session_options
from sgl.cli.terminal import count
from sgl.diagnostics import SourceFile
from sgl.foreign import SOURCE, read_bytes, text_of
from sgl.lang import MAX_SOURCE
from sgl.lang.layout import layout
from sgl.lang.project import read_file, source_of
from sgl.lang.reader import read


@click.command("fmt")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE…")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Show what would change, and write nothing.")
@session_options
def command(session: Session, files: tuple[Path, ...], check: bool, diff: bool) -> None:
    """Lay out FILE…, in place; `-` reads standard input and writes standard output.

    There is one style and no option for it.  Line breaks and comments stay.  Of a directory all
    `.sgl` files are laid out.  A file that cannot be read as a grammar stays as it is.
    """
    changed = 0
    for path in (inner for file in files for inner in _files(file)):
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
                rewrite(path, after)
                session.echo(f"laid out: {path}")
    if check or diff:
        if check and session.form == "full":
            session.echo(f"{count(changed, 'file')} would change")
        session.stop(FAILED if changed and check else None)


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.sgl")) if path.is_dir() else [path]


def _laid_out(session: Session, path: Path) -> tuple[str, str] | None:
    """Return the text of a file and its layout; None after a report if it is no grammar."""
    errors = session.diagnostics.errors
    if path == STREAM:
        source = _stream(session)
    else:
        shown = path.as_posix()
        source = read_file(path, shown, None, MAX_SOURCE, session.sources, session.diagnostics)
    if source is None:
        return None
    read(source, session.diagnostics)
    if session.diagnostics.errors > errors:
        return None
    # Line ends of other systems are no part of what was read.
    before = source.text if path == STREAM else text_of(read_bytes(path, SOURCE), path)
    return before, layout(source.text)


def _stream(session: Session) -> SourceFile | None:
    """Return what standard input has; None after a report."""
    content, shown = stream_bytes(), "standard input"
    if len(content) > MAX_SOURCE:
        message = f"{shown} has more than the {MAX_SOURCE:,} bytes allowed"
        session.diagnostics.error("SGL0003", None, message)
        return None
    return source_of(content, shown, None, session.sources, session.diagnostics)


def _difference(path: Path, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), str(path), str(path)
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
