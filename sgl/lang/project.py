"""Load a grammar and all files that it uses, each file once and after those that it uses.

Every path in a grammar is resolved, including symbolic links, and must stay inside the project directory (the directory
of the main file) or the standard library; sizes are checked before reading.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from errno import EFBIG, ENOENT
from pathlib import Path
from typing import NoReturn, TypeVar

from sgl.cache import cached
from sgl.characters import visible
from sgl.diagnostics import Diagnostic, Diagnostics, Label, Reported, SourceFile, SourceMap, Span, suggest, suggested
from sgl.diagnostics.parts import attempt, there
from sgl.foreign import SOURCE, ForeignFileError, edit_of, read_bytes, text_of
from sgl.lang import MAX_SOURCE, SUFFIXES, TABLE_SUFFIXES, TEMPLATE_SUFFIXES
from sgl.lang.chunks import placed
from sgl.lang.packed import RECORD, Record, main_of, record_of, shown_folder
from sgl.lang.reader import read
from sgl.lang.syntax import File, Module, Name, SyntaxNode, Unread, Use
from sgl.memory import kept, memory
from sgl.resources import bundled_grammars, grammars_dir, stdlib_dir
from sgl.values import dataclass, field, replace

STDLIB = "stdlib"
#: The folder of the standard library with the bundled grammars.
BUNDLED = f"{STDLIB}/grammars"

_Node = TypeVar("_Node", bound=SyntaxNode)

#: The hint for a bundled grammar that was copied without its other files.
_COPY = "to change a grammar that comes with SGL, copy its whole directory, which `sglc grammars --path` shows"

#: Maximum length of a chain of files that use one another.
MAX_CHAIN = 64


@dataclass(frozen=True)
class Unit:
    """A file of the project: its tree, its path, and the files that it uses."""

    file: File
    path: Path
    root: Root
    uses: tuple[tuple[Use, Unit], ...]

    @property
    def is_library(self) -> bool:
        """Whether the file belongs to the standard library or the bundled grammars."""
        return self.root.is_library

    def dotted(self, folder: str = "") -> str:
        """Return the dotted name of the file for ``use``; a file of the project is in ``folder``."""
        folder = self.root.shown if self.is_library else folder
        return ".".join((*Path(folder).parts, *self.path.relative_to(self.root.directory).with_suffix("").parts))


@dataclass(frozen=True)
class Project:
    """All files of a grammar, the main one last, and the declarations that are ``unread``.

    ``record`` says how the main file of a packed grammar was compiled; ``settings`` are those of all packed files.
    """

    units: tuple[Unit, ...]
    sources: SourceMap
    unread: frozenset[Unread] = frozenset()
    settings: Mapping[str, str] = field(default_factory=dict)
    record: Record | None = None

    def may_declare(self, keyword: str, name: str) -> bool:
        """Return whether an unreadable declaration may declare this name, so that its absence need not be reported."""
        return any(Unread(kind, called) in self.unread for kind in (keyword, "") for called in (name, ""))

    def lacks(self, keyword: str) -> bool:
        """Return whether a whole file, or a declaration of this kind, could not be read."""
        return any(entry.keyword == keyword or entry == Unread("", "") for entry in self.unread)

    @property
    def main(self) -> Unit:
        """The main file of the grammar."""
        return self.units[-1]

    def declarations(self, kind: type[_Node]) -> list[_Node]:
        """Return the declarations of a kind in all files, used or not."""
        return [d for unit in self.units for d in unit.file.declarations if isinstance(d, kind)]

    def files(self) -> list[tuple[str, SourceFile]]:
        """Return all files except the lock, with names relative to the main file's directory."""
        root, lock = self.main.root, self.main.path.with_suffix(".lock")
        prefix = f"{root.shown}/" if root.shown else ""
        found = ((name, file) for name, file in self.sources.files.items() if name != root.display(lock))
        return sorted(((name.removeprefix(prefix), file) for name, file in found), key=lambda each: each[0])

    @property
    def _module(self) -> Module | None:
        return next((d for d in self.main.file.declarations if isinstance(d, Module)), None)

    @property
    def name(self) -> str:
        """The name of the grammar: its ``module``, or the name of the main file."""
        return self._module.name.text if self._module else self.main.path.stem

    @property
    def title(self) -> str:
        """The title after ``module``, if any."""
        return self._module.title.text if self._module and self._module.title else ""


