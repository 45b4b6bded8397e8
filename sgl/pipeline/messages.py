"""Say in the author's words what a claim is about: places, sentences, clauses, what is lacking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from sgl.automata import (
    Conflict,
    Licence,
    PatternProofs,
    Piece,
    StructureCompiler,
    StructureTooCostly,
    Unseen,
    UnsupportedStructure,
    Verdict,
    smallest_derivation,
)
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import EXPOSURE_PREFIX, PART_PREFIX
from sgl.core.structure import NodeTest, Structure
from sgl.diagnostics import Diagnostic, Diagnostics, Label, Severity, Span
from sgl.frontend import Compiled
from sgl.frontend.patterns import LoweredPattern
from sgl.frontend.plan import GEN
from sgl.lang import syntax as s


def place_of_stream(compiled: Compiled, stream: str) -> Span:
    """Return the clause that asks for a stratum: ``size``, ``expose``, or the size of the split.

    ``stream`` is the name of its stream: ``gen/PATTERN/1`` is the second part of
    ``size``, ``train/exposure:PATTERN/0`` the first ``expose``, ``train/part:PART/0``
    the first number of a part.  Of any other stream it is the dataset.
    """
    split, category, *index = [*stream.split("/"), ""]
    for part in compiled.parts:
        if category == PART_PREFIX + part.part.name:
            return part.sizes[int(index[0])]
    name = category.removeprefix(EXPOSURE_PREFIX)
    for lowered in compiled.patterns:
        if lowered.pattern.name == name:
            return lowered.span("size" if split == GEN else "expose", int(index[0]))
    for unit in compiled.project.units:
        for declaration in unit.file.declarations:
            if isinstance(declaration, s.Dataset):
                for clause in declaration.clauses:
                    if clause.key.text == split:
                        return clause.span
    return compiled.dataset_span


def place_of_structure(compiled: Compiled, structure: Structure) -> Span | None:
    """Return the first clause of any declaration with this structure."""
    return next(iter(places_of_structure(compiled, structure)), None)


def places_of_structure(compiled: Compiled, structure: Structure) -> list[Span]:
    """For each declaration that has this structure its first clause with it."""
    places = (
        *(lowered.places.get(structure) for lowered in compiled.patterns),
        *(lowered.places.get(structure) for lowered in compiled.parts),
        *(lowered.places.get(structure) for lowered in compiled.restrictions),
    )
    return [place for place in places if place is not None]


@contextmanager
def deciding(compiled: Compiled, diagnostics: Diagnostics) -> Iterator[None]:
    """Report a structure that is too large for an automaton, and go on after the block."""
    try:
        yield
    except (StructureTooCostly, UnsupportedStructure) as problem:
        diagnostics.add(undecided(problem, compiled))


def undecided(
    problem: StructureTooCostly | UnsupportedStructure, compiled: Compiled | None
) -> Diagnostic:
    """Return what there is to say about a structure that cannot be decided."""
    if isinstance(problem, UnsupportedStructure):
        place = None if compiled is None else compiled.dataset_span
        return Diagnostic("SGL0810", Severity.ERROR, place, str(problem))
    return Diagnostic(
        "SGL0810",
        Severity.ERROR,
        None if compiled is None else place_of_structure(compiled, problem.structure),
        "this structure has too many ways to match: its automaton would be too large",
        notes=(f"the variable that costs most is `{problem.variable}`",),
        hint=f"give `{problem.variable}` a test such as [upos=NOUN], or label its edges",
    )


def written(structure: Structure, targets: Sequence[str]) -> str:
    """Return a structure as the author of a pattern with these targets would write it."""
    named = str(NodeTest("lemma", frozenset(targets)))
    return str(structure).replace(named, "lemma in @targets") if targets else str(structure)


class Wording:
    """Says in the author's words and sentences what a claim is about."""

    def __init__(self, compiled: Compiled, structures: StructureCompiler) -> None:
        self.compiled = compiled
        self._structures = structures

    def place(self, lowered: LoweredPattern, structure: Structure) -> Span:
        """Return the clause of a pattern with this structure; its name if there is none."""
        return lowered.places.get(structure) or lowered.declaration.name.span

    def sentence(self, derivation: Derivation) -> str:
        """Return the source text of a derivation, in quotes."""
        layer = self.compiled.grammar.text_layer(self.compiled.plan.source)
        return f'"{interpret(self.compiled.grammar, derivation).texts[layer]}"'

    def witness(self, derivation: Derivation | None) -> tuple[str, ...]:
        """Return a note with the sentence that shows the matter, if there is one."""
        return () if derivation is None else (f"witness: {self.sentence(derivation)}",)

    def as_in(self, structures: Sequence[Structure]) -> str:
        """Return words with the smallest sentence of the grammar that has one of the structures."""
        wanted = self._structures.disjunction(tuple(structures))
        derivation = smallest_derivation(wanted)
        return "" if derivation is None else f", as in {self.sentence(derivation)}"

    def clauses(self, conflict: Conflict) -> list[Label]:
        """Return the clauses in conflict, each with a sentence that it asks for or rules out."""
        required = [
            (structure, "required here" + self.as_in((structure,)))
            for group in conflict.require
            for structure in group
        ]
        return self._placed([*required, *self._excluded(conflict, "excluded here")])

    def excluding(self, conflict: Conflict | None) -> list[Label]:
        """Return the clauses that rule something out, each with a reason and a sentence."""
        return self._placed(self._excluded(conflict))

    def _excluded(self, conflict: Conflict | None, what: str = "") -> list[tuple[Structure, str]]:
        excluded = conflict.exclude if conflict is not None else ()
        return [
            (structure, (what or self._why(structure)) + self.as_in((structure,)))
            for structure in excluded
        ]

    def _why(self, structure: Structure) -> str:
        """Return why training sentences may not contain a structure."""
        patterns = self.compiled.plan.patterns
        held_out = any(structure in pattern.held_out for pattern in patterns)
        return "held out here" if held_out else "reserved here"

    def _placed(self, clauses: Iterable[tuple[Structure, str]]) -> list[Label]:
        """Return each clause once: one may require what another excludes in the same words."""
        labels: dict[Span, Label] = {}
        for structure, text in clauses:
            free = (s for s in places_of_structure(self.compiled, structure) if s not in labels)
            place = next(free, None)
            if place is not None:
                labels[place] = Label(place, text)
        return list(labels.values())


