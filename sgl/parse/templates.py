"""The templates of a text layer as one prefix tree, indexed for parsing.

Rules whose templates begin alike share their first steps, and all rules of a
lexicon with one word are one step from the root::

    transitive   VT NP              root -VT-> o -NP-> ● transitive
    said_that    VT "that" S              └─ -that-> o -S-> ● said_that
    saw          "saw"              root -saw-> ● saw

A step is a word, or a child's category with the mark of ``capital``.  A category
is *nullable* when it derives the empty sequence of words; *initial* nodes are
those that the root reaches over nullable children alone, so that nothing has
been consumed there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from sgl.core.grammar import CoreGrammar, Rule, Slot, Template
from sgl.parse.errors import UnparsableLayerError

#: A child's category, and whether its first letter is raised.
SlotStep = tuple[int, bool]

Step = TypeVar("Step", str, SlotStep)


@dataclass(slots=True)
class Node:
    """A place in templates: the steps from here, and the rules that end here."""

    words: dict[str, int] = field(default_factory=dict)
    slots: dict[SlotStep, int] = field(default_factory=dict)
    rules: dict[int, list[Rule]] = field(default_factory=dict)


class TemplateIndex:
    """The prefix tree of a text layer with what parsing asks of it.

    ``capitals`` maps a word with its first letter raised to the words it comes
    from; ``vocabulary`` has the words in both forms.  ``starts`` and
    ``word_starts`` are the steps from initial nodes.
    """

    def __init__(self, grammar: CoreGrammar, layer: int) -> None:
        """Raises ``UnparsableLayerError`` for a template with an empty word."""
        self.grammar = grammar
        self.layer = layer
        self.nodes = [Node()]
        self.nullable, self.nullable_rules = _nullable(grammar, layer)
        for rule in grammar.rules:
            self._insert(rule, rule.templates[layer])
        words = {word for node in self.nodes for word in node.words}
        self.capitals: dict[str, list[str]] = {}
        for word in sorted(words):
            self.capitals.setdefault(capitalised(word), []).append(word)
        self.vocabulary = frozenset(words | set(self.capitals))
        self.starts: dict[SlotStep, list[int]] = {}
        self.word_starts: dict[str, list[int]] = {}
        for initial in self._initial():
            for step, node in self.nodes[initial].slots.items():
                self.starts.setdefault(step, []).append(node)
            for word, node in self.nodes[initial].words.items():
                self.word_starts.setdefault(word, []).append(node)

    def _insert(self, rule: Rule, template: Template) -> None:
        node = 0
        for item in template:
            if isinstance(item, Slot):
                node = self._next(self.nodes[node].slots, (rule.rhs[item.child], item.capital))
            elif item.text:
                node = self._next(self.nodes[node].words, item.text)
            else:
                name = self.grammar.text_layers[self.layer].name
                raise UnparsableLayerError(name, rule.name, "has an empty word")
        self.nodes[node].rules.setdefault(rule.lhs, []).append(rule)

    def _next(self, steps: dict[Step, int], step: Step) -> int:
        """The node that ``step`` leads to, new if need be."""
        if step not in steps:
            steps[step] = len(self.nodes)
            self.nodes.append(Node())
        return steps[step]

    def _initial(self) -> list[int]:
        """The root and the nodes that it reaches over nullable children."""
        initial = [0]
        for node in initial:
            for (category, _), after in self.nodes[node].slots.items():
                if category in self.nullable:
                    initial.append(after)
        return initial


def capitalised(word: str) -> str:
    """A word with its first letter raised, as ``capital`` does."""
    return word[0].upper() + word[1:]


def _nullable(grammar: CoreGrammar, layer: int) -> tuple[frozenset[int], dict[int, list[Rule]]]:
    """The categories that derive no words, and for each the rules that can do so."""
    wordless = [
        (rule, {rule.rhs[item.child] for item in rule.templates[layer] if isinstance(item, Slot)})
        for rule in grammar.rules
        if all(isinstance(item, Slot) for item in rule.templates[layer])
    ]
    nullable: set[int] = set()
    size = -1
    while size < len(nullable):
        size = len(nullable)
        nullable.update(rule.lhs for rule, children in wordless if children <= nullable)
    rules: dict[int, list[Rule]] = {category: [] for category in nullable}
    for rule, children in wordless:
        if children <= nullable:
            rules[rule.lhs].append(rule)
    return frozenset(nullable), rules
