"""What the clauses of a rule may mention: its children, by role or category, and its variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sgl.diagnostics import Label, Span, suggest
from sgl.frontend.clauses import each_layer
from sgl.frontend.mentions import VariableTable
from sgl.frontend.names import Scope
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s


class RuleNames:
    """What the clauses of a rule may mention: its children and its feature variables."""

    def __init__(self, rule: s.Rule, scope: Scope, state: CompilerState) -> None:
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
                message = f"two children are called `{name}`"
                labels = [Label(self.name(first).span, f"the other `{name}`")]
                state.error("SGL0304", roles[0].span, message, "rename one", labels=labels)

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
            hint = self._hint(text, of_category)
            self.state.error("SGL0305", name.span, f"the rule has no child `{text}`", hint)
        return None

    def _hint(self, name: str, of_category: Sequence[s.Child]) -> str:
        """Return what a name may mean that no child has."""
        role = next((child.role for child in of_category if child.role is not None), None)
        if role is not None:
            return f"the `{name}` of this rule is called `{role}`"
        known = ", ".join(f"`{known}`" for known in self.index) or "none"
        near = suggest(name, self.index)
        if near or name[:1].isupper():
            return near or f"its children: {known}"
        return f'a word is quoted: `"{name}"`; the children of the rule: {known}'
