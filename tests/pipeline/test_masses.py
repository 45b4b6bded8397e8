"""A mass is a probability: held-out structures that overlap are not added."""

from __future__ import annotations

from itertools import product
from math import isclose
from pathlib import Path

import pytest

import sgl
from sgl.automata import StructureCompiler, prove
from sgl.core.grammar import CoreGrammar

GRAMMAR = """
layer en : text
category Text
category S
category V
word V: "run" ~ 3
word V: "jump"
rule one: Text -> S ~ 2
rule two: Text -> first:S "and" second:S
rule plain: S -> V ~ 3
rule twice: S -> V "twice"
rule thrice: S -> V "thrice"
dataset
  from Text
  train 10
  ambiguous ignore
pattern p
  forbid { twice }
  forbid { thrice }
  forbid { and_run[rule=two] -[first]-> S -[V]-> "run" }
  gen    { two }
  size   2
pattern q
  forbid { V[lemma=jump] }
  size   2
"""


def texts(grammar: CoreGrammar, category: int) -> list[tuple[str, float]]:
    """All texts of a category of a finite grammar, each with its probability."""
    found = []
    for rule in grammar.rules_of[category]:
        for below in product(*(texts(grammar, child) for child in rule.rhs)):
            words = [getattr(item, "text", "") or below[item.child][0] for item in rule.templates[0]]  # type: ignore[union-attr]
            probability = rule.weight
            for _, own in below:
                probability *= own
            found.append((" ".join(words), probability))
    return found


@pytest.mark.parametrize(
    ("pattern", "words"), [("p", ("twice", "thrice", "run and", "run twice and", "run thrice and")), ("q", ("jump",))]
)
def test_the_mass_of_a_pattern_is_that_of_all_texts_with_what_it_holds_out(
    pattern: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "g.sgl").write_text(GRAMMAR, "utf-8")
    grammar = sgl.load(tmp_path / "g.sgl")
    every = texts(grammar.compiled.grammar, grammar.compiled.grammar.start)
    assert isclose(sum(probability for _, probability in every), 1.0)
    expected = sum(probability for text, probability in every if any(word in text for word in words))
    plan = grammar.compiled.plan
    (proofs,) = (
        own for own in prove(StructureCompiler(grammar.compiled.grammar), plan).patterns if own.name == pattern
    )
    assert isclose(proofs.mass, expected, rel_tol=1e-12)
    assert proofs.train_mass == 0.0
    if pattern == "p":
        assert sum(claim.mass for claim in proofs.held_out) > proofs.mass
