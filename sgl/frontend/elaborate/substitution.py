"""Replace parameters by arguments in any part of a syntax tree: structures, quotas, ranges and forms.

Abbreviations are written out, and then read like an author's own text.  In structures and quotas, a parameter is
written ``n`` for a number, ``$label`` for labels or words, ``@pets`` for a set of words, and with a capital letter for
a node; in forms, ``$class`` is a column or a text.  Names in an argument are resolved in its own file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, count
from typing import Any, NoReturn, TypeVar

from sgl.diagnostics import Label, attempt, each, suggested
from sgl.frontend.names.kinds import KINDS
from sgl.frontend.names.parameters import Session
from sgl.frontend.names.scopes import Resolved, Scope
from sgl.lang import syntax as s
from sgl.values import dataclass, replace

#: The notation of each kind of parameter.
_WRITTEN = {
    "labels": "labels have no quotes: `nmod`, `nsubj|obj`, `*`",
    "a number": "write `3`, or a parameter: `depth`, `depth+1`",
    "words": 'write `"dog"`, `"dog"|"cat"`, or a set: `@pets`',
}

#: A variable in a label.
VARIABLE = re.compile(r"\$(\w+)")

#: The fields with nodes of a structure.
_NODES: dict[type, tuple[str, ...]] = {
    s.VariableRef: ("name",),
    s.Repeat: ("first", "last"),
    s.Sameness: ("first", "second"),
}

_Written = TypeVar("_Written")
_Node = TypeVar("_Node", bound=s.SyntaxNode)


@dataclass
class Substitution:
    """The replacements of parameters by name."""

    given: Mapping[str, s.Argument | s.Expression]
    state: Session

    def write_out(self, part: _Written) -> _Written:
        """Return a part of a syntax tree with arguments in place of parameters."""
        return self._written(part)  # type: ignore[no-any-return]

    def _written(self, part: Any) -> Any:  # noqa: ANN401
        match part:
            case tuple():
                return tuple(each(self._written, part))
            case s.Amount():
                return self._amount(part)
            case s.Column():
                return self.given.get(part.name.text, part)
            case s.LabelSet():
                return self._labels(part)
            case s.TableCell():
                return self.given.get(str(part), part)
            case s.Application():
                return replace(part, arguments=tuple(map(self._argument, part.arguments)))
            case s.AttributeTest():
                return self._test(part)
            case s.NodeRef() if part.name.quoted:
                return replace(self._within(part), name=self._word(part.name))
            case s.SyntaxNode():
                return self._within(part)
        return part

    def _within(self, part: _Node) -> _Node:
        names = s.fields_of(type(part))  # type: ignore[arg-type]
        nodes = _NODES.get(type(part), ())
        written = each(lambda name: (self._node if name in nodes else self._written)(getattr(part, name)), names)
        parts: dict[str, Any] = dict(zip(names, written, strict=True))
        return replace(part, **parts)

    def _word(self, name: s.Name) -> s.Name:
        """Return a quoted word, or for ``"$f"`` the word that is the argument."""
        argument = self.given.get(name.text[1:]) if name.text.startswith("$") else None
        return argument if isinstance(argument, s.Name) else name

    def _argument(self, argument: s.Argument) -> Any:  # noqa: ANN401
        name = _only_label(argument)
        named = self.given.get(name.text) if name is not None else None
        return self.write_out(argument) if named is None else named

    def _amount(self, amount: s.Amount) -> s.Amount:
        argument = self.given.get(amount.value.text)
        name = _only_label(argument)
        if argument is None:
            return amount
        if isinstance(argument, s.Amount):
            return replace(argument, offset=argument.offset + amount.offset)
        if name is None or name.is_set:
            self._fail(argument, amount.value.text, "a number")
        return s.Amount(argument.span, s.Name(name.text, name.span), amount.offset)

    def _node(self, name: s.Name) -> s.Name:
        argument = self.given.get(name.text)
        label = _only_label(argument)
        if argument is None:
            return name
        if label is None or label.is_set or not label.text[0].isupper():
            self._fail(argument, name.text, "a node (a name with a capital letter)")
        return s.Name(label.text, label.span)

    def _labels(self, labels: s.LabelSet) -> s.LabelSet:
        found: list[s.LabelText] = []
        negated = labels.negated
        for label in map(self._label, labels.labels):
            stem, sign, name = label.text.rpartition("$")
            argument = self.given.get(name) if sign or label.is_set else None
            if argument is None:
                found.append(label)
                continue
            if not isinstance(argument, s.LabelSet):
                self._fail(argument, name, "labels")
            alone = not stem and len(labels.labels) == 1
            if not alone and (argument.negated or any(one.is_set and stem for one in argument.labels)):
                self._fail(argument, name, "labels that can be listed here")
            negated ^= argument.negated
            found += [replace(one, text=stem + one.text) for one in argument.labels]
        return replace(labels, labels=tuple(found), negated=negated)

    def _label(self, label: s.LabelText) -> s.LabelText:
        """Return a label with its variables replaced by texts: ``nmod:$p``."""
        text = f"${label.text}" if label.is_set else label.text
        given = {name: part.text for name, part in self.given.items() if isinstance(part, s.Name)}
        written = VARIABLE.sub(lambda found: given.get(found[1], found[0]), text) if given else text
        return label if written == text else replace(label, text=written, is_set=False)

    def _test(self, test: s.AttributeTest) -> s.AttributeTest:
        values: list[s.Name | s.Column] = []
        asked = [*test.values, *([test.word_set] if test.word_set is not None else [])]
        for value in asked:
            name = value.name.text if isinstance(value, s.Column) else ""
            name = value.text if value is test.word_set else name
            argument = self.given.get(name)
            if argument is None:
                values.append(value)
            elif isinstance(argument, s.WordList) and argument.word_set is not None:
                if len(asked) == 1:
                    return replace(test, values=(), word_set=argument.word_set)
                self._fail(argument, name, "words that can be listed here")
            elif isinstance(argument, s.WordList):
                values += argument.values
            elif isinstance(argument, s.Amount):
                values.append(s.Name(str(argument), argument.span))
            elif isinstance(argument, s.LabelSet) and not (argument.negated or any(x.is_set for x in argument.labels)):
                values += [s.Name(label.text, label.span) for label in argument.labels]
            else:
                self._fail(argument, name, "words")
        if test.word_set in values:
            return test
        return replace(test, values=tuple(values), word_set=None)

    def _fail(self, argument: s.Argument | s.Expression, parameter: str, wanted: str) -> NoReturn:
        message = f"the parameter `{parameter}` stands for {wanted}, which this is not"
        self.state.fail("SGL0830", argument.span, message, _WRITTEN.get(wanted, ""))


def _only_label(argument: s.Argument | s.Expression | None) -> s.LabelText | None:
    if not isinstance(argument, s.LabelSet) or argument.negated or len(argument.labels) != 1:
        return None
    return argument.labels[0]


def nodes_given(ref: s.GraphRef) -> frozenset[str]:
    """Return the node names among the arguments of a structure."""
    arguments = ref.arguments if isinstance(ref, s.Application) else ()
    names = [label for label in map(_only_label, arguments) if label is not None]
    return frozenset(name.text for name in names if not name.is_set)


def substitution(declaration: s.StructureDecl | s.Quota, use: s.Name | s.Application, state: Session) -> Substitution:
    """Return the substitution for a use; nodes named like arguments are renamed."""
    parameters = declaration.parameters
    arguments = use.arguments if isinstance(use, s.Application) else ()
    if len(arguments) != len(parameters):
        listed = ", ".join(f"`{name}`" for name in parameters) or "none"
        kind, name = KINDS[type(declaration)], declaration.name
        number = f"{len(parameters)} parameter{'s' * (len(parameters) != 1)}"
        message = f"the {kind} `{name}` has {number}, not {len(arguments)}"
        hint = f"write `{name}({', '.join(map(str, parameters))})`, with values" if parameters else ""
        state.fail("SGL0830", use.span, message, hint, labels=[Label(name.span, f"its parameters: {listed}")])
    body = declaration.items if isinstance(declaration, s.Quota) else declaration.graph
    mentioned = mentioned_in(body)
    for parameter in parameters:
        if parameter.text not in mentioned:
            hint = f"it is used as `{parameter}` for a number and as `${parameter}` for labels or words"
            state.error("SGL0830", parameter.span, f"the parameter `{parameter}` is never used", hint)
    given = dict(zip((name.text for name in parameters), arguments, strict=True))
    named = nodes_given(use) if isinstance(use, s.Application) else frozenset()
    own = {part.name.text for part in s.parts_of(s.VariableRef, declaration)}
    for node in sorted(own & named - given.keys()):
        new = next(new for n in count(1) if (new := f"{node}_{n}") not in own | named)
        given[node] = s.LabelSet(use.span, (s.LabelText(use.span, new, False),), False)
    return Substitution(given, state)


def mentioned_in(part: object) -> set[str]:
    """Return the possible parameters in a part of a syntax tree: names, labels, and ends of labels."""
    labels = (label.text.rpartition("$")[2] for label in s.parts_of(s.LabelText, part))
    return {name.text for name in s.parts_of(s.Name, part)}.union(labels)


@dataclass(frozen=True)
class Written:
    """A structure without abbreviations, written or named by ``ref``.

    Each of its ``parts`` has a layer; None means the layer of its clause.
    """

    ref: s.GraphRef
    scope: Scope
    parts: tuple[tuple[s.Name | None, s.GraphPattern], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The variables by which others may refer to its nodes: all but those inside a ``repeat``, whose ends count."""
        return tuple(dict.fromkeys(name.text for _, graph in self.parts for name in seen_in(graph.bodies[0])))

    @property
    def spoken(self) -> list[str]:
        """Return the names by which a condition may refer to nodes; with parameters only the names of arguments."""
        refs = (
            [part.graph for part in self.ref.parts] if isinstance(self.ref, s.Layered) else [self.ref] * len(self.parts)
        )
        found: list[str] = []
        for ref, (_, graph) in zip(refs, self.parts, strict=True):
            names = [name.text for body in graph.bodies for name in seen_in(body)]
            found += [name for name in names if not isinstance(ref, s.Application) or name in nodes_given(ref)]
        return found


