"""Put arguments in place of parameters, in any part of a syntax tree.

What is abbreviated is written out, and then read like anything that an author writes.  In structures and quotas a
parameter stands as ``n`` for a number, as ``$label`` for labels or words, as ``@pets`` for a set of words, and with a
capital letter for a node; in forms ``$class`` stands for a column or a text.  The names of an argument mean what they
mean in the file where it stands.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import count
from typing import Any, TypeVar

from sgl.diagnostics import Label
from sgl.frontend.names.scopes import KINDS
from sgl.frontend.names.session import Session
from sgl.lang import syntax as s

#: How what a parameter stands for is written.
_WRITTEN = {
    "labels": "labels have no quotes: `nmod`, `nsubj|obj`, `*`",
    "a number": "write `3`, or a parameter: `depth`, `depth+1`",
    "words": 'write `"dog"`, `"dog"|"cat"`, or a set: `@pets`',
}

#: A variable in a label.
VARIABLE = re.compile(r"\$(\w+)")

#: The fields of nodes of a structure.
_NODES: dict[type, tuple[str, ...]] = {s.VariableRef: ("name",), s.Repeat: ("first", "last")}

_Written = TypeVar("_Written")
_Node = TypeVar("_Node", bound=s.SyntaxNode)


@dataclass
class Substitution:
    """What takes the place of parameters, by their names; it is not ``sound`` after a report."""

    given: Mapping[str, s.Argument | s.Expression]
    state: Session
    sound: bool = True

    def write_out(self, part: _Written) -> _Written:
        """Return a part of a syntax tree with arguments in place of parameters."""
        return self._written(part)  # type: ignore[no-any-return]

    def _written(self, part: Any) -> Any:  # noqa: ANN401
        match part:
            case tuple():
                return tuple(map(self._written, part))
            case s.Amount():
                return self._amount(part)
            case s.Column():
                return self.given.get(part.name.text, part)
            case s.LabelSet():
                return self._labels(part)
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
        names = [one.name for one in fields(part) if one.name != "span"]
        parts = {name: self.write_out(getattr(part, name)) for name in names}
        nodes = _NODES.get(type(part), ())
        parts |= {name: self._node(getattr(part, name)) for name in nodes}
        return replace(part, **parts)

    def _word(self, name: s.Name) -> s.Name:
        """Return a quoted word, which is ``"$f"`` for the word that a variable is."""
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
            self._report(argument, amount.value.text, "a number")
            return amount
        return s.Amount(argument.span, s.Name(name.text, name.span), amount.offset)

    def _node(self, name: s.Name) -> s.Name:
        argument = self.given.get(name.text)
        label = _only_label(argument)
        if argument is None:
            return name
        if label is None or label.is_set or not label.text[0].isupper():
            self._report(argument, name.text, "a node (a name with a capital letter)")
            return name
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
                self._report(argument, name, "labels")
                return labels
            alone = not stem and len(labels.labels) == 1
            if not alone and (argument.negated or any(one.is_set and stem for one in argument.labels)):
                self._report(argument, name, "labels that can be listed here")
                return labels
            negated ^= argument.negated
            found += [replace(one, text=stem + one.text) for one in argument.labels]
        return replace(labels, labels=tuple(found), negated=negated)

    def _label(self, label: s.LabelText) -> s.LabelText:
        """Return a label with texts in place of variables: ``nmod:$p``."""
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
                self._report(argument, name, "words that can be listed here")
            elif isinstance(argument, s.WordList):
                values += argument.values
            elif isinstance(argument, s.Amount):
                values.append(s.Name(str(argument), argument.span))
            elif isinstance(argument, s.LabelSet) and not (argument.negated or any(x.is_set for x in argument.labels)):
                values += [s.Name(label.text, label.span) for label in argument.labels]
            else:
                self._report(argument, name, "words")
        if test.word_set in values:
            return test
        return replace(test, values=tuple(values), word_set=None)

    def _report(self, argument: s.Argument | s.Expression, parameter: str, wanted: str) -> None:
        message = f"the parameter `{parameter}` stands for {wanted}, which this is not"
        self.state.error("SGL0830", argument.span, message, _WRITTEN.get(wanted, ""))
        self.sound = False


def _only_label(argument: s.Argument | s.Expression | None) -> s.LabelText | None:
    if not isinstance(argument, s.LabelSet) or argument.negated or len(argument.labels) != 1:
        return None
    return argument.labels[0]


def nodes_given(ref: s.GraphRef) -> frozenset[str]:
    """Return the names of nodes among the arguments of a structure."""
    arguments = ref.arguments if isinstance(ref, s.Application) else ()
    names = [label for label in map(_only_label, arguments) if label is not None]
    return frozenset(name.text for name in names if not name.is_set)


def substitution(
    declaration: s.StructureDecl | s.Quota, use: s.Name | s.Application, state: Session
) -> Substitution | None:
    """Return what a use puts in place of parameters (None after a report); nodes called like arguments are renamed."""
    parameters = declaration.parameters
    arguments = use.arguments if isinstance(use, s.Application) else ()
    if len(arguments) != len(parameters):
        listed = ", ".join(f"`{name}`" for name in parameters) or "none"
        kind, name = KINDS[type(declaration)], declaration.name
        number = f"{len(parameters)} parameter{'s' * (len(parameters) != 1)}"
        message = f"the {kind} `{name}` has {number}, not {len(arguments)}"
        hint = f"write `{name}({', '.join(map(str, parameters))})`, with values" if parameters else ""
        state.error("SGL0830", use.span, message, hint, labels=[Label(name.span, f"its parameters: {listed}")])
        return None
    body = declaration.items if isinstance(declaration, s.Quota) else declaration.graph
    mentioned = mentioned_in(body)
    for parameter in parameters:
        if parameter.text not in mentioned:
            hint = f"it stands as `{parameter}` for a number and as `${parameter}` for labels or words"
            state.error("SGL0830", parameter.span, f"the parameter `{parameter}` is never used", hint)
    given = dict(zip((name.text for name in parameters), arguments, strict=True))
    named = nodes_given(use) if isinstance(use, s.Application) else frozenset()
    own = {part.name.text for part in s.parts_of(s.VariableRef, declaration)}
    for node in sorted(own & named - given.keys()):
        new = next(new for n in count(1) if (new := f"{node}_{n}") not in own | named)
        given[node] = s.LabelSet(use.span, (s.LabelText(use.span, new, False),), False)
    return Substitution(given, state)


def mentioned_in(part: object) -> set[str]:
    """Return what may stand for a parameter in a part of a syntax tree: names, labels, and ends of labels."""
    labels = (label.text.rpartition("$")[2] for label in s.parts_of(s.LabelText, part))
    return {name.text for name in s.parts_of(s.Name, part)}.union(labels)
