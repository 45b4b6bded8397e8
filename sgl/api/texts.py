"""Sentences: samples, readings and pairs, with all their layers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sgl.api.findings import Shown
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import Plan
from sgl.rendering import outputs

if TYPE_CHECKING:
    from sgl.report import Example


@dataclass(frozen=True, repr=False)
class Text:
    """A sentence with its value in every layer and view: ``text["ja"]``."""

    grammar: CoreGrammar
    plan: Plan
    derivation: Derivation
    probability: float | None = None
    marked: Example | None = None

    def __getitem__(self, name: str) -> str:
        known = outputs(self.grammar)
        if name not in known:
            raise KeyError(f"there is no layer or view {name!r}; there is: {', '.join(known)}")
        return known[name](self.derivation)

    @property
    def texts(self) -> dict[str, str]:
        """The text of each text layer, by its name."""
        names = (layer.name for layer in self.grammar.text_layers)
        return dict(zip(names, interpret(self.grammar, self.derivation).texts, strict=True))

    @property
    def tree(self) -> str:
        """The tree over the source, drawn in characters."""
        from sgl.report.model import tree_lines

        return "\n".join(tree_lines(self.example.trees[0])) if self.example.trees else ""

    @property
    def graph(self) -> str:
        """The dependency graph in CoNLL-U."""
        from sgl.cli.arguments import graph_text

        item = interpret(self.grammar, self.derivation)
        return graph_text(self.grammar, item, self.plan.lemma_layer, sent_id="text", category="text")

    @cached_property
    def example(self) -> Example:
        """What its pictures show."""
        from sgl.report import Example, example_of, tree_of

        if self.marked is not None:
            return self.marked
        plan = self.plan
        if not plan.lemma_layer:
            tree = tree_of(self.grammar, self.derivation, self.grammar.text_layer(plan.source))
            return Example(str(self), self[plan.target], (tree,), (), (), 0)
        return example_of(self.grammar, self.derivation, source=plan.source, target=plan.target, graph=plan.lemma_layer)

    def __repr__(self) -> str:
        return f"<{str(self)!r}>"

    def __str__(self) -> str:
        return self[self.plan.source]

    def _repr_html_(self) -> str:
        return Texts([self])._repr_html_()


class Texts(tuple[Text, ...], Shown):
    """Some texts, in their order."""

    total: int
    beside: tuple[Example | None, ...]
    _part = "texts"

    def __new__(cls, texts: Iterable[Text], total: int | None = None, beside: Iterable[Example | None] = ()) -> Texts:
        """Return these texts, with what else is known of them."""
        made = super().__new__(cls, texts)
        made.total, made.beside = len(made) if total is None else total, tuple(beside)
        return made

    def __repr__(self) -> str:
        more = f" of {self.total:,}" if self.total > len(self) else ""
        begin = " | ".join([*map(str, self[:2]), *["…"] * (len(self) > 2)])
        return f"<{len(self)}{more} text{'s' * (self.total != 1)}: {begin}>"

    def __str__(self) -> str:
        return "\n".join("\t".join(text.texts.values()) for text in self)