def load_project(path: Path, sources: SourceMap, diagnostics: Diagnostics) -> Project | None:
    """Load a grammar; return None if its main file cannot be read at all."""
    project = attempt(_loaded, path, sources, diagnostics)
    if project is None:
        # Nothing may be recorded of a file that is readable in a moment.
        sources.dependencies.missed()
    return project


def _loaded(path: Path, sources: SourceMap, diagnostics: Diagnostics) -> Project:
    try:
        resolved = path.resolve()
    except FileNotFoundError:
        hint = "change to another one, or write the whole path of the file"
        diagnostics.fail("SGL0001", None, f"`{path}` is in the current directory, which has been removed", hint)
    except ValueError:
        diagnostics.fail("SGL0001", None, f"no file can have the name `{visible(str(path))}`")
    except (OSError, RuntimeError):
        diagnostics.fail("SGL0001", None, f"`{path}` is part of a loop of symbolic links")
    parent = shown_folder(path.parent).as_posix()
    # Another directory of this name is not the standard library.
    parent = f"./{parent}" if path.parent.parts[:1] == (STDLIB,) else parent
    loader, folder = _Loader(sources, diagnostics), resolved.parent
    try:
        record = record_of(folder)
    except ForeignFileError as problem:
        sources.dependencies.missed()
        diagnostics.fail("SGL0001", None, str(problem), problem.hint)
    if record is not None:
        sources.dependencies.read(folder / RECORD, record.text.encode(), RECORD)
    else:
        sources.dependencies.lacked(folder / RECORD)
    root = Root(folder, "" if parent == "." else parent, folder if record else None)
    loader.load(resolved, root, None, ())
    unread = frozenset({entry for unit in loader.order for entry in unit.file.unread} | loader.missing)
    settings = {**loader.settings, **(record.parameters if record else {})}
    own = record if record is not None and record.main == resolved.name else None
    return Project(tuple(loader.order), sources, unread, settings, own)


#: The tree of a file, and the diagnostics from reading it.
_Reading = tuple[File, tuple[Diagnostic, ...]]
#: The chain of files that led to a file, each with the place that names it.
_Chain = tuple[tuple[Path, Span | None], ...]


