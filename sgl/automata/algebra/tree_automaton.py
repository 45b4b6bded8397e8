"""Represent tree automata that read the derivations of one grammar.

A tree automaton assigns a state to every phrase, by the rule at its top and the states of its parts; a derivation is
accepted if its state is.  A state belongs to one category, so only the transitions that the grammar can use are needed.
They are the sorted rows of one table, so operations on automata are operations on whole columns, as in a database::

    rule      children     result
    NP        4  7  -      12            NP -> Det N
    VP        5 12  -       9            VP -> V NP

Rules without children, the *words*, have a column of their own.  Automata are deterministic and may be *partial*: a
phrase with a missing transition or a ``DEAD`` word is rejected, whatever follows.

The smallest accepted derivation, measured in source tokens plus rules, is found from the leaves upwards, for all
transitions at once (Knuth 1977 settles one state after another).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from sgl.automata.common import Mask, Numbering, Numbers, UnsupportedStructure, as_numbers
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, fold
from sgl.values import dataclass, fields, replace

#: The state of a word, or of a phrase, that no accepted derivation contains.
DEAD = -1

Table = Mapping[tuple[int, ...], int]

#: More states than this suggest that structures combine in too many ways.
MOST_STATES = 50_000

#: The most transitions that fit into memory.
MOST_TRANSITIONS = 20_000_000


class GrammarIndex:
    """The columns of a grammar that tree automata need.

    ``phrasal`` has the ids of the rules with children, which are elsewhere given by their index there; ``number_of``
    has the index of each id.  ``lhs`` and ``rhs`` are their categories, and ``results`` and ``children[i]`` the same as
    columns: a missing ``i``-th child is the number of categories.  ``width`` is the largest number of children.
    ``words`` has the ids of the rules without children, and ``word_categories`` their categories.  Both have weights,
    and costs: the tokens of a rule in the first text layer, plus one for the rule.  ``uses[c]`` lists (rule, position)
    wherever category ``c`` is a child of a rule.
    """

    def __init__(self, grammar: CoreGrammar) -> None:
        self.read(grammar)

    def read(self, grammar: CoreGrammar) -> None:
        """Take the rules of a grammar."""
        self.grammar = grammar
        self.start = grammar.start
        rules = [rule for rule in grammar.rules if rule.rhs]
        self.phrasal = np.array([rule.id for rule in rules], np.intp)
        self.number_of = {rule.id: number for number, rule in enumerate(rules)}
        self.lhs = tuple(rule.lhs for rule in rules)
        self.rhs = tuple(rule.rhs for rule in rules)
        self.width = max(map(len, self.rhs), default=1)
        self.results = np.array(self.lhs, np.intp)
        absent = (len(grammar.categories),) * self.width
        rows = [(*rhs, *absent)[: self.width] for rhs in self.rhs]
        columns = np.array(rows, np.intp).reshape(len(rows), self.width)
        self.children = np.ascontiguousarray(columns.T)
        self.words = np.array([rule.id for rule in grammar.rules if not rule.rhs], np.intp)
        categories = np.array([rule.lhs for rule in grammar.rules], np.intp)
        self.word_categories = categories[self.words]
        weights = np.array([rule.weight for rule in grammar.rules], np.float64)
        self.weights, self.word_weights = weights[self.phrasal], weights[self.words]
        costs = np.maximum(np.array(grammar.source_tokens, np.intp), 0) + 1
        self.costs, self.word_costs = costs[self.phrasal], costs[self.words]
        self.uses: list[list[tuple[int, int]]] = [[] for _ in grammar.categories]
        for number, children in enumerate(self.rhs):
            for position, child in enumerate(children):
                self.uses[child].append((number, position))


@dataclass(frozen=True, eq=False)
class TreeAutomaton:
    """A deterministic bottom-up tree automaton.

    Attributes:
        categories: the category of each state.
        words: the state of each word, or ``DEAD``.
        rules, children, results: the transitions, sorted by rule and children; the column ``children[i]`` contains the
            number of states where a rule has no such child.
        final: whether a state is accepted; such states are of the start category.

    ``category``, ``word_states``, ``tables`` and ``accepting`` give the same in Python's own types.
    """

    index: GrammarIndex
    categories: Numbers
    words: Numbers
    rules: Numbers
    children: Numbers
    results: Numbers
    final: Mask

    def __getstate__(self) -> list[object]:
        """Return the fields with all columns packed into one, in the narrowest type: many automata are kept on disk."""
        if "_packed" not in self.__dict__:
            # Columns contain states, rules, categories and `DEAD`.
            narrow = np.min_scalar_type(-max(self.size, len(self.index.lhs), len(self.index.grammar.categories)) - 1)
            columns = [getattr(self, name).ravel() for name in _COLUMNS]
            self.__dict__["_packed"] = self.size, narrow.char, np.concatenate(columns).astype(narrow).tobytes()
        return [self.index, self._packed]

    def __setstate__(self, state: list[Any]) -> None:
        """Restore the fields; columns are unpacked when they are first used."""
        self.__dict__.update(index=state[0], _packed=state[1])

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any column
        """Return a column after unpacking all of them, or making them from those of another automaton."""
        if name in _COLUMNS and (source := self.__dict__.get("_read_as")):
            self.__dict__.update(source[0]._columns_over(self.index, source[1]))  # noqa: SLF001
            self.__dict__.pop("_read_as", None)
            return self.__dict__[name]
        if name not in _COLUMNS or "_packed" not in self.__dict__:
            raise AttributeError(name)
        size, kind, content = self._packed
        packed = np.frombuffer(content, kind).astype(np.intp)
        words, width = len(self.index.words), self.index.width
        rows = (len(packed) - 2 * size - words) // (width + 2)
        lengths = np.cumsum([size, words, rows, width * rows, rows])
        self.__dict__.update(zip(_COLUMNS, np.split(packed, lengths), strict=True))
        self.__dict__.update(children=self.children.reshape(width, rows), final=self.final.astype(np.bool_))
        return self.__dict__[name]

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.categories)

    @property
    def empty(self) -> bool:
        """Whether no state is accepted."""
        return not self.final.any()

    @cached_property
    def sizes(self) -> Numbers:
        """The number of states of each category."""
        return np.bincount(self.categories, minlength=len(self.index.grammar.categories))

    @cached_property
    def places(self) -> Numbers:
        """The number of each state within its category, and 0 for a missing child."""
        order = np.argsort(self.categories, kind="stable")
        before = np.cumsum(self.sizes) - self.sizes
        places = np.zeros(self.size + 1, np.intp)
        places[order] = np.arange(self.size) - before[self.categories[order]]
        return places

    @cached_property
    def category(self) -> tuple[int, ...]:
        """The category of each state."""
        return tuple(self.categories.tolist())

    @cached_property
    def word_states(self) -> dict[int, int]:
        """The state of each word, by rule id, or ``DEAD``."""
        return dict(zip(self.index.words.tolist(), self.words.tolist(), strict=True))

    def tables_of(self, rules: Mask) -> dict[int, Table]:
        """Return the transitions of the phrasal rules in a mask."""
        tables: dict[int, dict[tuple[int, ...], int]]
        tables = {rule: {} for rule in np.flatnonzero(rules).tolist()}
        rows = np.flatnonzero(rules[self.rules])
        columns = self.rules[rows], self.children[:, rows].T, self.results[rows]
        for rule, children, result in zip(*[c.tolist() for c in columns], strict=True):
            tables[rule][tuple(children[: len(self.index.rhs[rule])])] = result
        return {**tables}

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The transitions of each phrasal rule."""
        return tuple(self.tables_of(np.ones(len(self.index.phrasal), np.bool_)).values())

    @cached_property
    def accepting(self) -> frozenset[int]:
        """The accepted states, all of the start category."""
        return frozenset(np.flatnonzero(self.final).tolist())

    def step(self, rule: int, children: tuple[int, ...]) -> int:
        """Return the state after a rule, given by id, or ``DEAD``."""
        if children:
            return self.tables[self.index.number_of[rule]].get(children, DEAD)
        return self.word_states[rule]

    def accepts(self, derivation: Derivation) -> bool:
        """Return whether the derivation is accepted."""
        return fold(derivation, self.index.grammar.arity, self.step) in self.accepting

    def restricted(self, kept: Mask) -> "TreeAutomaton":
        """Keep only these states and the transitions between them."""
        if kept.all():
            return self
        size = np.count_nonzero(kept)
        names = np.append(np.where(kept, np.cumsum(kept) - 1, DEAD), size)
        live = np.append(kept, True)
        rows = np.flatnonzero(live[self.results] & np.logical_and.reduce(live.take(self.children)))
        return replace(
            self,
            categories=self.categories[kept],
            words=np.where(self.words == DEAD, DEAD, names[self.words]),
            rules=self.rules[rows],
            children=names[self.children[:, rows]],
            results=names[self.results[rows]],
            final=self.final[kept],
        )

    def over(self, index: GrammarIndex, twins: Numbers) -> "TreeAutomaton":
        """Return the automaton over another grammar, whose rules are read as rules of this one, given by id."""
        base, before = self.__dict__.get("_read_as", (self, None))
        other = object.__new__(TreeAutomaton)
        other.__dict__.update(index=index, _read_as=(base, twins if before is None else before[twins]))
        return other

    def _columns_over(self, index: GrammarIndex, twins: Numbers) -> dict[str, object]:
        words = np.searchsorted(self.index.words, twins[index.words])
        phrases = np.searchsorted(self.index.phrasal, twins[index.phrasal])
        rules, number = repeated(np.bincount(self.rules, minlength=len(self.index.phrasal))[phrases])
        rows = np.searchsorted(self.rules, phrases)[rules] + number
        columns = self.categories, self.words[words], rules, self.children[:, rows], self.results[rows], self.final
        return dict(zip(_COLUMNS, columns, strict=True))

    def renamed(self, names: Numbers) -> "TreeAutomaton":
        """Rename state ``q`` to ``names[q]``; the names must be consecutive from 0.

        States with the same name are merged; they must be of one category and equivalent.
        """
        size = int(names.max(initial=DEAD)) + 1
        named = np.append(names, size)
        children = named[self.children]
        rows = np.unique(as_numbers((self.rules, *children), size + 1), return_index=True)[1]
        categories, final = np.zeros(size, np.intp), np.zeros(size, np.bool_)
        categories[names], final[names] = self.categories, self.final
        return replace(
            self,
            categories=categories,
            words=np.where(self.words == DEAD, DEAD, named[self.words]),
            rules=self.rules[rows],
            children=children[:, rows],
            results=named[self.results[rows]],
            final=final,
        )


