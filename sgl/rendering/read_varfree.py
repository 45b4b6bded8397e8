"""From a variable-free form back to its semantic graph.

The form has no variables, so copies are told by their words, which is enough where no
noun and no name occurs twice in a sentence::

    want ( agent = cat ( nmod . in = bed ) , xcomp = run ( agent = cat ( nmod . in = bed ) ) )

A bare noun that is being modified at this point (it stands inside its own brackets) is
that noun; a noun equal to an earlier one, modifiers included, is that earlier one;
every other noun is a new node.  A name is always the same node, so is ``?``, and each
verb and each adjective is a node of its own.  What the form does not tell is a matter of
convention:

* A word is a verb if it has roles, or is the value of ``ccomp``, ``xcomp`` or ``nmod``;
  an adjective if it is the value of ``amod``; a noun if it has ``*`` or modifiers;
  otherwise a name if it begins with a capital letter and is not among ``common_nouns``,
  else a noun.
* A common word by itself is read as a noun, and as a word outside of any sentence.
* Positions are ordinals: nodes are numbered as they are first mentioned.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sgl.core.graph import Graph, GraphNode
from sgl.rendering.meaning import ADJECTIVAL, ENTITY, EVENT, NAME, PROPERTY, WH
from sgl.rendering.terms import Term, read_term

#: Labels that lead to a verb.
CLAUSAL = frozenset({"ccomp", "xcomp", "nmod"})


def read_varfree(text: str, common_nouns: Collection[str] = ()) -> Graph:
    """Read a variable-free form; ``common_nouns`` are those with a capital (``TV``).

    The edges are in the order of the form, so ``varfree`` writes the same form again.

    Raises:
        LogicalFormError: if ``text`` is not a variable-free form.
    """
    term = read_term(text)
    builder = _Builder(frozenset(common_nouns))
    if not term.arguments and builder.kind(term, "") == ENTITY and not term.definite:
        alone = (("definite", "no"), ("lemma", term.head), ("open", "yes"), ("type", ENTITY))
        return Graph((GraphNode(alone, 0),), (), 0)
    builder.add(term, "")
    nodes = tuple(GraphNode(found, rank) for rank, found in enumerate(builder.attributes))
    edges = sorted(builder.edges, key=lambda edge: edge[0])
    return Graph(nodes, tuple(edges), 0)


@dataclass(frozen=True, slots=True)
class _Noun:
    """A noun that has been read: its node, and the nouns around it that it mentions."""

    node: int
    mentions: frozenset[int]


class _Builder:
    """Nodes and edges, in the order in which the form mentions them."""

    def __init__(self, common_nouns: frozenset[str]) -> None:
        self.attributes: list[tuple[tuple[str, str], ...]] = []
        self.edges: list[tuple[int, str, int]] = []
        self._common_nouns = common_nouns
        #: Nouns, names and ``?`` by their text, the latest last.
        self._read: dict[tuple[str, ...], list[_Noun]] = {}
        #: The nouns whose brackets are open: head, with ``*`` or without, and node.
        self._around: list[tuple[str, bool, int]] = []

    def add(self, term: Term, label: str) -> tuple[int, frozenset[int]]:
        """The node of a term that ``label`` leads to, and what it mentions outside it."""
        kind = self.kind(term, label)
        if kind in (EVENT, PROPERTY):
            node = self._new((("lemma", term.head), ("type", kind)))
            return node, self._add_arguments(node, term)
        if not term.arguments:
            for head, definite, node in reversed(self._around):
                if (head, definite) == (term.head, term.definite):
                    return node, frozenset((node,))
        text = (kind, *_tokens(term))
        open_nouns = {node for _, _, node in self._around}
        for known in reversed(self._read.get(text, ())):
            if known.mentions <= open_nouns:
                return known.node, known.mentions
        return self._add_noun(term, kind, text)

    def _add_noun(self, term: Term, kind: str, text: tuple[str, ...]) -> tuple[int, frozenset[int]]:
        if kind == ENTITY:
            definite = "yes" if term.definite else "no"
            node = self._new((("definite", definite), ("lemma", term.head), ("type", ENTITY)))
        else:
            lemma = () if kind == WH else (("lemma", term.head),)
            node = self._new((*lemma, ("type", kind)))
        self._around.append((term.head, term.definite, node))
        mentions = self._add_arguments(node, term) - {node}
        self._around.pop()
        self._read.setdefault(text, []).append(_Noun(node, mentions))
        return node, mentions

    def _add_arguments(self, node: int, term: Term) -> frozenset[int]:
        mentions: frozenset[int] = frozenset()
        for label, argument in term.arguments:
            target, mentioned = self.add(argument, label)
            self.edges.append((node, label, target))
            mentions |= mentioned
        return mentions

    def _new(self, attributes: tuple[tuple[str, str], ...]) -> int:
        self.attributes.append(attributes)
        return len(self.attributes) - 1

    def kind(self, term: Term, label: str) -> str:
        """The type of the node of a term that ``label`` leads to."""
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
    """The term as a flat list: equal for equal terms."""
    found = ["*", term.head] if term.definite else [term.head]
    for label, argument in term.arguments:
        found += ["(", label, *_tokens(argument), ")"]
    return found
