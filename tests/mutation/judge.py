"""Who catches a mutant, or why it is harmless.

A mutant goes the way of every grammar until something stops it.  Each stage is a command
that an author runs, or that ``sglc compile`` runs::

    reading     check             the compiler reports an error
    example     check             a sentence that the author wrote beside a rule or pattern
                                  is not as it says
    proof       prove             a claim of the mutant's own patterns is refuted
    comparison  prove --between   the mutant's data show what the original tests or keeps apart
    drawing     compile           a part cannot yield the sentences asked for
    verifier    verify            drawn sentences violate what the *original* claims

A mutant of a rule or a word has the claims of the original, and its own proof is about
them.  A mutant of a pattern makes *another claim*, which may well be true; that it is not
what was meant only its author can know.  So the question is whether something that the
author runs says so.  Examples do (``example``), and two things that are kept from before
the change: the grammar, with which the mutant is compared statically, and the claims, with
which the verifier reads the mutant's sentences.  Neither asks the mutant what it claims.

Whether a mutant is harmful is decided apart from all this, on the mutant's splits
(``claims``): if a claim of the original is broken the mutant has to be caught; if all
hold it is harmless, and comparison and verifier must have nothing to say.  A mutant that
calls an object a subject may keep every claim about its own graphs, while its sentences
break one as the original reads them: nothing that is claimed of graphs is then wrong but
the graphs, and only an example of the graph itself (``test "…" => syn { … }``) can notice.
Those that none does are counted by themselves.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from zlib import crc32

from common import Json
from mutation.claims import TRAIN, Breach, Claims, Original, without_places
from mutation.compared import compared
from mutation.data import scaled, verify_small
from mutation.harmless import why_harmless, why_same_data
from mutation.source import Mutant, Source
from sgl.automata import StructureCompiler
from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, Plan
from sgl.diagnostics import Diagnostic, Diagnostics, Severity, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.proofs import establish
from sgl.pipeline.sentences import check_examples
from sgl.rendering import ConlluError
from sgl.sampling import NotEnoughError

#: Sentences that break a claim, on average, in the sample that the verifier reads.
PLANTED = 30

#: Errors that are about single strata: a leak, an item that is none or is in training.
AT_ONCE = frozenset({"SGL0811", "SGL0815", "SGL0816"})

STAGES = ("reading", "example", "proof", "comparison", "drawing", "verifier")
HARMLESS, MISSED, ALARM = "harmless", "missed", "false alarm"

#: The mutant's graphs keep every claim; the sentences, read with the original's, do not.
WRONG_GRAPH = "wrong graph"


def open_original(main: Path) -> Original:
    """The original grammar with its claims decided; raises ``ValueError`` if they cannot be."""
    diagnostics = Diagnostics()
    compiled = open_grammar(main, {}, SourceMap(), diagnostics)
    if compiled is None:
        raise ValueError(_message(_errors(diagnostics)[0]))
    compiler = StructureCompiler(compiled.grammar)
    check_examples(compiled, diagnostics)
    if establish(compiled, compiler, diagnostics) is None:
        raise ValueError(_message(_errors(diagnostics)[0]))
    errors = frozenset((found.code, found.message) for found in _errors(diagnostics))
    original = Original(compiled, compiler, errors, compared=compared(compiled, compiler, compiled))
    Claims(original, compiled, compiler).fill_masses()
    return original


class Watch:
    """The CPU seconds of each stage: ``watch("proof")`` ends the stage of that name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.process_time()

    def __call__(self, stage: str) -> None:
        """End a stage: it took the time since the one before."""
        now = time.process_time()
        self.seconds[stage] = round(now - self._last, 2)
        self._last = now


def judge(original: Original, source: Source, mutant: Mutant) -> Json:
    """What becomes of a mutant."""
    watch = Watch()
    with tempfile.TemporaryDirectory() as directory:
        main = source.changed(mutant.edits).write(Path(directory) / "grammar")
        result = _judge(original, main, Path(directory) / "data", mutant, watch)
    return {
        "kind": mutant.kind,
        "change": [source.shown(edit) for edit in mutant.edits],
        **result,
        "cpu": watch.seconds,
    }


def _judge(original: Original, main: Path, data: Path, mutant: Mutant, watch: Watch) -> Json:
    pattern = mutant.pattern
    diagnostics = Diagnostics()
    compiled = open_grammar(main, {}, SourceMap(), diagnostics)
    watch("reading")
    if compiled is None:
        return _caught("reading", _errors(diagnostics), pattern)
    check_examples(compiled, diagnostics)
    watch("example")
    if new := _errors(diagnostics, original):
        return _caught("example", new, pattern)
    same = without_places(compiled.grammar) == original.bare
    if same and _same_plan(original.plan, compiled.plan):
        return {"verdict": HARMLESS, "message": why_same_data(original, compiled)}
    compiler = original.compiler if same else StructureCompiler(compiled.grammar)
    refuted = [] if same else _refuted_at_once(original, compiled, compiler, pattern)
    if not refuted:
        establish(compiled, compiler, diagnostics)
        refuted = _errors(diagnostics, original)
    watch("proof")
    if refuted:
        return _caught("proof", refuted, pattern)
    return _against_original(original, _seeded(compiled, mutant), compiler, data, watch)