@dataclass
class _Loader:
    sources: SourceMap
    diagnostics: Diagnostics
    loaded: dict[Path, Unit | None] = field(default_factory=dict)
    order: list[Unit] = field(default_factory=list)
    missing: set[Unread] = field(default_factory=set)
    settings: dict[str, str] = field(default_factory=dict)
    #: Library files by content: a packed grammar's copy may equal a file that is already loaded.
    library: dict[tuple[object, ...], Unit] = field(default_factory=dict)

    def load(self, path: Path, root: Root, span: Span | None, chain: _Chain) -> Unit:
        """Return a file with all files that it uses."""
        if any(path == visited for visited, _ in chain):
            self._report_cycle(path, root, span, chain)
        if path in self.loaded:
            return there(self.loaded[path])
        if len(chain) >= MAX_CHAIN:
            self.diagnostics.fail("SGL0105", span, f"files use one another more than {MAX_CHAIN} deep")
        source = read_file(path, root.display(path), span, MAX_SOURCE, self.sources, self.diagnostics, root.packed)
        if source is None:
            self.loaded[path] = None
            raise Reported
        file, uses = self._read(source), []
        for use in (found for found in file.declarations if isinstance(found, Use)):
            try:
                uses.append((use, self.load(*self._target(use, path, root), use.span, (*chain, (path, span)))))
            except Reported:
                # The missing file would have declared the names after `use`, or any name.
                names = [""] if use.names is None else [name.text for name in use.names]
                self.missing.update(Unread("", name) for name in names)
        unit = new = Unit(file, path, root, tuple(uses))
        if root.is_library:
            name = f"{root.shown.removeprefix(root.prefix)}/{path.relative_to(root.directory)}"
            unit = self.library.setdefault((name, source.text, *(id(used) for _, used in uses)), new)
        self.loaded[path] = unit
        self.order += [new] if unit is new else []
        return unit

    def _read(self, source: SourceFile) -> File:
        """Return the tree of a file; while one file is edited, the others are not read again."""

        def compute() -> _Reading:
            found = Diagnostics()
            return read(source, found), found.found

        keeping = memory()
        if keeping is not None:
            source = placed(source, keeping)
            self.sources.add(source)
            known = kept("file", (source,), None, compute)
            self.diagnostics.extend(known[1])
            return known[0]
        text = hashlib.sha256(source.text.encode("utf-8", "backslashreplace")).hexdigest()
        reading: _Reading = cached(tuple, "file", (source.name, text), compute)
        file, told = reading
        self.diagnostics.extend(told)
        return file

    def _target(self, use: Use, path: Path, root: Root) -> tuple[Path, Root]:
        """Return the file that a declaration uses, and its root."""
        parts = [name.text for name in use.path]
        span = use.path[0].span.to(use.path[-1].span)
        if use.path[0].quoted:
            return self._dataset(use.path[0], path, root)
        if parts[0] != STDLIB:
            written = "/".join(parts) + ".sgl"
            located = there(locate(root, path.parent, written, span, self.sources, self.diagnostics))
            shipped = root.library(BUNDLED)
            if not (located.is_file() or edit_of(located)) and (found := shipped.directory / written).is_file():
                self.sources.dependencies.lacked(located)
                return found, shipped
            return located, root
        bundled = "/".join(parts[:2]) == BUNDLED
        library = root.library(BUNDLED if bundled else STDLIB)
        target = library.directory.joinpath(*parts[2 if bundled else 1 :]).with_suffix(".sgl")
        if target.is_file():
            return target, library
        self.sources.dependencies.missed()
        files = () if library.directory.is_symlink() else sorted(library.directory.rglob("*.sgl"))  # may lead anywhere
        paths = [file.relative_to(library.directory).with_suffix("").parts for file in files]
        known = [".".join((*library.shown.split("/"), *names)) for names in paths]
        name = ".".join(parts)
        hint = suggest(name, known, "it has")
        self.diagnostics.fail("SGL0001", span, f"the standard library has no file `{name}`", hint)

    def _dataset(self, written: Name, path: Path, root: Root) -> tuple[Path, Root]:
        """Return the main file of the dataset in a directory, and its root."""
        span, sources = written.span, self.sources
        place = there(confined(root, path.parent, written.text, span, sources, self.diagnostics))
        try:
            main = main_of(place)
            record = record_of(main.parent)
        except ForeignFileError as problem:
            self.diagnostics.fail("SGL0001", span, str(problem), problem.hint)
        if main == place or record is None:
            sources.dependencies.missed()
            hint = "write the directory of a dataset, or the name of a grammar file without quotes and `.sgl`"
            self.diagnostics.fail("SGL0001", span, f"`{written.text}` is not a dataset with its grammar", hint)
        shown = root.display(main.parent)
        sources.add(SourceFile(f"{shown}/{RECORD}", record.text))
        sources.dependencies.read(main.parent / RECORD, record.text.encode(), f"{shown}/{RECORD}")
        self.settings |= record.parameters
        return main, Root(main.parent, shown, main.parent, f"{shown}/")

    def _report_cycle(self, path: Path, root: Root, span: Span | None, chain: _Chain) -> NoReturn:
        start = next(i for i, (visited, _) in enumerate(chain) if visited == path)
        paths = [p for p, _ in chain[start:]]
        names = [root.display(p) if p.is_relative_to(root.directory) else p.name for p in paths]
        message = "files use each other in a circle: " + " → ".join([*names, names[0]])
        labels = [Label(s, "used from here") for _, s in chain[start + 1 :] if s is not None]
        self.diagnostics.fail("SGL0004", span, message, "move what both need into a third file", labels=labels)


@dataclass(frozen=True)
class Root:
    """A directory from which files may be read, and the names of its files.

    A ``packed`` grammar has its own standard library, whose file names have a ``prefix``.
    """

    directory: Path
    shown: str
    packed: Path | None = None
    prefix: str = ""
    is_library: bool = False

    def display(self, path: Path) -> str:
        """Return the name in diagnostics of a file below this root."""
        relative = path.relative_to(self.directory).as_posix()
        return f"{self.shown}/{relative}" if self.shown else relative

    def library(self, name: str) -> Root:
        """Return the root of the standard library, or of its grammars, for the files of this root."""
        shipped = grammars_dir if name == BUNDLED else stdlib_dir
        directory = shipped().resolve() if self.packed is None else self.packed / name
        return replace(self, directory=directory, shown=f"{self.prefix}{name}", is_library=True)


