"""Grammars for the tests of the parser, and all that they derive."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import assume
from hypothesis import strategies as st
from small_grammars import grammar

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, finish, interpret

#: A prepositional phrase attaches to a noun or to a verb.
ATTACHMENT_RULES = """
    S = NP VP : 0 1
    VP = V NP : 0 1
    VP = VP PP : 0 1
    NP = NP PP : 0 1
    PP = P NP : 0 1
    NP = : "Emma"
    NP = : "dogs"
    V = : "saw"
    P = : "near"
"""
ATTACHMENT = grammar(ATTACHMENT_RULES)

CATEGORIES = "ABCDE"


def derivations(core: CoreGrammar, category: int, rules: int) -> Iterator[Derivation]:
    """All derivations of a category with at most so many rules."""
    for rule in core.rules_of[category] if rules > 0 else ():
        for children in sequences(core, rule.rhs, rules - 1):
            yield (rule.id, *children)


def sequences(core: CoreGrammar, categories: tuple[int, ...], rules: int) -> Iterator[tuple[int, ...]]:
    if not categories:
        yield ()
        return
    for first in derivations(core, categories[0], rules - len(categories) + 1):
        for rest in sequences(core, categories[1:], rules - len(first)):
            yield first + rest


@st.composite
def grammars(draw: st.DrawFn) -> CoreGrammar:
    """Small grammars without recursion: a child's letter comes after its parent's."""
    lines = []
    for rank, name in enumerate(CATEGORIES):
        later = st.sampled_from(CATEGORIES[rank + 1 :] or "-")
        for _ in range(draw(st.integers(1, 3))):
            children = draw(st.lists(later, max_size=3)) if rank < 4 else []
            slots = [f"{draw(st.sampled_from(['', '', '^']))}{i}" for i in range(len(children))]
            words = draw(st.lists(st.sampled_from(['"a"', '"b"', '"ab"', '"."']), max_size=2))
            items = draw(st.permutations(slots + words))
            lines.append(f"{name} = {' '.join(children)} : {' '.join(items)}".replace("  ", " "))
    return grammar("\n".join(lines), join=draw(st.sampled_from(["", " "])))


def derivations_by_text(core: CoreGrammar) -> dict[str, set[Derivation]]:
    """Every derivation of a small grammar, by its text; larger grammars are passed over."""
    found: dict[str, set[Derivation]] = {}
    for count, derivation in enumerate(derivations(core, 0, 100)):
        assume(count < 400)
        text = finish(core.text_layers[0], interpret(core, derivation).tokens[0])
        found.setdefault(text, set()).add(derivation)
    return found
