"""What the training of a mutant shows of what the original tests.

A mutant of a pattern has other claims than the original.  It may keep all of them and
still be wrong: with a narrower ``forbid`` it proves the narrower claim, and a leak so rare
that it is not drawn is nowhere in the files.  What such a change costs is seen when the
new grammar is compared with the old one, which is what its author can do::

    sglc prove --between mutant.sgl original.sgl

For every structure that the original holds out, or asks of its items, this decides
whether the training of the mutant derives it.  Of what it finds only what is new counts:
items of some patterns consist of structures that training shows by design.
"""

from __future__ import annotations

from dataclasses import dataclass

from sgl.automata import StructureCompiler
from sgl.build.between import Comparison, Found, compare
from sgl.compile import Compiled


@dataclass(frozen=True, slots=True)
class Shown:
    """Structures of the original, by pattern and role, that a training split derives."""

    rows: tuple[Comparison, ...] = ()

    def beyond(self, other: Shown) -> list[Comparison]:
        """What another training split does not show."""
        known = {_key(row) for row in other.rows}
        return [row for row in self.rows if _key(row) not in known]


def shown(training: Compiled, compiler: StructureCompiler, original: Compiled) -> Shown:
    """What the training of a grammar, with its automata, shows of what the original tests."""
    rows = compare(training, original, compiler)
    return Shown(tuple(row for row in rows if row.found is Found.SHOWN))


def described(row: Comparison) -> str:
    """A structure that is shown, where, and the sentence that shows it."""
    where = f"{row.stream}: {' | '.join(row.sentence)}"
    return f"training shows what `{row.pattern}` tests ({row.role}) · {row.structure} · {where}"


def _key(row: Comparison) -> tuple[str, str, str]:
    return row.pattern, row.role, str(row.structure)
