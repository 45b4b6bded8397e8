"""Evaluate a derivation in the layers of its grammar.

A derivation is the tuple of its rule ids in preorder.  As every rule has a fixed number of children, this determines
the tree, and reading it backwards is a postorder walk without recursion: the values of a rule's children are the last
ones on the stack, the first child on top.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from sgl.core.grammar import CoreGrammar, Slot, Template, TextLayer
from sgl.core.graph import CUT, Gluer, Graph, moved, part_of
from sgl.core.spelling import Piece, applied, join_words, pieces, places, remaining
from sgl.values import dataclass

Derivation = tuple[int, ...]

_T = TypeVar("_T")


def fold(derivation: Sequence[int], arity: Sequence[int], step: Callable[[int, tuple[_T, ...]], _T]) -> _T:
    """Return the value of a derivation; ``step`` computes the value of a rule from the values of its children.

    ``arity`` has the number of children of each rule.

    >>> fold((0, 1, 0, 1, 1), (2, 0), lambda rule, below: 1 + max(below, default=0))
    3
    """
    stack: list[_T] = []
    for rule in reversed(derivation):
        children = tuple([stack.pop() for _ in range(arity[rule])])
        stack.append(step(rule, children))
    return stack.pop()


@dataclass(frozen=True)
class Item:
    """A derivation with its value in every layer: tokens and texts of text layers, graphs of graph layers."""

    derivation: Derivation
    tokens: tuple[tuple[str, ...], ...]
    texts: tuple[str, ...]
    graphs: tuple[Graph, ...]


def named(grammar: CoreGrammar, derivation: Derivation) -> Derivation:
    """Return a derivation as automata find them, which know nothing of names, with its first names; () if they lack."""
    if grammar.namer is None or grammar.namer.is_named(derivation):
        return derivation
    return tuple(grammar.namer.named(derivation, lambda _: 0) or ())


def interpret(grammar: CoreGrammar, derivation: Derivation) -> Item:
    """Return the value of ``derivation``, once it is named, in every layer."""
    derivation = named(grammar, derivation) or derivation
    words = [all_tokens(grammar, derivation, layer) for layer in range(len(grammar.text_layers))]
    pairs = [*zip(grammar.text_layers, words, strict=True)]
    return Item(
        derivation=derivation,
        tokens=tuple(tuple(remaining(layer.finish, own)) for layer, own in pairs),
        texts=tuple(finish(layer, own) for layer, own in pairs),
        graphs=tuple(derive_graph(grammar, derivation, layer) for layer in range(len(grammar.graph_layers))),
    )


def derive_tokens(grammar: CoreGrammar, derivation: Derivation, layer: int) -> list[str]:
    """Return the tokens of ``derivation`` in a text layer, none absorbed, what is fused as one.

    ``CUT`` stands between several parts.
    """
    return remaining(grammar.text_layers[layer].finish, all_tokens(grammar, derivation, layer))


def all_tokens(grammar: CoreGrammar, derivation: Derivation, layer: int) -> list[str]:
    """Return the tokens that rules write in text layer ``layer``: also those that are absorbed, and joints."""
    rules = grammar.rules
    stack: list[list[str]] = []
    for rule_id in reversed(derivation):
        rule = rules[rule_id]
        size = len(rule.rhs)
        children = stack[: -size - 1 : -1]
        del stack[len(stack) - size :]
        stack.append(template_words(rule.templates[layer], children))
    return stack.pop()


def shown_children(template: Template) -> set[int]:
    """Return the children whose words a template has."""
    return {item.child for item in template if isinstance(item, Slot)}


def template_words(template: Template, children: Sequence[Sequence[str]]) -> list[str]:
    """Fill a template with the words of its children; ``CUT`` ends parts."""
    words: list[str] = []
    for item in template:
        if not isinstance(item, Slot):
            words.append(item.text)
            continue
        own = children[item.child]
        if item.part:
            own = part_of(own, item.part)
        if item.functions:
            own = applied(item.functions, own)
        words.extend(_capitalised(own) if item.capital else own)
    return words


def finish(layer: TextLayer, tokens: Sequence[str]) -> str:
    """Join all tokens as the layer declares."""
    return join_words(layer.join, layer.attach, layer.finish, tokens)


def spelt_as(layer: TextLayer, tokens: Sequence[str]) -> Sequence[Piece]:
    """Return the pieces that all tokens are written as, if they are not written as they are."""
    return () if layer.finish is None else pieces(layer.attach, layer.finish, tokens)


def capitalised(word: str) -> str:
    """Return a word with its first letter raised, as ``capital`` does."""
    return word[:1].upper() + word[1:]


def _capitalised(tokens: Sequence[str]) -> Sequence[str]:
    for index, token in enumerate(tokens):
        if token:
            return [*tokens[:index], capitalised(token), *tokens[index + 1 :]]
    return tokens


def derive_graph(grammar: CoreGrammar, derivation: Derivation, layer: int) -> Graph:
    """Return the graph of ``derivation`` in graph layer ``layer``."""
    return _of_written(grammar, derivation, layer, grammar.gluers[layer](derivation))


def derive_heads(grammar: CoreGrammar, derivation: Derivation, layer: int) -> list[int]:
    """Return for each rule of ``derivation`` the head of its phrase in a graph layer: its word from 1, or 0."""
    rules = [grammar.gluing[layer][rule] for rule in derivation]
    # An edge from the head to itself says which rule made the phrase.
    marks = ((rule.exports[0], str(place), rule.exports[0]) for place, rule in enumerate(rules))
    marked = [rule._replace(edges=(mark,), last=()) for rule, mark in zip(rules, marks, strict=True)]
    glue = Gluer(marked, [grammar.arity[rule] for rule in derivation], written=False)
    graph = _of_written(grammar, derivation, layer, glue(tuple(range(len(rules)))))
    found = {int(place): graph.nodes[head].position + 1 for head, place, _ in graph.edges}
    return [found.get(place, 0) for place in range(len(rules))]


def _of_written(grammar: CoreGrammar, derivation: Derivation, layer: int, graph: Graph) -> Graph:
    """Return a graph over the words as they are written: absorbed ones are gone, glued ones are one."""
    anchor = grammar.anchors[layer]
    if not grammar.moving[anchor]:
        return graph
    words = all_tokens(grammar, derivation, anchor)
    found = places(grammar.text_layers[anchor].finish, words)
    cuts = [at for at, word in enumerate(words) if word == CUT]
    return moved(graph, [at - sum(cut < n for cut in cuts) * (at >= 0) for n, at in enumerate(found) if n not in cuts])
