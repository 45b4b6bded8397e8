"""Say what training lacks of the parts, pieces and words that a pattern needs."""

from __future__ import annotations

from collections.abc import Sequence

from sgl.automata import Licence, PatternProofs, Piece, Unseen, Verdict
from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostics, Label
from sgl.frontend.patterns import LoweredPattern
from sgl.pipeline.wording import Wording, written

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
