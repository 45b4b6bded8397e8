"""Define the core grammar, which the compiler's front end produces.

A derivation is a tree of rules.  Each rule has one *template* per text layer and one *fragment* per graph layer, which
combine the values of its children::

    rule    VP -> V NP                      children 0 and 1
    ja      [Slot 1] [Token を] [Slot 0]     犬 を 見る
    syn     nodes  0: glue (child 0, head)  1: glue (child 1, head)
            edges  0 -obj-> 1               exports head = 0

The formalism is interpreted regular tree grammars (Koller & Kuhlmann 2011): the rules form a weighted regular tree
grammar, every layer is a homomorphism, and graph layers use the operations of the hyperedge-replacement algebra.
"""

from collections.abc import Sequence
from functools import cached_property

from sgl.core.graph import CUT, END, PARTS, WORD, Gluer, GluingNode, GluingRule, parts_of
from sgl.core.naming import Namer
from sgl.core.spelling import FUSE, JOINTS, Finish
from sgl.values import dataclass

#: The port that every category has: the head of the phrase.
HEAD = "head"

#: The prefix of labels of edges to an extracted node (``~obj``).
EXTRACTED = "~"

#: The kind of a view that an author's template computes from several layers.
COLUMN = "column"

#: The graph layer that every grammar has (``sgl.core.derivation``); its phrases have only the port of their head.
DERIVATION = "derivation"


@dataclass(frozen=True)
class Origin:
    """The place in the author's files where something was written (1-based line)."""

    file: str
    line: int


