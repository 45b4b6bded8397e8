"""Lower tests: what an author expects of the graph of a sentence becomes structures.

A test names a layer for each output that it expects: a text, or, of a graph layer, a
structure that the graph of the sentence has to contain::

    test "Ava saw a cat." => ja "…", syn { V[lemma=see] -[obj]-> N[lemma=cat] }
"""

from __future__ import annotations

from dataclasses import dataclass

from sgl.core.grammar import CoreGrammar
from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostics, suggest
from sgl.frontend.names import Names, Scope
from sgl.frontend.signature import Signature
from sgl.frontend.structures import StructureContext, Vocabulary, lower_structure, vocabulary
from sgl.frontend.switches import Parameters
from sgl.lang import syntax as s


@dataclass(frozen=True)
class LoweredTest:
    """A test with its expected ``structures``, in the order of ``declaration.graphs``."""

    declaration: s.Test
    structures: tuple[Structure, ...] = ()


def lower_tests(
    names: Names,
    signature: Signature,
    grammar: CoreGrammar | None,
    parameters: Parameters,
    diagnostics: Diagnostics,
) -> tuple[LoweredTest, ...]:
    """The tests that are in force; those of wrong structures are reported and lack them.

    ``grammar`` is the lowered grammar; if it is None, it has errors, and nobody asks
    whether the words of a structure exist.
    """
    contexts = {
        layer.name: StructureContext(
            layer.name,
            Vocabulary(complete=False) if grammar is None else vocabulary(grammar, index),
            parameters,
            diagnostics,
        )
        for index, layer in enumerate(signature.graph_layers)
    }
    unsound = signature.unsound
    return tuple(
        LoweredTest(test, tuple(_structures(test, scope, contexts, unsound, diagnostics)))
        for test, scope in names.of(s.Test)
    )


def _structures(
    declaration: s.Test,
    scope: Scope,
    contexts: dict[str, StructureContext],
    unsound: frozenset[str],
    diagnostics: Diagnostics,
) -> list[Structure]:
    found = []
    for expected in declaration.graphs:
        layer = expected.layer
        context = contexts.get(layer.text)
        if context is None and layer.text in unsound:
            continue
        if context is None:
            diagnostics.error(
                "SGL0201",
                layer.span,
                f"there is no graph layer `{layer}`",
                hint=suggest(layer.text, contexts),
            )
            continue
        structure = lower_structure(expected.graph, scope, context)
        if structure is not None:
            found.append(structure)
    return found
