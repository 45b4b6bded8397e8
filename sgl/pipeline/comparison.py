"""Compare two grammars: how much the data of A reveal of what B tests or keeps apart.

A model trained on the data of A is tested on B.  For every structure that B tests, SGL decides whether training
sentences of A can contain it; if not, whether A lacks its labels or words altogether, or only its training does.
Layers, labels and attributes are matched by name.

Parts of A are checked against B's constraints on parts of the same names, as a new version of a benchmark is checked
against the old one.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import partial
from itertools import islice

from sgl.automata import StructureCompiler
from sgl.automata.algebra.tree_automaton import TreeAutomaton
from sgl.automata.proofs.evidence import Evidence, StratumEvidence
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.core.joint import LAYER, PLUS, SAME
from sgl.core.plan import GEN, TRAIN, Stratum
from sgl.core.structure import Body, NodeTest, Structure, Variable
from sgl.frontend import Compiled
from sgl.values import dataclass


class Found(Enum):
    """How a structure of another grammar occurs in a training grammar.

    Training contains it; the grammar generates it, but not in training; no sentence contains it; or the grammar lacks
    its labels or attributes.
    """

    SHOWN = "shown"
    HELD_OUT = "held_out"
    NEVER = "never"
    STRANGE = "strange"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One structure of a pattern of B, and how it occurs in A.

    ``role`` is ``held out`` or ``items``.  ``reason`` says what A lacks; ``derivation`` is a sentence of A that
    contains it, ``stream`` the stratum of that sentence.
    """

    pattern: str
    role: str
    structure: Structure
    found: Found
    reason: str = ""
    stream: str = ""
    derivation: Derivation = ()


@dataclass(frozen=True, slots=True)
class Departure:
    """Sentences in a part of A that B does not allow there, with the smallest of them.

    They contain the structure, which B excludes from this part; or, if ``lacking``, they contain none of the
    ``structures``, one of which B requires.
    """

    stream: str
    lacking: bool
    structures: tuple[Structure, ...]
    derivation: Derivation


