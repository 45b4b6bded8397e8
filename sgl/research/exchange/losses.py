"""What a grammar says that a file of another tool cannot say, as warnings.

Rules, weights and words are exported.  Everything else is reported with the line of
its declaration, so that nothing is lost silently.
"""

from __future__ import annotations

from collections.abc import Sequence

from sgl.core.grammar import CoreGrammar
from sgl.diagnostics import Diagnostics, Span
from sgl.lang import syntax as s
from sgl.research.exchange.capitals import WithoutCapitals

#: What speaks about datasets, and not about the language.
_CLAIMS = (s.Pattern, s.Part, s.Restrict)


def report_losses(
    grammar: CoreGrammar,
    declarations: Sequence[s.Declaration],
    exported: Sequence[int],
    diagnostics: Diagnostics,
) -> None:
    """Report what stays behind when the text layers ``exported`` are written."""
    layers = {grammar.text_layers[number].name: number for number in exported}
    for declaration in declarations:
        if isinstance(declaration, s.Layer) and declaration.name.text in layers:
            _report_finishing(grammar, layers[declaration.name.text], declaration, diagnostics)
        elif isinstance(declaration, s.Layer) and declaration.kind.text == "graph":
            diagnostics.warning(
                "SGL1211",
                declaration.span,
                f"the graph layer `{declaration.name}` is not exported",
                hint="`sglc export conllu` writes the graphs of sentences",
            )
        elif isinstance(declaration, s.View):
            diagnostics.warning(
                "SGL1211", declaration.span, f"the view `{declaration.name}` is not exported"
            )
    claims = [declaration for declaration in declarations if isinstance(declaration, _CLAIMS)]
    if claims:
        diagnostics.warning(
            "SGL1211",
            claims[0].span,
            "what patterns, parts and restrictions say of datasets is not exported "
            f"({len(claims):,} {'declaration' if len(claims) == 1 else 'declarations'})",
            notes=("the rules are those of the whole grammar, not of its training data",),
        )


def _report_finishing(
    grammar: CoreGrammar, number: int, declaration: s.Layer, diagnostics: Diagnostics
) -> None:
    layer = grammar.text_layers[number]
    words = " ".join(f"`{word}`" for word in sorted(layer.attach))
    if layer.join != " ":
        what = f"the words of `{layer.name}` are joined by {layer.join!r} here"
    elif layer.attach:
        what = f"no space stands before {words} here"
    else:
        return
    diagnostics.warning(
        "SGL1210",
        declaration.span,
        f"how `{layer.name}` joins its words is not exported",
        label=what,
        notes=("the exported grammar has the same words, with spaces between them",),
    )


def report_capitals(
    resolved: WithoutCapitals,
    grammar: CoreGrammar,
    spans: Sequence[Span],
    diagnostics: Diagnostics,
) -> None:
    """Report the rules whose phrases may begin with the wrong letter."""
    for rule, layer in resolved.inexact:
        diagnostics.warning(
            "SGL1212",
            spans[rule],
            f"which word of `{grammar.text_layers[layer].name}` begins with a capital cannot be "
            "exported exactly",
            label="the first part may be empty, or stands here twice",
        )
