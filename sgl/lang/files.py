"""Read an author's files, and nothing else.

Every path an author can write is resolved and must stay inside the project
directory (the one that holds the main file) or the standard library, symbolic
links included; sizes are bounded before anything is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sgl.diagnostics import Diagnostics, SourceFile, SourceMap, Span, suggested
from sgl.lang.limits import MAX_SOURCE, MAX_TABLE

__all__ = ["MAX_SOURCE", "MAX_TABLE", "Root", "locate", "read_file"]


@dataclass(frozen=True, slots=True)
class Root:
    """A directory that files may be read from, and how its files are called."""

    directory: Path
    shown: str

    def display(self, path: Path) -> str:
        """The name of a file below this root, as diagnostics show it."""
        relative = path.relative_to(self.directory).as_posix()
        return f"{self.shown}/{relative}" if self.shown else relative


def locate(
    root: Root,
    base: Path,
    written: str,
    span: Span | None,
    sources: SourceMap,
    diagnostics: Diagnostics,
) -> Path | None:
    """The file that ``written`` means, seen from ``base``; None after a report."""
    try:
        candidate = (base / written).resolve()
    except (OSError, RuntimeError, ValueError):
        # Links in a circle, or a character that no file name can have.
        sources.dependencies.missed()
        diagnostics.error("SGL0001", span, f"`{written}` cannot be the name of a file")
        return None
    sources.dependencies.followed(base / written, candidate)
    if not candidate.is_relative_to(root.directory):
        diagnostics.error(
            "SGL0005",
            span,
            f"`{written}` lies outside the project directory",
            notes=("a grammar reads only files in the directory of its main file or below",),
            hint="move the file into the project and name it from there",
        )
        return None
    return candidate


def read_file(
    path: Path,
    shown: str,
    span: Span | None,
    limit: int,
    sources: SourceMap,
    diagnostics: Diagnostics,
) -> SourceFile | None:
    """A file as a text with plain line ends; None after a report."""
    text = _read_text(path, shown, span, limit, sources, diagnostics)
    if text is not None and "\0" in text:
        diagnostics.error(
            "SGL0002",
            span,
            f"the file `{shown}` is not a text (it has a zero byte)",
            hint="name a text file, saved as UTF-8",
        )
        return None
    if text is None:
        return None
    return sources.add(SourceFile(shown, text.replace("\r\n", "\n").replace("\r", "\n")))


def _read_text(
    path: Path,
    shown: str,
    span: Span | None,
    limit: int,
    sources: SourceMap,
    diagnostics: Diagnostics,
) -> str | None:
    content = _read_bytes(path, shown, span, limit, diagnostics)
    if content is None:
        sources.dependencies.missed()
        return None
    sources.dependencies.read(path, content)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        diagnostics.error(
            "SGL0002",
            span,
            f"the file `{shown}` is not UTF-8 (byte {problem.start:,})",
            hint="save it as UTF-8",
        )
    return None


def _read_bytes(
    path: Path, shown: str, span: Span | None, limit: int, diagnostics: Diagnostics
) -> bytes | None:
    try:
        if not path.is_file():
            _report_no_file(path, shown, span, diagnostics)
            return None
        size = path.stat().st_size
        if size > limit:
            diagnostics.error(
                "SGL0003",
                span,
                f"the file `{shown}` has {size:,} bytes, more than the {limit:,} allowed",
                hint="split it into several files",
            )
            return None
        return path.read_bytes()
    except OSError as problem:
        reason = problem.strerror or "it cannot be opened"
        diagnostics.error("SGL0001", span, f"the file `{shown}` cannot be read: {reason}")
    return None


def _report_no_file(path: Path, shown: str, span: Span | None, diagnostics: Diagnostics) -> None:
    if path.is_dir():
        diagnostics.error("SGL0001", span, f"`{shown}` is a directory, not a file")
        return
    if path.exists():
        diagnostics.error("SGL0001", span, f"`{shown}` is not a file but a device or a pipe")
        return
    siblings = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
    near = suggested(
        path.stem, (Path(name).stem for name in siblings if name.endswith(path.suffix))
    )
    hint = f"did you mean `{near}{path.suffix}`?" if near is not None else ""
    diagnostics.error("SGL0001", span, f"the file `{shown}` is not there", hint=hint)
