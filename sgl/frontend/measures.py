"""Lower what structures say of a whole text: how long it is, and how deep.

A length stays a test of its own.  A depth becomes a walk, or the absence of one, whatever node it would begin at::

    depth ccomp >= 3     { A -[ccomp]{3}-> B }
    depth ccomp <= 2     { N } without { A -[ccomp]{3}-> B } without { N -[ccomp]{3}-> B } …
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sgl import limits
from sgl.core import structure as c
from sgl.diagnostics import Span, suggest
from sgl.lang import syntax as s

if TYPE_CHECKING:
    from sgl.frontend.state import CompilerState


def length_test(written: s.Length, layers: tuple[str, ...], state: CompilerState) -> c.LengthTest | None:
    """Return the test on the length of a text in one of the layers; None after a report."""
    layer, sign, part, more = written.layer, written.comparison.text, "", 0
    if layers and layer.text not in layers:
        hint = suggest(layer.text, layers, "there is")
        state.error("SGL0201", layer.span, f"there is no text layer `{layer}`", hint)
        return None
    if isinstance(written.number, s.Longest):
        part, more = written.number.part.text, int(str(written.number.more or 0))
    else:
        number = state.parameters.whole(written.number)
        if number is None or not countable(number, written.number.span, state):
            return None
        more = number
    known = {">": (">=", 1), "<": ("<=", -1)}
    name, step = known.get(sign, (sign, 0))
    comparison = next(own for own in _SIGNS if own == name)
    if more + step < 0 and not part:
        state.error("SGL0801", written.span, "no text has fewer than 0 words")
        return None
    return c.LengthTest(layer.text, comparison, more + step, part)


_SIGNS: tuple[c.Sign, ...] = ("=", ">=", "<=", "!=")


def countable(number: int, place: Span, state: CompilerState) -> bool:
    """Return whether structures can count so far; report it otherwise."""
    most = limits.current().counts
    if number > most:
        hint = f"`--limit counts={number}` allows it; the automaton grows with the number"
        state.error("SGL0801", place, f"a structure counts to {most} at most", hint)
    return number <= most


def depth_bodies(written: s.Depth, labels: c.LabelTest, state: CompilerState) -> tuple[c.Body, ...] | None:
    """Return the body of a structure and its ``without`` bodies; None after a report."""
    number = state.parameters.whole(written.number)
    sign = written.comparison.text
    if number is None or not countable(number, written.number.span, state):
        return None
    least = {">": number + 1, ">=": number, "=": number}.get(sign, 0)
    most = {"<": number - 1, "<=": number, "=": number}.get(sign)
    if sign == "!=" or (most is not None and most < 0) or (most is None and not least):
        message = f"`depth … {sign} {number}` asks for nothing that a text can have or lack"
        if sign == "!=":
            message = "a depth is tested with `>=`, `<=`, `>`, `<` or `=`"
        state.error("SGL0801", written.span, message)
        return None
    body = _walk(labels, least, "A", "B") if least else c.Body((c.Variable("N"),))
    return body, *(() if most is None else _nowhere(labels, most + 1, body))


def _walk(labels: c.LabelTest, edges: int, source: str, target: str) -> c.Body:
    variables = c.Variable(source), c.Variable(target)
    if edges == 1:
        return c.Body(variables, (c.EdgeAtom(0, labels, 1),))
    return c.Body(variables, paths=(c.PathAtom(0, labels, 1, edges, edges),))


def _nowhere(labels: c.LabelTest, edges: int, body: c.Body) -> Iterator[c.Body]:
    """Yield what keeps a walk out of the whole text: its ends may be nodes of the match, or not."""
    own = [variable.name for variable in body.variables]
    for source in ("X", *own):
        for target in ("Y", *own):
            if source != target:
                yield _walk(labels, edges, source, target)


def check_measures(graph: s.GraphPattern, bodies: Sequence[c.Body], state: CompilerState) -> None:
    """Report measures in a ``without``, and a depth beside nodes."""
    for body in graph.bodies[1:]:
        for measure in s.parts_of((s.Length, s.Depth), body):
            message = "a measure is about the whole text, and a `without` about one match"
            hint = "write the opposite of the measure between the first braces"
            state.error("SGL0801", measure.span, message, hint)
    lengths = [*s.parts_of(s.Length, graph.bodies[0])]
    if lengths and graph.bodies[1:] and not bodies[0].variables:
        message = "a `without` is about nodes, and there are none between the first braces"
        state.error("SGL0801", lengths[0].span, message, "write a node there: `N`")
    depths = [*s.parts_of(s.Depth, graph.bodies[0])]
    if depths and (len(depths) > 1 or len(graph.bodies) > 1 or bodies[0].variables):
        message = "a `depth` stands alone between its braces, or beside lengths"
        hint = "write the walk with its nodes: `A -[ccomp]{3}-> B`"
        state.error("SGL0801", depths[-1].span, message, hint)
