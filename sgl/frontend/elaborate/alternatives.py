"""Write out clauses for several structures: for each number of a range, and for nodes that may coincide.

::

    forbid { N -[nmod]-> M; W -[amod]-> A; W may be N }     { N -[nmod]-> M; W -[amod]-> A; W is not N }
                                                            { N -[nmod]-> M; N -[amod]-> A }
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

from sgl.frontend.elaborate.substitution import Substitution, each_number
from sgl.frontend.names.scopes import Resolved
from sgl.lang import syntax as s

#: Clauses that may have alternative structures.
_ANY_OF = ("forbid", "never", "gen", "exclude")


def each_structure(clause: s.StructureClause, state: Resolved) -> Iterator[s.StructureClause]:
    """Yield a clause for each number of its range, and for each way in which nodes that may coincide do or do not."""
    for one in each_number(clause, state):
        yield from _alternatives(one, state) if one.kind in _ANY_OF and _is_sound(one, state) else [one]


def _is_sound(clause: s.StructureClause, state: Resolved) -> bool:
    """Return whether no two nodes are declared both equal and distinct; report it otherwise."""
    told = [*s.parts_of(s.Sameness, clause.graph)]
    apart = {frozenset((one.first.text, one.second.text)) for one in told if not one.may}
    small = (one for one in told if one.may and not all(n.text[0].isupper() for n in (one.first, one.second)))
    for one in small:
        message = f"`{one.first}` and `{one.second}` cannot be one node: names of nodes begin with a capital letter"
        state.error("SGL0801", one.span, message, "a use of one rule is never a use of another; leave this out")
        return False
    for one in (one for one in told if one.may and frozenset((one.first.text, one.second.text)) in apart):
        message = f"`{one.first}` and `{one.second}` are both one node and two"
        state.error("SGL0801", one.span, message, "remove one of the two")
        return False
    return True


def _firsts(graph: s.GraphRef) -> Iterator[s.Sameness]:
    """Yield the statements on sameness in the first braces of each layer; a `without` cannot have any."""
    graphs = [part.graph for part in graph.parts] if isinstance(graph, s.Layered) else [graph]
    for own in graphs:
        if isinstance(own, s.GraphPattern):
            yield from (said for said in own.bodies[0].statements if isinstance(said, s.Sameness))


def _alternatives(clause: s.StructureClause, state: Resolved) -> Iterator[s.StructureClause]:
    told = next((one for one in _firsts(clause.graph) if one.may), None)
    if told is None or told.first.text == told.second.text:
        yield clause
        return
    yield from _alternatives(_stating(clause, told, (replace(told, may=False),)), state)
    same = s.LabelSet(told.span, (s.LabelText(told.second.span, told.second.text, False),), False)
    merged = Substitution({told.first.text: same}, state).write_out(_stating(clause, told, ()))
    # An edge never leads back to its own node, so its ends never coincide.
    chains = ([node.name.text for node in own.variables] for own in s.parts_of(s.Chain, merged.graph))
    if not any(one == other for names in chains for one, other in pairwise(names)):
        yield from _alternatives(merged, state)


def _stating(part: Any, old: s.Sameness, new: tuple[s.Sameness, ...]) -> Any:  # noqa: ANN401 - with what it has
    """Return a clause, or a part of its structure, with one statement replaced by others."""
    match part:
        case s.StructureClause():
            return replace(part, graph=_stating(part.graph, old, new))
        case s.Layered():
            return replace(part, parts=tuple(replace(p, graph=_stating(p.graph, old, new)) for p in part.parts))
        case s.GraphPattern():
            return replace(part, bodies=tuple(_stating(body, old, new) for body in part.bodies))
        case s.BodyPattern():
            said = (new if statement is old else (statement,) for statement in part.statements)
            return replace(part, statements=tuple(chain.from_iterable(said)))
    return part
