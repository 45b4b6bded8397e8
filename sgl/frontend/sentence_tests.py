"""Lower tests: what an author expects of the graph of a sentence becomes structures.

A test names a layer for each output that it expects: a text, or, of a graph layer, a
structure that the graph of the sentence has to contain::

    test "Ava saw a cat." => ja "…", syn { V[lemma=see] -[obj]-> N[lemma=cat] }
"""

from __future__ import annotations

from dataclasses import dataclass

from sgl.core.structure import Structure
from sgl.frontend.names import Scope
from sgl.frontend.state import CompilerState
from sgl.frontend.structures import lower_structure
from sgl.frontend.vocabulary import StructureContext, context_of
from sgl.lang import syntax as s


@dataclass(frozen=True)
class LoweredTest:
    """A test with its expected ``structures``, in the order of ``declaration.graphs``."""

    declaration: s.Test
    structures: tuple[Structure, ...] = ()


def lower_tests(state: CompilerState) -> None:
    """Turn what tests expect of graphs into structures.

    Before: ``signature``.  After: ``tests``; those of wrong structures are reported and lack
    them.  With errors in the rules nobody asks whether the words of a structure exist.
    """
    grammar = state.lowered.grammar if hasattr(state, "lowered") else None
    contexts = {
        layer.name: context_of(state, layer.name, index, grammar)
        for index, layer in enumerate(state.signature.graph_layers)
    }
    unsound = state.signature.unsound
    state.tests = tuple(
        LoweredTest(test, tuple(_structures(test, scope, contexts, unsound, state)))
        for test, scope in state.names.of(s.Test)
    )


def _structures(
    declaration: s.Test,
    scope: Scope,
    contexts: dict[str, StructureContext],
    unsound: frozenset[str],
    state: CompilerState,
) -> list[Structure]:
    found = []
    for expected in declaration.graphs:
        layer = expected.layer
        context = contexts.get(layer.text)
        if context is None and layer.text in unsound:
            continue
        if context is None:
            state.report_missing("graph layer", layer, contexts)
            continue
        structure = lower_structure(expected.graph, scope, context)
        if structure is not None:
            found.append(structure)
    return found
