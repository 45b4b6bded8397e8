"""A small model of SGL that knows nothing of the compiler: grammars, derivations, matches.

It is what ``random_claims.py`` holds the compiler against.  A model grammar has agreement, gaps
that are made, handed on and filled, quoted words, restrictions and tables of words.  It writes
itself as SGL, and lists its derivations up to a length, each evaluated by plain code::

    grammar.source()             the text of the grammar
    trees(grammar, longest=6)    its sentences, with terms, texts and graphs
    contains(tree, structure)    the definition of docs/structures.md
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
    """A body, and bodies by which no match may be extended.

    ``lengths`` are the layers of texts, comparisons and numbers that are asked of the sentence;
    ``depth`` are labels, a comparison and a number, in place of a body.
    """

    body: Body
    without: tuple[Body, ...] = ()
    lengths: tuple[tuple[str, str, int], ...] = ()
    depth: tuple[Labels, str, int] | None = None

    def __str__(self) -> str:
        said = [f"length {layer} {sign} {number}" for layer, sign, number in self.lengths]
        if self.depth is not None:
            said.append("depth {} {} {}".format(*self.depth))
            return f"{{ {'; '.join(said)} }}"
        main = str(self.body) if self.body.variables else "{ }"
        own = [part for part in [main[2:-2], *said] if part]
        return " without ".join([f"{{ {'; '.join(own)} }}", *map(str, self.without)])


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
    """A lexical rule; ``table`` words come from a lexicon."""

    category: Category
    number: str
    form: str
    lemma: str
    upos: str
    table: bool = False


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
        lines += ["", "feature num = sg | pl", "param tables = on", ""]
        for category in self.categories:
            features = "[num]" if category.number else ""
            lines.append(f"category {category.name}{features}{' with gap' * category.gap}")
        for word in self.words:
            if not word.table:
                lines += ["", f'word {word.category.instance(word.number)}: "{word.form}"']
                lines += [f'  ja "{word.form.upper()}"', f"  syn {_node(word)}"]
        for category in dict.fromkeys(word.category for word in self.words if word.table):
            for number in ("sg", "pl") if category.number else ("",):
                lines += ["", f'lexicon t{category.name.lower()}{number} from "words.yaml" ']
                lines[-1] += f"where cat = {category.name.lower()}{number}"
                lines += ["  when tables", f"  {category.instance(number)}", "    en $en"]
                lines += ["    ja $ja"]
                lines.append("    syn node(lemma=$lemma, upos=$upos)")
        for rule in self.rules:
            lines += ["", *self._rule(rule)]
        if self.relation:
            lines += ["", 'relation takes from "takes.yaml"']
            lines.append(f"restrict {{ X[upos=V] -[{self.along}]-> Y }} to takes(X, Y)")
        return "\n".join(lines) + "\n"

    def files(self) -> dict[str, str]:
        """The tables that the source reads."""
        rows = [
            f"- {{cat: {word.category.name.lower()}{word.number if word.category.number else ''}, "
            f"en: {word.form}, ja: {word.form.upper()}, lemma: {word.lemma}, upos: {word.upos}}}\n"
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
        spelt = " ".join(
            [child.role for child in order] + [f'"{rule.quoted.upper()}"'] * bool(rule.quoted)
        )
        places = {"quoted": f'"{rule.quoted}"(lemma={rule.quoted}, upos=P)'}
        statements, named = [], False
        for source, label, target in rule.edges:
            ends = []
            for end in (source, target):
                text = places.get(end, end)
                if end == "quoted" and named:
                    text = f'"{rule.quoted}"'
                named = named or end == "quoted"
                ends.append(text)
            statements.append(f"{ends[0]} -[{label}]-> {ends[1]}")
        statements += [f"{child}.gap = {filler}" for child, filler in rule.fills]
        if rule.hands_on:
            statements.append(f"gap = {rule.hands_on}.gap")
        syn = ["  syn " + "; ".join(statements)] if statements else []
        return [f"rule {rule.name}: {left} -> {' '.join(right)}{keep}", f"  ja {spelt}", *syn]


def _node(word: Word) -> str:
    return f"node(lemma={word.lemma}, upos={word.upos})"


@dataclass(frozen=True)
class Tree:
    """A derivation with its values.

    ``en`` are words with their nodes, in order; ``gap`` a node that has no word yet.
    """

    term: str
    rules: frozenset[str]
    en: tuple[tuple[str, int], ...]
    ja: tuple[str, ...]
    nodes: Mapping[int, tuple[str, str]]
    edges: Edges
    head: int
    gap: int

    @property
    def text(self) -> str:
        """The sentence."""
        return " ".join(word for word, _ in self.en)

    @property
    def value(self) -> tuple[str, str, str, tuple[tuple[str, str], ...], Edges]:
        """The term, both texts, the nodes in the order of their words, and the edges."""
        place = {node: at for at, (_, node) in enumerate(self.en)}
        nodes = tuple(self.nodes[node] for _, node in self.en)
        edges = frozenset((place[s], label, place[t]) for s, label, t in self.edges)
        return self.term, self.text, "".join(self.ja), nodes, edges


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
        found += [
            tree for tree in known[grammar.categories[0].name, length] if _allowed(grammar, tree)
        ]
        reached = length
    return found, reached


def _allowed(grammar: Grammar, tree: Tree) -> bool:
    """Whether no restriction forbids a sentence."""
    return all(
        tree.nodes[target][0] in grammar.relation[tree.nodes[source][0]]
        for source, label, target in tree.edges
        if grammar.along.passes(label)
        and tree.nodes[source][1] == "V"
        and tree.nodes[source][0] in grammar.relation
    )


_fresh = count()


def _phrases(
    grammar: Grammar,
    category: Category,
    number: str,
    length: int,
    known: Mapping[tuple[str, int], list[Tree]],
) -> Iterator[Tree]:
    name = category.instance(number)
    for word in grammar.words if length == 1 else ():
        if word.category == category and number in (word.number, ""):
            node = next(_fresh)
            term = f"({name} {word.form})"
            yield Tree(
                term, frozenset(), ((word.form, node),), (word.form.upper(),),
                {node: (word.lemma, word.upos)}, frozenset(), node, -1,
            )  # fmt: skip
    for rule in grammar.rules:
        if rule.category == category:
            yield from _applied(rule, name, number, length, known)


def _applied(
    rule: Rule, name: str, number: str, length: int, known: Mapping[tuple[str, int], list[Tree]]
) -> Iterator[Tree]:
    """What a rule makes of all children that are known, with so many words."""
    if rule.number in ("sg", "pl") and rule.number != number:
        return
    rest = length - bool(rule.quoted)
    values = [("sg", "pl") if child.category.number else ("",) for child in rule.children]
    for numbers in product(*values):
        bound = {rule.number: number} if rule.number not in ("", "sg", "pl") else {}
        fits = True
        for child, value in zip(rule.children, numbers, strict=True):
            if child.number in ("sg", "pl"):
                fits = fits and value == child.number
            elif child.number:
                fits = fits and bound.setdefault(child.number, value) == value
        for lengths in _divisions(rest, len(numbers)) if fits else ():
            choices = [
                known.get((child.category.instance(value), size), [])
                for child, value, size in zip(rule.children, numbers, lengths, strict=True)
            ]
            for parts in product(*choices):
                yield _glued(rule, name, parts)


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
    of = {child.role: part for child, part in zip(rule.children, parts, strict=True)}
    nodes = {node: label for part in parts for node, label in part.nodes.items()}
    place = {role: part.head for role, part in of.items()}
    en = tuple(pair for part in parts for pair in part.en)
    ordered = list(reversed(parts)) if rule.backwards else parts
    ja = tuple(word for part in ordered for word in part.ja)
    if rule.quoted:
        place["quoted"] = next(_fresh)
        nodes[place["quoted"]] = (rule.quoted, "P")
        en, ja = ((rule.quoted, place["quoted"]), *en), (*ja, rule.quoted.upper())
    gap = of[rule.hands_on].gap if rule.hands_on else next(_fresh) if rule.category.gap else -1
    place["gap"] = gap
    edges = {edge for part in parts for edge in part.edges}
    edges |= {(place[s], label, place[t]) for s, label, t in rule.edges}
    for child, filler in rule.fills:
        before, after = of[child].gap, place[filler]
        edges = {(after if s == before else s, e, after if t == before else t) for s, e, t in edges}
    term = f"({name} {rule.name} {' '.join(part.term for part in parts)})"
    rules = frozenset({rule.name}).union(*(part.rules for part in parts))
    return Tree(term, rules, en, ja, nodes, frozenset(edges), place[rule.children[0].role], gap)


def _renamed(tree: Tree) -> Tree:
    new = {node: next(_fresh) for node in (*tree.nodes, *([tree.gap] if tree.gap >= 0 else []))}
    return replace(
        tree,
        en=tuple((word, new[node]) for word, node in tree.en),
        nodes={new[node]: label for node, label in tree.nodes.items()},
        edges=frozenset((new[s], label, new[t]) for s, label, t in tree.edges),
        head=new[tree.head],
        gap=new.get(tree.gap, -1),
    )


def contains(tree: Tree, structure: Structure) -> bool:
    """Whether the lengths are right, and some match of the body is extended by no other body."""
    sizes = {"en": len(tree.en), "ja": len(tree.ja)}
    if not all(COMPARE[sign](sizes[layer], number) for layer, sign, number in structure.lengths):
        return False
    if structure.depth is not None:
        return _deep(tree, *structure.depth)
    return any(
        not any(True for other in structure.without for _ in _matches(tree, other, match))
        for match in _matches(tree, structure.body, {})
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


def _matches(tree: Tree, body: Body, held: Mapping[str, int]) -> Iterator[dict[str, int]]:
    free = [name for name in body.variables if name not in held]
    others = [node for node in tree.nodes if node not in held.values()]
    for nodes in permutations(others, len(free)):
        match = {**held, **dict(zip(free, nodes, strict=True))}
        if all(node_passes(tree, body, name, match[name]) for name in body.variables) and all(
            _walks(tree, link, match[link.source], match[link.target]) for link in body.links
        ):
            yield match


def node_passes(tree: Tree, body: Body, name: str, node: int) -> bool:
    """Whether a node passes the tests of a variable."""
    lemma, upos = tree.nodes[node]
    if name in body.tests:
        attribute, negated, values = body.tests[name]
        if ((lemma if attribute == "lemma" else upos) in values) == negated:
            return False
    if name in body.degrees:
        labels, comparison, number = body.degrees[name]
        degree = sum(source == node and labels.passes(label) for source, label, _ in tree.edges)
        return {"=": degree == number, ">=": degree >= number, "<=": degree <= number}[comparison]
    return True


def _walks(tree: Tree, link: Link, source: int, target: int) -> bool:
    steps = {(s, t) for s, label, t in tree.edges if link.labels.passes(label)}
    reached = {source}
    for length in range(1, (link.high or link.low + len(tree.nodes)) + 1):
        reached = {t for s, t in steps if s in reached}
        if length >= link.low and target in reached:
            return True
    return False
