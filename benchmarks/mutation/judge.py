"""Who catches a mutant, or why it is harmless.

A mutant goes the way of every grammar until something stops it.  Each stage is a command
that an author runs, or that ``sglc compile`` runs::

    reading     check             the compiler reports an error
    example     check             a sentence that the author wrote beside a rule or pattern
                                  is not as it says
    proof       prove             a claim of the mutant's own patterns is refuted
    comparison  prove --between   the mutant's training shows what the original tests
    drawing     compile           a part cannot yield the sentences asked for
    verifier    verify            drawn sentences violate what the *original* claims

A mutant of a rule or a word has the claims of the original, and its own proof is about
them.  A mutant of a pattern makes *another claim*, which may well be true; that it is not
what was meant only its author can know.  So the question is whether something that the
author runs says so.  Examples do (``gen like``), and two things that are kept from before
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

from common import Json
from mutation.claims import TRAIN, Breach, Claims, Original, same_rules, without_places
from mutation.compared import described, shown
from mutation.data import scaled, verify_small
from mutation.source import Mutant, Source
from sgl.automata import StructureCompiler
from sgl.build.claims import establish
from sgl.build.examples import check_examples
from sgl.build.session import open_grammar
from sgl.compile import Compiled
from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, Plan
from sgl.diagnostics import Diagnostic, Diagnostics, Severity, SourceMap
from sgl.graph import ConlluError
from sgl.sample import NotEnoughError

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
    original = Original(compiled, compiler, errors, shown=shown(compiled, compiler, compiled))
    Claims(original, compiled, compiler).fill_masses()
    return original


def judge(original: Original, source: Source, mutant: Mutant) -> Json:
    """What becomes of a mutant."""
    started = time.process_time()
    with tempfile.TemporaryDirectory() as directory:
        main = source.changed(mutant.edits).write(Path(directory) / "grammar")
        result = _judge(original, main, Path(directory) / "data", mutant.pattern)
    return {
        "kind": mutant.kind,
        "change": [source.shown(edit) for edit in mutant.edits],
        **result,
        "seconds": round(time.process_time() - started, 2),
    }


def _judge(original: Original, main: Path, data: Path, pattern: str) -> Json:
    diagnostics = Diagnostics()
    compiled = open_grammar(main, {}, SourceMap(), diagnostics)
    if compiled is None:
        return _caught("reading", _errors(diagnostics), pattern)
    check_examples(compiled, diagnostics)
    if new := _errors(diagnostics, original):
        return _caught("example", new, pattern)
    same = without_places(compiled.grammar) == original.bare
    if same and _same_plan(original.plan, compiled.plan):
        return {"verdict": HARMLESS, "message": "the grammar and what is drawn are the same"}
    compiler = original.compiler if same else StructureCompiler(compiled.grammar)
    if not same and (new := _refuted_at_once(original, compiled, compiler, pattern)):
        return _caught("proof", new, pattern)
    establish(compiled, compiler, diagnostics)
    if new := _errors(diagnostics, original):
        return _caught("proof", new, pattern)
    breaches = Claims(original, compiled, compiler).breaches()
    seen = _compared(original, compiled, compiler)
    seen = seen or _verified(original, compiled, compiler, data, breaches)
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
    return {"verdict": HARMLESS, "message": _why(original, compiled)}


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


def _why(original: Original, compiled: Compiled) -> str:
    """In what a mutant that breaks no claim differs."""
    first, second = original.compiled.grammar, compiled.grammar
    if without_places(second) == original.bare:
        return _why_same_grammar(original, compiled)
    if same_rules(original.bare, without_places(second)):
        return "other weights; every claim of the original holds"
    if len(second.rules) < len(first.rules):
        return "a smaller grammar, in which every claim of the original holds"
    return "another grammar, in which every claim of the original holds"


def _why_same_grammar(original: Original, compiled: Compiled) -> str:
    """In what the strata differ, over one and the same grammar."""
    split = original.compiler.split
    own = {s.stream: s.constraint for s in compiled.plan.strata}
    changed = [s for s in original.plan.strata if own[s.stream] != s.constraint]
    if not changed:
        return "another sample of the same distributions"
    # A constraint under which a sentence is as probable as under a wider or narrower one
    # lets the same sentences through.
    masses = [(split(s.constraint).mass, split(own[s.stream]).mass) for s in changed]
    if all(math.isclose(*pair, rel_tol=1e-9) for pair in masses):
        return "the changed clause says the same: it lets the same sentences through"
    if all(after <= before * (1 + 1e-9) for before, after in masses):
        return "stricter: fewer sentences are let through, and every claim of the original holds"
    return "other sentences are let through, for which every claim of the original holds"


def _compared(original: Original, compiled: Compiled, compiler: StructureCompiler) -> Json:
    """What a comparison with the original says; empty if nothing."""
    new = shown(compiled, compiler, original.compiled).beyond(original.shown)
    if not new:
        return {}
    rows = [described(row) for row in new]
    return {"verdict": "comparison", "message": rows[0], "shown": rows}


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
    """Sizes of the parts of each split in which a breach is commonest, up to the full ones.

    The others come with it: if that one is met, the mutant is caught.
    """
    strata = {stratum.stream: stratum for stratum in original.plan.strata}
    commonest: dict[str, Breach] = {}
    for breach in breaches:
        known = commonest.get(breach.stream.partition("/")[0])
        if 0.0 < breach.share < 1.0 and (known is None or breach.share > known.share):
            commonest[breach.stream.partition("/")[0]] = breach
    return {
        breach.stream: max(
            scaled(strata[breach.stream]),
            min(strata[breach.stream].count, math.ceil(PLANTED / breach.share)),
        )
        for breach in commonest.values()
        if breach.stream in strata
    }


def _errors(diagnostics: Diagnostics, original: Original | None = None) -> list[Diagnostic]:
    """The errors, without those that the original has as well."""
    known = original.errors if original is not None else frozenset()
    return [
        found
        for found in diagnostics
        if found.severity is Severity.ERROR and (found.code, found.message) not in known
    ]


def _caught(stage: str, errors: Sequence[Diagnostic], pattern: str) -> Json:
    """A mutant that a stage stops: by an error about the pattern, or else by the first."""
    own = [found for found in errors if pattern and f"`{pattern}`" in found.message]
    return {"verdict": stage, "message": _message((own or errors)[0]), "errors": len(errors)}


def _message(found: Diagnostic) -> str:
    """An error with its notes, among which the witness is."""
    return " · ".join([f"{found.code} {found.message}", *found.notes])
