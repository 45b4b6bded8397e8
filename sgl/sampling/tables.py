"""Pack the grammars of the splits into the integer tables that are drawn from.

Probabilities become interval widths: an alternative of probability *p* gets
``max(1, round(p * 2**53))`` integers, so nothing possible has width zero, and
the sum of the widths is the scale of the state.  The error is at most 2**-53
for each alternative, that of the floating-point number itself.

A *lexical* state, one that becomes words only, takes the weights of its rules
as they are: a split can take words away but cannot change the proportions of
the others.  Such states are therefore equal in all splits that leave the same
words, and are stored once::

    NP -> the N [dog cat fox]      NP' -> a N [dog cat fox]      one state N
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import NamedTuple

from sgl.automata.weights.counting import count_derivations
from sgl.automata.weights.split import SplitGrammar
from sgl.core.grammar import CoreGrammar, Token
from sgl.core.lemmas import content_lemmas, introduced_lemmas
from sgl.core.plan import Plan, Stratum
from sgl.sampling.acceptance import NotEnoughError
from sgl.sampling.engine import PackedStratum, PackedText, PackedView, State, Tables

#: Number of integers that a probability of 1 stands for.
SCALE = 1 << 53


class _Alternative(NamedTuple):
    width: int
    rule: int
    children: tuple[int, ...]


def pack(grammar: CoreGrammar, plan: Plan, splits: Mapping[str, SplitGrammar]) -> Tables:
    """Return the tables for all strata of ``plan``.

    ``splits`` has the grammar of each stratum under the name of its stream.
    Raises ``NotEnoughError`` for a stratum that has fewer derivations than the
    items it is to have.
    """
    for stratum in plan.strata:
        distinct = plan.distinct_sentences and not stratum.repeated
        _check_size(stratum, splits[stratum.stream], distinct=distinct)
    pool = _Pool(grammar)
    return Tables(
        seed=plan.seed,
        strata=[
            PackedStratum(
                split=stratum.split,
                category=stratum.category,
                stream=stratum.stream,
                wanted=stratum.count,
                start=pool.add(splits[stratum.stream]),
                repeated=stratum.repeated,
                targets=stratum.targets,
                repeated_lemmas=stratum.repeated_lemmas,
            )
            for stratum in plan.strata
        ],
        states=pool.states,
        arity=[len(rule.rhs) for rule in grammar.rules],
        words=introduced_lemmas(grammar, plan),
        lemmas=content_lemmas(grammar, plan),
        source=pack_text(grammar, grammar.text_layer(plan.source)),
        targets=[_pack_target(grammar, name) for name in plan.targets],
        distinct_sentences=plan.distinct_sentences,
    )


def _check_size(stratum: Stratum, split: SplitGrammar, *, distinct: bool) -> None:
    size = count_derivations(split)
    needed = stratum.count if distinct else min(stratum.count, 1)
    if size is not None and size < needed:
        reason = f"this part of the data has {size} derivations in all"
        raise NotEnoughError(stratum.stream, stratum.count, 0, 0, reason, {})


def _pack_target(grammar: CoreGrammar, name: str) -> PackedText | PackedView:
    """Return the tables of a target, which is a text layer or a view."""
    for layer, text in enumerate(grammar.text_layers):
        if text.name == name:
            return pack_text(grammar, layer)
    view = next(view for view in grammar.views if view.name == name)
    return PackedView(view.name, view.kind, list(grammar.gluing[view.layer]))


def pack_text(grammar: CoreGrammar, layer: int) -> PackedText:
    """Return the templates of all rules in text layer ``layer``."""
    text = grammar.text_layers[layer]
    return PackedText(
        name=text.name,
        join=text.join,
        attach=text.attach,
        templates=[
            tuple(
                item.text
                if isinstance(item, Token)
                else (~item.child if item.capital else item.child)
                for item in rule.templates[layer]
            )
            for rule in grammar.rules
        ],
    )


class _Pool:
    """The states of all splits; equal lexical states and equal splits only once."""

    def __init__(self, grammar: CoreGrammar) -> None:
        self.states: list[State] = []
        self._weights = [rule.weight for rule in grammar.rules]
        self._lexical: dict[tuple[int, ...], int] = {}
        self._starts: dict[tuple[tuple[_Alternative, ...], ...], int] = {}

    def add(self, split: SplitGrammar) -> int:
        """Add the states of a split; the state from which its texts are drawn."""
        local = _reachable(split)
        key = tuple(local)
        if key not in self._starts:
            self._starts[key] = self._insert(local)
        return self._starts[key]

    def _insert(self, local: list[tuple[_Alternative, ...]]) -> int:
        """Number the states globally: known lexical states keep their number."""
        names: list[int] = []
        fresh: list[int] = []
        for index, alternatives in enumerate(local):
            if any(alternative.children for alternative in alternatives):
                names.append(len(self.states))
                fresh.append(index)
                self.states.append(_state(()))
            else:
                names.append(self._lexical_state(alternatives))
        for index in fresh:
            self.states[names[index]] = _state(
                alternative._replace(
                    children=tuple(names[child] for child in reversed(alternative.children))
                )
                for alternative in local[index]
            )
        return names[0]

    def _lexical_state(self, alternatives: tuple[_Alternative, ...]) -> int:
        rules = tuple(alternative.rule for alternative in alternatives)
        if rules not in self._lexical:
            self._lexical[rules] = len(self.states)
            self.states.append(
                _state(_Alternative(width(self._weights[rule]), rule, ()) for rule in rules)
            )
        return self._lexical[rules]


def _reachable(split: SplitGrammar) -> list[tuple[_Alternative, ...]]:
    """Return the alternatives of the start state and of all states that it reaches.

    The start state, number 0, chooses among the alternatives of all roots.
    """
    numbers: dict[int, int] = {}
    order: list[int] = []

    def numbered(state: int) -> int:
        if state not in numbers:
            numbers[state] = len(order) + 1
            order.append(state)
        return numbers[state]

    def alternatives(state: int, factor: float) -> list[_Alternative]:
        return [
            _Alternative(
                width(factor * transition.probability),
                transition.rule,
                tuple(numbered(child) for child in transition.children),
            )
            for transition in split.transitions_of[state]
            if transition.probability > 0.0
        ]

    start = [
        alternative
        for state, probability in split.roots
        for alternative in alternatives(state, probability)
    ]
    table = [tuple(start)]
    while len(table) <= len(order):
        table.append(tuple(alternatives(order[len(table) - 1], 1.0)))
    return table


def width(probability: float) -> int:
    """Return the number of integers that stand for a positive probability."""
    return max(1, int(probability * SCALE + 0.5))


def _state(alternatives: Iterable[_Alternative]) -> State:
    rows = list(alternatives)
    return State(
        bounds=list(accumulate(row.width for row in rows)),
        rules=[row.rule for row in rows],
        children=[row.children for row in rows],
    )
