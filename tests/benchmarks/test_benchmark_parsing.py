"""The benchmark of parsing compares what parsers find, and draws sentences of any length."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import parsing
from opening import opened
from parsing_peers import Read
from sgl.frontend import Compiled

FARM = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"


@cache
def farm() -> Compiled:
    return opened(FARM)


def test_parsers_beside_one_another_find_the_same() -> None:
    sentences = list(parsing.drawn(farm(), 20, tokens=6))
    assert {len(sentence) for sentence in sentences} <= {6, 7}
    peers = parsing.beside_peers(farm().grammar, sentences, rounds=1, seconds=5)
    assert "Lark Earley" in [peer["name"] for peer in peers]
    assert all(peer["agrees"] for peer in peers)


def test_a_parser_that_finds_something_else_is_noticed() -> None:
    assert parsing.alike(Read(None, None), Read(1, 0.5))
    assert parsing.alike(Read(1, 0.5), Read(1, 0.5))
    assert not parsing.alike(Read(2, None), Read(1, 0.5))
    assert not parsing.alike(Read(1, 0.4), Read(1, 0.5))


def test_sentences_are_longer_where_recursive_rules_are_likelier() -> None:
    plain = sum(len(sentence) for sentence in parsing.drawn(farm(), 50))
    assert sum(len(sentence) for sentence in parsing.drawn(farm(), 50, longer=4)) > plain
