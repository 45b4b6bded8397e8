"""Isomorphism of small labelled graphs whose edges are atoms over variables.

Two multisets of atoms are the same up to names of variables if some bijection of the
variables takes one to the other::

    see . agent ( 2 , 1 )    dog ( 1 )         see . agent ( 7 , 3 )    dog ( 3 )

Where no label occurs twice the bijection is read off the atoms.  Otherwise it is searched.
*Colour refinement* gives each variable a colour and splits colours until they tell no
more apart: two variables of one colour occur in the same atoms, at the same places,
next to the same colours.  Both forms are refined with one palette, so colours can be
compared across them.  If every variable has a colour of its own, the bijection is
known.  Otherwise one variable of the first form is tried with each variable of its
colour in the second (*individualisation*), and both are refined again; each complete
bijection is checked atom by atom, so the answer is exact.

Literature: Weisfeiler & Leman 1968; McKay & Piperno 2014, *Practical graph isomorphism*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

#: An atom: what is not a variable (predicate, constants), and the variables in order.
LabelledAtom = tuple[Hashable, tuple[int, ...]]
Colours = dict[int, int]


def isomorphic(first: Sequence[LabelledAtom], second: Sequence[LabelledAtom]) -> bool:
    """Whether a bijection of variables takes the first atoms to the second ones.

    Atoms count as often as they are there.  Labels are compared with ``==``.
    """
    if Counter(map(_shape, first)) != Counter(map(_shape, second)):
        return False
    image_of = dict(second)
    if len(image_of) == len(second):
        return _is_forced(first, image_of)
    return _Search(first, second).succeeds()


def _is_forced(first: Sequence[LabelledAtom], image_of: dict[Hashable, tuple[int, ...]]) -> bool:
    """The verdict where no label occurs twice, so that each atom has one image."""
    image: dict[int, int] = {}
    for label, variables in first:
        for variable, other in zip(variables, image_of[label], strict=True):
            if image.setdefault(variable, other) != other:
                return False
    return len(set(image.values())) == len(image)


def _shape(atom: LabelledAtom) -> tuple[Hashable, int]:
    label, variables = atom
    return label, len(variables)


class _Search:
    """Backtracking over individualised variables; the stack holds the open choices."""

    def __init__(self, first: Sequence[LabelledAtom], second: Sequence[LabelledAtom]) -> None:
        self._atoms = (first, second)
        self._wanted = Counter(second)
        labels: dict[Hashable, int] = {}
        # The places of each variable: label and rank among the arguments, as one number
        # for equal places, and the variables of the atom.
        self._places = tuple(_places(atoms, labels) for atoms in self._atoms)

    def succeeds(self) -> bool:
        start = [dict.fromkeys(places, 0) for places in self._places]
        stack = [self._choices(start[0], start[1])]
        while stack:
            choice = next(stack[-1], None)
            if choice is None:
                stack.pop()
            elif len(set(choice[0].values())) == len(choice[0]):
                if self._is_bijection(*choice):
                    return True
            else:
                stack.append(self._individualised(*choice))
        return False

    def _choices(self, first: Colours, second: Colours) -> Iterator[tuple[Colours, Colours]]:
        """The colourings refined, if they still agree."""
        refined = self._refine(first, second)
        if refined is not None:
            yield refined

    def _individualised(self, first: Colours, second: Colours) -> Iterator[tuple[Colours, Colours]]:
        """Each way to give a variable of the smallest ambiguous colour a new one."""
        sizes = Counter(first.values())
        colour = min((size, colour) for colour, size in sizes.items() if size > 1)[1]
        new = len(first) + len(self._places[0])
        chosen = next(variable for variable, found in first.items() if found == colour)
        for variable, found in second.items():
            if found == colour:
                yield from self._choices({**first, chosen: new}, {**second, variable: new})

    def _refine(self, first: Colours, second: Colours) -> tuple[Colours, Colours] | None:
        """Split colours until nothing splits; none if the two forms come apart."""
        count = len(set(first.values()))
        while True:
            palette: dict[Hashable, int] = {}
            first = _step(self._places[0], first, palette)
            second = _step(self._places[1], second, palette)
            sizes = Counter(first.values())
            if sizes != Counter(second.values()):
                return None
            if len(sizes) == count:
                return first, second
            count = len(sizes)

    def _is_bijection(self, first: Colours, second: Colours) -> bool:
        variable_of = {colour: variable for variable, colour in second.items()}
        image = {variable: variable_of[colour] for variable, colour in first.items()}
        found = Counter(
            (label, tuple([image[variable] for variable in variables]))
            for label, variables in self._atoms[0]
        )
        return found == self._wanted


Places = dict[int, list[tuple[int, tuple[int, ...]]]]


def _places(atoms: Sequence[LabelledAtom], numbers: dict[Hashable, int]) -> Places:
    """Where each variable occurs."""
    found: Places = {}
    for label, variables in atoms:
        for rank, variable in enumerate(variables):
            number = numbers.setdefault((label, len(variables), rank), len(numbers))
            found.setdefault(variable, []).append((number, variables))
    return found


def _step(places: Places, colours: Colours, palette: dict[Hashable, int]) -> Colours:
    """One round of refinement: a colour is the old one and those of the neighbours."""
    found: Colours = {}
    for variable, occurrences in places.items():
        around = sorted(
            [
                (number, *[colours[other] for other in variables])
                for number, variables in occurrences
            ]
        )
        signature = (colours[variable], tuple(around))
        found[variable] = palette.setdefault(signature, len(palette))
    return found
