"""Check that the automaton of a structure accepts exactly the texts that contain it: lemma A.

The checker applies all rules, from the words upwards, and collects for each category the triples of its phrases:
automaton state, type of the graph, lengths.  There are finitely many.  In the end, the state of a whole text must be
accepting exactly if its graph contains the structure.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import repeat
from math import prod
from typing import Any, NamedTuple

from sgl.verify import certificate_rules as rules
from sgl.verify.certificate_absorbed import check_unseen
from sgl.verify.certificate_sight import NONE, Likeness, Phrase, Sight
from sgl.verify.schema import CertifiedStructure, CoreForm, Table
from sgl.verify.schema_grammar import Flaw
from sgl.verify.structure import ValueTest, read_structure

Variable = tuple[int, int]  # the number of a body, and its own
Whole = Callable[[tuple[Phrase, ...]], Phrase]
Effect = tuple[Whole | None, tuple[Phrase, ...]]  # of a rule on phrases, and the examples of its own words
FULL = ValueTest("", frozenset([""]))  # the label of an empty phrase alone fails it


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
        self, rows: Iterable[Any], symbols: rules.Symbols, table: Table, lengths: rules.Lengths, categories: int
    ) -> None:
        self.symbols, self.table, self.lengths = symbols, table, lengths
        #: The number of each child's triples to which a step has been applied.
        self.done: dict[Step, list[int]] = {Step(symbol, whole, own, adds): [] for symbol, (whole, own), adds in rows}
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

    def _seen(self, of: Step, children: Sequence[Seen]) -> Seen:
        states, parts, counts = zip(*children, strict=True) if children else ((), (), ())
        part = of.whole((*parts, *of.own)) if of.whole else None
        return Seen(self.table.get((of.symbol, *states), 0), part, self.lengths.of(of.adds, counts) if of.adds else ())


class Structures:
    """Checks the automata of structures on rules."""

    def __init__(
        self, core: CoreForm, numbers: Sequence[int], symbols: rules.Symbols, spend: Callable[[int], None]
    ) -> None:
        self.grammar, self.numbers, self.symbols, self.spend = core.grammar, numbers, symbols, spend
        self.frames = cache(lambda layer: rules.frames_of(self.grammar, layer, spend))
        self.answers, self.sight = cache(self._answers), cache(partial(Sight, spend=spend))
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
        sight, effects = self.seen(structure)
        rows = dict.fromkeys(zip(self.numbers, effects, lengths.effects, strict=False))
        search = Search(rows, self.symbols, table, lengths, len(self.grammar.categories))
        search.run(self.spend)
        for seen in search.members[self.grammar.start]:
            met = lengths.met(seen.counts) and (sight is None or seen.part is None or sight.contained(seen.part))
            if met != (seen.state in structure.accepting):
                raise Flaw(f"a text in state {seen.state} {'has' if met else 'lacks'} it")

    def seen(self, structure: CertifiedStructure) -> tuple[Sight | None, Iterable[Effect]]:
        """Return how a structure sees phrases, if it has variables, and the effect of each rule."""
        if not structure.bodies[0].variables:
            return None, repeat((None, ()))
        frames = self.frames(structure.layer)
        view = Likeness(structure.bodies, frames.frames, self.spend)
        sight = self.sight(view.bodies, tuple(view.relations))
        every = {*dict(view.variables)}
        tests = [(place, test) for place, variable in view.variables for test in variable.tests]
        self.spend(len(tests) * sum(map(len, frames.labels)))
        wholes = [sight.whole(view.of(frame)) for frame in frames.frames]
        columns = [self.answers(structure.layer, test) for test in [FULL, *(test for _, test in tests)]]
        words = cache(lambda *answers: tuple(map(sight.word, _bars(answers, tests, every))))
        rows = [*map(words, *columns)]
        return sight, [(wholes[frame], rows[labels]) for frame, labels in frames.of_rules]

    def _answers(self, layer: str, test: ValueTest) -> list[tuple[bool, ...]]:
        """Return whether the nodes of each row of labels of a layer pass a test; equal rows are one object."""
        rows = (tuple(test.passes(label.get(test.attribute, "")) for label in row) for row in self.frames(layer).labels)
        known = dict[tuple[bool, ...], tuple[bool, ...]]()
        return [known.setdefault(row, row) for row in rows]


def _bars(
    answers: Sequence[tuple[bool, ...]], tests: Sequence[tuple[Variable, ValueTest]], every: set[Variable]
) -> Iterator[frozenset[Any]]:
    """Yield the variables that a rule's nodes cannot match: all for an empty phrase, otherwise by failed tests."""
    for full, *own in zip(*answers, strict=True):
        failed = {variable for (variable, _), passed in zip(tests, own, strict=True) if not passed}
        yield frozenset(failed if full else {NONE, *every})
