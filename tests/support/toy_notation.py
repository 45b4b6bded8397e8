"""The compact notations in which the tests write grammars and structures.

Fragments are written in the notation of SGL's rules, children by their number::

    head=1; 1 -acl:relcl-> 2; 2.gap=1; 1 -det-> 0

and structures in the author's notation, read by :func:`structure`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from sgl.core.grammar import (
    HEAD,
    Category,
    CoreGrammar,
    Edge,
    Fragment,
    GraphLayer,
    Node,
    Rule,
    Slot,
    Template,
    TextLayer,
    Token,
)
from sgl.core.structure import Body, DegreeTest, LabelTest, Link, NodeTest, Structure, Variable

GAP = "gap"
LITERALS = {"that": "SCONJ", "did": "AUX", "saw": "VERB", "near": "ADP", ".": "PUNCT", "?": "PUNCT"}


@dataclass
class GrammarBuilder:
    """Collects categories and rules in a compact notation, then builds the grammar."""

    categories: dict[str, Category] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)

    def category(self, name: str, *ports: str) -> None:
        """A category with the ports ``ports`` besides its head."""
        self.categories[name] = Category(name, (HEAD, *ports))

    def rule(self, name: str, production: str, en: str, ja: str, syn: str, weight: float = 1.0) -> None:
        """``production`` is ``NP -> Det N``; in templates ``0`` is a child, ``^0`` capital."""
        left, _, right = production.partition(" -> ")
        children = right.split()
        template = _template(en)
        self.rules.append(
            Rule(
                id=len(self.rules),
                name=name,
                lhs=self._index(left),
                rhs=tuple(self._index(child) for child in children),
                weight=weight,
                templates=(template, _template(ja)),
                fragments=(self._fragment(left, children, template, syn),),
            )
        )

    def word(self, category: str, en: str, ja: str, weight: float = 1.0, **attributes: str) -> None:
        """A lexical rule; the lemma is the English word unless ``lemma`` is given."""
        labels = tuple(sorted(({"lemma": en} | attributes).items()))
        self.rules.append(
            Rule(
                id=len(self.rules),
                name=f"{category}:{en}",
                lhs=self._index(category),
                rhs=(),
                weight=weight,
                templates=((Token(en),), (Token(ja),) if ja else ()),
                fragments=(Fragment((Node(labels, token=0),), (), (0,)),),
            )
        )

    def build(self, name: str, start: str) -> CoreGrammar:
        """The grammar, with weights that sum to 1 in each category."""
        total: dict[int, float] = {}
        for rule in self.rules:
            total[rule.lhs] = total.get(rule.lhs, 0.0) + rule.weight
        return CoreGrammar(
            name=name,
            categories=tuple(self.categories.values()),
            rules=tuple(replace(rule, weight=rule.weight / total[rule.lhs]) for rule in self.rules),
            start=self._index(start),
            text_layers=(TextLayer("en", " ", frozenset({".", "?"})), TextLayer("ja", "")),
            graph_layers=(GraphLayer("syn", "en"),),
        )

    def _index(self, category: str) -> int:
        return list(self.categories).index(category)

    def _fragment(self, left: str, children: list[str], template: Template, syn: str) -> Fragment:
        """Read statements; the local nodes are what the names in them resolve to."""
        statements = [statement.strip() for statement in syn.split(";")]
        edges = [edge for edge in map(_EDGE.fullmatch, statements) if edge]
        alias = dict(s.split("=") for s in statements if not _EDGE.fullmatch(s))

        def resolve(name: str) -> str:
            return resolve(alias[name]) if name in alias else name

        ports = {
            str(child) if port == HEAD else f"{child}.{port}": (child, index)
            for child, category in enumerate(children)
            for index, port in enumerate(self.categories[category].ports)
        }
        mentioned = [end for edge in edges for end in (edge["source"], edge["target"])]
        names = list(dict.fromkeys(resolve(name) for name in (*ports, *mentioned)))
        glue: dict[str, list[tuple[int, int]]] = {name: [] for name in names}
        for name, port in ports.items():
            glue[resolve(name)].append(port)

        def local(name: str) -> int:
            return names.index(resolve(name))

        return Fragment(
            nodes=tuple(_local_node(name, tuple(glue[name]), template) for name in names),
            edges=tuple(Edge(local(edge["source"]), edge["label"], local(edge["target"])) for edge in edges),
            exports=tuple(local(port) for port in self.categories[left].ports),
        )


_EDGE = re.compile(r"(?P<source>\S+) -(?P<label>[^ ]+)-> (?P<target>\S+)")


def _local_node(name: str, glue: tuple[tuple[int, int], ...], template: Template) -> Node:
    """A glued node, a new placeholder, or the node of a word in the template."""
    if glue or name == GAP:
        return Node(None, None, glue)
    return Node((("lemma", name), ("upos", LITERALS[name])), template.index(Token(name)))


def _template(text: str) -> Template:
    return tuple(
        Slot(int(part.lstrip("^")), capital=part.startswith("^")) if part.lstrip("^").isdigit() else Token(part)
        for part in text.split()
    )


# --- structures in the author's notation ------------------------------------------------

_NODE = r"([A-Za-z]\w*)(?:\[([^\]]*)\])?"
_ATOM = re.compile(rf"{_NODE}\s*(?:-\[([^\]]*)\](\{{[\d,]*\}}|\+)?-|-)>\s*{_NODE}")


def structure(text: str, layer: str = "syn") -> Structure:
    """Read ``{ V -[nsubj]-> N; … } without { … }`` (no ``repeat``, no word sets)."""
    body, *without = (_body(part.strip(" {}")) for part in re.split(r"\}\s*without\s*\{", text))
    return Structure(layer, body, tuple(without))


def _body(text: str) -> Body:
    variables: dict[str, Variable] = {}
    links: list[Link] = []

    def mention(name: str, tests: str | None) -> int:
        old = variables.get(name, Variable(name))
        new = _tests(tests or "")
        variables[name] = replace(
            old,
            tests=old.tests + tuple(test for test in new if isinstance(test, NodeTest)),
            degrees=old.degrees + tuple(test for test in new if isinstance(test, DegreeTest)),
        )
        return list(variables).index(name)

    for statement in filter(None, (part.strip() for part in text.split(";"))):
        if atom := _ATOM.fullmatch(statement):
            source, source_tests, labels, bounds, target, target_tests = atom.groups()
            ends = mention(source, source_tests), mention(target, target_tests)
            walk = (1, 1) if bounds is None else _bounds(bounds)
            links.append(Link(ends[0], _labels(labels), ends[1], *walk))
        elif node := re.fullmatch(_NODE, statement):
            mention(*node.groups())
        else:
            raise ValueError(statement)
    return Body(tuple(variables.values()), tuple(links))


def _labels(text: str | None) -> LabelTest:
    if text in (None, "", "*"):
        return LabelTest(frozenset(), negated=True)
    return LabelTest(frozenset(text.lstrip("^").split("|")), text.startswith("^"))


def _bounds(text: str) -> tuple[int, int | None]:
    if text == "+":
        return 1, None
    low, comma, high = text.strip("{}").partition(",")
    if not comma:
        return int(low), int(low)
    return int(low), int(high) if high else None


def _tests(text: str) -> list[NodeTest | DegreeTest]:
    tests: list[NodeTest | DegreeTest] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        if degree := re.fullmatch(r"#(.+?)(>=|<=|=)(\d+)", part):
            tests.append(DegreeTest(_labels(degree[1]), degree[2], int(degree[3])))
        else:
            name, negation, values = re.fullmatch(r"(\w+)(!?)=(.+)", part).groups()
            tests.append(NodeTest(name, frozenset(values.split("|")), bool(negation)))
    return tests