class Between:
    """The comparison of grammars ``first`` and ``second``; ``structures`` are automata over the first, if available."""

    def __init__(self, first: Compiled, second: Compiled, structures: StructureCompiler | None = None) -> None:
        self._first, self._second = first, second
        self._structures = structures or StructureCompiler(first.grammar)
        self._evidence = Evidence(self._structures, first.plan)
        self._vocabulary = GrammarLabels(first.grammar)
        self._keeps = any(rule.keep for rule in first.grammar.rules)

    def comparisons(self) -> Iterator[Comparison]:
        """Yield how the training of A shows each structure that patterns of B test."""
        for pattern in self._second.plan.patterns:
            roles = dict.fromkeys(pattern.held_out, "held out")
            # Compare the structures of items only if they are not the held-out ones.
            roles |= {item: "items" for item in pattern.gen if item not in pattern.held_out}
            for structure, role in roles.items():
                row = partial(Comparison, pattern.name, role, structure)
                if lacking := self._vocabulary.lacks(structure):
                    yield row(Found.STRANGE, lacking)
                elif seen := self._evidence.find_in_training(structure):
                    yield row(Found.SHOWN, stream=seen.stream, derivation=seen.derivation)
                else:
                    possible = self._structures.disjunction((structure,)).accepting
                    yield row(Found.HELD_OUT if possible else Found.NEVER)

    def departures(self) -> Iterator[Departure]:
        """Yield departures of A's training and items from B's parts of that name, ignoring what B holds out."""
        own = (*self._evidence.populated_training, *self._evidence.generalization)
        asked = {pattern.name: pattern.gen for pattern in self._second.plan.patterns}
        strata: dict[tuple[str, str], list[Stratum]] = {}
        for stratum in self._second.plan.strata:
            if stratum.split in (TRAIN, GEN):
                strata.setdefault((stratum.split, stratum.category), []).append(stratum)
        for evidence in own:
            split, category = evidence.stratum.split, evidence.stratum.category
            if same := strata.get((split, category)):
                if split == GEN:
                    yield from self._lacking(evidence, asked[category])
                for structure in self._kept_out(same):
                    yield from self._containing(evidence, structure)
        yield from self._repeated_lemmas(own)

    def _kept_out(self, strata: Sequence[Stratum]) -> Iterator[Structure]:
        """Yield the structures that these strata of B all exclude, except those held out of training."""
        first, *others = (dict.fromkeys(stratum.constraint.exclude) for stratum in strata)
        patterns = self._second.plan.patterns if strata[0].split == TRAIN else ()
        held_out = {structure for pattern in patterns for structure in pattern.held_out}
        return (s for s in first if s not in held_out and all(s in excluded for excluded in others))

    def _containing(self, evidence: StratumEvidence, structure: Structure) -> Iterator[Departure]:
        constraint = evidence.stratum.constraint
        kept = self._keeps and structure in constraint.cut
        if structure in constraint.exclude and not kept:
            return
        if not self._vocabulary.lacks(structure) and not self._evidence.excludes(evidence, structure):
            presence = self._structures.presence(structure)
            yield from self._departure(evidence, (structure,), presence, lacking=False)

    def _lacking(self, evidence: StratumEvidence, group: tuple[Structure, ...]) -> Iterator[Departure]:
        known = tuple(s for s in group if not self._vocabulary.lacks(s))
        if group not in evidence.stratum.constraint.require and not self._evidence.requires(evidence, known):
            absence = self._structures.absence_of_all(known)
            yield from self._departure(evidence, group, absence, lacking=True)

    def _repeated_lemmas(self, own: Sequence[StratumEvidence]) -> Iterator[Departure]:
        grammar, plan = self._first.grammar, self._first.plan
        for tag in self._second.plan.distinct_lemmas if plan.lemma_layer else ():
            if tag in plan.distinct_lemmas:
                continue
            layer = grammar.graph_layer(plan.lemma_layer)
            nodes = [dict(node.attributes or ()) for rule in grammar.rules for node in rule.fragments[layer].nodes]
            lemmas = {node.get("lemma", "") for node in nodes if node.get("upos") == tag} - {""}
            tests = [(NodeTest("lemma", frozenset((lemma,))),) for lemma in sorted(lemmas)]
            twice = (Structure(plan.lemma_layer, Body((Variable("W", test), Variable("X", test)))) for test in tests)
            found = (
                departure
                for structure in twice
                for evidence in own
                if not evidence.stratum.repeated_lemmas
                for departure in self._containing(evidence, structure)
            )
            yield from islice(found, 1)

    def _departure(
        self, evidence: StratumEvidence, structures: tuple[Structure, ...], automaton: TreeAutomaton, *, lacking: bool
    ) -> Iterator[Departure]:
        if (derivation := self._evidence.smallest(evidence, automaton)) is not None:
            yield Departure(evidence.stratum.stream, lacking, structures, derivation)


class GrammarLabels:
    """The edge labels and word attributes of a grammar, by graph layer."""

    def __init__(self, grammar: CoreGrammar) -> None:
        self._labels: dict[str, set[str]] = {}
        self._attributes: dict[str, set[tuple[str, str]]] = {}
        for place, layer in enumerate(grammar.graph_layers):
            fragments = [rule.fragments[place] for rule in grammar.rules]
            self._labels[layer.name] = {edge.label for part in fragments for edge in part.edges}
            nodes = [node for part in fragments for node in part.nodes]
            self._attributes[layer.name] = {a for node in nodes for a in node.attributes or ()}

    def lacks(self, structure: Structure) -> str:
        """Return why the labels of a grammar rule out a structure; empty if they do not."""
        layers = structure.layer.split(PLUS)
        for layer in layers:
            if layer not in self._labels:
                return f"there is no graph layer `{layer}`"
        labels = {SAME}.union(*(self._labels[layer] for layer in layers))
        attributes = {(LAYER, layer) for layer in layers}
        attributes.update(*(self._attributes[layer] for layer in layers))
        reasons = [
            f"no rule makes an edge {_list(link.labels.labels)}"
            for link in structure.body.links
            if not any(map(link.labels.accepts, labels))
        ]
        for test in (test for variable in structure.body.variables for test in variable.tests):
            known = [value for name, value in attributes if name == test.attribute]
            if not any(map(test.accepts, (*known, ""))):
                reasons.append(f"no word has `{test.attribute}` {_list(test.values)}")
        return "; ".join(dict.fromkeys(reasons))


def _list(names: Iterable[str]) -> str:
    return " or ".join(f"`{name}`" for name in sorted(names))
