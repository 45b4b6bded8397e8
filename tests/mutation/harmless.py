"""Why a mutant that breaks no claim of the original is harmless: in what it differs."""

from __future__ import annotations

import math

from mutation.claims import Original, rule_key, same_rules, without_places
from sgl.frontend import Compiled

_KEPT = "every claim of the original holds"


def why_same_data(original: Original, compiled: Compiled) -> str:
    """In what a mutant differs that draws the same sentences from the same grammar."""
    if original.plan.patterns != compiled.plan.patterns:
        return "it asks other things of the same data, which are as the original asks"
    return "the grammar, its claims and what is drawn are the same"


def why_harmless(original: Original, compiled: Compiled) -> str:
    """In what a mutant differs that draws other sentences."""
    first, second = original.compiled.grammar, compiled.grammar
    if without_places(second) == original.bare:
        return _why_same_grammar(original, compiled)
    if same_rules(original.bare, without_places(second)):
        return f"other weights; {_KEPT}"
    before = {rule_key(first, rule) for rule in first.rules}
    after = {rule_key(second, rule) for rule in second.rules}
    if before == after:
        return f"the same sentences with other graphs, in which {_KEPT}"
    if after < before:
        return f"rules or words fewer; {_KEPT}"
    if before < after:
        return f"rules or words more; {_KEPT}"
    return f"other rules or words; {_KEPT}"


def _why_same_grammar(original: Original, compiled: Compiled) -> str:
    """In what the strata differ, over one and the same grammar."""
    split = original.compiler.split
    own = {s.stream: s.constraint for s in compiled.plan.strata}
    changed = [s for s in original.plan.strata if own[s.stream] != s.constraint]
    if not changed:
        return "another sample of the same distributions"
    # A constraint under which a sentence is as probable as under a wider or narrower one
    # lets the same sentences through.
    masses = [(split(s.constraint).mass, split(own[s.stream]).mass) for s in changed]
    if all(math.isclose(*pair, rel_tol=1e-9) for pair in masses):
        return "the changed clause says the same: it lets the same sentences through"
    if all(after <= before * (1 + 1e-9) for before, after in masses):
        return f"stricter: fewer sentences are let through; {_KEPT}"
    return f"other sentences are let through; {_KEPT}"
