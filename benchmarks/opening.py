"""Open the grammar of a benchmark, and draw candidates of its strata.

A benchmark that cannot read its grammar ends with exit status 2::

    $ python benchmarks/roundtrip.py wrong.sgl
    wrong.sgl has errors; see `sglc check`
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sgl.automata import StructureCompiler
from sgl.children import collect_rarely
from sgl.core.interpret import Derivation
from sgl.core.plan import Stratum
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar
from sgl.sampling import pack
from sgl.sampling.engine import candidate_key, derive, stream_key


def opened(path: Path, settings: Mapping[str, str] | None = None) -> Compiled:
    """Open the grammar of a file, and from now on collect garbage as rarely as ``sglc``.

    Raises ``SystemExit`` if it has errors.
    """
    collect_rarely()
    compiled = open_grammar(path, dict(settings or {}), SourceMap(), Diagnostics())
    if compiled is None:
        print(f"{path} has errors; see `sglc check`", file=sys.stderr)
        raise SystemExit(2)
    return compiled


def candidates(compiled: Compiled, strata: Sequence[Stratum], seed: int) -> Iterator[Derivation]:
    """Yield candidates of some strata, rejecting none but endless ones."""
    plan = replace(compiled.plan, strata=tuple(strata), seed=seed, distinct_sentences=False)
    compiler = StructureCompiler(compiled.grammar)
    tables = pack(compiled.grammar, plan, {s.stream: compiler.split(s.constraint) for s in strata})
    for stratum in tables.strata:
        key = stream_key(seed, stratum.stream)
        for number in range(stratum.wanted):
            derivation = derive(tables.states, stratum.start, candidate_key(key, number))
            if derivation is not None:
                yield tuple(derivation)
