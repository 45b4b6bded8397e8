"""Convert between a file of a grammar and an editor's view of it: places and messages.

Editors count lines from 0 and columns in units of an encoding, by default UTF-16; the compiler counts characters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from sgl.core.grammar import Rule
from sgl.diagnostics import Diagnostic, Severity, SourceFile, Span
from sgl.engine import Claims, Snapshot
from sgl.frontend import Compiled
from sgl.lang import syntax as s
from sgl.pipeline.report import PairMaker
from sgl_editor.lsp.names import Names, Site

#: The bytes in a unit of each encoding, and Python's name for it.
_ENCODINGS = {"utf-8": (1, "utf-8"), "utf-16": (2, "utf-16-le"), "utf-32": (4, "utf-32-le")}
#: The diagnostics that editors show in grey.
_UNUSED = ("SGL0204",)
_TOP = types.Range(types.Position(0, 0), types.Position(0, 0))


@dataclass
class Grammar:
    """A snapshot with its names, and its ``claims`` once they are proved.

    ``uris`` are the client's addresses of its open files; ``before`` is the grammar when it last had no errors.
    """

    snapshot: Snapshot
    uris: Mapping[Path, str] = field(default_factory=dict)
    encoding: str = "utf-16"
    before: Compiled | None = None
    claims: Claims | None = None

    @property
    def compiled(self) -> Compiled | None:
        """The grammar, or its last version without errors."""
        return self.snapshot.compiled or self.before

    @property
    def diagnostics(self) -> Sequence[Diagnostic]:
        """All diagnostics known so far."""
        return (*self.snapshot.diagnostics, *(self.claims.diagnostics if self.claims is not None else ()))

    @cached_property
    def names(self) -> Names:
        """The meanings of the names in its files."""
        assert self.snapshot.project is not None
        return Names(self.snapshot.project)

    @cached_property
    def pairs(self) -> PairMaker:
        """A maker of pairs of items and training sentences; the grammar must have a dataset."""
        assert self.snapshot.compiled is not None
        return PairMaker(self.snapshot.compiled, self.snapshot.structures)

    def open(self, path: Path) -> "Document | None":
        """Return a file of the grammar, or None if it reads no such file or cannot be read itself."""
        files = self.snapshot.sources.files.items() if self.snapshot.project is not None else ()
        found = (file for name, file in files if self.snapshot.path_of(name).resolve() == path)
        return next((Document(self, file) for file in found), None)

    def path_of(self, diagnostic: Diagnostic) -> Path:
        """Return the file that a diagnostic is about, or the main file if it is about none."""
        span = diagnostic.span
        return (self.snapshot.path_of(span.file) if span is not None else self.snapshot.root).resolve()

    def text(self, span: Span) -> str:
        """Return the text of a span."""
        span = self.snapshot.sources.real(span)
        return self.snapshot.sources.files[span.file].text[span.start : span.end]

    def uri(self, file: str) -> str:
        """Return the address of a file."""
        path = self.snapshot.path_of(file)
        return self.uris.get(path.resolve()) or from_fs_path(str(path)) or ""

    def position(self, file: SourceFile, offset: int) -> types.Position:
        """Return the editor's position of an offset."""
        (line, column), offset = file.position(offset), file.real(offset)
        unit, encoding = _ENCODINGS[self.encoding]
        before = file.text[offset - column + 1 : offset].encode(encoding, "replace")
        return types.Position(line - 1, len(before) // unit)

    def offset(self, file: SourceFile, position: types.Position) -> int:
        """Return the offset of a position; outside the text, the nearest one."""
        unit, encoding = _ENCODINGS[self.encoding]
        number = min(position.line, len(file.line_starts) - 1)
        line = file.line(number + 1).encode(encoding, "replace")[: position.character * unit]
        return file.line_starts[number] + len(line.decode(encoding, "ignore"))

    def range(self, span: Span) -> types.Range:
        """Return the editor's range of a span."""
        file = self.snapshot.sources.files[span.file]
        return types.Range(self.position(file, span.start), self.position(file, span.end))

    def location(self, span: Span) -> types.Location:
        """Return the location of a span, in whichever file."""
        return types.Location(self.uri(span.file), self.range(span))

    def shown(self, diagnostic: Diagnostic) -> types.Diagnostic:
        """Return a diagnostic as editors show it, with file names relative to the grammar."""
        hint = [f"hint: {diagnostic.hint}"] if diagnostic.hint else []
        text = "\n".join([diagnostic.message, *diagnostic.notes, *hint])
        error = diagnostic.severity is Severity.ERROR
        return types.Diagnostic(
            self.range(diagnostic.span) if diagnostic.span is not None else _TOP,
            text.replace(f"{self.snapshot.root.parent.as_posix()}/", ""),
            types.DiagnosticSeverity.Error if error else types.DiagnosticSeverity.Warning,
            diagnostic.code,
            source="sglc",
            tags=[types.DiagnosticTag.Unnecessary] if diagnostic.code in _UNUSED else None,
            related_information=[
                types.DiagnosticRelatedInformation(self.location(label.span), label.text) for label in diagnostic.labels
            ],
        )

    def rules_of(self, declaration: s.SyntaxNode) -> list[Rule]:
        """Return the core rules made from a declared rule, one for each choice of its features."""
        compiled = self.snapshot.compiled
        if compiled is None or not isinstance(declaration, s.Rule):
            return []
        pairs = zip(compiled.grammar.rules, compiled.rule_spans, strict=True)
        return [rule for rule, span in pairs if span == declaration.name.span]

    def words(self, lemma: str = "", text: str = "") -> list[Rule]:
        """Return the words with a lemma, or with a text in some layer; by default, all words."""
        rules = (rule for rule in (self.compiled.grammar.rules if self.compiled is not None else ()) if rule.lexical)
        return [
            rule
            for rule in rules
            if not lemma
            or any(("lemma", lemma) in (node.attributes or ()) for part in rule.fragments for node in part.nodes)
            or any(text in rule.words(layer) for layer in range(len(rule.templates)))
        ]


@dataclass(frozen=True)
class Document:
    """A file of a grammar."""

    grammar: Grammar
    source: SourceFile

    @property
    def declarations(self) -> Sequence[s.Declaration]:
        """The declarations in the file; a table has none."""
        unit = self.grammar.names.units.get(self.source.name)
        return unit.file.declarations if unit is not None else ()

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position."""
        return self.grammar.offset(self.source, position)

    def range(self, start: int, end: int) -> types.Range:
        """Return the editor's range of a part of the text."""
        return self.grammar.range(self.source.span(start, end))

    def site(self, position: types.Position) -> Site | None:
        """Return the name at a position, or just before it."""
        offset, sites = self.offset(position), self.grammar.names.of(self.source.name)
        return next((site for site in sites if site.span.start <= offset <= site.span.end), None)
