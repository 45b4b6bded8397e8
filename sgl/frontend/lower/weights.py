"""Apply weights files, which give weights to rules, words, and the parts of rules and lexicons.

A file gives them category by category (:mod:`sgl.core.grammar`).  Anything that it does not mention keeps its declared
share of the category, and a category without an entry is unchanged, so a file stays valid when the grammar grows.  Rows
about declarations that the settings switch off are ignored.  A name that is unknown under all settings is an error, a
word that its lexicon lacks is a warning.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sgl.core.grammar import LEXICONS, RULES, WORDS, CoreGrammar, RuleKey
from sgl.diagnostics import Label, Span, attempt, shortlist, suggest, whole
from sgl.frontend.lower.grammar import Expanded, Lowered
from sgl.frontend.names.parameters import decimal, is_weight
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
from sgl.lang.tables import WeightRow, read_weights

#: Very small weights are written with an exponent.
_SCIENTIFIC = re.compile(r"[0-9](\.[0-9]+)?e-?[0-9]{1,2}")

_CATEGORY = re.compile(r"(\w+)(?:\[(.*)\])?")

#: The names of the members of each section, for authors.
_CALLED = {RULES: "rule", WORDS: "word", LEXICONS: "lexicon"}


def apply_weights(state: Expanded) -> Lowered:
    """Replace declared weights by those of the files in force."""
    lowered = state.declared
    declarations = state.names.of(s.Weights)
    if not declarations:
        return lowered
    names = _WeightNames(lowered.rule_keys, state)
    grammar = lowered.grammar
    with whole(state.diagnostics):
        for declaration, scope in declarations:
            source = attempt(scope.read, declaration.path, MAX_TABLE)
            rows = read_weights(source, state.diagnostics) if source is not None else None
            grammar = _weighted(grammar, names.given(rows or (), declaration, grammar))
    return replace(lowered, grammar=grammar)


def _weighted(grammar: CoreGrammar, given: Mapping[int, float]) -> CoreGrammar:
    kept = [0.0] * len(grammar.categories)
    total = [0.0] * len(grammar.categories)
    for rule in grammar.rules:
        if rule.id in given:
            total[rule.lhs] += given[rule.id]
        else:
            kept[rule.lhs] += rule.weight
    rules = tuple(
        replace(rule, weight=given[rule.id] * (1.0 - kept[rule.lhs]) / total[rule.lhs]) if rule.id in given else rule
        for rule in grammar.rules
    )
    return replace(grammar, rules=rules)


class _WeightNames:
    """The names that rows of a weights file may use."""

    def __init__(self, keys: Sequence[RuleKey], state: Expanded) -> None:
        self._state = state
        #: The rules by section, category and name, then by part.
        self._rules: dict[tuple[str, str, str], dict[str, list[int]]] = {}
        for rule, key in enumerate(keys):
            parts = self._rules.setdefault((key.section, key.category, key.name), {})
            parts.setdefault(key.part, []).append(rule)
        self._in_force = {(key.section, key.name) for key in keys}
        self._built = {key.category for key in keys}
        self._words = {(key.name, key.part) for key in keys if key.section == LEXICONS}
        # Declarations that a `when` switches off may be mentioned too.
        names = state.names
        self._declared = {
            RULES: {rule.name.text for rule, _ in names.declared(s.Rule)},
            WORDS: {word.text.text for word, _ in names.declared(s.WordDecl)},
            LEXICONS: {lexicon.name.text for lexicon, _ in names.declared(s.Lexicon)},
        }
        self._categories: dict[str, bool] = {}
        #: The first mention of each category.
        self._given_by: dict[str, Span] = {}

    def given(self, rows: Sequence[WeightRow], declaration: s.Weights, grammar: CoreGrammar) -> dict[int, float]:
        """Return the weights that a file gives to rules; rules that share a weight share it like a declared one."""
        given: dict[int, float] = {}
        lacking: dict[str, list[s.Name]] = {}
        for category in {row.category.text: row.category for row in reversed(rows)}.values():
            earlier = self._given_by.setdefault(category.text, category.span)
            if earlier != category.span:
                message = f"`{category}` has weights from two files"
                hint = "keep them in one of the two, or give each declaration a `when`"
                self._state.error("SGL0711", category.span, message, hint, labels=[Label(earlier, "and from here")])
        for row in rows:
            text = row.weight.text
            weight = float(text) if _SCIENTIFIC.fullmatch(text) is not None else decimal(text)
            if not is_weight(weight):
                message = f"the weight of `{row.part or row.name}` is `{text}`, not a positive number"
                hint = "to leave a rule out, remove it or give it a `when`"
                self._state.error("SGL0701", row.weight.span, message, hint)
                continue
            if not self._means(row, declaration):
                continue
            parts = self._rules[row.section, row.category.text, row.name.text]
            name, part = row.name.text, row.part
            if part is None:
                rules = [rule for some in parts.values() for rule in some]
            else:
                rules = parts.get(part.text, [])
                if row.section == LEXICONS and (name, part.text) not in self._words:
                    lacking.setdefault(name, []).append(part)
            total = sum(grammar.rules[rule].weight for rule in rules)
            for rule in rules:
                given[rule] = weight * grammar.rules[rule].weight / total
        for name, words in lacking.items():
            shown = shortlist(f"`{word}`" for word in dict.fromkeys(word.text for word in words))
            hint = "the weights are older than the lexicon: estimate them again"
            self._state.warning("SGL0710", words[0].span, f"the lexicon `{name}` has no word {shown}", hint)
        return given

    def _means(self, row: WeightRow, declaration: s.Weights) -> bool:
        section, category, name = row.section, row.category.text, row.name.text
        if category not in self._categories:
            self._categories[category] = self._check_category(row.category)
        if not self._categories[category]:
            return False
        if (section, category, name) in self._rules:
            return True
        declared, called = self._declared[section], _CALLED[section]
        in_force = (section, name) in self._in_force
        if name not in declared and not in_force:
            message = f"there is no {called} `{name}`"
        elif in_force and category in self._built:
            message = f"the {called} `{name}` builds no `{category}`"
        else:
            return False
        beside = sorted(n for of, c, n in self._rules if (of, c) == (section, category))
        known = f"below `{category}` there may be: {shortlist(beside)}" if beside else ""
        labels = [Label(declaration.path.span, "the weights are used here")]
        self._state.error("SGL0709", row.name.span, message, suggest(name, declared - {name}) or known, labels=labels)
        return False

    def _check_category(self, name: s.Name) -> bool:
        signature, match = self._state.signature, _CATEGORY.fullmatch(name.text)
        base, inner = (match[1], match[2] or "") if match is not None else (name.text, "")
        info = signature.categories.get(base)
        if info is None:
            hint = suggest(base, signature.categories)
            self._state.error("SGL0709", name.span, f"there is no category `{base}`", hint)
            return False
        pairs = [pair.strip().partition("=") for pair in inner.split(",") if pair.strip()]
        if [feature for feature, _, _ in pairs] == list(info.features) and all(
            value in signature.features.get(feature, ()) for feature, _, value in pairs
        ):
            return True
        hint = f"it is written `{info.written('…' for _ in info.features)}`"
        self._state.error("SGL0709", name.span, f"`{name}` is not a category of this grammar", hint)
        return False
