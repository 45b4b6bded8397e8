"""Compute HEAD, DEPREL and DEPS of the words of a sentence: its tree, and all edges of its graph."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sgl.verify.schema_grammar import Flaw

WordArc = tuple[int, str, int]  # an edge between words


class Arc(NamedTuple):
    """An edge into a word, ``marked`` if it is extracted; the head is a word number from 1, or 0."""

    marked: bool
    head: int
    label: str


class EdgeColumns(NamedTuple):
    """The columns of a word, and whether its edge in the tree is marked."""

    head: str
    label: str
    deps: str
    extracted: bool


def edge_columns(
    size: int, edges: Sequence[WordArc], head: int, free: bool, spend: Callable[[int], object]
) -> list[EdgeColumns]:
    """Return the columns of each word; in a free layer no word has a head."""
    into = arcs_into(size, edges, free=free)
    if not free:
        for arcs in into[max(head, 0) : head + 1]:
            arcs.insert(0, Arc(False, 0, "root"))
    for arcs in into:
        arcs.sort()
    tree = {} if free else tree_of(into, spend)
    return [_columns(arcs, tree.get(word)) for word, arcs in enumerate(into)]


def arcs_into(size: int, edges: Sequence[WordArc], *, free: bool) -> list[list[Arc]]:
    """Return the edges into each word."""
    into: list[list[Arc]] = [[] for _ in range(size)]
    for source, label, target in edges:
        marked = label.startswith("~") and not free
        into[target].append(Arc(marked, source + 1, label[1:] if marked else label))
    return into


def _columns(arcs: list[Arc], own: Arc | None) -> EdgeColumns:
    deps = "|".join(f"{head}:{label}" for head, label in sorted(arc[1:] for arc in arcs)) or "_"
    if own is None:
        return EdgeColumns("_", "_", deps, False)
    return EdgeColumns(str(own.head), own.label, deps, own.marked)


def tree_of(into: list[list[Arc]], spend: Callable[[int], object]) -> dict[int, Arc]:
    """Return each word's edge in the tree: its unmarked edge, or otherwise the first that leads there."""
    tree = dict[int, Arc]()
    while len(tree) < len(into):
        spend(len(into))
        ways = [*_ways(into, tree)]
        if not ways:
            raise Flaw("a word is not below the head of its sentence")
        unmarked = [(word, arc) for word, arc in ways if not arc.marked]
        tree |= dict(unmarked or ways[:1])
    return tree


def _ways(into: list[list[Arc]], tree: dict[int, Arc]) -> Iterator[tuple[int, Arc]]:
    """Yield edges that connect further words to the tree; a word with an unmarked edge uses no other."""
    for word, arcs in enumerate(into):
        for arc in arcs if word not in tree else ():
            if arc.marked == arcs[0].marked and (arc.head == 0 or arc.head - 1 in tree):
                yield word, arc
