"""Check examples, prove claims, and draw needed parts that chance may not supply.

The number of training sentences with a part is random, with a known distribution.  If it may be lower than a pattern
needs, sentences with the part are drawn separately.  They are a stratum of ``train``, called ``train/need:NAME/0``.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING

from sgl.automata import Proofs, StructureCompiler, count_derivations, prove
from sgl.automata.proofs.edits import shape_of
from sgl.automata.proofs.prove import StratumStatistics, needs_in_danger, statistics_of
from sgl.cache import cached, retain
from sgl.core.claims import DrawnNeed
from sgl.core.extent import Extent
from sgl.core.plan import IN_DISTRIBUTION, NEED_PREFIX, TRAIN, Plan, Stratum
from sgl.diagnostics import Diagnostic, Diagnostics
from sgl.frontend import Compiled
from sgl.memory import kept
from sgl.pipeline.sentences import deciding
from sgl.pipeline.writable import check_unproved
from sgl.values import dataclass, replace

if TYPE_CHECKING:
    from sgl.automata.certificate import Certificate


def establish(
    compiled: Compiled,
    structures: StructureCompiler,
    diagnostics: Diagnostics,
    progress: Callable[[str], None] | None = None,
    only: str | None = None,
    *,
    unproved: bool = True,
) -> Proofs | None:
    """Make the checks without proof, and prove the claims of the plan or of one pattern; None if one is undecided."""
    if unproved:
        check_unproved(compiled, diagnostics)

    def compute() -> tuple[Proofs | None, tuple[Diagnostic, ...]]:
        # After most edits the claims are known.
        from sgl.pipeline.preview import report_preview
        from sgl.pipeline.refutations import report_refuted
        from sgl.pipeline.relatives import report_relatives
        from sgl.pipeline.writable import check_enough

        proofs, found = None, Diagnostics()
        with deciding(compiled, found):
            drawn = _drawn(compiled, structures, found, only)
            proofs = prove(structures, plan_with(compiled.plan, drawn), progress, only)
            proofs = replace(proofs, drawn=drawn)
            report_refuted(with_needs(compiled, proofs), structures, proofs, found)
            if only is None and not found.errors:
                report_relatives(compiled, structures, found)
                drawn_for = with_needs(compiled, proofs)
                check_enough(drawn_for, structures, found)
                report_preview(drawn_for, structures, found)
        return proofs, found.found

    asked = "all patterns" if only is None else f"pattern {only}"
    known = partial(cached, tuple, "proofs", (compiled.told_as, asked), compute)
    weights = tuple(rule.weight for rule in compiled.grammar.rules)
    same = (shape_of(compiled.grammar), compiled.plan, *compiled.patterns, *compiled.parts)
    proofs: Proofs | None
    proofs, said = kept("proofs", same, (asked, weights, compiled.rule_spans), known)
    retain(*["structures"] * structures.grown)
    diagnostics.extend(said)
    return proofs


def decide(
    compiled: Compiled,
    structures: StructureCompiler,
    diagnostics: Diagnostics,
    progress: Callable[[str], None] | None = None,
) -> int | None:
    """Report on the claims, and return the number of proved patterns; None if a claim is undecided.

    Exact weights matter only for needs; otherwise it matters only whether a weight is positive.  If there is no
    message, and so no sentence to show, the result does not depend on words between the phrases of a rule.
    """
    check_unproved(compiled, diagnostics)
    grammar, needed, drawn = compiled.grammar, Diagnostics(), tuple[DrawnNeed, ...]()
    with deciding(compiled, needed):
        drawn = tuple(replace(need, expected=0.0) for need in _drawn(compiled, structures, needed))

    @cache
    def told() -> tuple[int | None, tuple[Diagnostic, ...]]:
        found = Diagnostics()
        proofs = establish(compiled, structures, found, progress, unproved=False)
        proved = [pattern.proved for pattern in proofs.patterns] if proofs is not None else []
        return sum(proved) if proved else None, found.found

    weights = tuple(rule.weight if needed.errors else rule.weight > 0 for rule in grammar.rules)
    equal, same = (drawn, weights, compiled.rule_spans), (compiled.plan, *compiled.patterns, *compiled.parts)
    known = partial(kept, "told", (shape_of(grammar), *same), equal, told)
    silent = kept("silent", (shape_of(grammar, worded=False), *same), equal, lambda: None if known()[1] else known())
    number, said = silent or known()
    retain()
    diagnostics.extend(said)
    return number


def meaning(compiled: Compiled) -> tuple[str, str]:
    """Return the fingerprint and the seed: a cache key of what does not depend on comments, layout and places."""
    from sgl.dataset.fingerprint import fingerprint

    grammar, plan = compiled.grammar, compiled.plan
    found = cached(str, "fingerprint", (compiled.origin,), lambda: fingerprint(grammar, plan))
    return found, str(plan.seed)


def fingerprints(compiled: Compiled) -> Iterator[str]:
    """Yield the possible fingerprints of a grammar in manifests: as written, and with sentences drawn for needs."""
    from sgl.dataset.fingerprint import fingerprint

    yield fingerprint(compiled.grammar, compiled.plan)
    if (proofs := establish(compiled, StructureCompiler(compiled.grammar), Diagnostics())) is not None:
        yield fingerprint(compiled.grammar, with_needs(compiled, proofs).plan)


def certificate_of(structures: StructureCompiler, plan: Plan, name: str) -> "Certificate":
    """Return the certificate of a plan; ``name`` is for the reader."""
    from sgl.automata.certificate import DrawnTables, certificate
    from sgl.dataset.fingerprint import core_digest, core_form
    from sgl.sampling.tables import pack_states

    grammar = structures.grammar
    core = core_form(grammar, plan)
    head = {"name": name, "core": core, "digest": core_digest(core), "seed": plan.seed}
    splits = {stratum.stream: structures.drawn(stratum) for stratum in plan.strata}
    states, starts, found = pack_states(grammar, plan, splits)
    drawn = DrawnTables(states, starts, found if any(found) else ())
    return certificate(structures, plan, head, drawn)


@dataclass(frozen=True)
class CertificateFile:
    """The content of ``certificate.json``, a function of grammar and plan; ``missing`` are claims that it lacks."""

    content: bytes
    missing: frozenset[tuple[str, str]]


def certificate_file(compiled: Compiled, structures: StructureCompiler) -> CertificateFile:
    """Return the certificate of a plan as file content."""

    def compute() -> CertificateFile:
        from sgl.automata.certificate import certificate_text

        made = certificate_of(structures, compiled.plan, compiled.project.name)
        content = certificate_text(made.content).encode("utf-8")
        return CertificateFile(content, frozenset((c.pattern, c.word) for c in made.missing))

    return cached(CertificateFile, "certificate", (*meaning(compiled), compiled.project.name), compute)


def known_figures(compiled: Compiled, structures: StructureCompiler) -> tuple[StratumStatistics, ...]:
    """Return the figures of the author's grammar and of every stratum of its plan."""
    return cached(tuple, "figures", meaning(compiled), lambda: statistics_of(structures, compiled.plan))


