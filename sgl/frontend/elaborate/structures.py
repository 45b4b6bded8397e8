"""Write out the structures that clauses name, and say which nodes others may speak of."""

from __future__ import annotations

from collections.abc import Iterator

from sgl.frontend.elaborate.substitution import substitution
from sgl.frontend.names.scopes import Scope
from sgl.lang import syntax as s


def variables_of(ref: s.GraphRef, scope: Scope) -> tuple[tuple[str, ...], ...]:
    """Return for each body of a structure the variables by which others may speak of its nodes.

    Those inside a ``repeat`` are not among them, its ends are.  Bodies on several layers that
    are joined are one, the first.
    """
    graphs = _graphs(ref, scope)
    names = [tuple(tuple(n.text for n in seen_in(body)) for body in g.bodies) for g in graphs]
    main = dict.fromkeys(name for bodies in names for name in bodies[0])
    return (tuple(main), *(tuple(dict.fromkeys(x)) for bodies in names for x in bodies[1:]))


def _graphs(ref: s.GraphRef, scope: Scope) -> list[s.GraphPattern]:
    written = written_out(ref, scope)
    if isinstance(written, s.Layered):
        return [graph for part in written.parts for graph in _graphs(part.graph, scope)]
    return [written] if written is not None else []


def written_out(ref: s.GraphRef, scope: Scope) -> s.GraphPattern | s.Layered | None:
    """Return the structure that is written, or that a name and its arguments stand for; None after a report."""
    if isinstance(ref, s.GraphPattern | s.Layered):
        return ref
    name = ref.name if isinstance(ref, s.Application) else ref
    declaration = scope.of(ref).find(s.StructureDecl, name)
    if declaration is None:
        return None
    arguments = substitution(declaration, ref, scope.resolved.session)
    if arguments is None:
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
