"""Write a core grammar with text layers as a grammar of SGL.

Names that the language does not allow are changed, and the original stands beside the
category.  Categories whose names look like ``NP[anim=yes]`` get their features back::

    feature anim = yes | no

    category NP[anim]

    rule np_1: NP[anim=yes] -> Det N[anim=yes]  ~ 0.25
      ja  N drop Det
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from sgl.core.grammar import CoreGrammar, Item, Rule, Slot, TextLayer, Token
from sgl.lang.keywords import CLAUSES, DECLARATIONS
from sgl.research.exchange.categories import Naming, name_categories
from sgl.research.exchange.spelling import Names, decimal

#: Training sentences of the dataset that a written grammar declares.
_TRAIN = 1000


def write_sgl(grammar: CoreGrammar, title: str = "", comment: str = "") -> str:
    """The grammar as a text that compiles to it again, up to names.

    Args:
        grammar: a grammar with text layers only, the first of which has every child of
            a rule once and in order.
        title: the title of the module.
        comment: a line for the head of the file.
    """
    return "\n".join(_Writer(grammar).lines(title, comment)) + "\n"


def identifier(text: str, fallback: str) -> str:
    """The text as a name that begins with a small letter."""
    name = re.sub(r"\W+", "_", text).strip("_")
    name = re.sub(r"^[A-Z]+", lambda capitals: capitals[0].lower(), name)
    return name if re.match(r"[^\W\d]", name) else f"{fallback}_{name}".rstrip("_")


def string(text: str) -> str:
    """The text in quotation marks."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Writer:
    def __init__(self, grammar: CoreGrammar) -> None:
        self.grammar = grammar
        layers = Names(*CLAUSES, *DECLARATIONS)
        self.layers = [layers.free(identifier(x.name, "layer")) for x in grammar.text_layers]
        self.width = max(map(len, self.layers))
        self.naming: Naming = name_categories(grammar)
        rules = Names()
        self.rules = [rules.free(identifier(rule.name, "rule")) for rule in grammar.rules]
        # A dataset begins with a category that has no features.
        plain = self.naming.is_plain(grammar.start)
        self.start = self.naming.shown[grammar.start] if plain else self.naming.names.free("Start")
        self.start_rule = "" if plain else rules.free("start")

    def lines(self, title: str, comment: str) -> Iterator[str]:
        yield f"module {identifier(self.grammar.name, 'grammar')} {string(title)}".removesuffix(
            ' ""'
        )
        if comment:
            yield ""
            yield f"# {' '.join(comment.split())}"
        yield ""
        for name, layer in zip(self.layers, self.grammar.text_layers, strict=True):
            yield self._layer(name, layer)
        yield from self.naming.declarations("" if not self.start_rule else self.start)
        if self.start_rule:
            shown = self.naming.shown[self.grammar.start]
            yield from ("", f"rule {self.start_rule}: {self.start} -> {shown}")
        for category, rules in enumerate(self.grammar.rules_of):
            yield ""
            if len(rules) > 1 and any(rule.rhs for rule in rules):
                yield from (f"# {self.naming.shown[category]}", "")
            blank = False
            for rule in rules:
                lines = list(self._rule(rule, alone=len(rules) == 1))
                # Words of one line stand together.
                if blank and (rule.rhs or len(lines) > 1):
                    yield ""
                blank = True
                yield from lines
        yield from ("", "dataset", f"  from {self.start}", f"  train {_TRAIN}", "  seed  1")

    def _layer(self, name: str, layer: TextLayer) -> str:
        options = [] if layer.join == " " else [f"join {string(layer.join)}"]
        if layer.attach:
            options.append(" ".join(["attach", *map(string, sorted(layer.attach))]))
        return f"layer {name:<{self.width}} : text" + (
            f" ({', '.join(options)})" if options else ""
        )

    def _rule(self, rule: Rule, *, alone: bool) -> Iterator[str]:
        roles = self._roles(rule)
        shown = self.naming.shown
        right = " ".join(
            self._child(item, shown[rule.rhs[item.child]], roles[item.child])
            if isinstance(item, Slot)
            else string(item.text)
            for item in _words(rule.templates[0])
        )
        weight = "" if alone else f"  ~ {decimal(rule.weight)}"
        yield f"rule {self.rules[rule.id]}: {shown[rule.lhs]} -> {right}{weight}"
        passing = len(rule.rhs) == 1 and len(rule.templates[0]) == 1
        for name, template in zip(self.layers[1:], rule.templates[1:], strict=True):
            if not (passing and template == (Slot(0),)):
                yield f"  {name:<{self.width}}  {_clause(template, roles)}"

    def _child(self, slot: Slot, category: str, role: str) -> str:
        named = category if role == category.partition("[")[0] else f"{role}:{category}"
        return f"capital {named}" if slot.capital else named

    def _roles(self, rule: Rule) -> list[str]:
        """What the children are called: by their category where that is enough."""
        bases = [self.naming.shown[child].partition("[")[0] for child in rule.rhs]
        occurrences = Counter(bases)
        seen: Counter[str] = Counter()
        free = Names()
        roles = []
        for base in bases:
            seen[base] += 1
            several = occurrences[base] > 1
            roles.append(free.free(f"{base.lower()}{seen[base]}") if several else base)
        return roles


def _words(template: Sequence[Item]) -> Iterator[Item]:
    """A template without its empty words."""
    return (item for item in template if isinstance(item, Slot) or item.text)


def _clause(template: Sequence[Item], roles: Sequence[str]) -> str:
    """The clause of a layer; children that are left out or there again are marked so."""
    parts = []
    seen: set[int] = set()
    for item in _words(template):
        if isinstance(item, Token):
            parts.append(string(item.text))
            continue
        mode = "repeat " if item.child in seen else "capital " if item.capital else ""
        seen.add(item.child)
        parts.append(mode + roles[item.child])
    parts += [f"drop {role}" for child, role in enumerate(roles) if child not in seen]
    return " ".join(parts) or '""'
