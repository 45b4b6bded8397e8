"""Warn about rules that may lack an agreement, with the sentences that come out of it.

What is suspicious, :mod:`sgl.compile.agreement` says; here it is put into words::

    the rule `today` leaves `num` of `NP` open, so that it need not agree with `VP`
    witness: "Today the dogs sleeps.", beside "Today the dog sleeps."
"""

from __future__ import annotations

from sgl.build.smallest import SmallestTexts
from sgl.compile import Compiled
from sgl.compile.agreement import Choice, OpenTie, Reason
from sgl.core.interpret import interpret
from sgl.diagnostics import Diagnostics, Label


def check_agreement(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Warn about the features that a rule leaves open and others do not."""
    if not compiled.open_ties:
        return
    texts = SmallestTexts(compiled.grammar)
    for tie in compiled.open_ties:
        diagnostics.warning(
            "SGL0405",
            tie.place,
            _message(tie),
            label=f"any value of `{tie.feature}`",
            labels=_labels(tie),
            notes=[note for note in (_why(tie), _witness(tie, compiled, texts)) if note],
            hint=_hint(tie),
        )


def _message(tie: OpenTie) -> str:
    opened = f"the rule `{tie.rule}` leaves `{tie.feature}` of `{tie.category}` open"
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

    If nothing can be seen of the difference, the text has two derivations.
    """
    layer = compiled.grammar.text_layer(compiled.plan.source)

    def text(rule: int) -> str:
        return interpret(compiled.grammar, texts.of(rule)).texts[layer]

    choices = sorted(tie.choices, key=lambda choice: not choice.even)
    agreeing: dict[str, Choice] = {}
    for choice in choices:
        if choice.value == choice.partner:
            agreeing.setdefault(choice.partner, choice)
    differing = [choice for choice in choices if choice.value != choice.partner]
    alike = ""
    for choice in differing:
        right = agreeing.get(choice.partner)
        if right is None:
            continue
        wrong = text(choice.rule)
        if wrong != text(right.rule):
            return f'witness: "{wrong}", beside "{text(right.rule)}"'
        alike = alike or wrong
    if alike:
        return f'witness: "{alike}" has several derivations'
    return f'witness: "{text(differing[0].rule)}"' if differing else ""


def _hint(tie: OpenTie) -> str:
    value = tie.variable or tie.feature[0]
    one = f"`{tie.category}[{tie.feature}={value}]`"
    other = f"`{tie.partner_category}[{tie.feature}={value}]`"
    both = one if tie.variable else f"{one} and {other}"
    return f"write {both}; if any value is meant, `{tie.category}[{tie.feature}=_]`"