#: Why it matters that a part is missing.
_TWO_THINGS = "a generalization item would then test more than one new thing"

#: Missing words that are named, and pieces that are offered.
_NAMED, _OFFERED = 5, 4


def report_licences(
    wording: Wording, lowered: LoweredPattern, proofs: PatternProofs, diagnostics: Diagnostics
) -> None:
    """Report the parts, pieces and words of one pattern that training lacks."""
    reporter = _Reporter(wording, lowered, diagnostics)
    for index, licence in enumerate(proofs.licences):
        if licence.verdict is Verdict.REFUTED:
            reporter.unlicensed(index, licence)
        elif licence.scarce:
            reporter.scarce(index, licence)
    vacuous = {claim.structure for claim in proofs.held_out if claim.vacuous}
    unseen = [
        piece
        for piece in proofs.pieces
        if piece.verdict is Verdict.REFUTED and piece.whole not in vacuous
    ]
    for piece in unseen:
        reporter.unseen_piece(piece)
    for structure in proofs.idle_waivers:
        reporter.idle_waiver(structure, [piece.structure for piece in proofs.pieces])
    # Words that only an unseen piece brings are not worth a second message.
    if proofs.exposed.missing and not unseen:
        reporter.unexposed(proofs.exposed.missing)


class _Reporter:
    def __init__(self, wording: Wording, lowered: LoweredPattern, diagnostics: Diagnostics) -> None:
        self.wording = wording
        self.lowered = lowered
        self.diagnostics = diagnostics
        self.name = lowered.pattern.name

    def unlicensed(self, index: int, claim: Licence) -> None:
        asked = self.wording.as_in((claim.structure,))
        self.diagnostics.error(
            "SGL0813",
            self.lowered.span("need", index),
            f"training cannot contain this part, which `{self.name}` needs",
            label=f"needed here{asked}" if asked else "no sentence of the grammar contains this",
            labels=self.wording.excluding(claim.conflict),
            notes=(_TWO_THINGS,),
            hint="correct the structure, or the `forbid` that rules it out",
        )

    def scarce(self, index: int, claim: Licence) -> None:
        self.diagnostics.warning(
            "SGL0814",
            self.lowered.span("need", index),
            f"only about {claim.expected:.1f} training sentences will contain this part, "
            f"{claim.minimum} are needed",
            notes=(
                f"its probability in training is {claim.mass:.2g}",
                *self.wording.witness(claim.example),
            ),
            hint="give its rules more weight, or add `expose` for it",
        )

    def unseen_piece(self, claim: Piece) -> None:
        whole = self.wording.place(self.lowered, claim.whole)
        labels = self.wording.excluding(claim.conflict)
        others = [label for label in labels if label.span != whole]
        asked = self.wording.as_in((claim.structure,))
        piece = written(claim.structure, self.lowered.pattern.targets)
        notes = [f"the piece is {piece}"]
        hint = "let training show the piece in another place"
        if not asked:
            notes.append("no sentence of the grammar contains it")
        elif not others:
            notes.append(f"whatever contains it contains the whole{asked}")
            hint = "leave the other link out of the structure if it says nothing new"
        self.diagnostics.error(
            "SGL0851",
            whole,
            f"training cannot contain a piece of what `{self.name}` holds out",
            label="the piece is this without one link",
            labels=others,
            notes=(*notes, _TWO_THINGS),
            hint=f"{hint}, or say that it need not be seen: `waive {piece}`",
        )

    def idle_waiver(self, structure: Structure, pieces: Sequence[Structure]) -> None:
        self.diagnostics.error(
            "SGL0852",
            self.wording.place(self.lowered, structure),
            f"this is no piece of what `{self.name}` holds out",
            notes=[
                f"a piece is {written(piece, self.lowered.pattern.targets)}"
                for piece in pieces[:_OFFERED]
            ],
            hint="remove the clause, or write one of the pieces",
        )

    def unexposed(self, missing: Sequence[Unseen]) -> None:
        first = missing[0]
        names = ", ".join(f"the {thing.kind.value} `{thing.name}`" for thing in missing[:_NAMED])
        more = len(missing) - _NAMED
        place = self.wording.compiled.rule_spans[first.rules[0]]
        self.diagnostics.error(
            "SGL0853",
            self.lowered.declaration.name.span,
            f"items of `{self.name}` can use what training never shows",
            labels=[Label(place, f"`{first.name}` comes from here")],
            notes=(
                f"missing: {names}" + (f" and {more:,} more" if more > 0 else ""),
                "the patterns together hold out all sentences with it",
            ),
            hint="add the words to `targets`, expose them, or hold out less",
        )
