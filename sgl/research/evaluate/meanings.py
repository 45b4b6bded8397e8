"""Compare what a prediction says with what it should say: the words and edges of two graphs.

The nodes of a logical form are variables, names and ``?``; the nodes of a text are its words.  Nodes with a word that
each graph has once are aligned; for the others, most common edges decide, then the word, then the number.

Connected nodes without a counterpart are one mistake: levels of a nested structure, a modifier with all below it, or
other words.  What they held is compared as if they were one with the node they hang from, so that a skipped level is
not a wrong attachment, too.  An edge of only one graph is then paired with an edge of the other that agrees in two
respects, and the third gives the mistake::

    role          the same two nodes with another role          attachment   the same thing, at another node
    binding       the same role of a word, filled by another     question     the same, and one of the two is ``?``
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from enum import Enum
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from sgl.rendering.meaning import WH
from sgl.research.analyse.metrics import word_depths
from sgl.research.evaluate.realization import WordTree
from sgl.research.logical_forms.graphs import read_varfree
from sgl.research.logical_forms.notation import read_form


class Mistake(Enum):
    """The kind of a mistake; ``notation`` means another order, other variables or other punctuation."""

    EMPTY = "empty"
    SOURCE = "source"
    ITEM = "other item"
    UNREADABLE = "not a form"
    UNRELATED = "unrelated"
    NOTATION = "notation"
    ROLE = "role"
    ATTACHMENT = "attachment"
    BINDING = "binding"
    QUESTION = "question"
    WORD = "word"
    DEFINITE = "definiteness"
    FORM = "form"
    PARTICLE = "particle"
    RECURSION = "recursion"
    PHRASE = "phrase"
    MISSING = "missing"
    EXTRA = "extra"
    REPETITION = "repetition"
    TRUNCATION = "truncation"


class Found(NamedTuple):
    """A mistake, and the parts of the gold item and of the prediction that show it."""

    kind: Mistake
    gold: str = ""
    said: str = ""


Node = Hashable
_Edge = tuple[Node, tuple[str, ...], Any]

#: Relations that nest structures, relations of function words, and relations of modifiers, which can be left out.
_NESTED = frozenset({"nmod", "amod", "acl", "advcl", "ccomp", "xcomp", "conj"})
_FUNCTION = frozenset({("case",), ("det",), ("mark",), ("cc",), ("cop",), ("aux",), ("clf",)})
MODIFIERS = (_NESTED | {"advmod", "nummod", "appos", "obl"}) - {"ccomp", "xcomp"}


class Meaning(NamedTuple):
    """The word of each node, and the edges; a noun's edge has no role, and leads to its star or to nothing."""

    words: dict[Node, str]
    edges: Counter[_Edge]

    def listed(self, nodes: set[Node]) -> str:
        """Return some words as evidence shows them, in their order."""
        order = sorted(nodes, key=lambda node: (node, "") if isinstance(node, int) else (0, str(node)))
        return " ".join(self.words[node] for node in order)

    def shown(self, edge: _Edge | None) -> str:
        """Return an edge as evidence shows it: ``give.agent(Emma)``."""
        if edge is None:
            return ""
        source, role, target = edge
        if not role:
            return f"{target[0]}{self.words.get(source, '')}"
        return f"{self.words.get(source, '')}.{'.'.join(role)}({self.words.get(target, '')})"


def overlap(words: Iterable[str], others: Iterable[str], alike: Callable[[str, str], bool] = str.__eq__) -> float:
    """Return the share of common words, and forms of one word, in the shorter of two texts."""
    one, two = Counter(words), Counter(others)
    common, left = (one & two).total(), list((two - one).elements())
    for word in (one - two).elements():
        if (form := next((other for other in left if alike(word, other)), None)) is not None:
            left.remove(form)
            common += 1
    return common / max(min(one.total(), two.total()), 1)


def of_tree(tree: WordTree) -> Meaning:
    """Return the meaning of a text; what was no word is left out, and relations in the passive are the same."""
    depths = word_depths(tree.heads)
    # Of nodes that look the same the one that is nearer to the root comes first.
    order = sorted((at for at, word in enumerate(tree.words) if word), key=depths.__getitem__)
    words: dict[Node, str] = {at + 1: tree.words[at] for at in order}
    related = ((tree.heads[at], tuple(tree.labels[at].removesuffix(":pass").split(":")), at + 1) for at in order)
    return Meaning(words, Counter[_Edge](edge for edge in related if edge[0] in words))


