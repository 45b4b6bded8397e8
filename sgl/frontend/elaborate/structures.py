"""Write out the structures that clauses name, layer by layer, and say which nodes others may speak of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sgl.frontend.elaborate.substitution import nodes_given, substitution
from sgl.frontend.names.scopes import Scope
from sgl.lang import syntax as s


@dataclass(frozen=True)
class Written:
    """A structure in which nothing is abbreviated, as ``ref`` writes or names it.

    Of its ``parts`` each is about a layer; without one, about the layer that its clause is about.
    """

    ref: s.GraphRef
    scope: Scope
    parts: tuple[tuple[s.Name | None, s.GraphPattern], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The variables by which others may speak of its nodes; those inside a ``repeat`` are not, its ends are."""
        return tuple(dict.fromkeys(name.text for _, graph in self.parts for name in seen_in(graph.bodies[0])))

    @property
    def spoken(self) -> list[str]:
        """The names by which it may itself, as a condition, speak of nodes of an item.

        The nodes of a structure with parameters are its own, but for those that are arguments.
        """
        refs = (
            [part.graph for part in self.ref.parts] if isinstance(self.ref, s.Layered) else [self.ref] * len(self.parts)
        )
        found: list[str] = []
        for ref, (_, graph) in zip(refs, self.parts, strict=True):
            names = [name.text for body in graph.bodies for name in seen_in(body)]
            found += [name for name in names if not isinstance(ref, s.Application) or name in nodes_given(ref)]
        return found


def write_out(ref: s.GraphRef, scope: Scope) -> Written | None:
    """Return the structure that is written, or that a name and its arguments stand for; None after a report."""
    graph = _declared(ref, scope)
    if not isinstance(graph, s.Layered):
        return None if graph is None else Written(ref, scope, ((None, graph),))
    found: dict[str, tuple[s.Name, s.GraphPattern]] = {}
    for part in graph.parts:
        inner, name = _declared(part.graph, scope), part.layer
        if inner is None:
            return None
        if name.text in found or isinstance(inner, s.Layered):
            told = f"speaks of `{name}` twice" if name.text in found else "has its layers where it is declared"
            message, hint = f"this structure {told}", "write each layer once, before its braces"
            scope.resolved.session.error("SGL0832", name.span, message, hint)
            return None
        found[name.text] = name, inner
    return Written(ref, scope, tuple(found.values()))


def _declared(ref: s.GraphRef, scope: Scope) -> s.GraphPattern | s.Layered | None:
    if isinstance(ref, s.GraphPattern | s.Layered):
        return ref
    name = ref.name if isinstance(ref, s.Application) else ref
    declaration = scope.of(ref).find(s.StructureDecl, name)
    arguments = substitution(declaration, ref, scope.resolved.session) if declaration is not None else None
    if declaration is None or arguments is None:
        return None
    graph = arguments.write_out(declaration.graph)
    return graph if arguments.sound else None


def variables_in(part: s.SyntaxNode) -> Iterator[s.Name]:
    """Yield the variables of a structure, also those inside a ``repeat``, and its ends."""
    for found in s.parts_of((s.VariableRef, s.Repeat), part):
        if isinstance(found, s.Repeat):
            yield from (found.first, found.last)
        elif isinstance(found, s.VariableRef):
            yield found.name


def seen_in(body: s.BodyPattern) -> list[s.Name]:
    """Return the variables of a body without those inside its repeats."""
    names: list[s.Name] = []
    for statement in body.statements:
        if isinstance(statement, s.Chain):
            names += [variable.name for variable in statement.variables]
        elif isinstance(statement, s.Repeat):
            names += [statement.first, statement.last]
    return names
