"""Write out the cases of a rule: the clauses that apply for each choice of its feature variables.

A clause may end with a condition, ``de  obj Vt if o = last``.  The rule then has several cases, one for each set of
clauses that apply together, but still one name and one weight.  For a text layer exactly one clause applies.  A clause
without a condition covers the remaining cases; for the source layer, the right-hand side does.  For a graph layer, all
applicable clauses are combined.

A rule is lowered once, and represents a rule for each choice of its feature variables.  A variable in a word, a label
or an attribute becomes a mark that no author can write, which :func:`filled` replaces by the value.  No other code
knows about variables: elsewhere a mark is just part of a text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple, TypeVar

from sgl.diagnostics import Label, Reported, Span, attempt, each, shortlist, suggest, whole
from sgl.frontend.elaborate.substitution import VARIABLE, Substitution
from sgl.frontend.elaborate.tables import completed, each_layer
from sgl.frontend.elaborate.variables import MAX_COMBINATIONS, VariableTable
from sgl.frontend.names.concord import FeatureTable
from sgl.frontend.names.scopes import Scope
from sgl.frontend.names.signature import Signed
from sgl.lang import syntax as s
from sgl.values import dataclass, replace

_MARK, _ROW, _NEXT = "\0", "\3", "\4"
_OPEN = re.compile(f"{_MARK}(.*?){_MARK}")


def mark(variable: str) -> str:
    """Return the mark for the value of a variable."""
    return f"{_MARK}{variable}{_MARK}"


def mark_of_cell(written: str, variables: Sequence[str], cells: Mapping[tuple[str, ...], str]) -> str:
    """Return what stands for a cell of a table: how it is written, its variables, and what it is for their values."""
    rows = (_NEXT.join((*values, form)) for values, form in cells.items())
    return _ROW.join((f"{_MARK}{written}", _NEXT.join(variables), *rows)) + _MARK


def _named(found: str) -> list[str]:
    """Return the variables that a mark depends on."""
    return found.split(_ROW)[1].split(_NEXT) if _ROW in found else [found]


def _value(found: str, values: Mapping[str, str]) -> str:
    if _ROW not in found:
        return values[found]
    own = [values[name] for name in _named(found)]
    rows = (row.split(_NEXT) for row in found.split(_ROW)[2:])
    return next(row[-1] for row in rows if row[:-1] == own)


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the values of its variables."""
    return _OPEN.sub(lambda found: _value(found[1], values), text) if _MARK in text else text


def shown(text: str) -> str:
    """Return a text as its author writes it, ``nmod:$p``."""
    return _OPEN.sub(lambda found: f"${found[1].partition(_ROW)[0].removeprefix('$')}", text) if _MARK in text else text