@dataclass(frozen=True)
class Category:
    """A nonterminal with all its features fixed.

    ``name`` is the author's spelling, ``NP[anim=yes]``; ``ports`` are the nodes that stay visible from outside,
    ``head`` always first.  ``limited`` pairs each port that belongs to one graph layer with that layer's name.
    ``parts`` names the parts of a phrase other than the main one, by text layer: ``de.prefix``.
    """

    name: str
    ports: tuple[str, ...] = (HEAD,)
    limited: tuple[tuple[str, str], ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def base(self) -> str:
        """The name without features: ``NP`` for ``NP[anim=yes]``."""
        return self.name.partition("[")[0]

    @property
    def features(self) -> dict[str, str]:
        """The values of the features: ``{'anim': 'yes'}`` for ``NP[anim=yes]``."""
        inside = self.name.partition("[")[2].removesuffix("]")
        return dict(pair.split("=", 1) for pair in inside.split(", ") if pair)

    def ports_in(self, layer: str) -> tuple[str, ...]:
        """Return the ports in a graph layer."""
        return ports_in(self.ports, self.limited, layer)


def ports_in(ports: Sequence[str], limited: Sequence[tuple[str, str]], layer: str) -> tuple[str, ...]:
    """Return the ports that are not limited to another graph layer."""
    if layer == DERIVATION:
        return (HEAD,)
    elsewhere = {port for port, other in limited if other != layer}
    return tuple(port for port in ports if port not in elsewhere)


@dataclass(frozen=True)
class Token:
    """A word written in a template, or a joint between two words (``sgl.core.spelling.JOINTS``)."""

    text: str

    @property
    def joint(self) -> bool:
        """Whether it is no word."""
        return self.text in JOINTS

    @property
    def weight(self) -> int:
        """How many words a text has more by it: words that are fused are one."""
        return -1 if self.text == FUSE else int(not self.joint)


@dataclass(frozen=True)
class Slot:
    """The place of a child in a template; ``capital`` raises its first letter.

    For a child with several parts, ``part`` numbers them from 1, the main part.  The last of ``functions`` is applied
    to its words first (``sgl.core.spelling.FUNCTIONS``).
    """

    child: int
    capital: bool = False
    part: int = 0
    functions: tuple[str, ...] = ()

    @property
    def packed(self) -> int:
        """The child and its part as one number."""
        return self.child + self.part * PARTS

    @property
    def number(self) -> int:
        """The index of the part, 0 for the main part."""
        return max(self.part - 1, 0)


@dataclass(frozen=True)
class Cut:
    """The end of a part in the template of a phrase with several parts; the next part follows."""

    text: str = CUT


Item = Token | Slot | Cut
Template = tuple[Item, ...]


def glues(template: Template) -> bool:
    """Return whether words of a template are glued."""
    return any(isinstance(item, Token) and item.joint for item in template)


#: For each part of a template its words, and children with parts, as often as they are used.
TokenCounts = tuple[tuple[int, tuple[tuple[int, int], ...]], ...]


@dataclass(frozen=True)
class Node:
    """A local node of a fragment.

    ``attributes`` label the node (sorted pairs), or are ``None`` if it is inherited from a child or still a
    placeholder.  ``token`` is the index of the item in the rule's template of the anchoring text layer.  ``glue`` lists
    the ports of children, as (child, port index), that are merged here.
    """

    attributes: tuple[tuple[str, str], ...] | None = None
    token: int | None = None
    glue: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Edge:
    """A labelled edge between local nodes; a label starting with ``~`` marks extraction.

    In a free layer, an edge comes before those that rules below write at its source or, if it is ``last``, after them.
    """

    source: int
    label: str
    target: int
    last: bool = False


@dataclass(frozen=True)
class Fragment:
    """The effect of one rule in one graph layer.

    ``exports[i]`` is the local node that becomes port ``i`` of the rule's left-hand side.  Local nodes that are not
    exported are forgotten: no later rule can touch them.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    exports: tuple[int, ...]


@dataclass(frozen=True)
class Rule:
    """A rule with its interpretation in every layer.

    ``weight`` is normalised: the weights of the rules of one category sum to 1. ``keep`` marks a rule that the author
    exempts from the cuts that patterns make in the training grammar.  ``roles`` are the names of its children.
    ``names`` says which of its features for names are the same one (``sgl.core.naming``).
    """

    id: int
    name: str
    lhs: int
    rhs: tuple[int, ...]
    weight: float
    templates: tuple[Template, ...]
    fragments: tuple[Fragment, ...]
    origin: Origin | None = None
    keep: bool = False
    roles: tuple[str, ...] = ()
    names: tuple[tuple[int, ...], ...] = ()

    @property
    def lexical(self) -> bool:
        """Whether the rule introduces words and has no children."""
        return not self.rhs

    def applies_functions(self, layer: int) -> bool:
        """Return whether the rule applies functions in a text layer, which makes the layer one-way."""
        return any(isinstance(item, Slot) and item.functions for item in self.templates[layer])

    def words(self, layer: int) -> tuple[str, ...]:
        """Return the words that the rule itself writes in a text layer.

        >>> rule = Rule(0, "near", 1, (2,), 1.0, ((Token("near"), Slot(0)),), ())
        >>> rule.words(0)
        ('near',)
        """
        return tuple(item.text for item in self.templates[layer] if isinstance(item, Token) and not item.joint)

    def constituents(self, layer: int) -> tuple[Token | Slot, ...]:
        """Return its words and children in a text layer; a child with parts is placed at its first.

        >>> split = ((Token("up"), Cut(), Slot(0, part=2), Slot(0, part=1)),)
        >>> len(Rule(0, "split", 1, (2,), 1.0, split, ()).constituents(0))
        2
        """
        found: dict[object, Token | Slot] = {}
        for place, item in enumerate(self.templates[layer]):
            if not isinstance(item, Cut) and not (isinstance(item, Token) and item.joint):
                divided = isinstance(item, Slot) and item.part and ("child", item.child)
                found.setdefault(divided or place, item)
        return tuple(found.values())


@dataclass(frozen=True)
class TextLayer:
    """A layer of token sequences.

    ``join`` is written between tokens, except before a token in ``attach``; ``finish``, if any, changes the tokens
    before that.
    """

    name: str
    join: str = " "
    attach: frozenset[str] = frozenset()
    finish: Finish | None = None

    @property
    def twin(self) -> str:
        """The layer that this one contrasts with, or "" if it is not a twin."""
        return "" if self.finish is None else self.finish.twin


@dataclass(frozen=True)
class GraphLayer:
    """A layer of graphs whose nodes are tokens of the text layer ``anchor``.

    The unmarked edges of a layer form a tree over all words, unless it is ``free``: then edges may meet and form
    circles, and words may be missing from the graph.
    """

    name: str
    anchor: str
    free: bool = False


@dataclass(frozen=True)
class View:
    """A rendering of a graph layer (by index) as text; an author's own, of kind ``template``, has a ``template``.

    A *column* is computed by its ``template`` from the layers that it ``reads``; its ``layer`` is the derivation.
    """

    name: str
    kind: str
    layer: int
    template: str = ""
    reads: tuple[str, ...] = ()


@dataclass(frozen=True)
class CoreGrammar:
    """A weighted regular tree grammar with its text and graph layers, and the entries of its lexicons of names."""

    name: str
    categories: tuple[Category, ...]
    rules: tuple[Rule, ...]
    start: int
    text_layers: tuple[TextLayer, ...]
    graph_layers: tuple[GraphLayer, ...]
    views: tuple[View, ...] = ()
    names: tuple[tuple[tuple[int, ...], ...], ...] = ()

    @cached_property
    def namer(self) -> Namer | None:
        """The choice of names for derivations, if the grammar has lexicons of names."""
        return Namer([rule.names for rule in self.rules], self.arity, self.names) if self.names else None

    @cached_property
    def rules_of(self) -> tuple[tuple[Rule, ...], ...]:
        """The rules of each category, in the author's order."""
        table: list[list[Rule]] = [[] for _ in self.categories]
        for rule in self.rules:
            table[rule.lhs].append(rule)
        return tuple(tuple(rules) for rules in table)

    @cached_property
    def source_tokens(self) -> tuple[int, ...]:
        """The number of tokens that each rule writes in the first text layer."""
        return tuple(sum(x.weight for x in rule.templates[0] if isinstance(x, Token)) for rule in self.rules)

    @cached_property
    def moving(self) -> tuple[bool, ...]:
        """For each text layer whether its words may stand elsewhere than rules write them: absorbed ones, joints."""
        absorbs = (bool(layer.finish and layer.finish.absorb) for layer in self.text_layers)
        return tuple(own or any(glues(r.templates[n]) for r in self.rules) for n, own in enumerate(absorbs))

    def token_counts(self, layer: str) -> list[TokenCounts]:
        """Return the own words and the parts of children, for each rule and each part of its template."""
        number, found = self.text_layer(layer), list[TokenCounts]()
        for parts in (parts_of(rule.templates[number], Cut()) for rule in self.rules):
            words = (sum(item.weight for item in part if isinstance(item, Token)) for part in parts)
            below = (tuple((x.child, x.number) for x in part if isinstance(x, Slot)) for part in parts)
            found.append(tuple(zip(words, below, strict=True)))
        return found

    @cached_property
    def arity(self) -> tuple[int, ...]:
        """The number of children of each rule."""
        return tuple(len(rule.rhs) for rule in self.rules)

    def divided(self, layer: int) -> bool:
        """Return whether phrases may have several parts in a text layer."""
        return any(part.startswith(f"{self.text_layers[layer].name}.") for c in self.categories for part in c.parts)

    @cached_property
    def anchors(self) -> tuple[int, ...]:
        """For each graph layer, the index of the text layer whose words are its nodes."""
        return tuple(self.text_layer(layer.anchor) for layer in self.graph_layers)

    @cached_property
    def gluing(self) -> tuple["GluingRules", ...]:
        """For each graph layer, the effect of each rule, as plain tables."""
        return tuple(GluingRules(self.rules, layer, anchor) for layer, anchor in enumerate(self.anchors))

    @cached_property
    def gluers(self) -> tuple[Gluer, ...]:
        """For each graph layer, the builder of the graphs of derivations."""
        layers = zip(self.gluing, self.graph_layers, strict=True)
        return tuple(Gluer(rules, self.arity, written=own.free) for rules, own in layers)  # type: ignore[arg-type]

    def text_layer(self, name: str) -> int:
        """Return the index of the text layer ``name``; raises ``KeyError``."""
        return _index(self.text_layers, name)

    def graph_layer(self, name: str) -> int:
        """Return the index of the graph layer ``name``; raises ``KeyError``."""
        return _index(self.graph_layers, name)


class GluingRules(dict[int, GluingRule]):
    """The effects of rules in a graph layer over a text layer, by number; each is made when it is first needed."""

    def __init__(self, rules: Sequence[Rule], layer: int, anchor: int) -> None:
        self._rules, self._layer, self._anchor = rules, layer, anchor

    def __missing__(self, number: int) -> GluingRule:
        fragment, template = self._rules[number].fragments[self._layer], self._rules[number].templates[self._anchor]
        items = (x.packed if isinstance(x, Slot) else WORD if isinstance(x, Token) else END for x in template)
        ends = [((e.source, e.label, e.target), e.last) for e in fragment.edges]
        edges, last = (tuple(edge for edge, is_last in ends if is_last == wanted) for wanted in (False, True))
        nodes = tuple(GluingNode(n.attributes, n.token, n.glue) for n in fragment.nodes)
        return self.setdefault(number, GluingRule(tuple(items), nodes, edges, fragment.exports, last))


def _index(layers: Sequence[TextLayer | GraphLayer], name: str) -> int:
    return {layer.name: index for index, layer in enumerate(layers)}[name]


#: The kinds of things that have weights, which are the sections of a file of weights.
RULES, WORDS, LEXICONS = "rules", "words", "lexicons"
SECTIONS = (RULES, WORDS, LEXICONS)


@dataclass(frozen=True, order=True)
class RuleKey:
    """The key of a rule in a file of weights, in the words that the author wrote.

    Features multiply an author's rules, and each resulting rule has its own weight.  Its key is the category with its
    features fixed and the name of the rule or lexicon; ``part``, its children or its lemma, distinguishes rules of one
    category and name.  Numbers of rules, lines and ranks do not occur, so a file stays correct when other rules and
    words are added.
    """

    section: str
    category: str
    name: str
    part: str = ""
