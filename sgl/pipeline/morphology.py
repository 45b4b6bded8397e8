"""Check the inflected words of a grammar with a morphological analyser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.frontend.queries import inflections
from sgl.morphology.analyser import AnalyserMissing, sudachi
from sgl.morphology.check import MorphologyResult, check_morphology, report_idle
from sgl.morphology.knowledge import beside, grammar_exemptions, library_knowledge


def check_inflected(
    compiled: Compiled, sources: SourceMap, diagnostics: Diagnostics
) -> tuple[MorphologyResult, str] | None:
    """Report every Japanese form that the analyser takes for another.

    Returns:
        What the analyser found, and its name and versions; None if it is not installed.
    """
    try:
        analyser = sudachi()
    except AnalyserMissing as problem:
        message = "the morphological analyser is not installed"
        hint = "pip install sudachipy sudachidict-core"
        diagnostics.error("SGL0655", None, message, hint, notes=(str(problem),))
        return None
    main = compiled.project.main
    library = library_knowledge(sources)
    table = beside(Path(main.file.name)).as_posix()
    own = grammar_exemptions(main.path, table, sources, diagnostics)
    knowledge = replace(library, exemptions=(*own, *library.exemptions))
    forms = inflections(compiled.project, compiled.parameters)
    outcome = check_morphology(forms, knowledge, analyser.analyse, diagnostics, table)
    report_idle(own, outcome, diagnostics)
    return outcome, analyser.versions
