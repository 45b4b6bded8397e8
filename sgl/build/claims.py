"""Prove the claims of the patterns, and say in the author's words what fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sgl.automata import (
    Conflict,
    Disjoint,
    HeldOut,
    Instance,
    Licence,
    Proofs,
    StructureCompiler,
    StructureTooCostly,
    UnsupportedStructure,
    Verdict,
    prove,
)
from sgl.compile import Compiled
from sgl.compile.patterns import LoweredPattern
from sgl.core.grammar import Fragment
from sgl.core.interpret import Derivation, interpret
from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostics, Label, Span

#: Rules of a witness that a diagnostic points at.
_SHOWN = 4


def establish(
    compiled: Compiled,
    structures: StructureCompiler,
    diagnostics: Diagnostics,
    progress: Callable[[str], None] | None = None,
    only: str | None = None,
) -> Proofs | None:
    """Prove every claim of the plan, or of one pattern; None if one cannot be decided."""
    try:
        proofs = prove(structures, compiled.plan, progress, only)
    except StructureTooCostly as problem:
        _Findings(compiled, diagnostics).too_costly(problem)
        return None
    except UnsupportedStructure as problem:
        diagnostics.error("SGL0810", compiled.dataset_span, str(problem))
        return None
    _Findings(compiled, diagnostics).report(proofs)
    return proofs


class _Findings:
    """Turns refuted claims into diagnostics."""

    def __init__(self, compiled: Compiled, diagnostics: Diagnostics) -> None:
        self.compiled = compiled
        self.diagnostics = diagnostics
        self.patterns = {lowered.pattern.name: lowered for lowered in compiled.patterns}

    def report(self, proofs: Proofs) -> None:
        leaking = {name for name, claim in proofs.refuted() if isinstance(claim, HeldOut)}
        for name, claim in proofs.refuted():
            lowered = self.patterns[name]
            if isinstance(claim, HeldOut):
                self._leak(lowered, claim)
            elif isinstance(claim, Licence):
                self._unlicensed(lowered, claim)
            elif isinstance(claim, Instance):
                self._misfit(lowered, claim)
            elif name not in leaking:
                self._shared(lowered, claim)
        for stratum in proofs.unsatisfiable:
            self._empty(stratum.stream, stratum.conflict)
        for pattern in proofs.patterns:
            for licence in pattern.licences:
                if licence.verdict is Verdict.PROVED and licence.scarce:
                    self._scarce(self.patterns[pattern.name], licence)

    def too_costly(self, problem: StructureTooCostly) -> None:
        self.diagnostics.error(
            "SGL0810",
            self._place(problem.structure),
            "this structure has too many ways to match: its automaton would be too large",
            notes=(f"the variable that costs most is `{problem.variable}`",),
            hint=f"give `{problem.variable}` a test such as [upos=NOUN], or label its edges",
        )

    # ---- single claims

    def _leak(self, lowered: LoweredPattern, claim: HeldOut) -> None:
        how = (
            "`assert never` leaves the grammar as it is"
            if claim.asserted
            else ("a rule with `keep in train` is not cut")
        )
        self.diagnostics.error(
            "SGL0811",
            self._span(lowered, claim.structure),
            f"training can contain what the pattern `{lowered.pattern.name}` holds out",
            label="this structure can still be derived",
            labels=self._guilty(claim),
            notes=(*self._witness(claim.witness), how),
            hint="remove the rule, or restrict it so that it no longer makes the structure",
        )

    def _unlicensed(self, lowered: LoweredPattern, claim: Licence) -> None:
        self.diagnostics.error(
            "SGL0813",
            self._span(lowered, claim.structure),
            f"training cannot contain this part, which `{lowered.pattern.name}` needs",
            labels=self._forbidding(lowered),
            notes=("a generalization item would then test more than one new thing",),
            hint="correct the structure, or the `forbid` that rules it out",
        )

    def _scarce(self, lowered: LoweredPattern, claim: Licence) -> None:
        self.diagnostics.warning(
            "SGL0814",
            self._span(lowered, claim.structure),
            f"only about {claim.expected:.1f} training sentences will contain this part, "
            f"{claim.minimum} are needed",
            notes=(
                f"its probability in training is {claim.mass:.2g}",
                *self._witness(claim.example),
            ),
            hint="give its rules more weight, or add `expose` for it",
        )

    def _misfit(self, lowered: LoweredPattern, claim: Instance) -> None:
        if claim.conflict is not None:
            self._empty(claim.stream, claim.conflict)
            return
        reason = (
            "contains what another clause excludes"
            if claim.problem is not None
            else "lacks the structure that every item must contain"
        )
        self.diagnostics.error(
            "SGL0816",
            lowered.declaration.name.span,
            f"an item of `{lowered.pattern.name}` {reason}",
            notes=self._witness(claim.witness),
        )

    def _shared(self, lowered: LoweredPattern, claim: Disjoint) -> None:
        self.diagnostics.error(
            "SGL0815",
            lowered.declaration.name.span,
            f"an item of `{lowered.pattern.name}` can also be a training sentence",
            notes=(
                *self._witness(claim.witness),
                "an item must contain something that training does not",
            ),
            hint="let `gen` imply one of the `forbid` structures",
        )

    def _empty(self, stream: str, conflict: Conflict) -> None:
        clauses = [
            *((structure, "required here") for group in conflict.require for structure in group),
            *((structure, "excluded here") for structure in conflict.exclude),
        ]
        spans = [
            (span, text)
            for structure, text in clauses
            if (span := self._place(structure)) is not None
        ]
        primary = spans[0] if spans else (self.compiled.dataset_span, "")
        what = f"no sentence can be an item of `{stream.split('/')[1]}`"
        if not stream.startswith("gen/"):
            what = f"no sentence is left for `{stream}`"
        self.diagnostics.error(
            "SGL0812",
            primary[0],
            what,
            label=primary[1],
            labels=[Label(span, text) for span, text in spans[1:]],
            notes=("these clauses cannot hold together in any sentence of the grammar",)
            if spans
            else (),
            hint="drop one of them, or `allow` the other pattern",
        )

    # ---- places and sentences

    def _span(self, lowered: LoweredPattern, structure: Structure) -> Span:
        return lowered.spans.get(structure, lowered.declaration.name.span)

    def _place(self, structure: Structure) -> Span | None:
        for lowered in self.compiled.patterns:
            if structure in lowered.spans:
                return lowered.spans[structure]
            if structure == lowered.target_structure:
                return lowered.declaration.name.span
        return None

    def _forbidding(self, lowered: LoweredPattern) -> Iterable[Label]:
        for structure in lowered.pattern.held_out[:2]:
            yield Label(self._span(lowered, structure), "held out here")

    def _witness(self, derivation: Derivation | None) -> tuple[str, ...]:
        if derivation is None:
            return ()
        item = interpret(self.compiled.grammar, derivation)
        plan = self.compiled.plan
        layer = self.compiled.grammar.text_layer(plan.source)
        return (f'witness: "{item.texts[layer]}"',)

    def _guilty(self, claim: HeldOut) -> Iterable[Label]:
        """The rules of the witness that the author should look at.

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
    """Whether a rule adds an edge or a word that the structure asks for by name."""
    body = structure.body
    named = [atom.labels for atom in body.links if not atom.labels.negated]
    if any(labels.accepts(edge.label) for labels in named for edge in fragment.edges):
        return True
    tests = [test for variable in body.variables for test in variable.tests if not test.negated]
    pairs = [pair for node in fragment.nodes for pair in node.attributes or ()]
    lemmas = [test for test in tests if test.attribute == "lemma"]
    return any(test.accepts(value) for test in lemmas for name, value in pairs if name == "lemma")
