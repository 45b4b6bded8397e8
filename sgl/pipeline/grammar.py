"""Open a grammar: read and compile it, or take it from the cache.

The files of a grammar are known only after reading it, so a cache lookup takes two steps.  The *request* is known at
once: the main file with its content, and the settings.  For it the cache stores the file system's answers when the
grammar was last read (:class:`~sgl.diagnostics.FileDependencies`).  If they are still the same, request and answers
together are the *origin*, the cache key of everything computed from the grammar.

The output of ``sglc check`` has an entry of its own, so that repeating it loads nothing else.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from sgl.cache import current, recall, retain
from sgl.diagnostics import Diagnostic, Diagnostics, EditedFile, FileDependencies, SourceMap
from sgl.foreign import SOURCE, ForeignFileError, granted, read_bytes, read_text
from sgl.lang import MAX_SOURCE
from sgl.memory import memory
from sgl.resources import stdlib_dir
from sgl.values import dataclass, replace

if TYPE_CHECKING:
    from sgl.frontend import Compiled

_Value = TypeVar("_Value")


class GrammarSize(NamedTuple):
    """The numbers of declarations of a grammar, and of proved patterns if they were checked."""

    name: str
    categories: int
    rules: int
    words: int
    patterns: int
    tests: int
    proved: int | None = None
    without_items: int = 0


@dataclass(frozen=True)
class _Outcome(Generic[_Value]):
    """The result of reading a grammar, None if it has errors, with its diagnostics and its files.

    ``opinions`` are lint warnings, None if nobody requested them.
    """

    value: _Value | None
    diagnostics: tuple[Diagnostic, ...]
    sources: SourceMap
    opinions: tuple[Diagnostic, ...] | None = None

    @property
    def said(self) -> tuple[Diagnostic, ...]:
        return (*self.diagnostics, *(self.opinions or ()))

    def tell(self, sources: SourceMap, diagnostics: Diagnostics) -> _Value | None:
        sources.files.update(self.sources.files)
        # Another grammar may have the same files with other places.
        diagnostics.extend(map(sources.told, self.said))
        return self.value


def open_grammar(
    path: Path, settings: Mapping[str, str], sources: SourceMap, diagnostics: Diagnostics, *, fast: bool = False
) -> Compiled | None:
    """Return the compiled grammar, or None if there are errors; with ``fast`` without opinions."""
    opened, _ = _open(path, settings, fast=fast)
    compiled = opened.tell(sources, diagnostics)
    # Files read later, such as a table of morphology, must be known on both sides.
    opened.sources.files = sources.files
    return compiled


def check_grammar(
    path: Path,
    settings: Mapping[str, str],
    sources: SourceMap,
    diagnostics: Diagnostics,
    *,
    fast: bool = False,
    progress: Callable[[str], None] | None = None,
    first: Callable[[], None] = lambda: None,
) -> GrammarSize | None:
    """Check a grammar, its examples and, unless ``fast``, its claims; return its size, or None if it does not compile.

    ``first`` is called after the diagnostics of reading and before the claims.
    """
    request = _request_of(path, settings)
    kind = "checked" if fast else "proved"
    known = _known_check(kind, request)
    if known is None:
        opened, _ = _open(path, settings, fast=fast)
        opened.tell(sources, diagnostics)
        first()
        known = _check(opened, fast, progress)
        _keep_check(kind, request, known)
    return known.tell(sources, diagnostics)


def _known_check(kind: str, request: tuple[str, ...]) -> _Outcome[GrammarSize] | None:
    """Return the cached result of a check for these files, or for files that differ only in comments, or None."""
    cache, origin = current(), _known_origin(request)
    if cache is None or not request:
        return None
    known = cache.get(_Outcome, kind, origin) if origin else None
    if known is not None:
        return known
    last = cache.get(str, "last", kind, *_without_text(request))
    known = cache.get(_Outcome, kind, last) if last is not None else None
    known = _commented(known) if known is not None else None
    if known is not None:
        cache.put_off(known.sources.dependencies, "looks", *request)
        _keep_check(kind, request, known)
    return known


def _keep_check(kind: str, request: tuple[str, ...], said: _Outcome[GrammarSize]) -> None:
    cache, answers = current(), said.sources.dependencies
    if cache is not None and request and answers.complete:
        origin = _origin(request, answers)
        cache.put_off(said, kind, origin)
        cache.put_off(origin, "last", kind, *_without_text(request))


def _commented(known: _Outcome[GrammarSize]) -> _Outcome[GrammarSize] | None:
    """Return an outcome for files that differ from its own only in comments; None if more differs or a lock exists."""
    from sgl.lang.chunks import commented
    from sgl.lang.project import read_file

    answers, found = known.sources.dependencies, SourceMap(dict(known.sources.files))
    found.dependencies = replace(answers, contents=dict(answers.contents))
    if any(name.endswith(".lock") for name in answers.names.values()):
        return None
    for path in answers.changed() or ():
        name = answers.names[str(path)]
        before, read = found.files.get(name), SourceMap()
        now = read_file(path, name, None, MAX_SOURCE, read, Diagnostics())
        edited = commented(before, now.text) if isinstance(before, EditedFile) and now is not None else None
        if edited is None:
            return None
        found.add(edited)
        found.dependencies.contents |= read.dependencies.contents
    return replace(known, sources=found) if found.dependencies.hold() else None


def _without_text(request: tuple[str, ...]) -> tuple[str, ...]:
    """Return the request without the content of the main file."""
    return (*request[:2], *request[3:])


def _open(path: Path, settings: Mapping[str, str], *, fast: bool = False) -> tuple[_Outcome[Compiled], str]:
    """Return the outcome of reading a grammar, with opinions unless ``fast``, and its origin."""
    request = _request_of(path, settings)
    cache, origin = current(), _known_origin(request)
    known = cache.get(_Outcome, "grammar", origin) if cache is not None and origin else None
    if known is not None and (fast or known.opinions is not None):
        return replace(known, opinions=None) if fast else known, origin
    if request:
        # An edited version of the same grammar reuses what was kept of it.
        recall(*_without_text(request))
    opened = _compiled(path, settings, fast)
    retain()
    compiled, answers, origin = opened.value, opened.sources.dependencies, ""
    # Incomplete answers cannot identify the grammar.
    if cache is not None and request and answers.complete:
        cache.put_off(answers, "looks", *request)
        origin = _origin(request, answers)
    if compiled is not None:
        compiled.with_origin(origin)
    if cache is not None and origin and ((keeper := memory()) is None or keeper.worth):
        cache.put(opened, "grammar", origin)
    return opened, origin


def _compiled(path: Path, settings: Mapping[str, str], fast: bool) -> _Outcome[Compiled]:
    from sgl.frontend import run_passes
    from sgl.lang.project import load_project

    sources, diagnostics = SourceMap(), Diagnostics()
    project = load_project(path, sources, diagnostics)
    if project is None:
        return _Outcome(None, diagnostics.found, sources, ())
    made = run_passes(project, settings, diagnostics)
    compiled = sound(made.compiled, diagnostics)
    if fast:
        return _Outcome(compiled, diagnostics.found, sources)
    from sgl.lint import opinions

    return _Outcome(compiled, diagnostics.found, sources, tuple(opinions(made)))


def sound(compiled: Compiled | None, diagnostics: Diagnostics) -> Compiled | None:
    """Return a grammar that can be sampled, with numbers for its extents; None otherwise."""
    from sgl.frontend.names.parameters import limits_of
    from sgl.lang.lock import check_lock
    from sgl.pipeline.soundness import check_soundness, with_extents

    if compiled is None:
        return None
    check_lock(compiled.project, diagnostics)
    with granted(limits_of(compiled.project, Diagnostics())):
        check_soundness(compiled, diagnostics)
    if diagnostics.errors == 0:
        compiled = with_extents(compiled, diagnostics)
    return compiled if diagnostics.errors == 0 else None


def _check(opened: _Outcome[Compiled], fast: bool, progress: Callable[[str], None] | None) -> _Outcome[GrammarSize]:
    from sgl.automata.proofs.compiler import structures_of
    from sgl.pipeline.proofs import decide
    from sgl.pipeline.writable import check_unproved

    compiled, diagnostics = opened.value, Diagnostics()
    diagnostics.extend(opened.said)
    if compiled is None:
        return _Outcome(None, diagnostics.found, opened.sources)
    proved: int | None = None
    if not fast and compiled.has_dataset:
        proved = decide(compiled, structures_of(compiled.grammar), diagnostics, progress)
    else:
        check_unproved(compiled, diagnostics)
    core = compiled.grammar
    tested = {stratum.category for stratum in compiled.plan.strata if not stratum.extent.empty}
    words = sum(rule.lexical for rule in core.rules)
    size = GrammarSize(
        compiled.project.name,
        len(core.categories),
        len(core.rules) - words,
        words,
        len(compiled.patterns),
        len(compiled.tests),
        proved,
        sum(own.pattern.name not in tested for own in compiled.patterns),
    )
    return _Outcome(size, diagnostics.found, opened.sources)


def _request_of(path: Path, settings: Mapping[str, str]) -> tuple[str, ...]:
    """Return the request with the path as written and resolved; empty without a cache or a readable file."""
    if current() is None:
        return ()
    try:
        main = path.resolve()
        if not main.is_file() or main.stat().st_size > MAX_SOURCE:
            return ()
        content = hashlib.sha256(read_bytes(main, SOURCE)).hexdigest()
        library = stdlib_dir().resolve()
    except (OSError, RuntimeError, ValueError):
        return ()
    set_to = repr(sorted(settings.items()))
    return (os.fspath(path), os.fspath(main), content, os.fspath(library), set_to)


def _known_origin(request: tuple[str, ...]) -> str:
    cache = current()
    if cache is None or not request:
        return ""
    answers = cache.get(FileDependencies, "looks", *request)
    return _origin(request, answers) if answers is not None and answers.hold() else ""


def _origin(request: tuple[str, ...], answers: FileDependencies) -> str:
    text = repr((request, answers.digest()))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


#: Number of directories to search, from the module's own upwards, and of files to search in each.
_LEVELS, _FILES = 4, 200

_DATASET = re.compile(r"^dataset\b", re.MULTILINE)
_USE = re.compile(r"^use\s", re.MULTILINE)


def grammars_of(module: Path) -> list[Path]:
    """Return the grammars with a dataset that use a file or table, nearest first; none if it declares a dataset."""
    text = _text(module)
    if text is None or _DATASET.search(text):
        return []
    # A grammar cached by an earlier run is checked without loading the reader.
    from sgl.lang.project import load_project
    from sgl.lang.syntax import Dataset, Lexicon, Relation, Table, Weights

    # Neighbouring links may form a circle, for which `resolve` raises an error.
    wanted = os.path.realpath(module)

    def uses_it(path: Path) -> bool:
        if os.path.realpath(path) == wanted or (module.suffix == ".sgl" and not _USE.search(_text(path) or "")):
            return False
        project = load_project(path, SourceMap(), Diagnostics())
        if project is None or not project.declarations(Dataset):
            return False
        tables = (
            unit.path.parent / declaration.path.text
            for unit in project.units
            for declaration in unit.file.declarations
            if isinstance(declaration, Lexicon | Relation | Table | Weights)
        )
        return wanted in map(os.path.realpath, (*(unit.path for unit in project.units), *tables))

    found: list[Path] = []
    directory = module.parent
    for _ in range(_LEVELS):
        found += filter(uses_it, sorted(directory.glob("*.sgl"))[:_FILES])
        directory = directory.parent if directory.name not in ("", "..") else directory / ".."
    return found


def _text(path: Path) -> str | None:
    try:
        return read_text(path, SOURCE)
    except ForeignFileError:
        return None
