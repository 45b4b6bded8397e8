"""Two ways to write a grammar that must mean the same: rule by rule, number by number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sgl.core.grammar import CoreGrammar
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.diagnostics.registry import MAIN
from sgl.diagnostics.render import render
from sgl.pipeline.grammar import open_grammar


def core_of(grammar: str, tables: Mapping[str, str] | None = None) -> CoreGrammar:
    """Compile a grammar without errors, and forget where its rules were written."""
    with TemporaryDirectory() as directory:
        for name, text in {MAIN: grammar, **(tables or {})}.items():
            (Path(directory) / name).write_text(text, encoding="utf-8")
        sources, diagnostics = SourceMap(), Diagnostics()
        compiled = open_grammar(Path(directory) / MAIN, {}, sources, diagnostics)
        told = "\n".join(render(problem, sources) for problem in diagnostics)
    assert compiled is not None, told
    rules = tuple(replace(rule, origin=None) for rule in compiled.grammar.rules)
    return replace(compiled.grammar, rules=rules)
