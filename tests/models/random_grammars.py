"""Do automata and the definition of a match agree on random grammars?

Draws small grammars whose fragments do everything that is allowed: ports that are made, kept,
merged with one another or with new nodes, edges marked with ``~`` and not, and the same edge
written by several rules.  Of each grammar it draws derivations and structures, and asks of each
pair whether the structure occurs: once the structure's automaton, on the derivation; once the
definition of a match (``definition.py``), on the graph::

    python benchmarks/models.py random_grammars --grammars 1000 --seed 1

A disagreement is printed with its grammar's seed, and the exit status is then 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from definition import contains
from harness import Compare, Difference, command
from random_structures import random_structure, words_of
from sgl.automata import StructureCompiler, StructureTooCostly
from sgl.core.grammar import HEAD, Category, CoreGrammar, Edge, Fragment, GraphLayer, Node, Rule, Slot, TextLayer, Token
from sgl.core.interpret import Derivation, derive_graph
from sgl.core.structure import Structure

#: Half of the labels are marked, so that degrees count edges of both kinds.
LABELS = ("a", "~a", "b", "~b", "c")
LEMMAS = ("la", "lb", "lc")
TAGS = ("N", "V")

#: Elementary steps of an automaton, less than for a structure by hand.
BUDGET = 200_000

#: Rules of the longest derivation.
LONGEST = 14


class Disagreement(NamedTuple):
    """A derivation of which an automaton and the definition say different things."""

    seed: int
    structure: Structure
    derivation: Derivation
    automaton: bool


def main() -> int:
    """Run the comparison; the result is the exit status."""
    options: dict[str, tuple[bool | int, str]] = {
        "structures": (10, "of each grammar"),
        "derivations": (100, "of each grammar"),
    }
    return command(__doc__, comparison, options)


def comparison(*, structures: int, derivations: int) -> Compare:
    """Compare so many structures on so many derivations of each grammar."""

    def of(seed: int, _: Path, figures: Counter[str]) -> None:
        wrong = list(disagreements(seed, structures, derivations, figures))
        if wrong:
            raise Difference(f"{len(wrong)} disagreements, first {wrong[0]}")

    return of


def disagreements(seed: int, structures: int, derivations: int, figures: Counter[str]) -> Iterator[Disagreement]:
    """Compare on one random grammar; ``figures`` counts what was compared."""
    random = Random(seed)  # noqa: S311
    grammar = RandomGrammar(random).grammar
    drawn = sorted({derivation_of(grammar, random) for _ in range(derivations)})
    graphs = [derive_graph(grammar, derivation, 0) for derivation in drawn]
    figures["grammars"] += 1
    figures["with doubled edges"] += any(doubles(grammar, derivation) for derivation in drawn)
    words = words_of(grammar)
    for _ in range(structures):
        wanted = random_structure(random, words, graphs)
        try:
            automaton = StructureCompiler(grammar, budget=BUDGET).structure_automaton(wanted)
            verdicts = [automaton.accepts(grammar, derivation) for derivation in drawn]
        except StructureTooCostly:
            figures["too costly"] += 1
            continue
        for derivation, graph, verdict in zip(drawn, graphs, verdicts, strict=True):
            figures["verdicts"] += 1
            figures["positive"] += verdict
            if verdict != contains(graph, wanted):
                yield Disagreement(seed, wanted, derivation, verdict)


def doubles(grammar: CoreGrammar, derivation: Derivation) -> bool:
    """Whether rules of a derivation write more edges than its graph has."""
    written = sum(len(grammar.rules[rule].fragments[0].edges) for rule in derivation)
    return written > len(derive_graph(grammar, derivation, 0).edges)


def derivation_of(grammar: CoreGrammar, random: Random) -> Derivation:
    """A random derivation; once it is long, every phrase that is left becomes one word."""
    rules: list[int] = []
    waiting = [grammar.start]
    while waiting:
        found = grammar.rules_of[waiting.pop()]
        rule = random.choice(found) if len(rules) + len(waiting) < LONGEST else found[0]
        rules.append(rule.id)
        waiting += reversed(rule.rhs)
    return tuple(rules)


class RandomGrammar:
    """A grammar of four categories; the first rule of each writes a word.

    The head and the port ``kept`` of a category are nodes with labels, the port ``gap`` waits
    for one, so that every node gets its label once.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        ports = [(HEAD,), *(self._ports() for _ in range(3))]
        self._categories = [Category(f"C{number}", own) for number, own in enumerate(ports)]
        rules: list[Rule] = []
        for category in range(len(ports)):
            for arity in (0, 0, *(random.randint(1, 3) for _ in range(random.randint(2, 3)))):
                rules.append(self._rule(len(rules), category, arity))
        self.grammar = CoreGrammar(
            "random",
            tuple(self._categories),
            tuple(rules),
            0,
            (TextLayer("en"),),
            (GraphLayer("syn", "en", free=True),),
        )

    def _ports(self) -> tuple[str, ...]:
        others = (port for port in ("kept", "gap") if self._random.random() < 0.5)
        return (HEAD, *others)

    def _rule(self, number: int, category: int, arity: int) -> Rule:
        """A rule of a category; drawn again until every gap is filled or handed on."""
        while True:
            children = tuple(self._random.randrange(1, 4) for _ in range(arity))
            words = 2 if not arity else self._random.randint(0, 2)
            fragment = self._fragment(self._categories[category].ports, children, words)
            if fragment is not None:
                break
        template = (*map(Slot, range(arity)), *(Token(f"w{number}") for _ in range(words)))
        return Rule(number, f"r{number}", category, children, 1.0, (template,), (fragment,))

    def _fragment(self, ports: tuple[str, ...], children: tuple[int, ...], words: int) -> Fragment | None:
        random = self._random
        nodes = [Node(self._label(), len(children) + word) for word in range(words)]
        gaps: list[tuple[int, int]] = []
        for child, category in enumerate(children):
            for port, name in enumerate(self._categories[category].ports):
                if name == "gap":
                    gaps.append((child, port))
                else:
                    nodes.append(Node(glue=((child, port),)))
        waiting: Node | None = Node() if "gap" in ports and random.random() < 0.3 else None
        for child, port in gaps:
            if waiting is None and "gap" in ports and random.random() < 0.5:
                waiting = Node(glue=((child, port),))
                continue
            # A gap is merged with another gap, or filled by a node of another child.
            if waiting and all(c != child for c, _ in waiting.glue) and random.random() < 0.3:
                waiting = Node(glue=(*waiting.glue, (child, port)))
                continue
            free = [n for n, node in enumerate(nodes) if all(c != child for c, _ in node.glue)]
            if not free:
                return None
            place = random.choice(free)
            filled = nodes[place]
            nodes[place] = Node(filled.attributes, filled.token, (*filled.glue, (child, port)))
        if "gap" in ports and waiting is None:
            waiting = Node()
        labelled = len(nodes)
        nodes += [waiting] if waiting else []
        kept = [port for port in ports if port != "gap"]
        if labelled < len(kept):
            return None
        chosen = iter(random.sample(range(labelled), len(kept)))
        exports = tuple(labelled if port == "gap" else next(chosen) for port in ports)
        pairs = [(s, t) for s in range(len(nodes)) for t in range(len(nodes)) if s != t]
        count = random.randint(1, 3) if pairs else 0
        # Few labels between few nodes: rules often write what another has written.
        edges = {Edge(s, random.choice(LABELS), t) for s, t in random.choices(pairs, k=count)}
        return Fragment(tuple(nodes), tuple(sorted(edges, key=str)), exports)

    def _label(self) -> tuple[tuple[str, str], ...]:
        random = self._random
        return (("lemma", random.choice(LEMMAS)), ("upos", random.choice(TAGS)))
