"""Resolve each name in the files of a grammar by one table: the `means` of ``kinds.yaml``.

For each field of a syntax tree, it says what kinds of things its name can mean.  Definitions, references, renaming,
colours and completions follow from it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from typing import Any, NamedTuple, TypeVar

import yaml

from sgl.diagnostics import Diagnostics, SourceFile, SourceMap, Span
from sgl.frontend.names.kinds import KINDS
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
from sgl.lang.project import Project, Unit, locate, read_file
from sgl.lang.tables import KINDS as OF
from sgl.lang.yaml_files import MalformedTable, YamlFile, YamlNode

_Value = TypeVar("_Value")
TABLES: Mapping[str, Any] = yaml.safe_load(files("sgl_editor.lsp").joinpath("kinds.yaml").read_text("utf-8"))
#: The kinds of declared things, and of things local to one declaration; other kinds are whatever is mentioned.
DECLARED = (*(name.replace(" ", "_") for name in KINDS.values()), "param")
LOCAL = ("role", "variable", "parameter", "number", "node")


class Symbol(NamedTuple):
    """A thing with a name, its kind and its home.

    The home is its file, the feature of a value, the table of a column, or the declaration of a local thing.
    """

    kind: str
    name: str
    home: str = ""


class Site(NamedTuple):
    """A place where a name is written, and whether the name is declared there."""

    span: Span
    symbol: Symbol
    declares: bool = False


class NameUse(NamedTuple):
    """A name in a syntax tree, with its field and the nodes above it, outermost first."""

    name: s.Name
    field: str
    above: tuple[s.SyntaxNode, ...]

    def entry(self, table: str, otherwise: _Value) -> _Value:
        """Return a table's entry for the field, preferring one for the node's first part or for the node above."""
        node, above = self.above[-1], type(self.above[-2]).__name__ if len(self.above) > 1 else ""
        told = getattr(node, list(type(node).__dataclass_fields__)[1]) or ""
        keys = (f"{self.field} {told}", f"{self.field} in {above}", self.field)
        return next((TABLES[table][key] for key in keys if key in TABLES[table]), otherwise)

    @property
    def kinds(self) -> list[str]:
        """The kinds of things that it can mean."""
        node, kinds = self.above[-1], self.entry("means", "").split()
        if node is self.above[0] and named(node) is self.name:
            return [f"{kind_of(node)}!"]
        # A number is not a name, nor is the node of a quoted lemma.
        tests = getattr(node, "tests", ())
        if self.name.text[:1].isdigit() or (tests and tests[0].span == self.name.span):
            return []
        return kinds if not self.name.quoted or {*kinds} & {"file", "lemma", "lemma!", "value"} else []


def kind_of(declaration: s.SyntaxNode) -> str:
    """Return the kind of a declaration."""
    return KINDS.get(type(declaration), type(declaration).__name__.lower()).replace(" ", "_")


def named(declaration: s.SyntaxNode) -> s.Name | None:
    """Return the name that a declaration gives to something."""
    return declaration.name if isinstance(declaration, s.NamedDeclaration | s.Param) else None


def uses_in(node: object, field: str = "", above: tuple[s.SyntaxNode, ...] = ()) -> Iterator[NameUse]:
    """Yield all names in a part of a syntax tree."""
    if isinstance(node, tuple):
        for part in node:
            yield from uses_in(part, field, above)
    elif isinstance(node, s.Name):
        yield from _pieces(NameUse(node, field, above))
    elif isinstance(node, s.LabelText):
        # `nsubj:pass`, the set `$SUBJ`, the variable of `nmod:$prep`, or a parameter's argument.
        head, dollar, variable = node.text.partition("$")
        text, field = (variable, "variable") if dollar else (head.removeprefix("~"), "set" if node.is_set else "label")
        field = "argument" if field == "label" and any(isinstance(one, s.Application) for one in above) else field
        span = replace(node.span, start=node.span.end - len(text))
        yield NameUse(s.Name(text, span), f"LabelText.{field}", (*above, node))
    elif isinstance(node, s.SyntaxNode):
        for name in type(node).__dataclass_fields__:
            if name != "span":
                yield from uses_in(getattr(node, name), f"{type(node).__name__}.{name}", (*above, node))


def _pieces(use: NameUse) -> Iterator[NameUse]:
    (head, dot, part), span = use.name.text.partition("."), use.name.span
    if not dot or use.name.quoted or head.isdigit() or span.end - span.start != len(use.name.text):
        yield use
        return
    field = "LayerClause.layer" if use.field == "Port.name" else use.field
    yield use._replace(name=s.Name(head, replace(span, end=span.start + len(head))), field=field)
    yield use._replace(name=s.Name(part, replace(span, start=span.end - len(part))), field="NodeRef.port")


class Names:
    """The names of a project and their places."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.units = {unit.file.name: unit for unit in project.units}
        self._of: dict[str, tuple[Site, ...]] = {}
        for unit in project.units:
            kinds = s.Lexicon | s.Relation | s.Table | s.Weights  # also those that a `when` switches off
            for one in (d for d in unit.file.declarations if isinstance(d, kinds)):
                name, path = path_in(unit, one.path), unit.path.parent / one.path.text
                if name and name not in project.sources.files:
                    read_file(path, name, None, MAX_TABLE, project.sources, Diagnostics())

    @cached_property
    def _declared(self) -> Mapping[tuple[str, str], s.Declaration]:
        # A name of a kind is declared once; of two in the library and here, the one here counts.
        declared = (one for unit in self.units.values() for one in unit.file.declarations)
        return {(kind_of(one), name.text): one for one in declared if (name := named(one)) is not None}

    def find(self, kind: str, name: str) -> s.Declaration | None:
        """Return the declaration of a name, whether in force or not."""
        return self._declared.get((kind, name))

    def symbol(self, kind: str, name: str) -> Symbol:
        """Return the thing that a name of a kind means."""
        found = self.find(kind, name)
        return Symbol(kind, name, found.span.file if found is not None else "")

    @cached_property
    def features(self) -> Mapping[str, tuple[str, ...]]:
        """The values of all features."""
        declared = self.project.declarations(s.Feature)
        return {one.name.text: tuple(value.name.text for value in one.values) for one in declared}

    @cached_property
    def tables(self) -> Mapping[str, str]:
        """For each table and block of forms, the first table that shares its columns."""
        tables = (path_in(self.units[one.span.file], one.path) for one in self.project.declarations(s.Table))
        first: dict[str, str] = {table: table for table in tables}
        for lexicon in self.project.declarations(s.Lexicon):
            table = path_in(self.units[lexicon.span.file], lexicon.path)
            joined = [table, *(f"forms {use.name}" for use in lexicon.entries if isinstance(use, s.FormsUse))]
            old = {first.get(one, table) for one in joined}
            first |= dict.fromkeys((*joined, *(one for one, home in first.items() if home in old)), min(old))
        return first

    def table(self, declaration: s.SyntaxNode) -> str:
        """Return the first table that has the columns named by a lexicon or a block of forms."""
        if isinstance(declaration, s.Lexicon | s.Table):
            return self.tables[path_in(self.units[declaration.span.file], declaration.path)]
        return self.tables.get(f"forms {declaration.name}", "") if isinstance(declaration, s.Forms) else ""

    def of(self, file: str) -> tuple[Site, ...]:
        """Return all places of names in a file, in order."""
        if file not in self._of:
            found: list[Site] = [] if file in self.units else list(_in_table(self, file))
            for declaration in self.units[file].file.declarations if file in self.units else ():
                uses = [use for use in uses_in(declaration) if use.kinds]
                local = self.locals(declaration, uses)
                found += [self._site(use, local) for use in uses]
            real = (site._replace(span=self.project.sources.real(site.span)) for site in found)
            self._of[file] = tuple(sorted(real, key=lambda site: site.span.start))
        return self._of[file]

    def everywhere(self) -> Iterator[Site]:
        """Yield all places of names, including those in tables."""
        for file in self.project.sources.files:
            yield from self.of(file)

    def locals(self, declaration: s.SyntaxNode, uses: Iterable[NameUse] | None = None) -> Mapping[str, str]:
        """Return the kinds of the local things in a declaration, by name."""
        found: dict[str, str] = {}
        for use in uses_in(declaration) if uses is None else uses:
            kind = (use.kinds or [""])[-1].removesuffix("!")
            value = use.name.text in self.features.get(self.feature(use), ())
            if kind in LOCAL and (kind != "variable" or (isinstance(declaration, s.Rule) and not value)):
                found.setdefault(use.name.text, kind)
        return found

    def feature(self, use: NameUse) -> str:
        """Return the feature that a value belongs to."""
        declaration = use.above[0]
        match next(part for part in reversed(use.above) if not isinstance(part, s.Computed | s.Choice)):
            case s.Setting() as setting:
                return setting.feature.text
            case s.FeatureValue() if isinstance(declaration, s.Feature):
                return declaration.name.text
            case s.Condition() as condition if isinstance(declaration, s.Rule):
                settings = s.parts_of(s.Setting, declaration)
                of = (one for one in settings if condition.column.text in map(str, one.values))
                return next((setting.feature.text for setting in of), "")
        return ""

    def _site(self, use: NameUse, local: Mapping[str, str]) -> Site:
        # Take the first of its kinds that exists, or else the last.
        span = use.name.span
        if use.name.quoted:
            span = replace(span, start=span.start + 1, end=span.end - 1)
        for kind in DECLARED if use.kinds == ["any"] else use.kinds:
            symbol = self._symbol(kind.removesuffix("!"), use, local)
            if symbol is not None:
                return Site(span, symbol, kind.endswith("!"))
        return Site(span, Symbol(use.kinds[-1].removesuffix("!"), use.name.text), named(use.above[0]) is use.name)

    def _symbol(self, kind: str, use: NameUse, local: Mapping[str, str]) -> Symbol | None:
        name, declaration = use.name.text, use.above[0]
        unit, feature = self.units[declaration.span.file], self.feature(use)
        if kind in ("local", *LOCAL):
            home = f"{unit.file.name}:{declaration.span.start}"
            return Symbol(local[name], name, home) if kind in ("local", local.get(name)) and name in local else None
        if kind == "value":
            return Symbol(kind, name, feature) if name in self.features.get(feature, ()) else None
        if kind == "column":
            return Symbol(kind, name, self.table(declaration))
        if kind == "file":
            used = (one.file.name for node, one in unit.uses if node is declaration)
            return Symbol(kind, next(used, path_in(unit, use.name)))
        found = self.symbol(kind, name) if kind in DECLARED else Symbol(kind, name)
        return found if found.home or kind not in DECLARED else None


