"""Resolve every name to its declaration, file by file.

A file sees its own declarations and those of the files it uses (if ``use`` has a list, only the listed ones and those
that they need).  Different kinds may share a name, but within a kind a name is declared only once in all participating
files, because rules, reports and later tables use bare names.

Between edits, results are kept by declaration: they are reused as long as the declaration and everything that it can
depend on are unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TypeVar, cast

from sgl.diagnostics import Diagnostics, Label, Reported, SourceFile, Span, attempt, shortlist, suggest, there
from sgl.foreign import limits
from sgl.frontend.names.kinds import KEYWORDS, KINDS, Left, is_called, left_out_of
from sgl.frontend.names.parameters import Parameters, Session, set_parameters
from sgl.lang import CLAUSES, DECLARATIONS
from sgl.lang import syntax as s
from sgl.lang.project import Unit, library_file, locate, read_file
from sgl.memory import kept, key_of, memory
from sgl.values import dataclass, field

#: Declarations that take effect without being used by others.
OF_THEMSELVES = s.Layer | s.ViewDecl | s.ColumnDecl | s.Rule | s.Lexicon | s.PatternDecl | s.PartDecl | s.Weights

#: Declarations about a dataset, which are not included if a file is used with a list of names.
_OF_DATASETS = (s.PatternDecl, s.PartDecl, s.Restrict, s.Dataset, s.Test, s.Weights)

_Declared = TypeVar("_Declared", bound=s.SyntaxNode)
#: Declarations by kind and name.
_Named = dict[type, dict[str, s.NamedDeclaration]]


@dataclass
class ResolvedNames:
    """All declarations in force, each with the scope of its file; ``scopes`` by file name.

    ``first`` has the first declaration of each name; ``used`` are the places of those looked up; ``missing`` has the
    first mention of each unknown name.
    """

    session: Session
    scopes: dict[str, Scope] = field(default_factory=dict)
    declarations: list[tuple[s.Declaration, Scope]] = field(default_factory=list)
    first: dict[tuple[type, str], tuple[s.NamedDeclaration, Scope]] = field(default_factory=dict)
    used: set[Span] = field(default_factory=set)
    missing: dict[tuple[type, str], Span] = field(default_factory=dict)
    #: The declarations omitted from each file, with the file that omits them.
    left_out: Mapping[Path, Mapping[Left, Path]] = field(default_factory=dict)
    #: Foundations of kept results, by the kinds of declarations that they do not depend on.
    foundations: dict[tuple[type, ...], object] = field(default_factory=dict)
    _of: dict[type, list[tuple[s.SyntaxNode, Scope]]] = field(default_factory=dict)

    def of(self, kind: type[_Declared]) -> list[tuple[_Declared, Scope]]:
        """Return the declarations of a kind that are in force, in file order."""
        if not self._of:
            for declaration, scope in self.declarations:
                self._of.setdefault(type(declaration), []).append((declaration, scope))
        return cast(list[tuple[_Declared, Scope]], self._of.get(kind, []))

    def declared(self, kind: type[_Declared]) -> list[tuple[_Declared, Scope]]:
        """Return all declarations of a kind, including those that a ``when`` switches off or no ``use`` lists."""
        found = self.session.project.declarations(kind)
        return [(declaration, self.scopes[declaration.span.file]) for declaration in found]

    @cached_property
    def labels(self) -> dict[str, list[Span]]:
        """The places where rules write each label."""
        found: dict[str, list[Span]] = {}
        for written in s.parts_of(s.LabelText, tuple(rule for rule, _ in self.of(s.Rule))):
            found.setdefault(written.text, []).append(written.span)
        return found


@dataclass
class Scope:
    """The meaning of names in one file."""

    unit: Unit
    visible: _Named
    resolved: ResolvedNames

    def where(self, declaration: s.Declaration) -> Scope:
        """Return the scope of the file with a declaration."""
        return self.resolved.scopes[declaration.span.file]

    def of(self, part: s.SyntaxNode | s.Name) -> Scope:
        """Return the scope of the file in which something was written, such as an argument."""
        return self.resolved.scopes.get(part.span.file, self)

    def find(self, kind: type[_Declared], name: s.Name) -> _Declared:
        """Return the declaration that ``name`` means; report a missing one once for all mentions."""
        found = self.peek(kind, name.text)
        if found is None:
            if not self.may_declare(kind, name.text):
                self._report_missing(kind, name)
            raise Reported
        return found

    def _report_missing(self, kind: type, name: s.Name) -> None:
        state = self.resolved.session
        first = self.resolved.missing.setdefault((kind, name.text), name.span)
        if first != name.span:
            state.diagnostics.also_at("SGL0201", first, name.span)
            return
        if (kind, name.text) in self.resolved.first:
            self._report_unseen(kind, name)
            return
        known = [*self.names(kind), *(["targets"] if kind is s.WordSet else [])]
        hint = f"declare the {KINDS[kind]}, or `use` a file that does"
        hint = f"there is: {shortlist(known)}" if known else hint
        others = (other for other, names in self.visible.items() if name.text in names)
        hint = next((f"`{name}` is a {KINDS[other]}" for other in others), hint)
        if name.text.lower() in CLAUSES:
            hint = f"a word of the language has small letters: `{name.text.lower()}`"
        if kind is s.Labels:
            hint = self.in_library(name.text, kind) or hint
        left_out = (pair for gone in self.resolved.left_out.values() for pair in gone.items())
        for user in [user for (_, left), user in left_out if left == name.text][:1]:
            hint = f"`{user.name}` leaves it out, with `use … without ({name})`, and declares no other one"
        state.report_missing(KINDS[kind], name, known, hint)

    def in_library(self, name: str, *kinds: type) -> str:
        """Return a hint to use the standard-library file that declares a name, or an empty text."""
        file = library_file([KEYWORDS.get(kind, KINDS[kind]) for kind in kinds], name)
        return f"write `use {file} ({name})` here" if file else ""

    def _report_unseen(self, kind: type, name: s.Name) -> None:
        """Report the name of a declaration in a file that this one does not use."""
        declared, scope = self.resolved.first[kind, name.text]
        unit, path, here = scope.unit, scope.unit.path.with_suffix(""), self.unit.path.parent
        used = ".".join(path.relative_to(here).parts) if path.is_relative_to(here) else path.name
        used = unit.root.display(path).replace("/", ".") if unit.is_library else used
        message = f"this file does not see the {KINDS[kind]} `{name}`"
        hint = f"write `use {used}` here"
        labels = [Label(declared.name.span, "declared here")]
        notes = ("`use` shows what a file declares, not what that file uses",)
        self.resolved.session.error("SGL0201", name.span, message, hint, labels=labels, notes=notes)

    def peek(self, kind: type[_Declared], name: str) -> _Declared | None:
        """Return the declaration that a name means, or None, without a report."""
        found = self.visible.get(kind, {}).get(name)
        if found is None:
            return None
        self.resolved.used.add(found.span)
        assert isinstance(found, kind)
        return found

    def locate(self, written: s.Name, diagnostics: Diagnostics | None = None) -> Path:
        """Return the path of a file that this file mentions."""
        root, base, state = self.unit.root, self.unit.path.parent, self.resolved.session
        told = state.diagnostics if diagnostics is None else diagnostics
        return there(locate(root, base, written.text, written.span, state.sources, told))

    def read(self, written: s.Name, limit: int) -> SourceFile:
        """Return a file, of at most ``limit`` bytes, that this file mentions."""
        path, state = self.locate(written), self.resolved.session
        shown = self.unit.root.display(path)
        return there(read_file(path, shown, written.span, limit, state.sources, state.diagnostics))

    def names(self, kind: type) -> Iterable[str]:
        """Return the names of a kind that this file sees."""
        return self.visible.get(kind, {})

    def may_declare(self, kind: type, name: str) -> bool:
        """Return whether an unreadable declaration may have this name."""
        return self.resolved.session.project.may_declare(KEYWORDS.get(kind, KINDS[kind]), name)


def resolve_names(state: Session, parameters: Parameters) -> ResolvedNames:
    """Find the declarations in force, and what names mean in each file."""
    units, names = state.project.units, ResolvedNames(state)
    chosen = {unit.path: [d for d in unit.file.declarations if _holds(d, parameters)] for unit in units}
    without = names.left_out = left_out_of(units, state)
    for path, gone in without.items():
        chosen[path] = [d for d in chosen[path] if is_called(d).isdisjoint(gone)]
    own = {unit.path: _by_name(chosen[unit.path], state) for unit in units}
    #: The names that other files list for each file.
    listed_of: dict[Path, set[str]] = {unit.path: set() for unit in units}
    for unit in units:
        visible = {kind: dict(table) for kind, table in own[unit.path].items()}
        for use, used in unit.uses:
            listed = _listed(use, used, state)
            listed_of[used.path].update(listed or ())
            _show(own[used.path], listed, visible)
        for (_, name), user in without[unit.path].items():
            # A file may redefine what it omits, for all who mention it.
            _show(own[user], (name,), visible)
        names.scopes[unit.file.name] = Scope(unit, visible, names)
    entire, whole = _used_entirely(units)
    for unit in units:
        left_out = () if unit.path in whole else _OF_DATASETS
        listed, scope = listed_of[unit.path], names.scopes[unit.file.name]
        for declaration in chosen[unit.path]:
            comes_along = unit.path in entire and not isinstance(declaration, left_out)
            if comes_along or _name_of(declaration) in listed:
                names.declarations.append((declaration, scope))
    _check_once(names)
    return names


def _show(exported: _Named, listed: Collection[str] | None, visible: _Named) -> None:
    """Make a file's exported names, or the listed ones, visible in another file unless it declares them itself."""
    for kind, table in exported.items():
        for name, declaration in table.items():
            if listed is None or name in listed:
                visible.setdefault(kind, {}).setdefault(name, declaration)


