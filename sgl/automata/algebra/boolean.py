"""Combine tree automata by Boolean operations, and keep the results small.

A state of a product is a pair of states, one of each automaton; a transition is a pair of transitions of one rule.
Both are found by joining columns.  If both automata have many transitions of one rule, most pairs need children that no
phrase has: no verb is one of the thirty verbs of both.  Then the pairs of states that phrases do have are found first,
from the words upwards, and only transitions between these are joined.

A complement needs a state for everything that an automaton does not read: one more state in each category, the *sink*.

Two states of a category are equivalent if no context *of the grammar* distinguishes them (the Nerode relation, relative
to the grammar).  So a minimal automaton has several states only in categories where its structure can have begun
without being complete, and the product of dozens of constraints stays small.

:func:`canonical` numbers states as they are reached from the leaves upwards.  A language has one minimal automaton, so
the sampled sentences depend on the language and not on the products that led to it.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from sgl.automata.algebra.tree_automaton import DEAD, GrammarIndex, TreeAutomaton, check_size, combined, repeated
from sgl.automata.common import Mask, Numbering, Numbers, as_numbers


def trim(automaton: TreeAutomaton) -> TreeAutomaton:
    """Drop the states that are unreachable or that no accepted derivation visits."""
    reached = np.append(reachable(automaton), True)
    usable = np.flatnonzero(np.logical_and.reduce(reached.take(automaton.children)))
    children, results = automaton.children[:, usable], automaton.results[usable]
    useful = np.append(automaton.final, False) & reached
    while True:
        ready = useful[results]
        if not ready.any():
            return automaton.restricted(useful[:-1])
        useful[children[:, ready]] = True
        useful[-1] = False
        children, results = children[:, ~ready], results[~ready]


def reachable(automaton: TreeAutomaton) -> Mask:
    """Return a mask of the states that some derivation reaches."""
    # The last entry represents missing children.
    live = np.zeros(automaton.size + 1, np.bool_)
    live[automaton.words[automaton.words != DEAD]] = True
    live[-1] = True
    before, count = 0, 1
    while count > before:
        live[automaton.results[np.logical_and.reduce(live.take(automaton.children))]] = True
        before, count = count, int(np.count_nonzero(live))
    return live[:-1]


def minimise(automaton: TreeAutomaton, apart: Mask | None = None) -> TreeAutomaton:
    """Merge equivalent states by Moore's algorithm, which splits blocks until no context distinguishes their states.

    States marked ``apart`` are merged only with one another.
    """
    blocks = 2 * automaton.categories + automaton.final
    if apart is not None:
        blocks = 2 * blocks + apart
    fresh = int(blocks.max(initial=DEAD)) + 1
    together = np.flatnonzero((np.bincount(blocks, minlength=1) > 1)[blocks])
    if not len(together):
        return automaton
    contexts, results, bounds = _contexts(automaton, together)
    table = np.column_stack((contexts, results))
    while len(together):
        table[:, 1] = blocks[results]
        own = blocks[together].tolist()
        members = zip(own, bounds[together].tolist(), bounds[together + 1].tolist(), strict=True)
        signatures = [(block, table[start:end].tobytes()) for block, start, end in members]
        numbers = {found: number for number, found in enumerate(dict.fromkeys(signatures))}
        split = np.array([numbers[found] for found in signatures], np.intp)
        if len(numbers) == len(set(own)):
            return automaton.renamed(np.unique(blocks, return_inverse=True)[1])
        blocks[together] = fresh + split
        fresh += len(numbers)
        together = together[(np.bincount(split) > 1)[split]]
    return automaton


def _contexts(automaton: TreeAutomaton, states: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return contexts (position, rule, other states) and their results; contexts of ``q`` begin at ``bounds[q]``."""
    wanted = np.zeros(automaton.size + 1, np.bool_)
    wanted[states] = True
    position, row = np.nonzero(wanted[automaton.children])
    others = automaton.children[:, row]
    occurrences = np.arange(len(row))
    state = others[position, occurrences]
    others[position, occurrences] = automaton.size + 1
    context = as_numbers((automaton.rules[row], *others), automaton.size + 2)
    order = np.lexsort((context, state))
    bounds = np.searchsorted(state[order], np.arange(automaton.size + 1))
    return context[order], automaton.results[row[order]], bounds


