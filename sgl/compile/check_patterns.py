"""Check patterns against one another and against the sizes of the splits.

What a pattern says by itself is checked where it is lowered; here two patterns
that hold out the same, parts of which training cannot have enough, patterns that
are never tested, and waived parts of nothing::

    train 50                    need { V -[obj]-> N } >= 1000
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import networkx as nx
from networkx.algorithms.isomorphism import DiGraphMatcher

from sgl.compile.dataset import SPLITS
from sgl.compile.names import Names
from sgl.compile.parts import LoweredPart
from sgl.compile.patterns import LoweredPattern
from sgl.compile.quotas import count_of_sentences
from sgl.compile.switches import Parameters
from sgl.core.structure import Body, EdgeAtom, LabelTest, PathAtom, Structure
from sgl.diagnostics import Diagnostics, Label, Span
from sgl.lang import syntax as s

TRAIN = "train"

_Links = list[EdgeAtom | PathAtom]


def check_sizes(names: Names, parameters: Parameters, diagnostics: Diagnostics) -> None:
    """Report splits of more sentences than can be asked for."""
    for dataset, _ in names.of(s.Dataset):
        for clause in dataset.clauses:
            if clause.key.text in SPLITS and clause.amount is not None:
                count_of_sentences(clause.amount, parameters, diagnostics)


def check_patterns(
    patterns: Sequence[LoweredPattern],
    parts: Sequence[LoweredPart],
    sizes: Mapping[str, int],
    diagnostics: Diagnostics,
) -> None:
    """Report what patterns cannot ask for together, or of this dataset.

    ``sizes`` are the numbers of in-distribution sentences of the splits.
    """
    for first, second in combinations(patterns, 2):
        _check_same(first, second, diagnostics)
    exposed = sum(e.count for lowered in patterns for e in lowered.pattern.expose)
    apart = sum(quota.count for lowered in parts for quota in lowered.part.quotas)
    trained = sizes.get(TRAIN, 0) + exposed + apart
    for lowered in patterns:
        if lowered.pattern.forbid and not lowered.pattern.quotas:
            name = lowered.declaration.name
            diagnostics.warning(
                "SGL0822",
                name.span,
                f"the pattern `{name}` has no items",
                hint="say how many: `size 1000`",
            )
        _check_waived(lowered, diagnostics)
        for index, need in enumerate(lowered.pattern.need):
            if need.minimum > trained:
                diagnostics.error(
                    "SGL0821",
                    lowered.span("need", index),
                    f"{need.minimum:,} sentences are needed, but training has {trained:,}",
                    hint="need fewer, or make `train` larger",
                )


def _check_same(first: LoweredPattern, second: LoweredPattern, diagnostics: Diagnostics) -> None:
    """Report structures that both hold out, unless each allows those of the other."""
    allowing = [
        f"`allow {other.pattern.name}` to `{one.pattern.name}`"
        for one, other in ((first, second), (second, first))
        if other.pattern.name not in one.pattern.allow
    ]
    if not allowing:
        return
    earlier = {structure.canonical(): span for structure, span in reversed([*_held_out(first)])}
    for structure, span in _held_out(second):
        if structure.canonical() in earlier:
            diagnostics.error(
                "SGL0819",
                span,
                f"`{first.pattern.name}` and `{second.pattern.name}` hold out the same structure",
                labels=[Label(earlier[structure.canonical()], "the same is held out here")],
                notes=("an item of one would contain what the other holds out",),
                hint=f"add {' and '.join(allowing)}, or make one of the two structures narrower",
            )


def _check_waived(lowered: LoweredPattern, diagnostics: Diagnostics) -> None:
    """Warn about waived structures that are no part of any that is held out."""
    for index, structure in enumerate(lowered.pattern.waive):
        if not any(is_part(structure, whole) for whole in lowered.pattern.held_out):
            diagnostics.warning(
                "SGL0826",
                lowered.span("waive", index),
                "this is no part of what the pattern holds out, so there is nothing to waive",
                hint="write the part of the held-out structure that training may lack",
            )


def is_part(part: Structure, whole: Structure) -> bool:
    """Whether the nodes of one structure can be nodes of another with edges like its own.

    Edges are alike if a label passes both; a path is part of a path that is not shorter.
    """

    def alike(of_whole: Mapping[str, _Links], of_part: Mapping[str, _Links]) -> bool:
        return all(any(_alike(p, w) for w in of_whole["links"]) for p in of_part["links"])

    matcher = DiGraphMatcher(_as_graph(whole.body), _as_graph(part.body), edge_match=alike)
    return next(matcher.subgraph_monomorphisms_iter(), None) is not None


def _as_graph(body: Body) -> nx.DiGraph[int]:
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(body.variables)))
    for link in body.links:
        graph.add_edge(link.source, link.target, links=[])
    for link in body.links:
        graph.edges[link.source, link.target]["links"].append(link)
    return graph


def _alike(part: EdgeAtom | PathAtom, whole: EdgeAtom | PathAtom) -> bool:
    return _length(part) <= _length(whole) and _meet(part.labels, whole.labels)


def _length(atom: EdgeAtom | PathAtom) -> int:
    return atom.low if isinstance(atom, PathAtom) else 1


def _meet(first: LabelTest, second: LabelTest) -> bool:
    """Whether some label can pass both tests."""
    if first.negated and second.negated:
        return True
    if first.negated or second.negated:
        plain, other = (second, first) if first.negated else (first, second)
        return any(other.accepts(label) for label in plain.labels)
    return not first.labels.isdisjoint(second.labels)


def _held_out(lowered: LoweredPattern) -> Iterator[tuple[Structure, Span]]:
    for index, structure in enumerate(lowered.pattern.forbid):
        yield structure, lowered.span("forbid", index)
    for index, structure in enumerate(lowered.pattern.never):
        yield structure, lowered.span("never", index)
