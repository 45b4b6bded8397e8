"""When a prediction and a gold text say the same: exactly, or as logical forms.

*Exact Match* compares texts in Unicode's form NFKC: SentencePiece writes ``?`` for ``？``. Two
*logical forms* mean the same in COGS if one becomes the other by reordering its conjuncts and by an
injective renaming of its variables; definite nouns are a group of their own.  In functions
(``LAMBDA``) the order of the binders counts.  Variable-free forms are equal up to the order of the
arguments of a head.  What is not a logical form is equal to nothing, not even to itself.

*Reformatted exact match* was published with SLOG (Li et al. 2023, section 4).  Its script sorts
conjuncts as text, old numbers included, and drops a second conjunction after ``;``.  It is kept
here, errors and all: it judges some equal forms different, and some different ones equal.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sgl.characters import plain
from sgl.rendering.views import VIEWS
from sgl.research.logical_forms.notation import Form, LogicalFormError, Term, read_form, read_term

if TYPE_CHECKING:
    import networkx as nx

#: A predicate or another label, and the arguments: a number is a variable, text a constant.
LabelledAtom = tuple[Hashable, tuple[int | str, ...]]

#: The same, with a star or nothing and a predicate as the label.
_FormAtom = tuple[tuple[str, tuple[str, ...]], tuple[int | str, ...]]


class FormComparison(NamedTuple):
    """Whether two forms are equal, which is also its truth; if not, ``reason`` says why."""

    equal: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.equal


@lru_cache(maxsize=1 << 18)
def normal(text: str) -> str:
    """Return a text in the form in which it is compared: NFKC, without spaces at the ends."""
    return plain(text).strip()


def exact(gold: str, prediction: str) -> bool:
    """Tell whether two texts are equal up to the form of their characters."""
    return prediction == gold or normal(prediction) == normal(gold)


def equivalent(first: str, second: str, form: str = "cogs") -> FormComparison:
    """Compare two logical forms exactly; the reason calls them *first* and *second*.

    Raises ``ValueError`` if forms of the view ``form`` cannot be compared by meaning.
    """
    syntax = VIEWS[form].syntax if form in VIEWS else ""
    if not syntax:
        raise ValueError(f"forms of the view '{form}' cannot be compared by meaning")
    read, kind = (read_term, "variable-free") if syntax == "terms" else (read_form, "COGS logical")
    forms: list[Form | Term] = []
    for name, text in (("first", first), ("second", second)):
        try:
            forms.append(read(text))
        except LogicalFormError as error:
            return FormComparison(False, f"the {name} is not a {kind} form: {error}")
    one, other = forms
    if first == second:
        return FormComparison(True)
    if isinstance(one, Form) or isinstance(other, Form):
        assert isinstance(one, Form)
        assert isinstance(other, Form)
        return _compare_forms(one, other)
    if one.head != other.head or one.definite != other.definite:
        heads = [f"{'* ' if term.definite else ''}{term.head}" for term in (one, other)]
        return FormComparison(False, f"'{heads[0]}' in the first is '{heads[1]}' in the second")
    same = _sorted(one) == _sorted(other)
    return FormComparison(same, "" if same else f"'{one.head}' has different arguments")


def _compare_forms(first: Form, second: Form) -> FormComparison:
    if first.constant != second.constant or len(first.binders) != len(second.binders):
        return FormComparison(False, "they are forms of different kinds")
    atoms = _labelled(first), _labelled(second)
    # What one form has and the other has not, whatever the variables are called.
    counts = [Counter(map(_shown, labelled)) for labelled in atoms]
    for name, more in (("first", counts[0] - counts[1]), ("second", counts[1] - counts[0])):
        if more:
            return FormComparison(False, f"only the {name} has '{min(more)}'")
    same = Counter(atoms[0]) == Counter(atoms[1]) if first.binders else isomorphic(*atoms)
    return FormComparison(same, "" if same else "no renaming of variables makes them equal")


def _labelled(form: Form) -> list[_FormAtom]:
    """Return the atoms, with a star for definite nouns."""
    groups = (("* ", form.definites), ("", form.atoms))
    return [((star, atom.predicate), atom.arguments) for star, atoms in groups for atom in atoms]


def _shown(atom: _FormAtom) -> str:
    (star, predicate), arguments = atom
    shown = " , ".join("x" if isinstance(a, int) else a for a in arguments)
    return f"{star}{' . '.join(predicate)} ( {shown} )"


def _sorted(term: Term) -> tuple[str, bool, tuple[tuple[str, object], ...]]:
    arguments = [(label, _sorted(argument)) for label, argument in term.arguments]
    return term.head, term.definite, tuple(sorted(arguments))


def isomorphic(first: Sequence[LabelledAtom], second: Sequence[LabelledAtom]) -> bool:
    """Tell whether a bijection of variables takes the first atoms to the second ones.

    Atoms count as often as they are there.  Labels and constants are compared by how Python writes them.  What stands
    around each variable, step by step (Weisfeiler & Leman 1968), settles nearly all pairs.  The rest is searched
    (VF2++), which takes exponential time only for forms with many parts that look the same from everywhere and are
    connected differently.
    """
    import networkx as nx

    # To the library two graphs without nodes are not isomorphic.
    one, other = map(_atom_graph, (first, second))
    return first == second or bool(nx.vf2pp_is_isomorphic(one, other, node_label="kind"))


#: So many steps away variables are told apart before a search.
_STEPS = 2


def _atom_graph(atoms: Sequence[LabelledAtom]) -> "nx.Graph[tuple[int, int]]":
    """Return the graph of atoms, their places, and the variables that fill these."""
    import networkx as nx

    graph: nx.Graph[tuple[int, int]] = nx.Graph()
    for number, (label, arguments) in enumerate(atoms):
        constants = [argument if isinstance(argument, str) else None for argument in arguments]
        graph.add_node((number, -1), kind=repr((label, constants)))
        for place, argument in enumerate(arguments):
            if isinstance(argument, int):
                graph.add_node((number, place), kind=str(place))
                graph.add_node((-1, argument), kind="")
                graph.add_edges_from((((number, -1), (number, place)), ((number, place), (-1, argument))))
    around = nx.weisfeiler_lehman_subgraph_hashes(graph, node_attr="kind", iterations=3 * _STEPS)
    nx.set_node_attributes(graph, {node: hashes[-1] for node, hashes in around.items()}, "kind")
    return graph


def reformatted_exact_match(gold: str, prediction: str) -> FormComparison:
    """Compare two COGS forms as the published script of SLOG does, errors included."""
    same = _reformatted(gold) == _reformatted(prediction)
    return FormComparison(same, "" if same else "the reformatted texts differ")


def _reformatted(text: str) -> str:
    """Return a COGS form with its parts sorted and its variables numbered in that order."""
    ordered = " ".join(token for token in text.split(" ") if token not in ("x", "_"))
    pieces = ordered.split(" ; ")
    others = sorted(piece for piece in pieces if " AND " not in piece)
    body = next((piece for piece in pieces if " AND " in piece), "")
    if body or len(others) > 2:
        ordered = " ; ".join([*others, " AND ".join(sorted(body.split(" AND ")))])
    numbers: dict[str, str] = {}
    return " ".join(
        numbers.setdefault(token, str(len(numbers) + 1)) if token.isdigit() else token for token in ordered.split(" ")
    )
