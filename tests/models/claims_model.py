"""A small model of SGL that knows nothing of the compiler: grammars, derivations, matches.

It is what ``random_claims.py`` holds the compiler against.  A model grammar has agreement, gaps
that are made, handed on and filled, quoted words, restrictions and tables of words; it may have
two more graph layers, ``sem`` on the words of the source and ``dep`` on those of the target, with
the words that have a clause there.  It writes itself as SGL, and lists its derivations up to a
length, each evaluated by plain code::

    grammar.source()             the text of the grammar
    trees(grammar, longest=6)    its sentences, with terms, texts and graphs
    contains(tree, structure)    the definition of docs/structures.md
    within(tree, structure, x)   whether some match extends to a condition of ``size``
    faults(grammar)              what docs/language.md forbids in further layers
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, permutations, product
from typing import NamedTuple

#: A node is its lemma and its part of speech; an edge joins two nodes by number.
Edges = frozenset[tuple[int, str, int]]


class Labels(NamedTuple):
    """A test of a label."""

    negated: bool
    names: tuple[str, ...]

    def passes(self, label: str) -> bool:
        """Whether a label passes."""
        return (label in self.names) != self.negated

    def __str__(self) -> str:
        return ("^" if self.negated else "") + "|".join(self.names)


class Link(NamedTuple):
    """A walk of ``low`` to ``high`` edges between two variables; an edge is a walk of one."""

    source: str
    labels: Labels
    low: int
    high: int | None
    target: str

    def __str__(self) -> str:
        bounds = {(1, 1): "", (1, None): "+"}.get((self.low, self.high))
        if bounds is None:
            bounds = f"{{{self.low},{self.high}}}"
        return f"{self.source} -[{self.labels}]{bounds}-> {self.target}"


@dataclass(frozen=True, eq=False)
class Body:
    """Variables with their tests, and the links between them.

    ``tests`` are (attribute, negated, values), ``degrees`` (labels, comparison, number).
    """

    variables: tuple[str, ...]
    tests: Mapping[str, tuple[str, bool, tuple[str, ...]]]
    degrees: Mapping[str, tuple[Labels, str, int]]
    links: tuple[Link, ...]

    def __str__(self) -> str:
        said = dict.fromkeys(self.variables, False)
        parts = []

        def node(name: str) -> str:
            tests = []
            if not said[name]:
                if name in self.tests:
                    attribute, negated, values = self.tests[name]
                    tests.append(f"{attribute}{'!=' if negated else '='}{'|'.join(values)}")
                if name in self.degrees:
                    labels, comparison, number = self.degrees[name]
                    tests.append(f"#{labels}{comparison}{number}")
            said[name] = True
            return name + (f"[{', '.join(tests)}]" if tests else "")

        for link in self.links:
            source = node(link.source)
            text = str(link).removeprefix(link.source).removesuffix(link.target)
            parts.append(source + text + node(link.target))
        parts += [node(name) for name in self.variables if not said[name]]
        return "{ " + "; ".join(parts) + " }"


COMPARE = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, eq=False)
class Structure:
    """A body, and bodies by which no match may be extended, in a layer; perhaps ``more`` of them.

    In these a variable of the same name is the same word.  ``lengths`` are the layers of texts,
    comparisons and numbers that are asked of the sentence; ``depth`` are labels, a comparison and
    a number, in place of a body.
    """

    body: Body
    without: tuple[Body, ...] = ()
    lengths: tuple[tuple[str, str, int], ...] = ()
    depth: tuple[Labels, str, int] | None = None
    layer: str = "syn"
    more: tuple[Structure, ...] = ()

    @property
    def parts(self) -> tuple[Structure, ...]:
        """What is said of each layer."""
        return replace(self, more=()), *self.more

    @property
    def names(self) -> frozenset[str]:
        """The variables of a match."""
        return frozenset(name for part in self.parts for name in part.body.variables)

    @property
    def all_names(self) -> frozenset[str]:
        """Its variables, and those of its ``without`` bodies."""
        return self.names.union(*(body.variables for part in self.parts for body in part.without))

    def said(self) -> str:
        """What it says of its own layer."""
        said = [f"length {layer} {sign} {number}" for layer, sign, number in self.lengths]
        if self.depth is not None:
            said.append("depth {} {} {}".format(*self.depth))
            return f"{{ {'; '.join(said)} }}"
        main = str(self.body) if self.body.variables else "{ }"
        own = [part for part in [main[2:-2], *said] if part]
        return " without ".join([f"{{ {'; '.join(own)} }}", *map(str, self.without)])

    def __str__(self) -> str:
        if self.layer == "syn" and not self.more:
            return self.said()
        return " ".join(f"{own.layer} {own.said()}" for own in self.parts)


@dataclass(frozen=True)
class Category:
    """A category, with number or without, with a gap or without."""

    name: str
    number: bool
    gap: bool

    def instance(self, number: str) -> str:
        """The name with its feature fixed."""
        return f"{self.name}[num={number}]" if self.number else self.name


@dataclass(frozen=True)
class Word:
    """A lexical rule; ``table`` words come from a lexicon, ``mute`` are layers of which it says nothing."""

    category: Category
    number: str
    form: str
    lemma: str
    upos: str
    table: bool = False
    silent: bool = False
    mute: tuple[str, ...] = ()

    @property
    def ja(self) -> str:
        """The word in the target, where some have none."""
        return "" if self.silent else self.form.upper()

    def speaks_of(self, layer: str) -> bool:
        """Whether the word is a node of a further layer: it has a clause, and is not empty in its text."""
        return layer not in self.mute and not (layer == "dep" and self.silent)


@dataclass(frozen=True)
class Fragment:
    """What a rule says of a further layer: roles, as in a rule; ``head`` is one of them, or not said.

    A rule that says nothing at all has no edges.
    """

    head: str
    edges: tuple[tuple[str, str, str], ...]
    fills: tuple[tuple[str, str], ...]
    said: bool = True

    def head_of(self, rule: Rule) -> str:
        """The head by docs/language.md; ``UnclearError`` if the author has to say which it is."""
        able = [*(child.role for child in rule.children), "quoted"]
        have = {end for source, _, target in self.edges for end in (source, target)} & {*able}
        tops = have - {target for _, _, target in self.edges}
        first = rule.children[0].role
        if self.head or len(tops) == 1:
            return self.head or min(tops)
        if have and first not in have:
            raise UnclearError(f"{rule.name} has edges, and its head in the first layer has none")
        return first


class UnclearError(Exception):
    """The documentation says that a grammar is wrong."""


@dataclass(frozen=True)
class Child:
    """A child of a rule: its number is a value, a variable of the rule, or open (empty)."""

    role: str
    category: Category
    number: str = ""


@dataclass(frozen=True)
class Rule:
    """A rule; the first child is its head.

    ``edges`` are between roles, ``"quoted"`` and ``"gap"``.  ``fills`` says which role fills the
    gap of a child, ``hands_on`` whose gap becomes that of the whole.  ``number`` is that of the
    left-hand side: a value, a variable, or empty.
    """

    name: str
    category: Category
    number: str
    children: tuple[Child, ...]
    quoted: str
    edges: tuple[tuple[str, str, str], ...]
    fills: tuple[tuple[str, str], ...]
    hands_on: str
    backwards: bool
    keep: bool = False
    further: Mapping[str, Fragment] = field(default_factory=dict)


@dataclass(frozen=True)
class Grammar:
    """A model grammar; sentences are of its first category.

    ``relation`` is, for each verb lemma in it, the lemmas that may follow along ``along``.
    """

    categories: tuple[Category, ...]
    words: tuple[Word, ...]
    rules: tuple[Rule, ...]
    relation: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    along: Labels = field(default_factory=lambda: Labels(False, ("a",)))

    def source(self) -> str:
        """The declarations, without patterns and dataset."""
        lines = ["layer en  : text", 'layer ja  : text (join "")', "layer syn : graph on en"]
        if self.layered:
            lines += ["layer sem : graph on en (free)", "layer dep : graph on ja (free)"]
        lines += ["", "feature num = sg | pl", "param tables = on", ""]
        for category in self.categories:
            features = "[num]" if category.number else ""
            lines.append(f"category {category.name}{features}{' with gap' * category.gap}")
        for word in self.words:
            if not word.table:
                lines += ["", f'word {word.category.instance(word.number)}: "{word.form}"']
                lines += [f'  ja "{word.ja}"', f"  syn {_node(word)}"]
                lines += [f"  {layer} {_node(word)}" for layer in self.further if layer not in word.mute]
        # Words of one table say something of the same layers.
        for category, number, mute in dict.fromkeys((w.category, w.number, w.mute) for w in self.words if w.table):
            lines += ["", f'lexicon t{category.name.lower()}{number} from "words.yaml" ']
            lines[-1] += f"where cat = {category.name.lower()}{number}"
            lines += ["  when tables", f"  {category.instance(number)}", "    en $en"]
            lines += ["    ja $ja"]
            said = (layer for layer in ("syn", *self.further) if layer not in mute)
            lines += [f"    {layer} node(lemma=$lemma, upos=$upos)" for layer in said]
        for rule in self.rules:
            lines += ["", *self._rule(rule)]
        if self.relation:
            lines += ["", 'relation takes from "takes.yaml"']
            lines.append(f"restrict {{ X[upos=V] -[{self.along}]-> Y }} to takes(X, Y)")
        return "\n".join(lines) + "\n"

    @property
    def layered(self) -> bool:
        """Whether there are further layers."""
        return any(rule.further for rule in self.rules)

    @property
    def further(self) -> tuple[str, ...]:
        """The further layers."""
        return ("sem", "dep") if self.layered else ()

    def files(self) -> dict[str, str]:
        """The tables that the source reads."""
        rows = [
            f"- {{cat: {word.category.name.lower()}{word.number if word.category.number else ''}, "
            f'en: {word.form}, ja: "{word.ja}", lemma: {word.lemma}, upos: {word.upos}}}\n'
            for word in self.words
            if word.table
        ]
        takes = [f"{verb}: [{', '.join(row)}]\n" for verb, row in self.relation.items()]
        return {"words.yaml": "".join(rows) or "[]\n", "takes.yaml": "".join(takes) or "{}\n"}

    def _rule(self, rule: Rule) -> list[str]:
        left = rule.category.name
        if rule.category.number and rule.number:
            left += f"[num={rule.number}]"
        right = [f'"{rule.quoted}"'] if rule.quoted else []
        for child in rule.children:
            number = f"[num={child.number}]" if child.number else ""
            right.append(f"{child.role}:{child.category.name}{number}")
        keep = "\n  keep in train" if rule.keep else ""
        order = list(reversed(rule.children)) if rule.backwards else list(rule.children)
        spelt = " ".join([child.role for child in order] + [f'"{rule.quoted.upper()}"'] * bool(rule.quoted))
        said = {"syn": Fragment("", rule.edges, rule.fills), **rule.further}
        clauses = []
        for layer, fragment in said.items():
            statements = _statements(rule, fragment, rule.quoted.upper() if layer == "dep" else "")
            clauses += ["  " + layer + " " + "; ".join(statements)] if statements and fragment.said else []
        return [f"rule {rule.name}: {left} -> {' '.join(right)}{keep}", f"  ja {spelt}", *clauses]


def _statements(rule: Rule, fragment: Fragment, spelt: str) -> list[str]:
    """What a rule says of a layer; a quoted word may be ``spelt`` in another way there."""
    word = f'"{spelt or rule.quoted}"'
    statements, named = [f"head = {fragment.head}"] if fragment.head else [], False
    for source, label, target in fragment.edges:
        ends = []
        for end in (source, target):
            text = end
            if end == "quoted":
                text = word if named else f"{word}(lemma={rule.quoted}, upos=P)"
            named = named or end == "quoted"
            ends.append(text)
        statements.append(f"{ends[0]} -[{label}]-> {ends[1]}")
    statements += [f"{child}.gap = {filler}" for child, filler in fragment.fills]
    if rule.hands_on:
        statements.append(f"gap = {rule.hands_on}.gap")
    return statements


def _node(word: Word) -> str:
    return f"node(lemma={word.lemma}, upos={word.upos})"


@dataclass(frozen=True)
class Graph:
    """The graph of a phrase in a further layer; a node is called like the word that it is of."""

    nodes: Mapping[int, tuple[str, str]]
    edges: Edges
    head: int
    gap: int


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

    def graph(self, layer: str) -> Graph:
        """The graph in a layer."""
        if layer == "syn":
            return Graph(self.nodes, self.edges, self.head, self.gap)
        return self.further[layer]

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
        """The term, both texts, and of each layer the nodes with their places, and the edges."""
        found: list[object] = [self.term, self.text, self.target]
        for layer in ("syn", *self.further):
            graph = self.graph(layer)
            place = {word: at for at, (_, word) in enumerate(self.ja if layer == "dep" else self.en)}
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
        found += [tree for tree in known[grammar.categories[0].name, length] if _allowed(grammar, tree)]
        reached = length
    return found, reached


def _allowed(grammar: Grammar, tree: Tree) -> bool:
    """Whether no restriction forbids a sentence."""
    return all(
        tree.nodes[target][0] in grammar.relation[tree.nodes[source][0]]
        for source, label, target in tree.edges
        if grammar.along.passes(label) and tree.nodes[source][1] == "V" and tree.nodes[source][0] in grammar.relation
    )


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
    return Tree(term, rules, en, ja, syn.nodes, syn.edges, syn.head, syn.gap, further)


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
    )  # fmt: skip


#: Which word a variable is, by its name.
Words = Mapping[str, int]


def contains(tree: Tree, structure: Structure) -> bool:
    """Whether the lengths are right, and some match is extended by no ``without`` body.

    Of several layers a match is one word for each variable, which is a match in every layer.
    """
    sizes = {"en": len(tree.en), "ja": len(tree.ja)}
    if not all(COMPARE[sign](sizes[layer], number) for layer, sign, number in structure.lengths):
        return False
    if structure.depth is not None:
        return _deep(tree, *structure.depth)
    return any(True for _ in _extensions(tree, structure, {}, {}))


def within(tree: Tree, structure: Structure, condition: Structure) -> bool:
    """Whether some match of a structure extends to a condition; one without a common name is about the sentence."""
    if not structure.names & condition.all_names:
        return contains(tree, structure) and contains(tree, condition)
    return any(
        True
        for words, of_layer in _extensions(tree, structure, {}, {})
        for _ in _extensions(tree, condition, words, of_layer)
    )


def _deep(tree: Tree, labels: Labels, sign: str, number: int) -> bool:
    """Whether a walk of so many edges leads from one node to another, and none of more."""

    def has(length: int) -> bool:
        walks = {(node, node) for node in tree.nodes}
        for _ in range(length):
            walks = {
                (first, target)
                for first, last in walks
                for source, label, target in tree.edges
                if source == last and labels.passes(label)
            }
        return any(first != last for first, last in walks)

    number += {">": 1, "<": -1}.get(sign, 0)
    least, most = sign in (">", ">=", "="), sign in ("<", "<=", "=")
    return (not least or has(number)) and not (most and has(number + 1))


def _extensions(
    tree: Tree, structure: Structure, held: Words, taken: Mapping[str, Words]
) -> Iterator[tuple[Words, dict[str, Words]]]:
    """Yield what extends the words that are held to a match: the words of all variables, and those of each layer."""
    found = [({**held}, {**taken})]
    for part in structure.parts:
        layer, names = part.layer, part.body.variables
        found = [
            (more, {**own, layer: {**own.get(layer, {}), **{x: more[x] for x in names}}})
            for words, own in found
            for more in _matches(tree.graph(layer), part.body, words, own.get(layer, {}))
        ]
    for words, own in found:
        if not any(
            True
            for part in structure.parts
            for other in part.without
            for _ in _matches(tree.graph(part.layer), other, words, own[part.layer])
        ):
            yield words, own


def _matches(graph: Graph, body: Body, held: Words, taken: Words) -> Iterator[dict[str, int]]:
    """Yield matches that agree with what is held; other variables are no nodes that are taken."""
    free = [name for name in body.variables if name not in held]
    fixed = {name: held[name] for name in body.variables if name in held}
    if len({*fixed.values()}) < len(fixed) or not graph.nodes.keys() >= {*fixed.values()}:
        return
    if any(name not in taken and node in taken.values() for name, node in fixed.items()):
        return
    used = {*fixed.values(), *taken.values()}
    others = [node for node in graph.nodes if node not in used]
    for nodes in permutations(others, len(free)):
        match = {**held, **dict(zip(free, nodes, strict=True))}
        if all(node_passes(graph, body, name, match[name]) for name in body.variables) and all(
            _walks(graph, link, match[link.source], match[link.target]) for link in body.links
        ):
            yield match


def node_passes(graph: Graph, body: Body, name: str, node: int) -> bool:
    """Whether a node passes the tests of a variable."""
    lemma, upos = graph.nodes[node]
    if name in body.tests:
        attribute, negated, values = body.tests[name]
        if ((lemma if attribute == "lemma" else upos) in values) == negated:
            return False
    if name in body.degrees:
        labels, comparison, number = body.degrees[name]
        degree = sum(source == node and labels.passes(label) for source, label, _ in graph.edges)
        return {"=": degree == number, ">=": degree >= number, "<=": degree <= number}[comparison]
    return True


def _walks(graph: Graph, link: Link, source: int, target: int) -> bool:
    steps = {(s, t) for s, label, t in graph.edges if link.labels.passes(label)}
    reached = {source}
    for length in range(1, (link.high or link.low + len(graph.nodes)) + 1):
        reached = {t for s, t in steps if s in reached}
        if length >= link.low and target in reached:
            return True
    return False
