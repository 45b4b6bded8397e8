"""Decide what a `+` between the words of a rule means, on the core grammar.

What is glued is one word, of which one part may have a node; a further part with a node is a further word, in the same
piece of the text::

    sw subj subj.sp+"li"+V      a FUSE li FUSE ona       aliona, with the node of V
    es V+"me"+"lo"              da GLUE me GLUE lo       dámelo, with three nodes

A part that has no words is glued to nothing.  So that this is known of every rule, what is glued is always empty, or
never: features tell the two apart.  Nor may a word that is absorbed be glued, since its neighbours decide about it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sgl.core.grammar import CoreGrammar, Cut, Fragment, Item, Rule, Slot, Template, Token, glues
from sgl.core.rounds import Rounds
from sgl.core.spelling import FUSE, GLUE, Finish
from sgl.diagnostics import Span
from sgl.frontend.names.parameters import Session

#: What a part of a phrase may be or have; beside them the words that a layer absorbs.
_EMPTY, _FULL, _NODE = "empty", "full", "node"
_ALWAYS = frozenset({"first", "last", "reverse"})


def joined(grammar: CoreGrammar, spans: Sequence[Span], state: Session) -> CoreGrammar:
    """Return a grammar whose joints are joints of texts; report rules that glue phrases that may be empty."""
    for number, layer in enumerate(grammar.text_layers):
        if not grammar.moving[number] or not any(map(glues, (rule.templates[number] for rule in grammar.rules))):
            continue
        own, told, rules = _Joints(grammar, number), set[tuple[Span, str]](), list[Rule]()
        for rule, span in zip(grammar.rules, spans, strict=True):
            own.problem = ""
            rules.append(own.settled(rule))
            if own.problem and (span, own.problem) not in told:
                told.add((span, own.problem))
                hint = "let a feature tell the two apart, so that a rule glues what is always there"
                state.error("SGL0326", span, f"in the rule `{rule.name}`, {own.problem}", hint)
        # Whoever has a finish knows of joints.
        layers = [*grammar.text_layers[:number], replace(layer, finish=layer.finish or Finish())]
        grammar = replace(grammar, rules=tuple(rules), text_layers=(*layers, *grammar.text_layers[number + 1 :]))
    return grammar


def fused_with(template: Template, index: int) -> Iterator[int]:
    """Yield the places of the items that are one word with an item of a template, itself included."""
    yield index
    for step in (-1, 1):
        at = index + step
        while 0 < at < len(template) - 1 and template[at] == Token(FUSE):
            yield at + step
            at += 2 * step


def noded(grammar: CoreGrammar, layer: int) -> frozenset[tuple[int, int]]:
    """Return the parts of categories, by the numbers of both, that may have nodes on their words in a text layer."""
    return frozenset(key for key, facts in _Joints(grammar, layer).facts.items() if _NODE in facts)


class _Joints:
    """The joints of one text layer; the ``facts`` about each part of each category."""

    def __init__(self, grammar: CoreGrammar, layer: int) -> None:
        self.grammar, self.layer, self.problem = grammar, layer, ""
        spelling = grammar.text_layers[layer]
        self._absorbed = {word for word, _ in spelling.finish.absorb} if spelling.finish is not None else set[str]()
        # The words of a twin are joined like the words of the source.
        anchor = grammar.text_layer(spelling.twin) if spelling.twin else layer
        self._graphs = [number for number, own in enumerate(grammar.anchors) if own == anchor]
        self.facts: dict[tuple[int, int], set[str]] = {}
        rounds = Rounds(rule.rhs for rule in grammar.rules)
        for rule in map(grammar.rules.__getitem__, rounds):
            grown = False
            for part, items in enumerate(self._parts(rule)):
                known, facts = self.facts.setdefault((rule.lhs, part), set()), [self._of(rule, *i) for i in items]
                found = set[str]().union(*facts) - {_EMPTY}
                found |= {_EMPTY} if all(_EMPTY in own for own in facts) else set()
                grown |= not found <= known
                known |= found
            if grown:
                rounds.grew(rule.lhs)

    def _parts(self, rule: Rule) -> list[list[tuple[int, Item]]]:
        """Return the items of each part of a phrase, with their places, without joints."""
        parts: list[list[tuple[int, Item]]] = [[]]
        for place, item in enumerate(rule.templates[self.layer]):
            if isinstance(item, Cut):
                parts.append([])
            elif not (isinstance(item, Token) and item.joint):
                parts[-1].append((place, item))
        return parts

    def _of(self, rule: Rule, place: int, item: Item) -> set[str]:
        """Return what an item of a template may be."""
        if isinstance(item, Slot):
            own = self.facts.get((rule.rhs[item.child], item.number), set())
            return own if _ALWAYS.issuperset(item.functions) else own | {_EMPTY}
        placed = any(node.token == place for graph in self._graphs for node in rule.fragments[graph].nodes)
        return {_FULL, *({_NODE} if placed else ()), *({item.text} & self._absorbed)}

    def settled(self, rule: Rule) -> Rule:
        """Return a rule with a joint between words that are there, in the template and where nodes stand."""
        template, layer = rule.templates[self.layer], self.layer
        if not glues(template):
            return rule
        made, place_of = list[Item](), dict[int, int]()
        #: Whether an item follows a joint, whether the word so far has a node, and that there is a word to glue to.
        follows = noded = begun = False
        for place, item in enumerate(template):
            if isinstance(item, Token) and item.joint:
                follows = True
                continue
            facts = set() if isinstance(item, Cut) else self._of(rule, place, item)
            after = template[place + 1 : place + 2]
            if follows or glues(after):
                self._check(rule, item, facts)
            begun, noded = begun and follows, noded and follows
            if _FULL in facts:
                if begun:
                    made.append(Token(GLUE if noded and _NODE in facts else FUSE))
                begun, noded = True, noded or _NODE in facts
            place_of[place], follows = len(made), False
            made.append(item)
        templates = (*rule.templates[:layer], tuple(made), *rule.templates[layer + 1 :])
        fragments = list(rule.fragments)
        for number, anchor in enumerate(self.grammar.anchors):
            if anchor == layer:
                fragments[number] = _moved(fragments[number], place_of)
        return replace(rule, templates=templates, fragments=tuple(fragments))

    def _check(self, rule: Rule, item: Item, facts: set[str]) -> None:
        what = f'"{item.text}"' if not isinstance(item, Slot) else self._described(rule, item)
        name = self.grammar.text_layers[self.layer].name
        if isinstance(item, Cut):
            self.problem = f"a `+` of `{name}` has nothing next to it"
        elif facts >= {_EMPTY, _FULL}:
            self.problem = f"{what} is glued in `{name}`, and may be empty or not"
        elif lost := sorted(facts & self._absorbed):
            self.problem = f"{what} is glued in `{name}`, which absorbs `{lost[0]}`"

    def _described(self, rule: Rule, slot: Slot) -> str:
        category = self.grammar.categories[rule.rhs[slot.child]]
        layer = self.grammar.text_layers[self.layer].name
        parts = ["", *(f".{p.partition('.')[2]}" for p in category.parts if p.partition(".")[0] == layer)]
        return f"`{category.name}{parts[slot.number]}`"


def _moved(fragment: Fragment, place_of: Mapping[int, int]) -> Fragment:
    """Return a fragment whose nodes stand at the new places of their words."""
    nodes = (node if node.token is None else replace(node, token=place_of[node.token]) for node in fragment.nodes)
    return replace(fragment, nodes=tuple(nodes))
