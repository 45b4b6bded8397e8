"""What is wrong with a predicted logical form: its graph is laid over that of the gold form.

Nodes are variables, names and ``?``.  Those of a word that both forms have once belong together; for the others most
common edges decide, then the word, then the number.  An edge that is in one form only is paired with one of the other
form that has two things in common with it, and the third says what is wrong::

    role          the same two nodes with another role          attachment   the same thing, at another node
    binding       the same role of a word, filled by another     question     the same, and one of the two is ``?``

What has no partner is missing or extra.  A form may be read that is no graph: a variable need not have a word.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from enum import Enum
from typing import NamedTuple

from sgl.rendering.meaning import ENTITY, WH
from sgl.research.logical_forms.graphs import read_varfree
from sgl.research.logical_forms.notation import LogicalFormError, read_form


class FormMistake(Enum):
    """The kind of a mistake in a logical form; ``notation`` is another order, or other names of variables."""

    EMPTY = "empty"
    UNREADABLE = "not a form"
    NOTATION = "notation"
    ROLE = "role"
    ATTACHMENT = "attachment"
    BINDING = "binding"
    QUESTION = "question"
    WORD = "word"
    DEFINITE = "definiteness"
    MISSING = "missing"
    EXTRA = "extra"


_Node = Hashable
_Edge = tuple[_Node, tuple[str, ...], _Node]


class _Meaning(NamedTuple):
    """The word of each node, those with an atom of their own and whether it is definite, and the edges."""

    words: dict[_Node, str]
    nouns: dict[_Node, bool]
    edges: Counter[_Edge]


def form_mistakes(gold: str, said: str, *, terms: bool = False) -> tuple[FormMistake, ...]:
    """Return all kinds of mistakes of a form that does not mean the same; ``terms``: both are variable-free."""
    if not said.strip():
        return (FormMistake.EMPTY,)
    try:
        one, other = map(_of_term if terms else _of_atoms, (gold, said))
    except LogicalFormError:
        return (FormMistake.UNREADABLE,)
    places = _aligned(one, other)
    found = {_of_words(one.words[at], other.words[node]) for node, at in places.items()}
    found |= {FormMistake.MISSING for node in one.nouns.keys() - set(places.values())}
    found |= {FormMistake.EXTRA for node in other.nouns.keys() - places.keys()}
    if any(star != one.nouns.get(places.get(node, ""), star) for node, star in other.nouns.items()):
        found.add(FormMistake.DEFINITE)
    found |= _of_edges(one, other, places)
    # Functions may have their binders in another order.
    return tuple(kind for kind in FormMistake if kind in found) or (FormMistake.BINDING,)


def _of_atoms(text: str) -> _Meaning:
    form = read_form(text)
    nouns: dict[_Node, bool] = {}
    words: dict[_Node, str] = {form.constant: form.constant} if form.constant else {}
    atoms = [*form.definites, *form.atoms]
    for number, atom in enumerate(atoms):
        if len(atom.arguments) == 1:
            nouns.setdefault(atom.arguments[0], number < len(form.definites))
            words.setdefault(atom.arguments[0], atom.predicate[0])
    for atom in atoms:
        words.setdefault(atom.arguments[0], atom.predicate[0])
    edges = Counter[_Edge]()
    for atom in atoms:
        first, *others = atom.arguments
        for other in others:
            words.setdefault(other, other if isinstance(other, str) else "")
        agrees = atom.predicate[0] == words[first]
        if others or not agrees:
            edges[first, atom.predicate[agrees:], others[0] if others else ""] += 1
    return _Meaning(words, nouns, edges)


def _of_term(text: str) -> _Meaning:
    graph = read_varfree(text)
    nodes: list[_Node] = ["?" if node.get("type") == WH else at for at, node in enumerate(graph.nodes)]
    known = list(zip(nodes, graph.nodes, strict=True))
    words = {at: node.get("lemma") or "?" for at, node in known}
    nouns = {at: node.get("definite") == "yes" for at, node in known if node.get("type") == ENTITY}
    return _Meaning(words, nouns, Counter((nodes[a], tuple(label.split(":")), nodes[b]) for a, label, b in graph.edges))


def _aligned(gold: _Meaning, said: _Meaning) -> dict[_Node, _Node]:
    """Return the node of the gold form for nodes of the other one."""
    once = [Counter(form.words.values()) for form in (gold, said)]
    at = {word: node for node, word in gold.words.items()}
    places: dict[_Node, _Node] = {
        node: at[word] for node, word in said.words.items() if word and once[0][word] == once[1][word] == 1
    }
    free = [node for node in said.words if node not in places]
    left = [node for node in gold.words if node not in set(places.values())]

    around: dict[_Node, list[_Edge]] = {}
    for edge in said.edges:
        for end in {edge[0], edge[2]}:
            around.setdefault(end, []).append(edge)

    def likeness(pair: tuple[_Node, _Node]) -> tuple[int, bool, bool]:
        node, place = pair
        mapped = {**places, node: place}
        same = sum((mapped.get(a), role, mapped.get(b)) in gold.edges for a, role, b in around.get(node, ()))
        alike = said.words[node] == gold.words[place] != ""
        return same + alike, alike, node == place

    while free and left:
        best = max(((node, place) for node in free for place in left), key=likeness)
        if not likeness(best)[0]:
            break
        places[best[0]] = best[1]
        free.remove(best[0])
        left.remove(best[1])
    return places


def _of_words(gold: str, said: str) -> FormMistake | None:
    if gold == said:
        return None
    if "?" in (gold, said):
        return FormMistake.QUESTION
    return FormMistake.WORD if gold and said else FormMistake.MISSING if gold else FormMistake.EXTRA


def _of_edges(gold: _Meaning, said: _Meaning, places: dict[_Node, _Node]) -> set[FormMistake]:
    here = Counter[_Edge]()
    for (a, role, b), times in said.edges.items():
        # A node of the prediction alone is no node of the gold form, whatever its name is.
        here[places.get(a, ("", a)), role, places.get(b, ("", b))] += times
    lacking, other = [*(gold.edges - here).elements()], [*(here - gold.edges).elements()]
    found = set[FormMistake]()

    def pair(kind: FormMistake, common: Callable[[_Edge], object]) -> None:
        for edge in list(lacking):
            twin = next((one for one in other if common(one) == common(edge)), None)
            if twin is not None:
                lacking.remove(edge)
                other.remove(twin)
                asked = kind is FormMistake.BINDING and "?" in (edge[2], twin[2])
                found.add(FormMistake.QUESTION if asked else kind)

    pair(FormMistake.ROLE, lambda edge: (edge[0], edge[2]))
    pair(FormMistake.BINDING, lambda edge: edge[:2])
    pair(FormMistake.ATTACHMENT, lambda edge: edge[1:])
    pair(FormMistake.ATTACHMENT, lambda edge: edge[2])
    return found | {kind for kind, edges in ((FormMistake.MISSING, lacking), (FormMistake.EXTRA, other)) if edges}
