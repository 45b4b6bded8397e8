"""Why a constraint cannot be satisfied: a minimal set of its clauses.

The set is minimal in the sense that it could be satisfied if any one of its
clauses were dropped.  It is found by QuickXplain (Junker 2004), which takes few
tests when few clauses matter::

    clauses                    { C -[ccomp]-> V }  not { A }  not { B }  not { V -[ccomp]-> W }
    first half possible?       yes, so something in the second half matters
    ...
    conflict                   { C -[ccomp]-> V }                        not { V -[ccomp]-> W }
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sgl.automata.proofs.compiler import StructureCompiler
from sgl.core.plan import Constraint
from sgl.core.structure import Structure


@dataclass(frozen=True, slots=True)
class Conflict:
    """Clauses that no text of the grammar satisfies together.

    One structure of each group of ``require`` must occur, and none of ``exclude``
    may.  Both are empty if the grammar derives no text at all.
    """

    require: tuple[tuple[Structure, ...], ...]
    exclude: tuple[Structure, ...]


@dataclass(frozen=True, slots=True)
class _Clause:
    group: tuple[Structure, ...]
    excluded: bool


_Clauses = Sequence[_Clause]


def find_conflict(compiler: StructureCompiler, constraint: Constraint) -> Conflict | None:
    """A minimal conflict in a constraint, or ``None`` if it can be satisfied."""

    def impossible(clauses: _Clauses) -> bool:
        candidate = _constraint(clauses, keep=constraint.keep)
        return not compiler.language(candidate).accepting

    clauses = [_Clause((structure,), excluded=True) for structure in constraint.exclude]
    clauses += [_Clause(group, excluded=False) for group in constraint.require]
    if not impossible(clauses):
        return None
    minimal = [] if impossible([]) else _explain(impossible, [], False, clauses)
    found = _constraint(minimal, keep=False)
    return Conflict(found.require, found.exclude)


def _constraint(clauses: _Clauses, *, keep: bool) -> Constraint:
    return Constraint(
        require=tuple(clause.group for clause in clauses if not clause.excluded),
        exclude=tuple(clause.group[0] for clause in clauses if clause.excluded),
        keep=keep,
    )


def _explain(
    impossible: Callable[[_Clauses], bool], given: _Clauses, grown: bool, clauses: _Clauses
) -> list[_Clause]:
    """The clauses needed to make ``given`` impossible; ``grown`` says that it is new."""
    if grown and impossible(given):
        return []
    if len(clauses) == 1:
        return list(clauses)
    half = len(clauses) // 2
    first, second = clauses[:half], clauses[half:]
    from_second = _explain(impossible, [*given, *first], bool(first), second)
    from_first = _explain(impossible, [*given, *from_second], bool(from_second), first)
    return [*from_first, *from_second]