def of_atoms(text: str) -> Meaning:
    """Return the meaning of a form of COGS; a variable need not have a word.  Raises ``LogicalFormError``."""
    form = read_form(text)
    words: dict[Node, str] = {form.constant: form.constant} if form.constant else {}
    edges = Counter[_Edge]()
    # Nouns come first, as they name their variables.
    for atom in sorted((*form.definites, *form.atoms), key=lambda atom: len(atom.arguments)):
        first, *others = atom.arguments
        words.setdefault(first, atom.predicate[0])
        same = atom.predicate[0] == words[first]
        star = "*" if atom in form.definites else ""
        # Models also write nouns with two arguments, where only their whole name can be the role.
        role = atom.predicate[same:] or (atom.predicate if others else ())
        edges[first, role, others[0] if others else (star, first)] += 1
    for atom in form.atoms:
        words.setdefault(atom.arguments[-1], "" if isinstance(atom.arguments[-1], int) else atom.arguments[-1])
    return Meaning(words, edges)


def of_term(text: str) -> Meaning:
    """Return the meaning of a variable-free form.  Raises ``LogicalFormError``."""
    graph = read_varfree(text)
    nodes: list[Node] = ["?" if node.get("type") == WH else at for at, node in enumerate(graph.nodes)]
    known = list(zip(nodes, graph.nodes, strict=True))
    edges = Counter[_Edge]((nodes[a], tuple(label.split(":")), nodes[b]) for a, label, b in graph.edges)
    stars = {"yes": "*", "no": ""}
    edges.update((at, (), (stars[node.get("definite")], at)) for at, node in known if node.get("definite"))
    return Meaning({at: node.get("lemma") or "?" for at, node in known}, edges)


def compared(gold: Meaning, said: Meaning, alike: Callable[[str, str], bool] = str.__eq__) -> list[Found]:
    """Return what is wrong with a prediction; ``alike`` tells whether two words are forms of one."""
    said = _renamed(said, _Aligning(gold, said).aligned())
    found = [*_of_words(gold, said, alike)]
    lacking, more = gold.words.keys() - said.words.keys(), said.words.keys() - gold.words.keys()
    gold = _shifted(gold, said, lacking)
    lacking -= _refilled(gold, said)
    gone = ((part, _kind_of(gold, part, lacking) or Mistake.MISSING) for part in _parts(gold, lacking))
    found += (Found(kind, gold.listed(part)) for part, kind in gone)
    for part in _parts(said, more):
        is_level = _kind_of(said, part, more) is Mistake.RECURSION
        found.append(Found(Mistake.RECURSION if is_level else Mistake.EXTRA, "", said.listed(part)))
    pairs = list(_differing(_contracted(gold, said, lacking), _contracted(said, gold, more)))
    # Function words go with their words.
    wrong = [pair for pair in pairs if not any(edge and edge[1][:1] in _FUNCTION for edge in pair[1:])]
    return found + [Found(kind, gold.shown(old), said.shown(new)) for kind, old, new in wrong or pairs]


def _renamed(said: Meaning, places: dict[Node, Node]) -> Meaning:
    """Return a predicted graph with the gold graph's nodes; a node that it alone has is no node of the gold graph."""
    name = {node: places.get(node, ("", node)) for node in said.words}
    edges = Counter[_Edge]()
    for (a, role, b), times in said.edges.items():
        edges[name[a], role, name.get(b, ("", b)) if role else (b[0], name[a])] += times
    return Meaning({name[node]: word for node, word in said.words.items()}, edges)


def _refilled(gold: Meaning, said: Meaning) -> set[Node]:
    """Return nodes of one edge whose role another node fills: that is not one node less and an edge more."""
    held = Counter(end for edge in gold.edges for end in _ends(edge))
    filled = {edge[:2] for edge in said.edges - gold.edges if edge[1] and edge[2] in gold.words}
    return {edge[2] for edge in gold.edges if edge[1] and held[edge[2]] == 1 and edge[:2] in filled}