def confined(
    root: Root, base: Path, written: str, span: Span | None, sources: SourceMap, diagnostics: Diagnostics
) -> Path | None:
    """Return the path ``written``, relative to ``base``, if it is below a root; report a failure and return None."""
    try:
        candidate = (base / written).resolve()
    except (OSError, RuntimeError, ValueError):
        # Circular links, or a character that no file name can have.
        sources.dependencies.missed()
        diagnostics.error("SGL0001", span, f"`{written}` cannot be the name of a file")
        return None
    sources.dependencies.followed(base / written, candidate)
    if not candidate.is_relative_to(root.directory):
        hint = "move the file into the project and name it from there"
        notes = ("a grammar reads only files in the directory of its main file or below",)
        diagnostics.error("SGL0005", span, f"`{written}` is outside the project directory", hint, notes=notes)
        return None
    return candidate


def locate(
    root: Root, base: Path, written: str, span: Span | None, sources: SourceMap, diagnostics: Diagnostics
) -> Path | None:
    """Return the file with the path ``written``, relative to ``base``; report a failure and return None."""
    candidate = confined(root, base, written, span, sources, diagnostics)
    if candidate is None:
        return None
    if candidate.suffix.lower() not in SUFFIXES:
        tables, templates = (
            " or ".join(f"`{suffix}`" for suffix in one) for one in (TABLE_SUFFIXES, TEMPLATE_SUFFIXES)
        )
        notes = (f"a grammar reads tables that end in {tables}, and templates that end in {templates}",)
        hint = f"write the whole name, as in `{written}{TABLE_SUFFIXES[0]}`, or rename the file"
        diagnostics.error("SGL0001", span, f"`{written}` is not the name of a table or template", hint, notes=notes)
        return None
    return candidate


def read_file(
    path: Path,
    shown: str,
    span: Span | None,
    limit: int,
    sources: SourceMap,
    diagnostics: Diagnostics,
    inside: Path | None = None,
) -> SourceFile | None:
    """Return a file as text with plain line ends; report a failure, or a link out of ``inside``, and return None."""
    try:
        content = read_bytes(path, replace(SOURCE, limit=limit), inside=inside)
    except OSError as problem:
        sources.dependencies.missed()
        missing, large = problem.errno == ENOENT, problem.errno == EFBIG
        message = f"the file `{shown}` " + ("does not exist" if missing else f"cannot be read: {problem.strerror}")
        hint = _instead_of(path) if missing else "split it into several files" if large else ""
        diagnostics.error("SGL0003" if large else "SGL0001", span, message, hint)
        return None
    sources.dependencies.read(path, content, shown)
    return source_of(content, shown, span, sources, diagnostics)


def source_of(
    content: bytes, shown: str, span: Span | None, sources: SourceMap, diagnostics: Diagnostics
) -> SourceFile | None:
    """Return file content as text with plain line ends; report a failure and return None."""
    try:
        text = text_of(content, Path(shown))
        if "\0" in text:
            raise ForeignFileError(Path(shown), "it has a zero byte", hint="name a text file, saved as UTF-8")
    except ForeignFileError as problem:
        message = f"the file `{shown}` is not a text: {problem.strerror}"
        diagnostics.error("SGL0002", span, message, problem.hint)
        return None
    return sources.add(SourceFile(shown, text.replace("\r\n", "\n").replace("\r", "\n")))


def _instead_of(path: Path) -> str:
    """Return the hint for a missing file: a file with a similar name, or where the files of SGL are."""
    if any(path.parts[-2:] == bundled.parts[-2:] for bundled in grammars_dir().rglob("*.*")):
        return f"{_COPY}; `use` needs no copy"
    siblings = path.parent.iterdir() if path.parent.is_dir() else ()
    suffix = path.suffix or ".sgl"
    near = suggested(path.stem, [p.stem for p in siblings if p.name.endswith(suffix)])
    if near is not None:
        return f"did you mean `{near}{suffix}`?"
    listed = "" if path.suffix else "`sglc grammars` lists the grammars that come with SGL"
    return suggest(path.name, bundled_grammars()) or listed


def library_file(keywords: Collection[str], name: str) -> str:
    """Return the dotted name of the standard-library file that declares a name, or an empty text."""
    declared, library = re.compile(rf"^(?:{'|'.join(keywords)})[ \t]+{re.escape(name)}\b", re.MULTILINE), stdlib_dir()
    files = (path for path in sorted(library.rglob("*.sgl")) if declared.search(path.read_text("utf-8")))
    found = next(files, None)
    return ".".join((STDLIB, *found.relative_to(library).with_suffix("").parts)) if found is not None else ""
