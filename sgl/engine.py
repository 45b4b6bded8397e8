"""Run the compiler for the command line, the editor and the page: files in, diagnostics and samples out.

A :class:`Workspace` has the files of an author at work, some as they are in the editor rather than on disk.
:meth:`Workspace.open` reads a grammar as it is now and returns a :class:`Snapshot`, which never changes::

    workspace = Workspace()
    workspace.edit(Path("farm.sgl"), "layer en …")       # None: the text on disk
    for root in workspace.roots(Path("farm.sgl")):       # the grammars that a module is part of
        snapshot = workspace.open(root)
        snapshot.diagnostics                             # as `sglc check`, without the claims
        snapshot.samples("object_to_subject")            # as `sglc sample`; may raise SampleError
        snapshot.claims(progress=print).diagnostics      # as `sglc prove`; `progress` may raise to stop it

Nothing is written.  Work is kept in memory between snapshots (:mod:`sgl.memory`), but the results equal those of a
fresh workspace, which ``tests/engine`` checks on random edits.  Threads wait for one another.

Spans of diagnostics count characters of the texts.  All other spans, in trees and in ``compiled``, stay the same while
the text around a declaration is edited (:mod:`sgl.lang.chunks`): ``sources.real(span)`` is the span in the text,
``sources.files[name].place(offset)`` the way back; ``position`` and the renderers of diagnostics take both.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import NamedTuple

from sgl import foreign
from sgl.automata import Proofs, StructureCompiler, StructureTooCostly, UnsupportedStructure
from sgl.automata.proofs.compiler import structures_of
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Item
from sgl.diagnostics import Diagnostic, Diagnostics, SourceMap
from sgl.frontend import Compilation, Compiled, run_passes
from sgl.lang import SUFFIXES
from sgl.lang.allowed import AllowedWarnings
from sgl.lang.packed import RECORD
from sgl.lang.project import STDLIB, Project, load_project
from sgl.lint import opinions
from sgl.memory import Memory, keeping
from sgl.pipeline.grammar import grammars_of, sound
from sgl.pipeline.proofs import establish
from sgl.pipeline.samples import SampleError, sampled_items, source_of
from sgl.pipeline.writable import check_unproved
from sgl.resources import stdlib_dir
from sgl.sampling import NotEnoughError
from sgl.values import dataclass, field

__all__ = ["Claims", "Sample", "SampleError", "Snapshot", "Workspace"]


class Claims(NamedTuple):
    """The proofs of all patterns, or None without patterns or if one cannot be decided, and their diagnostics."""

    proofs: Proofs | None
    diagnostics: tuple[Diagnostic, ...]


class Sample(NamedTuple):
    """A sampled text with its grammar; for a partial tree, with the remaining part of the grammar."""

    grammar: CoreGrammar
    item: Item

    @property
    def texts(self) -> dict[str, str]:
        """The text in each text layer, by the name of the layer."""
        return {layer.name: text for layer, text in zip(self.grammar.text_layers, self.item.texts, strict=True)}


@dataclass
class Workspace:
    """The files of an author at work; ``open`` reads a grammar as it is now.

    Attributes:
        within: The folders to which ``sees`` is limited; if there are none, it sees every file.
    """

    within: tuple[Path, ...] = ()
    _edits: dict[Path, bytes] = field(default_factory=dict)
    _memory: Memory = field(default_factory=Memory)
    _lock: RLock = field(default_factory=RLock)

    def edit(self, path: Path, text: str | None) -> None:
        """Set the text that an editor has for a file, saved or not; None means the text on disk."""
        with self._lock:
            edits = {name: content for name, content in self._edits.items() if name != path.resolve()}
            if text is not None:
                edits[path.resolve()] = text.encode("utf-8", "surrogatepass")
            # Earlier snapshots keep the mapping that they were made with.
            self._edits = edits

    def open(self, root: Path, settings: Mapping[str, str] = {}) -> "Snapshot":
        """Return a snapshot of a grammar as it is now, with parameters set to ``settings``."""
        with self._lock:
            self._memory.turn()
            return Snapshot(self, root, dict(settings), self._edits)

    def roots(self, path: Path) -> tuple[Path, ...]:
        """Return the grammars that a file is checked with, nearest first; the file itself if there are none."""
        with self._lock, foreign.edited(self._edits):
            return tuple(filter(self.sees, grammars_of(path))) or (path,)

    def sees(self, path: Path) -> bool:
        """Return whether a file, after following links, is in one of the folders and has a suffix of the language."""
        real = path.resolve()
        named = real.suffix.lower() in SUFFIXES
        return not self.within or (named and any(real.is_relative_to(folder) for folder in self.within))

    @contextmanager
    def working(self, edits: Mapping[Path, bytes]) -> Iterator[None]:
        """Hold the lock, apply these edits and use the workspace's memory in the block."""
        with self._lock, foreign.edited(edits), keeping(self._memory):
            yield


