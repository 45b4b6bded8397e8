"""When a prediction and a gold text say the same: exactly, or as logical forms.

*Exact Match* compares texts in Unicode's form NFKC, because tokenizers change characters that
mean the same: SentencePiece writes ``?`` for ``？``.

Two *logical forms* mean the same in COGS if one becomes the other by reordering its conjuncts
and by an injective renaming of its variables; definite nouns are a group of their own.  Names,
``?``, predicates and the order of arguments count.  Functions (``LAMBDA``) are equal up to the
names of the variables that they bind and the order of the conjuncts; the order of the binders
counts.  Variable-free forms are equal up to the order of the arguments of a head.  A text that
is not a logical form is equal to nothing, not even to itself.

*Reformatted exact match* is the metric published with SLOG (Li et al. 2023, section 4).  It is
meant to ignore the order of conjuncts and the names of variables, but its script sorts
conjuncts as text, old numbers included, and then numbers the variables as they occur.  It is
kept here, errors and all, so that new figures can be compared with published ones:

* Equal forms judged different: where a predicate occurs twice (a verb repeated along a
  chain of complements), since the old numbers decide the order; two definite nouns
  without anything else; functions with their conjuncts swapped.
* Different forms judged equal: a second conjunction after ``;`` is dropped; ``x`` and
  ``_`` are ignored wherever they stand; with two or more definite nouns a single
  conjunct may stand among them.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sgl.rendering.forms import Atom, Form, LogicalFormError, Term, read_form, read_term
from sgl.rendering.views import VIEWS

if TYPE_CHECKING:
    import networkx as nx

#: An atom: what is not a variable (predicate, constants), and the variables in order.
LabelledAtom = tuple[Hashable, tuple[int, ...]]

#: How far around a node the search looks before it begins.
_MOST_HOPS = 32

_PIECES = " ; "
_CONJUNCTS = " AND "
_IGNORED = frozenset({"x", "_"})


@dataclass(frozen=True, slots=True)
class FormComparison:
    """Whether two forms are equal; if not, ``reason`` says why, otherwise it is empty.

    A comparison counts as true where the forms are equal, so ``if equivalent(a, b):``
    does what it says.
    """

    equal: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.equal


@lru_cache(maxsize=1 << 18)
def normal(text: str) -> str:
    """Return a text in the form in which it is compared: NFKC, without spaces at the ends."""
    return unicodedata.normalize("NFKC", text).strip()


def exact(gold: str, prediction: str) -> bool:
    """Tell whether two texts are equal up to the form of their characters."""
    return prediction == gold or normal(prediction) == normal(gold)


def equivalent(first: str, second: str, form: str = "cogs") -> FormComparison:
    """Compare two logical forms exactly; the reason calls them *first* and *second*.

    ``form`` is the view in which both are written.

    Raises:
        ValueError: forms of this view cannot be compared by meaning.
    """
    syntax = VIEWS[form].syntax if form in VIEWS else ""
    if not syntax:
        raise ValueError(f"forms of the view '{form}' cannot be compared by meaning")
    return _terms(first, second) if syntax == "terms" else _forms(first, second)


def _forms(first: str, second: str) -> FormComparison:
    forms: list[Form] = []
    for name, text in (("first", first), ("second", second)):
        try:
            forms.append(read_form(text))
        except LogicalFormError as error:
            return FormComparison(False, f"the {name} is not a COGS logical form: {error}")
    if first == second:
        return FormComparison(True)
    if _same(*forms):
        return FormComparison(True)
    reason = _difference(*forms) or "no renaming of variables makes them equal"
    return FormComparison(False, reason)


def _same(first: Form, second: Form) -> bool:
    if first.constant != second.constant or len(first.binders) != len(second.binders):
        return False
    if first.binders:
        return Counter(map(_content, first.atoms)) == Counter(map(_content, second.atoms))
    return isomorphic(_labelled(first), _labelled(second))


def _difference(first: Form, second: Form) -> str:
    """Return what one form has and the other has not, whatever the variables are called.

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
    """Return an atom without the names of its variables."""
    arguments = " , ".join("x" if isinstance(a, int) else a for a in atom.arguments)
    return f"{'* ' if definite else ''}{' . '.join(atom.predicate)} ( {arguments} )"


def _content(atom: Atom) -> tuple[tuple[str, ...], tuple[int | str, ...]]:
    return atom.predicate, atom.arguments


def _labelled(form: Form) -> list[LabelledAtom]:
    """Return the atoms with their constants as part of the label."""
    found: list[LabelledAtom] = []
    for definite, atoms in ((True, form.definites), (False, form.atoms)):
        for atom in atoms:
            constants = tuple([a if isinstance(a, str) else "" for a in atom.arguments])
            variables = tuple([a for a in atom.arguments if isinstance(a, int)])
            found.append(((definite, atom.predicate, constants), variables))
    return found


