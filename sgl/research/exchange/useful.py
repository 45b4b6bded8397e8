"""Leave out the rules of a tree automaton that take part in no derivation.

They do no harm to Alto, while SGL takes a category that can never be built, and a
rule that is never used, for a mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sgl.core.grammar import Template
from sgl.diagnostics import Diagnostics
from sgl.lang.syntax import Name

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class TreeRule:
    """A rule by the names of its states, with the template of each layer.

    ``weighted`` says whether the weight is written in the file.
    """

    label: Name
    state: str
    children: tuple[str, ...]
    weight: float
    weighted: bool
    templates: tuple[Template, ...]


def useful_rules(
    rules: Sequence[TreeRule], finals: Sequence[str], diagnostics: Diagnostics
) -> list[TreeRule]:
    """The rules of weight above 0 that take part in some derivation; reports the others."""
    weighted = [rule for rule in rules if rule.weight > 0]
    productive = _productive(weighted)
    buildable = [rule for rule in weighted if productive.issuperset(rule.children)]
    reachable = _reachable(buildable, finals)
    useful = [rule for rule in buildable if rule.state in reachable]
    kept = {id(rule) for rule in useful}
    left_out = [rule for rule in rules if id(rule) not in kept]
    if left_out:
        names = ", ".join(f"`{rule.label}`" for rule in left_out[:_SHOWN])
        more = len(left_out) - _SHOWN
        diagnostics.warning(
            "SGL1205",
            left_out[0].label.span,
            f"{len(left_out):,} of {len(rules):,} rules take part in no derivation "
            "and are left out",
            notes=(f"{names}, and {more:,} more" if more > 0 else names,),
        )
    return useful


def _productive(rules: Sequence[TreeRule]) -> set[str]:
    """The states from which a derivation can be completed."""
    found: set[str] = set()
    parents: dict[str, list[int]] = {}
    missing = []
    ready = []
    for index, rule in enumerate(rules):
        children = set(rule.children)
        missing.append(len(children))
        for child in children:
            parents.setdefault(child, []).append(index)
        if not children:
            ready.append(index)
    while ready:
        state = rules[ready.pop()].state
        if state in found:
            continue
        found.add(state)
        for index in parents.get(state, ()):
            missing[index] -= 1
            if not missing[index]:
                ready.append(index)
    return found


def _reachable(rules: Sequence[TreeRule], finals: Iterable[str]) -> set[str]:
    """The states below the final ones."""
    below: dict[str, set[str]] = {}
    for rule in rules:
        below.setdefault(rule.state, set()).update(rule.children)
    found: set[str] = set()
    pending = list(finals)
    while pending:
        state = pending.pop()
        if state not in found:
            found.add(state)
            pending.extend(below.get(state, ()))
    return found