def _used_entirely(units: Sequence[Unit]) -> tuple[set[Path], set[Path]]:
    """Return the files used by some file without a list, and those used so all the way from the main file."""
    entire, whole = {units[-1].path}, {units[-1].path}
    for unit in reversed(units):
        unlisted = {used.path for use, used in unit.uses if use.names is None}
        entire |= unlisted
        whole |= unlisted if unit.path in whole else set()
    return entire, whole


def _holds(declaration: s.Declaration, parameters: Parameters) -> bool:
    """Return whether all conditions of a declaration hold; check each of them, so that errors are reported."""
    parts = (*getattr(declaration, "when", ()), *getattr(declaration, "clauses", ()))
    met = [parameters.holds(part) for part in parts if isinstance(part, s.When)]
    return all(met)


def _by_name(declarations: Iterable[s.Declaration], state: Session) -> _Named:
    table: _Named = {}
    for declaration in declarations:
        if isinstance(declaration, s.NamedDeclaration):
            kind, name = type(declaration), declaration.name
            earlier = table.setdefault(kind, {}).setdefault(name.text, declaration)
            if earlier is not declaration:
                state.report_twice(KINDS[kind], name, earlier.name.span)
    return table


def _listed(use: s.Use, used: Unit, state: Session) -> set[str] | None:
    if use.names is None:
        return None
    declarations = used.file.declarations
    known = {d.name.text for d in declarations if isinstance(d, s.NamedDeclaration)}
    for name in use.names:
        unread = any(state.project.may_declare(word, name.text) for word in DECLARATIONS)
        if name.text not in known and not unread:
            message = f"`{'.'.join(part.text for part in use.path)}` declares no `{name}`"
            state.error("SGL0006", name.span, message, suggest(name.text, known))
    return {name.text for name in use.names}


