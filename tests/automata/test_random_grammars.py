"""On random grammars, the automaton of a structure finds it where the definition does.

The grammars double edges, merge ports and mark edges with ``~``: ``tests/models/random_grammars.py``.
"""

from __future__ import annotations

from collections import Counter

import pytest
from toy_notation import GrammarBuilder, structure

from random_grammars import disagreements
from sgl.automata import StructureCompiler
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import derive_graph


def twice() -> CoreGrammar:
    """A grammar in which two rules write the edge from the verb to its gap."""
    build = GrammarBuilder()
    build.category("S")
    build.category("X", "gap")
    build.category("N")
    build.rule("filled", "S -> X N", "0 1", "0 1", "head=0; 0.gap=1; 0 -~obj-> 1")
    build.rule("gapped", "X -> ", "saw", "見た", "head=saw; saw -~obj-> gap")
    build.word("N", "dog", "犬", upos="NOUN")
    return build.build("twice", "S")


def test_an_edge_that_two_rules_write_counts_once() -> None:
    grammar = twice()
    derivation = (0, 1, 2)
    edges = derive_graph(grammar, derivation, 0).edges
    assert [label for _, label, _ in edges] == ["~obj"]
    for test, expected in (("=1", True), (">=2", False), ("<=1", True)):
        automaton = StructureCompiler(grammar).structure_automaton(structure(f"{{ V[#~obj{test}] -[~obj]-> N }}"))
        assert automaton.accepts(grammar, derivation) is expected, test


@pytest.mark.slow
def test_edges_are_sets_in_random_grammars() -> None:
    figures: Counter[str] = Counter()
    assert [wrong for seed in range(40, 52) for wrong in disagreements(seed, 4, 30, figures)] == []
    assert figures["with doubled edges"] > 6
    assert figures["verdicts"] > 500


@pytest.mark.slow
def test_an_automaton_that_counts_twice_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison finds the fault when every counted edge is one of its own again."""
    from sgl.automata.patterns.scene import Scene

    class Forgetful(Scene):
        def __init__(self, *given: object) -> None:
            super().__init__(*given)  # type: ignore[arg-type]
            ports = [
                port._replace(counts=self._counts[node])
                for port, node in zip(self.outline.ports, given[1].exports, strict=True)  # type: ignore[attr-defined]
            ]
            self.outline = self.outline._replace(ports=tuple(ports), counted=())

    monkeypatch.setattr("sgl.automata.patterns.structure_automaton.Scene", Forgetful)
    figures: Counter[str] = Counter()
    assert [wrong for seed in (43, 51, 55) for wrong in disagreements(seed, 10, 60, figures)]
