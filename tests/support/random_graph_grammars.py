"""Random grammars whose templates and fragments do everything that is allowed, and more."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from sgl.core.grammar import (
    Category,
    CoreGrammar,
    Edge,
    Fragment,
    GraphLayer,
    Item,
    Node,
    Rule,
    Slot,
    Template,
    TextLayer,
    Token,
    View,
)
from sgl.core.interpret import Derivation

WORDS = ("a", "dog", "", "ß", "犬", "?", "x y", "ran")
ATTRIBUTES = (
    (),
    (("lemma", "dog"), ("type", "entity")),
    (("definite", "yes"), ("lemma", "cat"), ("type", "entity")),
    (("definite", "yes"), ("type", "det")),
    (("lemma", "run"), ("type", "event")),
    (("lemma", "eat"), ("open", "agent+theme"), ("type", "event")),
    (("lemma", "see"), ("open", "a b"), ("type", "event")),
    (("lemma", "Emma"), ("type", "name")),
    (("type", "wh"),),
    (("lemma", "red"), ("type", "property")),
    (("lemma", "ice cream"), ("type", "entity")),
    (("Tense", "Past"), ("form", "x"), ("lemma", "see"), ("upos", "VERB")),
)
#: Most labels have a form everywhere, so that not all texts are refused.
LABELS = ("agent", "nmod:in", "obj", "theme", "obj", "~obj", "~nsubj", "root", "a b")


class Builder:
    """A grammar of three categories, with two ports each."""

    def __init__(self, choose: Random) -> None:
        self.choose = choose

    def grammar(self) -> CoreGrammar:
        choose = self.choose
        rules: list[Rule] = []
        for category in range(3):
            for arity in (0, 0, choose.randint(1, 3), choose.randint(1, 2)):
                rules.append(self.rule(len(rules), category, arity))
        layers = (
            TextLayer("en", choose.choice([" ", " ", "", "-"]), frozenset({"?", "A"})),
            TextLayer("ja", choose.choice(["", "\u3000"])),
        )
        return CoreGrammar(
            "random",
            tuple(Category(f"C{number}", ("head", "gap")) for number in range(3)),
            tuple(rules),
            0,
            layers,
            (GraphLayer("syn", "en"), GraphLayer("sem", "en", free=True)),
            # Laws about templates go over all views by themselves.
            tuple(View(f"{kind}{layer}", kind, layer) for layer in (0, 1) for kind in ("cogs", "varfree", "penman")),
        )

    def rule(self, number: int, category: int, arity: int) -> Rule:
        choose = self.choose
        children = tuple(choose.randrange(3) for _ in range(arity))
        template = self.template(arity)
        return Rule(
            number,
            f"r{number}",
            category,
            children,
            1.0,
            (template, self.template(arity)),
            tuple(self.fragment(template, arity) for _ in range(2)),
        )

    def template(self, arity: int) -> Template:
        choose = self.choose
        children = list(range(arity))
        choose.shuffle(children)
        change = choose.random()
        if children and change < 0.1:
            children.pop()
        elif children and change < 0.2:
            children.append(choose.choice(children))
        items: list[Item] = [Slot(child, choose.random() < 0.3) for child in children]
        for _ in range(choose.randint(0 if arity else 1, 2)):
            items.insert(choose.randint(0, len(items)), Token(choose.choice(WORDS)))
        return tuple(items)

    def fragment(self, template: Template, arity: int) -> Fragment:
        choose = self.choose
        words = [place for place, item in enumerate(template) if isinstance(item, Token)]
        nodes = [self.node(place) for place in words]
        for child in range(arity):
            ports = [(child, 0)] if choose.random() < 0.8 else [(child, 0), (child, 1)]
            if nodes and choose.random() < 0.2:
                last = nodes.pop()
                nodes.append(Node(last.attributes, last.token, (*last.glue, *ports)))
            else:
                nodes.append(Node(None, None, tuple(ports)))
        if choose.random() < 0.2 or not nodes:
            nodes.append(self.node(None))
        numbers = range(len(nodes))
        edges = tuple(
            Edge(
                choose.choice(numbers),
                choose.choice(LABELS[: choose.choice([4, len(LABELS)])]),
                choose.choice(numbers),
                choose.random() < 0.2,
            )
            for _ in range(choose.randint(0, 3))
        )
        return Fragment(tuple(nodes), edges, tuple(choose.choice(numbers) for _ in range(2)))

    def node(self, token: int | None) -> Node:
        choose = self.choose
        if choose.random() < 0.15:
            return Node()
        return Node(choose.choice(ATTRIBUTES), token)

    def derivation(self, grammar: CoreGrammar, most: int) -> Derivation:
        choose = self.choose
        rules: list[int] = []
        waiting = [choose.randrange(3)]
        while waiting:
            found = grammar.rules_of[waiting.pop()]
            rule = choose.choice(found if len(rules) < most else found[:2])
            rules.append(rule.id)
            waiting += reversed(rule.rhs)
        return tuple(rules)


@st.composite
def grammars(draw: st.DrawFn) -> tuple[CoreGrammar, list[Derivation]]:
    """A random grammar and some of its derivations."""
    builder = Builder(Random(draw(st.integers(0, 1 << 32))))  # noqa: S311
    grammar = builder.grammar()
    return grammar, [builder.derivation(grammar, draw(st.integers(1, 12))) for _ in range(12)]
