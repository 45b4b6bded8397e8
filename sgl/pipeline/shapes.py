"""The *shape* of a grammar: its rules without their weights and the lines that they were written in.

Which texts there are, how they are read and which structures they contain follows from it; only where a template of
the source drops a child, weights say what is read there.
"""

from itertools import chain

from sgl.automata import StructureCompiler
from sgl.core.grammar import CoreGrammar, Slot
from sgl.kept import kept, memory


def structures_of(grammar: CoreGrammar) -> StructureCompiler:
    """Return what compiles structures, with what it knows of this shape; kept are the last two, for undoing."""
    if memory() is None:
        return StructureCompiler(grammar)
    shape, known = shape_of(grammar), kept("structures", (), None, dict[object, StructureCompiler])
    compiler = known.pop(shape, None) or StructureCompiler(grammar)
    compiler.weigh(grammar)
    known[shape] = compiler
    if len(known) > 2:
        del known[next(iter(known))]
    return compiler


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
