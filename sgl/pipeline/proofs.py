"""Check examples and prove claims; what is computed once is taken from the cache."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sgl.automata import Proofs, StructureCompiler
from sgl.automata.certificate import Certificate, certificate, certificate_text
from sgl.automata.proofs.findings import StratumStatistics, statistics_of
from sgl.cache import cached
from sgl.core.plan import Plan
from sgl.dataset.fingerprint import core_digest, core_form
from sgl.diagnostics import Diagnostic, Diagnostics
from sgl.frontend import Compiled
from sgl.pipeline.messages import deciding
from sgl.pipeline.needs import prove_with_needs, with_needs
from sgl.pipeline.refutations import report_refuted
from sgl.pipeline.sentences import check_examples
from sgl.sampling.tables import pack_states


@dataclass(frozen=True)
class _Established:
    """Proofs with what is said about them; they are None if a claim cannot be decided."""

    proofs: Proofs | None
    diagnostics: tuple[Diagnostic, ...]


def establish(
    compiled: Compiled,
    structures: StructureCompiler,
    diagnostics: Diagnostics,
    progress: Callable[[str], None] | None = None,
    only: str | None = None,
) -> Proofs | None:
    """Check all examples, and prove every claim of the plan, or of one pattern.

    This is what `check`, `prove` and `compile` have in common.

    Returns:
        The proofs; None if a claim cannot be decided.  They are about the plan that
        ``with_needs`` makes of them.
    """
    check_examples(compiled, diagnostics)

    def compute() -> _Established:
        proofs, found = None, Diagnostics()
        with deciding(compiled, found):
            proofs = prove_with_needs(compiled, structures, found, progress, only)
            report_refuted(with_needs(compiled, proofs), structures, proofs, found)
        return _Established(proofs, found.found)

    asked = "all patterns" if only is None else f"pattern {only}"
    established = cached(_Established, "proofs", (compiled.origin, asked), compute)
    diagnostics.extend(established.diagnostics)
    return established.proofs


def certificate_of(structures: StructureCompiler, plan: Plan, name: str) -> Certificate:
    """Return the certificate of a plan, ``name`` is for the reader."""
    grammar = structures.grammar
    core = core_form(grammar, plan)
    head = {"name": name, "core": core, "digest": core_digest(core), "seed": plan.seed}
    splits = {stratum.stream: structures.split(stratum.constraint) for stratum in plan.strata}
    return certificate(structures, plan, head, *pack_states(grammar, plan, splits))


@dataclass(frozen=True)
class CertificateFile:
    """The content of ``certificate.json``, and the claims that it does not show in full.

    The content is UTF-8, equal for equal grammars and plans.  ``missing`` are patterns with
    a word for what is claimed of them.
    """

    content: bytes
    missing: frozenset[tuple[str, str]]


def certificate_file(compiled: Compiled, structures: StructureCompiler) -> CertificateFile:
    """Return the certificate of a plan as a file."""

    def compute() -> CertificateFile:
        made = certificate_of(structures, compiled.plan, compiled.project.name)
        content = certificate_text(made.content).encode("utf-8")
        return CertificateFile(content, frozenset((c.pattern, c.word) for c in made.missing))

    return cached(CertificateFile, "certificate", (compiled.origin,), compute)


def known_figures(
    compiled: Compiled, structures: StructureCompiler
) -> tuple[StratumStatistics, ...]:
    """Return the figures of the author's grammar and of every stratum of its plan."""
    return cached(
        tuple, "figures", (compiled.origin,), lambda: statistics_of(structures, compiled.plan)
    )
