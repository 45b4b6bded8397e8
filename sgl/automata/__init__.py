"""Express structures as tree automata: exact splits of a grammar, and proofs about them.

A structure becomes a deterministic bottom-up automaton over derivations, lifted to the grammar and minimised.
Constraints are Boolean combinations of these; with inside weights they become grammars again.  Formalism: Courcelle's
theorem for graphs of bounded width, on the derivations of an interpreted regular tree grammar.
"""

from sgl.automata.algebra.tree_automaton import smallest_derivation
from sgl.automata.common import StructureTooCostly, UnsupportedStructure
from sgl.automata.patterns.structure_automaton import StructureAutomaton
from sgl.automata.proofs.compiler import StructureCompiler, find_conflict
from sgl.automata.proofs.prove import prove
from sgl.automata.weights.inside import Consistency, consistency
from sgl.automata.weights.split import SplitGrammar, Transition, count_derivations
from sgl.core.claims import *  # noqa: F403
from sgl.core.pieces import pieces_of
