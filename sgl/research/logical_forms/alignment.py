"""Find what is wrong with a predicted logical form by aligning its graph with the gold graph.

Nodes are variables, names and ``?``.  Nodes with a word that each form has once are aligned; for the others, most
common edges decide, then the word, then the number.  An edge of only one form is paired with an edge of the other that
agrees in two respects, and the third gives the mistake::

    role          the same two nodes with another role          attachment   the same thing, at another node
    binding       the same role of a word, filled by another     question     the same, and one of the two is ``?``

Edges without a partner are missing or extra.  Some forms can be read although they are not graphs: a variable need not
have a word.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable
from enum import Enum
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from sgl.rendering.meaning import WH
from sgl.research.logical_forms.graphs import read_varfree
from sgl.research.logical_forms.notation import LogicalFormError, read_form


class FormMistake(Enum):
    """The kind of a mistake in a logical form; ``notation`` means another order or other names of variables."""

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
_Edge = tuple[_Node, tuple[str, ...], Any]


class _Meaning(NamedTuple):
    """The word of each node, and the edges; a noun's edge has no role, and leads to its star or to nothing."""

    words: dict[_Node, str]
    edges: Counter[_Edge]


def form_mistakes(gold: str, said: str, *, terms: bool = False) -> tuple[FormMistake, ...]:
    """Return all kinds of mistakes in a form with a wrong meaning; with ``terms`` both are variable-free."""
    if not said.strip():
        return (FormMistake.EMPTY,)
    try:
        one, other = map(_of_term if terms else _of_atoms, (gold, said))
    except LogicalFormError:
        return (FormMistake.UNREADABLE,)
    places = _aligned(one, other)
    found = {_of_words(one.words[at], other.words[node]) for node, at in places.items()}
    found |= _of_edges(one, other, places)
    # Functions may have their binders in another order.
    return tuple(kind for kind in FormMistake if kind in found) or (FormMistake.BINDING,)


def _of_atoms(text: str) -> _Meaning:
    form = read_form(text)
    words: dict[_Node, str] = {form.constant: form.constant} if form.constant else {}
    edges = Counter[_Edge]()
    # Nouns come first, as they name their variables.
    for atom in sorted((*form.definites, *form.atoms), key=lambda atom: len(atom.arguments)):
        first, *others = atom.arguments
        words.setdefault(first, atom.predicate[0])
        same = atom.predicate[0] == words[first]
        star = "*" if atom in form.definites else ""
        edges[first, atom.predicate[same:], others[0] if others else (star, first)] += 1
    for atom in form.atoms:
        words.setdefault(atom.arguments[-1], "" if isinstance(atom.arguments[-1], int) else atom.arguments[-1])
    return _Meaning(words, edges)


def _of_term(text: str) -> _Meaning:
    graph = read_varfree(text)
    nodes: list[_Node] = ["?" if node.get("type") == WH else at for at, node in enumerate(graph.nodes)]
    known = list(zip(nodes, graph.nodes, strict=True))
    edges = Counter[_Edge]((nodes[a], tuple(label.split(":")), nodes[b]) for a, label, b in graph.edges)
    stars = {"yes": "*", "no": ""}
    edges.update((at, (), (stars[node.get("definite")], at)) for at, node in known if node.get("definite"))
    return _Meaning({at: node.get("lemma") or "?" for at, node in known}, edges)


def _aligned(gold: _Meaning, said: _Meaning) -> dict[_Node, _Node]:
    """Return the gold form's node for nodes of the predicted form."""
    once = [Counter(form.words.values()) for form in (gold, said)]
    at = {word: node for node, word in gold.words.items()}
    places: dict[_Node, _Node] = {
        node: at[word] for node, word in said.words.items() if word and once[0][word] == once[1][word] == 1
    }
    free = [node for node in said.words if node not in places]
    left = [node for node in gold.words if node not in set(places.values())]
    around: dict[_Node, set[_Edge]] = defaultdict(set)
    for edge in said.edges:
        around[edge[0]].add(edge)
        around[edge[2]].add(edge)

    def likeness(node: _Node, place: _Node) -> tuple[int, bool, bool]:
        ends = [
            (place if a == node else places.get(a), role, place if b == node else places.get(b))
            for a, role, b in around[node]
        ]
        alike = said.words[node] == gold.words[place] != ""
        return sum(edge in gold.edges for edge in ends) + alike, alike, node == place

    best: dict[_Node, tuple[tuple[int, bool, bool], _Node]] = {}
    changed = set(free)
    while free and left:
        for node in changed:
            place = max(left, key=partial(likeness, node))
            best[node] = likeness(node, place), place
        node = max(free, key=lambda one: best[one][0])
        score, place = best.pop(node)
        if not score[0]:
            break
        places[node] = place
        free.remove(node)
        left.remove(place)
        # Likenesses change only next to this node, or for nodes that have lost their place.
        beside = {end for a, _, b in around[node] for end in (a, b)}
        changed = {one for one in free if one in beside or best[one][1] == place}
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
        # A node that only the prediction has is not a node of the gold form, whatever its name.
        source = places.get(a, ("", a))
        here[source, role, places.get(b, ("", b)) if role else (b[0], source)] += times
    lacking, other = [*(gold.edges - here).elements()], [*(here - gold.edges).elements()]
    found = set[FormMistake]()
    kinds = FormMistake.ROLE, FormMistake.BINDING, FormMistake.ATTACHMENT, FormMistake.ATTACHMENT
    # The parts that two edges share determine the mistake.
    for kind, common in zip(kinds, ((0, 2), (0, 1), (1, 2), (2,)), strict=True):
        same = itemgetter(*common)
        for edge in list(lacking):
            twin = next((one for one in other if same(one) == same(edge)), None)
            if twin is not None:
                lacking.remove(edge)
                other.remove(twin)
                asked = kind is FormMistake.BINDING and "?" in (edge[2], twin[2])
                found.add(FormMistake.QUESTION if asked else kind if edge[1] else FormMistake.DEFINITE)
    return found | {kind for kind, edges in ((FormMistake.MISSING, lacking), (FormMistake.EXTRA, other)) if edges}
