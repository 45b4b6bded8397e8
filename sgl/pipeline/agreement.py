"""Warn about rules that may lack an agreement, with the sentences that come out of it.

What is suspicious, :mod:`sgl.frontend.agreement` says; here it is put into words::

    the rule `today` leaves `num` of `NP` open, so that it need not agree with `VP`
    witness: "Today the dogs sleeps.", beside "Today the dog sleeps."
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from sgl.core.interpret import interpret
from sgl.diagnostics import Diagnostics, Label
from sgl.frontend import Compiled
from sgl.frontend.agreement import Choice, OpenTie, Reason
from sgl.pipeline.smallest import SmallestTexts

#: What is said of a text that shows nothing of the feature.
_SEVERAL = " has several derivations"
#: Pairs of choices that are tried for a witness.
_TRIED = 200


def check_agreement(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Warn about the features that a rule leaves open and others do not."""
    if not compiled.open_ties:
        return
    texts = SmallestTexts(compiled.grammar)
    for tie in compiled.open_ties:
        witness = _witness(tie, compiled, texts)
        diagnostics.warning(
            "SGL0405",
            tie.place,
            _message(tie, witness),
            label=f"any value of `{tie.feature}`",
            labels=_labels(tie),
            notes=[note for note in (_why(tie), witness) if note],
            hint=_hint(tie),
        )


def _message(tie: OpenTie, witness: str) -> str:
    opened = f"the rule `{tie.rule}` leaves `{tie.feature}` of `{tie.category}` open"
    if witness.endswith(_SEVERAL):
        return f"{opened}, so that it says the same in several ways"
    return f"{opened}, so that it need not agree with `{tie.partner_category}`"


def _labels(tie: OpenTie) -> list[Label]:
    if not tie.tied_at:
        return []
    if tie.reason is Reason.NEVER_SET:
        return [Label(tie.tied_at[0], "asked for here")]
    return [Label(tie.tied_at[0], f"here it agrees with `{tie.partner_category}`")]


def _why(tie: OpenTie) -> str:
    if tie.reason is Reason.NEVER_ASKED:
        return f"no rule asks for the `{tie.feature}` of `{tie.category}`"
    if tie.reason is Reason.NEVER_SET:
        return f"nothing sets the `{tie.feature}` of `{tie.category}`"
    others = len(tie.tied_at) - 1
    if not others:
        return ""
    return f"so it does in {others:,} other {'rule' if others == 1 else 'rules'}"


def _witness(tie: OpenTie, compiled: Compiled, texts: SmallestTexts) -> str:
    """A text in which the two do not agree, beside one in which they do.

    The source shows it best, another layer if the source does not. If none does, the text
    has several derivations.
    """
    grammar, source = compiled.grammar, compiled.grammar.text_layer(compiled.plan.source)
    layers = sorted(range(len(grammar.text_layers)), key=lambda layer: layer != source)
    said = [
        tuple(interpret(grammar, texts.of(choice.rule)).texts for choice in pair)
        for pair in islice(_pairs(tie.choices), _TRIED)
    ]
    for layer in layers:
        of = "" if layer == source else f" (`{grammar.text_layers[layer].name}`)"
        for wrong, right in said:
            if wrong[layer] != right[layer]:
                return f'witness: "{wrong[layer]}", beside "{right[layer]}"{of}'
    if said:
        return f'witness: "{said[0][0][source]}"{_SEVERAL}'
    differing = next(choice for choice in tie.choices if choice.value != choice.partner)
    return f'witness: "{interpret(grammar, texts.of(differing.rule)).texts[source]}"'


def _pairs(choices: Sequence[Choice]) -> Iterator[tuple[Choice, Choice]]:
    """Choices that do not agree, with those that do and differ in nothing else."""
    ordered = sorted(choices, key=lambda choice: not choice.even)
    agreeing = {choice.rest: choice for choice in ordered if choice.value == choice.partner}
    for choice in ordered:
        if choice.value != choice.partner and choice.rest in agreeing:
            yield choice, agreeing[choice.rest]


def _hint(tie: OpenTie) -> str:
    both = " and ".join(f"`{mention}`" for mention in tie.agreeing)
    return f"write {both}; if any value is meant, `{tie.any_value}`"
