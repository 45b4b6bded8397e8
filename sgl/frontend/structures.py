"""Lower graph patterns: chains and repetitions become variables, edges and paths.

The body of a ``repeat`` is written out once for each time, with new variables::

    repeat 2 N..M { N -[acl:relcl]-> V; V -[nsubj]-> M }
    N -[acl:relcl]-> V_1; V_1 -[nsubj]-> M_1;  M_1 -[acl:relcl]-> V_2; V_2 -[nsubj]-> M

No new name is used elsewhere in the structure, nor in another of its bodies: a
``without`` body shares a variable with the first body only where the author does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sgl.core import structure as c
from sgl.diagnostics import Label, Span, suggest
from sgl.frontend.names import Scope
from sgl.frontend.state import CompilerState
from sgl.frontend.vocabulary import StructureContext
from sgl.lang import syntax as s

#: A `repeat` or a path may not be longer than this.
MAX_REPEAT = 40
_TOO_LONG = f"a structure repeats at most {MAX_REPEAT} times"
#: Nor may a structure have more edges and paths than this.
MAX_EDGES = 400


def lower_structure(ref: s.GraphRef, scope: Scope, context: StructureContext) -> c.Structure | None:
    """Return the structure that a clause writes or names; None after a report."""
    if isinstance(ref, s.Name):
        declaration = scope.find(s.StructureDecl, ref)
        if declaration is None:
            return None
        ref, scope = declaration.graph, scope.where(declaration)
    errors = context.state.diagnostics.errors
    _check_locals(ref, context.state)
    names = _NewNames({name for body in ref.bodies for name in _variables(body)})
    bodies = [_BodyLowering(scope, context, names).run(body) for body in ref.bodies]
    if context.state.diagnostics.errors > errors:
        return None
    return c.Structure(context.layer, bodies[0], tuple(bodies[1:]))


@dataclass
class _NewNames:
    """Supplies ``V_1``, ``V_2``, … for copies of ``V``, each once in a structure."""

    taken: set[str]
    last: dict[str, int] = field(default_factory=dict)

    def like(self, name: str) -> str:
        """Return a name that nothing in the structure has."""
        number = self.last.get(name, 0) + 1
        while f"{name}_{number}" in self.taken:
            number += 1
        self.last[name] = number
        self.taken.add(f"{name}_{number}")
        return f"{name}_{number}"


@dataclass
class _BodyLowering:
    scope: Scope
    context: StructureContext
    names: _NewNames
    order: dict[str, int] = field(default_factory=dict)
    tests: dict[str, list[c.NodeTest]] = field(default_factory=dict)
    degrees: dict[str, list[c.DegreeTest]] = field(default_factory=dict)
    edges: list[c.EdgeAtom] = field(default_factory=list)
    paths: list[c.PathAtom] = field(default_factory=list)

    def run(self, body: s.BodyPattern) -> c.Body:
        self._statements(body, {})
        if self._full():
            self._error(body.span, f"a structure has at most {MAX_EDGES} edges")
        variables = tuple(
            c.Variable(
                name,
                tuple(dict.fromkeys(self.tests[name])),
                tuple(dict.fromkeys(self.degrees[name])),
            )
            for name in self.order
        )
        return c.Body(variables, tuple(dict.fromkeys(self.edges)), tuple(self.paths))

    def _statements(self, body: s.BodyPattern, renaming: Mapping[str, str]) -> None:
        for statement in body.statements:
            if isinstance(statement, s.Chain):
                self._chain(statement, renaming)
            else:
                self._repeat(statement, renaming)

    def _repeat(self, repeat: s.Repeat, renaming: Mapping[str, str]) -> None:
        times = self.context.state.parameters.whole(repeat.times, 1)
        if times is None:
            return
        if times > MAX_REPEAT:
            self._error(repeat.times.span, _TOO_LONG)
            return
        inner = set(_variables(repeat.body))
        for end in (repeat.first, repeat.last):
            if end.text not in inner:
                message = f"`{end}` does not occur between the braces of this `repeat`"
                self._error(end.span, message)
                return
        inner -= {repeat.first.text, repeat.last.text}
        current = renaming.get(repeat.first.text, repeat.first.text)
        for step in range(times):
            if self._full():
                return
            copy = {name: self.names.like(name) for name in sorted(inner)}
            final = renaming.get(repeat.last.text, repeat.last.text)
            following = final if step == times - 1 else self.names.like(repeat.last.text)
            copy[repeat.first.text], copy[repeat.last.text] = current, following
            self._statements(repeat.body, copy)
            current = following

    def _full(self) -> bool:
        return len(self.edges) + len(self.paths) > MAX_EDGES

    def _chain(self, chain: s.Chain, renaming: Mapping[str, str]) -> None:
        nodes = [self._variable(variable, renaming) for variable in chain.variables]
        for edge, source, target in zip(chain.edges, nodes, nodes[1:], strict=False):
            labels = self._labels(edge.labels)
            if not edge.bounded:
                self.edges.append(c.EdgeAtom(source, labels, target))
                continue
            bounds = self._bounds(edge)
            if bounds is not None:
                self.paths.append(c.PathAtom(source, labels, target, *bounds))

    def _bounds(self, edge: s.EdgePattern) -> tuple[int, int | None] | None:
        parameters = self.context.state.parameters
        low = parameters.whole(edge.low, 1) if edge.low else None
        high = parameters.whole(edge.high, 1) if edge.high else None
        if low is None or (edge.high is not None and high is None):
            return None
        if max(low, high or 0) > MAX_REPEAT:
            self._error((edge.high or edge.low or edge).span, _TOO_LONG)
            return None
        if high is not None and high < low:
            self._error(edge.span, f"a path of {low} to {high} edges is impossible")
            return None
        return low, high

    def _variable(self, ref: s.VariableRef, renaming: Mapping[str, str]) -> int:
        name = renaming.get(ref.name.text, ref.name.text)
        index = self.order.setdefault(name, len(self.order))
        tests = self.tests.setdefault(name, [])
        degrees = self.degrees.setdefault(name, [])
        for test in ref.tests:
            if isinstance(test, s.AttributeTest):
                lowered = self._attribute_test(test)
                if lowered is not None:
                    tests.append(lowered)
            else:
                number = self.context.state.parameters.whole(test.number)
                comparison = test.comparison.text
                if comparison == "!=":
                    self._error(test.comparison.span, "a count is tested with `=`, `>=` or `<=`")
                elif number is not None:
                    kind: c.Comparison = (
                        "=" if comparison == "=" else ">=" if comparison == ">=" else "<="
                    )
                    degrees.append(c.DegreeTest(self._labels(test.labels), kind, number))
        return index

    def _error(self, span: Span, message: str) -> None:
        self.context.state.error("SGL0801", span, message)

    def _attribute_test(self, test: s.AttributeTest) -> c.NodeTest | None:
        attribute = test.attribute.text
        values = self._values(test)
        if values is None:
            return None
        known = self.context.words.attributes
        if self.context.words.complete:
            if attribute not in known:
                message = f"no word has the attribute `{attribute}`"
                self._unknown("SGL0808", test.attribute, message, known)
                return None
            is_targets = test.word_set is not None and test.word_set.text == "targets"
            strange = [v for v in values if v.text not in known[attribute] and not is_targets]
            for value in strange:
                message = f"no word has `{attribute}={value}`"
                self._unknown("SGL0808", value, message, known[attribute])
        return c.NodeTest(attribute, frozenset(v.text for v in values), test.negated)

    def _values(self, test: s.AttributeTest) -> tuple[s.Name, ...] | None:
        if test.word_set is None:
            return test.values
        name = test.word_set
        if name.text == "targets":
            if self.context.targets is None:
                self.context.state.error(
                    "SGL0201",
                    name.span,
                    "`@targets` means the words of a pattern's `targets` clause; there is none",
                    "add `targets …` to the pattern",
                )
                return None
            return tuple(s.Name(text, name.span) for text in self.context.targets)
        declaration = self.scope.find(s.WordSet, name)
        return declaration.values if declaration is not None else None

    def _labels(self, labels: s.LabelSet) -> c.LabelTest:
        names: set[str] = set()
        for label in labels.labels:
            if label.is_set:
                names.update(self._label_set(label))
            else:
                self._check_label(label)
                names.add(label.text)
        return c.LabelTest(frozenset(names), labels.negated)

    def _label_set(self, label: s.LabelText) -> Iterable[str]:
        """Return a declared set; one of the library may have labels that the grammar lacks."""
        declaration = self.scope.find(s.Labels, s.Name(label.text, label.span))
        if declaration is None:
            return ()
        words, diagnostics = self.context.words, self.context.state.diagnostics
        if words.complete and not self.scope.where(declaration).unit.is_library:
            for value in declaration.values:
                if value.text not in words.labels:
                    diagnostics.warning(
                        "SGL0807",
                        value.span,
                        f"no rule makes an edge `{value.text}`",
                        notes=(f"so it adds nothing to the set `{declaration.name}`",),
                        hint=_hint(value.text, words.labels),
                    )
        return [value.text for value in declaration.values]

    def _check_label(self, label: s.LabelText) -> None:
        if "$" in label.text:
            message = f"a structure has no feature variables, and `{label.text}` contains one"
            hint = "list the labels, `-[nmod:in|nmod:on]->`, or declare a set with `labels`"
            self.context.state.error("SGL0404", label.span, message, hint)
            return
        if self.context.words.complete and label.text not in self.context.words.labels:
            self._unknown(
                "SGL0807",
                s.Name(label.text, label.span),
                f"no rule makes an edge `{label.text}`",
                self.context.words.labels,
            )

    def _unknown(self, code: str, name: s.Name, message: str, known: Iterable[str]) -> None:
        hint = _hint(name.text, known)
        self.context.state.error(
            code, name.span, message, hint, notes=("so the structure could never be found",)
        )


def _hint(name: str, known: Iterable[str]) -> str:
    """Return the name that may have been meant, or else some of those that there are."""
    known = sorted(known)
    shown = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
    return suggest(name, known) or (f"there is: {shown}" if known else "")


def variables_of(ref: s.GraphRef, scope: Scope) -> tuple[tuple[str, ...], ...]:
    """Return for each body of a structure the variables by which others may speak of its nodes.

    Those inside a ``repeat`` are not among them, its ends are.
    """
    if isinstance(ref, s.Name):
        declaration = scope.peek(s.StructureDecl, ref.text)
        if declaration is None:
            return ()
        ref = declaration.graph
    return tuple(tuple(dict.fromkeys(n.text for n in _visible(body))) for body in ref.bodies)


def _variables(body: s.BodyPattern) -> Iterable[str]:
    for statement in body.statements:
        if isinstance(statement, s.Chain):
            yield from (variable.name.text for variable in statement.variables)
        else:
            yield from (statement.first.text, statement.last.text)
            yield from _variables(statement.body)


def _check_locals(pattern: s.GraphPattern, state: CompilerState) -> None:
    """Report variables inside a ``repeat`` that also stand outside it.

    Only the two ends of a ``repeat`` are seen from outside; every other variable
    of its body is another node each time.
    """
    outside: dict[str, Span] = {}
    for body in pattern.bodies:
        for name in _visible(body):
            outside.setdefault(name.text, name.span)
    for body in pattern.bodies:
        _check_repeats(body, outside, state)


def _check_repeats(body: s.BodyPattern, outside: Mapping[str, Span], state: CompilerState) -> None:
    for repeat in body.statements:
        if isinstance(repeat, s.Chain):
            continue
        inside: dict[str, Span] = {}
        for name in _visible(repeat.body):
            inside.setdefault(name.text, name.span)
        ends = (repeat.first.text, repeat.last.text)
        for variable, span in inside.items():
            if variable in outside and variable not in ends:
                state.error(
                    "SGL0801",
                    span,
                    f"`{variable}` cannot be the same node inside and outside this `repeat`",
                    "give one of the two another name",
                    labels=[Label(outside[variable], "this is outside")],
                    notes=("of its variables only the two ends are seen from outside",),
                )
        _check_repeats(repeat.body, {**inside, **outside}, state)


def _visible(body: s.BodyPattern) -> Iterator[s.Name]:
    """Yield the variables of a body without those inside its repeats."""
    for statement in body.statements:
        if isinstance(statement, s.Chain):
            yield from (variable.name for variable in statement.variables)
        else:
            yield from (statement.first, statement.last)
