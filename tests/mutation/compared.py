"""What the data of a mutant show of what the original tests, or keeps apart.

A mutant of a pattern has other claims than the original.  It may keep all of them and
still be wrong: with a narrower ``forbid`` it proves the narrower claim, and a leak so rare
that it is not drawn is nowhere in the files.  What such a change costs is seen when the
new grammar is compared with the old one, which is what its author can do::

    sglc prove --between mutant.sgl original.sgl

For every structure that the original holds out, or asks of its items, this decides
whether the training of the mutant derives it; and whether the parts of the mutant's
training and its items are what the original says of parts with these names.  Only what is
new counts: items of some patterns consist of structures that training shows by design.

The automata that compare are those that prove.  So that not everything rests on them,
each witness is looked at once more with the definition of a match (``definition.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

from definition import contains
from sgl.automata import StructureCompiler
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, interpret
from sgl.core.structure import Structure
from sgl.frontend import Compiled
from sgl.pipeline.comparison import Between, Found


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a comparison found: in words, and the sentence that shows it.

    The sentence contains one of ``structures`` or, if they are ``lacking``, none.
    """

    name: str
    stream: str
    structures: tuple[Structure, ...]
    lacking: bool
    derivation: Derivation

    def described(self, grammar: CoreGrammar) -> str:
        """What was found, where, and the sentence that shows it."""
        texts = " | ".join(interpret(grammar, self.derivation).texts)
        structures = " or ".join(map(str, self.structures))
        return f"{self.name} · {structures} · {self.stream}: {texts}"

    def holds(self, grammar: CoreGrammar) -> bool:
        """Whether the witness is one, by the definition of a match."""
        graphs = interpret(grammar, self.derivation).graphs
        found = any(contains(graphs[grammar.graph_layer(s.layer)], s) for s in self.structures)
        return found is not self.lacking


Findings = dict[tuple[str, str], Finding]


def compared(first: Compiled, compiler: StructureCompiler, second: Compiled) -> Findings:
    """What a comparison of two grammars finds, given automata over the first."""
    between = Between(first, second, compiler)
    findings: Findings = {}
    for row in between.comparisons():
        if row.found is Found.SHOWN:
            name = f"training shows what `{row.pattern}` tests ({row.role})"
            findings[name, str(row.structure)] = Finding(name, row.stream, (row.structure,), False, row.derivation)
    for departure in between.departures():
        what = "lack what they should have" if departure.lacking else "have what is kept out"
        name = f"sentences of {departure.stream} {what}"
        findings[name, " or ".join(map(str, departure.structures))] = Finding(
            name, departure.stream, departure.structures, departure.lacking, departure.derivation
        )
    return findings