def _check_once(names: ResolvedNames) -> None:
    for declaration, scope in names.declarations:
        if isinstance(declaration, s.NamedDeclaration):
            kind, name = type(declaration), declaration.name
            earlier, _ = names.first.setdefault((kind, name.text), (declaration, scope))
            if earlier.span.file != name.span.file:
                hint = f"rename one of the two, or leave the other out: `use … without ({name})`"
                names.session.report_twice(KINDS[kind], name, earlier.name.span, hint)


def check_taken(names: ResolvedNames) -> bool:
    """Return whether all mentioned categories and features are in force; report the others."""
    complete = True
    present = {id(declaration) for declaration, _ in names.declarations}
    for declaration, scope in names.declarations:
        kind: type[s.NamedDeclaration] = s.CategoryDecl
        mentioned = kept("mentioned", (declaration,), None, partial(_mentioned, declaration))
        if isinstance(declaration, s.Forms):
            mentioned = []  # Its category is a parameter.
        if isinstance(declaration, s.CategoryDecl):
            kind, mentioned = s.Feature, list(declaration.features)
        for name in mentioned:
            part = scope.peek(kind, name.text)
            if part is not None and id(part) not in present:
                complete = False
                what = KINDS.get(type(declaration), "word")
                message = f"the {what} `{_name_of(declaration)}` is taken from this file, "
                message += f"but the {KINDS[kind]} `{name}` is not"
                names.session.error("SGL0201", name.span, message, f"add `{name}` to the names after `use`")
    return complete


