"""The format of grammars in certificates: the names and types of the members."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

NAME_OF_PORT = "head"
#: The layer of derivations, a graph over the names of rules, whose phrases have only the head as a port.
DERIVATION, RULES = "derivation", "rules"
COLUMN = "column"  # the kind of a view that a template computes
WEIGHT = re.compile(r"(0|[1-9]\d{0,16})(\.\d{1,22})?(e[+-]\d{2,3})?", re.ASCII)

Pair = tuple[str, str]
Triple = tuple[str, str, str]


class Flaw(ValueError):
    """A fault in a certificate, or in rows."""


@dataclass(frozen=True, slots=True)
class GrammarCategory:
    """A category with its ports; ``limited`` are the ports of only one graph layer, with its name."""

    name: str
    ports: tuple[str, ...] = (NAME_OF_PORT,)
    limited: tuple[Pair, ...] = ()

    def ports_in(self, layer: str) -> int:
        """Return the number of ports in a graph layer."""
        if layer == DERIVATION:
            return 1
        elsewhere = {port for port, other in self.limited if other != layer}
        return len({*self.ports} - elsewhere)


@dataclass(frozen=True, slots=True)
class TemplateItem:
    """A word, a child, or, if neither, the end of a part of the phrase.

    ``capital`` capitalizes the child; ``part`` is the number of its part, from 1; the last of its ``functions`` is
    applied first.
    """

    text: str | None = None
    child: int | None = None
    capital: bool = False
    part: int = 0
    functions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.text is not None and self.child is not None:
            raise Flaw("an item is a word and a child")

    @property
    def number(self) -> int:
        """The number of the child's part, from 0."""
        return max(self.part - 1, 0)


Template = tuple[TemplateItem, ...]


@dataclass(frozen=True, slots=True)
class FragmentNode:
    """A node: its label, the template item that is its word, and the children's ports that are glued to it."""

    attributes: tuple[Pair, ...] | None = None
    token: int | None = None
    glue: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class FragmentEdge:
    """An edge between nodes of a rule; a ``last`` edge follows the edges that the rules below add at its source."""

    source: int
    label: str
    target: int
    last: bool = False


@dataclass(frozen=True, slots=True)
class RuleFragment:
    """The effect of a rule in a graph layer; ``exports`` are the nodes that become its ports."""

    nodes: tuple[FragmentNode, ...]
    edges: tuple[FragmentEdge, ...]
    exports: tuple[int, ...]


class RuleLemma(NamedTuple):
    """A lemma that a rule introduces, and its part of speech."""

    lemma: str
    upos: str | None


@dataclass(frozen=True, slots=True)
class GrammarRule:
    """A rule: a category, its children's categories, and a template and a fragment for each layer.

    ``names`` has, for the category and each child, the bearers of the names in its features, numbered in the rule.
    """

    name: str
    lhs: int
    rhs: tuple[int, ...]
    weight: str
    templates: tuple[Template, ...]
    fragments: tuple[RuleFragment, ...]
    keep: bool = False
    names: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        if not WEIGHT.fullmatch(self.weight):
            raise Flaw(f"the weight {self.weight!r} of rule {self.name} is not a decimal number")

    @property
    def ends(self) -> tuple[int, tuple[int, ...]]:
        """The categories of the rule and of its children."""
        return self.lhs, self.rhs

    def lemmas(self, layer: int) -> list[RuleLemma]:
        """Return the lemmas that the rule introduces in a graph layer, by its number."""
        labels = (dict(node.attributes or ()) for node in self.fragments[layer].nodes)
        return [RuleLemma(label["lemma"], label.get("upos")) for label in labels if label.get("lemma")]


@dataclass(frozen=True, slots=True)
class TextFinish:
    """Changes that a text layer makes to its words before joining them; docs/texts.md explains the members."""

    after: tuple[str, ...] = ()
    absorb: tuple[Pair, ...] = ()
    forms: tuple[Triple, ...] = ()
    elisions: tuple[Triple, ...] = ()
    capital: int = 0
    twin: str = ""
    mutations: tuple[Triple, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenLayer:
    """A text layer: the string between words, the words that attach to the one before, and its finish."""

    name: str
    join: str = " "
    attach: tuple[str, ...] = ()
    finish: TextFinish | None = None


@dataclass(frozen=True, slots=True)
class GraphLayer:
    """A graph layer, and the text layer of its tokens; a ``free`` layer need not be a tree."""

    name: str
    anchor: str
    free: bool = False


@dataclass(frozen=True, slots=True)
class GraphView:
    """A notation of a graph layer, by number; an author's own view has a template.

    A ``column`` is computed by its template from the layers that it ``reads``; its layer is the derivation.
    """

    name: str
    kind: str
    layer: int
    template: str = ""
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CertifiedGrammar:
    """A grammar with the meaning of its rules in all layers.

    ``names`` lists the entries of names, in groups: for each category of a group, the rule of each name.
    """

    categories: tuple[GrammarCategory, ...]
    rules: tuple[GrammarRule, ...]
    start: int
    text_layers: tuple[WrittenLayer, ...]
    graph_layers: tuple[GraphLayer, ...]
    views: tuple[GraphView, ...] = ()
    names: tuple[tuple[tuple[int, ...], ...], ...] = ()

    def text(self, name: str) -> int:
        """Return the number of a text layer."""
        return _index(self.text_layers, name)

    def graph(self, name: str) -> int:
        """Return the number of a graph layer."""
        return _index(self.graph_layers, name)

    def anchor(self, graph: int) -> int:
        """Return the number of the text layer whose words are the nodes of a graph layer."""
        return self.text(self.graph_layers[graph].anchor)


def _index(layers: Sequence[WrittenLayer | GraphLayer], name: str) -> int:
    for number, layer in enumerate(layers):
        if layer.name == name:
            return number
    raise Flaw(f"there is no layer {name!r}")