def _seeded(compiled: Compiled, mutant: Mutant) -> Compiled:
    """A mutant that draws with a seed of its own, so that what is drawn is independent."""
    seed = crc32(f"{compiled.plan.seed} {mutant.kind} {mutant.name}".encode())
    return replace(compiled, plan=replace(compiled.plan, seed=seed))


def _against_original(
    original: Original, compiled: Compiled, compiler: StructureCompiler, data: Path, watch: Watch
) -> Json:
    """What becomes of a mutant whose own claims are true."""
    breaches = Claims(original, compiled, compiler).breaches()
    watch("claims")
    seen = _compared(original, compiled, compiler)
    watch("comparison")
    if not seen:
        seen = _verified(original, compiled, compiler, data, breaches)
        watch("verifier")
    if seen and breaches:
        return {**seen, "breaches": [asdict(breach) for breach in breaches[:5]]}
    if breaches:
        own = Claims(original, compiled, compiler, own_graphs=True).breaches()
        return {
            "verdict": MISSED if own else WRONG_GRAPH,
            "message": breaches[0].claim,
            "breaches": [asdict(breach) for breach in breaches],
        }
    if seen:
        stopped = seen["verdict"] == "drawing"
        return {**seen, "verdict": seen["verdict"] if stopped else ALARM}
    return {"verdict": HARMLESS, "message": why_harmless(original, compiled)}


def _refuted_at_once(
    original: Original, compiled: Compiled, compiler: StructureCompiler, pattern: str
) -> list[Diagnostic]:
    """What is refuted of one pattern in a part of the plan.

    The strata are those of the whole plan, only fewer; a sentence that breaks a claim
    about them breaks it in the whole.  What needs the other strata is left to that.
    """
    plan = compiled.plan
    own = next((p for p in plan.patterns if p.name == pattern), plan.patterns[0])
    categories = {IN_DISTRIBUTION, own.name, f"{EXPOSURE_PREFIX}{own.name}"}
    strata = tuple(s for s in plan.strata if s.category in categories and s.split in (TRAIN, "gen"))
    diagnostics = Diagnostics()
    part = replace(compiled, plan=replace(plan, patterns=(own,), strata=strata, parts=()))
    establish(part, compiler, diagnostics)
    return [found for found in _errors(diagnostics, original) if found.code in AT_ONCE]


def _same_plan(first: Plan, second: Plan) -> bool:
    """Whether the same sentences are drawn."""

    def drawn(plan: Plan) -> object:
        return plan.seed, plan.strata, plan.distinct_lemmas, plan.distinct_sentences

    return drawn(first) == drawn(second)


def _compared(original: Original, compiled: Compiled, compiler: StructureCompiler) -> Json:
    """What a comparison with the original says; empty if nothing."""
    found = compared(compiled, compiler, original.compiled)
    new = [finding for key, finding in found.items() if key not in original.compared]
    if not new:
        return {}
    grammar = compiled.grammar
    told = [finding.described(grammar) for finding in new]
    if wrong := [finding for finding in new if not finding.holds(grammar)]:
        return {"verdict": ALARM, "message": f"no witness: {wrong[0].described(grammar)}"}
    return {"verdict": "comparison", "message": told[0], "found": told}


def _verified(
    original: Original, compiled: Compiled, compiler: StructureCompiler, data: Path, breaches: Sequence[Breach]
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
    """Sizes of the parts of each split in which a breach is commonest, up to the full ones.

    The others come with it: if that one is met, the mutant is caught.
    """
    strata = {stratum.stream: stratum for stratum in original.plan.strata}
    commonest: dict[str, Breach] = {}
    sizes: dict[str, int] = {}
    for breach in breaches:
        if not breach.stream:
            # It is about all sentences; the most are in distribution.
            sizes |= {s.stream: s.count for s in strata.values() if s.category == IN_DISTRIBUTION}
        known = commonest.get(breach.stream.partition("/")[0])
        if 0.0 < breach.share < 1.0 and (known is None or breach.share > known.share):
            commonest[breach.stream.partition("/")[0]] = breach
    return sizes | {
        breach.stream: max(
            scaled(strata[breach.stream]), min(strata[breach.stream].count, math.ceil(PLANTED / breach.share))
        )
        for breach in commonest.values()
        if breach.stream in strata
    }


def _errors(diagnostics: Diagnostics, original: Original | None = None) -> list[Diagnostic]:
    """The errors, without those that the original has as well."""
    known = original.errors if original is not None else frozenset()
    return [
        found for found in diagnostics if found.severity is Severity.ERROR and (found.code, found.message) not in known
    ]


def _caught(stage: str, errors: Sequence[Diagnostic], pattern: str) -> Json:
    """A mutant that a stage stops: by an error about the pattern, or else by the first."""
    own = [found for found in errors if pattern and f"`{pattern}`" in found.message]
    return {"verdict": stage, "message": _message((own or errors)[0]), "errors": len(errors)}


def _message(found: Diagnostic) -> str:
    """An error with its notes, among which the witness is."""
    return " · ".join([f"{found.code} {found.message}", *found.notes])
