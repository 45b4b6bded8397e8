"""Report what a file of another tool cannot say.

Rules, weights and words are exported.  Everything else is reported with the line of its
declaration, so that nothing is lost silently; a word that cannot be written is an error.
"""

from __future__ import annotations

from collections.abc import Sequence

from sgl.core.grammar import Token
from sgl.diagnostics import Diagnostics
from sgl.frontend import Compiled
from sgl.lang import syntax as s
from sgl.research.exchange.capitals import WithoutCapitals
from sgl.research.exchange.names import is_quotable
from sgl.research.exchange.write_nltk import repeating

#: What speaks about datasets, and not about the language.
_CLAIMS = (s.PatternDecl, s.PartDecl, s.Restrict)


def report_unsupported(compiled: Compiled, layers: Sequence[int], diagnostics: Diagnostics) -> None:
    """Report what stays behind when these text layers are written."""
    exported = {compiled.grammar.text_layers[number].name: number for number in layers}
    declarations = [d for unit in compiled.project.units for d in unit.file.declarations]
    for declaration in declarations:
        if isinstance(declaration, s.Layer) and declaration.name.text in exported:
            _report_joining(compiled, exported[declaration.name.text], declaration, diagnostics)
        elif isinstance(declaration, s.Layer) and declaration.kind.text == "graph":
            diagnostics.warning(
                "SGL1211",
                declaration.span,
                f"the graph layer `{declaration.name}` is not exported",
                hint="`sglc export conllu` writes the graphs of sentences",
            )
        elif isinstance(declaration, s.ViewDecl):
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


def _report_joining(
    compiled: Compiled, number: int, declaration: s.Layer, diagnostics: Diagnostics
) -> None:
    layer = compiled.grammar.text_layers[number]
    if layer.join != " ":
        what = f"the words of `{layer.name}` are joined by {layer.join!r} here"
    elif layer.attach:
        words = " ".join(f"`{word}`" for word in sorted(layer.attach))
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
    resolved: WithoutCapitals, compiled: Compiled, diagnostics: Diagnostics
) -> None:
    """Report the rules whose phrases may begin with the wrong letter."""
    for rule, layer in resolved.inexact:
        diagnostics.warning(
            "SGL1212",
            compiled.rule_spans[rule],
            f"which word of `{compiled.grammar.text_layers[layer].name}` begins with a capital "
            "cannot be exported exactly",
            label="the first part may be empty, or stands here twice",
        )


def report_words(
    compiled: Compiled,
    layers: Sequence[int],
    tool: str,
    diagnostics: Diagnostics,
    reserved: Sequence[str] = (),
) -> None:
    """Report words that cannot be quoted, or that the other tool would take for an operation."""
    for rule in compiled.grammar.rules:
        for item in (item for layer in layers for item in rule.templates[layer]):
            if isinstance(item, Token) and (item.text in reserved or not is_quotable(item.text)):
                diagnostics.error(
                    "SGL1213",
                    compiled.rule_spans[rule.id],
                    f"{tool} has no way to write the word `{item.text}`",
                    hint="spell it otherwise",
                )


def report_repetition(compiled: Compiled, layer: int, diagnostics: Diagnostics) -> None:
    """Report the rules that stop a layer from being context-free."""
    name = compiled.grammar.text_layers[layer].name
    for rule in repeating(compiled.grammar, layer):
        diagnostics.error(
            "SGL1214",
            compiled.rule_spans[rule],
            f"`{name}` is not context-free: this rule repeats a child in it",
            hint="`--layer` names another layer",
        )
