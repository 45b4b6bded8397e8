"""Make graphs of ordered feature trees, so that patterns can speak of them.

A feature tree has no words; a graph of SGL is on the words of a text.  A label of a tree is on the word of its rule
that is spelt alike, or else on the last word that is left.  Words and children that the tree leaves out depend on its
root as ``dep``, and an edge to a child that the tree has already is marked by ``~``.
"""

import re
from collections.abc import Iterator, Sequence

from sgl.core.grammar import Edge, Fragment, Node, Slot, Template, Token
from sgl.lang.syntax import Name
from sgl.research.exchange.irtg_file import IrtgTerm, Operation
from sgl.research.exchange.names import identifier

#: The label of an edge to what the tree leaves out.
LEFT_OUT = "dep"


def tree_fragment(term: IrtgTerm, words: Template) -> Fragment | str:
    """Return the graph of a rule's term on the words of its template, or a label that is on no word."""
    written = {at: item.text for at, item in enumerate(words) if isinstance(item, Token) and item.text}
    free = dict(written) if len(set(written.values())) == len(written) else {}
    leaves = list(_leaves(term))
    own = [leaf.symbol.text for _, _, leaf in leaves if isinstance(leaf, Operation)]
    nodes: list[Node] = []
    edges: list[Edge] = []
    known: dict[int, int] = {}
    places: list[int] = []
    for parent, label, leaf in leaves:
        new: list[Node] = []
        place = len(nodes)
        if isinstance(leaf, Name):
            child = int(leaf.text) - 1
            new = [] if child in known else [Node(glue=((child, 0),))]
            place = known.setdefault(child, place)
        elif (at := _place_of(lemma := leaf.symbol.text, free, own)) is not None:
            del free[at]
            new = [_word(re.sub(r"\[.*\]$", "", "_".join(lemma.split())), at)]
        else:
            return lemma
        nodes += new
        places.append(place)
        if parent >= 0:
            edges.append(Edge(places[parent], ("" if new else "~") + edge_label(label), place))
    rest = [_word(word, at) for at, word in free.items()]
    rest += (Node(glue=((x.child, 0),)) for x in words if isinstance(x, Slot) and x.child not in known)
    edges += (Edge(0, LEFT_OUT, len(nodes) + number) for number in range(len(rest)))
    return Fragment((*nodes, *rest), tuple(edges), (0,))


def _place_of(lemma: str, free: dict[int, str], labels: Sequence[str]) -> int | None:
    """Return the place of the word that a label is on: of one spelt alike, or of the last that no label is spelt as."""
    spelt = (at for at, word in free.items() if word == lemma)
    left = (at for at, word in reversed(free.items()) if word not in labels)
    return next(spelt, next(left, None))


def edge_label(symbol: str) -> str:
    """Return an operation of the algebra as a label: ``nmod:that`` for ``nmod<that>``.

    >>> edge_label("pre_agent")
    'agent'
    """
    plain = re.sub(r"<(.*)>", r":\1", re.sub(r"^(pre|post)_", "", symbol))
    return ":".join(identifier(part, LEFT_OUT) for part in plain.split(":") if part) or LEFT_OUT


def _word(lemma: str, at: int) -> Node:
    return Node((("lemma", lemma),), at)


def _leaves(term: IrtgTerm) -> Iterator[tuple[int, str, IrtgTerm]]:
    """Yield the leaves of a term, each with the number of the leaf to which its edge belongs, and the operation."""
    number, pending = 0, [(-1, "", term)]
    while pending:
        parent, label, part = pending.pop()
        below = []
        while isinstance(part, Operation) and part.arguments:
            below.append((number, part.symbol.text, part.arguments[1]))
            part = part.arguments[0]
        yield parent, label, part
        pending += below
        number += 1
