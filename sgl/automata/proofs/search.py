"""Can training contain a structure?  A sentence if it can.

The structure is looked for among sentences at hand (:mod:`sgl.automata.proofs.pool`).  Only
if none of them contains it is it decided whether some training stratum derives it::

    { V -[nsubj]-> N }         The dog slept.            found at once
    { N -[nmod]{4}-> M }       in 1 of 10,000 sentences  no stratum excludes it: smallest text
    { V[lemma=owe, Tense=Pres] }                         every stratum excludes it: None
"""

from __future__ import annotations

from functools import cached_property

from sgl.automata.proofs.evidence import Evidence
from sgl.automata.proofs.pool import Pool, Seen
from sgl.core.structure import Structure


class TrainingSearch:
    """Looks for structures in the training sentences of a plan, for each once."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._found: dict[Structure, Seen | None] = {}

    def find(self, structure: Structure) -> Seen | None:
        """A training sentence that contains the structure, or ``None`` if none can."""
        name = structure.canonical()
        if name not in self._found:
            self._found[name] = self._pool.find(name) or self._decide(name)
        return self._found[name]

    def _decide(self, structure: Structure) -> Seen | None:
        """The smallest text with the structure in the first stratum that derives it."""
        for stratum in self._evidence.drawn_training:
            if not self._evidence.excludes(stratum, structure):
                contains = self._evidence.compiler.presence(structure)
                derivation = self._evidence.smallest(stratum, contains)
                if derivation is not None:
                    return Seen(stratum.stream, derivation)
        return None

    @cached_property
    def _pool(self) -> Pool:
        evidence = self._evidence
        return Pool(evidence.compiler, evidence.plan, evidence.drawn_training)