#: A need is left to chance if it fails with at most this probability.
RISK = 1e-6


def _drawn(
    compiled: Compiled, structures: StructureCompiler, diagnostics: Diagnostics, only: str | None = None
) -> tuple[DrawnNeed, ...]:
    """Return what is drawn for the needs of a plan, or of one pattern; report a need that cannot be met."""
    drawn: tuple[DrawnNeed, ...] = ()
    # Fewer sentences left to chance may endanger another need.
    while more := needs_in_danger(structures, plan_with(compiled.plan, drawn), RISK, only):
        if not _possible(compiled, structures, (*drawn, *more), diagnostics):
            break
        drawn += more
    return drawn


def with_needs(compiled: Compiled, proofs: Proofs) -> Compiled:
    """Return a grammar with the plan that was proved."""
    if not proofs.drawn:
        return compiled
    origin = compiled.origin and hashlib.sha256(f"{compiled.origin} needs".encode()).hexdigest()
    return replace(compiled, plan=plan_with(compiled.plan, proofs.drawn)).with_origin(origin)


def plan_with(plan: Plan, drawn: tuple[DrawnNeed, ...]) -> Plan:
    """Return a plan in which these needs are drawn as part of the training sentences."""
    usual = plan.in_distribution(TRAIN)
    if usual is None or not drawn:
        return plan
    streams = (f"{TRAIN}/{NEED_PREFIX}{need.pattern}/{need.index}" for need in drawn)
    own = [
        Stratum(TRAIN, IN_DISTRIBUTION, stream, Extent(need.count), usual.constraint.requiring(need.structure))
        for stream, need in zip(streams, drawn, strict=True)
    ]
    rest = usual.of(usual.count - sum(need.count for need in drawn))
    others = (stratum for stratum in plan.strata if stratum is not usual)
    return replace(plan, strata=(rest, *own, *others))


#: Why a part cannot be drawn, with a hint.
_TOO_SMALL = (
    "they would be drawn separately, and `train` is too small for all needs together",
    (
        "make `train` larger, need fewer, or give the rules of this part more weight; for less of everything leave "
        "`train` as it was, and add `percent 10` to `dataset`"
    ),
)
_RESERVED = "only exposures or parts may contain it, as they reserve what they show"


def _possible(
    compiled: Compiled, structures: StructureCompiler, drawn: tuple[DrawnNeed, ...], diagnostics: Diagnostics
) -> bool:
    usual = compiled.plan.in_distribution(TRAIN)
    possible, left = True, usual.count if usual is not None else 0
    for need in drawn:
        left -= need.count
        note, hint = _TOO_SMALL if left < 0 else _too_few(compiled, structures, need)
        if note:
            (lowered,) = (p for p in compiled.patterns if p.pattern.name == need.pattern)
            message = f"training cannot have {need.count:,} sentences with this part; "
            message += f"{need.expected:,.1f} are expected"
            diagnostics.error("SGL0814", lowered.span("need", need.index), message, hint, notes=(note,))
            possible = False
    return possible


def _too_few(compiled: Compiled, structures: StructureCompiler, need: DrawnNeed) -> tuple[str, str]:
    """Return a reason and hint if the grammar has too few different sentences with a part; empty otherwise."""
    usual = compiled.plan.in_distribution(TRAIN)
    if usual is None or not (usual.extent.every or compiled.plan.distinct_sentences):
        return "", ""
    size = count_derivations(structures.split(usual.constraint.requiring(need.structure)))
    if size is None or size >= need.count:
        return "", ""
    note = f"the grammar has {size:,} different sentences for training that contain it"
    if size:
        return note, "need fewer, or add words or rules to the grammar"
    by_chance = "need fewer: exposures and parts have it by chance, and could have too few"
    return _RESERVED, by_chance if need.expected else "need nothing, or let `expose` show a narrower structure"
