"""Check that the automaton of a structure accepts exactly the texts that contain it: lemma A.

The checker applies all rules, from the words upwards, and collects for each category the triples of its phrases:
automaton state, type of the graph, lengths.  There are finitely many.  In the end, the state of a whole text must be
accepting exactly if its graph contains the structure.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from math import prod
from typing import Any, NamedTuple

from sgl.verify import certificate_rules as rules
from sgl.verify.certificate_absorbed import check_unseen
from sgl.verify.certificate_sight import NONE, Phrase, Sight
from sgl.verify.schema import CertifiedStructure, CoreForm, Table
from sgl.verify.schema_grammar import Flaw
from sgl.verify.structure import StructureBody, ValueTest, read_structure

Variable = tuple[int, str]  # the number of a body, and the name
Whole = Callable[[tuple[Phrase, ...]], Phrase]


class Step(NamedTuple):
    """The effect of rules of one symbol: on graphs, as words, and on lengths."""

    symbol: int
    whole: Whole | None
    own: tuple[Phrase, ...]
    adds: tuple[tuple[rules.Words, ...], ...]


class Seen(NamedTuple):
    """The known triple of a phrase: its state, the example of its type, and its lengths."""

    state: int
    part: Phrase | None
    counts: rules.Counts


class Search:
    """Finds the triples of the phrases of each category, for an automaton and a structure."""

    def __init__(
        self, steps: Iterable[Step], symbols: rules.Symbols, table: Table, lengths: rules.Lengths, categories: int
    ) -> None:
        self.symbols, self.table, self.lengths = symbols, table, lengths
        #: The number of each child's triples to which a step has been applied.
        self.done: dict[Step, list[int]] = {step: [] for step in dict.fromkeys(steps)}
        self.members: list[dict[Seen, None]] = [{} for _ in range(categories)]

    def run(self, spend: Callable[[int], None]) -> None:
        """Apply all steps until nothing new appears."""
        size = -1
        while size < (size := sum(map(len, self.members))):
            for step in reversed([*self.done]):
                lhs, rhs = self.symbols.ends[step.symbol]
                choices = [self.members[child] for child in rhs]
                before, after = self.done[step], [*map(len, choices)]
                if not rhs:  # words are applied once
                    del self.done[step]
                elif before == after:
                    continue
                else:
                    self.done[step] = after
                spend(prod(after))
                for children in rules.fresh(choices, before):
                    self.members[lhs][self._seen(step, children)] = None

    def _seen(self, step: Step, children: Sequence[Seen]) -> Seen:
        part = step.whole((*[child.part for child in children], *step.own)) if step.whole else None  # type: ignore[arg-type]
        state = self.table.get((step.symbol, *[child.state for child in children]), 0)
        return Seen(state, part, self.lengths.of(step.adds, [child.counts for child in children]))


class Structures:
    """Checks the automata of structures on rules."""

    def __init__(
        self, core: CoreForm, numbers: Sequence[int], symbols: rules.Symbols, spend: Callable[[int], None]
    ) -> None:
        self.grammar, self.numbers, self.symbols, self.spend = core.grammar, numbers, symbols, spend
        self.sights = dict[tuple[StructureBody, ...], Sight]()
        self.frames = cache(lambda layer: rules.frames_of(self.grammar, layer, spend))
        self.column = cache(self._column)
        rules.check_layers(core, spend)

    def check_name(self, structure: CertifiedStructure) -> None:
        """Check that the data of a structure agree with its name, and that it sees no word that may be absorbed."""
        named = read_structure(structure.name)
        layer = named.layer or self.grammar.graph_layers[0].name
        if layer != structure.layer or [x.said for x in named.bodies] != [x.said for x in structure.bodies]:
            raise Flaw("its data do not match its name")
        check_unseen(self.grammar, structure)

    def check_automaton(self, structure: CertifiedStructure, table: Table) -> None:
        """Check lemma A: the automaton of a structure, as a table, accepts exactly the texts that contain it."""
        if len(table) < len(structure.transitions):
            raise Flaw("a transition is given twice")
        lengths = rules.Lengths(self.grammar, structure.bodies)
        sight = self.sight_of(structure.bodies) if structure.bodies[0].variables else None
        steps = self.steps(structure, sight) if sight else [(None, ())] * len(self.numbers)
        rows = zip(self.numbers, steps, lengths.effects, strict=True)
        made = [Step(symbol, whole, own, adds) for symbol, (whole, own), adds in rows]
        search = Search(made, self.symbols, table, lengths, len(self.grammar.categories))
        search.run(self.spend)
        for seen in search.members[self.grammar.start]:
            met = _contained(sight, seen, lengths)
            if met != (seen.state in structure.accepting):
                raise Flaw(f"a text in state {seen.state} {'has' if met else 'lacks'} it")

    def sight_of(self, bodies: Sequence[StructureBody]) -> Sight:
        """Return how structures with these bodies see phrases, regardless of the tests of their nodes."""
        untested = tuple(map(_untested, bodies))
        if untested not in self.sights:
            self.sights[untested] = Sight(untested, self.spend)
        return self.sights[untested]

    def steps(self, structure: CertifiedStructure, sight: Sight) -> list[tuple[Whole | None, tuple[Phrase, ...]]]:
        """Return the effect of each rule on phrases, and the examples of its own words."""
        frames = self.frames(structure.layer)
        tests = [*_tests_of(structure.bodies)]
        every = {(rank, name) for rank, body in enumerate(structure.bodies) for name in body.names}
        wholes = [sight.whole(sight.seen(frame)) for frame in frames.frames]
        columns = [self.column(structure.layer, name) for name in ["", *(test.attribute for _, test in tests)]]
        words = cache(lambda *values: tuple(map(sight.word, _bars(values, tests, every))))
        rows = [*map(words, *columns)]
        return [(wholes[frame], rows[labels]) for frame, labels in frames.of_rules]

    def _column(self, layer: str, attribute: str) -> list[tuple[str, ...]]:
        """Return an attribute's values in each row of labels of a layer."""
        return [tuple(label.get(attribute, "") for label in row) for row in self.frames(layer).labels]


def _untested(body: StructureBody) -> StructureBody:
    """Return a body without the tests of its nodes and of lengths."""
    return StructureBody(tuple(replace(own, tests=()) for own in body.variables), body.links)


def _contained(sight: Sight | None, seen: Seen, lengths: rules.Lengths) -> bool:
    """Return whether a text contains the structure: in its lengths and, if there are variables, in its graph."""
    return lengths.met(seen.counts) and (sight is None or seen.part is None or sight.contained(seen.part))


def _tests_of(bodies: Sequence[StructureBody]) -> Iterator[tuple[Variable, ValueTest]]:
    for rank, body in enumerate(bodies):
        for variable in body.variables:
            for test in variable.tests:
                yield (rank, variable.name), test


def _bars(
    values: Sequence[tuple[str, ...]], tests: Sequence[tuple[Variable, ValueTest]], every: set[Variable]
) -> list[frozenset[Any]]:
    """Return the variables that a rule's nodes cannot match: all for an empty phrase, otherwise by failed tests."""
    found = []
    for empty, *own in zip(*values, strict=True):
        if empty:
            found.append(frozenset({NONE, *every}))
        else:
            failed = {variable for (variable, test), value in zip(tests, own, strict=True) if not test.passes(value)}
            found.append(frozenset(failed))
    return found
