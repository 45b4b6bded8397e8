"""The seven guarantees of each pattern, as the manifest and the report state them.

=================  =========  ===================================================
held out           static     training derives none of its structures
instance           static     every item has its structure, and no other pattern's
licensed           static     training has the parts and pieces that items combine
exposed            static     training has the words, forms and rules of the items
string level       parsing    no training string has a reading with the structure,
                              and no item has readings with several outputs
disjoint           static     no item is a training sentence
on the graphs      searched   the verifier found the same in every written graph
=================  =========  ===================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sgl.automata import Exposed, IngredientKind, PatternProofs, Reason, Verdict
from sgl.automata.proofs.claims import Claim
from sgl.core.plan import Plan
from sgl.dataset import Guarantee
from sgl.pipeline.ambiguity import unparsed
from sgl.verify import Report

#: The checks of the verifier that search the graphs for what patterns claim.
GRAPH_CHECKS = ("V009", "V010", "V011", "V012", "V013", "V014", "V015", "V016", "V021", "V022")

#: Excused things that are named in a sentence; the others are counted.
_NAMED = 3

_PLURALS = {
    IngredientKind.WORD: "words",
    IngredientKind.ENTRY: "entries",
    IngredientKind.FORM: "forms",
    IngredientKind.RULE: "rules",
}
_REASONS = {
    Reason.TARGET: "of its targets",
    Reason.STRUCTURE: "with the structure only",
    Reason.TOGETHER: "held out with other patterns",
}


def pattern_guarantees(pattern: PatternProofs, strings: Guarantee | None = None) -> list[Guarantee]:
    """Return the guarantees of one pattern; without ``strings`` before anything is drawn."""

    def static(claim: str, claims: Sequence[Claim], detail: str) -> Guarantee:
        refuted = any(single.verdict is Verdict.REFUTED for single in claims)
        return Guarantee(pattern.name, claim, "static", "refuted" if refuted else "proved", detail)

    without_cut = ", ".join(f"{claim.mass:.2e}" for claim in pattern.held_out)
    of_items = ", ".join(f"{claim.mass:.2e}" for claim in pattern.instances)
    exposed = pattern.exposed
    shown = [f"{used(exposed)} of its items" if exposed.counts else "the pattern has no items"]
    shown += [f"not in training: {text}" for text in excuses(exposed)]
    return [
        static(
            "held out",
            pattern.held_out,
            f"probability without the cut {without_cut}; in training 0",
        ),
        static(
            "instance",
            pattern.instances,
            f"probability of an item in the whole grammar {of_items}"
            if pattern.instances
            else "the pattern has no items",
        ),
        static("licensed", [*pattern.licences, *pattern.pieces], _licensed(pattern)),
        static("exposed", [exposed], "; ".join(shown)),
        strings or unparsed(pattern.name),
        static("disjoint", pattern.disjoint, "no derivation of an item is one of training"),
    ]


def _licensed(pattern: PatternProofs) -> str:
    parts = [
        f"{claim.expected:,.0f} training sentences expected, {claim.minimum:,} required"
        for claim in pattern.licences
    ]
    verdicts = [piece.verdict for piece in pattern.pieces]
    if verdicts:
        waived = verdicts.count(Verdict.WAIVED)
        found = f"{verdicts.count(Verdict.PROVED)} of {len(verdicts)} pieces in training"
        parts.append(found + (f", {waived} waived" if waived else ""))
    return "; ".join(parts) or "the structure has no smaller pieces"


def on_the_graphs(
    plan: Plan, items: Mapping[str, int], verification: Report
) -> dict[str, Guarantee]:
    """For each pattern the word of the verifier, which searched every written graph.

    ``items`` are the numbers of items written of each category.
    """
    results = [result for result in verification.results if result.code in GRAPH_CHECKS]
    violations = sum(result.total for result in results)
    passed = all(result.status == "passed" for result in results)
    trained = dict.fromkeys(s.category for s in plan.strata if s.split != "gen")
    training = sum(items.get(category, 0) for category in trained)
    return {
        pattern.name: Guarantee(
            pattern.name,
            "on the graphs",
            "searched",
            "passed" if passed else "failed",
            f"{items.get(pattern.name, 0):,} graphs of its items and {training:,} of train, dev "
            f"and test searched: {violations:,} violations",
        )
        for pattern in plan.patterns
    }


def used(claim: Exposed) -> str:
    """Return how many words, entries, forms and rules items can use, in words."""
    return ", ".join(f"{number:,} {_PLURALS[kind]}" for kind, number in claim.counts)


def excuses(claim: Exposed, named: int = _NAMED) -> list[str]:
    """Return what training need not have, by kind and reason, with the first names of each."""
    groups: dict[tuple[IngredientKind, Reason], list[str]] = {}
    for thing in claim.excused:
        groups.setdefault((thing.kind, thing.reason), []).append(thing.name)
    texts = []
    for (kind, reason), names in groups.items():
        noun = kind.value if len(names) == 1 else _PLURALS[kind]
        more = ", …" if len(names) > named else ""
        listed = ", ".join(names[:named]) + more
        texts.append(f"{len(names)} {noun} {_REASONS[reason]} ({listed})")
    return texts
