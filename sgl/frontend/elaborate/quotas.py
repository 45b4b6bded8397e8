"""Write out ranges of numbers (``each``) and quotas, so that each item of ``size`` has a number and its conditions."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from sgl.diagnostics import suggested
from sgl.frontend.elaborate.substitution import Substitution, mentioned_in, substitution
from sgl.frontend.names.resolved import Resolved
from sgl.frontend.names.scopes import Scope
from sgl.lang import syntax as s

#: A range has at most so many numbers.
MAX_RANGE = 100


_Ranged = TypeVar("_Ranged", s.SizeItem, s.StructureClause)


def each(part: _Ranged, state: Resolved) -> Iterator[_Ranged]:
    """Yield a clause or an item of ``size`` once for each number of its range, if it has one."""
    numbers = part.numbers
    if numbers is None:
        yield part
        return
    low, high = state.parameters.whole(numbers.low), state.parameters.whole(numbers.high)
    if low is None or high is None:
        return
    if not 0 <= high - low < MAX_RANGE:
        message = f"there is no number in {low}..{high}"
        if high > low:
            message = f"a range has at most {MAX_RANGE} numbers"
        state.error("SGL0705", numbers.span, message)
        return
    one = replace(part, numbers=None)
    if numbers.name.text not in mentioned_in(one):
        hint = f"write it where it belongs: `within chain(nmod, {numbers.name})`"
        state.warning("SGL0204", numbers.name.span, f"the number `{numbers.name}` is never used", hint)
    for number in range(low, high + 1):
        given = s.Amount(numbers.span, s.Name(str(number), numbers.span))
        yield Substitution({numbers.name.text: given}, state).write_out(one)


def items_of(
    items: Iterable[s.SizeItem], scope: Scope, state: Resolved, inside: tuple[str, ...] = ()
) -> Iterator[s.SizeItem]:
    """Yield the items of ``size`` in force, those of quotas and ranges written out, at the place of their use."""
    for item in chain.from_iterable(each(item, state) for item in items):
        if not state.parameters.holds(item.when):
            continue
        errors = state.diagnostics.errors
        quota = _quota_of(item.amount, scope.of(item.amount), state)
        if quota is None:
            if state.diagnostics.errors == errors and isinstance(item.amount, s.Amount):
                yield item
            continue
        if quota.name.text in inside:
            state.error("SGL0830", item.amount.span, f"the quota `{quota.name}` is used by itself")
            continue
        use = item.amount if isinstance(item.amount, s.Application) else item.amount.value
        arguments = substitution(quota, use, state)
        if arguments is None:
            continue
        written = arguments.write_out(quota.items)
        for one in items_of(written, scope.where(quota), state, (*inside, quota.name.text)):
            yield replace(
                one,
                span=item.span,
                copies=one.copies or item.copies,
                contexts=one.contexts or item.contexts,
                share=one.share or item.share,
                split=one.split or item.split,
                conditions=(*one.conditions, *item.conditions),
            )


def _quota_of(amount: s.Amount | s.Application, scope: Scope, state: Resolved) -> s.Quota | None:
    if isinstance(amount, s.Application):
        return scope.find(s.Quota, amount.name)
    name, known = amount.value, scope.names(s.Quota)
    if amount.offset or name.text in state.parameters.values:
        return None
    near = name.text in known or (name.text[0].isalpha() and suggested(name.text, known))
    return scope.find(s.Quota, name) if near else None
