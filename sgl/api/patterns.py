"""The patterns of a grammar: their claims, and the items that test them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sgl.api.texts import Texts
from sgl.api.values import Findings, Shown
from sgl.diagnostics import one_of
from sgl.report.words import sentence_of

if TYPE_CHECKING:
    from sgl.api.grammar import Grammar
    from sgl.core import plan


class Pattern(Shown):
    """One type of generalization: ``g.patterns["pp_in_subject"]``.

    ``sentence`` describes in words what no training sentence contains, ``structures`` has it in SGL's notation, and
    ``items`` is the number of items that test it in a dataset.
    """

    _part = "pattern"

    def __init__(self, grammar: Grammar, pattern: plan.Pattern) -> None:
        self._grammar = grammar
        self.name, self.title, self.groups = pattern.name, pattern.title, pattern.groups
        self.sentence = sentence_of(pattern.held_out)
        self.structures = tuple(map(str, pattern.held_out))
        strata = grammar.compiled.plan.strata
        self.items = sum(stratum.count for stratum in strata if stratum.category == pattern.name)

    def __repr__(self) -> str:
        return f"<pattern {self.name}: {self.items:,} items>"

    def __str__(self) -> str:
        return "\n".join(filter(None, (self.title or self.name, self.sentence)))

    def sample(self, count: int = 5, *, seed: int | None = None, beside: bool = False) -> Texts:
        """Draw items, with ``beside`` each with the nearest training sentence."""
        return self._grammar.sample(count, self.name, seed=seed, beside=beside)

    def prove(self, progress: Callable[[str], None] | None = None) -> Findings:
        """Prove the claims of this pattern."""
        return self._grammar.prove(self.name, progress)


class Patterns(dict[str, Pattern]):
    """The patterns of a grammar by name; an unknown name raises an error that lists them."""

    def __missing__(self, name: str) -> Pattern:
        raise KeyError(f"there is no pattern `{name}`; {one_of(f'{name}', self)}")

    def __repr__(self) -> str:
        return f"<patterns: {', '.join(self) or 'none'}>"
