"""The lemmas of the words that rules introduce, as the plan of a dataset sees them.

A lemma is its spelling, whatever the part of speech.  Some may occur once in a sentence only: those
of nodes whose ``upos`` is one of ``plan.distinct_lemmas``.
"""

from collections.abc import Iterable, Sequence

from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan

#: For each rule of a grammar some of its lemmas.
RuleLemmas = list[tuple[str, ...]]


def introduced_lemmas(grammar: CoreGrammar, plan: Plan) -> RuleLemmas:
    """Return for each rule the lemmas of the words that it introduces."""
    return [tuple(label["lemma"] for label in labels) for labels in _labels(grammar, plan)]


def content_lemmas(grammar: CoreGrammar, plan: Plan) -> RuleLemmas:
    """Return for each rule the lemmas it introduces that may occur once in a sentence."""
    wanted = frozenset(plan.distinct_lemmas)
    return [
        tuple(label["lemma"] for label in labels if label.get("upos") in wanted) for labels in _labels(grammar, plan)
    ]


def repeats_lemma(derivation: Iterable[int], lemmas: Sequence[tuple[str, ...]]) -> bool:
    """Return whether a derivation introduces one of these lemmas twice."""
    used = [lemma for rule in derivation for lemma in lemmas[rule]]
    return len(set(used)) < len(used)


def _labels(grammar: CoreGrammar, plan: Plan) -> list[list[dict[str, str]]]:
    if not plan.lemma_layer:
        return [[] for _ in grammar.rules]
    layer = grammar.graph_layer(plan.lemma_layer)
    labels = [[dict(n.attributes or ()) for n in r.fragments[layer].nodes] for r in grammar.rules]
    return [[label for label in own if label.get("lemma")] for own in labels]
