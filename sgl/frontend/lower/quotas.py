"""Lower numbers of sentences and their conditions.

A condition is joined to the structure that the sentences contain anyway, its *anchor*: a variable that both mention is
one node, so that the two are found together::

    gen     { V -[nsubj]-> N; N -[nmod]-> M }
    size    500 within { V -[obj]-> O }
    joined  { V -[nsubj]-> N; N -[nmod]-> M; V -[obj]-> O }

A sentence contains the joined structure exactly if some match of the anchor extends to the condition.  All other
variables of the condition are new nodes.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, combinations, permutations

from sgl.core.extent import Extent
from sgl.core.joint import PLUS, lift, linked, renamed, united, variable_of
from sgl.core.plan import Quota
from sgl.core.structure import Body, Structure
from sgl.diagnostics import Label, Span, attempt, each, sound, there
from sgl.frontend.elaborate.substitution import items_of, write_out
from sgl.frontend.lower.bodies import StructureContext
from sgl.frontend.lower.structures import check_words, lower_structure, told_in
from sgl.frontend.names.scopes import Resolved, Scope
from sgl.lang import syntax as s
from sgl.values import dataclass, replace


@dataclass(frozen=True)
class Clause:
    """A clause with a structure that sentences contain, the names of its nodes, and its number of sentences.

    ``told`` are the derivation nodes that a test identifies, whatever their names.
    """

    written: s.StructureClause
    structure: Structure
    names: tuple[str, ...]
    told: frozenset[str] = frozenset()
    sentences: int = 1


def lower_clause(clause: s.StructureClause, scope: Scope, context: StructureContext) -> Clause:
    """Return a clause with its structure."""
    written = write_out(clause.graph, scope)
    structure = lower_structure(written, context)
    told = frozenset[str]().union(*(told_in(graph) for _, graph in written.parts))
    return Clause(clause, structure, written.names, told)


Sized = tuple[s.SizeItem, Quota]


def sizes_of(declaration: s.PatternDecl | s.PartDecl, state: Resolved) -> list[s.SizeClause]:
    """Return the ``size`` clauses of a pattern or part, also conditional ones; report a second unconditional one."""
    found = [clause for clause in declaration.clauses if isinstance(clause, s.SizeClause)]
    plain = [clause for clause in found if any(item.when is None for item in clause.items)]
    for clause in plain[1:]:
        hint = "write all numbers after one `size`, with commas: they are added"
        state.report_twice("clause", s.Name("size", clause.span), plain[0].span, hint)
    return found


def lower_sizes(
    clauses: Iterable[s.PatternClause | s.PartClause],
    anchors: Sequence[Clause],
    scope: Scope,
    context: StructureContext,
) -> list[Sized]:
    """Return the sound items of ``size`` in force, with quotas; their sentences contain one of ``anchors``, if any."""
    written = (clause.items for clause in clauses if isinstance(clause, s.SizeClause))
    items = (item for own in written for item in items_of(own, scope, context.state))
    return sound(partial(_sized, anchors=anchors, scope=scope, context=context), items)


def _sized(item: s.SizeItem, anchors: Sequence[Clause], scope: Scope, context: StructureContext) -> Sized:
    lower = partial(_condition, anchors=anchors, scope=scope, context=context)
    groups = attempt(each, lower, [condition.graph for condition in item.conditions])
    extent = _extent(item, [anchor.structure for anchor in anchors], context)
    pairs = list(zip(item.conditions, there(groups), strict=True))
    within = [group for condition, group in pairs if not condition.outside]
    outside = [group for condition, group in pairs if condition.outside]
    return item, Quota(
        extent,
        within=tuple(group[0] for group in within if len(group) == 1),
        within_one_of=tuple(group for group in within if len(group) > 1),
        outside=tuple(chain.from_iterable(outside)),
        split=item.split.text if item.split is not None else "train",
    )


def _extent(item: s.SizeItem, structures: Sequence[Structure], context: StructureContext) -> Extent:
    """Return the extent of an item, whose sentences contain one of the structures."""
    assert isinstance(item.amount, s.Amount)  # Quotas have been written out.
    state, every = context.state, context.state.parameters.is_all(item.amount)
    _check_parts(item, state, every=every)
    contexts, copies = state.parameters.copies(item.contexts), state.parameters.copies(item.copies)
    count = 0 if every else count_asked_for(item.amount, item.share, context, contexts)
    if item.share is not None:
        check_shares(item.span, count, structures, context)
    targets = context.targets if item.share is not None else None
    instances = contexts if item.contexts is not None else 0
    return Extent(count, every, copies, instances, targets or (), at_most=item.most)


def _check_parts(item: s.SizeItem, state: Resolved, *, every: bool) -> None:
    """Report parts of an item that do not go together."""
    if every and item.share is not None:
        hint = "write a number, or leave out `per target` and `shared`"
        state.fail("SGL0825", item.span, "targets have no shares of `all` sentences", hint)
    if item.most and (every or item.contexts is not None):
        state.fail("SGL0825", item.span, "`at most` limits a number of sentences", "say how many: `size at most 500`")
    if item.contexts is not None and (every or item.share is not None or item.copies is not None):
        hint = "write one of `instances in`, `all`, `per target`, `shared` and `repeated`"
        state.fail("SGL0825", item.span, "instances have contexts, not shares or copies", hint)


def _condition(
    ref: s.GraphRef, anchors: Sequence[Clause], scope: Scope, context: StructureContext
) -> tuple[Structure, ...]:
    written = write_out(ref, scope)
    names = written.spoken
    told = frozenset(names) & frozenset[str]().union(*(anchor.told for anchor in anchors))
    structure = lower_structure(written, replace(context, told=told))
    shared = frozenset(names).intersection(*(anchor.names for anchor in anchors))
    for name in names:
        has = next((anchor for anchor in anchors if name in anchor.names), None)
        if has is not None and name not in shared:
            lacks = next(anchor for anchor in anchors if name not in anchor.names)
            message = f"`{name}` is a node of one of the structures that these sentences contain, but not of another"
            labels = [
                Label(has.written.span, f"here there is a `{name}`"),
                Label(lacks.written.span, f"here there is no `{name}`"),
            ]
            hint = f"rename `{name}` here, or call the node `{name}` there too"
            context.state.fail("SGL0824", ref.span, message, hint, labels=labels)
    if not shared or not anchors:
        return (structure,)
    layers = [*context.beside]
    found = tuple(join(anchor.structure, structure, shared, layers) for anchor in anchors)
    for one in found:
        check_words(one, ref, context)
    return found


def check_shares(span: Span, count: int, structures: Sequence[Structure], context: StructureContext) -> None:
    """Check that each target can have a share of ``count`` sentences that contain one of ``structures``."""
    targets = context.targets
    problem = hint = ""
    if not targets:
        problem = "the pattern has no targets that could have a share"
        hint = "add `targets …` to the pattern, or leave out `per target` and `shared`"
    elif count < len(targets):
        problem = f"{count} sentences are too few for the {len(targets)} targets of the pattern"
        hint = f"ask for at least {len(targets)}"
    elif not all(
        any(
            test.attribute == "lemma" and not test.negated and test.values.issubset(targets)
            for variable in structure.body.variables
            for test in variable.tests
        )
        for structure in structures
    ):
        problem = "a sentence with this structure need not contain a target"
        hint = "say which node is the target: `N[@targets]`"
    if problem:
        context.state.fail("SGL0825", span, problem, hint)


def count_asked_for(amount: s.Amount, share: s.Share | None, context: StructureContext, contexts: int = 1) -> int:
    """Return the requested number of sentences, once for each target or context."""
    targets = len(context.targets or ()) if share is not None else 1
    times = targets if share is not None and share.each else 1
    return context.state.parameters.sentences(amount, context.percent, times, targets, contexts)


def join(first: Structure, second: Structure, shared: frozenset[str], layers: Sequence[str] = ()) -> Structure:
    """Return the structure that matches where a match of ``first`` extends to ``second``.

    ``shared`` names the variables of ``second`` that are variables of the main body
    of ``first``; ``layers`` are all graph layers.
    """
    own = {name for part in (first, second) for name in part.layer.split(PLUS)}
    if several := len(own) > 1:
        layer = PLUS.join(name for name in layers if name in own)
        first, second = (replace(lift(part), layer=layer, named=True) for part in (first, second))
    names = _names_apart(first, second, shared)
    body = united(first.body, renamed(second.body, names))
    fresh = [name for name in _names(body) if name not in _names(first.body)]
    without = [variant for part in first.without for variant in _variants(part, _names(first.body), fresh)]
    without += [renamed(part, names) for part in second.without]
    found = replace(first, body=body, without=tuple(dict.fromkeys(without)))
    return linked(found) if several else found


def _names(body: Body) -> list[str]:
    return [variable.name for variable in body.variables]


def _names_apart(first: Structure, second: Structure, shared: frozenset[str]) -> dict[str, str]:
    """Return new names for the variables, or joint words, of ``second``: only ``shared`` ones occur in ``first``."""
    taken = {variable_of(x) for body in (first.body, *first.without) for x in _names(body)}
    every = dict.fromkeys(name for body in (second.body, *second.without) for name in _names(body))
    own = dict.fromkeys(map(variable_of, every))
    names: dict[str, str] = {}
    for name in own:
        chosen, number = name, 0
        while name not in shared and (chosen in taken or (chosen != name and chosen in own)):
            number += 1
            chosen = f"{name}_{number}"
        names[name] = chosen
        taken.add(chosen)
    return {name: names[variable_of(name)] + name[len(variable_of(name)) :] for name in every}


def _variants(part: Body, kept: Sequence[str], fresh: Sequence[str]) -> Iterator[Body]:
    """Yield the bodies that exclude a match of the first structure, whichever nodes the second adds.

    The new variables of a ``without`` body differ from the nodes of the match.  The joined match has more nodes, and
    one of them may exclude the match: so there is a body for every way to identify some of them with new variables of
    their layer. A word of the match is never a new variable, even if only the body mentions it in its layer.
    """
    names, words = _names(part), {variable_of(name) for name in kept}
    own = [name for name in names if variable_of(name) not in words]
    others = [name for name in fresh if name not in names]
    for size in range(min(len(own), len(others)) + 1):
        for chosen in combinations(own, size):
            for nodes in permutations(others, size):
                pairs = dict(zip(chosen, nodes, strict=True))
                if all(x.partition(".")[2] == y.partition(".")[2] for x, y in pairs.items()):
                    yield renamed(part, pairs)
