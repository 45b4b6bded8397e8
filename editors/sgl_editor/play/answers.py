"""Answer what the page asks for beyond the language server: pieces of HTML, and files.

Answers are commands of the language server: each takes texts and returns JSON.  The templates of reports make the
pieces of HTML, so a graph looks the same in both.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from sgl.core.interpret import Derivation
from sgl.engine import SampleError
from sgl.pipeline.guarantees import pattern_guarantees
from sgl.report.render import page_environment
from sgl_editor.lsp.document import Document, Grammar

#: The number of samples shown at a time.
_SAMPLES = 5


def files(document: Document) -> dict[str, Any]:
    """Return the files of a grammar, the main one first, and the categories that can be sampled from it."""
    grammar = document.grammar
    snapshot = grammar.snapshot
    compiled = snapshot.compiled
    return {
        "title": snapshot.project.title if snapshot.project is not None else "",
        "files": [{"uri": path.as_uri(), "name": path.name, "text": text} for path, text in snapshot.own.items()],
        "samples": [] if compiled is None else list(dict.fromkeys(s.category for s in compiled.plan.strata)),
    }


def samples(document: Document, of: str, seed: str) -> dict[str, Any]:
    """Return some texts in all layers, each with its tree and graph."""
    if not re.fullmatch(r"[0-9]{1,18}", seed):
        raise JsonRpcInvalidParams("a seed is a whole number")
    snapshot = document.grammar.snapshot
    try:
        found = snapshot.samples(of, _SAMPLES, int(seed))
    except SampleError as problem:
        return {"html": render("problem.html.j2", text=str(problem))}
    shown = [(one.texts, _marked(document.grammar, of, one.item.derivation)) for one in found]
    return {"html": render("samples.html.j2", samples=shown)}


def patterns(document: Document) -> dict[str, Any]:
    """Return the patterns with the known verdicts on their claims."""
    grammar = document.grammar
    compiled = grammar.snapshot.compiled
    if compiled is None:
        return {"html": render("problem.html.j2", text="The grammar has errors; the messages say where.")}
    proofs = grammar.claims.proofs if grammar.claims is not None else None
    rows = [
        (pattern, pattern_guarantees(proofs.of(pattern.name)) if proofs is not None else [])
        for pattern in compiled.plan.patterns
    ]
    return {"html": render("patterns.html.j2", rows=rows), "proved": proofs is not None}


def pair(document: Document, name: str) -> dict[str, Any]:
    """Return an item of a pattern with the nearest training sentence, and each leak."""
    grammar = document.grammar
    compiled = grammar.snapshot.compiled
    found = None if compiled is None else next((p for p in compiled.plan.patterns if p.name == name), None)
    if compiled is None or not compiled.has_dataset or found is None:
        return {"html": ""}
    proofs = grammar.claims.proofs if grammar.claims is not None else None
    held_out, licences = (proofs.of(name).held_out, proofs.of(name).licences) if proofs is not None else ((), ())
    leaks = [grammar.pairs.marked(claim.witness, [claim.structure]) for claim in held_out if claim.witness is not None]
    try:
        item = grammar.snapshot.samples(name, 1)[0].item.derivation
    except SampleError as problem:
        return {"html": render("problem.html.j2", text=str(problem))}
    return {"html": render("asked.html.j2", pair=grammar.pairs.pair(found, item, licences), leaks=leaks, name=name)}


#: The commands of the page, by name.
ANSWERS: Mapping[str, Callable[..., object]] = {f"play.{one.__name__}": one for one in (files, samples, patterns, pair)}


def _marked(grammar: Grammar, of: str, derivation: Derivation) -> object:
    """Return a sample ready to be drawn, or None if the grammar has no dataset or the sample is a phrase."""
    compiled = grammar.snapshot.compiled
    if compiled is None or not compiled.has_dataset:
        return None
    if compiled.grammar.rules[derivation[0]].lhs != compiled.grammar.start:
        return None
    patterns = (one for one in compiled.plan.patterns if one.name == of)
    return grammar.pairs.marked(derivation, [s for one in patterns for s in one.gen or one.held_out])


_environment = cache(partial(page_environment, "sgl_editor.play"))


def render(template: str, **values: object) -> str:
    """Return the HTML that a template of the page makes of some values."""
    return _environment().get_template(template).render(values)
