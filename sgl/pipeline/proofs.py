"""Prove the claims of the patterns, and say in the author's words what fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sgl.automata import (
    Conflict,
    Disjoint,
    HeldOut,
    Instance,
    Proofs,
    StructureCompiler,
    Verdict,
    prove,
)
from sgl.automata.certificate import certificate, certificate_text
from sgl.automata.proofs.findings import StratumStatistics, statistics_of
from sgl.cache import cached
from sgl.core.grammar import Fragment
from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, PART_PREFIX
from sgl.core.structure import Structure
from sgl.dataset import fingerprint
from sgl.diagnostics import Diagnostic, Diagnostics, Label
from sgl.frontend import Compiled
from sgl.frontend.patterns import LoweredPattern
from sgl.pipeline.messages import Wording, deciding, place_of_stream, report_licences

#: Rules of a witness that a diagnostic points at.
_SHOWN = 4

#: Why there is no sentence, and what to do: several clauses, or one that fits everything.
_CONTRADICTION = (
    "these clauses cannot hold together in any sentence of the grammar",
    "drop one of them, or `allow` the other pattern",
)
_EVERYWHERE = (
    "every sentence of the grammar contains this structure",
    "make the structure narrower, with tests or more edges",
)


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
    """Prove every claim of the plan, or of one pattern; None if one cannot be decided."""

    def compute() -> _Established:
        found = Diagnostics()
        return _Established(_prove(compiled, structures, found, progress, only), found.found)

    asked = "all patterns" if only is None else f"pattern {only}"
    established = cached(_Established, "proofs", (compiled.origin, asked), compute)
    diagnostics.extend(established.diagnostics)
    return established.proofs


def _prove(
    compiled: Compiled,
    structures: StructureCompiler,
    diagnostics: Diagnostics,
    progress: Callable[[str], None] | None,
    only: str | None,
) -> Proofs | None:
    proofs = None
    with deciding(compiled, diagnostics):
        proofs = prove(structures, compiled.plan, progress, only)
    if proofs is not None:
        with deciding(compiled, diagnostics):
            _Findings(compiled, structures, diagnostics, proofs).report()
    return proofs


class _Findings:
    """Turns refuted claims into diagnostics."""

    def __init__(
        self,
        compiled: Compiled,
        structures: StructureCompiler,
        diagnostics: Diagnostics,
        proofs: Proofs,
    ) -> None:
        self.compiled = compiled
        self.wording = Wording(compiled, structures)
        self.diagnostics = diagnostics
        self.proofs = proofs
        self.vacuous = {
            claim.structure
            for pattern in proofs.patterns
            for claim in pattern.held_out
            if claim.vacuous
        }

    def report(self) -> None:
        for pattern in self.proofs.patterns:
            lowered = next(p for p in self.compiled.patterns if p.pattern.name == pattern.name)
            self._report_held_out(lowered, pattern.held_out)
            report_licences(self.wording, lowered, pattern, self.diagnostics)
            for instance in pattern.instances:
                # Why a stratum is empty is said for all strata together.
                if instance.verdict is Verdict.REFUTED and instance.conflict is None:
                    self._misfit(lowered, instance)
            leaks = any(claim.verdict is Verdict.REFUTED for claim in pattern.held_out)
            for disjoint in pattern.disjoint:
                if disjoint.verdict is Verdict.REFUTED and not leaks:
                    self._shared(lowered, disjoint)
        self._report_empty()

    def _report_held_out(self, lowered: LoweredPattern, claims: Iterable[HeldOut]) -> None:
        """Report what leaks or never occurs, each structure once."""
        for claim in {claim.structure: claim for claim in claims}.values():
            if claim.verdict is Verdict.REFUTED:
                self._leak(lowered, claim)
            elif claim.vacuous:
                self._vacuous(lowered, claim)

    def _report_empty(self) -> None:
        """Strata without a sentence, together where the same clauses are to blame."""
        streams: dict[Conflict, list[str]] = {}
        for stratum in self.proofs.unsatisfiable:
            streams.setdefault(stratum.conflict, []).append(stratum.stream)
        for conflict, empty in streams.items():
            if not any(self.vacuous.issuperset(group) for group in conflict.require):
                self._empty(empty, conflict)

    # ---- single claims

    def _leak(self, lowered: LoweredPattern, claim: HeldOut) -> None:
        how = (
            "`assert never` leaves the grammar as it is"
            if claim.asserted
            else ("a rule with `keep in train` is not cut")
        )
        self.diagnostics.error(
            "SGL0811",
            self.wording.place(lowered, claim.structure),
            f"training can contain what the pattern `{lowered.pattern.name}` holds out",
            label="this structure can still be derived",
            labels=self._guilty(claim),
            notes=(*self.wording.witness(claim.witness), how),
            hint="remove the rule, or restrict it so that it no longer makes the structure",
        )

    def _vacuous(self, lowered: LoweredPattern, claim: HeldOut) -> None:
        self.diagnostics.error(
            "SGL0818",
            self.wording.place(lowered, claim.structure),
            "this structure cannot occur in any sentence of the grammar: nothing is held out",
            hint="look at what the grammar makes: `sglc sample --show graph`",
        )

    def _misfit(self, lowered: LoweredPattern, claim: Instance) -> None:
        reason = (
            "contains what another clause excludes"
            if claim.problem is not None
            else "lacks the structure that every item must contain"
        )
        self.diagnostics.error(
            "SGL0816",
            lowered.declaration.name.span,
            f"an item of `{lowered.pattern.name}` {reason}",
            notes=self.wording.witness(claim.witness),
        )

    def _shared(self, lowered: LoweredPattern, claim: Disjoint) -> None:
        self.diagnostics.error(
            "SGL0815",
            lowered.declaration.name.span,
            f"an item of `{lowered.pattern.name}` can also be a training sentence",
            notes=(
                *self.wording.witness(claim.witness),
                "an item must contain something that training does not",
            ),
            hint="let `gen` imply one of the `forbid` structures",
        )

    def _empty(self, streams: Sequence[str], conflict: Conflict) -> None:
        clauses = self.wording.clauses(conflict)
        primary = clauses[0] if clauses else Label(place_of_stream(self.compiled, streams[0]), "")
        what = f"no sentence is left for {_names(streams)}"
        if all(stream.startswith("gen/") for stream in streams):
            what = f"no sentence can be an item of {_names(streams)}"
        note, hint = _CONTRADICTION
        if len(clauses) == 1 and conflict.exclude:
            note, hint = _EVERYWHERE
        self.diagnostics.error(
            "SGL0812",
            primary.span,
            what,
            label=primary.text,
            labels=clauses[1:],
            notes=(note,) if clauses else (),
            hint=hint,
        )

    def _guilty(self, claim: HeldOut) -> Iterable[Label]:
        """Return the rules of the witness that the author should look at.

        They are those that are kept in training or, for an assertion, those that
        make an edge or a word which the structure asks for.
        """
        grammar = self.compiled.grammar
        layer = grammar.graph_layer(claim.structure.layer)
        rules = [
            number
            for number in claim.witness or ()
            if grammar.rules[number].keep
            or (claim.asserted and _makes(grammar.rules[number].fragments[layer], claim.structure))
        ]
        spans = dict.fromkeys(self.compiled.rule_spans[number] for number in rules)
        return [Label(span, "by this rule") for span in list(spans)[:_SHOWN]]


def _makes(fragment: Fragment, structure: Structure) -> bool:
    """Return whether a rule adds an edge or a word that the structure asks for by name."""
    body = structure.body
    named = [atom.labels for atom in body.links if not atom.labels.negated]
    if any(labels.accepts(edge.label) for labels in named for edge in fragment.edges):
        return True
    tests = [test for variable in body.variables for test in variable.tests if not test.negated]
    pairs = [pair for node in fragment.nodes for pair in node.attributes or ()]
    lemmas = [test for test in tests if test.attribute == "lemma"]
    return any(test.accepts(value) for test in lemmas for name, value in pairs if name == "lemma")


def _names(streams: Iterable[str]) -> str:
    """Return what streams are for, in words: splits, exposures, items."""
    names: dict[str, None] = {}
    for stream in streams:
        split, category, *_ = stream.split("/")
        if category == IN_DISTRIBUTION:
            names[f"`{split}`"] = None
        elif category.startswith(EXPOSURE_PREFIX):
            names[f"the exposures of `{category.removeprefix(EXPOSURE_PREFIX)}`"] = None
        elif category.startswith(PART_PREFIX):
            names[f"the part `{category.removeprefix(PART_PREFIX)}`"] = None
        else:
            names[f"`{category}`"] = None
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def certificate_file(compiled: Compiled, structures: StructureCompiler) -> bytes:
    """Return the content of ``certificate.json``: UTF-8, equal for equal grammars and plans."""

    def compute() -> bytes:
        digest = fingerprint(compiled.grammar, compiled.plan)
        content = certificate(structures, compiled.plan, compiled.project.name, digest)
        return certificate_text(content).encode("utf-8")

    return cached(bytes, "certificate", (compiled.origin,), compute)


def known_figures(
    compiled: Compiled, structures: StructureCompiler
) -> tuple[StratumStatistics, ...]:
    """Return the figures of the author's grammar and of every stratum of its plan."""
    return cached(
        tuple, "figures", (compiled.origin,), lambda: statistics_of(structures, compiled.plan)
    )
