"""Sentences that are drawn without weights: they belong to the language, all of a finite one come, always the same."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest
from small_grammars import grammar

from sgl.automata import StructureCompiler
from sgl.automata.algebra.walks import Walks
from sgl.core.plan import Constraint

FINITE = """
S = NP VP : 0 1
NP = D N : 0 1
NP = N : 0
VP = V NP : 0 1
VP = V : 0
D = : "the"
N = : "dog"
N = : "cat"
V = : "saw"
"""
DEEP = """
S = T : 0
T = NP V : 0 1
NP = N : 0
NP = N P NP : 0 1 2
N = : "dog"
P = : "near"
V = : "slept"
"""


@pytest.mark.parametrize(("text", "size"), [(FINITE, 20), (DEEP, None)])
def test_a_walk_is_a_derivation_of_the_language(text: str, size: int | None) -> None:
    language = StructureCompiler(grammar(text)).language(Constraint())
    walks = list(islice(Walks(language).derivations(), 2_000))
    assert len(walks) == 2_000
    assert all(map(language.accepts, walks))
    # Of a finite language all come, and of an endless one phrases in phrases.
    assert len(set(walks)) == size if size else len({len(walk) for walk in walks}) > 4


def test_walks_do_not_depend_on_weights() -> None:
    core = grammar(DEEP)
    rare = replace(core, rules=tuple(replace(rule, weight=rule.weight / (1 + rule.id)) for rule in core.rules))
    first, second = (Walks(StructureCompiler(own).language(Constraint())).derivations() for own in (core, rare))
    assert list(islice(first, 100)) == list(islice(second, 100))


def test_an_empty_language_has_no_walk() -> None:
    language = StructureCompiler(grammar('S = S N : 0 1\nN = : "dog"')).language(Constraint())
    assert list(Walks(language).derivations()) == []