class _Aligning:
    """The alignment of two graphs, which begins with the words that each of them has once."""

    def __init__(self, gold: Meaning, said: Meaning) -> None:
        self._gold, self._said = gold, said
        self._linked = {(a, b) for a, _, b in gold.edges}
        self._around: dict[Node, set[_Edge]] = defaultdict(set)
        for edge in said.edges:
            self._around[edge[0]].add(edge)
            self._around[edge[2]].add(edge)
        once = [Counter(graph.words.values()) for graph in (gold, said)]
        at = {word: node for node, word in gold.words.items()}
        self._places: dict[Node, Node] = {
            node: at[word] for node, word in said.words.items() if word and once[0][word] == once[1][word] == 1
        }

    def aligned(self) -> dict[Node, Node]:
        """Return the gold graph's node for nodes of the predicted one."""
        free = [node for node in self._said.words if node not in self._places]
        taken = set(self._places.values())
        left = [node for node in self._gold.words if node not in taken]
        best: dict[Node, tuple[tuple[int, bool, bool], Node]] = {}
        changed = set(free)
        while free and left:
            for node in changed:
                place = max(left, key=partial(self._likeness, node))
                best[node] = self._likeness(node, place), place
            node = max(free, key=lambda one: best[one][0])
            score, place = best.pop(node)
            if not score[0]:
                break
            self._places[node] = place
            free.remove(node)
            left.remove(place)
            # Likenesses change only next to this node, or for nodes that have lost their place.
            beside = {end for edge in self._around[node] for end in edge[::2]}
            changed = {one for one in free if one in beside or best[one][1] == place}
        return self._places

    def _likeness(self, node: Node, place: Node) -> tuple[int, bool, bool]:
        """Return how many edges fit if a node has this place, whether its word does, and its number."""
        alike = self._said.words[node] == self._gold.words[place] != ""
        known = self._places
        ends = [
            (place if a == node else known.get(a), role, place if b == node else known.get(b))
            for a, role, b in self._around[node]
        ]
        # Between the same words another role is half as good as the same.
        edges = sum(2 if edge in self._gold.edges else (edge[0], edge[2]) in self._linked for edge in ends)
        return edges + 2 * alike, alike, node == place


def _of_words(gold: Meaning, said: Meaning, alike: Callable[[str, str], bool]) -> Iterator[Found]:
    for node, other in said.words.items():
        word = gold.words.get(node)
        if word is not None and word != other:
            kind = Mistake.WORD if word and other else Mistake.MISSING if word else Mistake.EXTRA
            if "?" in (word, other):
                kind = Mistake.QUESTION
            elif kind is Mistake.WORD and alike(word, other):
                kind = Mistake.FORM
            yield Found(kind, word, other)


def _shifted(gold: Meaning, said: Meaning, gone: set[Node]) -> Meaning:
    """Exchange nodes of one role where a prediction joins levels: the subject of one, the verb of another."""
    edges, parts = Counter(gold.edges), list(_parts(gold, gone))
    for a, role, b in gold.edges if gone else ():
        if a in gone and b not in gone and role and role[0] not in _NESTED:
            for other in [edge for edge in edges if edge[2] in gone and edge[0] not in gone and edge[1] == role]:
                apart = not any({a, other[2]} <= part for part in parts)
                if apart and (other[0], role, b) in said.edges and (a, role, b) in edges:
                    del edges[a, role, b], edges[other]
                    edges.update([(a, role, other[2]), (other[0], role, b)])
    return gold._replace(edges=edges)


def _ends(edge: _Edge) -> tuple[Node, ...]:
    # An edge of a noun leads nowhere.
    return (edge[0], edge[2]) if edge[1] else (edge[0],)


def _parts(graph: Meaning, gone: set[Node]) -> "Iterator[set[Node]]":
    """Return the connected parts of some nodes."""
    if not gone:
        return iter(())
    import networkx as nx

    found: nx.Graph[Node] = nx.Graph(edge[::2] for edge in graph.edges if edge[1] and gone.issuperset(edge[::2]))
    found.add_nodes_from(node for node in graph.words if node in gone)
    return iter(nx.connected_components(found))


def _without(edges: Iterable[_Edge], gone: set[Node]) -> list[_Edge]:
    """Return the edges that have none of these nodes."""
    return [edge for edge in edges if gone.isdisjoint(_ends(edge))]