def _terms(first: str, second: str) -> FormComparison:
    terms: list[Term] = []
    for name, text in (("first", first), ("second", second)):
        try:
            terms.append(read_term(text))
        except LogicalFormError as error:
            return FormComparison(False, f"the {name} is not a variable-free form: {error}")
    return _compare_terms(*terms)


def _compare_terms(first: Term, second: Term) -> FormComparison:
    if first.head != second.head or first.definite != second.definite:
        heads = [f"{'* ' if term.definite else ''}{term.head}" for term in (first, second)]
        return FormComparison(False, f"'{heads[0]}' in the first is '{heads[1]}' in the second")
    if _sorted(first) == _sorted(second):
        return FormComparison(True)
    return FormComparison(False, f"'{first.head}' has different arguments")


def _sorted(term: Term) -> tuple[str, bool, tuple[tuple[str, object], ...]]:
    """Return a term with its arguments sorted at every level."""
    arguments = [(label, _sorted(argument)) for label, argument in term.arguments]
    return term.head, term.definite, tuple(sorted(arguments))


def isomorphic(first: Sequence[LabelledAtom], second: Sequence[LabelledAtom]) -> bool:
    """Tell whether a bijection of variables takes the first atoms to the second ones.

    Atoms count as often as they are there.  Labels are compared with ``==``::

        see . agent ( 2 , 1 )    dog ( 1 )         see . agent ( 7 , 3 )    dog ( 3 )
    """
    if Counter(map(_atom_kind, first)) != Counter(map(_atom_kind, second)):
        return False
    image_of = dict(second)
    if len(image_of) == len(second):
        return _is_forced(first, image_of)
    return _is_found(first, second)


def _atom_kind(atom: LabelledAtom) -> tuple[Hashable, int]:
    label, variables = atom
    return label, len(variables)


def _is_forced(first: Sequence[LabelledAtom], image_of: dict[Hashable, tuple[int, ...]]) -> bool:
    """Decide where no label occurs twice, so that each atom has one image."""
    image: dict[int, int] = {}
    for label, variables in first:
        for variable, other in zip(variables, image_of[label], strict=True):
            if image.setdefault(variable, other) != other:
                return False
    return len(set(image.values())) == len(image)


def _is_found(first: Sequence[LabelledAtom], second: Sequence[LabelledAtom]) -> bool:
    """Search a bijection.

    Nodes are first told apart by their neighbourhood (Weisfeiler & Leman 1968), so that the
    search (VF2++) has a choice only between those that look the same in both forms.  The
    answer is exact whatever the neighbourhoods say.  The search takes exponential time only for
    forms with many parts that look the same from everywhere and are still connected differently.
    """
    import networkx as nx

    graphs = _atom_graph(first), _atom_graph(second)
    for graph in graphs:
        hops = min(len(graph), _MOST_HOPS)
        hashes = nx.weisfeiler_lehman_subgraph_hashes(graph, node_attr="kind", iterations=hops)
        nx.set_node_attributes(graph, {node: found[-1] for node, found in hashes.items()}, "kind")
    return bool(nx.vf2pp_is_isomorphic(graphs[0], graphs[1], node_label="kind"))


def _atom_graph(atoms: Sequence[LabelledAtom]) -> nx.Graph[tuple[int, int]]:
    """Return the graph of atoms, their places, and the variables that fill these."""
    import networkx as nx

    graph: nx.Graph[tuple[int, int]] = nx.Graph()
    for number, (label, variables) in enumerate(atoms):
        graph.add_node((number, -1), kind=f"atom {label!r}")
        for place, variable in enumerate(variables):
            graph.add_node((number, place), kind=f"place {place}")
            graph.add_node((-1, variable), kind="variable")
            graph.add_edge((number, -1), (number, place))
            graph.add_edge((number, place), (-1, variable))
    return graph


def reformatted_exact_match(gold: str, prediction: str) -> FormComparison:
    """Compare two COGS forms as the published script of SLOG does, errors included."""
    if reformatted(gold) == reformatted(prediction):
        return FormComparison(True)
    return FormComparison(False, "the reformatted texts differ")


def reformatted(text: str) -> str:
    """Return a COGS form with its parts sorted and its variables numbered in that order."""
    return _renumbered(_reordered(text))


def _reordered(text: str) -> str:
    bare = " ".join(token for token in text.split(" ") if token not in _IGNORED)
    pieces = bare.split(_PIECES)
    bodies = [piece for piece in pieces if _CONJUNCTS in piece]
    others = [piece for piece in pieces if _CONJUNCTS not in piece]
    if not bodies and len(others) <= 2:
        return bare
    body = _CONJUNCTS.join(sorted(bodies[0].split(_CONJUNCTS))) if bodies else ""
    return _PIECES.join([*sorted(others), body])


def _renumbered(text: str) -> str:
    numbers: dict[str, str] = {}
    return " ".join(
        numbers.setdefault(token, str(len(numbers) + 1)) if token.isdigit() else token
        for token in text.split(" ")
    )
