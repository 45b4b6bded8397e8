"""Lower numbers of sentences and the conditions they come with.

A quota is an item of ``size``: so many sentences within some structures and outside
others.  A condition that shares variables with the structure which the sentences
contain anyway, its *anchor*, is joined to it (:mod:`sgl.frontend.joins`)::

    gen  { V -[nsubj]-> N; N -[nmod]-> M }
    size 500 within { C -[ccomp]-> V }, 500 outside { C -[ccomp]-> V }
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sgl.core.plan import Quota
from sgl.core.structure import Structure
from sgl.diagnostics import Label, Span
from sgl.frontend.joins import join
from sgl.frontend.names import Scope
from sgl.frontend.state import State
from sgl.frontend.structures import StructureContext, lower_structure, variables_of
from sgl.lang import syntax as s

#: The most sentences that can be asked for in one place.
MAX_COUNT = 10_000_000


@dataclass(frozen=True)
class Anchor:
    """A structure that sentences contain, the names of its variables, and its clause."""

    structure: Structure
    names: frozenset[str]
    span: Span


def anchor(structure: Structure, ref: s.GraphRef, scope: Scope, span: Span) -> Anchor:
    """The anchor that a clause with this structure is."""
    main, *_ = variables_of(ref, scope)
    return Anchor(structure, frozenset(main), span)


@dataclass(frozen=True)
class Quotas:
    """Lowers the quotas of one declaration, whose sentences contain one of ``anchors``.

    Without anchors conditions stand by themselves: those that there are have errors.
    """

    anchors: Sequence[Anchor]
    scope: Scope
    context: StructureContext

    def lower_all(self, clause: s.SizeClause) -> Iterator[tuple[s.SizeItem, Quota]]:
        """The items of a clause that are in force and sound, with their quotas."""
        parameters = self.context.state.parameters
        for item in clause.items:
            if item.when is None or parameters.holds(item.when):
                quota = self._lower(item)
                if quota is not None:
                    yield item, quota

    def _lower(self, item: s.SizeItem) -> Quota | None:
        count = count_of_sentences(item.amount, self.context.state)
        within = [self._condition(ref) for ref in item.within]
        outside = [self._condition(ref) for ref in item.outside]
        if count is None or None in within or None in outside:
            return None
        structures = [anchor.structure for anchor in self.anchors]
        if item.each_target and not check_shares(item.span, count, structures, self.context):
            return None
        groups = [group for group in within if group is not None]
        return Quota(
            count,
            each_target=item.each_target,
            within=tuple(group[0] for group in groups if len(group) == 1),
            within_one_of=tuple(group for group in groups if len(group) > 1),
            outside=tuple(structure for group in outside if group for structure in group),
            split=item.split.text if item.split is not None else "train",
        )

    def _condition(self, ref: s.GraphRef) -> tuple[Structure, ...] | None:
        """The structures of which one occurs where the condition holds; None after a report."""
        structure = lower_structure(ref, self.scope, self.context)
        if structure is None:
            return None
        if not self.anchors:
            return (structure,)
        names = [name for body in variables_of(ref, self.scope) for name in body]
        shared = frozenset(names).intersection(*(anchor.names for anchor in self.anchors))
        for name in names:
            if name not in shared and any(name in anchor.names for anchor in self.anchors):
                self._report_partial(ref, name)
                return None
        if not shared:
            return (structure,)
        return tuple(join(anchor.structure, structure, shared) for anchor in self.anchors)

    def _report_partial(self, ref: s.GraphRef, name: str) -> None:
        has = next(anchor for anchor in self.anchors if name in anchor.names)
        lacks = next(anchor for anchor in self.anchors if name not in anchor.names)
        self.context.state.diagnostics.error(
            "SGL0824",
            ref.span,
            f"`{name}` is a node of one of the structures that these sentences contain, "
            "and not of another",
            labels=[
                Label(has.span, f"here there is a `{name}`"),
                Label(lacks.span, f"here there is no `{name}`"),
            ],
            hint=f"give `{name}` another name here, or the node meant the name `{name}` there too",
        )


def check_shares(
    span: Span, count: int, structures: Sequence[Structure], context: StructureContext
) -> bool:
    """Whether each target of a pattern can have a share of ``count`` sentences.

    Every sentence contains one of ``structures``, and so must contain a target.
    """
    targets = context.targets
    problem = hint = ""
    if not targets:
        problem = "the pattern has no targets that could have a share"
        hint = "add `targets …` to the pattern, or leave out `each target`"
    elif count < len(targets):
        problem = f"{count} sentences are too few for the {len(targets)} targets of the pattern"
        hint = f"ask for at least {len(targets)}"
    elif not all(_names_target(structure, targets) for structure in structures):
        problem = "a sentence with this structure need not contain a target"
        hint = "say which node is the target: `N[lemma in @targets]`"
    if problem:
        context.state.diagnostics.error("SGL0825", span, problem, hint=hint)
    return not problem


def _names_target(structure: Structure, targets: Sequence[str]) -> bool:
    """Whether a variable of the structure can only be a target."""
    return any(
        test.attribute == "lemma" and not test.negated and test.values.issubset(targets)
        for variable in structure.body.variables
        for test in variable.tests
    )


def count_of_sentences(amount: s.Amount, state: State) -> int | None:
    """The number of sentences that ``amount`` writes or names; None after a report."""
    count = state.parameters.whole(amount)
    if count is not None and count > MAX_COUNT:
        state.diagnostics.error(
            "SGL0705",
            amount.span,
            f"at most {MAX_COUNT:,} sentences can be asked for in one place",
        )
        return None
    return count
