"""What pictures show, trees of phrases and dependency graphs over words; and what structures ask for, in words.

A tree follows the templates of a text layer, so that its leaves are the sentence.  One derivation
gives the tree of the source and, in another order, of the target.  In a terminal a tree grows to
the right; a graph is a table of words, each with its governor::

    S                               1  Emma  PROPN  nsubj of 2 saw
    ├─ NP                           2  saw   VERB   root
    │  └─ Name Emma                 3  Lina  PROPN  obj of 2 saw
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from sgl.core.derivation import RULE
from sgl.core.grammar import EXTRACTED, CoreGrammar, Slot
from sgl.core.interpret import Derivation, fold, interpret
from sgl.core.structure import Body, DegreeTest, LabelTest, LengthTest, Link, NodeTest, Structure, Variable
from sgl.diagnostics.model import display_width
from sgl.rendering import outputs

#: A derivation with more rules than this is too large for a picture.
LARGEST_TREE = 120


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of a constituent tree, with the full category as ``note``; a word has no children."""

    label: str
    children: "tuple[TreeNode, ...]" = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class GraphWord:
    """A token of the source sentence with its part of speech, if any; ``marked`` sets it off."""

    form: str
    upos: str = ""
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Arc:
    """A labelled edge between words, by 0-based position.

    ``extracted`` edges are of the enhanced graph alone (``~obj`` in a grammar); ``marked`` sets it off.
    """

    governor: int
    label: str
    dependent: int
    extracted: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """One item: its texts, its tree in source and target unless it is too large, and its graph."""

    source: str
    target: str
    trees: tuple[TreeNode, ...]
    words: tuple[GraphWord, ...]
    arcs: tuple[Arc, ...]
    root: int

    @property
    def pieces(self) -> list[tuple[str, bool]]:
        """The source sentence in pieces, each with whether it is a marked word."""
        found: list[tuple[str, bool]] = []
        rest, folded = self.source, self.source.lower()
        for word in self.words:
            before = folded.find(word.form.lower())
            if before < 0 or len(folded) != len(rest):
                # Functions on texts have changed the words.
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
    """Return a category, with its words if it has nothing else, and the nodes below it."""
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
    """Rows as lines with aligned columns; wide characters take two places."""
    widths = [max(display_width(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        padded = [cell + " " * (width - display_width(cell)) for cell, width in zip(row, widths, strict=True)]
        lines.append(gap.join(padded).rstrip())
    return lines


#: Values of a test that are named; more of them are counted.
_NAMED = 12


def in_words(structure: Structure) -> str:
    """Return what a sentence has in which the structure occurs, as a clause.

    >>> from sgl.core.structure import Variable
    >>> edge = Link(0, LabelTest(frozenset({"nsubj"})), 1)
    >>> in_words(Structure("syn", Body((Variable("V"), Variable("N")), (edge,))))
    'N is the nsubj of V'
    """
    without = "".join(f", unless {_conjoined(_clauses(body))}" for body in structure.without)
    layer = f" (in the graph {structure.layer})" if structure.named else ""
    return _conjoined(_clauses(structure.body)) + without + layer


def any_in_words(structures: Collection[Structure]) -> str:
    """Return what a sentence has in which one of these structures occurs."""
    return "; or ".join(dict.fromkeys(map(in_words, structures)))


def _clauses(body: Body) -> Iterator[str]:
    called = [_called(variable) for variable in body.variables]
    names, linked = [name for name, _ in called], {end for link in body.links for end in (link.source, link.target)}
    for link in body.links:
        yield _link(link, names)
    for number, (variable, (name, told)) in enumerate(zip(body.variables, called, strict=True)):
        tests = [test for test in variable.tests if test != told]
        yield from (_test(name, test) for test in tests)
        yield from (_degree(name, test) for test in variable.degrees)
        if told is not None and number not in linked and not (tests or variable.degrees):
            yield f"{name} occurs"
    yield from map(_length, body.lengths)
    if not body.links and len(names) == 1 and not (body.variables[0].tests or body.variables[0].degrees):
        yield f"there is a word {names[0]}"


def _called(variable: Variable) -> tuple[str, NodeTest | None]:
    """Return what a node is called, and the test that its name tells: of a quoted word, or of a rule by its name."""
    for test in variable.tests:
        value = min(test.values) if len(test.values) == 1 and not test.negated else ""
        if test.attribute == "lemma" and value and variable.name.startswith("w_"):
            return f"“{value}”", test
        if test.attribute == RULE and value == variable.name:
            return f"`{value}`", test
    return variable.name, None


def _link(link: Link, names: list[str]) -> str:
    source, target = names[link.source], names[link.target]
    if link.is_edge:
        return f"{target} is {_label(link.labels)} of {source}"
    number = _range(link.low, link.high)
    edges = "edges" if link.labels.is_any else f"{_alternatives(link.labels)} edges"
    return f"{target} is {number} {edges} below {source}"


def _label(labels: LabelTest) -> str:
    if labels.is_any:
        return "a dependent"
    return f"a dependent, not {_named(labels.labels)}," if labels.negated else f"the {_alternatives(labels)}"


def _alternatives(labels: LabelTest) -> str:
    return ("other than " if labels.negated else "") + _named(labels.labels)


def _named(values: Collection[str]) -> str:
    """Return values with *or* between them; an extracted label says so."""
    shown = [f"extracted {v.removeprefix(EXTRACTED)}" if v.startswith(EXTRACTED) else v for v in sorted(values)]
    return _listed(shown, " or ") or "any"


def _test(name: str, test: NodeTest) -> str:
    if len(test.values) > _NAMED:
        return f"the {test.attribute} of {name} is {'none' if test.negated else 'one'} of {len(test.values)}"
    if not any(test.values):
        return f"{name} has {'a' if test.negated else 'no'} {test.attribute}"
    return f"the {test.attribute} of {name} is {'not ' if test.negated else ''}{_named(test.values)}"


def _degree(name: str, test: DegreeTest) -> str:
    low = 0 if test.comparison == "<=" else test.number
    high = None if test.comparison == ">=" else test.number
    kind = "dependents" if test.labels.is_any else f"dependents {_alternatives(test.labels)}"
    return f"{name} has {_range(low, high)} {kind}"


def _length(test: LengthTest) -> str:
    relation = {"=": "", "!=": "other than ", ">=": "at least ", "<=": "at most "}[test.comparison]
    number = f"as many words as the longest of {test.part} and {test.number:+}" if test.part else f"{test.number} words"
    return f"the text {test.layer} has {relation}{number}"


def _range(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} or more"
    if not low:
        return f"at most {high}"
    return str(low) if low == high else f"{low} to {high}"


def _conjoined(clauses: Iterator[str]) -> str:
    return _listed([*clauses], ", and ") or "there is a sentence"


def _listed(parts: Sequence[str], last: str) -> str:
    """Return parts with commas between them, and something else before the last one."""
    return last.join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