def _mentioned(declaration: s.Declaration) -> list[s.Name]:
    """Return the names of the categories in a declaration."""
    return [ref.name for ref in s.parts_of(s.CategoryRef, declaration)]


def _name_of(declaration: s.Declaration) -> str:
    """Return the name by which a `use` lists a declaration, a word by its category; empty if it has none."""
    if isinstance(declaration, s.WordDecl):
        return declaration.category.name.text
    return declaration.name.text if isinstance(declaration, s.NamedDeclaration) else ""


_T = TypeVar("_T")

#: Kinds on which no other declaration depends, and on which no category, rule or word depends.
LEAVES = (s.Rule, s.WordDecl, s.Lexicon, s.PatternDecl, s.PartDecl, s.Test, s.Weights)
WORDS_LEAVE = (*LEAVES, *(s.Dataset, s.StructureDecl, s.Labels, s.WordSet, s.Quota, s.Relation, s.Restrict))


@dataclass
class Resolved(Session):
    """A project with resolved names."""

    parameters: Parameters
    names: ResolvedNames

    def kept(
        self, kind: str, same: tuple[object, ...], compute: Callable[[], _T], leaves: tuple[type, ...] = WORDS_LEAVE
    ) -> _T | None:
        """Return a kept result for the same objects if no declaration other than ``leaves`` has changed, or compute it.

        A computation must not use other leaves.  Its result is not kept if it reports something, or None if that ends
        it, or if it reads a file.
        """
        keeping = memory()
        if keeping is None:
            return attempt(compute)
        same = (self._foundation(leaves), *same)
        key = key_of(kind, same, None)
        known = cast(tuple[_T | None, set[Span]] | None, keeping.find(key))
        if known is not None:
            self.names.used |= known[1]
            return known[0]
        before, self.names.used, clean = self.names.used, set(), (self.diagnostics.told, len(self.sources.files))
        value = keeping.timed(partial(attempt, compute))
        used, self.names.used = self.names.used, before | self.names.used
        if clean == (self.diagnostics.told, len(self.sources.files)):
            keeping.keep(key, (value, used), same)
        return value

    def _foundation(self, leaves: tuple[type, ...]) -> object:
        """Return an object that is the same as long as all declarations except leaves are."""
        if leaves not in self.names.foundations:
            rest = tuple(d for d in self.project.declarations(s.SyntaxNode) if not isinstance(d, leaves))
            files = tuple((unit.file.name, *(used.file.name for _, used in unit.uses)) for unit in self.project.units)
            equal = (files, self.project.unread, tuple(sorted(self.settings.items())), limits())
            self.names.foundations[leaves] = kept("foundation", rest, equal, object)
        return self.names.foundations[leaves]


def resolve(session: Session) -> Resolved:
    """Resolve the names of a project, which must declare something."""
    parameters = set_parameters(session)
    names = resolve_names(session, parameters)
    return Resolved(session.project, session.settings, session.diagnostics, parameters, names)
