"""Derivations as text: s-expressions, and what can be said of their size.

A derivation is written with the names of its rules; a rule without children that introduces words is called by its
words: ``(statement (clause (np the dog) (intransitive slept)))``.  Rules that would get the same name are told apart
by their category, ``np:NP[anim=yes]``, then by a number, ``bank:N#2``.  So equal texts mean equal derivations.
S-expressions are one more text layer, with a template for each rule, and ``TemplateWriter`` writes them as any other.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Self

from sgl.core.grammar import EXTRACTED, CoreGrammar, Rule, Slot, Template, TextLayer, Token
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, derive_graph
from sgl.rendering.output import TextOutput, WordsOutput
from sgl.rendering.rule_classes import Uses

#: UD relations by which phrases nest in phrases of the same kind.
RECURSIVE_RELATIONS = frozenset(
    ("acl", "advcl", "amod", "appos", "ccomp", "conj", "csubj", "nmod", "parataxis", "xcomp")
)

#: Characters that have a meaning in an s-expression.
_RESERVED = frozenset('()"\\:#')


def expression_output(grammar: CoreGrammar, source: int) -> TextOutput:
    """Return what writes s-expressions; words of the layer ``source`` name lexical rules."""
    rules = []
    for rule, label in zip(grammar.rules, rule_labels(grammar, source), strict=True):
        template: Template = (Token(label),)
        if rule.rhs:
            parts = [part for child in range(len(rule.rhs)) for part in (Token(" "), Slot(child))]
            template = (Token("("), *template, *parts, Token(")"))
        rules.append(replace(rule, templates=(template,), fragments=()))
    layers = (TextLayer("derivation", join=""),)
    own = replace(grammar, rules=tuple(rules), text_layers=layers, graph_layers=(), views=())
    return TextOutput(own, 0)


@dataclass(frozen=True)
class FeaturesOutput:
    """How often some labels occur in the graph of a derivation, as ``features`` writes it."""

    grammar: CoreGrammar
    layer: int
    labels: tuple[str, ...]

    @property
    def uses(self) -> Uses:
        """What CoNLL-U shows of the graph, so that both are written of one."""
        return WordsOutput(self.grammar, self.layer).uses

    def text(self, derivation: Derivation) -> str:
        """Return the counts."""
        return features(derive_graph(self.grammar, derivation, self.layer), self.labels)

    def marked(self, grammar: CoreGrammar) -> Self:
        """Return the same output of another grammar."""
        return replace(self, grammar=grammar)


def item_id(expression: str) -> str:
    """Return the id of an item: 16 hexadecimal digits of the SHA-256 of its derivation."""
    return sha256(expression.encode()).hexdigest()[:16]


def recursive_labels(grammar: CoreGrammar, layer: int) -> tuple[str, ...]:
    """Return the sorted labels that are recursive relations; ``acl:relcl`` is an ``acl``."""
    labels = {
        edge.label
        for rule in grammar.rules
        for edge in rule.fragments[layer].edges
        if not edge.label.startswith(EXTRACTED)
    }
    return tuple(sorted(lab for lab in labels if lab.partition(":")[0] in RECURSIVE_RELATIONS))


def features(graph: Graph, labels: Sequence[str]) -> str:
    """Return how often each of ``labels`` occurs in the graph: ``acl:relcl=0;ccomp=2``."""
    counts = Counter(label for _, label, _ in graph.edges)
    return ";".join(f"{label}={counts[label]}" for label in labels)


def rule_labels(grammar: CoreGrammar, source: int) -> list[str]:
    """Return what s-expressions call each rule, by the words of a text layer."""
    names = [_atom(_name(rule, source)) for rule in grammar.rules]
    with_category = [
        f"{name}:{_atom(grammar.categories[rule.lhs].name)}" for name, rule in zip(names, grammar.rules, strict=True)
    ]
    names = _disambiguated(names, with_category)
    seen: Counter[str] = Counter()
    ranked: list[str] = []
    for name in names:
        seen[name] += 1
        ranked.append(f"{name}#{seen[name]}")
    return _disambiguated(names, ranked)


def _name(rule: Rule, source: int) -> str:
    words = [item.text for item in rule.templates[source] if isinstance(item, Token)]
    return " ".join(words) if rule.lexical and words else rule.name


def _disambiguated(names: list[str], longer: list[str]) -> list[str]:
    counts = Counter(names)
    return [name if counts[name] == 1 else long for name, long in zip(names, longer, strict=True)]


def _atom(name: str) -> str:
    if name and not any(character.isspace() or character in _RESERVED for character in name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