def canonical(automaton: TreeAutomaton) -> TreeAutomaton:
    """Renumber the states of an automaton, all reachable, in canonical order."""
    index, category, tables = automaton.index, automaton.category, automaton.tables
    met: Numbering[int] = Numbering()
    words, first = np.unique(automaton.words, return_index=True)
    for word in words[np.argsort(first)].tolist():
        if word != DEAD:
            met.number(word)
    members: list[list[int]] = [[] for _ in index.grammar.categories]
    for current in met.values:
        for rule, children in combined(index, members, current, category[current]):
            result = tables[rule].get(children)
            if result is not None:
                met.number(result)
    names = np.empty(automaton.size, np.intp)
    names[met.values] = np.arange(automaton.size)
    return automaton.renamed(names)


#: With more pairs of transitions than this, find out first which can meet.
MOST_JOINED = 20_000


def complement(automaton: TreeAutomaton) -> TreeAutomaton:
    """Accept the derivations that the automaton rejects; total, and minimal if the automaton is trim and minimal.

    Raises ``UnsupportedStructure`` if there are too many combinations of states.
    """
    index = automaton.index
    # The states of a category are consecutive, and its sink is the last.
    sizes = automaton.sizes + 1
    begins = np.cumsum(sizes) - sizes
    sinks = begins + automaton.sizes
    names = begins[automaton.categories] + automaton.places[:-1]
    combinations = Combinations(index, sizes)
    rules, places = combinations.all()
    results = sinks[index.results[rules]]
    known = combinations.numbers(automaton.rules, automaton.places[automaton.children])
    results[known] = names[automaton.results]
    categories = np.repeat(np.arange(len(sizes)), sizes)
    final = categories == index.start
    final[names[automaton.final]] = False
    dead, words = automaton.words == DEAD, np.append(names, DEAD)[automaton.words]
    completed = replace(
        automaton,
        categories=categories,
        words=np.where(dead, sinks[automaton.index.word_categories], words),
        rules=rules,
        children=np.append(begins, len(categories))[index.children[:, rules]] + places,
        results=results,
        final=final,
    )
    return completed.restricted(reachable(completed))


