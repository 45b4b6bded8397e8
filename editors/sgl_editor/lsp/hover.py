"""Describe the name or word under the pointer: what it is, its probability, and three samples."""

import re
from collections.abc import Iterable
from importlib.resources import files

from jinja2 import Template
from lsprotocol import types

from sgl.core.grammar import Rule
from sgl.engine import SampleError
from sgl.lang import syntax as s
from sgl_editor.lsp.document import Document, Grammar

_SAMPLES = 3
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\s\w]")


def hover(document: Document, params: types.HoverParams) -> types.Hover | None:
    """Return the description of a position."""
    grammar, source, site = document.grammar, document.source, document.site(params.position)
    offset, compiled, about = document.offset(params.position), grammar.compiled, dict[str, object]()
    if site is not None and site.symbol.kind not in ("file", "column"):
        span, symbol = site.span, site.symbol
        declaration = grammar.names.find(symbol.kind, symbol.name)
        about = {"symbol": symbol, "places": sum(one.symbol == symbol for one in grammar.names.everywhere())}
        words = grammar.words(symbol.name) if symbol.kind == "lemma" else []
        if declaration is not None:
            lines = grammar.text(declaration.span).splitlines()
            about |= {"lines": lines, "samples": _samples_of(grammar, declaration)}
        if isinstance(declaration, s.Rule):
            weights, rules = [case.weight for case in declaration.weights if case.weight], grammar.rules_of(declaration)
            about |= {"weights": [one.factor for one in weights], "rules": rules, "share": share(rules)}
    else:
        marks = (source.span(*found.span()) for found in _WORD.finditer(source.text))
        span = next(
            (mark for mark in marks if mark.start <= source.place(offset) <= mark.end), source.span(offset, offset)
        )
        text, row = grammar.text(span), (source.name, source.position(offset)[0])
        origins = ((one, one.origin) for one in (compiled.grammar.rules if compiled is not None else ()))
        read = [one for one, at in origins if at is not None and (at.file, at.line) == row and one.lexical]
        words = read if read and not document.declarations else grammar.words(text, text)
    template = Template(files("sgl_editor.lsp").joinpath("hover.md.j2").read_text("utf-8"), autoescape=False)
    said = template.render(about, words=words, core=compiled.grammar if compiled is not None else None).strip()
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, said), grammar.range(span)) if said else None


def _samples_of(grammar: Grammar, declaration: s.Declaration) -> list[str]:
    match declaration:
        case s.Rule():
            parts = (part for part in declaration.rhs if not isinstance(part, s.Mention))
            names = (str(part.category.name) if isinstance(part, s.Child) else f'"{part}"' for part in parts)
            return samples(grammar, f"({declaration.lhs.name} {' '.join(names)})")
        case s.CategoryDecl() | s.PatternDecl() | s.PartDecl():
            return samples(grammar, declaration.name.text)
    return []


def samples(grammar: Grammar, of: str, count: int = _SAMPLES) -> list[str]:
    """Return some texts in all layers, or the reason why there are none."""
    try:
        return [" · ".join(filter(None, one.texts.values())) for one in grammar.snapshot.samples(of, count)]
    except SampleError as problem:
        return [str(problem)]


def share(rules: Iterable[Rule]) -> str:
    """Return the probability of a rule within its category, or the range of its probabilities."""
    weights = sorted({f"{rule.weight:.3g}" for rule in rules}, key=float)
    return "–".join(dict.fromkeys((weights[0], weights[-1]))) if weights else ""