def path_in(unit: Unit, written: s.Name) -> str:
    """Return the display name of a file that another file mentions, or "" if a grammar may not read it."""
    found = locate(unit.root, unit.path.parent, written.text, None, SourceMap(), Diagnostics())
    return unit.root.display(found) if found is not None else ""


def is_library(file: str) -> bool:
    """Return whether a file belongs to the standard library."""
    return file.startswith("stdlib/")


#: The names in files of weights: categories with feature values, and rules and lexicons below them.
_WEIGHTED = re.compile(
    r"(?<![\w:=])(?P<category>[A-Z]\w*)(?=[\[ :\"'])|(?<=[\[ ])(?P<feature>\w+)=(?P<value>\w+)"
    r"|(?<=\n    )(?P<rule>\w+)(?=:)"
)


def _in_table(names: Names, file: str) -> Iterator[Site]:
    """Yield the places of names in a YAML file, or none if it cannot be read."""
    source, units = names.project.sources.files[file], names.units.values()
    weights = ((unit, one) for unit in units for one in unit.file.declarations if isinstance(one, s.Weights))
    if any(path_in(unit, one.path) == file for unit, one in weights):
        yield from _weights(names, source)
    elif file.endswith((".yaml", ".yml")):
        with suppress(yaml.YAMLError, MalformedTable):
            yield from _cells(names, YamlFile(source))


