"""The sentences of a grammar of the model, by plain code: terms, texts and graphs; and what makes a grammar wrong.

::

    trees(grammar, longest=6)    its sentences up to a length
    faults(grammar)              what docs/language.md forbids in further layers
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, product

from claims_grammar import Category, Fragment, Grammar, Rule, UnclearError

#: A node is its lemma and its part of speech; an edge joins two nodes by number.
Edges = frozenset[tuple[int, str, int]]

#: What a node of a derivation has.
ATTRIBUTES = ("rule", "category", "lemma", "num")


@dataclass(frozen=True)
class Graph:
    """The graph of a phrase in a further layer; a node is called like the word that it is of."""

    nodes: Mapping[int, tuple[str, ...]]
    edges: Edges
    head: int
    gap: int

    def value(self, node: int, attribute: str) -> str:
        """The value of an attribute of a node, empty if it has none."""
        return self.nodes[node][("lemma", "upos").index(attribute)]

    def meant(self, name: str) -> tuple[str, str] | None:  # noqa: ARG002 - of words a name says nothing
        """What the name of a variable says of its node: an attribute and its value."""
        return None


@dataclass(frozen=True)
class Derivation(Graph):
    """The tree of rules and words, by docs/structures.md, section "Derivations".

    A node is called by its place in preorder, and has the values of ``ATTRIBUTES``.
    """

    categories: frozenset[str] = frozenset()

    def value(self, node: int, attribute: str) -> str:
        """The value of an attribute of a node, empty if it has none."""
        return self.nodes[node][ATTRIBUTES.index(attribute)]

    def meant(self, name: str) -> tuple[str, str] | None:
        """A name is that of a word in quotes, of a rule, or of a category if there is one of this name."""
        if name.startswith('"'):
            return "lemma", name.strip('"')
        if name[0].islower():
            return "rule", name
        return ("category", name) if name in self.categories else None


@dataclass(frozen=True)
class Tree:
    """A derivation with its values.

    ``en`` and ``ja`` are words with what they are called by, in order; in ``syn`` each word of
    ``en`` is a node.  ``gap`` is a node that has no word yet.
    """

    term: str
    rules: frozenset[str]
    en: tuple[tuple[str, int], ...]
    ja: tuple[tuple[str, int], ...]
    nodes: Mapping[int, tuple[str, str]]
    edges: Edges
    head: int
    gap: int
    further: Mapping[str, Graph] = field(default_factory=dict)
    #: Of each phrase in preorder the head in each layer, a word if it is a node there.
    heads: tuple[Mapping[str, int], ...] = ()

    def graph(self, layer: str) -> Graph:
        """The graph in a layer."""
        if layer == "syn":
            return Graph(self.nodes, self.edges, self.head, self.gap)
        return self.further[layer]

    @property
    def layers(self) -> tuple[str, ...]:
        """The graph layers, of which a grammar of texts has one."""
        return ("syn", *self.further) if self.nodes else tuple(self.further)

    def places(self, layer: str) -> dict[int, int]:
        """The place of each node in the text of its layer."""
        if layer == "derivation":
            return {node: node for node in self.further[layer].nodes}
        return {word: at for at, (_, word) in enumerate(self.ja if layer == "dep" else self.en)}

    @property
    def target(self) -> str:
        """The text in the target."""
        return "".join(word for word, _ in self.ja)

    @property
    def text(self) -> str:
        """The sentence."""
        return " ".join(word for word, _ in self.en)

    @property
    def value(self) -> tuple[object, ...]:
        """The term, all texts, and of each layer the nodes with their places, and the edges."""
        found: list[object] = [self.term, self.text, self.target]
        if rules := self.further.get("derivation"):
            found.append(" ".join(label[0] for label in rules.nodes.values()))
        for layer in self.layers:
            graph, place = self.graph(layer), self.places(layer)
            nodes = sorted((place[n], label) for n, label in graph.nodes.items())
            # In the first layer each word is a node.
            found.append(tuple(nodes) if layer != "syn" else tuple(label for _, label in nodes))
            found.append(frozenset((place[s], label, place[t]) for s, label, t in graph.edges))
        return tuple(found)


def trees(grammar: Grammar, longest: int, most: int) -> tuple[list[Tree], int]:
    """The sentences of up to ``longest`` words, or fewer if they would be more than ``most``.

    Returns:
        The sentences that no restriction forbids, and the length up to which these are all.
    """
    known: dict[tuple[str, int], list[Tree]] = {}
    found: list[Tree] = []
    reached = 0
    for length in range(1, longest + 1):
        for category in grammar.categories:
            for number in ("sg", "pl") if category.number else ("",):
                made = list(_phrases(grammar, category, number, length, known))
                if len(made) > most:
                    return found, reached
                known[category.instance(number), length] = made
        whole = known[grammar.categories[0].name, length]
        told = [_with_derivation(grammar, tree) for tree in whole] if grammar.derived else whole
        found += [tree for tree in told if _allowed(grammar, tree)]
        reached = length
    return found, reached


def _allowed(grammar: Grammar, tree: Tree) -> bool:
    """Whether no restriction forbids a sentence."""
    if grammar.texts and grammar.relation:
        return not any(_breaks(grammar, *pair) for pair in _beside(tree.further["derivation"], grammar))
    return grammar.texts or all(
        tree.nodes[target][0] in grammar.relation[tree.nodes[source][0]]
        for source, label, target in tree.edges
        if grammar.along.passes(label) and tree.nodes[source][1] == "V" and tree.nodes[source][0] in grammar.relation
    )


def _beside(graph: Graph, grammar: Grammar) -> Iterator[tuple[str, str]]:
    """Yield the lemmas of each two nodes that a restriction of a grammar of texts is about."""
    edges = [edge for edge in graph.edges if grammar.along.passes(edge[1])]
    for (above, _, one), (parent, _, other) in product(edges, edges):
        if above == parent and one != other:
            yield graph.value(one, "lemma"), graph.value(other, "lemma")


def _breaks(grammar: Grammar, one: str, other: str) -> bool:
    return one in grammar.relation and other not in grammar.relation[one]


def _with_derivation(grammar: Grammar, tree: Tree) -> Tree:
    nodes = {} if grammar.texts else tree.nodes
    return replace(tree, nodes=nodes, further={**tree.further, "derivation": derivation_of(grammar, tree.term)})


def derivation_of(grammar: Grammar, term: str) -> Derivation:
    """Return the tree of rules and words that a term is, ``(S r1 (A a1) (B b1))``: by docs/structures.md."""
    words = {word.form: word for word in grammar.words}
    roles = {rule.name: [child.role for child in rule.children] for rule in grammar.rules}
    nodes: dict[int, tuple[str, ...]] = {}
    edges: set[tuple[int, str, int]] = set()
    # Rules and words above, each with the roles of the children that are still to come.
    above: list[tuple[int, list[str]]] = []
    for phrase in term.split("(")[1:]:
        name, said = phrase.rstrip(") ").rsplit(" ", 1)
        category, _, number = name.removesuffix("]").partition("[num=")
        word, node = words.get(said), len(nodes)
        lemma = "" if word is None else word.form if grammar.texts else word.lemma
        nodes[node] = (said if word is None else word.lexicon, category, lemma, number)
        while above and not above[-1][1]:
            above.pop()
        if above:
            edges.add((above[-1][0], above[-1][1].pop(0), node))
        above.append((node, [] if word is not None else [*roles[said]]))
    categories = frozenset(category.name for category in grammar.categories)
    return Derivation(nodes, frozenset(edges), 0, -1, categories)


_fresh = count()


def _phrases(
    grammar: Grammar, category: Category, number: str, length: int, known: Mapping[tuple[str, int], list[Tree]]
) -> Iterator[Tree]:
    name = category.instance(number)
    for word in grammar.words if length == 1 else ():
        if word.category == category and number in (word.number, ""):
            node, other, label = next(_fresh), next(_fresh), (word.lemma, word.upos)
            term = f"({name} {word.form})"
            further = {
                layer: Graph({own: label} if word.speaks_of(layer) else {}, frozenset(), own, -1)
                for layer, own in (("sem", node), ("dep", other))
            }
            yield Tree(
                term, frozenset(), ((word.form, node),), ((word.ja, other),) * (not word.silent),
                {node: label}, frozenset(), node, -1, further if grammar.layered else {},
                ({"syn": node, "sem": node, "dep": other},),
            )  # fmt: skip
    for rule in grammar.rules:
        if rule.category == category:
            yield from _applied(rule, name, number, length, known)


def _applied(
    rule: Rule, name: str, number: str, length: int, known: Mapping[tuple[str, int], list[Tree]]
) -> Iterator[Tree]:
    """What a rule makes of all children that are known, with so many words."""
    rest = length - bool(rule.quoted)
    for below in _instances(rule, number):
        for lengths in _divisions(rest, len(below)):
            choices = [known.get((child, size), []) for child, size in zip(below, lengths, strict=True)]
            for parts in product(*choices):
                yield _glued(rule, name, parts)


def _instances(rule: Rule, number: str) -> Iterator[tuple[str, ...]]:
    """The categories of the children, features fixed, where the rule makes a phrase of this number."""
    values = [("sg", "pl") if child.category.number else ("",) for child in rule.children]
    for numbers in product(*values) if rule.number not in ("sg", "pl") or rule.number == number else ():
        bound = {rule.number: number} if rule.number not in ("", "sg", "pl") else {}
        fits = True
        for child, value in zip(rule.children, numbers, strict=True):
            if child.number in ("sg", "pl"):
                fits = fits and value == child.number
            elif child.number:
                fits = fits and bound.setdefault(child.number, value) == value
        if fits:
            yield tuple(child.category.instance(n) for child, n in zip(rule.children, numbers, strict=True))


def faults(grammar: Grammar) -> set[tuple[str, str]]:
    """What the documentation forbids in further layers: codes with rules.

    The head is one of the nodes that have edges, and no edge is at a word that is no node.
    """
    found: set[tuple[str, str]] = set()
    for rule, layer in product(grammar.rules, grammar.further):
        try:
            rule.further[layer].head_of(rule)
        except UnclearError:
            found.add(("SGL0518", rule.name))
    return found or {("SGL0516", rule) for layer in grammar.further for rule, _ in nodeless(grammar, layer)}


def nodeless(grammar: Grammar, layer: str) -> set[tuple[str, str]]:
    """The rules with a role that has an edge, or fills a gap, and whose phrase may be no node."""
    holds: dict[str, set[bool]] = {}
    for word in grammar.words:
        holds.setdefault(word.category.instance(word.number), set()).add(word.speaks_of(layer))
    size = -1
    found: set[tuple[str, str]] = set()
    while size < (size := sum(map(len, holds.values()))):
        for rule in grammar.rules:
            own = rule.further[layer]
            needed = {end for source, _, target in own.edges for end in (source, target)}
            needed |= {filler for _, filler in own.fills}
            for number in ("sg", "pl") if rule.category.number else ("",):
                for below in _instances(rule, number):
                    if not all(child in holds for child in below):
                        continue
                    of = {child.role: holds[name] for child, name in zip(rule.children, below, strict=True)}
                    head = of.get(own.head_of(rule), {True})
                    holds.setdefault(rule.category.instance(number), set()).update(head)
                    found |= {(rule.name, role) for role in needed & of.keys() if False in of[role]}
    return found


def _divisions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        if total > 0:
            yield (total,)
        return
    for first in range(1, total):
        for others in _divisions(total - first, parts - 1):
            yield first, *others


def _glued(rule: Rule, name: str, given: Sequence[Tree]) -> Tree:
    # Phrases occur in many sentences, and each time their nodes are others.
    parts = [_renamed(part) for part in given]
    en = tuple(pair for part in parts for pair in part.en)
    ordered = list(reversed(parts)) if rule.backwards else parts
    ja = tuple(pair for part in ordered for pair in part.ja)
    quoted, spelt = next(_fresh), next(_fresh)
    if rule.quoted:
        en, ja = ((rule.quoted, quoted), *en), (*ja, (rule.quoted.upper(), spelt))
    own = Fragment(rule.children[0].role, rule.edges, rule.fills)
    syn = _joined(rule, own, [part.graph("syn") for part in parts], quoted)
    further = {
        layer: _joined(rule, own, [x.graph(layer) for x in parts], word)
        for (layer, own), word in zip(rule.further.items(), (quoted, spelt), strict=False)
    }
    term = f"({name} {rule.name} {' '.join(part.term for part in parts)})"
    rules = frozenset({rule.name}).union(*(part.rules for part in parts))
    own_heads = {"syn": syn.head, **{layer: graph.head for layer, graph in further.items()}}
    heads = (own_heads, *(head for part in parts for head in part.heads))
    return Tree(term, rules, en, ja, syn.nodes, syn.edges, syn.head, syn.gap, further, heads)


def _joined(rule: Rule, fragment: Fragment, parts: Sequence[Graph], quoted: int) -> Graph:
    """What a rule makes of the graphs of its children in one layer."""
    of = {child.role: part for child, part in zip(rule.children, parts, strict=True)}
    nodes = {node: label for part in parts for node, label in part.nodes.items()}
    place = {role: part.head for role, part in of.items()}
    if any("quoted" in edge for edge in fragment.edges):
        place["quoted"] = quoted
        nodes[quoted] = (rule.quoted, "P")
    gap = of[rule.hands_on].gap if rule.hands_on else next(_fresh) if rule.category.gap else -1
    place["gap"] = gap
    edges = {edge for part in parts for edge in part.edges}
    edges |= {(place[s], label, place[t]) for s, label, t in fragment.edges}
    for child, filler in fragment.fills:
        before, after = of[child].gap, place[filler]
        edges = {(after if s == before else s, e, after if t == before else t) for s, e, t in edges}
    return Graph(nodes, frozenset(edges), place[fragment.head_of(rule)], gap)


def _renamed(tree: Tree) -> Tree:
    words = [word for _, word in (*tree.en, *tree.ja)]
    graphs = [tree.graph(layer) for layer in ("syn", *tree.further)]
    ends = [end for graph in graphs for end in (graph.head, graph.gap) if end >= 0]
    new = {word: next(_fresh) for word in dict.fromkeys((*words, *ends))}

    def moved(graph: Graph) -> Graph:
        nodes = {new[node]: label for node, label in graph.nodes.items()}
        edges = frozenset((new[s], label, new[t]) for s, label, t in graph.edges)
        return Graph(nodes, edges, new[graph.head], new.get(graph.gap, -1))

    syn = moved(graphs[0])
    return replace(
        tree,
        en=tuple((word, new[node]) for word, node in tree.en),
        ja=tuple((word, new[node]) for word, node in tree.ja),
        nodes=syn.nodes, edges=syn.edges, head=syn.head, gap=syn.gap,
        further={layer: moved(graph) for layer, graph in tree.further.items()},
        heads=tuple({layer: new.get(head, head) for layer, head in heads.items()} for heads in tree.heads),
    )  # fmt: skip
