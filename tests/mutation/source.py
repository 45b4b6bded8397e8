"""The text of a project, cut into declarations and clauses that can be changed.

The cutting is that of the reader (``sgl.lang.chunks``): a declaration begins in the
first column, its clauses are the lines below, and a clause that goes on in the next
line is one clause.  A change replaces a stretch of one file::

    Edit("sget/patterns.sgl", 1200, 1205, "iobj")
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sgl.diagnostics import SourceFile
from sgl.lang.chunks import split_chunks

#: The name of a module that a file uses.
_USED = re.compile(r"^use ([\w.]+)", re.MULTILINE)
#: Where a table is read from.
_TABLE = re.compile(r'from "([^"]+)"')


@dataclass(frozen=True, slots=True)
class Edit:
    """``text`` in place of the characters ``start`` to ``end`` of a file."""

    file: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, or the first line of a declaration: where it is, and its text.

    ``text`` is as long as what it stands for, without comments and line ends.
    """

    file: str
    start: int
    text: str

    @property
    def keyword(self) -> str:
        """Its first word."""
        return self.text.split(maxsplit=1)[0] if self.text.strip() else ""

    @property
    def end(self) -> int:
        """Where it ends in its file."""
        return self.start + len(self.text)

    def replaced(self, start: int, end: int, text: str) -> Edit:
        """A change of some of its characters."""
        return Edit(self.file, self.start + start, self.start + end, text)

    def dropped(self) -> Edit:
        """The clause left out."""
        return Edit(self.file, self.start, self.end, "")


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration: ``clauses`` begins with its first line."""

    file: str
    kind: str
    name: str
    clauses: tuple[Clause, ...]

    @property
    def head(self) -> Clause:
        """Its first line, or its first lines."""
        return self.clauses[0]

    @property
    def start(self) -> int:
        """Where it begins in its file."""
        return self.head.start

    @property
    def end(self) -> int:
        """Where its last clause ends."""
        return self.clauses[-1].end

    def of(self, *keywords: str) -> list[Clause]:
        """The clauses that begin with one of these words."""
        return [clause for clause in self.clauses[1:] if clause.keyword in keywords]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change: its kind, where it was made, and what was changed.

    ``name`` is unique; ``pattern`` is the pattern that is most likely concerned.
    """

    kind: str
    name: str
    edits: tuple[Edit, ...]
    pattern: str = ""


@dataclass(frozen=True)
class Source:
    """The files of a project below its directory, the first of them its main file."""

    files: Mapping[str, str]

    @classmethod
    def read(cls, main: Path) -> Source:
        """The project of a main file: the modules that it uses, and the tables below it."""
        root = main.parent
        found = [main]
        for path in found:
            used = (root / f"{name.replace('.', '/')}.sgl" for name in _USED.findall(path.read_text("utf-8")))
            found += [other for other in used if other.is_file() and other not in found]
        found += sorted(root.rglob("*.yaml"))
        return cls({path.relative_to(root).as_posix(): path.read_text("utf-8") for path in found})

    @property
    def main(self) -> str:
        """The main file."""
        return next(iter(self.files))

    @cached_property
    def declarations(self) -> tuple[Declaration, ...]:
        """The declarations of all grammar files."""
        return tuple(
            declaration
            for name, text in self.files.items()
            if name.endswith(".sgl")
            for declaration in _declarations(name, text)
        )

    def of(self, *kinds: str) -> list[Declaration]:
        """The declarations of some kinds."""
        return [d for d in self.declarations if d.kind in kinds]

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """The tables that lexicons read, once each."""
        heads = [declaration.head.text for declaration in self.of("lexicon")]
        return tuple(dict.fromkeys(name for head in heads for name in _TABLE.findall(head)))

    def changed(self, edits: Iterable[Edit]) -> Source:
        """The project after changes that do not overlap."""
        files = dict(self.files)
        for edit in sorted(edits, key=lambda edit: (edit.file, -edit.start)):
            text = files[edit.file]
            files[edit.file] = text[: edit.start] + edit.text + text[edit.end :]
        return Source(files)

    def write(self, directory: Path) -> Path:
        """Write all files; the path of the main one."""
        for name, text in self.files.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return directory / self.main

    def shown(self, edit: Edit) -> str:
        """A change in words: file, line, what was there and what is."""
        text = self.files[edit.file]
        line = text.count("\n", 0, edit.start) + 1
        # The rest of the word on either side makes the change readable.
        start = max(text.rfind("\n", 0, edit.start) + 1, edit.start - 20)
        end = min(text.find("\n", edit.end) % (len(text) + 1), edit.end + 20)
        old = _short(text[start:end])
        new = _short(text[start : edit.start] + edit.text + text[edit.end : end])
        return f"{edit.file}:{line}: {old} -> {new}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 160 else flat[:157] + "..."


def _declarations(file: str, text: str) -> Iterator[Declaration]:
    for chunk in split_chunks(SourceFile(file, text)):
        if not chunk.text.strip():
            continue
        clauses = []
        place = chunk.start
        for line in chunk.text.split("\n"):
            stripped = line.strip()
            if stripped:
                start = place + line.index(stripped[0])
                clauses.append(Clause(file, start, stripped))
            place += len(line) + 1
        words = re.findall(r"\w+", clauses[0].text)
        yield Declaration(file, words[0], words[1] if len(words) > 1 else "", tuple(clauses))
