"""Rules are tried until nothing more follows, in the order of rounds over all of them, but without idle ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sgl.core.rounds import Rounds

Rules = list[tuple[int, list[int]]]
RULES = st.lists(st.tuples(st.integers(0, 4), st.lists(st.integers(0, 4), max_size=2)), max_size=8)


def follows(rules: Rules) -> tuple[set[int], list[int]]:
    """What can be built, and the rules in the order in which they built something."""
    built: set[int] = set()
    order = []
    rounds = Rounds(children for _, children in rules)
    tried = 0
    for number in rounds:
        tried += 1
        name, children = rules[number]
        if name not in built and built.issuperset(children):
            built.add(name)
            order.append(number)
            rounds.grew(name)
    assert tried <= len(rules) + sum(len(set(children)) for _, children in rules)
    return built, order


def by_definition(rules: Rules) -> tuple[set[int], list[int]]:
    """The same by going over all rules until a round brings nothing."""
    built: set[int] = set()
    order: list[int] = []
    while True:
        before = len(order)
        for number, (name, children) in enumerate(rules):
            if name not in built and built.issuperset(children):
                built.add(name)
                order.append(number)
        if len(order) == before:
            return built, order


@given(RULES)
def test_the_same_follows_in_the_same_order_as_in_rounds_over_all_rules(rules: Rules) -> None:
    assert follows(rules) == by_definition(rules)


def test_each_rule_is_tried_once_where_nothing_grows() -> None:
    assert list(Rounds([["a"], [], ["a", "b"]])) == [0, 1, 2]


def test_a_rule_that_waits_already_does_not_wait_twice() -> None:
    rounds = Rounds([["a", "b"], [], []])
    tried = []
    for number in rounds:
        tried.append(number)
        if number:
            rounds.grew("ab"[number - 1])
    assert tried == [0, 1, 2, 0]
