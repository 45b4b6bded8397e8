"""Give every name its meaning: which declaration it stands for, file by file.

A file sees its own declarations and those of the files it uses (only the listed
ones if ``use`` has a list).  Different kinds of things may share a name, but a name
of a kind is declared once in all files that take part: rules, reports and the
tables of later passes know things by their bare names.

What ``use parts (np)`` takes comes with what it is made of: a rule is one over categories of
``parts.sgl``, and these over features, which are listed as well: ``use parts (np, NP, number)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from sgl.diagnostics import Diagnostics, SourceFile, Span, suggest
from sgl.frontend.parameters import choose, report_missing, report_twice
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s
from sgl.lang.keywords import DECLARATIONS
from sgl.lang.project import Project, Unit, locate, read_file

#: What authors call each kind of declaration that has a name.
KINDS: dict[type, str] = {
    s.Layer: "layer",
    s.ViewDecl: "view",
    s.Feature: "feature",
    s.CategoryDecl: "category",
    s.Labels: "label set",
    s.WordSet: "word set",
    s.StructureDecl: "structure",
    s.Paradigm: "paradigm",
    s.Function: "function",
    s.Rule: "rule",
    s.Lexicon: "lexicon",
    s.PatternDecl: "pattern",
    s.PartDecl: "part",
    s.Relation: "relation",
    s.Weights: "set of weights",
}

#: The keywords of kinds that authors call otherwise.
_KEYWORDS: dict[type, str] = {
    s.Labels: "labels",
    s.WordSet: "words",
    s.CategoryDecl: "category",
    s.Weights: "weights",
}

#: ResolvedNames of a kind that a hint lists.
_LISTED = 8

_Declared = TypeVar("_Declared", bound=s.Declaration)


@dataclass
class Scope:
    """What the names in one file mean; remembers which were used."""

    unit: Unit
    visible: dict[type, dict[str, s.NamedDeclaration]]
    used: set[tuple[type, str, Span]]
    diagnostics: Diagnostics
    all_scopes: Mapping[str, Scope]
    project: Project
    #: Where names were first mentioned that nothing has, in any file.
    missing: dict[tuple[type, str], Span]

    def where(self, declaration: s.Declaration) -> Scope:
        """Return the scope of the file that a declaration stands in."""
        return self.all_scopes[declaration.span.file]

    def find(self, kind: type[_Declared], name: s.Name) -> _Declared | None:
        """Return the declaration of ``kind`` that ``name`` means; None after a report.

        All places of a name that is missing are one mistake, and one message.
        """
        found = self.peek(kind, name.text)
        if found is None and not self.may_declare(kind, name.text):
            first = self.missing.setdefault((kind, name.text), name.span)
            if first != name.span:
                self.diagnostics.also_at("SGL0201", first, name.span)
                return None
            known = self.visible.get(kind, {})
            hint = _declared(KINDS[kind], known)
            report_missing(KINDS[kind], name, known, self.diagnostics, hint)
        return found

    def peek(self, kind: type[_Declared], name: str) -> _Declared | None:
        """Return the same without a report."""
        found = self.visible.get(kind, {}).get(name)
        if found is None:
            return None
        self.used.add((kind, name, found.span))
        assert isinstance(found, kind)
        return found

    def locate(self, written: s.Name, diagnostics: Diagnostics | None = None) -> Path | None:
        """Return where a file is that this file mentions; None after a report."""
        root, base = self.unit.root, self.unit.path.parent
        told = self.diagnostics if diagnostics is None else diagnostics
        return locate(root, base, written.text, written.span, self.project.sources, told)

    def read(self, written: s.Name, limit: int) -> SourceFile | None:
        """Return a file of at most ``limit`` bytes that this file mentions; None after a report."""
        path = self.locate(written)
        if path is None:
            return None
        shown, sources = self.unit.root.display(path), self.project.sources
        return read_file(path, shown, written.span, limit, sources, self.diagnostics)

    def names(self, kind: type) -> Iterable[str]:
        """Return the names of a kind that this file sees."""
        return self.visible.get(kind, {})

    def may_declare(self, kind: type, name: str) -> bool:
        """Return whether a declaration that could not be read may have this name."""
        return self.project.may_declare(_KEYWORDS.get(kind, KINDS[kind]), name)


def _declared(kind: str, known: Iterable[str]) -> str:
    """Return what there is, for an author whose name is like none of it."""
    names = list(known)
    if not names:
        return f"declare the {kind}, or `use` a file that does"
    more = ", …" if len(names) > _LISTED else ""
    return "there is: " + ", ".join(names[:_LISTED]) + more


@dataclass
class ResolvedNames:
    """All declarations in force, each with the scope of its file; ``scopes`` by file name."""

    project: Project
    scopes: dict[str, Scope]
    declarations: list[tuple[s.Declaration, Scope]]
    used: set[tuple[type, str, Span]] = field(default_factory=set)
    missing: dict[tuple[type, str], Span] = field(default_factory=dict)

    def of(self, kind: type[_Declared]) -> list[tuple[_Declared, Scope]]:
        """Return the declarations of a kind, in the order of the files."""
        return [(d, scope) for d, scope in self.declarations if isinstance(d, kind)]

    def declared(self, kind: type[_Declared]) -> list[tuple[_Declared, Scope]]:
        """Return the same with those that a ``when`` switches off, or that no ``use`` lists."""
        return [
            (declaration, self.scopes[unit.file.name])
            for unit in self.project.units
            for declaration in unit.file.declarations
            if isinstance(declaration, kind)
        ]


def resolve_names(state: CompilerState) -> None:
    """Find out which declarations are in force, and what the names in each file mean.

    Before: ``parameters``.  After: ``names``.
    """
    project, diagnostics = state.project, state.diagnostics
    names = ResolvedNames(project, {}, [])
    chosen = {unit.path: choose(unit.file.declarations, state.parameters) for unit in project.units}
    own = {unit.path: _own(chosen[unit.path], diagnostics) for unit in project.units}
    for unit in project.units:
        visible = {kind: dict(table) for kind, table in own[unit.path].items()}
        for use, used in unit.uses:
            _import(use, own[used.path], visible)
            _check_listed(use, used, project, diagnostics)
        names.scopes[unit.file.name] = Scope(
            unit, visible, names.used, diagnostics, names.scopes, project, names.missing
        )
    wanted = _wanted(project)
    for unit in project.units:
        scope = names.scopes[unit.file.name]
        for declaration in chosen[unit.path]:
            if wanted(unit, declaration):
                names.declarations.append((declaration, scope))
    _check_once(names, diagnostics)
    state.names = names


def _own(
    declarations: list[s.Declaration], diagnostics: Diagnostics
) -> dict[type, dict[str, s.NamedDeclaration]]:
    table: dict[type, dict[str, s.NamedDeclaration]] = {}
    for declaration in declarations:
        if isinstance(declaration, s.NamedDeclaration):
            kind, name = type(declaration), declaration.name
            earlier = table.setdefault(kind, {}).setdefault(name.text, declaration)
            if earlier is not declaration:
                report_twice(KINDS[kind], name, earlier.name.span, diagnostics)
    return table


def _check_once(names: ResolvedNames, diagnostics: Diagnostics) -> None:
    """Report names that several of the files declare which take part."""
    first: dict[tuple[type, str], s.Name] = {}
    for declaration, _ in names.declarations:
        if isinstance(declaration, s.NamedDeclaration):
            kind, name = type(declaration), declaration.name
            earlier = first.setdefault((kind, name.text), name)
            if earlier.span.file != name.span.file:
                hint = "rename one of the two, or list after `use` the names you need"
                report_twice(KINDS[kind], name, earlier.span, diagnostics, hint)


def _import(
    use: s.Use,
    exported: Mapping[type, Mapping[str, s.NamedDeclaration]],
    visible: dict[type, dict[str, s.NamedDeclaration]],
) -> None:
    """Make visible what a ``use`` brings in; what is visible already stays."""
    listed = None if use.names is None else {name.text for name in use.names}
    for kind, table in exported.items():
        for name, declaration in table.items():
            if listed is None or name in listed:
                visible.setdefault(kind, {}).setdefault(name, declaration)


def _check_listed(use: s.Use, used: Unit, project: Project, diagnostics: Diagnostics) -> None:
    """Report listed names that the file does not declare, be it under a ``when``."""
    known = {
        declaration.name.text
        for declaration in used.file.declarations
        if isinstance(declaration, s.NamedDeclaration)
    }
    for wanted in use.names or ():
        unread = any(project.may_declare(word, wanted.text) for word in DECLARATIONS)
        if wanted.text not in known and not unread:
            message = f"`{'.'.join(part.text for part in use.path)}` declares no `{wanted}`"
            diagnostics.error("SGL0006", wanted.span, message, suggest(wanted.text, known))


def _wanted(project: Project) -> Callable[[Unit, s.Declaration], bool]:
    """Return which declarations of a file take part: all, or those that some ``use`` lists.

    The words of a category take part with it.
    """
    whole: set[Path] = {project.main.path}
    listed: dict[Path, set[str]] = {}
    for unit in project.units:
        for use, used in unit.uses:
            if use.names is None:
                whole.add(used.path)
            else:
                listed.setdefault(used.path, set()).update(name.text for name in use.names)

    def takes_part(unit: Unit, declaration: s.Declaration) -> bool:
        if unit.path in whole:
            return True
        if isinstance(declaration, s.WordDecl):
            return declaration.category.name.text in listed.get(unit.path, ())
        name = getattr(declaration, "name", None)
        return name is not None and name.text in listed.get(unit.path, ())

    return takes_part


def report_unused(state: CompilerState) -> None:
    """Warn about declarations of the project that nothing uses, under no setting of a ``when``.

    Before: all names were looked up, without errors.
    """
    names = state.names
    kinds = (
        s.Feature,
        s.CategoryDecl,
        s.Labels,
        s.WordSet,
        s.StructureDecl,
        s.Paradigm,
        s.Function,
        s.Relation,
    )
    in_other_settings = _names_left_out(names)
    for declaration, scope in names.declarations:
        if scope.unit.is_library or not isinstance(declaration, kinds):
            continue
        kind, name = type(declaration), declaration.name
        used = (kind, name.text, declaration.span) in names.used
        if not used and name.text not in in_other_settings:
            state.warning("SGL0204", name.span, f"the {KINDS[kind]} `{name}` is never used")


def _names_left_out(names: ResolvedNames) -> set[str]:
    """Return the names in declarations that are not in force."""
    in_force = {id(declaration) for declaration, _ in names.declarations}
    return {
        name.text
        for unit in names.project.units
        for declaration in unit.file.declarations
        if id(declaration) not in in_force
        for name in s.parts_of(s.Name, declaration)
    }


def check_taken(state: CompilerState) -> bool:
    """Return whether all mentioned categories and features take part; report the others."""
    complete = True
    present = {id(declaration) for declaration, _ in state.names.declarations}
    for declaration, scope in state.names.declarations:
        for kind, name in _parts(declaration):
            part = scope.peek(kind, name.text)
            if part is not None and id(part) not in present:
                _report(declaration, kind, name, state)
                complete = False
    return complete


def _parts(
    declaration: s.Declaration,
) -> Iterator[tuple[type[s.Feature] | type[s.CategoryDecl], s.Name]]:
    """Yield what a declaration is made of: its kind, and where it is mentioned."""
    if isinstance(declaration, s.CategoryDecl):
        for feature in declaration.features:
            yield s.Feature, feature
    elif isinstance(declaration, s.Rule):
        yield s.CategoryDecl, declaration.lhs.name
        for child in declaration.rhs:
            if isinstance(child, s.Child):
                yield s.CategoryDecl, child.category.name
    elif isinstance(declaration, s.Lexicon):
        for entry in declaration.entries:
            yield s.CategoryDecl, entry.category.name
    elif isinstance(declaration, s.WordDecl):
        yield s.CategoryDecl, declaration.category.name


def _report(declaration: s.Declaration, kind: type, name: s.Name, state: CompilerState) -> None:
    user = declaration.category.name if isinstance(declaration, s.WordDecl) else declaration.name  # type: ignore[union-attr]
    state.error(
        "SGL0201",
        name.span,
        f"the {KINDS.get(type(declaration), 'word')} `{user}` is taken from this file, "
        f"but the {KINDS[kind]} `{name}` is not",
        f"add `{name}` to the names after `use`",
    )
