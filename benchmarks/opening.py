"""What benchmarks on grammars begin with: the grammar of a file, and candidates of its strata.

A benchmark that cannot read its grammar ends with the exit status 2::

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
    """The grammar of a file; from now on garbage is collected as rarely as in ``sglc``.

    Raises ``SystemExit`` if it has errors.
    """
    collect_rarely()
    compiled = open_grammar(path, dict(settings or {}), SourceMap(), Diagnostics())
    if compiled is None:
        print(f"{path} has errors; see `sglc check`", file=sys.stderr)
        raise SystemExit(2)
    return compiled


def candidates(compiled: Compiled, strata: Sequence[Stratum], seed: int) -> Iterator[Derivation]:
    """Candidates of some strata, without any rejection but of endless ones."""
    plan = replace(compiled.plan, strata=tuple(strata), seed=seed, distinct_sentences=False)
    compiler = StructureCompiler(compiled.grammar)
    tables = pack(compiled.grammar, plan, {s.stream: compiler.split(s.constraint) for s in strata})
    for stratum in tables.strata:
        key = stream_key(seed, stratum.stream)
        for number in range(stratum.wanted):
            derivation = derive(tables.states, stratum.start, candidate_key(key, number))
            if derivation is not None:
                yield tuple(derivation)
