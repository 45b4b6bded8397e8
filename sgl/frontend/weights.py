"""Put the weights of a file in the place of those that the grammar declares.

A file gives weights to rules, to words, and to the parts of rules and lexicons, category
by category (:mod:`sgl.core.weights`).  What it gives a weight has the place of its
declared weight; what it does not mention keeps its declared share of the category::

    declared   transitive 2   intransitive 1   complement 1       0.5  0.25  0.25
    file       transitive: 1  intransitive: 3                     0.1875  0.5625
               complement keeps a quarter, the others divide the rest

A category without an entry stays as it is declared.  So a file goes on being right when
something is added to the grammar; a name that means nothing is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sgl.core.grammar import CoreGrammar
from sgl.core.weights import RuleKey
from sgl.diagnostics import Label, Span
from sgl.frontend.names import Scope
from sgl.frontend.parameters import decimal
from sgl.frontend.state import State
from sgl.frontend.weight_names import WeightNames
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
from sgl.lang.yaml_events import Cell
from sgl.lang.yaml_files import WeightRow, read_weights

_LARGEST = 1e12

#: Very small weights are written with an exponent.
_SCIENTIFIC = re.compile(r"[0-9](\.[0-9]+)?e-?[0-9]{1,2}")

#: The rules by section, category and name, then by part.
_Rules = dict[tuple[str, str, str], dict[str, list[int]]]


def apply_weights(state: State) -> None:
    """Put the weights of all files in force in the place of those that are declared.

    Before: ``declared``.  After: ``lowered``, unless there was an error.
    """
    lowered = state.declared
    declarations = state.names.of(s.Weights)
    if not declarations:
        state.lowered = lowered
        return
    errors = state.diagnostics.errors
    known = WeightNames(lowered.rule_keys, state)
    files = _Files(_by_key(lowered.rule_keys), known, state, {})
    grammar = lowered.grammar
    for declaration, scope in declarations:
        grammar = files.applied(grammar, declaration, scope)
    if state.diagnostics.errors == errors:
        state.lowered = replace(lowered, grammar=grammar)


@dataclass(frozen=True)
class _Files:
    """The files of weights of a grammar; ``given_by`` has where each category was read."""

    rules_of: _Rules
    known: WeightNames
    state: State
    given_by: dict[str, Span]

    def applied(self, grammar: CoreGrammar, declaration: s.Weights, scope: Scope) -> CoreGrammar:
        """The grammar with the weights of one file."""
        given: dict[int, float] = {}
        lacking: dict[str, list[Cell]] = {}
        own: set[str] = set()
        for row in self._rows(declaration, scope):
            weight = self._weight(row)
            self._check_once(row.category, own)
            if weight is None or not self.known.means(row, declaration):
                continue
            parts = self.rules_of[row.section, row.category.text, row.name.text]
            if row.part is None:
                _share(given, [rule for part in parts.values() for rule in part], weight, grammar)
            elif row.part.text in parts:
                _share(given, parts[row.part.text], weight, grammar)
            elif self.known.lacks(row):
                lacking.setdefault(row.name.text, []).append(row.part)
        self.known.warn(lacking)
        return _normalised(grammar, given)

    def _rows(self, declaration: s.Weights, scope: Scope) -> Sequence[WeightRow]:
        """What stands in the file; nothing after a report."""
        source = scope.read(declaration.path, MAX_TABLE)
        rows = read_weights(source, self.state.diagnostics) if source is not None else None
        return rows or ()

    def _weight(self, row: WeightRow) -> float | None:
        text = row.weight.text
        number = float(text) if _SCIENTIFIC.fullmatch(text) is not None else decimal(text)
        if number is not None and 0 < number < _LARGEST:
            return number
        self.state.diagnostics.error(
            "SGL0701",
            row.weight.span,
            f"the weight of `{(row.part or row.name).text}` is `{text}`, not a positive number",
            hint="a rule that is not to be used is removed, or left out with `when`",
        )
        return None

    def _check_once(self, category: Cell, own: set[str]) -> None:
        """A category has its weights from one file."""
        if category.text in own:
            return
        own.add(category.text)
        earlier = self.given_by.setdefault(category.text, category.span)
        if earlier != category.span:
            self.state.diagnostics.error(
                "SGL0711",
                category.span,
                f"`{category.text}` has weights from two files",
                labels=[Label(earlier, "and from here")],
                hint="keep it in one of the two, or give the declarations a `when`",
            )


def _by_key(keys: Sequence[RuleKey]) -> _Rules:
    table: _Rules = {}
    for rule, key in enumerate(keys):
        parts = table.setdefault((key.section, key.category, key.name), {})
        parts.setdefault(key.part, []).append(rule)
    return table


def _share(
    given: dict[int, float], rules: Sequence[int], weight: float, grammar: CoreGrammar
) -> None:
    """Rules that have one weight together share it as they are declared."""
    total = sum(grammar.rules[rule].weight for rule in rules)
    for rule in rules:
        given[rule] = weight * grammar.rules[rule].weight / total


def _normalised(grammar: CoreGrammar, given: Mapping[int, float]) -> CoreGrammar:
    """The grammar with the given weights; the others keep their share of the category."""
    kept = [0.0] * len(grammar.categories)
    total = [0.0] * len(grammar.categories)
    for rule in grammar.rules:
        if rule.id in given:
            total[rule.lhs] += given[rule.id]
        else:
            kept[rule.lhs] += rule.weight
    rules = tuple(
        replace(rule, weight=given[rule.id] * (1.0 - kept[rule.lhs]) / total[rule.lhs])
        if rule.id in given
        else rule
        for rule in grammar.rules
    )
    return replace(grammar, rules=rules)
