"""Put the weights of a file in the place of those that the grammar declares.

A file gives weights to rules, to words, and to the parts of rules and lexicons, category
by category (:mod:`sgl.core.weights`).  What it gives a weight has the place of its
declared weight; what it does not mention keeps its declared share of the category::

    declared   transitive 2   intransitive 1   complement 1       0.5  0.25  0.25
    file       transitive: 1  intransitive: 3                     0.1875  0.5625
               complement keeps a quarter, the others divide the rest

A category without an entry stays as it is declared.  So a file stays right when something
is added to the grammar.  A row may speak of something that the settings leave out, such as
a rule under a ``when`` that fails; it is then passed over.  A name that means nothing under
any setting is an error, a word that its lexicon does not have a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sgl.core.grammar import CoreGrammar
from sgl.core.weights import LEXICONS, RULES, SECTIONS, WORDS, RuleKey
from sgl.diagnostics import Label, Span, suggest
from sgl.frontend.names import ResolvedNames, Scope
from sgl.frontend.parameters import decimal
from sgl.frontend.state import CompilerState
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
from sgl.lang.yaml_events import Cell
from sgl.lang.yaml_files import WeightRow, read_weights

_LARGEST = 1e12

#: Very small weights are written with an exponent.
_SCIENTIFIC = re.compile(r"[0-9](\.[0-9]+)?e-?[0-9]{1,2}")

#: The rules by section, category and name, then by part.
_Rules = dict[tuple[str, str, str], dict[str, list[int]]]


def apply_weights(state: CompilerState) -> None:
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
    state: CompilerState
    given_by: dict[str, Span]

    def applied(self, grammar: CoreGrammar, declaration: s.Weights, scope: Scope) -> CoreGrammar:
        """Return the grammar with the weights of one file."""
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
        """Return what stands in the file; nothing after a report."""
        source = scope.read(declaration.path, MAX_TABLE)
        rows = read_weights(source, self.state.diagnostics) if source is not None else None
        return rows or ()

    def _weight(self, row: WeightRow) -> float | None:
        text = row.weight.text
        number = float(text) if _SCIENTIFIC.fullmatch(text) is not None else decimal(text)
        if number is not None and 0 < number < _LARGEST:
            return number
        self.state.error(
            "SGL0701",
            row.weight.span,
            f"the weight of `{(row.part or row.name).text}` is `{text}`, not a positive number",
            "a rule that is not to be used is removed, or left out with `when`",
        )
        return None

    def _check_once(self, category: Cell, own: set[str]) -> None:
        """Report a category that has weights from two files."""
        if category.text in own:
            return
        own.add(category.text)
        earlier = self.given_by.setdefault(category.text, category.span)
        if earlier != category.span:
            message = f"`{category.text}` has weights from two files"
            hint = "keep it in one of the two, or give the declarations a `when`"
            self.state.error(
                "SGL0711", category.span, message, hint, labels=[Label(earlier, "and from here")]
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
    """Share one weight among rules as their own weights are declared."""
    total = sum(grammar.rules[rule].weight for rule in rules)
    for rule in rules:
        given[rule] = weight * grammar.rules[rule].weight / total


def _normalised(grammar: CoreGrammar, given: Mapping[int, float]) -> CoreGrammar:
    """Return the grammar with the given weights; the others keep their share of the category."""
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


#: What authors call the members of each section.
_CALLED = {RULES: "rule", WORDS: "word", LEXICONS: "lexicon"}

_CATEGORY = re.compile(r"(\w+)(?:\[(.*)\])?")
_LISTED = 8


class WeightNames:
    """What the rows of a file of weights may speak of."""

    def __init__(self, keys: Sequence[RuleKey], state: CompilerState) -> None:
        """``keys`` are those of the rules in force."""
        self._state = state
        self._builders = {(key.section, key.category, key.name) for key in keys}
        self._in_force = {(section, name) for section, _, name in self._builders}
        self._built = {key.category for key in keys}
        self._words = {(key.name, key.part) for key in keys if key.section == LEXICONS}
        self._declared = {section: set(_declared(section, state.names)) for section in SECTIONS}
        self._categories: dict[str, bool] = {}

    def means(self, row: WeightRow, declaration: s.Weights) -> bool:
        """Return whether a row speaks of something that is in force; report nonsense."""
        if not self._is_category(row.category):
            return False
        section, category, name = row.section, row.category.text, row.name.text
        if (section, category, name) in self._builders:
            return True
        declared, called = self._declared[section], _CALLED[section]
        in_force = (section, name) in self._in_force
        if name not in declared and not in_force:
            message = f"there is no {called} `{name}`"
        elif in_force and category in self._built:
            message = f"the {called} `{name}` builds no `{category}`"
        else:
            return False
        self._state.error(
            "SGL0709",
            row.name.span,
            message,
            suggest(name, declared - {name}) or self._listed(section, category),
            labels=[Label(declaration.path.span, "the weights are asked for here")],
        )
        return False

    def lacks(self, row: WeightRow) -> bool:
        """Return whether the lexicon of a row has no such word in any category."""
        if row.section != LEXICONS or row.part is None:
            return False
        return (row.name.text, row.part.text) not in self._words

    def warn(self, lacking: Mapping[str, Sequence[Cell]]) -> None:
        """Say which words lexicons lack."""
        for name, cells in lacking.items():
            words = list(dict.fromkeys(cell.text for cell in cells))
            shown = ", ".join(f"`{word}`" for word in words[:_LISTED])
            self._state.warning(
                "SGL0710",
                cells[0].span,
                f"the lexicon `{name}` has no word {shown}{', …' if len(words) > _LISTED else ''}",
                "the weights are older than the lexicon: estimate them again",
            )

    def _is_category(self, cell: Cell) -> bool:
        """Return whether a category exists, though perhaps not with the settings in force."""
        known = self._categories.get(cell.text)
        if known is None:
            known = self._categories[cell.text] = self._check_category(cell)
        return known

    def _check_category(self, cell: Cell) -> bool:
        match = _CATEGORY.fullmatch(cell.text)
        base = match[1] if match is not None else cell.text
        info = self._state.signature.categories.get(base)
        if info is None:
            message = f"there is no category `{base}`"
            hint = suggest(base, self._state.signature.categories)
        elif not _fits(match[2] if match else "", info.features, self._state.signature.features):
            features = ", ".join(f"{feature}=…" for feature in info.features)
            message = f"`{cell.text}` is no category of this grammar"
            hint = f"it is written `{base}[{features}]`" if features else f"it is written `{base}`"
        else:
            return True
        self._state.error("SGL0709", cell.span, message, hint)
        return False

    def _listed(self, section: str, category: str) -> str:
        """Return what a row of this section and category could speak of."""
        names = sorted(n for s_, c, n in self._builders if (s_, c) == (section, category))
        if not names:
            return ""
        more = ", …" if len(names) > _LISTED else ""
        return f"below `{category}` there may be: " + ", ".join(names[:_LISTED]) + more


def _declared(section: str, names: ResolvedNames) -> Iterator[str]:
    """Yield the names of a section, also of what a ``when`` switches off."""
    if section == RULES:
        yield from (rule.name.text for rule, _ in names.declared(s.Rule))
    elif section == LEXICONS:
        yield from (lexicon.name.text for lexicon, _ in names.declared(s.Lexicon))
    else:
        yield from (word.text.text for word, _ in names.declared(s.WordDecl))


def _fits(
    written: str | None, features: Sequence[str], values: Mapping[str, Iterable[str]]
) -> bool:
    """Return whether the features in the brackets of a category, and their values, are its own."""
    pairs = [pair.strip().partition("=") for pair in (written or "").split(",") if pair.strip()]
    return [name for name, _, _ in pairs] == list(features) and all(
        value in set(values.get(name, ())) for name, _, value in pairs
    )