def write_out(ref: s.GraphRef, scope: Scope) -> Written:
    """Return a structure written out, resolving names and arguments."""
    graph = _declared(ref, scope)
    if not isinstance(graph, s.Layered):
        return Written(ref, scope, ((None, graph),))
    found: dict[str, tuple[s.Name, s.GraphPattern]] = {}
    for part in graph.parts:
        inner, name = _declared(part.graph, scope), part.layer
        if name.text in found or isinstance(inner, s.Layered):
            told = f"names the layer `{name}` twice" if name.text in found else "has its layers where it is declared"
            message, hint = f"this structure {told}", "write each layer once, before its braces"
            scope.resolved.session.fail("SGL0832", name.span, message, hint)
        found[name.text] = name, inner
    return Written(ref, scope, tuple(found.values()))


def _declared(ref: s.GraphRef, scope: Scope) -> s.GraphPattern | s.Layered:
    if isinstance(ref, s.GraphPattern | s.Layered):
        return ref
    name = ref.name if isinstance(ref, s.Application) else ref
    declaration = scope.of(ref).find(s.StructureDecl, name)
    return substitution(declaration, ref, scope.resolved.session).write_out(declaration.graph)


def variables_in(part: s.SyntaxNode) -> Iterator[s.Name]:
    """Yield the variables of a structure, including those inside a ``repeat`` and its ends."""
    for found in s.parts_of((s.VariableRef, s.Repeat), part):
        if isinstance(found, s.Repeat):
            yield from (found.first, found.last)
        elif isinstance(found, s.VariableRef):
            yield found.name