def _relations(edges: Iterable[_Edge]) -> set[str]:
    """Return the relations of edges, without subtypes."""
    return {role[0] for _, role, _ in edges}


def _kind_of(graph: Meaning, part: set[Node], gone: set[Node]) -> Mistake | None:
    """Tell whether nodes are levels of a structure of which others are left, or a modifier with all below it."""
    edges = [edge for edge in graph.edges if edge[1]]
    kept = _without(edges, gone)
    above = [edge for edge in edges if edge[2] in part and edge[0] not in gone]
    hosts, over = {edge[0] for edge in above}, _relations(above)
    # What something else leads to does not hang from these nodes.
    held = hosts | gone | {edge[2] for edge in kept}
    if under := _relations(edge for edge in edges if edge[0] in part and edge[2] not in held):
        inner = _relations(edge for edge in edges if part.issuperset(_ends(edge)))
        return Mistake.RECURSION if _is_level(over, under, _NESTED & _relations(kept), inner) else None
    if over & _NESTED & _beside(kept, hosts) and over <= MODIFIERS | _NESTED:
        return Mistake.RECURSION
    return Mistake.PHRASE if over and over <= MODIFIERS else None


def _is_level(over: Set[str], under: Set[str], nested: Set[str], inner: Set[str]) -> bool:
    """Tell whether nodes are levels by the relations over, under and inside them, and the ``nested`` ones elsewhere."""
    if under <= _NESTED & over or (not over and under <= nested):
        return True
    # The noun of one relative clause, and the verb of the next.
    return under == over and not nested.isdisjoint(inner)


def _beside(edges: Sequence[_Edge], hosts: set[Node]) -> set[str]:
    """Return the relations above some nodes and beside them: of one of these other nodes are the last level."""
    line = set(hosts)
    while more := {edge[0] for edge in edges if edge[2] in line} - line:
        line |= more
    return _relations(edge for edge in edges if edge[2] in line or edge[0] in hosts)


def _contracted(graph: Meaning, other: Meaning, gone: set[Node]) -> Counter[_Edge]:
    """Return the edges without some nodes; what hung from these hangs where the other graph has it."""
    edges = Counter({edge: graph.edges[edge] for edge in _without(graph.edges, gone)})
    alike: dict[tuple[Node, Node], list[_Edge]] = defaultdict(list)
    for edge in other.edges - edges:
        alike[edge[0], edge[2]].append(edge)
    for part in _parts(graph, gone):
        touching = [edge for edge in graph.edges if edge[1] and not part.isdisjoint(_ends(edge))]
        hosts = {end for edge in touching for end in _ends(edge)} - gone
        for a, role, b in touching:
            for host in hosts:
                found = alike[(host, b) if a in part else (a, host)]
                edges.update(edge for edge in found if edge[1][:1] == role[:1] and edge not in edges)
    return edges


def _differing(gold: Counter[_Edge], said: Counter[_Edge]) -> Iterator[tuple[Mistake, _Edge | None, _Edge | None]]:
    """Yield kinds of mistakes with an edge of the gold graph and the one that the prediction has in its place."""
    lacking, more = [*(gold - said).elements()], [*(said - gold).elements()]
    kinds = Mistake.ROLE, Mistake.BINDING, Mistake.ATTACHMENT, Mistake.ATTACHMENT
    # The parts that two edges share determine the mistake.
    for kind, common in zip(kinds, ((0, 2), (0, 1), (1, 2), (2,)), strict=True):
        same = itemgetter(*common)
        for edge in list(lacking):
            twin = next((each for each in more if same(each) == same(edge)), None)
            if twin is not None:
                lacking.remove(edge)
                more.remove(twin)
                asked = kind is Mistake.BINDING and "?" in (edge[2], twin[2])
                yield Mistake.QUESTION if asked else kind if edge[1] else Mistake.DEFINITE, edge, twin
    yield from ((Mistake.MISSING, edge, None) for edge in lacking)
    yield from ((Mistake.REPETITION if edge in gold else Mistake.EXTRA, None, edge) for edge in more)


def kinds_of(found: Iterable[Found]) -> tuple[Mistake, ...]:
    """Return the kinds of mistakes, each once, in the order of tables."""
    met = {one.kind for one in found}
    return tuple(kind for kind in Mistake if kind in met)
