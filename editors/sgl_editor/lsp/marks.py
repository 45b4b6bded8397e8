"""Draw what editors show in and around a text: outlines, folds, colours of names, hints and lenses."""

import re
from collections.abc import Iterator

from lsprotocol import types

from sgl.diagnostics import Span
from sgl.lang import syntax as s
from sgl_editor.lsp.document import Document, Grammar
from sgl_editor.lsp.hover import share
from sgl_editor.lsp.names import TABLES, is_library, kind_of, named

LEGEND = types.SemanticTokensLegend(
    sorted({token for _, token, _ in TABLES["shown"].values()} - {""}), ["declaration", "defaultLibrary"]
)
_COMMENTS = re.compile(r"^#.*(?:\n#.*)+", re.MULTILINE)


def outline(document: Document, _: object) -> list[types.DocumentSymbol]:
    """Return the declarations of a file."""
    found = []
    for one in document.declarations:
        name = named(one) or getattr(one, "text", None) or getattr(one, "sentence", None) or s.Name("", one.span)
        place, kind, title = document.grammar.range(one.span), kind_of(one), getattr(one, "title", None)
        of = document.grammar.range(name.span)
        found.append(types.DocumentSymbol(name.text or kind, _symbol(kind), place, of, str(title or kind)))
    return found


def _symbol(kind: str) -> types.SymbolKind:
    return types.SymbolKind[TABLES["shown"].get(kind, ["Object"])[0]]


def everywhere(grammar: Grammar, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    """Return declarations in all files whose names contain the requested letters in order."""
    asked = re.compile(".*".join(map(re.escape, params.query)), re.IGNORECASE)
    declared = grammar.names.project.declarations(s.SyntaxNode)
    pairs = ((one, name) for one in declared if (name := named(one)) and asked.search(name.text))
    return [types.WorkspaceSymbol(grammar.location(at.span), at.text, _symbol(kind_of(one))) for one, at in pairs]


def folds(document: Document, _: object) -> list[types.FoldingRange]:
    """Return the parts that can be folded: declarations, and comments of several lines."""
    spans = [((one.span.start, one.span.end), types.FoldingRangeKind.Region) for one in document.declarations]
    comments = _COMMENTS.finditer(document.source.text) if document.declarations else ()
    spans += [(found.span(), types.FoldingRangeKind.Comment) for found in comments]
    ranges = [(document.range(*span), kind) for span, kind in spans]
    return [types.FoldingRange(r.start.line, r.end.line, kind=kind) for r, kind in ranges if r.end.line > r.start.line]


def tokens(document: Document, _: object) -> types.SemanticTokens:
    """Return the colours of all names in a file, encoded as in the protocol."""
    numbers: list[int] = []
    last = types.Position(0, 0)
    for site in document.grammar.names.of(document.source.name):
        token, place = TABLES["shown"].get(site.symbol.kind, ("", ""))[1], document.grammar.range(site.span)
        start, width = place.start, place.end.character - place.start.character
        if token and place.end.line == start.line and start >= last:
            column = start.character - (last.character if start.line == last.line else 0)
            marks = site.declares + 2 * is_library(site.symbol.home)
            numbers += [start.line - last.line, column, width, LEGEND.token_types.index(token), marks]
            last = start
    return types.SemanticTokens(numbers)


def inlays(document: Document, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Return the hints next to the text: probabilities, expected numbers, held-out structures."""
    first, last, real = document.offset(params.range.start), document.offset(params.range.end), document.source.real
    return [
        types.InlayHint(document.grammar.position(document.source, at.end), text, tooltip=why, padding_left=True)
        for at, text, why in (*_probabilities(document), *_claimed(document.grammar))
        if at.file == document.source.name and first <= real(at.start) <= last
    ]


def _probabilities(document: Document) -> Iterator[tuple[Span, str, str]]:
    claims = document.grammar.claims
    unused = claims.proofs.unused if claims is not None and claims.proofs is not None else ()
    gone = {rule for part in unused if part.split == "train" for rule in part.rules}
    for one in document.declarations:
        rules = document.grammar.rules_of(one)
        line = document.grammar.text(one.span).partition("\n")[0].partition(" #")[0].rstrip()
        span = document.source.span(one.span.start, one.span.start + len(line))
        if share(rules) not in ("", "1"):
            yield span, f"p {share(rules)}", "probability among the rules of its category"
        if rules and gone.issuperset(rule.id for rule in rules):
            yield span, "held out", "no sentence of train uses this rule"


def _claimed(grammar: Grammar) -> Iterator[tuple[Span, str, str]]:
    claims, compiled = grammar.claims, grammar.snapshot.compiled
    if claims is None or claims.proofs is None or compiled is None:
        return
    for proofs, lowered in zip(claims.proofs.patterns, compiled.patterns, strict=True):
        for index, licence in enumerate(proofs.licences):
            why = "sentences of train that are expected to have it"
            yield lowered.span("need", index), f"≈ {licence.evidence.expected:,.0f}", why
        for kind, asserted in (("forbid", False), ("never", True)):
            held = (claim for claim in proofs.held_out if claim.evidence.asserted == asserted)
            for index, claim in enumerate(held):
                why = "how many texts of the grammar have it; of train none may"
                yield lowered.span(kind, index), f"held out: {claim.mass:.2%}, {claim.verdict.value}", why


def lenses(document: Document, _: object) -> list[types.CodeLens]:
    """Return the commands offered above declarations."""
    uri, found = document.grammar.uri(document.source.name), []
    for one in document.declarations:
        for title, command in TABLES["lenses"].get(kind_of(one), {}).items():
            asked = types.Command(title, command, None, [uri, str(named(one) or "")])
            found.append(types.CodeLens(document.grammar.range(one.span), asked))
    return found
