"""Patterns of the model with all their clauses, and what the sentences of a stream contain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from claims_matches import within
from claims_structures import Structure
from claims_trees import Tree


@dataclass(frozen=True)
class Condition:
    """What some match of the structure of an item can be extended to or, ``outside``, none."""

    structure: Structure
    outside: bool

    def __str__(self) -> str:
        return f"{'outside' if self.outside else 'within'} {self.structure}"

    def holds(self, tree: Tree, items: Sequence[Structure]) -> bool:
        """Whether it is so in a sentence."""
        own_names = frozenset(name for own in items for name in own.own_names)
        return any(within(tree, own, self.structure, own_names) for own in items) != self.outside


@dataclass(frozen=True)
class Portion:
    """A part of training that belongs to no pattern: its sentences alone, or but for items, have the structure."""

    name: str
    word: str
    structure: Structure

    def source(self) -> str:
        """The declaration."""
        return f"part {self.name}\n  {self.word} {self.structure}\n  size 1\n"


@dataclass(frozen=True)
class Pattern:
    """A pattern of the model; the members are its clauses, and the ``contexts`` of each instance."""

    name: str
    forbid: tuple[Structure, ...]
    never: tuple[Structure, ...] = ()
    gen: tuple[Structure, ...] = ()
    exclude: tuple[Structure, ...] = ()
    need: tuple[Structure, ...] = ()
    waive: tuple[Structure, ...] = ()
    expose: tuple[Structure, ...] = ()
    sizes: tuple[tuple[Condition, ...], ...] = ((),)
    contexts: int = 0

    @property
    def items(self) -> tuple[Structure, ...]:
        """What the items contain one of."""
        return self.gen or self.held_out

    @property
    def held_out(self) -> tuple[Structure, ...]:
        """What training must not contain."""
        return *self.forbid, *self.never

    def source(self) -> str:
        """The declaration."""
        clauses = (
            ("forbid", self.forbid),
            ("assert never", self.never),
            ("gen", self.gen),
            ("exclude", self.exclude),
            ("need", self.need),
            ("waive", self.waive),
            ("expose 1", self.expose),
        )
        lines = [f"  {word} {structure}" for word, group in clauses for structure in group]
        number = f"1 instances in {self.contexts} contexts" if self.contexts else "1"
        sizes = ", ".join(" ".join([number, *map(str, conditions)]) for conditions in self.sizes)
        return "\n".join([f"pattern {self.name}", *lines, f"  size {sizes}", ""])


@dataclass(frozen=True)
class StreamClaims:
    """What the sentences of a stream contain one of, if there are any, and none of.

    A sentence with a kept rule may contain what is ``cut``.  The ``conditions`` are about matches of ``some``.
    """

    some: tuple[Structure, ...]
    none: tuple[Structure, ...]
    cut: tuple[Structure, ...]
    conditions: tuple[Condition, ...] = ()

    @property
    def layers(self) -> frozenset[str]:
        """The graph layers that its structures and conditions speak of."""
        told = (*self.some, *self.none, *self.cut, *(condition.structure for condition in self.conditions))
        return frozenset(part.layer for structure in told for part in structure.parts)
