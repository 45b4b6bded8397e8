"""Check the names in a file of weights: what each of its rows speaks of.

A row may speak of something that the settings leave out, such as a rule under a
``when`` that fails; it is then passed over.  A name that means nothing under any
setting is an error, a word that its lexicon does not have a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sgl.core.weights import LEXICONS, RULES, SECTIONS, WORDS, RuleKey
from sgl.diagnostics import Label, suggest
from sgl.frontend.names import Names
from sgl.frontend.state import State
from sgl.lang import syntax as s
from sgl.lang.yaml_events import Cell
from sgl.lang.yaml_files import WeightRow

#: What authors call the members of each section.
_CALLED = {RULES: "rule", WORDS: "word", LEXICONS: "lexicon"}

_CATEGORY = re.compile(r"(\w+)(?:\[(.*)\])?")
_LISTED = 8


class WeightNames:
    """What the rows of a file of weights may speak of."""

    def __init__(
        self,
        keys: Sequence[RuleKey],
        state: State,
    ) -> None:
        """``keys`` are those of the rules in force."""
        self._state = state
        self._builders = {(key.section, key.category, key.name) for key in keys}
        self._in_force = {(section, name) for section, _, name in self._builders}
        self._built = {key.category for key in keys}
        self._words = {(key.name, key.part) for key in keys if key.section == LEXICONS}
        self._declared = {section: set(_declared(section, state.names)) for section in SECTIONS}
        self._categories: dict[str, bool] = {}

    def means(self, row: WeightRow, declaration: s.Weights) -> bool:
        """Whether a row speaks of something that is in force; reports nonsense."""
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
        self._state.diagnostics.error(
            "SGL0709",
            row.name.span,
            message,
            labels=[Label(declaration.path.span, "the weights are asked for here")],
            hint=suggest(name, declared - {name}) or self._listed(section, category),
        )
        return False

    def lacks(self, row: WeightRow) -> bool:
        """Whether the lexicon of a row has no such word in any category."""
        if row.section != LEXICONS or row.part is None:
            return False
        return (row.name.text, row.part.text) not in self._words

    def warn(self, lacking: Mapping[str, Sequence[Cell]]) -> None:
        """Say which words lexicons lack."""
        for name, cells in lacking.items():
            words = list(dict.fromkeys(cell.text for cell in cells))
            shown = ", ".join(f"`{word}`" for word in words[:_LISTED])
            self._state.diagnostics.warning(
                "SGL0710",
                cells[0].span,
                f"the lexicon `{name}` has no word {shown}{', …' if len(words) > _LISTED else ''}",
                hint="the weights are older than the lexicon: estimate them again",
            )

    def _is_category(self, cell: Cell) -> bool:
        """Whether a category exists, though perhaps not with the settings in force."""
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
        self._state.diagnostics.error("SGL0709", cell.span, message, hint=hint)
        return False

    def _listed(self, section: str, category: str) -> str:
        """What a row of this section and category could speak of."""
        names = sorted(n for s_, c, n in self._builders if (s_, c) == (section, category))
        if not names:
            return ""
        more = ", …" if len(names) > _LISTED else ""
        return f"below `{category}` may stand: " + ", ".join(names[:_LISTED]) + more


def _declared(section: str, names: Names) -> Iterator[str]:
    """The names of a section, also of what a ``when`` switches off."""
    if section == RULES:
        yield from (rule.name.text for rule, _ in names.declared(s.Rule))
    elif section == LEXICONS:
        yield from (lexicon.name.text for lexicon, _ in names.declared(s.Lexicon))
    else:
        yield from (word.text.text for word, _ in names.declared(s.Word))


def _fits(
    written: str | None, features: Sequence[str], values: Mapping[str, Iterable[str]]
) -> bool:
    """Whether the features in the brackets of a category are its own, with values they have."""
    pairs = [pair.strip().partition("=") for pair in (written or "").split(",") if pair.strip()]
    return [name for name, _, _ in pairs] == list(features) and all(
        value in set(values.get(name, ())) for name, _, value in pairs
    )
