"""Who catches a mutant, or why it is harmless.

A mutant goes the way of every grammar until something stops it::

    reading    the compiler reports an error
    example    a sentence that the author wrote beside a rule or pattern is not as it says
    proof      a claim of the mutant's own patterns is refuted, with a witness
    drawing    a part cannot yield the sentences asked for
    verifier   drawn sentences violate what the *original* claims

Before drawing, the original's claims are decided on the mutant's splits (``claims``): if
one is broken the mutant is harmful, and the verifier has to catch it; if all hold, it is
harmless, and the verifier must have nothing to say.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from common import Json
from mutation.claims import Breach, Claims, Original, same_rules, without_places
from mutation.data import scaled, verify_small
from mutation.source import Mutant, Source

from sgl.automata import StructureCompiler
from sgl.build.claims import establish
from sgl.build.examples import check_examples
from sgl.build.session import open_grammar
from sgl.compile import Compiled
from sgl.core.plan import Plan
from sgl.diagnostics import Diagnostics, Severity, SourceMap
from sgl.graph import ConlluError
from sgl.sample import NotEnoughError

#: Sentences that break a claim, on average, in the sample that the verifier reads.
PLANTED = 30

STAGES = ("reading", "example", "proof", "drawing", "verifier")
HARMLESS, MISSED, ALARM = "harmless", "missed", "false alarm"


def open_original(main: Path) -> Original:
    """The original grammar, all its claims proved; raises ``ValueError`` if they are not."""
    diagnostics = Diagnostics()
    compiled = open_grammar(main, {}, SourceMap(), diagnostics)
    if compiled is None:
        raise ValueError(_first_error(diagnostics))
    compiler = StructureCompiler(compiled.grammar)
    proofs = establish(compiled, compiler, diagnostics)
    if proofs is None or diagnostics.errors:
        raise ValueError(_first_error(diagnostics))
    original = Original(compiled, compiler)
    Claims(original, compiled, compiler).fill_masses()
    return original


def judge(original: Original, source: Source, mutant: Mutant) -> Json:
    """What becomes of a mutant."""
    started = time.process_time()
    with tempfile.TemporaryDirectory() as directory:
        main = source.changed(mutant.edits).write(Path(directory) / "grammar")
        result = _judge(original, main, Path(directory) / "data")
    return {
        "kind": mutant.kind,
        "change": [source.shown(edit) for edit in mutant.edits],
        **result,
        "seconds": round(time.process_time() - started, 2),
    }


def _judge(original: Original, main: Path, data: Path) -> Json:
    diagnostics = Diagnostics()
    compiled = open_grammar(main, {}, SourceMap(), diagnostics)
    if compiled is None:
        return {"verdict": "reading", "message": _first_error(diagnostics)}
    check_examples(compiled, diagnostics)
    if diagnostics.errors:
        return {"verdict": "example", "message": _first_error(diagnostics)}
    same = without_places(compiled.grammar) == original.bare
    if same and _same_plan(original.plan, compiled.plan):
        return {"verdict": HARMLESS, "message": "the grammar and what is drawn are the same"}
    compiler = original.compiler if same else StructureCompiler(compiled.grammar)
    if establish(compiled, compiler, diagnostics) is None or diagnostics.errors:
        return {"verdict": "proof", "message": _first_error(diagnostics)}
    breaches = Claims(original, compiled, compiler).breaches()
    seen = _verified(original, compiled, compiler, data, breaches)
    if seen and breaches:
        return {**seen, "breaches": [asdict(breach) for breach in breaches[:5]]}
    if breaches:
        return {
            "verdict": MISSED,
            "message": breaches[0].claim,
            "breaches": [asdict(breach) for breach in breaches],
        }
    if seen:
        stopped = seen["verdict"] == "drawing"
        return {**seen, "verdict": seen["verdict"] if stopped else ALARM}
    return {"verdict": HARMLESS, "message": _why(original, compiled)}


def _same_plan(first: Plan, second: Plan) -> bool:
    """Whether the same sentences are drawn."""

    def drawn(plan: Plan) -> object:
        return plan.seed, plan.strata, plan.distinct_lemmas, plan.distinct_sentences

    return drawn(first) == drawn(second)


def _why(original: Original, compiled: Compiled) -> str:
    """In what a mutant that breaks no claim differs."""
    first, second = original.compiled.grammar, compiled.grammar
    if without_places(second) == original.bare:
        strata = [(s.stream, s.constraint) for s in original.plan.strata]
        if strata == [(s.stream, s.constraint) for s in compiled.plan.strata]:
            return "another sample of the same distributions"
        return "other constraints, under which every claim of the original holds"
    if same_rules(original.bare, without_places(second)):
        return "other weights; every claim of the original holds"
    if len(second.rules) < len(first.rules):
        return "a smaller grammar, in which every claim of the original holds"
    return "another grammar, in which every claim of the original holds"


def _verified(
    original: Original,
    compiled: Compiled,
    compiler: StructureCompiler,
    data: Path,
    breaches: Sequence[Breach],
) -> Json:
    """What drawing or the verifier says; empty if nothing."""
    try:
        sizes = _sizes(original, breaches)
        report = verify_small(data, original, compiled, compiler, sizes)
    except NotEnoughError as problem:
        return {"verdict": "drawing", "message": str(problem)}
    except (ConlluError, ValueError) as problem:
        return {"verdict": "drawing", "message": f"{type(problem).__name__}: {problem}"}
    if report.ok:
        return {}
    first = report.failed[0]
    return {
        "verdict": "verifier",
        "message": f"{first.code} {first.name}: {first.violations[0]}",
        "failed": [f"{result.code} {result.name}: {result.total}" for result in report.failed],
    }


def _sizes(original: Original, breaches: Sequence[Breach]) -> dict[str, int]:
    """Numbers of sentences of streams in which a breach is rare, up to the full number."""
    rarest: dict[str, float] = {}
    for breach in breaches:
        if breach.share > 0.0:
            # The breach that is least rare must be met; the others come with it.
            rarest[breach.stream] = max(rarest.get(breach.stream, 0.0), breach.share)
    if not rarest:
        return {}
    commonest = max(rarest, key=lambda stream: rarest[stream])
    sizes = {}
    for stratum in original.plan.strata:
        if stratum.stream == commonest:
            wanted = math.ceil(PLANTED / rarest[commonest])
            sizes[commonest] = max(scaled(stratum), min(stratum.count, wanted))
    return sizes


def _first_error(diagnostics: Diagnostics) -> str:
    """The first error with its notes, among which the witness is."""
    found = next(d for d in diagnostics if d.severity is Severity.ERROR)
    return " · ".join([f"{found.code} {found.message}", *found.notes])
