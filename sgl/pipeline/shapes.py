"""What of a grammar a result depends on, so that it is kept while the rest is edited.

The *shape* of a grammar is its rules without their weights and the lines that they were written in.  Which texts there
are, how they are read and which structures they contain follows from it; only where a template of the source drops a
child, weights say what is read there.  Automata read even less: how many words a text has, and of the label of a
node which tests it passes.
"""

from dataclasses import replace
from itertools import chain

from sgl.automata import StructureCompiler
from sgl.core.grammar import CoreGrammar, Rule, Slot, Token
from sgl.kept import kept, memory


def structures_of(grammar: CoreGrammar) -> StructureCompiler:
    """Return what compiles structures, with what it knows of a grammar read alike; the last two are kept, to undo."""
    known = kept("structures", (), None, list[StructureCompiler])
    alike = (c for c in reversed(known) if built_alike(c.grammar, grammar) and c.reads(grammar))
    own = next(alike, None) or StructureCompiler(grammar)
    own.weigh(grammar)
    known[:] = [*(other for other in known if other is not own), own][-2:]
    return own


def built_alike(one: CoreGrammar, other: CoreGrammar) -> bool:
    """Return whether two grammars differ in weights, in what words are called and in labels of nodes only."""

    def read(grammar: CoreGrammar) -> tuple[object, ...]:
        return grammar.categories, grammar.start, grammar.text_layers, grammar.graph_layers, len(grammar.rules)

    return read(one) == read(other) and all(map(_rules_alike, one.rules, other.rules))


def _rules_alike(one: Rule, other: Rule) -> bool:
    same = one.templates is other.templates and one.fragments is other.fragments

    def read(rule: Rule) -> tuple[object, ...]:
        texts = () if same else [[isinstance(item, Token) or item for item in text] for text in rule.templates]
        nodes = () if same else [[replace(n, attributes=n.attributes and ()) for n in f.nodes] for f in rule.fragments]
        rest = () if same else [(f.edges, f.exports) for f in rule.fragments]
        return rule.lhs, rule.rhs, rule.keep, texts, nodes, rest

    return one is other or read(one) == read(other)


def shape_of(grammar: CoreGrammar) -> object:
    """Return an object that is the same for grammars of one shape, while work is kept."""
    if memory() is None:
        return object()
    contents = chain.from_iterable((rule.templates, rule.fragments) for rule in grammar.rules)
    rules = tuple((rule.name, rule.lhs, rule.rhs, rule.keep) for rule in grammar.rules)
    layers = (grammar.text_layers, grammar.graph_layers, grammar.views)
    slots = ({item.child for item in r.templates[0] if isinstance(item, Slot)} for r in grammar.rules)
    drops = any(len(own) < len(rule.rhs) for own, rule in zip(slots, grammar.rules, strict=True))
    weights = tuple(rule.weight for rule in grammar.rules) if drops else ()
    equal = (grammar.name, grammar.categories, grammar.start, rules, layers, weights)
    return kept("shape", tuple(contents), equal, object)
