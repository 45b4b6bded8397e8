"""Read and compile a grammar, check that sampling from it ends and that its views have forms.

If a cache is in use and nothing that the grammar is made from has changed, the compiled
grammar comes from there, with its diagnostics and its sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sgl.automata import Consistency
from sgl.automata.weights.moments import consistency
from sgl.cache import current
from sgl.diagnostics import Diagnostic, Diagnostics, Label, SourceMap
from sgl.frontend import Compiled, compile_project
from sgl.lang.project import load_project
from sgl.pipeline.agreement import check_agreement
from sgl.pipeline.origin import known_origin, new_origin, request_of
from sgl.pipeline.views import check_views

_KIND = "grammar"


@dataclass(frozen=True)
class Opened:
    """What reading a grammar has given: the grammar if it has no errors, and what was said."""

    compiled: Compiled | None
    diagnostics: tuple[Diagnostic, ...]
    sources: SourceMap


def open_grammar(
    path: Path, settings: Mapping[str, str], sources: SourceMap, diagnostics: Diagnostics
) -> Compiled | None:
    """The compiled grammar; None when there are errors."""
    opened, _ = opened_grammar(path, settings)
    diagnostics.extend(opened.diagnostics)
    sources.files.update(opened.sources.files)
    # What is read from now on, a table of morphology for example, is known on both sides.
    opened.sources.files = sources.files
    return opened.compiled


def opened_grammar(path: Path, settings: Mapping[str, str]) -> tuple[Opened, str]:
    """The grammar, read or found again, and its origin; see :mod:`sgl.pipeline.origin`."""
    request = request_of(path, settings)
    origin = known_origin(request)
    cache = current()
    if cache is not None and origin:
        known = cache.get(Opened, _KIND, origin)
        if known is not None:
            return known, origin
    sources, diagnostics = SourceMap(), Diagnostics()
    compiled = _compiled(path, settings, sources, diagnostics)
    opened = Opened(compiled, diagnostics.found, sources)
    origin = new_origin(request, sources.dependencies)
    if compiled is not None:
        compiled.with_origin(origin)
    if cache is not None and origin:
        cache.put(opened, _KIND, origin)
    return opened, origin


def _compiled(
    path: Path, settings: Mapping[str, str], sources: SourceMap, diagnostics: Diagnostics
) -> Compiled | None:
    project = load_project(path, sources, diagnostics)
    if project is None:
        return None
    compiled = compile_project(project, settings, diagnostics)
    if compiled is None:
        return None
    figures = consistency(compiled.grammar)
    if not figures.proper:
        _report_improper(compiled, figures, diagnostics)
        return None
    check_views(compiled, diagnostics)
    check_agreement(compiled, diagnostics)
    return compiled if diagnostics.errors == 0 else None


def _report_improper(compiled: Compiled, figures: Consistency, diagnostics: Diagnostics) -> None:
    """Explain by which rules sentences grow without end."""
    grammar = compiled.grammar
    names = [grammar.categories[category].name for category in figures.cycle]
    above = dict(zip(figures.cycle, (*figures.cycle[1:], *figures.cycle[:1]), strict=True))
    growing = [rule for rule in grammar.rules if rule.lhs in above and above[rule.lhs] in rule.rhs]
    spans = list(dict.fromkeys(compiled.rule_spans[rule.id] for rule in growing))
    growth = (
        f"a phrase contains on average {figures.spectral_radius:.3g} phrases one level down "
        "(spectral radius of the mean matrix; it must be below 1)"
    )
    diagnostics.error(
        "SGL0707",
        spans[0] if spans else compiled.dataset_span,
        "sampling from this grammar need not end",
        label="this rule makes a phrase inside a phrase of the same kind",
        labels=[Label(span, "and this one") for span in spans[1:4]],
        notes=(
            "the recursion is " + " → ".join([*names, *names[:1]]) if names else "",
            growth,
            f"a derivation ends with probability {figures.termination:.3g}",
        ),
        hint="give these rules less weight, or the other rules of their categories more",
    )