class Snapshot:
    """A grammar as it was when it was opened.

    ``sources`` has the texts of its files by display name, and ``project`` its trees (None if the main file cannot be
    read); ``compiled`` is None if there are errors.
    """

    def __init__(
        self, workspace: Workspace, root: Path, settings: Mapping[str, str], edits: Mapping[Path, bytes]
    ) -> None:
        self.root, self.settings, self.sources = root, settings, SourceMap()
        self._workspace, self._edits = workspace, edits
        self._found = Diagnostics()
        self._samples: dict[tuple[str, int, int], tuple[Sample, ...]] = {}
        self._claims: Claims | None = None
        self.project: Project | None
        self.compiled: Compiled | None = None
        self._made = Compilation()
        with workspace.working(edits):
            self.project = load_project(root, self.sources, self._found)
            if self.project is not None:
                self._made = run_passes(self.project, settings, self._found)
                self.compiled = sound(self._made.compiled, self._found)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All diagnostics except messages about claims, in source order."""
        found = Diagnostics()
        found.extend(self._found)
        with self._workspace.working(self._edits):
            found.extend(opinions(self._made))
            if self.compiled is not None:
                check_unproved(self.compiled, found)
        return self._told(found)

    def _told(self, found: Diagnostics) -> tuple[Diagnostic, ...]:
        """Return the diagnostics that no comment allows, with offsets in the texts."""
        told = Diagnostics(AllowedWarnings(self.sources).kept)
        told.extend(map(self.sources.told, found))
        return tuple(told)

    def samples(self, of: str = "", count: int = 5, seed: int = 0) -> tuple[Sample, ...]:
        """Return sample texts of a pattern, a split, a category, or anything else that ``sglc sample`` takes.

        Without ``of``, sample the whole grammar.
        """
        asked = (of, count, seed)
        if asked not in self._samples:
            if self.compiled is None:
                raise SampleError("the grammar has errors")
            sources, told = SourceMap(dict(self.sources.files)), Diagnostics()
            with self._workspace.working(self._edits):
                source = source_of(self.compiled, of or None, sources, told)
                if source is None:
                    raise SampleError(next(iter(told)).message)
                try:
                    items = sampled_items(self.compiled, source, count, seed)
                except (NotEnoughError, StructureTooCostly, UnsupportedStructure) as problem:
                    raise SampleError(str(problem)) from problem
            self._samples[asked] = tuple(Sample(source.grammar, item) for item in items)
        return self._samples[asked]

    def claims(self, progress: Callable[[str], None] | None = None) -> Claims:
        """Return the proofs of all patterns, with their diagnostics."""
        compiled = self.compiled
        if compiled is None or not compiled.has_dataset:
            return Claims(None, ())
        if self._claims is None:
            found = Diagnostics()
            with self._workspace.working(self._edits):
                structures = structures_of(compiled.grammar)
                proofs = establish(compiled, structures, found, progress, unproved=False)
            self._claims = Claims(proofs if compiled.patterns else None, self._told(found))
        return self._claims

    @property
    def structures(self) -> StructureCompiler:
        """The automata of its structures; snapshots that differ only in weights and words of texts share them."""
        assert self.compiled is not None
        with self._workspace.working(self._edits):
            return structures_of(self.compiled.grammar)

    @property
    def own(self) -> dict[Path, str]:
        """The texts of the files in the main file's folder and below, by path; the main file comes first."""
        root = self.root.resolve()
        found = {self.path_of(name).resolve(): file.text for name, file in self.sources.files.items()}
        if self.project is not None and self.project.record is not None:
            found[root.with_name(RECORD)] = self.project.record.text
        paths = sorted(found, key=lambda path: (path != root, path.name))
        return {path: found[path] for path in paths if path.is_relative_to(root.parent)}

    def path_of(self, name: str) -> Path:
        """Return the file with this display name."""
        packed = self.project.main.root.packed if self.project is not None else None
        return (packed or stdlib_dir().parent) / name if name.startswith(f"{STDLIB}/") else Path(name)
