"""Check patterns against one another and against the sizes of the splits.

What a pattern says by itself is checked where it is lowered; here two patterns
that hold out the same, parts of which training cannot have enough, and patterns
that are never tested::

    train 50                    need { V -[obj]-> N } >= 1000
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sgl.core.structure import Structure
from sgl.diagnostics import Label, Span
from sgl.frontend.dataset import SPLITS
from sgl.frontend.patterns import LoweredPattern
from sgl.frontend.quotas import count_of_sentences
from sgl.frontend.state import State
from sgl.lang import syntax as s

TRAIN = "train"


def check_sizes(state: State) -> None:
    """Report splits of more sentences than can be asked for.

    Before: ``dataset``, and no error.
    """
    for dataset, _ in state.names.of(s.Dataset):
        for clause in dataset.clauses:
            if clause.key.text in SPLITS and clause.amount is not None:
                count_of_sentences(clause.amount, state)


def check_patterns(state: State) -> None:
    """Report what patterns cannot ask for together, or of this dataset.

    Before: ``dataset``, ``patterns`` and ``parts``, and no error.
    """
    patterns = state.patterns
    for first, second in combinations(patterns, 2):
        _check_same(first, second, state)
    exposed = sum(e.count for lowered in patterns for e in lowered.pattern.expose)
    apart = sum(quota.count for lowered in state.parts for quota in lowered.part.quotas)
    trained = state.dataset.sizes.get(TRAIN, 0) + exposed + apart
    for lowered in patterns:
        if lowered.pattern.forbid and not lowered.pattern.quotas:
            name = lowered.declaration.name
            state.diagnostics.warning(
                "SGL0822",
                name.span,
                f"the pattern `{name}` has no items",
                hint="say how many: `size 1000`",
            )
        for index, need in enumerate(lowered.pattern.need):
            if need.minimum > trained:
                state.diagnostics.error(
                    "SGL0821",
                    lowered.span("need", index),
                    f"{need.minimum:,} sentences are needed, but training has {trained:,}",
                    hint="need fewer, or make `train` larger",
                )


def _check_same(first: LoweredPattern, second: LoweredPattern, state: State) -> None:
    """Report structures that both hold out, unless each allows those of the other."""
    allowing = [
        f"`allow {other.pattern.name}` to `{one.pattern.name}`"
        for one, other in ((first, second), (second, first))
        if other.pattern.name not in one.pattern.allow
    ]
    if not allowing:
        return
    earlier = {structure.canonical(): span for structure, span in reversed([*_held_out(first)])}
    for structure, span in _held_out(second):
        if structure.canonical() in earlier:
            state.diagnostics.error(
                "SGL0819",
                span,
                f"`{first.pattern.name}` and `{second.pattern.name}` hold out the same structure",
                labels=[Label(earlier[structure.canonical()], "the same is held out here")],
                notes=("an item of one would contain what the other holds out",),
                hint=f"add {' and '.join(allowing)}, or make one of the two structures narrower",
            )


def _held_out(lowered: LoweredPattern) -> Iterator[tuple[Structure, Span]]:
    for index, structure in enumerate(lowered.pattern.forbid):
        yield structure, lowered.span("forbid", index)
    for index, structure in enumerate(lowered.pattern.never):
        yield structure, lowered.span("never", index)
