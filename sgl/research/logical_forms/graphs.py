"""Turn logical forms back into their semantic graphs.

In a form of COGS, nouns are the variables with an atom of their own, or adjectives if an ``amod`` leads to them; verbs
are the variables that begin other atoms; names and ``?`` are nodes too, one each.  The head is the word that dominates
all others.

In a variable-free form, copies are identified by their words, which is enough if no noun and no name occurs twice in a
sentence.  A bare noun inside its own brackets is that noun; a noun equal to an earlier one, modifiers included, is that
one.  A name is always the same node, and so is ``?``, but each verb and each adjective is a node of its own.  A word is
a verb if it has roles, or is the value of ``ccomp``, ``xcomp`` or ``nmod``; an adjective if it is the value of
``amod``; a noun if it has ``*`` or modifiers; otherwise a name if it begins with a capital letter and is not among
``common_nouns``, else a noun.  Nodes are numbered in order of first mention.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from sgl.core.graph import Graph, GraphNode
from sgl.rendering.meaning import ADJECTIVAL, ENTITY, EVENT, NAME, PARAMETERS, PROPERTY, UNANCHORED, WH
from sgl.research.logical_forms.notation import Atom, Form, LogicalFormError, Term, offset, read_form, read_term

Edge = tuple[int | str, str, int | str]


def read_cogs(text: str, tokens: Sequence[str] = ()) -> Graph:
    """Read a COGS logical form; raises ``LogicalFormError`` unless it is one connected graph.

    The position of a noun or verb is the number of its variable.  Given the ``tokens`` of the sentence, a name is on
    the token that equals it and a wh-word on the first; otherwise they are ``UNANCHORED``.
    """
    form = read_form(text)
    if form.constant:
        return _graph([_constant_node(form.constant, tokens)], [], 0)
    if form.binders:
        return _graph([_open_node(text, form)], [], 0)
    return _AtomGraph(text, form).graph(tokens)


class _AtomGraph:
    """The nodes and edges of a form: variables by number, constants by word."""

    def __init__(self, text: str, form: Form) -> None:
        self._text = text
        self._nouns: dict[int, Atom] = {}
        self._verbs: dict[int, Atom] = {}
        self._first: dict[int | str, Atom] = {}
        self._definite = {atom.arguments[0] for atom in form.definites}
        self._edges: list[Edge] = []
        for atom in (*form.definites, *form.atoms):
            if len(atom.arguments) == 1:
                variable = _variable(atom)
                if len(atom.predicate) > 1:
                    raise self._wrong(atom, f"'{' . '.join(atom.predicate)}' needs a second argument")
                if variable in self._nouns:
                    raise self._wrong(atom, f"x _ {variable} has a noun already")
                self._nouns[variable] = self._first[variable] = atom
        for atom in form.atoms:
            if len(atom.arguments) == 2:
                self._add_edge(atom)
        for atom in form.atoms:
            target = atom.arguments[-1]
            if isinstance(target, int) and target not in self._first:
                raise self._wrong(atom, f"x _ {target} has no atom of its own")

    def graph(self, tokens: Sequence[str]) -> Graph:
        constants = [key for key in self._first if isinstance(key, str)]
        nodes: dict[int | str, GraphNode] = {key: _constant_node(key, tokens) for key in constants}
        properties = {target for _, label, target in self._edges if label == ADJECTIVAL}
        for key, atom in self._nouns.items():
            lemma = ("lemma", atom.predicate[0])
            definite = ("definite", "yes" if key in self._definite else "no")
            if key in properties and key not in self._definite:
                nodes[key] = GraphNode((lemma, ("type", PROPERTY)), key)
            else:
                nodes[key] = GraphNode((definite, lemma, ("type", ENTITY)), key)
        for key, atom in self._verbs.items():
            nodes[key] = GraphNode((("lemma", atom.predicate[0]), ("type", EVENT)), key)
        order = sorted(nodes, key=lambda key: nodes[key].position)
        number = {key: rank for rank, key in enumerate(order)}
        edges = [(number[source], label, number[target]) for source, label, target in self._edges]
        return _graph([nodes[key] for key in order], edges, number[self._head(order)])

    def _add_edge(self, atom: Atom) -> None:
        variable = _variable(atom)
        lemma, *label = atom.predicate
        if not label:
            raise self._wrong(atom, f"expected a role after '{lemma}'")
        known = self._nouns.get(variable) or self._verbs.setdefault(variable, atom)
        if known.predicate[0] != lemma:
            raise self._wrong(atom, f"x _ {variable} is '{known.predicate[0]}', not '{lemma}'")
        self._first.setdefault(variable, atom)
        if isinstance(atom.arguments[1], str):
            self._first.setdefault(atom.arguments[1], atom)
        self._edges.append((variable, ":".join(label), atom.arguments[1]))

    def _head(self, order: Sequence[int | str]) -> int | str:
        """Return the node that dominates all others.

        Of a noun and the verb of its relative clause, which lead to each other, it is the noun.
        """
        import networkx as nx

        targets = {target for _, _, target in self._edges}
        ranked = sorted(order, key=lambda key: (key in targets, key not in self._nouns))
        graph: nx.DiGraph[int | str] = nx.DiGraph()
        graph.add_nodes_from(order)
        graph.add_edges_from((source, target) for source, _, target in self._edges)
        parts = nx.condensation(graph)
        heads = [parts.nodes[part]["members"] for part in parts if not parts.in_degree(part)]
        if len(heads) > 1:
            reached = {ranked[0], *nx.descendants(graph, ranked[0])}
            apart = next(key for key in order if key not in reached)
            reason = f"there is no head: {_named(ranked[0])} does not lead to {_named(apart)}"
            raise self._wrong(self._first[apart], reason)
        return next(key for key in ranked if key in heads[0])

    def _wrong(self, atom: Atom, reason: str) -> LogicalFormError:
        return LogicalFormError(offset(self._text, atom.at), reason)


def _named(key: int | str) -> str:
    return key if isinstance(key, str) else f"x _ {key}"


def _variable(atom: Atom) -> int:
    variable = atom.arguments[0]
    assert isinstance(variable, int)  # by the grammar of atoms
    return variable


def _graph(nodes: Sequence[GraphNode], edges: Iterable[tuple[int, str, int]], head: int) -> Graph:
    return Graph(tuple(nodes), tuple(sorted(edges, key=lambda edge: edge[0])), head)


def _constant_node(word: str, tokens: Sequence[str]) -> GraphNode:
    if word == "?":
        return GraphNode((("type", WH),), 0 if tokens else UNANCHORED)
    position = tokens.index(word) if word in tokens else UNANCHORED
    return GraphNode((("lemma", word), ("type", NAME)), position)


def _open_node(text: str, form: Form) -> GraphNode:
    first = form.atoms[0]
    lemma = first.predicate[0]
    if form.atoms == (((lemma,), (0,), first.at),) and len(form.binders) == 1:
        attributes = (("definite", "no"), ("lemma", lemma), ("open", "yes"), ("type", ENTITY))
        return GraphNode(attributes, 0)
    event = len(form.binders) - 1
    roles: dict[int, str] = {}
    for atom in form.atoms:
        wrong = _wrong_role(atom, lemma, event, roles)
        if wrong:
            raise LogicalFormError(offset(text, atom.at), wrong)
        roles[int(atom.arguments[1])] = ":".join(atom.predicate[1:])
    if not len(roles) == event <= len(PARAMETERS):
        raise LogicalFormError(0, f"of {event} variables before the event, {len(roles)} have roles")
    names = "+".join(roles[rank] for rank in reversed(range(event)))
    return GraphNode((("lemma", lemma), ("open", names), ("type", EVENT)), 0)


def _wrong_role(atom: Atom, lemma: str, event: int, known: Mapping[int, str]) -> str:
    if atom.predicate[0] != lemma:
        return f"expected a role of '{lemma}', found one of '{atom.predicate[0]}'"
    if len(atom.predicate) < 2:
        return f"expected a role after '{lemma}'"
    if len(atom.arguments) != 2 or atom.arguments[0] != event:
        return "expected the last variable and one other as arguments"
    if atom.arguments[1] == event or atom.arguments[1] in known:
        return "expected a variable without a role as the second argument"
    return ""


#: The labels that lead to a verb.
CLAUSAL = frozenset({"ccomp", "xcomp", "nmod"})


def read_varfree(text: str, common_nouns: Collection[str] = ()) -> Graph:
    """Read a variable-free form; ``common_nouns`` lists nouns with a capital (``TV``).

    Edges keep the order of the form.  Raises ``LogicalFormError``.
    """
    return _read_term(text, common_nouns)[0]


def _read_term(text: str, common_nouns: Collection[str], *, spelt: bool = False) -> tuple[Graph, list[int]]:
    """Return the graph, and its nodes in the order of an English sentence."""
    term = read_term(text, spelt=spelt)
    builder = _TermGraph(frozenset(common_nouns))
    if not term.arguments and builder.kind(term, "") == ENTITY and not term.definite:
        alone = (("definite", "no"), ("lemma", term.head), ("open", "yes"), ("type", ENTITY))
        return Graph((GraphNode(alone, 0),), (), 0), [0]
    builder.add(term, "")
    nodes = [GraphNode(found, rank) for rank, found in enumerate(builder.attributes)]
    return _graph(nodes, builder.edges, 0), builder.order


class _TermGraph:
    """The nodes and edges, in the order in which the form mentions them."""

    def __init__(self, common_nouns: frozenset[str]) -> None:
        self.attributes: list[tuple[tuple[str, str], ...]] = []
        self.edges: list[tuple[int, str, int]] = []
        #: The nodes in the order of a sentence, where the first argument of a verb comes before it.
        self.order: list[int] = []
        self._common_nouns = common_nouns
        #: Nouns, names and ``?`` by their term: the node, and the surrounding nouns that the term mentions.
        self._read: dict[tuple[str, tuple[str, ...]], list[tuple[int, frozenset[int]]]] = {}
        #: The nouns with open brackets: head, whether it has ``*``, and node.
        self._around: list[tuple[str, bool, int]] = []

    def add(self, term: Term, label: str) -> tuple[int, frozenset[int]]:
        """Return the node of a term to which ``label`` leads, and the nodes that it mentions outside itself."""
        kind = self.kind(term, label)
        if kind in (EVENT, PROPERTY):
            node = self._new((("lemma", term.head), ("type", kind)))
            return node, self._add_arguments(node, term)
        if not term.arguments:
            for head, definite, node in reversed(self._around):
                if (head, definite) == (term.head, term.definite):
                    return node, frozenset((node,))
        key = kind, tuple(_tokens(term))
        open_nouns = {node for _, _, node in self._around}
        for known, mentioned in reversed(self._read.get(key, ())):
            if mentioned <= open_nouns:
                return known, mentioned
        if kind == ENTITY:
            star = ("definite", "yes" if term.definite else "no")
            node = self._new((star, ("lemma", term.head), ("type", ENTITY)))
        else:
            lemma = () if kind == WH else (("lemma", term.head),)
            node = self._new((*lemma, ("type", kind)))
        self._around.append((term.head, term.definite, node))
        mentions = self._add_arguments(node, term) - {node}
        self._around.pop()
        self._read.setdefault(key, []).append((node, mentions))
        return node, mentions

    def _add_arguments(self, node: int, term: Term) -> frozenset[int]:
        mentions: frozenset[int] = frozenset()
        before = int(term.has_roles and term.arguments[0][0] not in CLAUSAL)
        for place, (label, argument) in enumerate(term.arguments):
            if place == before:
                self.order.append(node)
            target, mentioned = self.add(argument, label)
            self.edges.append((node, label, target))
            mentions |= mentioned
        if len(term.arguments) <= before:
            self.order.append(node)
        return mentions

    def _new(self, attributes: tuple[tuple[str, str], ...]) -> int:
        self.attributes.append(attributes)
        return len(self.attributes) - 1

    def kind(self, term: Term, label: str) -> str:
        if term.head == "?":
            return WH
        if term.definite or term.is_modified:
            return ENTITY
        if term.has_roles or label in CLAUSAL:
            return EVENT
        if label == ADJECTIVAL:
            return PROPERTY
        if term.head[0].isupper() and term.head not in self._common_nouns:
            return NAME
        return ENTITY


def _tokens(term: Term) -> list[str]:
    """Return the term as a flat list; equal terms give equal lists."""
    found = ["*", term.head] if term.definite else [term.head]
    for label, argument in term.arguments:
        found += ["(", label, *_tokens(argument), ")"]
    return found


#: Words of English sentences in COGS and SLOG that are not verbs, nouns or names; prepositions are in labels.
_FUNCTION = frozenset([".", "?", "a", "the", "that", "to", "by", "was", "did", "who", "what"])


def read_with(form: str, sentence: str) -> Graph:
    """Read a COGS form, variable-free form or feature tree with its English sentence, whose words are nodes.

    A variable-free form has the order of the sentence: the first argument of a verb before it, all other arguments and
    the modifiers of a noun after it; no noun is in the sentence twice.  Raises ``LogicalFormError``, also if the
    sentence does not fit.
    """
    tokens = sentence.split()
    if not {"_", "LAMBDA"}.isdisjoint(form.split()):
        return read_cogs(form, tokens)
    nouns = [word for before, word in pairwise(tokens) if before.lower() in ("a", "the")]
    graph, order = _read_term(form, nouns, spelt=True)
    if len(graph.nodes) == 1 and graph.nodes[0].get("open"):
        raise LogicalFormError(0, f"'{form}' by itself has no roles, so that it may be a noun or a verb")
    places = _places(graph, order, tokens)
    nodes = tuple(GraphNode(node.attributes, places[at]) for at, node in enumerate(graph.nodes))
    return Graph(nodes, graph.edges, graph.head)


def _places(graph: Graph, order: Sequence[int], tokens: Sequence[str]) -> dict[int, int]:
    """Return the place of each node in a sentence: other words by their lemma, and verbs in the ``order`` of nodes."""
    places, verbs = dict[int, int](), [at for at in order if graph.nodes[at].get("type") == EVENT]
    for at, lemma in ((at, node.get("lemma")) for at, node in enumerate(graph.nodes) if at not in verbs):
        if lemma and lemma not in tokens:
            raise LogicalFormError(0, f"'{lemma}' is not a word of the sentence")
        places[at] = tokens.index(lemma) if lemma else 0
    small = _FUNCTION.union(label.rpartition(":")[2] for _, label, _ in graph.edges)
    free = [at for at, word in enumerate(tokens) if at not in places.values() and word.lower() not in small]
    if len(verbs) != len(free):
        twice = "".join(f"; it has '{tokens[at]}' twice" for at in free if tokens.index(tokens[at]) in places.values())
        raise LogicalFormError(0, f"the form has {len(verbs)} verbs, and the sentence has {len(free)}{twice}")
    return places | dict(zip(verbs, free, strict=True))
