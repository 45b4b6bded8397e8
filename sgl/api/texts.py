"""Sentences with all their layers, and their conversion to trees, graphs and tables of other libraries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, SupportsIndex, overload

from sgl.api.values import Tabular, working
from sgl.core.grammar import EXTRACTED, CoreGrammar
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import Plan
from sgl.rendering import outputs

if TYPE_CHECKING:
    import networkx as nx
    import nltk

    from sgl.report import Example


@dataclass(frozen=True, repr=False)
class Text:
    """A sentence with its value in every layer and view: ``text["ja"]``.

    ``source`` and ``target`` are the layers of the dataset, ``probability`` is set for readings.
    """

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
    def source(self) -> str:
        """The text of the source layer."""
        return self[self.plan.source]

    @property
    def target(self) -> str:
        """The output that a model must predict."""
        return self[self.plan.target]

    @property
    def texts(self) -> dict[str, str]:
        """The text of each text layer, by layer name."""
        names = (layer.name for layer in self.grammar.text_layers)
        return dict(zip(names, interpret(self.grammar, self.derivation).texts, strict=True))

    def to_dict(self) -> dict[str, str]:
        """Return the value of every layer and view, by name."""
        return {name: write(self.derivation) for name, write in outputs(self.grammar).items()}

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules in ``derivation``, in preorder."""
        return tuple(self.grammar.rules[number].name for number in self.derivation)

    @property
    def tree(self) -> str:
        """The tree over the source, drawn with characters."""
        from sgl.report.model import tree_lines

        return "\n".join(tree_lines(self.example.trees[0])) if self.example.trees else ""

    @working()
    def to_nltk(self) -> nltk.Tree:
        """Return the tree over the source as an NLTK tree; needs nltk."""
        import nltk

        from sgl.report.model import TreeNode, tree_of

        def made(node: TreeNode) -> nltk.Tree | str:
            return nltk.Tree(node.label, list(map(made, node.children))) if node.children else node.label

        return made(tree_of(self.grammar, self.derivation, self.grammar.text_layer(self.plan.source)))

    @property
    def graph(self) -> str:
        """The dependency graph in CoNLL-U."""
        from sgl.cli.arguments import graph_text

        item = interpret(self.grammar, self.derivation)
        return graph_text(self.grammar, item, self.plan.lemma_layer, sent_id="text", category="text")

    def to_networkx(self, layer: str = "") -> nx.MultiDiGraph[int]:
        """Return the graph of a layer, by default the layer of the patterns; needs networkx.

        A node is the position of its word, from 0, and has its ``form`` and attributes such as ``lemma``.  An edge
        has a ``label``, and is ``extracted`` or not.  Raises ``KeyError`` if there is no such graph layer.
        """
        import networkx as nx

        number = self.grammar.graph_layer(layer or self.plan.lemma_layer)
        item = interpret(self.grammar, self.derivation)
        words, value = item.tokens[self.grammar.anchors[number]], item.graphs[number]
        graph: nx.MultiDiGraph[int] = nx.MultiDiGraph()
        for node in value.nodes:
            graph.add_node(node.position, form=words[node.position], **dict(node.attributes))
        for start, label, end in value.edges:
            extracted = label.startswith(EXTRACTED)
            ends = value.nodes[start].position, value.nodes[end].position
            graph.add_edge(*ends, label=label.removeprefix(EXTRACTED), extracted=extracted)
        return graph

    @cached_property
    def example(self) -> Example:
        """The example that pictures show."""
        from sgl.report import Example, example_of, tree_of

        if self.marked is not None:
            return self.marked
        plan = self.plan
        if not plan.lemma_layer:
            tree = tree_of(self.grammar, self.derivation, self.grammar.text_layer(plan.source))
            return Example(str(self), self.target, (tree,), (), (), 0)
        return example_of(self.grammar, self.derivation, source=plan.source, target=plan.target, graph=plan.lemma_layer)

    def __repr__(self) -> str:
        return f"<{str(self)!r}>"

    def __str__(self) -> str:
        return self.source

    def _repr_html_(self) -> str:
        return Texts([self])._repr_html_()


class Texts(tuple[Text, ...], Tabular):
    """A tuple of texts; a slice of it is again ``Texts``."""

    total: int
    beside: tuple[Example | None, ...]
    #: The columns of a table if there are no texts.
    names: tuple[str, ...] = ()
    _part = "texts"

    def __new__(cls, texts: Iterable[Text], total: int | None = None, beside: Iterable[Example | None] = ()) -> Texts:
        """Return these texts with their total number and marked examples."""
        made = super().__new__(cls, texts)
        made.total, made.beside = len(made) if total is None else total, tuple(beside)
        return made

    @overload
    def __getitem__(self, place: SupportsIndex) -> Text: ...
    @overload
    def __getitem__(self, place: slice) -> Texts: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Text | Texts:
        if isinstance(place, slice):
            return Texts(super().__getitem__(place), self.total, self.beside[place])
        return super().__getitem__(place)

    def __repr__(self) -> str:
        more = f" of {self.total:,}" if self.total > len(self) else ""
        begin = " | ".join([*map(str, self[:2]), *["…"] * (len(self) > 2)])
        return f"<{len(self)}{more} text{'s' * (self.total != 1)}: {begin}>"

    def __str__(self) -> str:
        return "\n".join("\t".join(text.texts.values()) for text in self)

    def _table(self) -> dict[str, list[object]]:
        """Return a column for each layer and view, and one for the probability of readings."""
        rows = [text.to_dict() for text in self]
        table: dict[str, list[object]] = {
            name: [row[name] for row in rows] for name in (rows[0] if rows else self.names)
        }
        if any(text.probability is not None for text in self):
            table["probability"] = [text.probability for text in self]
        return table