def intersection(first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
    """Accept the derivations that both accept; trim and minimal; raises ``UnsupportedStructure`` if too large."""
    both = trim(pairs(first, second))
    check_size(both.size)
    return minimise(both)


def without_rules(whole: TreeAutomaton, rules: Iterable[int]) -> TreeAutomaton:
    """Accept the derivations that ``whole`` accepts and that use none of these rules, by id; trim."""
    gone, index = list(rules), whole.index
    rows = ~np.isin(index.phrasal, gone)[whole.rules]
    return trim(
        replace(
            whole,
            words=np.where(np.isin(index.words, gone), DEAD, whole.words),
            rules=whole.rules[rows],
            children=whole.children[:, rows],
            results=whole.results[rows],
        )
    )


class Combinations:
    """A numbering of the combinations of states that the children of every rule can have, rule by rule.

    A number has a digit for each child, the place of its state within its category; ``sizes`` has the number of states
    of each category.  ``representable`` says whether all numbers fit into 64 bits.
    """

    def __init__(self, index: GrammarIndex, sizes: Numbers) -> None:
        # A missing child counts as one with a single state.
        self._bases = np.append(sizes, 1)[index.children]
        self._strides = np.ones_like(self._bases)
        self._strides[:-1] = np.cumprod(self._bases[:0:-1], axis=0)[::-1]
        self._counts = self._bases.prod(axis=0)
        self._starts = np.cumsum(self._counts) - self._counts
        self.representable = bool(self._bases.prod(axis=0, dtype=np.float64).sum() < 2.0**62)

    def numbers(self, rules: Numbers, places: Numbers) -> Numbers:
        """Return the numbers of combinations given by the places of their states."""
        numbers: Numbers = self._starts[rules] + (places * self._strides[:, rules]).sum(axis=0)
        return numbers

    def all(self) -> tuple[Numbers, Numbers]:
        """Return all combinations in order: rules, places; raises ``UnsupportedStructure``."""
        rules, digits = repeated(self._counts)
        return rules, digits // self._strides[:, rules] % self._bases[:, rules]


def pairs(first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
    """Accept the derivations that both accept; some states may be pairs that no derivation reaches.

    Raises ``UnsupportedStructure`` if there are too many pairs.
    """
    pairing = _Pairing(first, second)
    dead = (first.words == DEAD) | (second.words == DEAD)
    words = np.where(dead, DEAD, pairing.of(first.words, second.words))
    final = np.zeros(len(pairing.categories), np.bool_)
    accepted = np.flatnonzero(first.final)[:, None], np.flatnonzero(second.final)
    final[pairing.of(*accepted).ravel()] = True
    rules = len(first.index.phrasal)
    partners = np.bincount(second.rules, minlength=rules)[first.rules]
    if int(partners.sum()) > MOST_JOINED and pairing.combinations.representable:
        one, other = pairing.meeting(words)
    else:
        one, number = repeated(partners)
        other = np.searchsorted(second.rules, np.arange(rules))[first.rules[one]] + number
    return replace(
        first,
        categories=pairing.categories,
        words=words,
        rules=first.rules[one],
        children=pairing.of(first.children[:, one], second.children[:, other]),
        results=pairing.of(first.results[one], second.results[other]),
        final=final,
    )


class _Pairing:
    """A numbering of the pairs of states of one category, ordered by first state, that also finds those that occur."""

    def __init__(self, first: TreeAutomaton, second: TreeAutomaton) -> None:
        self._first, self._second = first, second
        sizes = first.sizes * second.sizes
        self.categories = np.repeat(np.arange(len(sizes)), sizes)
        # The last entries are for missing children.
        self._offset = np.concatenate(([0], np.cumsum(sizes)))
        factor = np.append(second.sizes, 1)
        category = np.append(first.categories, len(sizes))
        self._begins = self._offset[category] + first.places * factor[category]

    @cached_property
    def combinations(self) -> Combinations:
        return Combinations(self._first.index, self._second.sizes)

    def of(self, first: Numbers, second: Numbers) -> Numbers:
        numbers: Numbers = self._begins[first] + self._second.places[second]
        return numbers

    def meeting(self, words: Numbers) -> tuple[Numbers, Numbers]:
        """Return, pairwise, the rows of transitions of the same rule whose children are pairs that some phrase has."""
        first, second, index = self._first, self._second, self._first.index
        met = np.zeros(len(self.categories), np.bool_)
        new = np.unique(words[words != DEAD])
        while len(new):
            met[new] = True
            grown = np.zeros(len(index.grammar.categories) + 1, np.bool_)
            grown[self.categories[new]] = True
            fresh: Mask = np.any(grown[index.children], axis=0)
            one, other = self._join(np.flatnonzero(fresh[first.rules]), np.flatnonzero(met))
            results = np.unique(self.of(first.results[one], second.results[other]))
            new = results[~met[results]]
        return self._join(np.arange(len(first.rules)), np.flatnonzero(met))

    @cached_property
    def _known(self) -> tuple[Numbers, Numbers]:
        second = self._second
        known = self.combinations.numbers(second.rules, second.places[second.children])
        order = np.argsort(known)
        return known[order], order

    def _join(self, rows: Numbers, met: Numbers) -> tuple[Numbers, Numbers]:
        first, sizes = self._first, self._second.sizes
        categories = self.categories[met]
        # The last entries are for missing children.
        partners = np.append((met - self._offset[categories]) % sizes[categories], 0)
        begins = np.searchsorted(met, self._begins[:-1])
        ends = np.searchsorted(met, self._begins[:-1] + sizes[first.categories])
        begins, counts = np.append(begins, len(met)), np.append(ends - begins, 1)
        children = first.children[:, rows]
        bases = counts[children]
        place, number = repeated(bases.prod(axis=0))
        places = np.empty((len(children), len(place)), np.intp)
        for i in range(len(children) - 1, -1, -1):
            number, digit = np.divmod(number, bases[i, place])
            places[i] = partners[begins[children[i, place]] + digit]
        known, order = self._known
        numbers = self.combinations.numbers(first.rules[rows[place]], places)
        at = np.searchsorted(known, numbers)
        found = np.append(known, -1)[at] == numbers
        return rows[place[found]], order[at[found]]