def seen_in(body: s.BodyPattern) -> list[s.Name]:
    """Return the variables of a body without those inside its repeats."""
    names: list[s.Name] = []
    for statement in body.statements:
        if isinstance(statement, s.Chain):
            names += [variable.name for variable in statement.variables]
        elif isinstance(statement, s.Repeat):
            names += [statement.first, statement.last]
    return names


MAX_RANGE = 100


_Ranged = TypeVar("_Ranged", s.SizeItem, s.StructureClause)


def each_number(part: _Ranged, state: Resolved) -> Iterator[_Ranged]:
    """Yield a clause or an item of ``size`` for each number of its range, or just itself; nothing after a report."""
    numbers = part.numbers
    if numbers is None:
        yield part
        return
    bounds = attempt(each, state.parameters.whole, (numbers.low, numbers.high))
    if bounds is None:
        return
    low, high = bounds
    if not 0 <= high - low < MAX_RANGE:
        message = f"there is no number in {low}..{high}"
        if high > low:
            message = f"a range has at most {MAX_RANGE} numbers"
        state.error("SGL0705", numbers.span, message)
        return
    one = replace(part, numbers=None)
    if numbers.name.text not in mentioned_in(one):
        hint = f"write it where it belongs: `within chain(nmod, {numbers.name})`"
        state.warning("SGL0204", numbers.name.span, f"the number `{numbers.name}` is never used", hint)
    for number in range(low, high + 1):
        given = s.Amount(numbers.span, s.Name(str(number), numbers.span))
        yield Substitution({numbers.name.text: given}, state).write_out(one)


def items_of(
    items: Iterable[s.SizeItem], scope: Scope, state: Resolved, inside: tuple[str, ...] = ()
) -> Iterator[s.SizeItem]:
    """Yield the items of ``size`` in force, with quotas and ranges written out, at the place of use."""
    for item in chain.from_iterable(each_number(item, state) for item in items):
        if state.parameters.holds(item.when):
            yield from attempt(_items_of, item, scope, state, inside) or ()


def _items_of(item: s.SizeItem, scope: Scope, state: Resolved, inside: tuple[str, ...]) -> list[s.SizeItem]:
    quota = _quota_of(item.amount, scope.of(item.amount), state)
    if quota is None:
        return [item]
    if quota.name.text in inside:
        state.fail("SGL0830", item.amount.span, f"the quota `{quota.name}` uses itself")
    use = item.amount if isinstance(item.amount, s.Application) else item.amount.value
    written = substitution(quota, use, state).write_out(quota.items)
    return [
        replace(
            one,
            span=item.span,
            most=one.most or item.most,
            copies=one.copies or item.copies,
            contexts=one.contexts or item.contexts,
            share=one.share or item.share,
            split=one.split or item.split,
            conditions=(*one.conditions, *item.conditions),
        )
        for one in items_of(written, scope.where(quota), state, (*inside, quota.name.text))
    ]


def _quota_of(amount: s.Amount | s.Application, scope: Scope, state: Resolved) -> s.Quota | None:
    """Return the quota that an amount names; None if it is a number."""
    if isinstance(amount, s.Application):
        return scope.find(s.Quota, amount.name)
    name, known = amount.value, scope.names(s.Quota)
    if amount.offset or name.text in state.parameters.values:
        return None
    near = name.text in known or (name.text[0].isalpha() and suggested(name.text, known))
    return scope.find(s.Quota, name) if near else None
