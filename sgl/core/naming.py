"""Names of a derivation: which words stand for the same one, and which name each gets.

Features for names have no values.  They tie phrases together: in each rule, equal numbers mean one *bearer*, different
numbers mean different ones, and a number that the phrase itself does not have is a new bearer::

    more    Chain[first=0, last=2] -> Chain[first=0, last=1] "has" Name[who=2]     2 is new

So a derivation has any number of bearers, though its grammar is as small as one without names.  A lexicon of names is a
table: one row for each name, with entries of one or several categories.  Its rows with entries of the same categories
are a *group*, and all entries of a bearer are of one group.  A derivation is *named* if all entries of one bearer are
of one row, and different bearers have different rows.  Only those are derivations of texts.  As no rule, no structure
and no split tells rows of a group apart, names can be exchanged in a derivation without any other change.

This module needs only the standard library of Python 3.9, because the standalone sampler contains it.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count, islice

#: For the phrase of a rule and each of its children, the bearers in its features, as numbers within the rule; those of
#: the phrase come first: 0, 1, …
Ties = Sequence[Sequence[int]]
#: The rules of the entries of a table: for each of its categories the entry of every row.
Group = Sequence[Sequence[int]]


class Namer:
    """Finds and chooses the names of derivations; ``ties`` has an element for each rule, maybe empty."""

    def __init__(self, ties: Sequence[Ties], arity: Sequence[int], groups: Sequence[Group]) -> None:
        self.ties = [own or ((),) * (1 + children) for own, children in zip(ties, arity)]  # noqa: B905 - Python 3.9
        self.groups, self.sizes = groups, [1 + max([-1, *chain.from_iterable(own)]) for own in self.ties]
        #: The group of each entry, its category within the group, and its row.
        self.entries = {
            rule: (number, place, row)
            for number, group in enumerate(groups)
            for place, rules in enumerate(group)
            for row, rule in enumerate(rules)
        }

    def mentions(self, derivation: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield the place of each entry in a derivation, and the number of its bearer."""
        fresh, waiting = count(), [list[int]()]
        for place, rule in enumerate(derivation):
            bearers = waiting.pop()
            bearers += islice(fresh, self.sizes[rule] - len(bearers))
            waiting += [[bearers[number] for number in child] for child in self.ties[rule][:0:-1]]
            if rule in self.entries:
                yield place, bearers[0]

    def is_named(self, derivation: Sequence[int]) -> bool:
        """Return whether each bearer has one name, which no other bearer has."""
        found = {(bearer, self.entries[derivation[place]][::2]) for place, bearer in self.mentions(derivation)}
        return len({bearer for bearer, _ in found}) == len(found) == len({name for _, name in found})

    def named(self, derivation: Sequence[int], draw: Callable[[int], int]) -> list[int] | None:
        """Return a derivation with names drawn without replacement, each by the 64 bits of ``draw`` of its number.

        Return None if there are not enough names.
        """
        left = [[*range(len(group[0]))] for group in self.groups]
        rows, result = dict[int, int](), list(derivation)
        for place, bearer in self.mentions(derivation):
            group, category, _ = self.entries[derivation[place]]
            if bearer not in rows:
                if not left[group]:
                    return None
                rows[bearer] = left[group].pop(draw(len(rows)) * len(left[group]) >> 64)
            result[place] = self.groups[group][category][rows[bearer]]
        return result

    def share(self, derivation: Sequence[int]) -> float:
        """Return how much more likely a named derivation is than by the weights of its entries.

        The entries of a category have equal weights, which are those of independent names.
        """
        factor, met = 1.0, dict[int, int]()
        for place, bearer in self.mentions(derivation):
            group, category, _ = self.entries[derivation[place]]
            size, taken = len(self.groups[group][category]), [*met.values()].count(group)
            factor *= size if bearer in met else size / (size - taken)
            met[bearer] = group
        return factor