#: The fields that are columns.
_COLUMNS = tuple(field.name for field in fields(TreeAutomaton)[1:])


def check_size(states: int = 0, transitions: int = 0) -> None:
    """Raise ``UnsupportedStructure`` if an automaton is too large."""
    for number, most in ((states, MOST_STATES), (transitions, MOST_TRANSITIONS)):
        if number > most:
            raise UnsupportedStructure(
                f"the structures of these patterns combine in more than {most:,} ways; "
                "give their nodes more tests, or their edges labels"
            )


def repeated(counts: Numbers) -> tuple[Numbers, Numbers]:
    """Repeat index *i* ``counts[i]`` times, with a running number in each run; raises if there are too many."""
    total = int(counts.sum())
    check_size(transitions=total)
    places = np.repeat(np.arange(len(counts)), counts)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    return places, np.arange(total) - before


def combined(
    index: GrammarIndex, members: Sequence[list[int]], current: int, category: int
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Add a state, once, to the ``members`` of its category and yield each phrase that it makes possible, once."""
    earlier = list(members[category])
    members[category].append(current)
    for rule, position in index.uses[category]:
        rhs = index.rhs[rule]
        choices = [members[child] for child in rhs]
        choices[position] = [current]
        for place in range(position):
            if rhs[place] == category:
                choices[place] = earlier
        for children in product(*choices):
            yield rule, children


def explore(
    index: GrammarIndex, words: Numbers, step: Callable[[int, tuple[int, ...]], int], accepts: Callable[[int], bool]
) -> TreeAutomaton:
    """Return the reachable part of an automaton defined by functions.

    ``words`` has the values of the words, ``step(r, qs)`` is the value of a rule, given by id, over values, and
    ``accepts`` judges values of whole texts.  A state is a value in a category.  A word or phrase with value ``DEAD``
    is rejected.  Raises ``UnsupportedStructure`` if there are too many states.
    """
    #: Categories with values, numbered as they are reached.
    states: Numbering[tuple[int, int]] = Numbering()
    found = [*zip(index.word_categories.tolist(), words.tolist(), strict=True)]
    leaves = {word: DEAD if word[1] == DEAD else states.number(word) for word in dict.fromkeys(found)}
    phrasal = index.phrasal.tolist()
    transitions: list[tuple[int, ...]] = []
    # With wide rules the limit is lower, as each transition names all children.
    most = MOST_TRANSITIONS // (index.width + 2)
    padding = [(DEAD,) * (index.width - arity) for arity in range(index.width + 1)]
    members: list[list[int]] = [[] for _ in index.grammar.categories]
    values = states.values
    for current, (category, _) in enumerate(values):
        check_size(len(values))
        for rule, children in combined(index, members, current, category):
            value = step(phrasal[rule], tuple([values[child][1] for child in children]))
            if value != DEAD:
                result = states.number((index.lhs[rule], value))
                transitions.append((rule, *children, *padding[len(children)], result))
                if len(transitions) > most:
                    check_size(transitions=MOST_TRANSITIONS + 1)
    columns = np.array(sorted(transitions), np.intp).reshape(-1, index.width + 2).T.copy()
    return TreeAutomaton(
        index=index,
        categories=np.array([category for category, _ in values], np.intp),
        words=np.array([leaves[word] for word in found], np.intp),
        rules=columns[0],
        children=np.where(columns[1:-1] == DEAD, len(values), columns[1:-1]),
        results=columns[-1],
        final=np.array([c == index.start and accepts(value) for c, value in values], np.bool_),
    )


#: The size of a state without derivations.
_ENDLESS = 2**40


def smallest_derivation(automaton: TreeAutomaton) -> Derivation | None:
    """Return the smallest accepted derivation, preferring earlier rules among equals, or ``None``."""
    smallest = SmallestDerivations(automaton)
    accepted = [state for state in automaton.accepting if smallest.sizes[state] < _ENDLESS]
    if not accepted:
        return None
    root = min(accepted, key=lambda state: (smallest.sizes[state], *smallest.step(state), state))
    return smallest.derivation(root)


class SmallestDerivations:
    """The smallest derivations of an automaton: ``sizes`` by state, and ``totals`` by transition."""

    def __init__(self, automaton: TreeAutomaton) -> None:
        self._automaton = automaton
        index, live = automaton.index, automaton.words != DEAD
        # The last entry is for missing children.
        self.sizes: Numbers = np.full(automaton.size + 1, _ENDLESS, np.intp)
        self.sizes[-1] = 0
        np.minimum.at(self.sizes, automaton.words[live], index.word_costs[live])
        costs = index.costs[automaton.rules]
        while True:
            self.totals = costs + self.sizes[automaton.children].sum(axis=0)
            improved = self.sizes.copy()
            np.minimum.at(improved, automaton.results, self.totals)
            if np.array_equal(improved, self.sizes):
                break
            self.sizes = improved

    def derivation(self, state: int) -> Derivation:
        """Return the smallest derivation of a state that has one."""
        derivation: list[int] = []
        stack = [state]
        while stack:
            rule, children = self.step(stack.pop())
            derivation.append(rule)
            stack.extend(reversed(children))
        return tuple(derivation)

    def step(self, state: int) -> tuple[int, tuple[int, ...]]:
        """Return the first rule, with its children, at the top of a state's smallest derivation."""
        automaton, size, index = self._automaton, self.sizes[state], self._automaton.index
        words = index.words[(automaton.words == state) & (index.word_costs == size)]
        steps: list[tuple[int, tuple[int, ...]]] = [(word, ()) for word in words[:1].tolist()]
        rows = np.flatnonzero((automaton.results == state) & (self.totals == size))
        for row in rows.tolist():
            rule = int(automaton.rules[row])
            children = tuple(automaton.children[: len(index.rhs[rule]), row].tolist())
            steps.append((int(index.phrasal[rule]), children))
        return min(steps)
