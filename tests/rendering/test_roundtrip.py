"""Every sentence parses back, from English and from unspaced Japanese, to what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import plan_of, whole
from sget import compile_file, sget

import roundtrip
from common import Workers
from sgl.core.interpret import Derivation, interpret
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.sampling import pack
from sgl.sampling.engine import candidate_key, derive

FARM = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"


class Drawing:
    """Sentences of a grammar as it is written, by any number."""

    def __init__(self, compiled: Compiled) -> None:
        self.grammar = compiled.grammar
        self.parsers = [Parser(self.grammar, i) for i in range(len(self.grammar.text_layers))]
        plan = plan_of({"train": 1})
        self._tables = pack(self.grammar, plan, {"train/in_distribution": whole(self.grammar)})

    def sentence(self, key: int) -> Derivation:
        (stratum,) = self._tables.strata
        derivation = derive(self._tables.states, stratum.start, candidate_key(key, 0))
        assert derivation is not None
        return tuple(derivation)


@pytest.fixture(scope="module", params=["farm", "sget"])
def drawing(request: pytest.FixtureRequest) -> Drawing:
    return Drawing(compile_file(FARM) if request.param == "farm" else sget())


@settings(max_examples=150, deadline=None)
@given(key=st.integers(0, 2**64 - 1))
def test_a_sentence_is_read_back_from_every_language(drawing: Drawing, key: int) -> None:
    item = interpret(drawing.grammar, drawing.sentence(key))
    for parser in drawing.parsers:
        forest = parser.forest(item.texts[parser.layer])
        assert forest is not None, item.texts
        assert roundtrip.comes_back(forest, item)


def test_what_is_read_from_another_sentence_does_not_come_back(drawing: Drawing) -> None:
    first, second = (interpret(drawing.grammar, drawing.sentence(key)) for key in (1, 2))
    for parser in drawing.parsers:
        assert not roundtrip.comes_back(parser.forest(first.texts[parser.layer]), second)
        assert not roundtrip.comes_back(parser.forest("not a sentence"), first)


@pytest.mark.slow
def test_the_benchmark_draws_of_every_part_and_counts() -> None:
    result = roundtrip.round_trips(compile_file(FARM), 40, 1, Workers())
    assert result["failures"] == []
    assert list(result["parts"]) == [
        "train/in_distribution",
        "dev/in_distribution",
        "test/in_distribution",
        "gen/pp_in_subject",
        "grammar as written",
    ]
    assert result["all"]["drawn"] == 4 * 40 + 400
    assert result["all"].get("en ambiguous", 0) == 0
    assert result["all"]["ja ambiguous"] == result["all"]["sentences"]


@pytest.mark.slow
def test_the_benchmark_shows_what_does_not_come_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(roundtrip, "readings", lambda _parser, _batch, texts: [None] * len(texts))
    result = roundtrip.round_trips(compile_file(FARM), 2, 1, Workers())
    assert result["all"]["en failures"] == result["all"]["ja failures"] > 0
    roundtrip.show(result)
    assert "not read back from ja: " in capsys.readouterr().out
