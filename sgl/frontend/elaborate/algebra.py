"""Compute with values of features: ``NP[v=i+1]``, ``E[v=min(x, y)]``, ``Kin[rel=compose(r, q)]``, ``where x != y``.

A computation is about one feature.  If that is ordered, its values stand for numbers: themselves if all are whole
numbers in increasing order, otherwise their places in the order, from 0.  A number for which no value stands is no
value, and neither is what a table does not have; a rule is not used where a value does not exist.  There are no values
but those that were declared, so everything is finite.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice, product
from operator import add, lt, sub
from typing import NamedTuple

from sgl.core.structure import COMPARISONS
from sgl.frontend.names.signature import Signature
from sgl.values import dataclass

#: A value of a feature: a number if the feature is ordered, otherwise the value.
Key = int | str
#: The value of an expression for values of variables, or None.
Term = Callable[[Mapping[str, str]], Key | None]

_WHOLE = re.compile(r"-?[0-9]{1,9}")


def whole(text: str) -> int | None:
    """Return a text as a whole number; None if it is not one."""
    return int(text) if _WHOLE.fullmatch(text) else None


# Terms are made of functions of this module, so that what contains them can be pickled.
def constant(key: Key | None) -> Term:
    """Return the term with this value."""
    return partial(_itself, key)


def _itself(key: Key | None, _: Mapping[str, str]) -> Key | None:
    return key


def number_of(name: str, values: Mapping[str, str]) -> Key | None:
    """Return the number that the value of a variable is."""
    return whole(values[name])


def key_of(keys: Mapping[str, Key], name: str, values: Mapping[str, str]) -> Key | None:
    """Return what the value of a variable stands for."""
    return keys.get(values[name])


def _modulo(left: int, right: int) -> int | None:
    return left % right if right else None


#: The functions of numbers, of two arguments.
FUNCTIONS: dict[str, Callable[[int, int], int | None]] = {"+": add, "-": sub, "mod": _modulo, "min": min, "max": max}


class Scale(NamedTuple):
    """What the values of a feature stand for.

    Those of a ``numeric`` feature are numbers in increasing order; in others it is ``clear`` that digits are numbers.
    """

    feature: str
    keys: Mapping[str, Key]
    value_of: Mapping[Key, str]
    ordered: bool
    numeric: bool
    clear: bool


def scale_of(feature: str, signature: Signature) -> Scale:
    """Return what the values of a feature stand for."""
    values, ordered = signature.features.get(feature, ()), feature in signature.ordered
    numbers = [number for value in values if (number := whole(value)) is not None]
    numeric = ordered and len(numbers) == len(values) and all(map(lt, numbers, numbers[1:]))
    keys: dict[str, Key] = {value: value for value in values}
    if ordered:
        keys = {value: int(value) if numeric else place for place, value in enumerate(values)}
    clear = numeric or not numbers
    return Scale(feature, keys, {key: value for value, key in keys.items()}, ordered, numeric, clear)


@dataclass(frozen=True)
class Constraint:
    """A condition on values of variables: ``left`` is, or is not, or compares with the values of ``options``.

    ``inputs`` are the variables of the options; ``written`` is how its author writes it.
    """

    left: str
    comparison: str
    options: tuple[Term, ...]
    inputs: frozenset[str]
    scale: Scale
    written: str

    @property
    def computed(self) -> bool:
        """Whether ``left`` is no variable of the author's, but the one value that is computed in brackets."""
        return self.settles and self.left.startswith("=")

    def holds(self, values: Mapping[str, str]) -> bool:
        """Return whether values of the variables fulfil the condition; without a value it fails."""
        own, found = self.scale.keys.get(values[self.left]), [option(values) for option in self.options]
        if self.comparison == "=":
            return own is not None and own in found
        compares = COMPARISONS[self.comparison]
        return own is not None and all(one is not None and compares(own, one) for one in found)

    @property
    def settles(self) -> bool:
        """Whether the values of the inputs leave only one for ``left``."""
        return self.comparison == "=" and len(self.options) == 1

    def value(self, values: Mapping[str, str]) -> str | None:
        """Return the one value that ``left`` can have, or None."""
        key = self.options[0](values)
        return None if key is None else self.scale.value_of.get(key)


def settled(
    constraints: Sequence[Constraint], values: dict[str, str], domains: Mapping[str, frozenset[str]]
) -> dict[str, str] | None:
    """Return values of variables with those that follow from them; None if a condition fails."""
    for constraint in constraints:
        left = constraint.left
        if not constraint.inputs <= values.keys():
            continue
        if left in values:
            if not constraint.holds(values):
                return None
        elif constraint.settles:
            value = constraint.value(values)
            if value is None or value not in domains[left]:
                return None
            values = {**values, left: value}
    return values


def possible(
    names: Sequence[str], constraints: Sequence[Constraint], domains: Mapping[str, frozenset[str]], most: int
) -> list[Callable[[Mapping[str, str]], bool]]:
    """Return tests of values of some variables: each constraint, if there are values of its others that fulfil it.

    A constraint with more than ``most`` combinations is left out.
    """
    tests: list[Callable[[Mapping[str, str]], bool]] = []
    for constraint in constraints:
        mentioned = sorted({constraint.left, *constraint.inputs})
        own = [name for name in mentioned if name in names]
        every = product(*(sorted(domains[name]) for name in mentioned))
        some = list(islice(every, most + 1))
        if own and len(some) <= most:
            chosen = [dict(zip(mentioned, values, strict=True)) for values in some]
            allowed = {tuple(values[name] for name in own) for values in chosen if constraint.holds(values)}
            tests.append(lambda given, own=own, allowed=allowed: tuple(given[n] for n in own) in allowed)  # type: ignore[misc]
    return tests


def first_fitting(cases: Sequence[tuple[Term, Sequence[Constraint]]], values: Mapping[str, str]) -> Key | None:
    """Return the first of several values whose conditions hold; None if none do."""
    return next((term(values) for term, own in cases if all(test.holds(values) for test in own)), None)


def applied(function: Callable[[int, int], int | None], terms: Sequence[Term], values: Mapping[str, str]) -> int | None:
    """Return what a function makes of numbers, from left to right; None if one of them does not exist."""
    found, *arguments = [term(values) for term in terms]
    for argument in arguments:
        found = function(found, argument) if isinstance(found, int) and isinstance(argument, int) else None
    return found if isinstance(found, int) else None