def possible(text: str, domains: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Yield what a text can be for values of its variables."""
    names = tuple(dict.fromkeys(name for found in _OPEN.findall(text) for name in _named(found)))
    for values in product(*(sorted(domains[name]) for name in names)):
        yield filled(text, dict(zip(names, values, strict=True)))


#: Maximum number of combinations without a clause to name.
_SHOWN = 4

_Written = TypeVar("_Written")


class RuleNames:
    """The names that clauses of a rule may use: its children and its feature variables."""

    def __init__(self, rule: s.Rule, scope: Scope, state: Signed) -> None:
        self.scope, self.state, self.variables = scope, state, VariableTable(state, scope)
        self.children = tuple(item for item in rule.rhs if isinstance(item, s.Child))
        names = {(child.role or child.category.name).text for child in self.children}
        #: The rule with a clause of its own for each layer.
        self.rule = replace(rule, layers=completed(each_layer(rule.layers, state, names), state.signature))
        called: dict[str, list[int]] = {}
        for index in range(len(self.children)):
            called.setdefault(self.name(index).text, []).append(index)
        #: The children by names that only one child has.
        self.index = {name: indices[0] for name, indices in called.items() if len(indices) == 1}
        #: Names of several children, and those already reported.
        self.ambiguous = called.keys() - self.index.keys()
        self.reported: set[str] = set()
        #: The first mention of each name that no child has.
        self.missing: dict[str, Span] = {}
        for name, (first, *others) in called.items():
            roles = [role for index in others if (role := self.children[index].role) is not None]
            if roles:
                self.reported.add(name)
                labels = [Label(self.name(first).span, f"the other `{name}`")]
                state.error("SGL0304", roles[0].span, f"two children are called `{name}`", "rename one", labels=labels)

    def write_out(self, part: _Written) -> _Written:
        """Return a clause, or a part of one, with marks in place of variables; report unknown variables."""
        within = {id(column) for ref in s.parts_of(s.NodeRef, part) for column in s.parts_of(s.Column, ref)}
        mentioned: list[tuple[str, Span, str]] = []
        for column in s.parts_of(s.Column, part):
            hint = f"name it in the brackets of a category: `V[case={column.name}]`"
            mentioned.append((column.name.text, column.span, "" if id(column) in within else hint))
        for label in s.parts_of(s.LabelText, part):
            names = VARIABLE.findall(f"${label.text}" if label.is_set else label.text)
            mentioned += [(name, label.span, "an edge of a rule has a label, not a label set") for name in names]
        known = [name for one in mentioned if (name := attempt(self.variables.use, *one)) is not None]
        given = {name: s.Name(mark(name), self.rule.span, quoted=True) for name in known}
        for cell in s.parts_of(s.TableCell, part):
            text = attempt(self._cell, cell)
            given |= {str(cell): s.Name(text, cell.span, quoted=True)} if text is not None else {}
        return Substitution(given, self.state).write_out(part) if given else part

    def _cell(self, cell: s.TableCell) -> str:
        """Return the form of a cell of a table, or its mark."""
        self.scope.find(s.Table, cell.table)
        table, domains = self.state.signature.tables.get(cell.table.text), self.variables.domains
        if table is None:
            self.variables.used |= domains.keys()
            raise Reported
        keys = [key.text for key in cell.keys] or self._keys(cell, table)
        # A value stands for itself.
        values = [self.state.signature.features.get(feature, ()) for feature in table.features]
        fixed = [key not in domains and key in own for key, own in zip(keys, values, strict=False)]
        places = [place for place, own in enumerate(fixed) if not own]
        each(lambda at: self.variables.use(keys[at], cell.keys[at].span if cell.keys else cell.span), places)
        found = table.cells(cell, [sorted(domains.get(key, [key])) for key in keys], self.state)
        if not places:
            return next(iter(found.values()))
        cells = {tuple(values[place] for place in places): form for values, form in found.items()}
        return mark_of_cell(str(cell), [keys[place] for place in places], cells)

    def _keys(self, cell: s.TableCell, table: FeatureTable) -> list[str]:
        """Return what a cell that names no keys is looked up by: for each feature what has it."""
        keys = list[str]()
        for feature in table.features:
            of = [name for name, own in self.variables.mentions.items() if any(feature == other for _, other in own)]
            of = of or self._only(feature)
            if len(of) != 1:
                several = f": {' or '.join(f'`{name}`' for name in of)}" if of else ""
                hint = f"name variables of the rule: `${cell.table}[{', '.join(table.features)}].{cell.column}`"
                message = f"which value of `{feature}` is meant in `{cell}`{several}?"
                self.state.fail("SGL0404", cell.span, message, hint)
            keys += of
        return keys

    def _only(self, feature: str) -> list[str]:
        """Return the values of a feature that the brackets of the rule name."""
        settings = s.parts_of(s.Setting, (self.rule.lhs, *(child.category for child in self.children)))
        names = (str(name) for own in settings if own.feature.text == feature for name in own.values)
        return [*dict.fromkeys(names)]

    def name(self, index: int) -> s.Name:
        """Return the name of a child: its role, or otherwise its category."""
        return self.children[index].role or self.children[index].category.name

    def find(self, name: s.Name) -> int:
        """Return the index of the child with this name."""
        text = name.text
        if text in self.index:
            return self.index[text]
        of_category = [child for child in self.children if child.category.name.text == text]
        if text in self.ambiguous:
            if text not in self.reported:
                # Report it once per rule: all mentions have the same cause.
                self.reported.add(text)
                message = f"the rule has several children `{text}`; which of them is meant?"
                labels = [Label(child.span, f"one `{text}`") for child in of_category]
                hint = f"give them roles: `first:{text}`, `second:{text}`"
                self.state.error("SGL0304", name.span, message, hint, labels=labels)
        elif any(child.role and child.role.text in self.ambiguous for child in of_category):
            pass  # The role was reported, and may not be a role.
        elif (first := self.missing.setdefault(text, name.span)) != name.span:
            self.state.diagnostics.also_at("SGL0305", first, name.span)
        else:
            self.state.error("SGL0305", name.span, f"the rule has no child `{text}`", self._hint(text, of_category))
        raise Reported

    def _hint(self, name: str, of_category: Sequence[s.Child]) -> str:
        role = next((child.role for child in of_category if child.role is not None), None)
        if role is not None:
            return f"the `{name}` of this rule is called `{role}`"
        known = ", ".join(f"`{known}`" for known in self.index) or "none"
        if name in ("else", "otherwise"):
            return "for all other values write the clause without a condition"
        near = suggest(name, self.index)
        if near or name[:1].isupper():
            return near or f"its children: {known}"
        return f'quote a word: `"{name}"`; the children of the rule are: {known}'


Values = tuple[str, ...]

_Part = s.LayerClause | s.WeightCase


@dataclass(frozen=True)
class Case:
    """The clauses of layers and the weight that apply for the values described by ``when``."""

    clauses: tuple[s.LayerClause, ...]
    weight: s.Weight | None
    sharing: int
    when: str


class Cases(NamedTuple):
    """The cases of a rule; ``number`` gives the case for each choice of the ``deciding`` variables."""

    cases: tuple[Case, ...]
    deciding: tuple[str, ...]
    number: Mapping[Values, int]


@dataclass(frozen=True)
class _Group:
    """The weights of a rule, or its clauses for a layer: ``several`` apply for a graph layer, otherwise one."""

    what: str
    parts: Sequence[_Part]
    several: bool
    #: Whether a part without a condition covers the rest; for the source layer, the right-hand side does.
    has_rest: bool
    variables: VariableTable

    def applying(self, given: Mapping[str, str]) -> list[_Part]:
        """Return the parts that apply for these values; unless ``several`` do, those with conditions come first."""
        holds = self.variables.holds
        found = [part for part in self.parts if all(holds(condition, given) for condition in part.conditions)]
        return found if self.several else [part for part in found if part.conditions] or found[:1]

    def check(self, table: Sequence[Mapping[str, str]]) -> None:
        """Report choices of values for which several parts apply, or none."""
        state, missing = self.variables.state, list[str]()
        for given in table if not self.several and any(part.conditions for part in self.parts) else ():
            found = self.applying(given)
            if len(found) > 1:
                message = f"there is a second {self.what} for `{_told(given)}`"
                hint = "let their conditions exclude one another"
                state.error("SGL0314", found[1].span, message, hint, labels=[Label(found[0].span, "here first")])
                return
            if not found and not self.has_rest:
                missing.append(f"`{_told(given)}`")
        if missing:
            last = [part for part in self.parts if part.conditions][-1]
            hint = "add it, or one without `if` for all other values; brackets exclude values: `N[case=acc|dat]`"
            state.error("SGL0314", last.span, f"there is no {self.what} for {shortlist(missing, _SHOWN)}", hint)


def _told(given: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in given.items())


def cases_of(names: RuleNames) -> Cases:
    """Return the cases of a rule."""
    rule, variables, state = names.rule, names.variables, names.state
    weights = rule.weights or (s.WeightCase(rule.span, None, ()),)
    parts: list[_Part] = [*rule.layers, *weights]
    conditions = [condition for part in parts for condition in part.conditions]
    tests = each(variables.test, conditions)
    #: The deciding variables, in order of first mention.
    deciding = tuple(dict.fromkeys(name for test in tests for name in (test.left, *sorted(test.inputs))))
    if prod(len(variables.domains[name]) for name in deciding) > MAX_COMBINATIONS:
        message = f"the conditions have more than {MAX_COMBINATIONS:,} combinations of values"
        state.fail("SGL0706", rule.name.span, message, "split the rule into several")
    table = [dict(zip(deciding, values, strict=True)) for values in variables.combinations(deciding)]
    with whole(state.diagnostics):
        groups = _groups(rule, weights, variables)
        for group in groups:
            group.check(table)
    found = _cases(groups, table, deciding, weights)
    used = {id(part) for case in found.cases for part in (*case.clauses, weights[case.sharing])}
    with whole(state.diagnostics):
        _report_idle([part for part in parts if id(part) not in used], state)
    return found


def _cases(
    groups: Sequence[_Group],
    table: Sequence[Mapping[str, str]],
    deciding: tuple[str, ...],
    weights: Sequence[s.WeightCase],
) -> Cases:
    cases: dict[tuple[int, ...], Case] = {}
    number: dict[Values, int] = {}
    for given in table:
        some = [part for group in groups for part in group.applying(given)]
        clauses = tuple(part for part in some if isinstance(part, s.LayerClause))
        sharing = next(i for i, weight in enumerate(weights) if any(part is weight for part in some))
        key = tuple(map(id, some))
        cases.setdefault(key, Case(clauses, weights[sharing].weight, sharing, _told(given)))
        number[tuple(given.values())] = [*cases].index(key)
    return Cases(tuple(cases.values()), deciding, number)


def _groups(rule: s.Rule, weights: Sequence[s.WeightCase], variables: VariableTable) -> list[_Group]:
    state, plain = variables.state, [weight for weight in weights if not weight.conditions]
    if len(plain) > 1:
        message = "the rule has two weights without a condition"
        state.error("SGL0314", plain[-1].span, message, "add `if …` to one of them")
    found = [_Group("weight", weights, False, bool(plain), variables)]
    for layer in dict.fromkeys(clause.layer.text for clause in rule.layers):
        clauses = [clause for clause in rule.layers if clause.layer.text == layer]
        several = any(graph.name == layer for graph in state.signature.graph_layers)
        source = layer == state.signature.source.name or state.signature.is_like_source(layer)
        has_rest = source or not all(clause.conditions for clause in clauses)
        found.append(_Group(f"clause of the layer `{layer}`", clauses, several, has_rest, variables))
    return found


def _report_idle(parts: Sequence[_Part], state: Signed) -> None:
    for part in parts:
        message = "this never applies: the rule cannot have these values"
        if not part.conditions:
            message = "the other conditions leave no values for this one"
        state.error("SGL0314", part.span, message, "remove it, or correct them")
