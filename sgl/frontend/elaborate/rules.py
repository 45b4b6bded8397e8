"""Write out the cases of a rule: which of its clauses apply for which values of its feature variables.

A clause may end with a condition, ``de  obj Vt if o = last``.  The rule then has several cases, one for each set of
clauses that apply together; it stays one rule, with one name and one weight.  Of a text layer exactly one clause
applies.  A clause without a condition is for the rest, which the right-hand side is for the source layer.  Of a graph
layer all that apply add up.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple, TypeVar

from sgl.diagnostics import Label, Span, shortlist, suggest
from sgl.frontend.elaborate.categories import VariableTable, is_comparable
from sgl.frontend.elaborate.forms import each_layer
from sgl.frontend.elaborate.open_text import mark
from sgl.frontend.elaborate.substitution import VARIABLE, Substitution
from sgl.frontend.names.scopes import Scope
from sgl.frontend.names.signature import Signed
from sgl.lang import syntax as s

#: So many combinations of values may decide which clauses of one rule apply.
MAX_COMBINATIONS = 10_000


#: So many combinations without a clause are named.
_SHOWN = 4


_Written = TypeVar("_Written")


class RuleNames:
    """What the clauses of a rule may mention: its children and its feature variables."""

    def __init__(self, rule: s.Rule, scope: Scope, state: Signed) -> None:
        self.scope, self.state, self.variables = scope, state, VariableTable(state)
        self.children = tuple(item for item in rule.rhs if isinstance(item, s.Child))
        names = {(child.role or child.category.name).text for child in self.children}
        #: The rule with a clause of its own for each layer.
        self.rule = replace(rule, layers=each_layer(rule.layers, state, names))
        called: dict[str, list[int]] = {}
        for index in range(len(self.children)):
            called.setdefault(self.name(index).text, []).append(index)
        #: The children by the names that are those of one alone.
        self.index = {name: indices[0] for name, indices in called.items() if len(indices) == 1}
        #: What several children are called, and what of it was reported.
        self.ambiguous = called.keys() - self.index.keys()
        self.reported: set[str] = set()
        #: Where names were first mentioned that no child has.
        self.missing: dict[str, Span] = {}
        for name, (first, *others) in called.items():
            roles = [role for index in others if (role := self.children[index].role) is not None]
            if roles:
                self.reported.add(name)
                labels = [Label(self.name(first).span, f"the other `{name}`")]
                state.error("SGL0304", roles[0].span, f"two children are called `{name}`", "rename one", labels=labels)

    def write_out(self, part: _Written) -> _Written:
        """Return a clause, or a part of one, with marks in place of variables; those that are none are reported."""
        within = {id(column) for ref in s.parts_of(s.NodeRef, part) for column in s.parts_of(s.Column, ref)}
        mentioned: list[tuple[str, Span, str]] = []
        for column in s.parts_of(s.Column, part):
            hint = f"name it in the brackets of a category: `V[case={column.name}]`"
            mentioned.append((column.name.text, column.span, "" if id(column) in within else hint))
        for label in s.parts_of(s.LabelText, part):
            names = VARIABLE.findall(f"${label.text}" if label.is_set else label.text)
            mentioned += [(name, label.span, "an edge of a rule has a label, no label set") for name in names]
        known = [name for name, span, hint in mentioned if self.variables.use(name, span, hint)]
        given = {name: s.Name(mark(name), self.rule.span, quoted=True) for name in known}
        return Substitution(given, self.state).write_out(part) if given else part

    def name(self, index: int) -> s.Name:
        """Return what a child is called: its role, or else its category."""
        return self.children[index].role or self.children[index].category.name

    def find(self, name: s.Name) -> int | None:
        """Return the child that a name means; None after a report."""
        text = name.text
        if text in self.index:
            return self.index[text]
        of_category = [child for child in self.children if child.category.name.text == text]
        if text in self.ambiguous:
            if text not in self.reported:
                # Once for each rule: all mentions follow from the same children.
                self.reported.add(text)
                message = f"the rule has several children `{text}`; which of them is meant?"
                labels = [Label(child.span, f"one `{text}`") for child in of_category]
                hint = f"give them roles: `first:{text}`, `second:{text}`"
                self.state.error("SGL0304", name.span, message, hint, labels=labels)
        elif any(child.role and child.role.text in self.ambiguous for child in of_category):
            pass  # The role was reported, and may be no role.
        elif (first := self.missing.setdefault(text, name.span)) != name.span:
            self.state.diagnostics.also_at("SGL0305", first, name.span)
        else:
            self.state.error("SGL0305", name.span, f"the rule has no child `{text}`", self._hint(text, of_category))
        return None

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
        return f'a word is quoted: `"{name}"`; the children of the rule: {known}'


Values = tuple[str, ...]


_Part = s.LayerClause | s.WeightCase


@dataclass(frozen=True)
class Case:
    """What applies for the values that ``when`` tells: clauses of layers, one of the weights."""

    clauses: tuple[s.LayerClause, ...]
    weight: s.Weight | None
    sharing: int
    when: str


class Cases(NamedTuple):
    """The cases of a rule, and which of them is for which values of the ``deciding`` variables."""

    cases: tuple[Case, ...]
    deciding: tuple[str, ...]
    number: Mapping[Values, int]


@dataclass(frozen=True)
class _Choice:
    """What the variables that decide have for values, combination by combination."""

    names: RuleNames
    deciding: tuple[str, ...]

    def told(self, values: Values) -> str:
        return ", ".join(f"{name} = {value}" for name, value in zip(self.deciding, values, strict=True))

    def applying(self, parts: Iterable[_Part], values: Values) -> list[_Part]:
        holds, given = self.names.variables.holds, dict(zip(self.deciding, values, strict=True))
        return [part for part in parts if all(holds(c, given[c.column.text]) for c in part.conditions)]

    def check(self, what: str, conditional: Sequence[_Part], *, complete: bool) -> None:
        """Report clauses of a layer, or weights, of which several apply or, if they are not ``complete``, none."""
        state, missing = self.names.state, list[str]()
        for values in self.names.variables.combinations(self.deciding) if conditional else ():
            found = self.applying(conditional, values)
            if len(found) > 1:
                message = f"there is a second {what} for `{self.told(values)}`"
                hint = "let their conditions exclude one another"
                state.error("SGL0314", found[1].span, message, hint, labels=[Label(found[0].span, "here first")])
                return
            if not found and not complete:
                missing.append(f"`{self.told(values)}`")
        if missing:
            hint = "add it, or one without `if` for all other values; brackets leave values out: `N[case=acc|dat]`"
            state.error("SGL0314", conditional[-1].span, f"there is no {what} for {shortlist(missing, _SHOWN)}", hint)


def cases_of(names: RuleNames) -> Cases | None:
    """Return the cases of a rule; None after a report."""
    rule, variables, state = names.rule, names.variables, names.state
    weights = rule.weights or (s.WeightCase(rule.span, None, ()),)
    parts: list[_Part] = [*rule.layers, *weights]
    conditions = [condition for part in parts for condition in part.conditions]
    if not conditions and len(weights) == 1:
        return Cases((Case(rule.layers, weights[0].weight, 0, ""),), (), {(): 0})
    known = [_is_known(condition, variables, state) for condition in conditions]
    if not all(known):
        return None
    #: The variables that decide, in the order of their first mention.
    deciding = tuple(dict.fromkeys(condition.column.text for condition in conditions))
    if prod(len(variables.domains[name]) for name in deciding) > MAX_COMBINATIONS:
        message = f"the conditions have more than {MAX_COMBINATIONS:,} combinations of values"
        state.error("SGL0706", rule.name.span, message, "split the rule into several")
        return None
    choice, errors = _Choice(names, deciding), state.diagnostics.errors
    chosen = _chosen(choice, weights)
    if chosen is None or state.diagnostics.errors > errors:
        return None
    cases: dict[tuple[int, ...], Case] = {}
    for values, some in chosen.items():
        clauses = tuple(part for part in some if isinstance(part, s.LayerClause))
        sharing = next(i for i, weight in enumerate(weights) if any(part is weight for part in some))
        case = Case(clauses, weights[sharing].weight, sharing, choice.told(values))
        cases.setdefault(tuple(map(id, some)), case)
    order = {key: place for place, key in enumerate(cases)}
    number = {values: order[tuple(map(id, some))] for values, some in chosen.items()}
    return Cases(tuple(cases.values()), deciding, number)


def _chosen(choice: _Choice, weights: Sequence[s.WeightCase]) -> dict[Values, list[_Part]] | None:
    """Return which clauses and which weight apply for which values; what is wrong with them is reported."""
    rule, state = choice.names.rule, choice.names.state
    errors, source = state.diagnostics.errors, state.signature.source.name
    texts = [text.name for text in state.signature.text_layers]
    layers = dict.fromkeys([*texts, *(c.layer.text for c in rule.layers if "." in c.layer.text)])
    groups: list[tuple[str, Sequence[_Part]]] = [("", weights)]
    groups += [(layer, [c for c in rule.layers if c.layer.text == layer]) for layer in layers]
    parts: tuple[_Part, ...] = (*rule.layers, *weights)
    rests: list[tuple[_Part, list[_Part]]] = []
    for layer, own in groups:
        conditional, plain = [part for part in own if part.conditions], [part for part in own if not part.conditions]
        # What has no condition is for the rest; of the source layer the right-hand side is.
        rests += [(rest, conditional) for rest in plain[:1]]
        if not layer and len(plain) > 1:
            message = "the rule has two weights without a condition"
            state.error("SGL0314", plain[-1].span, message, "write `if …` behind one of them")
        what = f"clause of the layer `{layer}`" if layer else "weight"
        choice.check(what, conditional, complete=bool(plain) or layer == source)
    if state.diagnostics.errors > errors:
        return None
    found: dict[Values, list[_Part]] = {}
    for values in choice.names.variables.combinations(choice.deciding):
        idle = {id(rest) for rest, conditional in rests if choice.applying(conditional, values)}
        found[values] = [part for part in choice.applying(parts, values) if id(part) not in idle]
    used = {id(part) for some in found.values() for part in some}
    for part in (part for part in parts if id(part) not in used):
        message = "this applies for no values that the rule can have"
        if not part.conditions:
            message = "the conditions of the others leave no values for this one"
        state.error("SGL0314", part.span, message, "remove it, or correct them")
    return found


def _is_known(condition: s.Condition, variables: VariableTable, state: Signed) -> bool:
    name = condition.column
    hint = "a condition is about a variable in the brackets of a category, as in `VP[form=f]`"
    if not variables.use(name.text, name.span, hint):
        return False
    values = variables.values_of(name.text)
    strange = [value for value in condition.values if value.text not in values]
    for value in strange:
        message = f"`{value}` is not a value of `{name}`"
        state.error("SGL0402", value.span, message, suggest(value.text, values, "its values are"))
    if condition.comparison.text not in ("=", "!=") and not strange:
        features = sorted({feature for _, feature in variables.mentions[name.text]})
        return all(is_comparable(feature, condition.span, state) for feature in features)
    return not strange