def _cells(names: Names, file: YamlFile) -> Iterator[Site]:
    home = names.tables.get(file.source.name, "")
    reading = tuple(one for one in names.project.declarations(s.NamedDeclaration) if home and names.table(one) == home)
    features = {
        column.name.text: setting.feature.text
        for setting in s.parts_of(s.Setting, reading)
        for column in s.parts_of(s.Column, setting)
    }
    for table in (one for one in reading if isinstance(one, s.Table)):
        # A table that is a function has its values in the column of their feature.
        features |= {feature.text: feature.text for feature in table.features}
        features |= {column.text: feature.text for column, feature in zip(table.columns, table.features, strict=True)}
    for key, value in (pair for root in file.documents() for pair in _pairs(root)):
        if home and key.text:
            yield Site(_bare(file, key), Symbol("column", key.text, home), declares=True)
        if value.text and (feature := features.get(key.text or "")):
            yield Site(_bare(file, value), Symbol("value", value.text, feature))
        for kind in value.items or () if key.text == OF else ():
            yield Site(_bare(file, kind), names.symbol("word_set", kind.text or ""))


def _pairs(node: YamlNode) -> Iterator[tuple[YamlNode, YamlNode]]:
    for item in node.items or ():
        yield from _pairs(item)
    for key, value in node.pairs or ():
        yield key, value
        yield from _pairs(value)


def _bare(file: YamlFile, node: YamlNode) -> Span:
    span = file.place(node)
    quoted = file.source.text[span.start : span.start + 1] in ('"', "'")
    return replace(span, start=span.start + 1, end=span.end - 1) if quoted else span


def _weights(names: Names, source: SourceFile) -> Iterator[Site]:
    for found in _WEIGHTED.finditer(re.sub("#.*", lambda comment: " " * len(comment[0]), source.text)):
        for kind, name in ((kind, name) for kind, name in found.groupdict().items() if name):
            lexicon = kind == "rule" and names.find(kind, name) is None
            symbol = names.symbol("lexicon" if lexicon else kind, name)
            symbol = Symbol(kind, name, found["feature"]) if kind == "value" else symbol
            if symbol.home:
                yield Site(source.span(*found.span(kind)), symbol)
