"""The figures of the distributions of a plan, computed or found again."""

from __future__ import annotations

from sgl.automata import StructureCompiler
from sgl.automata.proofs.statistics import StratumStatistics, statistics_of
from sgl.cache import cached
from sgl.frontend import Compiled


def known_figures(
    compiled: Compiled, structures: StructureCompiler
) -> tuple[StratumStatistics, ...]:
    """The figures of the author's grammar and of every stratum of its plan."""
    return cached(
        tuple, "figures", (compiled.origin,), lambda: statistics_of(structures, compiled.plan)
    )
