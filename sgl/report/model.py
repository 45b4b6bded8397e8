"""Model what pictures show: constituent trees, and dependency graphs over words.

A tree follows the templates of a text layer, so its leaves are the sentence.  One derivation gives the tree of the
source and, in another order, that of the target.  In a terminal, a tree grows to the right; a graph is a table of
words, each with its governor::

    S                               1  Emma  PROPN  nsubj of 2 saw
    ├─ NP                           2  saw   VERB   root
    │  └─ Name Emma                 3  Lina  PROPN  obj of 2 saw
"""

from collections.abc import Callable, Iterator, Sequence

from sgl.characters import display_width
from sgl.core.grammar import EXTRACTED, CoreGrammar, Slot
from sgl.core.interpret import Derivation, fold, interpret
from sgl.rendering import outputs
from sgl.values import dataclass

#: The most rules of a derivation that fits into a picture.
LARGEST_TREE = 120


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of a constituent tree, with the full category as ``note``; a word has no children."""

    label: str
    children: "tuple[TreeNode, ...]" = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class GraphWord:
    """A token of the source sentence with its part of speech, if any; ``marked`` highlights it."""

    form: str
    upos: str = ""
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Arc:
    """A labelled edge between words, by 0-based position.

    ``extracted`` edges belong only to the enhanced graph (``~obj`` in a grammar); ``marked`` highlights the edge.
    """

    governor: int
    label: str
    dependent: int
    extracted: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """An item: its texts, its trees in source and target unless they are too large, and its graph."""

    source: str
    target: str
    trees: tuple[TreeNode, ...]
    words: tuple[GraphWord, ...]
    arcs: tuple[Arc, ...]
    root: int

    @property
    def pieces(self) -> list[tuple[str, bool]]:
        """The source sentence in pieces, each with a flag for marked words."""
        found: list[tuple[str, bool]] = []
        rest, folded = self.source, self.source.lower()
        for word in self.words:
            before = folded.find(word.form.lower())
            if before < 0 or len(folded) != len(rest):
                # Text functions have changed the words.
                return [(self.source, False)]
            end = before + len(word.form)
            found += [(rest[:before], False), (rest[before:end], word.marked)]
            rest, folded = rest[end:], folded[end:]
        return [piece for piece in (*found, (rest, False)) if piece[0]]


def example_of(grammar: CoreGrammar, derivation: Derivation, *, source: str, target: str, graph: str) -> Example:
    """Return the item of ``derivation`` in the outputs and the graph layer with these names.

    A view has no tree.  Raises ``KeyError`` if the grammar has no layer or view of that name.
    """
    item = interpret(grammar, derivation)
    written = outputs(grammar)
    layers = (written[source].layer, written[target].layer)
    drawable = len(derivation) <= LARGEST_TREE
    layer = grammar.graph_layer(graph)
    anchor = grammar.anchors[layer]
    value = item.graphs[layer]
    upos = {node.position: node.get("upos") for node in value.nodes}
    arcs = (
        Arc(
            governor=value.nodes[start].position,
            label=label.removeprefix(EXTRACTED),
            dependent=value.nodes[end].position,
            extracted=label.startswith(EXTRACTED),
        )
        for start, label, end in value.edges
    )
    return Example(
        source=written[source](derivation),
        target=written[target](derivation),
        trees=tuple(tree_of(grammar, derivation, text) for text in layers if drawable and text is not None),
        words=tuple(GraphWord(form, upos.get(at, "")) for at, form in enumerate(item.tokens[anchor])),
        arcs=tuple(arcs),
        root=value.nodes[value.head].position,
    )


def tree_of(grammar: CoreGrammar, derivation: Derivation, layer: int) -> TreeNode:
    """Return the tree of a derivation over its words in a text layer."""

    def node(number: int, children: tuple[TreeNode, ...]) -> TreeNode:
        rule = grammar.rules[number]
        category, items = grammar.categories[rule.lhs].name, rule.constituents(layer)
        leaves = tuple(children[item.child] if isinstance(item, Slot) else TreeNode(item.text) for item in items)
        return TreeNode(category.partition("[")[0], leaves or (TreeNode("∅"),), f"{category}, rule {rule.name}")

    return fold(derivation, grammar.arity, node)


def _with_words(node: TreeNode) -> tuple[str, Sequence[TreeNode]]:
    """Return a category, with its words if it has only words, and the nodes below it."""
    if node.children and not any(child.children for child in node.children):
        return " ".join([node.label, *(child.label for child in node.children)]), ()
    return node.label, node.children


def tree_lines(
    tree: TreeNode, line_of: Callable[[TreeNode], tuple[str, Sequence[TreeNode]]] = _with_words
) -> list[str]:
    """Return the lines of a tree; ``line_of`` gives a node's line and the nodes below it."""
    lines: list[str] = []
    pending = [(tree, "", "")]
    while pending:
        node, first, rest = pending.pop()
        text, below = line_of(node)
        lines.append(first + text)
        for child in reversed(below):
            branch, trunk = ("└─ ", "   ") if child is below[-1] else ("├─ ", "│  ")
            pending.append((child, rest + branch, rest + trunk))
    return lines


def graph_lines(example: Example) -> list[str]:
    """Return the words of a sentence as lines of a table, each with the edges that lead to it."""
    rows = [
        (str(place + 1), word.form, word.upos, ", ".join(_edges(example, place)))
        for place, word in enumerate(example.words)
    ]
    return columns(rows)


def _edges(example: Example, place: int) -> Iterator[str]:
    if place == example.root:
        yield "root"
    for arc in example.arcs:
        if arc.dependent == place:
            label = f"~{arc.label}" if arc.extracted else arc.label
            yield f"{label} of {arc.governor + 1} {example.words[arc.governor].form}"


def columns(rows: Sequence[tuple[str, ...]], gap: str = "  ") -> list[str]:
    """Return rows as lines with aligned columns; wide characters take two places."""
    widths = [max(display_width(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        padded = [cell + " " * (width - display_width(cell)) for cell, width in zip(row, widths, strict=True)]
        lines.append(gap.join(padded).rstrip())
    return lines
