"""Do two logical forms mean the same?

COGS forms are equal if one becomes the other by reordering its conjuncts and by an
injective renaming of its variables; definite nouns are a group of their own.  Names,
``?``, predicates and the order of arguments count.  Functions (``LAMBDA``) are equal
up to the names of the variables that they bind and the order of the conjuncts; the
order of the binders counts.  Variable-free forms are equal up to the order of the
arguments of a head.

A text that is not a logical form is equal to nothing, itself included.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal

from sgl.rendering.atoms import Atom, Form, read_form
from sgl.rendering.reading import LogicalFormError
from sgl.rendering.terms import Term, read_term
from sgl.research.evaluate.comparison import Comparison
from sgl.research.evaluate.isomorphism import LabelledAtom, isomorphic


def equivalent(first: str, second: str, form: Literal["cogs", "varfree"] = "cogs") -> Comparison:
    """Compare two logical forms exactly; the reason calls them *first* and *second*.

    ``form`` says which form both are written in.
    """
    return _terms(first, second) if form == "varfree" else _forms(first, second)


def _forms(first: str, second: str) -> Comparison:
    forms: list[Form] = []
    for name, text in (("first", first), ("second", second)):
        try:
            forms.append(read_form(text))
        except LogicalFormError as error:
            return Comparison(False, f"the {name} is not a COGS logical form: {error}")
    if first == second:
        return Comparison(True)
    if _same(*forms):
        return Comparison(True)
    reason = _difference(*forms) or "no renaming of variables makes them equal"
    return Comparison(False, reason)


def _same(first: Form, second: Form) -> bool:
    if first.constant != second.constant or len(first.binders) != len(second.binders):
        return False
    if first.binders:
        return Counter(map(_content, first.atoms)) == Counter(map(_content, second.atoms))
    return isomorphic(_labelled(first), _labelled(second))


def _difference(first: Form, second: Form) -> str:
    """What one form has and the other has not, whatever the variables are called.

    Empty if both have the same but for their variables.
    """
    if first.constant != second.constant or len(first.binders) != len(second.binders):
        return "they are forms of different kinds"
    counts = [
        Counter(_shown(atom, definite=False) for atom in form.atoms)
        + Counter(_shown(atom, definite=True) for atom in form.definites)
        for form in (first, second)
    ]
    if counts[0] == counts[1]:
        return ""
    for name, more in (("first", counts[0] - counts[1]), ("second", counts[1] - counts[0])):
        if more:
            return f"only the {name} has '{min(more)}'"
    raise AssertionError("two counts that differ have a difference")


def _shown(atom: Atom, *, definite: bool) -> str:
    """An atom without the names of its variables."""
    arguments = " , ".join("x" if isinstance(a, int) else a for a in atom.arguments)
    return f"{'* ' if definite else ''}{' . '.join(atom.predicate)} ( {arguments} )"


def _content(atom: Atom) -> tuple[tuple[str, ...], tuple[int | str, ...]]:
    return atom.predicate, atom.arguments


def _labelled(form: Form) -> list[LabelledAtom]:
    """The atoms with their constants as part of the label."""
    found: list[LabelledAtom] = []
    for definite, atoms in ((True, form.definites), (False, form.atoms)):
        for atom in atoms:
            constants = tuple([a if isinstance(a, str) else "" for a in atom.arguments])
            variables = tuple([a for a in atom.arguments if isinstance(a, int)])
            found.append(((definite, atom.predicate, constants), variables))
    return found


def _terms(first: str, second: str) -> Comparison:
    terms: list[Term] = []
    for name, text in (("first", first), ("second", second)):
        try:
            terms.append(read_term(text))
        except LogicalFormError as error:
            return Comparison(False, f"the {name} is not a variable-free form: {error}")
    return _compare_terms(*terms)


def _compare_terms(first: Term, second: Term) -> Comparison:
    if first.head != second.head or first.definite != second.definite:
        heads = [f"{'* ' if term.definite else ''}{term.head}" for term in (first, second)]
        return Comparison(False, f"'{heads[0]}' in the first is '{heads[1]}' in the second")
    if _sorted(first) == _sorted(second):
        return Comparison(True)
    return Comparison(False, f"'{first.head}' has different arguments")


def _sorted(term: Term) -> tuple[str, bool, tuple[tuple[str, object], ...]]:
    """A term with its arguments in an order of their own, at every level."""
    arguments = [(label, _sorted(argument)) for label, argument in term.arguments]
    return term.head, term.definite, tuple(sorted(arguments))
