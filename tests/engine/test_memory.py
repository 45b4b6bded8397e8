"""What is kept between one look at a grammar and the next: in two parts, the second of which is read when needed."""

from __future__ import annotations

import pickle
from itertools import count

import pytest

from sgl import memory
from sgl.memory import Memory, keeping, kept, key_of


def test_both_parts_of_a_memory_share_their_objects() -> None:
    rule, known = ["a rule"], Memory()
    known.keep(key_of("rule", (), "np"), rule)
    known.keep(key_of("told", (rule,), None), "proved", (rule,))
    for _ in range(2):
        known = pickle.loads(pickle.dumps(known))  # noqa: S301 - our own
        found = known.find(key_of("rule", (), "np"))
        assert found == rule
        assert known.find(key_of("told", (rule,), None)) is None
        assert known.find(key_of("told", (found,), None)) == "proved"
    untouched = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(known))))  # noqa: S301 - our own
    assert untouched.find(key_of("told", (untouched.find(key_of("rule", (), "np")),), None)) == "proved"


def test_what_was_only_read_is_not_worth_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Memory()
    known.keep(key_of("told", (), None), "proved")
    known = pickle.loads(pickle.dumps(known))  # noqa: S301 - our own
    clock = count()
    monkeypatch.setattr(memory, "process_time", lambda: float(next(clock)))
    with keeping(known):
        # A value inside another one is read when it is asked for.
        assert kept("silent", (), None, lambda: kept("told", (), None, str)) == "proved"
    assert not known.worth
