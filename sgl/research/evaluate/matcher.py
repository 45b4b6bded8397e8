"""Where a structure is in a graph, and which nodes its variables are.

The automata say *whether* a derivation contains a structure; what is scored here are the
words that are there, so that the nodes have to be known.  ::

    { V -[nsubj]-> N; N -[nmod]-> M }      in "A cat in a box slept."
    V = slept, N = cat, M = box

The search binds the variables one after the other, those with a neighbour that is bound
already first, so that it follows edges instead of trying all nodes.

"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from sgl.core.graph import Graph
from sgl.core.structure import Body, EdgeAtom, LabelTest, PathAtom, Structure, Variable

#: A node for each variable of a body, by index.
Binding = tuple[int, ...]


class GraphMatcher:
    """A graph with what the search asks of it."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.out: list[list[tuple[str, int]]] = [[] for _ in graph.nodes]
        self.into: list[list[tuple[str, int]]] = [[] for _ in graph.nodes]
        for source, label, target in graph.edges:
            self.out[source].append((label, target))
            self.into[target].append((label, source))

    @cached_property
    def attributes(self) -> list[dict[str, str]]:
        """The attributes of each node."""
        return [dict(node.attributes) for node in self.graph.nodes]

    def bindings(self, structure: Structure) -> list[Binding]:
        """Every injective match of the body that no ``without`` body extends."""
        body = structure.body
        return [
            binding
            for binding in self._matches(body, {})
            if not any(self._extends(body, binding, other) for other in structure.without)
        ]

    def labels(self, source: int, test: LabelTest, target: int) -> list[str]:
        """Return the labels of the edges between two nodes that pass a test."""
        return [label for label, node in self.out[source] if node == target and test.accepts(label)]

    def _extends(self, body: Body, binding: Binding, other: Body) -> bool:
        by_name = {
            variable.name: node for variable, node in zip(body.variables, binding, strict=True)
        }
        shared = {
            number: by_name[variable.name]
            for number, variable in enumerate(other.variables)
            if variable.name in by_name
        }
        # Also the nodes that the other body does not name are taken: different variables
        # of the whole structure are different nodes.
        return next(self._matches(other, shared, set(binding)), None) is not None

    def _matches(
        self, body: Body, fixed: Mapping[int, int], taken: set[int] | None = None
    ) -> Iterator[Binding]:
        bound = dict(fixed)
        if all(self._fits(body, bound, number) for number in bound):
            yield from self._bind(body, bound, {*bound.values(), *(taken or ())})

    def _bind(self, body: Body, bound: dict[int, int], taken: set[int]) -> Iterator[Binding]:
        if len(bound) == len(body.variables):
            yield tuple(bound[number] for number in range(len(bound)))
            return
        number, candidates = self._next(body, bound)
        for node in candidates:
            if node in taken:
                continue
            bound[number] = node
            if self._fits(body, bound, number):
                yield from self._bind(body, bound, {*taken, node})
            del bound[number]

    def _next(self, body: Body, bound: Mapping[int, int]) -> tuple[int, Sequence[int]]:
        """Return a variable that is not bound, and the nodes that it can be."""
        for link in body.edges:
            if link.source in bound and link.target not in bound:
                near = self.out[bound[link.source]]
                return link.target, list(dict.fromkeys(node for _, node in near))
            if link.target in bound and link.source not in bound:
                near = self.into[bound[link.target]]
                return link.source, list(dict.fromkeys(node for _, node in near))
        for path in body.paths:
            if path.source in bound and path.target not in bound:
                return path.target, sorted(self._reached(path, bound[path.source]))
        free = [number for number in range(len(body.variables)) if number not in bound]
        # What is tested on most is tried first.
        chosen = max(free, key=lambda number: (_tests(body.variables[number]), -number))
        return chosen, range(len(self.graph.nodes))

    def _fits(self, body: Body, bound: Mapping[int, int], number: int) -> bool:
        """Tell whether a bound variable passes its tests and agrees with those bound before."""
        return self._passes(body.variables[number], bound[number]) and all(
            self._holds(link, bound)
            for link in body.links
            if number in (link.source, link.target)
            and link.source in bound
            and link.target in bound
        )

    def _holds(self, link: EdgeAtom | PathAtom, bound: Mapping[int, int]) -> bool:
        source, target = bound[link.source], bound[link.target]
        if isinstance(link, EdgeAtom):
            return bool(self.labels(source, link.labels, target))
        return target in self._reached(link, source)

    def _passes(self, variable: Variable, node: int) -> bool:
        attributes = self.attributes[node]
        return all(
            test.accepts(attributes.get(test.attribute, "")) for test in variable.tests
        ) and all(
            degree.accepts(sum(degree.labels.accepts(label) for label, _ in self.out[node]))
            for degree in variable.degrees
        )

    def _reached(self, path: PathAtom, start: int) -> set[int]:
        """Return the nodes at the ends of the walks of a path from a node."""
        found: set[int] = set()
        layer = {start}
        # A walk longer than this repeats itself.
        most = path.low + len(self.graph.nodes) if path.high is None else path.high
        for length in range(most + 1):
            if length >= path.low:
                found |= layer
            layer = {
                target
                for node in layer
                for label, target in self.out[node]
                if path.labels.accepts(label)
            }
            if not layer:
                break
        return found


def _tests(variable: Variable) -> int:
    return len(variable.tests) + len(variable.degrees)
